use hookrail_core::EventName;
use hookrail_dialects::{Dialect, FileExtent, HookFile, Os, Scope, TimeoutUnit, ToolClass, all, dialect};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn file(agent: &str, scope: Scope) -> &'static HookFile {
    let format = dialect(agent).expect(agent).format();
    format.files.iter().find(|file| file.scope == scope && matches!(file.os, Os::Any | Os::Linux)).expect(agent)
}

#[test]
fn every_agent_has_a_file_for_the_user_and_one_for_the_project() {
    let cases = [
        ("claude", "/home/dev/.claude/settings.json", "/p/.claude/settings.json"),
        ("gemini", "/home/dev/.gemini/settings.json", "/p/.gemini/settings.json"),
        ("llxprt", "/home/dev/.config/llxprt-code/settings.json", "/p/.llxprt/settings.json"),
        ("codex", "/home/dev/.codex/hooks.json", "/p/.codex/hooks.json"),
        ("qwen", "/home/dev/.qwen/settings.json", "/p/.qwen/settings.json"),
        ("copilot", "/home/dev/.copilot/hooks/hookrail.json", "/p/.github/hooks/hookrail.json"),
        ("vscode", "/home/dev/.copilot/hooks/hookrail.json", "/p/.github/hooks/hookrail.json"),
        ("cursor", "/home/dev/.cursor/hooks.json", "/p/.cursor/hooks.json"),
        ("droid", "/home/dev/.factory/hooks.json", "/p/.factory/hooks.json"),
        ("kimi", "/home/dev/.kimi-code/config.toml", ""),
        ("auggie", "/home/dev/.augment/settings.json", "/p/.augment/settings.json"),
        ("cline", "/home/dev/.cline/hooks/PreToolUse", "/p/.clinerules/hooks/PreToolUse"),
        ("vibe", "/home/dev/.vibe/hooks.toml", "/p/.vibe/hooks.toml"),
        ("openhands", "/home/dev/.openhands/hooks.json", "/p/.openhands/hooks.json"),
        ("crush", "/home/dev/.config/crush/crush.json", "/p/crush.json"),
        (
            "goose",
            "/home/dev/.agents/plugins/hookrail/hooks/hooks.json",
            "/p/.agents/plugins/hookrail/hooks/hooks.json",
        ),
        ("opencode", "/home/dev/.config/opencode/plugins/hookrail.js", "/p/.opencode/plugins/hookrail.js"),
        ("kilo", "/home/dev/.config/kilo/plugins/hookrail.js", "/p/.kilo/plugins/hookrail.js"),
    ];
    let locate = |file: &HookFile| file.locate(Path::new("/home/dev"), Path::new("/p"), &|_| None);
    for (agent, user, project) in cases {
        assert_eq!(locate(file(agent, Scope::User)), Path::new(user), "{agent}");
        // Kimi Code reads hooks of its user only.
        if !project.is_empty() {
            assert_eq!(locate(file(agent, Scope::Project)), Path::new(project), "{agent}");
        }
    }
    // Of every agent, also of those that are newer than this table.
    for dialect in all() {
        assert!(locate(file(dialect.name(), Scope::User)).starts_with("/home/dev"), "{}", dialect.name());
    }
}

#[test]
fn a_variable_moves_the_files_it_names() {
    let locate = |value: &str| -> PathBuf {
        let env = |name: &str| (name == "CLAUDE_CONFIG_DIR").then(|| value.to_owned());
        file("claude", Scope::User).locate(Path::new("/home/dev"), Path::new("/p"), &env)
    };
    assert_eq!(locate("/elsewhere"), Path::new("/elsewhere/settings.json"));
    assert_eq!(locate(""), Path::new("/home/dev/.claude/settings.json"));
    assert_eq!(file("copilot", Scope::Project).reach, FileExtent::Folder);
}

#[test]
fn a_timeout_is_written_in_the_agents_unit_and_never_shortened() {
    let cases = [
        (TimeoutUnit::Seconds, Duration::from_millis(1), 1, Duration::from_secs(1)),
        (TimeoutUnit::Seconds, Duration::from_secs(10), 10, Duration::from_secs(10)),
        (TimeoutUnit::Milliseconds, Duration::from_micros(1500), 2, Duration::from_millis(2)),
        (TimeoutUnit::Milliseconds, Duration::from_secs(10), 10_000, Duration::from_secs(10)),
        (TimeoutUnit::SecondsOrMillis, Duration::from_secs(10), 10, Duration::from_secs(10)),
        (TimeoutUnit::SecondsOrMillis, Duration::from_secs(1200), 1_200_000, Duration::from_secs(1200)),
        (TimeoutUnit::Milliseconds, Duration::MAX, u64::MAX, Duration::from_millis(u64::MAX)),
    ];
    for (unit, wanted, number, read) in cases {
        assert_eq!((unit.write(wanted), unit.read(number)), (number, read), "{unit:?} {wanted:?}");
    }
    let unit = |agent: &str| dialect(agent).expect(agent).format().timeout_unit;
    for agent in ["gemini", "llxprt", "auggie", "opencode", "kilo"] {
        assert_eq!(unit(agent), TimeoutUnit::Milliseconds, "{agent}");
    }
    for agent in ["claude", "codex", "goose"] {
        assert_eq!(unit(agent), TimeoutUnit::Seconds, "{agent}");
    }
}

#[test]
fn some_events_have_less_time_than_others() {
    let claude = dialect("claude").expect("claude").format();
    assert_eq!(claude.timeout_of(&EventName::SessionEnd), Duration::from_millis(1500));
    assert_eq!(claude.timeout_of(&EventName::BeforeAgent), Duration::from_secs(30));
    assert_eq!(claude.timeout_of(&EventName::BeforeTool), Duration::from_secs(600));
}

#[test]
fn tools_are_found_by_what_they_do() {
    let names = |agent: &str, class| dialect(agent).expect(agent).tool_names(class).join("|");
    assert_eq!(names("claude", ToolClass::Edit), "Edit|MultiEdit|NotebookEdit");
    assert_eq!(names("claude", ToolClass::Subagent), "Agent|Task");
    assert_eq!(names("gemini", ToolClass::Write), "write_file");
    assert_eq!(names("codex", ToolClass::Edit), "apply_patch");
    assert_eq!(names("codex", ToolClass::Skill), "");
}

#[test]
fn a_dialect_is_found_by_its_name_only() {
    for dialect in all() {
        assert_eq!(hookrail_dialects::dialect(dialect.name()).map(Dialect::name), Some(dialect.name()));
    }
    for name in ["", "Claude", "windsurf"] {
        assert!(dialect(name).is_none(), "{name}");
    }
}
