//! Tool selection: names are united, the strictest mode wins. Uniting means that one hook can bring back a tool that
//! another left out; a hook that must exclude a tool for certain sets mode `NONE` or blocks the call itself (errata B8).

use super::{join_texts, overlay_specifics, set_specifics};
use crate::{EventName, HookOutput};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Mode {
    #[default]
    Auto,
    Any,
    None,
}

impl Mode {
    fn read(config: &Map<String, Value>) -> Self {
        match config.get("mode").and_then(Value::as_str) {
            Some("NONE") => Self::None,
            Some("ANY") => Self::Any,
            _ => Self::Auto,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "AUTO",
            Self::Any => "ANY",
            Self::None => "NONE",
        }
    }
}

pub(super) fn merge(event: &EventName, outputs: &[&HookOutput]) -> HookOutput {
    let mut merged = HookOutput::default();
    merged.set_text("reason", &join_texts(outputs.iter().map(|output| output.reason_on(event))));
    merged.set_text("systemMessage", &join_texts(outputs.iter().map(|output| output.system_message())));
    if outputs.iter().any(|output| output.suppress_output() == Some(true)) {
        merged.set("suppressOutput", true);
    }
    let mut specifics = overlay_specifics(outputs);
    specifics.shift_remove("toolConfig");
    if let Some(config) = unite(outputs) {
        specifics.insert("toolConfig".to_owned(), config);
    }
    set_specifics(&mut merged, specifics);
    merged
}

fn unite(outputs: &[&HookOutput]) -> Option<Value> {
    let configs: Vec<_> = outputs.iter().filter_map(|output| output.specific_object("toolConfig")).collect();
    let mode = configs.iter().map(|config| Mode::read(config)).max()?;
    let names = if mode == Mode::None { Some(BTreeSet::new()) } else { allowed_names(&configs) };
    Some(match names {
        Some(names) => json!({ "mode": mode.as_str(), "allowedFunctionNames": names }),
        None => json!({ "mode": mode.as_str() }),
    })
}

/// `None` when no hook gave a list: nothing is restricted then.
fn allowed_names(configs: &[&Map<String, Value>]) -> Option<BTreeSet<String>> {
    let lists: Vec<&Vec<Value>> =
        configs.iter().filter_map(|config| config.get("allowedFunctionNames")?.as_array()).collect();
    (!lists.is_empty()).then(|| lists.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect())
}
