use crate::{Decision, HookOutput, HookRun};
use serde::{Deserialize, Serialize};
use std::fmt;

/// How seriously a hook is taken. The order is that of strictness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Not run at all.
    Off,
    /// A silent dry run: what the hook would have done is recorded, and neither told nor done.
    Shadow,
    /// A dry run: what the hook would have done is recorded and told to the user, and not done.
    Warn,
    /// What the hook decides happens.
    #[default]
    Enforce,
}

impl Mode {
    /// Reads the word of a configuration file; `None` for any other word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "off" => Some(Self::Off),
            "shadow" => Some(Self::Shadow),
            "warn" => Some(Self::Warn),
            "enforce" => Some(Self::Enforce),
            _ => None,
        }
    }

    /// The word for it in configuration files and in the journal.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Shadow => "shadow",
            Self::Warn => "warn",
            Self::Enforce => "enforce",
        }
    }

    /// Takes the teeth out of a run in `warn` or `shadow` mode. What the hook said is kept in [`HookRun::withheld`].
    pub fn apply(self, run: &mut HookRun) {
        if !matches!(self, Self::Warn | Self::Shadow) {
            return;
        }
        let Some(output) = run.output.take() else { return };
        let told = if self == Self::Warn { report(&run.hook.id, &output) } else { String::new() };
        run.output = (!told.is_empty()).then(|| HookOutput::message(&told));
        run.withheld = Some(Box::new(output));
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What the user is told about something that was not done; empty if there was nothing to do.
fn report(hook: &str, output: &HookOutput) -> String {
    let deed = match output.verdict() {
        Decision::Stop => "stopped the agent",
        Decision::Block => "blocked this",
        Decision::Ask => "asked you about this",
        Decision::None | Decision::Allow => return output.system_message().unwrap_or_default().to_owned(),
    };
    let why = output.spoken_reason().map(|why| format!(": {why}")).unwrap_or_default();
    format!("hook `{hook}` (mode warn) would have {deed}{why}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ConfigSource, EventName, HookAction, HookEntry, RunStatus};
    use serde_json::{Value, json};
    use std::time::Duration;

    #[test]
    fn a_warning_hook_is_told_and_recorded_but_does_nothing() {
        let cases = [
            (json!({"decision": "block", "reason": "no"}), "hook `guard` (mode warn) would have blocked this: no"),
            (json!({"decision": "ask"}), "hook `guard` (mode warn) would have asked you about this"),
            (json!({"continue": false, "stopReason": "x"}), "hook `guard` (mode warn) would have stopped the agent: x"),
            (json!({"hookSpecificOutput": {"tool_input": {"a": 1}}}), ""),
            (json!({"systemMessage": "hello"}), "hello"),
        ];
        for (said, told) in cases {
            let mut run = run(&said);
            Mode::Warn.apply(&mut run);
            let output = run.output.unwrap_or_default();
            assert_eq!(output.system_message().unwrap_or_default(), told);
            assert_eq!((output.verdict(), output.rewrite.is_empty()), (Decision::None, true), "{said}");
            let withheld = run.withheld.map(|output| output.to_json());
            assert_eq!(withheld, Some(said));
        }
    }

    #[test]
    fn a_hook_in_the_shadow_is_recorded_and_nothing_else() {
        for said in [json!({"decision": "block", "reason": "no"}), json!({"systemMessage": "hello"})] {
            let mut run = run(&said);
            Mode::Shadow.apply(&mut run);
            assert_eq!(run.output, None, "{said}");
            assert_eq!(run.withheld.map(|output| output.to_json()), Some(said));
        }
    }

    #[test]
    fn an_enforcing_hook_keeps_its_word() {
        let mut run = run(&json!({"decision": "deny"}));
        Mode::Enforce.apply(&mut run);
        assert_eq!(run.output.unwrap().decision, Decision::Block);
    }

    fn run(output: &Value) -> HookRun {
        let mut entry =
            HookEntry::new(EventName::BeforeTool, HookAction::Command { command: "x".to_owned() }, ConfigSource::User);
        entry.name = Some("guard".to_owned());
        let fields = output.as_object().cloned().unwrap_or_default();
        let output = HookOutput::parse(&EventName::BeforeTool, fields).output;
        HookRun::new(entry.reference(), RunStatus::Succeeded, Some(output), Duration::ZERO)
    }
}
