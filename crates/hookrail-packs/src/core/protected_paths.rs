use super::ground::{Certainty, ProtectedGround, is_named};
use super::secret_paths::SecretRead;
use super::self_protection::{
    mentions_guards, refused_command, refused_variable, set_for_later_hooks, shadows_program, turned_against_guards,
};
use super::{secret_paths, unclear};
use crate::changes::may_change_files;
use hookrail_core::display::one_line;
use hookrail_core::{Event, EventName, HookError, HookProfile, NativeHook, OnError, Outcome, ToolKind, World};
use hookrail_effects::{CHANGED_FILES, Effect, PathObject, Understanding};

/// Keeps every tool from writing to protected paths, and from reading secret ones.
///
/// **What it catches.** Whatever would write, delete, move, link or change the permissions of a protected path or of a
/// folder above it, by any tool, tools of MCP servers included, and however it is spelled: relative, through `..`, through a
/// link, after `cd`, by a pattern, in a script of the project that a command runs. Protected are hookrail's own
/// configuration and state, the files in which agents keep their hook entries, the scripts of trusted command hooks, and
/// what `[core] protected` lists, as in `.gitignore`, relative to the project. Commands that change what guards the session
/// are refused as well (`hookrail uninstall`, `hookrail trust`, `claude plugin remove`), and so are lines in profiles and in
/// `$CLAUDE_ENV_FILE` that set what hookrail finds its files by. What `[core] secret` lists must not be read, in the same
/// ways: by tools that read and search, by commands, through links, by a pattern or with the folder around it. Where a part of
/// a call is not understood and names something protected, a person is asked.
///
/// **Why.** An agent that can change its own restrictions is not restricted.
///
/// **Caught:** `Write .claude/settings.json`, `cd .hookrail && sed -i s/a/b/ hookrail.toml`, `rm -rf .claude`.
/// **Not caught:** `Read .claude/settings.json`, `git diff .hookrail/hookrail.toml`, `Write src/main.rs`.
#[derive(Debug)]
pub struct ProtectedPaths;

impl NativeHook for ProtectedPaths {
    fn id(&self) -> &'static str {
        "core/protected-paths"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::BeforeTool, EventName::PermissionRequest]
    }

    fn concerns(&self, event: &Event) -> bool {
        may_change_files(event) || may_read_files(event)
    }

    /// A read changes nothing, and most projects list nothing secret.
    fn has_work(&self, event: &Event, world: &dyn World) -> bool {
        may_change_files(event) || world.settings("core").is_some_and(|core| core.get("secret").is_some())
    }

    fn profile(&self) -> HookProfile {
        HookProfile {
            may_wait: false,
            // A guard that rests after failing is a guard that can be made to rest.
            has_breaker: false,
            on_error: OnError::Deny,
            ..HookProfile::DEFAULT
        }
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        let Some(call) = hookrail_effects::of(event, world) else { return Ok(Outcome::silent()) };
        if let Some(command) = turned_against_guards(&call) {
            return Ok(Outcome::deny(&refused_command(command)));
        }
        if let Some(variable) = set_for_later_hooks(&call, event) {
            return Ok(Outcome::deny(&refused_variable(variable)));
        }
        let secret = secret_paths::read_secret(&call, world)?;
        if let Some(SecretRead::Told(path)) = &secret {
            return Ok(Outcome::deny(&secret_paths::refusal(path)));
        }
        if call.over_limit() {
            judge_unread(event, &ProtectedGround::survey(&call.around, world)?)?;
        }
        let changes = look_at_changes(&call, world)?;
        Ok(match secret {
            Some(SecretRead::Possible(path)) if changes == Outcome::silent() => {
                Outcome::ask(&secret_paths::question(&path))
            }
            Some(SecretRead::Given { program, path }) if changes == Outcome::silent() => {
                Outcome::ask(&secret_paths::question_about(&program, &path))
            }
            _ => changes,
        })
    }
}

/// A command that was not read to its end and names what guards the session: so much else must not hide what it
/// does. Most that are so long write a large text to a file.
fn judge_unread(event: &Event, ground: &ProtectedGround<'_>) -> Result<(), HookError> {
    if mentions_guards(event, ground.files()) {
        return Err(HookError::new(
            "the command is too long to be read to its end, and names files or programs that guard this session; run it \
             in smaller parts",
        ));
    }
    Ok(())
}

/// Whether a tool call may read files and do nothing else.
fn may_read_files(event: &Event) -> bool {
    event.tool.as_ref().is_some_and(|tool| matches!(tool.kind, ToolKind::Read { .. } | ToolKind::WebFetch { .. }))
}

fn look_at_changes(call: &Understanding, world: &dyn World) -> Result<Outcome, HookError> {
    let puts_back = call.list.iter().find(|effect| effect.on.target.as_deref() == Some(CHANGED_FILES));
    let changes = call.changed_paths().next().is_some() || puts_back.is_some();
    if !changes && call.gaps.is_empty() && call.given.is_empty() {
        return Ok(Outcome::silent());
    }
    // What is refused by its name needs no look at where a hundred other names lead.
    let is_told = |path: &PathObject| is_named(path, &call.around) || shadows_program(path, world);
    if let Some((_, path)) = different_changes(call).find(|(_, path)| is_told(path)) {
        return Ok(Outcome::deny(&refusal(&path.written)));
    }
    let ground = ProtectedGround::survey(&call.around, world)?;
    let mut possible = None;
    for (effect, path) in different_changes(call) {
        match ground.reach(effect, path) {
            Some(Certainty::Told) => return Ok(Outcome::deny(&refusal(&path.written))),
            Some(Certainty::Possible) => possible = possible.or(Some(path)),
            None => {}
        }
    }
    let tree = puts_back.and_then(|effect| effect.on.path.as_deref());
    let question = possible
        .map(|path| unclear::open_change(&path.written))
        .or_else(|| tree.filter(|tree| ground.was_changed_in(&tree.resolved)).map(|_| unclear::put_back()))
        .or_else(|| unclear::question(call, &ground));
    Ok(question.map_or_else(Outcome::silent, |question| Outcome::ask(&question)))
}

/// The changes, without most of those that are repeated: a long script does the same in many of its lines.
fn different_changes(call: &Understanding) -> impl Iterator<Item = (&Effect, &PathObject)> {
    let mut recent: [Option<(&Effect, &PathObject)>; 8] = [None; 8];
    let mut oldest = (0..recent.len()).cycle();
    call.changed_paths().filter(move |(effect, path)| {
        let same = |(known, at): &(&Effect, &PathObject)| {
            known.act == effect.act && known.place == effect.place && *at == *path
        };
        let repeated = recent.iter().flatten().any(same);
        if !repeated && let Some(slot) = oldest.next().and_then(|at| recent.get_mut(at)) {
            *slot = Some((effect, path));
        }
        !repeated
    })
}

fn refusal(path: &str) -> String {
    format!(
        "`{}` is protected and must not be changed by a tool. Do not try another way; if the change is needed, \
         tell the user what to write there",
        one_line(path)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_testkit::world::FakeWorld;
    use serde_json::{Map, json};
    use std::path::Path;

    fn event(kind: ToolKind) -> Event {
        let mut tool = hookrail_core::ToolCall::opaque("tool");
        tool.kind = kind;
        Event {
            name: EventName::BeforeTool,
            native_name: String::new(),
            session_id: "s".to_owned(),
            cwd: "/p/sub".into(),
            timestamp: String::new(),
            transcript_path: String::new(),
            tool: Some(tool),
            payload: Map::new(),
        }
    }

    fn world() -> FakeWorld {
        FakeWorld::new()
            .env("HOME", "/home/me")
            .env("CLAUDE_PROJECT_DIR", "/p")
            .link("/p/innocent", "/p/.claude")
            .file("/p/vault/deep/server.pem", "x")
            .file("/p/src/main.rs", "x")
            .settings(
                "core",
                json!({ "protected": [["secrets/", "*.key", "!public.key"], ["*.pem", "!secrets/", "!server.key"]] }),
            )
    }

    fn denied(kind: ToolKind) -> bool {
        ProtectedPaths.check(&event(kind), &world()).unwrap() != Outcome::silent()
    }

    #[test]
    fn writes_to_protected_paths_are_refused_however_they_are_spelled() {
        let cases = [
            ("/p/.claude/settings.json", true),
            ("../.claude/settings.json", true),
            ("../innocent/settings.json", true),
            ("../.claude/commands/x.md", false),
            ("/p/.hookrail/hookrail.toml", true),
            ("/p/.hookrail/new/file", true),
            ("/p/.hookrail-not", false),
            ("/home/me/.gemini/settings.json", true),
            ("/home/me/.config/hookrail/hookrail.toml", true),
            ("/etc/hookrail/hookrail.toml", true),
            ("/state/journal/head", true),
            ("/p/secrets/a", true),
            ("/p/deep/secrets/a", true),
            ("x.key", true),
            ("public.key", false),
            ("server.key", true),
            ("cert.pem", true),
            ("/p/src/main.rs", false),
        ];
        for (path, expected) in cases {
            let write = ToolKind::Write { path: path.to_owned(), content: String::new() };
            assert_eq!(denied(write), expected, "write {path}");
            let patch = ToolKind::Edit { paths: vec!["fine.txt".to_owned(), path.to_owned()] };
            assert_eq!(denied(patch), expected, "patch {path}");
        }
    }

    #[test]
    fn shell_commands_that_write_there_are_refused_and_readers_are_not() {
        let cases = [
            ("echo x > ../.claude/settings.json", true),
            ("echo x >>../.hookrail/local.toml", true),
            ("sed -i s/a/b/ ../.hookrail/hookrail.toml", true),
            ("rm -rf ../.hookrail", true),
            ("cp evil.json '../.claude/settings.json'", true),
            ("true && tee ../.claude/settings.json", true),
            ("dd of=../x.key", true),
            ("FOO=1 mv a ../secrets/b", true),
            ("cd .. && rm -rf .claude", true),
            ("cd ../.hookrail; echo x > hookrail.toml", true),
            ("bash -c 'rm ~/.claude/settings.json'", true),
            ("rm -rf ../.hook*", true),
            ("rm -rf ..", true),
            ("rm -rf ../vault", true),
            ("chmod -R 777 ../vault", true),
            ("ln -sf /tmp/x ../.claude/settings.json", true),
            ("find .. -name '*.pem' -delete", true),
            ("python3 -c \"open('../.claude/settings.json', 'w')\"", true),
            ("git checkout main -- ../.claude/settings.json", true),
            ("git diff ../.claude/settings.json", false),
            ("git add ../.claude/settings.json", false),
            ("git checkout -b fix/.claude/settings.json", false),
            ("sed -i s/secrets/x/ README.md", false),
            ("npm test -- --grep secrets/", false),
            ("rm -rf ../src", false),
            ("cat ../.claude/settings.json", false),
            ("grep hooks ../.claude/settings.json | head", false),
            ("cat ../.claude/settings.json > copy.json", false),
            ("cat a > ../.claude/settings.json", true),
            ("echo '../.claude/settings.json is nice'", false),
            ("ls", false),
            ("", false),
        ];
        for (command, expected) in cases {
            let shell = ToolKind::Shell { command: command.to_owned(), cwd: None };
            assert_eq!(denied(shell), expected, "{command}");
        }
    }

    #[test]
    fn the_refusal_names_the_path_and_what_to_do_instead() {
        let write = ToolKind::Write { path: "/p/.hookrail/x".to_owned(), content: String::new() };
        let output = ProtectedPaths.check(&event(write), &world()).unwrap().into_output().unwrap();
        let reason = output.reason().unwrap();
        assert!(reason.contains("`/p/.hookrail/x`") && reason.contains("tell the user"), "{reason}");
    }

    #[test]
    fn tools_of_mcp_servers_are_refused_as_well() {
        for (tool, input, expected) in [
            ("write_file", json!({ "path": "/p/.claude/settings.json", "content": "{}" }), true),
            ("move_file", json!({ "source": "/p/.hookrail", "destination": "/p/x" }), true),
            ("delete_file", json!({ "path": "/p/secrets" }), true),
            ("read_file", json!({ "path": "/p/.claude/settings.json" }), false),
            ("run", json!({ "command": "rm -rf /p/.hookrail" }), true),
            ("run", json!({ "command": "cat /p/.hookrail/hookrail.toml" }), false),
        ] {
            let mut event = event(ToolKind::Mcp { server: "filesystem".to_owned(), tool: tool.to_owned() });
            event.payload.insert("tool_input".to_owned(), input.clone());
            let denied = ProtectedPaths.check(&event, &world()).unwrap() != Outcome::silent();
            assert_eq!(denied, expected, "{tool} {input}");
        }
    }

    #[test]
    fn other_tools_are_none_of_its_business() {
        let read = ToolKind::Read { path: "/p/.hookrail/x".to_owned() };
        assert!(!denied(read));
        assert!(!ProtectedPaths.concerns(&event(ToolKind::Skill { name: "x".to_owned() })));
        assert!(ProtectedPaths.concerns(&event(ToolKind::Edit { paths: Vec::new() })));
    }

    #[test]
    fn the_project_is_found_above_the_working_directory_where_no_variable_names_it() {
        let cases: [(&str, FakeWorld); 5] = [
            ("a repository", FakeWorld::new().file("/p/.git/HEAD", "")),
            ("its own configuration", FakeWorld::new().file("/p/.hookrail/hookrail.toml", "")),
            ("a folder of an agent", FakeWorld::new().file("/p/.gemini/GEMINI.md", "")),
            ("a variable of another agent", FakeWorld::new().env("QWEN_PROJECT_DIR", "/p")),
            (
                "a repository in a home that is one as well",
                FakeWorld::new().file("/.git/HEAD", "").file("/p/.git/HEAD", ""),
            ),
        ];
        for (what, world) in cases {
            let world = world.env("HOME", "/");
            assert_eq!(hookrail_dialects::project_root(&world, Path::new("/p/sub")), Path::new("/p"), "{what}");
            let write = ToolKind::Write { path: "/p/.claude/settings.json".to_owned(), content: String::new() };
            assert_ne!(ProtectedPaths.check(&event(write), &world).unwrap(), Outcome::silent(), "{what}");
        }
        let nothing = FakeWorld::new().env("HOME", "/p").file("/p/.git/HEAD", "").file("/p/.claude/x", "");
        assert_eq!(
            hookrail_dialects::project_root(&nothing, Path::new("/p/sub")),
            Path::new("/p/sub"),
            "the home is no project"
        );
    }

    #[test]
    fn what_switches_hooks_off_is_protected_wherever_it_is() {
        let world = world().settings("core", json!({ "dev_mode_file": ".off" }));
        for (path, expected) in [
            ("/p/.off", true),
            ("/p/other", false),
            ("/p/sub/.hookrail/hookrail.toml", true),
            ("/home/me/.claude.json", true),
            ("/p/.github/hooks/x.json", true),
            ("/p/.vibe/hooks.toml", true),
            ("/p/.opencode/plugins/x.js", true),
            ("/home/me/.local/state/hookrail/install/records.json", true),
        ] {
            let write = ToolKind::Write { path: path.to_owned(), content: String::new() };
            let denied = ProtectedPaths.check(&event(write), &world).unwrap() != Outcome::silent();
            assert_eq!(denied, expected, "{path}");
        }
    }
}
