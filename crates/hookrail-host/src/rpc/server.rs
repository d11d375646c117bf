use super::dispatcher::Dispatcher;
use super::output::Output;
use super::pool::Pool;
use super::running::Running;
use super::session::Equipment;
use hookrail_core::NativeHook;
use hookrail_engine::{DebugLogger, Overflow, SilentLogger};
use std::io::{self, Read, Write};
use std::sync::Arc;

/// A server that is not running yet.
#[derive(Debug)]
pub struct Server {
    native_hooks: Vec<Arc<dyn NativeHook>>,
    logger: Arc<dyn DebugLogger>,
    overflow: Option<Arc<dyn Overflow>>,
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
    /// Sends what is written so far; a server that nobody listens to any more ends.
    pub fn flush(&self) {
        self.output.flush();
        if self.output.is_broken() {
            self.running.stop();
        }
    }
}

impl Default for Server {
    fn default() -> Self {
        Self { native_hooks: Vec::new(), logger: Arc::new(SilentLogger), overflow: None }
    }
}

impl Server {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Hooks of this program, which every session has beside the ones its settings name.
    #[must_use]
    pub fn native_hooks(mut self, hooks: impl IntoIterator<Item = Arc<dyn NativeHook>>) -> Self {
        self.native_hooks.extend(hooks);
        self
    }

    #[must_use]
    pub fn logger(mut self, logger: Arc<dyn DebugLogger>) -> Self {
        self.logger = logger;
        self
    }

    /// Where texts go that are too long for a model.
    #[must_use]
    pub fn overflow(mut self, overflow: Arc<dyn Overflow>) -> Self {
        self.overflow = Some(overflow);
        self
    }

    /// Begins to read requests, on a thread of its own; [`Service::wait`] sees it through. After a `shutdown` that thread
    /// stays behind until its input yields something or ends.
    pub fn start(self, input: impl Read + Send + 'static, output: impl Write + Send + 'static) -> io::Result<Service> {
        let shared =
            Arc::new(Shared { output: Arc::new(Output::new(output)), running: Arc::default(), pool: Arc::default() });
        let service = Service { shared: Arc::clone(&shared) };
        let equipment = Equipment { native_hooks: self.native_hooks, logger: self.logger, overflow: self.overflow };
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

/// However the reading ends, nobody is left waiting for it.
struct StopOnDrop(Service);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}
