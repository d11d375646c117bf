//! The session for a person.

use super::demo_project::DemoProject;
use super::pace::Pace;
use super::project::PACKS;
use super::script::DemoOutput;
use super::step::{DemoEvent, DemoOutcome, DemoStep};
use super::story::{Git, ScriptedTurn};
use super::summary::Summary;
use super::wording::{about, cut, describe_pack, dress, mark, names, plain, sanitised, word};
use crate::interrupt::Interrupt;
use crate::screen::{Align, Table, columns, duration, one_line, visible_width, wrap, wrap_around_layout};
use hookrail_store::Outcome;
use owo_colors::OwoColorize;
use std::io::{self, Write};
use std::time::Duration;

/// Wider lines are hard to read.
const MOST_COLUMNS: usize = 110;
/// The columns before what an event is about: a mark and the event's name.
const MARGIN: usize = 16;
/// The columns for a outcome and its time.
const RULING: usize = 18;
/// Between the names of hooks.
const BETWEEN: &str = " · ";

/// What to do next.
const COMMANDS: [(&str, &str); 3] = [
    ("hookrail init", "choose guardrails and packs for your project"),
    ("hookrail install claude", "let your agent call it; gemini, codex and others too"),
    ("hookrail doctor", "see that it does"),
];

pub struct View<'a> {
    out: Box<dyn Write>,
    /// Where the session happens and where its home is; names that say nothing to a reader.
    folder: String,
    home: String,
    width: usize,
    pace: Pace,
    interrupt: &'a Interrupt,
}

impl<'a> View<'a> {
    pub fn new(demo: &DemoProject, pace: Pace, interrupt: &'a Interrupt) -> Self {
        let (folder, home) = (demo.project().display().to_string(), demo.home().display().to_string());
        Self { out: Box::new(anstream::stdout()), folder, home, width: columns().min(MOST_COLUMNS), pace, interrupt }
    }

    pub fn introduce(&mut self, demo: &DemoProject) -> io::Result<()> {
        writeln!(self.out, "{}", "hookrail demo".bold())?;
        let usual = ["core", "safety"].map(|pack| pack.cyan().to_string());
        let packs = PACKS.map(|pack| pack.cyan().to_string());
        let text = format!(
            "A real agent works in a temporary project under the packs {}, which are always on, and {}. Only its model is \
             scripted: every event below is a `hookrail hook` process, and its line is what that process wrote down.",
            usual.join(" and "),
            packs.join(", "),
        );
        self.paragraph(&text, plain)?;
        if demo.git == Git::Missing {
            let note = "git is not installed, so nothing is committed; hooks read git's files themselves.";
            self.paragraph(note, plain)?;
        }
        writeln!(self.out)?;
        self.pause(900);
        Ok(())
    }

    pub fn conclude(&mut self, summary: &Summary, demo: &DemoProject, kept: bool) -> io::Result<()> {
        let Summary { events, runs, refused, sent_on, process_time, .. } = summary;
        writeln!(self.out)?;
        let refused = format!("{refused} refused");
        let counts = format!("{events} events · {runs} hook runs · {} · {sent_on} sent on", refused.red());
        self.paragraph(&counts, |line| line.bold().to_string())?;
        let packs: Vec<String> = summary.packs.iter().map(describe_pack).collect();
        self.flow(&packs, 0)?;
        let whole = process_time.map(|time| format!(", {} for a whole `hookrail hook` process", duration(time)));
        let median = duration(summary.median());
        self.paragraph(&format!("In the median {median} to decide{}.", whole.unwrap_or_default()), plain)?;
        let folder = demo.folder().display();
        let record = if kept {
            format!("Everything is in {folder}, the journal in state/: HOOKRAIL_STATE_DIR={folder}/state hookrail log")
        } else {
            format!("Nothing was recorded outside {folder}, which is gone now (--keep leaves it).")
        };
        self.paragraph(&record, |line| line.dimmed().to_string())?;
        writeln!(self.out, "\n{}", "Go on with".bold())?;
        let mut table = Table::new([("", Align::Left), ("", Align::Left)]);
        for (command, purpose) in COMMANDS {
            table.row([format!("  {}", command.cyan()), purpose.to_owned()]);
        }
        table.write(&mut *self.out)?;
        self.out.flush()
    }

    fn paragraph(&mut self, text: &str, dress: fn(&str) -> String) -> io::Result<()> {
        wrap(text, self.width).iter().try_for_each(|line| writeln!(self.out, "{}", dress(line)))
    }

    /// Lines below an event, in line with what it is about.
    fn below(&mut self, text: &str, dress: fn(&str) -> String) -> io::Result<()> {
        let text = sanitised(&text.replace(&self.folder, "…").replace(&self.home, "~"));
        let lines = wrap_around_layout(&text, self.width.saturating_sub(MARGIN));
        lines.iter().try_for_each(|line| writeln!(self.out, "{}{}", " ".repeat(MARGIN), dress(line)))
    }

    fn event(&mut self, demo_event: &DemoEvent) -> io::Result<()> {
        let outcome = demo_event.outcome();
        let room = self.width.saturating_sub(MARGIN + RULING + 1);
        let about = about(demo_event);
        let names = names(&demo_event.looks);
        let beside = visible_width(&about) + 2 + visible_width(&names.join(BETWEEN)) <= room;
        let mut left = cut(&about, room);
        if beside {
            left = format!("{left}  {}", names.join(&BETWEEN.dimmed().to_string()));
        }
        let gap = " ".repeat((room + 1).saturating_sub(visible_width(&left)));
        let event = format!("{:13}", demo_event.event);
        let word = format!("{:>8}", word(outcome));
        let time = format!("{:>8}", duration(demo_event.time()));
        writeln!(
            self.out,
            " {} {}{left}{gap}{}  {}",
            dress(outcome, mark(outcome)),
            event.bold(),
            dress(outcome, &word),
            time.dimmed()
        )?;
        if !beside {
            self.flow(&names, MARGIN)?;
        }
        for reason in demo_event.looks.iter().filter(|look| look.refuses() || look.outcome == Outcome::Failed) {
            self.below(reason.reason.as_deref().unwrap_or("no reason given"), |line| line.yellow().to_string())?;
        }
        self.out.flush()?;
        self.pause(match outcome {
            DemoOutcome::Passed => 60,
            DemoOutcome::Refused | DemoOutcome::SentOn | DemoOutcome::Failed => 750,
        });
        Ok(())
    }

    /// Names, as many in a line as fit.
    fn flow(&mut self, names: &[String], margin: usize) -> io::Result<()> {
        let room = self.width.saturating_sub(margin);
        let mut lines: Vec<Vec<&str>> = Vec::new();
        for name in names {
            let width = |line: &[&str]| visible_width(&line.join(BETWEEN)) + BETWEEN.len() + visible_width(name);
            match lines.last_mut() {
                Some(line) if width(line) <= room => line.push(name),
                _ => lines.push(vec![name]),
            }
        }
        let between = BETWEEN.dimmed().to_string();
        lines.iter().try_for_each(|line| writeln!(self.out, "{}{}", " ".repeat(margin), line.join(&between)))
    }

    /// What goes to the model beside the prompt, a line for each hook that added to it.
    fn context(&mut self, text: &str) -> io::Result<()> {
        let room = self.width.saturating_sub(MARGIN);
        let added: Vec<String> = text.split("\n\n").map(|text| self.brief(text, room)).collect();
        added.iter().try_for_each(|line| writeln!(self.out, "{}{}", " ".repeat(MARGIN), line.cyan()))
    }

    /// A text as one line.
    fn brief(&self, text: &str, room: usize) -> String {
        let words = format!("+ {}", one_line(&text.replace(&self.folder, "…")));
        cut(&words.split_whitespace().collect::<Vec<_>>().join(" "), room)
    }

    fn speech(&mut self, step: &ScriptedTurn) -> io::Result<()> {
        let who = format!(" {:>6} › ", step.speaker.unwrap_or("model"));
        let margin = visible_width(&who);
        let lines = wrap(step.says, self.width.saturating_sub(margin));
        let says = lines.join(&format!("\n{}", " ".repeat(margin)));
        writeln!(self.out, "\n{}{says}", who.magenta().bold())?;
        self.out.flush()?;
        self.pause(300);
        Ok(())
    }

    fn pause(&self, millis: u64) {
        self.pace.pause(Duration::from_millis(millis), self.interrupt);
    }
}

impl DemoOutput for View<'_> {
    fn see(&mut self, step: &DemoStep) -> io::Result<()> {
        match step {
            DemoStep::Prompt(text) => {
                writeln!(self.out, "\n {} {}", "   you ›".green().bold(), text.bold())?;
                self.pause(400);
                Ok(())
            }
            DemoStep::Event(demo_event) => self.event(demo_event),
            DemoStep::Tasks(tasks) => self
                .below(&format!("+ tasks in the agent's list: {}", tasks.join(", ")), |line| line.cyan().to_string()),
            DemoStep::Context(text) => self.context(text),
            DemoStep::Speech { step, .. } => self.speech(step),
        }
    }
}
