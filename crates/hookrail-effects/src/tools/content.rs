//! Written content that is dangerous by itself.

use crate::act::Act;
use crate::analysis::Analysis;
use crate::effect::Sure;
use crate::flow::Arg;
use crate::location::Location;
use crate::object::Object;
use crate::paths::{joined, name_of};
use crate::persist::is_workflow;
use crate::secrets::{holds_secret, is_secret_path};
use hookrail_core::tidy_path::ends_as;
use std::path::Path;

/// Looks at what is written to a file: a credential that would be committed, a workflow that runs code from the network or
/// sends secrets, settings that switch questions off.
pub(crate) fn inspect(analysis: &mut Analysis<'_>, cwd: Option<&Path>, file: &Arg, content: &str) {
    let Some(cwd) = cwd.filter(|_| file.known()) else { return };
    let path = joined(cwd, &file.text);
    let add = |analysis: &mut Analysis<'_>, act: Act, target: &str, place: Location| {
        let object = Object { target: Some(target.into()), ..Object::default() };
        analysis.add(act, object, place, Sure::Certain, file.span);
    };
    let place = analysis.place_of(&path);
    let committed = matches!(place, Location::Project | Location::Outside)
        && !is_secret_path(&path, analysis.around.home.as_deref());
    if committed && holds_secret(content) {
        add(analysis, Act::SecretPrint, name_of(&path), place);
    }
    crate::weakening::content(analysis, &path, place, content, file.span);
    if is_workflow(&path) {
        if runs_remote_code(content) {
            add(analysis, Act::ExecRemote, "workflow", Location::Remote);
            add(analysis, Act::HostPersist, "workflow", place);
        }
        if sends_secrets(content) {
            add(analysis, Act::SecretSend, "workflow", Location::Remote);
            add(analysis, Act::HostPersist, "workflow", place);
        }
    }
    if matches!(place, Location::Agent | Location::Rc) && runs_remote_code(content) {
        add(analysis, Act::ExecRemote, name_of(&path), Location::Remote);
    }
    if !turns_questions_off(&path, content) {
        return;
    }
    // A file that is guarded itself was noted when it was touched.
    let noted = analysis.effects.list.iter().any(|effect| effect.act == Act::GuardChange && effect.span == file.span);
    if !noted {
        add(analysis, Act::GuardChange, name_of(&path), Location::Agent);
    }
}

/// `curl … | sh` in a text that something runs later.
fn runs_remote_code(content: &str) -> bool {
    content.lines().any(|line| {
        let fetch = ["curl", "wget", "iwr", "irm"].iter().filter_map(|program| line.find(program)).min();
        let Some(fetch) = fetch else { return false };
        let rest = line.get(fetch..).unwrap_or_default();
        let piped = rest.split('|').skip(1).any(|command| {
            let program = command
                .trim_start()
                .trim_start_matches("sudo ")
                .split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
                .next()
                .unwrap_or_default();
            crate::shell::is_shell(program)
                || matches!(program, "python" | "python3" | "node" | "perl" | "ruby" | "iex")
        });
        piped || line.contains("sh -c \"$(curl") || line.contains("eval \"$(curl") || line.contains("<(curl")
    })
}

/// Secrets of a workflow in a line that talks to the network.
fn sends_secrets(content: &str) -> bool {
    content.lines().any(|line| {
        let network =
            ["curl ", "wget ", "nc ", "Invoke-WebRequest", "fetch("].iter().any(|program| line.contains(program));
        network
            && (line.contains("toJSON(secrets)")
                || line.contains("secrets.") && (line.contains(" -d") || line.contains("--data") || line.contains("?")))
    })
}

/// Editors whose own settings let an agent run without questions.
fn turns_questions_off(path: &Path, content: &str) -> bool {
    let settings = ends_as(path, ".vscode/settings.json") || ends_as(path, "Code/User/settings.json");
    settings && ["autoApprove", "chat.tools", "chat.agent", "yolo"].iter().any(|word| content.contains(word))
        || ends_as(path, ".vscode/tasks.json") && content.contains("folderOpen")
}
