//! Every lint, in one file for each thing that lints look at. A new one is an item there and a line in [`LINTS`].

pub(crate) mod file;
mod group;
pub(crate) mod hook;
pub(crate) mod script;

use crate::lint::Lint;

/// Every lint, from the file as a whole down to the scripts.
pub static LINTS: &[&Lint] = &[
    &file::SYNTAX,
    &file::JSONC,
    &file::DUPLICATE_KEY,
    &file::ROOT_KEY,
    &file::HOOKS_OUTSIDE,
    &file::UNKNOWN_EVENT,
    &file::WRONG_SHAPE,
    &file::HOOKS_OFF,
    &group::UNKNOWN_KEY,
    &group::DUPLICATE_HOOK,
    &group::MATCHER_REGEX,
    &group::MATCHER_NEVER_MATCHES,
    &group::MATCHER_UNKNOWN_TOOL,
    &group::MATCHER_UNANCHORED,
    &group::MATCHER_EMPTY,
    &group::MATCHER_IGNORED,
    &hook::HOOK_TYPE,
    &hook::MISSING_FIELD,
    &hook::HOOK_NOT_RUN,
    &hook::IF_NEVER_RUNS,
    &hook::TIMEOUT_VALUE,
    &hook::TIMEOUT_UNIT,
    &hook::TIMEOUT_LONG,
    &hook::SCRIPT_MISSING,
    &hook::SCRIPT_NOT_EXECUTABLE,
    &hook::COMMAND_NOT_FOUND,
    &hook::UNQUOTED_VARIABLE,
    &hook::UNSET_VARIABLE,
    &script::ANSWER_WITHOUT_EVENT,
    &script::DECISION_NOT_HEARD,
    &script::REASON_MISSING,
    &script::REJECTED_ANSWER,
    &script::EXPLICIT_ALLOW,
    &script::EXIT_ONE,
    &script::REASON_ON_STDOUT,
    &script::SILENT_EXIT_TWO,
    &script::TEXT_BESIDE_JSON,
    &script::CONTEXT_OUTSIDE,
    &script::CONTEXT_ON_COMPACTION,
    &script::ENDLESS_STOP,
    &script::VARIABLE_NEVER_SET,
    &script::RENAMED_FIELD,
    &script::RENAMED_TOOL,
    &file::HOOKRAIL_TOML,
];
