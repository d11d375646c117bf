//! Lints of the scripts that hooks run, as far as reading can tell.

pub(crate) mod answer_without_event;
pub(crate) mod context_on_compaction;
pub(crate) mod context_outside;
pub(crate) mod decision_not_heard;
pub(crate) mod endless_stop;
pub(crate) mod exit_one;
pub(crate) mod explicit_allow;
pub(crate) mod reason_missing;
pub(crate) mod reason_on_stdout;
pub(crate) mod rejected_answer;
pub(crate) mod renamed_field;
pub(crate) mod renamed_tool;
pub(crate) mod silent_exit_two;
pub(crate) mod text_beside_json;
pub(crate) mod variable_never_set;
