//! Who may say what.

use super::{RulesFixture, reason_of, rule};

#[test]
fn what_denies_and_asks_holds_from_every_layer_without_trust() {
    let machine = RulesFixture::new(&rule("no-publish", r#"effect = "package.publish""#, "deny"));
    machine.project(
        &(rule("no-push", r#"effect = "git.push""#, "deny") + &rule("ask-fetch", r#"effect = "net.fetch""#, "ask")),
    );
    for (command, expected) in
        [("npm publish", "deny"), ("git push", "deny"), ("curl https://example.com", "ask"), ("ls", "none")]
    {
        assert_eq!(machine.decision(command), expected, "{command}");
    }
}

#[test]
fn a_project_cannot_except_itself_from_its_users_rules() {
    let exception = |rule: &str| format!("[[exception]]\nrule = \"{rule}\"\nwhen = {{ effect = \"*\" }}\n");
    let machine = RulesFixture::new(&rule("no-push", r#"effect = "git.push""#, "deny"));
    machine.project(&(exception("no-push") + &exception("safety/delete-outside")));
    assert_eq!(machine.decision("git push"), "deny");
    assert_eq!(machine.decision("rm -rf /usr/lib"), "deny");
    machine.project("");
    machine.user(
        &(rule("no-push", r#"effect = "git.push""#, "deny")
            + &exception("no-push")
            + &exception("safety/delete-outside")),
    );
    assert_eq!(machine.decision("git push"), "none");
    assert_eq!(machine.decision("rm -rf /usr/lib"), "none");
}

#[test]
fn safety_holds_unless_the_user_says_otherwise() {
    let machine = RulesFixture::new("");
    assert_eq!(machine.decision("rm -rf /usr/lib"), "deny");
    for (user, project, expected) in [
        ("[packs.safety]\nenabled = false\n", "", "none"),
        ("", "[packs.safety]\nenabled = false\n", "deny"),
        ("[hooks.\"safety/delete-outside\"]\nmode = \"off\"\n", "", "none"),
        ("", "[hooks.\"safety/delete-outside\"]\nmode = \"off\"\n", "deny"),
        ("[safety]\nlevel = \"relaxed\"\n", "", "ask"),
        ("", "[safety]\nlevel = \"relaxed\"\n", "deny"),
        ("[safety]\nlevel = \"relaxed\"\n", "[safety]\nlevel = \"strict\"\n", "deny"),
    ] {
        machine.user(user);
        machine.project(project);
        assert_eq!(machine.decision("rm -rf /usr/lib"), expected, "{user} {project}");
    }
}

#[test]
fn a_projects_allow_needs_approval_and_loses_it_when_it_changes() {
    let machine = RulesFixture::new("");
    machine.project(&rule("tests", r#"effect = "exec.test""#, "allow"));
    assert_eq!(machine.decision("pytest -q"), "none");
    let (_, shown, _) = machine.hookrail(&["trust", "--list"], "");
    assert!(shown.contains("rule/tests") && shown.contains("effect = \"exec.test\""), "{shown}");
    assert_eq!(machine.hookrail(&["trust", "--yes"], "").0, Some(0));
    assert_eq!(machine.decision("pytest -q"), "allow");
    machine.project(&rule("tests", r#"effect = "exec.*""#, "allow"));
    assert_eq!(machine.decision("pytest -q"), "none");
    let (_, shown, _) = machine.hookrail(&["trust", "--list"], "");
    assert!(shown.contains("+ when = effect = \"exec.*\""), "{shown}");
}

#[test]
fn a_file_that_cannot_be_read_keeps_the_rules_it_had() {
    let machine = RulesFixture::new(&rule("no-push", r#"effect = "git.push""#, "deny"));
    assert_eq!(machine.decision("git push"), "deny");
    machine.user("[[rule]\nid = ");
    let answer = machine.before("git push");
    assert!(reason_of(&answer).contains("`no-push`"), "{answer}");
    assert_eq!(machine.decision("ls"), "none", "the rest goes on");
}

#[test]
fn a_change_of_a_rule_counts_at_once() {
    let machine = RulesFixture::new("");
    for effect in ["git.push", "git.commit", "net.fetch", "git.push"] {
        machine.user(&rule("r", &format!("effect = \"{effect}\""), "deny"));
        let denied: Vec<&str> = ["git push", "git commit -m x", "curl https://example.com"]
            .into_iter()
            .filter(|command| machine.decision(command) == "deny")
            .collect();
        assert_eq!(denied.len(), 1, "{effect}: {denied:?}");
    }
}

#[test]
fn modes_of_rules_are_those_of_hooks() {
    for (mode, decision, told) in
        [("warn", "none", true), ("shadow", "none", false), ("off", "none", false), ("enforce", "deny", true)]
    {
        let machine =
            RulesFixture::new(&(rule("r", r#"effect = "git.push""#, "deny") + &format!("mode = \"{mode}\"\n")));
        let answer = machine.before("git push");
        assert_eq!(super::decision_of(&answer), decision, "{mode}");
        assert_eq!(answer.to_string().contains("`r`"), told, "{mode}: {answer}");
    }
}

#[test]
fn the_journal_says_which_rule_decided_about_what() {
    let machine = RulesFixture::new(
        &(rule("no-push", r#"effect = "git.push""#, "deny") + &rule("daily", r#"effect = "exec.test""#, "allow")),
    );
    machine.before("cd src && git push");
    machine.before("pytest");
    let records = machine.journal();
    let of =
        |hook: &str| records.iter().find(|record| record["hook"] == hook).unwrap_or_else(|| panic!("{records:#?}"));
    let denied = of("rule/no-push");
    assert_eq!(denied["extra"]["rule"], "no-push");
    assert_eq!(denied["extra"]["layer"], "user");
    assert_eq!(denied["extra"]["hits"][0]["effect"], "git.push");
    assert_eq!(denied["extra"]["hits"][0]["span"], serde_json::json!([10, 18]));
    let allowed = of("rule/daily");
    assert_eq!((&allowed["decision"], &allowed["extra"]["rule"]), (&"allow".into(), &"daily".into()));
}
