//! Kilo Code's command line: opencode's plugins, but no context for the model with a prompt.

use super::opencode::{self, CONFIG, INSTALLED, MCP_CONFIG, TOOLS};
use crate::Likelihood;
use crate::agent::Agent;
use crate::detect::Clues;
use crate::flat::{FlatDialect, FlatRow, Honours};
use crate::format::{Base, HookFile, HookFormat, Scope};
use crate::headless::{Headless, McpSetup, Package, Surface};
use hookrail_core::EventName;

pub(super) static KILO: FlatDialect = FlatDialect {
    agent: &AGENT,
    events: EVENTS,
    words: opencode::WORDS,
    answers: opencode::ANSWERS,
    classify: |name, input| TOOLS.classify(name, input),
    spoken_event: opencode::spoken_event,
    recognise,
};

static EVENTS: &[FlatRow] = &[
    FlatRow::on("tool.execute.before", EventName::BeforeTool, Honours::Everything),
    FlatRow::on("tool.execute.after", EventName::AfterTool, Honours::Context),
    FlatRow::on("chat.message", EventName::BeforeAgent, Honours::Nothing),
    FlatRow::on("session.created", EventName::SessionStart, Honours::Nothing),
    FlatRow::on("session.idle", EventName::AfterAgent, Honours::Nothing),
    FlatRow::on("session.compacted", EventName::PostCompress, Honours::Nothing),
    FlatRow::on("session.deleted", EventName::SessionEnd, Honours::Nothing),
];

static HEADLESS: Headless = Headless {
    package: Package::Npm { name: "@kilocode/cli", version: "7.7.7", beside: &[] },
    args: &["run", "--auto", "{prompt}"],
    files: &[
        (".config/kilo/config.json", CONFIG),
        (".config/kilo/package-lock.json", INSTALLED),
        (".config/kilo/node_modules/.keep", ""),
    ],
    mcp: Ok(McpSetup {
        args: &[],
        files: &[(".config/kilo/config.json", MCP_CONFIG)],
        calls: &[("canary_note", r#"{"path":"{path}","text":"{text}"}"#)],
    }),
    lacks: &[
        (Surface::Stop, "plugins cannot keep it from ending"),
        (Surface::PromptContext, "plugins cannot add to a prompt"),
    ],
    ..opencode::HEADLESS
};

static AGENT: Agent = Agent {
    name: "kilo",
    aliases: &["kilocode", "kilo-code"],
    title: "Kilo Code",
    program: "kilo",
    format: HookFormat {
        files: &[
            HookFile::new(Scope::User, Base::Home, ".config/kilo/plugins", "hookrail.js")
                .moved_into("XDG_CONFIG_HOME", "kilo/plugins")
                .among_others(),
            HookFile::new(Scope::Project, Base::Project, ".kilo/plugins", "hookrail.js").among_others(),
            HookFile::tree(Scope::User, Base::Home, ".config/kilo/plugin").moved_into("XDG_CONFIG_HOME", "kilo/plugin"),
            HookFile::tree(Scope::Project, Base::Project, ".kilo/plugin"),
            HookFile::new(Scope::User, Base::Home, ".config/kilo", "config.json")
                .moved_into("XDG_CONFIG_HOME", "kilo")
                .store(),
        ],
        ..opencode::AGENT.format
    },
    headless: Ok(&HEADLESS),
    ..opencode::AGENT
};

/// Its payloads are opencode's: the plugin says whose it is.
fn recognise(_: Clues<'_>) -> Likelihood {
    Likelihood::No
}
