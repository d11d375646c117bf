//! opencode. It has no hooks that are processes: a plugin that `install` writes calls hookrail and does what it says.

use crate::Likelihood;
use crate::agent::{Agent, JsonStyle};
use crate::decode::{self, Words};
use crate::detect::Clues;
use crate::flat::{FlatDialect, FlatRow, FlatWords, Honours};
use crate::format::{Base, HookFile, HookFormat, Layout, MatcherSyntax, Scope, TimeoutUnit};
use crate::headless::{Headless, McpSetup, Package, SubagentSetup, Surface};
use crate::tool_table::{InputFields, McpNames, ToolTable};
use hookrail_core::EventName;
use serde_json::{Map, Value};
use std::time::Duration;

pub(super) static OPENCODE: FlatDialect = FlatDialect {
    agent: &AGENT,
    events: EVENTS,
    words: WORDS,
    answers: ANSWERS,
    classify: |name, input| TOOLS.classify(name, input),
    spoken_event,
    recognise,
};

static EVENTS: &[FlatRow] = &[
    FlatRow::on("tool.execute.before", EventName::BeforeTool, Honours::Everything),
    FlatRow::on("tool.execute.after", EventName::AfterTool, Honours::Context),
    FlatRow::on("chat.message", EventName::BeforeAgent, Honours::Context),
    FlatRow::on("session.created", EventName::SessionStart, Honours::Nothing),
    FlatRow::on("session.idle", EventName::AfterAgent, Honours::Nothing),
    FlatRow::on("session.compacted", EventName::PostCompress, Honours::Nothing),
    FlatRow::on("session.deleted", EventName::SessionEnd, Honours::Nothing),
];

/// What the plugin sends: the handler's two arguments, or the event of the bus, as they are.
pub(super) const WORDS: Words = Words {
    renamed: &[],
    copied: &[],
    adjust: |payload| {
        for path in [["input", "sessionID"], ["properties", "sessionID"]] {
            decode::lift(payload, &path, "session_id");
        }
        decode::lift(payload, &["event", "properties", "sessionID"], "session_id");
        decode::lift(payload, &["properties", "info", "directory"], "cwd");
        decode::lift(payload, &["input", "tool"], "tool_name");
        decode::lift(payload, &["input", "callID"], "tool_use_id");
        decode::lift(payload, &["output", "args"], "tool_input");
        decode::lift(payload, &["input", "args"], "tool_input");
        decode::lift(payload, &["output", "output"], "tool_response");
        let parts = payload.get("output").and_then(|output| output.get("parts"));
        if let Some(text) = parts.and_then(decode::joined_text) {
            payload.entry("prompt").or_insert_with(|| Value::from(text));
        }
    },
};

pub(super) const ANSWERS: FlatWords = FlatWords {
    deny: None,
    allow: None,
    reason: "deny",
    halt: None,
    deny_ends: false,
    context: Some("context"),
    rewrite: Some("args"),
};

/// The handler that was called, said or recognised by its arguments.
pub(super) fn spoken_event(payload: &Map<String, Value>) -> String {
    let said = payload.get("hook_event_name").or_else(|| payload.get("type")).and_then(Value::as_str);
    let has = |side: &str, key: &str| payload.get(side).is_some_and(|value| value.get(key).is_some());
    let shape = if has("output", "args") {
        "tool.execute.before"
    } else if has("input", "tool") {
        "tool.execute.after"
    } else if has("output", "message") {
        "chat.message"
    } else {
        ""
    };
    said.unwrap_or(shape).to_owned()
}

pub(super) static TOOLS: ToolTable = ToolTable {
    tools: &[
        ("bash", InputFields::Shell { command: &["command"], cwd: &["workdir"] }),
        ("write", InputFields::Write { path: &["filePath"], content: &["content"] }),
        ("edit", InputFields::Edit { paths: &["filePath"], patches: &[] }),
        ("apply_patch", InputFields::Edit { paths: &[], patches: &["patchText"] }),
        ("read", InputFields::Read { path: &["filePath"] }),
        ("webfetch", InputFields::WebFetch { url: &["url"] }),
        ("task", InputFields::Subagent { agent: &["subagent_type"], prompt: &["prompt"] }),
        ("skill", InputFields::Skill { name: &["name"] }),
        ("question", InputFields::AskUser { questions: &["questions[].question"] }),
    ],
    mcp: McpNames::Unknown,
};

const OTHER_TOOLS: &[&str] = &["glob", "grep", "list", "websearch", "todowrite", "todoread"];

/// It waits for a package for plugins to be installed, unless this says that it is; hookrail's plugin needs none.
pub(super) const INSTALLED: &str =
    r#"{"packages":{"":{"dependencies":{"@opencode-ai/plugin":"*","@kilocode/plugin":"*"}}}}"#;

/// One model, on loopback.
pub(super) const CONFIG: &str = r#"{"autoupdate":false,"share":"disabled","model":"local/fake-model","small_model":"local/fake-model","provider":{"local":{"npm":"@ai-sdk/openai-compatible","name":"local","options":{"baseURL":"{url}/v1","apiKey":"test-key"},"models":{"fake-model":{"name":"fake","tool_call":true,"limit":{"context":100000,"output":4000}}}}}}"#;

/// The same with the server of the canary.
pub(super) const MCP_CONFIG: &str = r#"{"autoupdate":false,"share":"disabled","model":"local/fake-model","small_model":"local/fake-model","provider":{"local":{"npm":"@ai-sdk/openai-compatible","name":"local","options":{"baseURL":"{url}/v1","apiKey":"test-key"},"models":{"fake-model":{"name":"fake","tool_call":true,"limit":{"context":100000,"output":4000}}}}},"mcp":{"canary":{"type":"local","command":["{hookrail}","verify","--","mcp-server"],"enabled":true}}}"#;

/// What its relatives are run with as well, from files of their own.
pub(super) const HEADLESS: Headless = Headless {
    package: Package::Npm { name: "opencode-ai", version: "1.18.33", beside: &[] },
    args: &["run", "{prompt}"],
    variables: &[("OPENCODE_DISABLE_AUTOUPDATE", "1"), ("OPENCODE_DISABLE_MODELS_FETCH", "1")],
    files: &[
        (".config/opencode/opencode.json", CONFIG),
        (".config/opencode/package-lock.json", INSTALLED),
        (".config/opencode/node_modules/.keep", ""),
    ],
    scope: Scope::User,
    shell: &[("bash", r#"{"command":"{command}","description":"a canary"}"#)],
    write: Ok(&[("write", r#"{"filePath":"{path}","content":"{text}\n"}"#)]),
    edit: Ok(&[
        ("read", r#"{"filePath":"{path}"}"#),
        ("edit", r#"{"filePath":"{path}","oldString":"before","newString":"{text}"}"#),
    ]),
    patch: Err("it offers patches to the models of one maker only"),
    mcp: Ok(McpSetup {
        args: &[],
        files: &[(".config/opencode/opencode.json", MCP_CONFIG)],
        calls: &[("canary_note", r#"{"path":"{path}","text":"{text}"}"#)],
    }),
    subagent: Ok(SubagentSetup::of(&[(
        "task",
        r#"{"description":"a canary","subagent_type":"general","prompt":"{text}"}"#,
    )])),
    lacks: &[(Surface::Stop, "plugins cannot keep it from ending")],
};

/// What it and its relatives have in common; each has files of its own.
pub(super) const AGENT: Agent = Agent {
    name: "opencode",
    aliases: &["open-code"],
    title: "opencode",
    program: "opencode",
    format: HookFormat {
        files: &[
            HookFile::new(Scope::User, Base::Home, ".config/opencode/plugins", "hookrail.js")
                .moved_into("XDG_CONFIG_HOME", "opencode/plugins")
                .among_others(),
            HookFile::new(Scope::Project, Base::Project, ".opencode/plugins", "hookrail.js").among_others(),
            HookFile::tree(Scope::User, Base::Home, ".config/opencode/plugin")
                .moved_into("XDG_CONFIG_HOME", "opencode/plugin"),
            HookFile::tree(Scope::Project, Base::Project, ".opencode/plugin"),
            HookFile::new(Scope::User, Base::Home, ".config/opencode", "opencode.json")
                .moved_into("XDG_CONFIG_HOME", "opencode")
                .store(),
            HookFile::new(Scope::Project, Base::Project, "", "opencode.json").store(),
        ],
        layout: Layout::Module,
        timeout_unit: TimeoutUnit::Milliseconds,
        default_timeout: Duration::from_secs(30),
        matcher: MatcherSyntax::Ignored,
        ..HookFormat::PLAIN
    },
    json: JsonStyle::LOOSE,
    type_optional: true,
    hook_keys: &["timeout"],
    group_keys: &["hooks"],
    tools: &TOOLS,
    other_tools: OTHER_TOOLS,
    headless: Ok(&HEADLESS),
    ..Agent::PLAIN
};

fn recognise(clues: Clues<'_>) -> Likelihood {
    let handler = clues.has("input") && clues.has("output");
    if handler || (clues.has("type") && clues.has("properties")) { Likelihood::Certain } else { Likelihood::No }
}
