//! What hookrail promises under every agent.

use super::client::{Client, Way};
use hookrail_testkit::model_server::{ModelServer, Recorded, Script, Turn};
use serde_json::json;
use std::io;
use std::path::Path;

/// A promise and how it is put to the test.
pub(super) struct Scenario {
    pub promise: &'static str,
    /// The event and the wish of the compatibility table that it proves; `None` if another scenario does.
    pub proves: Option<(&'static str, &'static str)>,
    pub way: Way,
    /// The user's `hookrail.toml`.
    config: &'static str,
    /// What the model wants to run.
    wishes: &'static [&'static str],
    /// What must hold afterwards.
    holds: fn(&Path, &[Recorded]) -> Result<(), String>,
}

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario {
        promise: "a native deny keeps the tool from running and tells the model why; other calls run",
        proves: Some(("BeforeTool", "block")),
        way: Way::Install,
        config: "",
        wishes: &["mkdir -p .hookrail && echo x > .hookrail/x", "echo x > fine.txt"],
        holds: |project, requests| {
            absent(project, ".hookrail/x")?;
            present(project, "fine.txt")?;
            heard(requests, "is protected and must not be changed")
        },
    },
    Scenario {
        promise: "the plugin of pack core alone does the same",
        proves: None,
        way: Way::Plugin,
        config: "",
        wishes: &["mkdir -p .hookrail && echo x > .hookrail/x", "echo x > fine.txt"],
        holds: |project, requests| {
            absent(project, ".hookrail/x")?;
            present(project, "fine.txt")?;
            heard(requests, "is protected and must not be changed")
        },
    },
    Scenario {
        promise: "a command hook that rewrites the arguments changes what runs",
        proves: Some(("BeforeTool", "rewrite")),
        way: Way::Install,
        config: "[[command]]\nname = \"rewrite\"\nevent = \"BeforeTool\"\n\
                 command = '''echo '{\"hookSpecificOutput\":{\"tool_input\":{\"command\":\"echo two > two.txt\",\"cmd\":\"echo two > two.txt\"}}}' '''\n",
        wishes: &["echo one > one.txt"],
        holds: |project, _| absent(project, "one.txt").and_then(|()| present(project, "two.txt")),
    },
    Scenario {
        promise: "context of a prompt hook reaches the model",
        proves: Some(("BeforeAgent", "context")),
        way: Way::Install,
        config: "[[command]]\nname = \"context\"\nevent = \"BeforeAgent\"\n\
                 command = '''echo '{\"hookSpecificOutput\":{\"additionalContext\":\"the moon is full\"}}' '''\n",
        wishes: &[],
        holds: |_, requests| heard(requests, "the moon is full"),
    },
    Scenario {
        promise: "a stop that is refused makes the agent go on, once, and the model hears why",
        proves: Some(("AfterAgent", "block")),
        way: Way::Install,
        config: "[[command]]\nname = \"stop\"\nevent = \"AfterAgent\"\n\
                 command = '''[ -e asked ] && exit 0; touch asked; echo 'the tests have not run' >&2; exit 2'''\n",
        wishes: &[],
        holds: |project, requests| present(project, "asked").and_then(|()| heard(requests, "the tests have not run")),
    },
];

impl Scenario {
    /// The inner error is a broken promise, the outer one a test that could not be made.
    pub fn play(&self, client: &Client) -> io::Result<Result<(), String>> {
        let (project, home) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let config = home.path().join(".config/hookrail");
        std::fs::create_dir_all(&config)?;
        std::fs::write(config.join("hookrail.toml"), self.config)?;
        let (tool, argument) = client.shell;
        let wish = |command: &&str| Turn::tool_call(tool, json!({ argument: command, "description": "a wish" }));
        let turns = self.wishes.iter().map(wish).chain([Turn::text("done"), Turn::text("done again")]);
        // Agents ask for titles and the like beside the conversation; those requests offer no tools.
        let script = Script::new(turns).when(|request| request.tool_names().is_empty(), Turn::text("a title"));
        let server = ModelServer::start(script);
        let flags = client.register(self.way, "core", project.path(), home.path(), &server.base_url())?;
        client.run(project.path(), home.path(), &server.base_url(), flags)?;
        client.unregister(self.way, project.path(), home.path())?;
        Ok((self.holds)(project.path(), &server.generations()))
    }
}

fn present(project: &Path, file: &str) -> Result<(), String> {
    if project.join(file).exists() { Ok(()) } else { Err(format!("`{file}` is missing")) }
}

fn absent(project: &Path, file: &str) -> Result<(), String> {
    if project.join(file).exists() { Err(format!("`{file}` is there")) } else { Ok(()) }
}

fn heard(requests: &[Recorded], text: &str) -> Result<(), String> {
    if requests.iter().any(|request| request.mentions(text)) {
        Ok(())
    } else {
        Err(format!("the model never heard `{text}`"))
    }
}
