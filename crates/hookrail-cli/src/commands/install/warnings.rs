//! What works, but probably not as wanted.

use super::command_line::{FoundProgram, HookCommand, Program};
use super::merge::{Document, Merger};
use super::record::scope_word;
use super::settings_file::SettingsFile;
use super::target::Target;
use crate::current_project::CurrentProject;
use crate::screen::one_line;

/// An agent that does not find this hookrail.
pub fn program_warnings(program: &Program) -> Vec<String> {
    const ELSEWHERE: &str = "hint: put this one there, or use `--scope user`, which names its place";
    match program {
        Program::Named { found: FoundProgram::Nothing } => {
            vec![format!("`hookrail` is not on your PATH, so the agent will not find it\n{ELSEWHERE}")]
        }
        Program::Named { found: FoundProgram::Another(path) } => {
            vec![format!("`hookrail` on your PATH is another program, `{}`\n{ELSEWHERE}", path.display())]
        }
        Program::Named { found: FoundProgram::This(_) } | Program::Path(_) => Vec::new(),
    }
}

/// Hooks that are registered twice run twice.
pub fn twice(target: &Target, document: &Document, merger: &Merger<'_>, place: &CurrentProject) -> Vec<String> {
    let mut warnings: Vec<String> = Vec::new();
    let name = target.agent.name();
    for command in merger.strangers(document, HookCommand::calls_hookrail) {
        warnings.push(format!(
            "`{}` also runs `{}`, which hookrail did not install; every event is then answered twice",
            target.file.display(),
            one_line(&command)
        ));
    }
    for other in Target::all(target.agent, place).unwrap_or_default() {
        if other.file == target.file {
            continue;
        }
        let calls = |command: &str| HookCommand::calls_hookrail(command);
        let merger = Merger { agent: target.agent, file: &other.file, is_ours: &calls };
        let text = SettingsFile::read(&other.file).ok().and_then(|file| merger.parse(file.text()).ok());
        let there = text.is_some_and(|text| !merger.find(&text).is_empty());
        if there {
            warnings.push(format!(
                "hookrail is also installed in `{}`; every event is then answered twice\n\
                 hint: hookrail uninstall {name} --scope {}",
                other.file.display(),
                scope_word(other.scope)
            ));
        }
    }
    warnings
}
