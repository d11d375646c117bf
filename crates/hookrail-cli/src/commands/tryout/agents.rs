//! Which agents are meant.

use crate::commands::doctor::find_programs;
use crate::commands::install::InstallRecord;
use crate::current_project::CurrentProject;
use crate::error::CliError;
use crate::hook::args::find_agent;
use hookrail_dialects::Dialect;

pub struct Agents {
    pub list: Vec<&'static dyn Dialect>,
    /// There is none here; the list has the one whose protocol most others follow.
    pub assumed: bool,
}

impl Agents {
    /// Those of these names; without names all that are installed here, or that hookrail was installed in here.
    pub fn find(names: &[String], place: &CurrentProject) -> Result<Self, CliError> {
        let mut list: Vec<&'static dyn Dialect> = Vec::new();
        for name in names {
            let agent = find_agent(name)?;
            if !list.iter().any(|known| known.name() == agent.name()) {
                list.push(agent);
            }
        }
        if names.is_empty() {
            list = installed(place);
        }
        let assumed = list.is_empty();
        list.extend(hookrail_dialects::all().first().filter(|_| assumed));
        Ok(Self { list, assumed })
    }
}

fn installed(place: &CurrentProject) -> Vec<&'static dyn Dialect> {
    // A list that cannot be read is the doctor's business.
    let records = InstallRecord::all(place).unwrap_or_default();
    let here = |record: &&InstallRecord| record.project.as_ref().is_none_or(|project| *project == place.project);
    let hooked: Vec<&str> = records.iter().filter(here).map(|record| record.agent.as_str()).collect();
    let is_here = |agent: &&&'static dyn Dialect| {
        let program = agent.agent().program;
        hooked.contains(&agent.name()) || (!program.is_empty() && !find_programs(program, &place.world).is_empty())
    };
    hookrail_dialects::all().iter().filter(is_here).copied().collect()
}
