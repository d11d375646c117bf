use hookrail_core::js_regex::{JsRegex, JsRegexError, Matched};
use serde_json::Value;

#[test]
fn fuzz() {
    #[expect(clippy::disallowed_methods)]
    let path = std::env::var("JS_TABLE").unwrap();
    let table = std::fs::read_to_string(path).unwrap();
    let (mut bad, mut unsupported, mut total, mut undecided) = (0, std::collections::BTreeMap::<String, usize>::new(), 0, 0);
    for line in table.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let pattern = case["pattern"].as_str().unwrap();
        total += 1;
        if std::env::args().any(|a| a == "trace") { eprintln!("{pattern}"); }
        let regex = match (JsRegex::new(pattern), case["valid"].as_bool().unwrap()) {
            (Ok(regex), true) => regex,
            (Err(JsRegexError::Invalid { .. }), false) => continue,
            (Err(JsRegexError::Unsupported { obstacle }), true) => {
                *unsupported.entry(format!("{obstacle:?}")).or_default() += 1;
                if format!("{obstacle:?}") == "Size" { println!("SIZE {pattern}"); }
                continue;
            }
            (got, valid) => {
                bad += 1;
                if bad < 40 { println!("VALIDITY {pattern:?} node {valid} got {got:?}"); }
                continue;
            }
        };
        for (text, expected) in case["matches"].as_object().unwrap() {
            let got = regex.is_match(text);
            if got == Matched::Undecided { undecided += 1; println!("UNDECIDED /{pattern}/ on {text:?} {regex:?}"); continue; }
            if (got == Matched::Yes) != expected.as_bool().unwrap() {
                bad += 1;
                if bad < 40 { println!("MATCH /{pattern}/ on {text:?}: node {expected} got {got:?} {regex:?}"); }
                break;
            }
        }
    }
    println!("total {total} bad {bad} undecided {undecided} unsupported {unsupported:?}");
}
