//! Rules that know what happened before.

use super::{judged, set};
use hookrail_rules::ExampleCall;

fn after(command: &str, before: &[&str]) -> ExampleCall {
    ExampleCall { after: before.iter().map(|text| (*text).to_owned()).collect(), ..ExampleCall::shell(command) }
}

#[test]
fn a_commit_needs_tests_that_passed_since_the_last_change() {
    let set = set(r#"
[[rule]]
id = "green-before-commit"
when = { effect = "git.commit" }
unless = { happened = { effect = "exec.test", outcome = "ok" }, since = { effect = "fs.write", place = "project" } }
decide = "deny"
"#);
    for (before, denied) in [
        (&[][..], true),
        (&["npm test"], false),
        (&["touch src/app.ts"], true),
        (&["touch src/app.ts", "npm test"], false),
        (&["npm test", "touch src/app.ts"], true),
        // Its status is not that of the tests.
        (&["npm test || true"], true),
        (&["npm test | tail"], true),
        (&["npm test", "npm test | tail"], true),
        // In one call the order of its commands counts.
        (&["touch src/app.ts && npm test"], false),
        (&["npm test && touch src/app.ts"], true),
        // Outside of the project nothing that is committed changes.
        (&["npm test", "touch /tmp/x"], false),
    ] {
        let found = judged(&set, &after("git commit -m x", before));
        assert_eq!(!found.matches.is_empty(), denied, "{before:?}");
    }
    // What a call does has not happened while it is judged.
    assert!(!judged(&set, &after("npm test && git commit -m x", &[])).matches.is_empty());
}

#[test]
fn after_holds_from_the_call_on_that_did_it() {
    let set = set(r#"
[[rule]]
id = "secret-then-no-network"
when = { effect = ["net.send", "net.fetch"], host = "!localhost" }
after = { effect = "secret.read" }
decide = "ask"
"#);
    for (before, command, asked) in [
        (&[][..], "curl https://example.com", false),
        (&["cat README.md"], "curl https://example.com", false),
        (&["cat .env"], "curl https://example.com", true),
        (&["cat .env", "ls"], "curl https://example.com", true),
        (&["cat .env"], "curl http://localhost:3000", false),
    ] {
        assert_eq!(!judged(&set, &after(command, before)).matches.is_empty(), asked, "{before:?} {command}");
    }
}
