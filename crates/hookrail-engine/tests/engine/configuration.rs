//! Hook configuration as people write it: files of both families, with mistakes.

use crate::support::{handler, object};
use hookrail_core::{ConfigSource, EventName, OnError};
use hookrail_engine::registry::{HookRegistry, HookSource, SettingsFile};
use hookrail_engine::{Config, Document, Extension, FolderTrust, HookFormat, Layer};
use hookrail_testkit::project::TempProject;
use serde_json::json;
use std::time::Duration;

fn read(text: &str, format: HookFormat) -> HookRegistry {
    let document = Document::parse("settings.json", text).unwrap();
    let layer = Layer::new(ConfigSource::Project, format, vec![document]);
    HookRegistry::build(&[layer], Vec::new(), &[], FolderTrust::Trusted)
}

fn complaints(registry: &HookRegistry) -> Vec<String> {
    registry.diagnostics().iter().map(ToString::to_string).collect()
}

#[test]
fn every_mistake_is_reported_with_its_place_and_the_rest_is_kept() {
    // covers: HOOK-191 HOOK-080 HOOK-082 HOOK-083
    let text = r#"{
  // a comment is fine
  "hooks": {
    "BeforeTol": [],
    "PreToolUse": [],
    "BeforeTool": [
      {"matcher": "Write", "hooks": [
        {"type": "command", "command": "./good"},
        {"type": "comand", "command": "./x"},
        {"command": "./x"},
        {"type": "command"},
        {"type": "command", "command": ""},
        {"type": "command", "command": "./slow", "timeout": "5"},
        {"type": "command", "command": "./fast", "timeout": 30},
        {"type": "command", "command": "./strict", "on_error": "block"},
        {"type": "prompt"},
        {"type": "http", "url": 7},
        "text",
      ]},
      {"matcher": "[oops", "hooks": [{"type": "command", "command": "./literal"}]},
      {"hooks": 5},
      {},
      null,
    ],
    "AfterTool": {},
  },
}"#;
    let registry = read(text, HookFormat::Protocol);
    let kept: Vec<String> = registry.entries().iter().map(|entry| entry.id().to_owned()).collect();
    assert_eq!(kept, ["./good", "./slow", "./fast", "./strict", "./literal"]);
    let expected = [
        "settings.json:4:5: unknown event `BeforeTol`\nhint: did you mean `BeforeTool`?",
        "settings.json:5:5: unknown event `PreToolUse`\nhint: did you mean `BeforeTool`?",
        "settings.json:9:10: unknown hook type `comand`\nhint: did you mean `command`?",
        "settings.json:10:9: this hook has no `type`\nhint: expected one of command, plugin",
        "settings.json:11:9: this hook needs a `command`, as text that is not empty",
        "settings.json:12:9: this hook needs a `command`, as text that is not empty",
        "settings.json:13:50: timeout `5` is not a number; the default of 60 s applies",
        "settings.json:14:50: timeout 30 is in milliseconds here; for seconds write 30000",
        "settings.json:15:52: `on_error` is `block`, which means nothing; `allow` applies\nhint: write `allow`, `ask` or `deny`",
        "settings.json:16:10: unknown hook type `prompt`\nhint: agents with this format run commands only; Claude Code's settings and hookrail's own format have this type",
        "settings.json:17:10: unknown hook type `http`\nhint: agents with this format run commands only; Claude Code's settings and hookrail's own format have this type",
        "settings.json:18:9: a hook must be an object with a `type`",
    ];
    let got = complaints(&registry);
    for (expected, got) in expected.iter().zip(&got) {
        assert_eq!(got, expected);
    }
    let rest = got.get(expected.len()..).unwrap();
    assert_eq!(rest.len(), 5, "{rest:#?}");
    assert!(rest[0].starts_with("settings.json:20:8: matcher `[oops` is not a regular expression"), "{}", rest[0]);
    assert_eq!(rest[1], "settings.json:21:8: `hooks` of a group must be a list");
    assert_eq!(rest[2], "settings.json:22:7: this hook group has no `hooks` list");
    assert_eq!(rest[3], "settings.json:23:7: a hook group of `BeforeTool` must be an object");
    assert_eq!(rest[4], "settings.json:25:5: the hooks of `AfterTool` must be a list of groups");
    let timeouts: Vec<Duration> = registry.entries().iter().map(|entry| entry.timeout).collect();
    assert_eq!(timeouts[1..3], [Duration::from_secs(60), Duration::from_millis(30)]);
    assert_eq!(registry.entries()[3].on_error, OnError::Allow);
}

#[test]
fn each_format_has_its_own_types_and_its_own_reading_of_a_typo() {
    // covers: HOOK-110
    let text = r#"{"hooks": {"BeforeTool": [{"hooks": [
        {"type": "command", "command": "a", "on_error": "denny"},
        {"type": "prompt", "prompt": "safe?"},
        {"type": "http", "url": "https://example.com"}
    ]}]}}"#;
    let claude = text.replace("BeforeTool", "PreToolUse");
    let cases: [(HookFormat, &str, &[&str], OnError); 4] = [
        (HookFormat::Protocol, text, &["command"], OnError::Allow),
        (HookFormat::Gemini, text, &["command"], OnError::Allow),
        (HookFormat::Hookrail, text, &["command", "prompt", "http"], OnError::Deny),
        (HookFormat::Claude, &claude, &["command", "prompt", "http"], OnError::Allow),
    ];
    for (format, text, kinds, on_error) in cases {
        let registry = read(text, format);
        let entries = registry.entries();
        assert_eq!(entries.iter().map(|entry| entry.action.kind()).collect::<Vec<_>>(), kinds, "{format:?}");
        assert_eq!(entries[0].on_error, on_error, "{format:?}");
        let told = complaints(&registry);
        assert!(told.iter().any(|line| line.contains("`on_error` is `denny`")), "{format:?}: {told:#?}");
        let refused = told.iter().filter(|line| line.contains("unknown hook type")).count();
        assert_eq!(refused, 3 - kinds.len(), "{format:?}: {told:#?}");
    }
}

#[test]
fn claude_configuration_is_read_in_its_own_names_and_units() {
    let text = r#"{"hooks": {
        "PreToolUse": [{"matcher": "Write|Edit", "hooks": [{"type": "command", "command": "./guard", "timeout": 5}]}],
        "Stop": [{"hooks": [{"type": "command", "command": "./stop", "timeout": 10000, "onFailure": "block"}]}],
        "PreCompact": [{"matcher": "manual", "hooks": [{"type": "command", "command": "./compact"}]}],
        "WorktreeCreate": [{"hooks": [{"type": "command", "command": "./other"}]}]
    }}"#;
    let registry = read(text, HookFormat::Claude);
    let entries = registry.entries();
    let seen: Vec<_> =
        entries.iter().map(|entry| (entry.event.as_str(), entry.id(), entry.timeout.as_secs())).collect();
    assert_eq!(
        seen,
        [
            ("BeforeTool", "./guard", 5),
            ("AfterAgent", "./stop", 10_000),
            ("PreCompress", "./compact", 600),
            ("WorktreeCreate", "./other", 600)
        ]
    );
    assert_eq!(entries[1].on_error, OnError::Deny);
    assert!(!entries[0].matcher.matches_name("MultiEdit"), "a list of names is exact");
    let got = complaints(&registry);
    assert_eq!(got.len(), 1);
    assert!(got[0].contains("timeout 10000 is in seconds here; for milliseconds write 10"), "{}", got[0]);
}

#[test]
fn a_hook_says_what_its_failure_means() {
    let text = r#"{"hooks": {"BeforeTool": [{"hooks": [
        {"type": "command", "command": "a"},
        {"type": "command", "command": "b", "on_error": "ask"},
        {"type": "command", "command": "c", "onError": "deny"},
        {"type": "command", "command": "d", "on_error": "allow"}
    ]}]}}"#;
    let on_errors: Vec<OnError> =
        read(text, HookFormat::Protocol).entries().iter().map(|entry| entry.on_error).collect();
    assert_eq!(on_errors, [OnError::Allow, OnError::Ask, OnError::Deny, OnError::Allow]);
}

#[test]
fn scopes_add_up_in_the_order_of_their_sources_and_keep_their_provenance() {
    // covers: HOOK-084 HOOK-085 HOOK-086 HOOK-187
    let settings = |command: &str| {
        json!({ "hooks": { "BeforeTool": [{ "hooks": [{ "type": "command", "command": command }] }] } }).to_string()
    };
    let project = TempProject::new()
        .file("system.json", &settings("./system"))
        .file("user.json", &settings("./user"))
        .file("project.json", &settings("./project"));
    let file = |name: &str, source| SettingsFile { path: project.at(name), source, format: HookFormat::Protocol };
    let config = Config::new("s", project.path())
        .enable_hooks(true)
        .extension(Extension {
            name: "ext".to_owned(),
            active: true,
            hooks: json!({"BeforeTool": [{"hooks": [{"type": "command", "command": "./ext"}]}]}),
        })
        .extension(Extension {
            name: "off".to_owned(),
            active: false,
            hooks: json!({"BeforeTool": [{"hooks": [{"type": "command", "command": "./off"}]}]}),
        })
        .source(file("system.json", ConfigSource::System))
        .source(file("user.json", ConfigSource::User))
        .source(file("project.json", ConfigSource::Project));
    let system = config.get_hook_system().unwrap();
    system.initialize().unwrap();
    let hooks = system.get_registry().unwrap().hooks_for_event(&EventName::BeforeTool);
    let seen: Vec<String> = hooks.iter().map(|hook| format!("{} {}", hook.id(), hook.origin)).collect();
    let at = |name: &str| format!("{}:1:35", project.at(name).display());
    assert_eq!(
        seen,
        [
            format!("./project {}", at("project.json")),
            format!("./user {}", at("user.json")),
            format!("./system {}", at("system.json")),
            "./ext extension ext".to_owned(),
        ]
    );
}

#[test]
fn a_file_that_cannot_be_used_is_reported_and_the_others_still_count() {
    let project = TempProject::new()
        .file("good.json", r#"{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "./good"}]}]}}"#)
        .file("broken.json", "{\n  \"hooks\": {\n")
        .file("list.json", "[]")
        .file("deep.json", &"[".repeat(100_000));
    let files = ["good.json", "broken.json", "list.json", "deep.json", "missing.json", "."];
    let layers: Vec<Layer> = files
        .iter()
        .map(|name| {
            let file =
                SettingsFile { path: project.at(name), source: ConfigSource::User, format: HookFormat::Protocol };
            file.load().unwrap()
        })
        .collect();
    let registry = HookRegistry::build(&layers, Vec::new(), &[], FolderTrust::Trusted);
    assert_eq!(registry.len(), 1);
    let got = complaints(&registry);
    for (name, part) in [
        ("broken.json:", "this file is not JSON"),
        ("list.json:1:1:", "must be a JSON object"),
        ("deep.json:", "this file is not JSON"),
        ("/.:", "cannot be read"),
    ] {
        assert!(got.iter().any(|line| line.contains(name) && line.contains(part)), "{name} {part}: {got:#?}");
    }
    assert_eq!(got.len(), 4, "a missing file is no mistake: {got:#?}");
}

#[test]
fn hooks_of_an_untrusted_project_are_left_out_with_a_word() {
    let project = TempProject::new();
    let config = Config::new("s", project.path())
        .enable_hooks(true)
        .trust(FolderTrust::Untrusted)
        .hooks(&json!({"BeforeTool": [{"hooks": [{"type": "command", "command": "touch ran"}]}]}));
    let verdict = handler(&config).fire_before_tool_event("Write", &object(&json!({})), None);
    assert!(verdict.runs().is_empty() && !project.exists("ran"));
    let diagnostics = config.get_hook_system().unwrap().get_registry().unwrap().diagnostics();
    assert!(diagnostics.iter().any(|diagnostic| diagnostic.message.contains("not trusted")), "{diagnostics:?}");
}

#[test]
fn a_disabled_hook_rests_until_it_is_enabled_again() {
    let project = TempProject::new();
    let config = Config::new("s", project.path())
        .enable_hooks(true)
        .disable(["mark".to_owned()])
        .hooks(&json!({"BeforeTool": [{"hooks": [{"type": "command", "name": "mark", "command": "touch ran"}]}]}));
    let _ = handler(&config).fire_before_tool_event("Write", &object(&json!({})), None);
    assert!(!project.exists("ran"));
    assert_eq!(config.get_hook_system().unwrap().get_registry().unwrap().set_enabled("mark", true), 1);
    let _ = handler(&config).fire_before_tool_event("Write", &object(&json!({})), None);
    assert!(project.exists("ran"));
}
