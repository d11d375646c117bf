use super::filter::Filter;
use super::index::Index;

/// So many filters are remembered: every open page has one, and one more while a person types.
const KEPT: usize = 8;

/// The events that a filter admits, found once and continued as the journal grows.
#[derive(Debug, Default)]
pub struct Searches {
    kept: Vec<Search>,
}

#[derive(Debug)]
struct Search {
    filter: Filter,
    /// Places in the index, ascending.
    found: Vec<u32>,
    /// Events before this place were looked at and do not change any more.
    settled: usize,
}

impl Searches {
    /// The places of all admitted events, the oldest first.
    pub fn find(&mut self, filter: &Filter, index: &Index) -> &[u32] {
        let at = self.kept.iter().position(|search| search.filter == *filter);
        let mut search = at.map_or_else(
            || Search { filter: filter.clone(), found: Vec::new(), settled: 0 },
            |at| self.kept.remove(at),
        );
        search.go_on(index);
        if self.kept.len() == KEPT {
            self.kept.remove(0);
        }
        self.kept.push(search);
        self.kept.last().map(|search| search.found.as_slice()).unwrap_or_default()
    }
}

impl Search {
    fn go_on(&mut self, index: &Index) {
        let rows = index.rows();
        let Some(filter) = self.filter.resolve(index) else { return };
        // Runs may still be added to the newest event.
        self.found.retain(|place| (*place as usize) < self.settled);
        for (place, row) in rows.iter().enumerate().skip(self.settled) {
            if filter.admits(row, index) {
                self.found.push(u32::try_from(place).unwrap_or(u32::MAX));
            }
        }
        self.settled = rows.len().saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_store::{Cursor, JournalRecord, Outcome};

    fn record(part: u32, hook: &str, outcome: Outcome) -> JournalRecord {
        JournalRecord {
            part,
            outcome,
            hook: hook.to_owned(),
            event: "BeforeTool".to_owned(),
            session: "s".to_owned(),
            ..JournalRecord::default()
        }
    }

    #[test]
    fn a_search_goes_on_with_the_journal_and_sees_what_late_runs_decide() {
        let (mut index, mut searches) = (Index::default(), Searches::default());
        let denied = Filter { decisions: vec![super::super::Verdict::Deny], ..Filter::default() };
        index.add(1, Cursor::default(), &record(0, "a", Outcome::Succeeded));
        assert_eq!(searches.find(&denied, &index), [] as [u32; 0]);
        index.add(2, Cursor::default(), &record(1, "b", Outcome::Blocked));
        assert_eq!(searches.find(&denied, &index), [0]);
        index.add(3, Cursor::default(), &record(0, "a", Outcome::Blocked));
        assert_eq!(searches.find(&denied, &index), [0, 1]);
        assert_eq!(searches.find(&Filter::default(), &index), [0, 1]);
        let other = Filter { session: Some("other".to_owned()), ..Filter::default() };
        assert_eq!(searches.find(&other, &index), [] as [u32; 0]);
    }
}
