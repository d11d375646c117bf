use crate::cap;
use serde_json::{Map, Value};

/// What a hook process leaves behind: the three things an agent looks at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EncodedAnswer {
    /// One JSON object, or nothing at all.
    pub stdout: String,
    /// Empty unless the exit code is 2: some agents read it after exit 0, too.
    pub stderr: String,
    pub exit_code: i32,
}

impl EncodedAnswer {
    /// Exit 0, not a byte: no opinion.
    #[must_use]
    pub fn silent() -> Self {
        Self::default()
    }

    /// Exit 0 and these fields; none is silence.
    pub(crate) fn json(fields: Map<String, Value>) -> Self {
        if fields.is_empty() {
            return Self::silent();
        }
        Self { stdout: Value::Object(fields).to_string(), ..Self::default() }
    }

    /// Exit 2, for what an agent refuses by exit code only. The reason must not be blank, or some agents do not refuse.
    pub(crate) fn exit_two(reason: &str) -> Self {
        Self { stderr: cap(reason, None).into_owned(), exit_code: 2, ..Self::default() }
    }
}
