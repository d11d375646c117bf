//! What a tool call would do, for `try` and `explain`.

use crate::current_project::spelled;
use crate::hook::PreparedEvent;
use crate::screen::{Align, Table, one_line, write_effects, write_proof};
use hookrail_core::{EventName, ToolKind, Verdict};
use hookrail_effects::json::kind_name;
use hookrail_effects::{Effect, Gap, Understanding};
use hookrail_engine::RealWorld;
use hookrail_rules::{Hit, Match};
use owo_colors::OwoColorize;
use serde::Serialize;
use serde_json::Value;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// A call, understood.
#[derive(Clone, Debug, Serialize)]
pub struct UnderstoodCall {
    /// `shell`, `write` and so on.
    pub kind: &'static str,
    /// Every path that an effect is about.
    pub paths: Vec<String>,
    pub effects: Vec<Value>,
    pub gaps: Vec<Value>,
    /// What an allow would rest on.
    pub proof: Value,
    /// The rules that matched.
    pub rules: Vec<MatchedRule>,
    #[serde(skip)]
    command: Option<String>,
    #[serde(skip)]
    project: PathBuf,
    #[serde(skip)]
    understanding: Arc<Understanding>,
}

/// A rule that matches the call.
#[derive(Clone, Debug, Serialize)]
pub struct MatchedRule {
    pub rule: String,
    pub layer: &'static str,
    pub decision: &'static str,
    /// The acts and gaps it matches.
    pub about: Vec<&'static str>,
}

impl UnderstoodCall {
    /// `None` for an event without a tool call.
    pub fn of(prepared: &PreparedEvent, verdict: &Verdict) -> Option<Self> {
        let understanding = prepared.engine.understand(&prepared.event)?;
        let tool = prepared.event.tool.as_ref()?;
        let command = match &tool.kind {
            ToolKind::Shell { command, .. } => Some(command.clone()),
            _ => None,
        };
        Some(Self {
            kind: kind_name(&tool.name, &tool.kind),
            paths: understanding.paths(),
            effects: understanding.list.iter().map(Effect::to_json).collect(),
            gaps: understanding.gaps.iter().map(Gap::to_json).collect(),
            proof: understanding.proof_to_json(),
            rules: rules(prepared, verdict),
            command,
            project: prepared.project.clone(),
            understanding,
        })
    }

    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let world = RealWorld::default();
        let spell = |path: &str| spelled(path, &self.project, &world);
        write_effects(self.command.as_deref(), &self.understanding.effects, &spell, out)?;
        let decides = |wanted: &[&str]| self.rules.iter().any(|rule| wanted.contains(&rule.decision));
        if decides(&["allow"]) || !self.understanding.proven() && !decides(&["deny", "ask"]) {
            write_proof(&self.understanding.effects, out)?;
        }
        if self.rules.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n{}  {}", "rules".bold(), "that match".dimmed())?;
        let mut table = Table::new([("", Align::Left); 3]);
        for rule in &self.rules {
            let acts = rule.about.join(", ");
            table.row([format!("  {}", one_line(&rule.rule)), rule.decision.to_owned(), acts.dimmed().to_string()]);
        }
        table.write(out)
    }
}

/// The rules that match and were asked: not those that are switched off. Rules that cannot be judged deny the call, which the
/// hooks show.
fn rules(prepared: &PreparedEvent, verdict: &Verdict) -> Vec<MatchedRule> {
    if !matches!(prepared.event.name, EventName::BeforeTool | EventName::PermissionRequest) {
        return Vec::new();
    }
    let judgement = prepared.engine.hooks().judgement(&prepared.event).unwrap_or_default();
    let understanding = prepared.engine.understand(&prepared.event);
    let about = |hit: &Hit| match (hit, &understanding) {
        (Hit::Effect(index), Some(call)) => call.list.get(*index).map(|effect| effect.act.name()),
        (Hit::Gap(index), Some(call)) => call.gaps.get(*index).map(|gap| gap.why.name()),
        (Hit::Call | Hit::Effect(_) | Hit::Gap(_), _) => None,
    };
    let rule = |found: &Match| {
        let mut about: Vec<&str> = found.hits.iter().filter_map(about).collect();
        about.dedup();
        MatchedRule {
            rule: found.rule.hook_id(),
            layer: found.rule.layer.name(),
            decision: found.decision.name(),
            about,
        }
    };
    let was_asked = |rule: &MatchedRule| verdict.runs().iter().any(|run| *run.hook.id == *rule.rule);
    judgement.matches.iter().chain(&judgement.permissions).map(rule).filter(was_asked).collect()
}
