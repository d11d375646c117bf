//! `cargo xtask dist`: the binary as it is released.
//!
//! A hook is one process for each event, and most of its life is its start. What helps there is done here, in one step, and
//! not in every developer's link:
//!
//! - **linked statically, at a fixed address**: the dynamic loader is a third of the life of such a process, and seven
//!   thousand relocations cost more than deciding does;
//! - **ordered**: the functions, constants and variables that events use lie side by side, so that a process touches a few pages of itself
//!   instead of a hundred, and in one huge page, where the system has such. Which these are is seen by running sample events under
//!   valgrind.
//!
//! A plain `cargo build` or `cargo install` has neither and is right all the same.

mod arrangement;
mod build;
mod hot_parts;
mod installed;
mod packages;
mod sample_events;
mod targets;

use crate::{Outcome, ROOT, TaskError};
use build::{Build, Built, Order, host};
use packages::Contents;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use targets::{TARGETS, Target};

const HELP: &str = "usage: cargo xtask dist [--target TRIPLE] [--unordered] [--binary FILE] [--test]
       cargo xtask dist --combine DIR
       cargo xtask dist --environment COMMAND…

Builds the binary as it is released, into target/released/hookrail: optimised, stripped, on Linux with the GNU C library linked
statically, and with the functions, constants and variables that events use put side by side. That takes two builds, some minutes,
and valgrind.
Then packs it into target/packages: an archive with its checksum, packages of npm, PyPI and Debian, an OCI image, a Homebrew formula,
and installers for shells and PowerShell.

  --target TRIPLE  build for another machine; without an order, because its binary cannot be run here
  --unordered      leave the order to the linker: one build, and no valgrind
  --binary FILE    pack this binary instead of building one
  --test           install every package into a clean place, and run `hookrail demo` and `hookrail hook` from there
  --combine DIR    write what speaks of the archives of all targets: the formula, the launcher of npm and the installers
  --environment COMMAND…
                   run a command in which `cargo build --release` is the build of the released binary, and reuses it";

/// Where the released binary lies.
pub(crate) const BINARY: &str = "target/released/hookrail";
/// Where packages are written.
const PACKAGES: &str = "target/packages";

#[derive(Default)]
struct Options {
    target: Option<String>,
    unordered: bool,
    binary: Option<PathBuf>,
    test: bool,
    combine: Option<PathBuf>,
}

pub fn run(args: &[String], out: &mut dyn Write) -> Result<Outcome, TaskError> {
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        writeln!(out, "{HELP}")?;
        return Ok(Outcome::Passed);
    }
    if let Some((flag, command)) = args.split_first()
        && flag == "--environment"
    {
        return run_in_environment(command);
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
    let binary = match &options.binary {
        Some(binary) => stripped_copy(binary)?,
        None => make(options.target.as_deref(), !options.unordered, out)?,
    };
    let size = std::fs::metadata(&binary)?.len() as f64 / f64::from(1 << 20);
    writeln!(out, "{}: {size:.2} MiB", binary.display())?;
    pack(target, &binary, options.test, out)
}

/// A command that builds with cargo and shall not build again what `make` has built.
fn run_in_environment(command: &[String]) -> Result<Outcome, TaskError> {
    let (program, arguments) = command.split_first().ok_or_else(|| usage("`--environment` needs a command"))?;
    let build = Build::new(&host()?);
    let status = Command::new(program).args(arguments).envs(build.environment()).current_dir(ROOT).status()?;
    Ok(if status.success() { Outcome::Passed } else { Outcome::Failed })
}

/// Packs the binary into an empty folder, and installs what was made if that is asked for.
fn pack(target: &'static Target, binary: &Path, test: bool, out: &mut dyn Write) -> Result<Outcome, TaskError> {
    let runnable = if target.triple == host()? { binary.to_owned() } else { build::for_this_machine()? };
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
            "--unordered" => options.unordered = true,
            "--test" => options.test = true,
            "--target" => options.target = Some(value("target")?),
            "--binary" => options.binary = Some(value("file")?.into()),
            "--combine" => options.combine = Some(value("folder")?.into()),
            other => return Err(usage(&format!("unexpected argument `{other}`"))),
        }
    }
    Ok(options)
}

fn usage(message: &str) -> TaskError {
    TaskError::Usage(format!("{message}\nhint: see `cargo xtask dist --help`"))
}

/// Builds the released binary and returns where it is.
pub(crate) fn make(target: Option<&str>, ordered: bool, out: &mut dyn Write) -> Result<PathBuf, TaskError> {
    let host = host()?;
    let build = Build::new(target.unwrap_or(&host));
    let ordered = ordered && build.can_be_ordered() && target.is_none_or(|target| target == host);
    if !ordered || !build.has_order() {
        build.set_order(&Order::none())?;
    }
    writeln!(out, "building for {} …", build.target())?;
    let Built { binary, fresh } = build.run()?;
    if ordered && (fresh || !build.has_order()) {
        let order = hot_parts::find(&binary, &build.map(), out)?;
        if build.set_order(&order)? {
            writeln!(out, "building once more, in that order …")?;
            build.run()?;
        }
    }
    strip(&binary)
}

/// The binary without what is optional, unordered, at a place of its own.
pub(crate) fn make_bare(out: &mut dyn Write) -> Result<PathBuf, TaskError> {
    let build = Build::new(&host()?).bare();
    build.set_order(&Order::none())?;
    writeln!(out, "building for {} without optional features …", build.target())?;
    let released = strip(&build.run()?.binary)?;
    let bare = released.with_file_name("hookrail-bare");
    std::fs::copy(&released, &bare)?;
    Ok(bare)
}

/// A given binary without its symbols, which is a tenth of a developer's build; elsewhere than the released one.
fn stripped_copy(binary: &Path) -> Result<PathBuf, TaskError> {
    let copy = Path::new(ROOT).join("target/released/given").join(binary.file_name().unwrap_or_default());
    strip_into(binary, copy)
}

/// Copies the binary without its symbols. A copy, as an installation makes one: a file fresh from the linker is laid out worse
/// in memory.
fn strip(binary: &Path) -> Result<PathBuf, TaskError> {
    let name = binary.file_name().unwrap_or_default();
    strip_into(binary, Path::new(ROOT).join(BINARY).with_file_name(name))
}

fn strip_into(binary: &Path, released: PathBuf) -> Result<PathBuf, TaskError> {
    std::fs::create_dir_all(released.parent().unwrap_or(&released))?;
    let stripped = Command::new("strip").arg("-o").arg(&released).arg(binary).status();
    if !stripped.is_ok_and(|status| status.success()) {
        // The binary of another machine, or no binutils: it works with its symbols.
        std::fs::copy(binary, &released)?;
    }
    Ok(released)
}
