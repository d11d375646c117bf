//! `cargo xtask licences`: whether every dependency may be used under the licences in `deny.toml`.

mod expression;

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use crate::{Outcome, ROOT, TaskError};
use expression::Expression;

const FILE: &str = "deny.toml";

const HELP: &str = "\
usage: cargo xtask licences

Checks that the licence of every dependency, of all features and platforms, is satisfied by the list in
deny.toml. Only reads. Names what is not allowed and the way it comes in, and ends with

  licences: N packages, M not allowed

Exit code 1 when M is not 0; 2 when this command line is wrong.";

/// What this task reads of the file that `cargo deny` reads too.
#[derive(Debug, Deserialize)]
struct LicencesConfig {
    licenses: Licences,
}

#[derive(Debug, Deserialize)]
struct Licences {
    allow: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
enum LicencesError {
    #[error("cannot read `{FILE}`: {0}")]
    Read(io::Error),
    #[error("`{FILE}` is not what it should be: {0}")]
    Toml(Box<toml::de::Error>),
    #[error("cannot start cargo: {0}")]
    Start(io::Error),
    #[error("`cargo metadata` failed:\n{0}")]
    Cargo(String),
    #[error("`cargo metadata` printed something unexpected: {0}")]
    Json(#[from] serde_json::Error),
}

pub fn run(args: &[String], out: &mut dyn Write) -> Result<Outcome, TaskError> {
    match args.first().map(String::as_str) {
        None => {}
        Some("--help" | "-h") => {
            writeln!(out, "{HELP}")?;
            return Ok(Outcome::Passed);
        }
        Some(other) => {
            let kind = if other.starts_with('-') { "unknown flag" } else { "unexpected argument" };
            let message = format!("{kind} `{other}`\nhint: `cargo xtask licences --help` explains the task");
            return Err(TaskError::Usage(message));
        }
    }
    let config = read_config(Path::new(ROOT))?;
    let metadata: MetadataWire = serde_json::from_slice(&cargo_metadata()?).map_err(LicencesError::from)?;
    let offenders = metadata.offenders(&config.licenses.allow);
    for offender in &offenders {
        writeln!(out, "not allowed: {}: {}\n  through {}", offender.package, offender.complaint, offender.way)?;
    }
    writeln!(out, "licences: {} packages, {} not allowed", metadata.dependencies().count(), offenders.len())?;
    Ok(if offenders.is_empty() { Outcome::Passed } else { Outcome::Failed })
}

fn read_config(root: &Path) -> Result<LicencesConfig, LicencesError> {
    let text = fs::read_to_string(root.join(FILE)).map_err(LicencesError::Read)?;
    toml::from_str(&text).map_err(|error| LicencesError::Toml(Box::new(error)))
}

fn cargo_metadata() -> Result<Vec<u8>, LicencesError> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--all-features"])
        .current_dir(ROOT)
        .output()
        .map_err(LicencesError::Start)?;
    if !output.status.success() {
        return Err(LicencesError::Cargo(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    Ok(output.stdout)
}

/// What this task reads of cargo's answer.
#[derive(Deserialize)]
struct MetadataWire {
    packages: Vec<PackageWire>,
    workspace_members: Vec<String>,
    resolve: ResolveWire,
}

#[derive(Deserialize)]
struct PackageWire {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    license_file: Option<String>,
}

#[derive(Deserialize)]
struct ResolveWire {
    nodes: Vec<NodeWire>,
}

#[derive(Deserialize)]
struct NodeWire {
    id: String,
    dependencies: Vec<String>,
}

/// A dependency that may not be used.
#[derive(Debug, PartialEq, Eq)]
struct Offender {
    package: String,
    complaint: String,
    /// The shortest chain of packages from the workspace to it.
    way: String,
}

impl MetadataWire {
    fn dependencies(&self) -> impl Iterator<Item = &PackageWire> {
        self.packages.iter().filter(|package| !self.workspace_members.contains(&package.id))
    }

    fn offenders(&self, allowed: &[String]) -> Vec<Offender> {
        let parents = self.parents();
        self.dependencies()
            .filter_map(|package| {
                let complaint = package.complaint(allowed)?;
                Some(Offender { package: package.label(), complaint, way: self.way_to(package, &parents) })
            })
            .collect()
    }

    /// For every package that is reached, the one it is first reached from, nearest to the workspace first.
    fn parents(&self) -> BTreeMap<&str, &str> {
        let mut parents = BTreeMap::new();
        let mut queue: VecDeque<&str> = self.workspace_members.iter().map(String::as_str).collect();
        while let Some(id) = queue.pop_front() {
            let node = self.resolve.nodes.iter().find(|node| node.id == id);
            for dependency in node.into_iter().flat_map(|node| &node.dependencies) {
                if !self.workspace_members.contains(dependency) && !parents.contains_key(dependency.as_str()) {
                    parents.insert(dependency.as_str(), id);
                    queue.push_back(dependency);
                }
            }
        }
        parents
    }

    fn way_to(&self, package: &PackageWire, parents: &BTreeMap<&str, &str>) -> String {
        let mut way = vec![package.label()];
        let mut id = package.id.as_str();
        while let Some(parent) = parents.get(id) {
            let found = self.packages.iter().find(|package| package.id == **parent);
            way.extend(found.map(PackageWire::label));
            id = parent;
        }
        way.reverse();
        way.join(" → ")
    }
}

impl PackageWire {
    fn label(&self) -> String {
        format!("{} {}", self.name, self.version)
    }

    fn complaint(&self, allowed: &[String]) -> Option<String> {
        match (&self.license, &self.license_file) {
            (Some(text), _) => match Expression::parse(text) {
                Ok(expression) if expression.is_satisfied_by(allowed) => None,
                Ok(_) => Some(format!("`{text}`")),
                Err(error) => Some(format!("`{text}` cannot be read: {error}")),
            },
            (None, Some(file)) => Some(format!("no licence expression, only the file `{file}`")),
            (None, None) => Some("no licence at all".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A workspace of `app` and `lib`; `a` is a dependency of both, `c` one of `a` and of `b`.
    fn metadata(licences: [serde_json::Value; 3]) -> MetadataWire {
        let [a, b, c] = licences;
        let package = |name: &str, licence: serde_json::Value| {
            let mut package = serde_json::json!({ "id": name, "name": name, "version": "1.0.0", "license": null });
            match licence {
                serde_json::Value::Object(fields) => package.as_object_mut().unwrap().extend(fields),
                licence => package["license"] = licence,
            }
            package
        };
        let own = serde_json::json!("LicenseRef-own");
        serde_json::from_value(serde_json::json!({
            "packages": [
                package("app", own.clone()), package("lib", own),
                package("a", a), package("b", b), package("c", c),
            ],
            "workspace_members": ["app", "lib"],
            "resolve": { "nodes": [
                { "id": "app", "dependencies": ["lib", "b"] },
                { "id": "lib", "dependencies": ["a"] },
                { "id": "a", "dependencies": ["c"] },
                { "id": "b", "dependencies": ["a", "c"] },
                { "id": "c", "dependencies": [] },
            ] },
        }))
        .unwrap()
    }

    #[test]
    fn an_offender_is_named_with_its_licence_and_the_shortest_way_to_it() {
        let mit = || serde_json::json!("MIT");
        let cases = [
            ([mit(), mit(), mit()], vec![]),
            ([mit(), mit(), "GPL-3.0-only OR MIT".into()], vec![]),
            (
                [mit(), mit(), "GPL-3.0-only".into()],
                vec![("c 1.0.0", "`GPL-3.0-only`", "app 1.0.0 → b 1.0.0 → c 1.0.0")],
            ),
            (
                ["ISC".into(), serde_json::Value::Null, mit()],
                vec![
                    ("a 1.0.0", "`ISC`", "lib 1.0.0 → a 1.0.0"),
                    ("b 1.0.0", "no licence at all", "app 1.0.0 → b 1.0.0"),
                ],
            ),
            (
                [serde_json::json!({ "license_file": "COPYING" }), "MIT OR".into(), mit()],
                vec![
                    ("a 1.0.0", "no licence expression, only the file `COPYING`", "lib 1.0.0 → a 1.0.0"),
                    ("b 1.0.0", "`MIT OR` cannot be read: a licence is missing at the end", "app 1.0.0 → b 1.0.0"),
                ],
            ),
        ];
        for (licences, expected) in cases {
            let metadata = metadata(licences);
            let found = metadata.offenders(&["MIT".to_owned()]);
            let found: Vec<_> =
                found.iter().map(|o| (o.package.as_str(), o.complaint.as_str(), o.way.as_str())).collect();
            assert_eq!(found, expected);
            assert_eq!(metadata.dependencies().count(), 3);
        }
    }

    #[test]
    fn the_committed_list_is_readable_and_allows_our_own_licence() {
        let config = read_config(Path::new(ROOT)).unwrap();
        assert!(Expression::parse("MIT AND Apache-2.0").unwrap().is_satisfied_by(&config.licenses.allow));
        assert!(!Expression::parse("GPL-3.0-only").unwrap().is_satisfied_by(&config.licenses.allow));
    }
}
