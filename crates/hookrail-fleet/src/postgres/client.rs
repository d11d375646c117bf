//! One connection.

use super::address::Address;
use super::error::{PgError, ServerError};
use super::password::Credentials;
use super::stream::Stream;
use bytes::BytesMut;
use fallible_iterator::FallibleIterator;
use postgres_protocol::IsNull;
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256};
use postgres_protocol::message::backend::{DataRowBody, ErrorResponseBody, Message};
use postgres_protocol::message::frontend::{self, CopyData};
use std::io::{self, Read, Write};

/// How much is read, and how much of a COPY is sent, at once.
const CHUNK: usize = 64 * 1024;
/// No message of the server is longer.
const MOST_BYTES: usize = 64 << 20;

/// A row of a result, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row(Vec<Option<String>>);

impl Row {
    /// A column; `None` if it is null or not there.
    #[must_use]
    pub fn get(&self, column: usize) -> Option<&str> {
        self.0.get(column)?.as_deref()
    }

    /// A column as a number or the like; what cannot be read as one is the default.
    #[must_use]
    pub fn read<T: std::str::FromStr + Default>(&self, column: usize) -> T {
        self.get(column).and_then(|text| text.parse().ok()).unwrap_or_default()
    }

    /// A column as text; empty if it is null.
    #[must_use]
    pub fn text(&self, column: usize) -> String {
        self.get(column).unwrap_or_default().to_owned()
    }
}

/// A connection. After an error that is not the server's it must not be used again.
#[derive(Debug)]
pub struct Client {
    stream: Stream,
    incoming: BytesMut,
    outgoing: BytesMut,
}

impl Client {
    pub fn connect(address: &Address, credentials: &Credentials) -> Result<Self, PgError> {
        let mut client = Self { stream: Stream::open(address)?, incoming: BytesMut::new(), outgoing: BytesMut::new() };
        let parameters = [
            ("user", credentials.user.as_str()),
            ("database", credentials.database.as_str()),
            ("application_name", "hookrail"),
            ("client_encoding", "UTF8"),
            ("DateStyle", "ISO"),
            ("TimeZone", "UTC"),
        ];
        frontend::startup_message(parameters, &mut client.outgoing).map_err(unsendable)?;
        client.send()?;
        client.authenticate(credentials)?;
        client.finish()?;
        Ok(client)
    }

    /// Runs statements without parameters; what they return is not looked at.
    pub fn execute(&mut self, statements: &str) -> Result<(), PgError> {
        frontend::query(statements, &mut self.outgoing).map_err(unsendable)?;
        self.send()?;
        self.finish().map(drop)
    }

    /// Runs one statement. Parameters are text that the server reads as the type it needs.
    pub fn query(&mut self, statement: &str, parameters: &[Option<&str>]) -> Result<Vec<Row>, PgError> {
        let out = &mut self.outgoing;
        frontend::parse("", statement, std::iter::empty(), out).map_err(unsendable)?;
        let put = |value: &Option<&str>, buffer: &mut BytesMut| {
            Ok(match value {
                Some(text) => {
                    buffer.extend_from_slice(text.as_bytes());
                    IsNull::No
                }
                None => IsNull::Yes,
            })
        };
        let bound = frontend::bind("", "", std::iter::empty(), parameters, put, std::iter::empty(), out);
        bound.map_err(|_| PgError::Protocol("a parameter is too long".to_owned()))?;
        frontend::execute("", 0, out).map_err(unsendable)?;
        frontend::sync(out);
        self.send()?;
        self.finish()
    }

    /// Runs a `COPY … FROM STDIN` with this data. Either all of it arrives or none.
    pub fn copy_in(&mut self, statement: &str, data: &[u8]) -> Result<(), PgError> {
        frontend::query(statement, &mut self.outgoing).map_err(unsendable)?;
        self.send()?;
        loop {
            match self.receive()? {
                Message::CopyInResponse(_) => break,
                Message::ErrorResponse(body) => return self.fail(&body),
                Message::NoticeResponse(_) | Message::ParameterStatus(_) => {}
                _ => return Err(PgError::Protocol("no answer to COPY".to_owned())),
            }
        }
        for chunk in data.chunks(CHUNK) {
            CopyData::new(chunk).map_err(unsendable)?.write(&mut self.outgoing);
            self.send()?;
        }
        frontend::copy_done(&mut self.outgoing);
        self.send()?;
        self.finish().map(drop)
    }

    fn authenticate(&mut self, credentials: &Credentials) -> Result<(), PgError> {
        let password = || credentials.password.as_deref().ok_or(PgError::NoPassword);
        loop {
            match self.receive()? {
                Message::AuthenticationOk => return Ok(()),
                Message::AuthenticationCleartextPassword => {
                    frontend::password_message(password()?.as_bytes(), &mut self.outgoing).map_err(unsendable)?;
                    self.send()?;
                }
                Message::AuthenticationMd5Password(body) => {
                    let hash = md5_hash(credentials.user.as_bytes(), password()?.as_bytes(), body.salt());
                    frontend::password_message(hash.as_bytes(), &mut self.outgoing).map_err(unsendable)?;
                    self.send()?;
                }
                Message::AuthenticationSasl(body) => {
                    let mut mechanisms = body.mechanisms();
                    let mut offers_scram = false;
                    while let Some(mechanism) = mechanisms.next().map_err(unreadable)? {
                        offers_scram |= mechanism == SCRAM_SHA_256;
                    }
                    if !offers_scram {
                        return Err(PgError::Authentication("an unknown SASL mechanism".to_owned()));
                    }
                    self.authenticate_scram(password()?)?;
                }
                Message::ErrorResponse(body) => return Err(server_error(&body)),
                Message::NoticeResponse(_) => {}
                _ => return Err(PgError::Authentication("another kind of authentication".to_owned())),
            }
        }
    }

    fn authenticate_scram(&mut self, password: &str) -> Result<(), PgError> {
        let binding = if self.stream.is_tls() { ChannelBinding::unrequested() } else { ChannelBinding::unsupported() };
        let mut scram = ScramSha256::new(password.as_bytes(), binding);
        frontend::sasl_initial_response(SCRAM_SHA_256, scram.message(), &mut self.outgoing).map_err(unsendable)?;
        self.send()?;
        match self.receive()? {
            Message::AuthenticationSaslContinue(body) => scram.update(body.data()).map_err(unreadable)?,
            Message::ErrorResponse(body) => return Err(server_error(&body)),
            _ => return Err(PgError::Protocol("SASL ended early".to_owned())),
        }
        frontend::sasl_response(scram.message(), &mut self.outgoing).map_err(unsendable)?;
        self.send()?;
        match self.receive()? {
            // Whoever does not know the password cannot say this: the server proves itself as well.
            Message::AuthenticationSaslFinal(body) => scram.finish(body.data()).map_err(unreadable),
            Message::ErrorResponse(body) => Err(server_error(&body)),
            _ => Err(PgError::Protocol("SASL ended early".to_owned())),
        }
    }

    /// Reads on until the server waits for the next statement.
    fn finish(&mut self) -> Result<Vec<Row>, PgError> {
        let mut rows = Vec::new();
        loop {
            match self.receive()? {
                Message::ReadyForQuery(_) => return Ok(rows),
                Message::DataRow(body) => rows.push(row(&body)?),
                Message::ErrorResponse(body) => return self.fail(&body),
                _ => {}
            }
        }
    }

    /// An error of the server: the connection can be used again once it is ready.
    fn fail<T>(&mut self, body: &ErrorResponseBody) -> Result<T, PgError> {
        let error = server_error(body);
        // A server that shuts down says so and is not ready any more.
        while !matches!(error.code(), Some("57P01" | "57P02" | "57P03")) {
            if matches!(self.receive()?, Message::ReadyForQuery(_)) {
                break;
            }
        }
        Err(error)
    }

    fn send(&mut self) -> Result<(), PgError> {
        let sent = self.stream.write_all(&self.outgoing).and_then(|()| self.stream.flush());
        self.outgoing.clear();
        sent.map_err(PgError::Lost)
    }

    fn receive(&mut self) -> Result<Message, PgError> {
        loop {
            if let Some(message) = Message::parse(&mut self.incoming).map_err(unreadable)? {
                return Ok(message);
            }
            if self.incoming.len() > MOST_BYTES {
                return Err(PgError::Protocol("a message is too long".to_owned()));
            }
            let mut chunk = [0; 16 * 1024];
            let read = match self.stream.read(&mut chunk) {
                // A signal came in between; the connection is as it was.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read.map_err(PgError::Lost)?,
            };
            if read == 0 {
                return Err(PgError::Lost(io::ErrorKind::UnexpectedEof.into()));
            }
            self.incoming.extend_from_slice(chunk.get(..read).unwrap_or_default());
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        frontend::terminate(&mut self.outgoing);
        // The server notices anyway.
        let _ = self.send();
    }
}

fn row(body: &DataRowBody) -> Result<Row, PgError> {
    let mut ranges = body.ranges();
    let mut columns = Vec::new();
    while let Some(range) = ranges.next().map_err(unreadable)? {
        let bytes = range.and_then(|range| body.buffer().get(range));
        columns.push(bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned()));
    }
    Ok(Row(columns))
}

fn server_error(body: &ErrorResponseBody) -> PgError {
    let mut error = ServerError::default();
    let mut fields = body.fields();
    while let Ok(Some(field)) = fields.next() {
        let text = String::from_utf8_lossy(field.value_bytes()).into_owned();
        match field.type_() {
            b'C' => error.code = text,
            b'M' => error.message = text,
            b'D' => error.detail = text,
            _ => {}
        }
    }
    PgError::Server(Box::new(error))
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` hands it over")]
fn unsendable(error: io::Error) -> PgError {
    PgError::Protocol(error.to_string())
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` hands it over")]
fn unreadable(error: io::Error) -> PgError {
    PgError::Protocol(error.to_string())
}
