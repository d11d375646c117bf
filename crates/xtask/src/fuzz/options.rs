use super::child::Order;
use super::targets::{SELF_CHECKS, TARGETS, Target};
use crate::TaskError;
use std::path::PathBuf;
use std::time::Duration;

/// What the command line asks for.
pub enum Mode {
    Help,
    Fuzz(Options),
    /// One input, again.
    Once {
        target: &'static Target,
        file: PathBuf,
    },
    /// What this program starts itself for.
    Child(Order),
}

pub struct Options {
    pub time: Duration,
    pub target: Option<&'static str>,
    pub seed: u64,
}

pub fn parse(args: &[String]) -> Result<Mode, TaskError> {
    let mut options = Options { time: Duration::from_secs(60), target: None, seed: 1 };
    let (mut input, mut child) = (None, None);
    let mut rest = args.iter();
    while let Some(flag) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| wrong(&format!("`{flag}` needs a value")));
        match flag.as_str() {
            "--help" | "-h" => return Ok(Mode::Help),
            "--seconds" => options.time = Duration::from_secs(number(flag, value()?)?),
            "--seed" => options.seed = number(flag, value()?)?,
            "--target" => options.target = Some(find(value()?)?.name),
            "--input" => input = Some(PathBuf::from(value()?)),
            "--child" => child = Some(Order::parse(value()?).ok_or_else(|| wrong("`--child` is not for people"))?),
            other if other.starts_with('-') => return Err(wrong(&format!("unknown flag `{other}`"))),
            other => return Err(wrong(&format!("unexpected argument `{other}`"))),
        }
    }
    match (child, input, options.target) {
        (Some(order), _, _) => Ok(Mode::Child(order)),
        (None, Some(file), Some(name)) => Ok(Mode::Once { target: find(name)?, file }),
        (None, Some(_), None) => Err(wrong("`--input` needs `--target`")),
        (None, None, _) => Ok(Mode::Fuzz(options)),
    }
}

pub fn find(name: &str) -> Result<&'static Target, TaskError> {
    let names = || TARGETS.iter().map(|target| target.name).collect::<Vec<_>>().join(", ");
    let unknown = || wrong(&format!("unknown target `{name}`; there are {}", names()));
    TARGETS.iter().chain(SELF_CHECKS).find(|target| target.name == name).ok_or_else(unknown)
}

fn number(flag: &str, text: &str) -> Result<u64, TaskError> {
    text.parse().map_err(|_| wrong(&format!("`{flag}` needs a number, not `{text}`")))
}

fn wrong(message: &str) -> TaskError {
    TaskError::Usage(format!("{message}\nhint: `cargo xtask fuzz --help` explains the task"))
}
