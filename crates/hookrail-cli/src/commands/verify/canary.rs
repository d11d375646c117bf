//! What the canaries write, and the hook that looks at them.
//!
//! The hook is an ordinary command hook: `hookrail verify -- hook SURFACE FOLDER`. It leaves a mark in the folder
//! whenever it acts, so that a call that never reached it can be told from one that ran in spite of it.

use hookrail_dialects::Surface;
use serde_json::{Map, Value, json};
use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;

/// What the user asks the agent for.
pub const PROMPT: &str = "please follow the hookrail canary";
/// What a sub-agent is told.
pub const TASK: &str = "hookrail-canary-task";
/// What an allowed call writes.
pub const PASSING: &str = "hookrail-canary-pass";
/// What a call writes that the hook acts on.
pub const MARKED: &str = "hookrail-canary-stop-me";
/// What a rewritten call writes.
pub const REWRITTEN: &str = "hookrail-canary-rewritten";
/// Why the hook refuses.
pub const REASON: &str = "hookrail-canary-reason: this call was made to be refused";
/// What the hook tells the model at a prompt.
pub const CONTEXT: &str = "hookrail-canary-context: the moon is full";

/// The mark of a hook that acted.
const MARK: &str = "acted";

/// Answers an event as the hook of a surface; nothing if it has no opinion.
pub fn answer(surface: Surface, event: &Map<String, Value>, marks: &Path) -> Option<Value> {
    let answer = opinion(surface, event)?;
    // The first refusal of a stop is the last: the agent must come to an end.
    let first = leave_mark(marks).unwrap_or(false);
    (first || surface != Surface::Stop).then_some(answer)
}

/// Whether the hook of a run acted.
pub fn acted(marks: &Path) -> bool {
    marks.join(MARK).exists()
}

fn opinion(surface: Surface, event: &Map<String, Value>) -> Option<Value> {
    let input = event.get("tool_input");
    let marked = || input.is_some_and(|input| input.to_string().contains(MARKED));
    match surface {
        Surface::PromptContext => Some(json!({"hookSpecificOutput": {"additionalContext": CONTEXT}})),
        Surface::Stop => Some(json!({"decision": "deny", "reason": REASON})),
        Surface::Ask => marked().then(|| json!({"decision": "ask", "reason": REASON})),
        Surface::Rewrite => {
            let rewritten = input.filter(|_| marked()).map(|input| input.to_string().replace(MARKED, REWRITTEN))?;
            let rewritten: Value = serde_json::from_str(&rewritten).ok()?;
            Some(json!({"hookSpecificOutput": {"tool_input": rewritten}}))
        }
        Surface::Shell | Surface::Write | Surface::Edit | Surface::Patch | Surface::Mcp | Surface::Subagent => {
            marked().then(|| json!({"decision": "deny", "reason": REASON}))
        }
    }
}

/// Whether this is the first mark.
fn leave_mark(marks: &Path) -> io::Result<bool> {
    fs::create_dir_all(marks)?;
    match OpenOptions::new().write(true).create_new(true).open(marks.join(MARK)) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// The event at which the hook of a surface is asked, in hookrail's words.
pub fn event(surface: Surface) -> &'static str {
    match surface {
        Surface::PromptContext => "BeforeAgent",
        Surface::Stop => "AfterAgent",
        Surface::Shell
        | Surface::Write
        | Surface::Edit
        | Surface::Patch
        | Surface::Mcp
        | Surface::Subagent
        | Surface::Rewrite
        | Surface::Ask => "BeforeTool",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hook_acts_on_marked_calls_only_and_refuses_one_stop() {
        let marked = json!({"tool_input": {"content": format!("{MARKED}\n")}});
        let passing = json!({"tool_input": {"content": PASSING}});
        let cases = [
            (Surface::Write, &passing, None),
            (Surface::Write, &marked, Some("/decision")),
            (Surface::Ask, &passing, None),
            (Surface::Ask, &marked, Some("/decision")),
            (Surface::Rewrite, &passing, None),
            (Surface::Rewrite, &marked, Some("/hookSpecificOutput/tool_input/content")),
            (Surface::PromptContext, &passing, Some("/hookSpecificOutput/additionalContext")),
        ];
        for (surface, event, expected) in cases {
            let folder = tempfile::tempdir().unwrap();
            let answer = answer(surface, event.as_object().unwrap(), folder.path());
            assert_eq!(answer.is_some(), expected.is_some(), "{surface:?}");
            assert_eq!(acted(folder.path()), expected.is_some(), "{surface:?}");
            assert!(expected.is_none_or(|place| answer.unwrap().pointer(place).is_some()), "{surface:?}");
        }
        let folder = tempfile::tempdir().unwrap();
        let stops = [(); 3].map(|()| answer(Surface::Stop, &Map::new(), folder.path()).is_some());
        assert_eq!(stops, [true, false, false]);
    }
}
