//! For which events and tools an agent has to call hookrail.

use super::command_line::HookCommand;
use crate::hook::args::Selection;
use hookrail_core::{DEFAULT_TIMEOUT, EventName, Mode, NativeHook};
use hookrail_dialects::{Dialect, Layout, ToolReach};
use hookrail_engine::NATIVE_TIMEOUT;
use hookrail_engine::layers::{CommandHook, Settings};
use hookrail_packs::{CATALOGUE, ModelHook, Pack, PluginHook, model_hooks};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// What an agent grants beyond the longest hook. Without it the agent would end hookrail just when a hook is too late, and
/// its `on_error` would never be heard.
const GRACE: Duration = Duration::from_secs(5);

/// One event for which an agent calls hookrail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registration {
    /// In the agent's own spelling.
    pub event: &'static str,
    pub matcher: Option<String>,
    /// In the agent's own unit.
    pub timeout: u64,
    /// The pack that this entry calls alone; `None` for the entry of all others.
    pub pack: Option<&'static str>,
    /// Packs that other entries of the event call.
    pub without: Vec<&'static str>,
    pub handler: Handler,
}

/// What an agent does at an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Handler {
    /// It runs hookrail.
    #[default]
    Program,
    /// It runs hookrail, and goes on in silence if that is missing.
    ProgramIfFound,
    /// It asks its own model.
    Model(&'static ModelHook),
}

/// Which of an agent's own models verifies completed tasks, in place of hookrail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Verifier {
    /// A model with tools, which reads the plan and the files
    Agent,
    /// A model that reads the report alone
    Prompt,
}

impl Verifier {
    /// The `type` of the entry.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Prompt => "prompt",
        }
    }

    /// What `install` has written down.
    pub fn parse(kind: &str) -> Option<Self> {
        [Self::Agent, Self::Prompt].into_iter().find(|verifier| verifier.kind() == kind)
    }

    /// Its check in an agent; `None` if the agent has no hooks of this type.
    fn hook(self, agent: &dyn Dialect) -> Option<&'static ModelHook> {
        let hook = model_hooks().find(|hook| hook.kind == self.kind())?;
        let not_on = agent.agent().hook_type(hook.kind)?.not_on?;
        let heard = agent.native_events().contains(&hook.event) && !not_on.contains(&hook.event);
        heard.then_some(hook)
    }
}

/// Everything an agent has to know.
#[derive(Clone, Debug, Default)]
pub struct Registrations {
    pub entries: Vec<Registration>,
    /// Hooks that never run in this agent, because it has none of their events or tools.
    pub idle: Vec<String>,
    /// The checks that a model of the agent could make in place of a hook.
    pub offers: Vec<&'static ModelHook>,
}

/// What hooks want of one event.
struct EventDemand {
    event: EventName,
    reach: ToolReach,
    /// What the agent has to grant.
    time: Duration,
    /// A pack that is called by itself.
    pack: Option<&'static str>,
    /// Whether its document wants silence where the program is missing.
    quiet: bool,
}

impl EventDemand {
    /// What has to be seen as well, so that this event can be answered.
    fn companions(&self, agent: &dyn Dialect) -> impl Iterator<Item = Self> {
        let companion = |event: &EventName| Self { event: event.clone(), reach: ToolReach::Every, ..*self };
        agent.companions(&self.event).iter().map(companion)
    }
}

impl Registrations {
    /// What the hooks need that are switched on, or that the command line asks for.
    pub fn gather(agent: &dyn Dialect, selection: &Selection, verifier: Option<Verifier>, settings: &Settings) -> Self {
        let mut wishes: Vec<EventDemand> = Vec::new();
        let (mut idle, mut offers, mut models) = (Vec::new(), Vec::new(), Vec::new());
        for (pack, hook) in CATALOGUE.iter().flat_map(|pack| pack.hooks.iter().map(move |hook| (pack, *hook))) {
            let included = selection.includes(pack, hook.id());
            if !included || hookrail_engine::mode(pack, hook, selection, settings).value == Mode::Off {
                continue;
            }
            let offered = [Verifier::Agent, Verifier::Prompt].into_iter().filter_map(|it| it.hook(agent));
            offers.extend(offered.filter(|model| model.hook == hook.id()));
            if let Some(model) = verifier.and_then(|it| it.hook(agent)).filter(|model| model.hook == hook.id()) {
                models.push(model);
                continue;
            }
            let usual = hook.profile().timeout.unwrap_or(NATIVE_TIMEOUT);
            let own = settings.configured_timeout(hook.id(), usual);
            let heard = hook.events().iter().filter_map(|event| reach(pack, hook, event, agent).map(|it| (event, it)));
            let before = wishes.len();
            let alone = pack.contract.has_own_entry().then_some(pack.name);
            wishes.extend(heard.map(|(event, reach)| {
                let time = match (own, documented_time(pack, event)) {
                    (Some(own), _) => own + GRACE,
                    (None, Some(documented)) => documented,
                    (None, None) => usual + GRACE,
                };
                let quiet = pack.contract.is_silent_without_program();
                EventDemand { event: event.clone(), reach, time, pack: alone, quiet }
            }));
            if wishes.len() == before {
                idle.push(hook.id().to_owned());
            }
        }
        let ruled = hookrail_engine::rule_events(selection, settings).into_iter();
        wishes.extend(ruled.filter(|event| agent.native_event(event).is_some()).map(|event| EventDemand {
            event,
            reach: ToolReach::Every,
            time: NATIVE_TIMEOUT + GRACE,
            pack: None,
            quiet: false,
        }));
        if !selection.is_exclusive() {
            let commands = settings.commands();
            wishes.extend(commands.iter().filter(|command| command.mode != Mode::Off).map(|command| EventDemand {
                event: EventName::parse(&command.event),
                reach: ToolReach::Every,
                time: time_with(command, &commands) + GRACE,
                pack: None,
                quiet: false,
            }));
        }
        let companions: Vec<EventDemand> = wishes.iter().flat_map(|wish| wish.companions(agent)).collect();
        wishes.extend(companions);
        let mut entries = merge(agent, &wishes);
        entries.extend(models.into_iter().map(|model| model_entry(agent, model)));
        Self { entries, idle, offers }
    }
}

/// The entry of a check that a model makes.
fn model_entry(agent: &dyn Dialect, model: &'static ModelHook) -> Registration {
    Registration {
        event: model.event,
        matcher: None,
        timeout: agent.format().timeout_unit.write(Duration::from_secs(model.timeout_seconds.into())),
        pack: None,
        without: Vec::new(),
        handler: Handler::Model(model),
    }
}

/// How long a pack's document lets an agent wait at an event, as its plugin registers it. Where packs share an entry the
/// longest counts.
fn documented_time(pack: &Pack, event: &EventName) -> Option<Duration> {
    let claude = hookrail_dialects::dialect("claude")?;
    let rows = pack.plugin.iter().filter(|row| claude.event(row.event).as_ref() == Some(event));
    rows.map(|row| Duration::from_secs(row.timeout_seconds.into())).max()
}

/// How long a command hook and those take that wait for it, or that it waits for.
fn time_with(command: &CommandHook, all: &[CommandHook]) -> Duration {
    let time = |command: &CommandHook| command.timeout.unwrap_or(DEFAULT_TIMEOUT);
    if command.sequential {
        all.iter().filter(|other| other.event == command.event).map(time).sum()
    } else {
        time(command)
    }
}

/// The tools a hook is asked about at an event; `None` if it never is in this agent.
fn reach(pack: &Pack, hook: &dyn NativeHook, event: &EventName, agent: &dyn Dialect) -> Option<ToolReach> {
    agent.native_event(event)?;
    if pack.contract.agents().is_some_and(|agents| !agents.contains(&agent.name())) {
        return None;
    }
    // What a pack's plugin registers is what those of its hooks need that are on by default. What it leaves to Claude Code's
    // own model is hookrail's to judge here: only commands are registered.
    let claude = hookrail_dialects::dialect("claude")?;
    let is_meant = |row: &&PluginHook| claude.event(row.event).as_ref() == Some(event);
    let rows = pack
        .plugin
        .iter()
        .filter(is_meant)
        .filter(|_| hook.profile().default_mode.is_none() && !hook.profile().is_preview);
    let reaches = rows.map(|row| ToolReach::translate(row.matcher, agent));
    Some(reaches.reduce(ToolReach::and).unwrap_or(ToolReach::Every)).filter(|reach| !reach.is_nothing())
}

/// One registration per event: one process answers for all hooks, but for those of packs that are called by themselves.
fn merge(agent: &dyn Dialect, wishes: &[EventDemand]) -> Vec<Registration> {
    let format = agent.format();
    let registration = |native: &'static str, pack: Option<&'static str>| {
        let event = agent.event(native)?;
        let wishes: Vec<&EventDemand> = wishes.iter().filter(|wish| wish.event == event && wish.pack == pack).collect();
        let reach = wishes.iter().map(|wish| wish.reach.clone()).reduce(ToolReach::and)?;
        let time = wishes.iter().map(|wish| wish.time).max()?;
        let most = format.event_timeouts.iter().find(|special| special.event == event).and_then(|it| it.at_most);
        Some(Registration {
            event: native,
            matcher: reach.matcher(agent.agent(), native),
            timeout: format.timeout_unit.write(most.map_or(time, |most| time.min(most))),
            pack,
            without: Vec::new(),
            // Only a command that a shell reads can look for the program first.
            handler: match format.layout == Layout::Groups && wishes.iter().all(|wish| wish.quiet) {
                true => Handler::ProgramIfFound,
                false => Handler::Program,
            },
        })
    };
    // An event may have several names; the agent is told the one that is to be installed.
    let natives = agent.native_events().into_iter();
    let installed =
        natives.filter(|native| agent.event(native).and_then(|it| agent.native_event(&it)) == Some(*native));
    let own = CATALOGUE.iter().filter(|pack| pack.contract.has_own_entry()).map(|pack| pack.name);
    let packs: Vec<Option<&'static str>> = [None].into_iter().chain(own.map(Some)).collect();
    let registrations = |native| packs.iter().filter_map(|pack| registration(native, *pack)).collect::<Vec<_>>();
    installed.flat_map(|native| apart(registrations(native))).collect()
}

/// Entries of one event, of which the one for all leaves out what the others call: no hook is asked twice.
fn apart(mut entries: Vec<Registration>) -> Vec<Registration> {
    let own: Vec<&'static str> = entries.iter().filter_map(|entry| entry.pack).collect();
    entries.iter_mut().filter(|entry| entry.pack.is_none()).for_each(|entry| entry.without.clone_from(&own));
    entries
}

impl Registration {
    /// The command of this entry: that of all, or with its own pack in the place of those.
    fn command(&self, command: &str) -> String {
        let all = |command: &str| command.split(" --pack ").next().unwrap_or(command).to_owned();
        let mut line = self.pack.map_or_else(|| command.to_owned(), |pack| format!("{} --pack {pack}", all(command)));
        line.extend(self.without.iter().map(|pack| format!(" --without {pack}")));
        if self.handler == Handler::ProgramIfFound { HookCommand::if_found(&line) } else { line }
    }

    /// The `type` of the entry.
    pub fn kind(&self) -> &'static str {
        match self.handler {
            Handler::Program | Handler::ProgramIfFound => "command",
            Handler::Model(model) => model.kind,
        }
    }

    /// The entry as it stands in the agent's file.
    pub fn group(&self, agent: &dyn Dialect, command: &str) -> Value {
        let format = agent.format();
        if let Handler::Model(model) = self.handler {
            let handler = json!({ "type": model.kind, "prompt": model.prompt, "timeout": self.timeout });
            return json!({ "hooks": [handler] });
        }
        let command = self.command(command);
        let mut handler = Map::new();
        let mut put = |key: &str, value: Value| handler.insert(key.to_owned(), value);
        if let Layout::Tables(keys) = format.layout {
            if let Some(name) = keys.name {
                put(name, json!(format!("hookrail-{}", self.event.replace('_', "-"))));
            }
            put(keys.event, json!(self.event));
        } else if format.layout == Layout::Groups || !agent.agent().type_optional {
            put("type", json!("command"));
        }
        put(format.command_key, json!(command));
        if let Some(key) = format.timeout_key {
            put(key, json!(self.timeout));
        }
        let mut outer = Map::new();
        match (format.layout, &self.matcher) {
            (Layout::Tables(keys), Some(matcher)) => drop(handler.insert(keys.matcher.to_owned(), json!(matcher))),
            (Layout::Flat, Some(matcher)) => drop(handler.insert("matcher".to_owned(), json!(matcher))),
            (Layout::Groups, Some(matcher)) => drop(outer.insert("matcher".to_owned(), json!(matcher))),
            (Layout::Scripts | Layout::Module, _) | (_, None) => {}
        }
        match format.layout {
            Layout::Groups => {
                outer.insert("hooks".to_owned(), json!([handler]));
                Value::Object(outer)
            }
            Layout::Scripts => json!({ format.command_key: command }),
            Layout::Flat | Layout::Tables(_) | Layout::Module => Value::Object(handler),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_core::Event;
    use hookrail_core::ToolKind;
    use hookrail_dialects::ToolClass;

    /// A call that has something for every guard.
    fn call(agent: &dyn Dialect, event: &str, tool: &str) -> Event {
        let path = "/p/.isdlc/state.json";
        let patch = format!("*** Begin Patch\n*** Update File: {path}\n*** End Patch");
        let command = if tool == "apply_patch" { patch.clone() } else { format!("git commit > {path}") };
        let input = json!({
            "command": command, "file_path": path, "absolute_path": path, "notebook_path": path, "path": path,
            "patch_content": patch, "content": "x", "url": "https://example.org", "query": "x",
            "subagent_type": "software-developer", "agent_name": "software-developer", "subagent_name": "software-developer",
            "agent_type": "software-developer", "prompt": "phase 06-implementation", "goal_prompt": "x", "message": "x",
            "skill": "isdlc", "name": "isdlc", "questions": [{ "question": "x" }],
        });
        let payload = json!({
            "hook_event_name": event, "session_id": "s", "cwd": "/p", "tool_name": tool, "tool_input": input,
            "tool_response": "done",
        });
        agent.decode(payload.as_object().unwrap().clone())
    }

    fn reaches(agent: &dyn Dialect, entries: &[Registration], event: &str, tool: &str) -> bool {
        entries.iter().filter(|entry| entry.event == event).any(|entry| {
            let matcher = entry.matcher.as_deref().map(|text| text.trim_start_matches("re:"));
            hookrail_core::Matcher::compile(matcher, agent.agent().matcher_style()).0.matches_name(tool)
        })
    }

    #[test]
    fn no_matcher_keeps_a_call_from_a_hook_that_it_concerns() {
        let settings = Settings::default();
        let (mut asked, mut unheard) = (0, Vec::new());
        for agent in hookrail_dialects::all().iter().copied() {
            let tools = ToolClass::ALL.iter().flat_map(|class| agent.tool_names(*class));
            let tools: Vec<&str> = tools
                .chain(["WebSearch", "google_web_search", "mcp__a__b", "mcp_a_b", "MCP:b", "TaskUpdate"])
                .collect();
            let meant = |pack: &&Pack| pack.contract.agents().is_none_or(|it| it.contains(&agent.name()));
            for pack in CATALOGUE.iter().filter(meant) {
                let selection = Selection { packs: vec![pack.name], ..Selection::default() };
                let entries = Registrations::gather(agent, &selection, None, &settings).entries;
                let on = |hook: &&&dyn NativeHook| {
                    hookrail_engine::mode(pack, **hook, &selection, &settings).value != Mode::Off
                };
                for hook in pack.hooks.iter().filter(on) {
                    for native in hook.events().iter().filter_map(|event| agent.native_event(event)) {
                        for tool in &tools {
                            let event = call(agent, native, tool);
                            // An unknown tool has no name that a matcher could hold.
                            let known = event.tool.as_ref().is_some_and(|tool| tool.kind != ToolKind::Other);
                            if known && hook.concerns(&event) {
                                asked += 1;
                                if !reaches(agent, &entries, native, tool) {
                                    unheard.push(format!("{}: {} at {native} of {tool}", agent.name(), hook.id()));
                                }
                            }
                        }
                    }
                }
            }
        }
        assert_eq!(unheard, Vec::<String>::new());
        assert!(asked > 100, "the calls concern hardly any hook: {asked}");
    }
}
