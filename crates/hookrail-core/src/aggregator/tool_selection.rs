//! Tool selection: names are united, the strictest mode wins. Uniting means that one hook can bring back a tool that
//! another left out; a hook that must exclude a tool for certain sets mode `NONE` or blocks the call itself (errata B8).

use super::join;
use crate::{HookOutput, Rewrite};
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

pub(super) fn merge(outputs: &[&HookOutput]) -> HookOutput {
    HookOutput {
        rewrite: Rewrite::ToolSelection { config: unite(outputs) },
        // Text for the model is no part of a choice of tools; what is there is the last hook's.
        context: outputs.iter().rev().find_map(|output| output.context.clone()),
        ..join(outputs)
    }
}

fn unite(outputs: &[&HookOutput]) -> Option<Map<String, Value>> {
    let configs: Vec<_> = outputs.iter().filter_map(|output| output.rewrite.tool_config()).collect();
    let mode = configs.iter().map(|config| Mode::read(config)).max()?;
    let names = if mode == Mode::None { Some(BTreeSet::new()) } else { allowed_names(&configs) };
    let mut united = Map::from_iter([("mode".to_owned(), json!(mode.as_str()))]);
    if let Some(names) = names {
        united.insert("allowedFunctionNames".to_owned(), json!(names));
    }
    Some(united)
}

/// `None` when no hook gave a list: nothing is restricted then.
fn allowed_names(configs: &[&Map<String, Value>]) -> Option<BTreeSet<String>> {
    let lists: Vec<&Vec<Value>> =
        configs.iter().filter_map(|config| config.get("allowedFunctionNames")?.as_array()).collect();
    (!lists.is_empty()).then(|| lists.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect())
}
