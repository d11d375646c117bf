//! `planning/research-budget-tracker`: research is counted by what a call does, and only research is.

use crate::sandbox::{Sandbox, word};
use hookrail_packs::planning::ResearchBudgetTracker;
use serde_json::{Value, json};

/// Calls that are research: of research servers, and of the agents' own web tools.
fn research() -> Vec<(&'static str, Value)> {
    let queries = ["rust", "tokio", "serde", "a b c"];
    let mut calls = Vec::new();
    for query in queries {
        calls.extend([
            ("WebSearch", json!({ "query": query })),
            ("WebFetch", json!({"url": format!("https://example.com/{query}"), "prompt": "x"})),
            ("google_web_search", json!({ "query": query })),
            ("web_search", json!({ "query": query })),
            ("mcp__context7__get-library-docs", json!({ "id": query })),
            ("mcp__ref__search", json!({ "q": query })),
            ("mcp__tavily__tavily-search", json!({ "query": query })),
        ]);
    }
    calls
}

/// Calls that mention research, fetch packages, or ask other servers.
fn others() -> Vec<(&'static str, Value)> {
    let commands = [
        "curl https://example.com",
        "wget -q https://example.com",
        "npm install left-pad",
        "git fetch",
        "echo WebSearch",
        "grep -rn tavily .",
        "cat context7.md",
    ];
    let mut calls: Vec<(&str, Value)> =
        commands.iter().map(|command| ("Bash", json!({ "command": command }))).collect();
    calls.extend([
        ("Read", json!({"file_path": "ref.md"})),
        ("Grep", json!({"pattern": "WebFetch"})),
        ("Glob", json!({"pattern": "**/tavily*"})),
        ("Write", json!({"file_path": "ref/search.md", "content": "https://example.com"})),
        ("Edit", json!({"file_path": "context7.md", "old_string": "a", "new_string": "b"})),
        ("Task", json!({"description": "research", "prompt": "use WebSearch", "subagent_type": "x"})),
        ("TodoWrite", json!({"todos": [{"content": "WebSearch", "status": "pending"}]})),
        ("mcp__github__search_code", json!({"query": "ref"})),
        ("mcp__filesystem__read_file", json!({"path": "tavily.md"})),
        ("mcp__reference__search", json!({"q": "x"})),
    ]);
    calls
}

#[test]
fn research_is_counted_and_nothing_else_is() {
    let sandbox = Sandbox::new();
    sandbox.file("src/a.txt", "").repository("feature/x");
    let none = "research_mcp: {budget: {total_calls_per_session: 0}}\n";
    sandbox.file("config/planning-config.yaml", none);
    let (research, others) = (research(), others());
    assert!(research.len() + others.len() >= 40);
    let world = sandbox.world(json!({}));
    for (tool, input) in research {
        assert_eq!(word(&ResearchBudgetTracker, &sandbox.call(tool, input.clone()), &world), "deny", "{tool} {input}");
    }
    for (tool, input) in others {
        assert_eq!(
            word(&ResearchBudgetTracker, &sandbox.call(tool, input.clone()), &world),
            "silent",
            "{tool} {input}"
        );
    }
    sandbox.file(
        "config/planning-config.yaml",
        "research_mcp: {budget: {total_calls_per_session: 0, count_web_tools: false}}\n",
    );
    let web = sandbox.call("WebSearch", json!({"query": "x"}));
    assert_eq!(word(&ResearchBudgetTracker, &web, &world), "silent", "configured otherwise");
}
