//! The parser against another one, the crate `rable`, on generated scripts.
//!
//! `rable` is fed well-formed scripts only, on a thread of its own, because it may hang or overflow the stack on others.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a broken expectation must fail the test")]

mod support;

use hookrail_shell::ast::{CommandKind, PartKind, Span};
use hookrail_shell::{Node, parse};
use std::collections::BTreeSet;
use std::sync::mpsc;
use std::time::Duration;
use support::generator::script;

const SCRIPTS: u64 = 20_000;

/// What `rable` says about a script: the plain names of the programs outside of words, or that it cannot read it.
type RableAnswer = Option<BTreeSet<String>>;

/// Asks `rable` about scripts, one after the other, until it does not answer.
fn rable_answers(seeds: std::ops::Range<u64>) -> Vec<RableAnswer> {
    let (send, receive) = mpsc::channel();
    std::thread::Builder::new()
        .stack_size(64 * 1024 * 1024)
        .spawn(move || {
            for seed in seeds {
                let answer = rable::parse(&script(seed), false).ok().map(|nodes| {
                    nodes.iter().flat_map(|node| names_in(&node.to_string())).collect::<BTreeSet<String>>()
                });
                if send.send(answer).is_err() {
                    return;
                }
            }
        })
        .unwrap();
    std::iter::from_fn(|| receive.recv_timeout(Duration::from_secs(20)).ok()).collect()
}

/// The plain names in the text form of a tree: `(command (word "c1") …)`.
fn names_in(tree: &str) -> Vec<String> {
    tree.match_indices("(command (word \"")
        .filter_map(|(at, before)| {
            let rest = &tree[at + before.len()..];
            let name = &rest[..rest.find('"')?];
            is_plain(name).then(|| name.to_owned())
        })
        .collect()
}

fn is_plain(name: &str) -> bool {
    name.strip_prefix('c').is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The plain names of the programs outside of words, and the names of all, however they are quoted.
fn our_names(text: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut outside, mut all) = (BTreeSet::new(), BTreeSet::new());
    let mut words: Vec<Span> = Vec::new();
    parse(text).for_each(|node| match node {
        Node::Part(part) if !matches!(part.kind, PartKind::Literal(_)) => words.push(part.span),
        Node::Command(command) => {
            let CommandKind::Simple(simple) = &command.kind else { return };
            let Some(first) = simple.words.first() else { return };
            all.extend(first.literal().map(String::from));
            let name = first.span.of(text);
            if is_plain(name) {
                let inside = words.iter().any(|span| span.start <= first.span.start && first.span.end <= span.end);
                if !inside && simple.assignments.is_empty() {
                    outside.insert(name.to_owned());
                }
            }
        }
        _ => {}
    });
    (outside, all)
}

#[test]
fn both_parsers_find_the_same_programs() {
    let answers = rable_answers(0..SCRIPTS);
    let (mut read, mut differences) = (0, Vec::new());
    for (seed, answer) in answers.iter().enumerate() {
        let Some(theirs) = answer else { continue };
        let text = script(seed as u64);
        read += 1;
        // Behind `(` and `)` rable takes the reserved word for a program; bash does not.
        if text.contains("time ") {
            continue;
        }
        let (outside, all) = our_names(&text);
        let missing: Vec<_> = theirs.difference(&all).chain(outside.difference(theirs)).collect();
        if !missing.is_empty() {
            differences.push(format!("--- script {seed}: {missing:?}\n{text}"));
        }
    }
    differences.sort_by_key(String::len);
    println!("{read} of {} scripts were read by both", answers.len());
    let few: Vec<_> = differences.iter().take(5).map(String::as_str).collect();
    assert!(differences.is_empty(), "{} differences, such as:\n{}", differences.len(), few.join("\n"));
    assert!(read * 10 > SCRIPTS as usize * 9, "only {read} scripts were compared");
}
