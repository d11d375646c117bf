//! `--update` writes what happened, and nothing else.

use crate::project::{ScenarioProject, scenario};

#[test]
fn only_what_was_not_met_is_rewritten_and_then_it_holds() {
    let config = "```toml hookrail.toml\n[core]\nprotected = [\"secrets/\"]\n```";
    let expect = "decision = \"ask\"      # why we think so\nexit_code = 0\nreason   =   [ \"is protected\", \"never\" ]\nfiles.\"secrets/a\" = { contains = \"x\" }";
    let text = scenario(config, "write = \"secrets/a\"\ncontent = \"x\"", expect);
    let place = ScenarioProject::with("s.md", &text);
    let said = place.test(&["--update", "s.md"]);
    assert_eq!(said.code, 0, "{said:?}");
    let updated = place.project.read("s.md");
    let expected = text
        .replace("\"ask\" ", "\"block\" ")
        .replace("{ contains = \"x\" }", "{ absent = true }")
        .replace(
            "[ \"is protected\", \"never\" ]",
            "\"`secrets/a` is protected and must not be changed by a tool. Do not try another way; if the change is needed, tell the user what to write there\"",
        );
    assert_eq!(updated, expected);
    assert_eq!(place.test(&["s.md"]).code, 0);
    place.test(&["--update", "s.md"]);
    assert_eq!(place.project.read("s.md"), updated, "what holds is left alone");
}

#[test]
fn an_event_without_expectation_fails_and_gets_one() {
    let event = "# Title\n\n```toml event\nwrite = \".claude/settings.json\"\n```\n\nThe end.\n";
    for text in [event.to_owned(), event.replace("\n\nThe end", "\n\n```toml expect\n```\n\nThe end")] {
        let place = ScenarioProject::with("s.md", &text);
        let said = place.test(&["s.md"]);
        assert!(said.code == 3 && said.out.contains("no expectation is written here"), "{said:?}");
        place.test(&["--update", "s.md"]);
        let updated = place.project.read("s.md");
        assert!(updated.contains("\n\n```toml expect\ndecision = \"block\"\nreason = \""), "{updated}");
        assert!(updated.ends_with("```\n\nThe end.\n"), "{updated}");
        assert_eq!(place.test(&["s.md"]).code, 0);
    }
}

#[test]
fn toml_files_are_updated_in_place_too() {
    let text = "# a comment\n[[scenario]]\nname = \"a\"\n[[scenario.step]]\nevent = { event = \"Stop\" }   # keep\nexpect = { decision = \"stop\", exit_code = 0 }\n[[scenario.step]]\nevent = { event = \"Stop\" }\nexpect = {}\n";
    let place = ScenarioProject::with("s.toml", text);
    assert_eq!(place.test(&["--update", "s.toml"]).code, 0);
    let expected = text.replace("\"stop\"", "\"none\"").replace("expect = {}", "expect = { decision = \"none\" }");
    assert_eq!(place.project.read("s.toml"), expected);
}

#[test]
fn paths_of_the_temporary_world_do_not_get_into_the_file() {
    let text = scenario("", "event = \"Stop\"", "files.\"a.txt\" = { equals = \"\" }\nsession.values.x = 1")
        .replace("```toml event", "```text file=a.txt\nin {{project}} and {{home}}\n```\n\n```toml event");
    let place = ScenarioProject::with("s.md", &text);
    place.test(&["--update", "s.md"]);
    let updated = place.project.read("s.md");
    assert!(updated.contains("equals = \"\"\"\nin {{project}} and {{home}}\n\"\"\" }"), "{updated}");
    assert!(updated.contains("session.values.x = 1"), "there is nothing to put in its place: {updated}");
}

#[test]
fn a_link_is_not_written_through() {
    let place = ScenarioProject::with("real.md", &scenario("", "event = \"Stop\"", "decision = \"block\""));
    std::os::unix::fs::symlink(place.project.at("real.md"), place.project.at("link.md")).unwrap();
    let said = place.test(&["--update", "link.md"]);
    assert!(said.code == 1 && said.err.contains("symbolic link"), "{said:?}");
    assert!(place.project.read("real.md").contains("\"block\""));
}
