//! The command line of `hookrail hook`. Read by hand, because this is the hot path: a process per event.

use crate::error::CliError;
use hookrail_dialects::{Agent, Dialect};
pub use hookrail_engine::Selection;
use hookrail_packs::{CATALOGUE, Pack};

/// Every flag with a value. `commands/hook.rs` tells people about them.
const FLAGS: [&str; 4] = ["--agent", "--pack", "--without", "--contract"];

/// In which form to answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contract {
    #[default]
    Agent,
    Spec,
}

impl Contract {
    /// How a process ends that could not do its work. Agents hand stderr to the model at 2.
    pub fn error_code(self) -> i32 {
        match self {
            Self::Agent => 2,
            Self::Spec => 1,
        }
    }
}

/// The pack whose own terms apply: the only one that is named.
pub fn sole_pack(selection: &Selection) -> Option<&'static Pack> {
    match (&selection.hook, selection.packs.as_slice()) {
        (Some(hook), _) => hookrail_packs::hook(hook).map(|(pack, _)| pack),
        (None, [first, rest @ ..]) if rest.iter().all(|pack| pack == first) => hookrail_packs::find(first),
        (None, _) => None,
    }
}

#[derive(Debug, Default)]
pub struct Args {
    pub agent: Option<&'static dyn Dialect>,
    pub selection: Selection,
    pub contract: Contract,
}

/// What came of reading the command line.
#[derive(Debug)]
pub enum Parsed {
    Run(Args),
    Help,
}

pub fn parse(args: impl IntoIterator<Item = String>) -> Result<Parsed, CliError> {
    let mut parsed = Args::default();
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        let (flag, inline) = match arg.split_once('=') {
            Some((flag, value)) if flag.starts_with("--") => (flag.to_owned(), Some(value.to_owned())),
            _ => (arg.clone(), None),
        };
        let mut value = |what: &str| {
            inline.clone().or_else(|| args.next()).ok_or(CliError::usage(format!("`{what}` needs a value")))
        };
        match flag.as_str() {
            "--agent" => parsed.agent = Some(find_agent(&value("--agent")?)?),
            "--pack" => parsed.selection.packs.push(find_pack(&value("--pack")?)?),
            "--without" => parsed.selection.without.push(find_own_entry(&value("--without")?)?),
            "--contract" => parsed.contract = find_contract(&value("--contract")?)?,
            "--help" | "-h" => return Ok(Parsed::Help),
            flag if flag.starts_with('-') => {
                return Err(CliError::unknown("flag", flag, FLAGS));
            }
            hook => {
                if parsed.selection.hook.is_some() {
                    return Err(CliError::usage(format!("only one hook can be named, but `{hook}` is a second one")));
                }
                parsed.selection.hook = Some(find_hook(hook)?);
            }
        }
    }
    Ok(Parsed::Run(parsed))
}

pub fn find_agent(name: &str) -> Result<&'static dyn Dialect, CliError> {
    hookrail_dialects::agent(name)
        .and_then(Agent::dialect)
        .ok_or_else(|| CliError::unknown("agent", name, hookrail_dialects::all().iter().map(|dialect| dialect.name())))
}

pub fn find_pack(name: &str) -> Result<&'static str, CliError> {
    hookrail_packs::find(name)
        .map(|pack| pack.name)
        .ok_or_else(|| CliError::unknown("pack", name, CATALOGUE.iter().map(|pack| pack.name)))
}

/// A pack that can be left out: one that `install` gives an entry of its own. Nothing else is switched off in this way.
fn find_own_entry(name: &str) -> Result<&'static str, CliError> {
    let own = || CATALOGUE.iter().filter(|pack| pack.contract.has_own_entry()).map(|pack| pack.name);
    own().find(|known| *known == name).ok_or_else(|| {
        CliError::usage(format!(
            "pack `{name}` has no entry of its own, so it cannot be left out; those that have are {}",
            own().collect::<Vec<_>>().join(", ")
        ))
    })
}

pub fn find_hook(id: &str) -> Result<String, CliError> {
    hookrail_packs::hook(id).map(|_| id.to_owned()).ok_or_else(|| {
        let known = CATALOGUE.iter().flat_map(|pack| pack.hooks).map(|hook| hook.id());
        CliError::unknown("hook", id, known).hint("`hookrail list` lists the hooks")
    })
}

fn find_contract(word: &str) -> Result<Contract, CliError> {
    match word {
        "agent" => Ok(Contract::Agent),
        "spec" => Ok(Contract::Spec),
        other => Err(CliError::unknown("contract", other, ["agent", "spec"])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_told_of_every_flag_that_is_read_and_of_no_other() {
        let cli = crate::command();
        let told = cli.find_subcommand("hook").unwrap();
        let mut flags: Vec<String> =
            told.get_arguments().filter_map(clap::Arg::get_long).map(|name| format!("--{name}")).collect();
        flags.sort();
        let mut read: Vec<&str> = FLAGS.to_vec();
        read.sort_unstable();
        assert_eq!(flags, read);
        for argument in told.get_arguments() {
            for value in argument.get_possible_values() {
                let words = argument
                    .get_long()
                    .map(|name| format!("--{name}"))
                    .into_iter()
                    .chain([value.get_name().to_owned()]);
                assert!(matches!(parse(words), Ok(Parsed::Run(_))), "{} {}", argument.get_id(), value.get_name());
            }
            let wrong = argument.get_long().map(|name| format!("--{name}")).into_iter().chain(["no/such".to_owned()]);
            assert!(parse(wrong).is_err(), "{}", argument.get_id());
        }
        for flag in FLAGS {
            let error = parse([flag.to_owned()]).unwrap_err();
            assert!(error.message.contains("needs a value"), "{flag}: {error}");
        }
        assert!(parse(["--agnet".to_owned()]).unwrap_err().message.contains("unknown flag `--agnet`"));
    }
}
