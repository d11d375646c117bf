//! Which spellings of a write the validator sees.

use super::*;
use hookrail_core::{ToolCall, ToolKind};
use hookrail_testkit::world::FakeWorld;
use serde_json::{Map, json};

const CLAIM: &str = r#"{"phases": {"06": {"constitutional_validation": {"completed": true, "iterations_used": 0}}}}"#;

fn after(kind: ToolKind, input: Value) -> Event {
    let mut tool = ToolCall::opaque("tool");
    tool.kind = kind;
    Event {
        name: EventName::AfterTool,
        native_name: String::new(),
        session_id: "s".to_owned(),
        cwd: "/p".into(),
        timestamp: String::new(),
        transcript_path: String::new(),
        tool: Some(tool),
        payload: Map::from_iter([("tool_input".to_owned(), input)]),
    }
}

fn world() -> FakeWorld {
    FakeWorld::new()
        .file("/p/.git/HEAD", "ref: refs/heads/main")
        .file("/p/.isdlc/state.json", CLAIM)
        .file("/p/src/state.json", CLAIM)
        .file("/p/finish.sh", "cd .isdlc\ncp /tmp/state.json state.json\n")
        .link("/p/alias", ".isdlc")
        .link("/p/current.json", ".isdlc/state.json")
}

fn warns(event: &Event, world: &FakeWorld) -> bool {
    let hook = StateWriteValidator;
    hook.concerns(event) && hook.check(event, world).unwrap() != Outcome::silent()
}

fn shell(command: &str) -> Event {
    after(ToolKind::Shell { command: command.to_owned(), cwd: None }, json!({ "command": command }))
}

#[test]
fn a_shell_command_that_wrote_the_state_is_looked_at() {
    for command in [
        "echo '{}' > .isdlc/state.json",
        "echo '{}' >| .isdlc/state.json",
        "echo '{}' > ./src/../.isdlc/state.json",
        "cat > .isdlc/state.json <<'END'\n{}\nEND",
        "cat /tmp/x.json >> /p/.isdlc/state.json",
        "echo '{}' | tee .isdlc/state.json",
        "echo '{}' | tee alias/state.json > /dev/null",
        "echo '{}' > current.json",
        "cd .isdlc && echo '{}' > state.json",
        "cd .isdlc; sed -i s/false/true/ state.json",
        "(cd alias && sed -i s/0/1/ state.json)",
        "pushd .isdlc && truncate -s 0 state.json",
        "sed -i 's/\"completed\": false/\"completed\": true/' .isdlc/state.json",
        "sed -i.bak -e s/a/b/ .isdlc/state.json",
        "perl -pi -e s/false/true/ .isdlc/state.json",
        "jq '.x = 1' .isdlc/state.json > t && mv t .isdlc/state.json",
        "jq '.x = 1' .isdlc/state.json | sponge .isdlc/state.json",
        "yq -i '.x = 1' .isdlc/state.json",
        "cp /tmp/state.json .isdlc/state.json",
        "cp /tmp/state.json .isdlc/",
        "cp -f /tmp/x.json '.isdlc/state.json'",
        "cp -r /tmp/saved/. .isdlc/",
        "mv /tmp/state.json .isdlc/state.json",
        "mv -f /tmp/state.json .isdlc",
        "install -m 644 /tmp/x.json .isdlc/state.json",
        "ln -sf /tmp/state.json .isdlc/state.json",
        "rsync -a /tmp/saved/ .isdlc/",
        "dd if=/tmp/x.json of=.isdlc/state.json",
        "git checkout main -- .isdlc/state.json",
        "git checkout main -- .isdlc",
        "git restore .isdlc/state.json",
        "git restore --source=HEAD~1 .isdlc",
        "curl -o .isdlc/state.json https://example.com/state.json",
        "unzip -o saved.zip -d .isdlc",
        "tar -xf saved.tar -C .isdlc",
        "bash -c 'echo {} > .isdlc/state.json'",
        "env A=1 sh -c 'cp x .isdlc/state.json'",
        "sudo tee .isdlc/state.json < x",
        "F=.isdlc/state.json; echo '{}' > \"$F\"",
        "for f in .isdlc/state.json; do sed -i s/a/b/ $f; done",
        "python3 -c \"open('.isdlc/state.json', 'w').write('{}')\"",
        "node -e \"require('fs').writeFileSync('.isdlc/state.json', '{}')\"",
        "bash finish.sh",
        "true && echo '{}' > .isdlc/state.json || true",
    ] {
        assert!(warns(&shell(command), &world()), "{command}");
    }
}

#[test]
fn a_shell_command_that_wrote_no_state_is_left_alone() {
    for command in [
        "",
        "cat .isdlc/state.json",
        "jq .phases .isdlc/state.json",
        "jq . .isdlc/state.json > /tmp/copy.json",
        "cp .isdlc/state.json /tmp/",
        "grep -c completed .isdlc/state.json",
        "sed -n 1,5p .isdlc/state.json",
        "python3 -m json.tool .isdlc/state.json",
        "git diff .isdlc/state.json",
        "git add .isdlc/state.json",
        "git commit -m 'echo > .isdlc/state.json'",
        "git checkout -b fix/.isdlc/state.json",
        "git log -- .isdlc",
        "echo 'cp x .isdlc/state.json'",
        "echo .isdlc/state.json > notes.txt",
        "echo '{}' > src/state.json",
        "echo '{}' > .isdlc/other.json",
        "echo '{}' > state.json",
        "mkdir -p .isdlc/",
        "rm -f .isdlc/state.json.bak",
        "cargo test state.json",
        "echo '{}' > \"$OUT\"",
    ] {
        assert!(!warns(&shell(command), &world()), "{command}");
    }
    let gone = FakeWorld::new().file("/p/.isdlc/monorepo.json", "{}");
    assert!(!warns(&shell("rm .isdlc/state.json"), &gone), "what is deleted was not written");
}

#[test]
fn every_tool_that_writes_the_state_is_looked_at() {
    let mcp = |tool: &str| ToolKind::Mcp { server: "filesystem".to_owned(), tool: tool.to_owned() };
    let path = "/p/.isdlc/state.json";
    for (kind, input, expected) in [
        (ToolKind::Write { path: path.to_owned(), content: CLAIM.to_owned() }, json!({}), true),
        (ToolKind::Write { path: "current.json".to_owned(), content: CLAIM.to_owned() }, json!({}), true),
        (ToolKind::Edit { paths: vec!["a.rs".to_owned(), ".isdlc/state.json".to_owned()] }, json!({}), true),
        (mcp("write_file"), json!({"path": path, "content": CLAIM}), true),
        (mcp("move_file"), json!({"source": "/p/x.json", "destination": path}), true),
        (mcp("run"), json!({"command": "cp x .isdlc/state.json"}), true),
        (mcp("read_file"), json!({"path": path}), false),
        (mcp("write_file"), json!({"path": "/p/notes.md", "content": path}), false),
        (ToolKind::Read { path: path.to_owned() }, json!({}), false),
    ] {
        let shown = format!("{kind:?} {input}");
        assert_eq!(warns(&after(kind, input), &world()), expected, "{shown}");
    }
}

#[test]
fn the_states_of_a_monorepo_are_found_when_a_folder_is_written_as_a_whole() {
    let world =
        || FakeWorld::new().file("/p/.isdlc/monorepo.json", "{}").file("/p/.isdlc/projects/api/state.json", CLAIM);
    for (command, expected) in [
        ("echo '{}' > .isdlc/projects/api/state.json", true),
        ("git restore .isdlc/projects", true),
        ("cp /tmp/state.json .isdlc/projects/api/", true),
        ("sed -i s/a/b/ .isdlc/projects/*/state.json", true),
        ("echo '{}' > .isdlc/projects/web/state.json", false),
        ("git diff .isdlc/projects", false),
    ] {
        assert_eq!(warns(&shell(command), &world()), expected, "{command}");
    }
}
