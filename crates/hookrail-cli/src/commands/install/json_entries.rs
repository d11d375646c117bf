//! hookrail's entries within an agent's JSON.

use super::merge::{KeyPath, Own, ShapeError, distinct};
use super::registration::Registration;
use crate::jsonc::Jsonc;
use hookrail_dialects::{Dialect, Layout};
use hookrail_engine::registry::PathStep;
use serde_json::{Value, json};

/// Which entries of a JSON file are ours, and how they are put there.
#[derive(Clone, Copy)]
pub struct JsonEntries<'a> {
    pub agent: &'static dyn Dialect,
    /// The path of the events in the file.
    pub hooks_at: &'static [&'static str],
    /// The file is the administrator's.
    pub is_managed: bool,
    /// Tells our commands from others.
    pub is_ours: &'a dyn Fn(&str) -> bool,
}

impl JsonEntries<'_> {
    /// Our entries, in the order of the file.
    pub fn find(&self, document: &Jsonc) -> Vec<Own> {
        let mut found = Vec::new();
        let events = document.at(&self.hooks_path()).and_then(Value::as_object).into_iter().flatten();
        for (event, groups) in events {
            for (group, value) in groups.as_array().into_iter().flatten().enumerate() {
                let handlers = self.handlers(value);
                for handler in (0..handlers.len()).filter(|index| self.owns(handlers.get(*index))) {
                    let (event, value) = (event.clone(), value.clone());
                    found.push(Own { event, group, handler, alone: handlers.len() == 1, value });
                }
            }
        }
        found
    }

    /// Commands of others that call hookrail as well.
    pub fn strangers(&self, document: &Jsonc, calls: fn(&str) -> bool) -> Vec<String> {
        let events = document.at(&self.hooks_path()).and_then(Value::as_object).into_iter().flatten();
        let groups = events.flat_map(|(_, groups)| groups.as_array().into_iter().flatten());
        let handlers = groups.flat_map(|group| self.handlers(group));
        let commands = handlers.filter_map(|handler| self.command_of(handler));
        distinct(commands.filter(|command| calls(command) && !(self.is_ours)(command)))
    }

    /// Makes our entries what is wanted and returns the places that had to be made for them. Entries that are right stay
    /// where they are.
    pub fn put(
        &self,
        document: &mut Jsonc,
        wanted: &[Registration],
        command: &str,
        made_before: &[KeyPath],
    ) -> Result<Vec<KeyPath>, ShapeError> {
        self.check(document, wanted)?;
        let mut missing: Vec<&Registration> = wanted.iter().collect();
        // From the end, so that what is still to come stays where it was found.
        for own in self.find(document).iter().rev() {
            let fits = |wanted: &&&Registration| wanted.event == own.event && own.alone;
            // Several entries of one event differ in what they call: one that is right already stays.
            let right = missing.iter().position(|it| fits(&it) && it.group(self.agent, command) == own.value);
            let fitting = right.or_else(|| missing.iter().position(|it| fits(&it)));
            match fitting.map(|index| missing.remove(index)) {
                Some(wanted) => {
                    let group = wanted.group(self.agent, command);
                    if own.value != group {
                        document.replace(&self.group_path(own), &group);
                    }
                }
                None => self.take_out(document, own, &|place| made_before.contains(place), None),
            }
        }
        let mut made = Vec::new();
        for registration in missing {
            self.make_way(document, registration.event, &mut made);
            let path = [self.hooks_path(), vec![PathStep::Key(registration.event)]].concat();
            document.append(&path, None, &registration.group(self.agent, command));
        }
        Ok(made)
    }

    /// Takes our entries out. Places that get empty go as well if `made_by_us` says so; others look again as they did in
    /// `before`.
    pub fn clear(&self, document: &mut Jsonc, made_by_us: &dyn Fn(&KeyPath) -> bool, before: Option<&Jsonc>) {
        loop {
            let found = self.find(document);
            let Some(last) = found.last() else {
                self.take_out_root_fields(document, made_by_us);
                return restore_space(document, &[], before);
            };
            self.take_out(document, last, made_by_us, before);
            // A text that does not change must not keep us here.
            if self.find(document).len() == found.len() {
                return;
            }
        }
    }

    fn take_out(&self, document: &mut Jsonc, own: &Own, made_by_us: &dyn Fn(&KeyPath) -> bool, before: Option<&Jsonc>) {
        let group = self.group_path(own);
        let handlers =
            document.at(&group).and_then(|group| group.get("hooks")).and_then(Value::as_array).map_or(0, Vec::len);
        if handlers > 1 {
            return document
                .remove(&[group.as_slice(), &[PathStep::Key("hooks"), PathStep::Index(own.handler)]].concat());
        }
        document.remove(&group);
        let mut place: KeyPath = self.keys();
        place.push(own.event.clone());
        loop {
            let path: Vec<PathStep<'_>> = place.iter().map(|key| PathStep::Key(key)).collect();
            if !document.at(&path).is_some_and(is_empty) {
                return;
            }
            if place.is_empty() || !made_by_us(&place) {
                return restore_space(document, &path, before);
            }
            document.remove(&path);
            place.pop();
        }
    }

    /// Fields that only hookrail needed go with its last entry.
    fn take_out_root_fields(&self, document: &mut Jsonc, made_by_us: &dyn Fn(&KeyPath) -> bool) {
        for (field, value) in needed_fields(self.agent, self.is_managed) {
            let is_ours = made_by_us(&vec![field.to_owned()]);
            if is_ours && document.at(&[PathStep::Key(field)]) == Some(&value) {
                document.remove(&[PathStep::Key(field)]);
            }
        }
    }

    /// The handlers of an element below an event: those of a group, or the element itself.
    fn handlers<'v>(&self, element: &'v Value) -> &'v [Value] {
        let nested = element.get("hooks").and_then(Value::as_array).map(Vec::as_slice);
        match self.agent.format().layout {
            Layout::Flat => nested.unwrap_or(std::slice::from_ref(element)),
            Layout::Groups | Layout::Tables(_) | Layout::Scripts | Layout::Module => nested.unwrap_or_default(),
        }
    }

    /// What others wrote, whatever became of ours.
    pub fn foreign(&self, document: &Jsonc) -> Value {
        let mut rest = document.clone();
        self.clear(&mut rest, &|_| true, None);
        let mut value = rest.value().clone();
        if let Some(root) = value.as_object_mut() {
            let needed = needed_fields(self.agent, self.is_managed);
            root.retain(|name, value| !needed.iter().any(|(field, ours)| field == name && ours == value));
            match self.hooks_at {
                [key] => {
                    if let Some(events) = root.get_mut(*key).and_then(Value::as_object_mut) {
                        events.retain(|_, groups| !is_empty(groups));
                    }
                    root.retain(|name, hooks| name != key || !is_empty(hooks));
                }
                _ => root.retain(|name, groups| self.agent.event(name).is_none() || !is_empty(groups)),
            }
        }
        if value.is_null() { json!({}) } else { value }
    }

    /// Whether everything we would go through is what it should be.
    fn check(&self, document: &Jsonc, wanted: &[Registration]) -> Result<(), ShapeError> {
        let complain = |path: &[PathStep<'_>], what: &str, expected: &str| {
            let (line, column) = document.position(path);
            Err(ShapeError { line, column, message: format!("{what} must be {expected}") })
        };
        if !matches!(document.value(), Value::Null | Value::Object(_)) {
            return complain(&[], "the settings", "an object");
        }
        let hooks = self.hooks_path();
        for depth in 1..=hooks.len() {
            let path = hooks.get(..depth).unwrap_or_default();
            if document.at(path).is_some_and(|value| !value.is_object()) {
                let key = self.keys().get(depth - 1).cloned().unwrap_or_default();
                return complain(path, &format!("`{key}`"), "an object");
            }
        }
        for registration in wanted {
            let path = [hooks.as_slice(), &[PathStep::Key(registration.event)]].concat();
            if document.at(&path).is_some_and(|value| !value.is_array()) {
                return complain(&path, &format!("`{}`", registration.event), "a list");
            }
        }
        Ok(())
    }

    fn make_way(&self, document: &mut Jsonc, event: &str, made: &mut Vec<KeyPath>) {
        if document.value().is_null()
            && let Ok(empty) = Jsonc::parse("{}\n")
        {
            *document = empty;
        }
        for (field, value) in needed_fields(self.agent, self.is_managed) {
            if document.at(&[PathStep::Key(field)]).is_none() {
                document.append(&[], Some(field), &value);
                made.push(vec![field.to_owned()]);
            }
        }
        let mut keys = self.keys();
        keys.push(event.to_owned());
        for depth in 0..keys.len() {
            let above: Vec<PathStep<'_>> = keys.iter().take(depth).map(|key| PathStep::Key(key)).collect();
            let Some(key) = keys.get(depth) else { return };
            if document.at(&above).and_then(|value| value.get(key)).is_some() {
                continue;
            }
            let empty = if depth + 1 == keys.len() { json!([]) } else { json!({}) };
            document.append(&above, Some(key), &empty);
            made.push(keys.iter().take(depth + 1).cloned().collect());
        }
    }

    fn owns(&self, handler: Option<&Value>) -> bool {
        let text = |handler| self.command_of(handler).or_else(|| handler.get("prompt").and_then(Value::as_str));
        handler.and_then(text).is_some_and(self.is_ours)
    }

    fn command_of<'v>(&self, handler: &'v Value) -> Option<&'v str> {
        handler.get(self.agent.format().command_key).and_then(Value::as_str)
    }

    fn keys(&self) -> KeyPath {
        self.hooks_at.iter().map(|key| (*key).to_owned()).collect()
    }

    fn hooks_path(&self) -> Vec<PathStep<'static>> {
        self.hooks_at.iter().map(|key| PathStep::Key(key)).collect()
    }

    fn group_path<'o>(&self, own: &'o Own) -> Vec<PathStep<'o>> {
        [self.hooks_path(), vec![PathStep::Key(&own.event), PathStep::Index(own.group)]].concat()
    }
}

/// Root fields that our entries need, with their values.
pub fn needed_fields(agent: &dyn Dialect, is_managed: bool) -> Vec<(&'static str, Value)> {
    let format = agent.format();
    let usual = format.root_fields.iter().map(|(field, value)| (*field, json!(value)));
    let managed = format.managed_fields.iter().filter(|_| is_managed);
    usual.chain(managed.map(|(field, text)| (*field, serde_json::from_str(text).unwrap_or_default()))).collect()
}

/// White space between empty brackets is the one thing that the text does not tell any more.
fn restore_space(document: &mut Jsonc, path: &[PathStep<'_>], before: Option<&Jsonc>) {
    let was_empty = before.filter(|before| before.at(path).is_some_and(is_empty));
    let is_bare = document.source(path).is_some_and(|source| matches!(source, "{}" | "[]"));
    if let (Some(source), true) = (was_empty.and_then(|before| before.source(path)), is_bare) {
        document.restore(path, source);
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.is_empty(),
        Value::Array(elements) => elements.is_empty(),
        _ => false,
    }
}
