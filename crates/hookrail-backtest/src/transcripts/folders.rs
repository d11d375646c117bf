//! Where agents keep their transcripts.

use super::millis;
use std::fs;
use std::io::{ErrorKind, Read};
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

/// Which files are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// A file that was last written before, in milliseconds since 1970, has no call that counts.
    pub since: Option<i64>,
    /// Give the files of a session and of its sub-agents together, which takes a look into some of them.
    pub joined: bool,
}

impl Search {
    pub(super) fn wants(&self, file: &SessionFile) -> bool {
        self.since.is_none_or(|since| file.written >= since)
    }

    /// Gives files of one session if one of them is wanted: what happened in the others before is needed to judge it.
    pub(super) fn give(&self, files: Vec<SessionFile>, found: OnListed<'_>) -> ControlFlow<()> {
        if files.iter().any(|file| self.wants(file)) {
            found(Listed::Session(files))
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// What a search finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listed {
    /// The files of one session. That of the session itself is the first, those of its sub-agents follow.
    Session(Vec<SessionFile>),
    /// A folder that cannot be read, and why.
    Unreadable(PathBuf, String),
}

/// Takes what is found; the answer may end the search.
pub(super) type OnListed<'a> = &'a mut dyn FnMut(Listed) -> ControlFlow<()>;

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
    /// For a sub-agent's file: when it begins, in milliseconds since 1970, where that is known.
    pub begun: Option<i64>,
}

impl SessionFile {
    /// A regular file; `None` for anything else, and for links, which may lead anywhere.
    pub(super) fn at(path: &Path, parent: Option<&str>) -> Option<Self> {
        let found = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
        Some(Self {
            path: path.to_owned(),
            bytes: found.len(),
            written: written(&found),
            parent: parent.map(str::to_owned),
            begun: None,
        })
    }

    /// The same, with the time at which it begins.
    pub(super) fn dated(self) -> Self {
        let begun = first_time(&head(&self.path, HEAD));
        Self { begun, ..self }
    }
}

pub(super) fn written(found: &fs::Metadata) -> i64 {
    let written = found.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    written.and_then(|time| i64::try_from(time.as_millis()).ok()).unwrap_or_default()
}

/// So much of a file is looked at for the time at which it begins.
const HEAD: usize = 16 * 1024;

/// The beginning of a file; nothing if it cannot be read, which is told when it is read as a whole.
pub(super) fn head(path: &Path, most: usize) -> Vec<u8> {
    let mut head = Vec::new();
    if let Ok(file) = fs::File::open(path) {
        let _ = file.take(most as u64).read_to_end(&mut head);
    }
    head
}

/// The first time that a text names.
fn first_time(head: &[u8]) -> Option<i64> {
    ["\"timestamp\":\"", "\"startTime\":\""].iter().find_map(|name| {
        let start = memchr::memmem::find(head, name.as_bytes())? + name.len();
        let length = memchr::memchr(b'"', head.get(start..)?)?;
        let text = std::str::from_utf8(head.get(start..start + length)?).ok()?;
        Some(millis(text)).filter(|millis| *millis > 0)
    })
}

/// The names in a folder, sorted; none if it is not there. One that cannot be read is told.
pub(super) fn names(folder: &Path, found: OnListed<'_>) -> Vec<String> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) {
                // A search that ends here ends at the next file too.
                let _ = found(Listed::Unreadable(folder.to_owned(), error.to_string()));
            }
            return Vec::new();
        }
    };
    let mut names: Vec<String> = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    names
}

/// The files in a folder whose names have this ending, sorted by name.
pub(super) fn files<'n>(
    folder: &'n Path,
    names: &'n [String],
    ending: &'n str,
    parent: Option<&'n str>,
) -> impl Iterator<Item = SessionFile> + 'n {
    let wanted = names.iter().filter(move |name| name.ends_with(ending));
    wanted.filter_map(move |name| SessionFile::at(&folder.join(name), parent))
}
