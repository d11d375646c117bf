//! What the commands that read the journal share.

use hookrail_core::World;
use hookrail_engine::RealWorld;
use hookrail_store::{FileStore, JournalRecord, StateRoot};
use std::ffi::OsString;
use std::time::Duration;

/// Which records are wanted.
#[derive(clap::Args)]
pub struct Filter {
    /// Only this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only this hook (`pack/name` or a command hook's name), or every hook of a pack (`pack/`)
    #[arg(long, value_name = "ID")]
    hook: Option<String>,
    /// Only this decision: stop, block, ask or allow
    #[arg(long, value_name = "WORD")]
    decision: Option<String>,
    /// Only this outcome: succeeded, blocked, failed, skipped or warned
    #[arg(long, value_name = "WORD")]
    outcome: Option<String>,
    /// Only the last while, such as 30m, 12h or 7d
    #[arg(long, value_name = "TIME", value_parser = parse_age)]
    since: Option<Duration>,
}

impl Filter {
    pub fn admits(&self, record: &JournalRecord, now_millis: i64) -> bool {
        let is = |wanted: &Option<String>, value: &str| wanted.as_deref().is_none_or(|wanted| wanted == value);
        let hook = self.hook.as_deref().is_none_or(|wanted| match wanted.strip_suffix('/') {
            Some(pack) => record.hook.split_once('/').is_some_and(|(named, _)| named == pack),
            None => record.hook == wanted,
        });
        let age = u64::try_from(now_millis.saturating_sub(record.ts)).unwrap_or_default();
        hook && is(&self.session, &record.session)
            && is(&self.decision, record.decision.as_deref().unwrap_or_default())
            && is(&self.outcome, &outcome_word(record))
            && self.since.is_none_or(|since| Duration::from_millis(age) <= since)
    }
}

/// The word the journal itself has for a record's outcome.
pub fn outcome_word(record: &JournalRecord) -> String {
    serde_json::to_value(record.outcome).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

/// The journal of this user.
pub fn open() -> Result<FileStore, String> {
    let world = RealWorld::default();
    let env = |name: &str| world.env(name).map(OsString::from);
    let folder = StateRoot::resolve(&env).map_err(|error| error.to_string())?;
    Ok(FileStore::new(StateRoot::at(folder), now_millis))
}

pub fn now_millis() -> i64 {
    RealWorld::default().now_millis()
}

fn parse_age(text: &str) -> Result<Duration, String> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let number: u64 = number.parse().map_err(|_| format!("`{text}` is not a time such as 30m, 12h or 7d"))?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        _ => return Err(format!("`{text}` needs a unit: s, m, h or d")),
    };
    Ok(Duration::from_secs(number.saturating_mul(seconds)))
}
