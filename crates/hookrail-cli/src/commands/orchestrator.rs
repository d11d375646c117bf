//! `hookrail orchestrator`: the state file of a team's implementation, from before the team exists until it is gone.

use crate::current_project::below_home;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::screen;
use anstream::{eprintln, println};
use hookrail_core::World;
use hookrail_core::display::{one_line, quoted};
use hookrail_engine::{RealWorld, timestamp};
use hookrail_packs::orchestrator::{ActivePlan, Config, OrchestratorState, Plan, Project, begin, end, find_state};
use owo_colors::OwoColorize;
use serde_json::{Value, json};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

/// Say which plan a team of agents implements, so that the hooks of pack `orchestrator` know
///
/// `begin` writes a state file in the project, `end` removes it, `status` only reads.
#[derive(clap::Args)]
pub struct Orchestrator {
    #[command(subcommand)]
    command: OrchestratorCommand,
}

#[derive(clap::Subcommand)]
enum OrchestratorCommand {
    Begin(Begin),
    Status(Status),
    End(End),
}

/// Write the state file, before the team is created
///
/// With a COMMAND, which creates the team, the state is there while it runs and is removed again if it fails. If another
/// team is at work, nothing is changed and the exit code is 1. Warns if no task can be read in the plan or no hook is
/// enabled. Writes the state file in the project, and runs COMMAND.
#[derive(clap::Args)]
struct Begin {
    /// The plan document, inside of the project
    #[arg(long, value_name = "FILE")]
    plan: PathBuf,
    /// The team's name
    #[arg(long)]
    team: String,
    /// A short name of the plan; made from the file's name if not given
    #[arg(long)]
    slug: Option<String>,
    /// A worktree: `service=path`, or a path alone if there is one for everything (repeats)
    #[arg(long = "worktree", value_name = "[SERVICE=]PATH")]
    worktrees: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Creates the team
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// Print the active plan and how far it is
///
/// Only reads.
#[derive(clap::Args)]
struct Status {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Remove the state file, after the team is gone
///
/// Fine if there is none. Removes the state file of the project and nothing else.
#[derive(clap::Args)]
struct End {
    /// Only if this team is the active one
    #[arg(long)]
    team: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Orchestrator {
    pub fn run(&self) -> ExitCode {
        let context = TeamContext::open();
        let done = context.and_then(|context| match &self.command {
            OrchestratorCommand::Begin(begin) => begin.run(&context),
            OrchestratorCommand::Status(status) => status.run(&context),
            OrchestratorCommand::End(end) => end.run(&context),
        });
        done.map_or_else(screen::fail, |()| ExitCode::Success)
    }
}

/// Where the command was started, and the project around it.
struct TeamContext {
    world: RealWorld,
    here: PathBuf,
    project: Project,
}

impl TeamContext {
    #[expect(clippy::disallowed_methods, reason = "a command of a person works where the person is")]
    fn open() -> Result<Self, CliError> {
        let here = std::env::current_dir()
            .map_err(|error| CliError::machine(format!("cannot find the working directory: {error}")))?;
        let world = RealWorld::default();
        let project = Project::around(&here, &world).map_err(CliError::machine)?;
        Ok(Self { world, here, project })
    }
}

impl Begin {
    fn run(&self, context: &TeamContext) -> Result<(), CliError> {
        let state = self.state(context)?;
        let path = begin(&context.project, &state, &context.world).map_err(CliError::machine)?;
        if let Err(why) = self.create_team() {
            // Only our own: another one may have been begun meanwhile.
            let ours = find_state(&context.project, &context.world)
                .is_ok_and(|found| found.is_some_and(|(_, now)| now == state));
            if ours {
                end(&context.project, Some(&state.team), &context.world)
                    .map_err(|error| CliError::machine(format!("{why}; {error}")))?;
            }
            return Err(CliError::usage(format!("{why}; the state was removed again")));
        }
        let warnings = warnings(context);
        if self.json {
            println!("{}", screen::versioned(json!({ "file": path, "state": state.to_json(), "warnings": warnings })));
            return Ok(());
        }
        let (team, plan) = (quoted(&state.team), quoted(&state.active_plan));
        println!("{} team {team} works on {plan}", "ok:".green().bold());
        for warning in warnings {
            eprintln!("{} {warning}", "warning:".yellow().bold());
        }
        Ok(())
    }

    fn state(&self, context: &TeamContext) -> Result<OrchestratorState, CliError> {
        let mut parts = Path::new(&self.team).components();
        if !matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None))
            || self.team.contains(['/', '\\'])
        {
            return Err(CliError::usage(format!(
                "{} cannot be a team name: it becomes part of a file name",
                quoted(&self.team)
            )));
        }
        let worktrees = self.worktrees.iter().map(|text| worktree(text, context)).collect::<Result<_, _>>()?;
        Ok(OrchestratorState {
            active_plan: plan(&self.plan, context)?,
            slug: self.slug.clone().unwrap_or_else(|| slug(&self.plan)),
            team: self.team.clone(),
            started: timestamp(),
            worktrees,
        })
    }

    fn create_team(&self) -> Result<(), CliError> {
        let Some((program, args)) = self.command.split_first() else { return Ok(()) };
        let mut command = Command::new(program);
        command.args(args);
        if self.json {
            // Our stdout is for JSON.
            command.stdout(Stdio::from(io::stderr()));
        }
        match command.status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(CliError::usage(format!("{} failed: {status}", quoted(program)))),
            Err(error) => Err(CliError::usage(format!("cannot run {}: {error}", quoted(program)))),
        }
    }
}

/// Why the hooks will have nothing to say about a plan that begins: no task that can be read, nothing enabled.
fn warnings(context: &TeamContext) -> Vec<String> {
    let active = ActivePlan::of(context.project.clone(), &context.world).ok().flatten();
    let plan = active.and_then(|active| active.plan?.problem());
    let config =
        Config::of(&context.project, &context.world).map_or_else(|error| vec![error.to_string()], |it| it.problems());
    plan.into_iter().chain(config).collect()
}

/// The plan's path as the state file has it: relative to the project.
fn plan(path: &Path, context: &TeamContext) -> Result<String, CliError> {
    let real = context
        .here
        .join(path)
        .canonicalize()
        .map_err(|error| CliError::machine(format!("cannot read {}: {error}", shown(path))))?;
    if !real.is_file() {
        return Err(CliError::usage(format!("{} is not a file", shown(path))));
    }
    let relative = context.project.roots().into_iter().find_map(|root| {
        let root = context.world.resolve(root);
        Some(real.strip_prefix(root).ok()?.to_owned())
    });
    let relative = relative.ok_or_else(|| {
        CliError::usage(format!("{} is outside of the project {}", shown(path), shown(&context.project.root)))
    })?;
    relative.to_str().map(str::to_owned).ok_or_else(|| CliError::usage(format!("{} is not text", shown(path))))
}

fn shown(path: &Path) -> String {
    quoted(&below_home(path, &RealWorld::default()))
}

/// A name made from the plan's: without the date in front and the word for its kind behind.
fn slug(plan: &Path) -> String {
    let stem = plan.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let dated = stem.char_indices().nth(11).filter(|_| {
        let date = stem.bytes().take(11).enumerate();
        date.into_iter()
            .all(|(index, byte)| if matches!(index, 4 | 7 | 10) { byte == b'-' } else { byte.is_ascii_digit() })
    });
    let name = dated.and_then(|(at, _)| stem.get(at..)).unwrap_or(&stem);
    ["-design", "-plan"].iter().find_map(|kind| name.strip_suffix(kind)).unwrap_or(name).to_owned()
}

fn worktree(text: &str, context: &TeamContext) -> Result<(String, PathBuf), CliError> {
    let (service, path) = text.split_once('=').unwrap_or(("_all", text));
    let real = context.here.join(path).canonicalize().ok().filter(|path| path.is_dir());
    let real = real.ok_or_else(|| CliError::usage(format!("worktree {} is not a folder", quoted(path))))?;
    if service.is_empty() {
        return Err(
            CliError::usage(format!("{} names no service", quoted(text))).hint("write `service=path`, or a path alone")
        );
    }
    Ok((service.to_owned(), real))
}

impl Status {
    fn run(&self, context: &TeamContext) -> Result<(), CliError> {
        let found = find_state(&context.project, &context.world).map_err(CliError::machine)?;
        let active = ActivePlan::of(context.project.clone(), &context.world).map_err(CliError::machine)?;
        let plan = active.as_ref().and_then(|active| active.plan.as_ref());
        if self.json {
            let tasks = plan.map(|plan| {
                let tasks = &plan.tasks;
                json!({
                    "total": tasks.total(),
                    "complete": tasks.complete,
                    "in_progress": tasks.in_progress,
                    "pending": tasks.pending,
                    "blocked": tasks.blocked,
                    "escalated": tasks.escalated,
                })
            });
            let title = active.as_ref().and_then(|active| Some(active.plan.as_ref()?.name(&active.path)));
            let (file, state) =
                found.map_or((Value::Null, Value::Null), |(file, state)| (json!(file), state.to_json()));
            let problem = plan.and_then(Plan::problem);
            let status = json!({ "file": file, "state": state, "title": title, "tasks": tasks, "problem": problem });
            println!("{}", screen::versioned(status));
            return Ok(());
        }
        match (found, active.as_ref().and_then(ActivePlan::summary)) {
            (None, _) => println!("no plan is active"),
            (Some((_, state)), Some(summary)) => println!("{summary} Started: {}.", one_line(&state.started)),
            (Some((_, state)), None) => {
                println!("team {} works on {}, which cannot be read", quoted(&state.team), quoted(&state.active_plan));
            }
        }
        Ok(())
    }
}

impl End {
    fn run(&self, context: &TeamContext) -> Result<(), CliError> {
        let removed = end(&context.project, self.team.as_deref(), &context.world).map_err(CliError::machine)?;
        if self.json {
            println!("{}", screen::versioned(json!({ "removed": removed })));
        } else if removed.is_empty() {
            println!("no plan is active");
        } else {
            for path in removed {
                println!("{} removed {}", "ok:".green().bold(), shown(&path));
            }
        }
        Ok(())
    }
}
