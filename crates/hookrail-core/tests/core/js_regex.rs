//! JavaScript's own answers (`spec/js_regex.jsonl`, made by `spec/js_regex.mjs`) against ours, and the laws around them.

use hookrail_core::js_regex::{Fault, JsRegex, JsRegexError, Matched, Obstacle};
use proptest::prelude::*;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What JavaScript says about one pattern.
#[derive(Debug, Deserialize)]
struct Case {
    pattern: String,
    valid: bool,
    matches: BTreeMap<String, bool>,
    /// Valid, but known to be refused here.
    #[serde(default)]
    beyond: bool,
}

/// The committed table, or the one a developer has just made (see the generator).
#[expect(clippy::disallowed_methods, reason = "a developer chooses another table by the environment")]
fn table() -> Result<(Vec<Case>, bool), Box<dyn Error>> {
    let committed = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/js_regex.jsonl"));
    let other = std::env::var_os("HOOKRAIL_JS_REGEX_TABLE").map(PathBuf::from);
    let text = std::fs::read_to_string(other.as_ref().unwrap_or(&committed))?;
    let cases = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    Ok((cases, other.is_none()))
}

/// How our answer differs from JavaScript's, if it does.
fn difference(case: &Case, may_be_beyond: bool) -> Option<String> {
    match JsRegex::new(&case.pattern) {
        Ok(_) if !case.valid || case.beyond => Some("accepted".to_owned()),
        Ok(regex) => case.matches.iter().find_map(|(text, expected)| {
            let answer = regex.is_match(text);
            let expected = if *expected { Matched::Yes } else { Matched::No };
            let gave_up = answer == Matched::Undecided && may_be_beyond;
            (answer != expected && !gave_up)
                .then(|| format!("on {text:?} {answer:?} instead of {expected:?} by {regex:?}"))
        }),
        Err(JsRegexError::Invalid { .. }) if !case.valid => None,
        Err(JsRegexError::Unsupported { .. }) if case.beyond || (case.valid && may_be_beyond) => None,
        Err(error) => Some(error.to_string()),
    }
}

#[test]
fn every_pattern_is_judged_as_node_judges_it() {
    // covers: HOOK-087 HOOK-088
    let (cases, committed) = table().unwrap();
    let differences: Vec<String> =
        cases.iter().filter_map(|case| Some(format!("/{}/ {}", case.pattern, difference(case, !committed)?))).collect();
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
    assert!(cases.iter().filter(|case| case.valid).count() > 900 || !committed, "the table is not complete");
    assert!(cases.iter().filter(|case| !case.valid).count() > 150 || !committed, "the table is not complete");
}

#[test]
fn a_fault_is_named_with_its_place() {
    // covers: HOOK-088
    let cases = [
        ("*", 0, Fault::NothingToRepeat),
        ("ab|+", 3, Fault::NothingToRepeat),
        ("^*", 1, Fault::NothingToRepeat),
        ("a{2}{3}", 4, Fault::NothingToRepeat),
        ("(?<=a)*", 6, Fault::NothingToRepeat),
        ("a{2,1}", 1, Fault::QuantifierOutOfOrder),
        ("x[c-a]", 2, Fault::RangeOutOfOrder),
        ("😀[😀-😎]", 3, Fault::RangeOutOfOrder),
        ("Bash[", 4, Fault::UnclosedClass),
        ("a(b(c)", 1, Fault::UnclosedGroup),
        ("Bash(git:*)(", 11, Fault::UnclosedGroup),
        ("a)", 1, Fault::UnopenedGroup),
        ("a(?i)b", 1, Fault::UnknownGroupKind),
        ("(?-:a)", 0, Fault::UnknownGroupKind),
        ("(?im-i:a)", 0, Fault::RepeatedFlag),
        ("(?<1>a)", 0, Fault::BadGroupName),
        ("(?<n>a)|(?<n>b)", 8, Fault::DuplicateGroupName),
        (r"(?<n>a)\k", 7, Fault::BadNamedReference),
        (r"(?<n>a)\k<m>", 7, Fault::UnknownGroupName),
        (r"(?<n>a)[x\k]", 9, Fault::NamedReferenceInClass),
        (r"ab\", 2, Fault::TrailingBackslash),
        (r"[ab\", 3, Fault::TrailingBackslash),
    ];
    for (pattern, position, fault) in cases {
        assert_eq!(JsRegex::new(pattern).unwrap_err(), JsRegexError::Invalid { position, fault }, "/{pattern}/");
    }
    let error = JsRegex::new("Edit|*").unwrap_err();
    assert_eq!(error.to_string(), "a quantifier with nothing to repeat at character 6");
}

#[test]
fn flags_hold_within_their_group_alone() {
    let cases = [
        ("^a(?i:b)c$", "aBc", true),
        ("^a(?i:b)c$", "aBC", false),
        ("^(?i:a(?-i:b)c)$", "AbC", true),
        ("^(?i:a(?-i:b)c)$", "ABC", false),
        ("^(?i:a|(b))B$", "bB", true),
        ("^(?i:a|(b))B$", "bb", false),
        (r"^(ab)(?i:\1)$", "abAB", true),
        (r"^(ab)\1(?i:)$", "abAB", false),
        ("(?m:^b)$", "a\nb", true),
        ("(?m:a$)", "a\nb", true),
        ("(?m:a)$", "a\nb", false),
        ("a(?s:.)b", "a\nb", true),
        ("(?s:a).b", "a\nb", false),
        ("(?s:a(?-s:.)b)", "a\nb", false),
    ];
    for (pattern, text, expected) in cases {
        let answer = JsRegex::new(pattern).unwrap().is_match(text);
        let expected = if expected { Matched::Yes } else { Matched::No };
        assert_eq!(answer, expected, "/{pattern}/ on {text:?}");
    }
}

#[test]
fn patterns_too_large_to_decide_are_refused_and_exhaust_nothing() {
    let nested = |opening: &str, depth: usize| opening.repeat(depth) + "a" + &")".repeat(depth);
    let numbers: [usize; 101] = std::array::from_fn(|n| n + 1);
    let unsupported = |obstacle| Err(JsRegexError::Unsupported { obstacle });
    let invalid = |position, fault| Err(JsRegexError::Invalid { position, fault });
    let cases = [
        (nested("(", 100), Ok(Matched::Yes)),
        (nested("(?:b|", 100), Ok(Matched::Yes)),
        (nested("(", 101), unsupported(Obstacle::Nesting)),
        (nested("(?:", 100_000), unsupported(Obstacle::Nesting)),
        (nested("(?=", 60), Ok(Matched::Yes)),
        (nested("(?=", 100), unsupported(Obstacle::Nesting)),
        ("(?:".repeat(100_000), invalid(299_997, Fault::UnclosedGroup)),
        (nested("(?:", 100_000) + ")", invalid(400_001, Fault::UnopenedGroup)),
        ("(".repeat(100_000), invalid(32_767, Fault::TooManyGroups)),
        ("(a)".repeat(32_767) + "|a", Ok(Matched::Yes)),
        ("a{99}".repeat(10_000), unsupported(Obstacle::Size)),
        ("(?:(?:a{999}){999}){999}".to_owned(), unsupported(Obstacle::Size)),
        ("(?=b)".repeat(50_000), unsupported(Obstacle::Size)),
        ("(b)|".repeat(20_000) + r"(a)|\20001", Ok(Matched::Yes)),
        (numbers.map(|n| format!("(a)\\{n}")).concat(), unsupported(Obstacle::Size)),
        (".".repeat(100_000), unsupported(Obstacle::Size)),
        ("b".repeat(1_000_000) + "|a", Ok(Matched::Yes)),
        ("b|".repeat(10_000) + "a", Ok(Matched::Yes)),
    ];
    for (pattern, expected) in cases {
        let answer = JsRegex::new(&pattern).map(|regex| regex.is_match("xay"));
        assert_eq!(answer, expected, "/{}…/", pattern.chars().take(20).collect::<String>());
    }
}

#[test]
fn hopeless_backtracking_is_given_up() {
    let long = "a".repeat(3_000) + "!";
    let started = Instant::now();
    let patterns = [
        "^(?=(a+)+$)(a+)+$",
        "^(a+)+$",
        r"^(?:a|a)*(?=b)\b",
        "^(?:(?=a)a+)+$",
        r"^(a+)(?:(?=a)a+)+\1$",
        r"(?:\w*\w*)*(?!.)(?<=b)",
        "(?:.*a){12}(?=b)",
        r"(a*)(a*)(a*)(a*)\1\2\3\4b",
    ];
    let answers = patterns.map(|pattern| JsRegex::new(pattern).unwrap().is_match(&long));
    assert!(!answers.contains(&Matched::Yes), "{answers:?}");
    assert!(answers.iter().filter(|answer| **answer == Matched::Undecided).count() >= 3, "{answers:?}");
    assert!(started.elapsed() < Duration::from_secs(60));
}

#[test]
fn a_clone_decides_alike() {
    let regex = JsRegex::new("^(?!Bash$)").unwrap();
    let clone = regex.clone();
    drop(regex);
    assert_eq!((clone.is_match("Bash"), clone.is_match("Edit")), (Matched::No, Matched::Yes));
}

/// Strings that are often valid patterns.
fn pattern_like() -> impl Strategy<Value = String> {
    let scraps = [
        "a", "b", "é", "😀", "_", "1", "-", ",", "(", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?<n>", "(?i:", "(?-s:",
        ")", ")", ")", "[", "[^", "]", "{", "}", "{2}", "{1,3}", "{9999}", "*", "+", "?", "|", "^", "$", ".", r"\",
        r"\1", r"\2", r"\k<n>", r"\b", r"\B", r"\w", r"\S", r"\cA", r"\u0041", r"\ud83d", r"\x", r"\0",
    ];
    proptest::collection::vec(proptest::sample::select(scraps.to_vec()), 0..24).prop_map(|scraps| scraps.concat())
}

proptest! {
    #[test]
    fn no_pattern_and_no_text_causes_a_panic(pattern in any::<String>(), like in pattern_like(), text in any::<String>()) {
        for pattern in [pattern, like] {
            if let Ok(regex) = JsRegex::new(&pattern) {
                for text in [&text, "aab_1é😀-b"] {
                    prop_assert_eq!(regex.is_match(text), regex.is_match(text));
                }
            }
        }
    }

    #[test]
    fn an_escaped_text_occurs_where_the_text_does(needle in "[a-c.*é😀]{0,3}", text in "[a-c.*é😀\n]{0,8}") {
        let expected = if text.contains(&needle) { Matched::Yes } else { Matched::No };
        let escaped: String = needle.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
        // Alone it is searched; with look-around and with a repeated group the engines have to find it.
        for pattern in [escaped.clone(), format!("(?:{escaped}){{1}}(?=)"), format!("(?:{escaped}|{escaped}[^]?)"), format!("(?={escaped})")] {
            prop_assert_eq!(JsRegex::new(&pattern).unwrap().is_match(&text), expected, "/{}/", pattern);
        }
    }
}
