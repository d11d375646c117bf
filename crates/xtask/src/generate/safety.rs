//! The pages of pack `safety`, made from its rules: one for the pack, one for each class of harm.

use super::Generated;
use hookrail_core::Mode;
use hookrail_packs::CATALOGUE;
use hookrail_rules::{Rule, RuleDecision, RuleFile, safety};
use std::fmt::Write;

/// The pages of the pack.
pub(super) fn pages() -> Vec<Generated> {
    let files: Vec<(String, &str, RuleFile)> =
        safety::FILES.iter().zip(safety::files()).map(|((place, text), file)| (class(place), *text, file)).collect();
    let mut pages = vec![overview(&files)];
    pages.extend(files.iter().map(|(class, text, file)| page(class, text, file)));
    pages
}

/// `safety/remote_code.toml` is about `remote-code`.
fn class(place: &str) -> String {
    let name = place.trim_start_matches("safety/").trim_end_matches(".toml");
    name.replace('_', "-")
}

fn overview(files: &[(String, &str, RuleFile)]) -> Generated {
    let mut text = format!("{}\n\n# `safety`: dangerous calls\n\n", super::WRITTEN_BY_GENERATE);
    let about = CATALOGUE.iter().find(|pack| pack.name == "safety").filter(|pack| pack.default_mode == Mode::Enforce);
    let on = if about.is_some() { "is on without any configuration" } else { "is off until it is enabled" };
    let _ = writeln!(
        text,
        "This pack {on}. It is made of [rules](../rules.md) about what calls do: `rm -rf ~`, `cd ~ && rm -rf *` and\n\
         `bash -c 'rm -rf \"$HOME\"'` are one thing to it. What is never intended is denied; what may be intended is asked.\n\n\
         ```toml\n[safety]\nlevel = \"balanced\"        # relaxed, balanced or strict\n\n\
         [hooks.\"safety/push-to-main\"]\nmode = \"off\"              # one rule less, or `warn`\n```\n\n\
         A project can only make it stricter; you can do what you like. `hookrail rules` lists the rules with what they did,\n\
         `hookrail rules show ID` tells all about one, and `hookrail allow last` lets through what was refused wrongly.\n"
    );
    text.push_str("| rule | relaxed | balanced | strict |\n|---|---|---|---|\n");
    for (class, _, file) in files {
        for rule in &file.rules {
            let anchor = crate::book::anchor(&rule.id);
            let _ = writeln!(text, "| [`{}`](safety-{class}.md#{anchor}) | {} |", rule.id, levels(rule).join(" | "));
        }
    }
    Generated { path: "docs/src/packs/safety.md".to_owned(), content: text }
}

fn levels(rule: &Rule) -> [&'static str; 3] {
    let word = |decision: Option<RuleDecision>| decision.map_or("off", RuleDecision::name);
    let levels = rule.levels.map_or([Some(rule.decide); 2], |levels| [levels.relaxed, levels.strict]);
    let [relaxed, strict] = levels.map(word);
    [relaxed, rule.decide.name(), strict]
}

fn page(class: &str, source: &str, file: &RuleFile) -> Generated {
    let title = class.replace('-', " ");
    let mut text = format!("{}\n\n# Rules of pack `safety`: {title}\n\n", super::WRITTEN_BY_GENERATE);
    // A file begins with a comment that says what it is about.
    let about: Vec<&str> = source.lines().map_while(|line| line.strip_prefix('#')).map(str::trim).collect();
    let _ = writeln!(text, "{}", about.join("\n"));
    for rule in &file.rules {
        let _ = write!(text, "\n## `{}`\n\n{}", rule.id, section(rule));
    }
    Generated { path: format!("docs/src/packs/safety-{class}.md"), content: text }
}

fn section(rule: &Rule) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}\n", rule.reason.as_deref().unwrap_or_default());
    let [relaxed, balanced, strict] = levels(rule);
    let _ = writeln!(text, "| relaxed | balanced | strict |\n|---|---|---|\n| {relaxed} | {balanced} | {strict} |\n");
    let list = |expected: Option<RuleDecision>| {
        let calls = rule.examples.of(expected).map(|call| code(&call.shown()));
        calls.collect::<Vec<_>>().join(", ")
    };
    let _ = writeln!(text, "- **Caught:** {}", list(Some(rule.decide)));
    let _ = writeln!(text, "- **Not caught:** {}", list(None));
    if let Some(instead) = &rule.instead {
        let _ = writeln!(text, "- **Instead:** {}", code(instead));
    }
    let _ = writeln!(text, "- **Condition:** {}", code(&rule.when.to_string()));
    if let Some(source) = rule.source.as_deref().filter(|source| source.starts_with("http")) {
        let _ = writeln!(text, "- **Source:** <{source}>");
    }
    text
}

/// A text as code, whatever backticks it has.
fn code(text: &str) -> String {
    let text = text.replace('\n', " ⏎ ");
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}
