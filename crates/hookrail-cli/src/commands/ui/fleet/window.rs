use hookrail_fleet::database::page::{EventFilter, RecordKey};
use hookrail_fleet::database::{Database, DatabaseError};
use std::collections::HashSet;

/// So many events of a list are known when it is opened; what arrives later is added.
const NEWEST: usize = 2000;
/// A list that is open for days does not grow without end. Its places move then, once.
const MOST: usize = 20_000;
/// So many filters are remembered: every open page has one, and one more while a person types.
const KEPT: usize = 8;

/// The newest events that a filter admits, found once and continued as records arrive.
#[derive(Debug, Default)]
pub struct Windows {
    kept: Vec<Window>,
}

#[derive(Debug)]
struct Window {
    filter: EventFilter,
    keys: Vec<RecordKey>,
    known: HashSet<RecordKey>,
    /// The server's time when it was asked last.
    asked: String,
    /// The version of the source when it was asked last.
    version: u64,
}

impl Windows {
    /// The events that are known, the oldest first.
    pub fn find(
        &mut self,
        filter: &EventFilter,
        version: u64,
        database: &mut Database,
    ) -> Result<Vec<RecordKey>, DatabaseError> {
        let window = match self.kept.iter().position(|window| window.filter == *filter) {
            Some(at) => self.kept.remove(at).go_on(version, database)?,
            None => Window::open(filter, version, database)?,
        };
        if self.kept.len() == KEPT {
            self.kept.remove(0);
        }
        let keys = window.keys.clone();
        self.kept.push(window);
        Ok(keys)
    }
}

impl Window {
    fn open(filter: &EventFilter, version: u64, database: &mut Database) -> Result<Self, DatabaseError> {
        let asked = database.moment()?;
        let keys = database.newest_events(filter, None, NEWEST)?;
        Ok(Self { filter: filter.clone(), known: keys.iter().copied().collect(), keys, asked, version })
    }

    fn go_on(mut self, version: u64, database: &mut Database) -> Result<Self, DatabaseError> {
        if self.version == version {
            return Ok(self);
        }
        if self.keys.len() > MOST {
            return Self::open(&self.filter, version, database);
        }
        let asked = database.moment()?;
        for key in database.newest_events(&self.filter, Some(&self.asked), NEWEST)? {
            if self.known.insert(key) {
                self.keys.push(key);
            }
        }
        Ok(Self { asked, version, ..self })
    }
}
