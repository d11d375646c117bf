//! The session for a program: one JSON object per line.

use super::demo_project::DemoProject;
use super::script::DemoOutput;
use super::step::{DemoEvent, DemoOutcome, DemoStep, HookResult};
use super::story::Git;
use super::summary::Summary;
use crate::screen::versioned;
use serde_json::{Value, json};
use std::io::{self, Write};

pub struct Lines<W: Write> {
    pub out: W,
}

impl<W: Write> Lines<W> {
    pub fn conclude(&mut self, summary: &Summary, demo: &DemoProject, kept: bool) -> io::Result<()> {
        let packs: serde_json::Map<String, Value> = summary
            .packs
            .iter()
            .map(|count| (count.pack.to_owned(), json!({"looks": count.looks, "objections": count.objections})))
            .collect();
        self.write(&json!({
            "type": "summary",
            "events": summary.events,
            "hook_runs": summary.runs,
            "refused": summary.refused,
            "sent_on": summary.sent_on,
            "packs": packs,
            "median_microseconds": micros(summary.median()),
            "process_microseconds": summary.process_time.map(micros),
            "git": demo.git == Git::Installed,
            "folder": demo.folder(),
            "kept": kept,
        }))
    }

    fn write(&mut self, line: &Value) -> io::Result<()> {
        writeln!(self.out, "{}", versioned(line))?;
        self.out.flush()
    }
}

impl<W: Write> DemoOutput for Lines<W> {
    fn see(&mut self, step: &DemoStep) -> io::Result<()> {
        let line = match step {
            DemoStep::Prompt(text) => json!({"type": "prompt", "text": text}),
            DemoStep::Event(demo_event) => event(demo_event),
            DemoStep::Tasks(tasks) => json!({"type": "tasks", "tasks": tasks}),
            DemoStep::Context(text) => json!({"type": "context", "text": text}),
            DemoStep::Speech { step, heard } => {
                let call = step.call.as_ref().map(|call| json!({"tool": call.tool, "input": call.input}));
                json!({"type": "model", "agent": step.speaker, "heard": heard, "says": step.says, "call": call})
            }
        };
        self.write(&line)
    }
}

fn event(demo_event: &DemoEvent) -> Value {
    let outcome = match demo_event.outcome() {
        DemoOutcome::Passed => "passed",
        DemoOutcome::Refused => "refused",
        DemoOutcome::SentOn => "sent-on",
        DemoOutcome::Failed => "failed",
    };
    json!({
        "type": "event",
        "event": demo_event.event,
        "tool": demo_event.tool,
        "subject": demo_event.subject,
        "verdict": outcome,
        "microseconds": micros(demo_event.time()),
        "hooks": demo_event.looks.iter().map(look).collect::<Vec<_>>(),
    })
}

fn look(look: &HookResult) -> Value {
    json!({
        "id": look.hook,
        "outcome": look.outcome,
        "decision": look.decision,
        "reason": look.reason,
        "microseconds": micros(look.time),
    })
}

fn micros(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
