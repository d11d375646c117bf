use super::self_protection::{refused_command, refused_variable, set_for_later_hooks, turned_against_guards};
use crate::changes::may_change_files;
use crate::pattern::{PathPattern, any_matches};
use hookrail_core::display::one_line;
use hookrail_core::tidy_path::is_same;
use hookrail_core::{Event, EventName, FileKind, HookError, NativeHook, OnError, Outcome, ToolKind, World};
use hookrail_dialects::{Extent, ProtectedFile, protected_files};
use hookrail_effects::{Act, Effect, GapReason, PathObject, Surroundings};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Keeps every tool from writing to protected paths.
///
/// **What it catches.** Whatever would write, delete, move, link or change the permissions of a protected path or of a
/// folder above it, by any tool, tools of MCP servers included, and however it is spelled: relative, through `..`, through a
/// link, after `cd`, by a pattern, in a script of the project that a command runs. Protected are hookrail's own
/// configuration and state, the files in which agents keep their hook entries, the scripts of trusted command hooks, and
/// what `[core] protected` lists, as in `.gitignore`, relative to the project. Commands that change what guards the session
/// are refused as well (`hookrail uninstall`, `hookrail trust`, `claude plugin remove`), and so are lines in profiles and in
/// `$CLAUDE_ENV_FILE` that set what hookrail finds its files by.
///
/// **Why.** An agent that can edit its guards has none.
///
/// **Caught:** `Write .claude/settings.json`, `cd .hookrail && sed -i s/a/b/ hookrail.toml`, `rm -rf .claude`.
/// **Not caught:** `Read .claude/settings.json`, `git diff .hookrail/hookrail.toml`, `Write src/main.rs`.
#[derive(Debug)]
pub struct ProtectedPaths;

/// So many entries below a folder are compared with the configured patterns.
const MAX_ENTRIES: usize = 2000;

impl NativeHook for ProtectedPaths {
    fn id(&self) -> &'static str {
        "core/protected-paths"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::BeforeTool, EventName::PermissionRequest]
    }

    fn concerns(&self, event: &Event) -> bool {
        may_change_files(event)
    }

    fn may_wait(&self) -> bool {
        false
    }

    /// A guard that rests after failing is a guard that can be made to rest.
    fn has_breaker(&self) -> bool {
        false
    }

    fn on_error(&self) -> OnError {
        OnError::Deny
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        let Some(tool) = &event.tool else { return Ok(Outcome::silent()) };
        let Some(effects) = hookrail_effects::of(event, world) else { return Ok(Outcome::silent()) };
        if let Some(command) = turned_against_guards(&effects) {
            return Ok(Outcome::deny(&refused_command(command)));
        }
        if let Some(variable) = set_for_later_hooks(&effects, event) {
            return Ok(Outcome::deny(&refused_variable(variable)));
        }
        if effects.changed_paths().next().is_some() {
            let ground = Ground::survey(&effects.around, world)?;
            let hit = effects.changed_paths().find(|(effect, path)| ground.protects(effect, path));
            if let Some((_, path)) = hit {
                return Ok(Outcome::deny(&refusal(&path.written)));
            }
        }
        // Nobody may hide what a command does behind so much else that it is not read to its end.
        let is_shell = matches!(tool.kind, ToolKind::Shell { .. });
        if is_shell && effects.gaps.iter().any(|gap| gap.why == GapReason::OverLimit) {
            return Err(HookError("the command is too long to be read to its end; run it in smaller parts".to_owned()));
        }
        Ok(Outcome::silent())
    }
}

fn refusal(path: &str) -> String {
    format!(
        "`{}` is protected and must not be changed by a tool. Do not try another way; if the change is needed, \
         tell the user what to write there",
        one_line(path)
    )
}

/// What is protected, around one event.
struct Ground<'a> {
    world: &'a dyn World,
    project: PathBuf,
    /// Where the project really is.
    real_project: PathBuf,
    /// What decides whether hooks run, of every agent and of hookrail, by its name and by where links lead.
    files: Vec<ProtectedFile>,
    /// What each layer of the configuration lists.
    lists: Vec<Vec<PathPattern>>,
}

impl<'a> Ground<'a> {
    fn survey(around: &Surroundings, world: &'a dyn World) -> Result<Self, HookError> {
        let project = around.project.clone();
        let mut files = protected_files(around.home.as_deref(), &project, &|name| world.env(name));
        let state = world.state_folder().map(|path| ProtectedFile { owner: "hookrail", path, extent: Extent::Tree });
        let dev_mode = world.settings("core").and_then(|core| core.get("dev_mode_file")?.as_str());
        let dev_mode = dev_mode.map(|file| project.join(file));
        files.extend(state);
        let scripts = world.settings("core").and_then(|core| core.get("trusted_scripts")?.as_array());
        let scripts = scripts.into_iter().flatten().filter_map(|path| Some(project.join(path.as_str()?)));
        let paths = dev_mode.into_iter().chain(scripts);
        files.extend(paths.map(|path| ProtectedFile { owner: "hookrail", path, extent: Extent::File }));
        // What stands in there is in the environment of everything that the session starts.
        let session = world.env("CLAUDE_ENV_FILE").map(PathBuf::from).filter(|path| path.is_absolute());
        files.extend(session.map(|path| ProtectedFile { owner: "claude", path, extent: Extent::File }));
        let real_project = world.resolve(&project);
        let mut ground = Self { world, project, real_project, files, lists: configured(world)? };
        ground.follow_links();
        Ok(ground)
    }

    /// A file or its folder may be a link, and must not be reachable from behind. Most agents are not used here: what is in a
    /// folder that does not exist needs no look.
    fn follow_links(&mut self) {
        // A short list: hashing a path takes longer than looking through it.
        let mut folders: Vec<(&Path, bool)> = Vec::with_capacity(self.files.len());
        let mut exists = |folder| {
            let known = folders.iter().find(|(known, _)| is_same(known, folder)).map(|(_, exists)| *exists);
            known.unwrap_or_else(|| {
                let exists = !matches!(self.world.kind(folder), Ok(None));
                folders.push((folder, exists));
                exists
            })
        };
        let mut more = Vec::new();
        for file in &self.files {
            if file.path.parent().is_some_and(&mut exists) {
                let path = self.world.resolve(&file.path);
                if path != file.path {
                    more.push(ProtectedFile { path, ..file.clone() });
                }
            }
        }
        self.files.extend(more);
    }

    fn protects(&self, effect: &Effect, path: &PathObject) -> bool {
        let names = [Some(path.resolved.as_path()), path.through.as_deref()];
        let mut names = names.into_iter().flatten();
        // A `.hookrail` anywhere makes the folder around it a project of its own, with another configuration.
        let own = |name: &Path| name.components().any(|part| part.as_os_str() == ".hookrail");
        let covered = |file: &ProtectedFile| effect.touches(&file.path) || names.clone().any(|name| file.covers(name));
        names.clone().any(own)
            || self.files.iter().any(covered)
            || self.is_other_name(effect, path)
            || names.any(|name| self.listed(name) || self.lists_something_in(effect, path, name))
    }

    /// Whether a path is another name of a protected file: what is written to one is in both.
    fn is_other_name(&self, effect: &Effect, path: &PathObject) -> bool {
        if path.pattern || effect.is(Act::FsDelete) {
            return false;
        }
        let Some(identity) = self.world.shared_identity(path.real()) else { return false };
        let is_it = |path: &Path| self.world.shared_identity(path) == Some(identity);
        let is_in = |folder: &Path| {
            let names = self.world.list(folder).ok().flatten().unwrap_or_default();
            names.iter().take(MAX_ENTRIES).any(|name| is_it(&folder.join(name)))
        };
        self.files.iter().any(|file| is_it(&file.path) || (file.extent != Extent::File && is_in(&file.path)))
    }

    /// Whether the configuration lists a path.
    fn listed(&self, path: &Path) -> bool {
        let inside = path.strip_prefix(&self.project).or_else(|_| path.strip_prefix(&self.real_project));
        let relative = inside.unwrap_or(path);
        self.lists.iter().any(|patterns| any_matches(patterns, relative))
    }

    /// Whether a change reaches something listed that is in a folder, or that a pattern names.
    fn lists_something_in(&self, effect: &Effect, path: &PathObject, name: &Path) -> bool {
        if self.lists.is_empty() || !(path.recursive || path.pattern || effect.act.reaches_below()) {
            return false;
        }
        let start = name.ancestors().find(|folder| !folder.to_string_lossy().contains(['*', '?', '[']));
        let mut folders = vec![start.unwrap_or(name).to_owned()];
        let mut seen = 0;
        while let Some(folder) = folders.pop() {
            for entry in self.world.list(&folder).ok().flatten().unwrap_or_default() {
                seen += 1;
                if seen > MAX_ENTRIES {
                    return false;
                }
                let entry = folder.join(entry);
                if self.listed(&entry) && effect.touches(&entry) {
                    return true;
                }
                if matches!(self.world.kind(&entry), Ok(Some(FileKind::Folder))) && !entry.ends_with(".git") {
                    folders.push(entry);
                }
            }
        }
        false
    }
}

/// A list for each layer: an exception of one does not undo what another protects.
fn configured(world: &dyn World) -> Result<Vec<Vec<PathPattern>>, HookError> {
    let Some(lists) = world.settings("core").and_then(|core| core.get("protected")) else { return Ok(Vec::new()) };
    let patterns = |list: &Value| {
        let list = list.as_array()?;
        Some(list.iter().filter_map(Value::as_str).filter_map(PathPattern::parse).collect())
    };
    let lists = lists.as_array().and_then(|lists| lists.iter().map(patterns).collect());
    lists.ok_or_else(|| HookError("`[core] protected` must be a list of patterns".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_core::ToolKind;
    use hookrail_testkit::world::FakeWorld;
    use serde_json::{Map, json};

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
        assert!(!ProtectedPaths.concerns(&event(ToolKind::Read { path: "/p/.hookrail/x".to_owned() })));
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
