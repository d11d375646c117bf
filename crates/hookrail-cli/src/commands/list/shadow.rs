//! Settings that have no effect, and why.

use hookrail_core::{Mode, OnError};
use hookrail_engine::layers::{LayerKind, Resolved, SettingStatement, Settings, Statement};
use serde::Serialize;

/// A setting that does not count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Shadow {
    pub layer: &'static str,
    pub place: String,
    pub key: &'static str,
    /// What it says.
    pub value: String,
    pub why: String,
}

/// The statement that decided; `None` if the default did.
pub fn winner<'a>(said: &'a [Statement], resolved: &Resolved<Mode>) -> Option<&'a Statement> {
    // In a layer the hook's own setting comes before the pack's.
    said.iter().find(|statement| Some(statement.layer) == resolved.layer)
}

/// Every other statement.
pub fn cast(said: &[Statement], resolved: &Resolved<Mode>) -> Vec<Shadow> {
    let winner = winner(said, resolved);
    let others = said.iter().filter(|statement| winner != Some(*statement));
    let shadow = |statement: &Statement| Shadow {
        layer: statement.layer.as_str(),
        place: statement.origin.to_string(),
        key: "mode",
        value: statement.mode.to_string(),
        why: why(statement, said, winner, resolved),
    };
    others.map(shadow).collect()
}

/// Every word on `on_error` but the one that decided, and on `timeout` but the highest.
pub fn cast_settings(hook: &str, on_error: &Resolved<OnError>, settings: &Settings) -> Vec<Shadow> {
    let shadow = |key, statement: SettingStatement, why: String| Shadow {
        layer: statement.layer.as_str(),
        place: statement.origin.to_string(),
        key,
        value: match (key, &statement.value) {
            ("timeout", millis) => format!("{millis}ms"),
            (_, value) => value.as_str().unwrap_or_default().to_owned(),
        },
        why,
    };
    let decided = on_error.layer.map_or("default", LayerKind::as_str);
    let weaker = settings.setting_statements(hook, "on_error").into_iter();
    let weaker = weaker.filter(|statement| Some(statement.layer) != on_error.layer).map(|statement| {
        let said = statement.value.as_str().unwrap_or_default().to_owned();
        let why = match on_error.layer {
            _ if said == on_error.value.as_str() => format!("layer `{decided}` says the same"),
            Some(layer) if statement.layer < layer => format!("layer `{decided}` says `{}`", on_error.value),
            _ => format!("layer `{decided}` says `{}`, and a lower layer may only be stricter", on_error.value),
        };
        shadow("on_error", statement, why)
    });
    let times = settings.setting_statements(hook, "timeout").into_iter();
    let late = times.skip(1).map(|statement| shadow("timeout", statement, "a higher layer has said it".to_owned()));
    weaker.chain(late).collect()
}

fn why(statement: &Statement, said: &[Statement], winner: Option<&Statement>, resolved: &Resolved<Mode>) -> String {
    let own = said.iter().find(|other| other.layer == statement.layer && !other.of_pack);
    if statement.of_pack && own.is_some() {
        return "the same file says something about the hook itself".to_owned();
    }
    let Some(winner) = winner else {
        return format!("hookrail's own guard is `{}`, and what comes with a project cannot weaken it", resolved.value);
    };
    let layer = winner.layer.as_str();
    if statement.mode == resolved.value {
        return format!("layer `{layer}` says the same");
    }
    if statement.layer > winner.layer {
        return format!("layer `{layer}` says `{}`, and a lower layer may only be stricter", winner.mode);
    }
    if winner.mode > statement.mode {
        return format!("layer `{layer}` is stricter");
    }
    format!("it is overridable, and layer `{layer}` says `{}`", winner.mode)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_core::Origin;

    #[test]
    fn every_setting_without_effect_has_its_reason() {
        use LayerKind::{Managed, Project, User};
        use Mode::{Enforce, Off, Warn};
        type LayerStatement = (LayerKind, Mode, bool);
        type Case<'a> = (&'a [LayerStatement], (Mode, Option<LayerKind>), &'a [&'a str]);
        let cases: [Case<'_>; 6] = [
            (&[], (Enforce, None), &[]),
            (&[(User, Warn, true)], (Warn, Some(User)), &[]),
            (&[(User, Warn, false), (User, Enforce, true)], (Warn, Some(User)), &["the same file"]),
            (&[(Managed, Enforce, true), (Project, Off, true)], (Enforce, Some(Managed)), &["only be stricter"]),
            (&[(User, Warn, true), (Project, Enforce, true)], (Enforce, Some(Project)), &["`project` is stricter"]),
            (&[(Project, Off, true)], (Enforce, None), &["own guard"]),
        ];
        for (said, (value, layer), expected) in cases {
            let statement = |(layer, mode, of_pack): &LayerStatement| Statement {
                layer: *layer,
                origin: Origin::new("f", Some((1, 1))),
                mode: *mode,
                of_pack: *of_pack,
                overridable: false,
            };
            let said: Vec<Statement> = said.iter().map(statement).collect();
            let shadows = cast(&said, &Resolved { value, layer });
            assert_eq!(shadows.len(), expected.len(), "{said:?}");
            for (shadow, expected) in shadows.iter().zip(expected) {
                assert!(shadow.why.contains(expected), "{}", shadow.why);
            }
        }
    }
}
