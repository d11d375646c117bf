//! The decision log: a line for everything a hook of this pack decides.

use super::config::Config;
use super::feature::Checkout;
use hookrail_core::{Event, FileKind, World, display};
use hookrail_store::SessionId;
use std::path::{Path, PathBuf};

/// The most of a text that a line takes.
const MAX_CHARS: usize = 2000;
/// The most of an input or output that verbose logging writes.
const MAX_VERBOSE_CHARS: usize = 256 << 10;

/// Where the decisions of a session are logged. What cannot be logged changes no decision.
#[derive(Clone, Debug)]
pub(super) struct DecisionLog {
    /// `None` if there is no place for it.
    path: Option<PathBuf>,
    verbose: bool,
}

impl DecisionLog {
    /// The file that `log_location` names, else one in the state directory.
    pub fn open(event: &Event, config: &Config, checkout: &Checkout, world: &dyn World) -> Self {
        let session = SessionId::new(&event.session_id, &checkout.root);
        let chosen = config.log_location().and_then(|location| {
            let path = locate(&location.replace("{session_id}", session.as_str()), checkout, world);
            (!config.comes_with_project(checkout, world) || is_harmless(&path, checkout, world)).then_some(path)
        });
        let usual = || Some(world.state_folder()?.join("planning").join(format!("hooks-{session}.log")));
        let verbose = world.env("PLANNING_HOOKS_VERBOSE").is_some_and(|word| is_yes(&word));
        Self { path: chosen.or_else(usual), verbose }
    }

    /// Writes a line: when, who, what, why.
    pub fn write(&self, hook: &str, word: &str, detail: &str, world: &dyn World) {
        self.append(hook, word, &one_line(detail, MAX_CHARS), world);
    }

    /// Writes down all that a hook got or gave, if the user wants to see that.
    pub fn write_verbose(&self, hook: &str, word: &str, json: impl FnOnce() -> String, world: &dyn World) {
        if self.verbose {
            self.append(hook, word, &one_line(&json(), MAX_VERBOSE_CHARS), world);
        }
    }

    fn append(&self, hook: &str, word: &str, detail: &str, world: &dyn World) {
        let Some(path) = &self.path else { return };
        match world.kind(path) {
            Ok(Some(FileKind::File) | None) => {}
            // Whoever put a link or a pipe here wants to see the line elsewhere (errata C13).
            Ok(Some(FileKind::Link | FileKind::Folder | FileKind::Other)) | Err(_) => return,
        }
        let line = format!("[{}] {hook}: {word} | {detail}\n", timestamp(world));
        // A log that cannot be written is what the document calls non-blocking.
        let _ = world.append(path, &line);
    }
}

/// The time as the logs have it, such as `2026-02-04T14:23:15Z`.
pub(super) fn timestamp(world: &dyn World) -> String {
    let seconds = world.now_millis().div_euclid(1000);
    jiff::Timestamp::from_second(seconds).map(|time| time.to_string()).unwrap_or_default()
}

/// A text that cannot begin a new line, nor anything else, in a log.
pub(super) fn one_line(text: &str, max_chars: usize) -> String {
    let cut: String = text.chars().take(max_chars).collect();
    let mut line = display::one_line(&cut).into_owned();
    if text.chars().nth(max_chars).is_some() {
        line.push('…');
    }
    line
}

fn is_yes(word: &str) -> bool {
    matches!(word.trim().to_ascii_lowercase().as_str(), "true" | "1" | "yes" | "on")
}

fn locate(location: &str, checkout: &Checkout, world: &dyn World) -> PathBuf {
    match (location.strip_prefix("~/"), world.env("HOME")) {
        (Some(rest), Some(home)) => Path::new(&home).join(rest),
        _ => checkout.root.join(location),
    }
}

/// A project may say where its log goes, but not make it grow out of any file of the user's.
fn is_harmless(path: &Path, checkout: &Checkout, world: &dyn World) -> bool {
    let path = world.resolve(path);
    let temp = world.env("TMPDIR").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let folders = [Some(checkout.root.clone()), Some(PathBuf::from("/tmp")), temp, world.state_folder()];
    let inside = folders.into_iter().flatten().any(|folder| path.starts_with(world.resolve(&folder)));
    inside && path.extension().is_some_and(|extension| extension == "log")
}

#[cfg(test)]
mod tests {
    use super::super::test_events::event;
    use super::*;
    use hookrail_testkit::world::FakeWorld;

    const USUAL: &str = "/state/planning/hooks-abc.log";

    fn log(world: &FakeWorld) -> DecisionLog {
        let checkout = Checkout { root: "/p".into(), branch: None };
        let config = Config::find(&checkout, world).unwrap();
        DecisionLog::open(&event("/p"), &config, &checkout, world)
    }

    fn locating(file: &str, location: &str) -> FakeWorld {
        let yaml = format!("feature_flags: {{hooks_enforcement: {{log_location: \"{location}\"}}}}");
        FakeWorld::new().env("HOME", "/home/me").env("CLAUDE_PLUGIN_ROOT", "/plugin").file(file, &yaml)
    }

    #[test]
    fn a_line_says_when_who_what_and_why() {
        let world = FakeWorld::new().at_millis(1_770_214_995_999);
        log(&world).write("H01_immutable_guard", "ALLOW", "a\nb\u{2028}c\u{1b}[1m", &world);
        log(&world).write_verbose("H01_immutable_guard", "INPUT", || "{}".to_owned(), &world);
        assert_eq!(
            world.text(USUAL),
            "[2026-02-04T14:23:15Z] H01_immutable_guard: ALLOW | a\\nb\\u{2028}c\\u{1b}[1m\n"
        );
    }

    #[test]
    fn verbose_logging_is_asked_for() {
        for (word, expected) in [("true", true), ("1", true), ("false", false), ("", false)] {
            let world = FakeWorld::new().env("PLANNING_HOOKS_VERBOSE", word);
            log(&world).write_verbose("H", "INPUT", || r#"{"a": 1}"#.to_owned(), &world);
            assert_eq!(world.exists(USUAL), expected, "{word}");
        }
    }

    #[test]
    fn the_log_lies_where_the_configuration_says_unless_a_project_reaches_out() {
        let (plugin, project) = ("/plugin/config/planning-config.yaml", "/p/config/planning-config.yaml");
        for (file, location, expected) in [
            (plugin, "/tmp/planning-hooks-{session_id}.log", "/tmp/planning-hooks-abc.log"),
            (plugin, "~/planning.txt", "/home/me/planning.txt"),
            (plugin, "logs/planning.log", "/p/logs/planning.log"),
            (project, "/tmp/planning-hooks-{session_id}.log", "/tmp/planning-hooks-abc.log"),
            (project, "logs/planning.log", "/p/logs/planning.log"),
            (project, "~/.bashrc", USUAL),
            (project, "/home/me/x.log", USUAL),
            (project, "../x.log", USUAL),
            (project, ".git/hooks/pre-commit", USUAL),
        ] {
            let world = locating(file, location);
            log(&world).write("H", "ALLOW", "x", &world);
            assert!(world.exists(expected), "{file} {location}");
        }
    }

    #[test]
    fn nothing_is_written_through_a_link() {
        let world = locating("/plugin/config/planning-config.yaml", "/tmp/planning.log")
            .link("/tmp/planning.log", "/home/me/.bashrc")
            .file("/home/me/.bashrc", "mine");
        log(&world).write("H", "ALLOW", "x", &world);
        assert_eq!(world.text("/home/me/.bashrc"), "mine");
    }
}
