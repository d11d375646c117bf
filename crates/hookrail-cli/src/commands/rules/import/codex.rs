//! Codex: `prefix_rule(…)` of its rules files.

use super::FoundPermissions;
use super::permission::{Meaning, Permission, words};
use super::settings_file::text;
use crate::current_project::CurrentProject;
use crate::error::CliError;
use hookrail_core::World;
use hookrail_rules::RuleDecision;
use std::path::{Path, PathBuf};

/// So many commands may stand behind one rule with alternatives.
const MOST_COMMANDS: usize = 16;

pub fn read(place: &CurrentProject) -> FoundPermissions {
    let set = |name: &str| place.world.env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let user = set("CODEX_HOME").or_else(|| Some(set("HOME")?.join(".codex")));
    let folders = user.into_iter().chain([place.project.join(".codex")]).map(|folder| folder.join("rules"));
    let mut found = FoundPermissions::default();
    for folder in folders {
        let names = place.world.list(&folder).ok().flatten().unwrap_or_default();
        let of_folder: Vec<PathBuf> =
            names.iter().filter(|name| name.ends_with(".rules")).map(|name| folder.join(name)).collect();
        if of_folder.is_empty() {
            found.files.push(folder);
        }
        found.add(FoundPermissions::in_files(of_folder, |file| of_file(file, place)));
    }
    found
}

fn of_file(file: &Path, place: &CurrentProject) -> Result<Vec<Permission>, CliError> {
    let text = text(file, place)?.unwrap_or_default();
    if let Some(line) = unclosed(&text) {
        let why = format!("the bracket of `prefix_rule(` in line {line} is not closed");
        return Err(CliError::input(format!("cannot read `{}`: {why}", file.display())));
    }
    let permissions = rules(&text)
        .into_iter()
        .map(|(entry, decision, meaning)| Permission {
            agent: "codex",
            file: file.to_owned(),
            decision,
            entry,
            meaning,
        })
        .collect();
    Ok(permissions)
}

/// The line of the first rule whose bracket is not closed.
fn unclosed(text: &str) -> Option<usize> {
    let text = uncommented(text);
    let (mut depth, mut quote, mut opened) = (0_usize, None, 0);
    let mut line = 1;
    for c in text.chars() {
        match (quote, c) {
            (_, '\n') => line += 1,
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (None, '(') => {
                if depth == 0 {
                    opened = line;
                }
                depth += 1;
            }
            (None, ')') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    (depth > 0 || quote.is_some()).then_some(opened.max(1))
}

/// Every rule of a text: as it is written, what it decides, and what it is about.
fn rules(text: &str) -> Vec<(String, RuleDecision, Meaning)> {
    let mut found = Vec::new();
    for part in uncommented(text).split("prefix_rule(").skip(1) {
        let tokens = tokens(part);
        let decision = match value_of(&tokens, "decision").as_deref() {
            Some("forbidden") => RuleDecision::Deny,
            Some("prompt") => RuleDecision::Ask,
            Some("allow") | None => RuleDecision::Allow,
            Some(other) => {
                let why = format!("`{other}` is no decision that is known");
                found.push(("prefix_rule(…)".to_owned(), RuleDecision::Ask, Meaning::Unclear(why)));
                continue;
            }
        };
        for command in pattern(&tokens) {
            let entry = format!("prefix_rule({})", command.join(" "));
            let meaning = match words(&command.join(" ")) {
                Some(words) => Meaning::Command(words),
                None => {
                    Meaning::Unclear("it matches the text of commands, and rules speak of what commands do".to_owned())
                }
            };
            found.push((entry, decision, meaning));
        }
    }
    found
}

fn uncommented(text: &str) -> String {
    let line = |line: &str| {
        let mut quote = None;
        let end = line.char_indices().find(|(_, c)| {
            match (quote, c) {
                (None, '"' | '\'') => quote = Some(*c),
                (Some(open), c) if open == *c => quote = None,
                _ => {}
            }
            quote.is_none() && *c == '#'
        });
        line.get(..end.map_or(line.len(), |(at, _)| at)).unwrap_or_default().to_owned()
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Text(String),
    Name(String),
    Mark(char),
}

/// The tokens up to the bracket that closes the call.
fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut depth = 0_u32;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' | '\'' => {
                let mut content = String::new();
                while let Some(inner) = rest.next() {
                    match inner {
                        '\\' => content.extend(rest.next()),
                        inner if inner == c => break,
                        inner => content.push(inner),
                    }
                }
                found.push(Token::Text(content));
            }
            ')' if depth == 0 => break,
            '(' => depth += 1,
            ')' => depth -= 1,
            '[' | ']' | '=' | ',' => found.push(Token::Mark(c)),
            c if c.is_alphanumeric() || c == '_' => {
                let mut name = c.to_string();
                while let Some(next) = rest.next_if(|c| c.is_alphanumeric() || *c == '_') {
                    name.push(next);
                }
                found.push(Token::Name(name));
            }
            _ => {}
        }
    }
    found
}

fn after<'t>(tokens: &'t [Token], key: &str) -> &'t [Token] {
    let at = tokens.windows(2).position(|pair| *pair == [Token::Name(key.to_owned()), Token::Mark('=')]);
    at.and_then(|at| tokens.get(at + 2..)).unwrap_or_default()
}

fn value_of(tokens: &[Token], key: &str) -> Option<String> {
    match after(tokens, key).first() {
        Some(Token::Text(text)) => Some(text.clone()),
        _ => None,
    }
}

/// The commands that `pattern = ["git", ["push", "fetch"]]` names.
fn pattern(tokens: &[Token]) -> Vec<Vec<String>> {
    let mut commands: Vec<Vec<String>> = vec![Vec::new()];
    let mut alternatives: Option<Vec<String>> = None;
    let tokens = after(tokens, "pattern");
    for token in tokens.iter().skip(1) {
        let last = match (token, &mut alternatives) {
            (Token::Text(text), Some(open)) => {
                open.push(text.clone());
                continue;
            }
            (Token::Text(text), None) => vec![text.clone()],
            (Token::Mark('['), None) => {
                alternatives = Some(Vec::new());
                continue;
            }
            (Token::Mark(']'), Some(_)) => alternatives.take().unwrap_or_default(),
            (Token::Mark(']'), None) => break,
            (Token::Mark(_) | Token::Name(_), _) => continue,
        };
        let longer = |command: &Vec<String>| {
            let with = |word: &String| command.iter().chain([word]).cloned().collect();
            last.iter().map(with).collect::<Vec<Vec<String>>>()
        };
        commands = commands.iter().flat_map(longer).take(MOST_COMMANDS).collect();
    }
    commands.retain(|command| !command.is_empty());
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_rules_are_read_with_their_alternatives() {
        let text = r#"
            # prefix_rule(pattern = ["not", "this"])
            prefix_rule(pattern = ["git", ["push", "fetch"]], decision = "prompt", match = [["git", "push"], "git fetch # x"])
            prefix_rule(
                pattern = ["rm"], # all of them
                decision = "forbidden",
                justification = "use trash (really)",
            )
            prefix_rule(pattern = ["ls"])
        "#;
        let found: Vec<(String, &str)> =
            rules(text).into_iter().map(|(entry, decision, _)| (entry, decision.name())).collect();
        let expected = [
            ("prefix_rule(git push)", "ask"),
            ("prefix_rule(git fetch)", "ask"),
            ("prefix_rule(rm)", "deny"),
            ("prefix_rule(ls)", "allow"),
        ];
        assert_eq!(found, expected.map(|(entry, decision)| (entry.to_owned(), decision)));
    }
}
