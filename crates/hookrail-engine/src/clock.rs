//! The engine's clock.

/// Now, as hooks are told it: UTC, ISO 8601, milliseconds.
#[must_use]
pub fn timestamp() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}
