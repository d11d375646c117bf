//! Lints of one hook: its type, its time, its command.

pub(crate) mod command_not_found;
pub(crate) mod hook_not_run;
pub(crate) mod hook_type;
pub(crate) mod if_never_runs;
pub(crate) mod missing_field;
pub(crate) mod script_missing;
pub(crate) mod script_not_executable;
pub(crate) mod timeout_long;
pub(crate) mod timeout_unit;
pub(crate) mod timeout_value;
pub(crate) mod unquoted_variable;
pub(crate) mod unset_variable;
