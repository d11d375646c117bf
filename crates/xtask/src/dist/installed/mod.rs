//! Installs every package into a clean folder, as its users would, and runs `hookrail demo` and `hookrail hook` from there.

mod container;
mod loopback;
mod ways;

use super::packages::{Contents, VERSION};
use crate::{Outcome, TaskError};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use ways::{Skip, WAYS};

/// A call that pack `safety` denies wherever it is installed.
const EVENT: &str =
    r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf ~"}}"#;

/// A folder of its own for one way of installing: packages are beside it, everything else is empty.
pub struct CleanPrefix<'a> {
    folder: tempfile::TempDir,
    pub packages: &'a Path,
    pub contents: &'a Contents,
}

/// How the installed program is started.
pub struct Installed {
    pub program: OsString,
    pub before: Vec<OsString>,
    /// What is on the `PATH` of its process.
    pub path: OsString,
    /// How `hookrail self version` must say that it was installed.
    pub installed_by: &'static str,
}

impl Installed {
    pub fn at(program: impl Into<OsString>, installed_by: &'static str) -> Self {
        Self { program: program.into(), before: Vec::new(), path: system_path(), installed_by }
    }
}

/// Where the usual programs are, and no hookrail of this machine.
fn system_path() -> OsString {
    if cfg!(windows) { variable("PATH").unwrap_or_default() } else { "/usr/bin:/bin".into() }
}

/// A variable of this process.
#[expect(clippy::disallowed_methods, reason = "packages are installed on this machine, with its tools")]
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// Tries every way and prints a line for each.
pub fn test(contents: &Contents, packages: &Path, out: &mut dyn Write) -> Result<Outcome, TaskError> {
    let tools_are_required = variable("HOOKRAIL_TEST_TOOLS").is_some_and(|value| value == "required");
    let mut outcome = Outcome::Passed;
    for (name, install) in WAYS {
        let prefix = CleanPrefix { folder: tempfile::tempdir()?, packages, contents };
        let result = install(&prefix).and_then(|installed| Ok(prefix.try_out(&installed)?));
        match result {
            Ok(()) => writeln!(out, "ok       {name}")?,
            Err(Skip::Elsewhere(why)) => writeln!(out, "skipped  {name}: {why}")?,
            Err(Skip::Missing(what)) if !tools_are_required => writeln!(out, "skipped  {name}: {what}")?,
            Err(Skip::Missing(why)) => {
                outcome = Outcome::Failed;
                writeln!(out, "FAILED   {name}: {why}")?;
            }
            Err(Skip::Broken(error)) => {
                outcome = Outcome::Failed;
                writeln!(out, "FAILED   {name}: {error}")?;
            }
        }
    }
    Ok(outcome)
}

impl CleanPrefix<'_> {
    /// A folder in the prefix, made.
    pub fn folder(&self, name: &str) -> io::Result<PathBuf> {
        let folder = self.folder.path().join(name);
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// A process that knows nothing of this machine but where programs are.
    pub fn command(&self, program: impl Into<OsString>, path: &OsString) -> io::Result<Command> {
        let mut command = Command::new(program.into());
        command.env_clear().env("PATH", path).env("HOME", self.folder("home")?).env("COLUMNS", "100");
        // Windows starts nothing without these.
        for name in ["SystemRoot", "ComSpec", "PATHEXT", "TEMP", "PROCESSOR_ARCHITECTURE"] {
            command.envs(variable(name).map(|value| (name, value)));
        }
        if cfg!(windows) {
            let home = self.folder("home")?;
            command
                .env("USERPROFILE", &home)
                .env("LOCALAPPDATA", home.join("local"))
                .env("APPDATA", home.join("roaming"));
        }
        command.current_dir(self.folder("work")?).stdin(Stdio::null());
        Ok(command)
    }

    /// Runs a step of an installation.
    pub fn run(&self, command: &mut Command) -> io::Result<String> {
        let output =
            command.output().map_err(|error| io::Error::other(format!("{:?}: {error}", command.get_program())))?;
        succeeded(command, &output)
    }

    fn hookrail(&self, installed: &Installed, args: &[&str]) -> io::Result<Command> {
        let mut command = self.command(&installed.program, &installed.path)?;
        command.args(&installed.before).args(args);
        Ok(command)
    }

    /// `hookrail-hook`, which lies beside the other program.
    fn small(&self, installed: &Installed, program: &str) -> io::Result<Command> {
        let [_, name] = self.contents.target.programs();
        let small = Path::new(program).with_file_name(name).into_os_string();
        let Some((_, enter)) = installed.before.split_last() else { return self.command(small, &installed.path) };
        let mut command = self.command(&installed.program, &installed.path)?;
        command.args(enter).arg(small);
        Ok(command)
    }

    fn try_out(&self, installed: &Installed) -> io::Result<()> {
        let demo = self.run(&mut self.hookrail(installed, &["demo", "--fast"])?)?;
        expect(&demo, "hook runs", "the demo")?;
        let mut hook = self.hookrail(installed, &["hook", "--agent", "claude"])?;
        let mut child = hook.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(EVENT.as_bytes()))?;
        let answer = succeeded(&hook, &child.wait_with_output()?)?;
        expect(&answer, r#""permissionDecision":"deny""#, "`hookrail hook`")?;
        let told = self.run(&mut self.hookrail(installed, &["self", "version", "--json"])?)?;
        let told: serde_json::Value = serde_json::from_str(&told)?;
        let small = self.run(self.small(installed, ways::text_at(&told, "/program"))?.arg("--version"))?;
        expect(&small, &format!("hookrail-hook {VERSION}"), "`hookrail-hook`")?;
        expect(ways::text_at(&told, "/version"), VERSION, "`self version`")?;
        expect(ways::text_at(&told, "/installed_by"), installed.installed_by, "`self version`")
    }
}

fn succeeded(command: &Command, output: &Output) -> io::Result<String> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(io::Error::other(format!("{command:?}: {}\n{text}{errors}", output.status)))
}

fn expect(text: &str, wanted: &str, of: &str) -> io::Result<()> {
    if text.contains(wanted) { Ok(()) } else { Err(io::Error::other(format!("{of} has no `{wanted}`:\n{text}"))) }
}
