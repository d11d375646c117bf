use super::arguments::{self, Arguments};
use super::workspace::Workspace;
use hookrail_engine::CancelToken;
use hookrail_host::{Tool, ToolError, ToolResult};
use serde_json::{Value, json};

/// Writes a file of the working directory, creating or replacing it.
#[derive(Debug)]
pub struct WriteFile {
    workspace: Workspace,
}

impl WriteFile {
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace }
    }

    fn write(&self, args: &Arguments) -> Result<String, String> {
        let (path, content) = (arguments::text(args, "file_path")?, arguments::text(args, "content")?);
        let real = self.workspace.resolve(path)?;
        let cannot = |error: std::io::Error| format!("`{path}` cannot be written: {error}");
        if let Some(directory) = real.parent() {
            std::fs::create_dir_all(directory).map_err(cannot)?;
        }
        std::fs::write(&real, content).map_err(cannot)?;
        Ok(format!("wrote {} bytes to `{path}`", content.len()))
    }
}

impl Tool for WriteFile {
    fn name(&self) -> &str {
        "write_file"
    }

    fn declaration(&self) -> Value {
        json!({
            "name": self.name(),
            "description": "Writes a text file of the working directory, creating or replacing it.",
            "parameters": {
                "type": "object",
                "properties": {
                    "file_path": {"type": "string", "description": "relative to the working directory"},
                    "content": {"type": "string", "description": "the whole text of the file"},
                },
                "required": ["file_path", "content"],
            },
        })
    }

    fn validate(&self, args: &Arguments) -> Result<(), ToolError> {
        arguments::text(args, "file_path")?;
        arguments::text(args, "content")?;
        arguments::only(args, &["file_path", "content"]).map_err(ToolError)
    }

    fn execute(&self, args: &Arguments, _: &CancelToken) -> ToolResult {
        match self.write(args) {
            Ok(text) => ToolResult::text(&text),
            Err(why) => ToolResult::failed(&why),
        }
    }
}
