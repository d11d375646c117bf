//! A journal that is not the one that was shipped: what both have in common stays, the rest is shipped anew.

use super::ship::ShippedPosition;
use super::{Database, DatabaseError};
use hookrail_store::{FileStore, Store};

impl Database {
    /// Notes that the journal is another one after the last record that both have, and goes on from there.
    pub(super) fn start_over(
        &mut self,
        machine: &str,
        mark: &ShippedPosition,
        kind: &str,
        journal: &FileStore,
    ) -> Result<(), DatabaseError> {
        let mut local: Vec<(u64, String)> = Vec::new();
        for entry in journal.records(hookrail_store::Cursor::default())?.flatten() {
            if entry.seq <= mark.seq && local.last().is_none_or(|(seq, _)| *seq < entry.seq) {
                local.push((entry.seq, entry.link.hash().to_owned()));
            }
        }
        let common = self.last_common(machine, mark, &local)?;
        let (seq, hash) = common.unwrap_or((0, "0".repeat(64)));
        let detail = format!("the journal is not the one that was shipped; the last record in common is {seq}");
        let seq = seq.to_string();
        let parameters = [Some(machine), Some(kind), Some(&detail), Some(&seq), Some(&hash)];
        self.client.query("SELECT hookrail.start_over($1::int, $2, $3, $4::bigint, $5)", &parameters)?;
        Ok(())
    }

    /// Records are chained: if one is the same, all before it are.
    fn last_common(
        &mut self,
        machine: &str,
        mark: &ShippedPosition,
        local: &[(u64, String)],
    ) -> Result<Option<(u64, String)>, DatabaseError> {
        let (mut low, mut high) = (0, local.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let Some((seq, hash)) = local.get(middle) else { break };
            let seq = seq.to_string();
            let statement = "SELECT 1 FROM hookrail.my_records WHERE machine = $1::int AND epoch <= $2::int AND seq = $3::bigint AND hash = decode($4, 'hex') LIMIT 1";
            let parameters = [Some(machine), Some(mark.epoch.as_str()), Some(seq.as_str()), Some(hash.as_str())];
            if self.client.query(statement, &parameters)?.is_empty() {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Ok(low.checked_sub(1).and_then(|index| local.get(index)).cloned())
    }
}
