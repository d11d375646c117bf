//! The judgement: what state every requirement is in.

use std::collections::BTreeMap;

use serde::Serialize;

use super::catalogue::{Catalogue, Document, Requirement};
use super::evidence::{Evidence, Findings};
use super::options::Options;
use super::policy::Policy;
use super::problem::Problem;

#[derive(Debug, Serialize)]
pub struct Survey {
    pub documents: Vec<DocumentSurvey>,
    pub problems: Vec<Problem>,
    #[serde(flatten)]
    pub counts: Counts,
}

#[derive(Debug, Serialize)]
pub struct DocumentSurvey {
    pub name: String,
    pub title: String,
    #[serde(flatten)]
    pub counts: Counts,
    pub requirements: Vec<RequirementSurvey>,
}

#[derive(Debug, Serialize)]
pub struct RequirementSurvey {
    pub id: String,
    pub title: String,
    #[serde(flatten)]
    pub state: RequirementState,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged_into: Option<String>,
    #[serde(flatten)]
    pub evidence: Evidence,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum RequirementState {
    Covered,
    Uncovered,
    /// Uncovered, and excused for now.
    Pending {
        reason: String,
    },
    NotApplicable {
        reason: String,
    },
}

impl RequirementState {
    pub fn lacks_cover(&self) -> bool {
        matches!(self, Self::Uncovered | Self::Pending { .. })
    }
}

/// `ids` is the sum of `covered` and `uncovered`; pending ids are uncovered.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub ids: usize,
    pub covered: usize,
    pub uncovered: usize,
    pub not_applicable: usize,
}

impl Counts {
    fn add(&mut self, state: &RequirementState) {
        match state {
            RequirementState::NotApplicable { .. } => {
                self.not_applicable += 1;
                return;
            }
            RequirementState::Covered => self.covered += 1,
            RequirementState::Uncovered | RequirementState::Pending { .. } => self.uncovered += 1,
        }
        self.ids += 1;
    }
}

/// Judges the selected documents. Problems are found everywhere, also in documents that are left out.
pub fn survey(catalogue: &Catalogue, policy: &Policy, findings: Findings<'_>, options: &Options) -> Survey {
    let Findings { evidence, mut problems, .. } = findings;
    problems.extend(policy.check(catalogue));
    let judge = Judge { policy, evidence: &evidence };
    problems.extend(judge.needless_excuses());
    let mut counts = Counts::default();
    let mut documents = Vec::new();
    for document in catalogue.documents.iter().filter(|document| options.selects(&document.name)) {
        let mut rows: Vec<_> = document.requirements.iter().map(|requirement| judge.row(requirement)).collect();
        let mut own = Counts::default();
        for row in &rows {
            own.add(&row.state);
            counts.add(&row.state);
        }
        let unexcused = rows.iter().filter(|row| row.state == RequirementState::Uncovered).count();
        if unexcused > 0 && options.requires(&document.name, &policy.complete) {
            problems.push(Problem::Incomplete { document: document.name.clone(), uncovered: unexcused });
        }
        if options.uncovered {
            rows.retain(|row| row.state.lacks_cover());
        }
        let Document { name, title, .. } = document;
        documents.push(DocumentSurvey { name: name.clone(), title: title.clone(), counts: own, requirements: rows });
    }
    Survey { documents, problems, counts }
}

struct Judge<'a> {
    policy: &'a Policy,
    evidence: &'a BTreeMap<String, Evidence>,
}

impl Judge<'_> {
    fn row(&self, requirement: &Requirement) -> RequirementSurvey {
        let Requirement { id, title, merged_into } = requirement;
        RequirementSurvey {
            id: id.clone(),
            title: title.clone(),
            state: self.state_of(merged_into.as_ref().unwrap_or(id)),
            merged_into: merged_into.clone(),
            evidence: self.evidence.get(id).cloned().unwrap_or_default(),
        }
    }

    fn state_of(&self, id: &str) -> RequirementState {
        match (self.policy.not_applicable.get(id), self.policy.pending.get(id)) {
            (Some(reason), _) => RequirementState::NotApplicable { reason: reason.clone() },
            (None, _) if self.evidence.contains_key(id) => RequirementState::Covered,
            (None, Some(reason)) => RequirementState::Pending { reason: reason.clone() },
            (None, None) => RequirementState::Uncovered,
        }
    }

    /// Entries of the policy that tests have overtaken.
    fn needless_excuses(&self) -> Vec<Problem> {
        let excuses = self.policy.tables().into_iter().flat_map(|(table, ids)| ids.keys().map(move |id| (table, id)));
        excuses
            .filter_map(|(table, id)| {
                let by = self.evidence.get(id)?.witness()?;
                Some(Problem::CoveredAnyway { table, id: id.clone(), by })
            })
            .collect()
    }
}
