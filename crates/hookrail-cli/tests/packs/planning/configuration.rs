//! §15: everything the file names is honoured.

use crate::planning::project::{BOTH, Contract, LOCK, PlanningProject, STATE};
use serde_json::Value;
use std::path::Path;

const PLANNING: &str = "phase: RESEARCH\nuser_decisions: {Use Redis for caching: Yes}";

fn busy() -> PlanningProject {
    PlanningProject::new().state(PLANNING).file(LOCK, r#"{"session_id": "other"}"#)
}

/// What each hook would refuse or tell in [`busy`], and the switch it has.
fn temptations(place: &PlanningProject) -> [(&'static str, Option<&'static str>, Value); 4] {
    [
        ("guard-immutable-decisions", Some("hooks_immutable_guard"), place.ask(&["What caching to use?"])),
        ("enforce-planning-lock", Some("hooks_lock_enforcement"), place.write("specs/042-notify/design.md")),
        ("protect-spec-immutability", Some("hooks_spec_protection"), place.write("specs/042-notify/spec.md")),
        ("checkpoint-logger", None, place.wrote(place.feature_path(STATE))),
    ]
}

#[test]
fn a_hook_that_is_switched_off_is_silent_and_the_others_are_not() {
    // covers: AC6
    for number in 0..4 {
        for contract in BOTH {
            let place = busy();
            let (hook, flag, event) = temptations(&place)[number].clone();
            let says = |yaml: &str| {
                place.plugin.write("config/planning-config.yaml", yaml);
                place.fire(contract, Some(hook), &event).ruling(contract, hook).word()
            };
            if let Some(flag) = flag {
                assert_eq!(says(&format!("feature_flags: {{{flag}: {{enabled: false}}}}")), "silent", "{hook}");
                let chain =
                    format!("{flag}: {{enabled: true, requires: [a]}}, a: {{requires: [b]}}, b: {{enabled: off}}");
                assert_eq!(says(&format!("feature_flags: {{{chain}}}")), "silent", "{hook}");
            }
            assert_eq!(says("feature_flags: {hooks_enforcement: {enabled: false}}"), "silent", "{hook}");
            assert_ne!(says("feature_flags: {hooks_stop_guard: {enabled: false}}"), "silent", "{hook}");
        }
    }
}

#[test]
fn the_budget_tracker_has_a_switch_too() {
    // covers: H03
    let yaml = "research_mcp: {budget: {total_calls_per_session: 0}}";
    for (flags, expected) in [("{}", "refused"), ("{hooks_budget_tracker: {enabled: false}}", "silent")] {
        for contract in BOTH {
            let place = PlanningProject::new().config(&format!("{yaml}\nfeature_flags: {flags}"));
            assert_eq!(place.ruling(contract, &place.research("mcp__ref__x", 1)).word(), expected);
        }
    }
}

#[test]
fn the_threshold_of_common_keywords_is_configured() {
    // covers: H01
    let state = "user_decisions: {Use Redis for caching: Yes}";
    for (threshold, expected) in [("0.5", "refused"), ("0.6", "silent"), ("1", "silent"), ("sixty", "silent")] {
        for contract in BOTH {
            let yaml = format!("feature_flags: {{hooks_immutable_guard: {{keyword_overlap_threshold: {threshold}}}}}");
            let place = PlanningProject::new().state(state).config(&yaml);
            assert_eq!(place.ruling(contract, &place.ask(&["Redis version?"])).word(), expected, "{threshold}");
        }
    }
}

#[test]
fn while_the_file_of_development_mode_exists_no_hook_works() {
    // covers: AC6
    for (yaml, file) in
        [("", "hooks/.dev-mode"), ("feature_flags: {hooks_enforcement: {dev_mode_file: tmp/off}}", "tmp/off")]
    {
        for contract in BOTH {
            let place = busy().config(yaml);
            place.plugin.write(file, "");
            for (hook, _, event) in temptations(&place) {
                assert_eq!(place.fire(contract, Some(hook), &event).ruling(contract, hook).word(), "silent", "{hook}");
            }
            assert_eq!(place.log().matches("DEV_SKIP | Development mode active").count(), 4, "{}", place.log());
            std::fs::remove_file(place.plugin.at(file)).unwrap();
            for (hook, _, event) in temptations(&place) {
                assert_ne!(place.fire(contract, Some(hook), &event).ruling(contract, hook).word(), "silent", "{hook}");
            }
        }
    }
    let place = busy().config("feature_flags: {hooks_enforcement: {dev_mode_file: tmp/off}}");
    place.plugin.write("hooks/.dev-mode", "");
    assert_eq!(place.ruling(Contract::Spec, &place.write("specs/042-notify/a.md")).word(), "refused", "another file");
}

#[test]
fn the_configuration_is_the_plugins_the_projects_or_one_that_is_named() {
    // covers: AC6
    let (strict, open) = ("# none\n", "feature_flags: {hooks_lock_enforcement: {enabled: false}}");
    let ruling = |place: &PlanningProject| place.ruling(Contract::Spec, &place.write("specs/042-notify/a.md")).word();
    let place = busy();
    assert_eq!(ruling(&place), "refused", "no file at all");
    place.project.write("config/planning-config.yaml", open);
    assert_eq!(ruling(&place), "silent", "the project's");
    let place = place.config(strict);
    assert_eq!(ruling(&place), "refused", "the plugin's comes first");
    place.home.write(".config/hookrail/hookrail.toml", "[planning]\nconfig = \"conf/own.yaml\"\n");
    assert_eq!(ruling(&place), "refused", "a file that is named and not there");
    place.project.write("conf/own.yaml", open);
    assert_eq!(ruling(&place), "silent", "the named one comes first");
    assert_eq!(ruling(&PlanningProject { env: Vec::new(), ..place }), "silent");
}

#[test]
fn a_changed_configuration_counts_at_once() {
    // covers: H03
    let place = PlanningProject::new();
    for (limit, expected) in [(2, "silent"), (1, "refused"), (3, "silent")] {
        let yaml = format!("research_mcp: {{budget: {{total_calls_per_session: {limit}, warn_at_percentage: 100}}}}");
        place.plugin.write("config/planning-config.yaml", &yaml);
        assert_eq!(place.ruling(Contract::Spec, &place.research("mcp__ref__x", limit)).word(), expected, "{limit}");
    }
}

#[test]
fn the_log_lies_where_the_configuration_says() {
    // covers: AC6
    for contract in BOTH {
        let place = busy();
        let folder = place.home.at("logs");
        let yaml = format!(
            "feature_flags: {{hooks_enforcement: {{log_location: '{}/p-{{session_id}}.log'}}}}",
            folder.display()
        );
        let place = place.config(&yaml);
        place.ruling(contract, &place.write("specs/042-notify/a.md"));
        let log = std::fs::read_to_string(folder.join("p-abc123.log")).unwrap();
        assert!(log.contains("H02_lock_enforcement: DENY | DENIED: planning lock owned"), "{log}");
        assert_eq!(place.log(), "", "one log is enough");

        let mut event = place.write("specs/042-notify/a.md");
        event["session_id"] = "../../x".into();
        place.ruling(contract, &event);
        let names: Vec<String> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        assert_eq!(names.len(), 2, "a session id is never a path: {names:?}");
    }
}

#[test]
#[cfg(unix)]
fn a_log_is_never_written_through_a_link_nor_where_a_project_likes() {
    // covers: AC6
    use std::os::unix::fs::symlink;
    let victim = |place: &PlanningProject| place.home.at("victim.log");
    let locate = |path: &Path| format!("feature_flags: {{hooks_enforcement: {{log_location: '{}'}}}}", path.display());
    let make = || {
        let place = busy();
        place.home.write("victim.log", "mine\n");
        place
    };
    let place = make();
    symlink(victim(&place), place.home.at("link.log")).unwrap();
    let yaml = locate(&place.home.at("link.log"));
    let place = place.config(&yaml);
    assert_eq!(place.ruling(Contract::Spec, &place.write("specs/042-notify/a.md")).word(), "refused");
    assert_eq!(place.home.read("victim.log"), "mine\n");

    let place = make();
    place.project.write("config/planning-config.yaml", &locate(&place.home.at(".bashrc")));
    place.home.write(".bashrc", "mine\n");
    assert_eq!(place.ruling(Contract::Spec, &place.write("specs/042-notify/a.md")).word(), "refused");
    assert_eq!(place.home.read(".bashrc"), "mine\n", "a project's configuration reaches for a file of the user's");
    assert!(place.log().contains("H02"), "the log is in its usual place");
}
