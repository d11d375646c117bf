//! The calls of `spec/corpus/proof.toml`: those that no allow rule may approve, those that daily work should, and those whose
//! values come through joins.

use super::{Options, Verdict, percent, verdict};
use crate::{ROOT, TaskError};
use hookrail_rules::{RuleSet, safety};
use hookrail_testkit::corpus::{LabelledCall, PROJECT, Want, machine};
use hookrail_testkit::world::FakeWorld;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// Rules as somebody might write them who wants to be asked little.
const BROAD: &str = r#"
[[rule]]
id = "broad"
when = { effect = ["fs.*", "exec.run", "exec.test", "exec.build", "git.read", "git.stage", "git.commit", "git.branch", "package.install", "agent.*", "none"], place = ["project", "build", "temp", "remote"] }
decide = "allow"
"#;

#[derive(Deserialize)]
struct Table {
    files: BTreeMap<String, String>,
    never_allowed: BTreeMap<String, Vec<Entry>>,
    stays_allowed: Calls,
    joined: Calls,
}

#[derive(Deserialize)]
struct Calls {
    calls: Vec<String>,
}

/// A command, or a call of another tool.
#[derive(Deserialize)]
#[serde(untagged)]
enum Entry {
    Command(String),
    Tool { tool: String, input: Value },
}

pub(super) fn command(text: &str) -> LabelledCall {
    call("Bash", serde_json::json!({ "command": text }))
}

fn call(tool: &str, input: Value) -> LabelledCall {
    LabelledCall {
        id: String::new(),
        class: String::new(),
        want: Want::Ask,
        effects: Vec::new(),
        tool: tool.to_owned(),
        input,
    }
}

/// Judges every list, prints its figures, and reports whether the bars are held.
pub(super) fn judge_all(options: &Options, out: &mut dyn Write) -> Result<bool, TaskError> {
    let file = Path::new(ROOT).join("spec/corpus/proof.toml");
    let text = std::fs::read_to_string(&file)?;
    let table: Table =
        toml::from_str(&text).map_err(|error| TaskError::Usage(format!("{}: {error}", file.display())))?;
    let world = with_files(&table.files);
    let (daily, broad) = (safety::daily_work(), safety::as_of_user(BROAD));
    let judge = |call: &LabelledCall, rules: &RuleSet| verdict(call, rules, options.level, &world);
    let mut holds = true;
    writeln!(out, "spec/corpus/proof.toml")?;

    let mut allowed = Vec::new();
    let mut count = 0;
    for entry in table.never_allowed.into_values().flatten() {
        let judged = match entry {
            Entry::Command(text) => command(&text),
            Entry::Tool { tool, input } => call(&tool, input),
        };
        count += 1;
        if [&daily, &broad].iter().any(|rules| judge(&judged, rules) == Verdict::Allow) {
            allowed.push(judged.shown());
        }
    }
    holds &= allowed.is_empty();
    writeln!(out, "never allowed   {count:>4}   allowed {}", allowed.len())?;
    list(&allowed, true, out)?;

    let calls: Vec<LabelledCall> = table.stays_allowed.calls.iter().map(|text| command(text)).collect();
    let (open, refused): (Vec<_>, Vec<_>) = calls
        .iter()
        .map(|call| (call.shown(), judge(call, &daily)))
        .filter(|(_, verdict)| *verdict != Verdict::Allow)
        .partition(|(_, verdict)| *verdict == Verdict::None);
    let share = percent(calls.len() - open.len() - refused.len(), calls.len());
    holds &= share >= 60.0 && refused.is_empty();
    writeln!(out, "stays allowed   {:>4}   allowed {share:.1} %, refused {}", calls.len(), refused.len())?;
    list(&open.into_iter().map(|(call, _)| call).collect::<Vec<_>>(), options.wrong, out)?;
    list(&refused.into_iter().map(|(call, _)| call).collect::<Vec<_>>(), true, out)?;

    let calls: Vec<LabelledCall> = table.joined.calls.iter().map(|text| command(text)).collect();
    let missed: Vec<String> = calls
        .iter()
        .filter(|call| !matches!(judge(call, &daily), Verdict::Deny | Verdict::Ask))
        .map(LabelledCall::shown)
        .collect();
    let allowed: Vec<String> =
        calls.iter().filter(|call| judge(call, &broad) == Verdict::Allow).map(LabelledCall::shown).collect();
    let caught = percent(calls.len() - missed.len(), calls.len());
    holds &= caught >= 97.0 && allowed.is_empty();
    writeln!(out, "joined values   {:>4}   caught {caught:.1} %, allowed {}", calls.len(), allowed.len())?;
    list(&missed, options.wrong || caught < 97.0, out)?;
    list(&allowed, true, out)?;
    let mut all = calls;
    for set in super::SETS {
        let text = std::fs::read_to_string(Path::new(ROOT).join(set))?;
        all.extend(hookrail_testkit::corpus::read(&text).map_err(TaskError::Usage)?);
    }
    holds &= super::variants::judge_all(&all, &broad, options, out)?;
    Ok(holds)
}

fn with_files(files: &BTreeMap<String, String>) -> FakeWorld {
    files.iter().fold(machine(), |world, (name, text)| world.file(&format!("{PROJECT}/{name}"), text))
}

fn list(calls: &[String], shown: bool, out: &mut dyn Write) -> std::io::Result<()> {
    calls.iter().filter(|_| shown).try_for_each(|call| writeln!(out, "    {call}"))
}
