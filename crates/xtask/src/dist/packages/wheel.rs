//! A Python wheel with the program: `pip install hookrail-cli`, `uvx --from hookrail-cli hookrail`. The name `hookrail` belongs to
//! another project on PyPI.

use super::files::{Entry, base64_url, sha256, zip};
use super::{ABOUT, Contents, LICENCE, Package, REPOSITORY, VERSION};
use std::io;

const MODULE: &str = include_str!("wheel_module.py");
const MAIN: &str = "\"\"\"`python -m hookrail_cli`: the program itself.\"\"\"

import os
import subprocess
import sys

from hookrail_cli import find_hookrail

command = [find_hookrail(), *sys.argv[1:]]
if sys.platform == \"win32\":
    sys.exit(subprocess.run(command).returncode)
os.execv(command[0], command)
";

/// What a Python platform tag says: a dynamic binary is only good for machines like this one.
fn platform(contents: &Contents) -> String {
    let target = contents.target;
    match target.triple.split_once("-unknown-linux-") {
        Some((processor, _)) if !contents.is_static => format!("linux_{processor}"),
        _ => target.wheel.to_owned(),
    }
}

pub fn make(contents: &Contents) -> io::Result<Package> {
    let platform = platform(contents);
    let information = format!("hookrail_cli-{VERSION}.dist-info");
    let tags: String = platform.split('.').map(|platform| format!("Tag: py3-none-{platform}\n")).collect();
    let mut entries = vec![
        Entry::text("hookrail_cli/__init__.py", MODULE),
        Entry::text("hookrail_cli/__main__.py", MAIN),
        Entry::text("hookrail_cli/py.typed", ""),
        Entry::text(format!("{information}/METADATA"), metadata()),
        Entry::text(
            format!("{information}/WHEEL"),
            format!("Wheel-Version: 1.0\nGenerator: hookrail xtask\nRoot-Is-Purelib: false\n{tags}"),
        ),
    ];
    // Installers put scripts beside the interpreter.
    entries.extend(contents.programs(&format!("hookrail_cli-{VERSION}.data/scripts/")));
    let licences = contents.documents.iter().filter(|entry| entry.path.starts_with("LICENSE-"));
    entries.extend(
        licences.map(|entry| Entry { path: format!("{information}/licenses/{}", entry.path), ..entry.clone() }),
    );
    let record = record(&entries, &information);
    entries.push(Entry::text(format!("{information}/RECORD"), record));
    Ok(Package::new(format!("hookrail_cli-{VERSION}-py3-none-{platform}.whl"), zip(&entries)?))
}

fn metadata() -> String {
    let fields = [
        ("Metadata-Version", "2.4"),
        ("Name", "hookrail-cli"),
        ("Version", VERSION),
        ("Summary", ABOUT),
        ("License-Expression", LICENCE),
        ("License-File", "LICENSE-MIT"),
        ("License-File", "LICENSE-APACHE"),
        ("Requires-Python", ">=3.8"),
        ("Project-URL", &format!("Repository, {REPOSITORY}")),
    ];
    fields.iter().map(|(name, value)| format!("{name}: {value}\n")).collect()
}

/// The list of files with checksums that installers compare with.
fn record(entries: &[Entry], information: &str) -> String {
    let line =
        |entry: &Entry| format!("{},sha256={},{}\n", entry.path, base64_url(&sha256(&entry.bytes)), entry.bytes.len());
    entries.iter().map(line).chain([format!("{information}/RECORD,,\n")]).collect()
}
