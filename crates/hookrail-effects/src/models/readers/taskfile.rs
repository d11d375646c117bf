//! `task`: what a task of a `Taskfile.yml` runs.

use super::Reading;
use super::make::{self, Rule, Rules};
use super::packages::upward;
use crate::effect::GapReason;
use crate::flow::{Arg, Flow, Taint};
use crate::models::looked_into;
use crate::proof::DoubtReason;
use crate::shell;

pub(super) fn read(r: &mut Reading<'_, '_, '_>) -> Flow {
    if r.parsed.dry || r.parsed.has(&["-l", "--list", "--list-all", "-a", "--summary"]) {
        return Flow::unknown(Taint::NONE);
    }
    if let Some(folder) = r.parsed.value(&["-d", "--dir"]).cloned() {
        r.shell.cwd = shell::folder(r.analysis, r.shell, &folder);
    }
    let named = r.parsed.value(&["-t", "--taskfile"]).cloned();
    named.iter().for_each(|file| looked_into(r.analysis, r.shell, file));
    let mut names: Vec<String> =
        r.parsed.operands.iter().map(|arg| arg.text.clone()).filter(|name| !name.contains('=')).collect();
    if names.is_empty() {
        names.push("default".to_owned());
    }
    names.iter().for_each(|name| super::packages::task(r, name));
    let usual =
        ["Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml"].iter().find_map(|name| upward(r, name));
    let file = named.or_else(|| usual.map(|path| Arg::new(path.to_string_lossy(), r.call.span)));
    // The file is YAML, of which only the usual form is read.
    r.analysis.doubt(DoubtReason::Script, "Taskfile", r.call.span);
    let Some(text) = file.as_ref().and_then(|file| make::text_of(r, file)) else { return Flow::unknown(Taint::NONE) };
    let rules = rules(&text);
    let is_read = |name: &String| rules.rules.iter().any(|rule| rule.targets.contains(name));
    if !names.iter().all(is_read) {
        r.gap(GapReason::UnreadScript, &[]);
    }
    make::follow(r, &rules, names, "Taskfile");
    Flow::unknown(Taint::NONE)
}

/// The tasks of a file: their names are indented once, and commands are the items of `cmds`.
fn rules(text: &str) -> Rules {
    let mut rules = Rules::default();
    let mut in_tasks = false;
    let mut name_depth = None;
    let mut part = String::new();
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#')) {
        let depth = line.len() - line.trim_start().len();
        let line = line.trim();
        if depth == 0 {
            in_tasks = line == "tasks:";
            name_depth = None;
            continue;
        }
        if !in_tasks {
            continue;
        }
        if depth <= *name_depth.get_or_insert(depth) {
            let (name, rest) = line.split_once(':').unwrap_or((line, ""));
            let recipe =
                Some(plain(rest)).filter(|rest| !rest.is_empty() && !rest.starts_with('[')).into_iter().collect();
            rules.rules.push(Rule { targets: vec![plain(name)], needs: Vec::new(), recipe });
            part.clear();
            continue;
        }
        let Some(rule) = rules.rules.last_mut() else { continue };
        match line.strip_prefix("- ") {
            Some(item) => add_item(rule, &part, item),
            None => {
                let (key, rest) = line.split_once(':').unwrap_or((line, ""));
                match key {
                    "cmds" | "deps" | "cmd" | "task" | "preconditions" | "status" => key.clone_into(&mut part),
                    _ => {}
                }
                let rest = rest.trim();
                if let Some(list) = rest.strip_prefix('[') {
                    list.trim_end_matches(']').split(',').for_each(|item| add_item(rule, &part, item));
                } else if !rest.is_empty() && rest != "|" {
                    add_item(rule, &part, &format!("{key}: {rest}"));
                } else if part == "cmds" && rest.is_empty() && key != "cmds" {
                    // A line of a block.
                    rule.recipe.push(line.to_owned());
                }
            }
        }
    }
    rules
}

fn add_item(rule: &mut Rule, part: &str, item: &str) {
    let item = plain(item);
    if let Some(task) = item.strip_prefix("task:") {
        rule.needs.push(plain(task));
    } else if part == "deps" {
        rule.needs.push(item);
    } else if matches!(part, "cmds" | "cmd") {
        let command = item.strip_prefix("cmd:").map_or(item.clone(), plain);
        // `{{.NAME}}` is only known at run time.
        rule.recipe.push(command.replace("{{.", "$").replace("}}", ""));
    }
}

fn plain(text: &str) -> String {
    text.trim().trim_matches(['"', '\'']).to_owned()
}
