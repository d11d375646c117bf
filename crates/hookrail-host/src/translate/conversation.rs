//! Bringing the messages a hook returned back into the conversation they were read from.

use super::Object;
use super::alignment::{AlignmentStep, MOVE, align};
use super::content::{self, PartFormat};
use super::stable::{Message, Proposal, Role};
use serde_json::Value;
use std::borrow::Cow;

/// What a provider's turns look like.
pub(super) trait TurnFormat: PartFormat {
    /// The field that holds a turn's content.
    fn content_field(&self) -> &'static str {
        "content"
    }

    /// Who speaks; `None` if hooks do not see such turns.
    fn role(&self, turn: &Object) -> Option<Role>;

    /// A turn of nothing but text.
    fn write(&self, role: Role, text: &str) -> Value;

    /// Whether a turn means something even without content, because of what stands beside it.
    fn carries_more(&self, _turn: &Object) -> bool {
        false
    }

    /// Whether nothing may come between `turn` and the one before it.
    fn clings_to(&self, _previous: &Value, _turn: &Value) -> bool {
        false
    }

    /// Takes out of a changed conversation what lost its meaning by the change.
    fn tidy(&self, turns: Vec<Value>) -> Vec<Value> {
        turns
    }
}

/// A turn as hooks see it.
pub(super) fn show(format: &impl TurnFormat, turn: &Value) -> Option<Message> {
    let fields = turn.as_object()?;
    let role = format.role(fields)?;
    let text = content::texts(format, content_of(format, fields)).concat();
    (!text.is_empty()).then_some(Message { role, text })
}

/// The conversation with a hook's messages in place of the ones it was shown, or `None` if they are the same.
pub(super) fn merge(format: &impl TurnFormat, turns: &[Cow<Value>], proposals: &[Proposal]) -> Option<Vec<Value>> {
    let shown: Vec<VisibleTurn> =
        turns.iter().enumerate().filter_map(|(place, turn)| VisibleTurn::read(format, place, turn)).collect();
    let is_same = |(shown, proposal): (&VisibleTurn, &Proposal)| proposal.is(&shown.message);
    if shown.len() == proposals.len() && shown.iter().zip(proposals).all(is_same) {
        return None;
    }
    let steps = align(shown.len(), proposals.len(), |old, new| shown.get(old)?.pairing(proposals.get(new)?));
    let mut draft = Draft::new(format, turns);
    for step in steps.into_iter().rev() {
        let (old, new) = match step {
            AlignmentStep::Pair(old, new) => (shown.get(old), proposals.get(new)),
            AlignmentStep::Remove(old) => (shown.get(old), None),
            AlignmentStep::Insert(new) => (None, proposals.get(new)),
        };
        draft.take(old, new);
    }
    Some(format.tidy(draft.finish()))
}

/// A turn that hooks see, and where it stands.
struct VisibleTurn {
    place: usize,
    message: Message,
}

impl VisibleTurn {
    fn read(format: &impl TurnFormat, place: usize, turn: &Value) -> Option<Self> {
        Some(Self { place, message: show(format, turn)? })
    }

    /// What it costs to see in `proposal` this message. The words of one speaker do not become another's, because there may be
    /// calls beside them.
    fn pairing(&self, proposal: &Proposal) -> Option<u32> {
        let price = if proposal.is(&self.message) { 0 } else { MOVE };
        proposal.may_be(&self.message).then_some(price)
    }
}

/// A conversation in the making. Changes come in from its end to its beginning.
struct Draft<'a, F> {
    format: &'a F,
    turns: &'a [Cow<'a, Value>],
    /// What becomes of each turn.
    changed: Vec<Option<Cow<'a, Value>>>,
    /// What is put before each turn and after the last one, last message first.
    inserted: Vec<Vec<Value>>,
    /// Where a message is put that stands before all turns changed so far.
    place: usize,
}

impl<'a, F: TurnFormat> Draft<'a, F> {
    fn new(format: &'a F, turns: &'a [Cow<'a, Value>]) -> Self {
        let keep = |turn: &'a Cow<'a, Value>| (!is_blank(format, turn)).then_some(Cow::Borrowed(turn.as_ref()));
        let inserted = vec![Vec::new(); turns.len() + 1];
        Self { format, turns, changed: turns.iter().map(keep).collect(), inserted, place: turns.len() }
    }

    fn take(&mut self, shown: Option<&VisibleTurn>, proposal: Option<&Proposal>) {
        match (shown, proposal) {
            (Some(shown), proposal) => self.change(shown, proposal),
            (None, Some(proposal)) if !proposal.text.is_empty() => self.insert(proposal),
            (None, _) => {}
        }
    }

    fn change(&mut self, shown: &VisibleTurn, proposal: Option<&Proposal>) {
        self.place = shown.place;
        if let (Some(turn), Some(changed)) = (self.turns.get(shown.place), self.changed.get_mut(shown.place)) {
            *changed = match proposal {
                Some(proposal) if proposal.is(&shown.message) => Some(Cow::Borrowed(turn)),
                Some(proposal) if !proposal.text.is_empty() => {
                    Some(Cow::Owned(reword(self.format, turn, &proposal.text)))
                }
                Some(_) | None => strip(self.format, turn).map(Cow::Owned),
            };
        }
    }

    fn insert(&mut self, proposal: &Proposal) {
        let turn = self.format.write(proposal.role.unwrap_or(Role::User), &proposal.text);
        let place = self.free_place();
        if let Some(inserted) = self.inserted.get_mut(place) {
            inserted.push(turn);
        }
    }

    /// The last place up to here where a new turn does not part two that belong together.
    fn free_place(&self) -> usize {
        let clings = |place: usize| {
            let previous = self.turns.get(place.checked_sub(1)?)?;
            Some(self.format.clings_to(previous, self.turns.get(place)?))
        };
        (0..=self.place).rev().find(|&place| clings(place) != Some(true)).unwrap_or_default()
    }

    fn finish(self) -> Vec<Value> {
        let mut changed = self.changed.into_iter();
        let turns = self.inserted.into_iter().flat_map(|inserted| {
            let turn = changed.next().flatten().map(Cow::into_owned);
            inserted.into_iter().rev().chain(turn)
        });
        turns.collect()
    }
}

fn reword(format: &impl TurnFormat, turn: &Value, text: &str) -> Value {
    let mut turn = turn.clone();
    if let Some(content) = turn.get_mut(format.content_field()) {
        *content = content::reword(format, content, text);
    }
    turn
}

/// A turn without the text hooks see; `None` if that was all of it.
fn strip(format: &impl TurnFormat, turn: &Value) -> Option<Value> {
    let fields = turn.as_object().filter(|fields| !is_only_text(format, fields))?;
    let mut fields = fields.clone();
    let rest = content::strip(format, content_of(format, &fields));
    fields.insert(format.content_field().to_owned(), rest);
    Some(Value::Object(fields))
}

fn is_only_text(format: &impl TurnFormat, turn: &Object) -> bool {
    !format.carries_more(turn) && content::is_only_text(format, content_of(format, turn))
}

/// Whether hooks would see a turn if its text were not empty, and nothing else is in it. A changed conversation does
/// without such turns: with a text-only request the hook's messages are all there is.
fn is_blank(format: &impl TurnFormat, turn: &Value) -> bool {
    turn.as_object().is_some_and(|fields| {
        let is_visible = format.role(fields).is_some() && !format.carries_more(fields);
        is_visible && content::is_blank(format, content_of(format, fields))
    })
}

fn content_of<'a>(format: &impl TurnFormat, turn: &'a Object) -> &'a Value {
    turn.get(format.content_field()).unwrap_or(&Value::Null)
}
