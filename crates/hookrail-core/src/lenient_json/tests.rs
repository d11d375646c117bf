use super::*;
use proptest::prelude::*;
use serde_json::json;

fn kinds(lenient: &Lenient) -> Vec<RepairKind> {
    lenient.repairs.iter().map(|repair| repair.kind.clone()).collect()
}

#[test]
fn what_a_strict_parser_rejects_is_read_and_the_repair_is_named() {
    use RepairKind::{
        ByteOrderMark, ControlCharacter, InvalidUtf8, LoneSurrogate, NotANumber, NumberOutOfRange, TrailingBytes,
        UnknownEscape,
    };
    let digits = "9".repeat(400);
    let long = format!(r#"{{"a":{digits}}}"#);
    let cases: [(&[u8], Value, &[RepairKind]); 26] = [
        (br#"{"a":"\ud800"}"#, json!({"a": "\u{fffd}"}), &[LoneSurrogate]),
        (br#"{"a":"\udc00x"}"#, json!({"a": "\u{fffd}x"}), &[LoneSurrogate]),
        (br#"{"a":"\ud800\u0041"}"#, json!({"a": "\u{fffd}A"}), &[LoneSurrogate]),
        (br#"{"a":"\ud83d\ud83d\ude00"}"#, json!({"a": "\u{fffd}😀"}), &[LoneSurrogate]),
        (br#"{"a":"\ud83d\n"}"#, json!({"a": "\u{fffd}\n"}), &[LoneSurrogate]),
        (br#"{"\udfff":1}"#, json!({"\u{fffd}": 1}), &[LoneSurrogate]),
        (b"{\"a\":\"x\xffy\"}", json!({"a": "x\u{fffd}y"}), &[InvalidUtf8]),
        (b"{\"a\":\"\xed\xa0\x80\"}", json!({"a": "\u{fffd}\u{fffd}\u{fffd}"}), &[InvalidUtf8]),
        (b"{\"a\":\"\xe2\x82\"}", json!({"a": "\u{fffd}"}), &[InvalidUtf8]),
        (b"{\"a\":\"x\ny\0\x1b[2J\"}", json!({"a": "x\ny\0\u{1b}[2J"}), &[ControlCharacter]),
        (br#"{"a":"\x41\'"}"#, json!({"a": "\\x41\\'"}), &[UnknownEscape]),
        (br#"{"a":"\u12"}"#, json!({"a": "\\u12"}), &[UnknownEscape]),
        (br#"{"a":"\u+123"}"#, json!({"a": "\\u+123"}), &[UnknownEscape]),
        (br#"{"a":1e400}"#, json!({"a": "1e400"}), &[NumberOutOfRange]),
        (br#"{"a":-1.5E+999}"#, json!({"a": "-1.5E+999"}), &[NumberOutOfRange]),
        (long.as_bytes(), json!({"a": digits}), &[NumberOutOfRange]),
        (br#"{"a":NaN}"#, json!({"a": "NaN"}), &[NotANumber]),
        (br#"{"a":[Infinity,-Infinity]}"#, json!({"a": ["Infinity", "-Infinity"]}), &[NotANumber]),
        (b"\xef\xbb\xbf{}", json!({}), &[ByteOrderMark]),
        (b"{} x", json!({}), &[TrailingBytes]),
        (b"{}\0\0", json!({}), &[TrailingBytes]),
        (b"{}{\"a\":1}", json!({}), &[TrailingBytes]),
        (b" \r\n\t{ } \n\n", json!({}), &[]),
        (br#"{"a":"\/\"\\\b\f\n\r\t\u00e9"}"#, json!({"a": "/\"\\\u{8}\u{c}\n\r\té"}), &[]),
        (br#"{"$serde_json::private::RawValue":"[1]"}"#, json!({"$serde_json::private::RawValue": "[1]"}), &[]),
        (
            br#"{"a":[true,false,null,-0.0,18446744073709551616]}"#,
            json!({"a": [true, false, null, -0.0, 1.8446744073709552e19]}),
            &[],
        ),
    ];
    for (text, value, repairs) in cases {
        let read = parse(text).unwrap_or_else(|error| panic!("{}: {error}", text.escape_ascii()));
        assert_eq!((&read.value, kinds(&read).as_slice()), (&value, repairs), "{}", text.escape_ascii());
    }
}

#[test]
fn what_no_reader_could_complete_is_an_error_with_its_position() {
    let cases: [(&[u8], Unreadable); 24] = [
        (b"", Unreadable::Truncated { at: 0 }),
        (b"  ", Unreadable::Truncated { at: 2 }),
        (b"{", Unreadable::Truncated { at: 1 }),
        (br#"{"a"#, Unreadable::Truncated { at: 3 }),
        (br#"{"a""#, Unreadable::Truncated { at: 4 }),
        (br#"{"a":"#, Unreadable::Truncated { at: 5 }),
        (br#"{"a":1"#, Unreadable::Truncated { at: 6 }),
        (br#"{"a":-"#, Unreadable::Truncated { at: 6 }),
        (br#"{"a":tr"#, Unreadable::Truncated { at: 7 }),
        (br#"{"a":1,"#, Unreadable::Truncated { at: 7 }),
        (br#"{"a":[1,"#, Unreadable::Truncated { at: 8 }),
        (br#"{"a":"x\"#, Unreadable::Truncated { at: 8 }),
        (br#"{"a":"\ud800"#, Unreadable::Truncated { at: 12 }),
        (b"[]", Unreadable::NotAnObject { at: 0 }),
        (b" null", Unreadable::NotAnObject { at: 1 }),
        (b"\xff\xfe{\0}\0", Unreadable::NotAnObject { at: 0 }),
        (br#"{a:1}"#, Unreadable::Unexpected { at: 1, expected: "a key in double quotes" }),
        (br#"{"a":1,}"#, Unreadable::Unexpected { at: 7, expected: "a key in double quotes" }),
        (br#"{"a" 1}"#, Unreadable::Unexpected { at: 5, expected: "`:`" }),
        (br#"{"a":1 "b":2}"#, Unreadable::Unexpected { at: 7, expected: "`,` or `}`" }),
        (br#"{"a":[1 2]}"#, Unreadable::Unexpected { at: 8, expected: "`,` or `]`" }),
        (br#"{"a":01}"#, Unreadable::Unexpected { at: 5, expected: "a number" }),
        (br#"{"a":1.}"#, Unreadable::Unexpected { at: 5, expected: "a number" }),
        (br#"{"a":undefined}"#, Unreadable::Unexpected { at: 5, expected: "a value" }),
    ];
    for (text, expected) in cases {
        assert_eq!(parse(text), Err(expected), "{}", text.escape_ascii());
    }
    assert_eq!(parse(&vec![b' '; MAX_BYTES + 1]), Err(Unreadable::TooLarge { bytes: MAX_BYTES + 1 }));
}

#[test]
fn both_values_of_a_duplicate_key_are_there() {
    let text = br#"{"command":"ls","x":{"k":1,"k":2,"k":3},"command":"rm"}"#;
    let shadowed = |lenient: &Lenient| -> Vec<(String, Value, usize)> {
        let duplicate = |repair: &Repair| match &repair.kind {
            RepairKind::DuplicateKey { key, shadowed } => Some((key.clone(), shadowed.clone(), repair.at)),
            _ => None,
        };
        lenient.repairs.iter().filter_map(duplicate).collect()
    };
    let entry = |key: &str, value: Value, at| (key.to_owned(), value, at);
    let last = parse(text).unwrap();
    assert_eq!(last.value, json!({"command": "rm", "x": {"k": 3}}));
    assert_eq!(
        shadowed(&last),
        [entry("k", json!(1), 27), entry("k", json!(2), 33), entry("command", json!("ls"), 40)]
    );
    let first = parse_with(text, DuplicateKeys::FirstWins).unwrap();
    assert_eq!(first.value, json!({"command": "ls", "x": {"k": 1}}));
    assert_eq!(
        shadowed(&first),
        [entry("k", json!(2), 27), entry("k", json!(3), 33), entry("command", json!("rm"), 40)]
    );
    let same = parse(br#"{"a":1,"\u0061":2}"#).unwrap();
    assert_eq!(shadowed(&same), [entry("a", json!(1), 7)], "an escaped key is the same key");
}

#[test]
fn many_duplicates_are_listed_up_to_a_bound_and_then_counted() {
    let text = format!("{{{}\"a\":1}}", "\"a\":0,".repeat(5000));
    let read = parse(text.as_bytes()).unwrap();
    assert_eq!(read.value, json!({"a": 1}));
    assert_eq!(read.repairs.len(), 1001);
    let rest = read.repairs.last().unwrap();
    assert_eq!((rest.kind.clone(), rest.count), (RepairKind::MoreDuplicateKeys, 4000));
}

/// An object with `depth` arrays or objects in it, the object included, and `inner` at the bottom.
fn nest(depth: usize, open: &str, close: &str, inner: &str) -> String {
    format!("{{\"a\":{}{inner}{}}}", open.repeat(depth - 1), close.repeat(depth - 1))
}

#[test]
fn nesting_is_kept_as_far_as_a_strict_parser_goes_and_as_text_beyond() {
    for (open, close) in [("[", "]"), ("{\"k\":", "}")] {
        let deepest = nest(MAX_DEPTH, open, close, "1");
        let strict: Value = serde_json::from_str(&deepest).unwrap();
        assert_eq!(parse(deepest.as_bytes()), Ok(Lenient { value: strict, repairs: vec![] }));
        assert!(serde_json::from_str::<Value>(&nest(MAX_DEPTH + 1, open, close, "1")).is_err());
        for depth in [MAX_DEPTH + 1, 5000, 1_000_000] {
            let read = parse(nest(depth, open, close, "\"rm ]} \\\" -rf\"").as_bytes()).unwrap();
            assert_eq!(kinds(&read), [RepairKind::TooDeep], "{depth}");
            let copy = read.value.clone();
            let printed = serde_json::to_string(&copy).unwrap();
            assert!(serde_json::from_str::<Value>(&printed).is_ok(), "what was read can be written and read again");
            assert!(printed.contains(DEEP_MARK) && printed.contains("-rf"), "{depth}");
        }
    }
    assert!(matches!(parse("{\"a\":[".repeat(100_000).as_bytes()), Err(Unreadable::Truncated { .. })));
}

#[test]
fn a_repair_reads_like_a_sentence() {
    let read = parse(b"{\"a\":\"\\ud800\\ud800\",\"a\\n\":1,\"a\\n\":2}  }}").unwrap();
    let texts: Vec<String> = read.repairs.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "a lone surrogate was replaced at byte 6 and 1 more times",
            r#"the key "a\n" is given twice at byte 28"#,
            "2 bytes behind the object were skipped at byte 38",
        ]
    );
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 60, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::vec((any::<String>(), inner), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// What the strict parser makes of a text, if it is an object.
fn strict(text: &[u8]) -> Option<Value> {
    serde_json::from_slice::<Value>(text).ok().filter(Value::is_object)
}

fn is_duplicate(repair: &Repair) -> bool {
    matches!(repair.kind, RepairKind::DuplicateKey { .. })
}

proptest! {
    #[test]
    fn what_a_strict_parser_accepts_reads_the_same(value in any_value(), pretty in any::<bool>()) {
        let document = json!({"tool_input": value});
        let print = if pretty { serde_json::to_vec_pretty } else { serde_json::to_vec };
        let text = print(&document).unwrap();
        prop_assert_eq!(parse(&text), Ok(Lenient { value: strict(&text).unwrap(), repairs: vec![] }));
    }

    #[test]
    fn changed_bytes_are_read_as_before_or_reported(
        value in any_value(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut text = serde_json::to_vec(&json!({"tool_input": value})).unwrap();
        for (index, byte) in changes {
            let at = index.index(text.len());
            text[at] = byte;
        }
        let read = parse(&text);
        if let Some(expected) = strict(&text) {
            let read = read.unwrap();
            prop_assert_eq!(read.value, expected);
            prop_assert!(read.repairs.iter().all(is_duplicate), "{:?}", read.repairs);
        } else if let Ok(read) = read {
            prop_assert!(!read.repairs.is_empty(), "{}", text.escape_ascii());
        }
    }

    #[test]
    fn arbitrary_fragments_of_json_read_as_a_strict_parser_would(
        text in "(\\{|\\}|\\[|\\]|\"a\"|\"\\\\u[0-9d][0-9c][0-9][0-9]\"|:|,|1|-|e5|\\.|true|null|NaN| ){0,40}",
    ) {
        let text = format!("{{\"k\":{text}}}");
        let read = parse(text.as_bytes());
        if let Some(expected) = strict(text.as_bytes()) {
            prop_assert_eq!(read.map(|read| read.value), Ok(expected));
        } else if let Ok(read) = read {
            prop_assert!(!read.repairs.is_empty(), "{text}");
        }
    }
}
