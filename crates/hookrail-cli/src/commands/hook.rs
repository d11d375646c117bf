//! What people are told of `hookrail hook`. It is read by hand (`hook/args.rs`), because every event pays for it.

use clap::builder::PossibleValuesParser;
use hookrail_packs::CATALOGUE;

/// Answer one event of an agent
///
/// Reads the event as JSON on stdin, runs the hooks that apply and answers in the agent's own form. Agents start it as
/// `hookrail-hook`, a small program of its own. Keeps a journal and session state in $HOOKRAIL_STATE_DIR; hooks may change what they are made to.
#[derive(clap::Args)]
pub struct Hook {
    /// The agent that asks; recognised from the event if not given
    #[arg(long, value_name = "NAME", value_parser = agents())]
    agent: Option<String>,
    /// Only the hooks of this pack (repeats); otherwise all that are enabled, command hooks included
    #[arg(long, value_name = "NAME", value_parser = packs())]
    pack: Vec<String>,
    /// Not the hooks of this pack, which another entry calls (repeats)
    #[arg(long, value_name = "NAME", value_parser = own_entries())]
    without: Vec<String>,
    /// Only this hook
    #[arg(value_name = "PACK/HOOK", value_parser = hooks(), hide_possible_values = true)]
    hook: Option<String>,
    /// agent: answer in the form the agent honours; spec: in the form the pack's own document prescribes
    #[arg(long, value_name = "KIND", default_value = "agent", value_parser = ["agent", "spec"])]
    contract: String,
}

fn agents() -> PossibleValuesParser {
    hookrail_dialects::all().iter().map(|dialect| dialect.name()).collect::<Vec<_>>().into()
}

fn packs() -> PossibleValuesParser {
    CATALOGUE.iter().map(|pack| pack.name).collect::<Vec<_>>().into()
}

fn own_entries() -> PossibleValuesParser {
    let own = CATALOGUE.iter().filter(|pack| pack.contract.has_own_entry());
    own.map(|pack| pack.name).collect::<Vec<_>>().into()
}

fn hooks() -> PossibleValuesParser {
    CATALOGUE.iter().flat_map(|pack| pack.hooks).map(|hook| hook.id()).collect::<Vec<_>>().into()
}
