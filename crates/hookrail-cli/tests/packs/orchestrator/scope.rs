use crate::orchestrator::project::{STATE, TEAM, TeamProject, assert_has, finish, state};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

fn scopes() -> Value {
    json!({"agents": {
        "api-dev": {"allow": ["src/api/", "*.md"], "deny": ["src/api/secret.rs"]},
        "*": {"deny": ["migrations/"]},
    }})
}

fn guarded() -> TeamProject {
    let place = TeamProject::busy().file(&format!(".claude/hooks/scopes/{TEAM}.json"), &scopes().to_string());
    place.project.write("src/web/app.ts", "");
    place.project.write("src/api/users.rs", "");
    std::os::unix::fs::symlink(place.project.at("src/web"), place.project.at("src/api/link")).unwrap();
    place
}

fn write(tool: &str, path: &str, agent: Option<&str>) -> Value {
    let key = if tool == "NotebookEdit" { "notebook_path" } else { "file_path" };
    let mut fields = json!({"tool_name": tool, "tool_input": {key: path, "content": "x"}, "tool_use_id": "t"});
    if let Some(agent) = agent {
        fields["agent_type"] = json!(agent);
    }
    fields
}

#[test]
fn an_agent_writes_in_its_scope_only_however_the_path_is_spelled() {
    let place = guarded();
    let absolute = place.project.at("src/web/app.ts").display().to_string();
    for (tool, path, agent, denied) in [
        ("Write", "src/api/users.rs", Some("api-dev"), false),
        ("Edit", "src/api/new/file.rs", Some("api-dev"), false),
        ("Write", "docs/notes.md", Some("api-dev"), false),
        ("Edit", "src/web/app.ts", Some("api-dev"), true),
        ("Write", &absolute, Some("api-dev"), true),
        ("MultiEdit", "src/api/../web/app.ts", Some("api-dev"), true),
        ("Write", "src/api/link/app.ts", Some("api-dev"), true),
        ("NotebookEdit", "src/web/a.ipynb", Some("api-dev"), true),
        ("Write", "src/api/secret.rs", Some("api-dev"), true),
        ("Write", "/etc/elsewhere", Some("api-dev"), true),
        ("Write", "src/web/app.ts", Some("web-dev"), false),
        ("Write", "migrations/1.sql", Some("web-dev"), true),
        ("Write", "migrations/1.sql", None, true),
        ("Write", "src/web/app.ts", None, false),
    ] {
        let said = place.fire("PreToolUse", &write(tool, path, agent));
        if denied {
            let answer = said.json();
            assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "{tool} {path} {agent:?}");
            let reason = answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap();
            assert_has(reason, &[path, TEAM, "Do not try another way"]);
        } else {
            said.assert_silent(&format!("{tool} {path} {agent:?}"));
        }
    }
}

#[test]
fn a_redirection_and_the_tools_of_other_agents_count_as_well() {
    let place = guarded();
    for (command, denied) in [
        ("echo x > src/web/app.ts", true),
        ("echo x > src/api/users.rs 2> /dev/null", false),
        ("cat src/web/app.ts", false),
    ] {
        let fields = json!({"tool_name": "Bash", "tool_input": {"command": command}, "agent_type": "api-dev"});
        assert_eq!(place.fire("PreToolUse", &fields).out.contains("deny"), denied, "{command}");
    }
    let fields =
        json!({"tool_name": "write_file", "tool_input": {"file_path": "src/web/app.ts"}, "agent_type": "api-dev"});
    let event = place.event("BeforeTool", &fields).to_string();
    let said = finish(place.command(&["hook", "--pack", "orchestrator", "--agent", "gemini"]), &event);
    assert_eq!(said.json()["decision"], "deny");
}

#[test]
fn a_teammate_is_known_by_its_name_before_its_type() {
    let place = guarded();
    let mut fields = write("Write", "src/web/app.ts", Some("web-dev"));
    fields["teammate_name"] = json!("api-dev");
    assert_has(&place.fire("PreToolUse", &fields).out, &["deny"]);
}

#[test]
fn patterns_are_relative_to_the_worktree_that_is_written_to() {
    let place = guarded();
    let worktree = place.home.at("tree");
    std::fs::create_dir_all(&worktree).unwrap();
    let mut state = state();
    state["worktrees"] = json!({"_all": worktree});
    place.project.write(STATE, &state.to_string());
    for (path, denied) in [("src/api/a.rs", false), ("src/web/a.ts", true)] {
        let path = worktree.join(path).display().to_string();
        let said = place.fire("PreToolUse", &write("Write", &path, Some("api-dev")));
        assert_eq!(said.out.contains("deny"), denied, "{path}");
    }
}

#[test]
fn without_plan_or_scope_file_or_entry_there_is_no_opinion() {
    let fields = write("Write", "src/web/app.ts", Some("api-dev"));
    guarded().without(STATE).fire("PreToolUse", &fields).assert_silent("no plan");
    TeamProject::busy().fire("PreToolUse", &fields).assert_silent("no scope file");
    let file = format!(".claude/hooks/scopes/{TEAM}.json");
    let only_others = json!({"agents": {"web-dev": {"allow": ["x"]}}}).to_string();
    TeamProject::busy().file(&file, &only_others).fire("PreToolUse", &fields).assert_silent("no entry");
    let broken = TeamProject::busy().file(&file, "{").fire("PreToolUse", &fields);
    assert_has(&broken.message(), &["protects nothing"]);
}

#[test]
fn the_shipped_example_blocks() {
    // covers: ORCH-10.1 ORCH-10.2 ORCH-10.3 ORCH-10.4
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/hooks/scope-protection");
    let read = |name: &str| std::fs::read_to_string(example.join(name)).unwrap();
    let registration: Value = serde_json::from_str(&read("hooks.json")).unwrap();
    let command = registration["hooks"]["PreToolUse"][0]["hooks"][0]["command"].as_str().unwrap().to_owned();
    assert_has(&read("README.md"), &["hooks.json", "scope-protection.sh", "scopes/implement-parser.json"]);
    let place = TeamProject::busy()
        .file(".claude/hooks/scopes/implement-parser.json", &read("scopes/implement-parser.json"))
        .file(".claude/hooks/scope-protection.sh", &read("scope-protection.sh"));
    for (path, denied) in [("src/web/app.ts", true), ("src/api/users.rs", false)] {
        let mut run = place.dressed(Command::new("sh"), &["-c", &command]);
        run.env("CLAUDE_PROJECT_DIR", place.project.path());
        let said = finish(run, &place.event("PreToolUse", &write("Write", path, Some("api-dev"))).to_string());
        assert_eq!((said.code, said.out.contains("\"deny\"")), (Some(0), denied), "{path}: {said:?}");
    }
}
