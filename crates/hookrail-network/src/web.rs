//! One POST, bounded in time, size and reach.

use super::error::{AskError, Excerpt, shorten};
use super::guard::{ForbiddenTarget, Guard, RequestTargets};
use std::io::Read;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use ureq::Agent;
use ureq::config::Config;
use ureq::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use ureq::http::{HeaderMap, HeaderValue, Request, Response, Uri};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::unversioned::resolver::{DefaultResolver, Resolver};
use ureq::unversioned::transport::DefaultConnector;

/// How much of an error page is read, to quote from.
const ERROR_BYTES: u64 = 4096;
/// No deadline is further away; a clock cannot count to the end of time.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// A web address that can be asked: `http` or `https`, with a host and without credentials.
#[derive(Clone, Debug)]
pub(super) struct Target(Uri);

impl Target {
    pub fn parse(url: &str) -> Result<Self, AskError> {
        let bad = |why| AskError::BadUrl(shorten(url), why);
        let uri: Uri = url.trim().parse().map_err(|_| bad("it cannot be read"))?;
        let authority = uri.authority().ok_or_else(|| bad("it has no host"))?;
        if authority.as_str().contains('@') {
            return Err(AskError::CredentialsInUrl(authority.host().to_owned()));
        }
        match uri.scheme_str() {
            Some("http" | "https") if authority.host().is_empty() => Err(bad("it has no host")),
            Some("http" | "https") => Ok(Self(uri)),
            _ => Err(bad("only `http` and `https` can be asked")),
        }
    }

    pub fn host(&self) -> String {
        self.0.host().unwrap_or_default().to_owned()
    }
}

/// A request.
#[derive(Debug)]
pub(super) struct Post<'a> {
    pub target: &'a Target,
    pub headers: HeaderMap,
    pub body: &'a [u8],
    /// What must not be quoted from an answer.
    pub secrets: &'a [String],
    pub reach: RequestTargets,
    pub timeout: Duration,
    /// How long an answer may be, in bytes.
    pub limit: u64,
}

/// The body of a successful answer.
#[derive(Debug)]
pub(super) struct HttpReply {
    pub text: String,
    /// In lower case, without parameters; empty if there is none.
    pub media_type: String,
}

/// The way to the network.
#[derive(Debug)]
pub(super) struct Web {
    lookup: Arc<dyn Resolver>,
    roots: OnceLock<RootCerts>,
}

impl Default for Web {
    fn default() -> Self {
        Self::with_lookup(Arc::new(DefaultResolver::default()))
    }
}

impl Web {
    /// Looks hosts up in another way than the system's.
    pub fn with_lookup(lookup: Arc<dyn Resolver>) -> Self {
        Self { lookup, roots: OnceLock::new() }
    }

    /// Every request has a connection of its own: hooks are rare, and one that must not fail should not depend on
    /// whether an old connection is still alive, nor on who opened it.
    pub fn post(&self, post: &Post<'_>) -> Result<HttpReply, AskError> {
        let guard = Guard { reach: post.reach.clone(), lookup: Arc::clone(&self.lookup) };
        let agent = Agent::with_parts(self.configure(post)?, DefaultConnector::default(), guard);
        let mut request =
            Request::post(post.target.0.clone()).body(post.body).map_err(|error| post.explain(error.into()))?;
        request.headers_mut().clone_from(&post.headers);
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let mut response = agent.run(request).map_err(|error| post.explain(error))?;

        let (host, status) = (post.target.host(), response.status().as_u16());
        match status {
            200..=299 => post.read(response),
            300..=399 => Err(AskError::Redirect { host, status }),
            _ => {
                let mut page = Vec::new();
                // What cannot be read is not quoted; the status says enough.
                let _ = response.body_mut().as_reader().take(ERROR_BYTES).read_to_end(&mut page);
                let excerpt = Excerpt::new(&String::from_utf8_lossy(&page), post.secrets);
                Err(AskError::Status { host, status, excerpt })
            }
        }
    }

    fn configure(&self, post: &Post<'_>) -> Result<Config, AskError> {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            // A proxy would look hosts up itself, behind the guard's back.
            .proxy(None)
            .user_agent(concat!("hookrail/", env!("CARGO_PKG_VERSION")))
            .accept("application/json")
            .timeout_global(Some(post.timeout.min(LONGEST)));
        if post.target.0.scheme_str() != Some("https") {
            return Ok(config.build());
        }
        let roots = self.roots.get_or_init(load_roots).clone();
        if matches!(&roots, RootCerts::Specific(certificates) if certificates.is_empty()) {
            return Err(AskError::NoRoots(post.target.host()));
        }
        let tls = TlsConfig::builder()
            .root_certs(roots)
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()));
        Ok(config.tls_config(tls.build()).build())
    }
}

/// The certificates that the machine's administrator trusts, a company's own among them.
fn load_roots() -> RootCerts {
    let found = rustls_native_certs::load_native_certs().certs;
    RootCerts::from(found.iter().map(|certificate| Certificate::from_der(certificate).to_owned()))
}

impl Post<'_> {
    fn read(&self, mut response: Response<ureq::Body>) -> Result<HttpReply, AskError> {
        let host = self.target.host();
        let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let encoding = header(CONTENT_ENCODING).to_ascii_lowercase();
        if !matches!(encoding.as_str(), "" | "identity") {
            return Err(AskError::Unreadable { host, what: format!("`{encoding}` encoding") });
        }
        let media_type = header(CONTENT_TYPE).split(';').next().unwrap_or_default().trim().to_ascii_lowercase();

        let limit = self.limit;
        let mut bytes = Vec::new();
        let mut reader = response.body_mut().as_reader().take(limit + 1);
        let length = reader.read_to_end(&mut bytes).map_err(|error| self.explain(error.into()))?;
        if length as u64 > limit {
            return Err(AskError::TooLong { host, limit });
        }
        Ok(HttpReply { text: String::from_utf8_lossy(&bytes).into_owned(), media_type })
    }

    fn explain(&self, error: ureq::Error) -> AskError {
        let host = self.target.host();
        let why = match error {
            ureq::Error::Timeout(_) => return AskError::TimedOut,
            ureq::Error::Other(cause) => match cause.downcast::<ForbiddenTarget>() {
                Ok(refusal) => return AskError::Forbidden(*refusal),
                Err(cause) => cause.to_string(),
            },
            ureq::Error::Io(cause) => cause.to_string(),
            other => other.to_string(),
        };
        AskError::Unreachable { host, why }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
    use std::io::Write;
    use std::net::{SocketAddr, TcpListener, TcpStream};

    /// Made for `localhost`, signed by itself, and gone with the test: the certificate and its key.
    fn identity() -> &'static (Vec<u8>, Vec<u8>) {
        static IDENTITY: OnceLock<(Vec<u8>, Vec<u8>)> = OnceLock::new();
        IDENTITY.get_or_init(|| {
            let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
            (made.cert.der().to_vec(), made.signing_key.serialize_der())
        })
    }

    fn trusting(certificates: &[&[u8]]) -> Web {
        let certificates = certificates.iter().map(|der| Certificate::from_der(der).to_owned());
        Web { roots: OnceLock::from(RootCerts::from(certificates)), ..Web::default() }
    }

    /// Serves one connection and says `good` to whoever gets through.
    fn serve(talk: impl FnOnce(TcpStream) + Send + 'static) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || talk(listener.accept().unwrap().0));
        address
    }

    fn answer(stream: &mut (impl Read + Write)) {
        // A client that does not trust us hangs up instead.
        if stream.read(&mut [0; 4096]).is_ok_and(|length| length > 0) {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood");
        }
    }

    fn talk_tls(mut stream: TcpStream) {
        let (certificate, key) = identity();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.as_slice()));
        let config = rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![CertificateDer::from(certificate.as_slice())], key)
            .unwrap();
        let mut connection = rustls::ServerConnection::new(Arc::new(config)).unwrap();
        answer(&mut rustls::Stream::new(&mut connection, &mut stream));
    }

    /// `Err` holds a piece of the error's text.
    #[track_caller]
    fn check(web: &Web, url: &str, expected: Result<&str, &str>) {
        let target = Target::parse(url).unwrap();
        let reply = web.post(&Post {
            target: &target,
            headers: HeaderMap::new(),
            body: b"{}",
            secrets: &[],
            reach: RequestTargets::Anywhere,
            timeout: Duration::from_secs(20),
            limit: 1 << 20,
        });
        match (reply, expected) {
            (Ok(reply), Ok(text)) => assert_eq!(reply.text, text, "{url}"),
            (Err(error), Err(piece)) => assert!(error.to_string().contains(piece), "{url}: {error}"),
            (reply, _) => panic!("{url}: {reply:?}"),
        }
    }

    #[test]
    fn only_a_certificate_of_the_host_from_someone_trusted_opens_a_connection() {
        let trusted = trusting(&[&identity().0]);
        check(&trusted, &format!("https://localhost:{}/", serve(talk_tls).port()), Ok("good"));
        check(&trusted, &format!("https://{}/", serve(talk_tls)), Err("not valid for name"));
        check(
            &Web::default(),
            &format!("https://localhost:{}/", serve(talk_tls).port()),
            Err("cannot ask `localhost`"),
        );
        check(&trusting(&[]), "https://localhost:1/", Err("no root certificates are installed"));
        let plain = serve(|mut stream| answer(&mut stream));
        check(&trusted, &format!("https://localhost:{}/", plain.port()), Err("cannot ask `localhost`"));
    }

    #[test]
    fn without_tls_no_certificates_are_needed() {
        let plain = serve(|mut stream| answer(&mut stream));
        check(&trusting(&[]), &format!("http://{plain}/"), Ok("good"));
    }
}
