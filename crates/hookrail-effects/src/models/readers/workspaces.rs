//! `package.json`, and which packages of a repository a script is run in.

use super::Reading;
use super::packages::upward;
use crate::Code;
use crate::effect::GapReason;
use crate::flow::Arg;
use crate::paths::joined;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Maximum number of packages a script is followed in.
const MAX_PACKAGES: usize = 64;

/// The `package.json` that counts in the working directory. One that this call writes before is read as it is now, and a gap.
pub(super) fn package(r: &mut Reading<'_, '_, '_>) -> Option<Value> {
    let file = upward(r, "package.json")?;
    r.analysis.machine.note_code(Code::File(&file));
    let written = r.shell.written(&file).and_then(|flow| flow.text.clone());
    if written.is_none() && r.analysis.has_written(&file) {
        r.gap(GapReason::UnreadScript, &[]);
    }
    let text = written.or_else(|| r.analysis.machine.read_small(&file))?;
    let package = serde_json::from_str(&text).ok();
    if package.is_none() {
        r.gap(GapReason::UnreadScript, &[]);
    }
    package
}

/// The folders that a script is run in: the working directory, or the packages that options choose.
pub(super) fn chosen(r: &mut Reading<'_, '_, '_>, args: &[Arg]) -> Vec<PathBuf> {
    let Some(cwd) = r.shell.cwd.clone() else { return Vec::new() };
    let has = |names: &[&str]| args.iter().any(|arg| names.contains(&arg.text.as_str()));
    let names: Vec<String> = chosen_names(args);
    let all = has(&["--workspaces", "-ws", "-r", "--recursive"]);
    if names.is_empty() && !all {
        return vec![cwd];
    }
    let by_path: Vec<PathBuf> = names
        .iter()
        .map(|name| joined(&cwd, name))
        .filter(|folder| r.analysis.machine.kind(&folder.join("package.json")).is_some())
        .collect();
    if by_path.len() == names.len() && !all {
        return by_path;
    }
    let packages = packages(r, &cwd);
    let is_chosen = |folder: &PathBuf| {
        let named = |name: &String| {
            let plain = name.trim_matches(['.', '*', '^', '{', '}', '/']);
            folder.ends_with(plain)
                || package_name(r, folder).is_some_and(|known| known == *name || known.ends_with(plain))
        };
        all || names.iter().any(named)
    };
    packages.into_iter().filter(is_chosen).collect()
}

/// What options and `yarn workspace` name.
fn chosen_names(args: &[Arg]) -> Vec<String> {
    let takes = |text: &str| matches!(text, "-w" | "--workspace" | "-F" | "--filter" | "workspace");
    let next = args.windows(2).filter_map(|two| match two {
        [option, name] if takes(&option.text) => Some(name.text.clone()),
        _ => None,
    });
    let joined = args.iter().filter_map(|arg| {
        let (name, value) = arg.text.split_once('=')?;
        takes(name).then(|| value.to_owned())
    });
    next.chain(joined).collect()
}

/// The folders of all packages: those of `workspaces`, or those where packages usually are.
fn packages(r: &mut Reading<'_, '_, '_>, cwd: &Path) -> Vec<PathBuf> {
    let package = package(r);
    let list = package.as_ref().and_then(|package| package.get("workspaces"));
    let list = list.and_then(|list| list.as_array().or_else(|| list.get("packages")?.as_array()));
    let named: Vec<&str> = list.into_iter().flatten().filter_map(Value::as_str).collect();
    let patterns = if named.is_empty() { vec!["packages/*", "apps/*", "libs/*"] } else { named };
    let mut found = Vec::new();
    for pattern in patterns {
        match pattern.trim_end_matches('*').strip_suffix('/').filter(|_| pattern.ends_with('*')) {
            Some(folder) => {
                let folder = joined(cwd, folder);
                let names = r.analysis.machine.list(&folder).unwrap_or_default();
                found.extend(names.into_iter().map(|name| folder.join(name)));
            }
            None => found.push(joined(cwd, pattern)),
        }
    }
    r.analysis.limited(found.into_iter(), MAX_PACKAGES, r.call.span)
}

fn package_name(r: &Reading<'_, '_, '_>, folder: &Path) -> Option<String> {
    let text = r.analysis.machine.read_small(&folder.join("package.json"))?;
    let package: Value = serde_json::from_str(&text).ok()?;
    package.get("name")?.as_str().map(str::to_owned)
}
