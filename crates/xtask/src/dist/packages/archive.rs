//! The archive that installers, Homebrew and `cargo binstall` download.

use super::files::{Entry, tar_gz, zip};
use super::{Contents, Package};
use crate::dist::targets::Target;
use std::io;

/// Without the version, which is in the address, so that a link to the latest release can be written down.
pub fn name(target: &Target) -> String {
    let extension = if target.is_windows() { "zip" } else { "tar.gz" };
    format!("{}.{extension}", folder(target))
}

/// Everything is in one folder.
pub fn folder(target: &Target) -> String {
    format!("hookrail-{}", target.triple)
}

pub fn make(contents: &Contents) -> io::Result<Package> {
    let target = contents.target;
    let inside = |below: &str, entry: &Entry| Entry {
        path: format!("{}/{below}{}", folder(target), entry.path),
        ..entry.clone()
    };
    let mut entries: Vec<Entry> = contents.programs("").map(|entry| inside("", &entry)).collect();
    entries.extend(contents.documents.iter().map(|entry| inside("", entry)));
    entries.extend(contents.manual.iter().map(|entry| inside("man/", entry)));
    entries.extend(contents.completions.iter().map(|entry| inside("completions/", entry)));
    let bytes = if target.is_windows() { zip(&entries)? } else { tar_gz(&entries)? };
    Ok(Package::new(name(target), bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::packages::{REPOSITORY, VERSION, downloads};
    use crate::dist::targets::TARGETS;
    use std::path::Path;

    /// What `cargo binstall` makes of a template.
    fn expand(template: &str, target: &Target) -> String {
        let exe = if target.is_windows() { ".exe" } else { "" };
        let values = [
            ("repo", REPOSITORY),
            ("version", VERSION),
            ("target", target.triple),
            ("bin", "hookrail"),
            ("binary-ext", exe),
        ];
        values.iter().fold(template.to_owned(), |text, (name, value)| text.replace(&format!("{{ {name} }}"), value))
    }

    #[test]
    fn cargo_binstall_is_led_to_the_archive_of_every_target_and_to_the_program_in_it() {
        let manifest = std::fs::read_to_string(Path::new(crate::ROOT).join("crates/hookrail-cli/Cargo.toml")).unwrap();
        let manifest: toml::Table = manifest.parse().unwrap();
        let binstall = &manifest["package"]["metadata"]["binstall"];
        let common = |key: &str| binstall[key].as_str().unwrap();
        for target in TARGETS {
            let own = binstall["overrides"].get(target.triple);
            let value = |key: &str| own.and_then(|own| own.get(key)?.as_str()).unwrap_or_else(|| common(key));
            assert_eq!(expand(value("pkg-url"), target), format!("{}/{}", downloads(), name(target)));
            assert_eq!(expand(value("bin-dir"), target), format!("{}/{}", folder(target), target.program()));
            assert_eq!(value("pkg-fmt"), if target.is_windows() { "zip" } else { "tgz" });
        }
        // The binary for GNU/Linux is static and serves musl as well.
        for processor in ["x86_64", "aarch64"] {
            let address =
                binstall["overrides"][&format!("{processor}-unknown-linux-musl")]["pkg-url"].as_str().unwrap();
            assert!(address.ends_with(&format!("hookrail-{processor}-unknown-linux-gnu.tar.gz")), "{address}");
        }
    }
}
