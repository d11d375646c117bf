//! Tools that commit, tag, push and publish by themselves, and programs that run what stands at their end.

use super::{ProgramReader, Reading};
use crate::flow::{Arg, Flow, Taint};

pub(super) fn reader(name: &str) -> Option<ProgramReader> {
    Some(match name {
        "release" => release,
        "tail" => tail,
        _ => return None,
    })
}

/// What a release tool does with git and a registry, as the commands that it runs.
struct ReleaseTool {
    /// As its row is called.
    row: &'static str,
    /// It does nothing without one of these, if there are any.
    needs: &'static [&'static str],
    /// With one of these it leaves git alone.
    without: &'static [&'static str],
    runs: &'static [&'static [&'static str]],
}

const COMMIT: &[&str] = &["git", "commit", "-m", "release"];
const TAG: &[&str] = &["git", "tag", "release"];
const PUSH: &[&str] = &["git", "push"];

const TOOLS: &[ReleaseTool] = &[
    ReleaseTool {
        row: "npm version",
        needs: &["major", "minor", "patch", "premajor", "preminor", "prepatch", "prerelease", "from-git"],
        without: &["--no-git-tag-version", "--git-tag-version=false", "--no-commit-hooks"],
        runs: &[COMMIT, TAG],
    },
    ReleaseTool {
        row: "cargo release",
        needs: &["-x", "--execute"],
        without: &["--no-push"],
        runs: &[COMMIT, TAG, PUSH],
    },
    ReleaseTool { row: "np", needs: &[], without: &["--preview"], runs: &[COMMIT, TAG, PUSH] },
    ReleaseTool {
        row: "release-it",
        needs: &[],
        without: &["--no-git", "--dry-run", "-d"],
        runs: &[COMMIT, TAG, PUSH],
    },
    ReleaseTool { row: "semantic-release", needs: &[], without: &["--dry-run", "-d"], runs: &[COMMIT, TAG, PUSH] },
    ReleaseTool {
        row: "lerna publish",
        needs: &[],
        without: &["from-package", "from-git"],
        runs: &[COMMIT, TAG, PUSH],
    },
    ReleaseTool { row: "lerna version", needs: &[], without: &["--no-git-tag-version"], runs: &[COMMIT, TAG, PUSH] },
    ReleaseTool { row: "standard-version", needs: &[], without: &["--dry-run"], runs: &[COMMIT, TAG] },
    ReleaseTool { row: "bump2version", needs: &[], without: &["--dry-run", "-n", "--no-commit"], runs: &[COMMIT, TAG] },
    ReleaseTool { row: "cz bump", needs: &[], without: &["--dry-run"], runs: &[COMMIT, TAG] },
    ReleaseTool { row: "cz commit|c", needs: &[], without: &["--dry-run"], runs: &[COMMIT] },
];

/// Follows the commands that a release tool runs in place of it.
fn release(r: &mut Reading<'_, '_, '_>) -> Flow {
    let row = r.rows.last().map_or("", |row| row.0);
    let Some(tool) = TOOLS.iter().find(|tool| tool.row == row) else { return r.by_usage() };
    let has = |words: &[&str]| r.call.args.iter().any(|arg| words.contains(&arg.text.as_str()));
    let is_number = |arg: &Arg| arg.text.starts_with(|c: char| c.is_ascii_digit());
    let acts =
        tool.needs.is_empty() || has(tool.needs) || row == "npm version" && r.parsed.operands.iter().any(is_number);
    if !acts {
        return Flow::unknown(Taint::NONE);
    }
    let leaves_git = has(tool.without);
    let flow = r.by_usage();
    for command in tool.runs.iter().filter(|_| !leaves_git && !r.parsed.dry).copied().collect::<Vec<_>>() {
        let span = r.call.span;
        r.run(command.iter().map(|word| Arg::new(*word, span)).collect());
    }
    flow
}

/// `nix develop -c COMMAND…`, `mise exec -- COMMAND…`: what follows the mark is run.
fn tail(r: &mut Reading<'_, '_, '_>) -> Flow {
    let is_mark = |arg: &Arg| matches!(arg.text.as_str(), "--" | "-c" | "--command" | "-x" | "--run" | "--exec");
    let Some(at) = r.call.args.iter().position(is_mark) else { return r.by_usage() };
    let is_text = r.call.args.get(at).is_some_and(|mark| mark.text != "--");
    let rest = r.call.args.get(at + 1..).unwrap_or_default().to_vec();
    match rest.as_slice() {
        [line] if is_text && line.text.contains(' ') => r.run_text(&line.clone()),
        _ => r.run(rest),
    }
}
