//! `[fleet]`: where the journals of many machines go.

use serde_json::Value;
use std::path::PathBuf;

/// What `[fleet]` says. Whatever it says comes from one layer: a password of one must not go to the database of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetSettings {
    /// The address of a PostgreSQL, without a password.
    pub database: Option<String>,
    /// Where its password is.
    pub password_file: Option<PathBuf>,
    /// The address of an OpenTelemetry collector.
    pub otlp: Option<String>,
}

impl FleetSettings {
    /// `None` if nothing is named that a journal could go to.
    pub(super) fn read(table: &Value) -> Option<Self> {
        let text = |key: &str| table.get(key)?.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned);
        let (database, otlp) = (text("database"), text("otlp"));
        let settings = Self { database, password_file: text("password_file").map(PathBuf::from), otlp };
        (settings.database.is_some() || settings.otlp.is_some()).then_some(settings)
    }
}
