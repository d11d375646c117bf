//! What scenario files may say, and what is said about their mistakes.

use crate::project::{ScenarioProject, scenario};

#[test]
fn what_is_expected_must_happen() {
    let config = "```toml hookrail.toml\n[core]\nprotected = [\"secrets/\"]\n```";
    let secret = "write = \"secrets/a\"\ncontent = \"x\"";
    for (event, expect, holds) in [
        (secret, "decision = \"block\"", true),
        (secret, "decision = \"none\"", false),
        (secret, "reason = \"protected\"", true),
        (secret, "reason = [\"protected\", \"nonsense\"]", false),
        (secret, "message = \"x\"", false),
        (secret, "context = \"x\"", false),
        (secret, "ran = \"core/protected-paths\"", true),
        (secret, "ran = []", false),
        (secret, "silent = true", false),
        (secret, "exit_code = 0", true),
        (secret, "exit_code = 2", false),
        (secret, "stdout = \"\"", false),
        (secret, "stderr = \"x\"", false),
        (secret, "files.\"secrets/a\" = { absent = true }", true),
        (secret, "files.\".hookrail/hookrail.toml\" = { absent = true }", false),
        (secret, "files.\".hookrail/hookrail.toml\" = { contains = [\"core\", \"secrets\"] }", true),
        (secret, "files.\".hookrail/hookrail.toml\" = { contains = \"nonsense\" }", false),
        (secret, "files.\".hookrail/hookrail.toml\" = { equals = \"x\" }", false),
        (secret, "files.\"none\" = { contains = \"x\" }", false),
        (secret, "journal = \"core/protected-paths\"", true),
        (secret, "journal = \"nonsense\"", false),
        (secret, "rewrite = { content = \"y\" }", false),
        (secret, "session.values.x = 1", false),
        ("write = \"src/a\"", "decision = \"none\"\nsilent = true\nstdout = \"\"", true),
        ("event = \"PreToolUse\"\nread = \"secrets/a\"", "decision = \"none\"", true),
        (
            "hook_event_name = \"PreToolUse\"\ncwd = \"{{project}}\"\ntool_name = \"Write\"\ntool_input = { file_path = \"secrets/a\" }",
            "decision = \"block\"",
            true,
        ),
    ] {
        let place = ScenarioProject::with("s.md", &scenario(config, event, expect));
        let said = place.test(&["s.md"]);
        assert_eq!(said.code, if holds { 0 } else { 3 }, "{event}\n{expect}\n{said:?}");
    }
}

#[test]
fn steps_come_one_after_the_other_and_state_carries_over() {
    let text = "# Two steps\n\n```toml given\nhook = \"orchestrator/stop-guard\"\n```\n\n\
        ```json file=.claude/orchestrator-state.json\n{\"active_plan\": \"p.md\", \"slug\": \"p\", \"team\": \"t\", \"started\": \"2026-02-16T10:00:00Z\", \"worktrees\": {}}\n```\n\n\
        ```markdown file=p.md\n# P\n\n## Implementation Tasks\n\n| # | Task | Status |\n|---|---|---|\n| 1 | A | pending |\n```\n\n\
        ```yaml file=.claude/project.yml\nhooks:\n  stop_guard: true\n```\n\n\
        ```toml event\nevent = \"AfterAgent\"\n```\n\n```toml expect\ndecision = \"block\"\n```\n\n\
        ```toml event\nevent = \"AfterAgent\"\nstop_hook_active = true\n```\n\n```toml expect\ndecision = \"none\"\n```\n";
    let said = ScenarioProject::with("s.md", text).test(&["s.md"]);
    assert_eq!(said.code, 0, "{said:?}");
}

#[test]
fn toml_says_the_same_as_markdown() {
    let text = "[given]\nagents = [\"claude\", \"codex\"]\nconfig = \"\"\"\n[core]\nprotected = [\"secrets/\"]\n\"\"\"\n\n\
        [[scenario]]\nname = \"a secret\"\n[[scenario.step]]\nevent = { write = \"secrets/a\" }\nexpect = { decision = \"block\" }\n\n\
        [[scenario]]\nname = \"no secret\"\ngiven.files.\"src/a\" = \"x\"\n[[scenario.step]]\n[scenario.step.event]\nwrite = \"src/a\"\n\
        [scenario.step.expect]\ndecision = \"none\"\nfiles.\"src/a\" = { equals = \"x\" }\n";
    let place = ScenarioProject::with("s.toml", text);
    let report = place.test_json(&["s.toml"]);
    assert_eq!((report["passed"].clone(), report["failed"].clone()), (4.into(), 0.into()), "{report}");
    let wrong = ScenarioProject::with("s.toml", &text.replace("decision = \"none\"", "decision = \"ask\""));
    let said = wrong.test(&["s.toml"]);
    assert!(said.code == 3 && said.out.contains("s.toml:21 decision") && said.out.contains("- ask"), "{said:?}");
}

#[test]
fn a_mistake_is_told_with_its_place() {
    let good = "decision = \"none\"";
    for (text, expected) in [
        (scenario("", "event = \"Stpo\"", good), vec!["s.md:8:9", "agent `claude` has no event `Stpo`"]),
        (
            scenario("", "event = \"Stop\"", "decison = \"none\""),
            vec!["s.md:12:", "unknown key `decison`", "did you mean `decision`?"],
        ),
        (scenario("", "event = \"Stop\"", "decision = \"no\""), vec!["s.md:12:12", "unknown decision `no`"]),
        (scenario("", "event = ", good), vec!["s.md:8:", "this is not TOML"]),
        (
            scenario("```toml given\nhook = \"core/nothing\"\n```", "event = \"Stop\"", good),
            vec!["s.md:6:8", "unknown hook `core/nothing`"],
        ),
        (
            scenario("```toml given\nagent = \"cluade\"\n```", "event = \"Stop\"", good),
            vec!["s.md:6:", "unknown agent `cluade`"],
        ),
        (
            scenario("```text file=../x\n```", "event = \"Stop\"", good),
            vec!["s.md:5:1", "`../x` must be a path in the project"],
        ),
        (
            scenario("", "event = \"Stop\"", "files.\"../x\" = { absent = true }"),
            vec!["s.md:12:", "must be a path in the project"],
        ),
        ("# A\n\n```toml expect\ndecision = \"none\"\n```\n".to_owned(), vec!["s.md:3:1", "no event before this"]),
        ("# A\n\n```toml event\nevent = \"Stop\"\n".to_owned(), vec!["s.md:3:1", "never closed"]),
        ("# A\n\n```yaml event\nevent: Stop\n```\n".to_owned(), vec!["s.md:3:1", "`toml` or `json`, not `yaml`"]),
        ("# A\n\n```json event\n{\"a\": }\n```\n".to_owned(), vec!["s.md:4:7", "this is not JSON"]),
        ("# A\n\n```toml event\n```\n".to_owned(), vec!["this event is empty"]),
        (scenario("", "evnt = \"Stop\"", good), vec!["s.md:8:1", "this names no event"]),
        ("# A\n\nProse.\n".to_owned(), vec!["`s.md` has no scenario"]),
    ] {
        let said = ScenarioProject::with("s.md", &text).test(&["s.md"]);
        assert_ne!(said.code, 0, "{text}");
        for part in expected {
            assert!(
                format!("{}{}", said.err, said.out).contains(part),
                "no `{part}` in:\n{}{}\nfor\n{text}",
                said.err,
                said.out
            );
        }
    }
}

#[test]
fn scenarios_are_found_where_a_project_keeps_them_and_by_name() {
    let place = ScenarioProject::new();
    let said = place.test(&[]);
    assert!(said.code == 1 && said.err.contains("`.hookrail/tests`") && said.err.contains("hint:"), "{said:?}");
    place.project.write(".hookrail/tests/deep/a.md", &scenario("", "event = \"Stop\"", "decision = \"none\""));
    place.project.write(".hookrail/tests/b.md", &scenario("", "event = \"Stop\"", "decision = \"block\""));
    place.project.write(".hookrail/tests/README.md", "# Only prose\n");
    let said = place.test(&[]);
    assert!(
        said.code == 3 && said.out.contains(".hookrail/tests/deep/a.md") && said.out.contains("1 of 2 failed"),
        "{said:?}"
    );
    assert_eq!(place.test(&["--name", "deep"]).code, 0);
    let said = place.test(&["--name", "nobody"]);
    assert!(said.code == 1 && said.err.contains("`nobody`"), "{said:?}");
    let said = place.test(&["missing.md"]);
    assert!(said.code == 1 && said.err.contains("`missing.md`"), "{said:?}");
}
