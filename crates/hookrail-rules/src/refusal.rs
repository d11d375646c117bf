//! What is said when a rule holds: which rule, which part of the call, and what to do instead.

use crate::call::{Call, Hit, target};
use crate::judge::Match;
use crate::rule::{Rule, RuleDecision};
use hookrail_core::ToolKind;
use hookrail_core::display::{block, one_line, quoted};
use hookrail_effects::{Act, Effect, Span};

/// What may stand in `say`, in braces.
pub const PLACEHOLDERS: &[&str] = &[
    "effect", "place", "path", "host", "program", "target", "branch", "tool", "agent", "role", "mode", "tree",
    "command", "rule",
];
/// So many characters of a command are shown around the part that matters.
const WIDTH: usize = 100;

/// The words of a rule that holds for a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What is wrong with the call, in the words of the rule.
    pub say: String,
    /// What of the call it is about, as rules name it: `fs.delete in home`, `gap dynamic-code`.
    pub what: String,
    /// The line of the command with the part that matters underlined; `None` for tools other than the shell.
    pub underlined: Option<String>,
    pub instead: Option<String>,
    /// How a person is named the rule.
    pub rule: String,
    decision: RuleDecision,
}

impl Refusal {
    #[must_use]
    pub fn of(found: &Match, call: &Call<'_>) -> Self {
        let hit = found.hits.first().copied().unwrap_or(Hit::Call);
        let what = what(hit, call);
        let say = match &found.rule.say {
            Some(say) => fill(say, &found.rule.id, hit, call),
            None => usual_words(hit, call),
        };
        Self {
            say,
            underlined: underlined(hit, call, &what),
            what,
            instead: found.rule.instead.as_deref().map(|text| one_line(text).into_owned()),
            rule: named(&found.rule),
            decision: found.decision,
        }
    }

    /// Everything, on several lines.
    #[must_use]
    pub fn text(&self) -> String {
        let does = match self.decision {
            RuleDecision::Deny => "denies this",
            RuleDecision::Ask => "asks about this",
            RuleDecision::Warn => "warns of this",
            RuleDecision::Allow => "allows this",
        };
        let mut text = format!("rule {} {does}: {}", self.rule, self.say);
        match &self.underlined {
            Some(lines) => text.push_str(&format!("\n{lines}")),
            None => text.push_str(&format!("\n  {}", self.what)),
        }
        if let Some(instead) = &self.instead {
            text.push_str(&format!("\nInstead: {}", quoted(instead)));
        }
        text
    }
}

/// A rule by its name and where it stands: `no-push` (user layer, line 7).
fn named(rule: &Rule) -> String {
    let line = rule.origin.position.map(|(line, _)| format!(", line {line}")).unwrap_or_default();
    match rule.id.split_once('/') {
        Some((pack, _)) => format!("`{}` (pack {pack})", rule.id),
        None => format!("`{}` ({} layer{line})", rule.id, rule.layer.name()),
    }
}

/// Where a match is in the command; empty for tools other than the shell.
#[must_use]
pub fn span_of(hit: Hit, call: &Call<'_>) -> Span {
    match hit {
        Hit::Effect(index) => call.effects.list.get(index).map(|effect| effect.span).unwrap_or_default(),
        Hit::Gap(index) => call.effects.gaps.get(index).map(|gap| gap.span).unwrap_or_default(),
        Hit::Call => Span::default(),
    }
}

fn effect_of<'c>(hit: Hit, call: &'c Call<'_>) -> Option<&'c Effect> {
    match hit {
        Hit::Effect(index) => call.effects.list.get(index),
        Hit::Gap(_) | Hit::Call => None,
    }
}

/// What was matched, in the vocabulary of rules.
fn what(hit: Hit, call: &Call<'_>) -> String {
    match hit {
        Hit::Effect(_) => match effect_of(hit, call) {
            Some(effect) => {
                let subject = effect.on.subject().filter(|_| !is_shell(call)).map(|text| format!(" {}", quoted(text)));
                format!("{}{} in {}", effect.act, subject.unwrap_or_default(), effect.place)
            }
            None => String::new(),
        },
        Hit::Gap(index) => {
            let why = call.effects.gaps.get(index).map_or("", |gap| gap.why.name());
            format!("gap {why}")
        }
        Hit::Call => tool_name(call),
    }
}

fn is_shell(call: &Call<'_>) -> bool {
    command(call).is_some()
}

fn command<'c>(call: &'c Call<'_>) -> Option<&'c str> {
    match &call.event.tool.as_ref()?.kind {
        ToolKind::Shell { command, .. } => Some(command),
        _ => None,
    }
}

fn tool_name(call: &Call<'_>) -> String {
    call.event.tool.as_ref().map_or_else(|| "this call".to_owned(), |tool| one_line(&tool.name).into_owned())
}

/// The line of the command that a match is in, and a line that underlines it.
fn underlined(hit: Hit, call: &Call<'_>, what: &str) -> Option<String> {
    let command = command(call)?;
    let span = span_of(hit, call);
    if span.end <= span.start || !command.is_char_boundary(span.start) || !command.is_char_boundary(span.end) {
        return None;
    }
    let start = command.get(..span.start)?.rfind('\n').map_or(0, |at| at + 1);
    let line = command.get(start..)?.split('\n').next()?;
    let before = command.get(start..span.start)?;
    let marked = command.get(span.start..span.end.min(start + line.len()))?;
    let after = line.get((before.len() + marked.len()).min(line.len())..).unwrap_or_default();
    let (before, marked, after) = (shown(before), shown(marked), shown(after));
    // Of a long line the end of what is before and the beginning of what is behind are kept.
    let before = keep_end(&before, WIDTH / 3);
    let marked = keep_start(&marked, WIDTH);
    let after = keep_start(&after, WIDTH / 3);
    let indent = " ".repeat(before.chars().count());
    let carets = "^".repeat(marked.chars().count().max(1));
    Some(format!("  {before}{marked}{after}\n  {indent}{carets} {what}"))
}

/// A part of a command on one line, with every character as wide as any other.
fn shown(text: &str) -> String {
    one_line(&text.replace('\t', " ")).into_owned()
}

fn keep_end(text: &str, count: usize) -> String {
    let length = text.chars().count();
    if length <= count {
        text.to_owned()
    } else {
        format!("…{}", text.chars().skip(length - count).collect::<String>())
    }
}

fn keep_start(text: &str, count: usize) -> String {
    if text.chars().count() <= count {
        text.to_owned()
    } else {
        format!("{}…", text.chars().take(count).collect::<String>())
    }
}

/// Puts what a call has in the place of placeholders.
fn fill(say: &str, rule: &str, hit: Hit, call: &Call<'_>) -> String {
    let mut filled = String::with_capacity(say.len() + 32);
    for part in parts(say) {
        match part {
            TextPart::Text(text) => filled.push_str(&block(text)),
            TextPart::Placeholder(name) => filled.push_str(&one_line(&value(name, rule, hit, call))),
        }
    }
    filled
}

fn value(name: &str, rule: &str, hit: Hit, call: &Call<'_>) -> String {
    let effect = effect_of(hit, call);
    let object = effect.map(|effect| &effect.on);
    let found: Option<String> = match name {
        "effect" => effect.map(|effect| effect.act.name().to_owned()),
        "place" => effect.map(|effect| effect.place.name().to_owned()),
        "path" => object.and_then(|on| on.path.as_ref()).map(|path| path.written.to_string()),
        "host" => object.and_then(|on| on.host.as_deref()).map(str::to_owned),
        "program" => object.and_then(|on| on.program.as_deref()).map(str::to_owned).or_else(|| Some(tool_name(call))),
        "target" => object.and_then(target).map(str::to_owned),
        "branch" => object.and_then(|on| on.branch.as_deref()).or_else(|| call.branch()).map(str::to_owned),
        "tool" => Some(tool_name(call)),
        "agent" => Some(call.agent.to_owned()),
        "role" => Some(call.role()),
        "mode" => call.event.text("permission_mode").map(str::to_owned),
        "tree" => call.tree().map(str::to_owned),
        "command" => command(call).map(|text| keep_start(text, WIDTH)),
        "rule" => Some(rule.to_owned()),
        _ => None,
    };
    found.unwrap_or_else(|| format!("an unknown {name}"))
}

/// What is said when the rule says nothing.
fn usual_words(hit: Hit, call: &Call<'_>) -> String {
    match hit {
        Hit::Effect(_) => match effect_of(hit, call) {
            Some(effect) => {
                let program =
                    effect.on.program.as_deref().map_or_else(|| tool_name(call), |name| one_line(name).into_owned());
                let subject = effect.on.subject().filter(|subject| Some(*subject) != effect.on.program.as_deref());
                let subject = subject.map(|subject| format!(" {}", quoted(subject))).unwrap_or_default();
                let would = if effect.sure == hookrail_effects::Sure::Certain { "would" } else { "may" };
                format!("{program} {would} {}{subject}", verb(effect.act))
            }
            None => "this call".to_owned(),
        },
        Hit::Gap(_) => "a part of this call is not understood".to_owned(),
        Hit::Call => format!("a call of {}", tool_name(call)),
    }
}

/// What an act does to its object, for a sentence.
fn verb(act: Act) -> &'static str {
    match act {
        Act::FsRead => "read",
        Act::FsWrite => "write",
        Act::FsDelete => "delete",
        Act::FsMove => "move",
        Act::FsPermissions => "change the permissions of",
        Act::FsLink => "link",
        Act::SecretRead => "read the secret",
        Act::SecretPrint => "print the secret",
        Act::SecretSend => "send a secret to",
        Act::NetFetch => "fetch",
        Act::NetSend => "send data to",
        Act::NetListen => "listen for connections on",
        Act::ExecRun => "run",
        Act::ExecTest => "run tests",
        Act::ExecBuild => "build",
        Act::ExecRemote => "run code from the network",
        Act::ExecDecoded => "run code that is decoded first",
        Act::ExecDynamic => "run code that is only known at run time",
        Act::ExecPrivileged => "run as another user",
        Act::GitRead => "read the repository",
        Act::GitStage => "stage",
        Act::GitCommit => "commit to",
        Act::GitBranch => "change the branch",
        Act::GitPush => "push to",
        Act::GitForce => "force-push to",
        Act::GitRewrite => "rewrite the history of",
        Act::GitDiscard => "discard changes in",
        Act::GitConfig => "change the configuration of git",
        Act::DbRead => "read the database",
        Act::DbWrite => "write to the database",
        Act::DbDestroy => "destroy data of",
        Act::InfraRead => "look at",
        Act::InfraWrite => "change",
        Act::InfraDestroy => "destroy",
        Act::ContainerRun => "run the container",
        Act::ContainerDestroy => "destroy the container",
        Act::PackageInstall => "install",
        Act::PackagePublish => "publish",
        Act::HostPersist => "leave code that runs later in",
        Act::HostService => "change the service",
        Act::HostProcess => "end or flood processes",
        Act::HostPower => "switch the machine off",
        Act::HostDisk => "overwrite the disk",
        Act::GuardChange => "change what guards this session",
        Act::GuardCopy => "copy what guards this session:",
        Act::TlsWeaken => "switch off certificate checks with",
        Act::LoaderInject => "load code into other programs with",
        Act::SandboxDisable => "run without the sandbox:",
        Act::CheckWeaken => "weaken the checks in",
        Act::PaySend => "send money with",
        Act::MessageSend => "send a message to",
        Act::WorktreeReach => "reach out of this worktree, to",
        Act::AgentSpawn => "start the agent",
        Act::AgentAsk => "ask",
    }
}

enum TextPart<'t> {
    Text(&'t str),
    Placeholder(&'t str),
}

/// Cuts a text at `{name}`. A brace without a name behind it is a brace.
fn parts(text: &str) -> Vec<TextPart<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let behind = rest.get(open + 1..).unwrap_or_default();
        let name = behind.split('}').next().filter(|name| name.len() < behind.len());
        let is_name = |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let end = match name.filter(is_name) {
            Some(name) => {
                found.push(TextPart::Text(rest.get(..open).unwrap_or_default()));
                found.push(TextPart::Placeholder(name));
                open + name.len() + 2
            }
            None => {
                found.push(TextPart::Text(rest.get(..=open).unwrap_or_default()));
                open + 1
            }
        };
        rest = rest.get(end..).unwrap_or_default();
    }
    found.push(TextPart::Text(rest));
    found
}

/// The placeholders of a text that mean nothing.
pub(crate) fn unknown_placeholders(text: &str) -> Vec<String> {
    let named = parts(text).into_iter().filter_map(|part| match part {
        TextPart::Placeholder(name) => Some(name),
        TextPart::Text(_) => None,
    });
    named.filter(|name| !PLACEHOLDERS.contains(name)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_found_and_other_braces_left_alone() {
        for (text, expected) in [
            ("{program} deletes {path}", &[][..]),
            ("{programm} deletes", &["programm"]),
            ("awk '{ print }' {}", &[]),
            ("open {", &[]),
            ("{a}{b}", &["a", "b"]),
        ] {
            assert_eq!(unknown_placeholders(text), expected, "{text}");
        }
    }
}
