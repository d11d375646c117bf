//! An agent whose plugins or extensions hookrail makes, and how it is run with them.

use super::program::{self, search_path};
use hookrail_dialects::{Agent, Filling, Headless};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long an agent may take for one run.
const PATIENCE: Duration = Duration::from_secs(90);

/// One agent.
#[derive(Clone, Copy)]
pub(super) struct Client {
    pub agent: &'static Agent,
    pub headless: &'static Headless,
    plugins: Option<Plugins>,
    /// Another version than the one that is proven.
    version: Option<&'static str>,
}

/// How hookrail gets into an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClientSetup {
    /// The plugin or extension of a pack, as it is in the repository.
    Plugin,
    /// `hookrail install`, which whoever asks has run.
    Install,
}

/// What an agent does with plugins or extensions.
#[derive(Clone, Copy)]
struct Plugins {
    /// Where that of a pack is, below `plugins/<pack>`.
    folder: &'static str,
    /// Its own command that judges one.
    judge: &'static [&'static str],
    /// Its own command that installs one; `None` if it is named by the flag `--plugin-dir` at each start.
    link: Option<&'static [&'static str]>,
}

const PLUGINS: [(&str, Plugins); 2] = [
    ("claude", Plugins { folder: ".", judge: &["plugin", "validate", "--strict"], link: None }),
    (
        "gemini",
        Plugins {
            folder: "gemini",
            judge: &["extensions", "validate"],
            link: Some(&["extensions", "link", "--consent"]),
        },
    ),
];

/// Every agent that can be run.
pub(super) fn clients() -> impl Iterator<Item = Client> {
    hookrail_dialects::agents().filter_map(|agent| {
        let plugins = PLUGINS.iter().find(|(name, _)| *name == agent.name).map(|(_, plugins)| *plugins);
        Some(Client { agent, headless: agent.headless.ok()?, plugins, version: None })
    })
}

impl Client {
    /// The same agent in another version.
    pub fn in_version(self, version: &'static str) -> Self {
        Self { version: Some(version), ..self }
    }

    /// Installs it unless it is there. The inner error is what the registry's client says.
    pub fn install(&self, out: &mut dyn Write) -> io::Result<Result<(), String>> {
        program::install(self.agent, self.headless.package, self.version, out)
    }

    /// Whether hookrail makes plugins or extensions for it.
    pub fn has_plugins(&self) -> bool {
        self.plugins.is_some()
    }

    /// Where its program is.
    pub fn programs(&self) -> PathBuf {
        program::programs_of(self.agent, self.headless.package, self.version)
    }

    /// Registers a pack in this agent, and tells what else has to be said when it is started.
    pub fn register(
        &self,
        way: ClientSetup,
        pack: &str,
        project: &Path,
        home: &Path,
        url: &str,
    ) -> io::Result<Vec<String>> {
        if way == ClientSetup::Install {
            return Ok(Vec::new());
        }
        self.write_settings(project, home, url)?;
        let Some(plugins) = self.plugins else { return Ok(Vec::new()) };
        let plugin = plugins.of(pack)?.display().to_string();
        let Some(link) = plugins.link else { return Ok(vec!["--plugin-dir".to_owned(), plugin]) };
        self.ask(link, &plugin, home)?.map(|()| Vec::new()).map_err(io::Error::other)
    }

    /// Writes what the agent has to know before it starts, such as where its model is.
    pub fn write_settings(&self, project: &Path, home: &Path, url: &str) -> io::Result<()> {
        self.fill(project, home, url, |filling| -> io::Result<()> {
            for (name, text) in self.headless.files {
                let path = home.join(name);
                std::fs::create_dir_all(path.parent().unwrap_or(home))?;
                std::fs::write(path, filling.quoted(text))?;
            }
            Ok(())
        })
    }

    /// What this agent says about the plugins or extensions that are made for it; nothing if there are none.
    pub fn judge_plugins(&self) -> io::Result<Vec<(&'static str, Result<(), String>)>> {
        let Some(plugins) = self.plugins else { return Ok(Vec::new()) };
        let home = tempfile::tempdir()?;
        let mut verdicts = Vec::new();
        for pack in hookrail_packs::CATALOGUE {
            if let Ok(plugin) = plugins.of(pack.name) {
                verdicts.push((pack.name, self.ask(plugins.judge, &plugin.display().to_string(), home.path())?));
            }
        }
        Ok(verdicts)
    }

    /// Runs a command of the agent itself; the inner error is what it has to say against it.
    fn ask(&self, words: &[&str], argument: &str, home: &Path) -> io::Result<Result<(), String>> {
        let mut command = self.command(home, home, "http://127.0.0.1:9")?;
        command.args(words).arg(argument);
        let output = command.output()?;
        let told = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        Ok(if output.status.success() { Ok(()) } else { Err(told) })
    }

    /// Runs the agent in `project` until it has nothing more to do. It is given an environment of its own and talks to
    /// nothing but the model at `url`.
    pub fn run(&self, project: &Path, home: &Path, url: &str, flags: Vec<String>) -> io::Result<()> {
        self.run_without(&[], project, home, url, flags)
    }

    /// The same without some of its usual arguments.
    pub fn run_without(
        &self,
        left_out: &[&str],
        project: &Path,
        home: &Path,
        url: &str,
        flags: Vec<String>,
    ) -> io::Result<()> {
        let command = self.command(project, home, url)?;
        self.run_command(command, left_out, project, home, url, flags)
    }

    /// The same with another folder in the place of `/etc`, and further variables.
    #[expect(clippy::too_many_arguments, reason = "each is another part of one run")]
    pub fn run_with_etc(
        &self,
        etc: &Path,
        left_out: &[&str],
        variables: &[(&str, &str)],
        project: &Path,
        home: &Path,
        url: &str,
        flags: Vec<String>,
    ) -> io::Result<()> {
        let program = self.programs().join(self.agent.program);
        let mut command = self.equip(super::managed::with_etc(etc, &program), project, home, url)?;
        command.envs(variables.iter().copied());
        self.run_command(command, left_out, project, home, url, flags)
    }

    fn run_command(
        &self,
        mut command: Command,
        left_out: &[&str],
        project: &Path,
        home: &Path,
        url: &str,
        flags: Vec<String>,
    ) -> io::Result<()> {
        self.fill(project, home, url, |filling| {
            let args = self.headless.args.iter().filter(|arg| !left_out.contains(arg));
            command.args(args.map(|arg| filling.text(arg)));
        });
        let mut child = command.args(flags).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let started = Instant::now();
        while child.try_wait()?.is_none() {
            if started.elapsed() > PATIENCE {
                child.kill()?;
                child.wait()?;
                return Err(io::Error::other(format!("{} did not come to an end", self.agent.name)));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    /// What gives the agent a terminal; the command line is still to be said.
    pub fn terminal(&self, project: &Path, home: &Path, url: &str) -> io::Result<Command> {
        let mut command = self.command_of(Path::new("script"), project, home, url)?;
        command.env("TERM", "xterm-256color");
        Ok(command)
    }

    fn command(&self, project: &Path, home: &Path, url: &str) -> io::Result<Command> {
        self.command_of(&self.programs().join(self.agent.program), project, home, url)
    }

    fn command_of(&self, program: &Path, project: &Path, home: &Path, url: &str) -> io::Result<Command> {
        self.equip(Command::new(program), project, home, url)
    }

    fn equip(&self, mut command: Command, project: &Path, home: &Path, url: &str) -> io::Result<Command> {
        command.current_dir(project).env_clear().stdin(Stdio::null());
        command.env("PATH", search_path(&self.programs())?).env("HOME", home).env("TERM", "dumb").env("TMPDIR", home);
        command.env("HOOKRAIL_STATE_DIR", home.join("state"));
        self.fill(project, home, url, |filling| {
            command.envs(self.headless.variables.iter().map(|(name, value)| (name, filling.text(value))));
        });
        Ok(command)
    }

    fn fill<R>(&self, project: &Path, home: &Path, url: &str, use_it: impl FnOnce(&Filling<'_>) -> R) -> R {
        let (project, home) = (project.display().to_string(), home.display().to_string());
        let values = [("{url}", url), ("{home}", &home), ("{project}", &project), ("{prompt}", "do it")];
        use_it(&Filling::new(values))
    }
}

impl Plugins {
    fn of(self, pack: &str) -> io::Result<PathBuf> {
        Path::new(crate::ROOT).join("plugins").join(pack).join(self.folder).canonicalize()
    }
}
