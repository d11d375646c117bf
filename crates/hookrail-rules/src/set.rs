//! Many rules, ready to be asked about a call.

use crate::codec::{ByteReader, Writer};
use crate::condition::{ActSet, Key, Sense};
use crate::rule::{Exception, Period, Rule, RuleDecision};
use crate::wire::{Places, read_exception, read_rule, write_exception, write_rule};
use hookrail_core::SharedBytes;
use hookrail_effects::{Act, Effects};
use std::borrow::Cow;
use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

/// Rules and exceptions in a form that is read by index: a rule that cannot match a call costs a comparison of bits.
///
/// The bytes are a head, a table with one line for each rule, the files, the exceptions, and the rules themselves.
#[derive(Debug)]
pub struct RuleSet {
    bytes: SetBytes,
    places: OnceLock<Places>,
    exceptions: OnceLock<Vec<Exception>>,
}

/// Where the bytes of a set are.
#[derive(Clone, Debug)]
enum SetBytes {
    Program(&'static [u8]),
    /// A part of what was read from a file, which others use too. Hundreds of rules are not copied.
    Read(SharedBytes, Range<usize>),
}

impl Deref for SetBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Program(bytes) => bytes,
            Self::Read(bytes, part) => bytes.get(part.clone()).unwrap_or_default(),
        }
    }
}

impl From<Vec<u8>> for SetBytes {
    fn from(bytes: Vec<u8>) -> Self {
        let all = 0..bytes.len();
        Self::Read(SharedBytes::new(bytes), all)
    }
}

/// What a set holds, for those who only need to know whether they are concerned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contents(u8);

impl Contents {
    const ALLOWS: u8 = 1;
    const FACTS: u8 = 2;
    const LIMITS: u8 = 4;
    const DAYS: u8 = 8;

    /// There is a rule that allows.
    #[must_use]
    pub const fn allows(self) -> bool {
        self.0 & Self::ALLOWS != 0
    }

    /// There is something to remember when calls have ended.
    #[must_use]
    pub const fn remembers(self) -> bool {
        self.0 & (Self::FACTS | Self::LIMITS) != 0
    }

    /// There is a limit.
    #[must_use]
    pub const fn limits(self) -> bool {
        self.0 & Self::LIMITS != 0
    }

    /// There is a limit for a day.
    #[must_use]
    pub const fn counts_days(self) -> bool {
        self.0 & Self::DAYS != 0
    }

    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn of(rule: &Rule) -> u8 {
        let mut bits = 0;
        if rule.decide == RuleDecision::Allow {
            bits |= Self::ALLOWS;
        }
        if rule.happenings().next().is_some() {
            bits |= Self::FACTS;
        }
        if let Some(limit) = rule.limit {
            bits |= Self::LIMITS | if limit.per == Period::Day { Self::DAYS } else { 0 };
        }
        bits
    }
}

/// The head: a mark, a number for the vocabulary, the contents, the number of rules, and where files and exceptions are.
const MARK: &[u8; 8] = b"hookrul1";
const HEAD: usize = 8 + 8 + 4 + 4 + 4;
/// A line of the table: acts, bits, and where the rule is.
const LINE: usize = 8 + 4 + 4;
/// The rule is about the call as a whole.
const WHOLE_CALL: u32 = 1;
/// The rule needs a gap.
const NEEDS_GAP: u32 = 2;
const IS_ALLOW: u32 = 4;
const HAS_MEMORY: u32 = 8;

/// No rules at all, for nothing.
impl Default for RuleSet {
    fn default() -> Self {
        Self { bytes: SetBytes::Program(&[]), places: OnceLock::new(), exceptions: OnceLock::new() }
    }
}

impl Clone for RuleSet {
    fn clone(&self) -> Self {
        Self { bytes: self.bytes.clone(), places: self.places.clone(), exceptions: self.exceptions.clone() }
    }
}

impl PartialEq for RuleSet {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl RuleSet {
    /// Makes a set of rules. Examples are not part of it.
    #[must_use]
    pub fn compile(rules: &[Rule], exceptions: &[Exception]) -> Self {
        let mut places: Places = Vec::new();
        let origins = rules.iter().map(|rule| &rule.origin).chain(exceptions.iter().map(|exception| &exception.origin));
        for origin in origins {
            if !places.contains(&origin.place) {
                places.push(Arc::clone(&origin.place));
            }
        }
        let mut tail = Writer::default();
        tail.list(&places, |writer, place| writer.text(place));
        let files_end = tail.0.len();
        tail.list(exceptions, |writer, exception| write_exception(writer, exception, &places));
        let start = HEAD + rules.len() * LINE;
        let mut table = Vec::with_capacity(rules.len() * LINE);
        let mut contents = 0;
        for rule in rules {
            let sense = if rule.decide == RuleDecision::Allow { Sense::Permits } else { Sense::Forbids };
            table.extend_from_slice(&rule.when.acts(sense).0.to_le_bytes());
            table.extend_from_slice(&bits(rule).to_le_bytes());
            table.extend_from_slice(&offset(start + tail.0.len()));
            contents |= Contents::of(rule);
            write_rule(&mut tail, rule, &places);
        }
        let mut bytes = Vec::with_capacity(start + tail.0.len());
        bytes.extend_from_slice(MARK);
        bytes.extend_from_slice(&VOCABULARY.to_le_bytes());
        bytes.extend_from_slice(&u32::from(contents).to_le_bytes());
        bytes.extend_from_slice(&offset(rules.len()));
        bytes.extend_from_slice(&offset(start + files_end));
        bytes.extend_from_slice(&table);
        bytes.extend_from_slice(&tail.0);
        Self { bytes: bytes.into(), places: OnceLock::new(), exceptions: OnceLock::new() }
    }

    /// A set that was compiled before; `None` if it was by another version, or is damaged.
    #[must_use]
    pub fn from_bytes(bytes: impl Into<Cow<'static, [u8]>>) -> Option<Self> {
        Self::check(match bytes.into() {
            Cow::Borrowed(bytes) => SetBytes::Program(bytes),
            Cow::Owned(bytes) => bytes.into(),
        })
    }

    /// The same for one that is a part of other bytes.
    #[must_use]
    pub fn from_part(bytes: SharedBytes, part: Range<usize>) -> Option<Self> {
        Self::check(SetBytes::Read(bytes, part))
    }

    fn check(bytes: SetBytes) -> Option<Self> {
        let is_ours = bytes.get(..8)? == MARK && number64(&bytes, 8)? == VOCABULARY;
        let whole = HEAD.checked_add(usize_at(&bytes, 20)?.checked_mul(LINE)?)? <= bytes.len();
        let set = Self { bytes, places: OnceLock::new(), exceptions: OnceLock::new() };
        (is_ours && whole).then_some(set)
    }

    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    #[must_use]
    pub fn len(&self) -> usize {
        usize_at(&self.bytes, 20).unwrap_or_default()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether there are neither rules nor exceptions.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.is_empty() && self.exceptions().is_empty()
    }

    #[must_use]
    pub fn contents(&self) -> Contents {
        Contents(self.bytes.get(16).copied().unwrap_or_default())
    }

    /// Every rule.
    pub fn rules(&self) -> impl Iterator<Item = Rule> {
        self.lines(|_, _| true)
    }

    /// The rules that may match a call with these effects and do not allow.
    pub fn candidates(&self, effects: &Effects) -> impl Iterator<Item = Rule> {
        let acts = ActSet::of(&effects.list);
        let has_gap = !effects.gaps.is_empty();
        self.lines(move |of_rule, bits| {
            bits & IS_ALLOW == 0
                && (has_gap || bits & NEEDS_GAP == 0)
                && (bits & WHOLE_CALL != 0 || of_rule.meets(acts))
        })
    }

    /// The rules that allow.
    pub fn permissions(&self) -> impl Iterator<Item = Rule> {
        self.lines(|_, bits| bits & IS_ALLOW != 0)
    }

    /// The rules that need to know what happened before.
    pub fn with_memory(&self) -> impl Iterator<Item = Rule> {
        self.lines(|_, bits| bits & HAS_MEMORY != 0)
    }

    #[must_use]
    pub fn exceptions(&self) -> &[Exception] {
        self.exceptions.get_or_init(|| {
            let read = || {
                let start = usize_at(&self.bytes, 24)?;
                ByteReader(self.bytes.get(start..)?).list(|reader| read_exception(reader, self.places()))
            };
            read().unwrap_or_default()
        })
    }

    fn places(&self) -> &[Arc<str>] {
        self.places.get_or_init(|| {
            let start = HEAD + self.len() * LINE;
            let reader = self.bytes.get(start..).map(ByteReader);
            reader.and_then(|mut reader| reader.list(|reader| reader.text().map(Arc::from))).unwrap_or_default()
        })
    }

    fn lines(&self, wanted: impl Fn(ActSet, u32) -> bool) -> impl Iterator<Item = Rule> {
        let table = self.bytes.get(HEAD..HEAD + self.len() * LINE).unwrap_or_default();
        let chosen = table.chunks_exact(LINE).filter(move |line| {
            number64(line, 0).zip(number32(line, 8)).is_some_and(|(acts, bits)| wanted(ActSet(acts), bits))
        });
        chosen.filter_map(|line| {
            let start = usize_at(line, 12)?;
            read_rule(&mut ByteReader(self.bytes.get(start..)?), self.places())
        })
    }
}

fn bits(rule: &Rule) -> u32 {
    let mut bits = 0;
    if !rule.when.is_about_effects() || rule.when.asks_for_branch_alone() {
        bits |= WHOLE_CALL;
    }
    if rule.when.selector(Key::Gap).is_some() {
        bits |= NEEDS_GAP;
    }
    if rule.decide == RuleDecision::Allow {
        bits |= IS_ALLOW;
    }
    if rule.has_memory() {
        bits |= HAS_MEMORY;
    }
    bits
}

/// The names that bits stand for, as a number: bytes that were made with other names mean something else.
#[expect(clippy::indexing_slicing, reason = "the index is below the length, and constants have no iterators")]
const VOCABULARY: u64 = {
    let mut hash = FNV_START;
    let mut index = 0;
    while index < Act::ALL.len() {
        hash = fnv(hash, Act::ALL[index].name().as_bytes());
        index += 1;
    }
    index = 0;
    while index < Key::ALL.len() {
        hash = fnv(hash, Key::ALL[index].name().as_bytes());
        index += 1;
    }
    hash
};

pub(crate) const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a, for names of our own.
#[expect(clippy::indexing_slicing, reason = "the index is below the length, and constants have no iterators")]
pub(crate) const fn fnv(start: u64, bytes: &[u8]) -> u64 {
    let mut hash = start ^ 0xff;
    let mut index = 0;
    while index < bytes.len() {
        hash = (hash ^ bytes[index] as u64).wrapping_mul(0x0100_0000_01b3);
        index += 1;
    }
    hash
}

fn offset(value: usize) -> [u8; 4] {
    u32::try_from(value).unwrap_or(u32::MAX).to_le_bytes()
}

fn number64(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes)
}

fn number32(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
}

fn usize_at(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(number32(bytes, at)?).ok()
}
