//! The schema, by versions.

use super::{Database, DatabaseError};

/// One step each; a step is never changed once it was released.
const MIGRATIONS: &[&str] =
    &[include_str!("migrations/0001.sql"), include_str!("migrations/0002.sql"), include_str!("migrations/0003.sql")];
/// The version that this hookrail works with.
pub const SCHEMA_VERSION: usize = MIGRATIONS.len();
/// The oldest PostgreSQL that the schema was tried on.
const OLDEST_SERVER: u32 = 13;

#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    #[error(
        "the database is a PostgreSQL {major}.{minor}, and hookrail needs {OLDEST_SERVER} or newer\nhint: update the server, or name another one"
    )]
    Server { major: u32, minor: u32 },
    #[error("the database has no schema of hookrail\nhint: its owner runs `hookrail fleet migrate` once")]
    Missing,
    #[error(
        "the database has schema version {found}, and this hookrail needs {SCHEMA_VERSION}\nhint: its owner runs `hookrail fleet migrate`"
    )]
    Older { found: usize },
    #[error("the database has schema version {found}, and this hookrail knows {SCHEMA_VERSION}\nhint: update hookrail")]
    Newer { found: usize },
}

/// A number such as 150018 for 15.18.
pub(super) fn check_server(version: u32) -> Result<(), SchemaError> {
    let (major, minor) = (version / 10_000, version % 10_000);
    if major < OLDEST_SERVER { Err(SchemaError::Server { major, minor }) } else { Ok(()) }
}

impl Database {
    /// Brings the schema up to date; several that try at once do it one after the other. Returns the version before.
    pub fn migrate(&mut self) -> Result<usize, DatabaseError> {
        self.client.execute("BEGIN; SELECT pg_advisory_xact_lock(hashtext('hookrail.migrate'))")?;
        match self.migrate_locked() {
            Ok(before) => {
                self.client.execute("COMMIT")?;
                Ok(before)
            }
            Err(error) => {
                // What failed is told; that it cannot be undone means that the connection is gone, and the server undoes it.
                let _ = self.client.execute("ROLLBACK");
                Err(error)
            }
        }
    }

    fn migrate_locked(&mut self) -> Result<usize, DatabaseError> {
        let before = self.schema_version()?;
        if before > SCHEMA_VERSION {
            return Err(SchemaError::Newer { found: before }.into());
        }
        for (index, migration) in MIGRATIONS.iter().enumerate().skip(before) {
            self.client.execute(migration)?;
            let version = (index + 1).to_string();
            self.client.query("INSERT INTO hookrail.migrations (version) VALUES ($1)", &[Some(&version)])?;
        }
        Ok(before)
    }

    /// The version that is there; 0 if there is none.
    pub fn schema_version(&mut self) -> Result<usize, DatabaseError> {
        let there = self.client.query("SELECT to_regclass('hookrail.migrations')::text", &[])?;
        if there.first().and_then(|row| row.get(0)).is_none() {
            return Ok(0);
        }
        let rows = self.client.query("SELECT coalesce(max(version), 0) FROM hookrail.migrations", &[])?;
        Ok(rows.first().map(|row| row.read(0)).unwrap_or_default())
    }

    /// Makes sure that the schema is the one this hookrail works with.
    pub fn check_schema(&mut self) -> Result<(), DatabaseError> {
        match self.schema_version()? {
            SCHEMA_VERSION => Ok(()),
            0 => Err(SchemaError::Missing.into()),
            found if found < SCHEMA_VERSION => Err(SchemaError::Older { found }.into()),
            found => Err(SchemaError::Newer { found }.into()),
        }
    }

    /// How long records are kept, in days; what is older is dropped at once. Returns how many days were dropped.
    pub fn retain(&mut self, days: u32) -> Result<u64, DatabaseError> {
        let days = days.to_string();
        self.client.query("UPDATE hookrail.settings SET retention_days = $1::int", &[Some(&days)])?;
        let rows = self.client.query("SELECT hookrail.retire()", &[])?;
        Ok(rows.first().map(|row| row.read(0)).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_is_too_old_is_told_with_its_version() {
        for (version, expected) in
            [(150_018, None), (130_000, None), (120_022, Some("PostgreSQL 12.22, and hookrail needs 13"))]
        {
            let told = check_server(version).err().map(|error| error.to_string());
            assert_eq!(told.is_some(), expected.is_some(), "{version}");
            assert!(told.unwrap_or_default().contains(expected.unwrap_or_default()));
        }
    }
}
