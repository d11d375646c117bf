use super::dispatcher::Dispatcher;
use super::output::Output;
use super::pool::Pool;
use super::running::Running;
use super::session::Equipment;
use hookrail_core::{HookPack, NativeHook};
use hookrail_engine::{DebugLogger, Network, SilentLogger};
use hookrail_store::Store;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// A server that is not running yet.
#[derive(Debug)]
pub struct Server {
    equipment: Equipment,
}

/// A running server. Clones speak of the same one.
#[derive(Clone)]
pub struct Service {
    shared: Arc<Shared>,
}

/// What all threads of a server have in common.
pub(super) struct Shared {
    pub output: Arc<Output>,
    pub running: Arc<Running>,
    pub pool: Arc<Pool>,
}

impl Shared {
    /// Sends what is written so far; a server whose output is closed ends.
    pub fn flush(&self) {
        self.output.flush();
        if self.output.is_broken() {
            self.running.stop();
        }
    }
}

impl Default for Server {
    fn default() -> Self {
        let (native_hooks, packs) = (Vec::new(), Vec::new());
        Self {
            equipment: Equipment { native_hooks, packs, logger: Arc::new(SilentLogger), store: None, network: None },
        }
    }
}

impl Server {
    /// A server without native hooks, packs, log or store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Hooks of this program, which every session has beside the ones its settings name.
    #[must_use]
    pub fn native_hooks(mut self, hooks: impl IntoIterator<Item = Arc<dyn NativeHook>>) -> Self {
        self.equipment.native_hooks.extend(hooks);
        self
    }

    /// Where sessions tell of the engine's work; nowhere if not given.
    #[must_use]
    pub fn logger(mut self, logger: Arc<dyn DebugLogger>) -> Self {
        self.equipment.logger = logger;
        self
    }

    /// The way to models and web services; without one, prompt and HTTP hooks fail.
    #[must_use]
    pub fn network(mut self, network: Arc<dyn Network>) -> Self {
        self.equipment.network = Some(network);
        self
    }

    /// Packs that sessions may ask for.
    #[must_use]
    pub fn packs(mut self, packs: impl IntoIterator<Item = &'static dyn HookPack>) -> Self {
        self.equipment.packs.extend(packs);
        self
    }

    /// Where sessions and the journal are kept, and the folder behind it. Sessions that record nothing keep texts there that
    /// are too long for a model.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn Store>, folder: impl Into<PathBuf>) -> Self {
        self.equipment.store = Some((store, folder.into()));
        self
    }

    /// Begins to read requests, on a thread of its own; [`Service::wait`] sees it through. After a `shutdown` that thread
    /// stays behind until its input yields something or ends.
    pub fn start(self, input: impl Read + Send + 'static, output: impl Write + Send + 'static) -> io::Result<Service> {
        let shared =
            Arc::new(Shared { output: Arc::new(Output::new(output)), running: Arc::default(), pool: Arc::default() });
        let service = Service { shared: Arc::clone(&shared) };
        let equipment = self.equipment;
        let at_the_end = StopOnDrop(service.clone());
        std::thread::Builder::new().name("hookrail-reader".to_owned()).spawn(move || {
            let _at_the_end = at_the_end;
            Dispatcher::new(shared, equipment).serve(input);
        })?;
        Ok(service)
    }
}

impl Service {
    /// Cancels every hook that runs and accepts nothing more, as at the end of the input.
    pub fn stop(&self) {
        self.shared.running.stop();
    }

    /// Waits until the server was told to end, by its input or by [`Service::stop`], and everything is answered.
    pub fn wait(&self) {
        if let Some(reply) = self.shared.running.wait_for_end() {
            reply.send(Ok(()));
        }
        self.shared.output.flush();
    }
}

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Service").field("running", &self.shared.running.len()).finish_non_exhaustive()
    }
}

/// However the reading ends, no thread is left waiting for it.
struct StopOnDrop(Service);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}
