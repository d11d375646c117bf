//! Aliases of git: of this call, of the repository, of the user and of the machine.

use super::Reading;
use super::git_here::{Here, variable};
use crate::act::Act;
use crate::effect::GapReason;
use crate::flow::{Arg, Flow};
use crate::paths::tidy;
use crate::shell;
use std::path::{Path, PathBuf};

/// So many files may include each other.
const MAX_INCLUDES: usize = 8;

/// Runs an alias; a name that is none is some `git-name` program.
pub(super) fn run(
    r: &mut Reading<'_, '_, '_>,
    name: &Arg,
    rest: Vec<Arg>,
    own: &[(String, String)],
    here: &Here,
) -> Flow {
    let known = |(known, _): &&(String, String)| known.eq_ignore_ascii_case(&name.text);
    let given = own.iter().rev().find(known).or_else(|| r.shell.heads.aliases.iter().rev().find(known));
    let given = given.map(|(_, text)| text.clone());
    let given = given.or_else(|| in_environment(r, &name.text)).or_else(|| configured(r, &name.text, here));
    let Some(text) = given.or_else(|| customary(&name.text)) else {
        // What this call wrote into a configuration may be what the name stands for.
        let is_open = |file: &PathBuf| r.shell.written(file).is_some_and(|flow| flow.text.is_none());
        if config_files(r, here).iter().any(is_open) {
            r.act(Act::ExecDynamic, Some("git"));
            r.gap(GapReason::DynamicCode, &rest);
            return r.mixed();
        }
        r.act(Act::ExecRun, Some(&format!("git {}", name.text)));
        return r.mixed();
    };
    // What is set for this call is set for what it starts, too.
    let before = r.shell.heads.aliases.clone();
    r.shell.heads.aliases.change().extend(own.iter().cloned());
    let flow = run_known(r, name, &text, rest, here);
    r.shell.heads.aliases = before;
    flow
}

fn run_known(r: &mut Reading<'_, '_, '_>, name: &Arg, text: &str, rest: Vec<Arg>, here: &Here) -> Flow {
    if let Some(command) = text.strip_prefix('!') {
        return run_command(r, name, command, &rest, here);
    }
    let mut words: Vec<Arg> = vec![Arg::new("git", name.span)];
    words.extend(split(text).into_iter().map(|word| Arg::new(word, name.span)));
    // An alias that names itself would not end.
    if words.get(1).is_some_and(|word| word.text == name.text) {
        return Flow::default();
    }
    words.extend(rest);
    r.run(words)
}

/// By custom `ci` is `commit`. Where it is nothing at all, git refuses it.
fn customary(name: &str) -> Option<String> {
    (name == "ci").then(|| "commit".to_owned())
}

/// A shell text runs at the top of the working tree.
fn run_command(r: &mut Reading<'_, '_, '_>, name: &Arg, command: &str, rest: &[Arg], here: &Here) -> Flow {
    let mut line = command.to_owned();
    for arg in rest {
        line.push(' ');
        line.push_str(&shell::quote(arg));
    }
    let root = here.repository.as_ref().and_then(|repository| repository.root.clone());
    let before = r.shell.cwd.clone();
    r.shell.cwd = root.or_else(|| before.clone());
    let flow = r.run_text(&name.with_text(line));
    r.shell.cwd = before;
    flow
}

/// The words of an alias, quotes removed.
fn split(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote, mut open) = (Vec::new(), String::new(), None, false);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, '\'' | '"') => (quote, open) = (Some(c), true),
            (Some(end), c) if c == end => quote = None,
            (None | Some('"'), '\\') => word.extend(chars.next()),
            (None, c) if c.is_whitespace() => {
                if std::mem::take(&mut open) || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            (_, c) => word.push(c),
        }
    }
    if open || !word.is_empty() {
        words.push(word);
    }
    words
}

/// What `git -c` leaves in the environment for the git that it starts: `'alias.x=y'` or `'alias.x'='y'`.
fn in_environment(r: &Reading<'_, '_, '_>, name: &str) -> Option<String> {
    let settings = variable(r, "GIT_CONFIG_PARAMETERS")?.text;
    let (_, rest) = settings.split_once(&format!("'alias.{name}"))?;
    let value = rest.strip_prefix("'='").or_else(|| rest.strip_prefix('='))?;
    Some(value.split('\'').next().unwrap_or_default().to_owned())
}

/// What git's configuration says, the most specific file first.
fn configured(r: &Reading<'_, '_, '_>, name: &str, here: &Here) -> Option<String> {
    let home = r.analysis.around.home.as_deref();
    config_files(r, here).iter().find_map(|file| alias_in_file(r, file, home, name))
}

/// The files of git's configuration, the most specific first.
fn config_files(r: &Reading<'_, '_, '_>, here: &Here) -> Vec<PathBuf> {
    let named = |name: &str| variable(r, name).filter(Arg::known).map(|arg| PathBuf::from(arg.text));
    let home = r.analysis.around.home.clone();
    let config = named("XDG_CONFIG_HOME").or_else(|| Some(home.clone()?.join(".config")));
    let included = |two: &[Arg]| match two {
        [option, setting] if option.text == "-c" => {
            let file = setting.text.strip_prefix("include.path=")?;
            Some(tidy(r.shell.cwd.as_deref()?.join(file)))
        }
        _ => None,
    };
    let mut files: Vec<PathBuf> = r.call.args.windows(2).filter_map(included).collect();
    if let Some(repository) = &here.repository {
        files.push(repository.git_folder.join("config.worktree"));
        files.push(repository.common.join("config"));
    }
    match named("GIT_CONFIG_GLOBAL") {
        Some(file) => files.push(file),
        None => files.extend(
            [home.clone().map(|home| home.join(".gitconfig")), config.map(|config| config.join("git/config"))]
                .into_iter()
                .flatten(),
        ),
    }
    files.push(named("GIT_CONFIG_SYSTEM").unwrap_or_else(|| PathBuf::from("/etc/gitconfig")));
    files
}

/// An alias in a file or in what it includes; the last definition counts.
fn alias_in_file(r: &Reading<'_, '_, '_>, file: &Path, home: Option<&Path>, name: &str) -> Option<String> {
    let mut files = vec![file.to_owned()];
    let (mut found, mut seen) = (None, 0);
    while let Some(file) = files.pop() {
        seen += 1;
        if seen > MAX_INCLUDES {
            break;
        }
        let written = r.shell.written(&file).and_then(|flow| flow.text.clone());
        let Some(text) = written.or_else(|| r.analysis.machine.read_small(&file)) else { continue };
        let (alias, included) = read(&text, name);
        found = alias.or(found);
        let folder = file.parent().unwrap_or(&file);
        files.extend(included.iter().map(|path| match (path.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => tidy(folder.join(path)),
        }));
    }
    found
}

/// An alias in the text of a configuration, and the files that the text includes.
fn read(text: &str, name: &str) -> (Option<String>, Vec<String>) {
    let (mut section, mut alias, mut included) = (String::new(), None, Vec::new());
    let joined = text.replace("\\\n", "");
    for line in joined.lines().map(str::trim) {
        let mut line = line;
        if let Some(header) = line.strip_prefix('[') {
            let Some((title, behind)) = header.split_once(']') else { continue };
            section = title.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
            line = behind.trim();
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        match section.as_str() {
            "alias" if key.trim().eq_ignore_ascii_case(name) => alias = Some(unquoted(value)),
            "include" | "includeif" if key.trim().eq_ignore_ascii_case("path") => included.push(unquoted(value)),
            _ => {}
        }
    }
    (alias, included)
}

/// A value of git's configuration without quotes, escapes and a comment.
fn unquoted(value: &str) -> String {
    let (mut plain, mut quoted) = (String::new(), false);
    let mut chars = value.trim().chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => quoted = !quoted,
            '#' | ';' if !quoted => break,
            '\\' => match chars.next() {
                Some('n') => plain.push('\n'),
                Some('t') => plain.push('\t'),
                other => plain.extend(other),
            },
            c => plain.push(c),
        }
    }
    plain.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alias_is_read_from_its_section_as_git_reads_it() {
        let text = "[user]\n\tci = no\n[alias]\n\tst = status # short\n\tCI = commit -v\n\tci = commit\n\
                    \tx = \"!git commit; true\"\n[Alias] y = log\n[other]\nst = no\n[include]\npath = ~/more\n";
        for (name, expected) in [
            ("ci", Some("commit")),
            ("st", Some("status")),
            ("x", Some("!git commit; true")),
            ("y", Some("log")),
            ("z", None),
        ] {
            assert_eq!(read(text, name).0.as_deref(), expected, "{name}");
        }
        assert_eq!(read(text, "ci").1, ["~/more"]);
        assert_eq!(split("commit -m \"a b\" ''"), ["commit", "-m", "a b", ""]);
    }
}
