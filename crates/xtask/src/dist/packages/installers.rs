//! The installers: one line in a shell that fetches the archive, compares its checksum and puts the program in place. And the file
//! that names the latest version.

use super::{Package, VERSION, downloads};
use crate::dist::targets::TARGETS;

const SHELL: &str = include_str!("installer.sh");
const POWERSHELL: &str = include_str!("installer.ps1");

pub fn make() -> [Package; 3] {
    [
        Package::new("hookrail-installer.sh", fill(SHELL)),
        Package::new("hookrail-installer.ps1", fill(POWERSHELL)),
        // What `hookrail self version --check` asks for.
        Package::new("hookrail-version.json", format!("{{\"version\": \"{VERSION}\"}}\n")),
    ]
}

fn fill(template: &str) -> String {
    let triples = |windows: bool| {
        let fitting = TARGETS.iter().filter(|target| target.is_windows() == windows);
        fitting.map(|target| target.triple).collect::<Vec<_>>().join(" ")
    };
    let targets = if template == POWERSHELL { triples(true) } else { triples(false) };
    template.replace("@VERSION@", VERSION).replace("@DOWNLOADS@", &downloads()).replace("@TARGETS@", &targets)
}
