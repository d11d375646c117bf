use super::encoding::cap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Bytes that are kept of a name.
const NAME_MAX: usize = 256;
/// Bytes that are kept of a text for people.
const TEXT_MAX: usize = 4096;

/// One hook run, as the journal keeps it.
///
/// Texts that are too long end in `…` there. The caller takes secrets out of `subject`, `reason`, `error` and `input`
/// before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct JournalRecord {
    /// The format's version.
    pub v: u32,
    /// Milliseconds since 1970 when the run ended.
    pub ts: i64,
    #[serde(serialize_with = "cap::<NAME_MAX, _, _>")]
    pub session: String,
    #[serde(serialize_with = "cap::<NAME_MAX, _, _>")]
    pub agent: String,
    #[serde(serialize_with = "cap::<NAME_MAX, _, _>")]
    pub event: String,
    /// The hook's id.
    #[serde(serialize_with = "cap::<NAME_MAX, _, _>")]
    pub hook: String,
    /// How the hook runs, such as `native` or `command`.
    #[serde(serialize_with = "cap::<NAME_MAX, _, _>")]
    pub kind: String,
    /// The configuration that the hook comes from.
    #[serde(serialize_with = "cap::<{ JournalRecord::SUBJECT_MAX }, _, _>")]
    pub source: String,
    pub outcome: Outcome,
    #[serde(serialize_with = "cap::<NAME_MAX, _, _>", skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    #[serde(serialize_with = "cap::<TEXT_MAX, _, _>", skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub duration_us: u64,
    #[serde(serialize_with = "cap::<NAME_MAX, _, _>", skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// What the hook looked at: a path, a command, an address.
    #[serde(serialize_with = "cap::<{ JournalRecord::SUBJECT_MAX }, _, _>", skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    #[serde(serialize_with = "cap::<TEXT_MAX, _, _>", skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Which run of its event this is, from 0. Records of one event follow each other.
    #[serde(skip_serializing_if = "is_zero")]
    pub part: u32,
    /// The packs or the hook that the command line named; nothing if it named none. Told once per event, like what follows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<String>,
    /// The folder of the project in which the event happened.
    #[serde(serialize_with = "cap::<{ JournalRecord::SUBJECT_MAX }, _, _>", skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The whole event, for those who want to replay it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// How many secrets were taken out of `input`.
    #[serde(skip_serializing_if = "is_zero")]
    pub redacted: u32,
    /// How many values of `input` were shortened or left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub cut: u32,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
    /// Names of the fields above that were left out because the record would have been too large or too deep.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
}

impl JournalRecord {
    pub const VERSION: u32 = 1;
    /// Bytes that are kept of a text about what a hook looked at.
    pub const SUBJECT_MAX: usize = 1024;
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Default for JournalRecord {
    fn default() -> Self {
        Self {
            v: Self::VERSION,
            ts: 0,
            session: String::new(),
            agent: String::new(),
            event: String::new(),
            hook: String::new(),
            kind: String::new(),
            source: String::new(),
            outcome: Outcome::Unknown,
            decision: None,
            reason: None,
            duration_us: 0,
            tool: None,
            subject: None,
            error: None,
            part: 0,
            asked: Vec::new(),
            project: None,
            input: None,
            redacted: 0,
            cut: 0,
            extra: Map::new(),
            dropped: Vec::new(),
        }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Succeeded,
    /// The hook objected.
    Blocked,
    /// The hook could not do its work.
    Failed,
    /// The hook was not asked: switched off, not trusted, its breaker open.
    Skipped,
    /// The hook objected, but was told to warn only.
    Warned,
    /// Written by a version that knows more outcomes.
    #[serde(other)]
    Unknown,
}
