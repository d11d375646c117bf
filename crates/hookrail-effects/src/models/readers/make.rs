//! `make`, `just` and `ninja`: what a target runs is read in the file that describes it.

use super::Reading;
use super::packages::{task, upward};
use crate::Code;
use crate::effect::GapReason;
use crate::flow::{Arg, Flow, Taint};
use crate::models::looked_into;
use crate::proof::DoubtReason;
use crate::shell::{self, Scope};
use std::path::PathBuf;

/// So many targets are followed, prerequisites included.
const MAX_TARGETS: usize = 128;
/// So deep files may include each other.
const MAX_INCLUDES: usize = 4;

/// A rule: what it makes, what that needs, and the commands.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Rule {
    pub targets: Vec<String>,
    pub needs: Vec<String>,
    pub recipe: Vec<String>,
}

/// What a file says.
#[derive(Debug, Default)]
pub(super) struct Rules {
    pub variables: Vec<(String, String)>,
    pub rules: Vec<Rule>,
    includes: Vec<String>,
    /// Commands that are run while the file is read.
    at_once: Vec<String>,
    /// Whether there is something in it that is not read.
    pub unread: bool,
}

/// Lines of a makefile that change what others mean, or that are not read.
const UNREAD: &[&str] = &[
    "define",
    "ifeq",
    "ifneq",
    "ifdef",
    "ifndef",
    "load ",
    "-load",
    "SHELL",
    "export SHELL",
    ".SHELLFLAGS",
    "vpath",
    "override SHELL",
    ".ONESHELL",
    "$(eval",
    "$(foreach",
    "$(call",
    "unexport",
    "MAKEFLAGS",
    "export ",
];

pub(super) fn make(r: &mut Reading<'_, '_, '_>) -> Flow {
    if let Some(folder) = r.parsed.value(&["-C", "--directory"]).cloned() {
        r.shell.cwd = shell::folder(r.analysis, r.shell, &folder);
    }
    let (settings, targets): (Vec<Arg>, Vec<Arg>) =
        r.parsed.operands.iter().cloned().partition(|arg| arg.text.contains('='));
    let mut rules = Rules::default();
    for text in r.parsed.values(&["--eval", "-E"]).map(|arg| arg.text.clone()).collect::<Vec<_>>() {
        read(&text, &mut rules);
    }
    read_makefiles(r, &mut rules);
    let settings = settings.iter().filter_map(|arg| arg.text.split_once('='));
    rules
        .variables
        .extend(settings.map(|(name, value)| (name.trim_end_matches([':', '+', '?']).to_owned(), value.to_owned())));
    for command in std::mem::take(&mut rules.at_once) {
        run_line(r, &rules, "", &Rule::default(), &command);
    }
    // A dry run still does what is done while the file is read.
    if r.parsed.dry {
        return Flow::default();
    }
    let mut names: Vec<String> = targets.iter().map(|arg| arg.text.clone()).collect();
    match names.as_slice() {
        [] => {
            task(r, "all");
            names.extend(first_target(&rules));
        }
        named => named.to_vec().iter().for_each(|name| task(r, name)),
    }
    follow(r, &rules, names, "Makefile");
    doubt_unread(r, &rules);
    Flow::unknown(Taint::NONE)
}

/// Keeps a call from being proven that rests on a file of which something is not read.
pub(super) fn doubt_unread(r: &mut Reading<'_, '_, '_>, rules: &Rules) {
    if rules.unread {
        r.analysis.doubt(DoubtReason::Script, &r.call.program, r.call.span);
    }
}

/// The target that is made if none is named.
fn first_target(rules: &Rules) -> Option<String> {
    let named = rules.variables.iter().rev().find(|(name, _)| name == ".DEFAULT_GOAL").map(|(_, value)| value.clone());
    named.or_else(|| rules.rules.iter().flat_map(|rule| &rule.targets).find(|name| !name.starts_with('.')).cloned())
}

/// Reads the files that are named, or the usual one, with what they include.
fn read_makefiles(r: &mut Reading<'_, '_, '_>, rules: &mut Rules) {
    let mut files: Vec<Arg> = r.parsed.values(&["-f", "--file", "--makefile"]).cloned().collect();
    files.iter().for_each(|file| looked_into(r.analysis, r.shell, file));
    if files.is_empty() {
        let usual = ["GNUmakefile", "makefile", "Makefile"].map(|name| Arg::new(name, r.call.span));
        files.extend(usual.into_iter().find(|file| is_there(r, file)));
    }
    for _ in 0..MAX_INCLUDES {
        for file in std::mem::take(&mut files) {
            if let Some(text) = text_of(r, &file) {
                read(&text, rules);
            }
        }
        files = std::mem::take(&mut rules.includes).into_iter().map(|name| Arg::new(name, r.call.span)).collect();
        if files.is_empty() {
            return;
        }
    }
}

fn is_there(r: &Reading<'_, '_, '_>, file: &Arg) -> bool {
    let path = path_of(r, file);
    shell::written(r.shell, file).is_some() || path.is_some_and(|path| r.analysis.machine.kind(&path).is_some())
}

pub(super) fn path_of(r: &Reading<'_, '_, '_>, file: &Arg) -> Option<PathBuf> {
    r.shell.cwd.as_deref().filter(|_| file.known()).map(|cwd| crate::paths::tidy(cwd.join(&file.text)))
}

/// The text of a file that says what to run: of the input, of this call, or of the disk. One that cannot be read is a gap.
pub(super) fn text_of(r: &mut Reading<'_, '_, '_>, file: &Arg) -> Option<String> {
    let flow = if matches!(file.text.as_str(), "-" | "/dev/stdin") {
        r.call.stdin.clone()
    } else {
        file.feed
            .as_deref()
            .cloned()
            .or_else(|| shell::written(r.shell, file))
            .unwrap_or_else(|| shell::from_file(r.analysis, r.shell, file))
    };
    if let Some(file) = flow.file.as_deref() {
        r.analysis.machine.note_code(Code::File(file));
        if flow.text.is_none() && r.analysis.has_written(file) {
            r.analysis.gap_about(GapReason::UnreadScript, r.call.span, &[], r.shell.cwd.as_deref());
        }
    }
    let text = flow.text.clone().or_else(|| r.analysis.machine.read_small(flow.file.as_deref()?));
    let exists = flow.file.as_deref().is_none_or(|file| r.analysis.machine.kind(file).is_some());
    if text.is_none() && exists && flow.some {
        let bytes = flow.file.as_deref().and_then(|file| r.analysis.machine.read_bytes(file));
        let names = String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
        r.analysis.gap_in_file(GapReason::UnreadScript, file.span, &names, r.shell.cwd.as_deref());
    }
    text
}

/// Reads the text of a makefile.
fn read(text: &str, rules: &mut Rules) {
    let whole = text.replace("\\\n", " ");
    for line in whole.lines() {
        if let Some(command) = line.strip_prefix('\t') {
            if let Some(rule) = rules.rules.last_mut() {
                rule.recipe.push(command.to_owned());
            }
            continue;
        }
        let line = line.trim();
        rules.unread |= UNREAD.iter().any(|word| line.starts_with(word));
        at_once(line, &mut rules.at_once);
        if let Some(files) = ["include ", "-include ", "sinclude "].iter().find_map(|word| line.strip_prefix(word)) {
            rules.includes.extend(files.split_whitespace().map(str::to_owned));
        } else if let Some((name, value)) = assignment(line) {
            if let Some(command) = line.split_once("!=").map(|(_, command)| command.trim()) {
                rules.at_once.push(command.to_owned());
            }
            rules.variables.push((name.to_owned(), value.to_owned()));
        } else if let Some((targets, rest)) = line.split_once(':').filter(|_| !line.starts_with('#')) {
            let (needs, recipe) = rest.split_once(';').unwrap_or((rest, ""));
            let words = |text: &str| text.split_whitespace().filter(|word| *word != "|").map(str::to_owned).collect();
            let recipe = Some(recipe.trim()).filter(|recipe| !recipe.is_empty()).map(str::to_owned);
            let needs = words(needs.trim_start_matches(':'));
            rules.rules.push(Rule { targets: words(targets), needs, recipe: recipe.into_iter().collect() });
        }
    }
}

/// `$(shell …)` outside of a recipe is run at once.
fn at_once(line: &str, found: &mut Vec<String>) {
    let mut rest = line;
    while let Some((_, behind)) = rest.split_once("$(shell ") {
        let mut depth = 1_usize;
        let end = behind.char_indices().find(|(_, c)| {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        let end = end.map_or(behind.len(), |(at, _)| at);
        found.extend(behind.get(..end).map(str::to_owned));
        rest = behind.get(end..).unwrap_or_default();
    }
}

fn assignment(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.trim_start_matches("export ").trim_start_matches("override ").split_once('=')?;
    let name = name.trim_end_matches([':', '?', '+', '!', ' ']);
    let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
    plain.then(|| (name, value.trim()))
}

/// Runs the recipes of targets, and before each those of what it needs.
pub(super) fn follow(r: &mut Reading<'_, '_, '_>, rules: &Rules, mut names: Vec<String>, file: &str) {
    let mut seen: Vec<String> = Vec::new();
    names.reverse();
    while let Some(name) = names.pop() {
        if seen.contains(&name) {
            continue;
        }
        if seen.len() >= MAX_TARGETS {
            r.analysis.over_limit(r.call.span);
            return;
        }
        seen.push(name.clone());
        let step = format!("{file}: {name}");
        for rule in rules.rules.iter().filter(|rule| rule.targets.iter().any(|target| makes(target, &name))) {
            names.extend(rule.needs.iter().map(|need| expanded(rules, &name, rule, need)));
            let lines = rule.recipe.clone();
            r.analysis.via.push(crate::effect::Step(step.as_str().into()));
            lines.iter().for_each(|line| run_line(r, rules, &name, rule, line));
            r.analysis.via.pop();
        }
    }
}

/// Whether a rule's target is this one, or a pattern that stands for it.
fn makes(target: &str, name: &str) -> bool {
    target == name || target.contains('%') && crate::paths::matches_glob(&target.replacen('%', "*", 1), name)
}

/// Functions of make, which may make anything of their arguments.
const FUNCTIONS: &[&str] = &["$(shell", "$(eval", "$(call", "$(foreach", "$(file", "$(guile", "$(wildcard", "$(value"];

/// Every line is a shell of its own.
fn run_line(r: &mut Reading<'_, '_, '_>, rules: &Rules, target: &str, rule: &Rule, line: &str) {
    if line.contains("$(") && FUNCTIONS.iter().any(|name| line.contains(name)) {
        r.analysis.doubt(DoubtReason::Script, line, r.call.span);
    }
    let line = expanded(rules, target, rule, line.trim_start().trim_start_matches(['@', '-', '+', ' ']));
    let span = r.call.span;
    if line.len() < crate::machine::MAX_SCRIPT {
        shell::run_text(r.analysis, r.shell, &line, Scope::Child, Some(span), &Flow::default());
    }
}

/// A line with variables replaced; what is not known stays a variable of the shell.
fn expanded(rules: &Rules, target: &str, rule: &Rule, line: &str) -> String {
    let mut text = line.replace("$$", "\u{1}");
    let needs = rule.needs.join(" ");
    let first = rule.needs.first().cloned().unwrap_or_default();
    for (name, value) in [("$@", target), ("$<", first.as_str()), ("$^", needs.as_str()), ("$+", needs.as_str())] {
        text = text.replace(name, value);
    }
    // Values name other variables; a round that changes nothing is the last one.
    for _ in 0..8 {
        let Some((before, rest, end)) = next_variable(&text) else { break };
        let mut done = String::with_capacity(text.len());
        let (mut before, mut rest, mut end) = (before, rest, end);
        loop {
            done.push_str(before);
            let (name, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
            done.push_str(&value_of(rules, name));
            let behind = behind.get(1..).unwrap_or_default();
            match next_variable(behind) {
                Some(next) => (before, rest, end) = next,
                None => {
                    done.push_str(behind);
                    break;
                }
            }
        }
        if done.len() > crate::machine::MAX_SCRIPT {
            break;
        }
        text = done;
    }
    text.replace('\u{1}', "$")
}

/// The text before a `$(NAME)` or `${NAME}`, what follows the bracket, and where the name in it ends.
fn next_variable(text: &str) -> Option<(&str, &str, usize)> {
    let start = [text.find("$("), text.find("${")].into_iter().flatten().min()?;
    let (before, rest) = text.split_at_checked(start)?;
    let close = if rest.starts_with("$(") { ')' } else { '}' };
    let rest = rest.get(2..)?;
    Some((before, rest, rest.find(close)?))
}

fn value_of(rules: &Rules, name: &str) -> String {
    if matches!(name, "MAKE" | "CC" | "CXX" | "RM" | "CURDIR")
        && !rules.variables.iter().any(|(known, _)| known == name)
    {
        return match name {
            "MAKE" => "make",
            "RM" => "rm -f",
            "CURDIR" => ".",
            _ => "cc",
        }
        .to_owned();
    }
    let known = rules.variables.iter().rev().find(|(known, _)| known == name);
    let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match known {
        Some((_, value)) => value.clone(),
        None if plain => format!("\u{1}{name}"),
        // A function of make.
        None => "\u{1}MAKE_FUNCTION".to_owned(),
    }
}

pub(super) fn just(r: &mut Reading<'_, '_, '_>) -> Flow {
    if r.parsed.dry || r.parsed.has(&["-l", "--list", "--summary", "--show", "--dump", "--evaluate"]) {
        return Flow::unknown(Taint::NONE);
    }
    if let Some(at) = r.call.args.iter().position(|arg| matches!(arg.text.as_str(), "-c" | "--command")) {
        let command = r.call.args.get(at + 1..).unwrap_or_default().to_vec();
        return r.run(command);
    }
    let named = r.parsed.value(&["-f", "--justfile"]).cloned();
    named.iter().for_each(|file| looked_into(r.analysis, r.shell, file));
    let usual = ["justfile", ".justfile", "Justfile"].iter().find_map(|name| upward(r, name));
    let file = named.or_else(|| usual.map(|path| Arg::new(path.to_string_lossy(), r.call.span)));
    let mut rules = Rules::default();
    if let Some(text) = file.as_ref().and_then(|file| text_of(r, file)) {
        read_just(&text, &mut rules);
    }
    // Recipes run in the folder of their file.
    let folder = r.parsed.value(&["-d", "--working-directory"]).cloned();
    let beside = file.as_ref().and_then(|file| path_of(r, file)?.parent().map(std::path::Path::to_owned));
    match folder {
        Some(folder) => r.shell.cwd = shell::folder(r.analysis, r.shell, &folder),
        None => r.shell.cwd = beside.or_else(|| r.shell.cwd.clone()),
    }
    let mut names: Vec<String> =
        r.parsed.operands.iter().map(|arg| arg.text.clone()).filter(|name| !name.contains('=')).collect();
    task(r, names.first().map_or("", String::as_str));
    if names.is_empty() {
        names.extend(first_target(&rules));
    }
    rules.unread = true;
    doubt_unread(r, &rules);
    follow(r, &rules, names, "justfile");
    Flow::unknown(Taint::NONE)
}

/// Reads the text of a justfile: a recipe's lines are indented, its head has parameters before the colon.
fn read_just(text: &str, rules: &mut Rules) {
    for line in text.replace("\\\n", " ").lines() {
        if line.starts_with([' ', '\t']) {
            if let Some(rule) = rules.rules.last_mut() {
                // `{{name}}` is replaced as a variable would be.
                rule.recipe.push(line.trim().replace("{{", "$(").replace("}}", ")"));
            }
            continue;
        }
        if let Some((name, value)) = line.split_once(":=") {
            let value = value.trim();
            if let Some(command) = value.strip_prefix('`').and_then(|value| value.strip_suffix('`')) {
                rules.at_once.push(command.to_owned());
            }
            rules.variables.push((
                name.trim().trim_start_matches("export ").to_owned(),
                value.trim_matches(['\'', '"']).to_owned(),
            ));
        } else if let Some((head, needs)) = line.split_once(':').filter(|_| !line.starts_with(['#', '['])) {
            let targets = head.split_whitespace().take(1).map(|name| name.trim_start_matches('@').to_owned()).collect();
            let needs = needs.split_whitespace().map(|name| name.trim_matches(['(', ')', '&']).to_owned());
            rules.rules.push(Rule {
                targets,
                needs: needs.filter(|need| !need.is_empty()).collect(),
                recipe: Vec::new(),
            });
        }
    }
}

/// `ninja`: which commands are due depends on times, so each of a file that is named counts.
pub(super) fn ninja(r: &mut Reading<'_, '_, '_>) -> Flow {
    let file = r.parsed.value(&["-f"]).cloned();
    if let Some(folder) = r.parsed.value(&["-C"]).cloned() {
        r.shell.cwd = shell::folder(r.analysis, r.shell, &folder);
    }
    r.act(crate::act::Act::ExecBuild, None);
    file.iter().for_each(|file| looked_into(r.analysis, r.shell, file));
    let text = file.filter(|_| !r.parsed.dry).and_then(|file| text_of(r, &file)).unwrap_or_default();
    let commands = text.lines().filter_map(|line| line.trim().strip_prefix("command")?.trim_start().strip_prefix('='));
    let rules = Rules::default();
    for command in r.analysis.limited(commands, MAX_TARGETS, r.call.span) {
        run_line(r, &rules, "", &Rule::default(), command);
    }
    Flow::unknown(Taint::NONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_variables_and_what_runs_at_once_are_read() {
        let mut rules = Rules::default();
        let text = "OUT = build\nX := $(shell rm -rf (a) b)\n.PHONY: all\nall: clean | dirs\n\t@echo $(OUT)\n\t-rm $@ \\\n\t  more\nclean: ; rm -rf $(OUT)\n";
        read(text, &mut rules);
        assert_eq!(first_target(&rules).as_deref(), Some("all"));
        assert_eq!(rules.at_once, ["rm -rf (a) b"]);
        let all = rules.rules.iter().find(|rule| rule.targets == ["all"]).unwrap();
        assert_eq!(all.needs, ["clean", "dirs"]);
        let lines: Vec<String> = all.recipe.iter().map(|line| expanded(&rules, "all", all, line)).collect();
        assert_eq!(lines, ["@echo build", "-rm all  \t  more"]);
        assert_eq!(rules.rules.last().unwrap().recipe, ["rm -rf $(OUT)"]);
    }

    #[test]
    fn variables_are_replaced_and_those_of_the_shell_stay() {
        let rules = Rules {
            variables: vec![
                ("A".to_owned(), "$(B)/x".to_owned()),
                ("B".to_owned(), "y".to_owned()),
                ("L".to_owned(), "$(L)$(L)".to_owned()),
            ],
            ..Rules::default()
        };
        for (line, expected) in [
            ("rm $(A) ${B}", "rm y/x y"),
            ("for i in 1; do echo $$i; done", "for i in 1; do echo $i; done"),
            ("echo $(NOBODY)", "echo $NOBODY"),
            ("echo $(wildcard *.c)", "echo $MAKE_FUNCTION"),
            ("$(MAKE) -C sub", "make -C sub"),
        ] {
            assert_eq!(expanded(&rules, "", &Rule::default(), line), expected);
        }
        assert!(expanded(&rules, "", &Rule::default(), "$(L)").len() < crate::machine::MAX_SCRIPT);
    }

    #[test]
    fn recipes_of_just_are_read() {
        let mut rules = Rules::default();
        read_just("dir := \"secrets\"\n\ndefault: (clean \"x\")\n\nclean name='y':\n    @rm -rf {{dir}}\n", &mut rules);
        assert_eq!(first_target(&rules).as_deref(), Some("default"));
        assert_eq!(rules.rules[0].needs, ["clean", "\"x\""]);
        assert_eq!(expanded(&rules, "clean", &rules.rules[1], &rules.rules[1].recipe[0]), "@rm -rf secrets");
    }
}
