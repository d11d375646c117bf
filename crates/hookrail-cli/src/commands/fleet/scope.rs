//! `--fleet`: the same view over all machines.

use super::connect;
use crate::current_project::CurrentProject;
use crate::error::CliError;
use hookrail_fleet::database::Database;
use hookrail_fleet::database::queries::RecordFilter;

/// Whose records are meant.
#[derive(Clone, Debug, clap::Args)]
pub struct FleetScope {
    /// All machines, from the database of `[fleet]`, instead of this one's journal
    #[arg(long)]
    pub fleet: bool,
    /// The database, if it is another one than that of `[fleet]`
    #[arg(long, value_name = "URL", requires = "fleet")]
    database: Option<String>,
    /// Only this machine (repeats)
    #[arg(long, value_name = "NAME", requires = "fleet")]
    machine: Vec<String>,
    /// Only this person's machines (repeats)
    #[arg(long, value_name = "NAME", requires = "fleet")]
    person: Vec<String>,
}

/// Which agents are meant, for commands that cannot tell by this machine's journal.
#[derive(clap::Args)]
pub struct FleetAgents {
    /// Only this agent (repeats)
    #[arg(long = "agent", value_name = "NAME", requires = "fleet")]
    pub agents: Vec<String>,
}

impl FleetScope {
    pub fn connect(&self) -> Result<Database, CliError> {
        connect(&CurrentProject::here()?, self.database.as_deref())
    }

    /// Narrows a filter to what was named.
    pub fn narrow(&self, filter: RecordFilter) -> RecordFilter {
        RecordFilter { machines: self.machine.clone(), people: self.person.clone(), ..filter }
    }
}

/// What the page needs.
#[cfg(feature = "ui")]
impl FleetScope {
    /// The one that is chosen, or those that were named on the command line.
    pub fn machines(&self, chosen: Option<&String>) -> Vec<String> {
        chosen.map_or_else(|| self.machine.clone(), |machine| vec![machine.clone()])
    }

    /// The same for people.
    pub fn people(&self, chosen: Option<&String>) -> Vec<String> {
        chosen.map_or_else(|| self.person.clone(), |person| vec![person.clone()])
    }

    /// Whether a machine is meant.
    pub fn admits(&self, machine: &String, person: &String) -> bool {
        let among = |names: &[String], name| names.is_empty() || names.contains(name);
        among(&self.machine, machine) && among(&self.person, person)
    }

    /// The same scope on another command line.
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = vec!["--fleet".to_owned()];
        let mut add = |flag: &str, value: &String| arguments.extend([flag.to_owned(), value.clone()]);
        self.database.iter().for_each(|url| add("--database", url));
        self.machine.iter().for_each(|name| add("--machine", name));
        self.person.iter().for_each(|name| add("--person", name));
        arguments
    }
}
