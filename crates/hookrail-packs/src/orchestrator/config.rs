use super::project::{FOLDERS, Project};
use crate::yaml;
use hookrail_core::display::block;
use hookrail_core::{Event, HookError, World};
use serde_json::Value;

const FILE: &str = "project.yml";

/// The section `hooks` of the project's `project.yml`. Everything is off unless it is switched on (errata D5).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    hooks: Value,
    /// Why the file could not be read.
    broken: Option<String>,
    /// The file, as people know it; `None` if there is none.
    file: Option<String>,
}

/// The keys that are true or false.
const FLAGS: [&str; 3] = ["stop_guard", "session_context", "precompact_state"];

/// How thoroughly a completed task is to be verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verification {
    Agent,
    Prompt,
}

/// What the configuration says about one hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Switch<T = ()> {
    On(T),
    Off,
    /// Off because of a mistake, which the user should hear of.
    Mistaken(String),
}

impl Config {
    /// The first file there is, of the project or else of the repository it is a worktree of.
    pub fn find(event: &Event, world: &dyn World) -> Result<Self, HookError> {
        Self::of(&Project::of(event, world)?, world)
    }

    /// The same for a project that is known.
    pub fn of(project: &Project, world: &dyn World) -> Result<Self, HookError> {
        for root in project.roots() {
            for folder in FOLDERS {
                let path = root.join(folder).join(FILE);
                if let Some(bytes) = world.read(&path)? {
                    return Ok(Self::parse(&String::from_utf8_lossy(&bytes), &format!("{folder}/{FILE}")));
                }
            }
        }
        Ok(Self::default())
    }

    fn parse(text: &str, name: &str) -> Self {
        let file = Some(name.to_owned());
        match yaml::read(text) {
            Ok(document) => Self { hooks: document.get("hooks").cloned().unwrap_or_default(), broken: None, file },
            Err(error) => {
                let broken = format!(
                    "`{name}` is not valid YAML, so the orchestrator's hooks are off: {}",
                    block(&error.to_string())
                );
                Self { hooks: Value::Null, broken: Some(broken), file }
            }
        }
    }

    /// Why hooks that may be expected stay silent, in sentences for a person; none if all is well.
    #[must_use]
    pub fn problems(&self) -> Vec<String> {
        let Some(file) = &self.file else {
            return vec![format!("there is no `{}/{FILE}`, so every hook of the pack is off", FOLDERS[0])];
        };
        if let Some(broken) = &self.broken {
            return vec![broken.clone()];
        }
        let flags = FLAGS.map(|key| self.flag(key));
        let verification = match self.task_verification() {
            Switch::On(_) => Switch::On(()),
            Switch::Off => Switch::Off,
            Switch::Mistaken(mistake) => Switch::Mistaken(mistake),
        };
        let switches: Vec<Switch> = flags.into_iter().chain([verification]).collect();
        let mut problems: Vec<String> = Vec::new();
        if !switches.contains(&Switch::On(())) {
            problems.push(format!("no hook is switched on in `{file}`"));
        }
        problems.extend(switches.into_iter().filter_map(|switch| match switch {
            Switch::Mistaken(mistake) => Some(mistake),
            Switch::On(()) | Switch::Off => None,
        }));
        problems
    }

    /// A key that is true or false.
    #[must_use]
    pub fn flag(&self, key: &str) -> Switch {
        match (&self.broken, self.hooks.get(key)) {
            (Some(broken), _) => Switch::Mistaken(broken.clone()),
            (None, None | Some(Value::Null | Value::Bool(false))) => Switch::Off,
            (None, Some(Value::Bool(true))) => Switch::On(()),
            (None, Some(_)) => Switch::Mistaken(format!("hooks.{key} must be true or false")),
        }
    }

    #[must_use]
    pub fn task_verification(&self) -> Switch<Verification> {
        const KEY: &str = "task_verification";
        match (&self.broken, self.hooks.get(KEY)) {
            (Some(broken), _) => Switch::Mistaken(broken.clone()),
            (None, None | Some(Value::Null)) => Switch::Off,
            (None, Some(value)) => match value.as_str() {
                Some("agent") => Switch::On(Verification::Agent),
                Some("prompt") => Switch::On(Verification::Prompt),
                Some("off") => Switch::Off,
                _ => Switch::Mistaken(format!("hooks.{KEY} must be 'agent', 'prompt', or 'off'")),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_means_what_it_says() {
        // covers: ORCH-2.4
        let on = || Switch::On(());
        let no_flag = || Switch::Mistaken("hooks.stop_guard must be true or false".to_owned());
        for (text, expected) in [
            ("", Switch::Off),
            ("name: x", Switch::Off),
            ("hooks:", Switch::Off),
            ("hooks: []", Switch::Off),
            ("hooks:\n  stop_guard:", Switch::Off),
            ("hooks:\n  stop_guard: false", Switch::Off),
            ("stop_guard: true", Switch::Off),
            ("other:\n  stop_guard: true\nhooks:\n  session_context: true", Switch::Off),
            ("hooks:\n  stop_guard: true   # default: false (opt-in)", on()),
            ("hooks: {stop_guard: true}", on()),
            ("\"hooks\":\r\n  'stop_guard': true\r\n", on()),
            ("hooks:\n  stop_guard: \"true\"", no_flag()),
            ("hooks:\n  stop_guard: 1", no_flag()),
            ("hooks:\n  stop_guard: [true]", no_flag()),
        ] {
            assert_eq!(Config::parse(text, "p").flag("stop_guard"), expected, "{text}");
        }
    }

    #[test]
    fn verification_is_one_of_three_words() {
        let mistake = || Switch::Mistaken("hooks.task_verification must be 'agent', 'prompt', or 'off'".to_owned());
        for (value, expected) in [
            ("agent", Switch::On(Verification::Agent)),
            ("\"agent\"    # \"agent\" (default when enabled) | \"prompt\" | \"off\"", Switch::On(Verification::Agent)),
            ("'prompt'", Switch::On(Verification::Prompt)),
            ("off", Switch::Off),
            ("\"off\"", Switch::Off),
            ("", Switch::Off),
            ("Agent", mistake()),
            ("true", mistake()),
            ("2", mistake()),
        ] {
            let config = Config::parse(&format!("hooks:\n  task_verification: {value}\n"), "p");
            assert_eq!(config.task_verification(), expected, "{value}");
        }
    }

    #[test]
    fn a_broken_file_switches_everything_off_and_says_so() {
        let config = Config::parse("hooks: [", ".claude/project.yml");
        for switch in [config.flag("stop_guard"), config.flag("session_context")] {
            let Switch::Mistaken(text) = switch else { panic!("{switch:?}") };
            assert!(text.starts_with("`.claude/project.yml` is not valid YAML"), "{text}");
        }
    }

    #[test]
    fn what_keeps_hooks_silent_is_told() {
        for (text, expected) in [
            ("hooks:\n  stop_guard: true", &[][..]),
            ("name: x", &["no hook is switched on in `p`"]),
            ("hooks:\n  stop_guard: 1", &["no hook is switched on", "hooks.stop_guard must be true or false"]),
            ("hooks:\n  task_verification: agent\n  session_context: x", &["hooks.session_context must be"]),
            ("hooks: [", &["`p` is not valid YAML"]),
        ] {
            let problems = Config::parse(text, "p").problems();
            assert_eq!(problems.len(), expected.len(), "{text}: {problems:?}");
            assert!(problems.iter().zip(expected).all(|(problem, part)| problem.contains(part)), "{problems:?}");
        }
        assert!(Config::default().problems()[0].starts_with("there is no `.claude/project.yml`"));
    }
}
