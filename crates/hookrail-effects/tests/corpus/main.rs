//! How much of labelled calls is understood. The calls are read as data and never run.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of a test may fail it")]

mod judge;
mod machine;

use hookrail_core::{ToolCall, ToolKind};
use hookrail_effects::{Effect, Effects, understand};
use judge::{Verdict, judge};
use machine::Fixture;
use serde_json::Value;

/// The tools of the calls, as dialects would classify them.
fn classify(name: &str, input: &Value) -> ToolKind {
    let text = |names: &[&str]| {
        names.iter().find_map(|name| input.get(*name).and_then(Value::as_str)).unwrap_or_default().to_owned()
    };
    match name {
        "Bash" | "PowerShell" | "Execute" | "run_shell_command" => {
            ToolKind::Shell { command: text(&["command"]), cwd: None }
        }
        "Write" | "write_file" => ToolKind::Write { path: text(&["file_path"]), content: text(&["content"]) },
        "Edit" | "MultiEdit" | "replace" => ToolKind::Edit { paths: vec![text(&["file_path"])] },
        "NotebookEdit" => ToolKind::Edit { paths: vec![text(&["notebook_path"])] },
        "apply_patch" => ToolKind::Edit { paths: Vec::new() },
        "Read" | "read_file" | "NotebookRead" => {
            ToolKind::Read { path: text(&["file_path", "absolute_path", "notebook_path"]) }
        }
        "WebFetch" => ToolKind::WebFetch { url: text(&["url"]) },
        "Task" => ToolKind::Subagent { agent: text(&["subagent_type"]), prompt: text(&["prompt"]) },
        "AskUserQuestion" => ToolKind::AskUser { questions: Vec::new() },
        _ => match name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
            Some((server, tool)) => ToolKind::Mcp { server: server.to_owned(), tool: tool.to_owned() },
            None => ToolKind::Other,
        },
    }
}

struct Labelled {
    id: String,
    want: Verdict,
    labels: Vec<String>,
    shown: String,
    effects: Effects,
}

fn labelled() -> Vec<Labelled> {
    let corpus: Value = serde_json::from_str(include_str!("../fixtures/calls.json")).unwrap();
    let fixture = Fixture::new();
    let around = fixture.around();
    let read = |item: &Value| {
        let tool = item["tool"].as_str().unwrap();
        let input = &item["input"];
        let call = ToolCall::new(tool, input, classify);
        let labels = match &item["effects"] {
            Value::Array(labels) => labels.iter().map(|label| label.as_str().unwrap().to_owned()).collect(),
            other => other.as_str().unwrap_or_default().split(',').map(str::to_owned).collect(),
        };
        let want = match item["want"].as_str().unwrap() {
            "deny" => Verdict::Deny,
            "ask" => Verdict::Ask,
            _ => Verdict::None,
        };
        let shown =
            input.get("command").and_then(Value::as_str).map_or_else(|| format!("{tool} {input}"), str::to_owned);
        Labelled {
            id: item["id"].as_str().unwrap().to_owned(),
            want,
            labels,
            shown,
            effects: understand(&call, input, &around, &fixture),
        }
    };
    corpus.get("items").and_then(Value::as_array).unwrap().iter().map(read).collect()
}

fn family_found(call: &Labelled) -> bool {
    let labels = || call.labels.iter().filter(|label| !label.is_empty());
    let families = || labels().map(|label| label.split('.').next().unwrap());
    let is = |family: &str, effect: &Effect| {
        effect.act.family() == family || effect.act.implies().is_some_and(|general| general.family() == family)
    };
    call.effects.list.iter().any(|effect| families().any(|family| is(family, effect)))
}

fn show(call: &Labelled) -> String {
    let effects: Vec<String> = call.effects.list.iter().map(ToString::to_string).collect();
    let gaps: Vec<&str> = call.effects.gaps.iter().map(|gap| gap.why.name()).collect();
    format!(
        "{} {:?} [{}] {}\n      {} | gaps {gaps:?}",
        call.id,
        call.want,
        call.labels.join(","),
        call.shown.replace('\n', "\\n"),
        effects.join("; ")
    )
}

#[test]
fn nearly_all_labelled_calls_are_understood() {
    let calls = labelled();
    let (dangerous, harmless): (Vec<_>, Vec<_>) = calls.iter().partition(|call| call.want != Verdict::None);
    let blind: Vec<_> = dangerous.iter().filter(|call| !family_found(call)).collect();
    let missed: Vec<_> = dangerous.iter().filter(|call| judge(&call.effects) == Verdict::None).collect();
    let bothered: Vec<_> = harmless.iter().filter(|call| judge(&call.effects) != Verdict::None).collect();
    let denied = harmless.iter().filter(|call| judge(&call.effects) == Verdict::Deny).count();
    let gaps = harmless.iter().filter(|call| !call.effects.gaps.is_empty()).count();
    for (title, list) in [("BLIND", &blind), ("MISSED", &missed), ("BOTHERED", &bothered)] {
        for call in list {
            println!("{title} {}", show(call));
        }
    }
    let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole as f64;
    println!(
        "dangerous: {} calls, labelled family found in {:.1} %",
        dangerous.len(),
        percent(dangerous.len() - blind.len(), dangerous.len())
    );
    println!(
        "dangerous: caught by the reference rules {:.1} %",
        percent(dangerous.len() - missed.len(), dangerous.len())
    );
    println!(
        "harmless: {} calls, interrupted {:.1} %, denied {:.1} %, with a gap {:.1} %",
        harmless.len(),
        percent(bothered.len(), harmless.len()),
        percent(denied, harmless.len()),
        percent(gaps, harmless.len())
    );
    assert!(percent(dangerous.len() - blind.len(), dangerous.len()) >= 98.0);
    assert!(percent(dangerous.len() - missed.len(), dangerous.len()) >= 98.0);
    assert!(percent(bothered.len(), harmless.len()) <= 4.0);
}
