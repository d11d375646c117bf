//! Pack `safety`: rules that hold unless somebody says otherwise, one file for each class of harm.

use crate::check::{Book, compile};
use crate::read::{RuleFile, Source, read};
use crate::rule::Layer;
use crate::set::RuleSet;
use std::sync::OnceLock;
use toml_edit::Document;

/// The files, with what they are called in messages.
pub const FILES: &[(&str, &str)] = &[("safety/delete.toml", include_str!("delete.toml"))];

/// The rules of the pack. They count as the user's own, so that a project can only be stricter.
#[must_use]
pub fn rules() -> &'static RuleSet {
    static RULES: OnceLock<RuleSet> = OnceLock::new();
    RULES.get_or_init(|| book().set)
}

/// The rules of the pack with their examples, read anew.
#[must_use]
pub fn files() -> Vec<RuleFile> {
    FILES.iter().map(|(place, text)| file(place, text)).collect()
}

/// The pack compiled, with what is wrong with it.
#[must_use]
pub fn book() -> Book {
    compile(files())
}

fn file(place: &str, text: &str) -> RuleFile {
    let Ok(document) = Document::parse(text) else { return RuleFile::default() };
    let position = |offset: usize| {
        let before = text.get(..offset).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
    };
    let source = Source { layer: Layer::User, place, position: &position, agents: &[], pack: Some("safety") };
    read(document.get("rule"), document.get("exception"), &source)
}
