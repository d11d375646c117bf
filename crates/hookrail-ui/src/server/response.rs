use serde::Serialize;
use serde_json::json;
use std::borrow::Cow;
use std::io::{self, Write};

/// Sent with every answer: nothing is loaded from elsewhere, framed, sniffed, cached or told to others.
pub const SECURITY_HEADERS: &str = "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
X-Content-Type-Options: nosniff\r\n\
X-Frame-Options: DENY\r\n\
Referrer-Policy: no-referrer\r\n\
Cross-Origin-Opener-Policy: same-origin\r\n\
Cross-Origin-Resource-Policy: same-origin\r\n\
Permissions-Policy: camera=(), geolocation=(), microphone=()\r\n\
Cache-Control: no-store\r\n\
Connection: close\r\n";

#[derive(Debug)]
pub struct Response {
    status: u16,
    content_type: &'static str,
    /// Further headers, each with its line break.
    headers: String,
    body: Cow<'static, [u8]>,
}

impl Response {
    pub fn json(status: u16, value: &impl Serialize) -> Self {
        match serde_json::to_vec(value) {
            Ok(body) => Self::new(status, "application/json", body),
            Err(error) => Self::problem(500, format!("the answer cannot be written: {error}")),
        }
    }

    /// What is wrong, for the page to show.
    pub fn problem(status: u16, why: impl Into<String>) -> Self {
        let why = why.into();
        let (what, hint) = why.split_once("\nhint: ").map_or((why.as_str(), None), |(what, hint)| (what, Some(hint)));
        Self::json(status, &json!({ "error": what, "hint": hint }))
    }

    pub fn html(status: u16, body: String) -> Self {
        Self::new(status, "text/html; charset=utf-8", body.into_bytes())
    }

    /// A file that is kept compressed.
    pub fn gzip(content_type: &'static str, body: &'static [u8]) -> Self {
        Self { status: 200, content_type, headers: "Content-Encoding: gzip\r\n".to_owned(), body: Cow::Borrowed(body) }
    }

    pub fn busy() -> Self {
        Self::problem(503, "too many connections\nhint: close some pages of `hookrail ui`")
    }

    fn new(status: u16, content_type: &'static str, body: Vec<u8>) -> Self {
        Self { status, content_type, headers: String::new(), body: Cow::Owned(body) }
    }

    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push_str(&format!("{name}: {value}\r\n"));
        self
    }

    pub fn send(&self, mut out: impl Write) -> io::Result<()> {
        let head = format!(
            "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{SECURITY_HEADERS}{}\r\n",
            self.status,
            phrase(self.status),
            self.content_type,
            self.body.len(),
            self.headers
        );
        out.write_all(head.as_bytes())?;
        out.write_all(&self.body)?;
        out.flush()
    }
}

fn phrase(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        409 => "Conflict",
        413 => "Content Too Large",
        421 => "Misdirected Request",
        422 => "Unprocessable Content",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        _ => "Error",
    }
}
