//! A rule and an exception, as types.

use crate::condition::Condition;
use crate::example::Examples;
use hookrail_core::{Decision, Mode, Origin};

/// Whose configuration a rule stands in. The order is that of authority, the highest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    Managed,
    User,
    Project,
    Local,
}

impl Layer {
    pub const ALL: &[Self] = &[Self::Managed, Self::User, Self::Project, Self::Local];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
        }
    }

    /// Whether it comes with the project, and with it from whoever wrote that.
    #[must_use]
    pub const fn comes_with_project(self) -> bool {
        matches!(self, Self::Project | Self::Local)
    }
}

/// What a rule decides about the calls it matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RuleDecision {
    /// The call must not happen.
    Deny,
    /// A person should confirm.
    Ask,
    /// The user is told; nothing is decided.
    Warn,
    /// No question is asked.
    Allow,
}

impl RuleDecision {
    pub const ALL: &[Self] = &[Self::Deny, Self::Ask, Self::Warn, Self::Allow];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Warn => "warn",
            Self::Allow => "allow",
        }
    }

    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|decision| decision.name() == word)
    }

    /// What it is in the lattice; a warning decides nothing.
    #[must_use]
    pub const fn in_lattice(self) -> Decision {
        match self {
            Self::Deny => Decision::Block,
            Self::Ask => Decision::Ask,
            Self::Warn => Decision::None,
            Self::Allow => Decision::Allow,
        }
    }

    /// Whether a rule of this kind stays in force although something about it is wrong. A guard that is a little too strict
    /// is a nuisance; a permission that is a little too wide is a hole.
    #[must_use]
    pub const fn survives_faults(self) -> bool {
        !matches!(self, Self::Allow)
    }
}

/// How strict pack `safety` is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    Relaxed,
    #[default]
    Balanced,
    Strict,
}

impl Level {
    pub const ALL: &[Self] = &[Self::Relaxed, Self::Balanced, Self::Strict];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Relaxed => "relaxed",
            Self::Balanced => "balanced",
            Self::Strict => "strict",
        }
    }

    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|level| level.name() == word)
    }
}

/// What a rule of a pack decides at the levels other than `balanced`; `None` is nothing at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels {
    pub relaxed: Option<RuleDecision>,
    pub strict: Option<RuleDecision>,
}

/// How often something may happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    pub count: u32,
    pub per: Period,
}

/// The time a limit counts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Period {
    /// From one prompt to the next.
    Turn,
    Session,
    /// A local date, for all sessions of a project.
    Day,
}

impl Period {
    pub const ALL: &[Self] = &[Self::Turn, Self::Session, Self::Day];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Turn => "turn",
            Self::Session => "session",
            Self::Day => "day",
        }
    }
}

/// How something ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallOutcome {
    Ok,
    Failed,
    /// The agent does not tell, or the status of the call is another command's.
    Unknown,
}

impl CallOutcome {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }
}

/// Something that may have happened earlier in the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastCondition {
    pub when: Condition,
    /// How it must have ended; `None` is anyhow.
    pub outcome: Option<CallOutcome>,
}

/// What keeps a rule from holding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unless {
    pub happened: PastCondition,
    /// It only counts if it happened after this did last.
    pub since: Option<PastCondition>,
}

/// One `[[rule]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    pub id: String,
    pub layer: Layer,
    pub origin: Origin,
    pub when: Condition,
    pub decide: RuleDecision,
    /// What it decides at other levels; only rules of packs have levels.
    pub levels: Option<Levels>,
    pub mode: Mode,
    /// What is said when it holds, with `{placeholders}`.
    pub say: Option<String>,
    /// A command that does what was probably meant.
    pub instead: Option<String>,
    /// Why the rule is there.
    pub reason: Option<String>,
    /// Where the reason can be read up.
    pub source: Option<String>,
    pub after: Option<PastCondition>,
    pub unless: Option<Unless>,
    pub limit: Option<Limit>,
    /// The last day on which it holds, as `2026-12-31`.
    pub until: Option<String>,
    pub examples: Examples,
}

impl Rule {
    /// What it decides at a level.
    #[must_use]
    pub fn decision_at(&self, level: Level) -> Option<RuleDecision> {
        match (self.levels, level) {
            (None, _) | (Some(_), Level::Balanced) => Some(self.decide),
            (Some(levels), Level::Relaxed) => levels.relaxed,
            (Some(levels), Level::Strict) => levels.strict,
        }
    }

    /// Whether it needs to know what happened before.
    #[must_use]
    pub fn has_memory(&self) -> bool {
        self.after.is_some() || self.unless.is_some() || self.limit.is_some()
    }

    /// The hook id under which the journal knows it: a pack's rule by its own name, every other as `rule/ID`.
    #[must_use]
    pub fn hook_id(&self) -> String {
        if self.id.contains('/') { self.id.clone() } else { format!("rule/{}", self.id) }
    }

    /// Every happening that must be remembered for it.
    pub fn happenings(&self) -> impl Iterator<Item = &PastCondition> {
        let unless = self.unless.iter().flat_map(|unless| std::iter::once(&unless.happened).chain(&unless.since));
        self.after.iter().chain(unless)
    }
}

/// One `[[exception]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exception {
    /// The id of the rule.
    pub rule: String,
    pub layer: Layer,
    pub origin: Origin,
    pub when: Condition,
    pub reason: Option<String>,
    /// The last day on which it holds, as `2026-12-31`.
    pub until: Option<String>,
}

impl Exception {
    /// Whether it may weaken a rule of a layer: its own, or one with less authority.
    #[must_use]
    pub fn reaches(&self, rule: &Rule) -> bool {
        self.rule == rule.id && self.layer <= rule.layer
    }
}

/// Whether a day, or none, is not over yet. Both are written `2026-12-31`, so that their order is that of their texts.
#[must_use]
pub fn holds_on(until: Option<&str>, today: &dyn Fn() -> String) -> bool {
    until.is_none_or(|until| today().as_str() <= until)
}
