use crate::config::Config;
use crate::event_handler::{HookEventHandler, Session};
use crate::logger::{DebugLogger, Level, log};
use crate::overflow::Overflow;
use crate::registry::{FolderTrust, HookRegistry, HookSource, HookSourceError};
use crate::runner::HookRunner;
use crate::runner::process::CancelToken;
use hookrail_core::HookEntry;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// An accessor was used before [`HookSystem::initialize`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the hook system is not initialised\nhint: call `initialize` first")]
pub struct HookSystemNotInitializedError;

/// What a hook system says about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    pub initialized: bool,
    pub total_hooks: usize,
}

/// One session's hooks: the registry, and the event handler with its one planner, runner and aggregator.
#[derive(Debug)]
pub struct HookSystem {
    sources: Vec<Arc<dyn HookSource>>,
    native: Vec<HookEntry>,
    disabled: Vec<String>,
    trust: FolderTrust,
    logger: Arc<dyn DebugLogger>,
    runner: Arc<HookRunner>,
    session: Session,
    cancel: CancelToken,
    overflow: Option<Arc<dyn Overflow>>,
    initializing: Mutex<()>,
    ready: OnceLock<Ready>,
}

#[derive(Debug)]
struct Ready {
    registry: Arc<HookRegistry>,
    handler: HookEventHandler,
}

impl HookSystem {
    /// Reads nothing yet.
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            sources: config.sources.clone(),
            native: config.native.clone(),
            disabled: config.disabled.clone(),
            trust: config.trust,
            logger: Arc::clone(&config.logger),
            runner: Arc::new(HookRunner::new(
                config.runner_settings(),
                Arc::clone(&config.world),
                Arc::clone(&config.logger),
            )),
            session: Session { id: config.get_session_id().to_owned(), cwd: config.get_working_dir().to_owned() },
            cancel: config.cancel.clone(),
            overflow: config.overflow.clone(),
            initializing: Mutex::new(()),
            ready: OnceLock::new(),
        }
    }

    /// Reads the configuration, once; later calls return at once. A failed call leaves everything as it was, and the next
    /// one tries again.
    pub fn initialize(&self) -> Result<(), HookSourceError> {
        if self.ready.get().is_some() {
            return Ok(());
        }
        let _one_at_a_time = self.initializing.lock().unwrap_or_else(PoisonError::into_inner);
        if self.ready.get().is_some() {
            return Ok(());
        }
        let layers = self.sources.iter().map(|source| source.load()).collect::<Result<Vec<_>, _>>()?;
        let registry = Arc::new(HookRegistry::build(&layers, self.native.clone(), &self.disabled, self.trust));
        for diagnostic in registry.diagnostics() {
            log(&*self.logger, Level::Warn, || diagnostic.one_line());
        }
        let handler = HookEventHandler::new(
            Arc::clone(&registry),
            Arc::clone(&self.runner),
            self.session.clone(),
            Arc::clone(&self.logger),
            self.cancel.clone(),
            self.overflow.clone(),
        );
        self.ready.get_or_init(|| Ready { registry, handler });
        Ok(())
    }

    pub fn get_registry(&self) -> Result<&HookRegistry, HookSystemNotInitializedError> {
        self.ready.get().map(|ready| &*ready.registry).ok_or(HookSystemNotInitializedError)
    }

    pub fn get_event_handler(&self) -> Result<&HookEventHandler, HookSystemNotInitializedError> {
        self.ready.get().map(|ready| &ready.handler).ok_or(HookSystemNotInitializedError)
    }

    #[must_use]
    pub fn get_status(&self) -> Status {
        let ready = self.ready.get();
        Status { initialized: ready.is_some(), total_hooks: ready.map_or(0, |ready| ready.registry.len()) }
    }
}
