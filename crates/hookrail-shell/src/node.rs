//! Walking over a tree.

use crate::ast::{
    ArrayElement, Assignment, Brace, Command, CommandKind, Function, Glob, Item, Parameter, ParameterOperator,
    PartKind, Pipeline, Redirect, RedirectTarget, Script, Span, Test, TestKind, Unknown, Word, WordPart,
};

/// A node of the tree, as [`Script::for_each`] shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node<'t, 'a> {
    /// A list of commands.
    Script(&'t Script<'a>),
    /// An and-or list.
    Item(&'t Item<'a>),
    /// A pipeline.
    Pipeline(&'t Pipeline<'a>),
    /// A command of any kind.
    Command(&'t Command<'a>),
    /// An assignment before a command.
    Assignment(&'t Assignment<'a>),
    /// A redirection.
    Redirect(&'t Redirect<'a>),
    /// A condition of `[[ ]]`.
    Test(&'t Test<'a>),
    /// A word.
    Word(&'t Word<'a>),
    /// A part of a word.
    Part(&'t WordPart<'a>),
    /// Something that could not be read, with its span. Shown behind the node it stands in.
    Unknown(Unknown, Span),
}

impl Node<'_, '_> {
    /// Where the node stands.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Script(node) => node.span,
            Self::Item(node) => node.span,
            Self::Pipeline(node) => node.span,
            Self::Command(node) => node.span,
            Self::Assignment(node) => node.span,
            Self::Redirect(node) => node.span,
            Self::Test(node) => node.span,
            Self::Word(node) => node.span,
            Self::Part(node) => node.span,
            Self::Unknown(_, span) => *span,
        }
    }
}

impl<'a> Script<'a> {
    /// Shows every node of the tree, each before what is in it, in the order of the text.
    ///
    /// The depth of the tree is bounded by [`MAX_NESTING`](crate::MAX_NESTING), and so is the stack this needs.
    pub fn for_each<'t>(&'t self, mut see: impl FnMut(Node<'t, 'a>)) {
        NodeWalk { see: &mut see }.script(self);
    }

    /// Whether everything was read: there is no [`Unknown`] in the tree.
    #[must_use]
    pub fn is_fully_read(&self) -> bool {
        let mut read = true;
        self.for_each(|node| read &= !matches!(node, Node::Unknown(..)));
        read
    }
}

struct NodeWalk<'f, 't, 'a> {
    see: &'f mut dyn FnMut(Node<'t, 'a>),
}

impl<'t, 'a> NodeWalk<'_, 't, 'a> {
    fn script(&mut self, script: &'t Script<'a>) {
        (self.see)(Node::Script(script));
        for item in &script.items {
            (self.see)(Node::Item(item));
            self.pipeline(&item.first);
            for (_, pipeline) in &item.rest {
                self.pipeline(pipeline);
            }
        }
    }

    fn pipeline(&mut self, pipeline: &'t Pipeline<'a>) {
        (self.see)(Node::Pipeline(pipeline));
        for command in &pipeline.commands {
            self.command(command);
        }
    }

    fn command(&mut self, command: &'t Command<'a>) {
        (self.see)(Node::Command(command));
        self.kind(&command.kind, command.span);
        for redirect in &command.redirects {
            self.redirect(redirect);
        }
    }

    fn kind(&mut self, kind: &'t CommandKind<'a>, span: Span) {
        match kind {
            CommandKind::Simple(simple) => {
                for assignment in &simple.assignments {
                    (self.see)(Node::Assignment(assignment));
                    self.option(assignment.subscript.as_ref());
                    self.word(&assignment.value);
                }
                self.words(&simple.words);
            }
            CommandKind::Group(script) | CommandKind::Subshell(script) => self.script(script),
            CommandKind::If(node) => {
                for branch in &node.branches {
                    self.script(&branch.condition);
                    self.script(&branch.body);
                }
                if let Some(otherwise) = &node.otherwise {
                    self.script(otherwise);
                }
            }
            CommandKind::Loop(node) => {
                self.script(&node.condition);
                self.script(&node.body);
            }
            CommandKind::For(node) => {
                self.words(node.words.as_deref().unwrap_or_default());
                self.script(&node.body);
            }
            CommandKind::ArithmeticFor(node) => {
                self.word(&node.initial);
                self.word(&node.condition);
                self.word(&node.step);
                self.script(&node.body);
            }
            CommandKind::Case(node) => {
                self.word(&node.word);
                for arm in &node.arms {
                    self.words(&arm.patterns);
                    self.script(&arm.body);
                }
            }
            CommandKind::Arithmetic(word) => self.word(word),
            CommandKind::Test(test) => self.test(test),
            CommandKind::Function(function) => {
                let Function { name, body } = &**function;
                self.word(name);
                self.command(body);
            }
            CommandKind::Coproc(coproc) => self.command(&coproc.command),
            CommandKind::Unknown(unknown) => (self.see)(Node::Unknown(*unknown, span)),
        }
    }

    fn redirect(&mut self, redirect: &'t Redirect<'a>) {
        (self.see)(Node::Redirect(redirect));
        match &redirect.target {
            RedirectTarget::Word(word) => self.word(word),
            RedirectTarget::HereDocument(document) => self.word(&document.body),
        }
    }

    fn test(&mut self, test: &'t Test<'a>) {
        (self.see)(Node::Test(test));
        match &test.kind {
            TestKind::Word(word) | TestKind::Unary { operand: word, .. } => self.word(word),
            TestKind::Binary { left, right, .. } => {
                self.word(left);
                self.word(right);
            }
            TestKind::Not(inner) => self.test(inner),
            TestKind::And(all) | TestKind::Or(all) => {
                for inner in all {
                    self.test(inner);
                }
            }
            TestKind::Unknown(unknown) => (self.see)(Node::Unknown(*unknown, test.span)),
        }
    }

    fn words(&mut self, words: &'t [Word<'a>]) {
        for word in words {
            self.word(word);
        }
    }

    fn option(&mut self, word: Option<&'t Word<'a>>) {
        if let Some(word) = word {
            self.word(word);
        }
    }

    fn word(&mut self, word: &'t Word<'a>) {
        (self.see)(Node::Word(word));
        self.parts(&word.parts);
    }

    fn parts(&mut self, parts: &'t [WordPart<'a>]) {
        for part in parts {
            self.part(part);
        }
    }

    fn part(&mut self, part: &'t WordPart<'a>) {
        (self.see)(Node::Part(part));
        match &part.kind {
            PartKind::Literal(_) | PartKind::SingleQuoted(_) | PartKind::AnsiQuoted(_) | PartKind::Tilde(_) => {}
            PartKind::DoubleQuoted(parts) => self.parts(parts),
            PartKind::Parameter(parameter) => self.parameter(parameter),
            PartKind::Command(substitution) => self.script(&substitution.script),
            PartKind::Process(substitution) => self.script(&substitution.script),
            PartKind::Arithmetic(word) => self.word(word),
            PartKind::Brace(brace) => match &**brace {
                Brace::List(words) => self.words(words),
                Brace::Range { .. } => {}
            },
            PartKind::Glob(Glob::Any | Glob::One) => {}
            PartKind::Glob(Glob::Class(parts)) => self.parts(parts),
            PartKind::Glob(Glob::Group { alternatives, .. }) => self.words(alternatives),
            PartKind::Array(elements) => {
                for ArrayElement { subscript, value, .. } in elements {
                    self.option(subscript.as_ref());
                    self.word(value);
                }
            }
            PartKind::Unknown(unknown) => (self.see)(Node::Unknown(*unknown, part.span)),
        }
    }

    fn parameter(&mut self, parameter: &'t Parameter<'a>) {
        self.option(parameter.subscript.as_ref());
        match &parameter.operator {
            ParameterOperator::None
            | ParameterOperator::Length
            | ParameterOperator::Transform(_)
            | ParameterOperator::Names
            | ParameterOperator::Keys => {}
            ParameterOperator::Default { word, .. } => self.word(word),
            ParameterOperator::Substring { offset, length } => {
                self.word(offset);
                self.option(length.as_ref());
            }
            ParameterOperator::RemovePrefix { pattern, .. }
            | ParameterOperator::RemoveSuffix { pattern, .. }
            | ParameterOperator::ChangeCase { pattern, .. } => self.word(pattern),
            ParameterOperator::Replace { pattern, replacement, .. } => {
                self.word(pattern);
                self.option(replacement.as_ref());
            }
        }
    }
}
