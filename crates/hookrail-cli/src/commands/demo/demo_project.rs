//! Where the demo is played: a temporary folder that has everything in it.

use super::project;
use super::story::{BRANCH, Git};
use crate::error::CliError;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Gone when it is dropped, unless it is kept.
#[derive(Debug)]
pub struct DemoProject {
    folder: TempDir,
    /// This very program.
    pub hookrail: PathBuf,
    pub git: Git,
}

impl DemoProject {
    pub fn build() -> Result<Self, CliError> {
        let hookrail = std::env::current_exe()
            .map_err(|error| CliError::machine(format!("this program cannot find itself: {error}")))?;
        let folder = tempfile::Builder::new().prefix("hookrail-demo-").tempdir();
        let folder = folder.map_err(|error| {
            CliError::machine(format!("there is no place for a temporary project: {error}"))
                .hint("set TMPDIR to a folder that can be written to")
        })?;
        let mut demo = Self { folder, hookrail, git: Git::Missing };
        demo.furnish()
            .map_err(|error| CliError::machine(format!("the temporary project could not be made: {error}")))?;
        Ok(demo)
    }

    /// The folder that everything is in.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn project(&self) -> PathBuf {
        self.folder().join("project")
    }

    pub fn home(&self) -> PathBuf {
        self.folder().join("home")
    }

    /// Where hookrail keeps its journal here.
    pub fn state(&self) -> PathBuf {
        self.folder().join("state")
    }

    /// Leaves the folder where it is.
    pub fn keep(self) -> PathBuf {
        self.folder.keep()
    }

    /// A program in the project that knows nothing of this machine but where programs are: neither the user's settings nor
    /// variables count, and nothing of theirs is touched.
    pub fn command(&self, program: impl Into<OsString>) -> Command {
        let mut command = Command::new(program.into());
        command.current_dir(self.project()).env_clear().stdin(Stdio::null());
        for name in ["PATH", "SystemRoot", "TMPDIR"] {
            command.envs(inherited(name).map(|value| (name, value)));
        }
        command.env("HOME", self.home()).env("HOOKRAIL_STATE_DIR", self.state());
        command.env("LC_ALL", "C").env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_TERMINAL_PROMPT", "0");
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "demo").env(format!("GIT_{role}_EMAIL"), "demo@localhost");
        }
        command
    }

    fn furnish(&mut self) -> io::Result<()> {
        fs::create_dir_all(self.home().join("photos"))?;
        for (path, content) in project::FILES {
            self.write(path, content)?;
        }
        self.write(".claude/settings.json", &project::settings(&quoted(&self.hookrail)))?;
        if self.make_repository() {
            self.git = Git::Installed;
        } else {
            // Hooks read git's files themselves; only committing takes git.
            let branch = format!(".git/refs/heads/{BRANCH}");
            self.write(".git/HEAD", &format!("ref: refs/heads/{BRANCH}\n"))?;
            self.write(".git/config", "")?;
            self.write(".git/refs/heads/main", NO_COMMIT)?;
            self.write(&branch, NO_COMMIT)?;
        }
        Ok(())
    }

    fn write(&self, path: &str, content: &str) -> io::Result<()> {
        let path = self.project().join(path);
        fs::create_dir_all(path.parent().unwrap_or(&path))?;
        fs::write(path, content)
    }

    /// A repository with a main branch and the one that is worked on; false if there is no git.
    fn make_repository(&self) -> bool {
        let steps: [&[&str]; 6] = [
            &["init", "--quiet", "--initial-branch=main"],
            &["add", "--all"],
            &["commit", "--quiet", "--message=Begin"],
            &["switch", "--quiet", "--create", BRANCH],
            &["init", "--quiet", "--bare", "../origin.git"],
            &["remote", "add", "origin", "../origin.git"],
        ];
        steps.iter().all(|args| {
            let output = self.command("git").args(*args).output();
            output.is_ok_and(|output| output.status.success())
        })
    }
}

const NO_COMMIT: &str = "0000000000000000000000000000000000000000\n";

#[expect(clippy::disallowed_methods, reason = "where programs are is all that the agent has to know of this machine")]
fn inherited(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// A path as one word for a shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}
