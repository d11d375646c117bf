//! What hookrail recorded: the journal, and the agent's task list.

use super::demo_project::DemoProject;
use super::step::{DemoEvent, HookResult};
use crate::current_project::now_millis;
use crate::error::CliError;
use hookrail_store::{Cursor, FileStore, StateRoot, Store};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub struct JournalFeed {
    store: FileStore,
    cursor: Cursor,
    tasks: PathBuf,
}

impl JournalFeed {
    pub fn of(demo: &DemoProject) -> Self {
        let store = FileStore::new(StateRoot::at(demo.state()), now_millis);
        Self { store, cursor: Cursor::default(), tasks: demo.home().join(".claude/tasks") }
    }

    /// The events since the last look. Every process of an event writes its records at once, and no hook looks twice.
    pub fn read_on(&mut self) -> Result<Vec<DemoEvent>, CliError> {
        let mut events: Vec<DemoEvent> = Vec::new();
        for entry in self.store.records(self.cursor).map_err(CliError::machine)? {
            let entry = entry.map_err(CliError::machine)?;
            self.cursor = entry.next;
            let record = entry.record;
            let (event, tool) = (record.event.clone(), record.tool.clone());
            let subject = record.subject.clone().unwrap_or_default();
            let look = HookResult::of(record);
            match events.last_mut() {
                Some(last) if last.is_same(&event, tool.as_deref(), &look) => last.looks.push(look),
                _ => events.push(DemoEvent { event, tool, subject, looks: vec![look] }),
            }
        }
        Ok(events)
    }

    /// The tasks of the only session there is, as a person would list them.
    pub fn tasks(&self) -> Vec<String> {
        let lists: Vec<PathBuf> = entries(&self.tasks);
        let mut tasks: Vec<(u64, String)> =
            lists.iter().flat_map(|list| entries(list)).filter_map(|file| describe(&file)).collect();
        tasks.sort();
        tasks.into_iter().map(|(_, task)| task).collect()
    }
}

impl DemoEvent {
    fn is_same(&self, event: &str, tool: Option<&str>, look: &HookResult) -> bool {
        let first_look = self.looks.iter().all(|earlier| earlier.hook != look.hook);
        self.event == event && self.tool.as_deref() == tool && first_look
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

fn describe(file: &Path) -> Option<(u64, String)> {
    let task: Value = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
    let id = task.get("id")?.as_str()?;
    Some((id.parse().ok()?, format!("{id} {}", task.get("subject")?.as_str()?)))
}
