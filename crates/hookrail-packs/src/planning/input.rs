//! What stands around every hook of this pack: its switch, development mode and the log.

use super::config::Config;
use super::feature::{Checkout, Feature};
use super::log::DecisionLog;
use hookrail_core::{Event, HookError, Outcome, World, display};
use serde_json::Value;

/// How a hook is called in the log and in the configuration.
#[derive(Clone, Copy, Debug)]
pub(super) struct HookSwitch {
    /// Such as `H01_immutable_guard`.
    pub log_name: &'static str,
    /// The switch in `feature_flags`, besides that of the whole pack.
    pub flag: Option<&'static str>,
}

/// Everything a hook looks at.
pub(super) struct PlanningInput<'a> {
    pub event: &'a Event,
    pub world: &'a dyn World,
    pub config: Config,
    checkout: Result<Checkout, HookError>,
}

/// What a hook found, and how the log calls it.
#[derive(Debug)]
pub(super) struct Finding {
    /// Empty for what is not logged.
    word: &'static str,
    detail: String,
    outcome: Outcome,
}

impl PlanningInput<'_> {
    /// The working tree; an error if git's own files make no sense.
    pub fn checkout(&self) -> Result<&Checkout, HookError> {
        self.checkout.as_ref().map_err(Clone::clone)
    }

    /// The feature that is planned here, if there is one.
    pub fn feature(&self) -> Result<Option<Feature>, HookError> {
        Ok(self.checkout()?.feature(self.world))
    }
}

impl Finding {
    /// The event is none of the hook's business, and not worth a line.
    pub fn nothing() -> Self {
        Self::new("", String::new(), Outcome::silent())
    }

    /// No objection. The agent hears nothing of it: a guard that says allow skips its user's own check (errata X2).
    pub fn allow(detail: impl Into<String>) -> Self {
        Self::new("ALLOW", detail.into(), Outcome::silent())
    }

    /// No objection, but user and model should know this.
    pub fn warn(text: &str) -> Self {
        let text = display::block(text);
        Self::new("ALLOW+WARN", text.clone().into_owned(), Outcome::silent().with_message(&text).with_context(&text))
    }

    /// This call must not happen.
    pub fn deny(reason: &str) -> Self {
        let reason = display::block(reason);
        Self::new("DENY", reason.clone().into_owned(), Outcome::deny(&reason))
    }

    /// This must not end yet. The reason is for the model; the message says the same to the user.
    pub fn block(reason: &str, message: &str) -> Self {
        let (reason, message) = (display::block(reason), display::block(message));
        Self::new("BLOCK", reason.clone().into_owned(), Outcome::deny(&reason).with_message(&message))
    }

    /// Anything else, in the hook's own word.
    pub fn new(word: &'static str, detail: String, outcome: Outcome) -> Self {
        Self { word, detail, outcome }
    }
}

/// Lets a hook look, unless it is disabled or being edited, and logs what it found.
pub(super) fn decide(
    part: &HookSwitch,
    event: &Event,
    world: &dyn World,
    look: impl FnOnce(&PlanningInput<'_>) -> Result<Finding, HookError>,
) -> Result<Outcome, HookError> {
    let checkout = Checkout::of(event, world);
    let here = checkout.clone().unwrap_or_else(|_| Checkout { root: event.cwd.clone(), branch: None });
    let config = match Config::find(&here, world) {
        Ok(config) => config,
        Err(error) => {
            let log = DecisionLog::open(event, &Config::without_file(), &here, world);
            return Err(log_error(part, &log, &error, world));
        }
    };
    if !config.is_on(part.flag) {
        return Ok(Outcome::silent());
    }
    let log = DecisionLog::open(event, &config, &here, world);
    log.write_verbose(part.log_name, "INPUT", || Value::Object(event.to_input()).to_string(), world);
    if let Some(file) = config.dev_mode_file()
        && world.kind(&file)?.is_some()
    {
        log.write(part.log_name, "DEV_SKIP", "Development mode active", world);
        return Ok(Outcome::silent());
    }
    let finding = look(&PlanningInput { event, world, config, checkout })
        .map_err(|error| log_error(part, &log, &error, world))?;
    if !finding.word.is_empty() {
        log.write(part.log_name, finding.word, &finding.detail, world);
    }
    log.write_verbose(part.log_name, "OUTPUT", || output_json(&finding.outcome), world);
    Ok(finding.outcome)
}

fn log_error(part: &HookSwitch, log: &DecisionLog, error: &HookError, world: &dyn World) -> HookError {
    log.write(part.log_name, "ERROR", &format!("{error}. Failing open."), world);
    // Errors name files, and files may have any name.
    error.clone().with_text(display::one_line(error.text()))
}

fn output_json(outcome: &Outcome) -> String {
    outcome.clone().into_output().map(|output| output.to_json()).unwrap_or(Value::Null).to_string()
}
