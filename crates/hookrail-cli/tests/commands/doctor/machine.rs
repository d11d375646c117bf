use hookrail_testkit::project::TempProject;
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

/// A machine with a home, a project, a state directory and programs of its own.
pub struct DoctorFixture {
    disk: TempProject,
}

/// What doctor said.
#[derive(Debug)]
pub struct Checkup {
    pub code: i32,
    pub json: Value,
}

impl DoctorFixture {
    pub fn new() -> Self {
        let disk = TempProject::new().file("home/.keep", "").file("p/.keep", "").file("bin/.keep", "");
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_hookrail"), disk.at("bin/hookrail")).unwrap();
        Self { disk }
    }

    pub fn file(self, path: &str, text: &str) -> Self {
        Self { disk: self.disk.file(path, text) }
    }

    pub fn script(self, path: &str, text: &str) -> Self {
        Self { disk: self.disk.script(path, text) }
    }

    pub fn at(&self, path: &str) -> PathBuf {
        self.disk.at(path)
    }

    pub fn write(&self, path: &str, text: &str) {
        self.disk.write(path, text);
    }

    pub fn read(&self, path: &str) -> String {
        self.disk.read(path)
    }

    pub fn remove(&self, path: &str) {
        std::fs::remove_file(self.at(path)).unwrap();
    }

    pub fn chmod(&self, path: &str, mode: u32) {
        std::fs::set_permissions(self.at(path), std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    }

    pub fn hookrail(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_hookrail"))
            .args(args)
            .current_dir(self.at("p"))
            .env_clear()
            .env("HOME", self.at("home"))
            .env("HOOKRAIL_STATE_DIR", self.at("state"))
            .env("PATH", format!("{}:/usr/bin:/bin", self.at("bin").display()))
            .output()
            .unwrap()
    }

    /// Runs a command that must work.
    pub fn run(&self, args: &[&str]) {
        let output = self.hookrail(args);
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    pub fn doctor(&self, args: &[&str]) -> Checkup {
        let args: Vec<&str> = ["doctor", "--json"].iter().chain(args).copied().collect();
        let output = self.hookrail(&args);
        let stderr = String::from_utf8_lossy(&output.stderr);
        let json = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {stderr}"));
        Checkup { code: output.status.code().unwrap(), json }
    }
}

impl Checkup {
    /// The checks of an area, as `state what`.
    pub fn area(&self, title: &str) -> Vec<String> {
        let area = self.json["areas"].as_array().unwrap().iter().find(|area| area["area"] == title).unwrap();
        let checks = area["checks"].as_array().unwrap().iter();
        checks.map(|it| format!("{} {}", it["state"].as_str().unwrap(), it["what"].as_str().unwrap())).collect()
    }

    /// Asserts that an area has such a check, and that what is not fine says why it matters and how it is mended.
    pub fn expect(&self, title: &str, state: &str, what: &str) {
        let area = self.area(title);
        let found = area.iter().any(|line| line.starts_with(&format!("{state} ")) && line.contains(what));
        assert!(found, "no `{state}` with `{what}` in {title}: {area:#?}");
        for check in self.json["areas"].as_array().unwrap().iter().flat_map(|area| area["checks"].as_array().unwrap()) {
            if check["state"] != "ok" {
                assert!(check["why"].is_string() && check["fix"].is_string(), "{check}");
            }
        }
    }
}
