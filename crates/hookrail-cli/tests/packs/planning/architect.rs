//! H08: a model judges if the user has one, the hook's own rules if not.

use crate::planning::project::{AnswerMeaning, BOTH, Contract, PlanningProject};
use crate::planning::results::{ACTIVE, ARCHITECT, end_of};
use hookrail_testkit::model_server::{ModelServer, Turn};
use hookrail_testkit::process::within;
use hookrail_testkit::project::TempProject;
use std::path::Path;
use std::time::Duration;

const VAGUE: &str = "We build a clean and scalable system with good layers.";
const COMPLETE: &str = "## Data Flow\nclient → api → store\n\n## Files to create\n- `src/api/user.ts`\n\n\
                        ## Interfaces\n`createUser(input: NewUser): User`\n\n## Build Sequence\n1. store\n2. api\n";

const HANG: Duration = Duration::from_secs(60);

/// The user's configuration for a model that speaks like OpenAI's.
fn model(server: &ModelServer, more: &str) -> String {
    format!("[model]\nprovider = \"openai\"\nmodel = \"judge-1\"\nbase_url = \"{}/v1\"\n{more}", server.base_url())
}

fn place(user: &str) -> PlanningProject {
    let place = PlanningProject::new().state(ACTIVE);
    place.home.write(".config/hookrail/hookrail.toml", user);
    place
}

#[track_caller]
fn judge(place: &PlanningProject, contract: Contract, said: &str) -> AnswerMeaning {
    place.ruling(contract, &end_of(place, ARCHITECT, said))
}

#[test]
fn without_a_model_the_five_elements_decide() {
    // covers: H08
    for contract in BOTH {
        let place = place("");
        assert_eq!(judge(&place, contract, COMPLETE), AnswerMeaning::Silent);
        let ruling = judge(&place, contract, VAGUE);
        let missing = "Blueprint incomplete: missing components with file paths, data flow, interfaces, files to create or \
                       modify, build sequence. Add what is missing";
        assert!(ruling.word() == "refused" && ruling.text().starts_with(missing), "{ruling:?}");
    }
}

#[test]
fn a_model_that_is_configured_decides_whatever_the_rules_say() {
    // covers: H08
    for contract in BOTH {
        for (said, answer, expected) in [
            (
                COMPLETE,
                r#"{"ok": false, "reason": "Blueprint incomplete: missing interfaces."}"#,
                "missing interfaces. Add",
            ),
            (COMPLETE, r#"{"decision": "block"}"#, "Blueprint incomplete. Add what is missing"),
            (VAGUE, r#"{"ok": true}"#, ""),
            (VAGUE, r#"{"decision": "approve", "reason": "fine", "systemMessage": ""}"#, ""),
        ] {
            let server = ModelServer::start([Turn::text(answer)]);
            let ruling = judge(&place(&model(&server, "")), contract, said);
            assert_eq!(ruling.word(), if expected.is_empty() { "silent" } else { "refused" }, "{answer}");
            assert!(ruling.text().contains(expected), "{ruling:?}");
            let asked = server.generations();
            assert_eq!((asked.len(), asked[0].model()), (1, "judge-1"));
            assert!(asked[0].mentions("(5) build sequence"), "{}", asked[0].last_user_text());
            assert!(asked[0].mentions(said.lines().next().unwrap()), "{}", asked[0].last_user_text());
        }
    }
}

#[test]
fn the_model_reads_the_design_that_the_architect_names() {
    // covers: H08
    let server = ModelServer::start([Turn::text(r#"{"ok": true}"#)]);
    let place = place(&model(&server, "")).file("design.clean.md", "the store is an append-only file");
    assert_eq!(judge(&place, Contract::Agent, "See design.clean.md."), AnswerMeaning::Silent);
    assert!(server.generations()[0].mentions("the store is an append-only file"));
}

#[test]
fn every_kind_of_model_can_be_asked_and_gets_its_own_key() {
    // covers: H08
    for (provider, version, header) in
        [("anthropic", "", "x-api-key"), ("openai", "/v1", "authorization"), ("gemini", "", "x-goog-api-key")]
    {
        let server = ModelServer::start([Turn::text(r#"{"ok": false, "reason": "no"}"#)]);
        let config = format!(
            "[model]\nprovider = \"{provider}\"\nmodel = \"m\"\nbase_url = \"{}{version}\"\nkey_env = \"MY_KEY\"\n",
            server.base_url()
        );
        let place = place(&config).env("MY_KEY", "sk-mine");
        assert_eq!(judge(&place, Contract::Agent, COMPLETE).word(), "refused", "{provider}");
        let key = server.generations()[0].header(header).map(str::to_owned);
        assert!(key.is_some_and(|key| key.ends_with("sk-mine")), "{provider}");
    }
}

#[test]
fn a_model_without_its_key_is_as_good_as_none() {
    // covers: H08
    let server = ModelServer::start([Turn::text(r#"{"ok": true}"#)]);
    let place = place(&model(&server, "key_env = \"MY_KEY\"\n"));
    assert_eq!(judge(&place, Contract::Agent, VAGUE).word(), "refused");
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn a_model_that_fails_holds_nobody_and_rests_after_three_times() {
    // covers: H08
    for contract in BOTH {
        let server = ModelServer::start([(); 5].map(|()| Turn::error(500, "overloaded")));
        let place = place(&model(&server, ""));
        for attempt in 1..=3 {
            let ruling = judge(&place, contract, VAGUE);
            assert_ne!(ruling.word(), "refused", "{attempt}: {ruling:?}");
            assert_eq!(place.log().matches("H08_architect_validator: ERROR | ").count(), attempt, "{}", place.log());
        }
        assert_ne!(judge(&place, contract, VAGUE).word(), "refused");
        assert_eq!(server.generations().len(), 3, "it is not asked any more");
    }
}

/// `hookrail-hook` has no network.
#[test]
fn the_small_program_asks_through_its_sibling_and_is_told_how_to_repair_a_missing_one() {
    // covers: H08
    for (installed, on_error) in [(true, "deny"), (false, "deny"), (false, "allow")] {
        let server = ModelServer::start([Turn::text(r#"{"ok": true}"#)]);
        let strict = format!("[hooks.\"planning/validate-architect-output\"]\non_error = \"{on_error}\"\n");
        let mut place = place(&model(&server, &strict));
        let programs = TempProject::new();
        for program in [env!("CARGO_BIN_EXE_hookrail-hook"), env!("CARGO_BIN_EXE_hookrail")]
            .iter()
            .take(1 + usize::from(installed))
        {
            let name = Path::new(program).file_name().unwrap().to_str().unwrap();
            std::fs::copy(program, programs.at(name)).unwrap();
        }
        place.small = Some(programs.at("hookrail-hook"));
        let ruling = judge(&place, Contract::Agent, VAGUE);
        assert_eq!(server.generations().len(), usize::from(installed));
        assert_eq!(ruling.word() == "refused", !installed && on_error == "deny", "{ruling:?}");
        if !installed {
            let told = format!("{}{}", ruling.text(), place.log());
            assert!(told.contains("is missing") && told.contains("repair: "), "{told}");
        }
    }
}

#[test]
fn a_model_that_takes_too_long_holds_nobody() {
    // covers: H08
    let models_time = "timeout = \"200ms\"\n";
    let hooks_time = "timeout = \"90s\"\n[hooks.\"planning/validate-architect-output\"]\ntimeout = \"300ms\"\n";
    for (contract, time) in BOTH.into_iter().flat_map(|contract| [(contract, models_time), (contract, hooks_time)]) {
        let server = ModelServer::start([Turn::delay(HANG * 2, Turn::text(r#"{"ok": false}"#))]);
        let config = model(&server, time);
        let ruling = within(HANG, move || judge(&place(&config), contract, VAGUE));
        assert_ne!(ruling.word(), "refused", "{ruling:?}");
    }
}

#[test]
fn a_project_cannot_send_anything_to_a_model_of_its_choice() {
    // covers: H08
    for file in [".hookrail/hookrail.toml", ".hookrail/local.toml"] {
        let server = ModelServer::start([Turn::text(r#"{"ok": true}"#)]);
        let place = place("");
        place.project.write(file, &model(&server, "key_env = \"MY_KEY\"\n"));
        let place = place.env("MY_KEY", "sk-mine");
        let said = place.fire(Contract::Agent, None, &end_of(&place, ARCHITECT, VAGUE));
        assert!(said.out.contains("`model` cannot come with a project; it is left out"), "{}", said.out);
        assert_eq!(said.ruling(Contract::Agent, file).word(), "refused", "the rules decide");
        assert_eq!(server.requests().len(), 0);
    }
}
