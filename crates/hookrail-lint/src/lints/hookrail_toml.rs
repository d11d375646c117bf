use crate::finding::Severity;
use crate::lint::{Check, Lint};

pub(crate) static LINT: Lint = Lint {
    code: "hookrail-toml",
    severity: Severity::Error,
    what: "A mistake in hookrail's own configuration: an unknown key, event, pack or hook, a wrong word, a time without its unit.",
    why: "What is wrong is left out, the rest is in force; of a file that is not TOML the last version that was, and without one no tool may be used.",
    fix: "As the message says; `hookrail schema` helps an editor to check it.",
    check: Check::Reading,
};
