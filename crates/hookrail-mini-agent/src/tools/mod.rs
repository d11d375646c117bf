//! What the agent can do. Tools and their arguments are named as LLxprt Code names them, so that a hook written for that
//! agent holds here too.

mod arguments;
mod ask_user;
mod clip;
mod read_file;
mod shell;
mod subagents;
mod workspace;
mod write_file;

pub use subagents::Subagents;

use ask_user::AskUser;
use hookrail_host::Tool;
use read_file::ReadFile;
use shell::Shell;
use std::path::Path;
use std::sync::Arc;
use workspace::Workspace;
use write_file::WriteFile;

/// The tools that need nothing but a place to work in, working in the directory `root`, which is canonical.
pub fn all(root: &Path) -> Vec<Arc<dyn Tool>> {
    let workspace = Workspace::new(root);
    vec![
        Arc::new(Shell::new(root)),
        Arc::new(ReadFile::new(workspace.clone())),
        Arc::new(WriteFile::new(workspace)),
        Arc::new(AskUser),
    ]
}
