//! The hook engine: everything between an agent's event and the verdict of its hooks that touches the machine.
//!
//! A program describes its session once in a [`Config`]. While hooks are switched off there is no [`HookSystem`] at all;
//! otherwise it comes into being on first use, reads the configuration at the first event, and from then on
//! [`HookEventHandler`] answers each event with a [`Verdict`](hookrail_core::Verdict).

mod clock;
mod config;
mod engine;
mod event_handler;
mod hook_system;
pub mod layers;
mod logger;
pub mod registry;
pub mod runner;
pub mod trust;
mod world;

pub use clock::{timestamp, timestamp_of};
pub use config::{Config, Extension};
pub use engine::{
    Considered, Engine, Fate, HookSet, NATIVE_TIMEOUT, OpenError, RunAccount, Selection, StopAnswer, TurnStart,
    firm_names, mode, rule_events, subject,
};
pub use event_handler::HookEventHandler;
pub use hook_system::{HookSystem, HookSystemNotInitializedError, Status};
pub use logger::{DebugLogger, Level, SilentLogger};
pub use registry::{Diagnostic, Document, FolderTrust, HookFormat, HookRegistry, HookSource, Layer, SettingsFile};
pub use runner::asking::{ApiKey, AskingSettings, HttpPolicy, PromptEndpoint, Provider};
pub use runner::process::CancelToken;
pub use runner::{External, HookRunner, PastAnswers, RunnerSettings};
pub use world::{Memory, Places, RealWorld};
