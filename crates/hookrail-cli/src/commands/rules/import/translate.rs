//! From an entry of a permission list to a rule about effects.

use super::permission::{Meaning, Permission, Untranslated};
use crate::commands::rules::inventory::read_text;
use crate::commands::rules::toml_text::{any_of, condition, list, quoted};
use hookrail_effects::{Act, Effect, Effects, known_commands};
use hookrail_rules::{
    Condition, ExampleCall, Key, Layer, Level, RuleDecision, RuleSet, Selector, effects_of_example, judge_example,
};

/// The text of a rule that covers what the entry covers and nothing else, or why there is none.
pub fn rule(permission: &Permission, id: &str, file: &str) -> Result<String, Untranslated> {
    let forbids = permission.decision != RuleDecision::Allow;
    let from = format!("{} in {file}", permission.entry);
    let decide = permission.decision.name();
    let text = |when: &Condition| {
        let [id, decide, from] = [id, decide, &from].map(quoted);
        format!("[[rule]]\nid = {id}\nwhen = {}\ndecide = {decide}\nreason = {from}\n", condition(when))
    };
    let (when, example) = match &permission.meaning {
        Meaning::Command(words) => {
            // What a command does says more than its words, if it says nothing else. A permission is for the words.
            let speaks = forbids || words.len() == 1;
            let exact = command(words).ok().filter(|when| speaks && covered_besides(&text(when), words).is_none());
            let line = words.join(" ");
            let when = exact.map_or_else(
                || as_written(&[line.clone(), format!("{line} *")], permission),
                |when| Condition { selectors: when.selectors.into_iter().chain(only_for(permission)).collect() },
            );
            (when, line)
        }
        Meaning::Text(patterns) => (as_written(patterns, permission), patterns.first().cloned().unwrap_or_default()),
        _ => return Ok(text(&without_words(permission, forbids)?)),
    };
    let mut text = text(&when);
    let example = example.replace('*', "x");
    // Examples are judged as calls of Claude Code.
    if does_something(&example) && (forbids || permission.agent == "claude") {
        text.push_str(&format!("examples = {{ {decide} = {} }}\n", list([example.as_str()])));
    }
    Ok(text)
}

/// Places that an agent asks about before it goes there, whatever it may run.
const ELSEWHERE: [&str; 7] = ["!home", "!outside", "!temp", "!system", "!device", "!rc", "!unknown"];

/// The condition for commands as they are written. What is permitted is permitted in the project.
fn as_written(patterns: &[String], permission: &Permission) -> Condition {
    let mut selectors = vec![any_of(Key::Command, patterns.iter().map(String::as_str))];
    if permission.decision == RuleDecision::Allow {
        selectors.push(any_of(Key::Place, ELSEWHERE));
    }
    selectors.extend(only_for(permission));
    Condition { selectors }
}

/// What one agent may do without a question is not what every agent may do. What is forbidden is forbidden to all.
fn only_for(permission: &Permission) -> Option<Selector> {
    (permission.decision == RuleDecision::Allow).then(|| any_of(Key::Agent, [permission.agent]))
}

/// The condition for what is not a command. An agent's permission to read or to change a file is one for its own tools;
/// what it forbids its tools is forbidden to commands too, as the agents themselves have it.
fn without_words(permission: &Permission, forbids: bool) -> Result<Condition, Untranslated> {
    let own_tools = |tools: &[&str]| (!forbids).then(|| any_of(Key::Tool, tools.iter().copied()));
    let selectors = match &permission.meaning {
        Meaning::Unclear(why) => return Err(Untranslated::new(why)),
        Meaning::Command(_) | Meaning::Text(_) => Vec::new(),
        Meaning::Tool(tool) => vec![any_of(Key::Tool, [tool.as_str()])],
        Meaning::Host(host) => {
            let acts: &[&str] = if forbids { &["net.fetch", "net.send"] } else { &["net.fetch"] };
            let of_host = [any_of(Key::Effect, acts.iter().copied()), any_of(Key::Host, [host.as_str()])];
            of_host.into_iter().chain(own_tools(&["web"])).collect()
        }
        Meaning::Read(pattern) => {
            let of_path = [any_of(Key::Effect, ["fs.read"]), any_of(Key::Path, [pattern.as_str()])];
            of_path.into_iter().chain(own_tools(&["read"])).collect()
        }
        Meaning::Change(pattern) => {
            let acts: &[&str] = if forbids { &["fs.write", "fs.delete", "fs.move"] } else { &["fs.write"] };
            let of_path = [any_of(Key::Effect, acts.iter().copied()), any_of(Key::Path, [pattern.as_str()])];
            of_path.into_iter().chain(own_tools(&["write", "edit"])).collect()
        }
    };
    Ok(Condition { selectors: selectors.into_iter().chain(only_for(permission)).collect() })
}

/// The condition for commands that begin with these words. One word is a program; more are told by what the command does,
/// and by the script, target or branch that the last word names.
fn command(words: &[String]) -> Result<Condition, Untranslated> {
    let Some((program, arguments)) = words.split_first() else { return Err(Untranslated::new("it names no command")) };
    let Some(last) = arguments.last() else {
        return Ok(Condition { selectors: vec![any_of(Key::Program, [program.as_str()])] });
    };
    let text = words.join(" ");
    let effects = understood(&text).ok_or_else(|| Untranslated::new(format!("what `{text}` does is not known")))?;
    let own: Vec<&Effect> =
        effects.list.iter().filter(|effect| effect.on.program.as_deref() == Some(program.as_str())).collect();
    if own.is_empty() {
        return Err(Untranslated::new(format!(
            "what `{text}` does is done by other programs, and a rule for them would cover more"
        )));
    }
    let mut selectors = vec![
        any_of(Key::Effect, acts(own.iter().copied()).iter().map(|act| act.name())),
        any_of(Key::Program, [program.as_str()]),
    ];
    let names = |named: Option<&str>| named == Some(last.as_str());
    if own.iter().any(|effect| names(effect.on.target.as_deref())) {
        selectors.push(any_of(Key::Target, [last.as_str()]));
    } else if own.iter().any(|effect| names(effect.on.branch.as_deref())) {
        selectors.push(any_of(Key::Branch, [last.as_str()]));
    }
    Ok(Condition { selectors })
}

/// A command that a rule covers although it does not begin with these words.
fn covered_besides(rule: &str, words: &[String]) -> Option<String> {
    let file = read_text(Layer::User, "imported", rule).unwrap_or_default();
    let set = RuleSet::compile(&file.rules, &[]);
    let (program, arguments) = words.split_first()?;
    if arguments.is_empty() {
        return None;
    }
    let begins = |command: &str| command.split_whitespace().zip(words).filter(|(a, b)| a == b).count() == words.len();
    let covers = |command: &String| {
        // What does nothing is allowed by any rule that allows.
        if !does_something(command) {
            return false;
        }
        let judged = judge_example(&[&set], &ExampleCall::shell(command), Level::default());
        !judged.matches.is_empty() || !judged.permissions.is_empty()
    };
    let shorter = arguments.split_last().map(|(_, first)| [std::slice::from_ref(program), first].concat().join(" "));
    let another = shorter.map(|shorter| format!("{shorter} {ANOTHER}"));
    known_commands(program).into_iter().chain(another).filter(|command| !begins(command)).find(covers)
}

/// A last word that no entry has.
const ANOTHER: &str = "zzyzx";

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
fn acts<'e>(effects: impl Iterator<Item = &'e Effect>) -> Vec<Act> {
    let mut acts: Vec<Act> = effects.map(|effect| effect.act).collect();
    acts.sort_unstable_by_key(|act| act.name());
    acts.dedup();
    acts
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn imported(decision: RuleDecision, meaning: Meaning) -> Result<String, Untranslated> {
        let permission =
            Permission { agent: "claude", file: PathBuf::from("x"), decision, entry: "entry".to_owned(), meaning };
        rule(&permission, "imported", "x")
    }

    fn of_command(decision: RuleDecision, command: &str) -> Result<String, Untranslated> {
        imported(decision, Meaning::Command(command.split(' ').map(str::to_owned).collect()))
    }

    #[test]
    fn an_entry_whose_effects_would_cover_another_command_is_about_its_words() {
        for (decision, command) in [
            (RuleDecision::Allow, "git status"),
            (RuleDecision::Deny, "git log"),
            (RuleDecision::Allow, "gh pr view"),
            (RuleDecision::Allow, "cargo build"),
            (RuleDecision::Allow, "cargo test"),
            (RuleDecision::Deny, "kubectl delete"),
            (RuleDecision::Deny, "rm -rf"),
            (RuleDecision::Allow, "npx tsc"),
        ] {
            let found = of_command(decision, command).unwrap();
            assert!(found.contains(&format!(r#"command = ["{command}", "{command} *"]"#)), "{command}: {found:?}");
        }
    }

    #[test]
    fn what_is_permitted_by_its_words_is_that_command_and_nothing_beside_it() {
        let rule = of_command(RuleDecision::Allow, "cargo build").unwrap();
        let file = read_text(Layer::User, "imported", &rule).unwrap_or_default();
        let set = RuleSet::compile(&file.rules, &[]);
        for (command, permitted) in [
            ("cargo build", true),
            ("cargo build --release", true),
            ("cargo build && cargo build -p x", true),
            ("cargo builder", false),
            ("cargo run", false),
            ("cargo build && rm -rf src", false),
            ("cargo build > notes.md", false),
            ("cargo build $(rm x)", false),
            ("RUSTC_WRAPPER=evil cargo build", false),
            ("cd /srv/other && cargo build", false),
        ] {
            let judged = judge_example(&[&set], &ExampleCall::shell(command), Level::default());
            assert_eq!(!judged.permissions.is_empty(), permitted, "{command}");
        }
    }

    #[test]
    fn an_entry_that_rules_can_say_is_a_rule() {
        for (decision, command, expected) in [
            (RuleDecision::Deny, "git push", r#"when = { effect = "git.push", program = "git" }"#),
            (RuleDecision::Allow, "git push", r#"when = { command = ["git push", "git push *"], place = ["!home","#),
            (RuleDecision::Allow, "npm run test", r#"when = { command = ["npm run test", "npm run test *"], place"#),
            (
                RuleDecision::Ask,
                "make deploy",
                r#"when = { effect = "exec.build", program = "make", target = "deploy" }"#,
            ),
            (RuleDecision::Allow, "pytest", r#"when = { program = "pytest", agent = "claude" }"#),
        ] {
            let text = of_command(decision, command).unwrap();
            assert!(text.contains(expected), "{text}");
        }
    }

    #[test]
    fn a_permission_for_files_is_one_for_the_agents_own_tools() {
        let read = |decision| imported(decision, Meaning::Read("*.md".to_owned())).unwrap();
        assert!(read(RuleDecision::Allow).contains(r#"tool = "read""#));
        assert!(!read(RuleDecision::Deny).contains("tool"));
    }
}
