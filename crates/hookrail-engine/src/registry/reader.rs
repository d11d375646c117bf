//! Reads the `hooks` of one configuration: keeps every good entry, reports every bad one.

use super::closest;
use super::diagnostic::Diagnostic;
use super::document::Document;
use super::format::HookFormat;
use super::hook_keys::{self, Ignored};
use super::positions::PathStep;
use hookrail_core::{
    CommandStart, Condition, ConfigSource, EventName, HookAction, HookEntry, HttpAction, Matcher, OnError, Origin,
    PromptAction, Shell,
};
use serde_json::{Map, Value};
use std::time::Duration;

/// Keys beside the events that settings files have carried inside `hooks`.
const NOT_EVENTS: [&str; 3] = ["enabled", "disabled", "notifications"];

pub(super) struct HookReader<'a> {
    pub document: &'a Document,
    pub format: HookFormat,
    pub source: ConfigSource,
    pub entries: Vec<HookEntry>,
    pub diagnostics: Vec<Diagnostic>,
}

/// What a group of hooks has in common.
struct Group {
    event: EventName,
    matcher: Matcher,
    sequential: bool,
}

impl<'a> HookReader<'a> {
    pub fn new(document: &'a Document, format: HookFormat, source: ConfigSource) -> Self {
        Self { document, format, source, entries: Vec::new(), diagnostics: Vec::new() }
    }

    /// Reads the value at `path`, which maps event names to groups of hooks.
    pub fn read(&mut self, hooks: &Value, path: &[PathStep<'_>]) {
        let events = match hooks {
            Value::Object(events) => events,
            Value::Null => return,
            _ => return self.report(path, "`hooks` must map event names to lists of hook groups"),
        };
        for (name, groups) in events {
            let path = extended(path, PathStep::Key(name));
            if NOT_EVENTS.contains(&name.as_str()) {
                continue;
            }
            match self.format.event(name) {
                Some(event) => self.read_event(&event, groups, &path),
                None => self.report_unknown_event(name, &path),
            }
        }
    }

    fn report_unknown_event(&mut self, name: &str, path: &[PathStep<'_>]) {
        let diagnostic = Diagnostic::new(self.document.locate(path), format!("unknown event `{name}`"));
        self.diagnostics.push(match self.format.suggest_event(name) {
            Some(suggestion) => diagnostic.hint(format!("did you mean `{suggestion}`?")),
            None => diagnostic,
        });
    }

    fn read_event(&mut self, event: &EventName, groups: &Value, path: &[PathStep<'_>]) {
        let Some(groups) = groups.as_array() else {
            return self.report(path, format!("the hooks of `{event}` must be a list of groups"));
        };
        for (index, group) in groups.iter().enumerate() {
            let path = extended(path, PathStep::Index(index));
            match group {
                Value::Object(fields) => self.read_group(event, fields, &path),
                _ => self.report(&path, format!("a hook group of `{event}` must be an object")),
            }
        }
    }

    fn read_group(&mut self, event: &EventName, fields: &Map<String, Value>, path: &[PathStep<'_>]) {
        let hooks_path = extended(path, PathStep::Key("hooks"));
        let hooks = match fields.get("hooks") {
            Some(Value::Array(hooks)) => hooks,
            Some(_) => return self.report(&hooks_path, "`hooks` of a group must be a list"),
            None => return self.report(path, "this hook group has no `hooks` list"),
        };
        let group = Group {
            event: event.clone(),
            matcher: self.read_matcher(fields.get("matcher"), path),
            sequential: self.read_sequential(fields.get("sequential"), path),
        };
        for (index, hook) in hooks.iter().enumerate() {
            let path = extended(&hooks_path, PathStep::Index(index));
            match hook {
                Value::Object(fields) => self.read_hook(&group, fields, &path),
                _ => self.report(&path, "a hook must be an object with a `type`"),
            }
        }
    }

    fn read_matcher(&mut self, value: Option<&Value>, path: &[PathStep<'_>]) -> Matcher {
        let text = match value {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.as_str()),
            Some(_) => {
                self.report(
                    &extended(path, PathStep::Key("matcher")),
                    "`matcher` must be text; these hooks run on everything",
                );
                None
            }
        };
        let (matcher, problem) = Matcher::compile(text, self.format.matcher_style());
        if let (Some(problem), Some(text)) = (problem, matcher.text()) {
            self.report(&extended(path, PathStep::Key("matcher")), format!("matcher `{text}` {problem}"));
        }
        matcher
    }

    fn read_sequential(&mut self, value: Option<&Value>, path: &[PathStep<'_>]) -> bool {
        match value {
            None | Some(Value::Null) => false,
            Some(Value::Bool(sequential)) => *sequential,
            Some(_) => {
                self.report(&extended(path, PathStep::Key("sequential")), "`sequential` must be true or false");
                false
            }
        }
    }

    fn read_hook(&mut self, group: &Group, fields: &Map<String, Value>, path: &[PathStep<'_>]) {
        let Some(action) = self.read_action(fields, path) else { return };
        self.report_ignored(fields, action.kind(), path);
        let condition = self.read_condition(fields.get("if"), path);
        let mut entry = HookEntry::new(group.event.clone(), action, self.source);
        entry.matcher = group.matcher.clone();
        entry.name = fields.get("name").and_then(Value::as_str).filter(|name| !name.is_empty()).map(str::to_owned);
        entry.origin = self.document.locate(path);
        entry.timeout = self.read_timeout(fields.get("timeout"), &group.event, &entry.action, path);
        entry.sequential = group.sequential;
        entry.on_error = self.read_on_error(fields, path);
        entry.condition = condition;
        entry.background = is_true(fields.get("async")) || is_true(fields.get("asyncRewake"));
        entry.once = is_true(fields.get("once"));
        entry.start = self.read_start(fields, path);
        entry.wording = self.format.wording();
        entry.status_message = fields.get("statusMessage").and_then(Value::as_str).map(str::to_owned);
        entry.context_limit =
            fields.get("contextLimit").and_then(Value::as_u64).and_then(|limit| usize::try_from(limit).ok());
        self.entries.push(entry);
    }

    /// A key that does nothing is most likely a mistake, and its author waits for what it was meant to do.
    fn report_ignored(&mut self, fields: &Map<String, Value>, kind: &str, path: &[PathStep<'_>]) {
        for (key, value) in fields {
            let Some(Ignored { message, hint }) = hook_keys::check(key, value, kind) else { continue };
            let origin = self.document.locate(&extended(path, PathStep::Key(key)));
            self.diagnostics.push(Diagnostic { origin, message, hint });
        }
    }

    /// An unreadable condition does not keep a guard from running.
    fn read_condition(&mut self, value: Option<&Value>, path: &[PathStep<'_>]) -> Option<Condition> {
        let value = value.filter(|value| !value.is_null())?;
        let condition = value.as_str().and_then(Condition::parse);
        if condition.is_none() {
            let message =
                format!("`if` is `{}`, which is not a permission rule; the hook runs on everything", bare(value));
            let origin = self.document.locate(&extended(path, PathStep::Key("if")));
            self.diagnostics.push(Diagnostic::new(origin, message).hint("write it like `Bash(git push:*)`"));
        }
        condition
    }

    fn read_start(&mut self, fields: &Map<String, Value>, path: &[PathStep<'_>]) -> CommandStart {
        let args = fields.get("args").and_then(Value::as_array).map(|args| args.iter().map(bare).collect());
        let shell = match fields.get("shell").and_then(Value::as_str) {
            None => Shell::System,
            Some("bash") => Shell::Bash,
            Some("powershell" | "pwsh") => Shell::PowerShell,
            Some(other) => {
                let message =
                    format!("`shell` is `{other}`, not `bash` or `powershell`; the usual one reads this command");
                self.report(&extended(path, PathStep::Key("shell")), message);
                Shell::System
            }
        };
        CommandStart { args, shell, env: read_texts(fields.get("env")) }
    }

    fn read_action(&mut self, fields: &Map<String, Value>, path: &[PathStep<'_>]) -> Option<HookAction> {
        let text = |key: &str| fields.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        let named = fields.get("type").and_then(Value::as_str);
        let (action, needs) = match named.filter(|name| self.format.hook_types().contains(name)) {
            Some("command") => {
                (text("command").map(|command| HookAction::Command { command: command.to_owned() }), "command")
            }
            Some("plugin") => {
                (Some(HookAction::Plugin { command: text("command").unwrap_or_default().to_owned() }), "command")
            }
            Some("prompt") => {
                let action =
                    |prompt: &str| PromptAction { prompt: prompt.to_owned(), model: text("model").map(str::to_owned) };
                (text("prompt").map(|prompt| HookAction::Prompt(action(prompt))), "prompt")
            }
            Some("http") => {
                let action = |url: &str| HttpAction {
                    url: url.to_owned(),
                    headers: read_texts(fields.get("headers")),
                    allowed_env: read_list(fields.get("allowedEnvVars")),
                };
                (text("url").map(|url| HookAction::Http(action(url))), "url")
            }
            _ => {
                self.report_unknown_type(fields.get("type"), path);
                return None;
            }
        };
        if action.is_none() {
            self.report(path, format!("this hook needs a `{needs}`, as text that is not empty"));
        }
        action
    }

    fn report_unknown_type(&mut self, value: Option<&Value>, path: &[PathStep<'_>]) {
        let (origin, message) = match value {
            None => (self.document.locate(path), "this hook has no `type`".to_owned()),
            Some(value) => (
                self.document.locate(&extended(path, PathStep::Key("type"))),
                format!("unknown hook type `{}`", bare(value)),
            ),
        };
        let types = self.format.hook_types();
        let word = value.and_then(Value::as_str);
        let hint = match word.and_then(|word| closest(word, types.iter().copied())) {
            _ if word.is_some_and(|word| HookFormat::Hookrail.hook_types().contains(&word)) => {
                "agents with this format run commands only; Claude Code's settings and hookrail's own format have this type"
                    .to_owned()
            }
            Some(guess) => format!("did you mean `{guess}`?"),
            None => format!("expected one of {}", types.join(", ")),
        };
        self.diagnostics.push(Diagnostic::new(origin, message).hint(hint));
    }

    fn read_timeout(
        &mut self,
        value: Option<&Value>,
        event: &EventName,
        action: &HookAction,
        path: &[PathStep<'_>],
    ) -> Duration {
        let usual = self.format.default_timeout(event, action);
        let Some(value) = value.filter(|value| !value.is_null()) else { return usual };
        let place = extended(path, PathStep::Key("timeout"));
        let Some(number) = value.as_f64() else {
            let message =
                format!("timeout `{}` is not a number; the default of {} s applies", bare(value), usual.as_secs());
            self.report(&place, message);
            return usual;
        };
        let Some(timeout) = self.format.timeout(number) else {
            self.report(
                &place,
                format!("timeout `{number}` is not a time; the default of {} s applies", usual.as_secs()),
            );
            return usual;
        };
        if let Some(problem) = self.format.check_timeout(number) {
            self.report(&place, problem);
        }
        timeout
    }

    fn read_on_error(&mut self, fields: &Map<String, Value>, path: &[PathStep<'_>]) -> OnError {
        // Claude Code's own word for a hook whose failure must block.
        if fields.get("onFailure").and_then(Value::as_str) == Some("block") {
            return OnError::Deny;
        }
        let Some((key, value)) = ["on_error", "onError"].iter().find_map(|key| fields.get_key_value(*key)) else {
            return OnError::Allow;
        };
        if let Some(on_error) = value.as_str().and_then(OnError::parse) {
            return on_error;
        }
        let typo = self.format.on_error_of_typo();
        let message = format!("`{key}` is `{}`, which means nothing; `{typo}` applies", bare(value));
        let origin = self.document.locate(&extended(path, PathStep::Key(key)));
        self.diagnostics.push(Diagnostic::new(origin, message).hint("write `allow`, `ask` or `deny`"));
        typo
    }

    fn report(&mut self, path: &[PathStep<'_>], message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::new(self.document.locate(path), message));
    }
}

/// Where a document's root stands, for complaints about the whole of it.
pub(super) fn root_origin(document: &Document) -> Origin {
    document.locate(&[])
}

fn extended<'a>(path: &[PathStep<'a>], step: PathStep<'a>) -> Vec<PathStep<'a>> {
    path.iter().copied().chain([step]).collect()
}

fn is_true(value: Option<&Value>) -> bool {
    value == Some(&Value::Bool(true))
}

fn read_list(value: Option<&Value>) -> Vec<String> {
    value.and_then(Value::as_array).into_iter().flatten().map(bare).collect()
}

fn read_texts(value: Option<&Value>) -> Vec<(String, String)> {
    let texts = value.and_then(Value::as_object).into_iter().flatten();
    texts.map(|(name, value)| (name.clone(), bare(value))).collect()
}

/// A JSON value as a person would quote it.
fn bare(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
