//! The throw-away home and project of one run.

use super::canary;
use crate::commands::install::scope_word;
use crate::error::CliError;
use hookrail_core::World;
use hookrail_dialects::{Agent, Filling, Headless, SetupFile, Surface};
use hookrail_engine::RealWorld;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Variables without which a program cannot be found or started; none of them holds a secret.
const KEPT: [&str; 4] = ["SystemRoot", "ComSpec", "PATHEXT", "LANG"];
/// Managers of several versions of a program find it below the user's home, unless a variable says where.
const MANAGERS: [(&str, &str); 5] = [
    ("PYENV_ROOT", ".pyenv"),
    ("VOLTA_HOME", ".volta"),
    ("ASDF_DATA_DIR", ".asdf"),
    ("MISE_DATA_DIR", ".local/share/mise"),
    ("FNM_DIR", ".local/share/fnm"),
];
/// Whatever an agent wants to reach besides the model goes to a port of loopback that is closed.
const NOWHERE: &str = "http://127.0.0.1:9";

/// A folder with everything a run needs, which is gone when it is dropped.
#[derive(Debug)]
pub struct Sandbox {
    folder: TempDir,
    /// As the agent will name it: without links, which some agents resolve and others do not.
    root: PathBuf,
    hookrail: PathBuf,
    world: RealWorld,
}

impl Sandbox {
    pub fn new() -> Result<Self, CliError> {
        let hookrail = std::env::current_exe()
            .map_err(|error| CliError::machine(format!("this program cannot find itself: {error}")))?;
        let make = || -> io::Result<Self> {
            let folder = tempfile::Builder::new().prefix("hookrail-verify-").tempdir()?;
            let root = folder.path().canonicalize()?;
            let sandbox = Self { folder, root, hookrail, world: RealWorld::default() };
            for made in ["home/tmp", "project/.git/objects", "project/.git/refs"] {
                fs::create_dir_all(sandbox.root.join(made))?;
            }
            // The project ends here: no agent looks for its root further up.
            fs::write(sandbox.root.join("project/.git/HEAD"), "ref: refs/heads/main\n")?;
            Ok(sandbox)
        };
        make().map_err(|error| {
            CliError::machine(format!("the throw-away home cannot be made: {error}"))
                .hint("set TMPDIR to a folder that can be written to")
        })
    }

    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    pub fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// Where the hook leaves its marks, and the agent its output.
    pub fn marks(&self) -> PathBuf {
        self.root.join("marks")
    }

    /// Leaves the folder where it is, and says where.
    pub fn keep(self) -> PathBuf {
        let Self { folder, root, .. } = self;
        let _ = folder.keep();
        root
    }

    /// A file of the project; the text in it, or nothing.
    pub fn read(&self, name: &str) -> String {
        let bytes = fs::read(self.project().join(name)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    pub fn write(&self, name: &str, text: &str) -> io::Result<()> {
        let path = self.home().join(name);
        fs::create_dir_all(path.parent().unwrap_or(&path))?;
        fs::write(path, text)
    }

    /// Replaces placeholders, those of this run besides what `more` has.
    pub fn fill<R>(&self, url: &str, more: &[(&'static str, &str)], use_it: impl FnOnce(&Filling<'_>) -> R) -> R {
        let [home, project, hookrail] =
            [self.home(), self.project(), self.hookrail.clone()].map(|path| path.display().to_string());
        let own = [
            ("{url}", url),
            ("{home}", home.as_str()),
            ("{project}", project.as_str()),
            ("{hookrail}", hookrail.as_str()),
            ("{prompt}", canary::PROMPT),
        ];
        use_it(&Filling::new(own.into_iter().chain(more.iter().copied())))
    }

    /// Writes the agent's settings, and has `hookrail install` put hookrail and the canary's hook into them.
    pub fn furnish(&self, agent: &Agent, headless: &Headless, surface: Surface, url: &str) -> Result<(), CliError> {
        let hook = format!("{} verify -- hook {} {}", quoted(&self.hookrail), surface.as_str(), quoted(&self.marks()));
        let event = canary::event(surface);
        let config = format!("[[command]]\nname = \"canary\"\nevent = \"{event}\"\ncommand = '''{hook} '''\n");
        let files = || -> io::Result<()> {
            self.write(".config/hookrail/hookrail.toml", &config)?;
            for (name, template) in setup_files(headless, surface) {
                let text = self.fill(url, &[], |filling| filling.quoted(template));
                self.write(&self.fill(url, &[], |filling| filling.text(name)), &text)?;
            }
            Ok(())
        };
        files().map_err(|error| CliError::machine(format!("the agent's settings cannot be written: {error}")))?;
        let scope = scope_word(headless.scope);
        let output = self.command(&self.hookrail).args(["install", agent.name, "--scope", scope]).output();
        let output =
            output.map_err(|error| CliError::machine(format!("`hookrail install` cannot be started: {error}")))?;
        let told = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        if output.status.success() {
            Ok(())
        } else {
            Err(CliError::usage(format!("`hookrail install {}` failed: {told}", agent.name)))
        }
    }

    /// A program in the project with an environment of its own: nothing of the user's but where programs are.
    pub fn command(&self, program: impl AsRef<Path>) -> Command {
        let home = self.home();
        let mut command = Command::new(program.as_ref());
        command.current_dir(self.project()).env_clear().stdin(Stdio::null());
        command.envs(KEPT.into_iter().filter_map(|name| Some((name, self.world.env(name)?))));
        command.envs(self.managers());
        command.env("PATH", self.search_path());
        for name in ["HOME", "USERPROFILE"] {
            command.env(name, &home);
        }
        for (name, folder) in [
            ("TMPDIR", "tmp"),
            ("TEMP", "tmp"),
            ("TMP", "tmp"),
            ("APPDATA", "AppData/Roaming"),
            ("LOCALAPPDATA", "AppData/Local"),
            ("HOOKRAIL_STATE_DIR", "state"),
        ] {
            command.env(name, home.join(folder));
        }
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"] {
            command.env(name, NOWHERE);
        }
        for name in ["NO_PROXY", "no_proxy"] {
            command.env(name, "127.0.0.1,localhost,::1");
        }
        command.env("TERM", "dumb").env("NO_COLOR", "1").env("GIT_CONFIG_NOSYSTEM", "1");
        command
    }

    /// hookrail first, then where the user's programs are.
    fn search_path(&self) -> OsString {
        let usual = self.world.env("PATH").unwrap_or_default();
        let own = self.hookrail.parent().map(Path::to_owned);
        std::env::join_paths(own.into_iter().chain(std::env::split_paths(&usual))).unwrap_or_else(|_| usual.into())
    }

    fn managers(&self) -> impl Iterator<Item = (&'static str, OsString)> {
        let home = self.world.env("HOME").map(PathBuf::from).unwrap_or_default();
        MANAGERS.into_iter().filter_map(move |(name, folder)| {
            let set = self.world.env(name).map(OsString::from);
            let usual = || Some(home.join(folder)).filter(|path| path.is_dir()).map(PathBuf::into_os_string);
            Some((name, set.or_else(usual)?))
        })
    }
}

/// The files of a run; those of the MCP server take the place of others.
fn setup_files(headless: &Headless, surface: Surface) -> Vec<SetupFile> {
    let more = headless.mcp.ok().filter(|_| surface == Surface::Mcp).map(|mcp| mcp.files).unwrap_or_default();
    let replaced = |(name, _): &&SetupFile| !more.iter().any(|(other, _)| other == name);
    headless.files.iter().filter(replaced).chain(more).copied().collect()
}

/// A path as one word for a shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}
