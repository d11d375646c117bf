//! An MCP server with one tool that writes a file: `hookrail verify -- mcp-server`, for the agents under test.

use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::path::Path;

/// Serves one client, line by line, until it goes away.
pub fn serve(input: impl BufRead, mut output: impl Write) -> std::io::Result<()> {
    for line in input.lines() {
        let Ok(request) = serde_json::from_str::<Value>(&line?) else { continue };
        // A notification has no id and takes no answer.
        let Some(id) = request.get("id") else { continue };
        let method = request.get("method").and_then(Value::as_str).unwrap_or_default();
        let params = request.get("params").unwrap_or(&Value::Null);
        let answer = match result(method, params) {
            Some(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            None => json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no such method"}}),
        };
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}

fn result(method: &str, params: &Value) -> Option<Value> {
    match method {
        "initialize" => Some(json!({
            "protocolVersion": params.get("protocolVersion").cloned().unwrap_or_else(|| json!("2025-06-18")),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "canary", "version": env!("CARGO_PKG_VERSION")},
        })),
        "ping" => Some(json!({})),
        "tools/list" => Some(json!({"tools": [{
            "name": "note",
            "description": "Writes a text into a file.",
            "inputSchema": {
                "type": "object",
                "properties": {"path": {"type": "string"}, "text": {"type": "string"}},
                "required": ["path", "text"],
            },
        }]})),
        "tools/call" => Some(call(params.get("arguments").unwrap_or(&Value::Null))),
        "resources/list" => Some(json!({"resources": []})),
        "prompts/list" => Some(json!({"prompts": []})),
        _ => None,
    }
}

fn call(arguments: &Value) -> Value {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let written = std::fs::write(Path::new(text("path")), text("text"));
    let said = written.as_ref().map_or_else(ToString::to_string, |()| "noted".to_owned());
    json!({"content": [{"type": "text", "text": said}], "isError": written.is_err()})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tool_is_told_of_and_writes_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.txt");
        let requests = [
            json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-03-26"}}),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
            json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                "params": {"name": "note", "arguments": {"path": file, "text": "x"}}}),
            json!({"jsonrpc": "2.0", "id": 3, "method": "other"}),
        ];
        let input = requests.map(|request| format!("{request}\n")).concat();
        let mut output = Vec::new();
        serve(input.as_bytes(), &mut output).unwrap();
        let answers: Vec<Value> =
            String::from_utf8(output).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let expected = [
            (0, "/result/protocolVersion", json!("2025-03-26")),
            (1, "/result/tools/0/name", json!("note")),
            (2, "/result/isError", json!(false)),
            (3, "/error/code", json!(-32601)),
        ];
        assert_eq!(answers.len(), expected.len());
        for (answer, (id, place, value)) in answers.iter().zip(expected) {
            assert_eq!((answer.get("id"), answer.pointer(place)), (Some(&json!(id)), Some(&value)));
        }
        assert_eq!(std::fs::read_to_string(file).unwrap(), "x");
    }
}
