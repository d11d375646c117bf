use serde::Serialize;
use std::fmt;

/// The version of everything that `--json` prints. It grows when a key changes its meaning or goes away; new keys do not
/// count.
pub const FORMAT: u32 = 1;

/// What a command prints with `--json`: an object whose first key is the version of its format.
#[derive(Clone, Debug, Serialize)]
pub struct Versioned<T> {
    format: u32,
    #[serde(flatten)]
    value: T,
}

/// An object, with the version of its format.
pub fn versioned<T: Serialize>(value: T) -> Versioned<T> {
    Versioned { format: FORMAT, value }
}

/// One line, or with `{:#}` indented lines.
impl<T: Serialize> fmt::Display for Versioned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = if f.alternate() { serde_json::to_string_pretty(self) } else { serde_json::to_string(self) };
        f.write_str(&text.map_err(|_| fmt::Error)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_format_is_the_first_key() {
        let value = versioned(json!({ "count": 1 }));
        assert_eq!(value.to_string(), r#"{"format":1,"count":1}"#);
        assert_eq!(format!("{value:#}"), "{\n  \"format\": 1,\n  \"count\": 1\n}");
    }
}
