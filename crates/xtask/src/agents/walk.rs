//! A workflow of a pack from an empty project to its end, on a real agent, as the pack's page says.
//!
//! A walk is data: the files the project begins with, what the model does, and what the page promises of it. Each is taken
//! twice, with the pack's plugin and with `hookrail install`.

use super::client::{Client, ClientSetup};
use super::program::{hookrail, texts_below};
use super::walks::WALKS;
use hookrail_testkit::model_server::{ModelServer, Recorded, Script, ToolResult, Turn};
use serde_json::{Value, json};
use std::io;
use std::path::{Path, PathBuf};

/// One workflow.
pub(super) struct WorkflowWalk {
    pub pack: &'static str,
    /// What is in the project before the agent starts: paths and texts.
    pub files: &'static [(&'static str, &'static str)],
    /// What the user does with hookrail before that.
    pub commands: &'static [&'static [&'static str]],
    /// What the model does, one list per start of the agent.
    pub runs: &'static [&'static [Step]],
    /// Every refusal of a tool that the page announces, by a part of its text. Any other is a false one.
    pub refusals: &'static [&'static str],
    pub promises: &'static [PageCheck],
}

/// One thing that the model does.
pub(super) enum Step {
    /// It calls a tool with this input, in JSON.
    Calls(&'static str, &'static str),
    /// It starts an agent with this prompt.
    Delegates(&'static str),
    /// It says something and stops.
    Says(&'static str),
}

/// A sentence of the page and how it shows.
pub(super) struct PageCheck {
    pub sentence: &'static str,
    pub seen: &'static [Seen],
}

/// How something shows.
pub(super) enum Seen {
    /// The model reads this.
    Heard(&'static str),
    /// This many tools are refused with this.
    Refused(&'static str, usize),
    /// An agent is started with this.
    Delegated(&'static str),
    /// The journal has this.
    Recorded(&'static str),
    /// A file below a folder of the project (or `~`) has this.
    Left(&'static str, &'static str),
    /// No file below a folder of the project (or `~`) has this.
    NotLeft(&'static str, &'static str),
}

/// What is left of a walk.
struct Walked {
    requests: Vec<Recorded>,
    project: PathBuf,
    home: PathBuf,
}

/// The walk through the workflow of a pack.
pub(super) fn find(pack: &str) -> Option<&'static WorkflowWalk> {
    WALKS.iter().find(|walk| walk.pack == pack)
}

/// The prompt of every start, by which the main conversation is told from its agents.
const PROMPT: &str = "do it";
/// What tools the user allows; a question would end the walk.
const ALLOWED: &str = "Agent,Bash,Edit,Skill,Task,TaskCreate,TaskList,TaskUpdate,Write";
/// What a discovery of old answers.
const OLD_MENU: &str = "Choose:\n\n1. New Project\n2. Existing Project\n3. Scoped Analysis\n4. Auto-detect\n";
/// How Claude Code words the result of a tool that was not carried out.
const TROUBLE: [&str; 6] =
    ["hook error", "hook feedback", "hook blocked", "requested permissions", "tool_use_error", "No such tool"];

impl WorkflowWalk {
    /// Each promise and whether it was kept, with the plugin and installed; the outer error is a walk that could not be made.
    pub fn take(&self, client: &Client) -> io::Result<Vec<(&'static str, Result<(), String>)>> {
        let walked = [
            ("plugin", self.walk(client, ClientSetup::Plugin)?),
            ("install", self.walk(client, ClientSetup::Install)?),
        ];
        let both = |check: &dyn Fn(&Walked) -> Result<(), String>| {
            walked.iter().try_for_each(|(way, walked)| check(walked).map_err(|why| format!("{way}: {why}")))
        };
        let kept = self.promises.iter().map(|promise| {
            (promise.sentence, both(&|walked| promise.seen.iter().try_for_each(|seen| walked.shows(seen))))
        });
        let sound =
            ("nothing is refused that the page does not announce", both(&|walked| walked.is_sound(self.refusals)));
        Ok(kept.chain([sound]).collect())
    }

    fn walk(&self, client: &Client, way: ClientSetup) -> io::Result<Walked> {
        let (project, home) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let (project, home) = (project.keep().canonicalize()?, home.keep().canonicalize()?);
        for (file, text) in self.files {
            write(&project, file, text)?;
        }
        if way == ClientSetup::Install {
            write(&project, ".hookrail/hookrail.toml", &format!("[packs.{}]\nenabled = true\n", self.pack))?;
            hookrail(&["install", client.agent.name], &project, &home)?;
        }
        for command in self.commands {
            hookrail(command, &project, &home)?;
        }
        let mut requests = Vec::new();
        for (index, steps) in self.runs.iter().enumerate() {
            let server = ModelServer::start(script(steps)?);
            let mut flags = client.register(way, self.pack, &project, &home, &server.base_url())?;
            flags.extend(["--allowedTools", ALLOWED].map(str::to_owned));
            flags.extend((index > 0).then(|| "--continue".to_owned()));
            client.run(&project, &home, &server.base_url(), flags)?;
            requests.extend(server.generations());
        }
        Ok(Walked { requests, project, home })
    }
}

/// The main conversation follows the steps. Agents that it starts say one sentence, and so does everything beside them.
fn script(steps: &[Step]) -> io::Result<Script> {
    let turns: Result<Vec<Turn>, io::Error> = steps.iter().map(turn).collect();
    let discovers = |request: &Recorded| request.texts().iter().any(|text| text.contains("/discover"));
    Ok(Script::new(turns?)
        .when(|request| request.tool_names().is_empty(), Turn::text("a title"))
        .when(move |request| !is_main(request) && discovers(request), Turn::text(OLD_MENU))
        .when(|request| !is_main(request), Turn::text("The agent has done its part."))
        .otherwise(Turn::text("Nothing more to do.")))
}

fn is_main(request: &Recorded) -> bool {
    request.texts().iter().any(|text| text.contains(PROMPT))
}

fn turn(step: &Step) -> io::Result<Turn> {
    Ok(match step {
        Step::Calls(tool, input) => Turn::tool_call(*tool, serde_json::from_str::<Value>(input)?),
        Step::Delegates(prompt) => {
            let input = json!({"subagent_type": "general-purpose", "description": "a step", "prompt": prompt});
            Turn::tool_call("Agent", input)
        }
        Step::Says(text) => Turn::text(*text),
    })
}

impl Walked {
    fn shows(&self, seen: &Seen) -> Result<(), String> {
        let (holds, what) = match seen {
            Seen::Heard(text) => {
                (self.requests.iter().any(|it| it.mentions(text)), format!("the model reads `{text}`"))
            }
            Seen::Refused(text, times) => {
                let found = self.results().iter().filter(|result| result.text.contains(text)).count();
                (found == *times, format!("`{text}` is said {times} times (it was {found})"))
            }
            Seen::Delegated(text) => {
                let mut agents = self.requests.iter().filter(|request| !is_main(request));
                (agents.any(|request| request.mentions(text)), format!("an agent is started with `{text}`"))
            }
            Seen::Recorded(text) => {
                let found = texts_below(&self.home.join("state"), "jsonl").iter().any(|it| it.contains(text));
                (found, format!("the journal has `{text}`"))
            }
            Seen::Left(folder, text) => (self.has(folder, text), format!("a file below `{folder}` has `{text}`")),
            Seen::NotLeft(folder, text) => (!self.has(folder, text), format!("no file below `{folder}` has `{text}`")),
        };
        if holds { Ok(()) } else { Err(format!("it is not so that {what}")) }
    }

    fn has(&self, folder: &str, text: &str) -> bool {
        let folder = match folder.strip_prefix("~/") {
            Some(rest) => self.home.join(rest),
            None => self.project.join(folder),
        };
        texts_below(&folder, "").iter().any(|file| file.contains(text))
    }

    /// Every result of a tool in the main conversation, each once.
    fn results(&self) -> Vec<ToolResult> {
        let mut all: Vec<ToolResult> = Vec::new();
        for result in self.requests.iter().filter(|request| is_main(request)).flat_map(Recorded::tool_results) {
            if !all.iter().any(|known| known.id == result.id) {
                all.push(result);
            }
        }
        all
    }

    fn is_sound(&self, announced: &[&str]) -> Result<(), String> {
        let is_trouble = |result: &&ToolResult| TROUBLE.iter().any(|word| result.text.contains(word));
        let is_announced = |result: &ToolResult| announced.iter().any(|text| result.text.contains(text));
        let results = self.results();
        match results.iter().filter(is_trouble).find(|result| !is_announced(result)) {
            None => Ok(()),
            Some(result) => Err(format!("{} gave: {}", result.name.as_deref().unwrap_or("a tool"), result.text)),
        }
    }
}

fn write(project: &Path, file: &str, text: &str) -> io::Result<()> {
    let path = project.join(file);
    std::fs::create_dir_all(path.parent().unwrap_or(project))?;
    std::fs::write(path, text)
}
