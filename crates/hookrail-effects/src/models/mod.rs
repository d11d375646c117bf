//! What programs do, as tables.
//!
//! A row is a [`Row`]: the program's name with its subcommands, its usage, and an example that runs as a test. Adding a
//! program is adding a row to the family's file. The usage is a list of tokens:
//!
//! | token | meaning |
//! |---|---|
//! | `-o=R`, `--output=R` | the option takes a value with role `R`; without a role the value does not matter |
//! | `--*=` | every long option takes a value |
//! | `-r+` | the option makes it work on everything below its operands |
//! | `-n?` | the option makes it only say what it would do |
//! | `-h^` | the option makes it work on a link itself, not on what that leads to |
//! | `-i>R` | the option gives the operands another role |
//! | `-f:family.verb` | the option adds an act |
//! | `R`, `R*` | the role of the next operand; with a star, of any number of them |
//! | `family.verb` | what it does, whatever its arguments are |
//! | `\|pass`, `\|mix`, `\|none`, `\|decode`, `\|remote` | what its output is: its input, something made of it, nothing of it, decoded input, something from the network |
//! | `>name` | a file of the working directory that it writes by itself |
//! | `@name` | a reader of its own in this crate, for a program with a grammar of its own |
//! | `=name` | the same as another row |
//!
//! Roles: `r` read, `i` looked at without its content, `e` read into the environment of what is run, `w` written, `d` deleted, `m` moved away, `p` permissions changed,
//! `l` linked to, `W` a folder that operands go into, `R` and `D` read and written with everything below, `c` working directory, `t` target, `h` host,
//! `u` URL that is fetched, `s` URL or host that is sent to, `g` package, `b` branch, `q` SQL, `x` a command with its
//! arguments, `X` a shell text, `_` nothing that matters.

mod agents;
mod apply;
mod archives;
mod build;
mod cloud;
mod containers;
mod coreutils;
mod databases;
mod editors;
mod git_table;
mod infra;
mod network;
mod outputs;
mod packages;
mod readers;
mod system;
mod test_databases;
mod usage;
mod wrappers;

pub(crate) use readers::{Reading, decoding, host_of, is_hookrail, is_loopback, patched_files, send, sql};

use crate::act::Act;
use crate::analysis::{Analysis, Extent};
use crate::effect::{GapReason, Sure};
use crate::flow::{Arg, Flow};
use crate::location::Location;
use crate::object::Object;
use crate::shell::{Invocation, Shell};
use std::path::Path;

/// Whether an option leads to something that is written, by its name.
pub(crate) fn is_output(option: &str) -> bool {
    outputs::is_output(option, false)
}

/// A program or one of its subcommands: name, usage, and an example `command => effects`.
pub(crate) type Row = (&'static str, &'static str, &'static str);

/// Every family.
const FAMILIES: &[&[Row]] = &[
    coreutils::ROWS,
    git_table::ROWS,
    wrappers::ROWS,
    build::ROWS,
    packages::ROWS,
    network::ROWS,
    editors::ROWS,
    archives::ROWS,
    containers::ROWS,
    infra::ROWS,
    cloud::ROWS,
    databases::ROWS,
    system::ROWS,
    agents::ROWS,
];

/// The rows that describe a program, the program's own first, then those of its subcommands as far as the arguments go.
pub(crate) fn rows_of(program: &str, args: &[Arg]) -> Vec<&'static Row> {
    let Some((first, subcommands)) = find(program).and_then(<[Row]>::split_first) else { return Vec::new() };
    if let Some(other) = first.1.strip_prefix('=') {
        return if other == program { vec![first] } else { rows_of(other, args) };
    }
    let mut rows = vec![first];
    if subcommands.is_empty() {
        return rows;
    }
    let mut prefix = program.to_owned();
    let mut at = 0;
    while let Some(operand) = usage::next_operand(&rows, args, &mut at) {
        let Some(row) = find_sub(subcommands, &prefix, &operand.text) else { break };
        rows.push(row);
        prefix.push(' ');
        prefix.push_str(&operand.text);
    }
    rows
}

/// Reports whether rows give an option a value.
#[cfg(test)]
pub(crate) fn option_has_value(rows: &[&'static Row], name: &str) -> bool {
    matches!(usage::option(rows, name), usage::OptionUse::Value(_))
}

/// Reports whether the last row gives every operand the same role.
#[cfg(test)]
pub(crate) fn operands_are_alike(rows: &[&'static Row]) -> bool {
    let tokens = rows.last().into_iter().flat_map(|row| usage::tokens(row));
    let roles: Vec<&str> = tokens.filter(|token| apply::is_role(token)).collect();
    matches!(roles.as_slice(), [] | [_]) && roles.iter().all(|role| role.ends_with('*'))
}

/// A command line for each form of a program that its rows tell apart, for whoever asks what else the program does.
#[must_use]
pub fn known_commands(program: &str) -> Vec<String> {
    let Some(rows) = find(program) else { return Vec::new() };
    let mut commands: Vec<String> = match program {
        "git" => readers::git_commands().map(|command| format!("git {command}")).collect(),
        _ => Vec::new(),
    };
    for (name, usage, example) in rows {
        if let Some(other) = usage.strip_prefix('=').filter(|other| *other != program) {
            let renamed = |command: String| command.replacen(other, program, 1);
            commands.extend(known_commands(other).into_iter().map(renamed));
            continue;
        }
        let (first, last) = name.rsplit_once(' ').unwrap_or(("", name));
        let named = last.split('|').filter(|word| *word != "*").map(|word| format!("{first} {word}").trim().to_owned());
        commands.extend(named);
        commands.extend(example.split_once("=>").map(|(command, _)| command.trim().to_owned()));
    }
    commands
}

/// The row of a program, and behind it those of its subcommands: in every table they follow it.
fn find(program: &str) -> Option<&'static [Row]> {
    let first = usize::from(*program.as_bytes().first()?);
    let range = usize::from(*BY_LETTER.starts.get(first)?)..usize::from(*BY_LETTER.starts.get(first + 1)?);
    let rows = BY_LETTER.programs.get(range)?.iter().find_map(|(family, row)| {
        let rows = FAMILIES.get(usize::from(*family))?.get(usize::from(*row)..)?;
        rows.first().is_some_and(|row| row.0 == program).then_some(rows)
    })?;
    let is_other = |row: &Row| !row.0.strip_prefix(program).is_some_and(|rest| rest.starts_with(' '));
    let end = rows.iter().skip(1).position(is_other).map_or(rows.len(), |others| others + 1);
    rows.get(..end)
}

/// Where the programs with each first letter are, because looking at a thousand names takes longer than all the rest.
struct ByLetter {
    /// The programs with one first letter lie between its number and the next.
    starts: [u16; 257],
    /// Family and row.
    programs: [(u8, u16); PROGRAMS],
}

static BY_LETTER: ByLetter = by_letter();

/// How many rows are of programs, not of subcommands.
const PROGRAMS: usize = by_program(&mut [0; 257], None);

#[expect(clippy::indexing_slicing, reason = "worked out by the compiler")]
const fn by_letter() -> ByLetter {
    let mut starts = [0; 257];
    by_program(&mut starts, None);
    let mut letter = 0;
    while letter < 256 {
        starts[letter + 1] += starts[letter];
        letter += 1;
    }
    let (mut next, mut programs) = (starts, [(0, 0); PROGRAMS]);
    by_program(&mut next, Some(&mut programs));
    ByLetter { starts, programs }
}

/// Counts the programs by first letter, one place behind it, or puts each where the count says.
#[expect(clippy::indexing_slicing, reason = "worked out by the compiler")]
const fn by_program(count: &mut [u16; 257], mut list: Option<&mut [(u8, u16)]>) -> usize {
    let (mut family, mut found) = (0, 0);
    while family < FAMILIES.len() {
        let mut row = 0;
        while row < FAMILIES[family].len() {
            let name = FAMILIES[family][row].0.as_bytes();
            if is_program(name) {
                let letter = name[0] as usize;
                match &mut list {
                    None => count[letter + 1] += 1,
                    Some(list) => {
                        list[count[letter] as usize] = (family as u8, row as u16);
                        count[letter] += 1;
                    }
                }
                found += 1;
            }
            row += 1;
        }
        family += 1;
    }
    found
}

#[expect(clippy::indexing_slicing, reason = "worked out by the compiler")]
const fn is_program(name: &[u8]) -> bool {
    let mut at = 0;
    while at < name.len() {
        if name[at] == b' ' {
            return false;
        }
        at += 1;
    }
    !name.is_empty()
}

/// The row of a subcommand, or the one for all other subcommands.
fn find_sub(subcommands: &'static [Row], prefix: &str, word: &str) -> Option<&'static Row> {
    let mut others = None;
    for row in subcommands {
        let rest = row.0.strip_prefix(prefix).and_then(|rest| rest.strip_prefix(' '));
        let Some(last) = rest.filter(|rest| !rest.contains(' ')) else { continue };
        if last.split('|').any(|name| name == word) {
            return Some(row);
        }
        if last == "*" && others.is_none() {
            others = Some(row);
        }
    }
    others
}

/// Follows a program.
pub(crate) fn run(analysis: &mut Analysis<'_>, shell: &mut Shell<'_>, program: &Arg, call: Invocation) -> Flow {
    let rows = rows_of(&call.program, &call.args);
    crate::weakening::options(analysis, &call);
    if rows.is_empty()
        && let Some(call) = readers::dashed(&call).or_else(|| without_version(&call))
    {
        return run(analysis, shell, program, call);
    }
    if rows.is_empty() {
        return run_unmodelled(analysis, shell, program, &call);
    }
    if only_explains(&call) {
        return Flow::unknown(crate::flow::Taint::NONE);
    }
    if readers::exchanges_hookrail(&call) {
        let target = format!("hookrail exchanged by {}", call.program);
        analysis.add_target(Act::GuardChange, Some(&target), Location::Agent, call.span);
    }
    let (before, tells) = (analysis.effects.list.len(), TELLS.contains(&call.program.as_str()));
    let known = call.clone();
    let mut flow = apply::run(analysis, shell, &rows, call);
    test_databases::note(analysis, &known, before);
    // What is printed by a program that looked at this machine is of this machine.
    let looked = |effect: &crate::Effect| effect.act.only_reads() && effect.act != Act::NetFetch;
    flow.taint.local |= flow.some && (tells || analysis.effects.list.iter().skip(before).any(looked));
    flow
}

/// Programs without effects that tell about this machine.
const TELLS: &[&str] = &[
    "hostname",
    "whoami",
    "id",
    "uname",
    "who",
    "w",
    "last",
    "ps",
    "top",
    "df",
    "du",
    "lsof",
    "ss",
    "netstat",
    "ip",
    "ifconfig",
    "mount",
    "groups",
    "getent",
    "lscpu",
    "lsblk",
    "dmesg",
    "pwd",
    "hostnamectl",
];

/// `python3.12` and `perl5.36` are what their names say without the version.
fn without_version(call: &Invocation) -> Option<Invocation> {
    let name = call.program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let known = name.len() < call.program.len() && !name.is_empty() && !rows_of(name, &[]).is_empty();
    known.then(|| Invocation { program: name.to_owned(), ..call.clone() })
}

/// `--help` and `--version` do nothing else. Behind other arguments they may be the value of an option, or belong to a command
/// that is run: there it is the row that tells.
fn only_explains(call: &Invocation) -> bool {
    let Some(last) = call.args.last() else { return false };
    let alone = call.args.len() <= 3;
    alone
        && (matches!(last.text.as_str(), "--help" | "--version")
            || call.args.len() == 1 && matches!(last.text.as_str(), "-V" | "-version" | "version" | "help"))
        || call.args.first().is_some_and(|arg| {
            arg.text == "--help" || arg.text == "--version" && EXPLAINS_ANYWHERE.contains(&call.program.as_str())
        })
}

/// Programs with a grammar of their own that take `--version` for nothing else, wherever it stands.
pub(crate) const EXPLAINS_ANYWHERE: &[&str] =
    &["sed", "gsed", "gzip", "ln", "mv", "cp", "ed", "awk", "gawk", "make", "gmake", "patch", "tee", "sort"];

/// A program that no row describes: a script of the project, or something that runs, with a gap if it gets paths outside
/// of the project or a shell text.
fn run_unmodelled(analysis: &mut Analysis<'_>, shell: &mut Shell<'_>, program: &Arg, call: &Invocation) -> Flow {
    if program.text.contains('/') {
        return crate::script::file::run(analysis, shell, program, call, crate::shell::Scope::Child);
    }
    let place = place(analysis, shell);
    analysis.add(Act::ExecRun, Object::default(), place, Sure::Certain, call.span);
    if let Some(at) = command_within(&call.args) {
        let (before, rest) = (analysis.effects.list.len(), call.args.get(at..).unwrap_or_default().to_vec());
        analysis.within(&call.program, |analysis| {
            crate::shell::run_args(analysis, shell, rest, call.env.clone(), &call.stdin, call.span)
        });
        for effect in analysis.effects.list.iter_mut().skip(before) {
            effect.sure = Sure::Possible;
        }
        return Flow::unknown(call.taint());
    }
    if call.args.iter().any(|arg| is_suspicious(analysis, shell, arg)) {
        analysis.gap_about(GapReason::UnknownProgram, call.span, &call.args, shell.cwd.as_deref());
    } else {
        analysis.give(&call.program, &call.args, shell.cwd.as_deref());
    }
    Flow::unknown(call.taint())
}

/// Words of command lines that say: what follows is a command.
const RUN_WORDS: &[&str] = &["exec", "run", "shell", "with", "do", "sudo", "command", "cmd", "--", "-c", "-x", "-e"];
/// Programs whose names many tools use for subcommands of their own.
const SUBCOMMANDS: &[&str] = &[
    "install", "test", "link", "sync", "make", "time", "info", "find", "sort", "join", "split", "login", "host", "who",
    "mount", "list", "watch", "open", "diff", "patch", "file", "env", "serve", "task", "version", "start", "stop",
    "next", "pass", "security", "q", "port", "op", "gem", "convert", "identify", "cap", "serve", "stack", "mix", "tap",
    "script", "history", "top", "tree",
];

/// Where, in the arguments of a program that nothing is known of, a command line begins that it probably runs.
fn command_within(args: &[Arg]) -> Option<usize> {
    let is_program = |arg: &Arg| {
        arg.known() && !SUBCOMMANDS.contains(&arg.text.as_str()) && find(crate::shell::base_name(&arg.text)).is_some()
    };
    let mut led = true;
    for (at, arg) in args.iter().enumerate().take(16) {
        if led && is_program(arg) && args.len() > at + 1 {
            return Some(at);
        }
        let option = arg.text.starts_with('-') || arg.text.contains('=');
        led = option || RUN_WORDS.contains(&arg.text.as_str()) || arg.text == "--";
        // A word that leads to nothing is a subcommand or a file, and an option may have it as its value.
        let valued = at > 0 && args.get(at - 1).is_some_and(|before| before.text.starts_with('-'));
        if !led && !valued {
            return args
                .iter()
                .position(|arg| arg.text == "--")
                .map(|mark| mark + 1)
                .filter(|at| args.get(*at).is_some_and(is_program));
        }
        led = true;
    }
    None
}

/// The place of the working directory.
pub(crate) fn place(analysis: &Analysis<'_>, shell: &Shell<'_>) -> Location {
    shell.cwd.as_deref().map_or(Location::Unknown, |cwd| analysis.place_of(cwd))
}

fn is_suspicious(analysis: &Analysis<'_>, shell: &Shell<'_>, arg: &Arg) -> bool {
    let text = arg.text.rsplit_once('=').map_or(arg.text.as_str(), |(_, value)| value);
    if text.starts_with('-') {
        return false;
    }
    let shell_text = text.contains(" | ") || text.contains("&&") || text.contains("; ") || text.contains("$(");
    let path = text.starts_with('/') || text.starts_with("..");
    shell_text
        || path
            && shell.cwd.as_deref().is_some_and(|cwd| {
                let full = crate::paths::joined(cwd, text);
                !matches!(analysis.place_of(&full), Location::Project | Location::Build | Location::Temp)
            })
}

/// Adds an act on every path that an argument names, from a shell's working directory.
pub(crate) fn touch(analysis: &mut Analysis<'_>, shell: &Shell<'_>, act: Act, arg: &Arg, extent: Extent) {
    analysis.touch(act, arg, shell.cwd.as_deref(), extent);
}

/// Reads a file for a purpose of its own: what is in it is not shown.
pub(crate) fn looked_into(analysis: &mut Analysis<'_>, shell: &Shell<'_>, arg: &Arg) {
    let before = analysis.effects.list.len();
    touch(analysis, shell, Act::FsRead, arg, Extent::Single);
    for effect in analysis.effects.list.iter_mut().skip(before) {
        effect.act = Act::FsRead;
    }
}

/// Whether a path leads into the project, a build folder or a temporary one.
#[must_use]
pub(crate) fn is_local(analysis: &Analysis<'_>, path: &Path) -> bool {
    matches!(analysis.place_of(path), Location::Project | Location::Build | Location::Temp)
}

#[cfg(test)]
mod tests;
