//! What an examination finds.

use super::repair::Repair;
use crate::error::CliError;

/// How a thing stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckStatus {
    Fine,
    /// It works, but a person should look at it.
    Look,
    /// It does not work.
    Wrong,
}

impl CheckStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fine => "ok",
            Self::Look => "warning",
            Self::Wrong => "error",
        }
    }
}

/// One line of the checklist.
#[derive(Clone, Debug)]
pub struct Item {
    pub mark: CheckStatus,
    pub what: String,
    pub why: Option<String>,
    /// A command, or a step in words.
    pub fix: Option<String>,
    /// What `--fix` does about it.
    pub repair: Option<Repair>,
}

impl Item {
    pub fn fine(what: impl Into<String>) -> Self {
        Self { mark: CheckStatus::Fine, what: what.into(), why: None, fix: None, repair: None }
    }

    pub fn look(what: impl Into<String>, why: impl Into<String>) -> Self {
        Self { mark: CheckStatus::Look, why: Some(why.into()), ..Self::fine(what) }
    }

    pub fn wrong(what: impl Into<String>, why: impl Into<String>) -> Self {
        Self { mark: CheckStatus::Wrong, why: Some(why.into()), ..Self::fine(what) }
    }

    /// Something that could not be examined; the error's own hint is the better remedy.
    pub fn failed(error: &CliError, why: impl Into<String>, fix: &str) -> Self {
        let fix = error.hints.first().map_or(fix, String::as_str);
        Self::wrong(error.message.as_str(), why).fix(fix)
    }

    pub fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    pub fn repair(mut self, repair: Repair) -> Self {
        self.repair = Some(repair);
        self
    }
}

/// Things that belong together.
#[derive(Clone, Debug)]
pub struct Area {
    pub title: &'static str,
    pub items: Vec<Item>,
}

impl Area {
    pub fn worst(&self) -> CheckStatus {
        self.items.iter().map(|item| item.mark).max().unwrap_or(CheckStatus::Fine)
    }

    pub fn repairs(&self) -> impl Iterator<Item = &Repair> {
        self.items.iter().filter_map(|item| item.repair.as_ref())
    }
}
