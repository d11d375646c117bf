use super::hot_parts::{VARIABLES_START, script_without_order};
use crate::{ROOT, TaskError};
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the linker puts together, in this order.
#[derive(Debug, PartialEq, Eq)]
pub struct Order {
    /// Names of functions and variables, one on each line.
    pub names: String,
    /// A script for the linker, which knows constants, and variables that have a value at first, only by the names of their sections.
    pub sections: String,
}

impl Order {
    /// Leaves the order to the linker.
    pub fn none() -> Self {
        Self { names: String::new(), sections: script_without_order() }
    }
}

/// A release build for one target.
pub struct Build {
    target: String,
    /// Where files for the linker lie. They are named in the flags also while they are empty, so that both builds have the
    /// same flags: with others, every name in the binary would be another one.
    folder: PathBuf,
    /// Without what is optional, to compare with.
    bare: bool,
    /// Looked up once: a file that is changed between two builds must not give their constants other names.
    commit: Option<String>,
}

impl Build {
    pub fn new(target: &str) -> Self {
        let folder = Path::new(ROOT).join("target/released");
        Self { target: target.to_owned(), folder, bare: false, commit: commit() }
    }

    /// The same without optional features.
    pub fn bare(self) -> Self {
        Self { bare: true, ..self }
    }

    pub fn target(&self) -> &str {
        &self.target
    }

    fn is_gnu_linux(&self) -> bool {
        self.target.ends_with("-linux-gnu")
    }

    /// Only where the linker is lld, which rustc uses by itself on this target.
    pub fn can_be_ordered(&self) -> bool {
        self.target == "x86_64-unknown-linux-gnu"
    }

    /// Whether the start-up of the C library, which is linked into the binary, is one that `quick_start.rs` of the binary
    /// was written for.
    pub fn can_start_quickly(&self) -> bool {
        self.target == "x86_64-unknown-linux-gnu" && c_library().is_some_and(|it| QUICK_STARTS.contains(&it))
    }

    fn names(&self) -> PathBuf {
        self.folder.join(format!("{}.order", self.target))
    }

    fn sections(&self) -> PathBuf {
        self.folder.join(format!("{}.ld", self.target))
    }

    /// Where the linker writes what it has put where.
    pub fn map(&self) -> PathBuf {
        self.folder.join(format!("{}.map", self.target))
    }

    /// An order that was made before the script said what the binary asks for is none.
    fn order(&self) -> Option<Order> {
        let names = std::fs::read_to_string(self.names()).ok()?;
        let sections = std::fs::read_to_string(self.sections()).ok()?;
        sections.contains(VARIABLES_START).then_some(Order { names, sections })
    }

    /// Whether an order is known, of this code or of what it was before.
    pub fn has_order(&self) -> bool {
        self.order().is_some_and(|order| order != Order::none())
    }

    /// Sets the order, and says whether it is another one than before.
    pub fn set_order(&self, order: &Order) -> io::Result<bool> {
        if self.order().as_ref() == Some(order) {
            return Ok(false);
        }
        std::fs::create_dir_all(&self.folder)?;
        std::fs::write(self.names(), &order.names)?;
        std::fs::write(self.sections(), &order.sections)?;
        // Cargo does not know of the order.
        let _ = std::fs::remove_file(self.built().join("hookrail"));
        remove_linked(&self.built().join("deps"))?;
        Ok(true)
    }

    fn built(&self) -> PathBuf {
        crate::target_folder().join(&self.target).join("release")
    }

    /// Flags that every developer's build does without.
    fn flags(&self) -> Vec<String> {
        let mut flags = Vec::new();
        if self.is_gnu_linux() {
            flags.extend(["-Ctarget-feature=+crt-static", "-Crelocation-model=static"].map(str::to_owned));
        }
        // Without it, the program asks for a library that not every Windows has.
        if self.target.ends_with("-windows-msvc") {
            flags.push("-Ctarget-feature=+crt-static".to_owned());
        }
        if self.can_be_ordered() {
            // At a fixed address, what would be made read-only after the start are tables of the C library alone: our constants lie
            // with the code. A part of the file for them takes three page faults and two system calls at every start.
            flags.push("-Crelro-level=off".to_owned());
            let files = [("--symbol-ordering-file", self.names()), ("--script", self.sections()), ("-Map", self.map())];
            flags.extend(files.map(|(option, file)| format!("-Clink-arg=-Wl,{option}={}", file.display())));
            flags.extend(
                ["--no-warn-symbol-ordering", "--no-rosegment"].map(|option| format!("-Clink-arg=-Wl,{option}")),
            );
        }
        flags
    }

    /// What makes a plain `cargo build --release` this build, and lets others use what it has built.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        let mut variables = vec![
            // With a target of its own, flags are for the binary alone, and not for procedural macros, which must stay dynamic.
            ("CARGO_BUILD_TARGET", self.target.clone()),
            ("CARGO_ENCODED_RUSTFLAGS", self.flags().join("\u{1f}")),
            ("CARGO_PROFILE_RELEASE_STRIP", "none".to_owned()),
        ];
        variables.extend(self.commit.clone().map(|commit| ("HOOKRAIL_COMMIT", commit)));
        if self.can_start_quickly() {
            variables.push(("HOOKRAIL_QUICK_START", "1".to_owned()));
        }
        variables
    }

    /// Builds the binary, with its symbols.
    pub fn run(&self) -> Result<Built, TaskError> {
        let program = if self.target.contains("-windows-") { "hookrail.exe" } else { "hookrail" };
        let binary = self.built().join(program);
        let made = || std::fs::metadata(&binary).and_then(|metadata| metadata.modified()).ok();
        let before = made();
        let mut cargo = Command::new("cargo");
        cargo.args(["build", "--quiet", "--release", "--package", "hookrail-cli"]).envs(self.environment());
        if self.bare {
            cargo.arg("--no-default-features");
        }
        let status = cargo.current_dir(ROOT).status()?;
        let fresh = made() != before;
        if status.success() {
            Ok(Built { binary, fresh })
        } else {
            Err(io::Error::other(format!("cargo ended with {status}")).into())
        }
    }
}

/// The versions of glibc, from and to, whose inner start-up functions `quick_start.rs` of the binary calls. Tried with
/// 2.36, 2.41 and 2.43.
const QUICK_STARTS: RangeInclusive<(u32, u32)> = (2, 36)..=(2, 43);

/// The version of glibc that binaries are linked with here.
fn c_library() -> Option<(u32, u32)> {
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let (major, minor) = text.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// What a build gave.
pub struct Built {
    pub binary: PathBuf,
    /// It is another binary than before.
    pub fresh: bool,
}

/// The commit of the sources, if they are in a repository and nothing was changed.
fn commit() -> Option<String> {
    let git = |args: &[&str]| {
        let output = Command::new("git").args(args).current_dir(ROOT).output().ok().filter(|it| it.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    git(&["status", "--porcelain", "--untracked-files=no"]).filter(String::is_empty)?;
    git(&["rev-parse", "HEAD"])
}

fn remove_linked(folder: &Path) -> io::Result<()> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with("hookrail-") && path.extension().is_none() {
            std::fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// A developer's build, to run what a binary for another machine cannot be run for.
pub fn for_this_machine() -> Result<PathBuf, TaskError> {
    Ok(crate::cargo::build_hookrail()?)
}

/// The machine this runs on, as rustc names it.
pub fn host() -> io::Result<String> {
    let output = Command::new("rustc").arg("-vV").output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| io::Error::other("`rustc -vV` does not name the host"))
}
