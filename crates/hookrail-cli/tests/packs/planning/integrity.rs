//! What must hold across sessions, and under hostile files.

use crate::planning::project::{BOTH, Contract, LOCK, PlanningProject, STATE};
use serde_json::{Value, json};

/// The same event in another session.
fn in_session(session: &str, mut event: Value) -> Value {
    event["session_id"] = json!(session);
    event
}

#[test]
fn ac1_state_integrity() {
    // covers: AC1
    for contract in BOTH {
        let place = PlanningProject::new().file("spec.md", "# Spec");
        let ask = |place: &PlanningProject| place.ask(&["Which cache should we use?"]);
        let write = |place: &PlanningProject, name: &str| place.write(place.feature_path(name));
        assert_eq!(place.ruling(contract, &ask(&place)).word(), "silent", "nothing is decided");
        assert_eq!(place.ruling(contract, &write(&place, "spec.md")).word(), "silent", "planning has not begun");

        let place = place.locked().state("phase: ARCHITECTURE\nuser_decisions: {Which cache?: Redis}");
        assert_eq!(place.ruling(contract, &write(&place, "design.md")).word(), "silent", "this session has the lock");
        assert!(place.ruling(contract, &write(&place, "spec.md")).text().contains("immutable"));

        let resumed = in_session("resumed", ask(&place));
        assert!(place.ruling(contract, &resumed).text().contains("'Redis'"), "after a resume the answer is known");
        let intruder = in_session("intruder", write(&place, STATE));
        let ruling = place.ruling(contract, &intruder);
        assert!(ruling.text().contains("owned by another session (abc123"), "{ruling:?}");
    }
}

#[test]
fn ac2_budget_enforcement() {
    // covers: AC2
    for contract in BOTH {
        let yaml =
            "research_mcp: {budget: {total_calls_per_session: 6, total_calls_per_phase: 4, warn_at_percentage: 80}}";
        let place = PlanningProject::new().config(yaml).state("phase: RESEARCH");
        let call = |number: usize| place.ruling(contract, &place.research("mcp__tavily__search", number));
        let save = |phase: &str| {
            place.project.write(place.feature_path(STATE), &format!("---\nphase: {phase}\n---\n"));
            place.ruling(contract, &place.wrote(place.feature_path(STATE)));
        };
        let words = |numbers: &[usize]| numbers.iter().map(|number| call(*number).word()).collect::<Vec<_>>();
        save("RESEARCH");
        assert_eq!(words(&[0, 1, 1, 2, 3]), ["silent", "silent", "silent", "silent", "told"], "retries are free");
        assert!(call(4).text().contains("phase budget exhausted (4/4 calls)"));
        save("CLARIFICATION");
        assert_eq!(words(&[4, 5]), ["told", "told"], "a new phase has calls again; the session is at 80%");
        assert!(call(6).text().contains("session budget exhausted (6/6 calls)"));
        save("ARCHITECTURE");
        assert_eq!(words(&[6, 5]), ["refused", "silent"], "the session has none left, whatever the phase");
    }
}

#[test]
fn hostile_files_neither_block_nor_hang() {
    // covers: H01 H04 H05
    let bomb: String =
        (1..20).map(|n| format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 9].join(","))).collect();
    let deep = format!("phase: {}", "[".repeat(5000));
    let long = format!("phase: {}", "x".repeat(1 << 20));
    for yaml in [format!("a0: &a0 x\n{bomb}"), deep, long, "<<: *nobody".to_owned(), "? [a]\n: b".to_owned()] {
        let place = PlanningProject::new().locked().state(&yaml);
        for event in [
            place.ask(&["What caching to use?"]),
            place.write("specs/042-notify/design.md"),
            place.wrote(place.feature_path(STATE)),
        ] {
            let said = place.fire(Contract::Agent, None, &event);
            assert_eq!((said.code, said.out.as_str()), (Some(0), ""), "{}: {said:?}", &yaml[..yaml.len().min(40)]);
        }
    }
}

#[test]
fn bytes_that_are_no_text_are_errors_of_the_file() {
    // covers: H01 H02 H04
    let place = PlanningProject::new();
    for (file, bytes) in [(STATE, b"---\nphase: \xff\n---\n".as_slice()), (LOCK, b"\xff\xfe{}")] {
        place.project.write(place.feature_path(file), "");
        std::fs::write(place.project.at(place.feature_path(file)), bytes).unwrap();
    }
    assert_eq!(place.ruling(Contract::Spec, &place.ask(&["What caching to use?"])).word(), "silent");
    let ruling = place.ruling(Contract::Spec, &place.write("specs/042-notify/spec.md"));
    assert!(ruling.text().contains("cannot be read, so its owner is unknown"), "{ruling:?}");
    assert!(!ruling.text().contains("immutable"), "{ruling:?}");
}

#[test]
fn a_large_file_is_no_obstacle() {
    // covers: H01 H05
    let body = "word ".repeat(1 << 20);
    let place =
        PlanningProject::new().file(STATE, &format!("---\nuser_decisions: {{Which cache?: Redis}}\n---\n{body}"));
    assert_eq!(place.ruling(Contract::Agent, &place.ask(&["Which cache?"])).word(), "refused");
    let question = "cache ".repeat(1 << 16);
    assert_eq!(place.ruling(Contract::Agent, &place.ask(&[&question])).word(), "refused");
}

#[test]
#[cfg(unix)]
fn a_pipe_in_place_of_a_file_is_not_waited_for() {
    // covers: H01 H02 H05
    let pipe = |path: std::path::PathBuf| {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    let begun = std::time::Instant::now();
    let place = PlanningProject::new();
    pipe(place.project.at(place.feature_path(STATE)));
    pipe(place.project.at(place.feature_path(LOCK)));
    assert_eq!(place.ruling(Contract::Agent, &place.ask(&["Which cache?"])).word(), "silent");
    assert_eq!(place.ruling(Contract::Agent, &place.wrote(place.feature_path(STATE))).word(), "silent");
    let ruling = place.ruling(Contract::Agent, &place.write("specs/042-notify/design.md"));
    assert!(ruling.text().contains("its owner is unknown"), "{ruling:?}");
    let place = PlanningProject::new();
    pipe(place.plugin.at("config/planning-config.yaml"));
    assert_eq!(place.ruling(Contract::Agent, &place.write("specs/042-notify/design.md")).word(), "silent");
    assert!(begun.elapsed().as_secs() < 8, "a hook has ten seconds, and these need none of them");
}

#[test]
#[cfg(target_os = "linux")]
fn a_link_to_a_device_is_no_file() {
    // covers: H01 H02 H04
    use std::os::unix::fs::symlink;
    for device in ["/dev/zero", "/dev/random", "/dev/stdin"] {
        let place = PlanningProject::new().file("spec.md", "x");
        for name in [STATE, LOCK] {
            symlink(device, place.project.at(place.feature_path(name))).unwrap();
        }
        assert_eq!(place.ruling(Contract::Agent, &place.ask(&["Which cache?"])).word(), "silent", "{device}");
        let ruling = place.ruling(Contract::Agent, &place.write("specs/042-notify/spec.md"));
        // What stdin leads to may be gone when it is looked at; then there is no lock at all.
        let no_lock = device == "/dev/stdin" && ruling.text().contains("no planning lock acquired");
        assert!(no_lock || ruling.text().contains("its owner is unknown"), "{device}: {ruling:?}");
    }
}

#[test]
#[cfg(unix)]
fn a_trail_that_is_a_link_is_not_followed() {
    // covers: H05
    let place = PlanningProject::new().state("phase: RESEARCH");
    place.home.write("victim", "mine\n");
    let trail = place.project.at(place.feature_path(".planning-audit.log"));
    std::os::unix::fs::symlink(place.home.at("victim"), trail).unwrap();
    for contract in BOTH {
        assert_eq!(place.ruling(contract, &place.wrote(place.feature_path(STATE))).word(), "silent");
    }
    assert_eq!(place.home.read("victim"), "mine\n");
    assert!(place.log().contains("H05_checkpoint_logger: ERROR"), "{}", place.log());
}
