//! Who this machine is, and how it stands.

use crate::commands::install::{EntryState, InstallRecord};
use crate::commands::policy::installed_here;
use crate::current_project::CurrentProject;
use crate::error::CliError;
use hookrail_core::World;
use hookrail_fleet::database::MachineReport;
use hookrail_fleet::policy::InForce;
use serde_json::{Value, json};

pub fn report(place: &CurrentProject) -> Result<MachineReport, CliError> {
    let (policy, policy_state) = policy();
    let entries = entries(place);
    let is_intact = |entry: &Value| entry.get("state").and_then(Value::as_str) == Some("unaltered");
    let intact = policy_state != "altered" && entries.iter().all(is_intact);
    Ok(MachineReport {
        key: key(place)?,
        name: host_name(place),
        person: person(place),
        os: std::env::consts::OS.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        policy,
        policy_state,
        entries: Value::Array(entries),
        intact,
        now: place.world.now_millis(),
    })
}

fn policy() -> (Option<(String, u64)>, String) {
    let state = installed_here().in_force();
    let word = match &state {
        Ok(InForce::Nothing) => "none",
        Ok(InForce::ByHand) => "by-hand",
        Ok(InForce::Policy(_)) => "in-force",
        Ok(InForce::Altered(_)) => "altered",
        Err(_) => "unknown",
    };
    let bundle = state.ok().and_then(|state| state.bundle().map(|bundle| (bundle.name.clone(), bundle.serial)));
    (bundle, word.to_owned())
}

/// Each installation of hookrail, and whether its entries are as they were written.
fn entries(place: &CurrentProject) -> Vec<Value> {
    let state = |record: &InstallRecord| match record.entry_state(&|name| place.world.env(name)) {
        EntryState::Unaltered => "unaltered",
        EntryState::Unread(_) => "unread",
        EntryState::Altered { .. } => "altered",
        EntryState::Gone => "gone",
        EntryState::Unreadable(_) => "unreadable",
        EntryState::Replaced(_) => "replaced",
    };
    let records = InstallRecord::all(place).unwrap_or_default();
    records.iter().map(|it| json!({ "agent": it.agent, "scope": it.scope, "state": state(it) })).collect()
}

/// The same at every sync, and another one on a machine that was copied from this one: a number of this state directory
/// together with the system's own.
fn key(place: &CurrentProject) -> Result<String, CliError> {
    let file = place.state.clone()?.join("fleet/machine");
    let known = place.world.read(&file).map_err(CliError::machine)?;
    let own = match known.and_then(|bytes| String::from_utf8(bytes).ok()).filter(|text| text.trim().len() == 64) {
        Some(text) => text.trim().to_owned(),
        None => {
            let fresh = fresh();
            place.world.write(&file, format!("{fresh}\n").as_bytes()).map_err(CliError::machine)?;
            fresh
        }
    };
    let system = std::fs::read_to_string("/etc/machine-id").unwrap_or_default();
    Ok(blake3::hash(format!("{own}\n{}\n", system.trim()).as_bytes()).to_hex().to_string())
}

/// A number that no other machine has.
fn fresh() -> String {
    use std::hash::{BuildHasher, RandomState};
    let parts: Vec<u64> = (0..4u64).map(|part| RandomState::new().hash_one((part, std::process::id()))).collect();
    let time = std::time::UNIX_EPOCH.elapsed().map(|time| time.as_nanos()).unwrap_or_default();
    blake3::hash(format!("{parts:?} {time}").as_bytes()).to_hex().to_string()
}

fn host_name(place: &CurrentProject) -> String {
    let file = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let named = file.or_else(|| place.world.env("HOSTNAME")).or_else(|| place.world.env("COMPUTERNAME"));
    named.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).unwrap_or_else(|| "unknown".to_owned())
}

fn person(place: &CurrentProject) -> String {
    let names = ["USER", "LOGNAME", "USERNAME"];
    let name = names.iter().find_map(|name| place.world.env(name).filter(|value| !value.is_empty()));
    name.unwrap_or_else(|| "unknown".to_owned())
}
