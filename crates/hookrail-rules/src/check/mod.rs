//! Rules of all files together: what is wrong between them, and the set that is in force.

use crate::fault::Fault;
use crate::read::RuleFile;
use crate::set::RuleSet;

/// All rules, compiled, and what is wrong with them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Book {
    pub set: RuleSet,
    pub faults: Vec<Fault>,
}

/// Puts the rules of all files in force, the highest layer first. Rules that allow and are wrong in any way are left out.
#[must_use]
pub fn compile(files: Vec<RuleFile>) -> Book {
    let mut all = RuleFile::default();
    for file in files {
        all.rules.extend(file.rules);
        all.exceptions.extend(file.exceptions);
        all.faults.extend(file.faults);
    }
    if all.rules.is_empty() && all.exceptions.is_empty() {
        return Book { set: RuleSet::default(), faults: all.faults };
    }
    Book { set: RuleSet::compile(&all.rules, &all.exceptions), faults: all.faults }
}
