//! Every selector.

use super::{judged, set};
use hookrail_rules::ExampleCall;
use serde_json::{Value, json};

fn tool(name: &str, input: Value) -> ExampleCall {
    ExampleCall { tool: name.to_owned(), input, ..ExampleCall::default() }
}

fn check(cases: &[(&str, ExampleCall, bool)]) {
    for (when, call, expected) in cases {
        let set = set(&format!("[[rule]]\nid = \"r\"\nwhen = {{ {when} }}\ndecide = \"deny\"\n"));
        let found = judged(&set, call);
        assert_eq!(!found.matches.is_empty(), *expected, "{when} | {}", call.shown());
    }
}

fn shell(command: &str) -> ExampleCall {
    ExampleCall::shell(command)
}

#[test]
fn effects_are_selected_by_name_pattern_list_and_negation() {
    check(&[
        (r#"effect = "fs.delete""#, shell("rm a"), true),
        (r#"effect = "fs.delete""#, shell("cat a"), false),
        (r#"effect = "fs.*""#, shell("cat a"), true),
        (r#"effect = ["git.push", "fs.delete"]"#, shell("rm a"), true),
        (r#"effect = ["fs.*", "!fs.read"]"#, shell("cat README.md"), false),
        (r#"effect = ["fs.*", "!fs.read"]"#, shell("touch a"), true),
        (r#"effect = "!fs.read""#, shell("cat README.md"), false),
        (r#"effect = "!fs.read""#, shell("rm a"), true),
    ]);
}

#[test]
fn the_specific_act_is_also_the_general_one() {
    check(&[
        (r#"effect = "git.push""#, shell("git push --force origin x"), true),
        (r#"effect = "fs.read""#, shell("cat .env"), true),
        (r#"effect = "fs.write""#, shell("echo x >> ~/.bashrc"), true),
        // Who excludes reading does not exclude secrets.
        (r#"effect = ["*", "!fs.read"]"#, shell("cat .env"), true),
    ]);
}

#[test]
fn places_paths_and_certainty_are_those_of_the_effect() {
    check(&[
        (r#"effect = "fs.delete", place = ["home", "outside"]"#, shell("rm -rf ~/Documents"), true),
        (r#"effect = "fs.delete", place = ["home", "outside"]"#, shell("rm -rf dist"), false),
        (r#"effect = "fs.delete", place = "!build""#, shell("rm -rf dist"), false),
        (r#"effect = "fs.delete", place = "!build""#, shell("rm src/app.ts"), true),
        (r#"path = "src/**""#, shell("rm src/app.ts"), true),
        (r#"path = "src/**""#, shell("rm -rf src"), true),
        (r#"path = "src/**""#, shell("rm docs/guide.md"), false),
        (r#"path = ".env""#, shell("cat .env"), true),
        (r#"effect = "fs.delete", path = ".env""#, shell("rm -rf ."), true),
        (r#"effect = "fs.delete", path = ".env""#, shell("rm -rf node_modules"), false),
        (r#"path = "~/.ssh/**""#, shell("cp ~/.ssh/config /tmp/x"), true),
        (r#"path = "/etc/**""#, shell("cat /etc/hosts"), true),
        (r#"effect = "fs.delete", path = "!src/**""#, shell("rm src/app.ts"), false),
        (r#"effect = "fs.delete", path = "!src/**""#, shell("rm README.md"), true),
        (r#"effect = "fs.delete", sure = "certain""#, shell("rm $X/y"), false),
        (r#"effect = "fs.delete", sure = "possible""#, shell("rm $X/y"), true),
        // What an effect does not have never matches, negated or not.
        (r#"path = "!src/**""#, shell("curl https://example.com"), false),
        (r#"host = "!localhost""#, shell("rm a"), false),
    ]);
}

#[test]
fn hosts_programs_targets_and_branches_may_be_patterns() {
    let on_main = |command: &str| ExampleCall { branch: Some("main".to_owned()), ..shell(command) };
    check(&[
        (r#"host = "*.example.com""#, shell("curl https://api.example.com/x"), true),
        (r#"host = "*.example.com""#, shell("curl https://evil.org/?example.com"), false),
        (r#"effect = "net.fetch", host = "!localhost""#, shell("curl http://127.0.0.1:3000"), false),
        (r#"effect = "net.fetch", host = "!localhost""#, shell("curl https://example.com"), true),
        (r#"program = "curl""#, shell("curl https://example.com"), true),
        (r#"program = "ku*""#, shell("kubectl delete ns prod"), true),
        (r#"program = "wget""#, shell("curl https://example.com"), false),
        (r#"effect = "git.push", branch = ["main", "release/*"]"#, shell("git push origin main"), true),
        (r#"effect = "git.push", branch = ["main", "release/*"]"#, shell("git push origin release/1.2"), true),
        (r#"effect = "git.push", branch = ["main", "release/*"]"#, shell("git push origin topic"), false),
        (r#"effect = "git.commit", branch = "main""#, on_main("git commit -m x"), true),
        (r#"effect = "git.commit", branch = "main""#, shell("git commit -m x"), false),
        (r#"effect = "fs.write", branch = "main""#, on_main("touch a"), true),
        (r#"branch = "main", tool = "shell""#, on_main("echo hi"), true),
    ]);
}

#[test]
fn tools_roles_modes_agents_and_the_tree_are_those_of_the_call() {
    let reviewer = |command: &str| ExampleCall { role: Some("subagent:reviewer".to_owned()), ..shell(command) };
    let tree = |tree: &str| ExampleCall { tree: Some(tree.to_owned()), ..shell("git checkout main") };
    let by = |agent: &str| ExampleCall { agent: Some(agent.to_owned()), ..shell("ls") };
    let mode = |mode: &str| ExampleCall { mode: Some(mode.to_owned()), ..shell("ls") };
    let fetch = || tool("WebFetch", json!({"url": "https://example.com"}));
    check(&[
        (r#"tool = "shell""#, shell("ls"), true),
        (r#"tool = "Bash""#, shell("ls"), true),
        (r#"tool = "web""#, fetch(), true),
        (r#"effect = "net.fetch", tool = "web""#, shell("curl https://example.com"), false),
        (r#"tool = "read""#, tool("Read", json!({"file_path": "a"})), true),
        (r#"tool = "write""#, tool("Write", json!({"file_path": "a", "content": ""})), true),
        (r#"tool = "mcp""#, tool("mcp__github__delete_repo", json!({})), true),
        (r#"tool = "mcp__github__*""#, tool("mcp__github__delete_repo", json!({})), true),
        (r#"tool = "mcp__gitlab__*""#, tool("mcp__github__delete_repo", json!({})), false),
        (r#"tool = "subagent""#, tool("Task", json!({"subagent_type": "x"})), true),
        (r#"tool = ["!shell"]"#, shell("ls"), false),
        (r#"effect = "fs.write", role = "subagent:reviewer""#, reviewer("touch a"), true),
        (r#"effect = "fs.write", role = "subagent:reviewer""#, shell("touch a"), false),
        (r#"role = "subagent""#, reviewer("ls"), true),
        (r#"role = "subagent:rev*""#, reviewer("ls"), true),
        (r#"role = "main""#, shell("ls"), true),
        (r#"role = "!main""#, shell("ls"), false),
        (r#"agent = "codex""#, by("codex"), true),
        (r#"agent = "codex""#, by("claude"), false),
        (r#"mode = "bypassPermissions""#, mode("bypassPermissions"), true),
        (r#"mode = "bypass*""#, mode("default"), false),
        (r#"effect = "git.*", tree = "dirty""#, tree("dirty"), true),
        (r#"effect = "git.*", tree = "dirty""#, tree("clean"), false),
    ]);
}

#[test]
fn gaps_are_selected_with_or_without_an_effect() {
    check(&[
        ("gap = true", shell("eval \"$X\""), true),
        ("gap = true", shell("ls"), false),
        (r#"gap = "dynamic-code""#, shell("eval \"$X\""), true),
        (r#"gap = "over-limit""#, shell("eval \"$X\""), false),
        (r#"gap = "!dynamic-code""#, shell("eval \"$X\""), false),
        (r#"gap = true, effect = "fs.delete""#, shell("rm a; eval \"$X\""), true),
        (r#"gap = true, effect = "fs.delete""#, shell("rm a"), false),
    ]);
}
