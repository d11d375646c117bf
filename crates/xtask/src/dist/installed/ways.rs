//! Each way of installing.

use super::container::{self, copy_with_libraries};
use super::loopback::Loopback;
use super::{CleanPrefix, Installed, system_path};
use crate::dist::packages::{VERSION, base64, npm};
use crate::dist::targets::TARGETS;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Why a way was not shown to work.
pub enum Skip {
    /// A tool that is needed is not on this machine.
    Missing(String),
    /// There is no such package for this machine or this binary.
    Elsewhere(&'static str),
    Broken(io::Error),
}

impl From<io::Error> for Skip {
    fn from(error: io::Error) -> Self {
        Self::Broken(error)
    }
}

type InstallMethod = fn(&CleanPrefix<'_>) -> Result<Installed, Skip>;

pub const WAYS: &[(&str, InstallMethod)] = &[
    ("npm install", npm_install),
    ("npm install in a container with Node alone", container::node),
    ("npx", npx),
    ("pip install", pip),
    ("pip install in a container with Python alone", container::python),
    ("Debian package", debian),
    ("OCI image", oci),
    ("installer for shells", shell_installer),
    ("installer for PowerShell", powershell_installer),
    ("archive, as cargo binstall unpacks it", archive),
    ("Homebrew formula", homebrew),
];

/// Where a tool is, or that it is missing.
pub(super) fn tool(name: &str) -> Result<PathBuf, Skip> {
    let path = super::variable("PATH").unwrap_or_default();
    let names = if cfg!(windows) { vec![format!("{name}.exe"), format!("{name}.cmd")] } else { vec![name.to_owned()] };
    let places =
        std::env::split_paths(&path).flat_map(|folder| names.iter().map(|name| folder.join(name)).collect::<Vec<_>>());
    places.into_iter().find(|place| place.is_file()).ok_or_else(|| Skip::Missing(format!("{name} is not installed")))
}

/// What is at a place of a JSON document; null if nothing is.
fn at<'v>(document: &'v Value, pointer: &str) -> &'v Value {
    document.pointer(pointer).unwrap_or(&Value::Null)
}

/// The text at a place of a JSON document; empty if there is none.
pub(super) fn text_at<'v>(document: &'v Value, pointer: &str) -> &'v str {
    at(document, pointer).as_str().unwrap_or_default()
}

/// A registry on loopback that has the packages of all systems, as the real one would. Only those of this machine can be downloaded.
pub(super) fn registry(prefix: &CleanPrefix<'_>) -> io::Result<String> {
    let server = Loopback::bind()?;
    let address = server.address();
    let mut files = BTreeMap::new();
    let mut publish = |manifest: Value, file: String| -> io::Result<()> {
        let name = text_at(&manifest, "/name").to_owned();
        let mut version = manifest;
        let mut dist = serde_json::Map::from_iter([("tarball".to_owned(), json!(format!("{address}/-/{file}")))]);
        if let Ok(bytes) = std::fs::read(prefix.packages.join(&file)) {
            let sum = base64(&crate::dist::packages::sha256(&bytes));
            dist.insert("integrity".to_owned(), json!(format!("sha256-{sum}")));
            files.insert(format!("/-/{file}"), bytes);
        }
        if let Some(fields) = version.as_object_mut() {
            fields.insert("dist".to_owned(), dist.into());
        }
        let document = json!({ "name": name, "dist-tags": { "latest": VERSION }, "versions": { VERSION: version } });
        files.insert(format!("/{name}"), document.to_string().into_bytes());
        Ok(())
    };
    publish(npm::launcher_manifest(), npm::launcher_file())?;
    for target in TARGETS {
        publish(npm::platform_manifest(target), npm::platform_file(target))?;
    }
    server.serve(files);
    Ok(address)
}

/// A folder with Node and what npm needs to start programs, and nothing else.
fn node_only(prefix: &CleanPrefix<'_>) -> Result<OsString, Skip> {
    if cfg!(windows) {
        tool("npm")?;
        return Ok(system_path());
    }
    let folder = prefix.folder("node")?;
    for name in ["node", "npm", "npx", "sh"] {
        link(&tool(name)?.canonicalize()?, &folder.join(name))?;
    }
    Ok(folder.into_os_string())
}

#[cfg(unix)]
pub(super) fn link(from: &Path, to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(from, to)
}

#[cfg(not(unix))]
pub(super) fn link(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::copy(from, to).map(drop)
}

/// npm of the clean prefix, which asks the registry on loopback.
fn npm(prefix: &CleanPrefix<'_>, name: &str, path: &OsString) -> Result<Command, Skip> {
    let program = if cfg!(windows) { tool(name)?.into_os_string() } else { name.into() };
    let program = if cfg!(windows) { program } else { Path::new(path).join(program).into_os_string() };
    let mut npm = prefix.command(program, path)?;
    npm.env("npm_config_registry", registry(prefix)?).env("npm_config_cache", prefix.folder("npm-cache")?);
    npm.env("npm_config_update_notifier", "false").env("npm_config_audit", "false").env("npm_config_fund", "false");
    npm.env("npm_config_ignore_scripts", "true");
    Ok(npm)
}

fn npm_install(prefix: &CleanPrefix<'_>) -> Result<Installed, Skip> {
    let path = node_only(prefix)?;
    let work = prefix.folder("work")?;
    std::fs::write(work.join("package.json"), "{}")?;
    prefix.run(npm(prefix, "npm", &path)?.args(["install", "hookrail"]))?;
    // The Node client takes the program from the same package.
    let bins = work.join("node_modules/.bin");
    let program = bins.join(if cfg!(windows) { "hookrail.cmd" } else { "hookrail" });
    let mut folders = vec![bins, PathBuf::from(&path)];
    folders.extend(std::env::split_paths(&system_path()));
    let path = std::env::join_paths(folders).map_err(io::Error::other)?;
    Ok(Installed { path, ..Installed::at(program, "npm") })
}

/// The demo itself through npx; what follows runs from where npx has put it.
fn npx(prefix: &CleanPrefix<'_>) -> Result<Installed, Skip> {
    let path = node_only(prefix)?;
    let demo = prefix.run(npm(prefix, "npx", &path)?.args(["--yes", "hookrail", "demo", "--fast"]))?;
    super::expect(&demo, "hook runs", "`npx hookrail demo`")?;
    let kept = prefix.folder("npm-cache")?.join("_npx");
    let first = std::fs::read_dir(kept)?.next().transpose()?.map(|entry| entry.path()).unwrap_or_default();
    let package = prefix.contents.target.npm_package();
    let program = first.join("node_modules").join(package).join("bin").join(prefix.contents.target.program());
    Ok(Installed::at(program, "npm"))
}

fn pip(prefix: &CleanPrefix<'_>) -> Result<Installed, Skip> {
    let python = tool(if cfg!(windows) { "python" } else { "python3" })?;
    let home = prefix.folder("venv")?;
    // pyenv and the like choose a Python by variables that are cleared here.
    let real = Command::new(python).args(["-c", "import sys; print(sys.executable)"]).output()?;
    let real = String::from_utf8_lossy(&real.stdout).trim().to_owned();
    let path = system_path();
    // Debian has it in a package of its own.
    if !prefix.command(&real, &path)?.args(["-c", "import venv, ensurepip"]).status()?.success() {
        return Err(Skip::Missing("this Python has no venv".to_owned()));
    }
    prefix.run(prefix.command(real, &path)?.args(["-m", "venv"]).arg(&home))?;
    let bins = home.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let wheel = find(prefix.packages, |name| name.starts_with("hookrail_cli-") && name.ends_with(".whl"))?;
    let mut pip = prefix.command(bins.join("python"), &path)?;
    prefix.run(pip.args(["-m", "pip", "install", "--no-index", "--disable-pip-version-check"]).arg(wheel))?;
    let module =
        "import hookrail_cli, subprocess; subprocess.run([hookrail_cli.find_hookrail(), '--version'], check=True)";
    prefix.run(prefix.command(bins.join("python"), &path)?.args(["-c", module]))?;
    prefix.run(prefix.command(bins.join("python"), &path)?.args(["-m", "hookrail_cli", "--version"]))?;
    let client = format!(
        "import sys; sys.path.insert(0, r'{}'); from hookrail.binary import find_binary; print(find_binary(None, {{}}))",
        Path::new(crate::ROOT).join("clients/python").display()
    );
    let program = bins.join(prefix.contents.target.program());
    let found = prefix.run(prefix.command(bins.join("python"), &path)?.args(["-c", &client]))?;
    super::expect(&found, &program.display().to_string(), "what the Python client finds")?;
    Ok(Installed::at(program, "pip"))
}

pub(super) fn find(folder: &Path, matches: impl Fn(&str) -> bool) -> Result<PathBuf, Skip> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if matches(&entry.file_name().to_string_lossy()) {
            return Ok(entry.path());
        }
    }
    Err(Skip::Elsewhere("there is no such package for this binary"))
}

fn debian(prefix: &CleanPrefix<'_>) -> Result<Installed, Skip> {
    let dpkg = tool("dpkg")?;
    let package = find(prefix.packages, |name| name.ends_with(".deb"))?;
    let root = prefix.folder("root")?;
    let database = prefix.folder("root/var/lib/dpkg")?;
    prefix.folder("root/var/lib/dpkg/updates")?;
    prefix.folder("root/var/lib/dpkg/info")?;
    std::fs::write(database.join("status"), "")?;
    let mut install = prefix.command(dpkg, &"/usr/sbin:/usr/bin:/sbin:/bin".into())?;
    install.arg(format!("--root={}", root.display())).args(["--force-depends", "--force-not-root", "--install"]);
    prefix.run(install.arg(package))?;
    for file in
        ["share/man/man1/hookrail.1.gz", "share/bash-completion/completions/hookrail", "share/doc/hookrail/copyright"]
    {
        let path = root.join("usr").join(file);
        path.metadata().map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
    }
    Ok(Installed::at(root.join("usr/bin/hookrail"), "dpkg"))
}

fn shell_installer(prefix: &CleanPrefix<'_>) -> Result<Installed, Skip> {
    if cfg!(windows) {
        return Err(Skip::Elsewhere("Windows has the other one"));
    }
    let script = prefix.packages.join("hookrail-installer.sh");
    let address = downloads(prefix)?;
    // A download that was tampered with is refused, and installs nothing.
    let mut wrong = prefix.command("sh", &system_path())?;
    let refused = wrong.arg(&script).env("HOOKRAIL_DOWNLOAD_URL", format!("{address}/tampered")).output()?;
    super::expect(&String::from_utf8_lossy(&refused.stderr), "the checksum of", "the installer")?;
    let program = prefix.folder("home")?.join(".local/bin/hookrail");
    if refused.status.success() || program.exists() {
        return Err(io::Error::other("a download with another checksum was installed").into());
    }
    let mut install = prefix.command("sh", &system_path())?;
    let told = prefix.run(install.arg(&script).env("HOOKRAIL_DOWNLOAD_URL", address))?;
    super::expect(&told, "is not on the PATH", "the installer")?;
    Ok(Installed::at(program, "installer"))
}

fn powershell_installer(prefix: &CleanPrefix<'_>) -> Result<Installed, Skip> {
    if !cfg!(windows) {
        return Err(Skip::Elsewhere("it installs on Windows"));
    }
    let powershell = tool("pwsh").or_else(|_| tool("powershell"))?;
    let folder = prefix.folder("installed")?;
    let mut install = prefix.command(powershell, &system_path())?;
    install
        .args(["-NoProfile", "-ExecutionPolicy", "Bypass", "-File"])
        .arg(prefix.packages.join("hookrail-installer.ps1"));
    install.env("HOOKRAIL_DOWNLOAD_URL", downloads(prefix)?).env("HOOKRAIL_INSTALL_DIR", &folder);
    prefix.run(&mut install)?;
    Ok(Installed::at(folder.join("hookrail.exe"), "installer"))
}

/// All packages on loopback, and below `/tampered` the archives with a byte too many.
fn downloads(prefix: &CleanPrefix<'_>) -> io::Result<String> {
    let server = Loopback::bind()?;
    let address = server.address();
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(prefix.packages)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let bytes = std::fs::read(entry.path())?;
        let more: &[u8] = if name.ends_with(".sha256") { b"" } else { b"x" };
        files.insert(format!("/tampered/{name}"), [&bytes, more].concat());
        files.insert(format!("/{name}"), bytes);
    }
    server.serve(files);
    Ok(address)
}

/// The archive of this machine, unpacked.
fn unpack(prefix: &CleanPrefix<'_>) -> Result<(PathBuf, PathBuf), Skip> {
    let target = prefix.contents.target;
    let archive = find(prefix.packages, |name| {
        name.starts_with(&format!("hookrail-{}.", target.triple)) && !name.ends_with(".sha256")
    })?;
    let folder = prefix.folder("unpacked")?;
    prefix.run(prefix.command("tar", &system_path())?.arg("-xf").arg(&archive).arg("-C").arg(&folder))?;
    Ok((archive, folder.join(format!("hookrail-{}", target.triple))))
}

/// As `cargo binstall` does: the program stays where the archive has it.
fn archive(prefix: &CleanPrefix<'_>) -> Result<Installed, Skip> {
    let (_, unpacked) = unpack(prefix)?;
    Ok(Installed::at(unpacked.join(prefix.contents.target.program()), "unknown"))
}

/// The formula itself installs and tests what it names.
fn homebrew(prefix: &CleanPrefix<'_>) -> Result<Installed, Skip> {
    if prefix.contents.target.homebrew.is_none() {
        return Err(Skip::Elsewhere("Homebrew is for macOS and Linux"));
    }
    let (archive, unpacked) = unpack(prefix)?;
    let sum = std::fs::read_to_string(format!("{}.sha256", archive.display()))?;
    let keg = prefix.folder(&format!("Cellar/hookrail/{VERSION}"))?;
    let script = prefix.folder("work")?.join("formula.rb");
    std::fs::write(&script, include_str!("formula.rb"))?;
    let mut install = prefix.command(tool("ruby")?, &system_path())?;
    install.arg(script).arg(prefix.packages.join("hookrail.rb")).arg(unpacked);
    prefix.run(install.arg(sum.split(' ').next().unwrap_or(&sum)).arg(&keg))?;
    for file in ["share/man/man1/hookrail.1", "etc/bash_completion.d/hookrail", "share/zsh/site-functions/_hookrail"] {
        keg.join(file).metadata().map_err(|error| io::Error::other(format!("{file}: {error}")))?;
    }
    Ok(Installed::at(keg.join("bin/hookrail"), "Homebrew"))
}

/// The image is laid out by its own index, and runs in a root that holds nothing else but a shell for the demo's agent.
fn oci(prefix: &CleanPrefix<'_>) -> Result<Installed, Skip> {
    let image = find(prefix.packages, |name| name.contains("-oci-") && name.ends_with(".tar"))?;
    let chroot = tool("chroot")?;
    if Command::new("id").arg("-u").output()?.stdout.trim_ascii() != b"0" {
        return Err(Skip::Missing("only root may change the root".to_owned()));
    }
    let layout = prefix.folder("layout")?;
    prefix.run(prefix.command("tar", &system_path())?.arg("-xf").arg(image).arg("-C").arg(&layout))?;
    let index: Value = read_json(&layout.join("index.json"))?;
    let manifest: Value = read_json(&blob(&layout, at(&index, "/manifests/0"))?)?;
    let config: Value = read_json(&blob(&layout, at(&manifest, "/config"))?)?;
    let root = prefix.folder("root")?;
    let layer = blob(&layout, at(&manifest, "/layers/0"))?;
    prefix.run(prefix.command("tar", &system_path())?.arg("-xzf").arg(layer).arg("-C").arg(&root))?;
    let enter = |program: &str| vec![root.clone().into_os_string(), program.into()];
    let entry = text_at(&config, "/config/Entrypoint/0");
    // With nothing else in it, first.
    let mut alone = prefix.command(&chroot, &system_path())?;
    let refusal = prefix.run(alone.args(enter(entry)).args(["try", "rm -rf ~", "--agent", "claude"]));
    let text = refusal.or_else(|error| Ok::<_, io::Error>(error.to_string()))?;
    super::expect(&text, "deny", "`hookrail try` in the image")?;
    // A container has /proc; this root is none.
    prefix.folder("root/proc/self")?;
    link(Path::new(entry), &root.join("proc/self/exe"))?;
    for name in ["sh", "rm", "cat", "mkdir"] {
        copy_with_libraries(&tool(name)?, &root, Path::new("/bin"))?;
    }
    Ok(Installed { before: enter(entry), ..Installed::at(chroot, "unknown") })
}

fn read_json(path: &Path) -> io::Result<Value> {
    Ok(serde_json::from_slice(&std::fs::read(path)?)?)
}

/// The file that a descriptor names, if its size and checksum are right.
fn blob(layout: &Path, descriptor: &Value) -> io::Result<PathBuf> {
    let digest = descriptor["digest"].as_str().and_then(|digest| digest.strip_prefix("sha256:")).unwrap_or_default();
    let path = layout.join("blobs/sha256").join(digest);
    let bytes = std::fs::read(&path)?;
    let sum: String = crate::dist::packages::sha256(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    let right = sum == digest && descriptor["size"] == json!(bytes.len());
    right.then_some(path).ok_or_else(|| io::Error::other(format!("blob {digest} is not what its descriptor promises")))
}
