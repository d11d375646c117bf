use super::ToolCallOutcome;

/// Holds results that came early until those before them are there.
#[derive(Debug)]
pub(super) struct ResultBuffer {
    slots: Vec<Option<ToolCallOutcome>>,
    published: usize,
}

impl ResultBuffer {
    pub fn new(calls: usize) -> Self {
        Self { slots: vec![None; calls], published: 0 }
    }

    /// Takes the result of the call at `index` and returns those that can be published now, in the order of the calls.
    pub fn store(&mut self, index: usize, outcome: ToolCallOutcome) -> impl Iterator<Item = &ToolCallOutcome> {
        if let Some(slot) = self.slots.get_mut(index) {
            *slot = Some(outcome);
        }
        let already = self.published;
        let ready = self.slots.iter().skip(already).take_while(|slot| slot.is_some()).count();
        self.published += ready;
        self.slots.iter().skip(already).take(ready).flatten()
    }

    pub fn into_outcomes(self) -> Vec<ToolCallOutcome> {
        self.slots.into_iter().flatten().collect()
    }
}
