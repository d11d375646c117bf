//! `isdlc/state-write-validator`: whoever writes the workflow's state is looked at.

use crate::disk::Disk;
use crate::more_spellings;
use crate::reading::{LOOK_ALIKES, REMOVALS, WRITES, borrowed, spell};
use crate::sandbox::{Guard, Sandbox};
use hookrail_core::{Event, NativeHook, Outcome};
use hookrail_packs::isdlc::StateWriteValidator;
use serde_json::json;

const STATE: &str = ".isdlc/state.json";
const CLAIM: &str = r#"{"phases": {"06": {"constitutional_validation": {"completed": true, "iterations_used": 0}}}}"#;

fn warns(hook: &dyn NativeHook, event: &Event, world: &Disk) -> &'static str {
    let warns = hook.concerns(event) && hook.check(event, world).unwrap() != Outcome::silent();
    if warns { "warn" } else { "silent" }
}

pub fn guard() -> Guard<'static> {
    let sandbox = Sandbox::new();
    sandbox.file(STATE, CLAIM).file("new.txt", "{}\n").file("src/a.txt", "").repository("main");
    Guard {
        hook: &StateWriteValidator,
        sandbox,
        settings: json!({}),
        watch: |sandbox| sandbox.snapshot(STATE),
        verdict: warns,
        event: "PostToolUse",
    }
}

#[test]
fn a_write_of_the_state_is_looked_at_and_a_read_is_not() {
    let more =
        ["jq . new.txt > t && mv t .isdlc/state.json", "git checkout HEAD -- .isdlc; echo x > .isdlc/state.json"];
    let changes = spell(&[WRITES, more_spellings::WRITES, &more].concat(), STATE);
    // Whether the state was there before the call, nothing tells behind it.
    let quiet: Vec<&str> = more_spellings::LOOK_ALIKES.iter().copied().filter(|text| !text.contains("[ ")).collect();
    // What was taken away claims nothing.
    let look_alikes = spell(
        &[
            LOOK_ALIKES,
            &quiet,
            &["jq . .isdlc/state.json", "echo x > src/state.json", "cp .isdlc/state.json src/state.json"],
        ]
        .concat(),
        STATE,
    );
    let guard = guard();
    assert!(changes.len() + look_alikes.len() >= 40);
    guard.judge(&borrowed(&changes), &borrowed(&look_alikes));
    let world = guard.sandbox.world(json!({}));
    for command in spell(REMOVALS.get(..2).unwrap(), STATE) {
        let event = guard.sandbox.event("PostToolUse", "Bash", json!({ "command": command }));
        assert_eq!(warns(&StateWriteValidator, &event, &world), "silent", "{command}");
    }
}
