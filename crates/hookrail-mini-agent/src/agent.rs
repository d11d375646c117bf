//! From the command line to the end of the conversation.

use crate::conversation::{Conversation, Opener};
use crate::ending::AgentExit;
use crate::gemini::GeminiClient;
use crate::hooks::{HookSettings, HookSettingsError};
use crate::options::{GOOGLE, Options};
use crate::prompts::Prompts;
use crate::terminal::{Terminal, TerminalLog};
use crate::tools::{self, Subagents};
use crate::turn_hooks::TurnHooks;
use hookrail_core::{NativeHook, ToolClassifier};
use hookrail_engine::{CancelToken, Config, DebugLogger, timestamp};
use hookrail_host::{ChatError, ChatOptions, ChatSession, DisplayTiming, ToolScheduler};
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
    pub fn ending(&self) -> AgentExit {
        match self {
            Self::Chat(ChatError::Cancelled) => AgentExit::Interrupted,
            Self::NoPrompt
            | Self::Prompt(_)
            | Self::Directory(_)
            | Self::NoKey(_)
            | Self::Settings(_)
            | Self::Chat(ChatError::Model(_) | ChatError::NoAnswer(_)) => AgentExit::Failed,
        }
    }
}

pub fn run(mut options: Options, hooks: &[Arc<dyn NativeHook>]) -> Result<AgentExit, AgentError> {
    let root = working_directory()?;
    let settings = HookSettings::find(options.settings.as_deref(), &root)?;
    let api_key = options.api_key.take().or_else(key_from_environment);
    if api_key.is_none() && options.base_url == GOOGLE {
        return Err(AgentError::NoKey(options.base_url));
    }
    let mut prompts = Prompts::read(options.prompt.take(), options.interactive)?;
    let client = GeminiClient::new(&options.base_url, api_key);
    let mut conversation = begin(&root, settings, hooks, client, &options);
    conversation.start("startup");
    let ending = work(&mut conversation, &mut prompts);
    conversation.end();
    ending
}

/// Works on prompts until there are none left or one of them did not come to its end.
fn work(conversation: &mut Conversation, prompts: &mut Prompts) -> Result<AgentExit, AgentError> {
    let mut ending = AgentExit::Completed;
    while let Some(prompt) = prompts.next()? {
        ending = conversation.work_on(&prompt, &mut Terminal::default())?.into();
        if matches!(ending, AgentExit::Stopped | AgentExit::Interrupted) {
            break;
        }
    }
    Ok(ending)
}

fn begin(
    root: &Path,
    settings: Option<HookSettings>,
    hooks: &[Arc<dyn NativeHook>],
    client: GeminiClient,
    options: &Options,
) -> Conversation {
    let cancel = CancelToken::new();
    #[cfg(unix)]
    crate::interrupt::cancel_on_interrupt(&cancel);
    let session_id = format!("mini-agent-{}-{}", timestamp(), std::process::id());
    let config = || {
        let log = Arc::new(TerminalLog { verbose: options.verbose });
        // Its tools are named like those of LLxprt Code.
        let tools = hookrail_dialects::dialect("llxprt").map_or(ToolClassifier::OPAQUE, |it| it.classify().into());
        let config = Config::new(session_id.clone(), root).tools(tools).cancel_token(cancel.clone());
        config.logger(Arc::clone(&log) as Arc<dyn DebugLogger>).status_display(log)
    };
    let (config, turn_hooks) = match settings {
        None => (config().enable_hooks(!hooks.is_empty()), None),
        Some(settings) if options.obey => {
            let (session, turn) = settings.share_out(config(), config());
            (session, Some(TurnHooks::new(turn)))
        }
        Some(settings) => (settings.apply(config()), None),
    };
    let config = hooks.iter().fold(config, Config::native_hook);
    let open = opener(root, Arc::new(config), client, options, cancel.clone());
    Conversation { chat: open(None), open, turn_hooks, root: root.to_owned(), opening: None }
}

fn opener(root: &Path, config: Arc<Config>, client: GeminiClient, options: &Options, cancel: CancelToken) -> Opener {
    let mut chat = ChatOptions::new(&options.model);
    chat.max_turns = options.max_turns;
    let mut tools = tools::all(root);
    tools.push(Arc::new(Subagents::new(client.clone(), Arc::clone(&config), tools.clone(), chat.clone())));
    chat.display = if options.live { DisplayTiming::Live } else { DisplayTiming::AfterHooks };
    let scheduler = ToolScheduler::new(config, tools).cancel_token(cancel);
    let root = root.to_owned();
    Box::new(move |summary| {
        let options = ChatOptions { system_instruction: Some(instruction(&root, summary)), ..chat.clone() };
        ChatSession::new(Box::new(client.clone()), scheduler.clone(), options)
    })
}

fn instruction(root: &Path, summary: Option<&str>) -> String {
    let past = summary.map(|summary| format!("\n\nWhat happened so far:\n{summary}")).unwrap_or_default();
    format!(
        "You are a coding agent. You work in the directory `{}` with the tools you are given. Say briefly what you did \
         when you are done.{past}",
        root.display()
    )
}

#[expect(clippy::disallowed_methods, reason = "the program's own working directory is where the agent works")]
fn working_directory() -> Result<PathBuf, AgentError> {
    std::env::current_dir().and_then(|directory| directory.canonicalize()).map_err(AgentError::Directory)
}

#[expect(clippy::disallowed_methods, reason = "a secret belongs into the environment, not on the command line")]
fn key_from_environment() -> Option<String> {
    std::env::var("GEMINI_API_KEY").ok().filter(|key| !key.is_empty())
}
