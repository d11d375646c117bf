//! Where agents keep their transcripts.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Where each agent keeps its files, as its variables say.
#[derive(Clone, Debug, Default)]
pub struct Homes {
    /// Of Claude Code: `~/.claude`.
    pub claude: Option<PathBuf>,
    /// Of Codex: `~/.codex`.
    pub codex: Option<PathBuf>,
    /// Of Gemini CLI: `~/.gemini`.
    pub gemini: Option<PathBuf>,
    /// Of opencode: `~/.local/share/opencode`.
    pub opencode: Option<PathBuf>,
}

impl Homes {
    /// The folders that an environment means.
    #[must_use]
    pub fn of(env: &dyn Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let below = |name: &str| set("HOME").map(|home| home.join(name));
        Self {
            claude: set("CLAUDE_CONFIG_DIR").or_else(|| below(".claude")),
            codex: set("CODEX_HOME").or_else(|| below(".codex")),
            gemini: set("GEMINI_CLI_HOME").map(|home| home.join(".gemini")).or_else(|| below(".gemini")),
            opencode: set("XDG_DATA_HOME").or_else(|| below(".local/share")).map(|data| data.join("opencode")),
        }
    }
}

/// A file with the steps of one session, or of many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionFile {
    /// Where it is.
    pub path: PathBuf,
    /// How many bytes it has.
    pub bytes: u64,
    /// When it was last written, in milliseconds since 1970.
    pub written: i64,
    /// For a sub-agent's file: the session that started it, where its place tells.
    pub parent: Option<String>,
}

impl SessionFile {
    /// A regular file; `None` for anything else, and for links, which may lead anywhere.
    pub(super) fn at(path: &Path, parent: Option<&str>) -> Option<Self> {
        let found = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
        let written = found.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        Some(Self {
            path: path.to_owned(),
            bytes: found.len(),
            written: written.and_then(|time| i64::try_from(time.as_millis()).ok()).unwrap_or_default(),
            parent: parent.map(str::to_owned),
        })
    }
}

/// The names in a folder, sorted; none if it cannot be read.
pub(super) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    names
}

/// Gives the files in a folder whose names have this ending, sorted by name.
pub(super) fn files(
    folder: &Path,
    ending: &str,
    parent: Option<&str>,
    found: &mut dyn FnMut(SessionFile) -> ControlFlow<()>,
) -> ControlFlow<()> {
    for name in names(folder).iter().filter(|name| name.ends_with(ending)) {
        if let Some(file) = SessionFile::at(&folder.join(name), parent) {
            found(file)?;
        }
    }
    ControlFlow::Continue(())
}
