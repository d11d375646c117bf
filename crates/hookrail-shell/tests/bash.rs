//! The parser against a real bash, which runs generated scripts whose programs only note their arguments.
//!
//! The programs are shell functions, `PATH` is empty, and all happens in a temporary folder, so a script can do nothing
//! but note and write files there. A script's output carries its number, whatever process writes it and whenever.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a broken expectation must fail the test")]
#![cfg(unix)]

mod support;

use hookrail_shell::ast::{CommandKind, SimpleCommand};
use hookrail_shell::{Node, parse};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;
use support::generator::{PROGRAMS, script};

const SCRIPTS: usize = 20_000;
const BATCH: usize = 250;

/// Runs every script of a file, each in a subshell. `r` notes its arguments; odd programs fail, so that both branches of
/// conditions are taken; a shell that runs more than 300 programs ends. Newlines are noted as another character, because
/// bash would write what is before and behind one apart, and notes of two processes would mix. `!` notes a script that
/// bash could not read; an `error token` is one of arithmetic, which is looked at when it runs.
const DRIVER: &str = r#"
ulimit -t 20 -f 1024 -n 64
r() {
  local line
  printf -v line '%s\037' "$I" "$@"
  printf '%s\036' "${line//$'\n'/$'\035'}" >&9
  (( ++COUNT > 300 )) && exit
  case $1 in *[13579]) return 1;; esac
}
for (( n = 0; n < PROGRAMS; n++ )); do eval "c$n() { r c$n \"\$@\"; }"; done
I=$FIRST
while IFS= read -r -d '' s <&7; do
  ( exec 7<&-; eval "$s" ) </dev/null >/dev/null 2>err
  while IFS= read -r line; do
    case $line in *'error token'*) ;; *'syntax error'*|*' expected'*|*'unexpected '*) printf '%s\037!\037\036' "$I" >&9; break;; esac
  done <err
  (( I++ ))
done
"#;

/// What bash did with a script.
#[derive(Default)]
struct Run {
    commands: Vec<Vec<String>>,
    invalid: bool,
}

fn run_batch(first: usize, scripts: &[String]) -> BTreeMap<usize, Run> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scripts");
    let joined: String = scripts.iter().map(|script| format!("{script}\0")).collect();
    std::fs::write(&file, joined).unwrap();
    let mut bash = Command::new("/bin/bash")
        .args(["--norc", "--noprofile", "-c", &format!("exec 9>&1 7<'{}' >/dev/null 2>&1; {DRIVER}", file.display())])
        .env_clear()
        .env("PATH", "/nonexistent")
        .env("LC_ALL", "C.UTF-8")
        .env("FIRST", first.to_string())
        .env("PROGRAMS", PROGRAMS.to_string())
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap();
    let mut stdout = bash.stdout.take().unwrap();
    let group = rustix::process::Pid::from_child(&bash);
    let (done, wait) = mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        // Nothing in a script waits for anything; but if one did, it must not hold up the tests for ever.
        if wait.recv_timeout(Duration::from_secs(120)) == Err(mpsc::RecvTimeoutError::Timeout) {
            _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    });
    let mut notes = Vec::new();
    stdout.read_to_end(&mut notes).unwrap();
    bash.wait().unwrap();
    _ = done.send(());
    watch.join().unwrap();
    read_notes(&notes)
}

fn read_notes(notes: &[u8]) -> BTreeMap<usize, Run> {
    let mut runs: BTreeMap<usize, Run> = BTreeMap::new();
    let text = String::from_utf8_lossy(notes);
    for note in text.split_terminator('\u{1e}') {
        let mut fields = note.split_terminator('\u{1f}').map(|field| field.replace('\u{1d}', "\n"));
        let number = fields.next().unwrap().parse().unwrap();
        let argv: Vec<String> = fields.collect();
        let run = runs.entry(number).or_default();
        if argv == ["!"] {
            run.invalid = true;
        } else {
            run.commands.push(argv);
        }
    }
    runs
}

/// The argument lists of simple commands that are known, and the names of all whose name is.
fn seen(script: &str) -> (BTreeSet<Vec<String>>, BTreeSet<String>, BTreeSet<String>, bool) {
    let tree = parse(script);
    let (mut known, mut names, mut open) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    tree.for_each(|node| {
        let Node::Command(command) = node else { return };
        let CommandKind::Simple(simple) = &command.kind else { return };
        let Some(name) = simple.name() else { return };
        names.insert(name.to_string());
        match literal_arguments(simple) {
            Some(arguments) => _ = known.insert(arguments),
            None => _ = open.insert(name.to_string()),
        }
    });
    (known, names, open, tree.is_fully_read())
}

fn literal_arguments(simple: &SimpleCommand<'_>) -> Option<Vec<String>> {
    simple.words.iter().map(|word| word.literal().map(|text| text.to_string())).collect()
}

/// What the parser got wrong, if it did.
fn difference(script: &str, run: &Run) -> Option<String> {
    let (known, names, open, fully_read) = seen(script);
    if !run.invalid && !fully_read {
        return Some("has an unknown part".to_owned());
    }
    run.commands.iter().find_map(|argv| {
        if !names.contains(&argv[0]) {
            return Some(format!("ran {argv:?}, which was not seen"));
        }
        (!known.contains(argv) && !open.contains(&argv[0])).then(|| format!("ran {argv:?}, which was read otherwise"))
    })
}

#[test]
fn every_command_that_bash_runs_was_seen() {
    let seed = 0x5eed;
    println!("seed {seed:#x}, {SCRIPTS} scripts");
    let batches: Vec<usize> = (0..SCRIPTS).step_by(BATCH).collect();
    let (left, right) = batches.split_at(batches.len() / 2);
    let check = |batches: &[usize]| {
        let mut found = BatchResults::default();
        batches.iter().for_each(|first| found.batch(seed, *first));
        found
    };
    let (one, other) = std::thread::scope(|scope| {
        let one = scope.spawn(|| check(left));
        (check(right), one.join().unwrap())
    });
    let mut differences: Vec<&String> = one.differences.iter().chain(&other.differences).collect();
    differences.sort_by_key(|text| text.len());
    let few: Vec<_> = differences.iter().take(10).map(|text| text.as_str()).collect();
    assert!(differences.is_empty(), "{} differences, such as:\n{}", differences.len(), few.join("\n"));
    let (ran, invalid) = (one.ran + other.ran, one.invalid + other.invalid);
    println!("{ran} commands ran, {invalid} scripts were invalid");
    assert!(ran > SCRIPTS * 2, "only {ran} commands ran");
    assert!(invalid * 100 < SCRIPTS, "{invalid} scripts are invalid");
}

#[derive(Default)]
struct BatchResults {
    differences: Vec<String>,
    ran: usize,
    invalid: usize,
}

impl BatchResults {
    fn batch(&mut self, seed: u64, first: usize) {
        let scripts: Vec<String> = (first..first + BATCH).map(|number| script(seed + number as u64)).collect();
        let mut runs = run_batch(first, &scripts);
        for (offset, script) in scripts.iter().enumerate() {
            let run = runs.remove(&(first + offset)).unwrap_or_default();
            self.ran += run.commands.len();
            self.invalid += usize::from(run.invalid);
            self.differences.extend(
                difference(script, &run)
                    .map(|what| format!("--- script {:#x}: {what}\n{script}", seed + (first + offset) as u64)),
            );
        }
    }
}

/// Scripts of the table on which bash and the parser differ on purpose: bash without `extglob`, zsh's forms, and
/// expansions that bash refuses when it runs them only.
const DIFFERENT: [&str; 13] = [
    "a | ! b",
    "vim =(ls)",
    "ls @(a|b) ?(a) *(b|c) +(d) !(e)",
    "ls !(*.c|@(x|y))",
    "ls @($(a)|b)",
    "ls *(.)",
    "a &| b",
    "[[ a\n&& b ]]",
    "[[ ]]",
    "echo ${}",
    "echo ${x y}",
    "echo ${(f)x}",
    "echo ${${x}}",
];

#[test]
fn bash_accepts_what_the_parser_reads_and_refuses_what_it_does_not() {
    let mut checked = 0;
    for script in include_str!("scripts.txt").lines().filter_map(|line| line.strip_prefix("$ ")) {
        let script = script.replace('⏎', "\n").replace('⇥', "\t");
        if DIFFERENT.contains(&script.as_str()) {
            continue;
        }
        let bash = Command::new("/bin/bash").args(["--norc", "-n", "-c", &script]).env_clear().output().unwrap();
        let errors = String::from_utf8_lossy(&bash.stderr);
        let accepted = errors.lines().all(|line| line.contains("warning: "));
        assert_eq!(accepted, parse(&script).is_fully_read(), "{script:?}\n{errors}");
        checked += 1;
    }
    assert!(checked > 300, "only {checked} scripts were checked");
}
