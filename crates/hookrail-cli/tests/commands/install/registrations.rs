//! What agents are told: events, tools, times and the command.

use crate::install::fixture::{AGENTS, InstallFixture};
use serde_json::{Value, json};

fn installed(fixture: &InstallFixture, file: &str) -> Value {
    serde_json::from_str::<Value>(&fixture.project.read(file)).unwrap()["hooks"].clone()
}

fn group(matcher: Option<&str>, command: &str, timeout: u32) -> Value {
    let hooks = json!([{ "type": "command", "command": command, "timeout": timeout }]);
    match matcher {
        Some(matcher) => json!([{ "matcher": matcher, "hooks": hooks }]),
        None => json!([{ "hooks": hooks }]),
    }
}

#[test]
fn each_agent_gets_its_own_events_tools_and_unit_of_time() {
    let writers = [
        (
            "claude",
            Some("^(Bash|PowerShell|Write|Edit|MultiEdit|NotebookEdit|Read|Grep|Glob|WebFetch|mcp__.*)$"),
            15,
            true,
        ),
        // These have other tools that read, under names that only they know.
        ("gemini", None, 15_000, false),
        ("llxprt", None, 15_000, false),
        ("codex", None, 15, true),
    ];
    for (agent, (name, matcher, timeout, asks)) in AGENTS.into_iter().zip(writers) {
        let fixture = InstallFixture::without_safety();
        fixture.succeed(&["install", name]);
        let command = format!("hookrail-hook --agent {name}");
        let mut expected = json!({ (agent.before_tool): group(matcher, &command, timeout) });
        if asks {
            expected["PermissionRequest"] = group(matcher, &command, timeout);
        }
        assert_eq!(installed(&fixture, agent.file), expected, "{name}");
    }
}

#[test]
fn what_is_enabled_decides_which_events_are_needed() {
    // Configuration, agent, the events and their matchers.
    type Events<'a> = &'a [(&'a str, Option<&'a str>)];
    let isdlc = "[packs.isdlc]\nenabled = true\n";
    let cases: [(&str, usize, Events<'_>); 6] = [
        (
            isdlc,
            1,
            &[
                ("BeforeTool", None),
                ("AfterTool", Some("^(invoke_agent|run_shell_command|write_file|replace|mcp_.*)$")),
            ],
        ),
        (
            "[packs.orchestrator]\nenabled = true\n[hooks.\"orchestrator/scope-protection\"]\nmode = \"off\"\n",
            1,
            &[
                ("BeforeTool", None),
                // Context that Gemini loses with `/clear` is given again at the next prompt.
                ("BeforeAgent", None),
                ("AfterAgent", None),
                ("SessionStart", None),
                ("PreCompress", None),
            ],
        ),
        // A hook whose tools are unknown is asked about all of them.
        (
            "[packs.orchestrator]\nenabled = true\nmode = \"warn\"\n",
            3,
            &[
                ("PreToolUse", None),
                ("PermissionRequest", None),
                ("PreCompact", None),
                ("SessionStart", None),
                ("Stop", None),
            ],
        ),
        // Commands see every tool; what is off sees none.
        (
            "[[command]]\nname = \"a\"\nevent = \"AfterTool\"\nmatcher = \"Write\"\ncommand = \"true\"\ntimeout = \"40s\"\n",
            3,
            &[("PreToolUse", None), ("PermissionRequest", None), ("PostToolUse", None)],
        ),
        (
            "[[command]]\nname = \"a\"\nevent = \"AfterTool\"\ncommand = \"true\"\nmode = \"off\"\n",
            1,
            &[("BeforeTool", None)],
        ),
        // An event the agent does not have cannot be asked for.
        ("[[command]]\nname = \"a\"\nevent = \"TaskCompleted\"\ncommand = \"true\"\n", 1, &[("BeforeTool", None)]),
    ];
    for (config, agent, expected) in cases {
        let agent = AGENTS[agent];
        let fixture = InstallFixture::without_safety();
        fixture.put(".hookrail/hookrail.toml", config.as_bytes());
        fixture.succeed(&["install", agent.name]);
        let hooks = installed(&fixture, agent.file);
        let found: Vec<(&str, Option<&str>)> = hooks
            .as_object()
            .unwrap()
            .iter()
            .map(|(event, groups)| (event.as_str(), groups[0]["matcher"].as_str()))
            .collect();
        assert_eq!(found, expected, "{config} in {}", agent.name);
    }
}

#[test]
fn the_event_log_needs_every_event_of_the_agent() {
    for (agent, least) in AGENTS.into_iter().zip([15, 11, 11, 10]) {
        let fixture = InstallFixture::new();
        fixture.put(".hookrail/hookrail.toml", b"[hooks.\"core/event-log\"]\nmode = \"enforce\"\n");
        fixture.succeed(&["install", agent.name]);
        let hooks = installed(&fixture, agent.file);
        let groups: Vec<&Value> = hooks.as_object().unwrap().values().collect();
        assert!(groups.len() >= least, "{}: {hooks:#}", agent.name);
        assert!(groups.iter().all(|groups| groups[0].get("matcher").is_none()), "{}: {hooks:#}", agent.name);
    }
}

#[test]
fn the_agent_waits_longer_than_the_slowest_hook_and_never_longer_than_it_would() {
    let config = "[hooks.\"core/event-log\"]\nmode = \"enforce\"\n[hooks.\"core/protected-paths\"]\ntimeout = \"20s\"\n\
                  [[command]]\nname = \"a\"\nevent = \"AfterTool\"\ncommand = \"true\"\ntimeout = \"40s\"\nsequential = true\n\
                  [[command]]\nname = \"b\"\nevent = \"AfterTool\"\ncommand = \"true\"\n";
    let cases = [
        ("claude", ".claude/settings.json", [("PreToolUse", 25), ("PostToolUse", 105), ("SessionEnd", 15)]),
        ("gemini", ".gemini/settings.json", [("BeforeTool", 25_000), ("AfterTool", 105_000), ("SessionEnd", 15_000)]),
        ("codex", ".codex/hooks.json", [("PreToolUse", 25), ("PostToolUse", 105), ("SessionEnd", 3)]),
    ];
    for (agent, file, timeouts) in cases {
        let fixture = InstallFixture::new();
        fixture.put(".hookrail/hookrail.toml", config.as_bytes());
        fixture.succeed(&["install", agent]);
        let hooks = installed(&fixture, file);
        for (event, timeout) in timeouts {
            assert_eq!(hooks[event][0]["hooks"][0]["timeout"], timeout, "{agent} {event}");
        }
    }
}

#[test]
fn what_stands_in_the_file_blocks_a_real_event() {
    for (agent, scope, tool, input) in [
        ("claude", "project", "Write", json!({ "file_path": "PROJECT/.hookrail/x", "content": "" })),
        ("claude", "local", "Bash", json!({ "command": "echo x > .claude/settings.json" })),
        ("gemini", "project", "write_file", json!({ "file_path": "PROJECT/.hookrail/x", "content": "" })),
        ("llxprt", "project", "run_shell_command", json!({ "command": "echo x > .hookrail/x" })),
        ("codex", "project", "Bash", json!({ "command": "echo x > .codex/hooks.json" })),
    ] {
        let fixture = InstallFixture::without_safety();
        fixture.succeed(&["install", agent, "--scope", scope]);
        let agent = AGENTS.into_iter().find(|it| it.name == agent).unwrap();
        let file = if scope == "local" { ".claude/settings.local.json" } else { agent.file };
        let hooks = installed(&fixture, file);
        let group = &hooks[agent.before_tool][0];
        // Without a matcher every tool is reached.
        if let Some(matcher) = group["matcher"].as_str() {
            let mut tools = matcher.trim_matches(['^', '$', '(', ')']).split('|');
            assert!(tools.any(|it| it == tool), "{matcher} does not reach {tool}");
        }
        let input = input.to_string().replace("PROJECT", fixture.project.path().to_str().unwrap());
        let event = json!({
            "session_id": "s", "cwd": fixture.project.path(), "hook_event_name": agent.before_tool, "tool_name": tool,
            "tool_input": serde_json::from_str::<Value>(&input).unwrap(), "timestamp": "2026-01-01T00:00:00Z",
        });
        let said = fixture.shell(group["hooks"][0]["command"].as_str().unwrap(), &event);
        said.assert_has(&["deny", "is protected"]);
    }
}

#[test]
fn a_mistake_in_the_configuration_is_told_because_events_may_be_missing() {
    let fixture = InstallFixture::new();
    fixture.put(".hookrail/hookrail.toml", b"[packs.isdcl]\nenabled = true\n");
    fixture.succeed(&["install", "claude"]).assert_has(&["hookrail.toml:1:", "`isdcl`", "did you mean `isdlc`?"]);
}
