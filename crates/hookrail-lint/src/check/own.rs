//! The command hooks of `hookrail.toml`.

use super::{check_scripts, read_script};
use crate::agents::HOOKRAIL;
use crate::command::invocations;
use crate::finding::{Finding, Source};
use crate::hooks::{Folders, StartedCommand, part_of};
use crate::lint::{Lint, Report};
use crate::lints::hook;
use crate::script::Script;
use crate::surroundings::Surroundings;
use crate::tree::{self, Node};
use hookrail_core::EventName;
use std::path::Path;
use std::sync::Arc;

type Complain = fn(&StartedCommand<'_>, &mut Report<'_>);

const LINTS: [(&Lint, Complain); 3] = [
    (&hook::SCRIPT_MISSING, hook::report_script_missing),
    (&hook::SCRIPT_NOT_EXECUTABLE, hook::report_script_not_executable),
    (&hook::COMMAND_NOT_FOUND, hook::report_command_not_found),
];

pub(super) fn check(source: &Arc<Source>, around: &dyn Surroundings) -> Vec<Finding> {
    let Ok(root) = tree::read_toml(&source.text) else { return Vec::new() };
    let folders = Folders { project: project_of(&source.path), plugin: None };
    let variables = folders.variables(HOOKRAIL.project_variables, around);
    let mut findings = Vec::new();
    let mut scripts = Vec::new();
    for entry in root.get(&["command"]).map(Node::items).unwrap_or_default() {
        let Some(node) = entry.get(&["command"]) else { continue };
        let event = entry.get(&["event"]).and_then(Node::text).unwrap_or_default();
        for invocation in invocations(node.text().unwrap_or_default(), &variables) {
            if let (Some(event_name), Some((script, language))) =
                (EventName::known(event), read_script(&invocation, around))
            {
                scripts.push(Script::new(HOOKRAIL, event_name, event, script, language));
            }
            let span = part_of(&source.text, node, invocation.word());
            let command = StartedCommand { invocation, span, around };
            for (lint, complain) in LINTS {
                complain(&command, &mut Report { lint, source, findings: &mut findings });
            }
        }
    }
    findings.extend(check_scripts(scripts));
    findings
}

/// The folder above `.hookrail`; commands of the user's own file run in every project.
fn project_of(path: &Path) -> Option<std::path::PathBuf> {
    let folder = path.parent().filter(|folder| folder.file_name().is_some_and(|name| name == ".hookrail"))?;
    folder.parent().map(Path::to_path_buf)
}
