//! From the command line to the end of the conversation.

use crate::ending::Ending;
use crate::gemini::GeminiClient;
use crate::hooks::{HookSettings, HookSettingsError};
use crate::options::{GOOGLE, Options};
use crate::terminal::{Terminal, TerminalLog};
use crate::tools;
use hookrail_engine::{CancelToken, Config, timestamp};
use hookrail_host::{ChatError, ChatOptions, ChatSession, DisplayTiming, ToolScheduler};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    #[error("there is nothing to do\nhint: give a prompt as argument or on standard input")]
    NoPrompt,
    #[error("the prompt on standard input cannot be read: {0}")]
    Prompt(std::io::Error),
    #[error("there is no working directory: {0}")]
    Directory(std::io::Error),
    #[error("no API key for `{0}`\nhint: set GEMINI_API_KEY or use --api-key")]
    NoKey(String),
    #[error(transparent)]
    Settings(#[from] HookSettingsError),
    #[error(transparent)]
    Chat(#[from] ChatError),
}

impl AgentError {
    pub fn ending(&self) -> Ending {
        match self {
            Self::Chat(ChatError::Cancelled) => Ending::Interrupted,
            Self::NoPrompt
            | Self::Prompt(_)
            | Self::Directory(_)
            | Self::NoKey(_)
            | Self::Settings(_)
            | Self::Chat(ChatError::Model(_) | ChatError::NoAnswer(_)) => Ending::Failed,
        }
    }
}

pub fn run(options: Options) -> Result<Ending, AgentError> {
    let root = working_directory()?;
    let settings = HookSettings::find(options.settings.as_deref(), &root)?;
    let api_key = options.api_key.or_else(key_from_environment);
    if api_key.is_none() && options.base_url == GOOGLE {
        return Err(AgentError::NoKey(options.base_url));
    }
    let prompt = read_prompt(options.prompt)?;

    let cancel = CancelToken::new();
    #[cfg(unix)]
    crate::interrupt::cancel_on_interrupt(&cancel);
    let config = configure(&root, settings, options.verbose, &cancel);
    let scheduler = ToolScheduler::new(Arc::new(config), tools::all(&root)).cancel_token(cancel);

    let mut chat = ChatOptions::new(options.model);
    chat.system_instruction = Some(instruction(&root));
    chat.max_turns = options.max_turns;
    chat.display = if options.live { DisplayTiming::Live } else { DisplayTiming::AfterHooks };
    let client = GeminiClient::new(&options.base_url, api_key);
    let mut session = ChatSession::new(Box::new(client), scheduler, chat);
    session.start("startup");
    let end = session.send(&prompt, &mut Terminal::default());
    session.end("exit");
    Ok(end?.into())
}

fn configure(root: &Path, settings: Option<HookSettings>, verbose: bool, cancel: &CancelToken) -> Config {
    let session_id = format!("mini-agent-{}-{}", timestamp(), std::process::id());
    let config = Config::new(session_id, root).logger(Arc::new(TerminalLog { verbose })).cancel_token(cancel.clone());
    match settings {
        Some(settings) => settings.apply(config),
        None => config,
    }
}

fn instruction(root: &Path) -> String {
    format!(
        "You are a coding agent. You work in the directory `{}` with the tools you are given. Say briefly what you did \
         when you are done.",
        root.display()
    )
}

fn read_prompt(argument: Option<String>) -> Result<String, AgentError> {
    let prompt = match argument {
        Some(prompt) if prompt != "-" => prompt,
        _ => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).map_err(AgentError::Prompt)?;
            text.trim_end().to_owned()
        }
    };
    if prompt.trim().is_empty() { Err(AgentError::NoPrompt) } else { Ok(prompt) }
}

#[expect(clippy::disallowed_methods, reason = "the program's own working directory is where the agent works")]
fn working_directory() -> Result<PathBuf, AgentError> {
    std::env::current_dir().and_then(|directory| directory.canonicalize()).map_err(AgentError::Directory)
}

#[expect(clippy::disallowed_methods, reason = "a secret belongs into the environment, not on the command line")]
fn key_from_environment() -> Option<String> {
    std::env::var("GEMINI_API_KEY").ok().filter(|key| !key.is_empty())
}
