//! `planning/enforce-planning-lock`: only the session that holds the lock writes in the feature's folder.

use crate::more_spellings;
use crate::reading::{LOOK_ALIKES, REMOVALS, WRITES, borrowed, spell};
use crate::sandbox::{Guard, word};
use crate::spec_immutability;
use hookrail_packs::planning::EnforcePlanningLock;
use serde_json::json;

const FILE: &str = "specs/x/design.md";

pub fn guard() -> Guard<'static> {
    let sandbox = spec_immutability::sandbox();
    sandbox.file("specs/x/.planning.lock", "{\"session_id\": \"another\"}\n");
    Guard {
        hook: &EnforcePlanningLock,
        sandbox,
        settings: json!({}),
        // The hook keeps a log of its own there.
        watch: |sandbox| {
            let text = sandbox.snapshot("specs/x");
            text.lines().filter(|line| !line.contains("audit.log") && !line.starts_with('[')).collect()
        },
        verdict: word,
        event: "PreToolUse",
    }
}

#[test]
fn without_the_lock_no_spelling_writes_in_the_folder() {
    let more = [
        "rm specs/x/.planning.lock",
        "echo '{\"session_id\": \"s1\"}' > specs/x/.planning.lock",
        "touch specs/x/new.md",
        "mkdir specs/x/parts",
        "rm -rf specs",
        "cp -r src specs/x/",
        "tar cf specs/x/all.tar src",
    ];
    let changes = spell(&[WRITES, REMOVALS, more_spellings::WRITES, &more].concat(), FILE);
    let look_alikes = spell(
        &[
            LOOK_ALIKES,
            more_spellings::LOOK_ALIKES,
            &["echo x > specs/y/spec.md", "touch specs/z.md", "echo x > src/a.txt"],
        ]
        .concat(),
        FILE,
    );
    guard().judge(&borrowed(&changes), &borrowed(&look_alikes));
}
