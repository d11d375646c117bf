//! `hookrail try`: what would happen to a tool call, without making it.

mod agents;
mod call;
mod page;
mod report;

use crate::commands::backtest::lookup;
use crate::current_project::{CurrentProject, working_folder};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::hook::args::Args;
use crate::hook::rehearsal::{Commands, Rehearsal};
use crate::hook::{self, PreparedEvent};
use crate::screen;
use agents::Agents;
use call::AskedCall;
use hookrail_core::EventName;
use hookrail_dialects::{Dialect, event_names, find_event};
use report::{AgentReport, TryReport};
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Show what a tool call would do and what hooks would decide about it, without making it.
///
/// Understands the call as hooks do and shows its effects, with the parts of the command underlined that say so, what the call
/// does not tell, which hooks looked, and what each agent that is installed here would be told. Hooks run in a rehearsal, as
/// for `hookrail explain`: the call is not made, command hooks are not started, nothing is recorded.
///
/// Ends with 0 whatever would be decided. Only reads.
#[derive(clap::Args)]
pub struct Try {
    /// A shell command, in quotes; `-` reads it from stdin
    #[arg(value_name = "COMMAND", group = "what", allow_hyphen_values = true)]
    command: Vec<String>,
    /// A call of this tool, by the name that an agent has for it
    #[arg(long, value_name = "NAME", group = "what")]
    tool: Option<String>,
    /// What the tool is given, as a JSON object; `-` reads it from stdin
    #[arg(long, value_name = "JSON", requires = "tool", allow_hyphen_values = true)]
    input: Option<String>,
    /// A file that is read
    #[arg(long, value_name = "PATH", group = "what")]
    read: Option<String>,
    /// A file that is written
    #[arg(long, value_name = "PATH", group = "what")]
    write: Option<String>,
    /// What is written
    #[arg(long, value_name = "TEXT", requires = "write", allow_hyphen_values = true)]
    content: Option<String>,
    /// An address that is fetched
    #[arg(long, value_name = "URL", group = "what")]
    url: Option<String>,
    /// A call of a past session, by the name that `hookrail backtest` has for it
    #[arg(long = "call", value_name = "CALL", group = "what", conflicts_with_all = ["agents", "cwd"])]
    past: Option<String>,
    /// Whose call it is (repeats); otherwise that of every agent installed here
    #[arg(long = "agent", value_name = "NAME")]
    agents: Vec<String>,
    /// The folder the call is made in; otherwise this one
    #[arg(long, value_name = "PATH")]
    cwd: Option<PathBuf>,
    /// The event at which hooks are asked
    #[arg(long, value_name = "NAME", default_value = "BeforeTool")]
    event: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Long options, for who mistypes one.
const OPTIONS: &[&str] = &[
    "--tool",
    "--input",
    "--read",
    "--write",
    "--content",
    "--url",
    "--call",
    "--agent",
    "--cwd",
    "--event",
    "--json",
];

/// Puts the options of `hookrail try` before the command, wherever they were typed. Every other word belongs to the command,
/// also one that looks like an option: `hookrail try rm -rf dist --json`.
pub fn options_first(words: Vec<OsString>, root: &clap::Command) -> Vec<OsString> {
    let is_try = words.get(1).is_some_and(|word| word == "try") && !words.iter().any(|word| word == "--");
    let Some(command) = root.find_subcommand("try").filter(|_| is_try) else { return words };
    let option = |word: &OsString| {
        let name = word.to_str()?.strip_prefix("--")?;
        let (name, has_value) = name.split_once('=').map_or((name, false), |(name, _)| (name, true));
        let found = command.get_arguments().find(|argument| argument.get_long() == Some(name))?;
        Some(found.get_action().takes_values() && !has_value)
    };
    let (mut options, mut rest) = (Vec::new(), Vec::new());
    let mut words = words.into_iter();
    options.extend(words.by_ref().take(2));
    while let Some(word) = words.next() {
        match option(&word) {
            Some(takes_value) => {
                options.push(word);
                options.extend(words.by_ref().take(usize::from(takes_value)));
            }
            None => rest.push(word),
        }
    }
    options.extend(rest);
    options
}

impl Try {
    pub fn run(&self) -> ExitCode {
        match self.rehearse() {
            Ok(report) => {
                print(&report, self.json);
                ExitCode::Success
            }
            Err(error) => screen::fail(error),
        }
    }

    fn rehearse(&self) -> Result<TryReport, CliError> {
        // clap drops what an argument requires where something else excludes that.
        let alone = [
            ("--input", self.input.is_some() && self.tool.is_none(), "--tool"),
            ("--content", self.content.is_some() && self.write.is_none(), "--write"),
        ];
        if let Some((option, _, needed)) = alone.iter().find(|(_, is_alone, _)| *is_alone) {
            return Err(CliError::usage(format!("`{option}` needs `{needed}`")).hint("see `hookrail try --help`"));
        }
        let past = self.past.as_deref().map(lookup::find).transpose()?;
        let (call, cwd, names) = match past {
            Some(found) => (call::past(&found)?, found.call.cwd, vec![found.agent.to_owned()]),
            None => (self.call()?, self.folder()?, self.agents.clone()),
        };
        let event = self.event()?;
        let agents = Agents::find(&names, &CurrentProject::at(&cwd))?;
        let done: Arc<Mutex<Vec<AgentReport>>> = Arc::default();
        let report = TryReport::new(&call, &cwd, &agents);
        for agent in &agents.list {
            let row = self.ask(*agent, &call, &cwd, &event, &report, &done)?;
            done.lock().unwrap_or_else(PoisonError::into_inner).push(row);
        }
        let rows = std::mem::take(&mut *done.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(report.with(rows))
    }

    /// What becomes of the call in one agent. If a hook does not come back, what is known so far is printed.
    fn ask(
        &self,
        agent: &'static dyn Dialect,
        call: &AskedCall,
        cwd: &Path,
        event: &EventName,
        report: &TryReport,
        done: &Arc<Mutex<Vec<AgentReport>>>,
    ) -> Result<AgentReport, CliError> {
        let (spelled, native) = match (call.spell(agent), agent.native_event(event)) {
            (Ok(spelled), Some(native)) => (spelled, native),
            (Err(why), _) => return Ok(AgentReport::without_call(agent, why.message)),
            (_, None) => return Ok(AgentReport::without_call(agent, format!("it has no event `{event}`"))),
        };
        let rehearsal = Rehearsal::new(Commands::Leave)
            .map_err(|error| CliError::machine(format!("cannot make a temporary folder: {error}")))?;
        let args = Args { agent: Some(agent), ..Args::default() };
        let prepared = PreparedEvent::open(&args, &rehearsal, agent, spelled.event(agent, event, native, cwd))?;
        let late = {
            let (prepared, report, done, spelled, json) =
                (Arc::clone(&prepared), report.clone(), Arc::clone(done), spelled.clone(), self.json);
            move |decided: hook::Decided| {
                let mut rows = std::mem::take(&mut *done.lock().unwrap_or_else(PoisonError::into_inner));
                rows.push(AgentReport::new(&prepared, &spelled, &decided));
                print(&report.with(rows), json);
                hook::end(ExitCode::Success as u8);
            }
        };
        let decided = prepared.decide(late);
        Ok(AgentReport::new(&prepared, &spelled, &decided))
    }

    fn call(&self) -> Result<AskedCall, CliError> {
        match (self.command.as_slice(), &self.tool, &self.read, &self.write, &self.url) {
            ([option, ..], ..) if option.len() > 1 && option.starts_with('-') => {
                Err(CliError::unknown("option", option, OPTIONS.iter().copied()))
            }
            ([command], ..) => call::command(command),
            (words @ [_, _, ..], ..) => {
                let line = words.iter().map(|word| call::quoted(word)).collect::<Vec<_>>().join(" ");
                screen::note(format!(
                    "this is read as `{}`; in quotes a command is read as it is written, with its pipes and variables",
                    screen::one_line(&line)
                ));
                call::command(&line)
            }
            (_, Some(tool), ..) => call::tool(tool, self.input.as_deref()),
            (_, _, Some(path), ..) if !path.is_empty() => Ok(AskedCall::read(path)),
            (_, _, _, Some(path), _) if !path.is_empty() => {
                Ok(AskedCall::write(path, self.content.as_deref().unwrap_or_default()))
            }
            (_, _, _, _, Some(url)) => call::url(url),
            _ => Err(CliError::usage("there is no call to try")
                .hint("give a command in quotes, `--tool`, `--read`, `--write` or `--url`")
                .hint("`hookrail try --help` has examples")),
        }
    }

    fn folder(&self) -> Result<PathBuf, CliError> {
        let here = working_folder()?;
        let Some(asked) = &self.cwd else { return Ok(here) };
        let folder = here.join(asked);
        let found = folder.canonicalize().ok().filter(|folder| folder.is_dir());
        found.ok_or_else(|| CliError::usage(format!("`{}` is not a folder", asked.display())))
    }

    fn event(&self) -> Result<EventName, CliError> {
        let about_tools =
            [EventName::BeforeTool, EventName::PermissionRequest, EventName::AfterTool, EventName::ToolFailed];
        match find_event(&self.event) {
            Some(event) if about_tools.contains(&event) => Ok(event),
            Some(_) => {
                let names: Vec<&str> = about_tools.iter().map(EventName::as_str).collect();
                Err(CliError::usage(format!("`{}` is not an event about a tool", self.event))
                    .hint(format!("events about tools are {}", names.join(", "))))
            }
            None => {
                let own = about_tools.iter().map(|event| event.as_str().to_owned());
                let known: Vec<String> = own.chain(event_names().map(str::to_owned)).collect();
                Err(CliError::unknown("event", &self.event, known.iter().map(String::as_str)))
            }
        }
    }
}

/// A closed stdout is not an error.
fn print(report: &TryReport, json: bool) {
    let mut out = anstream::stdout();
    let _ = if json {
        serde_json::to_writer(&mut out, &screen::versioned(report)).map_err(Into::into).and_then(|()| writeln!(out))
    } else {
        page::write(report, &mut out)
    };
    let _ = out.flush();
}

#[cfg(test)]
mod tests {
    use super::options_first;
    use std::ffi::OsString;

    #[test]
    fn options_of_try_are_found_behind_the_command_too() {
        for (typed, expected) in [
            ("hookrail|try|rm -rf ~|--agent|claude|--json", "hookrail|try|--agent|claude|--json|rm -rf ~"),
            ("hookrail|try|rm|-rf|dist|--json", "hookrail|try|--json|rm|-rf|dist"),
            ("hookrail|try|ls|--all", "hookrail|try|ls|--all"),
            ("hookrail|try|--agent=claude|ls", "hookrail|try|--agent=claude|ls"),
            ("hookrail|try|--|ls|--json", "hookrail|try|--|ls|--json"),
            ("hookrail|log|x|--json", "hookrail|log|x|--json"),
        ] {
            let words: Vec<OsString> = typed.split('|').map(OsString::from).collect();
            let arranged = options_first(words, &crate::command()).join(std::ffi::OsStr::new("|"));
            assert_eq!(arranged, expected, "{typed}");
        }
    }
}
