//! Which command agents are told to run, and how it is recognised again.

use crate::error::CliError;
use hookrail_core::World;
use hookrail_dialects::Scope;
use std::path::{Path, PathBuf};

/// What stands around the program in front of a command that does nothing without it.
const IF_FOUND: (&str, &str) = ("command -v ", " >/dev/null || exit 0; ");
/// What hookrail is called where it is found by name.
const NAME: &str = "hookrail";

/// `hookrail hook` as it stands in an agent's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookCommand {
    /// As a shell reads it.
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

    fn written(&self) -> Result<String, CliError> {
        match self {
            Self::Named { .. } => Ok(NAME.to_owned()),
            Self::Path(path) => {
                let text = path.to_str().ok_or_else(|| {
                    CliError::usage(format!("the path of this program, `{}`, is not Unicode", path.display()))
                })?;
                // `doctor` and `uninstall` know an entry by this name.
                if !is_hookrail(text) {
                    let problem = format!("this program must be named `{NAME}` to be installed, and is `{text}`");
                    return Err(CliError::usage(problem).hint(format!("rename it to `{NAME}`, and run that")));
                }
                Ok(quote(text))
            }
        }
    }

    /// The file behind it on this machine.
    pub fn binary(&self) -> Option<&Path> {
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
        format!("{} hook{}{packs}", self.program, agent_flag(&self.agent))
    }

    /// A command that does nothing if the program is missing.
    pub fn if_found(line: &str) -> String {
        let program = line.rsplit_once(" hook").map_or(line, |(program, _)| program);
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
        let called = format!(" hook{}", agent_flag(agent));
        let (line, _) = Self::without_check(line);
        let Some((program, rest)) = line.rsplit_once(&called) else { return false };
        let Some(rest) = Some(rest).filter(|rest| rest.is_empty()).or_else(|| rest.strip_prefix(' ')) else {
            return false;
        };
        let words: Vec<&str> = rest.split(' ').filter(|word| !word.is_empty()).collect();
        let packs = || {
            words
                .chunks(2)
                .all(|pair| matches!(pair, ["--pack" | "--without", pack] if hookrail_packs::find(pack).is_some()))
        };
        is_hookrail(program) && packs()
    }

    /// Whether a command calls `hookrail hook`, whoever wrote it.
    pub fn calls_hookrail(line: &str) -> bool {
        let (line, _) = Self::without_check(line);
        line.split_once(" hook")
            .is_some_and(|(program, rest)| is_hookrail(program) && (rest.is_empty() || rest.starts_with(' ')))
    }
}

/// A file that several agents read cannot say which of them calls: hookrail recognises it by its events.
fn agent_flag(agent: &str) -> String {
    let shared = hookrail_dialects::agent(agent).is_some_and(|agent| agent.sharers().next().is_some());
    if shared { String::new() } else { format!(" --agent {agent}") }
}

fn is_hookrail(program: &str) -> bool {
    let name = program.trim_matches(['\'', '"']).rsplit(['/', '\\']).next().unwrap_or_default();
    name == NAME || name == "hookrail.exe"
}

fn find_on_path(path: &str) -> Option<PathBuf> {
    let file = format!("{NAME}{}", std::env::consts::EXE_SUFFIX);
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
        ];
        for (line, written, calls) in cases {
            assert_eq!(HookCommand::is_written(line, "claude"), written, "{line}");
            assert_eq!(HookCommand::calls_hookrail(line), calls, "{line}");
        }
    }

    #[test]
    fn a_command_that_looks_for_its_program_first_is_told_from_the_bare_one() {
        for line in ["hookrail hook --agent claude", "'/a hook/hookrail' hook --agent claude --pack fsm"] {
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
