//! `orchestrator/scope-protection`: each agent of a team stays in its part of the project.

use crate::more_spellings;
use crate::reading::{LOOK_ALIKES, REMOVALS, WRITES, borrowed, spell};
use crate::sandbox::{Guard, Sandbox, word};
use hookrail_packs::orchestrator::ScopeProtection;
use serde_json::{Value, json};

const FILE: &str = "src/web/app.ts";

fn sandbox(scope: &Value) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox
        .file(FILE, "web\n")
        .file("src/api/users.rs", "api\n")
        .file("migrations/1.sql", "select 1\n")
        .file("new.txt", "new\n")
        .file("docs/plans/parser.md", "# Parser\n")
        .file(
            ".claude/orchestrator-state.json",
            &json!({"active_plan": "docs/plans/parser.md", "slug": "parser", "team": "parser", "started": "2026-02-16T10:00:00Z"})
                .to_string(),
        )
        .file(".claude/hooks/scopes/parser.json", &json!({ "agents": { "api-dev": scope } }).to_string());
    sandbox.repository("main");
    sandbox
}

pub fn guard() -> Guard<'static> {
    Guard {
        hook: &ScopeProtection,
        sandbox: sandbox(&json!({"allow": ["src/api/", "*.log"]})),
        settings: json!({}),
        watch: |sandbox| sandbox.snapshot(FILE),
        verdict: word,
        event: "PreToolUse",
    }
}

#[test]
fn an_agent_changes_only_its_part_however_that_is_spelled() {
    let more =
        ["rm -rf src", "mv src old", "sed -i s/a/b/ src/*/*", "find src -type f -exec sed -i 's/$/x/' {name_braces} +"];
    let changes = spell(&[WRITES, REMOVALS, more_spellings::WRITES, &more].concat(), FILE);
    let own = [
        "echo x > src/api/users.rs",
        "cat src/web/app.ts > src/api/copy.rs",
        "rm src/api/users.rs",
        "cd src/api && echo x > new.rs",
        "cat > src/api/doc.md <<'EOF'\necho x > src/web/app.ts\nEOF",
        "cp src/web/app.ts src/api/",
        "sed -i 's|src/web/app.ts|x|' src/api/users.rs",
        "sed s/a/b/ src/web/app.ts > src/api/b.ts",
        "mv src/api/users.rs src/api/people.rs",
        "mkdir -p src/api/web && touch src/api/web/app.ts",
        "python3 -c \"open('src/api/x', 'w').write(open('src/web/app.ts').read())\"",
        "echo 'src/web/app.ts' > run.log",
        "grep -rn web src > found.log",
    ];
    // Most look-alikes write copies to the top of the project, which is not this agent's.
    let quiet: Vec<&str> = LOOK_ALIKES
        .iter()
        .chain(more_spellings::LOOK_ALIKES)
        .copied()
        .filter(|text| {
            !["copy", "new.txt", "elsewhere", "alink", "git checkout", "git commit"]
                .iter()
                .any(|word| text.contains(word))
        })
        .collect();
    let look_alikes = spell(&[quiet.as_slice(), &own].concat(), FILE);
    guard().judge_mostly(&borrowed(&changes), &borrowed(&look_alikes));
}

#[test]
fn what_is_denied_is_reached_by_no_folder_around_it() {
    let sandbox = sandbox(&json!({"deny": ["migrations/"]}));
    let world = sandbox.world(json!({}));
    for (command, expected) in [
        ("rm -rf migrations", "deny"),
        ("rm -rf .", "deny"),
        ("rm -rf ./*", "deny"),
        ("chmod -R go-w .", "deny"),
        ("find . -type f -exec sed -i s/a/b/ {} +", "deny"),
        ("git ls-files | xargs sed -i s/a/b/", "deny"),
        ("rm -rf src", "silent"),
        ("sed -i s/a/b/ src/*/*", "silent"),
        ("echo x > new.txt", "silent"),
    ] {
        let event = sandbox.call("Bash", json!({ "command": command }));
        assert_eq!(word(&ScopeProtection, &event, &world), expected, "{command}");
    }
}
