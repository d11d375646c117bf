//! Which command agents are told to run, and how it is recognised again.

use crate::error::CliError;
use crate::sibling::{self, HOOK, HOOKRAIL};
use hookrail_core::World;
use hookrail_dialects::Scope;
use std::path::{Path, PathBuf};

/// What stands around the program in front of a command that does nothing without it.
const IF_FOUND: (&str, &str) = ("command -v ", " >/dev/null || exit 0; ");

/// `hookrail-hook`, or `hookrail hook` where the program of its own is missing, as it is written into an agent's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookCommand {
    /// As a shell reads it, with the word `hook` behind it where that is needed.
    program: String,
    agent: String,
    packs: Vec<String>,
}

/// How an agent finds the binary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// By name: the file is shared, and on other machines hookrail is elsewhere.
    Named { found: FoundProgram },
    /// By its path: an agent that was not started from a shell does not have the shell's `PATH`.
    Path(PathBuf),
}

/// What `hookrail` means in a shell here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoundProgram {
    Nothing,
    /// This program.
    This(PathBuf),
    Another(PathBuf),
}

impl Program {
    pub fn for_scope(scope: Scope, world: &dyn World) -> Result<Self, CliError> {
        let here = std::env::current_exe()
            .map_err(|error| CliError::machine(format!("the path of this program cannot be told: {error}")))?;
        let found = match find_on_path(&world.env("PATH").unwrap_or_default()) {
            None => FoundProgram::Nothing,
            Some(path) if is_same_file(&path, &here) => FoundProgram::This(path),
            Some(path) => FoundProgram::Another(path),
        };
        Ok(match (scope, found) {
            (Scope::Project, found) => Self::Named { found },
            // The name on the path survives an update, which the place behind it may not.
            (Scope::Managed | Scope::User | Scope::Local, FoundProgram::This(path)) => Self::Path(path),
            (Scope::Managed | Scope::User | Scope::Local, FoundProgram::Nothing | FoundProgram::Another(_)) => {
                Self::Path(here)
            }
        })
    }

    /// The command without its arguments.
    fn written(&self) -> Result<String, CliError> {
        let small = self.binary().and_then(|path| sibling::beside(path, HOOK));
        match (self, small) {
            (Self::Named { .. }, Some(_)) => Ok(HOOK.to_owned()),
            (Self::Named { .. }, None) => Ok(format!("{HOOKRAIL} hook")),
            (Self::Path(path), small) => {
                // `hookrail-hook` can be found beside a program that was renamed, and finds its sibling by the name.
                let path = small.as_ref().unwrap_or(path);
                let text = path.to_str().ok_or_else(|| {
                    CliError::usage(format!("the path of this program, `{}`, is not Unicode", path.display()))
                })?;
                if is_named(text, HOOK) {
                    return Ok(quote(text));
                }
                // `doctor` and `uninstall` know an entry by this name.
                if !is_named(text, HOOKRAIL) {
                    let problem = format!("this program must be named `{HOOKRAIL}` to be installed, and is `{text}`");
                    return Err(CliError::usage(problem).hint(format!("rename it to `{HOOKRAIL}`, and run that")));
                }
                Ok(format!("{} hook", quote(text)))
            }
        }
    }

    /// The file that agents start on this machine: `hookrail-hook` where it lies beside `hookrail`.
    pub fn started(&self) -> Option<PathBuf> {
        self.binary().map(|path| sibling::beside(path, HOOK).unwrap_or_else(|| path.to_owned()))
    }

    /// `hookrail` on this machine.
    fn binary(&self) -> Option<&Path> {
        match self {
            Self::Named { found: FoundProgram::Nothing } => None,
            Self::Named { found: FoundProgram::This(path) | FoundProgram::Another(path) } | Self::Path(path) => {
                Some(path)
            }
        }
    }
}

impl HookCommand {
    pub fn new(program: &Program, agent: &str, packs: &[&str]) -> Result<Self, CliError> {
        let packs = packs.iter().map(|pack| (*pack).to_owned()).collect();
        Ok(Self { program: program.written()?, agent: agent.to_owned(), packs })
    }

    pub fn line(&self) -> String {
        let packs: String = self.packs.iter().map(|pack| format!(" --pack {pack}")).collect();
        format!("{}{}{packs}", self.program, agent_flag(&self.agent))
    }

    /// A command that does nothing if the program is missing.
    pub fn if_found(line: &str) -> String {
        let program = Invocation::of(line).map_or(line, |invocation| invocation.program);
        format!("{}{program}{}{line}", IF_FOUND.0, IF_FOUND.1)
    }

    /// The command itself, and whether it does nothing if the program is missing.
    pub fn without_check(line: &str) -> (&str, bool) {
        let rest = line.strip_prefix(IF_FOUND.0).and_then(|rest| rest.split_once(IF_FOUND.1));
        match rest {
            Some((program, rest)) if rest.starts_with(&format!("{program} ")) => (rest, true),
            _ => (line, false),
        }
    }

    /// Whether a command is one that install writes for this agent, with whatever path and packs.
    pub fn is_written(line: &str, agent: &str) -> bool {
        let Some(Invocation { arguments, .. }) = Invocation::of(Self::without_check(line).0) else { return false };
        let Some(rest) = arguments.strip_prefix(&agent_flag(agent)) else { return false };
        if !rest.is_empty() && !rest.starts_with(' ') {
            return false;
        }
        let words: Vec<&str> = rest.split(' ').filter(|word| !word.is_empty()).collect();
        let packs = || {
            words
                .chunks(2)
                .all(|pair| matches!(pair, ["--pack" | "--without", pack] if hookrail_packs::find(pack).is_some()))
        };
        packs()
    }

    /// Whether a command calls `hookrail-hook` or `hookrail hook`, whoever wrote it.
    pub fn calls_hookrail(line: &str) -> bool {
        Invocation::of(Self::without_check(line).0).is_some()
    }

    /// Whether a command looks for its program on the `PATH`.
    pub fn is_by_name(line: &str) -> bool {
        Invocation::of(Self::without_check(line).0).is_some_and(|invocation| !invocation.program.contains(['/', '\\']))
    }
}

/// A command that calls hookrail for an event, taken apart.
struct Invocation<'a> {
    /// As a shell reads it.
    program: &'a str,
    /// From the blank in front of them.
    arguments: &'a str,
}

impl<'a> Invocation<'a> {
    fn of(line: &'a str) -> Option<Self> {
        // A folder may have the name of a program, so every place that could end the program is tried.
        let ends = |part: &'static str| line.match_indices(part).map(move |(at, _)| (at, at + part.len()));
        let old = ends(" hook").map(|(program, arguments)| (HOOKRAIL, program, arguments));
        let quotes = ["", "'", "\"", ".exe", ".exe\""];
        let new = ends(HOOK).flat_map(|(_, end)| quotes.map(|quote| (HOOK, end + quote.len(), end + quote.len())));
        old.chain(new).find_map(|(name, program, arguments)| {
            let (program, arguments) = (line.get(..program)?, line.get(arguments..)?);
            let is_word = program.starts_with(['\'', '"']) || !program.contains(' ');
            let is_it = is_word && is_named(program, name) && (arguments.is_empty() || arguments.starts_with(' '));
            is_it.then_some(Self { program, arguments })
        })
    }
}

/// A file that several agents read cannot say which of them calls: hookrail recognises it by its events.
fn agent_flag(agent: &str) -> String {
    let shared = hookrail_dialects::agent(agent).is_some_and(|agent| agent.sharers().next().is_some());
    if shared { String::new() } else { format!(" --agent {agent}") }
}

fn is_named(program: &str, name: &str) -> bool {
    let quote = program.chars().next().filter(|first| ['\'', '"'].contains(first));
    let Some(path) = quote.map_or(Some(program), |quote| program.strip_prefix(quote)?.strip_suffix(quote)) else {
        return false;
    };
    let file = path.rsplit(['/', '\\']).next().unwrap_or_default();
    file == name || file.strip_suffix(".exe") == Some(name)
}

fn find_on_path(path: &str) -> Option<PathBuf> {
    let file = sibling::file_name(HOOKRAIL);
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(&file)).find(|candidate| candidate.is_file())
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

/// A path as one word for the shell.
fn quote(path: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@%:=,".contains(c);
    if path.chars().all(plain) {
        path.to_owned()
    } else if cfg!(windows) {
        format!("\"{path}\"")
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_with_another_name_is_refused_because_its_entries_would_not_be_found_again() {
        for (path, written) in [("/opt/hookrail", true), ("/opt/my tools/hookrail", true), ("/opt/hookrail-0.1", false)]
        {
            let command = HookCommand::new(&Program::Path(path.into()), "claude", &[]);
            assert_eq!(
                command.is_ok_and(|command| HookCommand::is_written(&command.line(), "claude")),
                written,
                "{path}"
            );
        }
    }

    #[test]
    fn what_install_writes_is_recognised_and_nothing_else() {
        let cases = [
            ("hookrail hook --agent claude", true, true),
            ("/opt/bin/hookrail hook --agent claude --pack fsm --pack isdlc", true, true),
            ("'/home/a b/hookrail' hook --agent claude", true, true),
            ("hookrail hook --agent gemini", false, true),
            ("hookrail hook", false, true),
            ("hookrail hook --agent claude --pack nonsense", false, true),
            ("hookrail hook --agent claude; rm -rf x", false, true),
            ("hookrail hook --agent claude --without fsm", true, true),
            ("myhookrail hook --agent claude", false, false),
            ("hookrail hooks", false, false),
            ("echo hookrail", false, false),
            ("command -v hookrail >/dev/null || exit 0; hookrail hook --pack core", false, true),
            ("command -v hookrail >/dev/null || exit 0; hookrail hook --agent claude --pack isdlc", true, true),
            ("command -v '/a b/hookrail' >/dev/null || exit 0; '/a b/hookrail' hook --agent claude", true, true),
            ("command -v x >/dev/null || exit 0; hookrail hook --agent claude", false, false),
            ("hookrail-hook --agent claude", true, true),
            ("/opt/bin/hookrail-hook --agent claude --pack fsm --pack isdlc", true, true),
            ("'/home/a b/hookrail-hook' --agent claude --without fsm", true, true),
            ("/opt/hookrail-hook/bin/hookrail-hook --agent claude", true, true),
            ("/opt/hookrail hook/hookrail hook --agent claude", false, false),
            ("\"C:\\p\\hookrail-hook.exe\" --agent claude", true, true),
            ("hookrail-hook --agent gemini", false, true),
            ("hookrail-hook", false, true),
            ("hookrail-hook --agent claude; rm -rf x", false, true),
            ("hookrail-hooks --agent claude", false, false),
            ("my-hookrail-hook --agent claude", false, false),
            ("command -v hookrail-hook >/dev/null || exit 0; hookrail-hook --agent claude", true, true),
        ];
        for (line, written, calls) in cases {
            assert_eq!(HookCommand::is_written(line, "claude"), written, "{line}");
            assert_eq!(HookCommand::calls_hookrail(line), calls, "{line}");
        }
    }

    #[test]
    fn a_command_that_looks_for_its_program_first_is_told_from_the_bare_one() {
        for line in [
            "hookrail hook --agent claude",
            "'/a hook/hookrail' hook --agent claude --pack fsm",
            "'/a hookrail-hook/hookrail-hook' --agent claude --pack fsm",
        ] {
            let quiet = HookCommand::if_found(line);
            assert_eq!(HookCommand::without_check(&quiet), (line, true), "{quiet}");
            assert_eq!(HookCommand::without_check(line), (line, false));
        }
    }

    #[test]
    fn a_path_is_one_word_for_the_shell() {
        for (path, expected) in
            [("/usr/bin/hookrail", "/usr/bin/hookrail"), ("/a b/it's", r"'/a b/it'\''s'"), ("/$(x)", "'/$(x)'")]
        {
            assert_eq!(quote(path), expected);
        }
    }
}
