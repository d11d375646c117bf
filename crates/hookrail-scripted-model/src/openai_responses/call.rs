//! Tools as the Responses API offers and calls them: functions, free-form tools, and groups of either.

use super::Status;
use crate::conversation::{list, str_of};
use crate::script::ToolCall;
use crate::wire::{WireReply, merge};
use serde_json::{Value, json};

/// A tool in the request. Tools can be offered in named groups; the group's name is then part of the call.
pub(super) struct Offered<'a> {
    namespace: Option<&'a str>,
    name: &'a str,
}

impl Offered<'_> {
    pub fn full_name(&self) -> String {
        full_name(self.namespace, self.name)
    }
}

/// The one name of a tool in a group, built like the names of MCP tools.
pub(super) fn full_name(namespace: Option<&str>, name: &str) -> String {
    namespace.map_or_else(|| name.to_owned(), |namespace| format!("{namespace}__{name}"))
}

pub(super) fn offered(body: &Value) -> Vec<Offered<'_>> {
    list(body, "tools")
        .flat_map(|tool| match str_of(tool, "type") {
            "namespace" => list(tool, "tools").map(|inner| read_tool(inner, Some(str_of(tool, "name")))).collect(),
            _ => vec![read_tool(tool, None)],
        })
        .collect()
}

fn read_tool<'a>(tool: &'a Value, namespace: Option<&'a str>) -> Offered<'a> {
    // Tools that the provider runs itself have no name besides their type.
    let name = tool.get("name").and_then(Value::as_str).unwrap_or_else(|| str_of(tool, "type"));
    Offered { namespace, name }
}

/// A call as it is sent.
pub(super) struct SentCall {
    pub output_index: usize,
    pub form: &'static CallForm,
    pub id: String,
    pub input: String,
    call_id: String,
    namespace: Option<String>,
    name: String,
}

pub(super) struct CallForm {
    pub input_field: &'static str,
    pub delta_event: &'static str,
    pub done_event: &'static str,
    item: &'static str,
    id_prefix: &'static str,
}

const FUNCTION: CallForm = CallForm {
    item: "function_call",
    id_prefix: "fc",
    input_field: "arguments",
    delta_event: "response.function_call_arguments.delta",
    done_event: "response.function_call_arguments.done",
};

const CUSTOM: CallForm = CallForm {
    item: "custom_tool_call",
    id_prefix: "ctc",
    input_field: "input",
    delta_event: "response.custom_tool_call_input.delta",
    done_event: "response.custom_tool_call_input.done",
};

impl SentCall {
    pub fn all(reply: &WireReply) -> Vec<Self> {
        let before = usize::from(reply.speech.text.is_some());
        let calls = reply.speech.calls.iter().enumerate();
        calls.map(|(index, call)| Self::new(reply, index, before + index, call)).collect()
    }

    fn new(reply: &WireReply, index: usize, output_index: usize, call: &ToolCall) -> Self {
        let form = if call.args.is_string() { &CUSTOM } else { &FUNCTION };
        let (namespace, name) = address(call, &offered(&reply.request.body));
        Self {
            output_index,
            form,
            id: reply.item_id(form.id_prefix, index),
            call_id: reply.item_id("call", index),
            namespace,
            name,
            input: call.args.as_str().map_or_else(|| call.args.to_string(), str::to_owned),
        }
    }

    pub fn item(&self, status: Status, input: &str) -> Value {
        let item = json!({
            "id": self.id,
            "type": self.form.item,
            "status": status.name(),
            self.form.input_field: input,
            "call_id": self.call_id,
            "name": self.name,
        });
        let namespace = self.namespace.as_ref().map_or(json!({}), |namespace| json!({ "namespace": namespace }));
        merge(item, namespace)
    }
}

/// The group and name to call: as the script says, or as the tool of that full name was offered.
fn address(call: &ToolCall, offered: &[Offered]) -> (Option<String>, String) {
    let tool = offered.iter().find(|tool| call.namespace.is_none() && tool.full_name() == call.name);
    match tool {
        Some(tool) => (tool.namespace.map(str::to_owned), tool.name.to_owned()),
        None => (call.namespace.clone(), call.name.clone()),
    }
}
