//! What the agent can do.

mod arguments;
mod clip;
mod read_file;
mod shell;
mod workspace;
mod write_file;

use hookrail_host::Tool;
use read_file::ReadFile;
use shell::Shell;
use std::path::Path;
use std::sync::Arc;
use workspace::Workspace;
use write_file::WriteFile;

/// All tools, working in the directory `root`, which is canonical.
pub fn all(root: &Path) -> Vec<Arc<dyn Tool>> {
    let workspace = Workspace::new(root);
    vec![Arc::new(Shell::new(root)), Arc::new(ReadFile::new(workspace.clone())), Arc::new(WriteFile::new(workspace))]
}
