//! The call that was refused, as the journal has it.

use crate::commands::journal;
use crate::commands::rules::inventory::{Inventory, ListedRule};
use crate::current_project::CurrentProject;
use crate::error::CliError;
use crate::screen::one_line;
use hookrail_core::Event;
use hookrail_dialects::Dialect;
use hookrail_store::{Cursor, Entry, JournalRecord, Outcome, Store};
use serde_json::{Map, Value};
use std::path::PathBuf;

/// A record that says that a rule refused a call, with the call.
#[derive(Debug)]
pub struct Refused {
    pub seq: u64,
    pub rule: String,
    pub layer: String,
    pub decision: &'static str,
    pub tool: String,
    pub subject: String,
    pub project: PathBuf,
    pub agent: &'static str,
    pub event: Event,
    pub payload: Map<String, Value>,
}

impl Refused {
    /// The record that is named: a number, or `last`.
    pub fn find(name: &str, place: &CurrentProject) -> Result<Self, CliError> {
        let wanted = match name.trim_start_matches('#') {
            "last" => None,
            number => Some(number.parse::<u64>().map_err(|_| {
                CliError::usage(format!("`{}` is not the number of a record", one_line(name)))
                    .hint("`hookrail log` shows the numbers; `last` is the newest refusal")
            })?),
        };
        let (head, entry) = look(wanted, place)?.ok_or_else(|| match wanted {
            Some(number) => CliError::usage(format!("the journal has no record {number}"))
                .hint("`hookrail log` shows the numbers of records"),
            None => CliError::usage("no rule has refused a call yet").hint("`hookrail log` shows what hooks did"),
        })?;
        Self::of(&head, &entry)
    }

    fn of(head: &JournalRecord, entry: &Entry) -> Result<Self, CliError> {
        let Entry { seq, record, .. } = entry;
        let text = |key: &str| record.extra.get(key).and_then(Value::as_str).map(str::to_owned);
        let Some((rule, decision)) = text("rule").zip(refusal(record)) else {
            let what = record.decision.as_deref().unwrap_or(journal::outcome_word(record.outcome));
            return Err(CliError::usage(format!(
                "record {seq} is not a refusal by a rule: hook `{}` answered {what}",
                one_line(&record.hook)
            ))
            .hint("`hookrail allow last` takes the newest one; `hookrail log --decision block` lists them"));
        };
        let not_kept = || {
            CliError::input(format!("the journal did not keep the call of record {seq}"))
                .hint("with `privacy = \"minimal\"` it keeps none; write the `[[exception]]` by hand")
        };
        let Some(Value::Object(payload)) = head.input.clone() else { return Err(not_kept()) };
        let project = head.project.as_deref().map(PathBuf::from).ok_or_else(not_kept)?;
        let dialect: &dyn Dialect = hookrail_dialects::dialect(&record.agent).ok_or_else(|| {
            CliError::usage(format!("agent `{}` of record {seq} is not known", one_line(&record.agent)))
        })?;
        let event = dialect.decode(payload.clone());
        if event.tool.is_none() {
            return Err(not_kept());
        }
        Ok(Self {
            seq: *seq,
            rule,
            layer: text("layer").unwrap_or_default(),
            decision,
            tool: record.tool.clone().unwrap_or_default(),
            subject: record.subject.clone().unwrap_or_default(),
            project,
            agent: dialect.name(),
            event,
            payload,
        })
    }

    /// The rule as it is today, if it can be excepted.
    pub fn rule<'i>(&self, inventory: &'i Inventory) -> Result<&'i ListedRule, CliError> {
        let found = inventory.find(&self.rule);
        let of_layer = found.iter().find(|listed| listed.rule.layer.name() == self.layer);
        let listed = of_layer.or(found.first()).copied().ok_or_else(|| {
            CliError::usage(format!(
                "rule `{}` is no longer in force, so nothing needs to be allowed",
                one_line(&self.rule)
            ))
        })?;
        if listed.rule.layer == hookrail_rules::Layer::Managed {
            return Err(CliError::usage(format!(
                "rule `{}` comes from the managed policy ({}); only the administrator can except it",
                one_line(&self.rule),
                listed.rule.origin
            )));
        }
        Ok(listed)
    }
}

/// What a record says, if it is one that a rule was in the way.
fn refusal(record: &JournalRecord) -> Option<&'static str> {
    match (record.decision.as_deref(), record.outcome) {
        (Some("block" | "stop"), _) => Some("deny"),
        (Some("ask"), _) => Some("ask"),
        (_, Outcome::Blocked) => Some("deny"),
        (_, Outcome::Warned) => Some("warn"),
        _ => None,
    }
}

/// The wanted record, and the first one of its event, which has the call.
fn look(wanted: Option<u64>, place: &CurrentProject) -> Result<Option<(JournalRecord, Entry)>, CliError> {
    let store = place.store()?;
    let (mut head, mut found) = (JournalRecord::default(), None);
    let (mut event, mut found_in) = (0, None);
    for item in store.records(Cursor::default()).map_err(CliError::machine)? {
        let entry = match item {
            Ok(entry) => entry,
            Err(error) => {
                journal::complain(&error);
                continue;
            }
        };
        if entry.record.part == 0 {
            head = entry.record.clone();
            event += 1;
        }
        // Of several rules that refused one call the strictest is the one in the way.
        let stricter = |found: &(JournalRecord, Entry)| {
            found_in != Some(event)
                || refusal(&entry.record) == Some("deny")
                || refusal(&found.1.record) != Some("deny")
        };
        let is_it = match wanted {
            Some(number) => entry.seq == number,
            None => {
                entry.record.extra.contains_key("rule")
                    && refusal(&entry.record).is_some()
                    && found.as_ref().is_none_or(stricter)
            }
        };
        if is_it {
            found = Some((head.clone(), entry));
            found_in = Some(event);
            if wanted.is_some() {
                break;
            }
        }
    }
    Ok(found)
}
