//! A first scenario, from what the journal knows of the project.

use super::table::to_toml;
use crate::commands::journal;
use crate::current_project::CurrentProject;
use crate::error::CliError;
use crate::screen::one_line;
use hookrail_core::{Event, ToolKind, World};
use hookrail_store::{Cursor, JournalRecord, Store};
use serde_json::{Map, Value};

/// The file it goes to.
pub const NAME: &str = "first.md";

/// A call of the journal.
struct PastCall {
    agent: String,
    event: Map<String, Value>,
    shown: String,
    refused: bool,
}

/// The text of the file, without expectations, and where it comes from.
pub fn scenarios(place: &CurrentProject) -> Result<(String, &'static str), CliError> {
    let calls = newest(place)?;
    let source =
        if calls.is_empty() { "an example, because the journal knows no call here" } else { "from the journal" };
    let calls = if calls.is_empty() { vec![example("rm -rf ~"), example("ls")] } else { calls };
    let has_configuration = place.settings.commands().len() + usize::from(has_file(place)) > 0;
    let given = if has_configuration { "\n```toml given\nproject = true\n```\n" } else { "" };
    let mut text = format!(
        "# What our guards do\n\nEach scenario is a call of an agent and what must come of it. `hookrail test` plays them \
         against the configuration\nof this project; `hookrail test --update` writes down what happens now.\n{given}"
    );
    for call in calls {
        let fields: String = call.event.iter().map(|(key, value)| format!("{key} = {}\n", to_toml(value))).collect();
        let heading = one_line(&call.shown).replace('`', "'");
        let agent = match call.agent.as_str() {
            "" | "claude" => String::new(),
            agent => format!("\n```toml given\nagent = {}\n```\n", to_toml(&Value::from(agent))),
        };
        text.push_str(&format!("\n## `{}`\n{agent}\n```toml event\n{fields}```\n", heading.trim()));
    }
    Ok((text, source))
}

fn has_file(place: &CurrentProject) -> bool {
    let present = |name: &str| place.world.kind(&place.project.join(name)).ok().flatten().is_some();
    [".hookrail/hookrail.toml", ".hookrail/local.toml"].into_iter().any(present)
}

fn example(command: &str) -> PastCall {
    let event = [("shell".to_owned(), Value::from(command))].into_iter().collect();
    PastCall { agent: String::new(), event, shown: command.to_owned(), refused: false }
}

/// The newest call that was refused and the newest that passed, as far as there are such.
fn newest(place: &CurrentProject) -> Result<Vec<PastCall>, CliError> {
    let store = place.store()?;
    let project = place.project.display().to_string();
    let (mut refused, mut passed): (Option<PastCall>, Option<PastCall>) = (None, None);
    let mut open: Option<PastCall> = None;
    for item in store.records(Cursor::default()).map_err(CliError::machine)? {
        let record = match item {
            Ok(entry) => entry.record,
            Err(error) => {
                journal::complain(&error);
                continue;
            }
        };
        if record.part == 0 {
            settle(open.take(), &mut refused, &mut passed);
            let is_ours = record.event == "BeforeTool" && record.project.as_deref() == Some(project.as_str());
            open = if is_ours { call(&record, place) } else { None };
        }
        if let Some(call) = &mut open {
            call.refused |= matches!(record.decision.as_deref(), Some("block" | "stop" | "ask"));
        }
    }
    settle(open, &mut refused, &mut passed);
    Ok(refused.into_iter().chain(passed).collect())
}

fn settle(call: Option<PastCall>, refused: &mut Option<PastCall>, passed: &mut Option<PastCall>) {
    if let Some(call) = call {
        let slot = if call.refused { refused } else { passed };
        *slot = Some(call);
    }
}

/// A call in the short form of scenarios; `None` if it has none, or secrets were taken out of it.
fn call(record: &JournalRecord, place: &CurrentProject) -> Option<PastCall> {
    let Some(Value::Object(payload)) = record.input.clone().filter(|_| record.redacted + record.cut == 0) else {
        return None;
    };
    let event: Event = hookrail_dialects::dialect(&record.agent)?.decode(payload);
    let fields: Vec<(&str, String)> = match event.tool?.kind {
        ToolKind::Shell { command, .. } => vec![("shell", command)],
        ToolKind::Read { path } => vec![("read", path)],
        ToolKind::WebFetch { url } => vec![("fetch", url)],
        ToolKind::Write { path, content } => vec![("write", path), ("content", content)],
        _ => return None,
    };
    let shown = fields.first().map(|(key, text)| format!("{key} {text}")).unwrap_or_default();
    let project = place.project.display().to_string();
    let home = place.world.env("HOME").filter(|home| home.len() > 1);
    let neutral = |text: String| {
        let text = text.replace(&project, "{{project}}");
        home.as_ref().map_or_else(|| text.clone(), |home| text.replace(home, "{{home}}"))
    };
    let shown = neutral(shown.lines().next().unwrap_or_default().to_owned());
    let fields = fields.into_iter().map(|(key, text)| (key.to_owned(), Value::from(neutral(text))));
    Some(PastCall { agent: record.agent.clone(), event: fields.collect(), shown, refused: false })
}
