//! Reads what a hook said: every form that an agent's own engine honours, and a note about everything else.

use super::{ElicitationAction, Extra, HookOutput, InputRewrite, Rewrite};
use crate::{Decision, EventName};
use serde_json::{Map, Value};
use std::fmt;

/// An output, and what in it could not be understood.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// Everything that could be understood.
    pub output: HookOutput,
    /// What could not, in the order in which it was found.
    pub misread: Vec<Misread>,
}

/// Part of a hook's output that means nothing to hookrail. The rest counts all the same: a typo in one field must not cost
/// the decision in another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misread {
    /// Such as `hookSpecificOutput.permissionDecision`.
    pub field: String,
    /// What is wrong with it, as the end of a sentence that begins with the field's name.
    pub problem: String,
    /// It may have been meant to decide, so that it is unknown what the hook wanted.
    pub decisive: bool,
}

impl fmt::Display for Misread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.field, self.problem)
    }
}

/// Fields that agents honour and that do not concern a decision; they are kept and not remarked upon.
const OTHERS_FIELDS: [&str; 5] = ["terminalSequence", "async", "asyncTimeout", "hookEventName", "additionalContext"];

/// Fields of `hookSpecificOutput` with a meaning at some event. At another one they are most likely a mistake.
const MEANINGFUL: [(&str, &str); 12] = [
    ("tool_input", "BeforeTool"),
    ("updatedInput", "BeforeTool and PermissionRequest"),
    ("updatedPermissions", "PermissionRequest"),
    ("updatedToolOutput", "AfterTool"),
    ("updatedMCPToolOutput", "AfterTool"),
    ("tailToolCallRequest", "AfterTool"),
    ("llm_request", "BeforeModel"),
    ("llm_response", "BeforeModel and AfterModel"),
    ("toolConfig", "BeforeToolSelection"),
    ("clearContext", "AfterAgent"),
    ("permissionDecision", "BeforeTool, PermissionRequest and PreModelSwitch"),
    ("permissionDecisionReason", "BeforeTool, PermissionRequest and PreModelSwitch"),
];

impl HookOutput {
    /// Reads what a hook said about an event.
    #[must_use]
    pub fn parse(event: &EventName, fields: Map<String, Value>) -> Reading {
        OutputReader::new(Rewrite::of(event), has_permission(event)).read(fields)
    }

    /// [`HookOutput::parse`] for a value; only an object is a hook output.
    #[must_use]
    pub fn from_json(event: &EventName, value: Value) -> Option<Self> {
        match value {
            Value::Object(fields) => Some(Self::parse(event, fields).output),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
        }
    }

    /// Reads an output without the meaning that an event would give its `hookSpecificOutput`.
    #[must_use]
    pub(super) fn parse_plain(fields: Map<String, Value>) -> Self {
        OutputReader::new(Rewrite::Nothing, false).read(fields).output
    }
}

/// Events at which agents honour `permissionDecision`.
fn has_permission(event: &EventName) -> bool {
    match event {
        EventName::BeforeTool | EventName::PermissionRequest => true,
        EventName::Other(name) => &**name == "PreModelSwitch",
        _ => false,
    }
}

struct OutputReader {
    output: HookOutput,
    permission: bool,
    misread: Vec<Misread>,
}

impl OutputReader {
    fn new(rewrite: Rewrite, permission: bool) -> Self {
        let output = HookOutput { rewrite, ..HookOutput::default() };
        Self { output, permission, misread: Vec::new() }
    }

    fn read(mut self, fields: Map<String, Value>) -> Reading {
        let mut specific = None;
        for (key, value) in fields {
            match key.as_str() {
                _ if value.is_null() => {}
                "decision" => self.decide("decision", &value),
                "reason" => self.output.reason = self.text("reason", value),
                "continue" => self.read_continue(&value),
                "stopReason" => self.output.stop_reason = self.text("stopReason", value),
                "systemMessage" => self.output.message = self.text("systemMessage", value),
                "suppressOutput" => self.output.suppress = self.flag("suppressOutput", &value),
                "hookSpecificOutput" => specific = self.object("hookSpecificOutput", value, true),
                _ => self.keep(key, value),
            }
        }
        if let Some(specific) = specific {
            self.read_specific(specific);
        }
        Reading { output: self.output, misread: self.misread }
    }

    fn read_specific(&mut self, fields: Map<String, Value>) {
        let mut permission_reason = None;
        for (key, value) in fields {
            match key.as_str() {
                _ if value.is_null() => {}
                // Agents want their own name of the event here; whoever answers them writes it.
                "hookEventName" => {}
                "additionalContext" => self.output.context = self.text("hookSpecificOutput.additionalContext", value),
                "permissionDecision" if self.permission => {
                    self.decide("hookSpecificOutput.permissionDecision", &value);
                }
                "permissionDecisionReason" if self.permission => {
                    permission_reason = self.text("hookSpecificOutput.permissionDecisionReason", value);
                }
                _ => self.read_change(key, value),
            }
        }
        if let Some(reason) = permission_reason.filter(|reason| !reason.is_empty()) {
            self.output.reason = Some(reason);
            // The reason of a stop that is none would go before it.
            self.output.stop_reason.take_if(|_| !self.output.stop);
        }
    }

    /// A field that changes the operation, if the event has such a thing.
    fn read_change(&mut self, key: String, value: Value) {
        let mut rewrite = std::mem::take(&mut self.output.rewrite);
        match (&mut rewrite, key.as_str()) {
            (Rewrite::ToolCall { input } | Rewrite::Permission { input, .. }, "tool_input" | "updatedInput") => {
                self.read_input(input, &key, value);
            }
            (Rewrite::Permission { input, permissions }, "decision") => self.read_behavior(value, input, permissions),
            (Rewrite::Permission { permissions, .. }, "updatedPermissions") => *permissions = Some(value),
            (Rewrite::ToolResult { output, .. }, "updatedToolOutput") => *output = Some(value),
            (Rewrite::ToolResult { mcp_output, .. }, "updatedMCPToolOutput") => *mcp_output = Some(value),
            (Rewrite::ToolResult { tail_call, .. }, "tailToolCallRequest") => {
                *tail_call = self.specific_object(&key, value);
            }
            (Rewrite::ModelRequest { request, .. }, "llm_request") => *request = self.specific_object(&key, value),
            (Rewrite::ModelRequest { response, .. } | Rewrite::ModelResponse { response }, "llm_response") => {
                *response = self.specific_object(&key, value);
            }
            (Rewrite::ToolSelection { config }, "toolConfig") => *config = self.specific_object(&key, value),
            (Rewrite::TurnEnd { clear_context }, "clearContext") => {
                *clear_context = self.flag("hookSpecificOutput.clearContext", &value) == Some(true);
            }
            (Rewrite::Elicitation { action, .. }, "action") => self.read_action(action, &value),
            (Rewrite::Elicitation { content, .. }, "content") => *content = Some(value),
            (_, "permissionDecision" | "permissionDecisionReason") => self.report_misplaced(&key),
            _ => {
                self.report_misplaced(&key);
                self.output.extra.specific.insert(key, value);
            }
        }
        self.output.rewrite = rewrite;
    }

    fn read_input(&mut self, input: &mut Option<InputRewrite>, key: &str, value: Value) {
        let Some(fields) = self.specific_object(key, value) else { return };
        let read = InputRewrite { fields, whole: key == "updatedInput" };
        // Both at once: the whole input first, then the changes to it, in whatever order they were written.
        *input = Some(match input.take() {
            Some(known) if read.whole => read.then(&known),
            Some(known) => known.then(&read),
            None => read,
        });
    }

    /// `{"behavior": "allow" | "deny", …}`, the form of a permission request.
    fn read_behavior(&mut self, value: Value, input: &mut Option<InputRewrite>, permissions: &mut Option<Value>) {
        const FIELD: &str = "hookSpecificOutput.decision";
        let Some(fields) = self.object(FIELD, value, true) else { return };
        for (key, value) in fields {
            match key.as_str() {
                _ if value.is_null() => {}
                "behavior" => self.decide("hookSpecificOutput.decision.behavior", &value),
                "message" => {
                    let message = self.text("hookSpecificOutput.decision.message", value);
                    self.output.reason = message.or(self.output.reason.take());
                }
                "updatedInput" => self.read_input(input, "updatedInput", value),
                "updatedPermissions" => *permissions = Some(value),
                "interrupt" => {
                    self.output.stop |= self.flag("hookSpecificOutput.decision.interrupt", &value) == Some(true);
                }
                _ => self.report(&format!("{FIELD}.{key}"), "is not known".to_owned(), false),
            }
        }
    }

    /// Declining or cancelling refuses; accepting answers in the user's place.
    fn read_action(&mut self, action: &mut Option<ElicitationAction>, value: &Value) {
        *action = value.as_str().and_then(ElicitationAction::parse);
        let decision = match action {
            Some(ElicitationAction::Accept) => Decision::Allow,
            Some(ElicitationAction::Decline | ElicitationAction::Cancel) => Decision::Block,
            None => return self.report_word("hookSpecificOutput.action", value, "`accept`, `decline` or `cancel`"),
        };
        self.output.decision = self.output.decision.max(decision);
    }

    fn decide(&mut self, field: &str, value: &Value) {
        match value.as_str().and_then(Decision::parse) {
            Some(decision) => self.output.decision = self.output.decision.max(decision),
            None => self.report_word(field, value, "`allow`, `ask` or `deny`"),
        }
    }

    /// Only the boolean `false` stops an agent.
    fn read_continue(&mut self, value: &Value) {
        match value {
            Value::Bool(go_on) => self.output.stop = !go_on,
            other => self.report("continue", format!("is {other}, not true or false"), true),
        }
    }

    fn keep(&mut self, key: String, value: Value) {
        if !OTHERS_FIELDS.contains(&key.as_str()) {
            self.report(&key, "is not a field of a hook's output".to_owned(), false);
        }
        self.output.extra.top.insert(key, value);
    }

    fn text(&mut self, field: &str, value: Value) -> Option<String> {
        match value {
            Value::String(text) => Some(text),
            other => {
                self.report(field, format!("is {}, not text", kind(&other)), false);
                None
            }
        }
    }

    fn flag(&mut self, field: &str, value: &Value) -> Option<bool> {
        if !value.is_boolean() {
            self.report(field, format!("is {}, not true or false", kind(value)), false);
        }
        value.as_bool()
    }

    fn specific_object(&mut self, key: &str, value: Value) -> Option<Map<String, Value>> {
        self.object(&format!("hookSpecificOutput.{key}"), value, false)
    }

    fn object(&mut self, field: &str, value: Value, decisive: bool) -> Option<Map<String, Value>> {
        match value {
            Value::Object(fields) => Some(fields),
            other => {
                self.report(field, format!("is {}, not an object", kind(&other)), decisive);
                None
            }
        }
    }

    fn report_word(&mut self, field: &str, value: &Value, words: &str) {
        let said = value.as_str().map_or_else(|| kind(value).to_owned(), |word| format!("`{}`", word.escape_debug()));
        self.report(field, format!("is {said}, not {words}"), true);
    }

    /// Something that another event would take.
    fn report_misplaced(&mut self, key: &str) {
        if let Some((_, events)) = MEANINGFUL.iter().find(|(known, _)| *known == key) {
            let problem = format!("means nothing at this event; it belongs to {events}");
            self.report(&format!("hookSpecificOutput.{key}"), problem, key == "permissionDecision");
        }
    }

    fn report(&mut self, field: &str, problem: String, decisive: bool) {
        self.misread.push(Misread { field: field.to_owned(), problem, decisive });
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

impl Extra {
    /// Whether hookrail understood every field.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.top.is_empty() && self.specific.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parse(event: &str, output: Value) -> Reading {
        let Value::Object(fields) = output else { panic!("an output is an object") };
        HookOutput::parse(&EventName::parse(event), fields)
    }

    #[test]
    fn every_form_of_a_decision_is_read() {
        let cases = [
            ("BeforeTool", json!({"decision": "deny", "reason": "r"}), Decision::Block, Some("r")),
            ("BeforeTool", json!({"decision": "approve"}), Decision::Allow, None),
            ("AfterTool", json!({"decision": "block", "reason": "r"}), Decision::Block, Some("r")),
            (
                "BeforeTool",
                json!({"reason": "top", "hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "r"}}),
                Decision::Ask,
                Some("r"),
            ),
            ("PreModelSwitch", json!({"hookSpecificOutput": {"permissionDecision": "deny"}}), Decision::Block, None),
            (
                "PermissionRequest",
                json!({"hookSpecificOutput": {"decision": {"behavior": "deny", "message": "r"}}}),
                Decision::Block,
                Some("r"),
            ),
            (
                "PermissionRequest",
                json!({"hookSpecificOutput": {"decision": {"behavior": "deny", "interrupt": true}}}),
                Decision::Stop,
                None,
            ),
            (
                "PermissionRequest",
                json!({"hookSpecificOutput": {"decision": {"behavior": "allow"}}}),
                Decision::Allow,
                None,
            ),
            ("PermissionRequest", json!({"hookSpecificOutput": {"permissionDecision": "deny"}}), Decision::Block, None),
            ("Elicitation", json!({"hookSpecificOutput": {"action": "decline"}}), Decision::Block, None),
            ("Elicitation", json!({"hookSpecificOutput": {"action": "accept", "content": {}}}), Decision::Allow, None),
            ("Stop", json!({"continue": false, "stopReason": "r"}), Decision::Stop, None),
        ];
        for (event, output, decision, reason) in cases {
            let reading = parse(event, output.clone());
            assert_eq!(reading.output.verdict(), decision, "{event} {output}");
            assert_eq!(reading.output.reason(), reason, "{event} {output}");
            assert_eq!(reading.misread, [], "{event} {output}");
        }
    }

    #[test]
    fn every_form_of_a_rewrite_is_read() {
        let input = |fields: Value, whole| {
            let Value::Object(fields) = fields else { panic!("arguments are an object") };
            Some(InputRewrite { fields, whole })
        };
        let cases = [
            ("BeforeTool", json!({"tool_input": {"a": 1}}), Rewrite::ToolCall { input: input(json!({"a": 1}), false) }),
            (
                "BeforeTool",
                json!({"updatedInput": {"a": 1}}),
                Rewrite::ToolCall { input: input(json!({"a": 1}), true) },
            ),
            (
                "BeforeTool",
                json!({"tool_input": {"b": 2}, "updatedInput": {"a": 1, "b": 1}}),
                Rewrite::ToolCall { input: input(json!({"a": 1, "b": 2}), true) },
            ),
            (
                "PermissionRequest",
                json!({"decision": {"behavior": "allow", "updatedInput": {"a": 1}, "updatedPermissions": [1]}}),
                Rewrite::Permission { input: input(json!({"a": 1}), true), permissions: Some(json!([1])) },
            ),
            (
                "AfterTool",
                json!({"updatedToolOutput": "x", "tailToolCallRequest": {"name": "t"}}),
                Rewrite::ToolResult {
                    output: Some(json!("x")),
                    mcp_output: None,
                    tail_call: json!({"name": "t"}).as_object().cloned(),
                },
            ),
            ("AfterAgent", json!({"clearContext": true}), Rewrite::TurnEnd { clear_context: true }),
            (
                "Elicitation",
                json!({"action": "accept", "content": {"x": 1}}),
                Rewrite::Elicitation { action: Some(ElicitationAction::Accept), content: Some(json!({"x": 1})) },
            ),
        ];
        for (event, specific, rewrite) in cases {
            let reading = parse(event, json!({"hookSpecificOutput": specific}));
            assert_eq!(reading.output.rewrite, rewrite, "{event} {specific}");
            assert_eq!(reading.misread, [], "{event} {specific}");
        }
    }

    #[test]
    fn what_is_not_understood_is_told_and_costs_nothing_else() {
        let cases = [
            (
                json!({"decision": "dney", "systemMessage": "m"}),
                "`decision` is `dney`, not `allow`, `ask` or `deny`",
                true,
            ),
            (json!({"decision": 5}), "`decision` is a number, not `allow`, `ask` or `deny`", true),
            (json!({"continue": "false"}), "`continue` is \"false\", not true or false", true),
            (json!({"reason": ["a"]}), "`reason` is a list, not text", false),
            (json!({"suppressOutput": "yes"}), "`suppressOutput` is text, not true or false", false),
            (json!({"hookSpecificOutput": "deny"}), "`hookSpecificOutput` is text, not an object", true),
            (json!({"desicion": "deny"}), "`desicion` is not a field of a hook's output", false),
            (
                json!({"hookSpecificOutput": {"tool_input": 1}}),
                "`hookSpecificOutput.tool_input` is a number, not an object",
                false,
            ),
            (
                json!({"hookSpecificOutput": {"llm_request": {}}}),
                "`hookSpecificOutput.llm_request` means nothing at this event; it belongs to BeforeModel",
                false,
            ),
        ];
        for (output, problem, decisive) in cases {
            let mut with_deny = output.clone();
            with_deny["hookSpecificOutput"] = match &output["hookSpecificOutput"] {
                Value::Object(fields) => {
                    let mut fields = fields.clone();
                    fields.insert("permissionDecision".to_owned(), json!("deny"));
                    Value::Object(fields)
                }
                Value::Null => json!({"permissionDecision": "deny"}),
                other => other.clone(),
            };
            let reading = parse("BeforeTool", output.clone());
            let told: Vec<(String, bool)> =
                reading.misread.iter().map(|misread| (misread.to_string(), misread.decisive)).collect();
            assert_eq!(told, [(problem.to_owned(), decisive)], "{output}");
            if with_deny["hookSpecificOutput"].is_object() {
                assert_eq!(parse("BeforeTool", with_deny).output.decision, Decision::Block, "{output}");
            }
        }
        let misplaced = parse("AfterTool", json!({"hookSpecificOutput": {"permissionDecision": "deny"}}));
        assert_eq!(misplaced.output.decision, Decision::None);
        assert!(misplaced.misread.iter().all(|misread| misread.decisive) && !misplaced.misread.is_empty());
    }

    #[test]
    fn an_output_written_as_json_reads_the_same() {
        let cases = [
            ("BeforeTool", json!({"decision": "block", "reason": "r", "hookSpecificOutput": {"tool_input": {"a": 1}}})),
            ("BeforeTool", json!({"hookSpecificOutput": {"updatedInput": {"a": 1}, "additionalContext": "c"}})),
            ("AfterModel", json!({"continue": false, "stopReason": "s", "hookSpecificOutput": {"llm_response": {}}})),
            (
                "SessionStart",
                json!({"suppressOutput": true, "hookSpecificOutput": {"watchPaths": ["a"]}, "terminalSequence": "x"}),
            ),
        ];
        for (event, output) in cases {
            let read = parse(event, output.clone()).output;
            assert_eq!(read.to_json(), output, "{event}");
            assert_eq!(parse(event, read.to_json()).output, read, "{event}");
        }
    }
}
