use std::path::PathBuf;

pub const GOOGLE: &str = "https://generativelanguage.googleapis.com";

/// A small coding agent that works in the current directory and does what its user's hooks say.
///
/// Runs shell commands and writes files.
#[derive(Debug, clap::Parser)]
#[command(name = "mini-agent", version)]
pub struct Options {
    /// What to do, or the `/name` of a skill of the project; read from standard input if it is missing or `-`
    pub prompt: Option<String>,

    /// Where the model is: an endpoint that speaks the Gemini API
    #[arg(long, value_name = "URL", default_value = GOOGLE)]
    pub base_url: String,

    /// The key for the endpoint; better given as $GEMINI_API_KEY, which other users of the machine cannot see
    #[arg(long, value_name = "KEY")]
    pub api_key: Option<String>,

    /// The model to ask
    #[arg(long, value_name = "NAME", default_value = "gemini-2.5-flash")]
    pub model: String,

    /// Settings with hooks, as LLxprt Code has them, or in a folder `.claude` as Claude Code has them
    /// [default: .llxprt/settings.json, if there is one]
    #[arg(long, value_name = "FILE")]
    pub settings: Option<PathBuf>,

    /// How often the model may be asked
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub max_turns: usize,

    /// Show answers as they arrive even if AfterModel hooks may still hide or replace them
    #[arg(long)]
    pub live: bool,

    /// Take a prompt from each line of standard input instead, in one conversation
    #[arg(long, short, conflicts_with = "prompt")]
    pub interactive: bool,

    /// Also do what hooks around a prompt say: give the model their context, refuse the prompt, go on when they do not want
    /// the agent to stop
    #[arg(long)]
    pub obey: bool,

    /// Tell what hooks do
    #[arg(long, short)]
    pub verbose: bool,
}
