use crate::commands::fleet::FleetScope;
use crate::commands::fleet::concerns;
use crate::commands::ui::machine::Commands;
use hookrail_fleet::database::queries::MachineRow;
use hookrail_store::JournalRecord;
use hookrail_ui::{AllowRequest, CommandBackend, Proposal, Refused};
use serde_json::{Value, json};
use std::path::Path;

/// The commands of this machine, asked about events of others.
pub struct FleetCommands {
    own: Commands,
    scope: FleetScope,
}

impl FleetCommands {
    pub fn new(own: Commands, scope: &FleetScope) -> Self {
        Self { own, scope: scope.clone() }
    }
}

const READ_ONLY: &str = "the page of a fleet changes nothing\nhint: an exception for all machines belongs into their policy: `hookrail policy pack`";

impl CommandBackend for FleetCommands {
    /// Decided again by the configuration of this machine, with its files.
    fn explain(&self, head: &JournalRecord) -> Result<Value, Refused> {
        self.own.explain(head)
    }

    fn compare(&self, head: &JournalRecord) -> Result<Value, Refused> {
        self.own.compare(head)
    }

    fn rules(&self, project: Option<&Path>) -> Result<Value, Refused> {
        self.own.rules(project)
    }

    /// How the machines stand, in the form of `hookrail doctor --json`.
    fn doctor(&self, _: Option<&Path>) -> Result<Value, Refused> {
        let machines = self.scope.connect()?.machines().map_err(|error| Refused(error.to_string()))?;
        let wanted = |machine: &&MachineRow| self.scope.admits(&machine.name, &machine.person);
        let checks: Vec<Value> = machines.iter().filter(wanted).map(check).collect();
        let warnings = checks.iter().filter(|check| check.get("state") != Some(&json!("ok"))).count();
        Ok(json!({ "areas": [{ "area": "Machines", "checks": checks }], "errors": 0, "warnings": warnings }))
    }

    fn verified(&self) -> Result<Value, Refused> {
        self.own.verified()
    }

    fn backtest(&self) -> Result<Value, Refused> {
        self.own.backtest_with(&self.scope.arguments())
    }

    fn may_write(&self) -> Result<(), Refused> {
        Err(Refused(READ_ONLY.to_owned()))
    }

    fn propose(&self, _: &AllowRequest) -> Result<Box<dyn Proposal>, Refused> {
        Err(Refused(READ_ONLY.to_owned()))
    }
}

fn check(machine: &MachineRow) -> Value {
    let concerns = concerns(machine);
    let policy = match (&machine.policy, machine.policy_serial) {
        (Some(name), Some(serial)) => format!("policy {name} {serial}"),
        _ => "no policy".to_owned(),
    };
    json!({
        "state": if concerns.is_empty() { "ok" } else { "warning" },
        "what": format!("{} ({}): {policy}, hookrail {}", machine.name, machine.person, machine.version),
        "why": (!concerns.is_empty()).then(|| concerns.join("; ")),
        "fix": Value::Null,
    })
}
