//! Just enough of HTTP/1.1 to be a server: requests in, answers out, connections kept open.
//!
//! Written by hand because the small servers to be had buffer what they send, and cannot break off in the middle of
//! it; both are what a test of a streaming client is about.

use crate::script::StreamEnd;
use serde_json::Value;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;
use thiserror::Error;

const MAX_HEAD: usize = 64 * 1024;
const MAX_HEADERS: usize = 128;
const MAX_BODY: u64 = 64 * 1024 * 1024;

/// How long a refused client may stay silent before its connection is closed.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Debug, Error)]
pub(crate) enum HttpError {
    #[error("connection lost: {0}")]
    Lost(#[from] io::Error),
    #[error("malformed request: {0}")]
    Malformed(String),
    #[error("the {0} is too large")]
    TooLarge(&'static str),
    #[error("only HTTP/1.1 is spoken here")]
    Version,
}

impl HttpError {
    /// The status to answer with; none if there is no one to answer.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Lost(_) => None,
            Self::Malformed(_) => Some(400),
            Self::TooLarge(_) => Some(413),
            Self::Version => Some(505),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Request {
    pub method: String,
    pub path: String,
    pub query: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    pub keeps_alive: bool,
}

#[derive(Debug)]
pub(crate) struct HttpAnswer {
    pub status: u16,
    pub content_type: &'static str,
    pub body: Body,
    pub ending: StreamEnd,
}

#[derive(Debug)]
pub(crate) enum Body {
    Whole(String),
    Chunks(Vec<String>),
}

impl HttpAnswer {
    pub fn json(status: u16, body: &Value) -> Self {
        Self {
            status,
            content_type: "application/json",
            body: Body::Whole(body.to_string()),
            ending: StreamEnd::Complete,
        }
    }
}

/// A client's connection.
#[derive(Debug)]
pub(crate) struct Connection<'a> {
    reader: BufReader<&'a TcpStream>,
    writer: &'a TcpStream,
}

impl<'a> Connection<'a> {
    pub fn new(stream: &'a TcpStream) -> Self {
        Self { reader: BufReader::new(stream), writer: stream }
    }

    /// The next request; none when the client has closed the connection after the last one.
    pub fn read_request(&mut self) -> Result<Option<Request>, HttpError> {
        let head = self.read_head()?;
        if head.is_empty() {
            return Ok(None);
        }
        let mut request = parse_head(&head)?;
        let header = |name| find(&request.headers, name);
        if header("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue")) {
            self.writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        request.body = match header("transfer-encoding") {
            Some(coding) if coding.eq_ignore_ascii_case("chunked") => self.read_chunked()?,
            Some(coding) => return Err(HttpError::Malformed(format!("unknown transfer coding `{coding}`"))),
            None => self.read_exactly(body_length(header("content-length"))?)?,
        };
        Ok(Some(request))
    }

    /// Everything up to the empty line; nothing if the connection ends before the first byte.
    fn read_head(&mut self) -> Result<Vec<u8>, HttpError> {
        let mut head = Vec::new();
        loop {
            let line = self.read_line(MAX_HEAD - head.len())?;
            match line.as_slice() {
                [] if head.is_empty() => return Ok(head),
                [] => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
                // Empty lines before a request are to be ignored.
                b"\r\n" | b"\n" if head.is_empty() => {}
                b"\r\n" | b"\n" => {
                    head.extend(line);
                    return Ok(head);
                }
                _ => head.extend(line),
            }
        }
    }

    fn read_line(&mut self, limit: usize) -> Result<Vec<u8>, HttpError> {
        let mut line = Vec::new();
        self.reader.by_ref().take(limit as u64).read_until(b'\n', &mut line)?;
        if line.len() >= limit && !line.ends_with(b"\n") {
            return Err(HttpError::TooLarge("head"));
        }
        Ok(line)
    }

    fn read_exactly(&mut self, length: u64) -> Result<Vec<u8>, HttpError> {
        if length > MAX_BODY {
            return Err(HttpError::TooLarge("body"));
        }
        let mut body = Vec::new();
        self.reader.by_ref().take(length).read_to_end(&mut body)?;
        if body.len() as u64 == length { Ok(body) } else { Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()) }
    }

    fn read_chunked(&mut self) -> Result<Vec<u8>, HttpError> {
        let mut body = Vec::new();
        loop {
            let line = self.read_line(MAX_HEAD)?;
            let length = match httparse::parse_chunk_size(&line) {
                Ok(httparse::Status::Complete((_, length))) => length,
                _ => return Err(HttpError::Malformed("chunk without a size".to_owned())),
            };
            if length == 0 {
                return self.skip_trailers().map(|()| body);
            }
            if length > MAX_BODY - body.len() as u64 {
                return Err(HttpError::TooLarge("body"));
            }
            body.extend(self.read_exactly(length)?);
            if self.read_line(MAX_HEAD)? != b"\r\n" {
                return Err(HttpError::Malformed("chunk longer than its size".to_owned()));
            }
        }
    }

    fn skip_trailers(&mut self) -> Result<(), HttpError> {
        while !matches!(self.read_line(MAX_HEAD)?.as_slice(), b"\r\n" | b"\n" | b"") {}
        Ok(())
    }

    /// Sends an answer to a request with `method`. One that breaks off leaves the connection unusable.
    pub fn send(&mut self, method: &str, answer: &HttpAnswer) -> io::Result<()> {
        let framing = match &answer.body {
            Body::Whole(body) => format!("Content-Length: {}", body.len()),
            Body::Chunks(_) => "Cache-Control: no-cache\r\nTransfer-Encoding: chunked".to_owned(),
        };
        let HttpAnswer { status, content_type, .. } = answer;
        let reason = reason(*status);
        let head = format!("HTTP/1.1 {status} {reason}\r\nContent-Type: {content_type}\r\n{framing}\r\n\r\n");
        self.writer.write_all(head.as_bytes())?;
        match &answer.body {
            _ if method == "HEAD" => Ok(()),
            Body::Whole(body) => self.send_whole(body, answer.ending),
            Body::Chunks(chunks) => self.send_chunks(chunks, answer.ending),
        }
    }

    /// Answers a request that was not read to its end. Closing with bytes unread would reset the connection and take
    /// the answer along, so what the client still sends is let pass.
    pub fn refuse(mut self, answer: &HttpAnswer) {
        let _ = self
            .send("", answer)
            .and_then(|()| self.writer.shutdown(Shutdown::Write))
            .and_then(|()| self.writer.set_read_timeout(Some(PATIENCE)))
            .and_then(|()| io::copy(&mut self.reader.take(MAX_BODY), &mut io::sink()));
    }

    fn send_whole(&mut self, body: &str, ending: StreamEnd) -> io::Result<()> {
        let bytes = body.as_bytes();
        let sent = match ending {
            StreamEnd::Complete => bytes.len(),
            StreamEnd::Cut => bytes.len() / 2,
        };
        self.writer.write_all(bytes.split_at(sent).0)
    }

    fn send_chunks(&mut self, chunks: &[String], ending: StreamEnd) -> io::Result<()> {
        for chunk in chunks {
            self.writer.write_all(format!("{:x}\r\n{chunk}\r\n", chunk.len()).as_bytes())?;
        }
        match ending {
            StreamEnd::Complete => self.writer.write_all(b"0\r\n\r\n"),
            StreamEnd::Cut => Ok(()),
        }
    }
}

fn parse_head(head: &[u8]) -> Result<Request, HttpError> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    match parsed.parse(head) {
        Ok(httparse::Status::Complete(_)) => {}
        Ok(httparse::Status::Partial) => return Err(HttpError::Malformed("incomplete head".to_owned())),
        Err(httparse::Error::TooManyHeaders) => return Err(HttpError::TooLarge("head")),
        Err(error) => return Err(HttpError::Malformed(error.to_string())),
    }
    if parsed.version != Some(1) {
        return Err(HttpError::Version);
    }
    let headers: Vec<_> = parsed
        .headers
        .iter()
        .map(|header| (header.name.to_ascii_lowercase(), String::from_utf8_lossy(header.value).into_owned()))
        .collect();
    let target = parsed.path.unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let keeps_alive = !find(&headers, "connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
    Ok(Request {
        method: parsed.method.unwrap_or_default().to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        headers,
        body: Vec::new(),
        keeps_alive,
    })
}

fn find<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}

fn body_length(header: Option<&str>) -> Result<u64, HttpError> {
    let Some(value) = header else { return Ok(0) };
    value.trim().parse().map_err(|_| HttpError::Malformed(format!("content length `{value}`")))
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        413 => "Content Too Large",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        505 => "HTTP Version Not Supported",
        529 => "Overloaded",
        _ => "Error",
    }
}
