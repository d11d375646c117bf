use crate::agent::AgentError;
use std::io::{BufRead, IsTerminal, Read, Write};

/// What the agent is asked to do.
#[derive(Debug)]
pub enum Prompts {
    One(Option<String>),
    /// Line by line from standard input.
    Lines,
}

impl Prompts {
    /// `argument` is what stood on the command line. Whatever there is only one of is read at once.
    pub fn read(argument: Option<String>, interactive: bool) -> Result<Self, AgentError> {
        if interactive {
            return Ok(Self::Lines);
        }
        let prompt = match argument {
            Some(prompt) if prompt != "-" => prompt,
            _ => {
                let mut text = String::new();
                std::io::stdin().read_to_string(&mut text).map_err(AgentError::Prompt)?;
                text.trim_end().to_owned()
            }
        };
        if prompt.trim().is_empty() { Err(AgentError::NoPrompt) } else { Ok(Self::One(Some(prompt))) }
    }

    /// The next one; empty lines ask for nothing.
    pub fn next(&mut self) -> Result<Option<String>, AgentError> {
        match self {
            Self::One(prompt) => Ok(prompt.take()),
            Self::Lines => loop {
                invite();
                let mut line = String::new();
                if std::io::stdin().lock().read_line(&mut line).map_err(AgentError::Prompt)? == 0 {
                    return Ok(None);
                }
                if !line.trim().is_empty() {
                    return Ok(Some(line.trim().to_owned()));
                }
            },
        }
    }
}

/// Shows a person that it is their turn.
fn invite() {
    if std::io::stdin().is_terminal() {
        let mut stderr = std::io::stderr();
        // A closed terminal is not an error.
        let _ = stderr.write_all(b"> ").and_then(|()| stderr.flush());
    }
}
