//! The phase that a prompt names outright: `Phase key: 06-implementation`, `MODE: single-phase PHASE: 06-implementation`.

use super::state::Workflow;

/// The first phase that a prompt names by a key. Prose that mentions a phase names none.
pub(super) fn phase_key(prompt: &str, workflow: &Workflow<'_>) -> Option<String> {
    prompt.lines().flat_map(keyed_values).find_map(|value| resolve(&value, workflow))
}

/// Whether an entry is a phase or, by whole components, the beginning of its name: `15-upgrade` fits `15-upgrade-plan`.
pub(super) fn fits(entry: &str, phase: &str) -> bool {
    let (entry, phase) = (entry.to_lowercase(), phase.to_lowercase());
    let rest = phase.strip_prefix(&entry);
    !entry.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// What stands in front of the first `-`: `06`, `R1`.
pub(super) fn number_of(phase: &str) -> Option<&str> {
    let number = phase.split('-').next()?;
    let short = (1..=3).contains(&number.len()) && number.chars().any(|c| c.is_ascii_digit());
    (short && number.chars().all(|c| c.is_ascii_alphanumeric())).then_some(number)
}

/// What follows `phase:`, `phase key:` or `phase_key=` in a line, without quotes and emphasis.
fn keyed_values(line: &str) -> Vec<String> {
    let lower = line.to_ascii_lowercase();
    let starts = lower.match_indices("phase").filter(|(at, _)| is_key(line, *at));
    starts.filter_map(|(at, word)| value_behind(lower.get(at + word.len()..)?)).collect()
}

/// `PHASE` in capitals and `phase key` are keys wherever they stand; plain `phase` only where a sentence begins, so that
/// "the previous phase: 05" is none.
fn is_key(line: &str, at: usize) -> bool {
    let before = line.get(..at).unwrap_or_default();
    if before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '.')) {
        return false;
    }
    let capital = line.get(at..).is_some_and(|rest| rest.starts_with("PHASE"));
    let rest = line.get(at + "phase".len()..).unwrap_or_default();
    let two_words = rest.get(1..4).is_some_and(|word| word.eq_ignore_ascii_case("key"));
    let before = before.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '`' | '"' | '\'' | '_'));
    capital || two_words || before.ends_with(|c: char| !c.is_alphanumeric()) || before.is_empty()
}

/// The word behind a key's colon or equals sign.
fn value_behind(rest: &str) -> Option<String> {
    let dress = |c: char| matches!(c, '*' | '`' | '"' | '\'') || c.is_whitespace();
    let rest = rest.strip_prefix([' ', '_', '-']).and_then(|rest| rest.strip_prefix("key")).unwrap_or(rest);
    let rest = rest.trim_start_matches(dress).strip_prefix([':', '='])?.trim_start_matches(dress);
    let belongs = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let value = rest.get(..rest.find(|c| !belongs(c)).unwrap_or(rest.len()))?.trim_matches(['-', '_']);
    (!value.is_empty()).then(|| value.to_owned())
}

/// The phase a value means: one of the workflow by its name, its number or its name without the number; otherwise the
/// value itself, if it looks like a phase.
fn resolve(value: &str, workflow: &Workflow<'_>) -> Option<String> {
    let known = || workflow.current.into_iter().chain(workflow.phases.iter().copied());
    let named = known().find(|phase| phase.eq_ignore_ascii_case(value));
    let begun = || workflow.current.filter(|current| fits(value, current));
    let numbered = || {
        let number = format!("{value:0>2}");
        known().find(|phase| number_of(phase).is_some_and(|own| own.eq_ignore_ascii_case(&number)))
    };
    let unnumbered =
        || known().find(|phase| phase.split_once('-').is_some_and(|(_, name)| name.eq_ignore_ascii_case(value)));
    let found = named.or_else(begun).or_else(numbered).or_else(unnumbered).map(str::to_owned);
    found.or_else(|| looks_like_phase(value).then(|| value.to_owned()))
}

/// `06-implementation`, `R1-behavior-extraction`; not `2026-02-abc`, `12`, `planning`.
fn looks_like_phase(value: &str) -> bool {
    let name = value.split_once('-').map(|(_, name)| name);
    number_of(value).is_some_and(|number| number.len() == 2)
        && name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isdlc::state::WorkflowState;
    use serde_json::json;

    #[test]
    fn a_key_names_a_phase_and_prose_does_not() {
        let phases = ["05-test-strategy", "06-implementation", "15-upgrade-plan", "15-upgrade-execute", "R1-behavior"];
        let state = json!({"active_workflow": {"phases": phases, "current_phase": "15-upgrade-execute"}});
        let state = WorkflowState::new(state).unwrap();
        let workflow = state.workflow().unwrap().unwrap();
        let (implementation, current) = (Some("06-implementation"), Some("15-upgrade-execute"));
        let cases = [
            ("MODE: single-phase PHASE: 06-implementation", implementation),
            ("MODE: single-phase\nPHASE: 06-implementation\nGo.", implementation),
            ("Phase key: 06-implementation", implementation),
            ("You implement. Phase key: 06-implementation, go", implementation),
            ("**Phase key:** `06-implementation`", implementation),
            ("- **Phase key**: 06-Implementation.", implementation),
            ("phase_key=06-implementation", implementation),
            ("{\"phase\": \"06-implementation\"}", implementation),
            ("{\"phase-key\": \"06-implementation\"}", implementation),
            ("Phase: 6", implementation),
            ("Phase: implementation", implementation),
            ("PHASE: R1", Some("R1-behavior")),
            ("PHASE: 09-validation", Some("09-validation")),
            // Of several that a short form could mean, the current one is meant.
            ("PHASE: 15-upgrade", current),
            ("PHASE: 15", current),
            ("PHASE: 15-upgrade-plan", Some("15-upgrade-plan")),
            ("PHASE: 15-upgrade-execute\nPHASE: 06-implementation", current),
            ("Phase: of the moon\nPhase: 06-implementation", implementation),
            ("Look at 06-implementation", None),
            ("in the previous phase: 05-test-strategy", None),
            ("emphase: 06-implementation", None),
            ("single-phase: 06-implementation", None),
            ("phases: 06-implementation", None),
            ("Phase: 2026-02-abc", None),
            ("Phase key is 06-implementation", None),
            ("PHASE:", None),
            ("PHASE: 77", None),
            ("", None),
            ("Phäse phase", None),
        ];
        for (prompt, expected) in cases {
            assert_eq!(phase_key(prompt, &workflow).as_deref(), expected, "{prompt}");
        }
    }

    #[test]
    fn the_beginning_of_a_name_counts_by_whole_components() {
        for (entry, phase, expected) in [
            ("15-upgrade", "15-upgrade-plan", true),
            ("15-Upgrade-Plan", "15-upgrade-plan", true),
            ("15-up", "15-upgrade-plan", false),
            ("15-upgrade-plan", "15-upgrade", false),
            ("", "15-upgrade", false),
        ] {
            assert_eq!(fits(entry, phase), expected, "{entry} {phase}");
        }
    }
}
