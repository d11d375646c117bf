//! The tree of a script, the same for every language.

use std::rc::Rc;

/// A statement or an expression; many languages make no difference.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Text(Rc<str>),
    Number(Rc<str>),
    /// A text of several parts.
    Parts(Vec<Node>),
    /// A command in backticks.
    Command(Box<Node>),
    Name(Rc<str>),
    /// `a.b`, `a->b`, `a::b`
    Member(Box<Node>, Rc<str>),
    /// `a[b]`, `a{b}`
    Index(Box<Node>, Box<Node>),
    Call(Box<Node>, Vec<Node>),
    /// `name=value` among arguments.
    Keyword(Rc<str>, Box<Node>),
    /// `*list`, `...list`, `**map`
    Spread(Box<Node>),
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
    /// Operands of operators of the same rank.
    Chain(Box<Node>, Vec<(&'static str, Node)>),
    /// Comparisons and other values that no path is made of; their operands are evaluated.
    Opaque(Vec<Node>),
    /// The value is that of one of these: `a or b`, `c ? a : b` with its condition first.
    Either(Vec<Node>),
    Assign(Box<Node>, Box<Node>),
    /// `a += b`
    Augment(Box<Node>, &'static str, Box<Node>),
    Function(Rc<Function>),
    Class(Rc<Class>),
    Block(Vec<Node>),
    /// Conditions with what runs if they hold, and what runs otherwise.
    If(Vec<(Node, Node)>, Box<Node>),
    /// Something that is done for each of some things; `collects` if it makes a list.
    For {
        target: Box<Node>,
        items: Box<Node>,
        body: Box<Node>,
        collects: bool,
    },
    While(Box<Node>, Box<Node>),
    /// Any of these blocks runs, or none: the cases of a choice.
    Branches(Vec<Node>),
    /// A block that may end anywhere, and what handles that.
    Try(Box<Node>, Vec<Node>),
    /// What is assigned to is a new variable of its block.
    Local(Box<Node>),
    Return(Box<Node>),
    /// A local name, and what of a library it stands for.
    Import(Vec<(Rc<str>, Rc<str>)>),
    Nothing,
}

#[derive(Debug)]
pub(super) struct Function {
    pub name: Rc<str>,
    pub parameters: Vec<Parameter>,
    pub body: Node,
    /// Something else calls it: a decorator or a framework registers it.
    pub registered: bool,
}

#[derive(Debug)]
pub(super) struct Parameter {
    pub target: Node,
    pub default: Option<Node>,
    pub rest: Rest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// One argument.
    One,
    /// `*args`, `...args`
    List,
    /// `**options`
    Map,
}

#[derive(Debug)]
pub(super) struct Class {
    pub name: Rc<str>,
    pub parent: Option<Node>,
    pub methods: Vec<Rc<Function>>,
    /// Fields and whatever else the body does.
    pub body: Node,
}

impl Node {
    pub(super) fn text(text: impl AsRef<str>) -> Self {
        Self::Text(text.as_ref().into())
    }

    pub(super) fn name(name: impl AsRef<str>) -> Self {
        Self::Name(name.as_ref().into())
    }

    pub(super) fn call(function: &str, arguments: Vec<Self>) -> Self {
        Self::Call(Box::new(Self::name(function)), arguments)
    }
}
