//! Where the agents' programs come from: pinned versions out of their registries, kept below `target/agents`.

use hookrail_dialects::{Agent, Package};
use hookrail_testkit::folders;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where an agent is installed; another version than the pinned one has a folder of its own.
fn folder(agent: &Agent, version: Option<&str>) -> PathBuf {
    let name = version.map_or_else(|| agent.name.to_owned(), |version| format!("{}-{version}", agent.name));
    Path::new(crate::ROOT).join("target/agents").join(name)
}

/// Where its program is.
pub(super) fn programs_of(agent: &Agent, package: Package, version: Option<&str>) -> PathBuf {
    match package {
        Package::Npm { .. } => folder(agent, version).join("node_modules/.bin"),
        Package::PyPi { .. } | Package::Elsewhere => folder(agent, version).join("bin"),
    }
}

/// Installs the pinned version, or another one, unless it is there. The inner error is what the registry's client says.
pub(super) fn install(
    agent: &Agent,
    package: Package,
    other: Option<&str>,
    out: &mut dyn Write,
) -> io::Result<Result<(), String>> {
    let folder = folder(agent, other);
    let note = folder.join("installed.txt");
    let wanted = format!("{package:?}{}\n", other.unwrap_or_default());
    if std::fs::read_to_string(&note).is_ok_and(|known| known == wanted) {
        return Ok(Ok(()));
    }
    let steps = match package {
        Package::Elsewhere => return Ok(Err(format!("{} is in no registry", agent.title))),
        Package::Npm { name, version, beside } => {
            let version = other.unwrap_or(version);
            writeln!(out, "installing {name} {version} from npm")?;
            let mut npm = Command::new("npm");
            npm.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"]).arg(&folder);
            npm.arg(format!("{name}@{version}")).args(beside);
            vec![npm]
        }
        Package::PyPi { name, version, python, unpinned } => {
            writeln!(out, "installing {name} {version} from PyPI")?;
            let Some(python) = find_python(python) else { return Ok(Err(format!("there is no Python {python}"))) };
            from_pypi(&folder, &python, &format!("{name}=={version}"), unpinned)
        }
    };
    out.flush()?;
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    if let Package::PyPi { unpinned, .. } = package {
        std::fs::write(folder.join(UNPINNED), unpinned.join("\n"))?;
    }
    for mut step in steps {
        if let Err(why) = run(&mut step) {
            return Ok(Err(why));
        }
    }
    std::fs::write(note, wanted)?;
    Ok(Ok(()))
}

/// The file with the packages whose pins are not heeded.
const UNPINNED: &str = "unpinned.txt";

/// An environment of its own, filled by `uv`: unlike pip it can be told not to heed a pin.
fn from_pypi(folder: &Path, python: &Path, package: &str, unpinned: &[&str]) -> Vec<Command> {
    let mut venv = Command::new(python);
    venv.args(["-m", "venv"]).arg(folder);
    let mut pip = Command::new(folder.join("bin/pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", "uv"]);
    let mut uv = Command::new(folder.join("bin/uv"));
    uv.args(["pip", "install", "--quiet", "--python"]).arg(folder.join("bin/python")).arg(package);
    if !unpinned.is_empty() {
        uv.arg("--override").arg(folder.join(UNPINNED));
    }
    vec![venv, pip, uv]
}

/// A Python of this version: by its name, or where pyenv keeps those that it has not put on the search path.
#[expect(clippy::disallowed_methods, reason = "Python is on this machine")]
fn find_python(version: &str) -> Option<PathBuf> {
    let name = format!("python{version}");
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".pyenv"));
    let root = std::env::var_os("PYENV_ROOT").map(PathBuf::from).or(home);
    let kept = root.and_then(|root| std::fs::read_dir(root.join("versions")).ok()).into_iter().flatten().flatten();
    let mut all = std::iter::once(PathBuf::from(&name)).chain(kept.map(|entry| entry.path().join("bin").join(&name)));
    all.find(|python| run(Command::new(python).arg("--version")).is_ok())
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{command:?}: {error}"))?;
    let told = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if output.status.success() { Ok(()) } else { Err(format!("{command:?} failed: {told}")) }
}

/// LLxprt Code has no package: a program that runs it from a checkout.
pub(super) fn link_llxprt(agent: &Agent, checkout: &Path) -> io::Result<()> {
    let main = checkout.join("packages/cli/index.ts").canonicalize()?;
    let program = folder(agent, None).join("bin").join(agent.program);
    std::fs::create_dir_all(program.parent().unwrap_or(checkout))?;
    std::fs::write(&program, format!("#!/bin/sh\nexec bun '{}' \"$@\"\n", main.display()))?;
    #[cfg(unix)]
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    Ok(())
}

/// Where hookrail was built: beside this program.
pub(super) fn hookrail_folder() -> io::Result<PathBuf> {
    let own = std::env::current_exe()?.canonicalize()?;
    own.parent().map(Path::to_owned).ok_or_else(|| io::Error::other("this program has no folder"))
}

/// An agent is found first, then hookrail, then what its user has.
#[expect(clippy::disallowed_methods, reason = "the agents run on this machine")]
pub(super) fn search_path(first: &Path) -> io::Result<OsString> {
    let usual = std::env::var_os("PATH").unwrap_or_default();
    let all = [first.to_owned(), hookrail_folder()?].into_iter().chain(std::env::split_paths(&usual));
    std::env::join_paths(all).map_err(io::Error::other)
}

/// Runs hookrail as the user does; a warning is an error here.
pub(super) fn hookrail(args: &[&str], project: &Path, home: &Path) -> io::Result<()> {
    let mut command = Command::new(hookrail_folder()?.join("hookrail"));
    command.args(args).current_dir(project).env_clear().env("PATH", hookrail_folder()?);
    command.env("HOME", home).env("HOOKRAIL_STATE_DIR", home.join("state"));
    let output = command.stdin(Stdio::null()).output()?;
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() && told.is_empty() { Ok(()) } else { Err(io::Error::other(told)) }
}

/// The texts of all files below a folder whose names end so.
pub(super) fn texts_below(folder: &Path, ending: &str) -> Vec<String> {
    let files = folders::files_ending(folder, ending).unwrap_or_default();
    files.iter().filter_map(|file| Some(String::from_utf8_lossy(&std::fs::read(file).ok()?).into_owned())).collect()
}
