//! What hooks read below `hookrail`, made from the names in the code.

use super::Generated;
use hookrail_effects::json::{EFFECT_FIELDS, KINDS, VERSION};
use hookrail_effects::{Act, GapReason, Location};
use std::fmt::Write;

const INTRODUCTION: &str = "What [command hooks](../command-hooks.md) and [HTTP hooks](../prompt-and-http-hooks.md) find in the field `hookrail` of the event they
read, and what `hookrail try --json` and `hookrail explain --json` print. As a JSON Schema: `hookrail schema input`.

An event of an agent that has a field `hookrail` of its own has it replaced.
";

pub(super) fn page() -> Generated {
    let mut text = format!("{}\n\n# Effects in a hook's input\n\n{INTRODUCTION}", super::WRITTEN_BY_GENERATE);
    let kinds = KINDS.iter().map(|kind| format!("`{kind}`")).collect::<Vec<_>>().join(", ");
    let _ = write!(
        text,
        "\n| field | |\n|---|---|\n\
         | `version` | {VERSION}. It changes when a field gets another meaning or goes away, not when something is added |\n\
         | `kind` | the kind of tool: {kinds}; `null` for an event without a tool |\n\
         | `paths` | every path that an effect is about, absolute, with where links lead |\n\
         | `effects` | what the call would do, in its order |\n\
         | `gaps` | what it does not tell: `why`, and the bytes of the command (`span`). Without gaps the effects are all there are |\n"
    );
    table(&mut text, "An effect", "field", EFFECT_FIELDS.iter().map(|(name, _, about)| (*name, *about)));
    text.push_str("\nA field that does not apply is left out.\n");
    table(&mut text, "Acts", "`act`", Act::ALL.iter().map(|act| (act.name(), act.about())));
    table(&mut text, "Places", "`place`", Location::ALL.iter().map(|place| (place.name(), place.about())));
    table(&mut text, "Gaps", "`why`", GapReason::ALL.iter().map(|why| (why.name(), why.about())));
    Generated { path: "docs/src/reference/hook-input.md".to_owned(), content: text }
}

fn table(text: &mut String, heading: &str, name: &str, rows: impl Iterator<Item = (&'static str, &'static str)>) {
    let _ = write!(text, "\n## {heading}\n\n| {name} | |\n|---|---|\n");
    for (name, about) in rows {
        let mut about = about.trim_end_matches('.').to_owned();
        if let Some(first) = about.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        let _ = writeln!(text, "| `{name}` | {about} |");
    }
}
