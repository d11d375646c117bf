//! What a verdict does in each agent, made from the answers that the dialects' tests keep as a snapshot.

use super::{Generated, surfaces};
use crate::agents::{Proof, Results};
use hookrail_core::EventName;
use hookrail_dialects::Dialect;
use serde_json::Value;
use std::collections::HashMap;
use std::fmt::Write;
use std::io;
use std::path::Path;

const ANSWERS: &str = "crates/hookrail-dialects/tests/snapshots/encoded.txt";

/// What hooks may want, and the head of its column.
const WISHES: [(&str, &str); 5] =
    [("block", "deny"), ("ask", "ask"), ("context", "context"), ("rewrite", "rewrite"), ("stop", "stop")];

const INTRODUCTION: &str = "What becomes of a hook's wish depends on what the agent honours at that event. hookrail writes the form that the agent acts
on; where there is none, it writes the next stricter thing that works. These tables are made from the answers that
hookrail's tests hold fast.

| word | what happens |
|---|---|
| **refused** | it does not happen, and the model reads the reason |
| **goes on** | the agent does not stop; it reads the reason and works on |
| **model told** | the model reads it; what has happened already is not undone |
| **user told** | the user reads it; the agent lets hooks do no more here |
| **asked** | a person is asked first |
| **rewritten** | the tool runs with the new input |
| **stopped** | the agent ends its turn, and what it was about to do does not happen |
| ✓ | proven on the real program |
| · | nothing: the agent reads no answer here, or the wish makes no sense |
";

const PROVEN: &str = "[`hookrail verify`](../verify.md) tries the agent you have; `cargo xtask agents` does so with every agent that can be installed from
npm or PyPI, and this is what its last runs found.
";

/// What `hookrail verify` proves, by the event and the wish of these tables.
const PROVING: [(EventName, &str, &str); 5] = [
    (EventName::BeforeTool, "block", "shell"),
    (EventName::BeforeTool, "ask", "ask"),
    (EventName::BeforeTool, "rewrite", "rewrite"),
    (EventName::BeforeAgent, "context", "prompt-context"),
    (EventName::AfterAgent, "block", "stop"),
];

pub(super) fn page(results: &Results) -> io::Result<Generated> {
    let snapshot = std::fs::read_to_string(Path::new(crate::ROOT).join(ANSWERS))?;
    let answers = AnswerTable::read(&snapshot);
    let mut text = format!("{}\n\n# Compatibility\n\n{INTRODUCTION}", super::WRITTEN_BY_GENERATE);
    let _ = write!(text, "\n## What is proven\n\n{PROVEN}\n{}\n{}", surfaces::table(results), surfaces::notes(results));
    describe_coverage(&mut text);
    for dialect in hookrail_dialects::all() {
        describe_agent(*dialect, &answers, results.of(dialect.name()), &mut text);
    }
    Ok(Generated { path: "docs/src/reference/compatibility.md".to_owned(), content: text })
}

/// Which agent has which event, under which name.
fn describe_coverage(text: &mut String) {
    let dialects = hookrail_dialects::all();
    text.push_str("\n## Which agent has which event\n\n| event |");
    for dialect in dialects {
        let _ = write!(text, " [{}](#{}) |", dialect.name(), dialect.name());
    }
    let _ = writeln!(text, "\n|---|{}", "---|".repeat(dialects.len()));
    for event in EventName::KNOWN {
        let _ = write!(text, "| `{}` |", event.as_str());
        for dialect in dialects {
            let _ = write!(text, " {} |", if dialect.native_event(event).is_some() { "yes" } else { "·" });
        }
        text.push('\n');
    }
}

fn describe_agent(dialect: &dyn Dialect, answers: &AnswerTable<'_>, proof: Option<&Proof>, text: &mut String) {
    let _ = write!(text, "\n## {}\n\n{}.\n\n| its event | hookrail's |", dialect.name(), evidence(dialect, proof));
    for (_, head) in WISHES {
        let _ = write!(text, " {head} |");
    }
    let _ = writeln!(text, "\n|---|---|{}", "---|".repeat(WISHES.len()));
    for native in dialect.native_events() {
        let event = dialect.event(native);
        let name = event.as_ref().filter(|event| EventName::KNOWN.contains(event));
        let _ =
            write!(text, "| `{native}` | {} |", name.map_or("·".to_owned(), |event| format!("`{}`", event.as_str())));
        for (wish, _) in WISHES {
            let effect =
                answers.get(dialect.name(), native, wish).map_or(Effect::Nothing, |answer| answer.effect(name));
            let installed = name.is_some_and(|event| dialect.native_event(event) == Some(native));
            let proven = installed && name.is_some_and(|event| proof.is_some_and(|proof| proves(proof, event, wish)));
            let _ = write!(text, " {}{} |", effect.as_str(), if proven { " ✓" } else { "" });
        }
        text.push('\n');
    }
}

fn proves(proof: &Proof, event: &EventName, wish: &str) -> bool {
    let tried = PROVING.iter().find(|(tried, what, _)| tried == event && *what == wish);
    tried.is_some_and(|(_, _, surface)| proof.honours(surface))
}

/// How an agent's table is known.
fn evidence(dialect: &dyn Dialect, proof: Option<&Proof>) -> String {
    match proof {
        Some(proof) if PROVING.iter().any(|(_, _, surface)| proof.honours(surface)) => format!(
            "{}, version {}: what is marked ✓ was proven on the real program by `cargo xtask agents`, the rest is written from its \
             own code or documentation",
            dialect.agent().title,
            proof.version
        ),
        _ => format!("{}: written from its own code or documentation", dialect.agent().title),
    }
}

/// What an agent is told, by agent, event and wish.
struct AnswerTable<'a>(HashMap<(&'a str, &'a str, &'a str), AnswerCell>);

impl<'a> AnswerTable<'a> {
    /// Reads lines such as `claude | PreToolUse | none, allow | 0 | {…} | stderr`.
    fn read(snapshot: &'a str) -> Self {
        let mut answers = HashMap::new();
        for line in snapshot.lines().skip(1) {
            let mut cells = line.splitn(5, " | ");
            let [Some(agent), Some(event), Some(wishes), Some(exit), Some(rest)] =
                [cells.next(), cells.next(), cells.next(), cells.next(), cells.next()]
            else {
                continue;
            };
            let stdout = rest.rsplit_once(" |").map_or(rest, |(stdout, _)| stdout);
            let said = serde_json::from_str(stdout).unwrap_or_default();
            for wish in wishes.split(", ") {
                answers.insert(
                    (agent, event, wish),
                    AnswerCell { refused_by_exit: exit == "2", said: Value::clone(&said) },
                );
            }
        }
        Self(answers)
    }

    fn get(&self, agent: &'a str, event: &'a str, wish: &'a str) -> Option<&AnswerCell> {
        self.0.get(&(agent, event, wish))
    }
}

struct AnswerCell {
    refused_by_exit: bool,
    said: Value,
}

impl AnswerCell {
    /// What the agent does about it at this event.
    fn effect(&self, event: Option<&EventName>) -> Effect {
        if self.says(&["/stopReason", "/interrupt", "/halt", "/hookSpecificOutput/decision/interrupt"]) {
            Effect::Stopped
        } else if self.refuses() {
            match event {
                Some(EventName::AfterTool | EventName::ToolFailed) => Effect::ModelTold,
                Some(EventName::AfterAgent | EventName::SubagentStop | EventName::TeammateIdle) => Effect::GoesOn,
                _ => Effect::Refused,
            }
        } else if self.permission() == Some("ask") {
            Effect::Asked
        } else if self.says(&[
            "/hookSpecificOutput/updatedInput",
            "/hookSpecificOutput/tool_input",
            "/modifiedArgs",
            "/updated_input",
            "/hook_specific_output/tool_input",
            "/overrideInput",
            "/args",
        ]) {
            Effect::Rewritten
        } else if self.says(&[
            "/hookSpecificOutput/additionalContext",
            "/additionalContext",
            "/additional_context",
            "/hook_specific_output/additional_context",
            "/contextModification",
            "/context",
        ]) {
            Effect::ModelTold
        } else if self.says(&["/systemMessage", "/user_message"]) {
            Effect::UserTold
        } else {
            Effect::Nothing
        }
    }

    fn refuses(&self) -> bool {
        let denied = ["/hookSpecificOutput/decision/behavior", "/behavior", "/decision", "/hookSpecificOutput/action"];
        let is_denial = |word: Option<&str>| matches!(word, Some("deny" | "block" | "decline"));
        self.refused_by_exit
            || is_denial(self.permission())
            || denied.iter().any(|place| is_denial(self.said.pointer(place).and_then(Value::as_str)))
            || self.said.pointer("/continue") == Some(&Value::Bool(false))
            || self.said.pointer("/cancel") == Some(&Value::Bool(true))
            || self.says(&["/followup_message", "/deny", "/hookSpecificOutput/llm_response"])
    }

    fn permission(&self) -> Option<&str> {
        let places = ["/hookSpecificOutput/permissionDecision", "/permissionDecision", "/permission"];
        places.iter().find_map(|place| self.said.pointer(place)?.as_str())
    }

    fn says(&self, places: &[&str]) -> bool {
        places.iter().any(|place| self.said.pointer(place).is_some())
    }
}

/// What the agent does about an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Stopped,
    Refused,
    GoesOn,
    Asked,
    Rewritten,
    ModelTold,
    UserTold,
    Nothing,
}

impl Effect {
    fn as_str(self) -> &'static str {
        match self {
            Self::Stopped => "stopped",
            Self::Refused => "refused",
            Self::GoesOn => "goes on",
            Self::Asked => "asked",
            Self::Rewritten => "rewritten",
            Self::ModelTold => "model told",
            Self::UserTold => "user told",
            Self::Nothing => "·",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_for_what_they_make_an_agent_do() {
        let cases = [
            (r#"0 | {"continue":false,"stopReason":"R","decision":"block"} |"#, "BeforeTool", Effect::Stopped),
            (r#"0 | {"continue":false,"user_message":"R"} |"#, "BeforeAgent", Effect::Refused),
            (r#"0 | {"hookSpecificOutput":{"permissionDecision":"deny"}} |"#, "BeforeTool", Effect::Refused),
            (r#"0 | {"permission":"ask"} |"#, "BeforeTool", Effect::Asked),
            ("2 |  | a | b", "BeforeTool", Effect::Refused),
            (r#"0 | {"decision":"block"} |"#, "AfterTool", Effect::ModelTold),
            (r#"0 | {"followup_message":"R"} |"#, "AfterAgent", Effect::GoesOn),
            (
                r#"0 | {"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{}}} |"#,
                "BeforeTool",
                Effect::Rewritten,
            ),
            (r#"0 | {"additional_context":"C"} |"#, "BeforeTool", Effect::ModelTold),
            (r#"0 | {"systemMessage":"C"} |"#, "BeforeTool", Effect::UserTold),
            ("0 |  |", "BeforeTool", Effect::Nothing),
        ];
        for (line, event, expected) in cases {
            let snapshot = format!("head\nagent | Event | none, wish | {line}");
            let answers = AnswerTable::read(&snapshot);
            let effect = answers.get("agent", "Event", "wish").unwrap().effect(EventName::known(event).as_ref());
            assert_eq!(effect, expected, "{line}");
        }
    }

    #[test]
    fn every_event_of_every_agent_has_a_row_and_a_deny_before_a_tool_refuses_everywhere() {
        let page = page(&Results::read().unwrap()).unwrap().content;
        for dialect in hookrail_dialects::all() {
            let section =
                page.split(&format!("\n## {}\n", dialect.name())).nth(1).unwrap().split("\n## ").next().unwrap();
            for native in dialect.native_events() {
                assert!(section.contains(&format!("| `{native}` |")), "{} {native}", dialect.name());
            }
            let native = dialect.native_event(&EventName::BeforeTool).unwrap();
            assert!(section.contains(&format!("| `{native}` | `BeforeTool` | refused")), "{section}");
        }
    }
}
