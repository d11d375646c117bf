//! Which sessions are of sub-agents, where their files stand among those of the sessions that started them.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// A chain of sub-agents is not longer; a circle, which is a mistake, ends too.
const LONGEST_CHAIN: usize = 64;

/// Kept are a few bytes per session, and the places of sub-agents' files.
#[derive(Debug, Default)]
pub(super) struct Families {
    /// Every session that has a file.
    sessions: HashSet<u64>,
    /// The session that started a sub-agent's.
    parents: HashMap<u64, u64>,
    /// The sessions and the files of those that a session started.
    children: HashMap<u64, Vec<(u64, PathBuf)>>,
}

impl Families {
    /// There is a file of a session, which another one started if `parent` is given.
    pub fn note(&mut self, path: &Path, session: &str, parent: Option<&str>) {
        let own = hash(session);
        self.sessions.insert(own);
        if let Some(parent) = parent.map(hash).filter(|parent| *parent != own) {
            self.parents.insert(own, parent);
            self.children.entry(parent).or_default().push((own, path.to_owned()));
        }
    }

    /// Whether a session is of a sub-agent, and the one that started it has a file too.
    pub fn is_child(&self, session: &str) -> bool {
        let own = hash(session);
        let mut ancestor = own;
        for _ in 0..LONGEST_CHAIN {
            match self.parents.get(&ancestor) {
                Some(parent) if self.sessions.contains(parent) => ancestor = *parent,
                _ => return ancestor != own,
            }
        }
        // The first one of a circle was started by none.
        false
    }

    /// The files of all that a session started, and of what those started.
    pub fn below(&self, session: &str) -> Vec<PathBuf> {
        let (mut files, mut left) = (Vec::new(), vec![hash(session)]);
        let mut seen: HashSet<u64> = left.iter().copied().collect();
        while let Some(parent) = left.pop() {
            for (own, path) in self.children.get(&parent).into_iter().flatten() {
                if seen.insert(*own) {
                    files.push(path.clone());
                    left.push(*own);
                }
            }
        }
        files
    }
}

/// The hash of an id.
pub(super) fn hash(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sub_agents_of_sub_agents_belong_to_the_session_that_is_there() {
        let mut families = Families::default();
        for (session, parent) in
            [("a", None), ("b", Some("a")), ("c", Some("b")), ("d", Some("gone")), ("x", Some("y")), ("y", Some("x"))]
        {
            families.note(Path::new(session), session, parent);
        }
        let children: Vec<&str> =
            ["a", "b", "c", "d", "x", "y"].into_iter().filter(|id| families.is_child(id)).collect();
        assert_eq!(children, ["b", "c"], "what was not started by another is given by itself, a circle too");
        assert_eq!(families.below("a"), [PathBuf::from("b"), PathBuf::from("c")]);
        assert_eq!(families.below("c"), Vec::<PathBuf>::new());
    }
}
