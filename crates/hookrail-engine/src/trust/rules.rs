//! Rules of a project that allow: they run no code, but they keep a person from being asked, so they need one's approval.

use super::{TrustGate, TrustedHook};
use crate::layers::Settings;
use hookrail_core::World;
use hookrail_rules::{Rule, RuleDecision};
use std::path::Path;

/// The word in the place of an event: what is approved is a rule.
pub const RULE: &str = "rule";

/// What an approval of a rule covers: every key that decides when it holds.
#[must_use]
pub fn identify_rule(rule: &Rule, project: &Path, world: &dyn World) -> TrustedHook {
    let entry: Vec<(String, String)> = rule.keys().into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    let mut hash = blake3::Hasher::new();
    for text in entry.iter().flat_map(|(key, value)| [key, value]) {
        hash.update(&(text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    TrustedHook {
        hash: hash.finalize().to_hex().to_string(),
        project: project.to_owned(),
        name: rule.hook_id(),
        event: RULE.to_owned(),
        command: format!("allow when {}", rule.when),
        entry,
        scripts: Vec::new(),
        obstacle: None,
        since: world.now_millis(),
    }
}

/// The rules of the project that allow something, in the form in which they are approved.
#[must_use]
pub fn rules_to_trust(settings: &Settings, project: &Path, world: &dyn World) -> Vec<TrustedHook> {
    let rules = settings.rules().permissions().filter(|rule| rule.layer.comes_with_project());
    rules.map(|rule| identify_rule(&rule, project, world)).collect()
}

impl TrustGate {
    /// Whether an allow of a rule may reach the agent: of the user's own always, of a project's if it was approved as it
    /// is now.
    pub(crate) fn permits(&self, rule: &Rule, project: &Path, world: &dyn World) -> bool {
        debug_assert_eq!(rule.decide, RuleDecision::Allow);
        if !rule.layer.comes_with_project() || self.vouched.iter().any(|file| **file == *rule.origin.place) {
            return true;
        }
        let list = self.list.get_or_init(|| self.open(world));
        let identity = identify_rule(rule, project, world);
        list.as_ref().is_ok_and(|list| list.as_ref().is_some_and(|list| list.trusts(&identity)))
    }
}
