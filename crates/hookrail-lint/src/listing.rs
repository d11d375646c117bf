//! Which hooks a file has, for whoever compares hooks with each other.

use crate::check::{folders, read, scripts};
use crate::finding::{Source, SourcePosition, place};
use crate::hooks::{Hook, HookFile};
use crate::recognise::Kind;
use crate::surroundings::Surroundings;
use std::sync::Arc;

/// A command hook as its file says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedHook {
    /// In the agent's words.
    pub event: String,
    pub matcher: Option<String>,
    pub command: String,
    /// Where the command stands.
    pub place: SourcePosition,
    /// Its position, as some agents count: the group in its event, the hook in its group.
    pub index: (usize, usize),
    /// Its script may change what a tool is called with.
    pub rewrites: bool,
    /// Its script may refuse.
    pub refuses: bool,
}

/// The command hooks of an agent's file that can be read; of others none.
#[must_use]
pub fn list(kind: Kind, source: &Arc<Source>, around: &dyn Surroundings) -> Vec<ListedHook> {
    let Kind::Agent { agent, role } = kind else { return Vec::new() };
    let Ok((root, looseness)) = read(source, agent) else { return Vec::new() };
    let folders = folders(&source.path, role, around);
    let file = HookFile { agent, role, source, root: &root, looseness, around, folders };
    let mut listed = Vec::new();
    for section in file.sections().filter(|section| section.event().is_some()) {
        for (group_index, group) in section.groups().enumerate() {
            let hooks = group.hooks().enumerate();
            listed.extend(hooks.filter_map(|(index, hook)| listed_hook(&hook, (group_index, index), source)));
        }
    }
    listed
}

fn listed_hook(hook: &Hook<'_>, index: (usize, usize), source: &Source) -> Option<ListedHook> {
    let (node, command) = hook.command()?;
    let scripts = scripts(hook);
    let refuses = |code: u8| scripts.iter().any(|script| script.exits().iter().any(|exit| exit.code == code));
    Some(ListedHook {
        event: hook.event_name().to_owned(),
        matcher: hook.group.matcher().map(|(_, text)| text.to_owned()),
        command: command.to_owned(),
        place: place(&source.text, &node.span),
        index,
        rewrites: scripts.iter().any(|script| script.mentions("updatedInput") || script.mentions("tool_input\":")),
        refuses: refuses(2) || scripts.iter().any(crate::script::Script::answers_with_refusal),
    })
}
