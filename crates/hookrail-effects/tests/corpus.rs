//! How much of labelled calls is understood. The calls are read as data and never run. What rules make of it is checked by
//! `cargo xtask corpus`.

#![allow(clippy::unwrap_used, reason = "helpers of a test may fail it")]

use hookrail_effects::{Effect, Understanding};
use hookrail_testkit::corpus::{LabelledCall, Want, machine, read};
use std::sync::Arc;

type Labelled = (LabelledCall, Arc<Understanding>);

fn labelled() -> Vec<Labelled> {
    let world = machine();
    let calls = read(include_str!("../../../spec/corpus/calls.json")).unwrap();
    let understand = |call: LabelledCall| {
        let understood = hookrail_effects::of(&call.event(), &world).unwrap();
        (call, understood)
    };
    calls.into_iter().map(understand).collect()
}

fn family_found((call, understood): &Labelled) -> bool {
    let families = || call.effects.iter().filter_map(|label| label.split('.').next());
    let is = |family: &str, effect: &Effect| {
        effect.act.family() == family || effect.act.implies().is_some_and(|general| general.family() == family)
    };
    understood.list.iter().any(|effect| families().any(|family| is(family, effect)))
}

fn show((call, understood): &Labelled) -> String {
    let effects: Vec<String> = understood.list.iter().map(ToString::to_string).collect();
    let gaps: Vec<&str> = understood.gaps.iter().map(|gap| gap.why.name()).collect();
    format!("{} {:?} {}\n      {} | gaps {gaps:?}", call.id, call.effects, call.shown(), effects.join("; "))
}

#[test]
fn nearly_all_labelled_calls_are_understood() {
    let calls = labelled();
    let (dangerous, harmless): (Vec<_>, Vec<_>) = calls.iter().partition(|(call, _)| call.want != Want::Allow);
    let blind: Vec<String> = dangerous.iter().filter(|call| !family_found(call)).map(|call| show(call)).collect();
    let unclear: Vec<String> =
        harmless.iter().filter(|(_, understood)| !understood.understood()).map(|call| show(call)).collect();
    let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole as f64;
    assert!(percent(blind.len(), dangerous.len()) <= 2.0, "not seen:\n{}", blind.join("\n"));
    assert!(percent(unclear.len(), harmless.len()) <= 2.0, "with gaps:\n{}", unclear.join("\n"));
}
