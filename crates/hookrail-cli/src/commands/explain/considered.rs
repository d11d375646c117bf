//! Every hook there is, and what became of it at one event.

use crate::hook::Case;
use crate::hook::args::Selection;
use crate::hook::selection::{self, Absence};
use crate::place::spelled;
use hookrail_core::{
    Decision, EventName, HookEntry, HookOutput, HookRun, Mode, NativeHook, Origin, RunStatus, Verdict,
};
use hookrail_engine::RealWorld;
use hookrail_engine::layers::{CommandHook, LayerKind};
use hookrail_packs::{CATALOGUE, Pack};
use serde::Serialize;
use serde_json::{Map, Value};
use std::time::Duration;

/// What became of a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    Ran,
    Failed,
    /// Planned, and not run.
    Skipped,
    /// Planned, and a hook before it ended the chain.
    NotReached,
    /// Its matcher does not match.
    NotMatched,
    /// Another hook runs the very same thing.
    Duplicate,
    NotConcerned,
    OtherEvent,
    Off,
    NotAsked,
}

/// One hook at one event.
#[derive(Clone, Debug, Serialize)]
pub struct Considered {
    pub hook: String,
    pub kind: &'static str,
    pub fate: Fate,
    pub why: String,
    pub mode: Mode,
    /// Who configured it: a layer, `default`, or a place in a file.
    pub source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Said>,
}

/// What a hook that was planned said.
#[derive(Clone, Debug, Serialize)]
pub struct Said {
    pub decision: Decision,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// What it changed of the operation.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub rewrite: Map<String, Value>,
    /// What it said in `warn` mode, where it does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withheld: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    pub micros: u64,
}

impl Said {
    pub fn of(run: &HookRun, event: &EventName) -> Self {
        let output = run.output.as_ref();
        let text = |text: Option<&str>| text.map(str::to_owned);
        let decision = output.map_or(Decision::None, |output| decision(output, event));
        let reason = output.and_then(|output| output.stop_reason().or_else(|| output.reason_on(event)));
        Self {
            decision,
            reason: text(reason),
            message: text(output.and_then(HookOutput::system_message)),
            context: text(output.and_then(HookOutput::additional_context)),
            rewrite: output.map(rewrite).unwrap_or_default(),
            withheld: run.withheld.clone().map(HookOutput::into_value),
            error: run.failure().map(ToString::to_string),
            micros: micros(run.duration),
        }
    }
}

pub fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

fn decision(output: &HookOutput, event: &EventName) -> Decision {
    if output.stops() { Decision::Stop } else { output.decision_on(event) }
}

/// The parts of an output that change the operation itself.
pub fn rewrite(output: &HookOutput) -> Map<String, Value> {
    const PARTS: [&str; 4] = ["tool_input", "llm_request", "llm_response", "toolConfig"];
    let part = |part: &&str| Some(((*part).to_owned(), Value::Object(output.specific_object(part)?.clone())));
    PARTS.iter().filter_map(part).collect()
}

/// All hooks: those of the plan in its order, then the others as the catalogue and the configuration have them.
pub fn all(case: &Case, selection: &Selection, verdict: &Verdict) -> Vec<Considered> {
    let planned = case.plan.as_ref().map_or(&[][..], |plan| &plan.hooks);
    let mut found: Vec<Considered> =
        planned.iter().enumerate().map(|(index, hook)| ran(hook, verdict.runs.get(index), case)).collect();
    let known = |id: &str| planned.iter().any(|hook| hook.id() == id);
    for pack in CATALOGUE {
        let rest = pack.hooks.iter().filter(|hook| !known(hook.id()));
        found.extend(rest.map(|hook| absent(pack, *hook, case, selection)));
    }
    let commands = case.settings.commands();
    let rest = commands.iter().filter(|hook| !planned.iter().any(|entry| is_entry_of(entry, hook)));
    found.extend(rest.map(|hook| absent_command(hook, case, selection)));
    found
}

fn ran(hook: &HookEntry, run: Option<&HookRun>, case: &Case) -> Considered {
    let (fate, why) = match run.map(|run| &run.status) {
        Some(RunStatus::Succeeded | RunStatus::Blocked) => (Fate::Ran, String::new()),
        Some(RunStatus::Failed(failure)) => (Fate::Failed, format!("{failure}; its on_error is `{}`", hook.on_error)),
        Some(RunStatus::Skipped(why)) => (Fate::Skipped, why.clone()),
        None => (Fate::NotReached, "a hook before it refused, and these run one after the other".to_owned()),
    };
    Considered {
        hook: hook.id().to_owned(),
        kind: hook.action.kind(),
        fate,
        why,
        mode: hook.mode,
        source: shown(&hook.origin, case),
        run: run.map(|run| Said::of(run, &case.event.name)),
    }
}

fn absent(pack: &Pack, hook: &'static dyn NativeHook, case: &Case, selection: &Selection) -> Considered {
    let mode = selection::mode(pack, hook, selection, &case.settings);
    let source = mode.layer.map_or("default", LayerKind::as_str);
    let absence = selection::native(pack, hook, selection, &case.settings, &case.event).err();
    let event = &case.event.name;
    let (fate, why) = match absence {
        Some(Absence::NotAsked) => (Fate::NotAsked, "the command line asks for others".to_owned()),
        // Whoever switched a hook off does not care for which events.
        _ if mode.value == Mode::Off => (Fate::Off, format!("mode off ({source})")),
        Some(Absence::OtherEvent) => {
            let events: Vec<&str> = hook.events().iter().map(EventName::as_str).collect();
            (Fate::OtherEvent, format!("listens to {}", events.join(", ")))
        }
        Some(Absence::NotConcerned | Absence::Off) | None => {
            (Fate::NotConcerned, format!("listens to {event}, and this one does not concern it"))
        }
    };
    Considered {
        hook: hook.id().to_owned(),
        kind: "native",
        fate,
        why,
        mode: mode.value,
        source: source.to_owned(),
        run: None,
    }
}

fn absent_command(hook: &CommandHook, case: &Case, selection: &Selection) -> Considered {
    let event = &case.event;
    let planned = case.plan.as_ref().map_or(&[][..], |plan| &plan.hooks);
    let twin = planned.iter().find(|other| other.action.kind() == "command" && other.action.subject() == hook.command);
    let matcher = hook.matcher.as_deref().unwrap_or("*");
    let (fate, why) = if selection.is_explicit() {
        (Fate::NotAsked, "the command line asks for others".to_owned())
    } else if hook.mode == Mode::Off {
        (Fate::Off, format!("mode off ({})", hook.layer.as_str()))
    } else if EventName::parse(&hook.event) != event.name {
        (Fate::OtherEvent, format!("listens to {}", hook.event))
    } else if let Some(twin) = twin.filter(|_| selection::applies(hook, event)) {
        (Fate::Duplicate, format!("`{}` runs the same command", twin.id()))
    } else {
        let subject = event.match_subject().unwrap_or_default();
        (Fate::NotMatched, format!("its matcher `{matcher}` does not match `{subject}`"))
    };
    Considered {
        hook: hook.name.clone(),
        kind: "command",
        fate,
        why,
        mode: hook.mode,
        source: shown(&hook.origin, case),
        run: None,
    }
}

fn shown(origin: &Origin, case: &Case) -> String {
    spelled(&origin.to_string(), &case.project, &RealWorld::default())
}

fn is_entry_of(entry: &HookEntry, hook: &CommandHook) -> bool {
    entry.action.kind() == "command" && entry.origin == hook.origin
}
