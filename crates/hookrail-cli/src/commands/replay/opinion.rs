//! What became of an event, in one word, and who said it.

use super::history::PastRun;
use hookrail_backtest::Judged;
use hookrail_backtest::transcripts::PastDecision;
use hookrail_core::{Decision, HookRun, Verdict};
use hookrail_engine::RunAccount;
use hookrail_store::Outcome;
use serde::Serialize;

/// What became of an event. The order is that of severity; a whole event is as severe as its severest hook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EventResult {
    #[default]
    None,
    /// A hook could not do its work, and nothing followed from that.
    Failed,
    /// A hook said something, or would have objected.
    Warned,
    Allow,
    Ask,
    Block,
    Stop,
}

impl EventResult {
    /// The same in the words of a backtest, which knows decisions only.
    fn in_backtest(self) -> hookrail_backtest::CallDecision {
        match self {
            Self::None | Self::Failed | Self::Warned => hookrail_backtest::CallDecision::None,
            Self::Allow => hookrail_backtest::CallDecision::Allow,
            Self::Ask => hookrail_backtest::CallDecision::Ask,
            Self::Block | Self::Stop => hookrail_backtest::CallDecision::Deny,
        }
    }

    /// What was decided about a call then, if that was the answer to it.
    pub fn past_decision(self) -> PastDecision {
        match self {
            Self::Block | Self::Stop => PastDecision::Blocked,
            Self::Allow => PastDecision::AutoApproved,
            Self::Ask => PastDecision::Asked,
            Self::None | Self::Failed | Self::Warned => PastDecision::Unknown,
        }
    }

    /// What a decision means by itself.
    pub fn of_decision(decision: Decision) -> Self {
        match decision {
            Decision::None => Self::None,
            Decision::Allow => Self::Allow,
            Decision::Ask => Self::Ask,
            Decision::Block => Self::Block,
            Decision::Stop => Self::Stop,
        }
    }

    fn of(outcome: Outcome, decision: Decision) -> Self {
        let decided = Self::of_decision(decision);
        match outcome {
            Outcome::Skipped => Self::None,
            Outcome::Warned => Self::Warned,
            // A failure objects only if its `on_error` does.
            Outcome::Failed if decided < Self::Ask => Self::Failed,
            Outcome::Blocked => decided.max(Self::Block),
            Outcome::Succeeded | Outcome::Failed | Outcome::Unknown => decided,
        }
    }
}

/// What one hook said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HookOpinion {
    pub hook: String,
    pub answer: EventResult,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What all hooks said; those without an opinion are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Opinion {
    pub answer: EventResult,
    pub hooks: Vec<HookOpinion>,
}

impl Opinion {
    /// What the journal says.
    pub fn recorded(runs: &[PastRun]) -> Self {
        Self::of(runs.iter().map(|run| HookOpinion {
            hook: run.hook.clone(),
            answer: EventResult::of(run.outcome, run.decision),
            reason: run.reason.clone().or_else(|| run.error.clone()),
        }))
    }

    /// What the journal says of hooks that were not in mode `shadow`.
    pub fn live(runs: &[PastRun]) -> Self {
        let live: Vec<PastRun> = runs.iter().filter(|run| !run.shadow).cloned().collect();
        Self::recorded(&live)
    }

    /// What hooks say now.
    pub fn decided(verdict: &Verdict) -> Self {
        Self::of(verdict.runs().iter().map(|run: &HookRun| {
            let account = RunAccount::of(run);
            HookOpinion {
                hook: run.hook.id.to_string(),
                answer: EventResult::of(account.outcome, account.decision),
                reason: account.reason.map(str::to_owned).or(account.trouble),
            }
        }))
    }

    /// The same in the words of a backtest.
    pub fn judged(&self) -> Judged {
        let voice = |voice: &HookOpinion| hookrail_backtest::HookOpinion {
            rule: voice.hook.clone(),
            answer: voice.answer.in_backtest(),
            withheld: false,
            reason: voice.reason.clone(),
            about: None,
        };
        Judged {
            answer: self.answer.in_backtest(),
            voices: self
                .hooks
                .iter()
                .map(voice)
                .filter(|voice| voice.answer != hookrail_backtest::CallDecision::None)
                .collect(),
            ..Judged::default()
        }
    }

    fn of(voices: impl Iterator<Item = HookOpinion>) -> Self {
        let hooks: Vec<HookOpinion> = voices.filter(|voice| voice.answer != EventResult::None).collect();
        Self { answer: hooks.iter().map(|voice| voice.answer).max().unwrap_or_default(), hooks }
    }
}
