//! A client that hides nothing of what came over the wire.

use crate::ModelServer;
use serde_json::Value;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Nothing here takes long; a test that waits this long hangs.
pub const HANG: Duration = Duration::from_secs(20);

#[derive(Debug)]
pub struct Client {
    reader: BufReader<TcpStream>,
}

#[derive(Debug)]
pub struct ClientAnswer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    /// The body in the pieces in which it was sent.
    pub chunks: Vec<String>,
    /// Whether the body came to the end that its framing promised.
    pub is_complete: bool,
}

#[derive(Debug, PartialEq)]
pub struct Event {
    pub name: Option<String>,
    pub data: String,
}

impl Client {
    pub fn connect(server: &ModelServer) -> Self {
        let address = server.base_url().strip_prefix("http://").unwrap().to_owned();
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(HANG)).unwrap();
        stream.set_write_timeout(Some(HANG)).unwrap();
        Self { reader: BufReader::new(stream) }
    }

    pub fn post(&mut self, target: &str, body: &Value) -> ClientAnswer {
        self.send(post_request(target, body));
        self.read_answer()
    }

    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.reader.get_mut().write_all(bytes.as_ref()).unwrap();
    }

    /// Reads a status line and the headers below it.
    pub fn read_head(&mut self) -> (u16, Vec<(String, String)>) {
        let status_line = self.read_line();
        let status = status_line.strip_prefix("HTTP/1.1 ").unwrap().split(' ').next().unwrap().parse().unwrap();
        let lines = std::iter::from_fn(|| Some(self.read_line()).filter(|line| !line.is_empty()));
        let headers = lines.map(|line| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.to_lowercase(), value.to_owned())
        });
        (status, headers.collect())
    }

    pub fn read_answer(&mut self) -> ClientAnswer {
        let (status, headers) = self.read_head();
        let mut answer = ClientAnswer { status, headers, chunks: Vec::new(), is_complete: false };
        match answer.header("content-length").map(|length| length.parse::<u64>().unwrap()) {
            Some(length) => {
                let mut body = String::new();
                self.reader.by_ref().take(length).read_to_string(&mut body).unwrap();
                answer.is_complete = body.len() as u64 == length;
                answer.chunks.push(body);
            }
            None => {
                assert_eq!(answer.header("transfer-encoding"), Some("chunked"));
                while let Some(chunk) = self.read_chunk() {
                    answer.is_complete = chunk.is_empty();
                    answer.chunks.extend(Some(chunk).filter(|chunk| !chunk.is_empty()));
                    if answer.is_complete {
                        break;
                    }
                }
            }
        }
        answer
    }

    /// The next chunk, empty for the last; none if the connection ended instead.
    fn read_chunk(&mut self) -> Option<String> {
        let size = Some(self.read_line()).filter(|line| !line.is_empty())?;
        let mut chunk = vec![0; usize::from_str_radix(&size, 16).unwrap() + 2];
        self.reader.read_exact(&mut chunk).unwrap();
        assert_eq!(&chunk[chunk.len() - 2..], b"\r\n");
        chunk.truncate(chunk.len() - 2);
        Some(String::from_utf8(chunk).unwrap())
    }

    fn read_line(&mut self) -> String {
        let mut line = String::new();
        self.reader.read_line(&mut line).unwrap();
        line.trim_end_matches(['\r', '\n']).to_owned()
    }

    /// Reads on until the server has closed the connection, in whatever way.
    pub fn wait_for_end(mut self) {
        if let Err(error) = io::copy(&mut self.reader, &mut io::sink()) {
            assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
        }
    }

    /// Whether the server has closed the connection and sent nothing more.
    pub fn is_at_end(&mut self) -> bool {
        self.reader.fill_buf().is_ok_and(<[u8]>::is_empty)
    }
}

impl ClientAnswer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub fn body(&self) -> String {
        self.chunks.concat()
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body()).unwrap_or_else(|error| panic!("{error}: {}", self.body()))
    }

    /// The server-sent events, whose lines end with `line_end`.
    pub fn events(&self, line_end: &str) -> Vec<Event> {
        let body = self.body();
        let blank_line = line_end.repeat(2);
        assert!(body.is_empty() || body.ends_with(&blank_line), "{body:?}");
        body.split_terminator(&blank_line).map(|block| Event::parse(block, line_end)).collect()
    }
}

impl Event {
    fn parse(block: &str, line_end: &str) -> Self {
        let mut event = Self { name: None, data: String::new() };
        for line in block.split(line_end) {
            match line.split_once(": ") {
                Some(("event", name)) => event.name = Some(name.to_owned()),
                Some(("data", data)) => event.data = data.to_owned(),
                _ => panic!("not a line of an event: {line:?}"),
            }
        }
        event
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap_or_else(|error| panic!("{error}: {}", self.data))
    }
}

pub fn post_request(target: &str, body: &Value) -> String {
    let body = body.to_string();
    format!(
        "POST {target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}
