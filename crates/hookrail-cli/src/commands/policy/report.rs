//! What a person, or a program, is told about policies.

use crate::exit_code::ExitCode;
use crate::screen::{one_line, versioned};
use anstream::println;
use hookrail_fleet::policy::{Bundle, InForce, Installed, PinnedKey};
use serde_json::{Value, json};
use std::path::Path;

fn shown(path: &Path) -> String {
    one_line(&path.display().to_string())
}

fn about(bundle: &Bundle) -> Value {
    json!({
        "name": bundle.name,
        "serial": bundle.serial,
        "about": bundle.about,
        "versions": bundle.versions,
        "next_key": bundle.next_key,
    })
}

pub fn key(key: &PinnedKey, secret: &Path, public: &Path, json: bool) {
    if json {
        println!("{:#}", versioned(json!({ "secret": secret, "public": public, "key": key.line() })));
        return;
    }
    println!("secret key  {}  keep it away from repositories and machines under the policy", shown(secret));
    println!("public key  {}  {}", shown(public), key.line());
}

pub fn packed(bundle: &Bundle, file: &Path, key: &PinnedKey, json: bool) {
    if json {
        println!("{:#}", versioned(json!({ "policy": about(bundle), "file": file, "key": key.line() })));
        return;
    }
    println!("packed  {} {}  {}", bundle.name, bundle.serial, shown(file));
    if let Some(next) = bundle.next_key() {
        println!("bundles after it must be signed with the secret key of {}", next.line());
    }
    println!("machines take it with");
    println!("  hookrail policy pull {} --key {}", shown(file), key.line());
}

/// `before`: none if it was in force already, else the serial that was.
pub fn pulled(bundle: &Bundle, before: Option<Option<u64>>, installed: &Installed, json: bool) {
    if json {
        println!(
            "{:#}",
            versioned(
                json!({ "policy": about(bundle), "changed": before.is_some(), "before": before.flatten(), "file": installed.settings_file() })
            )
        );
        return;
    }
    let Bundle { name, serial, .. } = bundle;
    match before {
        None => println!("policy {name} {serial} is in force already"),
        Some(None) => println!("policy {name} {serial} is in force  {}", shown(&installed.settings_file())),
        Some(Some(before)) => {
            println!("policy {name} {serial} is in force, before it {before}  {}", shown(&installed.settings_file()));
        }
    }
    if let Some(next) = bundle.next_key() {
        println!("bundles after it are accepted with the key {} only", next.line());
    }
}

pub fn rolled_back(bundle: &Bundle, json: bool) {
    if json {
        println!("{:#}", versioned(json!({ "policy": about(bundle) })));
    } else {
        println!("policy {} {} is in force again", bundle.name, bundle.serial);
    }
}

pub fn status(state: &InForce, kept: &[Bundle], key: Option<&PinnedKey>, json: bool) -> ExitCode {
    let word = match state {
        InForce::Nothing => "none",
        InForce::ByHand => "by-hand",
        InForce::Policy(_) => "in-force",
        InForce::Altered(_) => "altered",
    };
    let code = if matches!(state, InForce::Altered(_)) { ExitCode::Failed } else { ExitCode::Success };
    if json {
        let serials: Vec<u64> = kept.iter().map(|bundle| bundle.serial).collect();
        println!(
            "{:#}",
            versioned(
                json!({ "state": word, "policy": state.bundle().map(about), "kept": serials, "key": key.map(PinnedKey::line) })
            )
        );
        return code;
    }
    match state {
        InForce::Nothing => println!("no policy: there is no managed layer"),
        InForce::ByHand => println!("no policy: the managed layer was written by hand"),
        InForce::Policy(bundle) => println!("policy {} {} is in force", bundle.name, bundle.serial),
        InForce::Altered(bundle) => {
            println!(
                "policy {} {} was installed, and the managed layer says something else",
                bundle.name, bundle.serial
            );
            println!("`hookrail policy rollback` puts it back");
        }
    }
    if let Some(bundle) = state.bundle() {
        if !bundle.about.is_empty() {
            println!("  {}", one_line(&bundle.about));
        }
        for (program, rule) in &bundle.versions {
            println!("  asks for {} {}", one_line(program), one_line(rule));
        }
    }
    if let Some(key) = key {
        println!("  key   {}", key.line());
    }
    if kept.len() > 1 {
        let serials: Vec<String> = kept.iter().map(|bundle| bundle.serial.to_string()).collect();
        println!("  kept  {}", serials.join(", "));
    }
    code
}
