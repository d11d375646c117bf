//! Words in the form in which they are compared.

use super::vocabulary::{base, synonym};

/// Endings that do not change what a word is about, the longer ones first.
#[rustfmt::skip]
const ENDINGS: [&str; 39] = [
    "abilities", "ications", "izations", "ability", "icating", "ication", "isation", "ization", "ations",
    "icated", "icates", "ables", "ating", "ation", "ators", "icate", "izing", "ments", "able", "ated",
    "ates", "ator", "ible", "ings", "ions", "ized", "ment", "age", "ate", "ers", "ing", "ion", "ise", "ize",
    "ors", "al", "ed", "er", "ly",
];

/// The shortest stem that is left of a word.
const SHORTEST: usize = 3;

/// `caching`, `cached` and `caches` are all `cach`. The word must be in small letters.
pub(super) fn stem(word: &str) -> String {
    let singular = singular(base(word));
    // Twice, because endings follow each other: `rendering`, `renderer` and `render` are one.
    let stem = trimmed(stripped(trimmed(stripped(base(&singular)))));
    synonym(stem).to_owned()
}

fn stripped(word: &str) -> &str {
    ENDINGS.iter().find_map(|ending| word.strip_suffix(ending).filter(|stem| is_stem(stem))).unwrap_or(word)
}

/// Without a last vowel that comes and goes, and without a double consonant: `scann` of `scanning` is `scan`.
fn trimmed(stem: &str) -> &str {
    let stem = stem.strip_suffix(['e', 'y', 'i']).filter(|stem| is_stem(stem)).unwrap_or(stem);
    let mut last = stem.chars().rev();
    match (last.next(), last.next()) {
        (Some(a), Some(b)) if a == b && a.is_ascii_lowercase() && !"aeious".contains(a) && stem.len() > SHORTEST => {
            stem.get(..stem.len() - 1).unwrap_or(stem)
        }
        _ => stem,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_family_have_one_stem() {
        for family in [
            &["cache", "caches", "cached", "caching"][..],
            &["session", "sessions"],
            &["store", "stores", "stored", "storing", "storage", "saved", "persisted"],
            &["deploy", "deploys", "deployed", "deployment", "deployments", "hosting"],
            &["notify", "notifies", "notified", "notification", "notifications"],
            &["authenticate", "authentication", "auth", "login", "logins"],
            &["scan", "scans", "scanned", "scanning"],
            &["render", "renders", "rendered", "rendering", "renderer"],
            &["recover", "recovered", "recoverable"],
            &["archive", "archives", "archived"],
            &["integrate", "integration", "integrated"],
            &["localize", "localized", "localizing", "localization"],
            &["policy", "policies"],
            &["virus", "viruses"],
            &["pay", "pays", "paid", "payment", "payments"],
            &["write", "writes", "writing", "written"],
            &["database", "databases", "db", "dbs"],
            &["image", "images", "picture", "photos"],
        ] {
            let stems: Vec<String> = family.iter().map(|word| stem(word)).collect();
            assert!(stems.windows(2).all(|pair| pair[0] == pair[1]), "{stems:?}");
        }
        for (one, other) in [("string", "strong"), ("class", "clash"), ("status", "state"), ("page", "pay")] {
            assert_ne!(stem(one), stem(other), "{one} {other}");
        }
    }
}
