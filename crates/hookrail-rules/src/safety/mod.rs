//! Pack `safety`: rules that hold unless configured otherwise, one file for each class of harm.
//!
//! A new class is a file `NAME.toml` and a line in [`FILES`]. Every rule has its reason, its source, and examples of what it
//! is about and what not, which are judged by a test. What an event reads is `compiled.bin`; after a change of a file,
//! `HOOKRAIL_BLESS=1 cargo test -p hookrail-rules --lib safety` makes it again.

use crate::check::{Book, compile};
use crate::read::{RuleFile, Source, read};
use crate::rule::Layer;
use crate::set::RuleSet;
use std::sync::OnceLock;
use toml_edit::Document;

/// The files, with what they are called in messages.
pub const FILES: &[(&str, &str)] = &[
    ("safety/delete.toml", include_str!("delete.toml")),
    ("safety/git.toml", include_str!("git.toml")),
    ("safety/secrets.toml", include_str!("secrets.toml")),
    ("safety/exfiltration.toml", include_str!("exfiltration.toml")),
    ("safety/remote_code.toml", include_str!("remote_code.toml")),
    ("safety/database.toml", include_str!("database.toml")),
    ("safety/infrastructure.toml", include_str!("infrastructure.toml")),
    ("safety/containers.toml", include_str!("containers.toml")),
    ("safety/packages.toml", include_str!("packages.toml")),
    ("safety/persistence.toml", include_str!("persistence.toml")),
    ("safety/system.toml", include_str!("system.toml")),
    ("safety/checks.toml", include_str!("checks.toml")),
];

/// Rules that allow what a developer does all day. They are no part of the pack: whoever wants them writes them into a
/// `hookrail.toml`, as `init` offers.
pub const DAILY_WORK: &str = include_str!("../daily_work.toml");

/// The rules of the pack. They count as the user's own, so that a project can only be stricter.
#[must_use]
pub fn rules() -> &'static RuleSet {
    static RULES: OnceLock<RuleSet> = OnceLock::new();
    RULES.get_or_init(|| RuleSet::from_bytes(COMPILED).unwrap_or_else(compiled))
}

/// The files, compiled before the program was built.
const COMPILED: &[u8] = include_bytes!("compiled.bin");

/// The files, compiled now.
fn compiled() -> RuleSet {
    let files = files();
    let rules: Vec<_> = files.iter().flat_map(|file| file.rules.clone()).collect();
    RuleSet::compile(&rules, &[])
}

/// The rules of the pack with their examples, read anew.
#[must_use]
pub fn files() -> Vec<RuleFile> {
    FILES.iter().map(|(place, text)| file(place, text, Some("safety"))).collect()
}

/// The pack compiled, with what is wrong with it.
#[must_use]
pub fn book() -> Book {
    compile(files(), &[])
}

/// The rules of daily work, as if a user had written them.
#[must_use]
pub fn daily_work() -> RuleSet {
    as_of_user(DAILY_WORK)
}

/// Rules as if a user had written them.
#[must_use]
pub fn as_of_user(text: &str) -> RuleSet {
    compile(vec![file("rules.toml", text, None)], &[]).set
}

fn file(place: &str, text: &str, pack: Option<&str>) -> RuleFile {
    let Ok(document) = Document::parse(text) else { return RuleFile::default() };
    let position = |offset: usize| {
        let before = text.get(..offset).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
    };
    let source = Source { layer: Layer::User, place, position: &position, agents: &[], pack };
    read(document.get("rule"), document.get("exception"), &source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a developer asks for it")]
    fn the_compiled_rules_are_those_of_the_files() {
        if std::env::var("HOOKRAIL_BLESS").is_ok() {
            let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/safety/compiled.bin");
            std::fs::write(file, compiled().as_bytes()).unwrap();
        } else {
            assert!(
                COMPILED == compiled().as_bytes(),
                "run `HOOKRAIL_BLESS=1 cargo test -p hookrail-rules --lib safety`"
            );
        }
    }

    #[test]
    fn every_file_is_read_whole_and_every_example_holds() {
        for (place, text) in FILES {
            assert!(Document::parse(text).is_ok(), "{place} is not TOML");
        }
        let daily = compile(vec![file("daily_work.toml", DAILY_WORK, None)], &[]);
        let faults: Vec<String> = book()
            .faults
            .iter()
            .chain(&daily.faults)
            .map(|fault| format!("{}: {} {:?}", fault.origin, fault.message, fault.hint))
            .collect();
        assert_eq!(faults, Vec::<String>::new());
    }

    #[test]
    fn every_rule_has_a_reason_and_examples_of_both_kinds() {
        for rule in files().iter().flat_map(|file| &file.rules) {
            assert!(rule.reason.is_some() && rule.source.is_some(), "{}", rule.id);
            assert!(rule.examples.of(Some(rule.decide)).next().is_some(), "{}: what it is about", rule.id);
            assert!(rule.examples.of(None).next().is_some(), "{}: what it is not about", rule.id);
        }
    }
}
