//! `planning/protect-spec-immutability`: the specification stays as it was when planning began.

use crate::more_spellings;
use crate::reading::{LOOK_ALIKES, REMOVALS, WRITES, borrowed, spell};
use crate::sandbox::{Guard, Sandbox, word};
use hookrail_packs::planning::ProtectSpecImmutability;
use serde_json::json;

const SPEC: &str = "specs/x/spec.md";

pub fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox
        .file(SPEC, "spec\n")
        .file("specs/x/design.md", "design\n")
        .file("specs/y/spec.md", "another\n")
        .file("specs/x/.planning-state.local.md", "---\nphase: RESEARCH\n---\n")
        .file("new.txt", "new\n")
        .file("src/a.txt", "");
    sandbox.repository("feature/x");
    sandbox
}

pub fn guard() -> Guard<'static> {
    Guard {
        hook: &ProtectSpecImmutability,
        sandbox: sandbox(),
        settings: json!({}),
        watch: |sandbox| sandbox.snapshot(SPEC),
        verdict: word,
        event: "PreToolUse",
    }
}

#[test]
fn a_frozen_specification_is_changed_by_no_spelling() {
    let changes = spell(&[WRITES, REMOVALS, more_spellings::WRITES, &["rm -rf specs", "mv specs old"]].concat(), SPEC);
    // What switches the branch away ends the planning of this feature.
    let more =
        ["echo x > specs/y/spec.md", "rm specs/y/spec.md", "echo x > specs/x/design.md", "mkdir -p specs/x/parts"];
    let look_alikes = spell(&[LOOK_ALIKES, more_spellings::LOOK_ALIKES, &more].concat(), SPEC);
    guard().judge(&borrowed(&changes), &borrowed(&look_alikes));
}
