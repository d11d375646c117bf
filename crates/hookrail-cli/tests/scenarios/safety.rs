//! Every rule of pack `safety` with its examples, through the whole program.

use crate::project::ScenarioProject;
use hookrail_rules::{Example, ExampleCall, Level, Rule, RuleDecision, example_files, judge_example, safety};
use serde_json::Value;

#[test]
fn every_rule_of_safety_decides_its_examples_in_the_program_as_it_does_in_its_file() {
    let place = ScenarioProject::new();
    let mut count = 0;
    for (index, file) in safety::files().iter().enumerate() {
        let scenarios: Vec<String> = file.rules.iter().flat_map(scenarios).collect();
        count += scenarios.len();
        place.project.write(format!("safety/{index}.toml"), &format!("{}\n{}", given(), scenarios.join("\n")));
    }
    let report = place.test_json(&["safety"]);
    let played = report["scenarios"].as_array().unwrap();
    let broken: Vec<&Value> = played.iter().filter(|scenario| scenario["passed"] != true).collect();
    assert!(broken.is_empty(), "{broken:#?}");
    assert_eq!(played.len(), count);
    let rules: usize = safety::files().iter().map(|file| file.rules.len()).sum();
    assert!(count >= rules, "{count} scenarios for {rules} rules");
}

/// The machine of examples, as far as a scenario can have it.
fn given() -> String {
    let files: Vec<String> =
        example_files().map(|(path, text)| format!("{} = {}\n", Value::from(path), Value::from(text))).collect();
    format!("[given]\npacks = [\"safety\"]\n\n[given.files]\n{}", files.concat())
}

/// A scenario for each branch that examples of a rule are about.
fn scenarios(rule: &Rule) -> Vec<String> {
    let mut branches: Vec<&str> = rule.examples.list.iter().map(|example| branch(&example.call)).collect();
    branches.sort_unstable();
    branches.dedup();
    let of_branch = |branch: &&str| {
        let steps: Vec<String> = rule
            .examples
            .list
            .iter()
            .filter(|example| self::branch(&example.call) == *branch && is_playable(&example.call))
            .map(|example| step(rule, example))
            .collect();
        let name = format!("{} on {branch}", rule.id);
        let head = format!("[[scenario]]\nname = {name:?}\n[scenario.given]\ngit = [{branch:?}]\n");
        (!steps.is_empty()).then(|| head + &steps.concat())
    };
    branches.iter().filter_map(of_branch).collect()
}

fn branch(call: &ExampleCall) -> &str {
    call.branch.as_deref().unwrap_or("feature/example")
}

/// The project of a scenario has no neighbours and another place on the disk, and nothing happened before.
fn is_playable(call: &ExampleCall) -> bool {
    let text = call.input.to_string();
    let is_elsewhere = text.contains("..") || text.contains("/home/me");
    !is_elsewhere && call.after.is_empty() && call.role.is_none() && call.mode.is_none() && call.tree.is_none()
}

fn step(rule: &Rule, example: &Example) -> String {
    let judged = judge_example(&[safety::rules()], &example.call, Level::default());
    let says = |wanted: RuleDecision| judged.matches.iter().any(|found| found.decision == wanted);
    let decision = match () {
        () if says(RuleDecision::Deny) => "block",
        () if says(RuleDecision::Ask) => "ask",
        () => "none",
    };
    let own = example.expected.map(|expected| expected.in_lattice().to_string());
    let named = match example.expected {
        Some(RuleDecision::Warn) => format!(", message = {:?}", rule.id),
        _ if own.as_deref() == Some(decision) => format!(", reason = {:?}", rule.id),
        _ => String::new(),
    };
    let event = serde_json::json!({
        "hook_event_name": "PreToolUse", "session_id": "scenario", "cwd": "{{project}}",
        "tool_name": example.call.tool, "tool_input": example.call.input,
    });
    format!("[[scenario.step]]\nevent = {}\nexpect = {{ decision = {decision:?}{named} }}\n", inline(&event))
}

/// JSON as an inline value of TOML.
fn inline(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(key, value)| format!("{} = {}", Value::from(key.as_str()), inline(value)))
                .collect();
            format!("{{ {} }}", fields.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Value::Null => "\"\"".to_owned(),
        other => other.to_string(),
    }
}
