//! The narrowest exception that lets a call through.

use super::refused::Refused;
use crate::commands::rules::inventory::ListedRule;
use crate::commands::rules::toml_text::{any_of, condition, quoted};
use crate::current_project::CurrentProject;
use crate::error::CliError;
use hookrail_core::World;
use hookrail_effects::{Effect, PathObject};
use hookrail_rules::{
    Call, Condition, Exception, Hit, Key, Layer, Memory, RuleDecision, RuleSet, Selector, Sense, Terms, judge, safety,
};
use std::path::Path;

/// What is let through, on effects and never on text.
#[derive(Debug)]
pub struct Narrow {
    pub rule: String,
    /// Whose file it goes to.
    pub layer: Layer,
    pub conditions: Vec<Condition>,
    /// The rules that refuse the call all the same.
    pub still: Vec<(String, RuleDecision)>,
    /// What comes of the call with the exception, as scenarios write it.
    pub decision: &'static str,
}

impl Narrow {
    pub fn of(refused: &Refused, listed: &ListedRule, place: &CurrentProject) -> Result<Self, CliError> {
        let rule = &listed.rule;
        let by_hand = "write an `[[exception]]` by hand; `hookrail rules show` has its rule";
        let understood = hookrail_effects::of(&refused.event, &place.world)
            .ok_or_else(|| CliError::usage(format!("record {} is not about a tool call", refused.seq)).hint(by_hand))?;
        let call = Call::new(&refused.event, &understood, &place.world, refused.agent);
        let hits = call.hits(&rule.when, Sense::Forbids);
        if hits.is_empty() {
            return Err(CliError::usage(format!("rule `{}` no longer refuses this call", rule.id)));
        }
        // The exception of a person holds in all projects, so its paths are whole.
        let layer = if rule.layer == Layer::Local { Layer::Local } else { Layer::User };
        let mut conditions: Vec<Condition> = Vec::new();
        for hit in &hits {
            let Hit::Effect(index) = hit else {
                return Err(CliError::usage(format!(
                    "rule `{}` is about a call that is not understood, for which there is no narrow exception",
                    rule.id
                ))
                .hint(by_hand));
            };
            let Some(effect) = call.effects.list.get(*index) else { continue };
            let narrow = narrow(effect, layer, place);
            if !call.hits(&narrow, Sense::Permits).contains(hit) {
                return Err(CliError::usage(format!("`{effect}` cannot be excepted narrowly: its target is known only when the command runs, or is behind a link")).hint(by_hand));
            }
            if !conditions.contains(&narrow) {
                conditions.push(narrow);
            }
        }
        let mut made = Self { rule: rule.id.clone(), layer, conditions, still: Vec::new(), decision: "none" };
        made.look_ahead(&call, place);
        Ok(made)
    }

    /// What comes of the call with the exception.
    fn look_ahead(&mut self, call: &Call<'_>, place: &CurrentProject) {
        let exceptions: Vec<Exception> = self.conditions.iter().map(|when| self.exception(when)).collect();
        let own = RuleSet::compile(&[], &exceptions);
        let sets = [&own, &**place.settings.rules(), safety::rules()];
        let today = || place.world.today();
        let terms = Terms {
            level: place.settings.safety_level().value,
            today: &today,
            may_permit: &|rule| !rule.layer.comes_with_project(),
            memory: &|| Ok(Memory::default()),
        };
        let Ok(judged) = judge(&sets, call, &terms) else { return };
        let refuses = |decision: RuleDecision| matches!(decision, RuleDecision::Deny | RuleDecision::Ask);
        let still = judged.matches.iter().filter(|found| refuses(found.decision) && found.rule.limit.is_none());
        self.still = still.map(|found| (found.rule.id.clone(), found.decision)).collect();
        let says = |wanted: RuleDecision| self.still.iter().any(|(_, decision)| *decision == wanted);
        self.decision = match () {
            () if says(RuleDecision::Deny) => "block",
            () if says(RuleDecision::Ask) => "ask",
            () if !judged.permissions.is_empty() => "allow",
            () => "none",
        };
    }

    fn exception(&self, when: &Condition) -> Exception {
        Exception {
            rule: self.rule.clone(),
            layer: self.layer,
            origin: hookrail_core::Origin::new("hookrail allow", None),
            when: when.clone(),
            reason: None,
            until: None,
        }
    }

    /// As text of a `hookrail.toml`.
    pub fn text(&self, reason: &str, until: Option<&str>) -> String {
        let until = until.map(|until| format!("until = {}\n", quoted(until))).unwrap_or_default();
        let one = |when: &Condition| {
            format!(
                "[[exception]]\nrule = {}\nwhen = {}\nreason = {}\n{until}",
                quoted(&self.rule),
                condition(when),
                quoted(reason)
            )
        };
        self.conditions.iter().map(one).collect::<Vec<_>>().join("\n")
    }
}

/// The effect, and what tells it apart from others of its kind.
fn narrow(effect: &Effect, layer: Layer, place: &CurrentProject) -> Condition {
    let on = &effect.on;
    let mut selectors = vec![any_of(Key::Effect, [effect.act.name()])];
    let mut add = |key: Key, text: Option<&str>| selectors.extend(text.map(|text| any_of(key, [escaped(text)])));
    match &on.path {
        Some(path) => selectors.push(path_selector(path, layer, place)),
        None => {
            add(Key::Place, Some(effect.place.name()));
            add(Key::Host, on.host.as_deref());
            add(Key::Branch, on.branch.as_deref());
            add(Key::Target, on.target.as_deref().or(on.package.as_deref()));
            let vague = [&on.host, &on.branch, &on.target, &on.package].iter().all(|known| known.is_none());
            add(Key::Program, on.program.as_deref().filter(|_| vague));
        }
    }
    Condition { selectors }
}

fn path_selector(path: &PathObject, layer: Layer, place: &CurrentProject) -> Selector {
    let text = spelled(&path.resolved, layer, place);
    any_of(Key::Path, [if path.pattern { text } else { escaped(&text) }])
}

/// A path as a rule of this layer names it.
fn spelled(path: &Path, layer: Layer, place: &CurrentProject) -> String {
    if layer.comes_with_project()
        && let Ok(inner) = path.strip_prefix(&place.project)
    {
        // A bare name would match in every folder.
        return format!("./{}", inner.display());
    }
    let home = place.world.env("HOME").filter(|home| !home.is_empty());
    match home.and_then(|home| path.strip_prefix(home).ok().map(Path::to_owned)) {
        Some(inner) if inner.as_os_str().is_empty() => "~".to_owned(),
        Some(inner) => format!("~/{}", inner.display()),
        None => path.display().to_string(),
    }
}

/// A text that stands for itself in a pattern.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        match c {
            '*' | '?' | '[' => escaped.extend(['[', c, ']']),
            // At its beginning this would negate.
            '!' if at == 0 => escaped.push('?'),
            c => escaped.push(c),
        }
    }
    escaped
}
