//! What installed entries reach, compared with what the hooks of the configuration need.

use super::record::{InstallRecord, RecordedEntry};
use super::registration::{Registration, Registrations, Verifier};
use crate::hook::args::Selection;
use hookrail_core::Matcher;
use hookrail_dialects::{Dialect, Layout, MatcherSyntax};
use hookrail_engine::layers::Settings;
use hookrail_packs::CATALOGUE;
use serde_json::Value;
use std::fmt;
use std::path::Path;

/// Something that hooks need and an installation does not give them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gap {
    /// The agent does not call hookrail at this event.
    Event(String),
    /// At this event it does not call hookrail for these tools.
    Tools { event: String, tools: Vec<String> },
    /// At this event it ends hookrail before the longest hook has decided.
    Time { event: String },
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Event(event) => write!(f, "`{event}`"),
            Self::Tools { event, tools } => write!(f, "`{event}` of {}", tools.join(", ")),
            Self::Time { event } => write!(f, "more time at `{event}`"),
        }
    }
}

/// What hooks need now and no installation of an agent that counts in a project gives them. Nothing where there is no
/// record: the entries were written by hand, or on another machine.
///
/// This is for `hookrail hook`, so that a hook that is never asked is reported at the next event: read the records once
/// ([`InstallRecord::read`], one file), and only when the configuration is not the one that was looked at before.
pub fn uncovered(records: &[InstallRecord], agent: &str, project: &Path, settings: &Settings) -> Vec<Gap> {
    let counts = |record: &&InstallRecord| {
        record.agent == agent && record.project.as_deref().is_none_or(|folder| folder == project)
    };
    let mut gaps = records.iter().filter(counts).map(|record| record.gaps(settings));
    let first = gaps.next().unwrap_or_default();
    gaps.fold(first, |common, own| common.into_iter().filter(|gap| own.contains(gap)).collect())
}

impl InstallRecord {
    /// What hooks need now and the entries, as they were installed, do not give them. Reads no file: the caller has the
    /// record and the settings, so that this can be asked at an event as well.
    pub fn gaps(&self, settings: &Settings) -> Vec<Gap> {
        let Some(agent) = self.dialect() else { return Vec::new() };
        let named = |name: &String| CATALOGUE.iter().map(|pack| pack.name).find(|known| known == name);
        let packs: Vec<&'static str> = self.packs.iter().filter_map(named).collect();
        let selection = Selection { packs, ..Selection::default() };
        let verifier = self.verifier.as_deref().and_then(Verifier::parse);
        let wanted = Registrations::gather(agent, &selection, verifier, settings).entries;
        // A script is installed alone: the other events have files, and records, of their own.
        let own = |wanted: &&Registration| match agent.format().layout {
            Layout::Scripts => self.entries.iter().any(|entry| entry.event == wanted.event),
            Layout::Groups | Layout::Flat | Layout::Tables(_) | Layout::Module => true,
        };
        wanted.iter().filter(own).filter_map(|wanted| gap(agent, wanted, &self.entries)).collect()
    }
}

fn gap(agent: &'static dyn Dialect, wanted: &Registration, installed: &[RecordedEntry]) -> Option<Gap> {
    let event = wanted.event.to_owned();
    let is_meant = |entry: &&RecordedEntry| entry.event == wanted.event && called_alone(&entry.group) == wanted.pack;
    let Some(entry) = installed.iter().find(is_meant) else {
        return Some(Gap::Event(event));
    };
    let reached = Reached::of(agent, &entry.group);
    let tools = reached.misses(agent, wanted.matcher.as_deref());
    if !tools.is_empty() {
        return Some(Gap::Tools { event, tools });
    }
    reached.timeout.is_some_and(|timeout| timeout < wanted.timeout).then_some(Gap::Time { event })
}

/// The pack with an entry of its own that an entry calls by itself.
fn called_alone(group: &Value) -> Option<&'static str> {
    let text = group.to_string();
    let own = CATALOGUE.iter().filter(|pack| pack.contract.has_own_entry()).map(|pack| pack.name);
    own.into_iter().find(|pack| text.contains(&format!("--pack {pack}\"")))
}

/// What an entry says, whatever its form.
struct Reached<'a> {
    matcher: Option<&'a str>,
    timeout: Option<u64>,
}

impl<'a> Reached<'a> {
    fn of(agent: &'static dyn Dialect, group: &'a Value) -> Self {
        let format = agent.format();
        let key = match format.layout {
            Layout::Tables(keys) => keys.matcher,
            Layout::Groups | Layout::Flat | Layout::Scripts | Layout::Module => "matcher",
        };
        let handler = group.get("hooks").and_then(|hooks| hooks.get(0)).unwrap_or(group);
        Self {
            matcher: group.get(key).and_then(Value::as_str),
            timeout: format.timeout_key.and_then(|key| handler.get(key)?.as_u64()),
        }
    }

    /// Tools that `wanted` selects and this does not; a tool of an MCP server stands for all of them.
    fn misses(&self, agent: &'static dyn Dialect, wanted: Option<&str>) -> Vec<String> {
        let Some(own) = self.matcher else { return Vec::new() };
        if wanted == Some(own) {
            return Vec::new();
        }
        let row = agent.agent();
        let compile = |text: Option<&str>| {
            let whole = text.map(|text| match row.format.matcher {
                MatcherSyntax::Glob => text.trim_start_matches("re:").to_owned(),
                MatcherSyntax::Anchored => format!("^(?:{text})$"),
                MatcherSyntax::Names | MatcherSyntax::Pattern | MatcherSyntax::Ignored => text.to_owned(),
            });
            Matcher::compile(whole.as_deref(), row.matcher_style()).0
        };
        let (own, wanted) = (compile(Some(own)), compile(wanted));
        let mcp = row.mcp().pattern().map(|pattern| pattern.replace(".*", "server__tool"));
        let tools = row.tool_names().map(str::to_owned).chain(mcp);
        let missed = tools.filter(|tool| wanted.matches_name(tool) && !own.matches_name(tool));
        missed.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::registration::Handler;
    use super::*;
    use serde_json::json;

    #[test]
    fn what_one_of_two_installations_reaches_is_reached() {
        let record = |project: Option<&str>, events: &[&str]| InstallRecord {
            agent: "claude".to_owned(),
            scope: "project".to_owned(),
            file: "/f".into(),
            project: project.map(Into::into),
            command: "x".to_owned(),
            binary: None,
            packs: vec!["core".to_owned()],
            verifier: None,
            entries: events
                .iter()
                .map(|event| RecordedEntry { event: (*event).to_owned(), group: json!({ "hooks": [{}] }) })
                .collect(),
            hash: String::new(),
            before: None,
            made: Vec::new(),
            made_folders: Vec::new(),
            switch: None,
            since: 0,
            version: String::new(),
        };
        let settings = Settings::default();
        let told = |records: &[InstallRecord]| {
            let gaps = uncovered(records, "claude", Path::new("/p"), &settings);
            gaps.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        };
        let before = record(None, &["PreToolUse"]);
        let request = record(Some("/p"), &["PermissionRequest"]);
        let elsewhere = record(Some("/q"), &["PermissionRequest"]);
        assert_eq!(told(std::slice::from_ref(&before)), "`PermissionRequest`");
        assert_eq!(told(&[before.clone(), request]), "");
        assert_eq!(told(&[before, elsewhere]), "`PermissionRequest`");
        assert_eq!(told(&[]), "", "the author of the entries is unknown");
    }

    #[test]
    fn what_an_entry_does_not_reach_is_told() {
        let claude = hookrail_dialects::dialect("claude").unwrap();
        let wanted = |matcher: Option<&str>, timeout: u64| Registration {
            event: "PreToolUse",
            matcher: matcher.map(str::to_owned),
            timeout,
            pack: None,
            without: Vec::new(),
            handler: Handler::Program,
        };
        let entry = |matcher: Option<&str>, timeout: u64| {
            let mut group = json!({ "hooks": [{ "type": "command", "command": "x", "timeout": timeout }] });
            if let Some(matcher) = matcher {
                group["matcher"] = json!(matcher);
            }
            vec![RecordedEntry { event: "PreToolUse".to_owned(), group }]
        };
        let tools = |names: &[&str]| {
            Some(Gap::Tools {
                event: "PreToolUse".to_owned(),
                tools: names.iter().map(|it| (*it).to_owned()).collect(),
            })
        };
        let cases = [
            (wanted(Some("Bash"), 10), entry(Some("Bash"), 10), None),
            (wanted(Some("Bash"), 10), entry(None, 10), None),
            (wanted(Some("Bash|Write"), 10), entry(Some("Bash"), 10), tools(&["Write"])),
            (wanted(Some("^(Bash|mcp__.*)$"), 10), entry(Some("Bash"), 10), tools(&["mcp__server__tool"])),
            (wanted(Some("Bash"), 10), entry(Some("Bash|Write"), 10), None),
            (wanted(None, 30), entry(None, 10), Some(Gap::Time { event: "PreToolUse".to_owned() })),
            (wanted(None, 30), Vec::new(), Some(Gap::Event("PreToolUse".to_owned()))),
        ];
        for (wanted, installed, expected) in cases {
            assert_eq!(gap(claude, &wanted, &installed), expected, "{wanted:?} {installed:?}");
        }
        let some = gap(claude, &wanted(None, 10), &entry(Some("Bash"), 10));
        assert!(matches!(some, Some(Gap::Tools { tools, .. }) if tools.contains(&"Write".to_owned())));
    }
}
