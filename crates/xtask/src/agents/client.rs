//! The real agents, and how each is run without a person.

use serde_json::json;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long an agent may take for one scenario.
const PATIENCE: Duration = Duration::from_secs(90);

/// One agent.
pub(super) struct Client {
    pub name: &'static str,
    package: &'static str,
    /// Where its user configures hooks, from home.
    settings: &'static str,
    /// How it takes plugins or extensions, if hookrail makes some for it.
    plugins: Option<Plugins>,
    /// Events and wishes of the compatibility table that it does not honour.
    pub lacks: &'static [(&'static str, &'static str)],
    /// Its tool for shell commands, and the name of the argument.
    pub shell: (&'static str, &'static str),
    command: fn(&Path, &str) -> Vec<String>,
    variables: fn(&str) -> Vec<(&'static str, String)>,
    home: fn(&Path, &str) -> io::Result<()>,
}

/// How hookrail gets into an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// `hookrail install`, beside what stands in the settings.
    Install,
    /// The plugin or extension of a pack, as it is in the repository.
    Plugin,
}

/// What an agent does with plugins or extensions.
#[derive(Clone, Copy)]
pub(super) struct Plugins {
    /// Where that of a pack is, below `plugins/<pack>`.
    folder: &'static str,
    /// Its own command that judges one.
    judge: &'static [&'static str],
    /// Its own command that installs one; `None` if it is named by the flag `--plugin-dir` at each start.
    link: Option<&'static [&'static str]>,
}

pub(super) const CLIENTS: &[Client] = &[
    Client {
        name: "claude",
        package: "@anthropic-ai/claude-code@2.1.325",
        settings: ".claude/settings.json",
        plugins: Some(Plugins { folder: ".", judge: &["plugin", "validate", "--strict"], link: None }),
        lacks: &[],
        shell: ("Bash", "command"),
        command: |bin, prompt| {
            let flags = ["--model", "claude-sonnet-4-5", "--allowedTools", "Bash", "--output-format", "json"];
            words(&bin.join("claude"), &["-p", prompt], &flags)
        },
        variables: |url| {
            let quiet = [
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
                "DISABLE_AUTOUPDATER",
                "DISABLE_TELEMETRY",
                "DISABLE_ERROR_REPORTING",
            ];
            let quiet = quiet.into_iter().map(|name| (name, "1".to_owned()));
            quiet
                .chain([("ANTHROPIC_BASE_URL", url.to_owned()), ("ANTHROPIC_API_KEY", "test-key".to_owned())])
                .collect()
        },
        home: |_, _| Ok(()),
    },
    Client {
        name: "gemini",
        package: "@google/gemini-cli@0.61.0",
        settings: ".gemini/settings.json",
        plugins: Some(Plugins {
            folder: "gemini",
            judge: &["extensions", "validate"],
            link: Some(&["extensions", "link", "--consent"]),
        }),
        lacks: &[],
        shell: ("run_shell_command", "command"),
        command: |bin, prompt| {
            words(&bin.join("gemini"), &["-m", "gemini-2.5-flash", "-p", prompt], &["--yolo", "-o", "json"])
        },
        variables: |url| {
            vec![
                ("GEMINI_API_KEY", "test-key".to_owned()),
                ("GOOGLE_GEMINI_BASE_URL", url.to_owned()),
                ("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()),
                ("GEMINI_CLI_NO_RELAUNCH", "true".to_owned()),
                ("GEMINI_TELEMETRY_ENABLED", "false".to_owned()),
            ]
        },
        home: |home, _| {
            let settings = json!({
                "privacy": { "usageStatisticsEnabled": false },
                "general": { "disableAutoUpdate": true, "enableAutoUpdate": false },
                "security": { "auth": { "selectedType": "gemini-api-key" } },
            });
            std::fs::create_dir_all(home.join(".gemini"))?;
            std::fs::write(home.join(".gemini/settings.json"), settings.to_string())
        },
    },
    Client {
        name: "codex",
        package: "@openai/codex@0.166.0",
        settings: ".codex/hooks.json",
        plugins: None,
        lacks: &[],
        shell: ("exec_command", "cmd"),
        command: |bin, prompt| {
            let flags = ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"];
            words(&bin.join("codex"), &["exec", "--json", "--skip-git-repo-check"], &[&flags[..], &[prompt]].concat())
        },
        variables: |_| vec![("OPENAI_API_KEY", "test-key".to_owned())],
        home: |home, url| {
            std::fs::create_dir_all(home.join(".codex"))?;
            std::fs::write(home.join(".codex/config.toml"), CODEX_CONFIG.replace("{url}", url))
        },
    },
    Client {
        name: "qwen",
        package: "@qwen-code/qwen-code@0.24.4",
        settings: ".qwen/settings.json",
        plugins: None,
        // It reads no other input before a tool runs; hookrail refuses the call instead.
        lacks: &[("BeforeTool", "rewrite")],
        shell: ("run_shell_command", "command"),
        command: |bin, prompt| words(&bin.join("qwen"), &["-p", prompt], &["--yolo", "-o", "json"]),
        variables: |url| {
            vec![
                ("OPENAI_API_KEY", "test-key".to_owned()),
                ("OPENAI_BASE_URL", format!("{url}/v1")),
                ("OPENAI_MODEL", "fake-model".to_owned()),
            ]
        },
        home: |home, _| {
            let settings = json!({
                "privacy": { "usageStatisticsEnabled": false },
                "general": { "disableAutoUpdate": true, "enableAutoUpdate": false },
                "security": { "auth": { "selectedType": "openai" } },
            });
            std::fs::create_dir_all(home.join(".qwen"))?;
            std::fs::write(home.join(".qwen/settings.json"), settings.to_string())
        },
    },
];

const CODEX_CONFIG: &str = r#"model = "gpt-5.5"
model_provider = "local"
check_for_update_on_startup = false
[model_providers.local]
name = "local"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false
[analytics]
enabled = false
[feedback]
enabled = false
[features]
plugins = false
"#;

fn words(program: &Path, first: &[&str], rest: &[&str]) -> Vec<String> {
    let program = program.display().to_string();
    std::iter::once(program).chain(first.iter().chain(rest).map(|word| (*word).to_owned())).collect()
}

impl Client {
    /// The pinned version.
    pub fn version(&self) -> &'static str {
        self.package.rsplit('@').next().unwrap_or_default()
    }

    fn folder(&self) -> PathBuf {
        Path::new(crate::ROOT).join("target/agents").join(self.name)
    }

    /// Installs the pinned version unless it is there.
    pub fn install(&self, out: &mut dyn Write) -> io::Result<()> {
        let folder = self.folder();
        if folder.join("node_modules/.bin").exists() {
            return Ok(());
        }
        writeln!(out, "installing {}", self.package)?;
        out.flush()?;
        std::fs::create_dir_all(&folder)?;
        let install = ["install", "--silent", "--no-audit", "--no-fund", "--prefix"];
        let status = Command::new("npm").args(install).arg(&folder).arg(self.package).status()?;
        if status.success() { Ok(()) } else { Err(io::Error::other(format!("npm could not install {}", self.package))) }
    }

    /// Registers hookrail in this agent, and tells what else has to be said when it is started.
    pub fn register(&self, way: Way, pack: &str, project: &Path, home: &Path, url: &str) -> io::Result<Vec<String>> {
        (self.home)(home, url)?;
        match way {
            Way::Install => self.hookrail(project, home, "install").map(|()| Vec::new()),
            Way::Plugin => {
                let Some(plugins) = self.plugins else { return Ok(Vec::new()) };
                let plugin = plugins.of(pack)?.display().to_string();
                let Some(link) = plugins.link else { return Ok(vec!["--plugin-dir".to_owned(), plugin]) };
                self.ask(link, &plugin, home)?.map(|()| Vec::new()).map_err(io::Error::other)
            }
        }
    }

    /// Has `hookrail uninstall` take itself out, whatever the agent made of its settings meanwhile.
    pub fn unregister(&self, way: Way, project: &Path, home: &Path) -> io::Result<()> {
        if way == Way::Plugin {
            return Ok(());
        }
        self.hookrail(project, home, "uninstall")?;
        let left = std::fs::read_to_string(home.join(self.settings)).unwrap_or_default();
        if left.contains("hookrail") {
            Err(io::Error::other(format!("uninstall left something in {left}")))
        } else {
            Ok(())
        }
    }

    /// Whether hookrail can be registered so.
    pub fn knows(&self, way: Way) -> bool {
        way == Way::Install || self.plugins.is_some()
    }

    fn hookrail(&self, project: &Path, home: &Path, what: &str) -> io::Result<()> {
        let mut command = Command::new(programs()?.join("hookrail"));
        command.args([what, self.name, "--scope", "user"]).current_dir(project).env_clear();
        command.env("HOME", home).env("HOOKRAIL_STATE_DIR", home.join("state"));
        let output = command.stdin(Stdio::null()).output()?;
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() { Ok(()) } else { Err(io::Error::other(told)) }
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
        let mut command = Command::new(self.folder().join("node_modules/.bin").join(self.name));
        command.args(words).arg(argument).current_dir(home).env_clear().envs((self.variables)("http://127.0.0.1:9"));
        command.env("PATH", search_path()?).env("HOME", home).env("TERM", "dumb");
        let output = command.stdin(Stdio::null()).output()?;
        let told = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        Ok(if output.status.success() { Ok(()) } else { Err(told) })
    }

    /// Runs the agent in `project` until it has nothing more to do. It is given an environment of its own and talks to
    /// nobody but the model at `url`.
    pub fn run(&self, project: &Path, home: &Path, url: &str, flags: Vec<String>) -> io::Result<()> {
        let words = (self.command)(&self.folder().join("node_modules/.bin"), "do it");
        let mut words = words.into_iter().chain(flags);
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words).current_dir(project).env_clear().envs((self.variables)(url));
        command.env("PATH", search_path()?).env("HOME", home).env("TERM", "dumb").env("TMPDIR", home);
        command.env("HOOKRAIL_STATE_DIR", home.join("state"));
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let started = Instant::now();
        while child.try_wait()?.is_none() {
            if started.elapsed() > PATIENCE {
                child.kill()?;
                child.wait()?;
                return Err(io::Error::other(format!("{} did not come to an end", self.name)));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }
}

impl Plugins {
    fn of(self, pack: &str) -> io::Result<PathBuf> {
        Path::new(crate::ROOT).join("plugins").join(pack).join(self.folder).canonicalize()
    }
}

/// Where hookrail was built.
pub(super) fn programs() -> io::Result<PathBuf> {
    Path::new(crate::ROOT).join("target/debug").canonicalize()
}

/// Agents are found where their user's programs are, and so is hookrail.
#[expect(clippy::disallowed_methods, reason = "the agents run on this machine")]
fn search_path() -> io::Result<std::ffi::OsString> {
    let usual = std::env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(programs()?).chain(std::env::split_paths(&usual));
    std::env::join_paths(all).map_err(io::Error::other)
}
