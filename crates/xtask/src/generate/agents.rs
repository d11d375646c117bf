//! How to put hookrail into an agent by hand, made from what is known of the agents' configuration.

use super::Generated;
use hookrail_core::EventName;
use hookrail_dialects::{Base, Dialect, Gate, HookFile, Layout, Os, Scope, TimeoutUnit, UnknownEvent};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::time::Duration;

/// The agents that `hookrail install` leaves to their users, with the names they are known by.
const BY_HAND: [(&str, &str); 5] = [
    ("qwen", "Qwen Code"),
    ("copilot", "GitHub Copilot CLI"),
    ("vscode", "VS Code"),
    ("cursor", "Cursor"),
    ("droid", "Factory Droid"),
];

/// Events worth asking about from the first day.
const EVENTS: [EventName; 5] = [
    EventName::SessionStart,
    EventName::BeforeAgent,
    EventName::BeforeTool,
    EventName::AfterTool,
    EventName::AfterAgent,
];

const TIMEOUT: Duration = Duration::from_secs(10);

const INTRODUCTION: &str = "`hookrail install` knows Claude Code, Gemini CLI, LLxprt Code and Codex. For the agents on this page you write the entry
yourself: copy it, start the agent, and ask for something that must be refused, such as a change of a file in `.hookrail/`.
If the agent keeps hooks there already, add the entries to those that are there.

What each of them does with a verdict is in [Compatibility](../reference/compatibility.md).
";

pub(super) fn page() -> Generated {
    let mut text = format!("{}\n\n# Other agents, by hand\n\n{INTRODUCTION}", super::WRITTEN_BY_GENERATE);
    for (name, title) in BY_HAND {
        if let Some(dialect) = hookrail_dialects::dialect(name) {
            describe(dialect, title, &mut text);
        }
    }
    Generated { path: "docs/src/agents/others.md".to_owned(), content: text }
}

fn describe(dialect: &dyn Dialect, title: &str, text: &mut String) {
    let format = dialect.format();
    let place = |scope| format.files.iter().find(|file| file.scope == scope && file.os == Os::Any).map(path);
    let (project, user) = (place(Scope::Project).unwrap_or_default(), place(Scope::User).unwrap_or_default());
    let unit = match format.timeout_unit {
        TimeoutUnit::Seconds | TimeoutUnit::SecondsOrMillis => "seconds",
        TimeoutUnit::Milliseconds => "milliseconds",
    };
    let _ = write!(
        text,
        "\n## {title}\n\nIn `{project}` of the project, or `{user}` for all of yours; timeouts are in {unit}:\n\n"
    );
    let _ = writeln!(text, "```json agent={}\n{}\n```\n", dialect.name(), one_event_a_line(&settings(dialect)));
    let _ = writeln!(text, "{}", gate(format.gate));
    if format.unknown_event == UnknownEvent::RejectsFile {
        text.push_str("A misspelled event makes it ignore the whole file.\n");
    }
    if shares_its_file(dialect) {
        text.push_str("Copilot CLI and VS Code read the same folder, so this command does not name the agent: hookrail recognises it.\n");
    }
}

fn path(file: &HookFile) -> String {
    let base = if file.base == Base::Home { "~/" } else { "" };
    format!("{base}{}/{}", file.folder, file.file)
}

fn gate(gate: Gate) -> String {
    match gate {
        Gate::TrustedFolder => "Hooks of a project run only in a folder you trust; the agent asks.".to_owned(),
        Gate::Approval(command) => format!("Approve the hooks in the agent with `{command}`, again after each change."),
        Gate::Setting(path) => format!("Set `{}` to `true` as well.", path.join(".")),
    }
}

/// The file an agent needs, and nothing else in it.
fn settings(dialect: &dyn Dialect) -> Value {
    let format = dialect.format();
    let agent = if shares_its_file(dialect) { String::new() } else { format!(" --agent {}", dialect.name()) };
    let mut entry = Map::from_iter([("type".to_owned(), json!("command"))]);
    entry.insert(format.command_key.to_owned(), json!(format!("hookrail hook{agent}")));
    entry.insert(format.timeout_key.to_owned(), json!(format.timeout_unit.write(TIMEOUT)));
    let entries = match format.layout {
        Layout::Groups => json!([{ "hooks": [entry] }]),
        Layout::Flat => json!([entry]),
    };
    let events = EVENTS.iter().filter_map(|event| dialect.native_event(event));
    let hooks: Map<String, Value> = events.map(|event| (event.to_owned(), entries.clone())).collect();
    let mut settings: Map<String, Value> =
        format.root_fields.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    settings.insert(format.hooks_at.join("."), Value::Object(hooks));
    Value::Object(settings)
}

/// JSON that can be taken in at a glance.
fn one_event_a_line(settings: &Value) -> String {
    let lines = |table: &Value, indent: &str, show: &dyn Fn(&Value) -> String| -> String {
        let fields = table.as_object().into_iter().flatten();
        let lines: Vec<String> = fields.map(|(key, value)| format!("{indent}\"{key}\": {}", show(value))).collect();
        lines.join(",\n")
    };
    let show = |value: &Value| match value {
        Value::Object(_) => format!("{{\n{}\n  }}", lines(value, "    ", &ToString::to_string)),
        other => other.to_string(),
    };
    format!("{{\n{}\n}}", lines(settings, "  ", &show))
}

/// Whether another agent reads the same file.
fn shares_its_file(dialect: &dyn Dialect) -> bool {
    let files = |dialect: &dyn Dialect| -> Vec<String> {
        dialect.format().files.iter().filter(|file| file.scope == Scope::Project).map(path).collect()
    };
    let own = files(dialect);
    let others = hookrail_dialects::all().iter().filter(|other| other.name() != dialect.name());
    others.flat_map(|other| files(*other)).any(|file| own.contains(&file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_is_either_installed_or_described() {
        let installed = ["claude", "gemini", "llxprt", "codex"];
        let mut known: Vec<&str> = installed.into_iter().chain(BY_HAND.map(|(name, _)| name)).collect();
        known.sort_unstable();
        let mut all: Vec<&str> = hookrail_dialects::all().iter().map(|dialect| dialect.name()).collect();
        all.sort_unstable();
        assert_eq!(known, all);
    }

    #[test]
    fn what_is_shown_is_what_is_meant() {
        for (agent, _) in BY_HAND {
            let settings = settings(hookrail_dialects::dialect(agent).unwrap());
            let shown = one_event_a_line(&settings);
            assert_eq!(serde_json::from_str::<Value>(&shown).unwrap(), settings);
            assert!(shown.lines().count() < 12, "{shown}");
        }
    }

    #[test]
    fn an_entry_has_the_shape_and_unit_of_its_agent() {
        let first =
            |agent: &str, event: &str| settings(hookrail_dialects::dialect(agent).unwrap())["hooks"][event][0].clone();
        let grouped =
            json!({ "hooks": [{ "type": "command", "command": "hookrail hook --agent qwen", "timeout": 10_000 }] });
        assert_eq!(first("qwen", "PreToolUse"), grouped);
        let flat = json!({ "type": "command", "command": "hookrail hook --agent cursor", "timeout": 10 });
        assert_eq!(first("cursor", "preToolUse"), flat);
        let shared = json!({ "type": "command", "command": "hookrail hook", "timeout": 10 });
        assert_eq!(first("vscode", "PreToolUse"), shared);
    }
}
