//! The session for a program: one JSON object per line.

use super::demo_project::DemoProject;
use super::moment::{Happening, Look, Moment, Ruling};
use super::script::Audience;
use super::story::Git;
use super::summary::Summary;
use crate::screen::versioned;
use serde_json::{Value, json};
use std::io::{self, Write};

pub struct Lines<W: Write> {
    pub out: W,
}

impl<W: Write> Lines<W> {
    pub fn conclude(&mut self, summary: &Summary, stage: &DemoProject, kept: bool) -> io::Result<()> {
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
            "git": stage.git == Git::Installed,
            "folder": stage.folder(),
            "kept": kept,
        }))
    }

    fn write(&mut self, line: &Value) -> io::Result<()> {
        writeln!(self.out, "{}", versioned(line))?;
        self.out.flush()
    }
}

impl<W: Write> Audience for Lines<W> {
    fn see(&mut self, moment: &Moment) -> io::Result<()> {
        let line = match moment {
            Moment::Prompt(text) => json!({"type": "prompt", "text": text}),
            Moment::Event(happening) => event(happening),
            Moment::Tasks(tasks) => json!({"type": "tasks", "tasks": tasks}),
            Moment::Context(text) => json!({"type": "context", "text": text}),
            Moment::Speech { step, heard } => {
                let call = step.call.as_ref().map(|call| json!({"tool": call.tool, "input": call.input}));
                json!({"type": "model", "agent": step.speaker, "heard": heard, "says": step.says, "call": call})
            }
        };
        self.write(&line)
    }
}

fn event(happening: &Happening) -> Value {
    let ruling = match happening.ruling() {
        Ruling::Passed => "passed",
        Ruling::Refused => "refused",
        Ruling::SentOn => "sent-on",
        Ruling::Failed => "failed",
    };
    json!({
        "type": "event",
        "event": happening.event,
        "tool": happening.tool,
        "subject": happening.subject,
        "verdict": ruling,
        "microseconds": micros(happening.time()),
        "hooks": happening.looks.iter().map(look).collect::<Vec<_>>(),
    })
}

fn look(look: &Look) -> Value {
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
