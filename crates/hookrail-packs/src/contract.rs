//! How a pack's own document wants it to be asked and to answer.

use crate::PluginHook;
use hookrail_core::{Event, HookError, Verdict, World};
use serde_json::{Map, Value};
use std::fmt::Debug;

/// The terms of a pack's document, where they differ from those of the agents. They count when the command line names this
/// pack alone, or one of its hooks.
pub trait PackContract: Debug + Sync {
    /// The agents it can do something for; `None` for all.
    fn agents(&self) -> Option<&'static [&'static str]> {
        None
    }

    /// Adds to a payload what the document takes for granted and an agent would say. `hook` is the one that is asked, if the
    /// command line names one.
    fn complete(&self, _payload: &mut Map<String, Value>, _hook: Option<&str>) {}

    /// Notes in a payload that the document's own form is asked for (`--contract spec`), for a pack that then writes other files.
    fn note_spec(&self, _payload: &mut Map<String, Value>) {}

    /// The hooks that an entry of the plugin calls one by one, so that each can be switched there; none if one command calls the
    /// whole pack.
    fn called_singly(&self, _entry: &PluginHook) -> Vec<&'static str> {
        Vec::new()
    }

    /// Whether `install` calls it by an entry of its own, so that its own form of an answer reaches the agent.
    fn has_own_entry(&self) -> bool {
        false
    }

    /// Whether its document wants an agent that does not find the program to go on as if there were no hook.
    fn is_silent_without_program(&self) -> bool {
        false
    }

    /// The checks that an agent's own model can make in place of a hook.
    fn model_hooks(&self) -> &'static [ModelHook] {
        &[]
    }

    /// Whether the plugin ships a script per hook, which asks it in the document's own form.
    fn ships_scripts(&self) -> bool {
        false
    }

    /// Whether input that is no event is an error; otherwise it is told, and the agent goes on.
    fn refuses_unreadable_input(&self) -> bool {
        false
    }

    /// What to answer.
    fn reply(&self, _event: &Event, _verdict: &Verdict) -> Reply {
        Reply::Usual
    }

    /// What to answer in the document's own form (`--contract spec`), if that is another.
    fn spec_reply(&self, event: &Event, verdict: &Verdict) -> Reply {
        self.reply(event, verdict)
    }

    /// After how many failures in a row its hooks rest, if its own configuration says so. Asked when one has failed.
    fn breaker_threshold(&self, _event: &Event, _world: &dyn World) -> Option<u32> {
        None
    }

    /// Finishes what an earlier process of the session left half done. Called at every event of every session, whatever is
    /// selected or switched off, before anything else happens: if there is nothing to finish it must cost next to nothing.
    fn recover(&self, _event: &Event, _world: &dyn World) -> Result<(), HookError> {
        Ok(())
    }
}

/// A check that an agent's own model makes in place of one of the pack's hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelHook {
    /// The hook it stands for.
    pub hook: &'static str,
    /// Claude Code's name of the event.
    pub event: &'static str,
    /// The `type` of the entry: `agent` reads files, `prompt` does not.
    pub kind: &'static str,
    pub prompt: &'static str,
    pub timeout_seconds: u32,
}

/// A pack's own answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// None: the verdict is written in the usual form.
    Usual,
    /// All is well; this goes to stdout, unless it is empty.
    Output(String),
    /// All is well; this goes to stderr, for whoever looks there.
    Note(String),
    /// It must not happen: these texts as they are, and the exit code that agents take for a refusal.
    Refusal { stdout: String, stderr: String },
    /// The hook could not do its work. Told on stderr, with an exit code that says so.
    Error(String),
}

/// Nothing of its own.
#[derive(Debug)]
pub struct UsualContract;

impl PackContract for UsualContract {}
