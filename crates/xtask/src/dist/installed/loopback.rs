//! A web server on loopback with a fixed set of files: the place that installers download from, and an npm registry.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

/// Serves until the process ends: a thread that waits for connections holds up nothing.
pub struct Loopback {
    port: u16,
    listener: TcpListener,
}

impl Loopback {
    /// The address is known before the files are, because files of a registry name it.
    pub fn bind() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        Ok(Self { port: listener.local_addr()?.port(), listener })
    }

    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Answers with the file of each path.
    pub fn serve(self, files: BTreeMap<String, Vec<u8>>) {
        let files = Arc::new(files);
        thread::spawn(move || {
            for stream in self.listener.incoming().flatten() {
                let files = Arc::clone(&files);
                // A client that hangs up has what it wanted.
                thread::spawn(move || drop(answer(&stream, &files)));
            }
        });
    }
}

fn answer(stream: &TcpStream, files: &BTreeMap<String, Vec<u8>>) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    let path = request.split(' ').nth(1).unwrap_or_default().replace("%2f", "/").replace("%2F", "/");
    let (status, body) = files.get(&path).map_or(("404 Not Found", &b"{}"[..]), |body| ("200 OK", body.as_slice()));
    let mut stream = stream;
    write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len())?;
    stream.write_all(body)
}
