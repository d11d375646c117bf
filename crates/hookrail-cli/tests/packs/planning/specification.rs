//! H04: the specification stays what it was.

use crate::planning::project::{BOTH, PlanningProject};

#[test]
fn the_specification_is_closed_once_planning_is_past_setup() {
    // covers: H04
    for (case, state, path, expected) in [
        ("Write to spec.md, phase=SETUP", Some("phase: SETUP"), "spec.md", "silent"),
        ("Write to spec.md, phase=ARCHITECTURE", Some("phase: ARCHITECTURE"), "spec.md", "refused"),
        ("Write to other file", Some("phase: ARCHITECTURE"), "design.md", "silent"),
        ("No state file", None, "spec.md", "silent"),
        ("The plugin's own key", Some("current_phase: ARCHITECTURE"), "spec.md", "refused"),
        ("An empty phase", Some("phase: ''"), "spec.md", "silent"),
        ("No phase", Some("mode: rapid"), "spec.md", "silent"),
        ("An unknown phase", Some("phase: PHASE_4B"), "spec.md", "refused"),
        ("After the workflow", Some("phase: COMPLETION"), "spec.md", "refused"),
        ("A spec.md of a part", Some("phase: ARCHITECTURE"), "parts/spec.md", "silent"),
        ("Another feature's", Some("phase: ARCHITECTURE"), "../041-login/spec.md", "silent"),
        ("With detours", Some("phase: ARCHITECTURE"), "../042-notify/./spec.md", "refused"),
    ] {
        for contract in BOTH {
            let place = PlanningProject::new().locked().file("spec.md", "# Spec");
            let place = match state {
                Some(yaml) => place.state(yaml),
                None => place,
            };
            let path = place.feature_path(path);
            for event in [place.write(&path), place.edit(&path)] {
                let ruling = place.ruling(contract, &event);
                assert_eq!(ruling.word(), expected, "{case}, {contract:?}: {ruling:?}");
                if expected == "refused" {
                    assert!(ruling.text().contains("spec.md is immutable"), "{ruling:?}");
                    assert!(ruling.text().contains("Do not retry"), "{ruling:?}");
                }
            }
        }
    }
}

#[test]
#[cfg(unix)]
fn a_link_is_the_file_it_leads_to() {
    // covers: H02 H04
    use std::os::unix::fs::symlink;
    let place = PlanningProject::new().state("phase: RESEARCH").file("spec.md", "# Spec");
    symlink(place.project.at("specs/042-notify"), place.project.at("here")).unwrap();
    symlink("spec.md", place.project.at("specs/042-notify/same.md")).unwrap();
    symlink("/tmp", place.project.at("specs/042-notify/out")).unwrap();
    for (path, words) in [
        ("here/spec.md", vec!["spec.md is immutable", "no planning lock"]),
        ("specs/042-notify/same.md", vec!["spec.md is immutable", "no planning lock"]),
        ("here/new.md", vec!["no planning lock"]),
        ("specs/042-notify/out/new.md", vec![]),
    ] {
        for contract in BOTH {
            let ruling = place.ruling(contract, &place.write(path));
            assert_eq!(ruling.word(), if words.is_empty() { "silent" } else { "refused" }, "{path}: {ruling:?}");
            assert!(words.iter().all(|word| ruling.text().contains(word)), "{path}: {ruling:?}");
        }
    }
}
