//! `hookrail.toml`: four layers that add up, and in which nothing lower can weaken something higher.

mod cache;
mod commands;
mod effect;
mod files;
mod fleet;
mod last_good;
mod model;
mod packed;
mod positions;
mod reader;
mod safety;
mod schema;
mod settings;
mod spec;
mod trail;

pub use cache::ConfigCache;
pub use files::LayerFiles;
pub use fleet::FleetSettings;
pub use hookrail_dialects::project_root;
pub use model::ModelSettings;
pub use schema::json_schema;
pub use settings::{CommandHook, LayerKind, Privacy, Resolved, Settings};
pub use trail::{SettingStatement, Statement};
