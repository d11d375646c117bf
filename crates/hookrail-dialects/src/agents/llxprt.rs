//! LLxprt Code: Gemini CLI's protocol with other tools, off until it is enabled.

use super::gemini;
use crate::Likelihood;
use crate::agent::{Agent, Hearing, JsonStyle, Target, TurnEnd};
use crate::detect::Clues;
use crate::format::{Base, Gate, HookFile, HookFormat, MatcherSyntax, Os, Scope, TimeoutUnit};
use crate::headless::{Headless, McpSetup, Package};
use crate::standard::{AcceptedFields, Rewrite, StandardDialect};
use crate::tool_table::{InputFields, McpNames, ToolTable};
use std::time::Duration;

pub(super) static LLXPRT: StandardDialect = StandardDialect {
    words: gemini::WORDS,
    rewrite: Rewrite::ToolInput,
    voice: AcceptedFields::Full,
    ..StandardDialect::new(&AGENT, gemini::EVENTS, |name, input| TOOLS.classify(name, input), recognise)
};

static TOOLS: ToolTable = ToolTable {
    tools: &[
        ("run_shell_command", InputFields::Shell { command: &["command"], cwd: &["dir_path", "directory"] }),
        ("write_file", InputFields::Write { path: &["file_path", "absolute_path"], content: &["content"] }),
        ("replace", InputFields::Edit { paths: EDITED, patches: &[] }),
        ("insert_at_line", InputFields::Edit { paths: EDITED, patches: &[] }),
        ("delete_line_range", InputFields::Edit { paths: EDITED, patches: &[] }),
        ("ast_edit", InputFields::Edit { paths: EDITED, patches: &[] }),
        ("apply_patch", InputFields::Edit { paths: EDITED, patches: &["patch_content"] }),
        ("read_file", InputFields::Read { path: EDITED }),
        ("read_line_range", InputFields::Read { path: EDITED }),
        ("read_many_files", InputFields::Read { path: &["include", "paths"] }),
        ("direct_web_fetch", InputFields::WebFetch { url: &["url"] }),
        ("google_web_fetch", InputFields::WebFetch { url: &["prompt"] }),
        ("task", InputFields::Subagent { agent: &["subagent_name"], prompt: &["goal_prompt"] }),
        ("activate_skill", InputFields::Skill { name: &["name"] }),
        ("ask_user", InputFields::AskUser { questions: &["questions[].question"] }),
    ],
    mcp: McpNames::Single,
};

/// Its file tools take either name.
const EDITED: &[&str] = &["absolute_path", "file_path"];

static HEADLESS: Headless = Headless {
    package: Package::Elsewhere,
    args: &[
        "--provider",
        "openai",
        "--baseurl",
        "{url}/v1",
        "--key",
        "test-key",
        "--model",
        "fake-model",
        "--yolo",
        "--set",
        "streaming=disabled",
        "-p",
        "{prompt}",
    ],
    variables: &[],
    files: &[(".config/llxprt-code/settings.json", r#"{"hooksConfig":{"enabled":true}}"#)],
    scope: Scope::User,
    shell: &[("run_shell_command", r#"{"command":"{command}"}"#)],
    write: Ok(&[("write_file", r#"{"file_path":"{path}","content":"{text}\n"}"#)]),
    edit: Ok(&[("replace", r#"{"file_path":"{path}","old_string":"before","new_string":"{text}"}"#)]),
    patch: Ok(&[(
        "apply_patch",
        r#"{"file_path":"{path}","patch_content":"--- /dev/null\n+++ b/{name}\n@@ -0,0 +1,1 @@\n+{text}\n"}"#,
    )]),
    mcp: Ok(McpSetup {
        args: &[],
        files: &[(
            ".config/llxprt-code/settings.json",
            r#"{"hooksConfig":{"enabled":true},"mcpServers":{"canary":{"command":"{hookrail}","args":["verify","--","mcp-server"],"trust":true}}}"#,
        )],
        calls: &[("mcp__canary__note", r#"{"path":"{path}","text":"{text}"}"#)],
    }),
    subagent: Err("sub-agents have to be defined first"),
    lacks: &[],
};

static AGENT: Agent = Agent {
    name: "llxprt",
    aliases: &["llxprt-code"],
    title: "LLxprt Code",
    program: "llxprt",
    format: HookFormat {
        files: &[
            HookFile::new(Scope::User, Base::Home, ".config/llxprt-code", "settings.json")
                .on(Os::Linux)
                .moved_by("LLXPRT_CONFIG_HOME"),
            HookFile::new(Scope::User, Base::Home, "Library/Preferences/llxprt-code", "settings.json")
                .on(Os::MacOs)
                .moved_by("LLXPRT_CONFIG_HOME"),
            HookFile::new(Scope::User, Base::Home, r"AppData\Roaming\llxprt-code\Config", "settings.json")
                .on(Os::Windows)
                .moved_by("LLXPRT_CONFIG_HOME"),
            HookFile::new(Scope::Project, Base::Project, ".llxprt", "settings.json"),
            HookFile::new(Scope::User, Base::Home, ".llxprt", "settings.json").only_read(),
            HookFile::tree(Scope::User, Base::Home, ".llxprt/extensions"),
            HookFile::tree(Scope::Project, Base::Project, ".llxprt/extensions"),
            HookFile::new(Scope::User, Base::Home, ".llxprt", "trustedFolders.json").store(),
            HookFile::new(Scope::User, Base::Home, ".config/llxprt-code", "trustedFolders.json")
                .moved_by("LLXPRT_CONFIG_HOME")
                .store(),
        ],
        timeout_unit: TimeoutUnit::Milliseconds,
        default_timeout: Duration::from_secs(60),
        matcher: MatcherSyntax::Pattern,
        gate: Gate::Setting(&["hooksConfig", "enabled"]),
        ..HookFormat::PLAIN
    },
    json: JsonStyle::COMMENTED,
    types: gemini::TYPES,
    hook_keys: gemini::HOOK_KEYS,
    group_keys: gemini::GROUP_KEYS,
    beside_events: gemini::BESIDE_EVENTS,
    targets: &[
        ("BeforeTool", Target::Tool),
        ("AfterTool", Target::Tool),
        ("BeforeAgent", Target::Nothing),
        ("AfterAgent", Target::Nothing),
        ("BeforeModel", Target::Nothing),
        ("AfterModel", Target::Nothing),
        ("BeforeToolSelection", Target::Nothing),
        ("Notification", Target::Nothing),
        ("SessionStart", Target::ExactWords(&["startup", "resume", "clear", "compress"])),
        ("SessionEnd", Target::ExactWords(&["exit", "clear", "logout", "prompt_input_exit", "other"])),
        ("PreCompress", Target::ExactWords(&["manual", "auto"])),
    ],
    tools: &TOOLS,
    other_tools: &[
        "glob",
        "search_file_content",
        "list_directory",
        "google_web_search",
        "exa_web_search",
        "todo_write",
        "write_todos",
    ],
    project_variables: &["LLXPRT_PROJECT_DIR"],
    hearing: Hearing {
        permission_decision: true,
        decisions: &["allow", "approve", "deny", "block", "ask"],
        silent_exit_two: true,
        ..Hearing::NOTHING
    },
    turn_end: TurnEnd::EveryAnswer,
    headless: Ok(&HEADLESS),
    consent: &["LLxprt Code runs hooks of a project only after you trusted its folder."],
    ..Agent::PLAIN
};

fn recognise(clues: Clues<'_>) -> Likelihood {
    let own_variable = clues.has("timestamp") && clues.variable(&["LLXPRT_PROJECT_DIR"]);
    let own_alone = own_variable && !clues.variable(&["GEMINI_PROJECT_DIR"]);
    if own_alone || clues.transcript_below(".llxprt") || clues.transcript_below("llxprt-code") {
        Likelihood::Certain
    } else if own_variable {
        Likelihood::Likely
    } else {
        Likelihood::No
    }
}
