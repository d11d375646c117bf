//! Values that depend on the way a script takes.
//!
//! Where ways meet, a variable is what it is on either of them: a set of values. A command that uses such a variable is followed
//! once for each value, so that a set never has to be one word. `certain` stands for sets of one.

use super::shared::Shared;
use std::rc::Rc;

/// Maximum number of values in a set; of more nothing is known.
pub(super) const MAX_VALUES: usize = 16;

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Choice<V> {
    One(V),
    Several(Rc<Several<V>>),
}

/// More than one thing that a name may stand for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Several<V> {
    /// Each of them; `None` if the name may stand for nothing.
    pub all: Vec<Option<V>>,
    /// What it is where only one value can be used.
    pub stand_in: V,
}

/// Names, sorted, with what they stand for.
pub(crate) type Choices<V> = Shared<(Rc<str>, Choice<V>)>;

impl<V: Clone> Choice<V> {
    /// Everything the name may stand for.
    pub(super) fn all(choice: Option<&Self>) -> Vec<Option<V>> {
        match choice {
            None => vec![None],
            Some(Self::One(value)) => vec![Some(value.clone())],
            Some(Self::Several(several)) => several.all.clone(),
        }
    }

    pub(crate) fn value(&self) -> &V {
        match self {
            Self::One(value) => value,
            Self::Several(several) => &several.stand_in,
        }
    }
}

/// Where a name is in a list, or belongs.
pub(super) fn position<V>(list: &[(Rc<str>, Choice<V>)], name: &str) -> Result<usize, usize> {
    list.binary_search_by(|(known, _)| (**known).cmp(name))
}

pub(super) fn find<'l, V>(list: &'l [(Rc<str>, Choice<V>)], name: &str) -> Option<&'l Choice<V>> {
    list.get(position(list, name).ok()?).map(|(_, choice)| choice)
}

/// Makes a name stand for something, or for nothing.
pub(super) fn assign<V: Clone>(list: &mut Choices<V>, name: &str, choice: Option<Choice<V>>) {
    match (position(list, name), choice) {
        (Ok(at), Some(choice)) => {
            if let Some((_, old)) = list.change().get_mut(at) {
                *old = choice;
            }
        }
        (Err(at), Some(choice)) => list.change().insert(at, (name.into(), choice)),
        (Ok(at), None) => {
            list.change().remove(at);
        }
        (Err(_), None) => {}
    }
}

/// How values of one kind are joined.
pub(super) struct Join<V> {
    /// Makes of two values that are the same one, or `None` if they differ.
    pub same: fn(&V, &V) -> Option<V>,
    /// What a set of several stands in for, by its name.
    pub stand_in: fn(&str, &[Option<V>]) -> Option<V>,
}

/// What a name stands for on either of two ways.
pub(super) fn either<V: Clone>(
    name: &str,
    one: Option<&Choice<V>>,
    other: Option<&Choice<V>>,
    join: &Join<V>,
) -> Option<Choice<V>> {
    let mut all = Choice::all(one);
    for value in Choice::all(other) {
        let known = all.iter_mut().find_map(|known| match (&*known, &value) {
            (None, None) => Some((known, None)),
            (Some(one), Some(other)) => (join.same)(one, other).map(|same| (known, Some(same))),
            _ => None,
        });
        match known {
            Some((known, same)) => *known = same,
            None => all.push(value),
        }
    }
    match all.as_slice() {
        [None] => None,
        [Some(only)] => Some(Choice::One(only.clone())),
        _ => {
            let stand_in = (join.stand_in)(name, &all)?;
            let known = all.len() <= MAX_VALUES;
            Some(if known { Choice::Several(Rc::new(Several { all, stand_in })) } else { Choice::One(stand_in) })
        }
    }
}

/// What names stand for on either of two ways.
pub(super) fn join<V: Clone + PartialEq>(one: &Choices<V>, other: &Choices<V>, join: &Join<V>) -> Choices<V> {
    if one.is_same(other) || **one == **other {
        return one.clone();
    }
    let (mut left, mut right) = (one.iter().peekable(), other.iter().peekable());
    let mut joined = Vec::with_capacity(usize::max(one.len(), other.len()));
    loop {
        let order = match (left.peek(), right.peek()) {
            (None, None) => break,
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some((one, _)), Some((other, _))) => one.cmp(other),
        };
        let one = if order.is_le() { left.next() } else { None };
        let other = if order.is_ge() { right.next() } else { None };
        let Some((name, _)) = one.or(other) else { break };
        let choice = either(name, one.map(|(_, choice)| choice), other.map(|(_, choice)| choice), join);
        joined.extend(choice.map(|choice| (Rc::clone(name), choice)));
    }
    Shared::from(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERS: Join<u8> = Join { same: |one, other| (one == other).then_some(*one), stand_in: |_, _| Some(0) };

    fn of(entries: &[(&str, u8)]) -> Choices<u8> {
        Shared::from(entries.iter().map(|(name, value)| ((*name).into(), Choice::One(*value))).collect::<Vec<_>>())
    }

    #[test]
    fn a_join_has_what_either_side_has() {
        let joined = join(&of(&[("a", 1), ("b", 2), ("d", 4)]), &of(&[("a", 1), ("b", 3), ("c", 5)]), &NUMBERS);
        let all: Vec<(&str, Vec<Option<u8>>)> =
            joined.iter().map(|(name, choice)| (&**name, Choice::all(Some(choice)))).collect();
        let expected = [
            ("a", vec![Some(1)]),
            ("b", vec![Some(2), Some(3)]),
            ("c", vec![None, Some(5)]),
            ("d", vec![Some(4), None]),
        ];
        assert_eq!(all, expected);
    }

    #[test]
    fn a_set_that_grows_too_large_is_unknown() {
        let all = (1..=40).map(|value| of(&[("a", value)]));
        let joined = all.reduce(|one, other| join(&one, &other, &NUMBERS)).unwrap();
        assert!(joined.iter().all(|(_, choice)| matches!(choice, Choice::One(_) | Choice::Several(_))));
        assert!(Choice::all(find(&joined, "a")).contains(&Some(0)));
    }
}
