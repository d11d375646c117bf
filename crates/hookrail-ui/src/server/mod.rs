//! The web server: one address on loopback, one browser session.
//!
//! A thread accepts connections and every connection has a thread and one request. That is enough for one person's
//! browser and keeps out what a server for many needs: a pool, an executor, pipelining.

mod access;
mod api;
mod backtest;
mod live;
mod peer;
mod request;
mod response;

use crate::machine::{CommandBackend, Proposal};
use crate::source::EventSource;
use access::{Access, Admission};
use backtest::Backtest;
use request::{ReadFailure, Request};
use response::Response;
use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// More connections than this at once are refused: a browser opens six, and every page one more.
const MAX_CONNECTIONS: usize = 64;
/// How long a client may take to send a request or to take an answer.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    #[error("cannot listen on port {port} of loopback: {source}\nhint: without `--port` a free port is chosen")]
    Listen { port: u16, source: io::Error },
    #[error("the machine gives no random numbers: {0}")]
    Random(getrandom::Error),
}

/// A server that listens and does not answer yet.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
}

/// What all connections share.
struct Shared {
    access: Access,
    source: Arc<dyn EventSource>,
    machine: Arc<dyn CommandBackend>,
    clock: fn() -> i64,
    /// The change that was shown last, by its id. A newer one takes its place.
    proposal: Mutex<Option<(String, Box<dyn Proposal>)>>,
    backtest: Backtest,
    connections: AtomicUsize,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Server {
    /// Listens on loopback only; port 0 is any free one. `clock` tells milliseconds since 1970.
    pub fn bind(
        port: u16,
        source: Arc<dyn EventSource>,
        machine: Arc<dyn CommandBackend>,
        clock: fn() -> i64,
    ) -> Result<Self, ServerError> {
        let listen = |source| ServerError::Listen { port, source };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let shared = Shared {
            access: Access::new(address.port()).map_err(ServerError::Random)?,
            source,
            machine,
            clock,
            proposal: Mutex::default(),
            backtest: Backtest::default(),
            connections: AtomicUsize::new(0),
        };
        Ok(Self { listener, address, shared: Arc::new(shared) })
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// The address that opens the page, once.
    pub fn entrance(&self) -> String {
        format!("http://127.0.0.1:{}/?token={}", self.port(), self.shared.access.token())
    }

    /// Answers on threads of its own until the process ends.
    pub fn start(self) {
        std::thread::spawn(move || {
            for stream in self.listener.incoming().flatten() {
                let shared = Arc::clone(&self.shared);
                std::thread::spawn(move || shared.serve(&stream));
            }
        });
    }
}

impl Shared {
    fn serve(&self, stream: &TcpStream) {
        let before = self.connections.fetch_add(1, Ordering::Relaxed);
        // A client that went away does not want the rest.
        let _ = if before < MAX_CONNECTIONS { self.converse(stream) } else { Response::busy().send(stream) };
        self.connections.fetch_sub(1, Ordering::Relaxed);
    }

    fn converse(&self, stream: &TcpStream) -> io::Result<()> {
        if peer::is_of_another_user(stream) {
            return Response::problem(403, "this page belongs to another user of the machine").send(stream);
        }
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        let request = match Request::read(stream) {
            Ok(Some(request)) => request,
            Ok(None) => return Ok(()),
            Err(ReadFailure::Lost(error)) => return Err(error),
            Err(ReadFailure::Unreadable(status, why)) => return Response::problem(status, why).send(stream),
        };
        match self.access.admit(&request) {
            Ok(Admission::Exchange) => self.access.welcome().send(stream),
            Ok(Admission::Session) if request.path == "/api/live" => live::stream(self, &request, stream),
            Ok(Admission::Session) => api::answer(self, &request).send(stream),
            Err(refusal) => refusal.response(&request).send(stream),
        }
    }
}
