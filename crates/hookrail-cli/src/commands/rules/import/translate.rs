//! From an entry of a permission list to a rule about effects.

use super::permission::{Meaning, Permission};
use crate::commands::rules::toml_text::{any_of, condition, list, quoted};
use hookrail_effects::{Act, Effect, Effects};
use hookrail_rules::{Condition, ExampleCall, Key, RuleDecision, effects_of_example};

/// A word that no program knows, to find out which words of a command matter.
const NONSENSE: &str = "zzyzx";

/// The text of the rule, or why there is none.
pub fn rule(permission: &Permission, id: &str, file: &str) -> Result<String, String> {
    let forbids = permission.decision != RuleDecision::Allow;
    let mut example = None;
    let when = match &permission.meaning {
        Meaning::Unclear(why) => return Err(why.clone()),
        Meaning::Tool(tool) => of(vec![any_of(Key::Tool, [tool.as_str()])]),
        Meaning::Host(host) => {
            let host = host.strip_prefix("*.").map_or_else(|| host.clone(), |rest| format!("*.{rest}"));
            let acts: &[&str] = if forbids { &["net.fetch", "net.send"] } else { &["net.fetch"] };
            let mut selectors = vec![any_of(Key::Effect, acts.iter().copied()), any_of(Key::Host, [host])];
            if !forbids {
                selectors.push(any_of(Key::Tool, ["web"]));
            }
            of(selectors)
        }
        Meaning::Read(pattern) => of(vec![any_of(Key::Effect, ["fs.read"]), any_of(Key::Path, [pattern.as_str()])]),
        Meaning::Change(pattern) => {
            let acts: &[&str] = if forbids { &["fs.write", "fs.delete", "fs.move"] } else { &["fs.write"] };
            of(vec![any_of(Key::Effect, acts.iter().copied()), any_of(Key::Path, [pattern.as_str()])])
        }
        Meaning::Command(words) => {
            example = Some(words.join(" "));
            command(words)?
        }
    };
    let from = format!("{} in {file}", permission.entry);
    let mut text = format!(
        "[[rule]]\nid = {}\nwhen = {}\ndecide = {}\nreason = {}\n",
        quoted(id),
        condition(&when),
        quoted(permission.decision.name()),
        quoted(&from)
    );
    if let Some(example) = example.filter(|example| does_something(example)) {
        text.push_str(&format!("examples = {{ {} = {} }}\n", permission.decision.name(), list([example.as_str()])));
    }
    Ok(text)
}

fn of(selectors: Vec<hookrail_rules::Selector>) -> Condition {
    Condition { selectors }
}

/// The condition for commands that begin with these words. One word is a program; more are clear if the last of them
/// changes what the command does.
fn command(words: &[String]) -> Result<Condition, String> {
    let Some((last, first)) = words.split_last() else { return Err("it names no command".to_owned()) };
    if first.is_empty() {
        return Ok(of(vec![any_of(Key::Program, [last.as_str()])]));
    }
    let text = words.join(" ");
    let effects = understood(&text).ok_or_else(|| not_understood(&text))?;
    let other = understood(&format!("{} {NONSENSE}", first.join(" "))).unwrap_or_default();
    let acts = acts(&effects);
    let mut selectors = vec![any_of(Key::Effect, acts.iter().map(|act| act.name()))];
    // A script of the project runs programs of its own, which are another one's tomorrow.
    let program = first.first().map(String::as_str);
    if effects.list.iter().all(|effect| effect.on.program.as_deref() == program) {
        selectors.extend(program.map(|program| any_of(Key::Program, [program])));
    }
    let branch = |effects: &Effects| effects.list.iter().find_map(|effect| effect.on.branch.clone());
    if acts == self::acts(&other) {
        match branch(&effects) {
            Some(branch) if **last == *branch => selectors.push(any_of(Key::Branch, [&*branch])),
            _ => return Err(format!("rules speak of what a command does, and `{last}` does not change that here")),
        }
    }
    Ok(of(selectors))
}

fn not_understood(text: &str) -> String {
    format!("what `{text}` does is not known, and a rule for its program would cover more")
}

/// What a command does, if it is understood and does something.
fn understood(command: &str) -> Option<Effects> {
    let effects = effects_of_example(&ExampleCall::shell(command));
    let is_plain = |effect: &Effect| effect.act == Act::ExecRun;
    (effects.gaps.is_empty() && !effects.list.is_empty() && !effects.list.iter().any(is_plain)).then_some(effects)
}

/// Whether a command can be an example: one that does nothing shows nothing.
fn does_something(command: &str) -> bool {
    let effects = effects_of_example(&ExampleCall::shell(command));
    !effects.list.is_empty() && effects.gaps.is_empty()
}

/// What is done, each once.
fn acts(effects: &Effects) -> Vec<Act> {
    let mut acts: Vec<Act> = effects.list.iter().map(|effect| effect.act).collect();
    acts.sort_unstable_by_key(|act| act.name());
    acts.dedup();
    acts
}
