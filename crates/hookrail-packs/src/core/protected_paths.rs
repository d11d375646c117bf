use crate::pattern::{PathPattern, any_matches};
use crate::shell::{Word, simple_commands};
use hookrail_core::{Event, EventName, HookError, NativeHook, OnError, Outcome, ToolKind, World};
use hookrail_dialects::{Extent, ProtectedFile, project_root, protected_files};
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

/// Keeps every tool from writing to protected paths.
///
/// **What it catches.** A write, an edit or a patch to a protected path, however it is spelled (relative, through `..`,
/// through a link), and shell commands that write there: redirections, and programs other than well-known readers that are
/// given such a path. Protected are hookrail's own configuration and state, the files in which agents keep their hook
/// entries, and what `[core] protected` lists, as in `.gitignore`, relative to the project.
///
/// **Why.** An agent that can edit its guards has none.
///
/// **Caught:** `Write .claude/settings.json`, `sed -i s/a/b/ .hookrail/hookrail.toml`.
/// **Not caught:** `Read .claude/settings.json`, `cat .hookrail/hookrail.toml`, `Write src/main.rs`.
#[derive(Debug)]
pub struct ProtectedPaths;

/// Programs that only look, whatever their arguments.
const READERS: [&str; 17] = [
    "cat",
    "less",
    "more",
    "head",
    "tail",
    "grep",
    "rg",
    "ls",
    "stat",
    "diff",
    "cmp",
    "wc",
    "file",
    "realpath",
    "readlink",
    "md5sum",
    "sha256sum",
];

impl NativeHook for ProtectedPaths {
    fn id(&self) -> &'static str {
        "core/protected-paths"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::BeforeTool, EventName::PermissionRequest]
    }

    fn concerns(&self, event: &Event) -> bool {
        event.tool.as_ref().is_some_and(|tool| {
            matches!(tool.kind, ToolKind::Write { .. } | ToolKind::Edit { .. } | ToolKind::Shell { .. })
        })
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
        let (cwd, touched) = match &tool.kind {
            ToolKind::Shell { command, cwd } => {
                let cwd = cwd.as_deref().map_or_else(|| event.cwd.clone(), |cwd| event.cwd.join(cwd));
                (cwd, written_by(command))
            }
            _ => (event.cwd.clone(), tool.touched_paths().to_vec()),
        };
        // Most of what is refused is refused by its name; only what is not has to be looked up on the disk.
        for look in [Look::AtNames, Look::AtDisk] {
            let ground = Ground::survey(event, world, look)?;
            if let Some(path) = touched.iter().find(|path| ground.protects(&cwd.join(path))) {
                return Ok(Outcome::deny(&refusal(path)));
            }
        }
        Ok(Outcome::silent())
    }
}

fn refusal(path: &str) -> String {
    format!(
        "`{path}` is protected and must not be changed by a tool. Do not try another way; if the change is needed, \
         tell the user what to write there"
    )
}

/// How paths are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    /// As they are written, `..` taken back.
    AtNames,
    /// By where they really lead, links followed.
    AtDisk,
}

impl Look {
    fn settle(self, path: &Path, world: &dyn World) -> PathBuf {
        match self {
            Self::AtNames => tidied(path),
            Self::AtDisk => world.resolve(path),
        }
    }
}

/// What is protected, around one event.
struct Ground<'a> {
    world: &'a dyn World,
    look: Look,
    project: PathBuf,
    /// What decides whether hooks run, of every agent and of hookrail.
    files: Vec<ProtectedFile>,
    /// What each layer of the configuration lists.
    lists: Vec<Vec<PathPattern>>,
}

impl<'a> Ground<'a> {
    fn survey(event: &Event, world: &'a dyn World, look: Look) -> Result<Self, HookError> {
        let project = look.settle(&project_root(world, &event.cwd), world);
        let home = world.env("HOME").filter(|home| !home.is_empty()).map(|home| look.settle(Path::new(&home), world));
        let mut files = protected_files(home.as_deref(), &project, &|name| world.env(name));
        let state = world.state_folder().map(|path| ProtectedFile { owner: "hookrail", path, extent: Extent::Tree });
        let dev_mode = world.settings("core").and_then(|core| core.get("dev_mode_file")?.as_str());
        let dev_mode = dev_mode.map(|file| project.join(file));
        files.extend(state);
        files.extend(dev_mode.map(|path| ProtectedFile { owner: "hookrail", path, extent: Extent::File }));
        let mut ground = Self { world, look, project, files, lists: configured(world)? };
        if look == Look::AtDisk {
            ground.follow_links();
        }
        Ok(ground)
    }

    /// On the disk a file or its folder may be a link, and must not be reachable from behind. Most agents are not used
    /// here: what is in a folder that does not exist needs no look.
    fn follow_links(&mut self) {
        let mut folders: HashMap<&Path, bool> = HashMap::new();
        let mut exists =
            |folder| *folders.entry(folder).or_insert_with(|| !matches!(self.world.kind(folder), Ok(None)));
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

    fn protects(&self, path: &Path) -> bool {
        let path = self.look.settle(path, self.world);
        // A `.hookrail` anywhere makes the folder around it a project of its own, with another configuration.
        let own = path.components().any(|part| part.as_os_str() == ".hookrail");
        if own || self.files.iter().any(|file| file.covers(&path)) {
            return true;
        }
        let relative = path.strip_prefix(&self.project).unwrap_or(&path);
        self.lists.iter().any(|patterns| any_matches(patterns, relative))
    }
}

/// A path without `.` and `..`, by its text alone.
fn tidied(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                tidy.pop();
            }
            Component::CurDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => tidy.push(component),
        }
    }
    tidy
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

/// The paths a shell command may write to, as far as its text tells.
fn written_by(command: &str) -> Vec<String> {
    let mut written = Vec::new();
    for simple in simple_commands(command) {
        let mut program: Option<&str> = None;
        for word in &simple {
            match word {
                Word::RedirectTo(target) => written.push(target.clone()),
                Word::Text(text) if program.is_none() && is_assignment(text) => {}
                Word::Text(text) if program.is_none() => program = Some(base_name(text)),
                Word::Text(text) => {
                    if !program.is_some_and(|program| READERS.contains(&program)) {
                        written.extend(candidates(text));
                    }
                }
            }
        }
    }
    written
}

fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=')
        .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

/// What in an argument may be a path: the argument, and what stands behind an equals sign (`--output=x`, `of=x`).
fn candidates(text: &str) -> Vec<String> {
    let value = text.split_once('=').map(|(_, value)| value.to_owned());
    [Some(text.to_owned()), value].into_iter().flatten().filter(|text| !text.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
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
            assert_eq!(project_root(&world, Path::new("/p/sub")), Path::new("/p"), "{what}");
            let write = ToolKind::Write { path: "/p/.claude/settings.json".to_owned(), content: String::new() };
            assert_ne!(ProtectedPaths.check(&event(write), &world).unwrap(), Outcome::silent(), "{what}");
        }
        let nothing = FakeWorld::new().env("HOME", "/p").file("/p/.git/HEAD", "").file("/p/.claude/x", "");
        assert_eq!(project_root(&nothing, Path::new("/p/sub")), Path::new("/p/sub"), "the home is no project");
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
