//! Rules add up; exceptions weaken what is theirs or below them.

use super::file;
use hookrail_rules::{ExampleCall, Layer, Level, RuleSet, Severity, compile, judge_example};

const RULE: &str = "[[rule]]\nid = \"r\"\nwhen = { effect = \"fs.delete\" }\ndecide = \"deny\"\n";
const EXCEPTION: &str = "[[exception]]\nrule = \"r\"\nwhen = { effect = \"fs.delete\", path = \"~/scratch/**\" }\n";

fn denies(set: &RuleSet, command: &str) -> bool {
    !judge_example(&[set], &ExampleCall::shell(command), Level::default()).matches.is_empty()
}

#[test]
fn an_exception_works_in_its_own_layer_and_below() {
    use Layer::{Local, Managed, Project, User};
    for (of_rule, of_exception, works) in [
        (User, User, true),
        (User, Managed, true),
        (User, Project, false),
        (Managed, User, false),
        (Project, User, true),
        (Project, Project, true),
        (Project, Local, false),
    ] {
        let book = compile(vec![file(RULE, of_rule), file(EXCEPTION, of_exception)], &[]);
        assert_eq!(denies(&book.set, "rm ~/scratch/a"), !works, "{of_rule:?} {of_exception:?}");
        assert!(denies(&book.set, "rm ~/Documents/thesis.md"), "{of_rule:?} {of_exception:?}");
        assert_eq!(book.faults.len(), usize::from(!works), "{:?}", book.faults);
        assert!(book.faults.iter().all(|fault| fault.severity == Severity::Warning));
    }
}

#[test]
fn an_exception_takes_out_what_it_covers_and_no_more() {
    let book = compile(vec![file(&format!("{RULE}{EXCEPTION}"), Layer::User)], &[]);
    for (command, denied) in [
        ("rm -rf ~/scratch/a", false),
        ("rm -rf ~/scratch/*", false),
        ("rm -rf ~/scratch", true),
        ("rm -rf ~/scratch/a ~/Documents", true),
        ("rm -rf ~/scratch/../Documents", true),
        ("rm -rf ~/*", true),
    ] {
        assert_eq!(denies(&book.set, command), denied, "{command}");
    }
}

#[test]
fn of_one_id_in_several_layers_an_exception_covers_those_at_or_below_its_own() {
    let book = compile(
        vec![file(RULE, Layer::Managed), file(&format!("{RULE}{EXCEPTION}"), Layer::User), file(RULE, Layer::Project)],
        &[],
    );
    let judgement = judge_example(&[&book.set], &ExampleCall::shell("rm ~/scratch/a"), Level::default());
    let left: Vec<Layer> = judgement.matches.iter().map(|found| found.rule.layer).collect();
    assert_eq!(left, [Layer::Managed]);
    assert_eq!(judgement.excepted.len(), 2);
}

#[test]
fn exceptions_count_for_rules_of_packs() {
    let exception = EXCEPTION.replace("\"r\"", "\"safety/delete-outside\"");
    let safety = hookrail_rules::safety::rules();
    for (layer, works) in [(Layer::User, true), (Layer::Project, false)] {
        let book = compile(vec![file(&exception, layer)], &[safety]);
        let judgement = judge_example(&[&book.set, safety], &ExampleCall::shell("rm ~/scratch/a"), Level::default());
        assert_eq!(judgement.matches.is_empty(), works, "{layer:?}");
    }
}

#[test]
fn until_includes_its_day() {
    for (until, today, holds) in [
        (None, "2026-12-31", true),
        (Some("2026-12-31"), "2026-12-31", true),
        (Some("2026-12-31"), "2027-01-01", false),
        (Some("2026-12-31"), "2026-01-01", true),
    ] {
        assert_eq!(hookrail_rules::holds_on(until, &|| today.to_owned()), holds, "{until:?} {today}");
    }
}

#[test]
fn a_set_reads_back_from_its_bytes_and_damage_is_noticed() {
    let book = compile(vec![file(&format!("{RULE}{EXCEPTION}"), Layer::User)], &[]);
    let bytes = book.set.as_bytes().to_vec();
    let again = RuleSet::from_bytes(bytes.clone()).unwrap();
    assert_eq!(again.rules().collect::<Vec<_>>(), book.set.rules().collect::<Vec<_>>());
    assert_eq!(again.exceptions(), book.set.exceptions());
    for length in 0..bytes.len() {
        if let Some(cut) = RuleSet::from_bytes(bytes[..length].to_vec()) {
            let _ = (cut.rules().count(), cut.exceptions().len());
        }
    }
    let mut other = bytes;
    other[9] ^= 1;
    assert!(RuleSet::from_bytes(other).is_none(), "another vocabulary");
}
