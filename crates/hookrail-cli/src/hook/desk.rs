//! Where the answer to one event is made.

use super::args::Contract;
use hookrail_core::{Event, HookRun, Order, Plan, Verdict, aggregator};
use hookrail_dialects::{Answer, Dialect, cap_verdict};
use hookrail_engine::runner::HookRunner;
use hookrail_engine::{CancelToken, SessionGuard};
use hookrail_packs::{Pack, Reply};
use hookrail_store::{SessionId, Store};
use std::sync::Arc;

/// Everything between the runs of the hooks and the answer.
#[derive(Clone)]
pub struct Desk {
    pub dialect: &'static dyn Dialect,
    pub contract: Contract,
    /// The pack whose terms apply, if there is one.
    pub pack: Option<&'static Pack>,
    pub event: Arc<Event>,
    /// `None` if there is no place for them.
    pub records: Option<Records>,
    /// What hookrail has to say about itself.
    pub talk: Vec<String>,
}

/// Where what happened is written down.
#[derive(Clone)]
pub struct Records {
    pub store: Arc<dyn Store>,
    pub session: SessionId,
    pub guard: Arc<SessionGuard>,
    /// What is wrong with the configuration.
    pub complaint: Option<String>,
}

/// What became of an event.
pub struct Decided {
    pub verdict: Verdict,
    pub answer: Answer,
}

impl Desk {
    /// Runs the plan and answers. A hook that does not come back cannot be ended, but the process can: `late` does that.
    pub fn serve(
        self,
        runner: HookRunner,
        plan: Option<&Plan>,
        late: impl FnOnce(Decided) + Send + 'static,
    ) -> Decided {
        let Some(plan) = plan else { return self.answer(Vec::new(), Order::Parallel) };
        let (other, order) = (self.clone(), plan.order);
        let last_resort = move |runs| late(other.answer(runs, order));
        let runs = Arc::new(runner).execute_here(plan, &self.event, &CancelToken::new(), last_resort);
        self.answer(runs, order)
    }

    /// Answers when no hook applies.
    pub fn serve_nothing(self) -> Decided {
        self.conclude(Verdict::empty(self.event.name.clone()))
    }

    fn conclude(&self, verdict: Verdict) -> Decided {
        Decided { answer: self.write(&verdict), verdict }
    }

    fn answer(mut self, runs: Vec<HookRun>, order: Order) -> Decided {
        let mut verdict = aggregator::aggregate_results(&self.event.name, runs, order);
        if let Some(records) = self.records.take() {
            records.tell_about_configuration(&mut verdict);
            self.talk.extend(records.guard.finish());
            cap_verdict(&mut verdict, &mut |text| records.spill(&self.event, text));
        } else {
            cap_verdict(&mut verdict, &mut |_| None);
        }
        self.conclude(verdict)
    }

    fn write(&self, verdict: &Verdict) -> Answer {
        let reply = self.pack.map_or(Reply::Usual, |pack| match self.contract {
            Contract::Agent => pack.contract.reply(&self.event, verdict),
            Contract::Spec => pack.contract.spec_reply(&self.event, verdict),
        });
        let mut answer = match (reply, self.contract) {
            (Reply::Usual, Contract::Agent) => self.dialect.encode(&self.event, verdict),
            (Reply::Usual, Contract::Spec) => spec_answer(verdict),
            (Reply::Output(text), _) if text.is_empty() => Answer::silent(),
            (Reply::Output(text), _) => Answer { stdout: format!("{text}\n"), ..Answer::silent() },
            (Reply::Note(text), _) => Answer { stderr: format!("hookrail: {text}\n"), ..Answer::silent() },
            (Reply::Refusal { stdout, stderr }, _) => refusal(&stdout, &stderr),
            (Reply::Error(text), contract) => error_answer(&text, contract),
        };
        // Exit code 2 hands stderr to the model; what hookrail has to say about itself is not for it.
        if answer.exit_code != 2 {
            for line in &self.talk {
                answer.stderr.push_str(&format!("hookrail: {line}\n"));
            }
        }
        answer
    }
}

impl Records {
    fn tell_about_configuration(&self, verdict: &mut Verdict) {
        if let Some(complaint) = &self.complaint
            && self.guard.once("configuration mistakes")
        {
            verdict.add_message(complaint);
        }
    }

    fn spill(&self, event: &Event, text: &str) -> Option<String> {
        let path = self.store.spill(&self.session, event.name.as_str(), text).ok()?;
        Some(path.display().to_string())
    }
}

/// A pack's own form of an error.
pub fn error_answer(text: &str, contract: Contract) -> Answer {
    Answer { stdout: String::new(), stderr: format!("hookrail: {text}\n"), exit_code: contract.error_code() }
}

/// A pack's own form of a refusal. Agents take exit code 2 for one.
fn refusal(stdout: &str, stderr: &str) -> Answer {
    let line = |text: &str| if text.is_empty() { String::new() } else { format!("{text}\n") };
    Answer { stdout: line(stdout), stderr: line(stderr), exit_code: 2 }
}

/// The protocol's own form: the merged output as JSON.
fn spec_answer(verdict: &Verdict) -> Answer {
    let output = verdict.final_output.as_ref().map(|output| output.output().clone().into_value());
    let stdout = output.map(|output| format!("{output}\n")).unwrap_or_default();
    Answer { stdout, stderr: String::new(), exit_code: 0 }
}
