//! Every lint, one file each. A new one is a file here and a line in [`LINTS`].

mod file;
mod group;
pub(crate) mod hook;
pub(crate) mod hookrail_toml;
mod script;

pub(crate) use file::{jsonc, root_key, syntax, unknown_event};
pub(crate) use script::variable_never_set;

use crate::lint::Lint;

/// Every lint, from the file as a whole down to the scripts.
pub static LINTS: &[&Lint] = &[
    &syntax::LINT,
    &jsonc::LINT,
    &file::duplicate_key::LINT,
    &root_key::LINT,
    &file::hooks_outside::LINT,
    &unknown_event::LINT,
    &file::wrong_shape::LINT,
    &file::hooks_off::LINT,
    &group::unknown_key::LINT,
    &group::duplicate_hook::LINT,
    &group::matcher_regex::LINT,
    &group::matcher_never_matches::LINT,
    &group::matcher_unknown_tool::LINT,
    &group::matcher_unanchored::LINT,
    &group::matcher_empty::LINT,
    &group::matcher_ignored::LINT,
    &hook::hook_type::LINT,
    &hook::missing_field::LINT,
    &hook::hook_not_run::LINT,
    &hook::if_never_runs::LINT,
    &hook::timeout_value::LINT,
    &hook::timeout_unit::LINT,
    &hook::timeout_long::LINT,
    &hook::script_missing::LINT,
    &hook::script_not_executable::LINT,
    &hook::command_not_found::LINT,
    &hook::unquoted_variable::LINT,
    &hook::unset_variable::LINT,
    &script::answer_without_event::LINT,
    &script::decision_not_heard::LINT,
    &script::reason_missing::LINT,
    &script::rejected_answer::LINT,
    &script::explicit_allow::LINT,
    &script::exit_one::LINT,
    &script::reason_on_stdout::LINT,
    &script::silent_exit_two::LINT,
    &script::text_beside_json::LINT,
    &script::context_outside::LINT,
    &script::context_on_compaction::LINT,
    &script::endless_stop::LINT,
    &variable_never_set::LINT,
    &script::renamed_field::LINT,
    &script::renamed_tool::LINT,
    &hookrail_toml::LINT,
];
