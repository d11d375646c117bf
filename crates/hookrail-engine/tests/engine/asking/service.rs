//! A web service on loopback that says exactly the bytes it is told to.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// What it does once it has read a request.
#[derive(Clone)]
pub enum ServiceBehaviour {
    /// Says this and hangs up.
    Say(Vec<u8>),
    /// Says this, then a byte every few milliseconds until the other side hangs up.
    Drip(Vec<u8>),
    /// Never says anything.
    Silence,
    /// Says this as soon as so many requests are there at the same time.
    Together(usize, Vec<u8>),
}

#[derive(Clone, Debug)]
pub struct Request {
    /// Request line and headers, as they came.
    pub head: String,
    pub body: String,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.head.lines().filter_map(|line| line.split_once(": "));
        headers.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

pub struct Service {
    pub address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Service {
    pub fn start(manner: ServiceBehaviour) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (requests, stopped) = (Arc::<Mutex<Vec<Request>>>::default(), Arc::<AtomicBool>::default());
        let thread = thread::spawn({
            let (requests, stopped) = (Arc::clone(&requests), Arc::clone(&stopped));
            move || {
                for stream in listener.incoming().map_while(Result::ok) {
                    if stopped.load(Ordering::SeqCst) {
                        return;
                    }
                    let (requests, stopped, manner) = (Arc::clone(&requests), Arc::clone(&stopped), manner.clone());
                    thread::spawn(move || serve(stream, &manner, &requests, &stopped));
                }
            }
        });
        Self { address, requests, stopped, thread: Some(thread) }
    }

    /// Answers everything with this status line, headers and body.
    pub fn answering(status: &str, headers: &[&str], body: &str) -> Self {
        Self::start(ServiceBehaviour::Say(response(status, headers, body)))
    }

    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        let _ = self.thread.take().unwrap().join();
    }
}

/// A complete answer with the right length.
pub fn response(status: &str, headers: &[&str], body: &str) -> Vec<u8> {
    let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// An address without a listener.
pub fn deserted() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

fn serve(mut stream: TcpStream, manner: &ServiceBehaviour, requests: &Mutex<Vec<Request>>, stopped: &AtomicBool) {
    let Some(request) = read_request(&stream) else { return };
    requests.lock().unwrap().push(request);
    let waits = |ready: &dyn Fn() -> bool| {
        while !ready() && !stopped.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(2));
        }
    };
    match manner {
        ServiceBehaviour::Say(bytes) => drop(stream.write_all(bytes)),
        ServiceBehaviour::Drip(bytes) => {
            let mut going = stream.write_all(bytes).is_ok();
            while going && !stopped.load(Ordering::SeqCst) {
                thread::sleep(Duration::from_millis(5));
                going = stream.write_all(b" ").is_ok();
            }
        }
        ServiceBehaviour::Silence => waits(&|| false),
        ServiceBehaviour::Together(count, bytes) => {
            waits(&|| requests.lock().unwrap().len() >= *count);
            drop(stream.write_all(bytes));
        }
    }
}

fn read_request(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let mut request = Request { head, body: String::new() };
    let length = request.header("content-length").map_or(0, |length| length.parse().unwrap());
    reader.take(length).read_to_string(&mut request.body).ok()?;
    Some(request)
}
