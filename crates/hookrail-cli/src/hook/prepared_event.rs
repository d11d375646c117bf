//! One event of an agent: from its bytes to the bytes of the answer.

use super::args::{Args, Contract, sole_pack};
use super::drift;
use super::input::read_event;
use super::machine::Machine;
use super::turn::Turn;
use crate::error::CliError;
use crate::last_word;
use hookrail_core::{Event, EventName, Verdict, display};
use hookrail_dialects::{Dialect, EncodedAnswer, detect};
use hookrail_engine::layers::{Settings, project_root};
use hookrail_engine::trust::name_scripts;
use hookrail_engine::{Config, Engine, Memory, Selection, timestamp};
use hookrail_packs::{Pack, Reply, packs};
use hookrail_store::{EventStore, SessionId, Store};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An event, and the engine that decides it. Shared with whoever answers if a hook does not come back.
pub struct PreparedEvent {
    pub dialect: &'static dyn Dialect,
    pub event: Arc<Event>,
    pub project: PathBuf,
    pub engine: Engine,
    turn: Turn,
    form: Form,
}

/// How the answer is written.
struct Form {
    contract: Contract,
    /// The pack whose own terms apply, if there is one.
    pack: Option<&'static Pack>,
    /// What hookrail has to say about itself, whatever is decided.
    notices: Vec<String>,
    /// What the user is told about hooks that the agent does not ask.
    drift: Option<String>,
}

/// What became of an event.
pub struct Decided {
    pub verdict: Verdict,
    pub answer: EncodedAnswer,
}

/// Reads the event in `input`; an error is the answer to one that cannot be read.
pub fn receive(args: &Args, machine: &impl Machine, input: &[u8]) -> Result<Arc<PreparedEvent>, EncodedAnswer> {
    let payload = read_event(input).map_err(|error| match input.iter().all(u8::is_ascii_whitespace) {
        true => CliError::input("there is no event on stdin"),
        false => CliError::input(format!("stdin is not a JSON object: {error}")),
    });
    let prepared = payload.and_then(|payload| PreparedEvent::receive(args, machine, payload));
    prepared.map_err(|why| refuse_input(args, machine, &why.to_string()))
}

/// An event that cannot be read is reported on stderr and in the journal. It stops the agent only if a hook that would have been asked
/// says that its failure does, or the pack that was named does.
pub fn refuse_input(args: &Args, machine: &impl Machine, why: &str) -> EncodedAnswer {
    let project = project_root(machine.world(), &working_folder());
    let settings = machine.settings(&project);
    let pack = sole_pack(&args.selection);
    let agent = args.agent.map_or("", |dialect| dialect.name());
    let config = configure(machine, "", &project, &args.selection, settings).agent(agent);
    let verdict = Engine::open_once(config).map(|engine| engine.refuse_unreadable(why));
    let refused = verdict.as_ref().is_ok_and(|verdict| verdict.refusal().is_some());
    let mut answer = error_answer(why, args.contract);
    if refused {
        answer.exit_code = 2;
    } else if !pack.is_some_and(|pack| pack.contract.refuses_unreadable_input()) {
        answer.exit_code = 0;
    }
    if answer.exit_code != 2 {
        let notices = verdict.iter().flat_map(Verdict::notices);
        answer.stderr.extend(notices.map(|notice| format!("hookrail: {}\n", display::block(notice))));
    }
    answer
}

impl PreparedEvent {
    /// Reads an event and opens the engine that decides it.
    pub fn receive(
        args: &Args,
        machine: &impl Machine,
        mut payload: Map<String, Value>,
    ) -> Result<Arc<Self>, CliError> {
        if let Some(pack) = sole_pack(&args.selection) {
            pack.contract.complete(&mut payload, args.selection.hook.as_deref());
            if args.contract == Contract::Spec {
                pack.contract.note_spec(&mut payload);
            }
        }
        let world = machine.world();
        let dialect = args.agent.unwrap_or_else(|| detect(&payload, &|name| world.env(name)));
        let names_tool = payload.keys().any(|key| key.starts_with("tool"));
        let event = dialect.decode(payload);
        // Without a name it could be before the tool, where guards have to look.
        if names_tool && event.native_name.is_empty() && event.name.as_str().is_empty() {
            return Err(CliError::input("the event has no name"));
        }
        Self::open(args, machine, dialect, event)
    }

    /// Opens the engine that decides an event of an agent.
    pub fn open(
        args: &Args,
        machine: &impl Machine,
        dialect: &'static dyn Dialect,
        mut event: Event,
    ) -> Result<Arc<Self>, CliError> {
        last_word::know_event(&event.name);
        let (world, pack) = (machine.world(), sole_pack(&args.selection));
        if event.cwd.as_os_str().is_empty() {
            event.cwd = working_folder();
        }
        if event.timestamp.is_empty() {
            event.timestamp = timestamp();
        }
        let project = project_root(world, &event.cwd);
        let turn = Turn::recall(dialect, machine.store(), &project, &mut event);
        let settings = machine.settings(&project);
        let drift = drift::news(machine, dialect, &event, &project, &settings);
        let config = configure(machine, &event.session_id, &project, &args.selection, settings).agent(dialect.name());
        let engine = Engine::open_once(config).map_err(CliError::machine)?;
        // Without a place for state hooks still decide; nothing is recorded, and that is said.
        let notices = machine.state().err().map(str::to_owned).into_iter().collect();
        let form = Form { contract: args.contract, pack, notices, drift };
        Ok(Arc::new(Self { dialect, event: Arc::new(event), project, engine, turn, form }))
    }

    /// Asks the engine and answers. `late` is called in place of returning if a hook does not come back, and must end the
    /// process.
    pub fn decide(self: &Arc<Self>, late: impl FnOnce(Decided) + Send + 'static) -> Decided {
        let prepared = Arc::clone(self);
        let verdict = self.engine.decide_or_end(&self.event, move |verdict| late(prepared.conclude(verdict)));
        self.conclude(verdict)
    }

    /// Whether the journal goes to a fleet now: when a session ends, and when one begins, for agents that do not tell the end.
    pub fn is_time_to_sync(&self) -> bool {
        let is_edge = matches!(self.event.name, EventName::SessionEnd | EventName::SessionStart);
        is_edge && self.engine.hooks().settings().fleet().is_some()
    }

    /// What hooks say about anything goes to a terminal and to a model, and must not steer either of them.
    fn conclude(&self, mut verdict: Verdict) -> Decided {
        self.turn.conclude(&self.event, &mut verdict);
        if let Some(drift) = &self.form.drift {
            verdict.add_message(drift);
        }
        if !self.dialect.can_ask(&self.event) && !self.engine.hooks().settings().refuses_unanswered() {
            verdict.pass_unanswered();
        }
        verdict.edit_texts(|output| {
            let texts = [&mut output.reason, &mut output.stop_reason, &mut output.message, &mut output.context];
            for text in texts.into_iter().flatten() {
                if let Cow::Owned(safe) = display::block(text) {
                    *text = safe;
                }
            }
        });
        Decided { answer: self.write(&verdict), verdict }
    }

    fn write(&self, verdict: &Verdict) -> EncodedAnswer {
        let contract = self.form.contract;
        let reply = self.form.pack.map_or(Reply::Usual, |pack| match contract {
            Contract::Agent => pack.contract.reply(&self.event, verdict),
            Contract::Spec => pack.contract.spec_reply(&self.event, verdict),
        });
        let mut answer = match (reply, contract) {
            (Reply::Usual, Contract::Agent) => self.dialect.encode(&self.event, verdict),
            (Reply::Usual, Contract::Spec) => spec_answer(verdict),
            (Reply::Output(text), _) if text.is_empty() => EncodedAnswer::silent(),
            (Reply::Output(text), _) => EncodedAnswer { stdout: format!("{text}\n"), ..EncodedAnswer::silent() },
            (Reply::Note(text), _) => {
                EncodedAnswer { stderr: format!("hookrail: {text}\n"), ..EncodedAnswer::silent() }
            }
            (Reply::Refusal { stdout, stderr }, _) => refusal(&stdout, &stderr),
            (Reply::Error(text), contract) => error_answer(&text, contract),
        };
        // Exit code 2 hands stderr to the model; what hookrail has to say about itself is not for it.
        if answer.exit_code != 2 {
            for line in self.form.notices.iter().chain(verdict.notices()) {
                answer.stderr.push_str(&format!("hookrail: {}\n", display::block(line)));
            }
        }
        answer
    }
}

/// What an engine for an agent's events stands on.
fn configure(
    machine: &impl Machine,
    session: &str,
    project: &Path,
    selection: &Selection,
    mut settings: Settings,
) -> Config {
    name_scripts(&mut settings, project, machine.state().ok(), machine.world());
    let kept = machine.store().zip(machine.state().ok());
    let kept = kept.map(|(store, folder)| (Arc::new(EventStore::new(store)) as Arc<dyn Store>, folder));
    let memory = kept.as_ref().map(|(store, folder)| Memory {
        store: Arc::clone(store),
        session: SessionId::new(session, project),
        folder: (*folder).to_owned(),
    });
    let config = Config::new(session, project)
        .project(project)
        .packs(packs())
        .select(selection.clone())
        .world(machine.world_of_event(&settings, memory))
        .external(machine.external())
        .network(machine.network())
        .on_progress(last_word::follow)
        .settings(settings);
    match kept {
        Some((store, folder)) => config.store(store, folder),
        None => config,
    }
}

/// For agents that do not name their folder; empty if it cannot be determined.
#[expect(clippy::disallowed_methods, reason = "the event does not bring a working directory")]
fn working_folder() -> PathBuf {
    std::env::current_dir().unwrap_or_default()
}

/// A pack's own form of an error.
fn error_answer(text: &str, contract: Contract) -> EncodedAnswer {
    EncodedAnswer {
        stdout: String::new(),
        stderr: format!("hookrail: {}\n", display::block(text)),
        exit_code: contract.error_code(),
    }
}

/// A pack's own form of a refusal. Agents take exit code 2 for one.
fn refusal(stdout: &str, stderr: &str) -> EncodedAnswer {
    let line = |text: &str| if text.is_empty() { String::new() } else { format!("{text}\n") };
    EncodedAnswer { stdout: line(stdout), stderr: line(stderr), exit_code: 2 }
}

/// The protocol's own form: the merged output as JSON.
fn spec_answer(verdict: &Verdict) -> EncodedAnswer {
    let stdout = verdict.final_output().map(|output| format!("{}\n", output.to_json())).unwrap_or_default();
    EncodedAnswer { stdout, stderr: String::new(), exit_code: 0 }
}
