//! From transcripts of real agents to a report.

use hookrail_backtest::transcripts::{Homes, PastDecision};
use hookrail_backtest::{BacktestReport, CallDecision, Candidate, Request, Watcher, find_call, page, run};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

struct Patience {
    left: u64,
    total: u64,
}

impl Watcher for Patience {
    fn total(&mut self, bytes: u64, _: u64) {
        self.total = bytes;
    }

    fn advance(&mut self, _: u64) -> ControlFlow<()> {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn homes() -> Homes {
    let at = |name: &str| Some(fixtures().join(name));
    Homes {
        claude: at("claude/.claude"),
        codex: at("codex/.codex"),
        gemini: at("gemini/.gemini"),
        opencode: at("opencode/.local/share/opencode"),
    }
}

fn candidate(text: &str) -> Candidate {
    Candidate::read("test", Path::new("/nonexistent/test/hookrail.toml"), text).unwrap()
}

fn request(text: &str) -> Request {
    Request {
        homes: homes(),
        agents: Vec::new(),
        since: None,
        project: None,
        candidate: candidate(text),
        other: None,
        rule: None,
        stuck: || panic!("a hook does not come back"),
    }
}

fn report(request: &Request) -> BacktestReport {
    run(request, &mut Patience { left: u64::MAX, total: 0 }, 1_800_000_000_000)
}

#[test]
fn every_call_of_four_agents_counts_once_and_is_scored_against_its_person() {
    let report = report(&request(""));
    let history = &report.history;
    assert_eq!((history.sessions, history.calls, history.repeated, history.of_subagents), (10, 39, 16, 6));
    assert_eq!((history.projects, history.days, report.complete), (1, 1, true));
    assert_eq!(report.decisions.total(), 39);
    let score = &report.score;
    assert_eq!((score.approved, score.approved_denied, score.refused, score.refused_stopped), (4, 1, 4, 4));
    assert_eq!(report.interruptions.before, 8);
    assert_eq!(report.problems, []);
    let first = &report.worth_a_look[0];
    assert_eq!(
        (first.subject.as_str(), first.then, first.now),
        ("git push --force origin main", PastDecision::Approved, CallDecision::Deny)
    );
    assert_eq!(first.rules, ["safety/force-push"]);
    assert!(report.worst.iter().any(|call| call.subject == "rm -rf ~/Pictures"));
    let by_agent: Vec<(&str, u64)> =
        report.agents.iter().map(|row| (row.agent.as_str(), row.decisions.total())).collect();
    assert_eq!(by_agent, [("claude", 8), ("codex", 10), ("gemini", 10), ("opencode", 11)]);
    assert!(report.pairs.iter().map(|pair| pair.calls).sum::<u64>() == 39);
}

#[test]
fn a_report_can_be_written_and_read_again() {
    let report = report(&request(""));
    let text = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<BacktestReport>(&text).unwrap(), report);
}

#[test]
fn filters_leave_out_what_is_not_asked_for() {
    type Change = fn(&mut Request);
    let cases: [(&str, Change, u64); 5] = [
        ("an agent", |request| request.agents = vec!["codex".to_owned()], 10),
        ("a project", |request| request.project = Some("/home/dev/shop".into()), 39),
        ("another project", |request| request.project = Some("/home/dev/other".into()), 0),
        ("since long ago", |request| request.since = Some(1), 39),
        ("since tomorrow", |request| request.since = Some(1_900_000_000_000), 0),
    ];
    for (name, change, calls) in cases {
        let mut request = request("");
        change(&mut request);
        assert_eq!(report(&request).history.calls, calls, "{name}");
    }
}

#[test]
fn an_interrupted_backtest_reports_what_was_found() {
    let report = run(&request(""), &mut Patience { left: 2, total: 0 }, 0);
    assert!(!report.complete && report.history.calls > 0 && report.history.calls < 39, "{:?}", report.history);
}

const NO_TESTS: &str = r#"
[[rule]]
id = "no-tests"
when = { effect = "exec.test" }
decide = "deny"
"#;

#[test]
fn two_configurations_are_compared_call_by_call() {
    let report = report(&Request { other: Some(candidate(NO_TESTS)), ..request("") });
    let diff = report.diff.unwrap();
    assert_eq!((diff.changed, diff.shifts.len()), (4, 1), "npm test, once in each agent");
    assert_eq!((diff.shifts[0].from, diff.shifts[0].to), (CallDecision::None, CallDecision::Deny));
    assert_eq!(diff.decisions.deny, report.decisions.deny + 4);
    assert!(diff.calls.iter().all(|call| call.other_rules == ["rule/no-tests"]), "{:?}", diff.calls);
}

#[test]
fn rules_with_a_memory_learn_how_calls_ended() {
    let rule = |outcome: &str| {
        format!(
            "[[rule]]\nid = \"after-a-test\"\nwhen = {{ effect = \"secret.read\" }}\nafter = {{ effect = \"exec.test\", outcome = \"{outcome}\" }}\ndecide = \"deny\"\n"
        )
    };
    let hits = |text: &str| {
        let report = report(&Request { rule: Some("rule/after-a-test".to_owned()), ..request(text) });
        report.selected.unwrap().calls.len()
    };
    // In Claude Code the test was in the session that was forked, and the fork remembers what it repeats.
    assert_eq!(hits(&rule("failed")), 4);
    assert_eq!(hits(&rule("ok")), 0);
}

#[test]
fn what_a_resumed_session_repeats_of_itself_has_happened_once() {
    let text = "[[rule]]\nid = \"few\"\nwhen = { tool = \"shell\" }\nlimit = { count = COUNT, per = \"session\" }\ndecide = \"deny\"\n";
    let hits = |count: &str| {
        let request = request(&text.replace("COUNT", count));
        let request = Request { agents: vec!["gemini".to_owned()], rule: Some("rule/few".to_owned()), ..request };
        report(&request).selected.unwrap().calls.len()
    };
    // Three commands that would have run and one of its sub-agent; Gemini CLI writes them again when the session is resumed.
    assert_eq!((hits("4"), hits("3")), (0, 1));
}

#[test]
fn a_rule_in_shadow_mode_decides_nothing_and_is_counted() {
    let live = report(&request(""));
    let shadow = report(&request(&format!("{NO_TESTS}mode = \"shadow\"\n")));
    assert_eq!(shadow.decisions, live.decisions);
    let row = shadow.rules.iter().find(|row| row.rule == "rule/no-tests").unwrap();
    assert!(row.withheld && row.said.deny == 4, "{row:?}");
}

#[test]
fn command_hooks_are_named_and_not_started() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("started");
    let text = format!("[[command]]\nname = \"spy\"\nevent = \"BeforeTool\"\ncommand = \"touch {}\"\n", mark.display());
    let report = report(&request(&text));
    assert_eq!(report.not_started.len(), 1, "{:?}", report.not_started);
    assert_eq!((report.not_started[0].name.as_str(), report.not_started[0].count), ("spy", 39));
    assert!(!mark.exists());
}

/// A home in which Claude Code has run these commands.
fn home_with(commands: &[String]) -> (tempfile::TempDir, Homes) {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("projects/p/s.jsonl");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let lines = commands.iter().enumerate().map(|(index, command)| {
        serde_json::json!({
            "type": "assistant", "sessionId": "s", "cwd": "/p", "timestamp": "2026-01-01T00:00:00Z",
            "message": { "content": [{ "type": "tool_use", "id": format!("t{index}"), "name": "Bash", "input": { "command": command } }] },
        })
        .to_string()
    });
    std::fs::write(&file, lines.collect::<Vec<_>>().join("\n")).unwrap();
    let homes = Homes { claude: Some(home.path().to_owned()), ..Homes::default() };
    (home, homes)
}

/// What a secret looks like in a command; `SECRET` is the part that must not be shown.
const SECRETS: [(&str, &str); 34] = [
    ("curl -H 'Authorization: Bearer SECRET' https://x.example", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"),
    ("curl -H 'Authorization: Basic SECRET' https://x.example", "dXNlcjpodW50ZXIyaHVudGVyMg=="),
    ("curl -u admin:SECRET https://x.example", "hunter2hunter2"),
    ("curl https://admin:SECRET@x.example/path", "hunter2hunter2"),
    ("git clone https://SECRET@github.com/a/b", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"),
    ("git remote add o https://x-access-token:SECRET@github.com/a/b", "gho_abcdefghijklmnopqrstuvwxyz0123456789"),
    (
        "export GITHUB_TOKEN=SECRET",
        "github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abc",
    ),
    ("export AWS_SECRET_ACCESS_KEY=SECRET", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    ("aws configure set aws_secret_access_key SECRET", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    ("AWS_ACCESS_KEY_ID=SECRET aws s3 ls", "AKIAIOSFODNN7EXAMPLE"),
    ("OPENAI_API_KEY=SECRET python x.py", "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"),
    ("ANTHROPIC_API_KEY=SECRET claude", "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"),
    ("curl -d api_key=SECRET https://x.example", "AIzaSyA1234567890abcdefghijklmnopqrstuv"),
    ("curl 'https://x.example/?access_token=SECRET'", "ya29.a0AfH6SMBabcdefghijklmnopqrstuv"),
    ("slack --token SECRET", "xoxb-123456789012-123456789012-abcdefghijklmnopqrstuvwx"),
    ("curl https://hooks.slack.com/services/SECRET", "T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"),
    ("stripe --api-key SECRET", "sk_live_abcdefghijklmnopqrstuvwx"),
    ("npm config set //registry.npmjs.org/:_authToken=SECRET", "npm_abcdefghijklmnopqrstuvwxyz0123456789"),
    ("echo '//registry.npmjs.org/:_authToken=SECRET' > .npmrc", "npm_abcdefghijklmnopqrstuvwxyz0123456789"),
    ("docker login -u me -p SECRET", "hunter2hunter2"),
    ("echo SECRET | docker login --password-stdin ghcr.io", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"),
    ("mysql -u root -pSECRET shop", "hunter2hunter2"),
    ("PGPASSWORD=SECRET psql -h db shop", "hunter2hunter2"),
    ("psql postgres://shop:SECRET@db.example/shop", "hunter2hunter2"),
    ("redis-cli -a SECRET flushall", "hunter2hunter2"),
    ("mongosh mongodb+srv://u:SECRET@cluster.example/db", "hunter2hunter2"),
    ("sshpass -p SECRET ssh host", "hunter2hunter2"),
    ("echo \"DB_PASSWORD=SECRET\" >> .env", "hunter2hunter2"),
    ("printf 'API_SECRET: SECRET\\n' > config.yaml", "hunter2hunter2"),
    (
        "echo '-----BEGIN OPENSSH PRIVATE KEY-----\nSECRET\n-----END OPENSSH PRIVATE KEY-----' > id",
        "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ",
    ),
    ("curl -H 'X-Api-Key: SECRET' https://x.example", "0123456789abcdef0123456789abcdef"),
    (
        "curl --cookie 'session=SECRET' https://x.example",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abcdefghijklmnopqrstuvwxyz012345",
    ),
    ("heroku config:set SECRET_KEY_BASE=SECRET", "0123456789abcdef0123456789abcdef0123456789abcdef"),
    ("vault login SECRET", "hvs.CAESIabcdefghijklmnopqrstuvwxyz0123456789"),
];

#[test]
fn secrets_do_not_reach_the_report_its_page_or_its_examples() {
    let commands: Vec<String> = SECRETS.iter().map(|(form, secret)| form.replacen("SECRET", secret, 9)).collect();
    // `SECRET_KEY_BASE` is a name, and `API_SECRET` is one too.
    let commands: Vec<String> = commands
        .iter()
        .zip(SECRETS)
        .map(|(command, (form, secret))| {
            if form.contains("SECRET_") || form.contains("_SECRET") {
                let (before, after) = form.rsplit_once("SECRET").unwrap();
                return format!("{before}{secret}{after}");
            }
            command.clone()
        })
        .collect();
    let (_home, homes) = home_with(&commands);
    let deny = "[[rule]]\nid = \"all\"\nwhen = { tool = \"shell\" }\ndecide = \"deny\"\nsay = \"no\"\n";
    let list = Request { homes, rule: Some("rule/all".to_owned()), ..request(deny) };
    let report = report(&list);
    assert_eq!(report.history.calls, commands.len() as u64);
    let texts = [serde_json::to_string(&report).unwrap(), page::render(&report)];
    let shown: Vec<&str> = SECRETS
        .iter()
        .filter(|(_, secret)| texts.iter().any(|text| text.contains(secret)))
        .map(|(form, _)| *form)
        .collect();
    assert_eq!(shown, Vec::<&str>::new());
    assert!(texts.iter().all(|text| text.contains("[redacted]")));
}

#[test]
fn a_call_is_found_by_its_name() {
    let found = find_call(&homes(), "run_shell_command__call_0002_0").unwrap();
    assert_eq!((found.agent, found.call.input["command"].as_str()), ("gemini", Some("rm -rf ~/Pictures")));
    assert_eq!(found.end.unwrap().decision, PastDecision::Refused);
    for (name, error) in [
        ("none", "no transcript has a call `none`"),
        ("toolu_", "calls begin with `toolu_`"),
        ("toolu_0003_0", "give its session too"),
    ] {
        let told = find_call(&homes(), name).unwrap_err();
        assert!(told.contains(error), "{told}");
        if name == "toolu_0003_0" {
            let full = told.split('`').nth(3).unwrap();
            assert!(find_call(&homes(), full).is_ok(), "{full}");
        }
    }
}
