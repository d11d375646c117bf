use crate::current_project::{CurrentProject, below_home};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::screen::{self, one_line, plural};
use anstream::println;
use hookrail_engine::trust::{RULE, Script, TrustList, TrustedHook, identify, rules_to_trust};
use owo_colors::OwoColorize;
use std::io::{IsTerminal, Write};
use std::path::Path;

/// Let the command hooks of this project run, or see which may
///
/// A project's `hookrail.toml` may bring shell commands. They run only after you said yes to them here; the yes covers the
/// entry and the scripts it runs, and ends when either changes; what changed is shown here. A command that does not tell
/// which scripts it runs is refused. Without a flag this shows what is not trusted yet and asks. Changes the list of trusted hooks in the state directory; `--list`, or `--json` alone, only reads.
#[derive(clap::Args)]
pub struct Trust {
    /// Show every trusted hook of every project, and what waits for a yes here
    #[arg(long, conflicts_with_all = ["revoke", "yes"])]
    list: bool,
    /// Take back the yes: to all hooks of this project, or to the one of this name
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
    revoke: Option<String>,
    /// Say yes without being asked
    #[arg(long)]
    yes: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Everything needed to answer.
struct TrustContext {
    place: CurrentProject,
    list: TrustList,
}

impl Trust {
    pub fn run(&self) -> ExitCode {
        match TrustContext::open().and_then(|context| self.serve(context)) {
            Ok(code) => code,
            Err(message) => screen::fail(message),
        }
    }

    fn serve(&self, mut context: TrustContext) -> Result<ExitCode, CliError> {
        for diagnostic in context.place.settings.diagnostics() {
            screen::warn(diagnostic);
        }
        if let Some(name) = &self.revoke {
            return self.revoke(&mut context, Some(name.as_str()).filter(|name| !name.is_empty()));
        }
        let waiting = context.waiting();
        if self.list || (self.json && !self.yes) {
            self.show(&context, &waiting);
            return Ok(ExitCode::Success);
        }
        self.trust(&mut context, waiting)
    }

    fn revoke(&self, context: &mut TrustContext, name: Option<&str>) -> Result<ExitCode, CliError> {
        let project = context.place.project.display();
        let count =
            context.list.revoke(&context.place.project, name, &context.place.world).map_err(CliError::machine)?;
        if count == 0 {
            let nothing = CliError::usage(format!("nothing to revoke in `{project}`"));
            let own = || context.list.hooks().iter().filter(|hook| hook.project == context.place.project);
            let error = match name {
                Some(name) if own().next().is_some() => {
                    CliError::unknown("approval", name, own().map(|hook| hook.name.as_str()))
                }
                _ => nothing,
            };
            return Err(error.hint("`hookrail trust --list` shows what is approved"));
        }
        if self.json {
            println!("{}", screen::versioned(serde_json::json!({ "revoked": count })));
        } else {
            let verb = if count == 1 { "runs" } else { "run" };
            println!("{count} hook{} of `{project}` no longer {verb}", plural(count));
        }
        Ok(ExitCode::Success)
    }

    fn trust(&self, context: &mut TrustContext, waiting: Vec<TrustedHook>) -> Result<ExitCode, CliError> {
        let (refused, waiting): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|hook| hook.obstacle.is_some());
        let code = if refused.is_empty() { ExitCode::Success } else { ExitCode::Failed };
        if self.json {
            let added = serde_json::json!({ "added": waiting, "refused": refused });
            context.list.add(waiting, &context.place.world).map_err(CliError::machine)?;
            println!("{}", screen::versioned(added));
            return Ok(code);
        }
        refused.iter().for_each(refuse);
        if waiting.is_empty() && !refused.is_empty() {
            return Ok(code);
        }
        if waiting.is_empty() {
            println!(
                "no command hook of `{}` waits for a yes",
                one_line(&below_home(&context.place.project, &context.place.world))
            );
            return Ok(ExitCode::Success);
        }
        println!(
            "{} with `{}`:",
            what_comes(&waiting),
            one_line(&below_home(&context.place.project, &context.place.world))
        );
        for hook in &waiting {
            print_hook(hook);
            context.print_change(hook);
        }
        if !self.yes && !confirmed()? {
            println!("nothing changed");
            return Ok(ExitCode::Success);
        }
        let count = context.list.add(waiting, &context.place.world).map_err(CliError::machine)?;
        let whose = if count == 1 { "it or its script changes" } else { "they or their scripts change" };
        println!("{count} hook{} trusted, until {whose}", plural(count));
        Ok(code)
    }

    fn show(&self, context: &TrustContext, waiting: &[TrustedHook]) {
        if self.json {
            let shown = serde_json::json!({ "trusted": context.list.hooks(), "waiting": waiting });
            println!("{}", screen::versioned(shown));
            return;
        }
        if context.list.hooks().is_empty() {
            println!("no command hook is trusted");
        }
        for hook in context.list.hooks() {
            println!("{} in {}", "trusted".green(), one_line(&hook.project.to_string_lossy()));
            print_hook(hook);
        }
        for hook in waiting {
            println!("{} in {}", "waits for a yes".yellow(), one_line(&hook.project.to_string_lossy()));
            print_hook(hook);
            context.print_change(hook);
        }
    }
}

impl TrustContext {
    fn open() -> Result<Self, CliError> {
        let place = CurrentProject::here()?;
        let list = TrustList::open(&place.state_root()?, &place.world).map_err(CliError::machine)?;
        Ok(Self { place, list })
    }

    /// How a hook differs from what was approved.
    fn print_change(&self, hook: &TrustedHook) {
        let Some(approved) = self.list.approved(hook) else { return };
        println!("    {}", "not what you trusted:".yellow());
        for line in hook.differences(approved) {
            println!("      {}", one_line(&line));
        }
    }

    /// Hooks of this project that are not approved.
    fn waiting(&self) -> Vec<TrustedHook> {
        let commands = self.place.settings.commands();
        let doubtful = commands.iter().filter(|hook| hook.layer.comes_with_project());
        doubtful
            .map(|hook| identify(hook, &self.place.project, &self.place.world))
            .chain(rules_to_trust(&self.place.settings, &self.place.project, &self.place.world))
            .filter(|hook| !self.list.trusts(hook))
            .collect()
    }
}

/// What a yes is asked for.
fn what_comes(waiting: &[TrustedHook]) -> &'static str {
    let rules = waiting.iter().filter(|hook| hook.event == RULE).count();
    match waiting.len() - rules {
        0 => "these rules that allow come",
        _ if rules == 0 => "these command hooks come",
        _ => "these command hooks and rules that allow come",
    }
}

fn refuse(hook: &TrustedHook) {
    let why = one_line(hook.obstacle.as_deref().unwrap_or_default());
    screen::warn(format!(
        "command hook `{}` cannot be trusted: {why}\n\
         hint: put what it does into a script of the project and name that, as in `sh hooks/check.sh`",
        one_line(&hook.name)
    ));
}

fn confirmed() -> Result<bool, CliError> {
    if !std::io::stdin().is_terminal() {
        return Err(CliError::person("cannot ask for approval: stdin is not a terminal")
            .hint("look at the hooks above, then run `hookrail trust --yes`"));
    }
    eprintln_prompt("let them run? [y/N] ");
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).map_err(CliError::machine)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn eprintln_prompt(text: &str) {
    let mut stderr = anstream::stderr();
    // A prompt that cannot be seen is answered with an empty line, which means no.
    let _ = write!(stderr, "{text}").and_then(|()| stderr.flush());
}

fn print_hook(hook: &TrustedHook) {
    if hook.event == RULE {
        return println!("  {}: {}", one_line(&hook.name).bold(), one_line(&hook.command).cyan());
    }
    println!("  {} on {}: {}", one_line(&hook.name).bold(), one_line(&hook.event), one_line(&hook.command).cyan());
    let shown = |script: &Script| one_line(&relative(&script.path, &hook.project).to_string_lossy());
    let (missing, present): (Vec<_>, Vec<_>) = hook.scripts.iter().partition(|script| script.hash.is_empty());
    for script in present {
        println!("    runs {}", shown(script));
    }
    // The names of modules that are not there count as well, and tell a person nothing.
    let is_named = |name: &std::ffi::OsStr| hook.command.contains(&*name.to_string_lossy());
    for script in missing.into_iter().filter(|script| script.path.file_name().is_some_and(is_named)) {
        println!("    runs {} (which is not there)", shown(script));
    }
}

fn relative<'a>(path: &'a Path, project: &Path) -> &'a Path {
    path.strip_prefix(project).unwrap_or(path)
}
