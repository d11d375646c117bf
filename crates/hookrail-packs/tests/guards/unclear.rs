//! Calls that are not fully understood: a person is asked where something protected is near, and not elsewhere.

use crate::protected_paths::{sandbox, settings};
use crate::sandbox::word;
use hookrail_packs::core::ProtectedPaths;
use serde_json::{Value, json};

const ASKED: &[&str] = &[
    "$TOOL secrets/a.txt",
    "\"$EDITOR\" conf/prod.key",
    "eval \"$CMD secrets/a.txt\"",
    "bash -c \"$SCRIPT\" _ secrets/a.txt",
    "frobnicate secrets/a.txt",
    "frobnicate --out=secrets/a.txt",
    "frobnicate .claude",
    "/usr/lib/frobnicate conf/prod.key",
    "/srv/tools/fix secrets",
    "cd secrets && frobnicate",
    "cd secrets && echo x > \"$F\"",
    "cd secrets && rm -rf \"$F\"/x",
    "rm -rf \"$D\"/secrets/a.txt",
    "cp x \"$D/.claude/settings.json\"",
    "echo x > \"$OUT/prod.key\"",
    "git diff --name-only | xargs sed -i s/a/b/",
    "python3 -c \"import os, glob\nfor f in chosen('secrets/*'):\n    os.remove(f)\"",
    "emacs --batch --eval '(delete-file \"secrets/a.txt\")'",
];

const NOT_ASKED: &[&str] = &[
    "echo x > \"$OUT\"",
    "echo x > \"$OUT/report.json\"",
    "rm -rf \"$TMPDIR/build\"",
    "cd src && echo x > \"$F\"",
    "frobnicate src/b.txt",
    "frobnicate .",
    "frobnicate --all",
    "cargo clippy --fix",
    "npm test -- --grep secrets/",
    "$TOOL src/b.txt",
    "eval \"$CMD\"",
    "eval \"$(ssh-agent -s)\"",
    "source venv/bin/activate",
    "cat secrets/a.txt | frobnicate",
    "cat secrets/a.txt > \"$OUT\"",
    "echo $(frobnicate) done",
    "for f in \"$@\"; do echo \"$f\"; done",
    "git diff --name-only | xargs wc -l",
    "git ls-files src | xargs sed -i s/a/b/",
    "python3 -c \"import sys; print(sys.argv)\" secrets/a.txt",
    "make test",
    "docker compose up -d",
];

fn verdict(tool: &str, input: Value) -> &'static str {
    let sandbox = sandbox();
    word(&ProtectedPaths, &sandbox.call(tool, input), &sandbox.world(settings()))
}

#[test]
fn a_person_is_asked_only_where_something_protected_is_near() {
    let check = |commands: &[&'static str], right: &dyn Fn(&str) -> bool| -> Vec<String> {
        let each = commands.iter().map(|command| (command, verdict("Bash", json!({ "command": command }))));
        each.filter(|(_, verdict)| !right(verdict)).map(|(command, verdict)| format!("{verdict}: {command}")).collect()
    };
    let asked = check(ASKED, &|verdict| verdict == "ask");
    let not_asked = check(NOT_ASKED, &|verdict| verdict == "silent");
    assert!(
        asked.is_empty() && not_asked.is_empty(),
        "to be asked:\n{}\nnot:\n{}",
        asked.join("\n"),
        not_asked.join("\n")
    );
}

#[test]
fn a_stash_is_asked_about_only_if_something_protected_was_changed() {
    let sandbox = sandbox();
    let world = sandbox.world(settings());
    let stash = || word(&ProtectedPaths, &sandbox.call("Bash", json!({"command": "git stash"})), &world);
    assert_eq!(stash(), "silent");
    sandbox.file("src/b.txt", "changed by a person");
    assert_eq!(stash(), "silent");
    sandbox.file("secrets/a.txt", "changed by a person");
    assert_eq!(stash(), "ask");
    let clean = sandbox.call("Bash", json!({"command": "git clean -fdx"}));
    assert_eq!(word(&ProtectedPaths, &clean, &world), "ask");
}

#[test]
fn what_is_too_long_to_be_read_and_tools_of_unknown_purpose_are_asked_about() {
    let long = format!("cat > src/b.txt <<'EOF'\n{}\nEOF\nrm secrets/a.txt", "x".repeat(300_000));
    assert_eq!(verdict("Bash", json!({ "command": long })), "ask");
    assert_eq!(verdict("mcp__x__frobnicate", json!({"path": "secrets/a.txt"})), "ask");
    assert_eq!(verdict("mcp__x__frobnicate", json!({"path": "src/b.txt"})), "silent");
}

/// A limit is no way around a guard: what stands behind hundreds of harmless names or gaps is asked about.
#[test]
fn what_is_beyond_a_limit_is_asked_about() {
    let names = |count: usize| (0..count).map(|n| format!("src/f{n}.txt")).collect::<Vec<_>>().join(" ");
    let lines = |count: usize| (0..count).map(|n| format!("src/f{n}.txt\n")).collect::<String>();
    let gaps = |count: usize| (0..count).map(|n| format!("$TOOL src/f{n}.txt; ")).collect::<String>();
    for (command, expected) in [
        (format!("frobnicate {} secrets/a.txt", names(40)), "ask"),
        (format!("frobnicate {} secrets/a.txt", names(2000)), "ask"),
        (format!("frobnicate {}", names(40)), "silent"),
        (format!("eval \"$CMD\" '{} secrets/a.txt'", names(100)), "ask"),
        (format!("{}$TOOL secrets/a.txt", gaps(40)), "ask"),
        (format!("{}$TOOL secrets/a.txt", gaps(400)), "ask"),
        (gaps(40), "silent"),
        (format!("xargs rm <<'EOF'\n{}secrets/a.txt\nEOF", lines(60)), "deny"),
        (format!("xargs rm <<'EOF'\n{}secrets/a.txt\nEOF", lines(600)), "ask"),
        (format!("xargs -I F sh -c 'rm F' <<'EOF'\n{}secrets/a.txt\nEOF", lines(20)), "deny"),
        (format!("xargs -I F sh -c 'rm F' <<'EOF'\n{}\nEOF", lines(20)), "silent"),
        (format!("sed 's/^/rm /' <<'EOF' | sh\n{}secrets/a.txt\nEOF", lines(100)), "deny"),
    ] {
        assert_eq!(
            verdict("Bash", json!({ "command": command })),
            expected,
            "{}",
            command.get(..60).unwrap_or(&command)
        );
    }
}

#[test]
fn the_question_says_what_was_not_understood_and_how_a_person_allows_it() {
    use hookrail_core::NativeHook as _;
    let sandbox = sandbox();
    let event = sandbox.call("Bash", json!({"command": "frobnicate secrets/a.txt"}));
    let output = ProtectedPaths.check(&event, &sandbox.world(settings())).unwrap().into_output().unwrap();
    let reason = output.reason().unwrap();
    for part in ["`frobnicate`", "`secrets/a.txt`, which is protected", "A person can allow it"] {
        assert!(reason.contains(part), "{reason}");
    }
}

/// Each guard may be the only one that an entry asks for.
#[test]
fn every_guard_asks_about_what_is_beyond_a_limit() {
    let guards = [
        crate::protected_paths::guard(),
        crate::branch_guard::guard(crate::branch_guard::sandbox(&[])),
        crate::scope_protection::guard(),
        crate::spec_immutability::guard(),
        crate::planning_lock::guard(),
    ];
    let filler = "true\n".repeat(5000);
    for guard in guards {
        let short = guard.verdict(&guard.sandbox, "true");
        let long = guard.verdict(&guard.sandbox, &format!("{filler}echo end"));
        assert_eq!((short, long), ("silent", "ask"), "{:?}", guard.hook);
    }
}
