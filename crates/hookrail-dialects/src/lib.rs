//! Each agent's hook JSON, to and from the vocabulary of `hookrail-core`.
//!
//! A [`Dialect`] reads what an agent writes on a hook's stdin ([`Dialect::decode`]) and writes the answer that this agent
//! really honours ([`Dialect::encode`]). Nothing else in hookrail knows an agent's JSON.
//!
//! ```text
//! stdin ─decode→ Event ─…→ Verdict ─encode→ EncodedAnswer { stdout, stderr, exit_code }
//! ```
//!
//! What holds for every agent:
//!
//! - **Decoding is total.** Unknown events, fields and shapes never fail; they are kept as they came. The agent's own
//!   spelling of the event is `Event::native_name`.
//! - **No opinion is silence.** An allow skips the agent's own permission question, so it is written only for a verdict that
//!   is an approval ([`Verdict::is_approved`](hookrail_core::Verdict::is_approved)), and only where the agent takes one.
//!   (Codex spells a *rewrite* `permissionDecision: "allow"` + `updatedInput`; it refuses an allow without one, so nothing
//!   is granted.)
//! - **A refusal refuses.** It takes the form that was seen to block, always has a reason that is not blank, and carries
//!   only keys that the agent accepts at that event.
//! - **Ask never runs by itself.** Where an agent cannot ask a person, asking becomes a refusal that says so. Where
//!   refusing would only keep the agent working, and at a permission request, the person is there anyway: a message will do.
//! - **Stop refuses, too.** Agents that read `continue: false` run the tool before they stop; the same answer denies it.
//! - **A rewrite an agent cannot apply is refused**, with the wanted input as the reason, rather than run unchanged.
//! - **Context** goes only where the agent takes it. At the end of a turn it is a message for the user, or part of the
//!   reason when the turn must go on; before a compaction it has no reader.
//!
//! opencode and Kilo have no hooks that are processes, only plugins inside their own; hookrail's plugin for them speaks a
//! small dialect with the binary.
#![forbid(unsafe_code)]

mod agent;
mod agents;
mod answer;
mod decode;
mod detect;
mod dialect;
mod event_table;
mod flat;
mod format;
mod headless;
mod model_text;
mod opinion;
mod patch;
mod project;
mod protected;
mod reach;
mod shape;
mod spelling;
mod standard;
mod switch;
mod tool_table;

pub use agent::{Agent, Hearing, HookType, JsonStyle, Target, TurnEnd};
pub use agents::{agent, agents, all, dialect, event_names, find_event};
pub use answer::EncodedAnswer;
pub use decode::{mcp_origin, restore};
pub use detect::{Env, Likelihood, detect};
pub use dialect::{Classify, Dialect};
pub use format::{
    Base, EventTimeout, FileExtent, FileRole, Gate, HookFile, HookFormat, Layout, MatcherSyntax, Os, Scope, TableKeys,
    TimeoutUnit, UnknownEvent,
};
pub use headless::{Calls, Filling, Headless, McpSetup, Package, SetupFile, SubagentSetup, Surface};
pub use model_text::{MODEL_TEXT_LIMIT, cap, cap_output};
pub use project::project_root;
pub use protected::{Extent, ProtectedFile, names_hook_file, protected_files};
pub use reach::ToolReach;
pub use spelling::SpelledCall;
pub use switch::Switches;
pub use tool_table::{McpNames, ToolClass};
