//! From the text of a pattern to its tree, by the grammar of ECMAScript patterns without the `u` and `v` flags.
//!
//! The parser keeps its own stack of open groups, so that no depth of nesting can exhaust the thread's.

use super::cursor::Cursor;
use super::escape::{self, EscapePosition};
use super::group::{self, Census, GroupKind};
use super::tree::{Direction, Edge, Node, Presence, Quantifier};
use super::unit_set::{LINE_ENDS, UnitSet};
use super::{Fault, JsRegexError, Obstacle, class, fold};

/// Deeper trees are not built: they would have to be walked by recursion.
const MAX_NESTING: usize = 100;

/// V8 refuses more.
const MAX_GROUPS: u32 = 32_767;

/// V8 counts no further, and reads this number as "without bound".
const MAX_REPEAT: u32 = 0x7FFF_FFFF;

/// A fault and the unit where it lies.
pub(super) type Refusal = (Fault, usize);

/// The `(?ims:…)` in force.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Flags {
    pub(super) ignore_case: bool,
    pub(super) multi_line: bool,
    pub(super) dot_all: bool,
}

pub(super) fn parse(pattern: &str) -> Result<Node, JsRegexError> {
    let mut parser = Parser::new(pattern);
    let tree = parser.pattern().map_err(|(fault, at)| {
        let position = parser.cursor.characters_before(at);
        JsRegexError::Invalid { position, fault }
    })?;
    if parser.too_deep {
        return Err(JsRegexError::Unsupported { obstacle: Obstacle::Nesting });
    }
    Ok(tree)
}

struct Parser {
    cursor: Cursor,
    census: Census,
    /// The group being read.
    group: Group,
    /// The groups around it, outermost first.
    outer: Vec<Group>,
    flags: Flags,
    captures: u32,
    too_deep: bool,
}

/// A group whose `)` has not come yet, or the whole pattern.
struct Group {
    kind: GroupKind,
    opened_at: usize,
    outer_flags: Flags,
    alternatives: Vec<Node>,
    terms: Vec<Node>,
}

impl Group {
    fn new(kind: GroupKind, opened_at: usize, outer_flags: Flags) -> Group {
        Group { kind, opened_at, outer_flags, alternatives: Vec::new(), terms: Vec::new() }
    }

    fn end_alternative(&mut self) {
        let terms = std::mem::take(&mut self.terms);
        self.alternatives.push(Node::sequence(terms));
    }

    fn into_body(mut self) -> Node {
        self.end_alternative();
        Node::alternatives(self.alternatives)
    }
}

impl Parser {
    fn new(pattern: &str) -> Parser {
        Parser {
            cursor: Cursor::new(pattern),
            census: Census::take(&mut Cursor::new(pattern)),
            group: Group::new(GroupKind::Plain, 0, Flags::default()),
            outer: Vec::new(),
            flags: Flags::default(),
            captures: 0,
            too_deep: false,
        }
    }

    fn pattern(&mut self) -> Result<Node, Refusal> {
        let mut at = self.cursor.at();
        while let Some(unit) = self.cursor.next() {
            self.term(unit, at)?;
            at = self.cursor.at();
        }
        if !self.outer.is_empty() {
            return Err((Fault::UnclosedGroup, self.group.opened_at));
        }
        let whole = std::mem::replace(&mut self.group, Group::new(GroupKind::Plain, 0, Flags::default()));
        Ok(whole.into_body())
    }

    /// Reads what starts with `unit`, which was at `at`.
    fn term(&mut self, unit: u16, at: usize) -> Result<(), Refusal> {
        match char::from_u32(u32::from(unit)) {
            Some('(') => self.open_group(at),
            Some(')') => self.close_group(at),
            Some('|') => {
                self.group.end_alternative();
                Ok(())
            }
            Some('^') => self.edge(if self.flags.multi_line { Edge::LineStart } else { Edge::TextStart }),
            Some('$') => self.edge(if self.flags.multi_line { Edge::LineEnd } else { Edge::TextEnd }),
            Some('.') => self.atom(Node::Set(self.dot())),
            Some('[') => {
                let set = class::read(&mut self.cursor, &self.census, self.flags, at)?;
                self.atom(Node::Set(set))
            }
            Some('\\') => self.escape(at),
            Some('*' | '+' | '?') => Err((Fault::NothingToRepeat, at)),
            Some('{') if self.is_interval(at) => Err((Fault::NothingToRepeat, at)),
            // Annex B: a bracket or brace that closes or opens nothing is itself.
            _ => self.unit(unit),
        }
    }

    fn dot(&self) -> UnitSet {
        if self.flags.dot_all { UnitSet::all() } else { UnitSet::new(LINE_ENDS).complement() }
    }

    /// Edges cannot be repeated: a quantifier behind one has nothing to repeat.
    fn edge(&mut self, edge: Edge) -> Result<(), Refusal> {
        self.group.terms.push(Node::Edge(edge));
        Ok(())
    }

    fn unit(&mut self, unit: u16) -> Result<(), Refusal> {
        let node = if self.flags.ignore_case { fold::unit(unit) } else { Node::Unit(unit) };
        self.atom(node)
    }

    /// Takes `node` with the quantifier behind it, if there is one.
    fn atom(&mut self, node: Node) -> Result<(), Refusal> {
        let node = match self.quantifier()? {
            Some(quantifier) => node.repeated(quantifier),
            None => node,
        };
        self.group.terms.push(node);
        Ok(())
    }

    fn quantifier(&mut self) -> Result<Option<Quantifier>, Refusal> {
        let at = self.cursor.at();
        let (min, max) = if self.cursor.eat('*') {
            (0, None)
        } else if self.cursor.eat('+') {
            (1, None)
        } else if self.cursor.eat('?') {
            (0, Some(1))
        } else if let Some(interval) = self.interval() {
            interval
        } else {
            return Ok(None);
        };
        if max.is_some_and(|max| max < min) {
            return Err((Fault::QuantifierOutOfOrder, at));
        }
        let greedy = !self.cursor.eat('?');
        Ok(Some(Quantifier { min, max, greedy }))
    }

    /// Reads `{n}`, `{n,}` or `{n,m}`. Anything else is left where it is.
    fn interval(&mut self) -> Option<(u32, Option<u32>)> {
        let at = self.cursor.at();
        let interval = self.braces();
        if interval.is_none() {
            self.cursor.rewind(at);
        }
        interval
    }

    fn is_interval(&mut self, at: usize) -> bool {
        let back = self.cursor.at();
        self.cursor.rewind(at);
        let is_interval = self.interval().is_some();
        self.cursor.rewind(back);
        is_interval
    }

    fn braces(&mut self) -> Option<(u32, Option<u32>)> {
        self.cursor.eat('{').then_some(())?;
        let min = self.cursor.decimal(MAX_REPEAT)?;
        let max = if !self.cursor.eat(',') {
            Some(min)
        } else if self.cursor.peek() == Some('}') {
            None
        } else {
            Some(self.cursor.decimal(MAX_REPEAT)?)
        };
        self.cursor.eat('}').then_some((min, max.filter(|max| *max < MAX_REPEAT)))
    }

    fn open_group(&mut self, at: usize) -> Result<(), Refusal> {
        let outer_flags = self.flags;
        let kind = group::open(&mut self.cursor, &self.census, self.captures + 1, &mut self.flags)
            .map_err(|fault| (fault, at))?;
        if let GroupKind::Capture(group) = kind {
            if group > MAX_GROUPS {
                return Err((Fault::TooManyGroups, at));
            }
            self.captures = group;
        }
        let inner = Group::new(kind, at, outer_flags);
        self.outer.push(std::mem::replace(&mut self.group, inner));
        Ok(())
    }

    fn close_group(&mut self, at: usize) -> Result<(), Refusal> {
        let outer = self.outer.pop().ok_or((Fault::UnopenedGroup, at))?;
        let closed = std::mem::replace(&mut self.group, outer);
        self.flags = closed.outer_flags;
        let kind = closed.kind;
        let body = if self.outer.len() < MAX_NESTING {
            closed.into_body()
        } else {
            self.too_deep = true;
            Node::Empty
        };
        match kind {
            GroupKind::Plain => self.atom(body),
            GroupKind::Capture(group) => self.atom(Node::Capture { group, body: Box::new(body) }),
            GroupKind::Look { direction, wanted } => {
                let look = Node::Look { direction, wanted, body: Box::new(body) };
                match direction {
                    // Annex B: a look-ahead may be repeated.
                    Direction::Ahead => self.atom(look),
                    Direction::Behind => {
                        self.group.terms.push(look);
                        Ok(())
                    }
                }
            }
        }
    }

    /// Reads what follows the `\` at `at`.
    fn escape(&mut self, at: usize) -> Result<(), Refusal> {
        match self.cursor.peek() {
            None => Err((Fault::TrailingBackslash, at)),
            Some('b') => {
                self.cursor.next();
                self.edge(Edge::Word)
            }
            Some('B') => {
                self.cursor.next();
                self.edge(Edge::NotWord)
            }
            Some('1'..='9') => match self.numbered_reference() {
                Some(group) => self.atom(self.reference_to(group)),
                None => self.character_escape(),
            },
            Some('k') if self.census.has_names() => {
                self.cursor.next();
                let group = group::named_reference(&mut self.cursor, &self.census).map_err(|fault| (fault, at))?;
                self.atom(self.reference_to(group))
            }
            Some(_) => self.character_escape(),
        }
    }

    /// Annex B: a number beyond the last group is an octal or identity escape.
    fn numbered_reference(&mut self) -> Option<u32> {
        let at = self.cursor.at();
        let group = self.cursor.decimal(MAX_REPEAT).filter(|group| *group <= self.census.captures());
        if group.is_none() {
            self.cursor.rewind(at);
        }
        group
    }

    fn reference_to(&self, group: u32) -> Node {
        Node::BackReference { group, presence: Presence::Possible, ignore_case: self.flags.ignore_case }
    }

    fn character_escape(&mut self) -> Result<(), Refusal> {
        match escape::read_set(&mut self.cursor) {
            Some(set) => self.atom(Node::Set(set)),
            None => {
                let unit = escape::read_unit(&mut self.cursor, EscapePosition::Outside);
                self.unit(unit)
            }
        }
    }
}
