//! The server itself: its threads and connections.

use crate::http::{Connection, HttpAnswer};
use crate::model::{ScriptedModel, plain_error};
use crate::recorded::Recorded;
use crate::script::{Script, StreamEnd};
use std::io;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A model provider on loopback that says what a [`Script`] tells it to.
///
/// It runs until it is dropped; dropping it closes every connection and waits for its threads.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    model: Arc<ScriptedModel>,
    acceptor: Option<JoinHandle<Vec<Worker>>>,
}

impl ModelServer {
    /// Starts a server on a free port of 127.0.0.1. It is ready when this returns.
    ///
    /// # Panics
    ///
    /// When there is none: a test cannot go on then. Programs use [`ModelServer::try_start`].
    #[expect(clippy::expect_used, reason = "a test cannot go on without its model")]
    pub fn start(script: impl Into<Script>) -> Self {
        Self::try_start(script).expect("a free port on loopback")
    }

    /// Starts a server on a free port of 127.0.0.1, if there is one. It is ready when this returns.
    pub fn try_start(script: impl Into<Script>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let model = Arc::new(ScriptedModel::new(script.into()));
        let acceptor = thread::Builder::new().spawn({
            let model = Arc::clone(&model);
            move || accept_connections(&listener, &model)
        })?;
        Ok(Self { address, model, acceptor: Some(acceptor) })
    }

    /// Where the server is: `http://127.0.0.1:PORT`, without a slash at the end.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every request so far, in the order they arrived, those to unknown paths included.
    pub fn requests(&self) -> Vec<Recorded> {
        self.model.requests()
    }

    /// The requests that asked the model to say something: what agents do besides is left out.
    pub fn generations(&self) -> Vec<Recorded> {
        self.requests().into_iter().filter(Recorded::is_generation).collect()
    }

    /// How many of the script's ordered turns have not been taken yet.
    pub fn turns_left(&self) -> usize {
        self.model.turns_left()
    }
}

impl Drop for ModelServer {
    #[expect(clippy::panic, reason = "a rule that panicked is an expectation of a test that did not hold")]
    fn drop(&mut self) {
        self.model.stop();
        let Some(acceptor) = self.acceptor.take() else { return };
        // The acceptor sleeps until there is a connection.
        while !acceptor.is_finished() {
            let _ = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
            thread::sleep(Duration::from_millis(1));
        }
        let workers = acceptor.join().unwrap_or_default();
        for worker in workers {
            worker.disconnect();
            let _ = worker.thread.join();
        }
        if self.model.has_failed() && !thread::panicking() {
            panic!("a rule of the model server's script panicked");
        }
    }
}

/// A thread that serves one connection. It alone owns the connection, which is thus closed when it ends.
#[derive(Debug)]
struct Worker {
    stream: Weak<TcpStream>,
    thread: JoinHandle<()>,
}

impl Worker {
    /// Wakes the thread from whatever it reads or writes.
    fn disconnect(&self) {
        if let Some(stream) = self.stream.upgrade() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

fn accept_connections(listener: &TcpListener, model: &Arc<ScriptedModel>) -> Vec<Worker> {
    let mut workers: Vec<Worker> = Vec::new();
    loop {
        let accepted = listener.accept();
        if model.is_stopped() {
            return workers;
        }
        workers.retain(|worker| !worker.thread.is_finished());
        match accepted.and_then(|(stream, _)| start_worker(stream, model)) {
            Ok(worker) => workers.push(worker),
            // Out of file descriptors or threads, or a client that has already gone: none of it is for ever.
            Err(_) => thread::sleep(Duration::from_millis(5)),
        }
    }
}

fn start_worker(stream: TcpStream, model: &Arc<ScriptedModel>) -> io::Result<Worker> {
    // Each piece of a stream is to leave at once, not when there is enough to fill a packet.
    stream.set_nodelay(true)?;
    let stream = Arc::new(stream);
    let model = Arc::clone(model);
    let observed = Arc::downgrade(&stream);
    let thread = thread::Builder::new().spawn(move || serve(&stream, &model))?;
    Ok(Worker { stream: observed, thread })
}

fn serve(stream: &TcpStream, model: &ScriptedModel) {
    let mut connection = Connection::new(stream);
    loop {
        let request = match connection.read_request() {
            Ok(Some(request)) => request,
            Ok(None) => return,
            Err(error) => {
                if let Some(status) = error.status() {
                    connection.refuse(&HttpAnswer::json(status, &plain_error(status, &error.to_string())));
                }
                return;
            }
        };
        let (method, keeps_alive) = (request.method.clone(), request.keeps_alive);
        let answer = model.answer(request);
        let sent = connection.send(&method, &answer);
        if sent.is_err() || answer.ending == StreamEnd::Cut || !keeps_alive {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_thread_outlives_the_server() {
        let server = ModelServer::start(Script::default());
        let model = Arc::clone(&server.model);
        let idle: Vec<_> = (0..3).map(|_| TcpStream::connect(server.address).unwrap()).collect();
        drop(server);
        assert_eq!(Arc::strong_count(&model), 1, "every thread has let go of the model");
        drop(idle);
    }
}
