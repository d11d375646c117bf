//! Pack `core`: what hookrail does for itself.

mod event_log;
mod protected_paths;

pub use event_log::EventLog;
pub use protected_paths::ProtectedPaths;
