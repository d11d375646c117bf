//! What can be mended without asking: nothing here loses anything.

use crate::current_project::CurrentProject;
use crate::error::CliError;
use crate::jsonc::plain;
use hookrail_core::World;
use hookrail_dialects::JsonStyle;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// In the order in which they are made.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Repair {
    MakeState(PathBuf),
    /// Takes away what others may do with the state directory.
    Protect(PathBuf),
    /// Files that were locks of sessions which are gone.
    RemoveLocks(Vec<PathBuf>),
    /// Takes out of a settings file what its agent does not read; the file as it was stays beside it.
    PlainJson {
        file: PathBuf,
        granted: JsonStyle,
    },
    Install {
        agent: String,
        scope: String,
        packs: Vec<String>,
        verifier: Option<String>,
        project: Option<PathBuf>,
    },
}

impl Repair {
    /// Does it; what was done, or why it could not be done.
    pub fn apply(&self, place: &CurrentProject) -> Result<String, CliError> {
        match self {
            Self::MakeState(path) => {
                place.state_root()?.check().map_err(CliError::machine)?;
                Ok(format!("made `{}`", path.display()))
            }
            Self::Protect(path) => protect(path).map(|()| format!("made `{}` yours alone (0700)", path.display())),
            Self::RemoveLocks(paths) => {
                let removed = paths.iter().filter(|path| remove_lock(path, &place.world)).count();
                Ok(format!("removed {removed} lock{} without an owner", crate::screen::plural(removed)))
            }
            Self::PlainJson { file, granted } => make_plain(file, *granted, &place.world),
            Self::Install { agent, scope, packs, verifier, project } => {
                let folder = project.as_deref().unwrap_or(&place.folder);
                install(agent, scope, packs, verifier.as_deref(), folder)
                    .map(|()| format!("installed the entries of {agent} ({scope}) again"))
            }
        }
    }
}

#[cfg(unix)]
fn protect(path: &Path) -> Result<(), CliError> {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    // Through a handle, so that no link is put in its place meanwhile.
    let flags = (rustix::fs::OFlags::DIRECTORY | rustix::fs::OFlags::NOFOLLOW).bits();
    let folder = File::options().read(true).custom_flags(flags.cast_signed()).open(path);
    let done = folder.and_then(|folder| folder.set_permissions(std::fs::Permissions::from_mode(0o700)));
    done.map_err(|error| CliError::machine(format!("`{}` cannot be protected: {error}", path.display())))
}

#[cfg(not(unix))]
fn protect(path: &Path) -> Result<(), CliError> {
    Err(CliError::usage(format!("`{}` cannot be protected on this system", path.display())))
}

/// Whoever removes a lock holds it, so that a waiter notices.
fn remove_lock(path: &Path, world: &dyn World) -> bool {
    let Ok(file) = File::open(path) else { return false };
    file.try_lock().is_ok() && world.remove(path).is_ok()
}

/// Comments are a person's words, so the file as it was is kept under another name.
fn make_plain(file: &Path, granted: JsonStyle, world: &dyn World) -> Result<String, CliError> {
    let text = |bytes: Option<Vec<u8>>| bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    let read = world.read(file).map_err(|error| CliError::machine(error.text()))?;
    let before = text(read).ok_or_else(|| CliError::input(format!("`{}` is not UTF-8 text", file.display())))?;
    let after = plain(&before, granted);
    let mut kept = file.as_os_str().to_owned();
    kept.push(".before-fix");
    let kept = PathBuf::from(kept);
    for (path, content) in [(&kept, &before), (&file.to_owned(), &after)] {
        world.write(path, content.as_bytes()).map_err(|error| CliError::machine(error.text()))?;
    }
    Ok(format!("made `{}` plain JSON; as it was, it is `{}`", file.display(), kept.display()))
}

/// As if the person had typed it.
fn install(agent: &str, scope: &str, packs: &[String], verifier: Option<&str>, folder: &Path) -> Result<(), CliError> {
    let hookrail = std::env::current_exe().map_err(CliError::machine)?;
    let packs = packs.iter().flat_map(|pack| ["--pack", pack]);
    let output = Command::new(hookrail)
        .args(["install", agent, "--scope", scope, "--json"])
        .args(packs)
        .args(verifier.into_iter().flat_map(|verifier| ["--verifier", verifier]))
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .map_err(CliError::machine)?;
    if output.status.success() {
        return Ok(());
    }
    Err(CliError::machine(format!(
        "`hookrail install {agent} --scope {scope}`: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    )))
}
