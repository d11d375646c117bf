//! Whether a user's settings switch hooks on: one rule for LLxprt Code and Gemini CLI, whoever asks.

use serde_json::Value;

/// What settings say about running hooks, key by key. Settings of several scopes are laid over each other with
/// [`Switches::over`] before it is asked whether hooks run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    /// `enableHooks`, the key of the hook protocol's specification.
    specified: Option<bool>,
    /// `hooksConfig.enabled`, the key that the agents' releases read; in old files it is `hooks.enabled`.
    released: Option<bool>,
    /// `tools.enableHooks`, a gate in front of the others: it is open unless it says false, and opens nothing by itself.
    gate: Option<bool>,
}

impl Switches {
    /// What one settings file says. A value that is not true or false says nothing.
    #[must_use]
    pub fn read(settings: &Value) -> Self {
        let flag = |holder: Option<&Value>, key: &str| holder.and_then(|holder| holder.get(key)?.as_bool());
        Self {
            specified: flag(Some(settings), "enableHooks"),
            released: flag(settings.get("hooksConfig"), "enabled").or_else(|| flag(settings.get("hooks"), "enabled")),
            gate: flag(settings.get("tools"), "enableHooks"),
        }
    }

    /// These settings on top of those of a scope with less authority: what they say counts, what they leave out is
    /// looked up below.
    #[must_use]
    pub fn over(self, lower: Self) -> Self {
        Self {
            specified: self.specified.or(lower.specified),
            released: self.released.or(lower.released),
            gate: self.gate.or(lower.gate),
        }
    }

    /// Whether hooks run. One key that says no is enough; one that says yes is needed, unless the agent runs hooks
    /// `by_default`.
    #[must_use]
    pub fn enable(self, by_default: bool) -> bool {
        let keys = [self.specified, self.released];
        let refused = self.gate == Some(false) || keys.contains(&Some(false));
        !refused && (by_default || keys.contains(&Some(true)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn one_no_is_enough_and_one_yes_is_needed() {
        let cases = [
            (json!({}), false, true),
            (json!({"enableHooks": true}), true, true),
            (json!({"enableHooks": false}), false, false),
            (json!({"hooksConfig": {"enabled": true}}), true, true),
            (json!({"hooksConfig": {"enabled": false}}), false, false),
            (json!({"hooks": {"enabled": true}}), true, true),
            (json!({"hooks": {"enabled": true}, "hooksConfig": {"enabled": false}}), false, false),
            (json!({"hooks": {"enabled": false}, "hooksConfig": {"enabled": true}}), true, true),
            (json!({"tools": {"enableHooks": true}}), false, true),
            (json!({"tools": {"enableHooks": false}, "enableHooks": true}), false, false),
            (json!({"tools": {"enableHooks": false}, "hooksConfig": {"enabled": true}}), false, false),
            (json!({"enableHooks": true, "hooksConfig": {"enabled": false}}), false, false),
            (json!({"enableHooks": false, "hooksConfig": {"enabled": true}}), false, false),
            (json!({"enableHooks": "yes", "hooksConfig": {"enabled": 1}}), false, true),
            (json!(null), false, true),
        ];
        for (settings, without_default, with_default) in cases {
            let switches = Switches::read(&settings);
            let got = (switches.enable(false), switches.enable(true));
            assert_eq!(got, (without_default, with_default), "{settings}");
        }
    }

    #[test]
    fn a_scope_with_more_authority_has_the_last_word_on_each_key() {
        let on = Switches::read(&json!({"enableHooks": true}));
        let off = Switches::read(&json!({"enableHooks": false}));
        let closed = Switches::read(&json!({"tools": {"enableHooks": false}}));
        let silent = Switches::default();
        let cases = [(on, off, true), (off, on, false), (silent, on, true), (on, silent, true), (closed, on, false)];
        for (upper, lower, expected) in cases {
            assert_eq!(upper.over(lower).enable(false), expected, "{upper:?} over {lower:?}");
        }
    }
}
