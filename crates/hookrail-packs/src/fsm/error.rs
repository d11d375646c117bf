use super::definition::DefinitionError;
use hookrail_core::HookError;
use hookrail_core::display::quoted;
use std::path::{Path, PathBuf};

/// Why a skill's tasks could not be brought into the list.
#[derive(Debug, thiserror::Error)]
pub enum FsmError {
    #[error("{}", .0.join("\n"))]
    Input(Vec<String>),
    #[error("`{0}` is not the name of a skill: names have no `/`, no `\\`, no `..` and no empty part")]
    SkillName(String),
    #[error("cannot determine where the agent's files are: neither `CLAUDE_CONFIG_DIR` nor `HOME` is set")]
    NoHome,
    #[error("`[fsm] scope` is `{0}`, but it is `all` or `skill`\nhint: correct it in `hookrail.toml`")]
    Scope(String),
    #[error("the list of installed plugins {} cannot be used: {why}", shown(.path))]
    Registry { path: PathBuf, why: String },
    #[error("{} {source}\nhint: `hookrail fsm check FILE` looks at it without an agent", shown(.path))]
    Definition { path: PathBuf, source: DefinitionError },
    #[error("the existing task {} {why}; nothing was changed\nhint: repair or remove that file", shown(.path))]
    Task { path: PathBuf, why: String },
    #[error("the tasks would get ids above {}; nothing was changed", u64::MAX)]
    TooManyIds,
    #[error("{} is in the way; nothing was changed\nhint: look at it and remove it", shown(.0))]
    InTheWay(PathBuf),
    #[error("{} is a symbolic link; nothing was changed\nhint: put the task list itself there, or name another one with \
             `CLAUDE_CODE_TASK_LIST_ID`", shown(.0))]
    Link(PathBuf),
    #[error("another process keeps adding tasks to {}; the list was not changed", shown(.0))]
    Crowded(PathBuf),
    #[error(
        "the task list {} could not be changed and is as it was: {source}\n\
         hint: hooks must be able to write there, in a sandbox too",
        shown(.list)
    )]
    Unchanged { list: PathBuf, source: HookError },
    #[error(
        "the task list {} could not be changed and is completed by the next event of the session: {source}",
        shown(.list)
    )]
    Unfinished { list: PathBuf, source: HookError },
    #[error(transparent)]
    Machine(#[from] HookError),
}

impl FsmError {
    /// The same for whoever asks a hook: what was only the machine's doing stays that.
    pub(super) fn into_hook_error(self) -> HookError {
        let text = self.to_string();
        match self {
            Self::Unchanged { source, .. } | Self::Unfinished { source, .. } | Self::Machine(source) => {
                source.with_text(text)
            }
            other => HookError::new(other.to_string()),
        }
    }
}

/// A path in backticks, whatever its name is.
fn shown(path: &Path) -> String {
    quoted(&path.display().to_string())
}
