//! What a person, or a program, is told about the fleet.

use crate::exit_code::ExitCode;
use crate::screen::{Align, Table, one_line, plural, versioned};
use anstream::println;
use hookrail_fleet::database::queries::MachineRow;
use owo_colors::OwoColorize;
use serde_json::{Value, json};

/// A clock that is further away makes times of records doubtful.
const CLOCK_MS: i64 = 60_000;
/// A machine that was not seen for this long is silent.
const SILENT_SECONDS: u64 = 7 * 24 * 60 * 60;

pub fn migrated(before: usize, now: usize, json: bool) {
    if json {
        println!("{:#}", versioned(json!({ "before": before, "version": now })));
    } else if before == now {
        println!("the schema is version {now} already");
    } else {
        println!("the schema is version {now}, before it {before}");
        println!("grant `hookrail_writer` to the logins of machines and `hookrail_reader` to people who look");
    }
}

pub fn retained(days: u32, dropped: u64, json: bool) {
    if json {
        println!("{:#}", versioned(json!({ "days": days, "dropped": dropped })));
    } else {
        println!(
            "records are kept for {days} days; {dropped} day{} dropped",
            if dropped == 1 { " was" } else { "s were" }
        );
    }
}

pub fn machines(machines: &[MachineRow], json: bool) -> ExitCode {
    let needs_look = machines.iter().any(|machine| !concerns(machine).is_empty());
    let code = if needs_look { ExitCode::Failed } else { ExitCode::Success };
    if json {
        println!("{:#}", versioned(json!({ "machines": machines.iter().map(machine_json).collect::<Vec<_>>() })));
        return code;
    }
    let columns = ["", "machine", "person", "hookrail", "policy", "seen", ""];
    let mut table = Table::new(columns.map(|name| (name, Align::Left)));
    for machine in machines {
        let concerns = concerns(machine);
        let mark = if concerns.is_empty() { "✓".green().bold().to_string() } else { "!".yellow().bold().to_string() };
        table.row([
            mark,
            one_line(&machine.name),
            one_line(&machine.person),
            one_line(&machine.version),
            policy(machine),
            ago(machine.seen_ago),
            concerns.join("; "),
        ]);
    }
    // A closed stdout is not an error.
    let _ = table.write(&mut anstream::stdout());
    let count = machines.len();
    println!("{count} machine{}", plural(count));
    code
}

fn policy(machine: &MachineRow) -> String {
    match (&machine.policy, machine.policy_serial) {
        (Some(name), Some(serial)) => format!("{} {serial}", one_line(name)),
        _ => machine.policy_state.clone(),
    }
}

/// Why a machine needs attention.
pub fn concerns(machine: &MachineRow) -> Vec<String> {
    let mut concerns = Vec::new();
    if machine.policy_state == "altered" {
        concerns.push("its managed layer was altered".to_owned());
    }
    for entry in machine.entries.as_array().into_iter().flatten() {
        let word = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
        if word("state") != "unaltered" {
            concerns.push(one_line(&format!("{} entries {}", word("agent"), word("state"))));
        }
    }
    if machine.breaks > 0 {
        let count = machine.breaks;
        concerns.push(format!("{count} break{} in its journal", if count == 1 { "" } else { "s" }));
    }
    if machine.clock_offset_ms.abs() > CLOCK_MS {
        concerns.push(format!("its clock is {} s off", machine.clock_offset_ms / 1000));
    }
    if machine.seen_ago > SILENT_SECONDS {
        concerns.push("silent".to_owned());
    }
    concerns
}

fn machine_json(machine: &MachineRow) -> Value {
    json!({
        "name": machine.name,
        "person": machine.person,
        "os": machine.os,
        "version": machine.version,
        "policy": machine.policy,
        "policy_serial": machine.policy_serial,
        "policy_state": machine.policy_state,
        "intact": machine.intact,
        "entries": machine.entries,
        "seen_seconds_ago": machine.seen_ago,
        "clock_offset_ms": machine.clock_offset_ms,
        "records": machine.records,
        "breaks": machine.breaks,
        "concerns": concerns(machine),
    })
}

fn ago(seconds: u64) -> String {
    match seconds {
        0..60 => "now".to_owned(),
        60..3600 => format!("{}m ago", seconds / 60),
        3600..86_400 => format!("{}h ago", seconds / 3600),
        _ => format!("{}d ago", seconds / 86_400),
    }
}
