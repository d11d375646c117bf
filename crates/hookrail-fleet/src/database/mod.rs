//! The journals of many machines in one PostgreSQL.
//!
//! [`Database::migrate`] makes the schema, [`Database::ship`] brings new records of this machine, [`queries`] asks. Where a machine's
//! journal stands is known by the server alone: a mark that moves in the same transaction in which records arrive. So a
//! process may die, be repeated or run twice at any time, and no record is lost or doubled.

mod copy;
mod fork;
mod migrate;
pub mod page;
pub mod queries;
mod ship;

pub use migrate::{SCHEMA_VERSION, SchemaError};
pub use ship::{MachineReport, Shipped};

use crate::postgres::{Address, Client, Credentials, PgError};
use hookrail_store::StoreError;

/// A connection to the fleet's database.
#[derive(Debug)]
pub struct Database {
    pub(crate) client: Client,
}

#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    #[error(transparent)]
    Pg(#[from] PgError),
    #[error(transparent)]
    Schema(#[from] SchemaError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl DatabaseError {
    /// Whether a later attempt may succeed without anything being changed.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Pg(error) if error.is_passing())
    }

    /// Whether the statement took longer than it may; the connection is good.
    #[must_use]
    pub fn is_given_up(&self) -> bool {
        matches!(self, Self::Pg(error) if error.code() == Some("57014"))
    }
}

impl Database {
    pub fn connect(address: &Address, credentials: &Credentials) -> Result<Self, DatabaseError> {
        let mut client = Client::connect(address, credentials)?;
        let version = client.query("SELECT current_setting('server_version_num')", &[])?;
        migrate::check_server(version.first().map(|row| row.read(0)).unwrap_or_default())?;
        // Partitions make questions look expensive, and compiling them took longer than answering them.
        client.execute("SET jit = off")?;
        Ok(Self { client })
    }

    /// For statements that this crate does not know, such as an administrator's.
    pub fn client(&mut self) -> &mut Client {
        &mut self.client
    }
}
