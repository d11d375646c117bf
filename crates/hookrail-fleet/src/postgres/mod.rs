//! A small blocking client of PostgreSQL: one connection, queries with text parameters, COPY.
//!
//! Messages and authentication are those of `postgres-protocol`; sockets and TLS are those of the standard library and rustls.
//! There is no runtime, no pool and no type system: a command connects, does its work and ends.

mod address;
mod client;
mod error;
mod password;
mod stream;

pub use address::{Address, AddressError, Host};
pub use client::{Client, Row};
pub use error::{PgError, ServerError};
pub use password::{Credentials, CredentialsError};
