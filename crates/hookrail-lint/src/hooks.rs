//! A configuration file as hooks: events, groups, handlers.

use crate::command::{Invocation, Variables, invocations};
use crate::finding::Source;
use crate::surroundings::Surroundings;
use crate::tree::{Looseness, Member, Node, Shape};
use hookrail_core::EventName;
use hookrail_dialects::{Agent, HookType, Target};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Longer than any matcher a person writes.
const MATCHER_BYTES: usize = 4096;

/// What a file is to its agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Settings, of which hooks are a part.
    Settings,
    /// A file for hooks alone: a plugin's, or Codex's own.
    HooksOnly,
}

/// A hook configuration that could be read.
#[derive(Debug)]
pub(crate) struct HookFile<'a> {
    pub agent: &'static Agent,
    pub role: Role,
    pub source: &'a Arc<Source>,
    pub root: &'a Node,
    pub looseness: Looseness,
    pub around: &'a dyn Surroundings,
    pub folders: Folders,
}

/// The folders that variables in commands stand for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Folders {
    /// The project the file belongs to; `None` for settings that hold in every project.
    pub project: Option<PathBuf>,
    /// The plugin or extension the file is part of.
    pub plugin: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct EventSection<'a> {
    pub file: &'a HookFile<'a>,
    pub member: &'a Member,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Group<'a> {
    pub event: EventSection<'a>,
    pub node: &'a Node,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Hook<'a> {
    pub group: Group<'a>,
    pub node: &'a Node,
}

impl<'a> HookFile<'a> {
    pub fn hooks_member(&self) -> Option<&'a Member> {
        self.root.member("hooks")
    }

    /// Every event section, those of unknown events included.
    pub fn sections(&'a self) -> impl Iterator<Item = EventSection<'a>> {
        let members = self.hooks_member().map_or(&[][..], |hooks| hooks.value.members());
        let is_event = |member: &&Member| !self.agent.beside_events.contains(&member.key.as_str());
        members.iter().filter(is_event).map(|member| EventSection { file: self, member })
    }

    /// Every group of every event this agent knows.
    pub fn groups(&'a self) -> impl Iterator<Item = Group<'a>> {
        self.sections()
            .filter(|section| section.event().is_some())
            .flat_map(|section| section.member.value.items().iter().map(move |node| Group { event: section, node }))
    }

    pub fn hooks(&'a self) -> impl Iterator<Item = Hook<'a>> {
        self.groups().flat_map(Group::hooks)
    }

    pub fn part(&self, node: &Node, part: &Range<usize>) -> Range<usize> {
        part_of(&self.source.text, node, part)
    }
}

/// Something that a command line starts, and where that stands.
#[derive(Debug)]
pub(crate) struct StartedCommand<'a> {
    pub invocation: Invocation,
    pub span: Range<usize>,
    pub around: &'a dyn Surroundings,
}

/// The bytes of a part of a text value; those of the whole value if it is written in a way that hides them.
pub(crate) fn part_of(text: &str, node: &Node, part: &Range<usize>) -> Range<usize> {
    let inner = node.span.start + 1..node.span.end.saturating_sub(1);
    let written = text.get(inner.clone()).unwrap_or_default();
    let found = written_at(written, part.start).zip(written_at(written, part.end));
    match found {
        Some((start, end)) if written_at(written, node.text().map_or(0, str::len)) == Some(written.len()) => {
            inner.start + start..inner.start + end
        }
        _ => node.span.clone(),
    }
}

/// Where in a text with escapes (`\"`) the byte stands that is at `offset` without them. `None` for escapes that stand for
/// something else than the character behind the backslash.
fn written_at(written: &str, offset: usize) -> Option<usize> {
    let (mut read, mut at) = (0, 0);
    while read < offset {
        let rest = written.get(at..)?;
        let escape = usize::from(rest.starts_with('\\'));
        let c = rest.chars().nth(escape)?;
        if escape == 1 && !"\"\\/'$".contains(c) {
            return None;
        }
        read += c.len_utf8();
        at += escape + c.len_utf8();
    }
    (read == offset).then_some(at)
}

impl<'a> EventSection<'a> {
    pub fn name(&self) -> &'a str {
        &self.member.key
    }

    pub fn groups(self) -> impl Iterator<Item = Group<'a>> {
        self.member.value.items().iter().map(move |node| Group { event: self, node })
    }

    pub fn event(&self) -> Option<EventName> {
        self.file.agent.event(self.name())
    }

    pub fn target(&self) -> Target {
        self.file.agent.target(self.name())
    }
}

impl<'a> Group<'a> {
    pub fn file(&self) -> &'a HookFile<'a> {
        self.event.file
    }

    pub fn agent(&self) -> &'static Agent {
        self.file().agent
    }

    /// The matcher, if it is text and says something.
    pub fn matcher(&self) -> Option<(&'a Node, &'a str)> {
        let node = &self.node.member("matcher")?.value;
        Some((node, node.text().filter(|text| text.len() <= MATCHER_BYTES)?))
    }

    pub fn hooks(self) -> impl Iterator<Item = Hook<'a>> {
        let hooks = self.node.get(&["hooks"]).map_or(&[][..], Node::items);
        let is_object = |node: &&Node| matches!(node.value, Shape::Table(_));
        hooks.iter().filter(is_object).map(move |node| Hook { group: self, node })
    }
}

impl<'a> Hook<'a> {
    pub fn file(&self) -> &'a HookFile<'a> {
        self.group.file()
    }

    pub fn agent(&self) -> &'static Agent {
        self.group.agent()
    }

    pub fn event_name(&self) -> &'a str {
        self.group.event.name()
    }

    /// `type`, where it is one this agent knows.
    pub fn kind(&self) -> Option<&'static HookType> {
        self.agent().hook_type(self.node.get(&["type"])?.text()?)
    }

    /// The command line of a command hook.
    pub fn command(&self) -> Option<(&'a Node, &'a str)> {
        let node = &self.node.member("command")?.value;
        let is_command = self.node.get(&["type"]).and_then(Node::text).is_none_or(|kind| kind == "command");
        let text = node.text().filter(|text| !text.trim().is_empty() && is_command)?;
        Some((node, text))
    }

    /// What the command starts, as far as that can be told without running it. With `args` the command is a program, not
    /// a line for a shell.
    pub fn invocations(&self) -> Vec<Invocation> {
        match self.command() {
            Some((_, text)) if self.node.member("args").is_none() => invocations(text, &self.variables()),
            _ => Vec::new(),
        }
    }

    /// What its command line starts, with the places.
    pub fn commands(&self) -> impl Iterator<Item = StartedCommand<'a>> {
        let (file, node) = (self.file(), self.command().map(|(node, _)| node));
        let invocations = self.invocations().into_iter();
        invocations.zip(node.into_iter().cycle()).map(move |(invocation, node)| StartedCommand {
            span: file.part(node, invocation.word()),
            invocation,
            around: file.around,
        })
    }

    fn variables(&self) -> Variables {
        self.file().folders.variables(self.agent().project_variables, self.file().around)
    }
}

impl Folders {
    /// What the variables in a command line stand for.
    pub fn variables(&self, project_variables: &[&str], around: &dyn Surroundings) -> Variables {
        let mut known = Vec::new();
        let mut add = |names: &[&str], folder: Option<&Path>| {
            let pairs = folder.into_iter().flat_map(|folder| names.iter().map(move |name| (name, folder)));
            known.extend(pairs.map(|(name, folder)| ((*name).to_owned(), folder.to_path_buf())));
        };
        add(project_variables, self.project.as_deref());
        add(&["CLAUDE_PLUGIN_ROOT", "PLUGIN_ROOT", "extensionPath"], self.plugin.as_deref());
        add(&["HOME"], around.home().as_deref());
        Variables { known, folder: self.project.clone() }
    }
}
