//! Which version of a program a policy asks for.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// `2.1.300` or `>=2.1.300`: that or a newer one; `=2.1.325`: that one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionRule {
    exact: bool,
    numbers: Vec<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a version\nhint: write `1.2.3` for that or a newer one, `=1.2.3` for that one")]
pub struct VersionRuleError(String);

impl VersionRule {
    /// Whether a version meets the rule; `None` if it is not made of numbers.
    #[must_use]
    pub fn is_met_by(&self, version: &str) -> Option<bool> {
        let found = numbers(version)?;
        let order = compare(&found, &self.numbers);
        Some(if self.exact { order == Ordering::Equal } else { order != Ordering::Less })
    }
}

impl FromStr for VersionRule {
    type Err = VersionRuleError;

    fn from_str(text: &str) -> Result<Self, VersionRuleError> {
        let text = text.trim();
        let (exact, version) = match text.strip_prefix('=') {
            Some(version) => (true, version),
            None => (false, text.strip_prefix(">=").unwrap_or(text)),
        };
        let numbers = numbers(version).ok_or_else(|| VersionRuleError(text.to_owned()))?;
        Ok(Self { exact, numbers })
    }
}

impl fmt::Display for VersionRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.numbers.iter().map(u64::to_string).collect();
        write!(f, "{}{}", if self.exact { "" } else { "at least " }, numbers.join("."))
    }
}

/// The leading numbers; what comes after a `-` or `+` is about a build.
fn numbers(version: &str) -> Option<Vec<u64>> {
    let version = version.trim().trim_start_matches('v');
    let core = version.split(['-', '+', ' ']).next()?;
    core.split('.').map(|part| part.parse().ok()).collect()
}

/// `1.2` is `1.2.0`.
fn compare(left: &[u64], right: &[u64]) -> Ordering {
    let length = left.len().max(right.len());
    let padded = |numbers: &[u64]| {
        let mut padded = numbers.to_vec();
        padded.resize(length, 0);
        padded
    };
    padded(left).cmp(&padded(right))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_met_by_newer_versions_or_by_that_one_only() {
        let cases = [
            ("2.1", "2.1.0", Some(true)),
            ("2.1", "2.0.9", Some(false)),
            (">=2.1.300", "2.1.325-beta", Some(true)),
            ("2.10", "2.9", Some(false)),
            ("=2.1.325", "v2.1.325", Some(true)),
            ("=2.1.325", "2.1.326", Some(false)),
            ("1", "unknown", None),
        ];
        for (rule, version, expected) in cases {
            assert_eq!(rule.parse::<VersionRule>().unwrap().is_met_by(version), expected, "{rule} {version}");
        }
        for wrong in ["", "=", "x", "1.x", "1..2"] {
            assert!(wrong.parse::<VersionRule>().is_err(), "{wrong}");
        }
    }
}
