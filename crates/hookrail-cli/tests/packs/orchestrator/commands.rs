use crate::orchestrator::project::{ALL_ON, CONFIG, PLAN, STATE, TEAM, TeamProject, WILD_PLAN, assert_has};
use serde_json::{Value, json};

fn ready() -> TeamProject {
    TeamProject::new().file(PLAN, WILD_PLAN).file(CONFIG, ALL_ON)
}

fn begin<'a>(rest: &[&'a str]) -> Vec<&'a str> {
    [&["orchestrator", "begin", "--plan", PLAN, "--team", TEAM], rest].concat()
}

fn state(place: &TeamProject) -> Value {
    serde_json::from_str(&place.project.read(STATE)).unwrap()
}

#[test]
fn begin_writes_the_state_and_end_removes_it() {
    // covers: ORCH-7.3 ORCH-7.4
    let place = ready();
    let said = place.run(&begin(&["--json"]));
    let written = state(&place);
    assert_eq!(said.json()["state"], written);
    let keys: Vec<&String> = written.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["active_plan", "slug", "team", "started", "worktrees"]);
    assert_eq!(written["active_plan"], PLAN);
    assert_eq!(written["slug"], "parser");
    assert_eq!(written["team"], TEAM);
    assert_eq!(written["worktrees"], json!({}));
    assert!(written["started"].as_str().unwrap().ends_with('Z'));
    assert_eq!(place.run(&["orchestrator", "end", "--json"]).json()["removed"].as_array().unwrap().len(), 1);
    assert!(!place.project.exists(STATE));
    assert_has(&place.run(&["orchestrator", "end"]).out, &["no plan is active"]);
}

#[test]
fn the_state_is_there_while_the_team_is_created() {
    // covers: ORCH-7.1
    let place = ready();
    let said = place.run(&begin(&["--json", "--", "sh", "-c", &format!("cp {STATE} seen && echo noise")]));
    assert_eq!(said.json()["state"], state(&place));
    let seen: Value = serde_json::from_str(&place.project.read("seen")).unwrap();
    assert_eq!(seen, state(&place));
}

#[test]
fn a_team_that_cannot_be_created_leaves_no_state() {
    // covers: ORCH-7.5
    let place = ready();
    for command in [&["--", "false"][..], &["--", "no-such-program"]] {
        let said = place.run(&begin(command));
        assert_eq!(said.code, Some(1), "{said:?}");
        assert_has(&said.err, &[command[1], "the state was removed again"]);
        assert!(!place.project.exists(STATE));
    }
}

#[test]
fn of_many_that_begin_at_once_one_does_and_the_others_hear_of_it() {
    // covers: ORCH-7.2
    let place = ready();
    let children: Vec<_> = (0..8)
        .map(|index| {
            let team = format!("team-{index}");
            place.command(&["orchestrator", "begin", "--plan", PLAN, "--team", &team]).spawn().unwrap()
        })
        .collect();
    let outputs: Vec<_> = children.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    let winner = state(&place)["team"].as_str().unwrap().to_owned();
    assert_eq!(outputs.iter().filter(|output| output.status.success()).count(), 1);
    for output in outputs.iter().filter(|output| !output.status.success()) {
        let text = String::from_utf8_lossy(&output.stderr);
        assert_has(&text, &[&format!("team `{winner}`"), PLAN]);
    }
    let names: Vec<_> =
        std::fs::read_dir(place.project.at(".claude")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "no draft is left beside the configuration: {names:?}");
}

#[test]
fn worktrees_are_kept_by_service_or_under_one_key() {
    // covers: ORCH-7.6
    let place = ready().file("w/api/x", "").file("w/web/x", "");
    let absolute = |path: &str| place.project.at(path);
    for (args, expected) in [
        (
            &["--worktree", "api=w/api", "--worktree", "web=w/web"][..],
            json!({"api": absolute("w/api"), "web": absolute("w/web")}),
        ),
        (&["--worktree", "w/api"], json!({"_all": absolute("w/api")})),
    ] {
        place.run(&begin(args)).message_free();
        assert_eq!(state(&place)["worktrees"], expected);
        place.run(&["orchestrator", "end"]);
    }
}

impl crate::orchestrator::project::TeamReply {
    /// It worked without a warning.
    #[track_caller]
    fn message_free(&self) {
        assert_eq!((self.code, self.err.as_str()), (Some(0), ""), "{self:?}");
    }
}

#[test]
fn what_cannot_begin_says_why_and_changes_nothing() {
    let place = ready().file("notes/x", "");
    let outside = place.home.at("plan.md");
    std::fs::write(&outside, "# P").unwrap();
    for (plan, team, rest, part) in [
        ("none.md", "t", "", "cannot read `none.md`"),
        ("notes", "t", "", "is not a file"),
        (outside.to_str().unwrap(), "t", "", "outside of the project"),
        (PLAN, "../t", "", "cannot be a team name"),
        (PLAN, "", "", "cannot be a team name"),
        (PLAN, "t", "--worktree=api=nowhere", "is not a folder"),
    ] {
        let mut args = vec!["orchestrator", "begin", "--plan", plan, "--team", team];
        args.extend(Some(rest).filter(|rest| !rest.is_empty()));
        place.project.write(".claude/keep", "");
        let said = place.run(&args);
        assert_eq!(said.code, Some(1), "{said:?}");
        assert_has(&said.err, &[part]);
        assert!(!place.project.exists(STATE), "{part}");
    }
}

#[test]
fn only_the_team_that_is_named_is_ended() {
    let place = ready();
    place.run(&begin(&[])).message_free();
    let said = place.run(&["orchestrator", "end", "--team", "other"]);
    assert_eq!(said.code, Some(1));
    assert_has(&said.err, &[TEAM, "other"]);
    assert!(place.project.exists(STATE));
    place.run(&["orchestrator", "end", "--team", TEAM]).message_free();
}

#[test]
fn status_tells_how_far_the_plan_is() {
    let place = ready();
    assert_eq!(place.run(&["orchestrator", "status", "--json"]).json()["state"], Value::Null);
    place.run(&begin(&[])).message_free();
    let status = place.run(&["orchestrator", "status", "--json"]).json();
    assert_eq!(status["title"], "Parser \"v2\"");
    assert_eq!(
        status["tasks"],
        json!({"total": 6, "complete": 2, "in_progress": 1, "pending": 1, "blocked": 1, "escalated": 1})
    );
    assert_has(&place.run(&["orchestrator", "status"]).out, &["2/6", TEAM]);
}

#[test]
fn a_worktree_begins_in_its_repository() {
    let place = ready();
    let place = TeamProject { project: place.project.git_init("main"), home: place.home };
    let worktree = place.home.at("tree");
    place.project.git(&["worktree", "add", "--quiet", worktree.to_str().unwrap()]);
    let mut command = place.command(&begin(&[]));
    command.current_dir(&worktree);
    let said = crate::orchestrator::project::finish(command, "");
    said.message_free();
    assert_eq!(state(&place)["active_plan"], PLAN);
    assert_has(&place.run(&begin(&[])).err, &["team `implement-parser`"]);
}

#[test]
fn begin_warns_when_the_hooks_would_have_nothing_to_say() {
    let boxes = "# P\n\n## Tasks\n\n- [x] Lexer\n- [ ] Parser\n";
    let words = "# P\n\n## Tasks\n\n| Task | Status |\n|--|--|\n| a | todo |\n| b | wip |\n| c | done |\n";
    for (plan, config, expected) in [
        (WILD_PLAN, Some(ALL_ON), &[][..]),
        (boxes, Some(ALL_ON), &[]),
        (words, Some(ALL_ON), &[]),
        ("# P\n\nJust do it.\n", Some(ALL_ON), &["no task can be read in the plan"]),
        (boxes, None, &["there is no `.claude/project.yml`"]),
        (boxes, Some("name: x\n"), &["no hook is switched on in `.claude/project.yml`"]),
        (boxes, Some("hooks: {stop_guard: 1, session_context: true}"), &["hooks.stop_guard must be true or false"]),
        ("# P", None, &["no task can be read", "there is no `.claude/project.yml`"]),
    ] {
        let place = TeamProject::new().file(PLAN, plan);
        config.iter().for_each(|config| place.project.write(CONFIG, config));
        let said = place.run(&begin(&[]));
        assert_eq!(said.code, Some(0), "a warning stops nothing: {said:?}");
        assert_eq!(said.err.matches("warning:").count(), expected.len(), "{said:?}");
        assert_has(&said.err, expected);
        place.run(&["orchestrator", "end"]).message_free();
        let warnings = place.run(&begin(&["--json"])).json()["warnings"].as_array().unwrap().len();
        assert_eq!(warnings, expected.len(), "{plan}");
    }
}

#[test]
fn status_never_says_none_of_none_without_a_reason() {
    for (plan, total, reason) in [
        ("# P\n\n## Tasks\n\n- [x] Lexer\n- [~] Parser\n- [ ] Printer\n", 3, None),
        ("# P\n", 0, Some("no task can be read in the plan")),
        ("# P\n\n## Tasks\n\n| Task | Status |\n|--|--|\n| a | someday |\n", 0, Some("no status that is known")),
    ] {
        let place = ready().file(PLAN, plan);
        place.run(&begin(&[]));
        let status = place.run(&["orchestrator", "status", "--json"]).json();
        assert_eq!(status["tasks"]["total"], total, "{status}");
        let text = place.run(&["orchestrator", "status"]).out;
        let context = place.fire("SessionStart", &json!({"source": "clear"})).context();
        match reason {
            None => assert_eq!(status["problem"], Value::Null),
            Some(reason) => {
                assert_has(status["problem"].as_str().unwrap(), &[reason]);
                assert_has(&text, &["0/0", reason]);
                assert_has(&context, &["0/0", reason]);
            }
        }
    }
}
