//! `.planning.lock`: whose turn it is to write into a feature's folder.

use super::feature::{Feature, kind_behind};
use hookrail_core::{FileKind, HookError, World};
use serde_json::{Map, Value};

/// Fields in which workflows say since when they hold the lock.
const TIMES: [&str; 8] =
    ["timestamp", "acquired_at", "locked_at", "created_at", "started_at", "created", "started", "time"];

/// A lock, as far as it can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Lock {
    /// Something is there that does not say whose it is.
    Corrupt,
    Held(Holder),
}

/// Who holds a lock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Holder {
    /// `None` if the lock names a process or a person instead.
    pub session: Option<String>,
    /// Milliseconds since 1970, by the lock's own word.
    since: Option<i64>,
    pub user: Option<String>,
}

impl Lock {
    /// The lock of a feature; `None` if it is free.
    pub fn of(feature: &Feature, world: &dyn World) -> Result<Option<Self>, HookError> {
        let path = feature.lock_file();
        match kind_behind(&path, world)? {
            None => return Ok(None),
            Some(FileKind::Folder | FileKind::Other) => return Ok(Some(Self::Corrupt)),
            Some(FileKind::File | FileKind::Link) => {}
        }
        let Some(bytes) = world.read(&path)? else { return Ok(None) };
        Ok(Some(Self::parse(&bytes)))
    }

    /// Whether it says that it is this session's.
    pub fn names(&self, session: &str) -> bool {
        matches!(self, Self::Held(holder) if holder.session.as_deref() == Some(session))
    }

    /// What a lock with this content says.
    pub fn parse(bytes: &[u8]) -> Self {
        Holder::parse(bytes).map_or(Self::Corrupt, Self::Held)
    }
}

impl Holder {
    /// Reads JSON, `key: value` lines, or a process id on a line of its own (errata C6); `None` for anything else.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?.trim_start_matches('\u{feff}').trim();
        if text.starts_with('{') {
            return serde_json::from_str(text).ok().and_then(|fields| Self::from_fields(&fields));
        }
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        if lines.first()?.bytes().all(|byte| byte.is_ascii_digit()) {
            let [since, user] = [1, 2].map(|line| lines.get(line).copied());
            return Some(Self { session: None, since: since.and_then(time_in), user: user.map(str::to_owned) });
        }
        let fields: Option<Map<String, Value>> = lines.into_iter().map(field).collect();
        fields.and_then(|fields| Self::from_fields(&fields))
    }

    /// A session that is neither text nor number is none, and a lock that has one says nothing.
    fn from_fields(fields: &Map<String, Value>) -> Option<Self> {
        let text = |name: &str| match fields.get(name)? {
            Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
            Value::Number(number) => Some(number.to_string()),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        };
        let since = TIMES.iter().find_map(|name| text(name)).and_then(|time| time_in(&time));
        let session = fields.get("session_id").or_else(|| fields.get("session"));
        let is_odd = matches!(session, Some(Value::Bool(_) | Value::Array(_) | Value::Object(_)));
        let session = text("session_id").or_else(|| text("session"));
        (!is_odd).then(|| Self { session, since, user: text("user") })
    }

    /// Since when it is held, in milliseconds since 1970: by the lock's own word, unless that is still to come, else by the
    /// file's time.
    pub fn taken_at(&self, feature: &Feature, world: &dyn World) -> Result<Option<i64>, HookError> {
        match self.since.filter(|since| *since <= world.now_millis()) {
            Some(since) => Ok(Some(since)),
            None => world.modified_millis(&feature.lock_file()),
        }
    }

    /// Minutes since the lock was taken.
    pub fn age_minutes(&self, feature: &Feature, world: &dyn World) -> Result<u64, HookError> {
        let millis = self.taken_at(feature, world)?.map_or(0, |since| world.now_millis().saturating_sub(since));
        Ok(u64::try_from(millis / 60_000).unwrap_or(0))
    }
}

/// `key: value` or `key=value`.
fn field(line: &str) -> Option<(String, Value)> {
    let (key, value) = line.split_once([':', '='])?;
    let is_name = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let value = value.trim().trim_matches(['"', '\'']);
    is_name.then(|| (key.to_ascii_lowercase(), Value::String(value.to_owned())))
}

/// RFC 3339, or seconds or milliseconds since 1970.
fn time_in(text: &str) -> Option<i64> {
    match text.parse::<f64>() {
        // What would be a year beyond 5000 in seconds is milliseconds.
        Ok(number) if number.abs() < 1e11 => Some((number * 1000.0) as i64),
        Ok(number) => Some(number as i64),
        Err(_) => text.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_millisecond),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_testkit::world::FakeWorld;

    fn holder(session: Option<&str>, since: Option<i64>, user: Option<&str>) -> Option<Holder> {
        Some(Holder { session: session.map(str::to_owned), since, user: user.map(str::to_owned) })
    }

    #[test]
    fn a_lock_is_read_in_every_form_it_is_written_in() {
        for (text, expected) in [
            (r#"{"session_id": "abc"}"#, holder(Some("abc"), None, None)),
            (
                r#"{"pid": 7, "timestamp": "1970-01-01T00:01:00Z", "user": "me"}"#,
                holder(None, Some(60_000), Some("me")),
            ),
            (r#"{"session_id": "a", "timestamp": 1700000000}"#, holder(Some("a"), Some(1_700_000_000_000), None)),
            (r#"{"session_id": "a", "timestamp": 1700000000123}"#, holder(Some("a"), Some(1_700_000_000_123), None)),
            (r#"{"session_id": "", "timestamp": "soon"}"#, holder(None, None, None)),
            ("{}", holder(None, None, None)),
            ("pid: 7\ntimestamp: 1970-01-01T00:01:00Z\nuser: me\n", holder(None, Some(60_000), Some("me"))),
            ("session_id=abc\nuser='me'\n", holder(Some("abc"), None, Some("me"))),
            ("4711\n1970-01-01T00:01:00Z\nme\n", holder(None, Some(60_000), Some("me"))),
            ("4711", holder(None, None, None)),
            ("", None),
            ("{\"session_id\": ", None),
            ("[1]", None),
            (r#"{"session_id": ["abc"]}"#, None),
            (r#"{"session_id": null, "locked_at": 60}"#, holder(None, Some(60_000), None)),
            ("garbage", None),
            ("some words: and more", None),
        ] {
            assert_eq!(Holder::parse(text.as_bytes()), expected, "{text}");
        }
        assert_eq!(Holder::parse(b"\xff\xfe"), None);
    }

    #[test]
    fn a_lock_that_does_not_say_since_when_is_as_old_as_its_file() {
        let feature = Feature { folder: "/f".into() };
        let lock = |world: &FakeWorld| Lock::of(&feature, world).unwrap();
        let world = FakeWorld::new().at_millis(5).file("/f/.planning.lock", "{}").at_millis(120_005);
        let Some(Lock::Held(holder)) = lock(&world) else { panic!("it is free") };
        assert_eq!(holder.age_minutes(&feature, &world), Ok(2));
        assert_eq!(lock(&FakeWorld::new()), None);
        assert_eq!(lock(&FakeWorld::new().file("/f/.planning.lock", "?")), Some(Lock::Corrupt));
        assert_eq!(lock(&FakeWorld::new().file("/f/.planning.lock/x", "a folder")), Some(Lock::Corrupt));
    }
}
