//! Which tests and conformance cases speak for which id.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::catalogue::Catalogue;
use super::files::{self, TraceError, has_extension, relative};
use super::problem::{CitedLine, Problem};
use super::source::{self, Home, Mention};

const CASES: &str = "spec/conformance";

/// What covers one id.
#[derive(Debug, Default, Clone, Serialize)]
pub struct Evidence {
    pub tests: Vec<Test>,
    /// Case ids of the conformance files.
    pub conformance: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Test {
    #[serde(flatten)]
    pub place: CitedLine,
    pub name: String,
}

impl Evidence {
    /// One witness, for a message.
    pub fn witness(&self) -> Option<String> {
        let test = self.tests.first().map(|test| format!("`{}` at {}", test.name, test.place));
        test.or_else(|| self.conformance.first().map(|case| format!("`conformance:{case}`")))
    }
}

/// All evidence by id, and what is wrong with the places it comes from.
#[derive(Debug)]
pub struct Findings<'a> {
    pub evidence: BTreeMap<String, Evidence>,
    pub problems: Vec<Problem>,
    catalogue: &'a Catalogue,
}

impl<'a> Findings<'a> {
    pub fn gather(root: &Path, catalogue: &'a Catalogue) -> Result<Self, TraceError> {
        let mut findings = Self { evidence: BTreeMap::new(), problems: Vec::new(), catalogue };
        for file in source::scan(root)? {
            for mention in file.mentions {
                findings.add_mention(&file.path, mention);
            }
        }
        for path in files::list(&root.join(CASES))?.into_iter().filter(|path| has_extension(path, &["jsonl"])) {
            findings.add_cases(&relative(root, &path), &files::read(&path)?);
        }
        Ok(findings)
    }

    fn add_mention(&mut self, file: &str, mention: Mention) {
        let place = CitedLine { file: file.to_owned(), line: mention.line };
        let test = match mention.home {
            Home::Nowhere => return self.problems.push(Problem::Homeless { place }),
            Home::SkippedTest { name } => return self.problems.push(Problem::Skipped { place, test: name }),
            Home::Test { name, line } => Test { place: CitedLine { file: file.to_owned(), line }, name },
        };
        if mention.ids.is_empty() {
            self.problems.push(Problem::NoId { place: place.clone() });
        }
        for id in mention.ids {
            let Some(evidence) = self.evidence_for(&place, &id) else { continue };
            if !evidence.tests.contains(&test) {
                evidence.tests.push(test.clone());
            }
        }
    }

    fn add_cases(&mut self, file: &str, text: &str) {
        for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
            let place = CitedLine { file: file.to_owned(), line };
            match serde_json::from_str::<CaseWire>(text) {
                Err(source) => self.problems.push(Problem::Case { place, source }),
                Ok(case) => {
                    for id in case.spec {
                        let Some(evidence) = self.evidence_for(&place, &id) else { continue };
                        evidence.conformance.push(case.id.clone());
                    }
                }
            }
        }
    }

    /// The entry of an active id; a problem for any other.
    fn evidence_for(&mut self, place: &CitedLine, id: &str) -> Option<&mut Evidence> {
        let (place, id) = (place.clone(), id.to_owned());
        match self.catalogue.requirement(&id).map(|requirement| &requirement.merged_into) {
            Some(None) => return Some(self.evidence.entry(id).or_default()),
            Some(Some(target)) => self.problems.push(Problem::MergedId { place, id, target: target.clone() }),
            None => {
                let nearest = self.catalogue.nearest_id(&id).map(str::to_owned);
                self.problems.push(Problem::UnknownId { place, id, nearest });
            }
        }
        None
    }
}

/// What this task reads of a conformance case.
#[derive(Deserialize)]
struct CaseWire {
    id: String,
    #[serde(default)]
    spec: Vec<String>,
}
