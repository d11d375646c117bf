//! The families of hook configuration and how they differ.

use hookrail_core::spelling::closest;
use hookrail_core::{DEFAULT_TIMEOUT, EventName, HookAction, MatcherStyle, OnError, Wording};
use hookrail_dialects::Dialect;
use std::sync::LazyLock;
use std::time::Duration;

/// Which agent's habits a hook configuration follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HookFormat {
    /// LLxprt Code settings: events of the hook protocol, timeouts in milliseconds, hooks that are commands.
    #[default]
    Protocol,
    /// Gemini CLI settings: the same, in an agent that runs hooks unless it is told not to.
    Gemini,
    /// The hook protocol with everything that hookrail adds to it: prompt and HTTP hooks, and no leniency.
    Hookrail,
    /// Claude Code settings and plugin `hooks.json`: its own event names, timeouts in seconds.
    Claude,
}

/// The agent whose format this is knows its own event names.
static CLAUDE: LazyLock<Option<&'static dyn Dialect>> = LazyLock::new(|| hookrail_dialects::dialect("claude"));

impl HookFormat {
    /// How matchers of such a configuration are read.
    #[must_use]
    pub fn matcher_style(self) -> MatcherStyle {
        match self {
            Self::Protocol | Self::Gemini | Self::Hookrail => MatcherStyle::Pattern,
            Self::Claude => MatcherStyle::Names,
        }
    }

    /// The event a configuration of this format means by `name`.
    #[must_use]
    pub fn event(self, name: &str) -> Option<EventName> {
        match self {
            Self::Protocol | Self::Gemini | Self::Hookrail => {
                EventName::PROTOCOL.iter().find(|event| event.as_str() == name).cloned()
            }
            Self::Claude => CLAUDE.and_then(|claude| claude.event(name)),
        }
    }

    /// The name that was probably meant by an unknown one: the other family's word for an event, else the closest spelling.
    #[must_use]
    pub fn suggest_event(self, name: &str) -> Option<String> {
        let translated = match self {
            Self::Protocol | Self::Gemini | Self::Hookrail => {
                Self::Claude.event(name).map(|event| event.as_str().to_owned())
            }
            Self::Claude => EventName::known(name)
                .and_then(|event| CLAUDE.and_then(|claude| claude.native_event(&event)))
                .map(str::to_owned),
        };
        translated
            .filter(|candidate| self.event(candidate).is_some())
            .or_else(|| closest(name, self.event_names()).map(str::to_owned))
    }

    fn event_names(self) -> Vec<&'static str> {
        match self {
            Self::Protocol | Self::Gemini | Self::Hookrail => EventName::KNOWN
                .iter()
                .filter(|event| EventName::PROTOCOL.contains(event))
                .map(EventName::as_str)
                .collect(),
            Self::Claude => CLAUDE.map(Dialect::native_events).unwrap_or_default(),
        }
    }

    /// The types of hooks that the agent of this format runs.
    #[must_use]
    pub fn hook_types(self) -> &'static [&'static str] {
        match self {
            // HOOK-083: `plugin` is accepted there, and nothing runs it.
            Self::Protocol | Self::Gemini => &["command", "plugin"],
            Self::Hookrail | Self::Claude => &["command", "plugin", "prompt", "http"],
        }
    }

    /// What an `on_error` that means nothing comes to. Where an agent defines no such key, failures never prevent anything
    /// (HOOK-110), and a typo must not change that. In hookrail's own format its author cared, and the strict reading is
    /// the safe one.
    #[must_use]
    pub fn on_error_of_typo(self) -> OnError {
        match self {
            Self::Protocol | Self::Gemini | Self::Claude => OnError::Allow,
            Self::Hookrail => OnError::Deny,
        }
    }

    /// Whether the agent of this format runs hooks that were not enabled.
    #[must_use]
    pub fn enabled_by_default(self) -> bool {
        match self {
            Self::Protocol | Self::Hookrail => false,
            Self::Gemini | Self::Claude => true,
        }
    }

    /// In whose words hooks of such a configuration expect to be told of events.
    #[must_use]
    pub fn wording(self) -> Wording {
        match self {
            Self::Protocol | Self::Gemini | Self::Hookrail => Wording::Protocol,
            Self::Claude => Wording::Claude,
        }
    }

    /// How long a hook may take if its configuration does not say.
    #[must_use]
    pub fn default_timeout(self, event: &EventName, action: &HookAction) -> Duration {
        match (self, action) {
            (Self::Protocol | Self::Gemini | Self::Hookrail, _) => DEFAULT_TIMEOUT,
            (Self::Claude, HookAction::Prompt(_)) => Duration::from_secs(30),
            (Self::Claude, _) => CLAUDE.map_or(DEFAULT_TIMEOUT, |claude| {
                let format = claude.format();
                let own = format.event_timeouts.iter().find(|timeout| timeout.event == *event);
                own.map_or(format.default_timeout, |own| own.default)
            }),
        }
    }

    /// A configured timeout as a time; `None` for what no clock can count.
    #[must_use]
    pub fn timeout(self, value: f64) -> Option<Duration> {
        let seconds = match self {
            Self::Protocol | Self::Gemini | Self::Hookrail => value / 1000.0,
            Self::Claude => value,
        };
        if value > 0.0 { Duration::try_from_secs_f64(seconds).ok() } else { None }
    }

    /// Says so when a timeout looks like it was meant in the other unit (errata X4).
    #[must_use]
    pub fn check_timeout(self, value: f64) -> Option<String> {
        match self {
            Self::Protocol | Self::Gemini | Self::Hookrail if value < 100.0 => {
                Some(format!("timeout {value} is in milliseconds here; for seconds write {}", value * 1000.0))
            }
            Self::Claude if value > 600.0 => {
                Some(format!("timeout {value} is in seconds here; for milliseconds write {}", value / 1000.0))
            }
            Self::Protocol | Self::Gemini | Self::Hookrail | Self::Claude => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_event_name_suggests_what_was_meant() {
        let cases = [
            (HookFormat::Protocol, "BeforeTol", Some("BeforeTool")),
            (HookFormat::Protocol, "beforetool", Some("BeforeTool")),
            (HookFormat::Protocol, "PreToolUse", Some("BeforeTool")),
            (HookFormat::Protocol, "Stop", Some("AfterAgent")),
            (HookFormat::Claude, "BeforeTool", Some("PreToolUse")),
            (HookFormat::Claude, "PreToolUsage", Some("PreToolUse")),
            (HookFormat::Claude, "subagentstop", Some("SubagentStop")),
            (HookFormat::Protocol, "Zzzzzzzzzzzzzzzzzzzz", None),
        ];
        for (format, name, expected) in cases {
            assert_eq!(format.suggest_event(name).as_deref(), expected, "{format:?} {name}");
        }
    }

    #[test]
    fn timeouts_are_read_in_the_unit_of_their_format() {
        // covers: HOOK-083
        assert_eq!(HookFormat::Protocol.timeout(1500.0), Some(Duration::from_millis(1500)));
        assert_eq!(HookFormat::Claude.timeout(1.5), Some(Duration::from_millis(1500)));
        for nonsense in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(HookFormat::Claude.timeout(nonsense), None, "{nonsense}");
        }
        assert!(HookFormat::Protocol.check_timeout(30.0).is_some());
        assert!(HookFormat::Protocol.check_timeout(30_000.0).is_none());
        assert!(HookFormat::Claude.check_timeout(10_000.0).is_some());
        assert!(HookFormat::Claude.check_timeout(60.0).is_none());
    }
}
