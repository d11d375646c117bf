//! One request of a browser, read with `httparse` and narrow limits.

use std::io::{self, Read};

const MAX_HEAD: usize = 16 * 1024;
const MAX_HEADERS: usize = 64;
const MAX_BODY: usize = 64 * 1024;

#[derive(Debug, Default)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub query: Vec<(String, String)>,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

#[derive(Debug)]
pub enum ReadFailure {
    Lost(io::Error),
    /// The status to answer with, and why.
    Unreadable(u16, &'static str),
}

impl From<io::Error> for ReadFailure {
    fn from(error: io::Error) -> Self {
        Self::Lost(error)
    }
}

impl Request {
    /// `None` if the client closes the connection without a request, as browsers do that open one in advance.
    pub fn read(mut stream: impl Read) -> Result<Option<Self>, ReadFailure> {
        let mut bytes = Vec::new();
        let mut piece = [0; 4096];
        loop {
            let count = match stream.read(&mut piece) {
                Err(error) if bytes.is_empty() && is_silence(&error) => return Ok(None),
                count => count?,
            };
            if count == 0 {
                return if bytes.is_empty() {
                    Ok(None)
                } else {
                    Err(io::Error::from(io::ErrorKind::UnexpectedEof).into())
                };
            }
            bytes.extend_from_slice(piece.get(..count).unwrap_or_default());
            if let Some((mut request, head)) = parse(&bytes)? {
                let length = request.body_length()?;
                let mut body = bytes.split_off(head);
                let rest =
                    length.checked_sub(body.len()).ok_or(ReadFailure::Unreadable(400, "bytes after the request"))?;
                let begun = body.len();
                body.resize(length, 0);
                stream.read_exact(body.get_mut(begun..begun + rest).unwrap_or_default())?;
                request.body = body;
                return Ok(Some(request));
            }
            if bytes.len() > MAX_HEAD {
                return Err(ReadFailure::Unreadable(431, "the head of the request is too large"));
            }
        }
    }

    /// The value of a header, if the request has it exactly once.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str());
        values.next().filter(|_| values.next().is_none())
    }

    pub fn has_header(&self, name: &str) -> bool {
        self.headers.iter().any(|(key, _)| key == name)
    }

    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// A cookie's value.
    pub fn cookie(&self, name: &str) -> Option<&str> {
        let pairs = self.header("cookie")?.split(';').filter_map(|pair| pair.trim().split_once('='));
        pairs.filter(|(key, _)| *key == name).map(|(_, value)| value).next()
    }

    fn body_length(&self) -> Result<usize, ReadFailure> {
        if self.has_header("transfer-encoding") {
            return Err(ReadFailure::Unreadable(501, "a body must come with its length"));
        }
        if !self.has_header("content-length") {
            return Ok(0);
        }
        let length = self.header("content-length").and_then(|value| value.parse::<usize>().ok());
        match length {
            None => Err(ReadFailure::Unreadable(400, "the length of the body is not a number")),
            Some(length) if length > MAX_BODY => Err(ReadFailure::Unreadable(413, "the body is too large")),
            Some(length) => Ok(length),
        }
    }
}

fn is_silence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::ConnectionReset)
}

/// The request and the length of its head; `None` while the head is incomplete.
fn parse(bytes: &[u8]) -> Result<Option<(Request, usize)>, ReadFailure> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    let head = match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(head)) => head,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => {
            return Err(ReadFailure::Unreadable(431, "the request has too many headers"));
        }
        Err(_) => return Err(ReadFailure::Unreadable(400, "this is not a request of HTTP/1.1")),
    };
    let target = parsed.path.unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let header = |header: &httparse::Header<'_>| {
        (header.name.to_ascii_lowercase(), String::from_utf8_lossy(header.value).trim().to_owned())
    };
    let request = Request {
        method: parsed.method.unwrap_or_default().to_owned(),
        path: path.to_owned(),
        query: query.split('&').filter(|pair| !pair.is_empty()).map(decode_pair).collect(),
        headers: parsed.headers.iter().map(header).collect(),
        body: Vec::new(),
    };
    Ok(Some((request, head)))
}

fn decode_pair(pair: &str) -> (String, String) {
    let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
    (decode(key), decode(value))
}

/// `%41` and `+` as browsers write them; what is no escape stands for itself.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let escape = bytes.get(at + 1..at + 3).filter(|_| *byte == b'%');
        let escaped = escape.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        at += if escaped.is_some() { 3 } else { 1 };
        decoded.push(escaped.unwrap_or(if *byte == b'+' { b' ' } else { *byte }));
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<Request>, u16> {
        Request::read(text.as_bytes()).map_err(|failure| match failure {
            ReadFailure::Lost(_) => 0,
            ReadFailure::Unreadable(status, _) => status,
        })
    }

    #[test]
    fn a_request_is_read_with_its_query_headers_and_body() {
        let text = "POST /a/b?q=r%C3%A4t+x&from=3&bad=%zz HTTP/1.1\r\nHost: h\r\nCookie: a=1; b=2\r\nContent-Length: 3\r\n\r\nabc";
        let request = read(text).unwrap().unwrap();
        assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/a/b"));
        assert_eq!(request.parameter("q"), Some("rät x"));
        assert_eq!((request.parameter("from"), request.parameter("bad")), (Some("3"), Some("%zz")));
        assert_eq!((request.cookie("b"), request.cookie("c")), (Some("2"), None));
        assert_eq!(request.body, b"abc");
    }

    #[test]
    fn what_is_no_request_or_too_much_is_refused() {
        let many = "X: y\r\n".repeat(MAX_HEADERS + 1);
        let long = format!("GET /{} HTTP/1.1\r\n", "a".repeat(MAX_HEAD + 4096));
        for (text, expected) in [
            ("GET / HTTP/1.1\r\nHost: h", 0),
            ("not http\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\nab", 400),
            ("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400),
            ("POST / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n", 413),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501),
            (&format!("GET / HTTP/1.1\r\n{many}\r\n"), 431),
            (&long, 431),
        ] {
            assert_eq!(read(text).err(), Some(expected), "{text:.60}");
        }
        assert!(read("").unwrap().is_none());
    }

    #[test]
    fn a_header_that_comes_twice_counts_as_none() {
        let request = read("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n").unwrap().unwrap();
        assert_eq!(request.header("host"), None);
    }
}
