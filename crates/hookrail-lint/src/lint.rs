//! What a lint is.

use crate::finding::{Finding, Severity, Source};
use crate::hooks::{Group, Hook, HookFile};
use crate::script::Script;
use std::ops::Range;
use std::sync::Arc;

/// One kind of mistake. Its texts are for people who never heard of it.
#[derive(Debug)]
pub struct Lint {
    /// Stable: configuration and scripts may name it.
    pub code: &'static str,
    pub severity: Severity,
    /// What the mistake is.
    pub what: &'static str,
    /// Why it matters: what the agent does about it.
    pub why: &'static str,
    /// What to write instead.
    pub fix: &'static str,
    pub(crate) check: Check,
}

/// What a lint looks at.
#[derive(Debug)]
pub(crate) enum Check {
    /// Reported by whoever reads the file.
    Reading,
    File(fn(&HookFile<'_>, &mut Report<'_>)),
    Group(fn(&Group<'_>, &mut Report<'_>)),
    Hook(fn(&Hook<'_>, &mut Report<'_>)),
    Script(fn(&Script, &mut Report<'_>)),
}

/// Where a lint puts what it found.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    pub lint: &'static Lint,
    pub source: &'a Arc<Source>,
    pub findings: &'a mut Vec<Finding>,
}

impl Report<'_> {
    pub fn say(&mut self, span: &Range<usize>, message: impl Into<String>) {
        self.add(span, message.into(), None);
    }

    pub fn say_with_hint(&mut self, span: &Range<usize>, message: impl Into<String>, hint: impl Into<String>) {
        self.add(span, message.into(), Some(hint.into()));
    }

    pub fn add(&mut self, span: &Range<usize>, message: String, hint: Option<String>) {
        self.findings.push(Finding {
            code: self.lint.code,
            severity: self.lint.severity,
            source: self.source.clone(),
            span: span.clone(),
            message,
            hint,
        });
    }
}

/// Names for a sentence: `` `a`, `b` ``.
pub(crate) fn quoted<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// `did you mean …?`
pub(crate) fn did_you_mean(guess: Option<&str>) -> Option<String> {
    guess.map(|guess| format!("did you mean `{guess}`?"))
}
