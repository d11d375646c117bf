//! The names of tests: `UT-001`, `INT-3`, `E2E-LOGIN-2`, `UAT-01`.

/// What a test is for, by the letters its name begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TestKind {
    Unit,
    Integration,
    EndToEnd,
    Acceptance,
}

impl TestKind {
    pub const ALL: [Self; 4] = [Self::Unit, Self::Integration, Self::EndToEnd, Self::Acceptance];

    pub fn prefix(self) -> &'static str {
        match self {
            Self::Unit => "UT",
            Self::Integration => "INT",
            Self::EndToEnd => "E2E",
            Self::Acceptance => "UAT",
        }
    }
}

/// Every name of a test in a text. A name without a number (`UT-xxx`) is a placeholder and none; of a range
/// (`UT-001..003`) the first one is found.
pub(super) fn find(text: &str) -> impl Iterator<Item = (TestKind, &str)> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '_');
    words.filter_map(|word| {
        let (prefix, rest) = word.split_once('-')?;
        let kind = TestKind::ALL.into_iter().find(|kind| kind.prefix() == prefix)?;
        rest.contains(|c: char| c.is_ascii_digit()).then(|| (kind, word.trim_end_matches(['-', '_'])))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_prefix_and_a_number() {
        for (text, expected) in [
            ("Covers UT-001, INT-2 and E2E-LOGIN-3.", vec!["UT-001", "INT-2", "E2E-LOGIN-3"]),
            ("UT-001..003", vec!["UT-001"]),
            ("[UAT-01](uat.md) **UT-7**", vec!["UAT-01", "UT-7"]),
            ("POINT-1 OUT-2 ut-3 UT_4 T-UT-5", vec![]),
            ("UT-xxx, UT-, UAT-TBD", vec![]),
        ] {
            let found: Vec<&str> = find(text).map(|(_, name)| name).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
