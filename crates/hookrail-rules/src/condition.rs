//! What a rule is about: selectors, all of which must hold.

use hookrail_effects::{Act, Effect};

/// What a selector looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    Effect,
    Place,
    Path,
    Host,
    Data,
    Program,
    Command,
    Tool,
    Agent,
    Role,
    Mode,
    Branch,
    Tree,
    Target,
    Sure,
    Gap,
}

impl Key {
    pub const ALL: &[Self] = &[
        Self::Effect,
        Self::Place,
        Self::Path,
        Self::Host,
        Self::Data,
        Self::Program,
        Self::Command,
        Self::Tool,
        Self::Agent,
        Self::Role,
        Self::Mode,
        Self::Branch,
        Self::Tree,
        Self::Target,
        Self::Sure,
        Self::Gap,
    ];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Effect => "effect",
            Self::Place => "place",
            Self::Path => "path",
            Self::Host => "host",
            Self::Data => "data",
            Self::Program => "program",
            Self::Command => "command",
            Self::Tool => "tool",
            Self::Agent => "agent",
            Self::Role => "role",
            Self::Mode => "mode",
            Self::Branch => "branch",
            Self::Tree => "tree",
            Self::Target => "target",
            Self::Sure => "sure",
            Self::Gap => "gap",
        }
    }

    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|key| key.name() == name)
    }

    /// Whether it looks at each effect and not at the call as a whole.
    #[must_use]
    pub const fn is_of_effects(self) -> bool {
        matches!(
            self,
            Self::Effect
                | Self::Place
                | Self::Path
                | Self::Host
                | Self::Data
                | Self::Program
                | Self::Command
                | Self::Branch
                | Self::Target
                | Self::Sure
        )
    }

    /// What it selects, in one line.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Effect => "what is done, such as fs.delete or git.*",
            Self::Place => "where it happens, such as home or outside",
            Self::Path => {
                "the path: relative to the project, absolute, or below ~; a bare name matches in every folder"
            }
            Self::Host => {
                "the host of a network effect, such as *.example.com; localhost is every loopback address, @own the \
                 project's remote, registries, localhost and [safety] hosts"
            }
            Self::Data => "what is sent: typed (it stands in the call), local (files, or what commands print), secret",
            Self::Program => "the program that does it, without its folder",
            Self::Command => "the command that does it, word for word, such as `npm run lint` or `cargo test *`",
            Self::Tool => "shell, write, edit, read, web, mcp, subagent, skill, or the agent's own name of the tool",
            Self::Agent => "the agent, such as claude or codex",
            Self::Role => "main, subagent, or subagent:NAME",
            Self::Mode => "the agent's permission mode, as it sends it",
            Self::Branch => "the branch it is about, else the one that is checked out",
            Self::Tree => "clean or dirty: whether the working tree has changes",
            Self::Target => "the context, cluster, database, account, bucket or package it is about",
            Self::Sure => "certain, or possible: a glob, an unset variable or a loop may name it",
            Self::Gap => "true, or the reason why a part of the call is not understood",
        }
    }
}

/// One entry of a selector: a pattern, perhaps negated with `!`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    pub negated: bool,
    pub pattern: String,
}

impl Entry {
    /// Reads `pattern` or `!pattern`.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        match text.strip_prefix('!') {
            Some(rest) => Self { negated: true, pattern: rest.to_owned() },
            None => Self { negated: false, pattern: text.to_owned() },
        }
    }
}

/// One selector. It holds if any positive entry matches, or there is none, and no negated one does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Selector {
    pub key: Key,
    pub entries: Vec<Entry>,
}

/// How an entry is compared when it is not clear what a call will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    /// For deny, ask and warn: it matches whatever it may be about, and a specific act is also its general one.
    Forbids,
    /// For allow and exceptions: it matches only what it covers for certain.
    Permits,
}

impl Sense {
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Forbids => Self::Permits,
            Self::Permits => Self::Forbids,
        }
    }
}

impl Selector {
    /// Whether the selector holds, by a comparison of one entry. What a negated entry excludes is compared in the opposite
    /// sense: a rule that forbids excludes only what is certainly the exception.
    pub(crate) fn holds(&self, sense: Sense, mut matches: impl FnMut(&str, Sense) -> bool) -> bool {
        let mut positive = None;
        for entry in &self.entries {
            if entry.negated {
                if matches(&entry.pattern, sense.opposite()) {
                    return false;
                }
            } else if positive != Some(true) {
                positive = Some(matches(&entry.pattern, sense));
            }
        }
        positive != Some(false)
    }
}

/// Selectors, all of which must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Condition {
    pub selectors: Vec<Selector>,
}

impl Condition {
    #[must_use]
    pub fn selector(&self, key: Key) -> Option<&Selector> {
        self.selectors.iter().find(|selector| selector.key == key)
    }

    pub(crate) fn is_about_effects(&self) -> bool {
        self.selectors.iter().any(|selector| selector.key.is_of_effects())
    }

    /// Whether the only thing it asks of an effect is its branch, which a call has as well.
    pub(crate) fn asks_for_branch_alone(&self) -> bool {
        let mut of_effects = self.selectors.iter().filter(|selector| selector.key.is_of_effects());
        of_effects.next().is_some_and(|first| first.key == Key::Branch) && of_effects.next().is_none()
    }

    /// Reports whether it holds for calls without effects: it names none, or says [`NO_EFFECT`].
    pub(crate) fn names_no_effect(&self) -> bool {
        let mut selectors = self.selectors.iter().filter(|selector| selector.key.is_of_effects());
        let Some(selector) = self.selector(Key::Effect) else { return selectors.next().is_none() };
        selector.entries.iter().any(|entry| entry.pattern == NO_EFFECT && !entry.negated)
    }

    /// The acts it may match, as bits; every one if it does not say.
    #[must_use]
    pub fn acts(&self, sense: Sense) -> ActSet {
        let Some(selector) = self.selector(Key::Effect) else { return ActSet::ALL };
        let matching = Act::ALL.iter().filter(|act| act_holds(selector, **act, sense));
        matching.fold(ActSet::default(), |set, act| set.with(*act))
    }
}

/// The name, among those of effects, of calls that have none.
pub const NO_EFFECT: &str = "none";

/// Whether a selector of effects holds for an act.
pub(crate) fn act_holds(selector: &Selector, act: Act, sense: Sense) -> bool {
    selector.holds(sense, |pattern, sense| {
        let named = |act: Act| crate::pattern::matches_text(pattern, act.name());
        named(act) || sense == Sense::Forbids && act.implies().is_some_and(named)
    })
}

/// A set of acts, as bits in the order of [`Act::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ActSet(pub u64);

impl ActSet {
    pub const ALL: Self = Self(u64::MAX);

    #[must_use]
    pub const fn with(self, act: Act) -> Self {
        Self(self.0 | 1 << act as u32)
    }

    #[must_use]
    pub const fn has(self, act: Act) -> bool {
        self.0 & (1 << act as u32) != 0
    }

    #[must_use]
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The acts of effects.
    pub fn of<'e>(effects: impl IntoIterator<Item = &'e Effect>) -> Self {
        effects.into_iter().fold(Self::default(), |set, effect| set.with(effect.act))
    }

    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}
