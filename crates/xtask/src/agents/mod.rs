//! `cargo xtask agents`: hookrail under the real agents, driven by a scripted model on loopback.

mod client;
mod managed;
mod program;
mod results;
mod rules;
mod scenario;
mod transcripts;
mod walk;
mod walks;

use crate::{Outcome, TaskError};
use client::{Client, clients};
use results::Report;
pub(crate) use results::{Proof, Results, SurfaceResult};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const HELP: &str = "usage: cargo xtask agents [AGENT]… [--llxprt CHECKOUT]
       cargo xtask agents --quick
       cargo xtask agents --walk PACK
       cargo xtask agents [AGENT]… --managed
       cargo xtask agents [AGENT]… --transcripts [--keep]

Installs the real agents (pinned versions from npm and PyPI, into target/agents) and has `hookrail verify` try every surface of
each; then has rules deny, ask and allow on Claude Code, Gemini CLI and Codex, and the agents judge the plugins and extensions
that are made for them. Notes what was found in
spec/agents-proven.json, from which the tables in README and book are made; fails if a surface is ignored that another
run has proven, or could not be tried. All agents take a quarter of an hour, and more the first time.

With `--llxprt` LLxprt Code, which is in no registry, is run from a checkout in which `bun install` was done.

With `--quick` Claude Code, Gemini CLI and Codex are tried and compared with the file, which stays as it is; where an agent
cannot be installed, because a registry is not reachable for instance, that is said and nothing fails.

With `--walk` Claude Code goes through the workflow of one pack (isdlc, orchestrator, planning, fsm) as the pack's page says, from an empty
project to its end.

With `--managed` entries of `hookrail install --scope managed` are put into Claude Code, Gemini CLI and Codex, and everything that
their settings offer is tried to get rid of them. It takes root, and a machine that lets a file system be mounted; elsewhere that is said.

With `--transcripts` Claude Code, Codex, Gemini CLI and opencode work through scripted sessions, some of them on a terminal on which calls are
approved and refused; what they leave on the disk becomes the fixtures of `hookrail backtest`. `--keep` leaves the throw-away home.";

/// Agents of the quick run.
const QUICK: [&str; 3] = ["claude", "gemini", "codex"];

/// What the command line asks for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Request {
    agents: Vec<String>,
    llxprt: Option<PathBuf>,
    quick: bool,
    walk: Option<String>,
    transcripts: bool,
    managed: bool,
    keep: bool,
    help: bool,
}

impl Request {
    fn read(args: &[String]) -> Result<Self, TaskError> {
        let mut request = Self::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || {
                let missing =
                    || TaskError::Usage(format!("`{arg}` needs a value\nhint: see `cargo xtask agents --help`"));
                args.next().cloned().ok_or_else(missing)
            };
            match arg.as_str() {
                "--help" | "-h" => request.help = true,
                "--quick" => request.quick = true,
                "--transcripts" => request.transcripts = true,
                "--managed" => request.managed = true,
                "--keep" => request.keep = true,
                "--llxprt" => request.llxprt = Some(PathBuf::from(value()?)),
                "--walk" => request.walk = Some(value()?),
                flag if flag.starts_with('-') => {
                    let message = format!("unknown flag `{flag}`\nhint: see `cargo xtask agents --help`");
                    return Err(TaskError::Usage(message));
                }
                agent => request.agents.push(agent.to_owned()),
            }
        }
        Ok(request)
    }

    /// The agents to try, in the order of the table.
    fn clients(&self) -> Result<Vec<Client>, TaskError> {
        let known: Vec<&str> = clients().map(|client| client.agent.name).collect();
        if let Some(unknown) = self.agents.iter().find(|name| !known.contains(&name.as_str())) {
            let message = format!("no agent `{unknown}` can be run\nhint: these can: {}", known.join(", "));
            return Err(TaskError::Usage(message));
        }
        let asked = |client: &Client| match (self.quick, self.agents.is_empty(), &self.llxprt) {
            (true, ..) => QUICK.contains(&client.agent.name),
            (_, false, _) => self.agents.iter().any(|name| client.agent.name == name),
            (_, true, Some(_)) => client.agent.name == "llxprt",
            (_, true, None) => client.agent.name != "llxprt",
        };
        Ok(clients().filter(asked).collect())
    }
}

pub(crate) fn run(args: &[String], out: &mut dyn Write) -> Result<Outcome, TaskError> {
    let request = Request::read(args)?;
    if request.help {
        writeln!(out, "{HELP}")?;
        return Ok(Outcome::Passed);
    }
    if let Some(pack) = &request.walk {
        return walk(pack, out);
    }
    let clients = request.clients()?;
    if request.transcripts {
        return record_transcripts(&clients, request.keep, out);
    }
    crate::cargo::build_hookrail()?;
    if request.managed {
        return prove_managed(&clients, out);
    }
    let (mut broken, mut skipped) = (0, 0);
    for client in &clients {
        if let Err(why) = provide(client, request.llxprt.as_deref(), out)? {
            writeln!(out, "skipped {}: it cannot be installed; is the registry reachable? {why}", client.agent.name)?;
            skipped += 1;
            continue;
        }
        let known = Results::read()?;
        let known = known.of(client.agent.name);
        let proof = verify_twice(client, known)?;
        broken += prove(client, &proof, known, out)?;
        if !request.quick {
            Results::keep(client.agent.name, proof)?;
        }
    }
    writeln!(out, "agents: {} tried, {skipped} skipped, {broken} promises broken", clients.len() - skipped)?;
    let failed = broken > 0 || (skipped > 0 && !request.quick);
    Ok(if failed { Outcome::Failed } else { Outcome::Passed })
}

/// Makes an agent's program available; the inner error says why it is not.
fn provide(client: &Client, llxprt: Option<&Path>, out: &mut dyn Write) -> std::io::Result<Result<(), String>> {
    match llxprt.filter(|_| client.agent.name == "llxprt") {
        Some(checkout) => program::link_llxprt(client.agent, checkout).map(Ok),
        None => client.install(out),
    }
}

/// Compares what was found about an agent with what is known, and tries what is not a surface; how many promises are broken.
fn prove(client: &Client, proof: &Proof, known: Option<&Proof>, out: &mut dyn Write) -> Result<usize, TaskError> {
    let mut broken = 0;
    for (surface, found) in &proof.surfaces {
        let note = found.note.as_deref().unwrap_or_default();
        let kept = if is_kept(surface, found, known) { Ok(()) } else { Err(note.to_owned()) };
        let promise = format!("{} {}: {surface} is {}; {note}", client.agent.title, proof.version, found.result);
        broken += tell(client, promise.trim_end_matches("; "), &kept, out)?;
    }
    if client.has_plugins() {
        broken += tell(client, scenario::PLUGIN_PROMISE, &scenario::play_plugin(client)?, out)?;
    }
    for (promise, kept) in rules::play_twice(client)? {
        broken += tell(client, promise, &kept, out)?;
    }
    for (pack, verdict) in client.judge_plugins()? {
        broken += tell(client, &format!("the plugin of pack {pack} is valid"), &verdict, out)?;
    }
    Ok(broken)
}

/// Whether an agent does with a surface what it is known to do.
fn is_kept(surface: &str, found: &SurfaceResult, known: Option<&Proof>) -> bool {
    match found.result.as_str() {
        "honoured" | "absent" => true,
        "ignored" => !known.is_some_and(|known| known.honours(surface)),
        _ => false,
    }
}

/// Surfaces that are not as they should be are tried once more: an agent may be too slow on a busy machine.
fn verify_twice(client: &Client, known: Option<&Proof>) -> Result<Proof, TaskError> {
    let mut proof = verify(client, &[])?;
    let broken = proof.surfaces.iter().filter(|(surface, found)| !is_kept(surface, found, known));
    let broken: Vec<String> = broken.map(|(surface, _)| surface.clone()).collect();
    if !broken.is_empty() {
        proof.surfaces.extend(verify(client, &broken)?.surfaces);
    }
    Ok(proof)
}

/// Has `hookrail verify` try some surfaces of an agent, or all: the very program that users have.
fn verify(client: &Client, surfaces: &[String]) -> Result<Proof, TaskError> {
    let programs = client.programs();
    let mut command = Command::new(program::hookrail_folder()?.join("hookrail"));
    command.args(["verify", client.agent.name, "--json", "--timeout", "90"]);
    command.args(surfaces.iter().flat_map(|surface| ["--surface", surface]));
    command.env("PATH", program::search_path(&programs)?);
    command.env("HOOKRAIL_STATE_DIR", Path::new(crate::ROOT).join("target/agents/state"));
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
    let report: Report = serde_json::from_slice(&output.stdout)?;
    let untold = || TaskError::Usage(format!("{} does not tell its version: nothing is proven", client.agent.title));
    report.proof().ok_or_else(untold)
}

/// What settings of users and projects can do about managed entries.
fn prove_managed(clients: &[Client], out: &mut dyn Write) -> Result<Outcome, TaskError> {
    let mut broken = 0;
    for client in clients.iter().filter(|client| QUICK.contains(&client.agent.name)) {
        provide(client, None, out)?.map_err(std::io::Error::other)?;
        let Some(promises) = managed::play(client)? else {
            writeln!(
                out,
                "skipped {}: it takes root, and a machine that lets a file system be mounted",
                client.agent.name
            )?;
            continue;
        };
        for (promise, kept) in promises {
            broken += tell(client, &promise, &kept, out)?;
        }
    }
    writeln!(out, "managed entries: {broken} promises broken")?;
    Ok(if broken == 0 { Outcome::Passed } else { Outcome::Failed })
}

fn record_transcripts(clients: &[Client], keep: bool, out: &mut dyn Write) -> Result<Outcome, TaskError> {
    for client in clients.iter().filter(|client| transcripts::AGENTS.contains(&client.agent.name)) {
        provide(client, None, out)?.map_err(std::io::Error::other)?;
        transcripts::record(client, keep, out)?;
    }
    Ok(Outcome::Passed)
}

fn walk(pack: &str, out: &mut dyn Write) -> Result<Outcome, TaskError> {
    let unknown = || TaskError::Usage(format!("no walk for `{pack}`\nhint: see `cargo xtask agents --help`"));
    let walk = walk::find(pack).ok_or_else(unknown)?;
    let client = clients().find(|client| client.agent.name == "claude").ok_or_else(unknown)?;
    crate::cargo::build_hookrail()?;
    provide(&client, None, out)?.map_err(std::io::Error::other)?;
    let mut broken = 0;
    for (sentence, kept) in walk.take(&client)? {
        broken += tell(&client, sentence, &kept, out)?;
    }
    writeln!(out, "walk: {broken} promises broken")?;
    Ok(if broken == 0 { Outcome::Passed } else { Outcome::Failed })
}

/// Says how a promise was kept, and how many were broken.
fn tell(client: &Client, promise: &str, kept: &Result<(), String>, out: &mut dyn Write) -> std::io::Result<usize> {
    let mark = if kept.is_ok() { "kept  " } else { "BROKEN" };
    writeln!(out, "{mark}  {:9} {promise}", client.agent.name)?;
    if let Err(why) = kept {
        writeln!(out, "    {why}")?;
    }
    out.flush()?;
    Ok(usize::from(kept.is_err()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(line: &str) -> Result<Vec<&'static str>, TaskError> {
        let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Ok(Request::read(&args)?.clients()?.iter().map(|client| client.agent.name).collect())
    }

    #[test]
    fn agents_are_chosen_by_the_command_line() {
        assert_eq!(names("--quick").unwrap(), QUICK.map(|name| hookrail_dialects::agent(name).unwrap().name));
        assert_eq!(names("qwen claude").unwrap(), ["claude", "qwen"]);
        assert_eq!(names("--llxprt /somewhere").unwrap(), ["llxprt"]);
        assert!(!names("").unwrap().contains(&"llxprt"));
        for wrong in ["vscode", "--frobnicate", "--llxprt"] {
            assert!(matches!(names(wrong), Err(TaskError::Usage(_))), "{wrong}");
        }
    }
}
