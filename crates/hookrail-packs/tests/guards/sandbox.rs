//! A home with a project in a folder of its own, and the loop that every table goes through.

use crate::disk::Disk;
use hookrail_core::{Decision, Event, NativeHook};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

pub struct Sandbox {
    _folder: tempfile::TempDir,
    pub home: PathBuf,
    pub project: PathBuf,
}

impl Sandbox {
    /// A home with an empty project `p`.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        let project = home.join("p");
        fs::create_dir(&project).unwrap();
        Self { _folder: folder, home, project }
    }

    pub fn file(&self, name: &str, text: &str) -> &Self {
        let path = self.project.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub fn program(&self, name: &str, text: &str) -> &Self {
        self.file(name, text);
        fs::set_permissions(self.project.join(name), fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    pub fn link(&self, name: &str, to: &str) -> &Self {
        symlink(to, self.project.join(name)).unwrap();
        self
    }

    pub fn git(&self, args: &[&str]) -> String {
        let output = self.command("git").args(args).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// A repository with everything that is there in its first commit.
    pub fn repository(&self, branch: &str) -> &Self {
        fs::write(
            self.home.join(".gitconfig"),
            "[user]\nname = me\nemail = me@example.com\n[commit]\ngpgsign = false\n",
        )
        .unwrap();
        self.git(&["init", "-q", "--template=", "-b", branch]);
        self.git(&["add", "-A"]);
        self.git(&["commit", "-qm", "first"]);
        self
    }

    /// The same on another disk place, for a command of its own.
    pub fn copy(&self) -> Self {
        let copy = Self::new();
        copy_tree(&self.home, &copy.home, &mut HashMap::new());
        copy
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(&self.project)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", &self.home)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_EDITOR", "true")
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, command: &str) {
        let mut bash = self.command("timeout");
        bash.args(["10", "bash", "-c", command]).stdout(Stdio::null()).stderr(Stdio::null());
        bash.status().unwrap();
    }

    #[expect(clippy::needless_pass_by_value, reason = "cases are written with `json!`")]
    pub fn world(&self, settings: Value) -> Disk {
        let mut disk = Disk::default();
        disk.env.insert("HOME".to_owned(), self.home.to_str().unwrap().to_owned());
        disk.settings = settings.as_object().cloned().unwrap_or_default();
        disk
    }

    pub fn call(&self, tool: &str, input: Value) -> Event {
        self.event("PreToolUse", tool, input)
    }

    #[expect(clippy::needless_pass_by_value, reason = "cases are written with `json!`")]
    pub fn event(&self, event: &str, tool: &str, input: Value) -> Event {
        let payload = json!({
            "hook_event_name": event, "session_id": "s1", "cwd": self.project, "tool_name": tool, "tool_input": input,
            "agent_type": "api-dev", "tool_response": {},
        });
        let payload: Map<String, Value> = payload.as_object().unwrap().clone();
        hookrail_dialects::dialect("claude").unwrap().decode(payload)
    }

    /// Everything about a path, links not followed: kinds, permissions, contents.
    pub fn snapshot(&self, name: &str) -> String {
        let mut text = String::new();
        describe(&self.project.join(name), &mut text);
        text
    }
}

fn describe(path: &Path, text: &mut String) {
    let Ok(meta) = fs::symlink_metadata(path) else {
        text.push_str("gone\n");
        return;
    };
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    if meta.is_symlink() {
        text.push_str(&format!("{name} -> {}\n", fs::read_link(path).unwrap().display()));
    } else if meta.is_dir() {
        text.push_str(&format!("{name}/ {:o}\n", meta.permissions().mode()));
        let mut names: Vec<PathBuf> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
        names.sort();
        names.iter().for_each(|path| describe(path, text));
    } else {
        // A pipe would wait for a writer.
        let content = if meta.is_file() { fs::read(path).unwrap_or_default() } else { Vec::new() };
        text.push_str(&format!("{name} {:o} {}\n", meta.permissions().mode(), String::from_utf8_lossy(&content)));
    }
}

/// Copies a tree. Files with several names keep them; git's objects, which never change, are shared.
fn copy_tree(from: &Path, to: &Path, names: &mut HashMap<u64, PathBuf>) {
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        let meta = entry.metadata().unwrap();
        if meta.is_symlink() {
            symlink(fs::read_link(&from).unwrap(), &to).unwrap();
        } else if meta.is_dir() {
            fs::create_dir_all(&to).unwrap();
            copy_tree(&from, &to, names);
        } else if from.components().any(|part| part.as_os_str() == "objects") {
            fs::hard_link(&from, &to).unwrap();
        } else if let Some(first) = names.get(&meta.ino()) {
            fs::hard_link(first, &to).unwrap();
        } else {
            fs::copy(&from, &to).unwrap();
            // git compares times.
            fs::File::open(&to).unwrap().set_modified(meta.modified().unwrap()).unwrap();
            if meta.nlink() > 1 {
                names.insert(meta.ino(), to);
            }
        }
    }
}

/// What a guard makes of an event, in a word.
pub fn word(hook: &dyn NativeHook, event: &Event, world: &Disk) -> &'static str {
    if !hook.concerns(event) {
        return "silent";
    }
    match hook.check(event, world).map(hookrail_core::Outcome::into_output) {
        Err(error) => panic!("{error}"),
        Ok(None) => "silent",
        Ok(Some(output)) => match output.decision {
            Decision::Block | Decision::Stop => "deny",
            Decision::Ask => "ask",
            Decision::Allow | Decision::None => "silent",
        },
    }
}

/// A guard, what it stands on, and what it is there for.
pub struct Guard<'g> {
    pub hook: &'g (dyn NativeHook + Sync),
    pub sandbox: Sandbox,
    pub settings: Value,
    /// What must not change, as a text.
    pub watch: fn(&Sandbox) -> String,
    /// `hook` may warn only after the call, instead of refusing it.
    pub verdict: fn(&dyn NativeHook, &Event, &Disk) -> &'static str,
    pub event: &'static str,
}

impl Guard<'_> {
    /// Every change must be caught; most must really be one. No look-alike may be, and none may change anything.
    pub fn judge(&self, changes: &[&str], look_alikes: &[&str]) {
        assert!(look_alikes.len() * 3 >= changes.len() + look_alikes.len(), "a third must be look-alikes");
        self.judge_mostly(changes, look_alikes);
    }

    /// The same for a table of which fewer are look-alikes.
    pub fn judge_mostly(&self, changes: &[&str], look_alikes: &[&str]) {
        let (missed, idle) = (Mutex::new(Vec::new()), AtomicUsize::new(0));
        let before = (self.watch)(&self.sandbox);
        each(changes, |command| {
            let sandbox = self.sandbox.copy();
            let caught = self.verdict(&sandbox, command) != "silent";
            sandbox.run(command);
            let changed = (self.watch)(&sandbox) != before;
            if !changed {
                idle.fetch_add(1, Ordering::Relaxed);
                println!("no change here: {command}");
            }
            if !caught {
                missed.lock().unwrap().push(format!("{}{command}", if changed { "" } else { "(idle) " }));
            }
        });
        let wrong = Mutex::new(Vec::new());
        each(look_alikes, |command| {
            let sandbox = self.sandbox.copy();
            let verdict = self.verdict(&sandbox, command);
            sandbox.run(command);
            let changed = (self.watch)(&sandbox) != before;
            if verdict != "silent" || changed {
                wrong.lock().unwrap().push(format!("{verdict}{}: {command}", if changed { ", a change" } else { "" }));
            }
        });
        let (missed, wrong) = (missed.into_inner().unwrap(), wrong.into_inner().unwrap());
        assert!(missed.is_empty() && wrong.is_empty(), "missed:\n{}\nwrong:\n{}", missed.join("\n"), wrong.join("\n"));
        // Some programs may be missing on a machine; a table of commands that do nothing would prove nothing.
        let idle = idle.into_inner();
        assert!(idle * 6 < changes.len(), "{idle} of {} changes change nothing here", changes.len());
    }

    pub fn verdict(&self, sandbox: &Sandbox, command: &str) -> &'static str {
        let event = sandbox.event(self.event, "Bash", json!({ "command": command }));
        (self.verdict)(self.hook, &event, &sandbox.world(self.settings.clone()))
    }
}

/// Goes through a table on a few threads: most of the time is spent in the commands.
fn each(commands: &[&str], work: impl Fn(&str) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(command) = commands.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(command);
                }
            });
        }
    });
}
