//! Where the demo is played: a temporary project under the real engine.

use super::scene::{SCRIPTS, Scene, Script};
use hookrail_core::{
    Decision, Event, EventName, HookError, HookRun, NativeHook, Order, Outcome, RunStatus, Verdict, World,
};
use hookrail_engine::Config;
use hookrail_host::triggers::ask;
use owo_colors::OwoColorize;
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

/// A guard written in Rust: secrets are not for agents.
#[derive(Debug)]
struct ProtectSecrets;

impl NativeHook for ProtectSecrets {
    fn id(&self) -> &'static str {
        "demo/protect-secrets"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::BeforeTool]
    }

    fn check(&self, event: &Event, _: &dyn World) -> Result<Outcome, HookError> {
        let path = event.tool_input().and_then(|input| input.get("path")?.as_str()).unwrap_or_default();
        let is_secret = path == ".env" || path.ends_with("/.env");
        let writes = event.tool.as_ref().is_some_and(|tool| tool.name == "write_file");
        if writes && is_secret {
            return Ok(Outcome::deny(
                "`.env` holds secrets; put the value into `.env.example` and ask the user to copy it",
            ));
        }
        Ok(Outcome::silent())
    }
}

pub struct Stage {
    config: Config,
    /// Removed when the stage is.
    _project: tempfile::TempDir,
}

impl Stage {
    pub fn build() -> io::Result<Self> {
        let project = tempfile::tempdir()?;
        for script in SCRIPTS {
            std::fs::write(project.path().join(format!("{}.sh", script.name)), script.text)?;
        }
        let guard: Arc<dyn NativeHook> = Arc::new(ProtectSecrets);
        let config = Config::new("demo", project.path()).enable_hooks(true).native_hook(&guard).hooks(&settings());
        Ok(Self { config, _project: project })
    }

    pub fn fire(&self, scene: &Scene) -> Verdict {
        let event = EventName::parse(scene.event);
        let verdict = ask(&self.config, |handler| handler.fire_event(event.clone(), &payload(scene)));
        verdict.unwrap_or_else(|| Verdict::empty(event))
    }

    pub fn introduce(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", "hookrail: what hooks decide, and why".bold())?;
        writeln!(
            out,
            "{} shell hooks and 1 native hook in a temporary project; every line below really ran.",
            SCRIPTS.len()
        )
    }

    pub fn show(&self, scene: &Scene, verdict: &Verdict, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "\n{} {}", "▶".cyan(), scene.title.bold())?;
        writeln!(out, "  {}  {} {}", "event  ".dimmed(), scene.event.cyan(), scene.payload.dimmed())?;
        let order = match (verdict.runs.len(), verdict.order) {
            (0, _) => "no hook applies".to_owned(),
            (1, _) => "1 hook".to_owned(),
            (count, Order::Parallel) => format!("{count} hooks, all at once"),
            (count, Order::Sequential) => format!("{count} hooks, one after the other"),
        };
        writeln!(out, "  {}  {order}", "plan   ".dimmed())?;
        let width = verdict.runs.iter().map(|run| label(run).chars().count()).max().unwrap_or_default();
        for run in &verdict.runs {
            let took = duration(run.duration);
            writeln!(
                out,
                "  {}  {:width$}  {:7}  {took:>9}  {}",
                "run    ".dimmed(),
                label(run),
                run.hook.kind,
                opinion(run, &verdict.event)
            )?;
        }
        writeln!(out, "  {}  {}", "verdict".dimmed(), conclusion(verdict))?;
        for effect in effects(verdict) {
            writeln!(out, "           {effect}")?;
        }
        Ok(())
    }

    pub fn conclude(&self, events: usize, blocked: usize, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "\n{events} events, {blocked} refused or stopped. A hook that was too slow was ended and changed nothing."
        )?;
        writeln!(out, "Go on with:")?;
        for (command, purpose) in [
            ("hookrail hook --help", "put it into Claude Code, Gemini CLI, Codex and others"),
            ("hookrail serve --stdio", "the engine for an agent in any language"),
            ("hookrail --help", "everything else"),
        ] {
            writeln!(out, "  {}  {purpose}", format!("{command:24}").cyan())?;
        }
        Ok(())
    }

    pub fn write_json(&self, scene: &Scene, verdict: &Verdict, out: &mut dyn Write) -> io::Result<()> {
        let runs: Vec<Value> = verdict
            .runs
            .iter()
            .map(|run| {
                json!({
                    "hook": label(run),
                    "kind": run.hook.kind,
                    "source": run.hook.source.as_str(),
                    "success": run.success(),
                    "milliseconds": run.duration.as_secs_f64() * 1000.0,
                    "error": run.failure().map(ToString::to_string),
                })
            })
            .collect();
        let line = json!({
            "title": scene.title,
            "event": scene.event,
            "payload": payload(scene),
            "sequential": verdict.order == Order::Sequential,
            "runs": runs,
            "decision": verdict.decision,
            "success": verdict.success,
            "output": verdict.final_output.as_ref().map(|output| output.output().fields()),
        });
        writeln!(out, "{line}")
    }
}

/// The demo's hooks, as a settings file would have them.
fn settings() -> Value {
    let mut hooks = Map::new();
    for script in SCRIPTS {
        let groups = hooks.entry(script.event).or_insert_with(|| json!([]));
        if let Some(groups) = groups.as_array_mut() {
            groups.push(group(script));
        }
    }
    Value::Object(hooks)
}

fn group(script: &Script) -> Value {
    json!({
        "matcher": script.matcher,
        "hooks": [{
            "type": "command",
            "name": script.name,
            "command": format!("sh $LLXPRT_PROJECT_DIR/{}.sh", script.name),
            "timeout": script.timeout_ms,
            "on_error": script.on_error,
        }],
    })
}

fn payload(scene: &Scene) -> Map<String, Value> {
    serde_json::from_str(scene.payload).unwrap_or_default()
}

fn duration(time: Duration) -> String {
    if time < Duration::from_millis(1) {
        format!("{} µs", time.as_micros())
    } else {
        format!("{:.1} ms", time.as_secs_f64() * 1000.0)
    }
}

fn label(run: &HookRun) -> &str {
    &run.hook.id
}

fn opinion(run: &HookRun, event: &EventName) -> String {
    match (&run.status, &run.output) {
        (RunStatus::Failed(failure), _) => format!("{}", failure.to_string().yellow()),
        (_, None) => format!("{}", "nothing to say".dimmed()),
        (_, Some(output)) => {
            let decision = if output.stops() { Decision::Stop } else { output.decision_on(event) };
            if decision == Decision::None { "has something to add".to_owned() } else { coloured(decision) }
        }
    }
}

fn coloured(decision: Decision) -> String {
    match decision {
        Decision::Stop | Decision::Block => format!("{}", decision.as_str().red().bold()),
        Decision::Ask => format!("{}", decision.as_str().yellow()),
        Decision::Allow => format!("{}", decision.as_str().green()),
        Decision::None => format!("{}", "no objection".green()),
    }
}

fn conclusion(verdict: &Verdict) -> String {
    let decision = coloured(verdict.decision);
    match &verdict.final_output {
        Some(output) if verdict.decision >= Decision::Block => format!("{decision}: {}", output.get_effective_reason()),
        _ => decision,
    }
}

/// What else an agent has to apply.
fn effects(verdict: &Verdict) -> Vec<String> {
    let Some(output) = &verdict.final_output else { return Vec::new() };
    let mut effects = Vec::new();
    if let Some(input) = output.get_modified_tool_input() {
        effects.push(format!("the tool runs with {} instead", Value::Object(input.clone())));
    }
    if let Some(context) = output.get_additional_context() {
        effects.push(format!("the model is told: {context}"));
    }
    if let Some(message) = output.output().system_message() {
        effects.push(format!("system message: {message}"));
    }
    effects
}
