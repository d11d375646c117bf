use crate::config::Setup;
use crate::engine::{Engine, OpenError};
use crate::event_handler::HookEventHandler;
use crate::logger::{Level, log};
use crate::registry::HookRegistry;
use std::sync::{Mutex, OnceLock, PoisonError};

/// An accessor was used before [`HookSystem::initialize`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the hook system is not initialised\nhint: call `initialize` first")]
pub struct HookSystemNotInitializedError;

/// What a hook system says about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// Whether the configuration was read.
    pub initialized: bool,
    /// How many hooks there are; 0 before the configuration was read.
    pub total_hooks: usize,
}

/// One session's hooks. It comes into being with the first event and reads its configuration then.
#[derive(Debug)]
pub struct HookSystem {
    setup: Box<Setup>,
    initializing: Mutex<()>,
    ready: OnceLock<HookEventHandler>,
}

impl HookSystem {
    /// Reads nothing yet.
    pub(crate) fn new(setup: Box<Setup>) -> Self {
        Self { setup, initializing: Mutex::default(), ready: OnceLock::new() }
    }

    /// Reads the configuration, once; later calls return at once. A failed call leaves everything as it was, and the next
    /// one tries again.
    pub fn initialize(&self) -> Result<(), OpenError> {
        if self.ready.get().is_some() {
            return Ok(());
        }
        let _one_at_a_time = self.initializing.lock().unwrap_or_else(PoisonError::into_inner);
        if self.ready.get().is_some() {
            return Ok(());
        }
        let engine = Engine::from_setup(Setup::clone(&self.setup))?;
        for diagnostic in engine.diagnostics() {
            log(&*self.setup.logger, Level::Warn, || diagnostic.one_line());
        }
        self.ready.get_or_init(|| HookEventHandler::new(engine));
        Ok(())
    }

    /// The hooks of settings files, extensions and the program itself.
    pub fn get_registry(&self) -> Result<&HookRegistry, HookSystemNotInitializedError> {
        self.get_event_handler().map(|handler| handler.engine().registry())
    }

    /// What answers events.
    pub fn get_event_handler(&self) -> Result<&HookEventHandler, HookSystemNotInitializedError> {
        self.ready.get().ok_or(HookSystemNotInitializedError)
    }

    /// What is known without reading anything.
    #[must_use]
    pub fn get_status(&self) -> Status {
        let ready = self.ready.get();
        let total_hooks = ready.map_or(0, |handler| handler.engine().hooks().len());
        Status { initialized: ready.is_some(), total_hooks }
    }
}
