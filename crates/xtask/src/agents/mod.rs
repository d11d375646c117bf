//! `cargo xtask agents`: hookrail under the real agents, driven by a scripted model on loopback.

mod client;
mod results;
mod scenario;
mod walk;
mod walks;

use crate::{Outcome, TaskError};
use client::{CLIENTS, Client};
pub(crate) use results::{Proof, Results};
use scenario::{SCENARIOS, Scenario};
use std::io::Write;
use std::process::Command;

const HELP: &str = "usage: cargo xtask agents [claude|gemini|codex|qwen]…
       cargo xtask agents --walk PACK

Installs the real agents (npm, pinned versions, into target/agents), has `hookrail install` put itself into their hooks, and
lets a scripted model on loopback drive them; then has the agents judge the plugins and extensions that are made for them.
Shows for each agent which promises were kept, and notes it in spec/agents-proven.json, from which the compatibility table is made;
fails if one was not. Needs npm and a few minutes the first time; not part of the checks.

With `--walk` Claude Code goes through the workflow of one pack (isdlc, orchestrator, planning, fsm) as the pack's page says, from an empty
project to its end.";

pub(crate) fn run(args: &[String], out: &mut dyn Write) -> Result<Outcome, TaskError> {
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        writeln!(out, "{HELP}")?;
        return Ok(Outcome::Passed);
    }
    if let [flag, pack] = args
        && flag == "--walk"
    {
        return walk(pack, out);
    }
    let clients = choose(args)?;
    build()?;
    let mut broken = 0;
    let mut results = Results::read()?;
    for client in clients {
        client.install(out)?;
        let mut proof = Proof { version: client.version().to_owned(), proven: Vec::new() };
        let able = |scenario: &&Scenario| scenario.proves.is_none_or(|wish| !client.lacks.contains(&wish));
        for scenario in SCENARIOS.iter().filter(|scenario| client.knows(scenario.way)).filter(able) {
            let kept = scenario.play(client)?;
            broken += tell(client, scenario.promise, &kept, out)?;
            let proven = scenario.proves.filter(|_| kept.is_ok());
            proof.proven.extend(proven.map(|(event, wish)| format!("{event}/{wish}")));
        }
        results.put(client.name, proof);
        for (pack, verdict) in client.judge_plugins()? {
            broken += tell(client, &format!("the plugin of pack {pack} is valid"), &verdict, out)?;
        }
    }
    results.write()?;
    writeln!(out, "agents: {broken} promises broken")?;
    Ok(if broken == 0 { Outcome::Passed } else { Outcome::Failed })
}

fn walk(pack: &str, out: &mut dyn Write) -> Result<Outcome, TaskError> {
    let unknown = || TaskError::Usage(format!("no walk for `{pack}`\nhint: see `cargo xtask agents --help`"));
    let walk = walk::find(pack).ok_or_else(unknown)?;
    let client = CLIENTS.iter().find(|client| client.name == "claude").ok_or_else(unknown)?;
    build()?;
    client.install(out)?;
    let mut broken = 0;
    for (sentence, kept) in walk.take(client)? {
        broken += tell(client, sentence, &kept, out)?;
    }
    writeln!(out, "walk: {broken} promises broken")?;
    Ok(if broken == 0 { Outcome::Passed } else { Outcome::Failed })
}

/// Says how a promise was kept, and how many were broken.
fn tell(client: &Client, promise: &str, kept: &Result<(), String>, out: &mut dyn Write) -> std::io::Result<usize> {
    let mark = if kept.is_ok() { "kept  " } else { "BROKEN" };
    writeln!(out, "{mark}  {:7} {promise}", client.name)?;
    if let Err(why) = kept {
        writeln!(out, "    {why}")?;
    }
    out.flush()?;
    Ok(usize::from(kept.is_err()))
}

fn choose(args: &[String]) -> Result<Vec<&'static Client>, TaskError> {
    if args.is_empty() {
        return Ok(CLIENTS.iter().collect());
    }
    let find = |name: &String| {
        CLIENTS
            .iter()
            .find(|client| client.name == name)
            .ok_or_else(|| TaskError::Usage(format!("unknown agent `{name}`\nhint: see `cargo xtask agents --help`")))
    };
    args.iter().map(find).collect()
}

fn build() -> std::io::Result<()> {
    let status = Command::new("cargo")
        .args(["build", "--quiet", "--package", "hookrail-cli"])
        .current_dir(crate::ROOT)
        .status()?;
    if status.success() { Ok(()) } else { Err(std::io::Error::other("hookrail could not be built")) }
}
