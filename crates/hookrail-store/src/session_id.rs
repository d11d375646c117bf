use std::fmt;
use std::path::Path;

/// The longest id, in characters, which are all ASCII.
const MAX_LEN: usize = 128;
/// Hex digits that keep apart what would otherwise read the same.
const MARK_LEN: usize = 16;

/// A session's name that is safe in a path: 1 to 128 of `A-Z a-z 0-9 _ -`, whatever the agent sent.
///
/// An id that is safe already stays as it is. In any other, each unsafe character becomes `-`, and a hash of the
/// original is added, so that `a/b` and `a:b` do not share their counters. An id that is too long is cut and gets the
/// same kind of hash. Whoever knows the hash can still choose the same name on purpose; that gains nothing, since
/// an agent can always send another session's id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(String);

impl SessionId {
    /// Makes the id for what an agent calls its session. An agent that names none gets one id per project directory.
    #[must_use]
    pub fn new(raw: &str, project: &Path) -> Self {
        if raw.is_empty() {
            return Self(format!("project-{}", mark(project.as_os_str().as_encoded_bytes())));
        }
        let safe = sanitize(raw);
        if safe == raw && safe.len() <= MAX_LEN {
            return Self(safe);
        }
        let kept: String = safe.chars().take(MAX_LEN - MARK_LEN - 1).collect();
        Self(format!("{kept}-{}", mark(raw.as_bytes())))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Replaces everything but `A-Z a-z 0-9 _ -` by `-`.
pub(crate) fn sanitize(raw: &str) -> String {
    raw.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '-' }).collect()
}

/// A short name for a text: the start of its hash.
pub(crate) fn mark(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().chars().take(MARK_LEN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn id(raw: &str) -> String {
        SessionId::new(raw, Path::new("/work/project")).to_string()
    }

    #[test]
    fn an_id_is_kept_if_safe_and_marked_if_changed() {
        let uuid = "0b8f0d5e-1c3a-4c57-9a53-9f2f3f0d8f11";
        let longest = "x".repeat(MAX_LEN);
        let too_long = "x".repeat(MAX_LEN + 1);
        let cases: [(&str, &str, bool); 8] = [
            (uuid, uuid, false),
            ("A_z-9", "A_z-9", false),
            (&longest, &longest, false),
            (&too_long, &longest[..MAX_LEN - MARK_LEN - 1], true),
            ("../../etc/passwd", "------etc-passwd", true),
            ("a b", "a-b", true),
            ("é\0\n", "---", true),
            (".", "-", true),
        ];
        for (raw, stem, marked) in cases {
            let expected = if marked { format!("{stem}-{}", mark(raw.as_bytes())) } else { stem.to_owned() };
            assert_eq!(id(raw), expected, "{raw:?}");
        }
    }

    #[test]
    fn sessions_without_a_name_share_one_id_per_project() {
        let (one, other) = (Path::new("/work/one"), Path::new("/work/other"));
        assert_eq!(SessionId::new("", one), SessionId::new("", one));
        assert_ne!(SessionId::new("", one), SessionId::new("", other));
        assert!(SessionId::new("", one).as_str().starts_with("project-"));
    }

    proptest! {
        #[test]
        fn any_id_is_a_safe_file_name(raw in any::<String>()) {
            let id = id(&raw);
            prop_assert!((1..=MAX_LEN).contains(&id.len()), "{id}");
            prop_assert!(id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-'), "{id}");
        }

        #[test]
        fn ids_that_look_alike_stay_apart(stem in "[a-z]{0,140}", one in "[./: é]", other in "[./: é]") {
            let (first, second) = (format!("{stem}{one}"), format!("{stem}{other}"));
            prop_assert_eq!(id(&first) == id(&second), first == second);
        }

        #[test]
        fn a_sanitised_id_needs_no_second_time(raw in any::<String>()) {
            let once = id(&raw);
            prop_assert_eq!(id(&once), once);
        }
    }
}
