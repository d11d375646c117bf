//! `mode = "shadow"` on a rule, a hook and a pack: decides nothing, is recorded, and compared with what happened.

use super::TranscriptFixture;
use hookrail_testkit::program::talk;
use serde_json::{Value, json};

const RULE: &str = r#"
[[rule]]
id = "no-notes"
when = { effect = "fs.write", path = "notes.md" }
decide = "deny"
mode = "shadow"

[[rule]]
id = "ask-about-src"
when = { effect = "fs.write", path = "src/**" }
decide = "ask"
"#;

fn fire(place: &TranscriptFixture, path: &str) -> String {
    let event = json!({
        "session_id": "s", "cwd": place.project.path(), "hook_event_name": "PreToolUse", "tool_name": "Write",
        "tool_input": { "file_path": path, "content": "x" },
    });
    let (code, out, err) = talk(&mut place.command(&["hook", "--agent", "claude"]), event.to_string());
    assert_eq!((code, err.as_str()), (Some(0), ""));
    out
}

fn stats(place: &TranscriptFixture) -> Value {
    let (code, out, err) = place.hookrail(&["stats", "--shadow", "--json"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    serde_json::from_str(&out).unwrap()
}

#[test]
fn a_rule_a_hook_and_a_pack_in_the_shadow_decide_nothing_and_are_compared() {
    let protect = "[core]\nprotected = [\"notes.md\"]\n";
    let cases = [
        (RULE.to_owned(), "rule/no-notes"),
        (format!("{protect}[hooks.\"core/protected-paths\"]\nmode = \"shadow\"\n"), "core/protected-paths"),
        (format!("{protect}[packs.core]\nmode = \"shadow\"\n"), "core/protected-paths"),
    ];
    for (text, hook) in cases {
        let place = TranscriptFixture::empty();
        place.home.write(".config/hookrail/hookrail.toml", &text);
        assert_eq!(fire(&place, "notes.md"), "", "{hook}: nothing is said");
        fire(&place, "README.md");
        let count = stats(&place);
        let row = &count["hooks"][hook];
        assert_eq!((&row["deny"], &row["new_denials"]), (&json!(1), &json!(1)), "{count}");
        assert_eq!((&count["live"]["deny"], &count["candidate"]["deny"]), (&json!(0), &json!(1)), "{count}");
        assert_eq!(count["newest"][0]["subject"], "notes.md", "{count}");
    }
}

#[test]
fn what_live_hooks_decided_is_no_news() {
    let place = TranscriptFixture::empty();
    let both = format!(
        "{RULE}\n[[rule]]\nid = \"live\"\nwhen = {{ effect = \"fs.write\", path = \"notes.md\" }}\ndecide = \"deny\"\n"
    );
    place.home.write(".config/hookrail/hookrail.toml", &both);
    assert!(fire(&place, "notes.md").contains("deny"));
    assert!(fire(&place, "src/a.rs").contains("ask"));
    let count = stats(&place);
    let row = &count["hooks"]["rule/no-notes"];
    assert_eq!((&row["deny"], &row["new_denials"]), (&json!(1), &json!(0)), "{count}");
    assert_eq!(count["changed"], 0, "{count}");
}

#[test]
fn a_table_is_for_people_and_a_hint_for_those_without_a_shadow() {
    let place = TranscriptFixture::empty();
    place.home.write(".config/hookrail/hookrail.toml", RULE);
    fire(&place, "notes.md");
    let (_, out, _) = place.hookrail(&["stats", "--shadow"]);
    assert!(out.contains("rule/no-notes") && out.contains("none → deny"), "{out}");
    let (code, out, _) = TranscriptFixture::empty().hookrail(&["stats", "--shadow"]);
    assert!(code == Some(0) && out.contains("`mode = \"shadow\"`"), "{out}");
}
