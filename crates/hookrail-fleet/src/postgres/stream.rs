//! The socket, and TLS on it.

use super::address::{Address, Host};
use super::error::PgError;
use bytes::BytesMut;
use postgres_protocol::message::frontend;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const CONNECT: Duration = Duration::from_secs(10);
/// How long the server may be silent.
const SILENCE: Duration = Duration::from_secs(120);

pub(super) enum Stream {
    #[cfg(unix)]
    Socket(UnixStream),
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Stream {
    pub fn open(address: &Address) -> Result<Self, PgError> {
        let reach = |source| PgError::Reach { place: address.to_string(), source };
        match &address.host {
            #[cfg(unix)]
            Host::Socket(folder) => {
                let socket = UnixStream::connect(folder.join(format!(".s.PGSQL.{}", address.port))).map_err(reach)?;
                socket.set_read_timeout(Some(SILENCE)).map_err(reach)?;
                socket.set_write_timeout(Some(SILENCE)).map_err(reach)?;
                Ok(Self::Socket(socket))
            }
            #[cfg(not(unix))]
            Host::Socket(_) => {
                Err(reach(io::Error::new(io::ErrorKind::Unsupported, "this system has no Unix sockets")))
            }
            Host::Loopback(host) => Ok(Self::Plain(connect(host, address.port).map_err(reach)?)),
            Host::Network(host) => {
                let tcp = connect(host, address.port).map_err(reach)?;
                secure(tcp, host, address)
            }
        }
    }

    pub fn is_tls(&self) -> bool {
        matches!(self, Self::Tls(_))
    }
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stream").field("tls", &self.is_tls()).finish()
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            #[cfg(unix)]
            Self::Socket(stream) => stream.read(buffer),
            Self::Plain(stream) => stream.read(buffer),
            Self::Tls(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            #[cfg(unix)]
            Self::Socket(stream) => stream.write(buffer),
            Self::Plain(stream) => stream.write(buffer),
            Self::Tls(stream) => stream.write(buffer),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            #[cfg(unix)]
            Self::Socket(stream) => stream.flush(),
            Self::Plain(stream) => stream.flush(),
            Self::Tls(stream) => stream.flush(),
        }
    }
}

/// The first of the host's addresses that answers.
fn connect(host: &str, port: u16) -> io::Result<TcpStream> {
    let mut failed = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECT) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(SILENCE))?;
                stream.set_write_timeout(Some(SILENCE))?;
                return Ok(stream);
            }
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

/// Asks the server for TLS and verifies its certificate and name.
fn secure(mut tcp: TcpStream, host: &str, address: &Address) -> Result<Stream, PgError> {
    let mut request = BytesMut::new();
    frontend::ssl_request(&mut request);
    let mut answer = [0];
    tcp.write_all(&request).and_then(|()| tcp.read_exact(&mut answer)).map_err(PgError::Lost)?;
    if answer != *b"S" {
        return Err(PgError::NoTls(address.to_string()));
    }
    let failed = |why: String| PgError::Tls { host: host.to_owned(), why };
    let roots = roots(address.root_certificate.as_deref()).map_err(failed)?;
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(host.to_owned()).map_err(|error| failed(error.to_string()))?;
    let mut connection = ClientConnection::new(Arc::new(config), name).map_err(|error| failed(error.to_string()))?;
    connection.complete_io(&mut tcp).map_err(|error| failed(error.to_string()))?;
    Ok(Stream::Tls(Box::new(StreamOwned::new(connection, tcp))))
}

fn roots(file: Option<&Path>) -> Result<RootCertStore, String> {
    let mut store = RootCertStore::empty();
    match file {
        // A named authority is the only one.
        Some(file) => {
            let found =
                CertificateDer::pem_file_iter(file).map_err(|error| format!("`{}`: {error}", file.display()))?;
            store.add_parsable_certificates(found.flatten());
        }
        None => {
            store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    if store.is_empty() { Err("no certificate authority is known".to_owned()) } else { Ok(store) }
}
