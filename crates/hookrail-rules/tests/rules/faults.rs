//! What is wrong with a rule is said with its place, and what stays in force is what cannot do harm.

use super::{book, file, said};
use hookrail_rules::{Layer, Severity, compile};

/// The faults of a text, each as one line.
fn faults(text: &str) -> Vec<String> {
    let told = book(text).faults.into_iter().map(|fault| {
        let kind = if fault.severity == Severity::Warning { "warning " } else { "" };
        let hint = fault.hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
        format!("{kind}{}: {}{hint}", fault.origin, fault.message)
    });
    told.collect()
}

#[test]
fn every_mistake_has_its_place_and_a_suggestion() {
    let cases = [
        (
            "[[rule]]\nid = \"a\"\nwhen = { efect = \"fs.read\", tool = \"shell\" }\ndecide = \"deny\"\n",
            &["user.toml:3:10: unknown key `efect` in `rule.when` (did you mean `effect`?)"][..],
        ),
        (
            "[[rule]]\nid = \"a\"\nwhen = { effect = \"fs.delet\" }\ndecide = \"deny\"\n",
            &["user.toml:3:19: `rule.when.effect` is `fs.delet`, which is not an effect (did you mean `fs.delete`?)"],
        ),
        (
            "[[rule]]\nid = \"a\"\nwhen = { effect = [\"fs.read\", \"gti.*\"], place = \"hom\" }\ndecide = \"deny\"\n",
            &[
                "user.toml:3:31: `rule.when.effect` is `gti.*`, which matches no effect",
                "user.toml:3:49: `rule.when.place` is `hom`, which is not a place (did you mean `home`?)",
            ],
        ),
        (
            "[[rule]]\nid = \"a\"\nwhen = { agent = \"cluade\" }\ndecide = \"deny\"\n",
            &["user.toml:3:18: `rule.when.agent` is `cluade`, which is not an agent (did you mean `claude`?)"],
        ),
        (
            "[[rule]]\nwhen = { effect = \"fs.read\" }\ndecide = \"deny\"\n",
            &["user.toml:1:1: this `[[rule]]` needs `id`"],
        ),
        ("[[rule]]\nid = \"a\"\ndecide = \"deny\"\n", &["user.toml:1:1: this `[[rule]]` needs `when`; it is left out"]),
        (
            "[[rule]]\nid = \"a\"\nwhen = { effect = \"fs.read\" }\n",
            &["user.toml:1:1: this `[[rule]]` needs `decide`; it is left out"],
        ),
        (
            "[[rule]]\nid = \"a\"\nwhen = { effect = \"fs.read\" }\ndecide = \"denny\"\n",
            &[
                "user.toml:4:10: `rule.decide` is `denny`, not one of `deny`, `ask`, `warn`, `allow` (did you mean `deny`?)",
            ],
        ),
        (
            "[[rule]]\nid = \"a\"\nwhen = { effect = \"fs.read\" }\ndecide = \"deny\"\nsay = \"{pth} of {program}\"\n",
            &["user.toml:5:7: `rule.say` has an unknown placeholder `{pth}` (did you mean `{path}`?)"],
        ),
        (
            "[[rule]]\nid = \"a\"\nwhen = { effect = \"fs.read\" }\ndecide = \"deny\"\nlimit = { count = 3, per = \"week\" }\n",
            &["user.toml:5:28: `rule.limit.per` is `week`, not one of `turn`, `session`, `day`"],
        ),
        (
            "[[rule]]\nid = \"a\"\nwhen = { effect = \"fs.read\" }\ndecide = \"deny\"\nuntil = \"2026-02-30\"\n",
            &["user.toml:5:9: `until` must be a date, such as `2026-12-31`"],
        ),
        (
            "[[rule]]\nid = \"a\"\nwhen = { effect = \"fs.read\" }\ndecide = \"allow\"\nlimit = { count = 3, per = \"day\" }\n",
            &[
                "user.toml:5:9: a rule that allows has no `limit`",
                "user.toml:1:1: rule `a` allows, and is ignored until that is fixed",
            ],
        ),
        (
            "[[exception]]\nrule = \"nope\"\nwhen = { effect = \"fs.read\" }\n",
            &["warning user.toml:1:1: there is no rule `nope` for this exception"],
        ),
        (
            "[[rule]]\nid = \"a/b\"\nwhen = { effect = \"fs.read\" }\ndecide = \"deny\"\n",
            &[
                "user.toml:2:6: `rule.id` is `a/b`, not letters, digits, `-`, `_` and `.` (write something like `no-force-push`)",
            ],
        ),
    ];
    for (text, expected) in cases {
        let found = faults(text);
        assert_eq!(found.len(), expected.len(), "{text}\n{found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(expected), "{found}\nis not\n{expected}");
        }
    }
}

#[test]
fn examples_are_judged_by_their_own_rule() {
    let text = |examples: &str| {
        format!(
            "[[rule]]\nid = \"a\"\nwhen = {{ effect = \"fs.delete\", place = \"home\" }}\ndecide = \"deny\"\nexamples = {{ {examples} }}\n"
        )
    };
    for (examples, expected) in [
        (r#"deny = ["rm -rf ~"], none = ["rm a", "ls"]"#, None),
        (
            r#"deny = ["rm a"]"#,
            Some("user.toml:5:22: an example of rule `a` fails: it should deny `rm a`, and the rule says none"),
        ),
        (r#"none = ["ls", "rm ~/x"]"#, Some("user.toml:5:28: an example of rule `a` fails")),
        (
            r#"ask = ["rm ~/x"]"#,
            Some("user.toml:5:21: an example of rule `a` fails: it should ask about `rm ~/x`, and the rule says deny"),
        ),
        (r#"none = [{ tool = "Read", input = { file_path = "/home/me/x" } }]"#, None),
        (r#"deny = [{ comand = "x" }]"#, Some("user.toml:5:24: unknown key `comand` in `rule.examples.deny`")),
    ] {
        let found = faults(&text(examples));
        match expected {
            None => assert_eq!(found, [""; 0], "{examples}"),
            Some(expected) => {
                assert!(found.first().is_some_and(|fault| fault.starts_with(expected)), "{examples}\n{found:#?}");
            }
        }
    }
}

#[test]
fn a_suggestion_must_not_be_refused_by_any_rule() {
    let rules = "[[rule]]\nid = \"a\"\nwhen = { effect = \"fs.delete\", place = \"home\" }\ndecide = \"deny\"\ninstead = \"rm -rf dist\"\n\
                 [[rule]]\nid = \"b\"\nwhen = { effect = \"fs.delete\", place = \"build\" }\ndecide = \"deny\"\n";
    let found = faults(rules);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(
        found[0].starts_with("user.toml:1:1: `instead` of rule `a` is denied itself: `rm -rf dist` by rule `b`"),
        "{found:#?}"
    );
}

#[test]
fn what_denies_stays_in_force_with_its_faults_and_what_allows_does_not() {
    for (text, command, expected) in [
        (
            "[[rule]]\nid = \"a\"\nwhen = { effect = \"fs.delete\" }\ndecide = \"deny\"\nexamples = { none = [\"rm x\"] }\n",
            "rm x",
            "deny a",
        ),
        (
            "[[rule]]\nid = \"a\"\nwhen = { effect = \"fs.delete\", plase = \"home\" }\ndecide = \"ask\"\n",
            "rm x",
            "ask a",
        ),
        ("[[rule]]\nwhen = { effect = \"fs.delete\" }\ndecide = \"deny\"\n", "rm x", "deny line-1"),
        (
            "[[rule]]\nid = \"a\"\nwhen = { effect = \"fs.delete\", place = \"!hom\" }\ndecide = \"deny\"\n",
            "rm x",
            "deny a",
        ),
        (
            "[[rule]]\nid = \"a\"\nwhen = { effect = \"fs.delete\" }\ndecide = \"allow\"\nexamples = { none = [\"rm x\"] }\n",
            "rm x",
            "",
        ),
        ("[[rule]]\nid = \"a\"\nwhen = { effect = \"fs.delete\", plase = \"home\" }\ndecide = \"allow\"\n", "rm x", ""),
    ] {
        let book = book(text);
        assert!(book.faults.iter().any(|fault| fault.severity == Severity::Error), "{text}");
        assert_eq!(said(&book.set, command).join(" "), expected, "{text}");
    }
}

#[test]
fn both_of_two_rules_with_one_id_hold_unless_they_allow() {
    let rule = |decide: &str, effect: &str| {
        format!("[[rule]]\nid = \"a\"\nwhen = {{ effect = \"{effect}\" }}\ndecide = \"{decide}\"\n")
    };
    let denying = book(&(rule("deny", "fs.delete") + &rule("ask", "git.push")));
    assert_eq!(denying.faults.len(), 1, "{:?}", denying.faults);
    assert_eq!(said(&denying.set, "rm x && git push"), ["deny a", "ask a"]);
    let allowing = book(&(rule("allow", "fs.delete") + &rule("allow", "fs.read")));
    assert!(allowing.set.is_empty());
}

#[test]
fn rules_that_never_matter_are_told() {
    let rule = |id: &str, when: &str, decide: &str| {
        format!("[[rule]]\nid = \"{id}\"\nwhen = {{ {when} }}\ndecide = \"{decide}\"\n")
    };
    for (rules, expected) in [
        (
            rule("a", r#"effect = ["git.push", "!git.*"]"#, "deny"),
            "rule `a` never matches: its `effect` excludes everything",
        ),
        (rule("a", r#"effect = "fs.read", host = "x""#, "deny"), "rule `a` never matches: `fs.read`"),
        (
            rule("a", r#"effect = "net.fetch", place = "project""#, "deny"),
            "rule `a` never matches: what goes over the network",
        ),
        (
            rule("a", r#"effect = "fs.*""#, "deny") + &rule("b", r#"effect = "fs.delete", place = "home""#, "ask"),
            "rule `b` is shadowed by rule `a`",
        ),
        (
            rule("a", r#"effect = "fs.delete""#, "deny")
                + &rule("b", r#"effect = "fs.delete", place = "build""#, "allow"),
            "rule `b` contradicts rule `a`",
        ),
    ] {
        let found = faults(&rules);
        assert_eq!(found.len(), 1, "{rules}\n{found:#?}");
        assert!(found[0].starts_with("warning") && found[0].contains(expected), "{found:#?}");
    }
    let fine = rule("a", r#"effect = "fs.delete", place = "home""#, "deny") + &rule("b", r#"effect = "fs.*""#, "ask");
    assert_eq!(faults(&fine), [""; 0]);
}

#[test]
fn a_project_may_have_the_rule_that_its_user_has() {
    let daily = "[[rule]]\nid = \"daily\"\nwhen = { effect = \"exec.test\" }\ndecide = \"allow\"\n";
    let files = |user: &str, project: &str| {
        let files = vec![file(user, Layer::User), file(project, Layer::Project)];
        compile(files, &[]).faults.into_iter().map(|fault| fault.message).collect::<Vec<_>>()
    };
    assert_eq!(files(daily, daily), [""; 0]);
    let other = daily.replace("\"daily\"", "\"other\"");
    assert_eq!(files(daily, &other).len(), 1);
}

#[test]
fn what_a_project_brings_cannot_make_its_user_wait() {
    let many: String = (0..3000)
        .map(|n| format!("[[rule]]\nid = \"r{n}\"\nwhen = {{ effect = \"fs.delete\" }}\ndecide = \"deny\"\n"))
        .collect();
    let found = book(&many);
    assert_eq!(found.set.len(), 2000);
    assert!(found.faults.iter().any(|fault| fault.message.starts_with("there are more than 2000 rules")));
    let long = format!("rm ~/{}", "x".repeat(1000));
    let examples = vec![format!("\"{long}\""); 2000].join(", ");
    let found = faults(&format!(
        "[[rule]]\nid = \"a\"\nwhen = {{ effect = \"fs.delete\" }}\ndecide = \"deny\"\nexamples = {{ deny = [{examples}] }}\n"
    ));
    assert_eq!(found.len(), 1, "{}", found.len());
    assert!(found[0].contains("too much text in examples"), "{found:?}");
    let misspelt: String = (0..100)
        .map(|n| format!("[[exception]]\nrule = \"rr{n}\"\nwhen = {{ effect = \"fs.delete\" }}\nreason = \"x\"\n"))
        .collect();
    let found = faults(&[&many, misspelt.as_str()].concat());
    let of_exceptions: Vec<&String> = found.iter().filter(|fault| fault.contains("there is no rule `rr")).collect();
    let guessed = of_exceptions.iter().filter(|fault| fault.contains("did you mean")).count();
    assert_eq!((of_exceptions.len(), guessed), (100, 20));
}
