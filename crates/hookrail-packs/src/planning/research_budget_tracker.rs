use super::budget::{Budget, Call, Limits, Spending};
use super::phase::Phase;
use super::scene::{Finding, Part, Scene, decide};
use hookrail_core::{Event, EventName, HookError, NativeHook, Outcome, ToolKind, World};
use serde_json::Value;

const PART: Part = Part { log_name: "H03_research_budget", flag: Some("hooks_budget_tracker") };
/// The servers whose calls cost something.
const SERVERS: [&str; 3] = ["context7", "ref", "tavily"];

/// H03: ends research when the calls of the session or of the phase are used up.
///
/// **Why:** calls of research servers cost money, and a model that is not stopped does not stop.
///
/// **Catches:** a call of `context7`, `ref` or `tavily` beyond `research_mcp.budget`. From `warn_at_percentage` on, each
/// call is told. Calls are counted exactly, however many are made at once.
///
/// **Leaves alone:** other servers, and a call with the same input as one that was counted, whatever the order of its
/// fields.
#[derive(Debug)]
pub struct ResearchBudgetTracker;

impl NativeHook for ResearchBudgetTracker {
    fn id(&self) -> &'static str {
        "planning/research-budget-tracker"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::BeforeTool]
    }

    fn concerns(&self, event: &Event) -> bool {
        server(event).is_some()
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        decide(&PART, event, world, look)
    }
}

fn look(scene: &Scene<'_>) -> Result<Finding, HookError> {
    let Some(server) = server(scene.event) else { return Ok(Finding::nothing()) };
    let limits = Limits::of(&scene.config);
    let call = Call { server, hash: hash(scene.event), phase: current_phase(scene) };
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

/// The counters say which phase they belong to if somebody knows; a state nobody can read is not this hook's business.
fn current_phase(scene: &Scene<'_>) -> Option<Phase> {
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
    use super::super::scene_tests::{call, reason, word};
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
            assert_eq!(server(&event), expected, "{tool}");
            assert_eq!(ResearchBudgetTracker.concerns(&event), expected.is_some(), "{tool}");
            assert_eq!(word(&ResearchBudgetTracker, &event, &world), "silent", "{tool}");
        }
        let kept = world.recall("planning/research-budget").unwrap().unwrap();
        assert_eq!(kept["per_server"], json!({"context7": 2, "ref": 2, "tavily": 1}));
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
