//! Which other files the text of a script brings in.
//!
//! A script finds its neighbours by its own place: `. "$(dirname "$0")/lib.sh"`, `from checks import run`,
//! `require('./rules')`. What stands there is part of what runs. A module that is not there counts, too: whoever makes
//! `json.py` beside a script decides what its `import json` means.

use hookrail_shell::Node;
use hookrail_shell::ast::{CommandKind, PartKind, SimpleCommand, Word, WordPart};
use std::path::{Component, Path, PathBuf};

/// A file that a script may bring in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Import {
    pub path: PathBuf,
    /// Whether it counts even if there is no such file.
    pub if_missing: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Shell,
    Python,
    JavaScript,
    Other,
}

impl Language {
    /// By the first line of a script, or by the ending of its name. What has neither is a shell's.
    pub fn of(path: &Path, content: &[u8]) -> Self {
        if content.contains(&0) {
            return Self::Other;
        }
        let first = content.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let first = String::from_utf8_lossy(first);
        if let Some(line) = first.strip_prefix("#!") {
            let names = line.split_whitespace().filter_map(|word| word.rsplit('/').next());
            return names
                .filter(|name| *name != "env" && !name.starts_with('-'))
                .map(Self::of_program)
                .next()
                .unwrap_or(Self::Other);
        }
        match path.extension().and_then(|ending| ending.to_str()) {
            None | Some("sh" | "bash" | "zsh" | "ksh" | "dash") => Self::Shell,
            Some("py") => Self::Python,
            Some("js" | "cjs" | "mjs" | "ts" | "cts" | "mts") => Self::JavaScript,
            Some(_) => Self::Other,
        }
    }

    /// By the name of an interpreter.
    pub fn of_program(name: &str) -> Self {
        match name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
            "sh" | "bash" | "dash" | "ash" | "zsh" | "ksh" | "mksh" => Self::Shell,
            "python" | "pypy" => Self::Python,
            "node" | "nodejs" | "bun" | "deno" | "tsx" => Self::JavaScript,
            _ => Self::Other,
        }
    }
}

/// What the script at `path` brings in. Python looks for modules beside the script that was started, which is in `base`.
pub(super) fn imports(path: &Path, base: &Path, project: &Path, content: &[u8]) -> Vec<Import> {
    let folder = path.parent().unwrap_or(project);
    let text = String::from_utf8_lossy(content);
    match Language::of(path, content) {
        Language::Shell => of_shell(&text, folder, project),
        Language::Python => text.lines().flat_map(|line| of_python(line.trim(), folder, base)).collect(),
        Language::JavaScript => of_java_script(&text, folder),
        Language::Other => Vec::new(),
    }
}

/// Words that name a script by a place that is only known at run time: what they end in is looked for beside this one.
fn of_shell(text: &str, folder: &Path, project: &Path) -> Vec<Import> {
    let mut found = Vec::new();
    hookrail_shell::parse(text).for_each(|node| {
        let Node::Command(command) = node else { return };
        let CommandKind::Simple(simple) = &command.kind else { return };
        let Some(tail) = run_word(simple).and_then(tail) else { return };
        let Some(tail) = tail.strip_prefix('/') else { return };
        found.push(Import { path: tidy(&folder.join(tail)), if_missing: true });
        found.push(Import { path: tidy(&project.join(tail)), if_missing: false });
    });
    found
}

/// The word of a command that names what it runs.
fn run_word<'t, 'a>(simple: &'t SimpleCommand<'a>) -> Option<&'t Word<'a>> {
    let Some(name) = simple.name() else { return simple.words.first() };
    let base = name.rsplit('/').next().unwrap_or_default();
    if matches!(&*name, "." | "source" | "exec" | "command") {
        return simple.words.get(1);
    }
    let interprets = Language::of_program(base) != Language::Other;
    let is_option = |word: &&Word<'_>| word.literal().is_some_and(|text| text.starts_with('-'));
    simple.words.iter().skip(1).find(|word| !is_option(word)).filter(|_| interprets)
}

/// The text behind the last part of a word that is only known at run time; `None` if all of it is known.
fn tail(word: &Word<'_>) -> Option<String> {
    let mut tail = None;
    collect_tail(&word.parts, &mut tail);
    tail
}

fn collect_tail(parts: &[WordPart<'_>], tail: &mut Option<String>) {
    for part in parts {
        match &part.kind {
            PartKind::Literal(text) | PartKind::SingleQuoted(text) | PartKind::AnsiQuoted(text) => {
                if let Some(tail) = tail {
                    tail.push_str(text);
                }
            }
            PartKind::DoubleQuoted(parts) => collect_tail(parts, tail),
            _ => *tail = Some(String::new()),
        }
    }
}

fn of_python(line: &str, folder: &Path, base: &Path) -> Vec<Import> {
    let modules: Vec<&str> = if let Some(rest) = line.strip_prefix("import ") {
        rest.split(',').filter_map(|module| module.split_whitespace().next()).collect()
    } else if let Some((module, names)) = line.strip_prefix("from ").and_then(|rest| rest.split_once(" import ")) {
        // `from . import a, b` names modules, too.
        let names = names.trim_start_matches('(').split(',').filter_map(|name| name.split_whitespace().next());
        match module.trim() {
            "." => return names.flat_map(|name| modules_at(folder, name)).collect(),
            module => {
                // What is taken out of a package may be a module of it.
                let inner: Vec<String> = names.map(|name| format!("{module}.{name}")).collect();
                return inner.iter().flat_map(|module| found_at(module, folder, base)).collect();
            }
        }
    } else {
        Vec::new()
    };
    modules.into_iter().flat_map(|module| found_at(module, folder, base)).collect()
}

/// Where a module may be: one that begins with a dot is beside the script that names it.
fn found_at(module: &str, folder: &Path, base: &Path) -> Vec<Import> {
    match module.strip_prefix('.') {
        Some(relative) if !relative.starts_with('.') => modules_at(folder, relative),
        Some(_) => Vec::new(),
        None => modules_at(base, module),
    }
}

/// Where a dotted module, and every package on the way to it, may be.
fn modules_at(folder: &Path, module: &str) -> Vec<Import> {
    let mut found = Vec::new();
    let mut at = folder.to_owned();
    let is_name = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_');
    for (depth, part) in module.split('.').take_while(|part| is_name(part)).take(16).enumerate() {
        at.push(part);
        // Only the first name decides whether anything is found beside the script.
        let if_missing = depth == 0;
        found.push(Import { path: at.with_extension("py"), if_missing });
        found.push(Import { path: at.join("__init__.py"), if_missing });
    }
    found
}

/// Relative names behind `require(`, `import` and `from`.
fn of_java_script(text: &str, folder: &Path) -> Vec<Import> {
    let mut found = Vec::new();
    for word in ["require(", "import(", "import", "from"] {
        for rest in text.split(word).skip(1) {
            let rest = rest.trim_start();
            let Some(quote) = rest.chars().next().filter(|c| matches!(c, '\'' | '"' | '`')) else { continue };
            let name = rest.get(1..).and_then(|rest| rest.split(quote).next()).unwrap_or_default();
            if name.starts_with("./") || name.starts_with("../") {
                found.extend(java_script_files(&tidy(&folder.join(name))));
            }
        }
    }
    found
}

fn java_script_files(named: &Path) -> Vec<Import> {
    let exact = Import { path: named.to_owned(), if_missing: named.extension().is_some() };
    let with = |ending: &str| {
        let mut name = named.as_os_str().to_owned();
        name.push(ending);
        Import { path: name.into(), if_missing: ending == ".js" && named.extension().is_none() }
    };
    let endings = [".js", ".cjs", ".mjs", ".json", ".ts", "/index.js"];
    std::iter::once(exact).chain(endings.map(with)).collect()
}

/// Without `.` and `..`.
fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                tidy.pop();
            }
            other => tidy.push(other),
        }
    }
    tidy
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_script_brings_in_is_found_in_its_text() {
        // (name of the script, its text, what counts whether it exists or not)
        let cases: &[(&str, &str, &[&str])] = &[
            ("a.sh", ". \"$(dirname \"$0\")/lib.sh\"", &["hooks/lib.sh"]),
            ("a.sh", "D=$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\nsource \"$D/../lib/x.sh\"", &["lib/x.sh"]),
            ("a.sh", "python3 -u \"$D\"/check.py --fast", &["hooks/check.py"]),
            ("a.sh", "if true; then \"${D}/run\" x; fi", &["hooks/run"]),
            ("a.sh", "exec \"$D/run\"", &["hooks/run"]),
            ("a.sh", "echo \"$D/data.json\" >> \"$D/log\"; cat \"$D/x.sh\"", &[]),
            ("a", "#!/usr/bin/env -S bash -e\n. \"$D/x\"", &["hooks/x"]),
            (
                "a.py",
                "import json, checks.git as g",
                &["hooks/json.py", "hooks/json/__init__.py", "hooks/checks.py", "hooks/checks/__init__.py"],
            ),
            ("a.py", "from checks import (a)", &["hooks/checks.py", "hooks/checks/__init__.py"]),
            ("a.py", "  from . import b", &["hooks/b.py", "hooks/b/__init__.py"]),
            ("a.py", "print('import x')", &[]),
            ("a.js", "const r = require('./rules'); import('../b.mjs')", &["hooks/rules.js", "b.mjs"]),
            ("a.mjs", "import { a } from \"./a.js\";\nimport './b.js'", &["hooks/b.js", "hooks/a.js"]),
            ("a.js", "require('fs'); require(name)", &[]),
            ("a.rb", "require './x'", &[]),
        ];
        for (name, text, expected) in cases {
            let path = Path::new("/p/hooks").join(name);
            let found = imports(&path, Path::new("/p/hooks"), Path::new("/p"), text.as_bytes());
            let found: Vec<&str> = found
                .iter()
                .filter(|import| import.if_missing)
                .filter_map(|import| import.path.strip_prefix("/p").ok()?.to_str())
                .collect();
            assert_eq!(found, *expected, "{name}: {text}");
        }
    }
}
