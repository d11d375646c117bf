//! A configuration file as a tree that knows where its parts stand, whichever language it is written in.

mod canonical;
mod json;
mod toml;

pub use canonical::canonical;
pub use json::{Looseness, read as read_json};
pub use toml::read as read_toml;

use std::ops::Range;

/// A value and the bytes it was written with.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub span: Range<usize>,
    pub value: Shape,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    Null,
    Flag(bool),
    Number(f64),
    Text(String),
    List(Vec<Node>),
    /// In the order of the file; a key may come twice.
    Table(Vec<Member>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    pub key: String,
    pub key_span: Range<usize>,
    pub value: Node,
}

/// Text that is not what its file's name promises.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    pub span: Range<usize>,
    pub message: String,
}

impl Node {
    #[must_use]
    pub fn members(&self) -> &[Member] {
        match &self.value {
            Shape::Table(members) => members,
            _ => &[],
        }
    }

    #[must_use]
    pub fn items(&self) -> &[Node] {
        match &self.value {
            Shape::List(items) => items,
            _ => &[],
        }
    }

    /// The last of several equal keys is the one that counts.
    #[must_use]
    pub fn member(&self, key: &str) -> Option<&Member> {
        self.members().iter().rev().find(|member| member.key == key)
    }

    #[must_use]
    pub fn get(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| Some(&node.member(key)?.value))
    }

    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Shape::Text(text) => Some(text),
            _ => None,
        }
    }

    /// As a person would name its kind.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self.value {
            Shape::Null => "null",
            Shape::Flag(_) => "true or false",
            Shape::Number(_) => "a number",
            Shape::Text(_) => "text",
            Shape::List(_) => "a list",
            Shape::Table(_) => "an object",
        }
    }
}
