use super::definition::DefinitionError;
use hookrail_core::HookError;
use std::path::PathBuf;

/// Why a skill's tasks could not be brought into the list.
#[derive(Debug, thiserror::Error)]
pub enum FsmError {
    #[error("{}", .0.join("\n"))]
    Input(Vec<String>),
    #[error("`{0}` is not the name of a skill: names have no `/`, no `\\`, no `..` and no empty part")]
    SkillName(String),
    #[error("nobody knows where the agent's files are: neither `CLAUDE_CONFIG_DIR` nor `HOME` is set")]
    NoHome,
    #[error("`[fsm] scope` is `{0}`, but it is `all` or `skill`\nhint: correct it in `hookrail.toml`")]
    Scope(String),
    #[error("the list of installed plugins `{}` cannot be used: {why}", .path.display())]
    Registry { path: PathBuf, why: String },
    #[error("`{}` {source}\nhint: `hookrail fsm check {}` looks at it without an agent", .path.display(), .path.display())]
    Definition { path: PathBuf, source: DefinitionError },
    #[error("the existing task `{}` {why}; nothing was changed\nhint: repair or remove that file", .path.display())]
    Task { path: PathBuf, why: String },
    #[error("the tasks would get ids above {}; nothing was changed", u64::MAX)]
    TooManyIds,
    #[error("`{}` is in the way; nothing was changed\nhint: look at it and remove it", .0.display())]
    InTheWay(PathBuf),
    #[error("somebody else keeps adding tasks to `{}`; it is as it was", .0.display())]
    Crowded(PathBuf),
    #[error(
        "the task list `{}` could not be changed and is as it was: {source}\n\
         hint: hooks must be able to write there, in a sandbox too",
        .list.display()
    )]
    Unchanged { list: PathBuf, source: HookError },
    #[error(
        "the task list `{}` could not be changed and is completed by the next event of the session: {source}",
        .list.display()
    )]
    Unfinished { list: PathBuf, source: HookError },
    #[error(transparent)]
    Machine(#[from] HookError),
}
