//! Lets the session happen, and tells about it as it does.
//!
//! The model is the clock: when the agent asks it something, everything before is recorded. Then the events since its last
//! answer are told, the next answer is told, and only then the agent gets it.

use super::agent::Agent;
use super::demo_project::DemoProject;
use super::ledger::Ledger;
use super::moment::{Happening, Moment};
use super::story::{self, PROMPTS, Prompt, ScriptedCall, ScriptedTurn};
use crate::error::CliError;
use crate::interrupt::Interrupt;
use hookrail_scripted_model::{ModelServer, Recorded, Script, Turn};
use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

const PULSE: Duration = Duration::from_millis(20);

/// Where the demo is shown.
pub trait Audience {
    fn see(&mut self, moment: &Moment) -> io::Result<()>;
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
struct Question {
    /// What the model has to answer to.
    heard: String,
    answer: Sender<()>,
}

pub struct DemoScript<'a> {
    audience: &'a mut dyn Audience,
    ledger: Ledger,
    steps: std::vec::IntoIter<ScriptedTurn>,
    prompts: std::array::IntoIter<Prompt, { PROMPTS.len() }>,
    /// What the model asked for last.
    call: Option<ScriptedCall>,
    /// What the user asked for, as long as the model has not heard it.
    unheard: Option<Prompt>,
}

/// Plays the session to its end.
pub fn play(stage: &DemoProject, audience: &mut dyn Audience, interrupt: &Interrupt) -> Result<(), Break> {
    let steps = story::steps(stage.git);
    let turns: Vec<Turn> = steps.iter().map(turn).collect();
    let (questions, asked) = mpsc::channel();
    let script = Script::new(turns).piece_length(40).watch(move |request| ask(request, &questions));
    let trouble =
        |error: io::Error| Break::Trouble(CliError::machine(format!("cannot start the scripted model: {error}")));
    let server = ModelServer::try_start(script).map_err(trouble)?;
    let mut agent = Agent::start(stage, &server.base_url()).map_err(Break::Trouble)?;
    let mut director = DemoScript {
        audience,
        ledger: Ledger::of(stage),
        steps: steps.into_iter(),
        prompts: PROMPTS.into_iter(),
        call: None,
        unheard: None,
    };
    director.follow(&mut agent, asked, interrupt)?;
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
fn ask(request: &Recorded, questions: &Sender<Question>) {
    let (answer, told) = mpsc::channel();
    if questions.send(Question { heard: request.news(), answer }).is_ok() {
        let _ = told.recv();
    }
}

impl DemoScript<'_> {
    /// Takes the questions along when it ends: a model whose answer is no longer needed must not wait either.
    #[expect(clippy::needless_pass_by_value, reason = "it is to be dropped at the end")]
    fn follow(&mut self, agent: &mut Agent, asked: Receiver<Question>, interrupt: &Interrupt) -> Result<(), Break> {
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
        for happening in self.ledger.read_on().map_err(Break::Trouble)? {
            let happening = self.complete(happening);
            if self.unheard.is_none()
                && matches!(happening.event.as_str(), "PromptExpand" | "BeforeAgent" | "PreCompress")
            {
                self.unheard = self.prompts.next();
                let typed = self.unheard.map(|prompt| prompt.typed).unwrap_or_default();
                self.audience.see(&Moment::Prompt(typed.to_owned()))?;
            }
            let expanded = happening.event == "PromptExpand";
            self.audience.see(&Moment::Event(happening))?;
            if expanded {
                self.audience.see(&Moment::Tasks(self.ledger.tasks()))?;
            }
        }
        Ok(())
    }

    /// The journal does not say what every event is about.
    fn complete(&self, mut happening: Happening) -> Happening {
        if !happening.subject.is_empty() {
            return happening;
        }
        happening.subject = match (happening.event.as_str(), &happening.tool, &self.call) {
            (_, Some(tool), Some(call)) if tool == call.tool => call.subject(),
            _ => String::new(),
        };
        happening
    }

    /// What the model hears beside what the user asked for.
    fn tell_context(&mut self, heard: &str) -> Result<(), Break> {
        let told = self.unheard.take().map(|prompt| prompt.told);
        match told.and_then(|told| heard.strip_prefix(told)).map(str::trim) {
            None | Some("") => Ok(()),
            Some(context) => Ok(self.audience.see(&Moment::Context(context.to_owned()))?),
        }
    }

    fn tell_answer(&mut self, heard: String) -> Result<(), Break> {
        let Some(step) = self.steps.next() else { return Ok(()) };
        // A delegation is over only when the agent it went to has spoken.
        if step.speaker.is_none() {
            self.call.clone_from(&step.call);
        }
        Ok(self.audience.see(&Moment::Speech { step, heard })?)
    }
}
