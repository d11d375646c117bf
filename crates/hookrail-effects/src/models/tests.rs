//! Every row has an example, and every example is true.

use super::{FAMILIES, Row, readers, usage};
use crate::{Act, EmptyWorld, Surroundings, understand_command};

fn around() -> Surroundings {
    Surroundings {
        cwd: "/home/me/p".into(),
        home: Some("/home/me".into()),
        project: "/home/me/p".into(),
        beside: Vec::new(),
        guarded: crate::DEFAULT_GUARDED.into(),
    }
}

fn rows() -> impl Iterator<Item = &'static Row> {
    FAMILIES.iter().flat_map(|family| family.iter())
}

/// The effects of a command as an example writes them, `exec.run` of scripts and the like included.
fn effects(command: &str) -> Vec<String> {
    let found = understand_command(command, &around(), &EmptyWorld);
    found
        .list
        .iter()
        .map(|effect| {
            let program = effect.on.program.as_deref();
            let subject =
                effect.on.subject().filter(|subject| Some(*subject) != program).map(|subject| format!(" {subject}"));
            format!("{}{}", effect.act, subject.unwrap_or_default())
        })
        .collect()
}

#[test]
fn subcommands_stand_behind_their_program() {
    for (name, ..) in rows() {
        let program = name.split(' ').next().unwrap_or_default();
        let found = super::find(program).is_some_and(|rows| rows.iter().any(|row| row.0 == *name));
        assert!(found, "the row of `{name}` must follow that of `{program}` and its other subcommands");
    }
}

#[test]
fn every_example_has_the_effects_it_says() {
    let mut wrong = Vec::new();
    for (name, _, example) in rows() {
        let Some((command, expected)) = example.split_once("=>") else { continue };
        let mut expected: Vec<String> = expected
            .split(';')
            .map(|one| one.trim().trim_end_matches(" ?").to_owned())
            .filter(|one| !one.is_empty())
            .collect();
        let mut found = effects(command.trim());
        expected.sort();
        found.sort();
        found.dedup();
        if found != expected {
            wrong.push(format!("{name}: `{}` has {found:?}, not {expected:?}", command.trim()));
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_row_has_an_example_or_is_another_name() {
    for (name, usage, example) in rows() {
        assert!(usage.starts_with('=') || example.contains("=>"), "{name}");
    }
}

#[test]
fn at_least_150_programs_are_described_and_none_twice() {
    let mut names: Vec<&str> = rows().map(|row| row.0).collect();
    let programs = names.iter().filter(|name| !name.contains(' ')).count();
    assert!(programs >= 150, "{programs}");
    names.sort_unstable();
    for two in names.windows(2) {
        assert_ne!(two[0], two[1]);
    }
}

#[test]
fn every_token_of_every_usage_means_something() {
    let roles =
        ["r", "i", "e", "w", "d", "m", "p", "l", "R", "D", "W", "c", "t", "h", "u", "s", "g", "b", "q", "x", "X", "_"];
    for row in rows() {
        if let Some(other) = row.1.strip_prefix('=') {
            assert!(rows().any(|row| row.0 == other), "{} is {other}", row.0);
            continue;
        }
        for token in usage::tokens(row) {
            let known = if let Some(reader) = token.strip_prefix('@') {
                readers::find_reader(reader).is_some()
            } else if token.starts_with('>') {
                token.len() > 1
            } else if token.starts_with('-') {
                let role = token.split_once('=').map_or("", |(_, role)| role);
                role.is_empty() || roles.contains(&role)
            } else if token.starts_with('|') {
                ["|pass", "|mix", "|none", "|decode", "|remote", "|secret"].contains(&token)
            } else {
                Act::parse(token).is_some() || roles.contains(&token.trim_end_matches('*'))
            };
            assert!(known, "{}: `{token}`", row.0);
        }
    }
}
