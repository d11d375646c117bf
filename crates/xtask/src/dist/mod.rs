//! `cargo xtask dist`: packs what a plain `cargo build --release` makes.

mod installed;
mod packages;
mod targets;

use crate::{Outcome, ROOT, TaskError};
use packages::Contents;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use targets::{TARGETS, Target};

const HELP: &str = "usage: cargo xtask dist [--target TRIPLE] [--test]
       cargo xtask dist --combine DIR

Runs `cargo build --release` and packs the result into target/packages: an archive with its checksum, packages of npm, PyPI and
Debian, an OCI image, a Homebrew formula, and installers for shells and PowerShell.

  --target TRIPLE  build for another machine
  --test           install every package into a clean place, and run `hookrail demo` and `hookrail hook` from there
  --combine DIR    write what speaks of the archives of all targets: the formula, the launcher of npm and the installers";

/// Folder of the packages.
const PACKAGES: &str = "target/packages";

#[derive(Default)]
struct Options {
    target: Option<String>,
    test: bool,
    combine: Option<PathBuf>,
}

pub fn run(args: &[String], out: &mut dyn Write) -> Result<Outcome, TaskError> {
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        writeln!(out, "{HELP}")?;
        return Ok(Outcome::Passed);
    }
    let options = parse(args)?;
    if let Some(folder) = &options.combine {
        packages::write_shared(folder)?.iter().try_for_each(|name| writeln!(out, "{name}"))?;
        return Ok(Outcome::Passed);
    }
    let target = options.target.clone().map_or_else(host, Ok)?;
    let known = TARGETS.iter().map(|target| target.triple).collect::<Vec<_>>().join(", ");
    let target = Target::find(&target)
        .ok_or_else(|| usage(&format!("there are no packages for `{target}`, only for {known}")))?;
    let binary = crate::cargo::build_release("hookrail", options.target.as_deref())?;
    let size = std::fs::metadata(&binary)?.len() as f64 / f64::from(1 << 20);
    writeln!(out, "{}: {size:.2} MiB", binary.display())?;
    pack(target, &binary, options.test, out)
}

/// Packs the binary into an empty folder, and installs what was made if that is asked for.
fn pack(target: &'static Target, binary: &Path, test: bool, out: &mut dyn Write) -> Result<Outcome, TaskError> {
    let runnable = if target.triple == host()? { binary.to_owned() } else { crate::cargo::build_hookrail()? };
    let contents = Contents::gather(target, binary, &runnable)?;
    let folder = Path::new(ROOT).join(PACKAGES);
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    let mut names = packages::write(&contents, &folder)?;
    names.extend(packages::write_shared(&folder)?);
    for name in names {
        let size = std::fs::metadata(folder.join(&name))?.len().div_ceil(1024);
        writeln!(out, "{PACKAGES}/{name}: {size} KiB")?;
    }
    match test {
        false => Ok(Outcome::Passed),
        true if target.triple == host()? => installed::test(&contents, &folder, out),
        true => {
            writeln!(out, "not installed: these packages are for another machine")?;
            Ok(Outcome::Passed)
        }
    }
}

fn parse(args: &[String]) -> Result<Options, TaskError> {
    let mut options = Options::default();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value =
            |what: &str| args.next().cloned().ok_or_else(|| usage(&format!("`{arg}` needs the name of a {what}")));
        match arg.as_str() {
            "--test" => options.test = true,
            "--target" => options.target = Some(value("target")?),
            "--combine" => options.combine = Some(value("folder")?.into()),
            other => return Err(usage(&format!("unexpected argument `{other}`"))),
        }
    }
    Ok(options)
}

fn usage(message: &str) -> TaskError {
    TaskError::Usage(format!("{message}\nhint: see `cargo xtask dist --help`"))
}

/// The machine this runs on, as rustc names it.
fn host() -> io::Result<String> {
    let output = Command::new("rustc").arg("-vV").output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| io::Error::other("`rustc -vV` does not name the host"))
}
