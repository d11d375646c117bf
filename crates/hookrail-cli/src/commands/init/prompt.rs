//! Questions to a person.

use crate::error::CliError;
use crate::screen::{columns, note, one_line, wrap};
use anstream::eprint;
use std::io::{BufRead, Write};

/// A yes or a no.
pub fn yes(question: &str, usual: bool, input: &mut dyn BufRead) -> Result<bool, CliError> {
    let choice = if usual { "[Y/n]" } else { "[y/N]" };
    loop {
        match line(&format!("{question} {choice}"), input)?.to_lowercase().as_str() {
            "" => return Ok(usual),
            "n" | "no" => return Ok(false),
            "y" | "yes" => return Ok(true),
            other => note(format!("`{}` is neither `y` nor `n`", one_line(other))),
        }
    }
}

/// One of some words; their beginnings are enough.
pub fn word<'w>(
    question: &str,
    words: &[&'w str],
    usual: &'w str,
    input: &mut dyn BufRead,
) -> Result<&'w str, CliError> {
    let shown = |word: &&str| if *word == usual { word.to_uppercase() } else { (*word).to_owned() };
    let choice = words.iter().map(shown).collect::<Vec<_>>().join("/");
    loop {
        let answer = line(&format!("{question} [{choice}]"), input)?.to_lowercase();
        if answer.is_empty() {
            return Ok(usual);
        }
        match words.iter().filter(|word| word.starts_with(&answer)).collect::<Vec<_>>().as_slice() {
            [one] => return Ok(one),
            _ => note(format!("`{}` is none of {}", one_line(&answer), words.join(", "))),
        }
    }
}

/// A line of text. The question is broken between words.
pub fn line(question: &str, input: &mut dyn BufRead) -> Result<String, CliError> {
    // Room for the space before the answer.
    eprint!("{} ", wrap(question, columns().saturating_sub(1)).join("\n"));
    // A question that cannot be seen gets an empty answer.
    let _ = anstream::stderr().flush();
    let mut answer = String::new();
    match input.read_line(&mut answer) {
        Ok(0) => Err(CliError::usage("there was no answer, so nothing was written")),
        Ok(_) => Ok(answer.trim().to_owned()),
        Err(error) => Err(CliError::usage(format!("the answer cannot be read: {error}"))),
    }
}
