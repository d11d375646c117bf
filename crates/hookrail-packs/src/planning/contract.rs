use super::config::Config;
use super::feature::Checkout;
use super::plugin;
use crate::PluginHook;
use crate::contract::{PackContract, Reply};
use hookrail_core::{Decision, Event, EventName, HookOutput, Verdict, World};
use serde_json::{Map, Value, json};

/// The document's own terms: a denied call is JSON on stderr and exit code 2, a refused stop JSON on stdout, its reason on
/// stderr and exit code 2, everything else that is worth saying a message. An allow is silence (errata X2).
#[derive(Debug)]
pub struct PlanningContract;

impl PackContract for PlanningContract {
    fn complete(&self, payload: &mut Map<String, Value>, hook: Option<&str>) {
        if let Some(hook) = hook {
            plugin::complete(payload, hook);
        }
    }

    fn called_singly(&self, entry: &PluginHook) -> Vec<&'static str> {
        plugin::called_by(entry)
    }

    /// Every hook of the document lets things happen if it cannot run.
    fn is_silent_without_program(&self) -> bool {
        true
    }

    fn ships_scripts(&self) -> bool {
        true
    }

    fn spec_reply(&self, event: &Event, verdict: &Verdict) -> Reply {
        let said = VerdictTexts::read(verdict);
        match (verdict.decision(), &event.name) {
            (Decision::Block | Decision::Stop, EventName::AfterAgent | EventName::SubagentStop) => said.refuse_stop(),
            (Decision::Block | Decision::Stop, _) => said.deny(),
            (Decision::Ask, _) => Reply::Usual,
            (Decision::None | Decision::Allow, EventName::AfterTool) => Reply::Output(said.text()),
            (Decision::None | Decision::Allow, _) => said.tell(),
        }
    }

    fn breaker_threshold(&self, event: &Event, world: &dyn World) -> Option<u32> {
        let checkout = Checkout::of(event, world).ok()?;
        Config::find(&checkout, world).ok()?.breaker_threshold()
    }
}

/// The texts of a verdict; empty where there is none.
struct VerdictTexts<'a> {
    reason: &'a str,
    message: &'a str,
    context: &'a str,
}

impl<'a> VerdictTexts<'a> {
    fn read(verdict: &'a Verdict) -> Self {
        let output = verdict.final_output();
        let text = |read: fn(&HookOutput) -> Option<&str>| output.and_then(read).unwrap_or_default();
        let reason = match text(HookOutput::reason) {
            "" => text(HookOutput::stop_reason),
            reason => reason,
        };
        Self { reason, message: text(HookOutput::system_message), context: text(HookOutput::additional_context) }
    }

    /// What user and model are told, once if it is the same.
    fn text(&self) -> String {
        match (self.message, self.context) {
            (message, context) if context.is_empty() || message.contains(context) => message.to_owned(),
            ("", context) => context.to_owned(),
            (message, context) => format!("{message}\n{context}"),
        }
    }

    fn deny(&self) -> Reply {
        let message =
            if self.message.is_empty() { self.reason.to_owned() } else { format!("{}\n{}", self.reason, self.message) };
        let answer = json!({"hookSpecificOutput": {"permissionDecision": "deny"}, "systemMessage": message});
        Reply::Refusal { stdout: String::new(), stderr: answer.to_string() }
    }

    fn refuse_stop(&self) -> Reply {
        let message = if self.message.is_empty() { self.reason } else { self.message };
        let answer = json!({"decision": "block", "reason": self.reason, "systemMessage": message});
        Reply::Refusal { stdout: answer.to_string(), stderr: self.reason.to_owned() }
    }

    fn tell(&self) -> Reply {
        let text = self.text();
        Reply::Output(if text.is_empty() { text } else { json!({"systemMessage": text}).to_string() })
    }
}
