use crate::doctor::machine::{Checkup, DoctorFixture};
use std::os::unix::fs::PermissionsExt;

fn fixed(checkup: &Checkup) -> Vec<String> {
    let fixed = checkup.json["fixed"].as_array().unwrap().iter();
    fixed.map(|line| line.as_str().unwrap().to_owned()).collect()
}

fn mode(machine: &DoctorFixture, path: &str) -> u32 {
    machine.at(path).metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn looking_changes_nothing() {
    let machine = DoctorFixture::new();
    machine.doctor(&[]).expect("State", "warning", "does not exist yet");
    assert!(!machine.at("state").exists());
}

#[test]
fn the_state_directory_is_made_and_protected() {
    let machine = DoctorFixture::new();
    assert_eq!(fixed(&machine.doctor(&["--fix"])).len(), 1);
    assert_eq!(mode(&machine, "state"), 0o700);
    for (open, state) in [(0o755, "warning"), (0o777, "error")] {
        machine.chmod("state", open);
        machine.doctor(&[]).expect("State", state, "state");
        assert_eq!(mode(&machine, "state"), open, "only looked at");
        let checkup = machine.doctor(&["--fix"]);
        assert!(fixed(&checkup)[0].contains("yours alone"), "{open:o}");
        assert_eq!(mode(&machine, "state"), 0o700, "{open:o}");
        checkup.expect("State", "ok", "accessible only to you");
    }
}

#[test]
fn a_state_directory_behind_a_link_is_told_and_left_alone() {
    let machine = DoctorFixture::new().file("elsewhere/.keep", "");
    machine.chmod("elsewhere", 0o755);
    std::os::unix::fs::symlink(machine.at("elsewhere"), machine.at("state")).unwrap();
    let checkup = machine.doctor(&["--fix"]);
    checkup.expect("State", "error", "is a symlink");
    assert_eq!(checkup.code, 3);
    assert_eq!(mode(&machine, "elsewhere"), 0o755);
}

#[test]
fn altered_entries_are_installed_again_and_the_rest_of_the_file_stays() {
    let machine = DoctorFixture::new();
    machine.write("p/.claude/settings.json", "{\n  \"model\": \"opus\"\n}\n");
    machine.run(&["install", "claude", "--pack", "core"]);
    let good = machine.read("p/.claude/settings.json");
    machine.write("p/.claude/settings.json", &good.replace("15", "1").replace("opus", "sonnet"));
    let checkup = machine.doctor(&["--fix"]);
    assert_eq!(fixed(&checkup), ["installed the entries of claude (project) again"]);
    checkup.expect("Hook entries", "ok", "as installed");
    assert_eq!(machine.read("p/.claude/settings.json"), good.replace("opus", "sonnet"));
}

#[test]
fn what_is_hidden_behind_another_fault_is_mended_too() {
    let machine = DoctorFixture::new();
    machine.run(&["install", "claude"]);
    let good = machine.read("p/.claude/settings.json");
    machine.write("p/.claude/settings.json", &good.replace("15", "1"));
    machine.chmod("state", 0o777);
    assert_eq!(fixed(&machine.doctor(&["--fix"])).len(), 2);
    assert_eq!(machine.read("p/.claude/settings.json"), good);
}

#[test]
fn locks_without_a_session_are_removed_and_others_stay() {
    let machine = DoctorFixture::new();
    machine.doctor(&["--fix"]);
    for (lock, old) in [("gone", true), ("young", false), ("used", true)] {
        machine.write(&format!("state/sessions/{lock}.lock"), "");
        if old {
            let file = std::fs::File::options().write(true).open(machine.at(&format!("state/sessions/{lock}.lock")));
            file.unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
        }
    }
    machine.write("state/sessions/used.json", "{}");
    machine.doctor(&[]).expect("State", "warning", "1 lock without a session");
    assert_eq!(fixed(&machine.doctor(&["--fix"])), ["removed 1 lock without an owner"]);
    let left = |name: &str| machine.at(&format!("state/sessions/{name}.lock")).exists();
    assert_eq!((left("gone"), left("young"), left("used")), (false, true, true));
}

#[test]
fn what_cannot_be_mended_safely_is_only_told() {
    let machine = DoctorFixture::new();
    machine.doctor(&["--fix"]);
    machine.write("state/sessions/s.json.corrupt-1", "?");
    std::os::unix::fs::symlink("/etc/passwd", machine.at("state/link")).unwrap();
    machine.write("state/journal/000000000001.jsonl", "not a record\n");
    machine.write("state/install/records.json", "oops");
    machine.write("state/trust.json", "oops");
    let checkup = machine.doctor(&["--fix"]);
    assert_eq!(fixed(&checkup), [""; 0]);
    checkup.expect("State", "warning", "1 damaged file was set aside");
    checkup.expect("State", "error", "link is a symlink");
    checkup.expect("State", "error", "journal:");
    checkup.expect("Hook entries", "error", "the list of installations");
    checkup.expect("Trust", "error", "the list of trusted hooks");
    assert_eq!(checkup.code, 3);
    assert!(machine.at("state/link").is_symlink() && machine.at("state/sessions/s.json.corrupt-1").exists());
}
