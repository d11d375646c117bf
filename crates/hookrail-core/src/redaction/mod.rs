//! Takes secrets out of what is written down.
//!
//! A secret is known by the name it goes by (`"password": …`, `GITHUB_TOKEN=…`, `'password' => …`, `--api-key …`,
//! `Authorization: …`, `<password>`), by the place that a program expects it in (`mysql -p…`, `curl -u name:…`, netrc), or by its
//! own shape (keys of well-known services, JSON web tokens, private key blocks, passwords in addresses). What is found
//! is replaced by [`MARK`]; the text around it stays, so that a record can still be read and decided again.
//!
//! No list of secrets is complete. The rules err towards hiding, and run in one pass over the text without regular
//! expressions, because they run at every event.

mod assignment;
mod command;
mod known;
mod markup;
mod name;
mod phrase;
mod shape;
#[cfg(test)]
mod tests;
mod text;
mod tree;
mod value;

pub use known::KnownSecrets;
pub use name::is_sensitive_name;
pub use text::{redact_start, redact_text};
pub use tree::{Limits, Recorded, record_event};

/// What stands where a secret stood.
pub const MARK: &str = "[redacted]";
