//! What a busy machine cannot disturb: system calls, page faults and instructions of `hookrail hook`, with a ceiling for each.

use super::hook_command::{BenchFolder, CASES, COUNTED, Case, released};
use super::row;
use super::table::{Limit, Row};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The ceilings, beside the code they are about.
const CEILINGS: &str = "crates/xtask/bench-ceilings.toml";

const HEAD: &str =
    "# What `hookrail hook` may take at most, linked as it is released but without an order of functions.
# Reading the clock is a system call for them: that takes less than the pages of the kernel's own library.
# Renewed by `cargo xtask bench --counts --renew`, checked by `cargo xtask bench --counts`.

";

/// Runs its arguments and tells on stderr how many pages that touched for the first time.
pub(super) const FAULTS: &str = r#"
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char **words) {
    struct rusage usage;
    int status;
    pid_t child = vfork();
    if (child == 0) { execv(words[1], words + 1); _exit(127); }
    wait4(child, &status, 0, &usage);
    fprintf(stderr, "\n%ld\n", usage.ru_minflt);
    return count > 1 ? 0 : 1;
}
"#;

/// What one answer takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Counts {
    pub system_calls: u64,
    pub page_faults: u64,
    pub instructions: u64,
}

impl Counts {
    /// A little more: another processor takes other ways through the C library.
    fn ceiling(self) -> Self {
        let more = |count: u64, percent: u64| count + (count * percent).div_ceil(100);
        Self {
            system_calls: more(self.system_calls, 2),
            page_faults: more(self.page_faults, 8),
            instructions: more(self.instructions, 8),
        }
    }
}

pub(super) fn measure(renew: bool) -> io::Result<Vec<Row>> {
    for tool in ["valgrind", "strace"] {
        if Command::new(tool).arg("--version").output().is_err() {
            return Err(io::Error::other(format!("{tool} is not installed\nhint: apt-get install -y valgrind strace")));
        }
    }
    let ground = BenchFolder::prepare(&released(false)?)?;
    ground.compile("faults", FAULTS)?;
    COUNTED.iter().try_for_each(|case| ground.settle_case(case))?;
    let all = CASES.iter().chain(COUNTED);
    let counted: BTreeMap<&str, Counts> =
        all.map(|case| Ok((case.name, count(&ground, case)?))).collect::<io::Result<_>>()?;
    let file = Path::new(crate::ROOT).join(CEILINGS);
    if renew {
        let tables = counted.iter().map(|(name, counts)| table(name, counts.ceiling()));
        std::fs::write(&file, std::iter::once(HEAD.to_owned()).chain(tables).collect::<String>())?;
    }
    let ceilings: BTreeMap<String, Counts> =
        toml::from_str(&std::fs::read_to_string(&file)?).map_err(io::Error::other)?;
    Ok(counted.iter().flat_map(|(name, counts)| rows(name, *counts, ceilings.get(*name).copied())).collect())
}

fn table(name: &str, counts: Counts) -> String {
    let Counts { system_calls, page_faults, instructions } = counts;
    format!(
        "[\"{name}\"]\nsystem_calls = {system_calls}\npage_faults = {page_faults}\ninstructions = {instructions}\n\n"
    )
}

/// A case without a ceiling has one of nothing, so that it is not forgotten.
fn rows(name: &str, counts: Counts, ceiling: Option<Counts>) -> [Row; 3] {
    let ceiling = ceiling.unwrap_or(Counts { system_calls: 0, page_faults: 0, instructions: 0 });
    [
        ("system calls", counts.system_calls, ceiling.system_calls),
        ("page faults", counts.page_faults, ceiling.page_faults),
        ("instructions", counts.instructions, ceiling.instructions),
    ]
    .map(|(what, count, ceiling)| {
        row(&format!("hookrail hook, {name}: {what}"), count as f64, "", Some(Limit::Absolute(ceiling as f64)))
    })
}

pub(super) fn count(ground: &BenchFolder, case: &Case) -> io::Result<Counts> {
    Ok(Counts {
        system_calls: fewest(5, || system_calls_once(ground, case))?,
        page_faults: fewest(5, || page_faults_once(ground, case))?,
        instructions: fewest(2, || instructions_once(ground, case))?,
    })
}

/// The fewest of a few runs: a busy machine can only add to them.
fn fewest(runs: usize, once: impl Fn() -> io::Result<u64>) -> io::Result<u64> {
    let counts = (0..runs).map(|_| once()).collect::<io::Result<Vec<u64>>>()?;
    Ok(counts.into_iter().min().unwrap_or_default())
}

/// Those of hookrail. A command that it starts is let go where its program begins: it would take so long under the eyes of strace that
/// a watchdog is started for it.
fn system_calls_once(ground: &BenchFolder, case: &Case) -> io::Result<u64> {
    let report = ground.path("strace");
    let (mut command, binary, arguments) = under(ground, case, "strace", &["-f", "-b", "execve", "-qq", "-o"])?;
    succeed(command.arg(&report).arg(binary).args(arguments))?;
    let calls = |line: &&str| line.contains('(') && !line.contains("resumed>");
    Ok(std::fs::read_to_string(report)?.lines().filter(calls).count() as u64)
}

fn page_faults_once(ground: &BenchFolder, case: &Case) -> io::Result<u64> {
    let program = ground.path("faults").display().to_string();
    let (mut command, binary, arguments) = under(ground, case, &program, &[])?;
    let output = command.arg(binary).args(arguments).stderr(Stdio::piped()).output()?;
    let text = String::from_utf8_lossy(&output.stderr);
    let count = text.lines().next_back().and_then(|line| line.parse().ok());
    count.ok_or_else(|| io::Error::other(format!("page faults cannot be counted: {text}")))
}

fn instructions_once(ground: &BenchFolder, case: &Case) -> io::Result<u64> {
    let report = format!("--callgrind-out-file={}", ground.path("callgrind").display());
    let (mut command, binary, arguments) = under(ground, case, "valgrind", &["--tool=callgrind", &report])?;
    let output = command.arg(binary).args(arguments).stderr(Stdio::piped()).output()?;
    let text = String::from_utf8_lossy(&output.stderr);
    let count = text.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok());
    count.ok_or_else(|| io::Error::other(format!("instructions cannot be counted: {text}")))
}

/// The process of a case under another program: that program, the binary, and its arguments.
fn under(
    ground: &BenchFolder,
    case: &Case,
    program: &str,
    flags: &[&str],
) -> io::Result<(Command, PathBuf, Vec<String>)> {
    let plain = ground.command_of(case)?;
    let mut command = Command::new(program);
    command.args(flags).env_clear().stdin(File::open(ground.case(case)?)?).stdout(Stdio::null()).stderr(Stdio::null());
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let arguments = plain.get_args().map(|argument| argument.to_string_lossy().into_owned()).collect();
    Ok((command, PathBuf::from(plain.get_program()), arguments))
}

fn succeed(command: &mut Command) -> io::Result<()> {
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("{command:?} failed: {status}"))) }
}
