//! The world of one scenario: a project, a home, a place for state, all in a folder that is gone afterwards.

use super::own::OwnConfiguration;
use super::scenario::{Given, Scenario};
use crate::error::CliError;
use hookrail_store::SessionId;
use serde_json::{Map, Value};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The session of events that do not name one.
pub const SESSION: &str = "scenario";

/// Variables that decide which programs run. A scenario that sets one starts commands.
const STEERING: &[&str] = &["PATH", "LD_", "DYLD_", "GIT_", "ENV", "BASH_ENV"];

/// What scenarios are played with.
#[derive(Clone, Debug)]
pub struct Means {
    /// hookrail itself.
    pub binary: PathBuf,
    /// The user lets scenarios start commands.
    pub run_commands: bool,
}

#[derive(Debug)]
pub struct Sandbox {
    _folder: TempDir,
    root: PathBuf,
    means: Means,
    env: Vec<(String, String)>,
}

impl Sandbox {
    /// Builds what is given.
    pub fn build(scenario: &Scenario, means: &Means) -> Result<Self, CliError> {
        let given = &scenario.given;
        if let Some(what) = starts_commands(given).filter(|_| !means.run_commands) {
            return Err(CliError::usage(format!("the scenario starts commands: it sets {what}"))
                .hint("look at what it runs, then play it with `hookrail test --run-commands`"));
        }
        let folder = tempfile::Builder::new()
            .prefix("hookrail-test-")
            .tempdir()
            .map_err(|error| CliError::machine(format!("no place for a temporary world: {error}")))?;
        let root = folder.path().canonicalize().map_err(CliError::machine)?;
        let mut sandbox = Self { _folder: folder, root, means: means.clone(), env: Vec::new() };
        sandbox.env = given.env.iter().map(|(name, value)| (name.clone(), sandbox.fill(value))).collect();
        let own = OwnConfiguration::of(scenario)?;
        sandbox
            .furnish(given, &own)
            .map_err(|error| CliError::machine(format!("the world of the scenario cannot be built: {error}")))?;
        Ok(sandbox)
    }

    fn furnish(&self, given: &Given, own: &OwnConfiguration) -> io::Result<()> {
        for folder in [self.project(), self.home()] {
            fs::create_dir_all(folder)?;
        }
        for (path, content) in own.files.iter().chain(&given.files) {
            let path = self.at(path);
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(&path, self.fill(content))?;
            if content.starts_with("#!") {
                make_executable(&path)?;
            }
        }
        if !given.session.is_empty() {
            let text = Value::Object(given.session.clone()).to_string();
            let file = self.session_file(SESSION);
            private_folders(&self.state(), file.parent())?;
            fs::write(&file, self.fill(&text))?;
        }
        if let Some((current, others)) = given.git.split_first() {
            self.git(&["init", "--quiet", "--initial-branch", current])?;
            self.git(&["add", "--all"])?;
            self.git(&["commit", "--quiet", "--allow-empty", "--message", "given"])?;
            others.iter().try_for_each(|branch| self.git(&["branch", "--", branch]))?;
        }
        if given.trust {
            self.check(self.command("trust").arg("--yes"), "hookrail trust")?;
        }
        Ok(())
    }

    fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    fn state(&self) -> PathBuf {
        self.root.join("state")
    }

    /// A path of a scenario: in the project, or in the home folder behind `~/`.
    pub fn at(&self, path: &str) -> PathBuf {
        path.strip_prefix("~/").map_or_else(|| self.project().join(path), |inner| self.home().join(inner))
    }

    fn places(&self) -> [(&'static str, PathBuf); 3] {
        [("{{project}}", self.project()), ("{{home}}", self.home()), ("{{state}}", self.state())]
    }

    /// Puts the sandbox's paths where a scenario names them.
    pub fn fill(&self, text: &str) -> String {
        self.places().iter().fold(text.to_owned(), |text, (name, path)| text.replace(name, &path.display().to_string()))
    }

    /// The other way round.
    pub fn neutral(&self, text: &str) -> String {
        self.places().iter().fold(text.to_owned(), |text, (name, path)| text.replace(&path.display().to_string(), name))
    }

    pub fn fill_value(&self, value: Value) -> Value {
        map_texts(value, &|text| self.fill(text))
    }

    pub fn neutral_value(&self, value: Value) -> Value {
        map_texts(value, &|text| self.neutral(text))
    }

    /// A session's state as it is now.
    pub fn session(&self, id: &str) -> Value {
        let bytes = fs::read(self.session_file(id)).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// The journal's records, one a line.
    pub fn journal(&self) -> String {
        let files =
            fs::read_dir(self.state().join("journal")).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "jsonl")).collect();
        files.sort();
        files.iter().filter_map(|path| fs::read_to_string(path).ok()).collect()
    }

    fn session_file(&self, id: &str) -> PathBuf {
        let id = SessionId::new(id, &self.project());
        self.state().join("sessions").join(format!("{id}.json"))
    }

    /// hookrail in this world and with nothing of the real one.
    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(&self.means.binary);
        command.arg(name);
        self.isolate(&mut command);
        command
    }

    #[expect(clippy::disallowed_methods, reason = "programs are found where the person's shell finds them")]
    fn isolate(&self, command: &mut Command) {
        command
            .current_dir(self.project())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home())
            .env("TMPDIR", &self.root)
            .env("HOOKRAIL_STATE_DIR", self.state())
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            // A configuration of git can name programs; a scenario's home has none that counts.
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    }

    fn git(&self, args: &[&str]) -> io::Result<()> {
        let mut command = Command::new("git");
        self.isolate(&mut command);
        command.args(["-c", "user.name=scenario", "-c", "user.email=scenario@localhost"]).args(args);
        self.check(&mut command, "git")
    }

    fn check(&self, command: &mut Command, name: &str) -> io::Result<()> {
        let output = command.output()?;
        if output.status.success() {
            return Ok(());
        }
        Err(io::Error::other(format!("`{name}` failed: {}", String::from_utf8_lossy(&output.stderr).trim())))
    }

    /// Lets hookrail answer an event and say all about it.
    pub fn answer(&self, args: &[String], payload: &Map<String, Value>) -> Result<Value, CliError> {
        let mut child = self
            .command("explain")
            .args(["--in-earnest", "--json"])
            .args(self.means.run_commands.then_some("--run-commands"))
            .args(args)
            .stdin(Stdio::piped())
            .spawn()
            .map_err(|error| CliError::machine(format!("hookrail cannot be started: {error}")))?;
        let input = serde_json::to_vec(payload).map_err(CliError::machine)?;
        if let Some(mut stdin) = child.stdin.take() {
            // A child that does not read tells why on stderr.
            let _ = stdin.write_all(&input);
        }
        let output = child.wait_with_output().map_err(CliError::machine)?;
        serde_json::from_slice(&output.stdout).map_err(|_| {
            CliError::usage(format!("hookrail could not answer: {}", String::from_utf8_lossy(&output.stderr).trim()))
        })
    }
}

/// What a scenario sets that makes its commands run, if it does. Command hooks that need no trust are held back by hookrail
/// itself.
fn starts_commands(given: &Given) -> Option<String> {
    let steers = |name: &str| {
        let is = |known: &str| name == known || (known.ends_with('_') && name.starts_with(known));
        STEERING.iter().any(|known| is(known))
    };
    let variable = given.env.iter().find(|(name, _)| steers(name)).map(|(name, _)| format!("`env.{name}`"));
    variable.or_else(|| given.trust.then(|| "`trust = true`".to_owned()))
}

fn map_texts(value: Value, change: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(change(&text)),
        Value::Array(items) => items.into_iter().map(|item| map_texts(item, change)).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(key, value)| (change(&key), map_texts(value, change))).collect()
        }
        other => other,
    }
}

#[cfg(unix)]
fn make_executable(path: &Path) -> io::Result<()> {
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(path, mode)
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> io::Result<()> {
    Ok(())
}

/// State is its user's alone, or hookrail does not believe it.
fn private_folders(state: &Path, inner: Option<&Path>) -> io::Result<()> {
    for folder in [Some(state), inner].into_iter().flatten() {
        fs::create_dir_all(folder)?;
        #[cfg(unix)]
        fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    }
    Ok(())
}
