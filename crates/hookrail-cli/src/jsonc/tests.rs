use super::*;
use proptest::prelude::*;
use serde_json::json;

/// Appends to the object or array at `path`, and takes it out again.
fn check(before: &str, path: &[PathStep<'_>], after: &str) {
    let mut document = Jsonc::parse(before).unwrap();
    let is_object = document.at(path).unwrap().is_object();
    let place: Vec<PathStep<'_>> = if is_object {
        document.append(path, Some("k"), &json!({ "x": [1] }));
        [path, &[PathStep::Key("k")]].concat()
    } else {
        document.append(path, None, &json!({ "x": [1] }));
        [path, &[PathStep::Index(document.at(path).unwrap().as_array().unwrap().len() - 1)]].concat()
    };
    assert_eq!(document.text(), after, "appended to {before:?}");
    document.remove(&place);
    assert_eq!(document.text(), before, "taken out again");
}

#[test]
fn what_is_added_looks_like_what_is_there_and_leaves_no_trace() {
    let hooks = &[PathStep::Key("a")];
    let cases: &[(&str, &[PathStep<'_>], &str)] = &[
        ("{}", &[], "{\n  \"k\": {\n    \"x\": [\n      1\n    ]\n  }\n}"),
        ("{\"a\":1}", &[], "{\"a\":1,\"k\":{\"x\":[1]}}"),
        ("{ \"a\": 1 }\n", &[], "{ \"a\": 1, \"k\": {\"x\": [1]} }\n"),
        ("{\n\t\"a\": 1\n}", &[], "{\n\t\"a\": 1,\n\t\"k\": {\n\t\t\"x\": [\n\t\t\t1\n\t\t]\n\t}\n}"),
        (
            "{\r\n    \"a\": 1, // one\r\n}",
            &[],
            "{\r\n    \"a\": 1, // one\r\n    \"k\": {\r\n        \"x\": [\r\n            1\r\n        ]\r\n    },\r\n}",
        ),
        (
            "{\n  \"a\": 1 // one\n  // end\n}",
            &[],
            "{\n  \"a\": 1, // one\n  \"k\": {\n    \"x\": [\n      1\n    ]\n  }\n  // end\n}",
        ),
        ("{\"a\":[]}", hooks, "{\"a\":[{\"x\":[1]}]}"),
        ("{\"a\": [1, 2,]}", hooks, "{\"a\": [1, 2, {\"x\": [1]},]}"),
        ("{\n  \"a\": {}\n}", hooks, "{\n  \"a\": {\n    \"k\": {\n      \"x\": [\n        1\n      ]\n    }\n  }\n}"),
        (
            "{\n  \"a\": [ // list\n    0\n  ]\n}",
            hooks,
            "{\n  \"a\": [ // list\n    0,\n    {\n      \"x\": [\n        1\n      ]\n    }\n  ]\n}",
        ),
        ("{\n  // nothing yet\n}", &[], "{\n  // nothing yet\n  \"k\": {\n    \"x\": [\n      1\n    ]\n  }\n}"),
    ];
    for (before, path, after) in cases {
        check(before, path, after);
    }
}

#[test]
fn what_somebody_wrote_beside_it_stays() {
    let cases: &[(&str, &[PathStep<'_>], &str)] = &[
        ("{\n  \"k\": 1,\n  \"z\": 2\n}", &[PathStep::Key("k")], "{\n  \"z\": 2\n}"),
        ("{\n  \"a\": 0,\n  // mine\n  \"k\": 1\n}", &[PathStep::Key("k")], "{\n  \"a\": 0\n  // mine\n}"),
        (
            "{\n  \"a\": 0,\n  \"k\": 1, // yours\n  \"z\": 2\n}",
            &[PathStep::Key("k")],
            "{\n  \"a\": 0, // yours\n  \"z\": 2\n}",
        ),
        ("[1, 2, 3]", &[PathStep::Index(0)], "[ 2, 3]"),
        ("[1, 2, 3]", &[PathStep::Index(1)], "[1, 3]"),
        ("[ /* c */ 1 ]", &[PathStep::Index(0)], "[ /* c */ ]"),
        ("[\n  1\n]", &[PathStep::Index(0)], "[]"),
    ];
    for (before, path, after) in cases {
        let mut document = Jsonc::parse(before).unwrap();
        document.remove(path);
        assert_eq!(document.text(), *after, "{before:?}");
    }
}

#[test]
fn a_value_is_replaced_in_its_own_style() {
    let cases = [
        ("{\n  \"a\": {\n    \"b\": 1\n  } // c\n}", "{\n  \"a\": {\n    \"z\": 2\n  } // c\n}"),
        ("{\"a\":{\"b\":1},\"c\":2}", "{\"a\":{\"z\":2},\"c\":2}"),
    ];
    for (before, after) in cases {
        let mut document = Jsonc::parse(before).unwrap();
        document.replace(&[PathStep::Key("a")], &json!({ "z": 2 }));
        assert_eq!(document.text(), after);
    }
}

#[test]
fn text_that_no_agent_would_read_is_an_error_with_its_place() {
    let cases =
        [("{\n  \"a\": oops\n}", 2), ("{\n\"a\": 1\n\"b\": 2}", 2), ("{'a': 1}", 1), ("{\"a\": 1", 1), ("{} {}", 1)];
    for (text, line) in cases {
        let error = Jsonc::parse(text).unwrap_err();
        assert_eq!(error.line, line, "{text:?}: {error:?}");
    }
    assert_eq!(Jsonc::parse(" \n").unwrap().value(), &Value::Null);
    assert!(Jsonc::parse(&"[".repeat(100_000)).is_err(), "deep nesting is refused, not followed");
}

fn blank() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", " ", "\n", "\n  ", "\t", "\r\n", " // c\n", "/* c */", "\n  /* c\n */ "])
        .prop_map(str::to_owned)
}

/// JSON objects in unusual formatting.
fn wild() -> impl Strategy<Value = String> {
    let item = prop_oneof![Just("1".to_owned()), Just("[]".to_owned()), Just("{\"b\": [2, 3]}".to_owned())];
    let items = prop::collection::vec((blank(), item, blank()), 0..4);
    (items, any::<bool>(), blank()).prop_map(|(items, trailing, end)| {
        let count = items.len();
        let item = |(index, (before, value, after)): (usize, (String, String, String))| {
            let comma = if index + 1 < count || trailing { "," } else { "" };
            format!("{before}\"m{index}\":{value}{after}{comma}")
        };
        format!("{{{}{end}}}", items.into_iter().enumerate().map(item).collect::<String>())
    })
}

proptest! {
    #[test]
    fn adding_and_taking_out_changes_nothing_but_the_space_in_empty_brackets(text in wild()) {
        let mut document = Jsonc::parse(&text).unwrap();
        let before = document.clone();
        document.append(&[], Some("k"), &json!({ "x": [1, {}] }));
        prop_assert_eq!(document.at(&[PathStep::Key("k")]), Some(&json!({ "x": [1, {}] })));
        document.remove(&[PathStep::Key("k")]);
        prop_assert_eq!(document.value(), before.value());
        if before.value().as_object().is_some_and(|members| !members.is_empty()) {
            prop_assert_eq!(document.text(), before.text());
        }
    }
}
