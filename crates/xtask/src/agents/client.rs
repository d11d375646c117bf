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
    /// Its own command that judges a plugin or extension, and the folder of a pack's below `plugins/<pack>`.
    judges: Option<(&'static [&'static str], &'static str)>,
    /// Its tool for shell commands, and the name of the argument.
    pub shell: (&'static str, &'static str),
    command: fn(&Path, &str) -> Vec<String>,
    variables: fn(&str) -> Vec<(&'static str, String)>,
    home: fn(&Path, &str) -> io::Result<()>,
}

pub(super) const CLIENTS: &[Client] = &[
    Client {
        name: "claude",
        package: "@anthropic-ai/claude-code@2.1.325",
        settings: ".claude/settings.json",
        judges: Some((&["plugin", "validate", "--strict"], ".")),
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
        judges: Some((&["extensions", "validate"], "gemini")),
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
        judges: None,
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

    /// Has `hookrail install` put itself into this agent's own settings, beside what stands there.
    pub fn put_hooks(&self, project: &Path, home: &Path, url: &str) -> io::Result<()> {
        (self.home)(home, url)?;
        self.hookrail(project, home, "install")
    }

    /// Has `hookrail uninstall` take itself out, whatever the agent made of its settings meanwhile.
    pub fn take_hooks_out(&self, project: &Path, home: &Path) -> io::Result<()> {
        self.hookrail(project, home, "uninstall")?;
        let left = std::fs::read_to_string(home.join(self.settings)).unwrap_or_default();
        if left.contains("hookrail") {
            Err(io::Error::other(format!("uninstall left something in {left}")))
        } else {
            Ok(())
        }
    }

    fn hookrail(&self, project: &Path, home: &Path, what: &str) -> io::Result<()> {
        let mut command = Command::new(Path::new(crate::ROOT).join("target/debug/hookrail").canonicalize()?);
        command.args([what, self.name, "--scope", "user"]).current_dir(project).env_clear();
        command.env("HOME", home).env("HOOKRAIL_STATE_DIR", home.join("state"));
        let output = command.stdin(Stdio::null()).output()?;
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() { Ok(()) } else { Err(io::Error::other(told)) }
    }

    /// What this agent says about the plugins or extensions that are made for it; nothing if it does not judge them.
    pub fn judge_artefacts(&self) -> io::Result<Vec<(String, Result<(), String>)>> {
        let Some((words, folder)) = self.judges else { return Ok(Vec::new()) };
        let (home, plugins) = (tempfile::tempdir()?, Path::new(crate::ROOT).canonicalize()?.join("plugins"));
        let mut verdicts = Vec::new();
        for pack in hookrail_packs::CATALOGUE {
            let artefact = plugins.join(pack.name).join(folder);
            if !artefact.exists() {
                continue;
            }
            let mut command = Command::new(self.folder().join("node_modules/.bin").join(self.name));
            command
                .args(words)
                .arg(&artefact)
                .current_dir(home.path())
                .env_clear()
                .envs((self.variables)("http://127.0.0.1:9"));
            command.env("PATH", search_path()).env("HOME", home.path()).env("TERM", "dumb");
            let output = command.stdin(Stdio::null()).output()?;
            let told = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
            verdicts.push((pack.name.to_owned(), if output.status.success() { Ok(()) } else { Err(told) }));
        }
        Ok(verdicts)
    }

    /// Runs the agent in `project` until it has nothing more to do. It is given an environment of its own and talks to
    /// nobody but the model at `url`.
    pub fn run(&self, project: &Path, home: &Path, url: &str) -> io::Result<()> {
        let words = (self.command)(&self.folder().join("node_modules/.bin"), "do it");
        let mut words = words.into_iter();
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words).current_dir(project).env_clear().envs((self.variables)(url));
        command.env("PATH", search_path()).env("HOME", home).env("TERM", "dumb").env("TMPDIR", home);
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

#[expect(clippy::disallowed_methods, reason = "agents are found where their user's programs are")]
fn search_path() -> std::ffi::OsString {
    std::env::var_os("PATH").unwrap_or_default()
}
