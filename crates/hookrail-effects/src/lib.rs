//! What a tool call would do, as typed effects.
//!
//! A guard that matches the text of a command guards nothing: `rm -rf ~`, `cd ~ && rm -rf *` and `bash -c 'rm -rf "$HOME"'`
//! are one thing. This crate follows a call once, without running anything, and says what it would do: an [`Act`] such as
//! `fs.delete`, the [`Object`] it is done to, the [`Location`] of that object, and whether the text settles it. What the
//! text does not tell is a [`Gap`].
//!
//! ```
//! use hookrail_effects::{Act, Location, EmptyWorld, Surroundings, understand_command};
//! use std::path::Path;
//!
//! let around = Surroundings {
//!     cwd: "/home/me/shop".into(),
//!     home: Some("/home/me".into()),
//!     project: "/home/me/shop".into(),
//!     beside: Vec::new(),
//!     guarded: hookrail_effects::DEFAULT_GUARDED.into(),
//! };
//! let effects = understand_command("cd .. && rm -rf Documents", &around, &EmptyWorld);
//! let delete = &effects.list[0];
//! assert_eq!((delete.act, delete.place), (Act::FsDelete, Location::Home));
//! assert!(effects.touching(Path::new("/home/me/Documents/thesis.md")).next().is_some());
//! assert!(effects.understood());
//! ```
//!
//! The machine is seen only through [`ReadOnlyWorld`]; [`WorldReader`] is the one of native hooks. What programs do is in
//! `models/`, tables of rows that are documented there.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod act;
mod analysis;
mod archive;
mod claims;
mod effect;
mod flow;
mod guarded;
pub mod json;
mod location;
mod machine;
mod mentions;
mod models;
mod object;
mod packed_refs;
mod paths;
mod persist;
mod programs;
mod proof;
mod reftable;
mod repository;
mod resolve;
mod script;
mod secrets;
mod shell;
mod surroundings;
mod tools;
mod touching;
mod weakening;
mod windows;
mod worktrees;

pub use act::Act;
pub use effect::{Effect, Effects, Gap, GapReason, GivenFor, GivenPath, Step, Sure};
pub use guarded::{DEFAULT_GUARDED, Guarded};
pub use hookrail_shell::ast::Span;
pub use location::Location;
pub use machine::{Code, EmptyWorld, ReadOnlyWorld, WorldReader};
pub use models::known_commands;
pub use object::{CHANGED_FILES, Data, MovedBranch, Object, PathObject, ReadDepth};
pub use paths::matches_glob;
pub use proof::{Claim, Doubt, DoubtReason, Proof};
pub use repository::{Head, KnownFile, Repository};
pub use surroundings::Surroundings;

use hookrail_core::{Event, ToolCall, World};
use serde_json::Value;
use std::ops::Deref;
use std::sync::Arc;

/// The tool call of an event, understood: where it happens and what it would do.
#[derive(Clone, Debug)]
pub struct Understanding {
    /// Where the call happens.
    pub around: Surroundings,
    /// What it would do there.
    pub effects: Effects,
}

impl Deref for Understanding {
    type Target = Effects;

    fn deref(&self) -> &Effects {
        &self.effects
    }
}

/// What the tool call of an event would do; `None` for an event without one. It is worked out once for all who ask.
#[must_use]
pub fn of(event: &Event, world: &dyn World) -> Option<Arc<Understanding>> {
    let tool = event.tool.as_ref()?;
    Some(tool.understood(|| {
        let around = Surroundings::find(&event.cwd, world);
        let input = event.tool_input().unwrap_or(&Value::Null);
        let effects = understand(tool, input, &around, &WorldReader(world));
        Understanding { around, effects }
    }))
}

/// What a call of a tool would do. `input` is what the agent gives the tool.
#[must_use]
pub fn understand(call: &ToolCall, input: &Value, around: &Surroundings, machine: &dyn ReadOnlyWorld) -> Effects {
    let mut analysis = analysis::Analysis::new(around, machine);
    tools::follow(&mut analysis, call, input);
    worktrees::note_reach(&mut analysis);
    analysis.effects
}

/// What a shell command would do.
#[must_use]
pub fn understand_command(command: &str, around: &Surroundings, machine: &dyn ReadOnlyWorld) -> Effects {
    let mut analysis = analysis::Analysis::new(around, machine);
    analysis.effects.proof.begin();
    tools::shell(&mut analysis, "", command, &around.cwd);
    analysis.effects
}
