//! What people install: an archive with a checksum, packages of npm, PyPI and Debian, an OCI image, a Homebrew formula and the
//! installers. Each is made of the same binary, manual pages and completions, by a file of its own here.

mod archive;
mod debian;
mod files;
mod homebrew;
mod installers;
pub mod npm;
mod oci;
mod wheel;

use super::targets::{TARGETS, Target};
use crate::{ROOT, TaskError};
pub use files::{Entry, base64, sha256};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Of the workspace, and so of every package.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

const ABOUT: &str = "Hooks for AI coding agents that decide what an agent may do, and why";
pub const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");
const LICENCE: &str = "MIT OR Apache-2.0";

/// Where people download from.
pub fn downloads() -> String {
    format!("{REPOSITORY}/releases/download/v{VERSION}")
}

/// Everything a package may hold.
pub struct Contents {
    pub target: &'static Target,
    /// In the order of [`Target::programs`].
    programs: [Vec<u8>; 2],
    /// They run without any library of the system.
    pub is_static: bool,
    pub manual: Vec<Entry>,
    pub completions: Vec<Entry>,
    /// Licences, README and changelog.
    pub documents: Vec<Entry>,
}

/// A file in the folder of packages.
pub struct Package {
    pub name: String,
    pub bytes: Vec<u8>,
}

impl Package {
    fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), bytes: bytes.into() }
    }
}

impl Contents {
    /// Reads both programs, which lie side by side, and has the first write its manual and completions. One for another machine cannot be
    /// run here, so that `runnable` is another build of the same sources then.
    pub fn gather(target: &'static Target, binary: &Path, runnable: &Path) -> Result<Self, TaskError> {
        let [large, small] = target.programs().map(|name| std::fs::read(binary.with_file_name(name)));
        let programs = [large?, small?];
        Ok(Self {
            target,
            is_static: target.triple.contains("linux") && !programs.iter().any(|bytes| names_interpreter(bytes)),
            programs,
            manual: manual(runnable)?,
            completions: completions(runnable)?,
            documents: documents()?,
        })
    }

    /// The programs, in this folder of a package.
    fn programs(&self, folder: &str) -> impl Iterator<Item = Entry> {
        let entry = move |(name, bytes): (&str, &Vec<u8>)| Entry::program(format!("{folder}{name}"), bytes.clone());
        self.target.programs().into_iter().zip(&self.programs).map(entry)
    }

    fn packages(&self) -> io::Result<Vec<Package>> {
        let mut packages = vec![archive::make(self)?, npm::platform(self)?, wheel::make(self)?];
        packages.extend(debian::make(self)?);
        packages.extend(oci::make(self)?);
        Ok(packages)
    }
}

/// Whether an ELF file asks for a dynamic loader.
fn names_interpreter(binary: &[u8]) -> bool {
    let word = |at: usize| binary.get(at..at + 8).and_then(|bytes| Some(u64::from_le_bytes(bytes.try_into().ok()?)));
    let half = |at: usize| binary.get(at..at + 2).and_then(|bytes| Some(u16::from_le_bytes(bytes.try_into().ok()?)));
    // 64 bits, little-endian: the only kind that is shipped for Linux.
    let (Some(table), Some(size), Some(count)) = (word(32), half(54), half(56)) else { return false };
    const PT_INTERP: [u8; 4] = [3, 0, 0, 0];
    let header = |number: u16| usize::try_from(table).unwrap_or_default() + usize::from(size) * usize::from(number);
    binary.starts_with(b"\x7fELF")
        && (0..count).any(|number| binary.get(header(number)..header(number) + 4) == Some(&PT_INTERP))
}

fn run(program: &Path, args: &[&str]) -> io::Result<Vec<u8>> {
    let output = Command::new(program).args(args).output()?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let why = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(io::Error::other(format!("`{} {}` failed: {why}", program.display(), args.join(" "))))
}

fn manual(program: &Path) -> io::Result<Vec<Entry>> {
    let folder = tempfile::tempdir()?;
    run(program, &["man", "--out", &folder.path().display().to_string()])?;
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(folder.path())? {
        let entry = entry?;
        pages.push(Entry::data(entry.file_name().to_string_lossy(), std::fs::read(entry.path())?));
    }
    pages.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(pages)
}

/// The shells, and the name that each expects of its file.
pub const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "hookrail.bash"),
    ("zsh", "_hookrail"),
    ("fish", "hookrail.fish"),
    ("elvish", "hookrail.elv"),
    ("powershell", "_hookrail.ps1"),
];

fn completions(program: &Path) -> io::Result<Vec<Entry>> {
    COMPLETIONS.iter().map(|(shell, name)| Ok(Entry::data(*name, run(program, &["completions", shell])?))).collect()
}

fn documents() -> io::Result<Vec<Entry>> {
    let read = |name: &&str| Ok(Entry::data(*name, std::fs::read(Path::new(ROOT).join(name))?));
    ["README.md", "CHANGELOG.md", "LICENSE", "LICENSE-MIT", "LICENSE-APACHE"].iter().map(read).collect()
}

/// Writes every package of one target, with checksums, and returns the names.
pub fn write(contents: &Contents, folder: &Path) -> Result<Vec<String>, TaskError> {
    std::fs::create_dir_all(folder)?;
    contents.packages()?.into_iter().map(|package| save(&package, folder)).collect()
}

/// Writes what is the same for all targets, or speaks of the archives of all that lie in the folder.
pub fn write_shared(folder: &Path) -> Result<Vec<String>, TaskError> {
    let archives = archives(folder)?;
    let mut packages = vec![npm::launcher()?];
    packages.extend(installers::make());
    packages.push(homebrew::make(&archives));
    packages.iter().map(|package| save(package, folder)).collect()
}

fn save(package: &Package, folder: &Path) -> Result<String, TaskError> {
    std::fs::write(folder.join(&package.name), &package.bytes)?;
    let sum = format!("{}  {}\n", files::hex(&sha256(&package.bytes)), package.name);
    std::fs::write(folder.join(format!("{}.sha256", package.name)), sum)?;
    Ok(package.name.clone())
}

/// The archives in a folder, with their checksums.
fn archives(folder: &Path) -> io::Result<Vec<(&'static Target, String)>> {
    let mut found = Vec::new();
    for target in TARGETS {
        let path: PathBuf = folder.join(archive::name(target));
        if path.is_file() {
            found.push((target, files::hex(&sha256(&std::fs::read(path)?))));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dynamic_binary_is_told_from_others() {
        assert!(!names_interpreter(b"MZ"));
        assert!(!names_interpreter(b"\x7fELF"));
        #[cfg(all(target_os = "linux", target_env = "gnu", not(target_feature = "crt-static")))]
        assert!(names_interpreter(&std::fs::read("/proc/self/exe").unwrap()));
    }

    #[test]
    fn completions_of_every_shell_are_packed() {
        let source = std::fs::read_to_string(Path::new(ROOT).join("docs/src/reference/commands.md")).unwrap();
        let section = source.split("## `hookrail completions`").nth(1).unwrap();
        let shells = section.split("[possible values: ").nth(1).unwrap().split(']').next().unwrap();
        let mut packed: Vec<&str> = COMPLETIONS.iter().map(|(shell, _)| *shell).collect();
        let mut known: Vec<&str> = shells.split(", ").collect();
        packed.sort_unstable();
        known.sort_unstable();
        assert_eq!(packed, known);
    }
}
