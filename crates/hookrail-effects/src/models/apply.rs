//! From a usage and arguments to effects.

use super::usage::{self, Marks, OptionUse, option, single_dash_words, tokens};
use super::{Row, place, readers, touch};
use crate::act::Act;
use crate::analysis::{Analysis, Extent, Names};
use crate::effect::{GivenFor, Sure};
use crate::flow::{Arg, Flow, Taint};
use crate::location::Location;
use crate::object::Object;
use crate::shell::{Invocation, Scope, Shell, run_args, run_text, with_content};
use std::cell::LazyCell;

/// An option as written.
#[derive(Clone, Debug)]
pub(crate) struct GivenOption {
    pub name: String,
    pub meaning: OptionUse,
    pub value: Option<Arg>,
}

/// Arguments, sorted.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    pub options: Vec<GivenOption>,
    pub operands: Vec<Arg>,
    pub recursive: bool,
    pub dry: bool,
    pub on_links: bool,
    /// Kinds of tokens that the usage has.
    pub marks: Marks,
}

impl Parsed {
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|option| names.contains(&option.name.as_str()))
    }

    /// Whether `--help`, or `--version` of a program without subcommands, makes it print a text and do nothing else.
    fn explains(&self, rows: &[&'static Row], call: &Invocation) -> bool {
        let is_plain = !self.marks.has(Marks::READER) || super::EXPLAINS_ANYWHERE.contains(&call.program.as_str());
        let asks = |option: &GivenOption| match option.name.as_str() {
            "--help" => true,
            "--version" => rows.len() == 1,
            _ => false,
        };
        is_plain && self.options.iter().any(|option| option.value.is_none() && asks(option))
    }

    pub(crate) fn value(&self, names: &[&str]) -> Option<&Arg> {
        self.options.iter().rev().find(|option| names.contains(&option.name.as_str()))?.value.as_ref()
    }

    pub(crate) fn values<'a>(&'a self, names: &'a [&'a str]) -> impl Iterator<Item = &'a Arg> + 'a {
        let named = self.options.iter().filter(|option| names.contains(&option.name.as_str()));
        named.filter_map(|option| option.value.as_ref())
    }
}

/// Sorts arguments into options and operands. `skip` operands are subcommands.
fn parse(rows: &[&'static Row], args: &[Arg], skip: usize) -> Parsed {
    let marks = rows.last().map(|row| Marks::of(row)).unwrap_or_default();
    let mut parsed = Parsed { marks, ..Parsed::default() };
    // Everything from the first operand with role `x` on belongs to that command.
    let roles = rows.last().filter(|_| marks.has(Marks::COMMAND)).into_iter().flat_map(|row| tokens(row));
    let before_command =
        roles.filter(|token| is_role(token)).enumerate().find(|(_, role)| *role == "x").map(|(at, _)| at + skip);
    let words = LazyCell::new(|| single_dash_words(rows));
    let mut iter = args.iter().peekable();
    let mut only_operands = false;
    let mut operands = 0;
    while let Some(arg) = iter.next() {
        let text = arg.text.as_str();
        if only_operands || text.len() < 2 || !text.starts_with('-') || arg.hole == Some(0) {
            operands += 1;
            if operands > skip {
                parsed.operands.push(arg.clone());
            }
            if before_command.is_some_and(|count| operands > count) {
                only_operands = true;
            }
            continue;
        }
        if text == "--" {
            only_operands = true;
            continue;
        }
        if text.starts_with("--") || (option_name(text).len() > 2 && *words) {
            long_option(rows, arg, &mut iter, &mut parsed);
        } else {
            short_options(rows, arg, &mut iter, &mut parsed);
        }
    }
    parsed
}

fn option_name(text: &str) -> &str {
    text.split_once('=').map_or(text, |(name, _)| name)
}

type Iter<'a> = std::iter::Peekable<std::slice::Iter<'a, Arg>>;

fn long_option(rows: &[&'static Row], arg: &Arg, rest: &mut Iter<'_>, parsed: &mut Parsed) {
    let name = option_name(&arg.text);
    let meaning = option(rows, name);
    let mut value = (name.len() < arg.text.len()).then(|| arg.after(name.len() + 1));
    if value.is_none() && matches!(meaning, OptionUse::Value(_)) {
        let listed =
            rows.iter().any(|row| tokens(row).any(|token| token.split_once('=').is_some_and(|(n, _)| n == name)));
        if let Some(next) = rest.peek()
            && (listed || !next.text.starts_with('-'))
        {
            value = rest.next().cloned();
        }
    }
    note(parsed, name.to_owned(), meaning, value);
}

fn short_options(rows: &[&'static Row], arg: &Arg, rest: &mut Iter<'_>, parsed: &mut Parsed) {
    let letters = arg.text.get(1..).unwrap_or_default();
    for (at, letter) in letters.char_indices() {
        let name = format!("-{letter}");
        let meaning = option(rows, &name);
        if !matches!(meaning, OptionUse::Value(_)) {
            note(parsed, name, meaning, None);
            continue;
        }
        let behind = 1 + at + letter.len_utf8();
        let value = if behind < arg.text.len() {
            // `-o=x` means `x`; `cut -d=` means `=`.
            let skip = usize::from(arg.text.get(behind..).is_some_and(|rest| rest.starts_with('=') && rest.len() > 1));
            Some(arg.after(behind + skip))
        } else {
            rest.next().cloned()
        };
        note(parsed, name, meaning, value);
        return;
    }
}

fn note(parsed: &mut Parsed, name: String, meaning: OptionUse, value: Option<Arg>) {
    parsed.recursive |= meaning == OptionUse::Recursive;
    parsed.on_links |= meaning == OptionUse::OnLinks;
    // `--dry-run=none` is none.
    let off = value.as_ref().is_some_and(|value| matches!(value.text.as_str(), "none" | "false"));
    parsed.dry |= meaning == OptionUse::DryRun && !off;
    parsed.options.push(GivenOption { name, meaning, value });
}

pub(super) fn is_role(token: &str) -> bool {
    let token = token.as_bytes();
    !matches!(token.first(), Some(b'-' | b'|' | b'@' | b'=' | b'>')) && !token.contains(&b'.')
}

/// The role of each operand: those before a starred role, those behind it, and the starred one for the rest.
fn roles(row: &Row, count: usize, replaced: Option<&'static str>) -> Vec<&'static str> {
    let all: Vec<&'static str> = tokens(row).filter(|token| is_role(token)).collect();
    let star = all.iter().position(|role| role.ends_with('*'));
    // What does not matter still does not with another role for the rest.
    let other = |role: &'static str| if role == "_" { role } else { replaced.unwrap_or(role) };
    let Some(star) = star else { return all.into_iter().take(count).map(other).collect() };
    let behind = all.len() - star - 1;
    let mut found = Vec::with_capacity(count);
    for index in 0..count {
        let role = if index < star {
            all.get(index)
        } else if count - index <= behind && count > star {
            all.get(all.len() - (count - index))
        } else {
            all.get(star)
        };
        found.push(role.map_or("_", |role| other(role.trim_end_matches('*'))));
    }
    found
}

/// What is collected for the acts of a row.
#[derive(Default)]
struct Subjects {
    targets: Vec<String>,
    packages: Vec<Arg>,
    host: Option<Box<str>>,
    url: Option<Box<str>>,
    branch: Option<Box<str>>,
}

/// Follows a program that rows describe.
pub(super) fn run(analysis: &mut Analysis<'_>, shell: &mut Shell<'_>, rows: &[&'static Row], call: Invocation) -> Flow {
    let Some(row) = rows.last() else { return Flow::default() };
    let parsed = parse(rows, &call.args, rows.len() - 1);
    if parsed.explains(rows, &call) {
        return Flow::unknown(Taint::NONE);
    }
    if !parsed.dry {
        super::outputs::give(analysis, shell, rows, &parsed, &call);
    }
    if parsed.marks.has(Marks::READER)
        && let Some(name) = tokens(row).find_map(|token| token.strip_prefix('@'))
    {
        return readers::run(name, analysis, shell, rows, parsed, call);
    }
    run_parsed(analysis, shell, rows, &parsed, &call)
}

/// Follows a program by its usage alone.
pub(crate) fn run_parsed(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'_>,
    rows: &[&'static Row],
    parsed: &Parsed,
    call: &Invocation,
) -> Flow {
    let Some(row) = rows.last() else { return Flow::default() };
    if parsed.dry {
        dry_run(analysis, row, call);
        return Flow::unknown(Taint::NONE);
    }
    let replaced = parsed.options.iter().find_map(|option| match option.meaning {
        OptionUse::Operands(role) => Some(role),
        _ => None,
    });
    let mut uses: Vec<(&'static str, &Arg)> = Vec::new();
    for option in &parsed.options {
        if let (OptionUse::Value(role), Some(value)) = (option.meaning, &option.value) {
            uses.push((role, value));
        }
    }
    let roles = roles(row, parsed.operands.len(), replaced);
    uses.extend(roles.iter().copied().zip(&parsed.operands));

    // Most programs run nothing, and where they are called is where they work.
    if !uses.iter().any(|(role, _)| matches!(*role, "c" | "x" | "X")) {
        let mut subjects = Subjects::default();
        let before = analysis.effects.list.len();
        for (role, arg) in uses {
            apply_role(analysis, shell, role, arg, parsed, &mut subjects);
        }
        let secret = reads_secret(analysis, before);
        acts(analysis, shell, row, parsed, call, &subjects);
        shell.inherit_unchanged();
        return output(analysis, row, call, Flow::default(), secret, parsed, shell);
    }
    let mut subjects = Subjects::default();
    let mut nested = Flow::default();
    let mut inner = shell.clone();
    if let Some((_, folder)) = uses.iter().find(|(role, _)| *role == "c") {
        inner.cwd = crate::shell::folder(analysis, shell, folder);
    }
    let before = analysis.effects.list.len();
    for (index, (role, arg)) in uses.iter().enumerate() {
        match *role {
            "x" => {
                let rest: Vec<Arg> =
                    uses.get(index..).unwrap_or_default().iter().map(|(_, arg)| (*arg).clone()).collect();
                let rest = rest.into_iter().chain(parsed.operands.iter().skip(roles.len()).cloned()).collect();
                nested = analysis.within(&call.program, |analysis| {
                    run_args(analysis, &mut inner, rest, call.env.clone(), &call.stdin, call.span)
                });
                break;
            }
            "X" => {
                nested.append(analysis.within(&call.program, |analysis| {
                    run_text(analysis, &mut inner, &arg.text, Scope::Child, Some(arg.span), &call.stdin)
                }));
            }
            role => apply_role(analysis, &inner, role, arg, parsed, &mut subjects),
        }
    }
    let secret = reads_secret(analysis, before);
    acts(analysis, &inner, row, parsed, call, &subjects);
    shell.inherit(inner);
    output(analysis, row, call, nested, secret, parsed, shell)
}

fn reads_secret(analysis: &Analysis<'_>, before: usize) -> bool {
    analysis.effects.list.iter().skip(before).any(|effect| effect.act == Act::SecretRead)
}

/// A dry run reads what the real one would change.
fn dry_run(analysis: &mut Analysis<'_>, row: &Row, call: &Invocation) {
    for act in usage::acts(row) {
        match act.family() {
            "infra" => analysis.add_target(Act::InfraRead, None, Location::Remote, call.span),
            "db" => analysis.add_target(Act::DbRead, None, Location::Remote, call.span),
            _ => {}
        }
    }
}

fn apply_role(
    analysis: &mut Analysis<'_>,
    shell: &Shell<'_>,
    role: &str,
    arg: &Arg,
    parsed: &Parsed,
    subjects: &mut Subjects,
) {
    let extent = if parsed.recursive { Extent::Below } else { Extent::Single };
    let names = if parsed.on_links { Names::Entry } else { Names::Content };
    match role {
        "r" => {
            touch(analysis, shell, Act::FsRead, arg, extent);
            // `--from-file=name=path`
            if let Some(at) = arg.text.find('=') {
                touch(analysis, shell, Act::FsRead, &arg.after(at + 1), extent);
            }
        }
        "R" => touch(analysis, shell, Act::FsRead, arg, Extent::Below),
        "i" => inspect(analysis, shell, arg),
        "e" => {
            let program = analysis.program.clone();
            analysis.give_for(&program, std::slice::from_ref(arg), shell.cwd.as_deref(), GivenFor::Reading);
        }
        "w" => analysis.touch_as(Act::FsWrite, arg, shell.cwd.as_deref(), extent, names),
        "D" => touch(analysis, shell, Act::FsWrite, arg, Extent::Below),
        "d" => touch(analysis, shell, Act::FsDelete, arg, extent),
        "m" => touch(analysis, shell, Act::FsMove, arg, Extent::Below),
        "p" => analysis.touch_as(Act::FsPermissions, arg, shell.cwd.as_deref(), extent, names),
        "l" => touch(analysis, shell, Act::FsLink, arg, extent),
        "t" => subjects.targets.push(arg.text.clone()),
        "b" => subjects.branch = Some(arg.text.as_str().into()),
        "h" => subjects.host = Some(arg.text.as_str().into()),
        "g" => subjects.packages.push(arg.clone()),
        "u" | "s" => {
            subjects.host = readers::host_of(&arg.text).map(Into::into);
            subjects.url = Some(arg.text.as_str().into());
        }
        "q" => {
            if let Some(act) = readers::sql::classify(&arg.text) {
                analysis.add_target(act, None, Location::Remote, arg.span);
            }
        }
        _ => {}
    }
}

/// Looks at a file without its content: size, name, kind. No secret is read.
pub(crate) fn inspect(analysis: &mut Analysis<'_>, shell: &Shell<'_>, arg: &Arg) {
    let before = analysis.effects.list.len();
    touch(analysis, shell, Act::FsRead, arg, Extent::Single);
    analysis.only_names(before);
}

fn acts(
    analysis: &mut Analysis<'_>,
    shell: &Shell<'_>,
    row: &Row,
    parsed: &Parsed,
    call: &Invocation,
    subjects: &Subjects,
) {
    let own = Some(row).filter(|_| parsed.marks.has(Marks::ACT)).into_iter().flat_map(usage::acts);
    let added = parsed.options.iter().filter_map(|option| match option.meaning {
        OptionUse::Adds(act) => Some(act),
        _ => None,
    });
    let mut all: Vec<Act> = own.chain(added).collect();
    all.dedup();
    for act in all {
        add_act(analysis, shell, act, call, subjects);
    }
}

fn add_act(analysis: &mut Analysis<'_>, shell: &Shell<'_>, act: Act, call: &Invocation, subjects: &Subjects) {
    let at = match act.family() {
        "net" | "infra" | "package" | "db" | "secret" => Location::Remote,
        "host" => Location::System,
        "guard" => Location::Agent,
        _ => place(analysis, shell),
    };
    let named = (!subjects.targets.is_empty()).then(|| subjects.targets.join(" "));
    // A guard that is no file is known by what changes it.
    let target = named.or_else(|| (act == Act::GuardChange).then(|| call.program.clone()));
    let object = Object {
        target: target.map(Into::into),
        host: subjects.host.clone(),
        url: subjects.url.clone(),
        branch: subjects.branch.clone(),
        ..Object::default()
    };
    if matches!(act, Act::NetSend | Act::MessageSend) {
        readers::send_as(analysis, act, &call.taint(), object, call.span);
        return;
    }
    if act.family() == "package" && !subjects.packages.is_empty() {
        for package in &subjects.packages {
            // A registry on this machine is no publication.
            let host = package.text.split_once('/').and_then(|(host, _)| readers::host_of(host));
            let act =
                if act == Act::PackagePublish && host.is_some_and(readers::is_loopback) { Act::NetSend } else { act };
            let object = Object { package: Some(package.text.as_str().into()), ..object.clone() };
            analysis.add(act, object, at, Sure::Certain, package.span);
        }
        return;
    }
    analysis.add(act, object, at, Sure::Certain, call.span);
}

/// What the program prints.
fn output(
    analysis: &Analysis<'_>,
    row: &Row,
    call: &Invocation,
    nested: Flow,
    secret: bool,
    parsed: &Parsed,
    shell: &Shell<'_>,
) -> Flow {
    if nested.some {
        return nested;
    }
    let mut taint = call.taint();
    for operand in &parsed.operands {
        if let Some(flow) = crate::shell::written(shell, operand) {
            taint.add(&flow.taint);
        }
        if let Some(feed) = &operand.feed {
            taint.add(&feed.taint);
        }
    }
    if secret {
        taint.add(&Taint::secret(""));
    }
    let row = Some(row).filter(|_| parsed.marks.has(Marks::OUTPUT));
    match row.and_then(|row| tokens(row).find_map(|token| token.strip_prefix('|'))) {
        Some("none") => Flow::unknown(Taint::NONE),
        Some("secret") => Flow::unknown(Taint::secret("")),
        Some("decode") => Flow {
            origin: origin(call),
            made_of: made_of(parsed, shell),
            ..Flow::unknown(Taint { decoded: true, ..taint })
        },
        Some("remote") => Flow::unknown(Taint { remote: true, ..taint }),
        Some("pass") if parsed.operands.is_empty() => call.stdin.clone(),
        Some("pass") => match parsed.operands.as_slice() {
            [only] => match (crate::shell::written(shell, only), &only.feed) {
                (Some(flow), _) => flow,
                (None, Some(feed)) => (**feed).clone(),
                (None, None) => Flow { taint, ..crate::shell::from_file(analysis, shell, only) },
            },
            // One after the other.
            several if several.len() <= 4 => {
                let mut all = Flow::default();
                for operand in several {
                    all.append(match crate::shell::written(shell, operand) {
                        _ if operand.text == "-" => call.stdin.clone(),
                        Some(flow) => flow,
                        None => with_content(analysis, &crate::shell::from_file(analysis, shell, operand)),
                    });
                }
                Flow { taint, ..all }
            }
            _ => Flow::unknown(taint),
        },
        // A filter keeps what names it gets, mostly.
        _ => Flow {
            names: call.stdin.names.clone(),
            origin: origin(call),
            made_of: made_of(parsed, shell),
            ..Flow::unknown(taint)
        },
    }
}

/// The file that a filter makes something else of.
fn made_of(parsed: &Parsed, shell: &Shell<'_>) -> Option<Box<std::path::Path>> {
    let file = parsed.operands.last().filter(|file| file.known() && file.glob.is_none())?;
    Some(crate::paths::joined(shell.cwd.as_deref()?, &file.text).into_boxed_path())
}

/// The known text that a filter makes something else of.
fn origin(call: &Invocation) -> Option<Box<str>> {
    call.stdin.text.as_deref().map(Into::into).or_else(|| call.stdin.origin.clone())
}
