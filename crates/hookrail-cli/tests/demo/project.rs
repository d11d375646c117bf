use hookrail_testkit::process::within;
use hookrail_testkit::project::TempProject;
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;

/// A demo takes seconds at most where its output is not a terminal.
pub const HANG: Duration = Duration::from_secs(120);

/// A machine of its own: a home folder, and a place for temporary files.
pub struct DemoRun {
    pub files: TempProject,
}

impl DemoRun {
    pub fn new() -> Self {
        Self { files: TempProject::new().file("home/.keep", "").file("tmp/.keep", "") }
    }

    /// The demo, with this machine's programs and nothing else of it.
    #[expect(clippy::disallowed_methods, reason = "where the programs of this machine are")]
    pub fn demo(&self, args: &[&str]) -> Command {
        let mut demo = Command::new(env!("CARGO_BIN_EXE_hookrail"));
        demo.arg("demo").args(args).current_dir(self.files.path()).env_clear();
        demo.env("PATH", std::env::var_os("PATH").unwrap()).env("TMPDIR", self.temporary());
        demo.env("HOME", self.files.at("home"));
        demo
    }

    pub fn temporary(&self) -> PathBuf {
        self.files.at("tmp")
    }

    /// What demos left in the place for temporary files.
    pub fn left(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.temporary()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name != ".keep").collect()
    }

    /// Every file of the home folder.
    pub fn home(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.files.at("home")).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

pub fn run(mut command: Command) -> Output {
    within(HANG, move || command.output().unwrap())
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// What a demo told a program, which went well.
#[track_caller]
pub fn told(output: &Output) -> Vec<Value> {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "");
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The lines of one type.
pub fn of_type<'a>(lines: &'a [Value], name: &str) -> Vec<&'a Value> {
    lines.iter().filter(|line| line["type"] == name).collect()
}
