//! Tools that search files or list them.

use super::expanded;
use crate::act::Act;
use crate::analysis::{Analysis, Extent};
use crate::flow::Arg;
use crate::object::ReadDepth;
use serde_json::Value;
use std::path::Path;

const SEARCHES: &[&str] = &["Grep", "grep", "search_file_content", "grep_search", "codebase_search", "ripgrep"];
const LISTS: &[&str] = &["Glob", "glob", "list_directory", "LS", "ls", "file_search"];

/// Reports whether a tool searches files or lists them.
pub(super) fn is_search(name: &str) -> bool {
    SEARCHES.contains(&name) || LISTS.contains(&name)
}

/// Follows a search or a list; `false` if the tool is neither.
pub(super) fn follow(analysis: &mut Analysis<'_>, cwd: &Path, name: &str, input: &Value) -> bool {
    let text = |fields: &[&str]| fields.iter().find_map(|field| input.get(*field).and_then(Value::as_str));
    let folder = text(&["path", "dir_path", "directory", "target_directory"]).unwrap_or(".");
    let before = analysis.effects.list.len();
    if SEARCHES.contains(&name) {
        let glob = text(&["glob", "include", "include_pattern"]).filter(|glob| !glob.starts_with('!'));
        match glob {
            Some(glob) => touch_pattern(analysis, cwd, folder, glob),
            None => analysis.touch(Act::FsRead, &expanded(analysis, folder), Some(cwd), Extent::Below),
        }
        // Claude Code's search names files unless it is told to show lines. A pattern finds what git ignores, too.
        let lines = text(&["output_mode"]).map_or(name != "Grep", |mode| mode == "content");
        if !lines {
            analysis.searched(before, ReadDepth::Name);
        } else if glob.is_none() {
            analysis.searched(before, ReadDepth::Search { hidden: true });
        }
        return true;
    }
    if !LISTS.contains(&name) {
        return false;
    }
    analysis.touch(Act::FsRead, &expanded(analysis, folder), Some(cwd), Extent::Below);
    analysis.only_names(before);
    let leads_away = |pattern: &str| pattern.starts_with(['/', '~']) || pattern.contains("../");
    if let Some(pattern) = text(&["pattern", "query"]).filter(|pattern| leads_away(pattern) || names_something(pattern))
    {
        let pattern = &expanded(analysis, pattern).text;
        touch_pattern(analysis, cwd, folder, pattern);
        // A name that is asked for is likely to be read next; a pattern is not.
        if pattern.rsplit('/').next().is_some_and(|last| last.contains('*')) {
            analysis.only_names(before);
        }
    }
    true
}

/// Whether the last part of a pattern is about more than a kind of files.
fn names_something(pattern: &str) -> bool {
    let last = pattern.trim_end_matches('/').rsplit('/').next().unwrap_or(pattern);
    let literal = !last.contains(['*', '?', '[', '{']);
    literal || last.trim_end_matches('*').len() > 1 && !last.starts_with('*')
}

fn touch_pattern(analysis: &mut Analysis<'_>, cwd: &Path, folder: &str, pattern: &str) {
    let base = expanded(analysis, folder).text;
    let text = if pattern.starts_with('/') {
        pattern.to_owned()
    } else if pattern.contains('/') {
        format!("{}/{pattern}", base.trim_end_matches('/'))
    } else {
        format!("{}/**/{pattern}", base.trim_end_matches('/'))
    };
    let glob = text.find(['*', '?', '[']);
    let arg = Arg { glob, ..super::path_arg(&text) };
    analysis.touch(Act::FsRead, &arg, Some(cwd), Extent::Single);
}
