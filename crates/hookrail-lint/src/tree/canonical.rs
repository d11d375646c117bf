//! The hooks of a file in the one form that lints read, whatever form the agent wants.
//!
//! `{"hooks": {"Event": [{"matcher": …, "hooks": [{"type": "command", …}]}]}}`: every value keeps the place where it
//! stands in the file, so findings point at what the person wrote.

use super::{Member, Node, Shape};
use hookrail_dialects::{Agent, Layout, TableKeys};
use std::path::Path;

/// The tree of an agent's file in the common form. What does not have the shape its agent wants stays as it is, for the
/// lints to find.
pub fn canonical(root: Node, agent: &Agent, path: &Path) -> Node {
    match agent.format.layout {
        Layout::Groups if agent.format.hooks_in(path).is_empty() => below_hooks(root),
        Layout::Groups | Layout::Scripts | Layout::Module => root,
        Layout::Flat => map_hooks(root, |hooks| grouped_events(hooks, agent)),
        Layout::Tables(keys) => map_hooks(root, |hooks| by_event(hooks, keys, agent)),
    }
}

/// Puts the events that stand at the top level below `hooks`, unless they stand there: such a file is a mistake that
/// lints find by its events.
fn below_hooks(root: Node) -> Node {
    let is_table = matches!(root.value, Shape::Table(_));
    if !is_table || root.member("hooks").is_some() {
        return root;
    }
    let span = root.span.clone();
    let key_span = span.start..span.start + usize::from(!span.is_empty());
    Node { value: Shape::Table(vec![Member { key: "hooks".to_owned(), key_span, value: root }]), span }
}

fn map_hooks(mut root: Node, change: impl Fn(Node) -> Node) -> Node {
    if let Shape::Table(members) = &mut root.value {
        for member in members.iter_mut().filter(|member| member.key == "hooks") {
            let hooks = std::mem::replace(&mut member.value, Node { span: 0..0, value: Shape::Null });
            member.value = change(hooks);
        }
    }
    root
}

/// Flat entries, each made a group of one hook.
fn grouped_events(mut hooks: Node, agent: &Agent) -> Node {
    if let Shape::Table(events) = &mut hooks.value {
        for event in events {
            if let Shape::List(entries) = &mut event.value.value {
                for entry in entries {
                    // Some agents take the nested form as well.
                    if matches!(entry.value, Shape::Table(_)) && entry.member("hooks").is_none() {
                        let plain = std::mem::replace(entry, Node { span: 0..0, value: Shape::Null });
                        *entry = group(plain, "matcher", &[], agent);
                    }
                }
            }
        }
    }
    hooks
}

/// Tables that name their event themselves, sorted by it.
fn by_event(hooks: Node, keys: TableKeys, agent: &Agent) -> Node {
    let Node { span, value: Shape::List(tables) } = hooks else { return hooks };
    let mut events: Vec<Member> = Vec::new();
    for table in tables {
        let Some(event) = table.member(keys.event) else { continue };
        let (name, key_span) = (event.value.text().unwrap_or_default().to_owned(), event.value.span.clone());
        let table_span = table.span.clone();
        let entry = group(table, keys.matcher, &[keys.event], agent);
        match events.iter_mut().find(|known| known.key == name) {
            Some(Member { value: Node { value: Shape::List(groups), .. }, .. }) => groups.push(entry),
            _ => events.push(Member {
                key: name,
                key_span,
                value: Node { span: table_span, value: Shape::List(vec![entry]) },
            }),
        }
    }
    Node { span, value: Shape::Table(events) }
}

/// A group of one hook: the matcher outside, everything else but `without` inside.
fn group(entry: Node, matcher: &str, without: &[&str], agent: &Agent) -> Node {
    let span = entry.span.clone();
    let Shape::Table(members) = entry.value else { return entry };
    let mut outer = Vec::new();
    let mut inner = Vec::new();
    for mut member in members {
        if member.key == matcher {
            "matcher".clone_into(&mut member.key);
            outer.push(member);
        } else if !without.contains(&member.key.as_str()) {
            inner.push(member);
        }
    }
    if agent.type_optional && !inner.iter().any(|member| member.key == "type") {
        let kind = agent.types.first().map(|kind| kind.name).unwrap_or_default();
        let value = Node { span: span.clone(), value: Shape::Text(kind.to_owned()) };
        inner.push(Member { key: "type".to_owned(), key_span: span.clone(), value });
    }
    let hook = Node { span: span.clone(), value: Shape::Table(inner) };
    let hooks = Node { span: span.clone(), value: Shape::List(vec![hook]) };
    outer.push(Member { key: "hooks".to_owned(), key_span: span.clone(), value: hooks });
    Node { span, value: Shape::Table(outer) }
}
