//! Does the agent on this machine do what hooks say? Asked of the agent itself.
//!
//! ```text
//! surface ─→ scripted model ←HTTP→ the agent (a process) ─→ `hookrail hook` ─→ the canary's hook ─→ mark
//!                └────────────────────── trial: files, marks, what the model was told ─→ Finding
//! ```

mod canary;
mod mcp_server;
mod outcome;
mod process;
mod report;
mod sandbox;
mod trial;

pub use outcome::{Finding, Memory, Verified};

use crate::commands::doctor::{find_programs, version_told_by};
use crate::current_project::{CurrentProject, now_millis};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::hook::args::find_agent;
use crate::interrupt::Interrupt;
use crate::screen::{self, Progress};
use anstream::eprintln;
use hookrail_dialects::{Agent, Headless, Surface};
use outcome::{Fingerprint, SurfaceOutcome};
use sandbox::Sandbox;
use serde_json::json;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use trial::{Trial, Tried};

/// Prove on the agent you have that it does what hooks say.
///
/// Runs the installed agent against a scripted model on loopback, in a throw-away home into which `hookrail install` puts
/// hookrail, once for each surface: shell, write, edit, patch, mcp, sub-agent, prompt-context, rewrite, stop, ask. Neither your
/// settings nor your credentials are read, and nothing is asked of any service.
///
/// Exits with 3 if a surface is ignored or could not be tried. Keeps the result in the state directory, where `hookrail doctor`
/// finds it; changes nothing else.
#[derive(clap::Args)]
pub struct Verify {
    /// The agent, such as claude, gemini or codex; all that are found in PATH if there is none
    #[arg(value_name = "AGENT")]
    agents: Vec<String>,
    /// Only this surface (repeats)
    #[arg(long = "surface", value_name = "SURFACE", value_parser = parse_surface)]
    surfaces: Vec<Surface>,
    /// How long one surface may take, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    /// Leave the throw-away homes where they are, and say where
    #[arg(long)]
    keep: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// The canary's hook and the MCP server, for the agents under test
    #[arg(last = true, hide = true)]
    role: Vec<OsString>,
}

fn parse_surface(word: &str) -> Result<Surface, CliError> {
    let found = Surface::ALL.into_iter().find(|surface| surface.as_str() == word);
    found.ok_or_else(|| CliError::unknown("surface", word, Surface::ALL.map(Surface::as_str)))
}

/// How long an agent may take to tell its version: without one nothing is proven.
const VERSION_PATIENCE: Duration = Duration::from_secs(30);

/// An agent that can be tried.
struct Candidate {
    agent: &'static Agent,
    headless: &'static Headless,
    program: PathBuf,
}

/// Why a run did not come to its end.
enum Break {
    Interrupted,
    Trouble(CliError),
}

impl Verify {
    pub fn run(&self) -> ExitCode {
        if !self.role.is_empty() {
            return play_role(&self.role);
        }
        match self.verify() {
            Ok(code) => code,
            Err(Break::Interrupted) => {
                screen::fail(CliError::usage("interrupted; the agent was ended and the temporary home removed"))
            }
            Err(Break::Trouble(why)) => screen::fail(why),
        }
    }

    fn verify(&self) -> Result<ExitCode, Break> {
        let place = CurrentProject::here().map_err(Break::Trouble)?;
        let candidates = self.candidates(&place).map_err(Break::Trouble)?;
        let interrupt = Interrupt::listen();
        let mut results = Vec::new();
        for candidate in candidates {
            let verified = self.verify_agent(&candidate, &interrupt)?;
            if let Err(why) = Memory::keep(&place, verified.clone()) {
                screen::warn(format!("the result is not kept: {why}"));
            }
            if !self.json {
                let mut out = anstream::stdout();
                // A closed stdout does not undo the work.
                report::write(&verified, &mut out).and_then(|()| out.flush()).unwrap_or_default();
            }
            results.push(verified);
        }
        if self.json {
            anstream::println!("{:#}", screen::versioned(json!({ "agents": results })));
        }
        let failed = |verified: &Verified| {
            !verified.with(Finding::Ignored).is_empty() || !verified.with(Finding::Untested).is_empty()
        };
        Ok(if results.iter().any(failed) { ExitCode::Failed } else { ExitCode::Success })
    }

    /// The agents that were named, each of which must be there; otherwise all that are.
    fn candidates(&self, place: &CurrentProject) -> Result<Vec<Candidate>, CliError> {
        let find = |agent: &'static Agent| find_programs(agent.program, &place.world).into_iter().next();
        if self.agents.is_empty() {
            let all = hookrail_dialects::agents().filter(|agent| !agent.program.is_empty());
            let found: Vec<Candidate> = all
                .filter_map(|agent| Some(Candidate { agent, headless: agent.headless.ok()?, program: find(agent)? }))
                .collect();
            return match found.is_empty() {
                false => Ok(found),
                true => Err(CliError::machine("PATH has no agent that can be run without a person")
                    .hint("run this command from the shell you start your agent from")),
            };
        }
        let mut candidates: Vec<Candidate> = Vec::new();
        for name in &self.agents {
            let agent = find_agent(name)?.agent();
            let cannot = |why| CliError::usage(format!("{} cannot be verified: {why}", agent.title));
            let headless = agent.headless.map_err(cannot)?;
            let program = find(agent).ok_or_else(|| {
                CliError::usage(format!(
                    "{} is not installed: there is no program `{}` in PATH",
                    agent.title, agent.program
                ))
            })?;
            if !candidates.iter().any(|known| known.agent.name == agent.name) {
                candidates.push(Candidate { agent, headless, program });
            }
        }
        Ok(candidates)
    }

    fn verify_agent(&self, candidate: &Candidate, interrupt: &Interrupt) -> Result<Verified, Break> {
        let Candidate { agent, headless, program } = candidate;
        let surfaces = Surface::ALL.into_iter().filter(|it| self.surfaces.is_empty() || self.surfaces.contains(it));
        let surfaces: Vec<Surface> = surfaces.collect();
        let version = version_in_sandbox(program).map_err(Break::Trouble)?;
        let title = match &version {
            Some(version) => format!("{} {version}", agent.title),
            None => agent.title.to_owned(),
        };
        let progress = Progress::new(&format!("verifying {title}"), surfaces.len() as u64);
        let mut outcomes = Vec::new();
        for surface in surfaces {
            progress.say(&format!("verifying {title}: {}", surface.as_str()));
            let limit = Duration::from_secs(self.timeout);
            let trial = Trial { agent, headless, program, surface, limit };
            let outcome = self.try_surface(&trial, interrupt)?;
            progress.advance(1);
            if !io::stderr().is_terminal() {
                eprintln!("{}", report::progress(&title, &outcome));
            }
            outcomes.push(outcome);
        }
        Ok(Verified {
            agent: agent.name.to_owned(),
            title: agent.title.to_owned(),
            program: program.clone(),
            version,
            file: Fingerprint::of(program),
            hookrail: env!("CARGO_PKG_VERSION").to_owned(),
            since: now_millis(),
            surfaces: outcomes,
        })
    }

    fn try_surface(&self, trial: &Trial<'_>, interrupt: &Interrupt) -> Result<SurfaceOutcome, Break> {
        let begun = Instant::now();
        let sandbox = Sandbox::new().map_err(Break::Trouble)?;
        let tried = trial.play(&sandbox, interrupt);
        // What keeps one surface from being tried may not keep the next.
        let tried = tried.unwrap_or_else(|why| Tried::Found(Finding::Untested, Some(why.to_string())));
        let surface = trial.surface.as_str().to_owned();
        let Tried::Found(result, note) = tried else { return Err(Break::Interrupted) };
        if self.keep && result != Finding::Absent {
            screen::note(format!("{} {surface}: {}", trial.agent.name, sandbox.keep().display()));
        }
        let milliseconds = if result == Finding::Absent { 0 } else { begun.elapsed().as_millis() };
        Ok(SurfaceOutcome { surface, result, note, milliseconds: u64::try_from(milliseconds).unwrap_or(u64::MAX) })
    }
}

/// Asked in a sandbox as well: programs read their settings before they say their version.
fn version_in_sandbox(program: &Path) -> Result<Option<String>, CliError> {
    let sandbox = Sandbox::new()?;
    Ok(version_told_by(program, sandbox.command(program), VERSION_PATIENCE))
}

/// The hidden end of `hookrail verify -- …`: what runs inside of an agent under test.
fn play_role(words: &[OsString]) -> ExitCode {
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let played = match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["mcp-server"] => mcp_server::serve(io::stdin().lock(), io::stdout().lock()).map_err(CliError::machine),
        ["hook", surface, marks] => parse_surface(surface).and_then(|surface| be_hook(surface, Path::new(marks))),
        _ => Err(CliError::usage("this is for agents under test")),
    };
    played.map_or_else(screen::fail, |()| ExitCode::Success)
}

fn be_hook(surface: Surface, marks: &Path) -> Result<(), CliError> {
    let mut input = Vec::new();
    io::stdin().read_to_end(&mut input).map_err(CliError::machine)?;
    let event = crate::hook::read_event(&input).map_err(CliError::machine)?;
    match canary::answer(surface, &event, marks) {
        Some(answer) => writeln!(io::stdout(), "{answer}").map_err(CliError::machine),
        None => Ok(()),
    }
}
