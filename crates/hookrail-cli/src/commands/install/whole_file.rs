//! Files that belong to one program as a whole: a script per event, or a module that is a plugin.

use super::merge::{KeyPath, Own, ShapeError};
use super::plugin_module;
use super::registration::Registration;
use hookrail_dialects::{Dialect, Layout};
use serde_json::Value;
use std::path::Path;

/// The line that says whose file it is.
const MARK: &str = "Written by `hookrail install`";

#[derive(Clone, Copy)]
pub struct WholeFile<'a> {
    pub agent: &'static dyn Dialect,
    pub file: &'a Path,
    pub is_ours: &'a dyn Fn(&str) -> bool,
}

impl WholeFile<'_> {
    pub fn find(&self, text: &str) -> Vec<Own> {
        if !text.contains(MARK) {
            return Vec::new();
        }
        let own = |event: String, value: Value| Own { event, group: 0, handler: 0, alone: true, value };
        match self.agent.format().layout {
            Layout::Module => {
                plugin_module::entries(text).into_iter().map(|(event, value)| own(event, value)).collect()
            }
            Layout::Groups | Layout::Flat | Layout::Tables(_) | Layout::Scripts => {
                let command = text.lines().find_map(|line| line.strip_prefix("exec ")).unwrap_or_default();
                let event = self.file.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                (self.is_ours)(command)
                    .then(|| own(event, serde_json::json!({ self.agent.format().command_key: command })))
                    .into_iter()
                    .collect()
            }
        }
    }

    /// A file that install did not write cannot be merged with ours, and is not replaced.
    pub fn put(&self, text: &mut String, wanted: &[Registration], command: &str) -> Result<Vec<KeyPath>, ShapeError> {
        if !text.trim().is_empty() && !text.contains(MARK) {
            let message = "this file was not written by hookrail, and there can be only one".to_owned();
            return Err(ShapeError { line: 1, column: 1, message });
        }
        *text = match self.agent.format().layout {
            Layout::Module => plugin_module::write(self.agent, wanted, command, MARK),
            Layout::Groups | Layout::Flat | Layout::Tables(_) | Layout::Scripts => {
                let name = self.agent.name();
                format!("#!/bin/sh\n# {MARK}; `hookrail uninstall {name}` removes it.\nexec {command}\n")
            }
        };
        Ok(Vec::new())
    }

    pub fn clear(&self, text: &mut String) {
        if text.contains(MARK) {
            text.clear();
        }
    }
}
