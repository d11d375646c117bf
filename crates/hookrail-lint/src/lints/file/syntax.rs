use crate::finding::Severity;
use crate::lint::{Check, Lint};

pub(crate) static LINT: Lint = Lint {
    code: "syntax",
    severity: Severity::Error,
    what: "The file is not JSON, or not TOML.",
    why: "The agent cannot read it, so none of its hooks run; Gemini CLI does not even start.",
    fix: "Mend the place that is marked; what comes after it may have mistakes as well.",
    check: Check::Reading,
};
