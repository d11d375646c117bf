use crate::orchestrator::project::{PLAN, STATE, TEAM, TeamProject, WILD_PLAN, assert_has, state};
use serde_json::{Value, json};

const NUMBERS: &str = "2/6 tasks complete, 1 in-progress, 1 pending. 1 blocked. 1 escalated (needs human).";

fn with_state(change: impl FnOnce(&mut Value)) -> TeamProject {
    let mut state = state();
    change(&mut state);
    TeamProject::busy().file(STATE, &state.to_string())
}

#[test]
fn context_is_given_after_a_reset_but_not_at_a_fresh_start() {
    // covers: ORCH-5.2 ORCH-5.4 ORCH-5.6 ORCH-5.7
    let place = TeamProject::busy();
    for (source, agent, spec) in [
        ("clear", true, true),
        ("resume", true, true),
        ("compact", true, false),
        ("fork", true, false),
        ("startup", false, false),
    ] {
        for (speaks, said) in [
            (agent, place.fire("SessionStart", &json!({"source": source}))),
            (spec, place.fire_spec("SessionStart", &json!({"source": source}))),
        ] {
            if speaks {
                let text = said.context();
                assert_eq!(said.json()["hookSpecificOutput"]["hookEventName"], "SessionStart");
                let words = format!(
                    "Active implementation: Parser \"v2\" ({PLAN}). Progress: {NUMBERS} Read the design doc for full \
                     details: {PLAN}\n"
                );
                assert!(text.starts_with(&words), "the document's words come first: {text}");
                assert_has(&text, &[TEAM, "Slug: parser"]);
            } else {
                said.assert_silent(source);
            }
        }
    }
}

#[test]
fn after_a_compaction_either_switch_is_enough() {
    for key in ["session_context", "precompact_state"] {
        let place = TeamProject::busy().file(".claude/project.yml", &format!("hooks: {{{key}: true}}"));
        assert_has(&place.fire("SessionStart", &json!({"source": "compact"})).context(), &[NUMBERS]);
    }
}

#[test]
fn worktrees_come_from_the_state_or_from_a_heading() {
    // covers: ORCH-5.5 ORCH-7.6
    for (worktrees, expected) in [
        (json!({"api": "/w/api", "web": "/w/web"}), "Worktrees: api = /w/api, web = /w/web."),
        (json!({"_all": "/w/all"}), "Worktrees: /w/all."),
    ] {
        let place = with_state(|state| state["worktrees"] = worktrees);
        assert_has(&place.fire("SessionStart", &json!({"source": "clear"})).context(), &[expected]);
        assert_has(&place.fire_spec("PreCompact", &json!({"trigger": "auto"})).context(), &[expected]);
    }
    for (heading, expected) in [("## Worktree", true), ("## Worktrees", true), ("## Work", false)] {
        let place = TeamProject::busy().file(PLAN, &format!("{WILD_PLAN}\n{heading}\n\n/w\n"));
        let text = place.fire("SessionStart", &json!({"source": "clear"})).context();
        assert_eq!(
            text.contains(" Worktrees are configured — check the design doc for paths. "),
            expected,
            "{heading}: {text}"
        );
    }
}

#[test]
fn a_compaction_is_asked_to_keep_team_slug_and_numbers() {
    // covers: ORCH-6.2 ORCH-6.3
    let said = TeamProject::busy().fire_spec("PreCompact", &json!({"trigger": "auto"}));
    assert_eq!(said.json()["hookSpecificOutput"]["hookEventName"], "PreCompact");
    let words = format!(
        "ORCHESTRATION STATE — preserve this across compaction. Plan: Parser \"v2\" ({PLAN}). Team: {TEAM}. Progress: 2/6 \
         tasks complete. Read the design doc after compaction to restore full context."
    );
    assert!(said.context().starts_with(&words), "the document's words come first: {said:?}");
    assert_has(&said.context(), &[NUMBERS, "Slug: parser"]);
}

#[test]
fn an_agent_that_takes_no_text_before_a_compaction_gets_none() {
    TeamProject::busy().fire("PreCompact", &json!({"trigger": "auto"})).assert_silent("PreCompact");
}

#[test]
fn odd_characters_keep_every_answer_valid() {
    // covers: ORCH-2.8 ORCH-5.6 ORCH-6.4
    let odd = "a\"b\\c\n$(x) 'é'";
    let place = with_state(|state| state["team"] = json!(odd));
    let odd = odd.replace('\n', "\\n");
    assert_has(&place.fire_spec("PreCompact", &json!({"trigger": "auto"})).context(), &[&odd]);
    assert_has(&place.fire("SessionStart", &json!({"source": "clear"})).context(), &[&odd]);
    let fields = json!({"task_id": "1", "task_subject": "a\"b\\c\n$(x) 'é'"});
    assert_has(&place.fire_spec("TaskCompleted", &fields).context(), &[&odd]);
}

#[test]
fn a_worktree_has_the_state_of_its_repository() {
    let repository = TeamProject::busy();
    repository.project.write(".gitignore", ".claude/\n");
    let project = TeamProject { project: repository.project.git_init("main"), home: repository.home };
    let worktree = project.home.at("tree");
    project.project.git(&["worktree", "add", "--quiet", worktree.to_str().unwrap()]);
    let said = project.fire("SessionStart", &json!({"source": "clear", "cwd": worktree}));
    assert_has(&said.context(), &[NUMBERS]);
}
