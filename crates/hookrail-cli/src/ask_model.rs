//! `hookrail ask-model`, which no help names: asks a model or a web service on behalf of `hookrail-hook`, which has no network.

use hookrail_core::Failure;
use hookrail_engine::NetworkQuestion;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

pub const COMMAND: &str = "ask-model";

/// Reply on stdout to the question on stdin.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply {
    Answer(String),
    TimedOut,
    NotStarted(String),
    Failed(String),
}

pub fn run() -> u8 {
    let question = serde_json::from_reader::<_, NetworkQuestion>(io::stdin().lock());
    let reply = match question {
        Ok(question) => match crate::internet().ask(&question) {
            Ok(answer) => Reply::Answer(answer),
            Err(Failure::TimedOut(_)) => Reply::TimedOut,
            Err(Failure::NotStarted(why)) => Reply::NotStarted(why),
            Err(other) => Reply::Failed(other.to_string()),
        },
        Err(error) => Reply::Failed(format!("`{COMMAND}` is for `hookrail-hook`: {error}")),
    };
    let written = serde_json::to_writer(io::stdout().lock(), &reply).is_ok() && io::stdout().flush().is_ok();
    u8::from(!written)
}
