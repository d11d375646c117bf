//! A page for each pack, made from the documentation in its hooks' own files.

use super::Generated;
use hookrail_core::{Mode, NativeHook};
use hookrail_packs::{CATALOGUE, Pack};
use std::fmt::Write;
use std::path::Path;

#[derive(Debug, thiserror::Error)]
pub(super) enum HookPageError {
    #[error("{file}: {source}")]
    Unreadable { file: String, source: std::io::Error },
    #[error("{file}: no documentation of `{hook}`\nhint: write `///` lines above the type that is the hook")]
    Undocumented { file: String, hook: String },
    #[error("{file}: the documentation of `{hook}` has no `{missing}`")]
    Incomplete { file: String, hook: String, missing: &'static str },
}

/// The pages of all packs.
pub(super) fn pages() -> Result<Vec<Generated>, HookPageError> {
    // A pack of rules has pages of its own.
    CATALOGUE.iter().filter(|pack| !pack.hooks.is_empty()).map(page).collect()
}

fn page(pack: &Pack) -> Result<Generated, HookPageError> {
    let docs: Vec<HookDoc> = pack.hooks.iter().map(|hook| HookDoc::read(pack, *hook)).collect::<Result<_, _>>()?;
    let mut text = format!("{}\n\n# Hooks of pack `{}`\n\n", super::WRITTEN_BY_GENERATE, pack.name);
    let _ =
        writeln!(text, "What the pack does as a whole is said on [its own page]({}.md). {}\n", pack.name, asleep(pack));
    text.push_str("| hook | in one sentence |\n|---|---|\n");
    for doc in &docs {
        let _ = writeln!(text, "| [`{}`](#{}) | {} |", doc.id, crate::book::anchor(doc.id), doc.sentence());
    }
    for doc in &docs {
        let _ = write!(text, "\n## `{}`\n\n{}{}", doc.id, doc.body, facts(pack, doc.hook));
        if Path::new(crate::ROOT).join(format!("docs/src/packs/scenarios/{}.md", doc.id)).exists() {
            let _ = writeln!(text, "\n[Examples of it that run](scenarios/{}.md)", doc.id);
        }
    }
    Ok(Generated { path: format!("docs/src/packs/{}-hooks.md", pack.name), content: text })
}

fn asleep(pack: &Pack) -> String {
    match pack.default_mode {
        Mode::Off => format!("The pack is off until something asks for it: `[packs.{}] enabled = true`.", pack.name),
        Mode::Warn => "The pack only warns until it is told to enforce.".to_owned(),
        Mode::Shadow => "The pack only keeps a record until it is told to enforce.".to_owned(),
        Mode::Enforce => "The pack is on.".to_owned(),
    }
}

/// What holds for a hook beside what it says of itself.
fn facts(pack: &Pack, hook: &dyn NativeHook) -> String {
    let events: Vec<String> = if hook.events() == hookrail_core::EventName::KNOWN {
        vec!["every event".to_owned()]
    } else {
        hook.events().iter().map(|event| format!("`{}`", event.as_str())).collect()
    };
    let mode = match hook.profile().is_preview {
        true => "`off` (preview: enabled only by its own name)".to_owned(),
        false => format!("`{}`", hook.profile().default_mode.unwrap_or(pack.default_mode).as_str()),
    };
    let rests = if hook.profile().has_breaker { "yes" } else { "never" };
    format!(
        "\n| events | by default | when it fails | rests after three failures |\n|---|---|---|---|\n| {} | {mode} | `{}` | {rests} |\n",
        events.join(", "),
        hook.profile().on_error.as_str(),
    )
}

/// What a hook's file says about it.
struct HookDoc {
    id: &'static str,
    hook: &'static dyn NativeHook,
    body: String,
}

impl HookDoc {
    fn read(pack: &Pack, hook: &'static dyn NativeHook) -> Result<Self, HookPageError> {
        let id = hook.id();
        let stem = id.rsplit('/').next().unwrap_or(id).replace('-', "_");
        let file = format!("crates/hookrail-packs/src/{}/{stem}.rs", pack.name);
        let source = std::fs::read_to_string(Path::new(crate::ROOT).join(&file))
            .map_err(|source| HookPageError::Unreadable { file: file.clone(), source })?;
        let comment = doc_comment(&source)
            .ok_or_else(|| HookPageError::Undocumented { file: file.clone(), hook: id.to_owned() })?;
        if let Some(missing) = missing_part(&comment) {
            return Err(HookPageError::Incomplete { file, hook: id.to_owned(), missing });
        }
        Ok(Self { id, hook, body: for_readers(&comment, pack) })
    }

    /// The first paragraph, on one line.
    fn sentence(&self) -> String {
        let lines: Vec<&str> = self.body.lines().take_while(|line| !line.is_empty()).collect();
        lines.join(" ")
    }
}

/// What a comment must say, in one of these ways.
const PARTS: [&[&str]; 4] = [
    &["**What it catches.**", "**What it does.**", "**Catches:**"],
    &["**Why.**", "**Why:**"],
    &["**Caught:**", "**Added:**", "**Catches:**", "**What it does.**"],
    &["**Not caught:**", "**Refused", "**Leaves alone:**", "**What it does.**"],
];

/// What a reader of the page wants to know, and the comment leaves out.
fn missing_part(comment: &str) -> Option<&'static str> {
    let missing = PARTS.iter().find(|ways| !ways.iter().any(|way| comment.contains(way)));
    missing.and_then(|ways| ways.first().copied())
}

/// The comment above the type that implements `NativeHook`.
fn doc_comment(source: &str) -> Option<String> {
    let name = source.split("impl NativeHook for ").nth(1)?.split(|c: char| !c.is_alphanumeric()).next()?;
    let lines: Vec<&str> = source.lines().collect();
    let at = lines.iter().position(|line| line.starts_with(&format!("pub struct {name}")))?;
    let above = lines.get(..at)?.iter().rev().skip_while(|line| line.starts_with("#["));
    let mut comment: Vec<&str> =
        above.map_while(|line| line.strip_prefix("///")).map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    comment.reverse();
    (!comment.is_empty()).then(|| comment.join("\n"))
}

/// How lines with an example begin.
const EXAMPLES: [&str; 4] = ["**Caught:**", "**Not caught:**", "**Added:**", "**Refused"];

/// The comment without what only a reader of the code can follow: citations, and links to types. Examples become a list.
fn for_readers(comment: &str, pack: &Pack) -> String {
    let text = in_one_voice(&with_links_to_hooks(&without_citations(comment), pack));
    let mut body = String::new();
    let mut in_list = false;
    for line in text.lines() {
        let is_example = EXAMPLES.iter().any(|label| line.starts_with(label));
        if is_example {
            body.push_str("- ");
        } else if line.is_empty() {
            in_list = false;
        } else if in_list {
            body.push_str("  ");
        }
        in_list |= is_example;
        body.push_str(line);
        body.push('\n');
    }
    body.truncate(body.trim_end().len());
    body + "\n"
}

/// Headings that some packs word differently, as the others have them.
fn in_one_voice(text: &str) -> String {
    let others = [
        ("**Why:** ", "**Why.** "),
        ("**Catches:** ", "**What it catches.** "),
        ("**Leaves alone:** ", "**Not caught:** "),
    ];
    let mut voiced = String::new();
    for line in text.lines() {
        let found = others.iter().find_map(|(from, to)| Some((to, line.strip_prefix(from)?)));
        match found {
            Some((heading, rest)) if heading.ends_with(".** ") => voiced += &format!("{heading}{}", capitalised(rest)),
            Some((heading, rest)) => voiced += &format!("{heading}{rest}"),
            None => voiced += line,
        }
        voiced.push('\n');
    }
    voiced
}

/// Without ` (errata E7)` and ` (HOOK-107)`, wherever lines are broken.
fn without_citations(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(at) = ["(errata ", "(HOOK-"].iter().filter_map(|opening| rest.find(opening)).min() {
        let (before, from) = rest.split_at(at);
        kept.push_str(before.trim_end_matches(' '));
        rest = from.split_once(')').map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept
}

/// ``[`StopGuard`](super::StopGuard)`` becomes a link to that hook's section.
fn with_links_to_hooks(text: &str, pack: &Pack) -> String {
    let mut linked = text.to_owned();
    for hook in pack.hooks {
        let name: String = hook.id().rsplit('/').next().unwrap_or_default().split('-').map(capitalised).collect();
        let target = format!("[`{}`](#{})", hook.id(), crate::book::anchor(hook.id()));
        for link in [format!("[`{name}`](super::{name})"), format!("[`{name}`]")] {
            linked = linked.replace(&link, &target);
        }
    }
    linked
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_is_found_above_the_hook_and_not_above_anything_else() {
        let source = "/// Of a constant.\nconst A: u8 = 1;\n\n/// Keeps.\n///\n/// **Why.** So.\n#[derive(Debug)]\npub struct Guard;\n\nimpl NativeHook for Guard {}\n";
        assert_eq!(doc_comment(source).unwrap(), "Keeps.\n\n**Why.** So.");
        assert_eq!(doc_comment("pub struct Guard;\nimpl NativeHook for Guard {}"), None);
    }

    #[test]
    fn readers_get_examples_as_a_list_and_no_citations() {
        let pack = hookrail_packs::find("orchestrator").unwrap();
        let comment =
            "A (errata X9,\nD1), see [`StopGuard`](super::StopGuard).\n\n**Caught:** `a`,\n`b`.\n**Not caught:** `c`.";
        let expected = "A, see [`orchestrator/stop-guard`](#orchestratorstop-guard).\n\n- **Caught:** `a`,\n  `b`.\n- **Not caught:** `c`.\n";
        assert_eq!(for_readers(comment, pack), expected);
        let comment = "**Why:** so.\n\n**Leaves alone:** `c`.";
        assert_eq!(for_readers(comment, pack), "**Why.** So.\n\n- **Not caught:** `c`.\n");
    }

    #[test]
    fn every_hook_says_what_it_does_why_and_with_examples() {
        let pages = pages().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(pages.len(), CATALOGUE.iter().filter(|pack| !pack.hooks.is_empty()).count());
    }

    #[test]
    fn a_comment_that_leaves_something_out_is_refused() {
        let whole = "**What it catches.** A.\n**Why.** B.\n**Caught:** C.\n**Not caught:** D.";
        assert_eq!(missing_part(whole), None);
        for part in ["**What it catches.**", "**Why.**", "**Caught:**", "**Not caught:**"] {
            assert_eq!(missing_part(&whole.replace(part, "")), Some(part));
        }
    }
}
