//! The commands, as the page asks for them.

use super::other_levels;
use super::own_command::OwnCommand;
use crate::commands::allow::{AllowTarget, Prepared};
use crate::commands::rules;
use crate::commands::verify::Memory;
use crate::current_project::CurrentProject;
use crate::error::CliError;
use hookrail_engine::layers::{LayerFiles, LayerKind};
use hookrail_store::JournalRecord;
use hookrail_ui::{AllowRequest, CommandBackend, Proposal, Refused, ShownFile, ShownProposal};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The commands of `hookrail`, run for the page.
pub struct Commands {
    own: OwnCommand,
    /// Where the person started the server.
    folder: PathBuf,
    /// A change is a person's; an agent that starts the server gets to look only.
    is_person: Result<(), CliError>,
}

impl Commands {
    pub fn new(folder: PathBuf, is_person: Result<(), CliError>) -> Result<Self, CliError> {
        Ok(Self { own: OwnCommand::new()?, folder, is_person })
    }

    fn place(&self, project: Option<&Path>) -> CurrentProject {
        CurrentProject::at(project.unwrap_or(&self.folder))
    }

    /// `hookrail backtest` with further arguments.
    pub fn backtest_with(&self, further: &[String]) -> Result<Value, Refused> {
        // A person who has a configuration wants to know about that one.
        let place = self.place(None);
        let files = LayerFiles::usual(&place.world, &place.project);
        let own = files.iter().find(|(kind, path)| *kind == LayerKind::User && path.is_file());
        let own = own.map(|(_, path)| path.display().to_string());
        let mut arguments = vec!["backtest", "--json"];
        arguments.extend(own.iter().flat_map(|file| ["--config", file.as_str()]));
        arguments.extend(further.iter().map(String::as_str));
        Ok(self.own.json(&arguments, &self.folder, b"")?)
    }

    /// The record as `explain` reads it, and the project of the event.
    fn event<'r>(&self, head: &'r JournalRecord) -> Result<(Vec<u8>, &'r Path), Refused> {
        if head.input.is_none() {
            return Err(Refused(
                "the journal did not keep this event, so it cannot be decided again\n\
                 hint: with `privacy = \"minimal\"` it keeps none"
                    .to_owned(),
            ));
        }
        let event = serde_json::to_vec(head).map_err(|error| Refused(error.to_string()))?;
        Ok((event, Path::new(head.project.as_deref().unwrap_or("/"))))
    }
}

impl CommandBackend for Commands {
    fn explain(&self, head: &JournalRecord) -> Result<Value, Refused> {
        let (event, project) = self.event(head)?;
        Ok(self.own.json(&["explain", "--json"], project, &event)?)
    }

    fn compare(&self, head: &JournalRecord) -> Result<Value, Refused> {
        let (event, project) = self.event(head)?;
        Ok(other_levels::compare(&self.own, &event, project, &self.place(Some(project)).world)?)
    }

    fn rules(&self, project: Option<&Path>) -> Result<Value, Refused> {
        Ok(rules::full_listing(&self.place(project)))
    }

    fn doctor(&self, project: Option<&Path>) -> Result<Value, Refused> {
        Ok(self.own.json(&["doctor", "--json"], project.unwrap_or(&self.folder), b"")?)
    }

    fn verified(&self) -> Result<Value, Refused> {
        Ok(json!({ "agents": Memory::read(&self.place(None)) }))
    }

    fn backtest(&self) -> Result<Value, Refused> {
        self.backtest_with(&[])
    }

    fn may_write(&self) -> Result<(), Refused> {
        self.is_person.clone().map_err(Refused::from)
    }

    fn propose(&self, request: &AllowRequest) -> Result<Box<dyn Proposal>, Refused> {
        let wish = AllowTarget {
            record: request.record.to_string(),
            once: request.once,
            until: request.until.clone(),
            reason: request.reason.clone().filter(|reason| !reason.trim().is_empty()),
        };
        Ok(Box::new(PreparedException(Prepared::of(&wish, &self.place(None))?)))
    }
}

/// An exception that was shown on the page.
struct PreparedException(Prepared);

impl Proposal for PreparedException {
    fn shown(&self) -> ShownProposal {
        let Prepared { refused, narrow, proposal, .. } = &self.0;
        let mut files = vec![self.file(&proposal.file, &proposal.before, &proposal.after())];
        if let Some((path, text)) = &proposal.scenario {
            files.push(self.file(path, "", text));
        }
        let still = |(rule, decision): &(String, hookrail_rules::RuleDecision)| format!("{rule} ({})", decision.name());
        ShownProposal {
            rule: refused.rule.clone(),
            before: refused.decision.to_owned(),
            after: if narrow.decision == "block" { "deny" } else { narrow.decision }.to_owned(),
            still: narrow.still.iter().map(still).collect(),
            files,
        }
    }

    fn write(&self) -> Result<Vec<PathBuf>, Refused> {
        self.0.proposal.write()?;
        let scenario = self.0.proposal.scenario.as_ref().map(|(path, _)| path.clone());
        Ok(std::iter::once(self.0.proposal.file.clone()).chain(scenario).collect())
    }
}

impl PreparedException {
    fn file(&self, path: &Path, before: &str, after: &str) -> ShownFile {
        let diff = diffy::create_patch(before, after).to_string();
        // The names of both sides are the same and stand above it.
        let diff = diff.lines().skip(2).collect::<Vec<_>>().join("\n");
        ShownFile { path: self.0.shown(path), is_new: before.is_empty(), diff }
    }
}
