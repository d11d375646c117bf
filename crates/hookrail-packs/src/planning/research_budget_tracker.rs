use super::budget::{Budget, CountedCall, Limits, Spending};
use super::input::{Finding, HookSwitch, PlanningInput, decide};
use super::phase::Phase;
use crate::limits::QUICK;
use hookrail_core::{Event, EventName, HookError, HookProfile, NativeHook, Outcome, ToolCall, ToolKind, World};
use hookrail_effects::{Act, EmptyWorld, Surroundings, understand};
use serde_json::Value;

const PART: HookSwitch = HookSwitch { log_name: "H03_research_budget", flag: Some("hooks_budget_tracker") };
/// The servers whose calls cost something.
const SERVERS: [&str; 3] = ["context7", "ref", "tavily"];
/// What calls of the agent's own web tools are counted as.
const WEB: &str = "web";
/// Says that web tools are not research here.
const COUNTS_WEB: &str = "/research_mcp/budget/count_web_tools";

/// H03: ends research when the calls of the session or of the phase are used up.
///
/// **Why:** calls of research servers cost money, and a model that is not stopped does not stop.
///
/// **Catches:** a call of `context7`, `ref` or `tavily`, or of the agent's own web tools such as `WebFetch` and `WebSearch`,
/// beyond `research_mcp.budget`. From `warn_at_percentage` on, each call is told. Calls are counted exactly, however many are
/// made at once.
///
/// **Leaves alone:** other servers, shell commands such as `curl`, a call with the same input as one that was counted,
/// whatever the order of its fields, and web tools if `research_mcp.budget.count_web_tools` is `false`.
#[derive(Debug)]
pub struct ResearchBudgetTracker;

impl NativeHook for ResearchBudgetTracker {
    fn id(&self) -> &'static str {
        "planning/research-budget-tracker"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::BeforeTool]
    }

    fn profile(&self) -> HookProfile {
        HookProfile { timeout: Some(QUICK), waits_for_locks_only: true, ..HookProfile::DEFAULT }
    }

    fn concerns(&self, event: &Event) -> bool {
        source(event).is_some()
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        decide(&PART, event, world, look)
    }
}

fn look(scene: &PlanningInput<'_>) -> Result<Finding, HookError> {
    let Some(server) = source(scene.event) else { return Ok(Finding::nothing()) };
    if server == WEB && scene.config.is_off(COUNTS_WEB) {
        return Ok(Finding::nothing());
    }
    let limits = Limits::of(&scene.config);
    let call = CountedCall { server, hash: hash(scene.event), phase: current_phase(scene) };
    let (spending, reset) = Budget::spend(&call, limits, scene.world)?;
    Ok(match spending {
        Spending::Repeated => Finding::allow("Duplicate call (retry), not incrementing"),
        Spending::SessionExhausted { used } => Finding::deny(&format!(
            "DENIED: Research MCP session budget exhausted ({used}/{} calls). No more research calls are allowed in this \
             session: do not retry, work with what has been found.",
            limits.session
        )),
        Spending::PhaseExhausted { used } => Finding::deny(&format!(
            "DENIED: Research MCP phase budget exhausted ({used}/{} calls). Do not retry in this phase: consolidate what \
             has been found and proceed to the next phase.",
            limits.phase
        )),
        Spending::Counted { session, phase } => tell(session, phase, limits, reset),
    })
}

fn tell(session: u64, phase: u64, limits: Limits, reset: bool) -> Finding {
    let warning = |what: &str, used: u64, limit: u64| {
        let text = format!("WARNING: {what} budget at {used}/{limit} ({}% threshold). ", limits.warn_at);
        if limits.warns(used, limit) { text } else { String::new() }
    };
    let warnings = warning("Session", session, limits.session) + &warning("Phase", phase, limits.phase);
    if !warnings.is_empty() {
        return Finding::warn(&format!("{warnings}Consider consolidating research before making more calls."));
    }
    let counted = format!("Budget OK: session={session}/{}, phase={phase}/{}", limits.session, limits.phase);
    Finding::allow(if reset { format!("Corrupt budget was reset. {counted}") } else { counted })
}

/// What a call is counted as, if it is research.
fn source(event: &Event) -> Option<&'static str> {
    server(event).or_else(|| event.tool.as_ref().is_some_and(|tool| is_web_tool(tool, event)).then_some(WEB))
}

/// Whether this is a tool of the agent itself that looks something up in the web. What a shell command fetches, a package or a
/// page, is not told by that.
fn is_web_tool(tool: &ToolCall, event: &Event) -> bool {
    match tool.kind {
        ToolKind::WebFetch { .. } => true,
        ToolKind::Other if !tool.name.starts_with("mcp__") => {
            let around = Surroundings::unknown(&event.cwd);
            understand(tool, event.tool_input().unwrap_or(&Value::Null), &around, &EmptyWorld).has(Act::NetFetch)
        }
        _ => false,
    }
}

/// Which of the servers a call goes to, whatever its case (errata C35) and whichever plugin brings it.
fn server(event: &Event) -> Option<&'static str> {
    let tool = event.tool.as_ref()?;
    let named = match &tool.kind {
        ToolKind::Mcp { server, .. } => server.as_str(),
        _ => tool.name.strip_prefix("mcp__")?,
    };
    let own = if named.starts_with("plugin_") { named.rsplit('_').next().unwrap_or(named) } else { named };
    SERVERS.into_iter().find(|server| own.eq_ignore_ascii_case(server))
}

/// The counters say which phase they belong to if it is known; this hook ignores a state that cannot be read.
fn current_phase(scene: &PlanningInput<'_>) -> Option<Phase> {
    scene.feature().ok()??.read_state(scene.world).ok()??.phase()
}

fn hash(event: &Event) -> String {
    let tool = event.tool.as_ref().map(|tool| tool.name.as_str()).unwrap_or_default();
    let mut text = format!("{tool} ");
    write_canonical(event.tool_input().unwrap_or(&Value::Null), &mut text);
    blake3::hash(text.as_bytes()).to_hex().chars().take(32).collect()
}

/// JSON with the fields of objects in order (errata C33).
fn write_canonical(value: &Value, text: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| *name);
            text.push('{');
            for (name, value) in fields {
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                write_canonical(value, text);
                text.push(',');
            }
            text.push('}');
        }
        Value::Array(values) => {
            text.push('[');
            for value in values {
                write_canonical(value, text);
                text.push(',');
            }
            text.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => text.push_str(&value.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_events::{call, reason, word};
    use super::*;
    use hookrail_testkit::world::FakeWorld;
    use serde_json::json;

    fn research(tool: &str, input: Value) -> Event {
        call("/p", tool, input)
    }

    #[test]
    fn calls_of_research_servers_are_counted_by_server() {
        // covers: H03
        let world = FakeWorld::new();
        for (tool, expected) in [
            ("mcp__context7__query", Some("context7")),
            ("mcp__Ref__search", Some("ref")),
            ("mcp__ref", Some("ref")),
            ("mcp__tavily__tavily_search", Some("tavily")),
            ("mcp__plugin_docs_context7__query", Some("context7")),
            ("mcp__refresh__x", None),
            ("mcp__github__search", None),
            ("context7", None),
            ("Read", None),
        ] {
            let event = research(tool, json!({"query": tool}));
            assert_eq!(source(&event), expected, "{tool}");
            assert_eq!(ResearchBudgetTracker.concerns(&event), expected.is_some(), "{tool}");
            assert_eq!(word(&ResearchBudgetTracker, &event, &world), "silent", "{tool}");
        }
        let kept = world.recall("planning/research-budget").unwrap().unwrap();
        assert_eq!(kept["per_server"], json!({"context7": 2, "ref": 2, "tavily": 1}));
    }

    #[test]
    fn the_agents_own_web_tools_are_research_and_nothing_else_is() {
        // covers: H03
        let shell = |command: &str| ToolKind::Shell { command: command.to_owned(), cwd: None };
        let mcp = |server: &str| ToolKind::Mcp { server: server.to_owned(), tool: "web_search".to_owned() };
        let fetch = |url: &str| ToolKind::WebFetch { url: url.to_owned() };
        for (name, kind, expected) in [
            ("WebFetch", fetch("https://docs.rs"), Some(WEB)),
            ("web_fetch", fetch("what does https://docs.rs say?"), Some(WEB)),
            ("web-fetch", fetch("https://docs.rs"), Some(WEB)),
            ("fetch_webpage", fetch("https://a.org\nhttps://b.org"), Some(WEB)),
            ("fetch_web_content", fetch("https://docs.rs"), Some(WEB)),
            ("FetchUrl", fetch("https://docs.rs"), Some(WEB)),
            ("FetchURL", fetch("https://docs.rs"), Some(WEB)),
            ("webfetch", fetch("https://docs.rs"), Some(WEB)),
            ("direct_web_fetch", fetch("https://docs.rs"), Some(WEB)),
            ("google_web_fetch", fetch("https://docs.rs"), Some(WEB)),
            ("agentic_fetch", fetch(""), Some(WEB)),
            ("WebFetch", fetch("https://docs.rs/?token=ghp_0123456789abcdefghijABCDEFGHIJ012345"), Some(WEB)),
            ("WebSearch", ToolKind::Other, Some(WEB)),
            ("web_search", ToolKind::Other, Some(WEB)),
            ("websearch", ToolKind::Other, Some(WEB)),
            ("google_web_search", ToolKind::Other, Some(WEB)),
            ("exa_web_search", ToolKind::Other, Some(WEB)),
            ("mcp__context7__web_search", mcp("context7"), Some("context7")),
            ("mcp__Ref__web_search", mcp("Ref"), Some("ref")),
            ("mcp__tavily__web_search", mcp("tavily"), Some("tavily")),
            ("mcp__brave__web_search", mcp("brave"), None),
            ("mcp__fetch__web_search", mcp("fetch"), None),
            ("mcp__brave__web_search", ToolKind::Other, None),
            ("Bash", shell("curl https://docs.rs"), None),
            ("Bash", shell("wget -q https://docs.rs/x.tgz"), None),
            ("Bash", shell("npm install"), None),
            ("Bash", shell("git fetch"), None),
            ("Bash", shell("echo WebFetch https://docs.rs"), None),
            ("Bash", shell("git commit -m 'use WebSearch'"), None),
            ("Bash", shell("git checkout -b web_search"), None),
            ("Read", ToolKind::Read { path: "WebFetch.md".to_owned() }, None),
            ("Write", ToolKind::Write { path: "web_search.rs".to_owned(), content: String::new() }, None),
            ("Edit", ToolKind::Edit { paths: vec!["WebFetch.md".to_owned()] }, None),
            ("Grep", ToolKind::Other, None),
            ("Glob", ToolKind::Other, None),
            ("grep_search", ToolKind::Other, None),
            ("codebase_search", ToolKind::Other, None),
            ("search_file_content", ToolKind::Other, None),
            ("TodoWrite", ToolKind::Other, None),
            ("ToolSearch", ToolKind::Other, None),
            ("Skill", ToolKind::Skill { name: "web_search".to_owned() }, None),
            ("Task", ToolKind::Subagent { agent: "web_search".to_owned(), prompt: "WebFetch".to_owned() }, None),
        ] {
            let mut event = research(name, json!({"query": "rust"}));
            let shown = format!("{name} {kind:?}");
            if let Some(tool) = event.tool.as_mut() {
                tool.kind = kind;
            }
            assert_eq!(source(&event), expected, "{shown}");
            assert_eq!(ResearchBudgetTracker.concerns(&event), expected.is_some(), "{shown}");
        }
    }

    #[test]
    fn web_tools_share_the_budget_unless_the_configuration_leaves_them_out() {
        // covers: H03
        for (setting, expected) in [
            ("", "deny"),
            (", count_web_tools: true", "deny"),
            (", count_web_tools: false", "silent"),
            (", count_web_tools: 'off'", "silent"),
        ] {
            let yaml =
                format!("research_mcp: {{budget: {{total_calls_per_session: 1, warn_at_percentage: 100{setting}}}}}");
            let world = FakeWorld::new().file("/p/config/planning-config.yaml", &yaml);
            let zero =
                FakeWorld::new().file("/p/config/planning-config.yaml", &yaml.replace("session: 1", "session: 0"));
            let event = research("WebSearch", json!({"query": "rust"}));
            assert_ne!(word(&ResearchBudgetTracker, &event, &world), "deny", "{setting}");
            assert_eq!(word(&ResearchBudgetTracker, &event, &zero), expected, "{setting}");
            let counted = world.recall("planning/research-budget").unwrap().is_some();
            assert_eq!(counted, expected == "deny", "{setting}");
        }
    }

    #[test]
    fn the_same_question_is_counted_once_whatever_the_order_of_its_fields() {
        // covers: H03
        let same = [r#"{"a": {"x": 1, "y": [2]}, "b": "z"}"#, r#"{"b": "z", "a": {"y": [2], "x": 1}}"#];
        let other = [r#"{"a": {"x": 1, "y": [2, 3]}, "b": "z"}"#, r#"{"a": "{}"}"#, r#"{"a": {}}"#, "{}", "null"];
        let hash_of = |input: &&str| hash(&research("mcp__ref__x", serde_json::from_str(input).unwrap()));
        let [first, second] = same.map(|input| hash_of(&input));
        assert_eq!(first, second);
        let mut hashes: Vec<String> = other.iter().map(hash_of).chain([first]).collect();
        hashes.push(hash(&research("mcp__ref__y", json!({}))));
        hashes.sort();
        hashes.dedup();
        assert_eq!(hashes.len(), other.len() + 2);
    }

    #[test]
    fn limits_come_from_the_configuration_or_have_defaults() {
        // covers: H03
        let limits = |session, phase, warn_at| Limits { session, phase, warn_at };
        for (budget, expected) in [
            ("{}", limits(25, 10, 80)),
            ("{total_calls_per_session: 5, total_calls_per_phase: 3, warn_at_percentage: 50}", limits(5, 3, 50)),
            ("{total_calls_per_session: null, total_calls_per_phase: many}", limits(25, 10, 80)),
            ("{total_calls_per_session: -5, warn_at_percentage: 101}", limits(25, 10, 80)),
            ("{total_calls_per_session: 0}", limits(0, 10, 80)),
        ] {
            let yaml = format!("research_mcp: {{budget: {budget}}}");
            let world = FakeWorld::new().file("/p/config/planning-config.yaml", &yaml);
            let checkout = super::super::feature::Checkout { root: "/p".into(), branch: None };
            let config = super::super::config::Config::find(&checkout, &world).unwrap();
            assert_eq!(Limits::of(&config), expected, "{budget}");
        }
    }

    #[test]
    fn the_user_is_warned_before_the_budget_ends() {
        // covers: H03
        let yaml = "research_mcp: {budget: {total_calls_per_session: 5, total_calls_per_phase: 9}}";
        let world = FakeWorld::new().file("/p/config/planning-config.yaml", yaml);
        let said: Vec<&str> =
            (0..7).map(|n| word(&ResearchBudgetTracker, &research("mcp__ref__x", json!({"n": n})), &world)).collect();
        assert_eq!(said, ["silent", "silent", "silent", "warn", "warn", "deny", "deny"]);
        let reason = reason(&ResearchBudgetTracker, &research("mcp__ref__x", json!({"n": 9})), &world);
        assert!(reason.contains("session budget exhausted (5/5 calls)"), "{reason}");
    }
}
