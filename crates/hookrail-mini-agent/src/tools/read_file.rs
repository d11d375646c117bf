use super::arguments::{self, Arguments};
use super::clip::clip;
use super::workspace::Workspace;
use hookrail_engine::CancelToken;
use hookrail_host::{Tool, ToolError, ToolResult};
use serde_json::{Value, json};

/// Reads a file of the working directory.
#[derive(Debug)]
pub struct ReadFile {
    workspace: Workspace,
}

impl ReadFile {
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace }
    }

    fn read(&self, args: &Arguments) -> Result<String, String> {
        let path = arguments::text(args, "file_path")?;
        let bytes = std::fs::read(self.workspace.resolve(path)?);
        let bytes = bytes.map_err(|error| format!("`{path}` cannot be read: {error}"))?;
        Ok(clip(&String::from_utf8_lossy(&bytes)))
    }
}

impl Tool for ReadFile {
    fn name(&self) -> &str {
        "read_file"
    }

    fn declaration(&self) -> Value {
        json!({
            "name": self.name(),
            "description": "Reads a text file of the working directory.",
            "parameters": {
                "type": "object",
                "properties": {"file_path": {"type": "string", "description": "relative to the working directory"}},
                "required": ["file_path"],
            },
        })
    }

    fn validate(&self, args: &Arguments) -> Result<(), ToolError> {
        arguments::text(args, "file_path")?;
        arguments::only(args, &["file_path"]).map_err(ToolError)
    }

    fn execute(&self, args: &Arguments, _: &CancelToken) -> ToolResult {
        match self.read(args) {
            Ok(text) => ToolResult::text(&text),
            Err(why) => ToolResult::failed(&why),
        }
    }
}
