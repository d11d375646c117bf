use hookrail_testkit::project::TempProject;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An agent, and where its file is in a project.
#[derive(Clone, Copy, Debug)]
pub struct Agent {
    pub name: &'static str,
    pub file: &'static str,
    /// Its event before a tool.
    pub before_tool: &'static str,
}

pub const AGENTS: [Agent; 4] = [
    Agent { name: "claude", file: ".claude/settings.json", before_tool: "PreToolUse" },
    Agent { name: "gemini", file: ".gemini/settings.json", before_tool: "BeforeTool" },
    Agent { name: "llxprt", file: ".llxprt/settings.json", before_tool: "BeforeTool" },
    Agent { name: "codex", file: ".codex/hooks.json", before_tool: "PreToolUse" },
];

/// A project, a home folder and a place for state.
pub struct InstallFixture {
    pub project: TempProject,
    pub home: TempProject,
    pub env: Vec<(&'static str, String)>,
}

pub use hookrail_testkit::program::Finished as InstallRun;

impl InstallFixture {
    pub fn new() -> Self {
        Self { project: TempProject::new(), home: TempProject::new(), env: Vec::new() }
    }

    /// Where the user has switched off pack `safety`, which looks at every tool.
    pub fn without_safety() -> Self {
        let fixture = Self::new();
        fixture.home.write(".config/hookrail/hookrail.toml", "[packs.safety]\nenabled = false\n");
        fixture
    }

    /// With a program of this name that is found first.
    pub fn with_program(mut self, name: &str, text: &str) -> Self {
        self.home = self.home.script(format!("bin/{name}"), text);
        self.env.push(("PATH", format!("{}:/usr/bin:/bin", self.home.path().join("bin").display())));
        self
    }

    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hookrail"));
        command.args(words).current_dir(self.project.path()).env_clear();
        command.env("HOME", self.home.path()).env("HOOKRAIL_STATE_DIR", self.home.path().join("state"));
        // As after an installation: by name it is this one.
        let folder = Path::new(env!("CARGO_BIN_EXE_hookrail")).parent().unwrap().display().to_string();
        command.env("PATH", format!("{folder}:/usr/bin:/bin"));
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    pub fn run(&self, words: &[&str]) -> InstallRun {
        InstallRun::after(&mut self.command(words), "")
    }

    #[track_caller]
    pub fn succeed(&self, words: &[&str]) -> InstallRun {
        let said = self.run(words);
        assert_eq!(said.code, Some(0), "{words:?}: {said:?}");
        said
    }

    #[track_caller]
    pub fn refuse(&self, words: &[&str]) -> InstallRun {
        let said = self.run(words);
        assert_eq!(said.code, Some(1), "{words:?}: {said:?}");
        said
    }

    /// Lets a shell run what stands in an agent's file, with an event on stdin.
    pub fn shell(&self, line: &str, event: &Value) -> InstallRun {
        let command = self.command(&[]);
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).current_dir(self.project.path()).env_clear();
        shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        InstallRun::after(&mut shell, event.to_string())
    }

    /// Runs hookrail on a terminal and types these answers; `None` if this machine has no `script` to make one.
    pub fn on_terminal(&self, words: &str, answers: &str) -> Option<InstallRun> {
        let line = format!("{} {words}", env!("CARGO_BIN_EXE_hookrail"));
        let mut script = Command::new("script");
        script.args(["-qec", &line, "/dev/null"]).current_dir(self.project.path()).env_clear();
        script.envs(self.command(&[]).get_envs().filter_map(|(name, value)| Some((name, value?))));
        has_script().then(|| InstallRun::after(&mut script, answers))
    }

    pub fn path(&self, file: &str) -> PathBuf {
        self.project.path().join(file)
    }

    /// The bytes of a file; `None` if there is none.
    pub fn bytes(&self, file: &str) -> Option<Vec<u8>> {
        std::fs::read(self.path(file)).ok()
    }

    pub fn put(&self, file: &str, bytes: &[u8]) {
        let path = self.path(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// Everything in the project, hidden files included.
    pub fn tree(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.project.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let entry = entry.unwrap();
                if entry.file_type().unwrap().is_dir() {
                    folders.push(entry.path());
                }
                found.push(entry.path());
            }
        }
        found.sort();
        found
    }
}

/// Whether this machine can make a terminal.
fn has_script() -> bool {
    Command::new("script").arg("--version").output().is_ok()
}
