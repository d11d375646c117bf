use crate::doctor::machine::DoctorFixture;
use hookrail_testkit::process::within;
use std::time::Duration;

pub fn healthy() -> DoctorFixture {
    let machine = DoctorFixture::new()
        .script("bin/claude", "#!/bin/sh\necho '2.1.325 (Claude Code)'\n")
        .file("home/.claude.json", "{}")
        .file("p/.hookrail/hookrail.toml", "[packs.core]\nmode = \"enforce\"\n");
    machine.run(&["install", "claude"]);
    machine
}

#[test]
fn a_healthy_machine_is_a_short_list_of_ticks() {
    let machine = healthy();
    let output = machine.hookrail(&["doctor"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.trim_end().ends_with("no problems found"), "{text}");
    let ticks = text.lines().filter(|line| line.contains('✓')).count();
    assert_eq!(ticks, text.lines().count() - 2, "{text}");
    assert!(ticks <= 12, "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn programs_and_versions_are_told() {
    let machine = healthy();
    let checkup = machine.doctor(&[]);
    checkup.expect("Program", "ok", env!("CARGO_PKG_VERSION"));
    checkup.expect("Agents", "ok", "Claude Code 2.1.325");
    machine.remove("bin/hookrail");
    let checkup = machine.doctor(&[]);
    checkup.expect("Program", "error", "not in PATH");
    assert_eq!(checkup.code, 3, "an entry calls it by name");
    let machine = machine.script("bin/hookrail", "#!/bin/sh\necho hookrail 0.0.9\n");
    machine.doctor(&[]).expect("Program", "warning", "agents find hookrail 0.0.9");
}

#[test]
fn an_agent_that_does_not_tell_its_version_does_not_hold_the_doctor_up() {
    let machine = healthy().script("bin/codex", "#!/bin/sh\nsleep 600\n");
    let checkup = within(Duration::from_secs(60), move || machine.doctor(&[]));
    checkup.expect("Agents", "ok", "does not tell its version");
}

#[test]
fn mistakes_of_configuration_are_told_with_their_place() {
    let machine = healthy()
        .file("p/.hookrail/hookrail.toml", "[packs.core]\nmode = \"of\"\n")
        .file("p/.gemini/settings.json", r#"{"hooks": {"PreToolUse": []}}"#);
    let checkup = machine.doctor(&[]);
    checkup.expect("Configuration", "error", ".hookrail/hookrail.toml:2:8");
    checkup.expect("Hook files", "error", ".gemini/settings.json:1:12");
    assert_eq!(checkup.code, 3);
}

#[test]
fn a_hookrail_toml_in_the_root_of_the_project_is_pointed_out() {
    let machine = healthy().file("p/hookrail.toml", "[packs.planning]\nenabled = true\n");
    let checkup = machine.doctor(&[]);
    checkup.expect("Configuration", "warning", "did you mean `.hookrail/hookrail.toml`?");
    let output = machine.hookrail(&["validate"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("`hookrail.toml` is not read"), "{text}");
}

#[test]
fn development_mode_is_not_forgotten() {
    let machine = healthy()
        .file("home/.config/hookrail/hookrail.toml", "[dev_mode]\nfile = \".hookrail-dev\"\n")
        .file("p/.hookrail-dev", "");
    machine.doctor(&[]).expect("Configuration", "warning", "development mode");
}

#[test]
fn a_model_that_cannot_be_asked_is_pointed_out() {
    let machine =
        healthy().file("home/.config/hookrail/hookrail.toml", "[model]\nprovider = \"gemini\"\nmodel = \"m\"\n");
    machine.doctor(&[]).expect("Configuration", "warning", "`GEMINI_API_KEY` is not set here");
}

#[test]
fn who_still_has_to_say_yes_is_told() {
    let machine = healthy()
        .file("p/.hookrail/hookrail.toml", "[[command]]\nname = \"lint\"\nevent = \"AfterTool\"\ncommand = \"true\"\n");
    machine.run(&["install", "claude", "gemini", "codex"]);
    let checkup = machine.doctor(&[]);
    checkup.expect("Trust", "warning", "lint");
    checkup.expect("Trust", "warning", "Gemini CLI is not known to trust this folder");
    checkup.expect("Trust", "warning", "hooks in .codex/hooks.json not approved");
    assert_eq!(checkup.code, 0, "nothing is wrong, a person has to decide");

    machine.run(&["trust", "--yes"]);
    let claude = |accepted: bool| {
        let project = machine.at("p").canonicalize().unwrap();
        format!("{{\"projects\": {{\"{}\": {{\"hasTrustDialogAccepted\": {accepted}}}}}}}", project.display())
    };
    machine.write("home/.claude.json", &claude(false));
    machine.doctor(&[]).expect("Trust", "warning", "Claude Code does not trust this folder yet");
    machine.write("home/.claude.json", &claude(true));
    machine.doctor(&[]).expect("Trust", "ok", "Claude Code trusts this folder");
    let project = machine.at("p").canonicalize().unwrap().display().to_string();
    machine.write("home/.gemini/trustedFolders.json", &format!("{{\"{project}\": \"TRUST_FOLDER\"}}"));
    let hooks: serde_json::Value = serde_json::from_str(&machine.read("p/.codex/hooks.json")).unwrap();
    let file = machine.at("p/.codex/hooks.json").canonicalize().unwrap();
    let state: String = hooks["hooks"]
        .as_object()
        .unwrap()
        .keys()
        .map(|event| {
            let event = match event.as_str() {
                "PreToolUse" => "pre_tool_use",
                "PostToolUse" => "post_tool_use",
                "PermissionRequest" => "permission_request",
                "UserPromptSubmit" => "user_prompt_submit",
                other => panic!("`{other}`"),
            };
            format!("[hooks.state.\"{}:{event}:0:0\"]\ntrusted_hash = \"sha256:x\"\n", file.display())
        })
        .collect();
    machine.write("home/.codex/config.toml", &state);
    let checkup = machine.doctor(&[]);
    checkup.expect("Trust", "ok", "1 command hook of this project, trusted");
    checkup.expect("Trust", "ok", "Gemini CLI trusts this folder");
    checkup.expect("Trust", "ok", "approved, until they change");

    machine.write("home/.gemini/trustedFolders.json", &format!("{{\"{project}\": \"DO_NOT_TRUST\"}}"));
    machine.write("home/.codex/config.toml", "[features]\nhooks = false\n");
    let checkup = machine.doctor(&[]);
    checkup.expect("Trust", "error", "told not to trust");
    checkup.expect("Trust", "error", "switched off");
    let settings = r#"{"security": {"folderTrust": {"enabled": false}}} // never ask"#;
    machine.write("home/.gemini/settings.json", settings);
    machine.doctor(&[]).expect("Trust", "ok", "Gemini CLI trusts every folder");
}

#[test]
fn a_hook_that_rests_is_told_while_its_session_lasts() {
    let session = |updated_at: i64| {
        format!(
            "{{\"breakers\": {{\"core/x\": {{\"open\": true, \"consecutive_failures\": 3}}}}, \"updated_at\": {updated_at}}}"
        )
    };
    let machine = healthy();
    machine.write("state/sessions/old.json", &session(0));
    machine.doctor(&[]).expect("Sessions", "ok", "no hooks disabled");
    machine.write("state/sessions/new.json", &session(i64::MAX / 2));
    machine.doctor(&[]).expect("Sessions", "warning", "core/x is disabled in session new");
}
