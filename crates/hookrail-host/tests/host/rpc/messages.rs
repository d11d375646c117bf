use crate::rpc::agent::{Agent, command};
use serde_json::{Value, json};

#[test]
fn ids_come_back_letter_by_letter() {
    let mut agent = Agent::new();
    for id in ["1", "-1", "1.50", "1e3", "123456789012345678901234567890", r#""""#, r#""a\u0062""#, "null"] {
        agent.write(format!(r#"{{"jsonrpc": "2.0", "id": {id}, "method": "status"}}"#).as_bytes());
        agent.write(b"\n");
        let line = agent.read_line();
        assert!(line.starts_with(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"#)), "{line}");
    }
}

#[test]
fn a_notification_is_done_and_not_answered() {
    let mut agent = Agent::with_hooks(&command("Notification", "touch seen"));
    agent.write(b"{\"jsonrpc\": \"2.0\", \"method\": \"no such method\"}\n");
    agent.write(b"{\"jsonrpc\": \"2.0\", \"method\": \"fire\", \"params\": {\"event\": \"Notification\"}}\n");
    let id = agent.send("shutdown", &json!({}));
    let said = agent.wait_for_end();
    assert_eq!(said, [json!({ "jsonrpc": "2.0", "id": id, "result": null })]);
    assert!(agent.project.exists("seen"));
}

#[test]
fn lines_may_end_as_on_windows_and_be_empty_and_the_last_one_may_be_open() {
    let mut agent = Agent::new();
    agent.write(b"\r\n\n  \n{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"status\"}\r\n");
    assert_eq!(agent.read()["id"], json!(1));
    agent.write(b"{\"jsonrpc\": \"2.0\", \"id\": 2, \"method\": \"status\"}");
    agent.close_input();
    assert_eq!(agent.read()["id"], json!(2));
}

#[test]
fn a_batch_is_answered_as_a_whole() {
    let mut agent = Agent::with_hooks(&command("BeforeTool", "echo no >&2; exit 2"));
    let batch = json!([
        { "jsonrpc": "2.0", "id": "tool", "method": "beforeTool", "params": { "toolName": "a", "toolInput": {} } },
        { "jsonrpc": "2.0", "id": "status", "method": "status" },
        { "jsonrpc": "2.0", "method": "status" },
        { "jsonrpc": "2.0", "id": "wrong", "method": "nothing" },
        [],
    ]);
    agent.write(format!("{batch}\n").as_bytes());
    let answer = agent.read();
    let answers = answer.as_array().expect("a list");
    let by_id = |id: Value| answers.iter().find(|answer| answer["id"] == id).expect("an answer");
    assert_eq!(answers.len(), 4, "{answer}");
    assert_eq!(by_id(json!("tool"))["result"]["reason"], json!("no"));
    assert_eq!(by_id(json!("status"))["result"]["initialized"], json!(true));
    assert_eq!(by_id(json!("wrong"))["error"]["code"], json!(-32601));
    assert_eq!(by_id(Value::Null)["error"]["code"], json!(-32600));
}

#[test]
fn a_batch_of_notifications_is_not_answered() {
    let mut agent = Agent::new();
    agent.write(b"[{\"jsonrpc\": \"2.0\", \"method\": \"status\"}, {\"jsonrpc\": \"2.0\", \"method\": \"status\"}]\n");
    let id = agent.send("status", &json!({}));
    agent.read_result(id);
}

#[test]
fn a_text_that_was_cut_inside_a_character_is_taken() {
    let mut agent = Agent::with_hooks(&command("AfterTool", "grep -q 'cut.*here' && echo seen >&2 && exit 2"));
    let request = r#"{"jsonrpc": "2.0", "id": "cut", "method": "afterTool", "params":
        {"toolName": "a", "toolInput": {}, "toolResponse": {"llmContent": "cut \ud83d here"}}}"#;
    agent.write(format!("{}\n", request.replace('\n', " ")).as_bytes());
    assert_eq!(agent.read()["result"]["reason"], json!("seen"));
}

#[test]
fn hooks_are_asked_about_arguments_that_are_nested_beyond_measure() {
    let mut agent = Agent::with_hooks(&command("BeforeTool", "grep -q 'rm -rf' && echo no >&2 && exit 2"));
    for depth in [10, 126, 500, 100_000] {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        let input = format!(r#"{{"x": {open}"rm -rf"{close}}}"#);
        let params = format!(r#"{{"toolName": "a", "toolInput": {input}}}"#);
        agent.write(
            format!("{{\"jsonrpc\": \"2.0\", \"id\": {depth}, \"method\": \"beforeTool\", \"params\": {params}}}\n")
                .as_bytes(),
        );
        // The answer holds the arguments, which are too deep for the parser of these tests.
        let line = agent.read_line();
        let expected =
            format!(r#"{{"jsonrpc":"2.0","id":{depth},"result":{{"decision":"block","blocked":true,"reason":"no""#);
        assert!(line.starts_with(&expected), "{depth}: {}", line.get(..200).unwrap_or(&line));
    }
}
