/// Every way in which `hookrail` can end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitCode {
    Success = 0,
    /// Wrong command line, or the work could not be done. Never 2: agents take that for a block.
    Usage = 1,
    /// A command that checks something found something wrong.
    Failed = 3,
}
