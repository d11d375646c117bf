/// Every way in which `hookrail` can end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitCode {
    Success = 0,
    /// Wrong command line, or the work could not be done. Never 2: agents take that for a block.
    Usage = 1,
    /// A command that checks something found something wrong.
    Failed = 3,
}

impl ExitCode {
    /// What people are told about exit codes, in the help and in the manual.
    pub const TABLE: &'static str = "\
Exit codes:
  0  done
  1  the command line is wrong, or the work could not be done
  3  a check found something wrong (validate, doctor, verify, test, backtest, rules check, fsm check, log --verify,
     self version --check, policy status, fleet status)
  2  is only ever an answer of `hookrail hook`, where it is the agent's own form of a refusal";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_tells_every_code_and_none_is_taken_for_a_block() {
        for code in [ExitCode::Success, ExitCode::Usage, ExitCode::Failed] {
            assert_ne!(code as u8, 2);
            assert!(ExitCode::TABLE.contains(&format!("\n  {}  ", code as u8)), "{code:?}");
        }
    }
}
