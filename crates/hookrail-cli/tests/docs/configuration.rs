//! Configuration in pages, read by the readers that agents and users rely on.

use crate::Verdict;
use hookrail_core::ConfigSource;
use hookrail_dialects::Layout;
use hookrail_engine::layers::{ConfigCache, LayerFiles, LayerKind};
use hookrail_engine::{Diagnostic, Document, FolderTrust, HookFormat, HookRegistry, Layer, RealWorld};
use hookrail_testkit::markdown::Block;
use hookrail_testkit::project::TempProject;
use serde_json::{Map, Value};

/// JSON; hook settings of the shape that most agents share must hold no mistake.
pub fn check_json(block: &Block) -> Verdict {
    let value: Value = serde_json::from_str(&block.code).map_err(|error| error.to_string())?;
    let Some(hooks) = value.get("hooks").and_then(Value::as_object) else { return Ok(()) };
    if let Some(agent) = block.attribute("agent") {
        return check_agent(agent, hooks);
    }
    let knows = |format: HookFormat, event: &String| format.event(event).is_some();
    let is_claude = hooks.keys().any(|event| knows(HookFormat::Claude, event) && !knows(HookFormat::Protocol, event));
    let format = if is_claude { HookFormat::Claude } else { HookFormat::Protocol };
    let document = Document::parse("block", &block.code).map_err(|error| error.to_string())?;
    let layer = Layer::new(ConfigSource::Project, format, vec![document]);
    let registry = HookRegistry::build(&[layer], Vec::new(), &[], FolderTrust::Trusted);
    expect(block, &registry.diagnostics().iter().map(Diagnostic::one_line).collect::<Vec<_>>())
}

/// Hooks of an agent with a shape of its own: its events, its layout, and a command that exists.
fn check_agent(agent: &str, hooks: &Map<String, Value>) -> Verdict {
    let dialect = hookrail_dialects::dialect(agent).ok_or_else(|| format!("there is no agent `{agent}`"))?;
    let command_at = match dialect.format().layout {
        Layout::Groups => "/0/hooks/0/command",
        Layout::Flat => "/0/command",
        Layout::Tables(_) | Layout::Scripts | Layout::Module => return Err(format!("{agent} reads no JSON")),
    };
    for (event, entries) in hooks {
        if dialect.event(event).is_none() {
            return Err(format!("{agent} has no event `{event}`"));
        }
        let command = entries.pointer(command_at).and_then(Value::as_str).unwrap_or_default();
        if !command.starts_with("hookrail hook") {
            return Err(format!("`{event}` does not call hookrail where {agent} looks"));
        }
    }
    Ok(())
}

/// A `hookrail.toml`, unless the block is another file's or a part of a scenario.
pub fn check_toml(block: &Block) -> Verdict {
    let is_scenario = ["given", "event", "expect"].iter().any(|word| block.has_word(word));
    let names_another =
        block.attribute("file").is_some_and(|file| !file.ends_with("hookrail.toml") && !file.ends_with("local.toml"));
    let is_ours = !is_scenario && !names_another;
    if !is_ours {
        return block.code.parse::<toml::Table>().map(drop).map_err(|error| error.to_string());
    }
    let project = TempProject::new().file("hookrail.toml", &block.code);
    // The layer that may say everything.
    let files = LayerFiles::new(vec![(LayerKind::User, project.path().join("hookrail.toml"))]);
    let mut settings = ConfigCache::in_state(None).load(&files, &RealWorld::default());
    hookrail_packs::check_names(&mut |group, known| settings.check_names(group, known));
    expect(block, &settings.diagnostics().iter().map(Diagnostic::one_line).collect::<Vec<_>>())
}

pub fn check_yaml(block: &Block) -> Verdict {
    serde_saphyr::from_str::<Value>(&block.code).map(drop).map_err(|error| error.to_string())
}

/// No mistakes, or, in a block that shows some, at least one.
fn expect(block: &Block, mistakes: &[String]) -> Verdict {
    match (block.has_word("wrong"), mistakes) {
        (false, []) | (true, [_, ..]) => Ok(()),
        (false, mistakes) => Err(mistakes.join("\n")),
        (true, []) => Err("this is shown as wrong, and nothing is wrong with it".to_owned()),
    }
}
