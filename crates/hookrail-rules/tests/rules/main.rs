//! Rules, from their text to what they say about calls.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "helpers of a test may fail it")]

mod faults;
mod layers;
mod merging;
mod refusals;
mod remembering;
mod selectors;

use hookrail_rules::{
    Book, ExampleCall, Judgement, Layer, Level, RuleFile, RuleSet, Source, compile, judge_example, read,
};
use toml_edit::Document;

/// The rules of a text, as a file of a layer.
fn file(text: &str, layer: Layer) -> RuleFile {
    let document = Document::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let position = |offset: usize| {
        let before = &text[..offset];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap().chars().count() + 1;
        (u32::try_from(line).unwrap(), u32::try_from(column).unwrap())
    };
    let place = format!("{}.toml", layer.name());
    let source =
        Source { layer, place: &place, position: &position, agents: &["claude", "codex", "gemini"], pack: None };
    read(document.get("rule"), document.get("exception"), &source)
}

fn book(text: &str) -> Book {
    compile(vec![file(text, Layer::User)], &[])
}

/// A set without faults.
fn set(text: &str) -> RuleSet {
    let book = book(text);
    assert_eq!(book.faults, [], "{text}");
    book.set
}

fn judged(set: &RuleSet, call: &ExampleCall) -> Judgement {
    judge_example(&[set], call, Level::default())
}

fn said(set: &RuleSet, command: &str) -> Vec<String> {
    let judgement = judged(set, &ExampleCall::shell(command));
    let ids = judgement.matches.iter().chain(&judgement.permissions);
    ids.map(|found| format!("{} {}", found.decision.name(), found.rule.id)).collect()
}
