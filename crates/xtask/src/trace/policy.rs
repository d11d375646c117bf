//! Which documents must be complete, and which ids are excused: `spec/trace.toml`.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::catalogue::Catalogue;
use super::files::{self, TraceError};
use super::problem::Problem;

pub const FILE: &str = "spec/trace.toml";

/// An excuse shorter than this says nothing.
pub const MIN_REASON: usize = 20;

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    pub complete: Vec<String>,
    /// Id and reason.
    pub pending: BTreeMap<String, String>,
    /// Id and reason.
    pub not_applicable: BTreeMap<String, String>,
}

impl Policy {
    pub fn load(root: &Path) -> Result<Self, TraceError> {
        files::read_toml(&root.join(FILE))
    }

    /// Both tables of excuses by name.
    pub fn tables(&self) -> [(&'static str, &BTreeMap<String, String>); 2] {
        [("pending", &self.pending), ("not_applicable", &self.not_applicable)]
    }

    /// What is wrong with the policy by itself, whatever the tests cover.
    pub fn check(&self, catalogue: &Catalogue) -> Vec<Problem> {
        let mut problems = Vec::new();
        for name in self.complete.iter().filter(|name| catalogue.document(name).is_none()) {
            let nearest = catalogue.nearest_document(name).map(str::to_owned);
            problems.push(Problem::PolicyDocument { name: name.clone(), nearest });
        }
        for (table, entries) in self.tables() {
            for (id, reason) in entries {
                problems.extend(check_id(catalogue, table, id));
                if reason.trim().chars().count() < MIN_REASON {
                    problems.push(Problem::ShortReason { table, id: id.clone() });
                }
            }
        }
        problems.extend(self.pending.keys().filter_map(|id| self.check_pending(catalogue, id)));
        problems
    }

    fn check_pending(&self, catalogue: &Catalogue, id: &str) -> Option<Problem> {
        if self.not_applicable.contains_key(id) {
            return Some(Problem::Undecided { id: id.to_owned() });
        }
        let document = &catalogue.home_of(id)?.name;
        (!self.complete.contains(document))
            .then(|| Problem::NeedlesslyPending { id: id.to_owned(), document: document.clone() })
    }
}

fn check_id(catalogue: &Catalogue, table: &'static str, id: &str) -> Option<Problem> {
    match catalogue.requirement(id) {
        None => {
            let nearest = catalogue.nearest_id(id).map(str::to_owned);
            Some(Problem::PolicyId { table, id: id.to_owned(), nearest })
        }
        Some(requirement) => {
            let target = requirement.merged_into.clone()?;
            Some(Problem::PolicyMerged { table, id: id.to_owned(), target })
        }
    }
}
