use hookrail_testkit::program::{program, talk};
use hookrail_testkit::project::TempProject;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Every hook there is, in earnest.
pub const EVERYTHING: &str = "[packs.fsm]\nenabled = true\n[packs.orchestrator]\nenabled = true\n\
    [packs.planning]\nenabled = true\n[packs.isdlc]\nenabled = true\n[hooks.\"core/event-log\"]\nmode = \"enforce\"\n";

/// A project, a home, and the binary between them.
pub struct ExplainProject {
    pub project: TempProject,
    pub home: TempProject,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Explained {
    pub stdout: String,
    pub stderr: String,
    pub exit_code: i32,
}

impl ExplainProject {
    pub fn new(config: &str) -> Self {
        let project = TempProject::new();
        project.write(".hookrail/hookrail.toml", config);
        Self { project, home: TempProject::new() }
    }

    pub fn run(&self, args: &[&str], stdin: &str) -> Explained {
        let mut command = program(env!("CARGO_BIN_EXE_hookrail"), &self.project, &self.home);
        let (code, stdout, stderr) = talk(command.args(args), stdin);
        Explained { stdout, stderr, exit_code: code.unwrap() }
    }

    pub fn hook(&self, args: &[&str], event: &Value) -> Explained {
        self.run(&[&["hook"], args].concat(), &event.to_string())
    }

    /// The whole explanation.
    #[track_caller]
    pub fn explain(&self, args: &[&str], event: &Value) -> Value {
        let said = self.run(&[&["explain", "--json"], args].concat(), &event.to_string());
        assert_eq!(said.exit_code, 0, "{}", said.stderr);
        serde_json::from_str(&said.stdout).unwrap_or_else(|_| panic!("{said:?}"))
    }

    /// Everything on the disk: paths, kinds, contents, times.
    pub fn photograph(&self) -> BTreeMap<PathBuf, (u32, i64, i64, Vec<u8>)> {
        let mut picture = BTreeMap::new();
        let mut folders = vec![self.project.path().to_owned(), self.home.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                let metadata = fs::symlink_metadata(&path).unwrap();
                let content = if metadata.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
                if metadata.is_dir() {
                    folders.push(path.clone());
                }
                picture.insert(path, (metadata.mode(), metadata.mtime(), metadata.mtime_nsec(), content));
            }
        }
        picture
    }
}

/// The answer in an explanation.
pub fn answer(explanation: &Value) -> Explained {
    let text = |key: &str| explanation["answer"][key].as_str().unwrap().to_owned();
    let exit_code = i32::try_from(explanation["answer"]["exit_code"].as_i64().unwrap()).unwrap();
    Explained { stdout: text("stdout"), stderr: text("stderr"), exit_code }
}

/// Every payload of every agent that there is, its folder replaced by this one.
pub fn payloads(folder: &Path) -> Vec<(String, Value)> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hookrail-dialects/tests/fixtures");
    let mut found = Vec::new();
    for agent in ["claude", "codex", "gemini"] {
        for entry in fs::read_dir(fixtures.join(agent)).unwrap() {
            let path = entry.unwrap().path();
            let payload: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
            if payload.is_object() {
                found.push((path.display().to_string(), payload));
            }
        }
    }
    for entry in fs::read_dir(fixtures.join("written")).unwrap() {
        let path = entry.unwrap().path();
        for line in fs::read_to_string(&path).unwrap().lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            found.push((format!("{} {}", path.display(), line["name"]), line["payload"].clone()));
        }
    }
    for (_, payload) in &mut found {
        if payload.get("cwd").is_some() {
            payload["cwd"] = Value::from(folder.display().to_string());
        }
    }
    assert!(found.len() > 93, "{}", found.len());
    found
}
