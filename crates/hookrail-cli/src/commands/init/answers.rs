//! What the new configuration is to say.

use crate::screen::{note, one_line};
use anstream::eprint;
use hookrail_core::Mode;
use hookrail_packs::{CATALOGUE, Pack};
use owo_colors::OwoColorize;
use std::io::{BufRead, Write};

#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Answers {
    pub packs: Vec<&'static str>,
    /// Of the packs.
    pub mode: Mode,
    pub event_log: bool,
    pub protected: Vec<String>,
    /// The journal keeps nothing of events.
    pub minimal: bool,
}

impl Answers {
    /// Asks a person. An empty answer is what stands in capitals.
    pub fn ask(input: &mut dyn BufRead) -> Result<Self, String> {
        let mut answers = Self::default();
        note("an empty answer takes what stands in capitals; everything can be changed in the file later");
        for pack in CATALOGUE.iter().filter(|pack| pack.default_mode == Mode::Off) {
            let Pack { name, about, .. } = pack;
            if yes(&format!("Enable pack {}? It {about}.", name.bold()), input)? {
                answers.packs.push(name);
            }
        }
        if !answers.packs.is_empty() {
            let wait = "Only warn at first, instead of blocking?";
            answers.mode = if yes(wait, input)? { Mode::Warn } else { Mode::Enforce };
        }
        answers.event_log = yes("Record every event, so that `hookrail replay` can try new guards on them?", input)?;
        answers.protected = paths(&line("Paths no tool may write, such as `secrets/ *.key` (none): ", input)?)?;
        Ok(answers)
    }
}

/// Paths between white space.
fn paths(text: &str) -> Result<Vec<String>, String> {
    text.split_whitespace().map(|path| check_path(path).map(|()| path.to_owned())).collect()
}

/// What may stand in the list of protected paths.
pub fn check_path(path: &str) -> Result<(), String> {
    if path.trim().is_empty() || path.chars().any(char::is_control) {
        return Err(format!("`{}` is no path", one_line(path)));
    }
    Ok(())
}

fn yes(question: &str, input: &mut dyn BufRead) -> Result<bool, String> {
    loop {
        match line(&format!("{question} [y/N] "), input)?.to_lowercase().as_str() {
            "" | "n" | "no" => return Ok(false),
            "y" | "yes" => return Ok(true),
            other => note(format!("`{}` is neither `y` nor `n`", one_line(other))),
        }
    }
}

fn line(question: &str, input: &mut dyn BufRead) -> Result<String, String> {
    eprint!("{question}");
    // A question nobody can see gets an empty answer.
    let _ = anstream::stderr().flush();
    let mut answer = String::new();
    match input.read_line(&mut answer) {
        Ok(0) => Err("nobody answered, so nothing was written".to_owned()),
        Ok(_) => Ok(answer.trim().to_owned()),
        Err(error) => Err(format!("the answer cannot be read: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_taken_as_they_are_meant() {
        let ask = |text: &str| Answers::ask(&mut text.as_bytes());
        let optional = CATALOGUE.iter().filter(|pack| pack.default_mode == Mode::Off).map(|pack| pack.name);
        let optional: Vec<&str> = optional.collect();
        let nothing = "\n".repeat(optional.len() + 2);
        assert_eq!(ask(&nothing), Ok(Answers::default()));
        let everything = format!("maybe\n{}YES\ny\n secrets/  *.key \n", "y\n".repeat(optional.len()));
        let expected = Answers {
            packs: optional,
            mode: Mode::Warn,
            event_log: true,
            protected: vec!["secrets/".to_owned(), "*.key".to_owned()],
            minimal: false,
        };
        assert_eq!(ask(&everything), Ok(expected));
        assert!(ask("y\n").unwrap_err().contains("nothing was written"));
    }
}
