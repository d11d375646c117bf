//! The text of a new `hookrail.toml`.
//!
//! Lines that begin with `# ` explain; lines that begin with `#` and a key or a bracket are examples, right as soon as the
//! `#` is gone.

use super::SCHEMA;
use super::answers::InitAnswers;
use hookrail_core::Mode;
use hookrail_packs::{CATALOGUE, Pack};
use hookrail_rules::safety;
use serde_json::Value;

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    User,
    Project,
}

/// The whole file.
pub fn render(answers: &InitAnswers, owner: Owner) -> String {
    let mut parts = vec![head(owner), privacy(answers), GUARDRAILS.to_owned(), guardrails(answers)];
    parts.extend([RULES.to_owned(), PACKS.to_owned()]);
    parts.extend(CATALOGUE.iter().map(|pack| pack_table(pack, answers)));
    parts.extend([SINGLE_HOOKS.to_owned(), event_log(answers), PROTECTED_PATHS.to_owned()]);
    parts.extend([COMMANDS.to_owned(), CONFIG.to_owned()]);
    if owner == Owner::User {
        parts.push(PERSONAL.to_owned());
    }
    parts.join("\n")
}

fn head(owner: Owner) -> String {
    let whose = match owner {
        Owner::Project => {
            "# What hookrail holds the agents of this project to. All who work on it share this file; what only\n\
             # you want goes into `local.toml` beside it. Neither can weaken what your own configuration says."
        }
        Owner::User => {
            "# What hookrail holds your agents to, in every project. A project may add to this and make it stricter, never\n\
             # weaker."
        }
    };
    format!(
        "#:schema ./{SCHEMA}\n{whose}\n#\n# `hookrail validate` checks this file, `hookrail list` shows what is in force, `hookrail doctor` whether it works.\n"
    )
}

/// The part that says what agents may do; a configuration of its own.
pub fn guardrails(answers: &InitAnswers) -> String {
    let mut parts = vec![level(answers), protected(answers), secrets(answers)];
    if answers.daily_work {
        parts.push(safety::DAILY_WORK.to_owned());
    }
    parts.join("\n")
}

fn level(answers: &InitAnswers) -> String {
    let level = answers.level.name();
    format!(
        "# Pack safety is on without being mentioned: it denies or asks about dangerous calls, such as deleting\n\
         # outside of the project, reading keys, running code from the network, force-pushing. `relaxed` asks where\n\
         # `balanced` denies, `strict` denies where it asks. `hookrail rules` lists every rule.\n\
         [safety]\nlevel = \"{level}\"\n"
    )
}

fn secrets(answers: &InitAnswers) -> String {
    if answers.secrets.is_empty() {
        return String::new();
    }
    let paths: Vec<String> = answers.secrets.iter().map(|path| Value::from(path.as_str()).to_string()).collect();
    format!(
        "# What no tool may even read, beside the keys and passwords that pack safety knows.\n\
         [[rule]]\nid = \"secret-paths\"\nwhen = {{ effect = \"fs.*\", path = [{}] }}\ndecide = \"deny\"\n\
         say = \"{{path}} is secret: ask a person for what you need of it.\"\n",
        paths.join(", ")
    )
}

fn privacy(answers: &InitAnswers) -> String {
    let key = if answers.minimal { "privacy = \"minimal\"" } else { "#privacy = \"minimal\"" };
    format!(
        "# The journal keeps events, without secrets and within bounds, so that `hookrail replay` can try another\n\
         # configuration on them. With `minimal` it keeps nothing of them.\n{key}\n"
    )
}

fn pack_table(pack: &Pack, answers: &InitAnswers) -> String {
    let Pack { name, about, .. } = pack;
    if answers.packs.contains(name) {
        let mode = answers.mode.as_str();
        return format!("# {name} {about}.\n[packs.{name}]\nenabled = true\nmode = \"{mode}\"\n");
    }
    let usual = if pack.default_mode == Mode::Off { "" } else { "\n# It is on without being mentioned." };
    format!("# {name} {about}.{usual}\n#[packs.{name}]\n#enabled = true\n#mode = \"{}\"\n", Mode::Enforce.as_str())
}

fn event_log(answers: &InitAnswers) -> String {
    let off = if answers.event_log { "" } else { "#" };
    format!(
        "# Records every event of your agents, also those that no other hook looks at. It decides nothing, but costs a\n\
         # record each. `hookrail log` and `hookrail stats` then see everything, and `hookrail replay` can tell what a new\n\
         # guard would have done last week: it knows only events that were recorded.\n\
         {off}[hooks.\"core/event-log\"]\n{off}mode = \"enforce\"\n"
    )
}

fn protected(answers: &InitAnswers) -> String {
    let paths: Vec<String> = answers.protected.iter().map(|path| Value::from(path.as_str()).to_string()).collect();
    let about = "# Paths no tool may write, as in .gitignore, relative to the project. hookrail's own files and the files in which\n\
                 # agents keep their hooks are always among them.\n";
    if paths.is_empty() {
        return format!("{about}#[core]\n#protected = [\"secrets/\", \"*.key\", \"!public.key\"]\n");
    }
    format!("{about}[core]\nprotected = [{}]\n", paths.join(", "))
}

const GUARDRAILS: &str = "\
# ── Guardrails ────────────────────────────────────────────────────────────────────────────────────
";

const RULES: &str = "\
# Your own rules speak of what a call does, not of its text. `hookrail rules check` judges their examples.
#[[rule]]
#id = \"no-push-to-release\"
#when = { effect = \"git.push\", branch = \"release/*\" }
#decide = \"ask\"
#examples = { ask = [\"git push origin release/2.0\"], none = [\"git push origin feature\"] }
#[[exception]]
#rule = \"safety/delete-outside\"
#when = { effect = \"fs.delete\", path = \"~/scratch/**\" }
#reason = \"scratch area\"
";

const PACKS: &str = "\
# ── Packs ─────────────────────────────────────────────────────────────────────────────────────────
#
# Native hooks that belong together. A mode is `enforce`, `warn` (say what would have been done, do not do it) or `off`.
# After enabling a pack run `hookrail install` again: it may need other events.
";

const SINGLE_HOOKS: &str = "\
# ── Single hooks ──────────────────────────────────────────────────────────────────────────────────
#
# What is said about a hook goes before what is said about its pack.
";

const PROTECTED_PATHS: &str = "\
#[hooks.\"core/protected-paths\"]
#mode = \"warn\"
# What it decides when it fails: `allow`, `ask` or `deny`.
#on_error = \"deny\"
#timeout = \"2s\"
# Lets a lower layer weaken this table, which otherwise it cannot.
#overridable = true
";

const COMMANDS: &str = "\
# ── Commands ──────────────────────────────────────────────────────────────────────────────────────
#
# Your own hooks beside the native ones. A command reads the event as JSON on stdin; exit code 2 blocks with stderr as
# the reason. Those of a project run only after `hookrail trust`. The matcher is a regular expression on the tool's
# name as the agent spells it.
#[[command]]
#name = \"lint\"
#event = \"AfterTool\"
#matcher = \"Write|Edit\"
#command = \"make lint\"
#timeout = \"30s\"
#sequential = false
#on_error = \"allow\"
";

const CONFIG: &str = "\
# ── hookrail itself ───────────────────────────────────────────────────────────────────────────────
#
# What decides if a configuration file could never be read; without this, `deny`.
#[config]
#on_error = \"ask\"
";

const PERSONAL: &str = "\
# After how many failures in a row a hook is disabled for the session.
#[breaker]
#threshold = 3

# While this file exists in a project no hook runs there.
#[dev_mode]
#file = \".hookrail-dev\"

# The model that hooks may ask.
#[model]
#provider = \"anthropic\"
#model = \"claude-haiku-4-5\"
#key_env = \"ANTHROPIC_API_KEY\"
";

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_engine::RealWorld;
    use hookrail_engine::layers::{ConfigCache, LayerFiles, LayerKind, Settings};

    fn read(text: &str, kind: LayerKind) -> Settings {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hookrail.toml");
        std::fs::write(&file, text).unwrap();
        let files = LayerFiles::new(vec![(kind, file)]);
        let mut settings = ConfigCache::in_state(None).load(&files, &RealWorld::default());
        hookrail_packs::check_names(&mut |group, known| settings.check_names(group, known));
        settings
    }

    fn examples_switched_on(text: &str) -> String {
        let line = |line: &str| match line.strip_prefix('#') {
            Some(example) if example.starts_with(|c: char| c.is_ascii_lowercase() || c == '[') => example.to_owned(),
            _ => line.to_owned(),
        };
        text.lines().map(|it| line(it) + "\n").collect()
    }

    #[test]
    fn our_own_reader_has_nothing_to_say_about_it_with_or_without_the_examples() {
        let every = CATALOGUE.iter().map(|pack| pack.name).collect();
        let odd = vec!["a b/".to_owned(), "\"quoted\"\\".to_owned()];
        let answers = [
            InitAnswers::default(),
            InitAnswers {
                level: hookrail_rules::Level::Strict,
                packs: every,
                mode: Mode::Warn,
                event_log: true,
                protected: odd.clone(),
                secrets: odd.clone(),
                daily_work: true,
                minimal: true,
            },
        ];
        for (owner, kind) in [(Owner::Project, LayerKind::Project), (Owner::User, LayerKind::User)] {
            for answers in &answers {
                let text = render(answers, owner);
                for text in [text.clone(), examples_switched_on(&text)] {
                    let settings = read(&text, kind);
                    assert_eq!(settings.diagnostics(), &[], "{text}");
                }
                let settings = read(&text, kind);
                assert_eq!(settings.safety_level().value, answers.level);
                let allows = settings.rules().contents().allows();
                assert_eq!(allows, answers.daily_work);
                let log = settings.mode("core/event-log", Mode::Off, false).value;
                assert_eq!(log == Mode::Enforce, answers.event_log);
                let said = |pack: &Pack| settings.mode(&format!("{}/x", pack.name), Mode::Off, false).value;
                for pack in CATALOGUE {
                    let expected = if answers.packs.contains(&pack.name) { answers.mode } else { Mode::Off };
                    assert_eq!(said(pack), expected, "{}", pack.name);
                }
                let protected = settings.sections().get("core").map(|core| core["protected"].clone());
                let expected = (!answers.protected.is_empty()).then(|| serde_json::json!([odd]));
                assert_eq!(protected, expected);
            }
        }
    }

    #[test]
    fn every_line_fits_a_terminal_and_every_key_of_the_reader_is_shown() {
        let text = render(&InitAnswers::default(), Owner::User);
        // Conditions and examples are tables on one line, as TOML wants them.
        let is_rule = |line: &str| safety::DAILY_WORK.lines().any(|of_rules| of_rules == line);
        assert!(text.lines().all(|line| line.chars().count() <= 120 || is_rule(line)), "{text}");
        let examples = examples_switched_on(&text);
        for key in [
            "privacy",
            "[safety]",
            "[[rule]]",
            "[[exception]]",
            "[packs.",
            "[hooks.",
            "[[command]]",
            "[config]",
            "[breaker]",
            "[dev_mode]",
            "[model]",
        ] {
            assert!(examples.contains(key), "{key} is missing:\n{examples}");
        }
    }
}
