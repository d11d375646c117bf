//! The service that Auggie speaks to: one JSON object a line.

use super::client::Client;
use crate::{ModelServer, Script, ToolResult, Turn};
use serde_json::{Value, json};

fn lines(body: &str) -> Vec<Value> {
    body.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn texts_and_calls_come_as_lines_and_the_last_one_tells_why_it_ends() {
    let call = json!({"command": "ls", "wait": true});
    let cases = [
        (Turn::text("Größe: 5 µm"), "Größe: 5 µm", None, 1),
        (Turn::tool_call("launch-process", call.clone()), "", Some(call.to_string()), 3),
    ];
    for (turn, text, input, reason) in cases {
        let server = ModelServer::start(Script::new([turn]));
        let body = json!({"nodes": [], "chat_history": []});
        let answer = Client::connect(&server).post("/chat-stream", &body);
        let lines = lines(&answer.body());
        assert_eq!(lines.iter().map(|line| line["text"].as_str().unwrap()).collect::<String>(), text);
        let inputs = lines.iter().find_map(|line| line["nodes"][0]["tool_use"]["input_json"].as_str());
        assert_eq!(inputs.map(str::to_owned), input);
        assert_eq!(lines.last().unwrap()["stop_reason"], reason);
    }
}

#[test]
fn a_conversation_is_read_from_its_history_and_its_news() {
    let server = ModelServer::start(Script::default());
    let result = json!({"tool_use_id": "c1", "content": "a.txt", "is_error": false});
    let body = json!({
        "chat_history": [{
            "request_nodes": [{"id": 1, "type": 0, "text_node": {"content": "List files."}}],
            "response_nodes": [
                {"id": 0, "type": 0, "content": "Looking."},
                {"id": 1, "type": 5, "content": "", "tool_use": {"tool_use_id": "c1", "tool_name": "ls", "input_json": "{}"}},
            ],
        }],
        "nodes": [{"id": 1, "type": 1, "tool_result_node": result}],
        "tool_definitions": [{"name": "ls"}, {"name": "view"}],
    });
    assert_eq!(Client::connect(&server).post("/chat-stream", &body).status, 200);
    let request = server.requests().pop().unwrap();
    assert!(request.is_generation());
    assert_eq!(request.texts(), ["List files.", "Looking."]);
    assert_eq!(request.tool_names(), ["ls", "view"]);
    let named = |name: &str| Some(name.to_owned());
    assert_eq!(request.tool_results(), [ToolResult { id: named("c1"), name: named("ls"), text: "a.txt".to_owned() }]);
}

#[test]
fn questions_about_the_service_take_no_turn() {
    let server = ModelServer::start(Script::new([Turn::text("hello")]));
    let mut client = Client::connect(&server);
    let models = client.post("/get-models", &json!({})).json();
    assert_eq!(models["feature_flags"]["enable_hooks"], true);
    assert_eq!(client.post("/agents/list-remote-tools", &json!({})).json(), json!({"tools": []}));
    assert_eq!(client.post("/settings/get-mcp-user-configs", &json!({})).json(), json!({}));
    assert_eq!(server.turns_left(), 1);
}

#[test]
fn a_request_that_is_no_conversation_is_refused() {
    let server = ModelServer::start(Script::default());
    let answer = Client::connect(&server).post("/chat-stream", &json!({"nodes": []}));
    assert_eq!(answer.status, 400);
    assert_eq!(answer.json()["error"], "`chat_history` is required");
}
