//! What an examination finds.

use super::repair::Repair;

/// How a thing stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    Fine,
    /// It works, or it is nobody's fault; somebody should look.
    Look,
    /// It does not work.
    Wrong,
}

impl Mark {
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
    pub mark: Mark,
    pub what: String,
    pub why: Option<String>,
    /// A command, or a step in words.
    pub fix: Option<String>,
    /// What `--fix` does about it.
    pub repair: Option<Repair>,
}

impl Item {
    pub fn fine(what: impl Into<String>) -> Self {
        Self { mark: Mark::Fine, what: what.into(), why: None, fix: None, repair: None }
    }

    pub fn look(what: impl Into<String>, why: impl Into<String>) -> Self {
        Self { mark: Mark::Look, why: Some(why.into()), ..Self::fine(what) }
    }

    pub fn wrong(what: impl Into<String>, why: impl Into<String>) -> Self {
        Self { mark: Mark::Wrong, why: Some(why.into()), ..Self::fine(what) }
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
    pub fn worst(&self) -> Mark {
        self.items.iter().map(|item| item.mark).max().unwrap_or(Mark::Fine)
    }

    pub fn repairs(&self) -> impl Iterator<Item = &Repair> {
        self.items.iter().filter_map(|item| item.repair.as_ref())
    }
}
