//! What the new configuration is to say.

use super::prompt::{line, word, yes};
use super::{example, template};
use crate::error::CliError;
use crate::screen::{columns, note, one_line, wrap};
use hookrail_core::Mode;
use hookrail_packs::{CATALOGUE, Pack};
use hookrail_rules::Level;
use owo_colors::OwoColorize;
use std::io::BufRead;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InitAnswers {
    /// Of pack `safety`.
    pub level: Level,
    /// What no tool may write.
    pub protected: Vec<String>,
    /// What no tool may even read.
    pub secrets: Vec<String>,
    /// What a developer does all day is allowed.
    pub daily_work: bool,
    pub packs: Vec<&'static str>,
    /// Of the packs.
    pub mode: Mode,
    pub event_log: bool,
    /// The journal keeps nothing of events.
    pub minimal: bool,
}

/// The defaults, for a person who does not want to be asked.
impl Default for InitAnswers {
    fn default() -> Self {
        Self {
            level: Level::default(),
            protected: Vec::new(),
            secrets: Vec::new(),
            daily_work: false,
            packs: Vec::new(),
            mode: Mode::Enforce,
            event_log: false,
            minimal: false,
        }
    }
}

/// Shows what a configuration says about commands.
pub type Show<'a> = &'a dyn Fn(&[(&str, String)], &[&str]);

impl InitAnswers {
    /// Asks a person, about guardrails first. An empty answer is what stands in capitals.
    pub fn ask(input: &mut dyn BufRead, show: Show<'_>) -> Result<Self, CliError> {
        let mut answers = Self::default();
        let begin = "an empty answer takes what stands in capitals; everything can be changed in the file later";
        note(wrap(begin, columns().saturating_sub(6)).join("\n"));
        answers.ask_guardrails(input, show)?;
        answers.ask_packs(input)?;
        Ok(answers)
    }

    fn ask_guardrails(&mut self, input: &mut dyn BufRead, show: Show<'_>) -> Result<(), CliError> {
        let of_level = |level: &Level| (level.name(), template::guardrails(&Self { level: *level, ..Self::bare() }));
        show(&Level::ALL.iter().map(of_level).collect::<Vec<_>>(), example::LEVEL);
        let names: Vec<&str> = Level::ALL.iter().map(|level| level.name()).collect();
        let chosen = word("How strict should the guardrails be?", &names, self.level.name(), input)?;
        self.level = Level::parse(chosen).unwrap_or_default();

        let with =
            |protected: &str| template::guardrails(&Self { protected: vec![protected.to_owned()], ..Self::bare() });
        show(&[("with secrets/", with("secrets/"))], example::PROTECTED);
        self.protected = ask_paths("Paths no tool may write, such as `secrets/ *.key` (none):", input)?;

        let with = |secret: &str| template::guardrails(&Self { secrets: vec![secret.to_owned()], ..Self::bare() });
        show(&[("as usual", with_nothing()), ("with data/", with("data/"))], example::SECRET);
        let question = "Paths no tool may even read, beside keys and `.env` files, such as `data/` (none):";
        self.secrets = ask_paths(question, input)?;

        let daily = template::guardrails(&Self { daily_work: true, ..Self::bare() });
        show(&[("without", with_nothing()), ("with", daily)], example::DAILY);
        let question = "Allow daily work without a question: reading, editing, building and testing in the project?";
        self.daily_work = yes(question, false, input)?;
        Ok(())
    }

    fn ask_packs(&mut self, input: &mut dyn BufRead) -> Result<(), CliError> {
        for pack in CATALOGUE.iter().filter(|pack| pack.default_mode == Mode::Off) {
            let Pack { name, about, .. } = pack;
            if yes(&format!("Enable pack {}? It {about}.", name.bold()), false, input)? {
                self.packs.push(name);
            }
        }
        if !self.packs.is_empty() {
            let wait = "Let these packs only warn at first, instead of blocking?";
            self.mode = if yes(wait, false, input)? { Mode::Warn } else { Mode::Enforce };
        }
        let question = "Record every event, so that `hookrail replay` can try new guards on them?";
        self.event_log = yes(question, false, input)?;
        Ok(())
    }

    /// Nothing but the usual.
    fn bare() -> Self {
        Self::default()
    }
}

fn with_nothing() -> String {
    template::guardrails(&InitAnswers::bare())
}

/// Paths between white space, until each of them is one.
fn ask_paths(question: &str, input: &mut dyn BufRead) -> Result<Vec<String>, CliError> {
    loop {
        let answer = line(question, input)?;
        let paths: Vec<String> = answer.split_whitespace().map(str::to_owned).collect();
        match paths.iter().try_for_each(|path| check_path(path)) {
            Ok(()) => return Ok(paths),
            Err(why) => note(why),
        }
    }
}

/// What may stand in a list of paths.
pub fn check_path(path: &str) -> Result<(), CliError> {
    if path.trim().is_empty() || path.chars().any(char::is_control) {
        return Err(CliError::usage(format!("`{}` is no path", one_line(path))));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_taken_as_they_are_meant() {
        let ask = |text: &str| InitAnswers::ask(&mut text.as_bytes(), &|_, _| {});
        let optional = CATALOGUE.iter().filter(|pack| pack.default_mode == Mode::Off).map(|pack| pack.name);
        let optional: Vec<&str> = optional.collect();
        let nothing = "\n".repeat(optional.len() + 5);
        assert_eq!(ask(&nothing), Ok(InitAnswers::default()));
        let everything =
            format!("harsh\nStr\n secrets/  *.key \ndata/\ny\nmaybe\n{}YES\ny\n", "y\n".repeat(optional.len()));
        let expected = InitAnswers {
            level: Level::Strict,
            protected: vec!["secrets/".to_owned(), "*.key".to_owned()],
            secrets: vec!["data/".to_owned()],
            daily_work: true,
            packs: optional,
            mode: Mode::Warn,
            event_log: true,
            minimal: false,
        };
        assert_eq!(ask(&everything), Ok(expected));
        assert!(ask("strict\n").unwrap_err().message.contains("nothing was written"));
    }
}
