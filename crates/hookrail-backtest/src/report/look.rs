//! Which calls are worth a look: a bounded number of them, however many there are.

use super::JudgedCall;
use crate::judge::CallDecision;
use crate::transcripts::PastDecision;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Calls that are alike are one; so many different ones are kept while there are more to come.
const KEPT: usize = 256;

/// The best calls so far, by a weight.
#[derive(Debug, Default)]
pub(super) struct Best {
    calls: HashMap<u64, (u32, JudgedCall)>,
}

impl Best {
    pub fn offer(&mut self, weight: u32, call: JudgedCall) {
        let key = likeness(&call);
        if let Some((known, first)) = self.calls.get_mut(&key) {
            *known = (*known).max(weight);
            first.times += 1;
            return;
        }
        if self.calls.len() >= KEPT {
            let weakest = self.calls.iter().min_by_key(|(_, (weight, call))| (*weight, call.times));
            match weakest.map(|(key, (weight, _))| (*key, *weight)) {
                Some((weakest, least)) if least < weight => drop(self.calls.remove(&weakest)),
                _ => return,
            }
        }
        self.calls.insert(key, (weight, call));
    }

    /// The best ones, the heaviest first; of each rule a few only, so that one rule does not hide the others.
    pub fn take(self, count: usize, of_each_rule: usize) -> Vec<JudgedCall> {
        let mut calls: Vec<(u32, JudgedCall)> = self.calls.into_values().collect();
        calls.sort_by(|(a, x), (b, y)| {
            b.cmp(a).then(y.times.cmp(&x.times)).then(x.time.cmp(&y.time)).then(x.call.cmp(&y.call))
        });
        let mut seen: HashMap<Vec<String>, usize> = HashMap::new();
        let (mut chosen, mut rest) = (Vec::new(), Vec::new());
        for (_, call) in calls {
            let of_rule = seen.entry(call.rules.clone()).or_default();
            *of_rule += 1;
            if *of_rule <= of_each_rule { chosen.push(call) } else { rest.push(call) }
        }
        chosen.into_iter().chain(rest).take(count).collect()
    }
}

/// Calls of the same tool about the same thing, decided in the same way, are alike.
fn likeness(call: &JudgedCall) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&call.agent, &call.tool, &call.subject, &call.rules, call.now, call.then).hash(&mut hasher);
    hasher.finish()
}

/// How doubtful a decision is: it contradicts a person most of all, then what happened.
pub(super) fn review_weight(then: PastDecision, now: CallDecision) -> u32 {
    match (then, now) {
        (PastDecision::Approved, CallDecision::Deny) => 100,
        (PastDecision::Refused, CallDecision::Allow) => 95,
        (PastDecision::Refused, CallDecision::None) => 80,
        (PastDecision::Asked, CallDecision::Deny) => 70,
        (PastDecision::AutoApproved | PastDecision::Unknown, CallDecision::Deny) => 60,
        (PastDecision::AutoApproved | PastDecision::Unknown, CallDecision::Ask) => 30,
        (PastDecision::Blocked, CallDecision::Allow) => 25,
        (PastDecision::Refused, CallDecision::Deny | CallDecision::Ask) => 20,
        (PastDecision::Approved | PastDecision::Asked, CallDecision::Ask) => 10,
        (PastDecision::Blocked, CallDecision::Deny | CallDecision::Ask | CallDecision::None)
        | (
            PastDecision::Approved | PastDecision::Asked | PastDecision::AutoApproved | PastDecision::Unknown,
            CallDecision::Allow | CallDecision::None,
        ) => 0,
    }
}

/// How much harm an effect does.
pub(super) fn harm(effect: &str, place: &str) -> u32 {
    let lost = matches!(place, "home" | "outside" | "system" | "device" | "vcs" | "unknown");
    match effect {
        "secret.send" => 100,
        "host.disk" => 98,
        "exec.remote" | "exec.decoded" => 95,
        "fs.delete" if lost => 92,
        "infra.destroy" | "db.destroy" => 90,
        "host.persist" | "guard.change" => 82,
        "secret.print" => 76,
        "git.force" | "git.rewrite" => 74,
        "secret.read" => 70,
        "git.discard" => 68,
        "exec.privileged" | "host.power" | "host.service" | "host.process" => 66,
        "container.destroy" | "package.publish" => 64,
        "net.send" | "exec.dynamic" => 56,
        "fs.delete" | "fs.permissions" | "fs.move" => 52,
        "" => 30,
        _ => 40,
    }
}
