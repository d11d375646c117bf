//! The hook engine: everything between an agent's event and the verdict of its hooks that touches the machine.
//!
//! A program describes its session once in a [`Config`], opens an [`Engine`] from it, and asks it at every event:
//!
//! ```
//! use hookrail_engine::{Config, Engine};
//! use serde_json::json;
//!
//! let hooks = json!({"BeforeTool": [{"matcher": "shell", "hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}]});
//! let verdict = Engine::open(&Config::new("session-1", "/tmp").hooks(&hooks))?
//!     .before_tool("shell", json!({"command": "make"}).as_object().unwrap());
//! assert_eq!(verdict.refusal(), Some("no"));
//! # Ok::<(), hookrail_engine::OpenError>(())
//! ```
//!
//! An engine answers every event with a [`Verdict`](hookrail_core::Verdict) and never fails towards its caller. What stands
//! around every hook (mode, trust, breaker, deadline, `on_error`, journal, limits for texts) is the same for every caller; the
//! [`Config`] says what the engine stands on: settings files, packs, `hookrail.toml`, a world, a store, and how the agent's
//! tools are read.
//!
//! [`HookSystem`] is the same under the names and with the life cycle of the document that the engine implements: there is
//! none while hooks are switched off, and it reads its configuration at the first event. `hookrail-host` stands on it.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

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
    ALLOWED_ONCE, Considered, Engine, HookDisposition, HookObserver, HookSet, NATIVE_TIMEOUT, OpenError, Progress,
    RegisteredHook, RunAccount, Selection, StopAnswer, TurnStart, firm_names, mode, rule_events, subject,
};
pub use event_handler::HookEventHandler;
pub use hook_system::{HookSystem, HookSystemNotInitializedError, Status};
pub use logger::{DebugLogger, Level, SilentLogger, StatusDisplay};
pub use registry::{Diagnostic, Document, FolderTrust, HookFormat, HookRegistry, HookSource, Layer, SettingsFile};
pub use runner::asking::{
    ApiKey, AskingSettings, HttpPolicy, Network, NetworkQuestion, PromptEndpoint, Provider, Recipient,
};
pub use runner::process::CancelToken;
pub use runner::{External, HookRunner, NotRecorded, PastAnswers, RunnerSettings};
pub use world::{Memory, Places, RealWorld};
