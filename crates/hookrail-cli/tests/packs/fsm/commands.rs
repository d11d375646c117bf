use crate::fsm::project::SkillProject;
use serde_json::{Value, json};

fn sample() -> Value {
    json!([
        {"id": 10, "subject": "Ship \"it\" <now> & \\here"},
        {"id": 2, "subject": "Test\nall", "blockedBy": [1], "blocks": [10]},
        {"id": 1, "subject": "Build", "blocks": [10]},
    ])
}

fn graph(fsm: &Value, format: &[&str]) -> (String, String) {
    let place = SkillProject::new();
    place.project.write("fsm.json", &fsm.to_string());
    let said = place.run(&[&["fsm", "graph", "fsm.json"], format].concat(), "");
    assert_eq!(said.code, Some(0), "{}", said.err);
    (said.out, said.err)
}

#[test]
fn a_graph_as_text_is_an_order_in_which_to_work() {
    let expected = " 1  Build\n 2  Test all (after 1)\n10  Ship \"it\" <now> & \\here (after 1, 2)\n";
    assert_eq!(graph(&sample(), &[]), (expected.to_owned(), String::new()));
    assert_eq!(graph(&sample(), &["--format", "text"]).0, expected);
    assert_eq!(graph(&json!([]), &[]).0, "");
}

#[test]
fn a_graph_for_mermaid_has_its_labels_escaped() {
    let expected = r#"flowchart TD
  t1["1: Build"]
  t2["2: Test all"]
  t10["10: Ship #quot;it#quot; #lt;now#gt; #amp; \here"]
  t1 --> t2
  t1 --> t10
  t2 --> t10
"#;
    assert_eq!(graph(&sample(), &["--format=mermaid"]).0, expected);
}

#[test]
fn a_graph_for_dot_has_its_labels_escaped() {
    let expected = r#"digraph tasks {
  1 [label="1: Build"];
  2 [label="2: Test all"];
  10 [label="10: Ship \"it\" <now> & \\here"];
  1 -> 2;
  1 -> 10;
  2 -> 10;
}
"#;
    assert_eq!(graph(&sample(), &["--format=dot"]).0, expected);
}

#[test]
fn tasks_in_a_circle_are_drawn_and_warned_about() {
    let fsm = json!([
        {"id": 1, "subject": "a", "blockedBy": [3]},
        {"id": 2, "subject": "b", "blockedBy": [1]},
        {"id": 3, "subject": "c", "blockedBy": [2]},
        {"id": 4, "subject": "d", "blockedBy": [3, 4]},
        {"id": 5, "subject": "e"},
    ]);
    let (out, err) = graph(&fsm, &[]);
    let stuck = "1  a (after 3) [can never start]\n2  b (after 1) [can never start]\n3  c (after 2) [can never start]\n4  d (after 3) [can never start]\n";
    assert_eq!(out, format!("5  e\n{stuck}"));
    assert_eq!(
        err,
        "warning: task 4 waits for itself\nwarning: tasks wait for each other in a circle: 1 → 2 → 3 → 1\n"
    );
    let value: Value = serde_json::from_str(&graph(&fsm, &["--json"]).0).unwrap();
    assert_eq!(value["edges"], json!([[1, 2], [2, 3], [3, 1], [3, 4]]));
    assert_eq!(value["warnings"].as_array().unwrap().len(), 2);
}

#[test]
fn checking_finds_every_file_in_a_folder_and_all_that_is_wrong() {
    let place = SkillProject::new()
        .skill("good", &sample())
        .skill("odd", &json!([{"id": 1, "subject": "", "status": "x", "blockedBy": [1]}]))
        .skill("bad", &json!([{"id": 0}, {"id": 2, "subject": "a", "blocks": [7]}]));
    place.project.write("node_modules/x/fsm.json", "{");
    place.project.write("other.json", "{");
    let expected = "\
error: `./.claude/skills/bad/fsm.json` has 3 errors:
- entry 1: `id` is an integer from 1, not `0`
- entry 1: missing `subject`
- entry 2: `blocks` refers to 7, and no task has that id
ok: `./.claude/skills/good/fsm.json`: 3 tasks
ok: `./.claude/skills/odd/fsm.json`: 1 task
  warning: entry 1: `status` is not a known key and is ignored
  warning: entry 1: `subject` is empty
  warning: task 1 waits for itself
";
    let said = place.run(&["fsm", "check"], "");
    assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (Some(3), expected, ""));
    let said = place.run(&["fsm", "check", ".claude/skills/odd"], "");
    assert_eq!(said.code, Some(0), "warnings are no errors: {}", said.out);
    let said = place.run(&["fsm", "check", ".claude/skills/good/fsm.json", "--json"], "");
    let file = json!({"path": ".claude/skills/good/fsm.json", "tasks": 3, "error": null, "warnings": []});
    let expected = json!({"format": 1, "files": [file]});
    assert_eq!(serde_json::from_str::<Value>(&said.out).unwrap(), expected);
    let said = place.run(&["fsm", "check", "node_modules"], "");
    assert_eq!(said.code, Some(3), "a folder that is named is looked into");
}

#[test]
fn what_cannot_be_read_or_drawn_is_told_and_never_with_the_code_of_a_block() {
    let place = SkillProject::new().skill("bad", &json!([{"id": 0}]));
    std::fs::create_dir(place.project.at("empty")).unwrap();
    for (args, code, part) in [
        (&["fsm", "check", "none"][..], 1, "cannot read `none`"),
        (&["fsm", "check", "empty"], 0, "there is no `fsm.json` in `empty`"),
        (&["fsm", "graph", "none"], 1, "cannot read `none`"),
        (&["fsm", "graph", ".claude/skills/bad/fsm.json"], 1, "missing `subject`"),
        (&["fsm", "graph"], 1, "FILE"),
        (&["fsm", "graph", "x", "--format", "png"], 1, "png"),
        (&["fsm"], 1, "check"),
    ] {
        let said = place.run(args, "");
        assert_eq!(said.code, Some(code), "{args:?}: {}", said.err);
        assert!(format!("{}{}", said.out, said.err).contains(part), "{args:?}: {} {}", said.out, said.err);
    }
}

#[test]
fn the_schema_says_what_the_reader_takes() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema/fsm.schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!((&schema["type"], &schema["items"]["$ref"]), (&json!("array"), &json!("#/$defs/task")));
    let task = &schema["$defs"]["task"];
    assert_eq!(task["required"], json!(["id", "subject"]));
    // For each key a value that the schema's type takes, and one that it does not.
    for (key, property) in task["properties"].as_object().unwrap() {
        let (good, wrong) = match &property["type"] {
            kind if *kind == json!("integer") => (json!(1), json!("1")),
            kind if *kind == json!("string") => (json!("x"), json!(1)),
            kind if *kind == json!(["string", "null"]) => (json!(null), json!(1)),
            kind if *kind == json!(["array", "null"]) => (json!([1]), json!(["1"])),
            kind if *kind == json!(["object", "null"]) => (json!({}), json!([])),
            other => panic!("`{key}` has type {other}"),
        };
        for (value, errors) in [(good, false), (wrong, true)] {
            let mut entry = json!({"id": 1, "subject": "x"});
            entry[key] = value;
            let place = SkillProject::new();
            place.project.write("fsm.json", &json!([entry]).to_string());
            let said = place.run(&["fsm", "check", "fsm.json", "--json"], "");
            let findings: Value = serde_json::from_str(&said.out).unwrap();
            assert_eq!(findings["files"][0]["error"].is_string(), errors, "{entry}");
            assert!(!said.out.contains("is not a known key"), "{}", said.out);
        }
    }
    assert_eq!(task["properties"].as_object().unwrap().len(), 7);
    assert_eq!(
        (&task["properties"]["id"]["minimum"], &schema["$defs"]["ids"]["items"]["minimum"]),
        (&json!(1), &json!(1))
    );
}
