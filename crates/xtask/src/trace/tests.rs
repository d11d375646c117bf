use std::fs;

use serde_json::{Value, json};

use super::*;

const CATALOGUE: &[(&str, &str)] = &[
    (
        "spec/requirements/engine.toml",
        r#"
            title = "The engine"
            requirements = [
              { id = "HOOK-001", title = "first" },
              { id = "HOOK-002", title = "second" },
              { id = "HOOK-003", title = "third", merged_into = "HOOK-002" },
            ]
        "#,
    ),
    (
        "spec/requirements/fsm.toml",
        r#"
            title = "The machine"
            requirements = [{ id = "SCN-1.1", title = "fourth" }]
        "#,
    ),
];

const ONE_TEST: &[(&str, &str)] = &[("crates/a/src/lib.rs", "#[test]\nfn works() {\n    // covers: HOOK-001\n}\n")];

/// Runs the task on a workspace of these files and returns how it ended and what it printed.
fn check(policy: &str, files: &[(&str, &str)], args: &str) -> (Outcome, String) {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in CATALOGUE.iter().chain(files).chain(&[("spec/trace.toml", policy)]) {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let args: Vec<String> = args.split_whitespace().map(str::to_owned).collect();
    let mut out = Vec::new();
    let outcome = run_in(root.path(), &args, &mut out).unwrap();
    (outcome, String::from_utf8(out).unwrap())
}

#[test]
fn the_listing_shows_every_id_with_its_cover_and_ends_with_the_counts() {
    let policy = "[not_applicable]\n\"SCN-1.1\" = \"there is no machine in this house\"";
    let files = [
        // Said twice, listed once.
        (
            "crates/a/src/lib.rs",
            "#[test]\nfn works() {\n    // covers: HOOK-001\n    // covers: HOOK-001, HOOK-001\n}\n",
        ),
        ("clients/node/a.test.ts", "test('also works', () => {\n  // covers: HOOK-001\n});\n"),
        (
            "spec/conformance/cases.jsonl",
            "{\"id\":\"AGG-1\",\"spec\":[\"HOOK-001\"]}\n\n\
             {\"id\":\"AGG-2\",\"spec\":[\"HOOK-001\",\"HOOK-002\"]}\n{\"id\":\"AGG-3\"}\n",
        ),
    ];
    let (outcome, out) = check(policy, &files, "");
    let expected = "\
engine: The engine (3 ids, 3 covered, 0 uncovered)
  covered    HOOK-001  first
             test         crates/a/src/lib.rs:2 works
             test         clients/node/a.test.ts:1 also works
             conformance  conformance:AGG-1 conformance:AGG-2
  covered    HOOK-002  second
             conformance  conformance:AGG-2
  covered    HOOK-003  third (merged into HOOK-002)

fsm: The machine (0 ids, 0 covered, 0 uncovered, 1 not applicable)
  n/a        SCN-1.1   fourth
             reason       there is no machine in this house

not applicable: 1
trace: 3 ids, 3 covered, 0 uncovered
";
    assert_eq!(out, expected);
    assert_eq!(outcome, Outcome::Passed);
}

#[test]
fn a_document_that_must_be_complete_fails_while_it_is_not() {
    let complete = "complete = [\"engine\"]";
    let pending = "complete = [\"engine\"]\n[pending]\n\"HOOK-002\" = \"the host crate is not written yet\"";
    let inapplicable = "complete = [\"engine\"]\n[not_applicable]\n\"HOOK-002\" = \"there is no second in this house\"";
    let cases = [
        ("", "", Outcome::Passed),
        (complete, "", Outcome::Failed),
        (pending, "", Outcome::Passed),
        (inapplicable, "", Outcome::Passed),
        ("", "--require engine", Outcome::Failed),
        ("", "--require=fsm", Outcome::Failed),
        (pending, "--require engine", Outcome::Passed),
        (pending, "--require fsm,engine", Outcome::Failed),
        // A document that is left out is not judged.
        (complete, "--document fsm", Outcome::Passed),
        (complete, "--document fsm --document engine", Outcome::Failed),
    ];
    for (policy, args, expected) in cases {
        let (outcome, out) = check(policy, ONE_TEST, args);
        assert_eq!(outcome, expected, "{policy} {args}\n{out}");
        assert_eq!(out.contains("must be complete"), expected == Outcome::Failed, "{out}");
    }
    let (_, out) = check(complete, ONE_TEST, "");
    assert!(out.contains("error: `engine` must be complete; ids without cover: 2\nhint: "), "{out}");
}

#[test]
fn the_counts_are_those_of_the_selected_documents() {
    let pending = "complete = [\"engine\"]\n[pending]\n\"HOOK-002\" = \"the host crate is not written yet\"";
    let cases = [
        ("", "not applicable: 0\ntrace: 4 ids, 1 covered, 3 uncovered\n"),
        ("--uncovered", "not applicable: 0\ntrace: 4 ids, 1 covered, 3 uncovered\n"),
        ("--document engine", "not applicable: 0\ntrace: 3 ids, 1 covered, 2 uncovered\n"),
        ("--document fsm", "not applicable: 0\ntrace: 1 ids, 0 covered, 1 uncovered\n"),
    ];
    for (args, expected) in cases {
        let (_, out) = check(pending, ONE_TEST, args);
        assert!(out.ends_with(expected), "{args}: {out}");
    }
}

#[test]
fn an_excuse_that_tests_have_overtaken_no_longer_counts() {
    let policy = "complete = [\"engine\"]\n[pending]\nHOOK-001 = \"a reason that is long enough\"";
    let (_, out) = check(policy, ONE_TEST, "--document engine");
    assert!(out.contains("\n  covered    HOOK-001  first\n"), "{out}");
    assert!(out.ends_with("trace: 3 ids, 1 covered, 2 uncovered\n"), "{out}");
}

#[test]
fn only_ids_without_cover_are_listed_on_demand() {
    let pending = "complete = [\"engine\"]\n[pending]\n\"HOOK-002\" = \"the host crate is not written yet\"";
    let (_, out) = check(pending, ONE_TEST, "--uncovered");
    let listed: Vec<_> = out.lines().filter(|line| line.contains("HOOK-") || line.contains("SCN-")).collect();
    let expected = [
        "  pending    HOOK-002  second",
        "  pending    HOOK-003  third (merged into HOOK-002)",
        "  UNCOVERED  SCN-1.1   fourth",
    ];
    assert_eq!(listed, expected);
}

#[test]
fn a_wrong_comment_or_case_is_named_with_its_place() {
    let lib = "crates/a/src/lib.rs";
    let cases_file = "spec/conformance/cases.jsonl";
    let cases = [
        (lib, "// covers: HOOK-001\n", "crates/a/src/lib.rs:1: `covers:` stands outside a test\nhint: "),
        (
            lib,
            "#[test]\nfn a() {\n    // covers: HOOK-01\n}",
            "crates/a/src/lib.rs:3: unknown id `HOOK-01`\nhint: did you mean `HOOK-001`?",
        ),
        (lib, "#[test]\nfn a() {\n    // covers: HOOK-001 and\n}", "crates/a/src/lib.rs:3: unknown id `and`\n"),
        (lib, "#[test]\nfn a() {\n    // covers:\n}", "crates/a/src/lib.rs:3: `covers:` names no id"),
        (
            lib,
            "#[test]\nfn a() {\n    // covers: HOOK-003\n}",
            "crates/a/src/lib.rs:3: `HOOK-003` has been merged into `HOOK-002`",
        ),
        (lib, "#[test]\n#[ignore]\nfn a() { // covers: HOOK-001\n}", "crates/a/src/lib.rs:3: the test `a` is skipped"),
        (
            cases_file,
            "\n{\"id\":\"A\",\"spec\":[\"HOOK-01\"]}",
            "cases.jsonl:2: unknown id `HOOK-01`\nhint: did you mean `HOOK-001`?",
        ),
        (cases_file, "{\"spec\":[]}", "spec/conformance/cases.jsonl:1: not a conformance case: missing field `id`"),
        (cases_file, "{", "spec/conformance/cases.jsonl:1: not a conformance case: "),
    ];
    for (path, text, message) in cases {
        let (outcome, out) = check("", &[(path, text)], "--document fsm");
        assert_eq!(outcome, Outcome::Failed, "{text}");
        assert!(out.contains("error: ") && out.contains(message), "{text}: {out}");
        assert!(out.ends_with("\ntrace: 1 ids, 0 covered, 1 uncovered\n"), "{out}");
    }
}

#[test]
fn a_wrong_policy_is_named_with_its_entry() {
    let cases = [
        ("complete = [\"engin\"]", "unknown document `engin` in `complete`\nhint: did you mean `engine`?"),
        (
            "[pending]\nHOOK-01 = \"a reason that is long enough\"",
            "unknown id `HOOK-01` in [pending]\nhint: did you mean `HOOK-001`?",
        ),
        ("[not_applicable]\nX = \"a reason that is long enough\"", "unknown id `X` in [not_applicable]"),
        (
            "[not_applicable]\nHOOK-003 = \"a reason that is long enough\"",
            "`HOOK-003` in [not_applicable] has been merged into `HOOK-002`",
        ),
        (
            "[not_applicable]\nHOOK-002 = \"nineteen characters\"",
            "the reason for `HOOK-002` in [not_applicable] is shorter than 20",
        ),
        (
            "[not_applicable]\nHOOK-002 = \"   padded with blanks     \"",
            "the reason for `HOOK-002` in [not_applicable] is shorter than 20",
        ),
        (
            "[pending]\nHOOK-002 = \"a reason that is long enough\"",
            "`HOOK-002` is in [pending], but `engine` is not in `complete`",
        ),
        (
            "complete = [\"engine\"]\n[pending]\nHOOK-002 = \"a reason that is long enough\"\n\
             [not_applicable]\nHOOK-002 = \"a reason that is long enough\"",
            "`HOOK-002` is both in [pending] and in [not_applicable]",
        ),
        (
            "[not_applicable]\nHOOK-001 = \"a reason that is long enough\"",
            "`HOOK-001` is in [not_applicable], yet `works` at crates/a/src/lib.rs:2 covers it\nhint: remove the entry",
        ),
        (
            "complete = [\"engine\"]\n[pending]\nHOOK-001 = \"a reason that is long enough\"",
            "`HOOK-001` is in [pending], yet `works` at crates/a/src/lib.rs:2 covers it\nhint: remove the entry",
        ),
    ];
    for (policy, message) in cases {
        let (outcome, out) = check(policy, ONE_TEST, "");
        assert_eq!(outcome, Outcome::Failed, "{policy}");
        assert!(out.contains(&format!("error: spec/trace.toml: {message}")), "{policy}: {out}");
    }
}

#[test]
fn json_says_the_same_as_the_listing() {
    let policy = "complete = [\"fsm\"]\n[not_applicable]\n\"HOOK-002\" = \"there is no second in this house\"";
    let files = [ONE_TEST[0], ("spec/conformance/cases.jsonl", "{\"id\":\"AGG-1\",\"spec\":[\"HOOK-001\"]}")];
    let (outcome, out) = check(policy, &files, "--json");
    let printed: Value = serde_json::from_str(&out).unwrap();
    let expected = json!({
        "documents": [
            {
                "name": "engine", "title": "The engine", "ids": 1, "covered": 1, "uncovered": 0, "not_applicable": 2,
                "requirements": [
                    {
                        "id": "HOOK-001", "title": "first", "state": "covered",
                        "tests": [{ "file": "crates/a/src/lib.rs", "line": 2, "name": "works" }],
                        "conformance": ["AGG-1"],
                    },
                    {
                        "id": "HOOK-002", "title": "second", "state": "not_applicable",
                        "reason": "there is no second in this house", "tests": [], "conformance": [],
                    },
                    {
                        "id": "HOOK-003", "title": "third", "state": "not_applicable", "merged_into": "HOOK-002",
                        "reason": "there is no second in this house", "tests": [], "conformance": [],
                    },
                ],
            },
            {
                "name": "fsm", "title": "The machine", "ids": 1, "covered": 0, "uncovered": 1, "not_applicable": 0,
                "requirements": [
                    { "id": "SCN-1.1", "title": "fourth", "state": "uncovered", "tests": [], "conformance": [] },
                ],
            },
        ],
        "problems": [
            "`fsm` must be complete; ids without cover: 1\n\
             hint: `cargo xtask trace --document fsm --uncovered` lists them",
        ],
        "ids": 2, "covered": 1, "uncovered": 1, "not_applicable": 2,
    });
    assert_eq!(printed, expected);
    assert_eq!(outcome, Outcome::Failed);
}

#[test]
fn many_cases_are_wrapped_into_lines_of_the_same_width() {
    let lines: Vec<String> = (100..140).map(|n| format!("{{\"id\":\"CASE-{n}\",\"spec\":[\"HOOK-001\"]}}")).collect();
    let (_, out) = check("", &[("spec/conformance/cases.jsonl", &lines.join("\n"))], "");
    let wrapped: Vec<_> = out.lines().filter(|line| line.contains("conformance:")).collect();
    let listed: usize = wrapped.iter().map(|line| line.matches("conformance:CASE-").count()).sum();
    assert_eq!(listed, 40);
    assert!(wrapped.len() > 5 && wrapped.iter().all(|line| line.len() <= 120), "{out}");
}
