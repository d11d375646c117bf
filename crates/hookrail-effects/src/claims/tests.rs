//! The table of claims is in order, and agrees with the models about which options have values.

use super::table::ROWS;
use super::{has, tokens};
use crate::flow::Arg;
use crate::models::{operands_are_alike, option_has_value, rows_of};
use hookrail_shell::ast::Span;

#[test]
fn no_command_is_claimed_twice() {
    let mut names: Vec<String> = Vec::new();
    for (name, _) in ROWS {
        let (first, last) = name.rsplit_once(' ').unwrap_or(("", name));
        names.extend(last.split('|').map(|last| format!("{first} {last}")));
    }
    names.sort();
    for two in names.windows(2) {
        assert_ne!(two[0], two[1]);
    }
}

/// A model that takes a flag's neighbour for its value, or a value for an operand, would judge other words than those that are
/// claimed.
#[test]
fn claims_and_models_agree_about_options_with_values() {
    let mut wrong = Vec::new();
    for row in ROWS {
        // Programs with a grammar of their own sort their words themselves.
        if tokens(row).any(|token| matches!(token, "@find" | "@env" | "@python" | "@awk" | "@sed"))
            || row.0.starts_with("git")
        {
            continue;
        }
        let name = row.0.split('|').next().unwrap_or(row.0);
        let (program, rest) = name.split_once(' ').unwrap_or((name, ""));
        let args: Vec<Arg> = rest.split_whitespace().map(|word| Arg::new(word, Span::default())).collect();
        let rows = rows_of(program, &args);
        if rows.is_empty() || has(row, "@words") {
            continue;
        }
        for token in tokens(row).filter(|token| token.starts_with('-') && *token != "-#" && !token.ends_with("=?")) {
            let (options, value) = token.strip_suffix('=').map_or((token, false), |options| (options, true));
            let each: Vec<String> = match options.strip_prefix("--") {
                Some(_) => vec![options.to_owned()],
                None => options.chars().skip(1).map(|letter| format!("-{letter}")).collect(),
            };
            // One word more among operands that are all alike changes nothing.
            let any_word = value && operands_are_alike(&rows);
            for option in each.iter().filter(|_| !any_word) {
                if option_has_value(&rows, option) != value {
                    wrong.push(format!("{}: {option} {}", row.0, if value { "has a value" } else { "has no value" }));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}
