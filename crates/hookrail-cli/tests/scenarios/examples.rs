//! The examples in the documentation of the packs.

use hookrail_packs::CATALOGUE;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/packs/scenarios")
}

#[test]
fn every_hook_has_an_example_that_is_caught_and_one_that_is_not_and_they_hold() {
    let output = Command::new(env!("CARGO_BIN_EXE_hookrail")).args(["test", "--json"]).arg(folder()).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    let scenarios = report["scenarios"].as_array().unwrap();
    let broken: Vec<&Value> = scenarios.iter().filter(|scenario| scenario["passed"] != true).collect();
    assert!(broken.is_empty(), "{broken:#?}");
    for hook in CATALOGUE.iter().flat_map(|pack| pack.hooks) {
        let file = format!("{}.md", hook.id());
        let names = scenarios.iter().filter(|scenario| scenario["file"].as_str().unwrap().ends_with(&file));
        let names: Vec<&str> = names.map(|scenario| scenario["name"].as_str().unwrap()).collect();
        for kind in ["Caught: ", "Not caught: "] {
            assert!(names.iter().any(|name| name.starts_with(kind)), "{file} has no example `{kind}`: {names:?}");
        }
    }
}

#[test]
fn every_example_belongs_to_a_hook() {
    for pack in std::fs::read_dir(folder()).unwrap() {
        for file in std::fs::read_dir(pack.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            let id = path.strip_prefix(folder()).unwrap().with_extension("").display().to_string();
            assert!(hookrail_packs::hook(&id).is_some(), "there is no hook `{id}`");
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(text.starts_with(&format!("# {id}\n")), "{id} has another title");
            assert!(text.contains(&format!("\"{id}\"")), "{id} does not ask for its hook");
        }
    }
}
