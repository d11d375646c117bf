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
            ("mcp__tavily__tavily-extract", json!({"urls": [format!("https://example.com/{query}")]})),
            ("mcp__Context7__resolve-library-id", json!({ "libraryName": query })),
            ("mcp__REF__ref_read_url", json!({"url": format!("https://example.com/{query}/read")})),
            ("mcp__plugin_docs_context7__query-docs", json!({ "query": query })),
            ("mcp__plugin_search_tavily__tavily_search", json!({ "query": query })),
            ("websearch", json!({ "query": query })),
            ("exa_web_search", json!({ "query": query })),
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
        "curl -s https://api.tavily.com/search -d '{}'",
        "npx -y @upstash/context7-mcp --help",
        "pip download ref",
        "git clone https://example.com/context7",
        "gh search repos tavily",
        "cargo search serde",
        "npm search react",
        "apt-cache search jq",
        "brew search jq",
        "python3 -c \"import urllib.request as u; u.urlopen('https://example.com')\"",
        "wget -i urls.txt",
        "lynx -dump https://example.com",
        "git log --grep WebSearch",
        "git checkout -b tavily/search",
        "sed -i s/WebFetch/x/ src/a.txt",
        "find . -name '*tavily*'",
        "mkdir -p docs/ref",
        "docker pull mcp/tavily",
        "claude mcp list",
        "echo 'mcp__tavily__search' >> notes.md",
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
        ("mcp__refactor__rename", json!({"path": "src/a.txt", "to": "b"})),
        ("mcp__prefetch__warm", json!({"key": "x"})),
        ("mcp__context7x__query", json!({"q": "x"})),
        ("mcp__my_tavily_notes__read", json!({"id": "1"})),
        ("mcp__postgres__query", json!({"sql": "select * from tavily"})),
        ("mcp__slack__search_messages", json!({"query": "WebSearch"})),
        ("mcp__jira__search", json!({"jql": "text ~ ref"})),
        ("MultiEdit", json!({"file_path": "ref.md", "edits": []})),
        ("NotebookEdit", json!({"notebook_path": "tavily.ipynb", "new_source": "WebFetch"})),
        ("ToolSearch", json!({"query": "select:WebSearch"})),
        ("Skill", json!({"skill": "web-search"})),
        ("PowerShell", json!({"command": "iwr https://example.com"})),
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
