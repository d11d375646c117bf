use std::collections::HashMap;
use std::sync::Arc;

/// A text that many events share, by its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(u32);

impl Name {
    /// The empty text.
    pub const NONE: Self = Self(0);
}

/// Every text that events share, once. Two hundred thousand events name a few hundred hooks, projects and sessions.
#[derive(Debug)]
pub struct Names {
    texts: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, Name>,
}

impl Default for Names {
    fn default() -> Self {
        let empty: Arc<str> = Arc::from("");
        Self { texts: vec![Arc::clone(&empty)], numbers: HashMap::from([(empty, Name::NONE)]) }
    }
}

impl Names {
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(known) = self.numbers.get(text) {
            return *known;
        }
        let text: Arc<str> = Arc::from(text);
        let name = Name(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        self.texts.push(Arc::clone(&text));
        self.numbers.insert(text, name);
        name
    }

    /// `None` if no event has this text.
    pub fn find(&self, text: &str) -> Option<Name> {
        self.numbers.get(text).copied()
    }

    pub fn text(&self, name: Name) -> &str {
        self.texts.get(name.0 as usize).map(AsRef::as_ref).unwrap_or_default()
    }
}
