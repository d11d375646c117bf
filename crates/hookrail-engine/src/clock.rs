//! The engine's clock.

use jiff::fmt::temporal::DateTimePrinter;

/// Now, as hooks are told it: UTC, ISO 8601, milliseconds.
#[must_use]
pub fn timestamp() -> String {
    format(jiff::Timestamp::now())
}

/// A time in milliseconds since 1970, in the same form.
#[must_use]
pub fn timestamp_of(millis: i64) -> String {
    format(jiff::Timestamp::from_millisecond(millis).unwrap_or_default())
}

fn format(time: jiff::Timestamp) -> String {
    static PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));
    PRINTER.timestamp_to_string(&time)
}
