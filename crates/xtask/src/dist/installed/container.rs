//! A container that holds one language runtime and nothing else: what `npm` and `pip` install must not need more.
//!
//! It is a root folder of its own with its own processes, made by `unshare` and `chroot` without special rights.

use super::ways::{Skip, link, registry, tool};
use super::{CleanPrefix, Installed};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the smallest image of a runtime has besides the runtime; the agent of the demo runs these.
const PROGRAMS: [&str; 5] = ["sh", "env", "rm", "cat", "mkdir"];

/// Folders of a Python that running pip does not need.
const LEFT_OUT: [&str; 5] = ["test", "__pycache__", "site-packages", "idlelib", "tkinter"];

struct Container<'a> {
    prefix: &'a CleanPrefix<'a>,
    root: PathBuf,
    enter: Vec<OsString>,
}

impl<'a> Container<'a> {
    fn new(prefix: &'a CleanPrefix<'_>) -> Result<Self, Skip> {
        if !cfg!(target_os = "linux") {
            return Err(Skip::Elsewhere("containers are for Linux"));
        }
        let root = prefix.folder("container")?;
        for name in ["proc", "tmp", "work", "dev", "usr/bin"] {
            prefix.folder(&format!("container/{name}"))?;
        }
        std::fs::write(root.join("dev/null"), "")?;
        for name in PROGRAMS {
            copy_with_libraries(&tool(name)?, &root, Path::new("/bin"))?;
        }
        link(Path::new("/bin/env"), &root.join("usr/bin/env"))?;
        let home = prefix.folder("home")?;
        std::fs::create_dir_all(inside(&root, &home))?;
        let proc = format!("--mount-proc={}", root.join("proc").display());
        let enter = ["--map-root-user", "--mount", "--pid", "--fork"].map(OsString::from).into_iter();
        let enter = enter.chain([proc.into(), tool("chroot")?.into(), root.clone().into()]).collect();
        let container = Self { prefix, root, enter };
        match container.command("/bin/sh", &["-c", "exit 0"])?.status() {
            Ok(status) if status.success() => Ok(container),
            _ => Err(Skip::Missing("this user may not make namespaces".to_owned())),
        }
    }

    fn command(&self, program: &str, args: &[&str]) -> Result<Command, Skip> {
        let mut command = self.prefix.command(tool("unshare")?, &"/bin".into())?;
        command.args(&self.enter).arg(program).args(args);
        Ok(command)
    }

    fn installed(self, program: &str, installed_by: &'static str) -> Result<Installed, Skip> {
        let before = self.enter.into_iter().chain([program.into()]).collect();
        Ok(Installed { before, path: "/bin".into(), ..Installed::at(tool("unshare")?, installed_by) })
    }
}

/// `npm install hookrail` where there is Node and nothing else.
pub fn node(prefix: &CleanPrefix<'_>) -> Result<Installed, Skip> {
    let container = Container::new(prefix)?;
    copy_with_libraries(&tool("node")?.canonicalize()?, &container.root, Path::new("/bin"))?;
    let npm = tool("npm")?.canonicalize()?;
    let package = npm.ancestors().nth(2).unwrap_or(&npm);
    copy_tree(package, &inside(&container.root, package), &[])?;
    let npm = npm.display().to_string();
    let mut install = container.command("/bin/node", &[&npm, "install", "--prefix", "/work", "hookrail"])?;
    install.env("npm_config_registry", registry(prefix)?).env("npm_config_ignore_scripts", "true");
    prefix.run(install.env("npm_config_update_notifier", "false").env("npm_config_audit", "false"))?;
    container.installed("/work/node_modules/.bin/hookrail", "npm")
}

/// `pip install` where there is Python and nothing else.
pub fn python(prefix: &CleanPrefix<'_>) -> Result<Installed, Skip> {
    let wheel = super::ways::find(prefix.packages, |name| name.ends_with(".whl"))?;
    let container = Container::new(prefix)?;
    // pyenv and the like are scripts that choose a Python.
    let facts =
        "import os, sys, sysconfig; print(os.path.realpath(sys.executable)); print(sysconfig.get_path('stdlib'))";
    let facts = Command::new(tool("python3")?).args(["-c", facts]).output()?;
    let facts = String::from_utf8_lossy(&facts.stdout).into_owned();
    let (Some(python), Some(library)) = (facts.lines().next(), facts.lines().nth(1).map(Path::new)) else {
        return Err(Skip::Missing("this Python does not run".to_owned()));
    };
    // Debian keeps what ensurepip installs elsewhere.
    let wheels = [library.join("ensurepip/_bundled"), PathBuf::from("/usr/share/python-wheels")];
    let Some(wheels) = wheels.iter().find(|folder| folder.is_dir()) else {
        return Err(Skip::Missing("this Python has no ensurepip".to_owned()));
    };
    let folder = Path::new(python).parent().unwrap_or(Path::new("/bin"));
    copy_with_libraries(Path::new(python), &container.root, folder)?;
    copy_tree(library, &inside(&container.root, library), &LEFT_OUT)?;
    copy_tree(wheels, &inside(&container.root, wheels), &[])?;
    for module in std::fs::read_dir(library.join("lib-dynload"))? {
        copy_libraries(&module?.path(), &container.root)?;
    }
    let wheel_name = wheel.file_name().unwrap_or_default();
    std::fs::copy(&wheel, container.root.join("tmp").join(wheel_name))?;
    prefix.run(&mut container.command(python, &["-m", "venv", "/venv"])?)?;
    let wheel = format!("/tmp/{}", wheel_name.to_string_lossy());
    prefix.run(&mut container.command("/venv/bin/python", &["-m", "pip", "install", "--no-index", &wheel])?)?;
    container.installed("/venv/bin/hookrail", "pip")
}

/// Where a path of this machine is below another root.
fn inside(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

/// A program of this machine, put into a folder of the root, with every library it loads.
pub fn copy_with_libraries(program: &Path, root: &Path, folder: &Path) -> io::Result<()> {
    copy_libraries(program, root)?;
    copy(program, &inside(root, folder).join(program.file_name().unwrap_or_default()))
}

fn copy_libraries(program: &Path, root: &Path) -> io::Result<()> {
    let listed = Command::new("ldd").arg(program).output()?;
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    let libraries = text.split_whitespace().filter(|word| word.starts_with('/')).map(Path::new);
    libraries.filter(|path| path.is_file()).try_for_each(|path| copy(path, &inside(root, path)))
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::create_dir_all(to.parent().unwrap_or(to))?;
    if to.exists() { Ok(()) } else { std::fs::copy(from, to).map(drop) }
}

fn copy_tree(from: &Path, to: &Path, left_out: &[&str]) -> io::Result<()> {
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_dir() && !left_out.iter().any(|left_out| name == *left_out) {
            copy_tree(&path, &to.join(&name), left_out)?;
        } else if path.is_file() {
            copy(&path, &to.join(&name))?;
        }
    }
    Ok(())
}
