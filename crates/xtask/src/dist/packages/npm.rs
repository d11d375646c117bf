//! npm: `hookrail` is a small launcher; the binaries are packages of their own, which npm picks by system and processor
//! (`optionalDependencies` with `os` and `cpu`). Nothing is downloaded by a script, so `--ignore-scripts` installs work too.

use super::files::{Entry, tar_gz};
use super::{ABOUT, Contents, LICENCE, Package, REPOSITORY, VERSION};
use crate::dist::targets::{TARGETS, Target};
use serde_json::{Map, Value, json};
use std::io;

/// What `npx hookrail` runs.
const LAUNCHER: &str = include_str!("npm_launcher.js");
const README: &str = "# hookrail

Hooks for AI coding agents: decides what an agent may do, and says why. `npx hookrail demo` shows it.

This package starts the program of the package for your system (`@hookrail/linux-x64` and the like). Settings of agents that call
hookrail for every event should name that program itself, as `hookrail install claude --scope user` does: it answers in a millisecond, and
starting Node takes forty.

";

pub fn platform_file(target: &Target) -> String {
    format!("hookrail-{}-{}-{VERSION}.tgz", target.node.0, target.node.1)
}

pub fn launcher_file() -> String {
    format!("hookrail-{VERSION}.tgz")
}

/// Fields that every package has.
fn manifest(name: &str, about: &str) -> Map<String, Value> {
    let common = json!({
        "name": name,
        "version": VERSION,
        "description": about,
        "license": LICENCE,
        "repository": { "type": "git", "url": format!("git+{REPOSITORY}.git") },
    });
    if let Value::Object(fields) = common { fields } else { Map::new() }
}

pub fn platform_manifest(target: &Target) -> Value {
    let (system, processor) = target.node;
    let mut fields = manifest(&target.npm_package(), &format!("The hookrail program for {system} on {processor}"));
    fields.insert("os".to_owned(), json!([system]));
    fields.insert("cpu".to_owned(), json!([processor]));
    fields.insert("files".to_owned(), json!(["bin"]));
    // Yarn's Plug'n'Play would keep it inside an archive, from which it cannot be started.
    fields.insert("preferUnplugged".to_owned(), json!(true));
    Value::Object(fields)
}

pub fn launcher_manifest() -> Value {
    let mut fields = manifest("hookrail", ABOUT);
    let platforms: Map<String, Value> = TARGETS.iter().map(|target| (target.npm_package(), json!(VERSION))).collect();
    fields.insert("bin".to_owned(), json!({ "hookrail": "bin/hookrail.js" }));
    fields.insert("files".to_owned(), json!(["bin"]));
    fields.insert("engines".to_owned(), json!({ "node": ">=18" }));
    fields.insert("optionalDependencies".to_owned(), Value::Object(platforms));
    Value::Object(fields)
}

pub fn platform(contents: &Contents) -> io::Result<Package> {
    let target = contents.target;
    let readme = format!("# {}\n\nThe program of the package `hookrail` for this system.\n", target.npm_package());
    let mut entries = vec![
        Entry::text("package/package.json", format!("{:#}\n", platform_manifest(target))),
        Entry::text("package/README.md", readme),
    ];
    entries.extend(contents.programs("package/bin/"));
    let licences = contents.documents.iter().filter(|entry| entry.path.starts_with("LICENSE-"));
    entries.extend(licences.map(|entry| Entry { path: format!("package/{}", entry.path), ..entry.clone() }));
    Ok(Package::new(platform_file(target), tar_gz(&entries)?))
}

pub fn launcher() -> io::Result<Package> {
    let entries = [
        Entry::text("package/package.json", format!("{:#}\n", launcher_manifest())),
        Entry::text("package/README.md", README.trim_end().to_owned() + "\n"),
        Entry::program("package/bin/hookrail.js", LAUNCHER),
    ];
    Ok(Package::new(launcher_file(), tar_gz(&entries)?))
}
