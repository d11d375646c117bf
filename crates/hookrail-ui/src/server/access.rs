//! Who may talk to the server: the one browser that came with the token.
//!
//! Other programs can reach a port of loopback, and every web page can send requests to it. So a request counts only if
//!
//! 1. its `Host` is a name of loopback: a name that an attacker's DNS points here (rebinding) is another one;
//! 2. its `Origin`, if it has one, is that host, and `Sec-Fetch-Site` does not tell of another page. A page of another
//!    port on loopback is "same site" to a cookie, but not the same origin;
//! 3. it has the session's cookie, which the browser got for the token. A token works once: whoever comes second, sees that;
//! 4. on Linux, its connection was opened by the user that the server runs as, or by root ([`super::peer`]);
//! 5. a request that changes something is a `POST`, with `Origin` and a body of JSON, which no form can send.

use super::request::Request;
use super::response::Response;
use std::sync::{Mutex, PoisonError};

/// Bytes of randomness in a token and in a cookie.
const RANDOM_BYTES: usize = 32;

#[derive(Debug)]
pub struct Access {
    token: String,
    unused: Mutex<bool>,
    session: String,
    /// Cookies do not know ports, so the port is in the name: two servers have two cookies.
    cookie: String,
}

/// What a request may do.
#[derive(Debug, PartialEq, Eq)]
pub enum Admission {
    Session,
    /// It brought the token, and gets the cookie.
    Exchange,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    Host,
    Origin,
    NoSession,
    TokenUsed,
    WrongToken,
    NotJson,
}

impl Access {
    pub fn new(port: u16) -> Result<Self, getrandom::Error> {
        Ok(Self {
            token: random()?,
            unused: Mutex::new(true),
            session: random()?,
            cookie: format!("hookrail_ui_{port}"),
        })
    }

    pub fn token(&self) -> &str {
        &self.token
    }

    pub fn admit(&self, request: &Request) -> Result<Admission, Refusal> {
        let host = request.header("host").filter(|host| is_loopback(host)).ok_or(Refusal::Host)?;
        check_origin(request, host)?;
        if request.cookie(&self.cookie).is_some_and(|cookie| same(cookie, &self.session)) {
            return Ok(Admission::Session);
        }
        let Some(token) = request.parameter("token").filter(|_| request.path == "/" && request.method == "GET") else {
            return Err(Refusal::NoSession);
        };
        if !same(token, &self.token) {
            return Err(Refusal::WrongToken);
        }
        let mut unused = self.unused.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::take(&mut *unused) { Ok(Admission::Exchange) } else { Err(Refusal::TokenUsed) }
    }

    /// Sets the cookie and goes on to the page. A redirect would do where the address was typed; a page that was opened by
    /// a link of another site has a strict cookie only for what it loads itself.
    pub fn welcome(&self) -> Response {
        let cookie = format!("{}={}; Path=/; HttpOnly; SameSite=Strict", self.cookie, self.session);
        page(
            200,
            "hookrail",
            "<p>Opening the page …</p><p><a href=\"/\">Continue</a></p>",
            "<meta http-equiv=\"refresh\" content=\"0;url=/\">",
        )
        .with_header("Set-Cookie", &cookie)
    }
}

impl Refusal {
    fn status(self) -> u16 {
        match self {
            Self::Host => 421,
            Self::NoSession | Self::TokenUsed | Self::WrongToken => 401,
            Self::Origin | Self::NotJson => 403,
        }
    }

    fn why(self) -> &'static str {
        match self {
            Self::Host => {
                "this server answers to 127.0.0.1 and localhost only\nhint: open the address that `hookrail ui` printed"
            }
            Self::Origin => "the request comes from another page\nhint: open the address that `hookrail ui` printed",
            Self::NoSession => {
                "this browser has no session\nhint: open the address that `hookrail ui` printed, with its token"
            }
            Self::TokenUsed => {
                "the token of this address was used already; if that was not you, end `hookrail ui`\nhint: run `hookrail ui` again for a new address"
            }
            Self::WrongToken => {
                "this is not the token of the running server\nhint: open the address that `hookrail ui` printed last"
            }
            Self::NotJson => "a change must be sent as JSON by the page itself\nhint: reload the page",
        }
    }

    /// A page for a person who opened an address, JSON for everything else.
    pub fn response(self, request: &Request) -> Response {
        if request.path != "/" {
            return Response::problem(self.status(), self.why());
        }
        let (what, hint) = self.why().split_once("\nhint: ").unwrap_or((self.why(), ""));
        page(self.status(), "hookrail: not admitted", &format!("<h1>Not admitted</h1><p>{what}.</p><p>{hint}.</p>"), "")
    }
}

fn page(status: u16, title: &str, body: &str, head: &str) -> Response {
    let html = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <meta name=\"color-scheme\" content=\"light dark\"><link rel=\"icon\" href=\"data:,\"><title>{title}</title>{head}</head><body><main>{body}</main></body></html>"
    );
    Response::html(status, html)
}

/// A name of loopback, with any port: a tunnel may begin at another one.
fn is_loopback(host: &str) -> bool {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, port),
        _ => (host, "80"),
    };
    let is_number = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    is_number && (matches!(name, "127.0.0.1" | "[::1]") || name.eq_ignore_ascii_case("localhost"))
}

fn check_origin(request: &Request, host: &str) -> Result<(), Refusal> {
    let own = format!("http://{host}");
    let is_change = request.method != "GET";
    match request.header("origin") {
        Some(origin) if origin.eq_ignore_ascii_case(&own) => {}
        Some(_) => return Err(Refusal::Origin),
        None if is_change || request.has_header("origin") => return Err(Refusal::Origin),
        None => {}
    }
    // A link to the page may stand anywhere; everything else is loaded by the page itself.
    let opens_page = request.path == "/" && request.header("sec-fetch-mode").is_none_or(|mode| mode == "navigate");
    let foreign = request.header("sec-fetch-site").is_some_and(|site| !matches!(site, "same-origin" | "none"));
    if foreign && !opens_page {
        return Err(Refusal::Origin);
    }
    if is_change && request.header("content-type") != Some("application/json") {
        return Err(Refusal::NotJson);
    }
    Ok(())
}

/// Compares in a time that does not tell where the texts differ.
fn same(one: &str, other: &str) -> bool {
    let differ = one.bytes().zip(other.bytes()).fold(0, |differ, (one, other)| differ | (one ^ other));
    one.len() == other.len() && differ == 0
}

pub fn random() -> Result<String, getrandom::Error> {
    let mut bytes = [0_u8; RANDOM_BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(line: &str, headers: &[&str]) -> Request {
        let text = format!("{line} HTTP/1.1\r\n{}\r\n\r\n", headers.join("\r\n"));
        Request::read(text.as_bytes()).unwrap().unwrap()
    }

    #[test]
    fn only_the_page_itself_with_its_cookie_is_admitted() {
        let access = Access::new(7000).unwrap();
        let cookie = format!("Cookie: hookrail_ui_7000={}", access.session);
        let with = |line: &str, headers: &[&str]| {
            let mut all = vec![cookie.as_str()];
            all.extend(headers);
            access.admit(&request(line, &all))
        };
        let json = "Content-Type: application/json";
        let home = "Host: 127.0.0.1:7000";
        let cases: [(&str, &[&str], Result<Admission, Refusal>); 21] = [
            ("GET /", &[home], Ok(Admission::Session)),
            ("GET /", &["Host: localhost:9999"], Ok(Admission::Session)),
            ("GET /", &["Host: LOCALHOST"], Ok(Admission::Session)),
            ("GET /", &["Host: [::1]:7000"], Ok(Admission::Session)),
            ("GET /", &["Host: [::1]"], Ok(Admission::Session)),
            ("GET /", &[], Err(Refusal::Host)),
            ("GET /", &["Host: evil.example:7000"], Err(Refusal::Host)),
            ("GET /", &["Host: 127.0.0.1.evil.example:7000"], Err(Refusal::Host)),
            ("GET /", &["Host: localhost:7000:x"], Err(Refusal::Host)),
            ("GET /", &["Host: 0.0.0.0:7000"], Err(Refusal::Host)),
            ("GET /", &[home, home], Err(Refusal::Host)),
            ("GET /api/state", &[home, "Origin: http://127.0.0.1:7000"], Ok(Admission::Session)),
            ("GET /api/state", &[home, "Origin: http://127.0.0.1:3000"], Err(Refusal::Origin)),
            ("GET /api/state", &[home, "Origin: null"], Err(Refusal::Origin)),
            ("GET /api/state", &[home, "Sec-Fetch-Site: same-site"], Err(Refusal::Origin)),
            ("GET /", &[home, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"], Ok(Admission::Session)),
            ("GET /", &[home, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors"], Err(Refusal::Origin)),
            ("POST /api/allow", &[home, json], Err(Refusal::Origin)),
            ("POST /api/allow", &[home, json, "Origin: http://localhost:7000"], Err(Refusal::Origin)),
            ("POST /api/allow", &[home, "Origin: http://127.0.0.1:7000"], Err(Refusal::NotJson)),
            ("POST /api/allow", &[home, json, "Origin: http://127.0.0.1:7000"], Ok(Admission::Session)),
        ];
        for (line, headers, expected) in cases {
            assert_eq!(with(line, headers), expected, "{line} {headers:?}");
        }
    }

    #[test]
    fn without_a_cookie_only_the_token_opens_the_page_and_only_once() {
        let access = Access::new(7000).unwrap();
        let get = |target: &str, more: &[&str]| {
            let mut headers = vec!["Host: localhost:7000"];
            headers.extend(more);
            access.admit(&request(&format!("GET {target}"), &headers))
        };
        let entrance = format!("/?token={}", access.token());
        assert_eq!(get("/", &[]), Err(Refusal::NoSession));
        assert_eq!(get("/assets/app.js", &[]), Err(Refusal::NoSession));
        assert_eq!(get("/", &["Cookie: hookrail_ui_7000=guess"]), Err(Refusal::NoSession));
        assert_eq!(get("/", &[&format!("Cookie: hookrail_ui_7001={}", access.session)]), Err(Refusal::NoSession));
        assert_eq!(get("/?token=guess", &[]), Err(Refusal::WrongToken));
        assert_eq!(get(&format!("/api/state?token={}", access.token()), &[]), Err(Refusal::NoSession));
        assert_eq!(get(&entrance, &[]), Ok(Admission::Exchange));
        assert_eq!(get(&entrance, &[]), Err(Refusal::TokenUsed));
    }

    #[test]
    fn the_cookie_is_out_of_reach_for_scripts_and_other_sites() {
        let mut sent = Vec::new();
        Access::new(7000).unwrap().welcome().send(&mut sent).unwrap();
        let sent = String::from_utf8(sent).unwrap();
        assert!(sent.contains("HttpOnly; SameSite=Strict\r\n"), "{sent}");
        assert!(sent.contains("default-src 'none'"), "{sent}");
    }
}
