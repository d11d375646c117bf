//! Lists that shells share.

use std::ops::Deref;
use std::rc::Rc;

/// A list that a subshell shares with the shell around it until one of them changes it: most subshells change nothing, and a
/// script has thousands of them.
#[derive(Clone, Debug)]
pub(crate) struct Shared<T>(Option<Rc<Vec<T>>>);

impl<T: Clone> Shared<T> {
    /// The list, to be changed.
    pub(crate) fn change(&mut self) -> &mut Vec<T> {
        Rc::make_mut(self.0.get_or_insert_default())
    }
}

impl<T> Shared<T> {
    /// Reports whether two lists are one, which neither has changed since.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => Rc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }
}

impl<T> From<Vec<T>> for Shared<T> {
    fn from(list: Vec<T>) -> Self {
        Self(Some(Rc::new(list)))
    }
}

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Deref for Shared<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.0.as_ref().map_or(&[], |list| list.as_slice())
    }
}

impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || **self == **other
    }
}

impl<T: Eq> Eq for Shared<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_keeps_what_it_had_when_the_other_one_changes() {
        let mut one: Shared<u8> = Shared::default();
        assert!(one.is_empty());
        one.change().push(1);
        let mut other = one.clone();
        assert_eq!(one, other);
        other.change().push(2);
        assert_eq!((&*one, &*other), (&[1][..], &[1, 2][..]));
    }
}
