//! What the plugin or extension of a pack promises by itself. Everything else is proven by `hookrail verify`.

use super::client::{Client, ClientSetup};
use hookrail_testkit::model_server::{ModelServer, Script, Turn};
use serde_json::json;
use std::io;

pub(super) const PLUGIN_PROMISE: &str =
    "the plugin of pack core alone keeps a tool from running and tells the model why";

/// The inner error is a broken promise, the outer one a test that could not be made.
pub(super) fn play_plugin(client: &Client) -> io::Result<Result<(), String>> {
    let (project, home) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let tool = if client.agent.name == "claude" { "Bash" } else { "run_shell_command" };
    let wish = |command: &str| Turn::tool_call(tool, json!({ "command": command, "description": "a wish" }));
    let refused = wish("mkdir -p .hookrail && echo x > .hookrail/x");
    let script = Script::new([refused, wish("echo x > fine.txt"), Turn::text("done"), Turn::text("done again")]);
    // Agents ask for titles and the like beside the conversation; those requests offer no tools.
    let server = ModelServer::start(script.when(|request| request.tool_names().is_empty(), Turn::text("a title")));
    let flags = client.register(ClientSetup::Plugin, "core", project.path(), home.path(), &server.base_url())?;
    client.run(project.path(), home.path(), &server.base_url(), flags)?;
    let heard = server.generations().iter().any(|request| request.mentions("is protected and must not be changed"));
    Ok(match (project.path().join(".hookrail/x").exists(), project.path().join("fine.txt").exists(), heard) {
        (true, ..) => Err("the refused call ran".to_owned()),
        (_, false, _) => Err("the allowed call did not run".to_owned()),
        (.., false) => Err("the model never heard why".to_owned()),
        (false, true, true) => Ok(()),
    })
}
