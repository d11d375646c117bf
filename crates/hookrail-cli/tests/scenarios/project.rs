use hookrail_testkit::project::TempProject;
use serde_json::Value;
use std::process::{Command, Stdio};

/// A folder with scenarios, and the binary.
pub struct ScenarioProject {
    pub project: TempProject,
}

#[derive(Debug)]
pub struct TestRun {
    pub out: String,
    pub err: String,
    pub code: i32,
}

impl ScenarioProject {
    pub fn new() -> Self {
        Self { project: TempProject::new() }
    }

    pub fn with(path: &str, text: &str) -> Self {
        let place = Self::new();
        place.project.write(path, text);
        place
    }

    pub fn test(&self, args: &[&str]) -> TestRun {
        let output = Command::new(env!("CARGO_BIN_EXE_hookrail"))
            .arg("test")
            .args(args)
            .current_dir(self.project.path())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.project.at("nobody"))
            .env("HOOKRAIL_STATE_DIR", self.project.at("nothing"))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        TestRun { out: text(output.stdout), err: text(output.stderr), code: output.status.code().unwrap() }
    }

    #[track_caller]
    pub fn test_json(&self, args: &[&str]) -> Value {
        let said = self.test(&[&["--json"], args].concat());
        serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"))
    }
}

/// A scenario with one event.
pub fn scenario(given: &str, event: &str, expect: &str) -> String {
    format!("# Title\n\nProse.\n\n{given}\n\n```toml event\n{event}\n```\n\n```toml expect\n{expect}\n```\n")
}
