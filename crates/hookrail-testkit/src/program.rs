//! A program under test, run with nothing of the machine but what a test gives it.

use crate::project::TempProject;
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// A program in a project, with a home folder of its own that holds hookrail's state as well, and all its streams open to
/// the test.
pub fn program(path: impl AsRef<Path>, project: &TempProject, home: &TempProject) -> Command {
    inside(Command::new(path.as_ref()), project, home)
}

/// The same for a command with arguments, such as one that runs another.
pub fn inside(mut command: Command, project: &TempProject, home: &TempProject) -> Command {
    command.current_dir(project.path()).env_clear().env("PATH", "/usr/bin:/bin");
    command.env("HOME", home.path()).env("HOOKRAIL_STATE_DIR", home.at("state"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// How a program ended, and what it wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Finished {
    /// Runs a command to its end.
    pub fn after(command: &mut Command, stdin: impl AsRef<[u8]>) -> Self {
        let (code, out, err) = talk(command, stdin);
        Self { code, out, err }
    }

    /// What it printed, as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// It wrote all of this, on either stream.
    #[track_caller]
    pub fn assert_has(&self, parts: &[&str]) -> &Self {
        for part in parts {
            assert!(self.out.contains(part) || self.err.contains(part), "`{part}` is missing in {self:?}");
        }
        self
    }
}

/// Runs a command to its end; its exit code, what it printed and what it said on stderr.
pub fn talk(command: &mut Command, stdin: impl AsRef<[u8]>) -> (Option<i32>, String, String) {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
    // A program that does not read its input may be gone already.
    let _ = child.stdin.take().expect("a piped input").write_all(stdin.as_ref());
    let output = child.wait_with_output().expect("a child can be waited for");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("programs speak UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_sees_its_project_and_home_and_is_heard_on_both_streams() {
        let (project, home) = (TempProject::new(), TempProject::new());
        let script = "cat; pwd; echo \"$HOME $HOOKRAIL_STATE_DIR $USER\" >&2; exit 3";
        let heard = talk(program("/bin/sh", &project, &home).args(["-c", script]), "hello\n");
        let (project, home) = (project.path().display(), home.path().display());
        assert_eq!(heard, (Some(3), format!("hello\n{project}\n"), format!("{home} {home}/state \n")));
    }
}
