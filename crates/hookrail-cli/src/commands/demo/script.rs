//! Lets the session happen, and tells about it as it does.
//!
//! The model is the clock: when the agent asks it something, everything before is recorded. Then the events since its last
//! answer are told, the next answer is told, and only then the agent gets it.

use super::agent::Agent;
use super::demo_project::DemoProject;
use super::journal_feed::JournalFeed;
use super::step::{DemoEvent, DemoStep};
use super::story::{self, PROMPTS, Prompt, ScriptedCall, ScriptedTurn};
use crate::error::CliError;
use crate::interrupt::Interrupt;
use hookrail_scripted_model::{ModelServer, Recorded, Script, Turn};
use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

const PULSE: Duration = Duration::from_millis(20);

/// Where the demo is shown.
pub trait DemoOutput {
    fn see(&mut self, step: &DemoStep) -> io::Result<()>;
}

/// Why the session did not come to its end.
#[derive(Debug)]
pub enum Break {
    Interrupted,
    /// The output was closed.
    Unseen,
    Trouble(CliError),
}

impl From<io::Error> for Break {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Unseen,
            _ => Self::Trouble(CliError::machine(format!("the demo cannot be shown: {error}"))),
        }
    }
}

/// A request to the model that waits for its answer.
struct PendingRequest {
    /// What the model has to answer to.
    heard: String,
    answer: Sender<()>,
}

pub struct DemoScript<'a> {
    output: &'a mut dyn DemoOutput,
    feed: JournalFeed,
    steps: std::vec::IntoIter<ScriptedTurn>,
    prompts: std::array::IntoIter<Prompt, { PROMPTS.len() }>,
    /// What the model asked for last.
    call: Option<ScriptedCall>,
    /// What the user asked for, as long as the model has not heard it.
    unheard: Option<Prompt>,
}

/// Plays the session to its end.
pub fn play(demo: &DemoProject, output: &mut dyn DemoOutput, interrupt: &Interrupt) -> Result<(), Break> {
    let steps = story::steps(demo.git);
    let turns: Vec<Turn> = steps.iter().map(turn).collect();
    let (questions, asked) = mpsc::channel();
    let script = Script::new(turns).piece_length(40).watch(move |request| ask(request, &questions));
    let trouble =
        |error: io::Error| Break::Trouble(CliError::machine(format!("cannot start the scripted model: {error}")));
    let server = ModelServer::try_start(script).map_err(trouble)?;
    let mut agent = Agent::start(demo, &server.base_url()).map_err(Break::Trouble)?;
    let mut script = DemoScript {
        output,
        feed: JournalFeed::of(demo),
        steps: steps.into_iter(),
        prompts: PROMPTS.into_iter(),
        call: None,
        unheard: None,
    };
    script.follow(&mut agent, asked, interrupt)?;
    let status = agent.ended();
    if status.is_some_and(|status| status.success()) && server.turns_left() == 0 {
        return Ok(());
    }
    let how = status.map(|status| status.to_string()).unwrap_or_default();
    Err(Break::Trouble(CliError::machine(format!("the agent ended too early ({how})\n{}", agent.talk().trim_end()))))
}

fn turn(step: &ScriptedTurn) -> Turn {
    match &step.call {
        Some(call) => Turn::text_and_calls(step.says, [(call.tool, call.input.clone())]),
        None => Turn::text(step.says),
    }
}

/// Holds the model's answer back until it has been told. When the demo has ended, the answer does not matter.
fn ask(request: &Recorded, questions: &Sender<PendingRequest>) {
    let (answer, told) = mpsc::channel();
    if questions.send(PendingRequest { heard: request.news(), answer }).is_ok() {
        let _ = told.recv();
    }
}

impl DemoScript<'_> {
    /// Takes the questions along when it ends: a model whose answer is no longer needed must not wait either.
    #[expect(clippy::needless_pass_by_value, reason = "it is to be dropped at the end")]
    fn follow(
        &mut self,
        agent: &mut Agent,
        asked: Receiver<PendingRequest>,
        interrupt: &Interrupt,
    ) -> Result<(), Break> {
        loop {
            let question = asked.recv_timeout(PULSE);
            if interrupt.came() {
                return Err(Break::Interrupted);
            }
            match question {
                Ok(question) => {
                    self.tell_events()?;
                    self.tell_context(&question.heard)?;
                    self.tell_answer(question.heard)?;
                    // An agent that is gone is noticed at the next look.
                    let _ = question.answer.send(());
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    if agent.ended().is_some() {
                        return self.tell_events();
                    }
                }
            }
        }
    }

    fn tell_events(&mut self) -> Result<(), Break> {
        for demo_event in self.feed.read_on().map_err(Break::Trouble)? {
            let demo_event = self.complete(demo_event);
            if self.unheard.is_none()
                && matches!(demo_event.event.as_str(), "PromptExpand" | "BeforeAgent" | "PreCompress")
            {
                self.unheard = self.prompts.next();
                let typed = self.unheard.map(|prompt| prompt.typed).unwrap_or_default();
                self.output.see(&DemoStep::Prompt(typed.to_owned()))?;
            }
            let expanded = demo_event.event == "PromptExpand";
            self.output.see(&DemoStep::Event(demo_event))?;
            if expanded {
                self.output.see(&DemoStep::Tasks(self.feed.tasks()))?;
            }
        }
        Ok(())
    }

    /// The journal does not say what every event is about.
    fn complete(&self, mut demo_event: DemoEvent) -> DemoEvent {
        if !demo_event.subject.is_empty() {
            return demo_event;
        }
        demo_event.subject = match (demo_event.event.as_str(), &demo_event.tool, &self.call) {
            (_, Some(tool), Some(call)) if tool == call.tool => call.subject(),
            _ => String::new(),
        };
        demo_event
    }

    /// What the model hears beside what the user asked for.
    fn tell_context(&mut self, heard: &str) -> Result<(), Break> {
        let told = self.unheard.take().map(|prompt| prompt.told);
        match told.and_then(|told| heard.strip_prefix(told)).map(str::trim) {
            None | Some("") => Ok(()),
            Some(context) => Ok(self.output.see(&DemoStep::Context(context.to_owned()))?),
        }
    }

    fn tell_answer(&mut self, heard: String) -> Result<(), Break> {
        let Some(step) = self.steps.next() else { return Ok(()) };
        // A delegation is over only when the agent it went to has spoken.
        if step.speaker.is_none() {
            self.call.clone_from(&step.call);
        }
        Ok(self.output.see(&DemoStep::Speech { step, heard })?)
    }
}
