//! Words in the form in which they are compared.

/// Endings that do not change what a word is about, the longer ones first.
#[rustfmt::skip]
const ENDINGS: [&str; 22] = [
    "ications", "ication", "icating", "icated", "icates", "icate", "ations", "ation", "ating", "ated",
    "ates", "ate", "ments", "ment", "ings", "ing", "ers", "er", "ed", "age", "al", "ly",
];

/// Short forms of common words.
const SHORT_FORMS: [(&str, &str); 12] = [
    ("auth", "authentication"),
    ("config", "configuration"),
    ("db", "database"),
    ("dbs", "database"),
    ("docs", "documentation"),
    ("env", "environment"),
    ("k8s", "kubernetes"),
    ("perf", "performance"),
    ("postgres", "postgresql"),
    ("repo", "repository"),
    ("spec", "specification"),
    ("ui", "interface"),
];

/// The shortest stem that is left of a word.
const SHORTEST: usize = 3;

/// `caching`, `cached` and `caches` are all `cach`. The word must be in small letters.
pub(super) fn stem(word: &str) -> String {
    let word = SHORT_FORMS.iter().find(|(short, _)| *short == word).map_or(word, |(_, long)| long);
    let singular = singular(word);
    let stripped = ENDINGS.iter().find_map(|ending| singular.strip_suffix(ending).filter(|stem| is_stem(stem)));
    let stem = stripped.unwrap_or(&singular);
    let stem = stem.strip_suffix(['e', 'y', 'i']).filter(|stem| is_stem(stem)).unwrap_or(stem);
    undoubled(stem).to_owned()
}

/// A stem has a few letters, and a vowel among them: `string` is not `str` and `ing`.
fn is_stem(stem: &str) -> bool {
    stem.chars().count() >= SHORTEST && stem.contains(['a', 'e', 'i', 'o', 'u', 'y'])
}

/// Without the `s` of a plural.
fn singular(word: &str) -> String {
    let stem = word.strip_suffix('s').filter(|stem| stem.len() > 2 && !stem.ends_with(['s', 'u', 'i']));
    let Some(stem) = stem else { return word.to_owned() };
    match stem.strip_suffix("ie") {
        Some(root) if root.len() > 2 => format!("{root}y"),
        _ => stem.to_owned(),
    }
}

/// `scann` of `scanning` is `scan`.
fn undoubled(stem: &str) -> &str {
    let mut last = stem.chars().rev();
    match (last.next(), last.next()) {
        (Some(a), Some(b)) if a == b && a.is_ascii_lowercase() && !"aeious".contains(a) && stem.len() > SHORTEST => {
            stem.get(..stem.len() - 1).unwrap_or(stem)
        }
        _ => stem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_family_have_one_stem() {
        for family in [
            &["cache", "caches", "cached", "caching"][..],
            &["session", "sessions"],
            &["store", "stores", "stored", "storing", "storage"],
            &["deploy", "deploys", "deployed", "deployment", "deployments"],
            &["notify", "notifies", "notified", "notification", "notifications"],
            &["authenticate", "authentication", "auth"],
            &["scan", "scans", "scanned", "scanning"],
            &["integrate", "integration", "integrated"],
            &["policy", "policies"],
            &["virus", "viruses"],
            &["database", "databases", "db"],
        ] {
            let stems: Vec<String> = family.iter().map(|word| stem(word)).collect();
            assert!(stems.windows(2).all(|pair| pair[0] == pair[1]), "{stems:?}");
        }
        for (one, other) in [("string", "strong"), ("class", "clash"), ("status", "state"), ("page", "pay")] {
            assert_ne!(stem(one), stem(other), "{one} {other}");
        }
    }
}
