//! Readers of programs with a grammar of their own.

mod agents;
mod archives;
mod cloud;
mod containers;
mod copies;
mod data;
pub(crate) mod decoding;
mod editors;
mod files;
mod filters;
mod find;
mod forge;
mod git;
mod git_acts;
mod git_alias;
mod git_branches;
mod git_here;
mod git_reads;
mod git_remote;
mod git_settings;
mod git_tree;
mod git_words;
mod make;
mod net;
mod packages;
mod patches;
mod releases;
mod searches;
mod selection;
mod sending;
mod shells;
pub(crate) mod sql;
mod system;
mod tar;
mod taskfile;
mod unpacking;
mod wget;
mod workspaces;
mod wrapping;

pub(crate) use agents::{exchanges_hookrail, is_hookrail};
pub(crate) use git::dashed;
pub(super) use git_acts::commands as git_commands;
pub(crate) use patches::patched_files;
pub(crate) use sending::{host_of, is_loopback, send, send_as};

use super::apply::{self, Parsed};
use super::{Row, place, touch};
use crate::act::Act;
use crate::analysis::{Analysis, Extent, Names};
use crate::effect::{GapReason, Sure};
use crate::flow::{Arg, Flow};
use crate::location::Location;
use crate::object::Object;
use crate::shell::{Invocation, Shell, run_args};

/// One program that is being read.
pub(crate) struct Reading<'r, 'm, 's> {
    pub analysis: &'r mut Analysis<'m>,
    pub shell: &'r mut Shell<'s>,
    pub rows: &'r [&'static Row],
    pub parsed: Parsed,
    pub call: Invocation,
}

type ProgramReader = fn(&mut Reading<'_, '_, '_>) -> Flow;

/// The reader with a name.
pub(super) fn find_reader(name: &str) -> Option<ProgramReader> {
    let groups: [fn(&str) -> Option<ProgramReader>; 15] = [
        archives::reader,
        copies::reader,
        forge::reader,
        files::reader,
        find::reader,
        shells::reader,
        wrapping::reader,
        releases::reader,
        editors::reader,
        net::reader,
        packages::reader,
        containers::reader,
        cloud::reader,
        data::reader,
        system::reader,
    ];
    match name {
        "git" => Some(git::read),
        "task" => Some(taskfile::read),
        _ => groups.iter().find_map(|group| group(name)).or_else(|| agents::reader(name)),
    }
}

pub(super) fn run(
    name: &str,
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'_>,
    rows: &[&'static Row],
    parsed: Parsed,
    call: Invocation,
) -> Flow {
    let mut reading = Reading { analysis, shell, rows, parsed, call };
    match find_reader(name) {
        Some(reader) => reader(&mut reading),
        None => reading.by_usage(),
    }
}

impl Reading<'_, '_, '_> {
    /// Follows the program by its usage alone.
    pub(crate) fn by_usage(&mut self) -> Flow {
        apply::run_parsed(self.analysis, self.shell, self.rows, &self.parsed, &self.call)
    }

    pub(crate) fn touch(&mut self, act: Act, arg: &Arg, extent: Extent) {
        touch(self.analysis, self.shell, act, arg, extent);
    }

    /// Adds a write that replaces a link, or goes through it.
    pub(crate) fn write_to(&mut self, arg: &Arg, extent: Extent, names: Names) {
        self.analysis.touch_as(Act::FsWrite, arg, self.shell.cwd.as_deref(), extent, names);
    }

    /// Adds an act whose place is the working directory.
    pub(crate) fn act(&mut self, act: Act, target: Option<&str>) {
        let at = match act.family() {
            "net" | "infra" | "package" | "db" | "secret" => Location::Remote,
            "host" => Location::System,
            "guard" => Location::Agent,
            _ => place(self.analysis, self.shell),
        };
        self.analysis.add_target(act, target, at, self.call.span);
    }

    pub(crate) fn object(&mut self, act: Act, object: Object) {
        let at = if act.family() == "net" || act.family() == "package" {
            Location::Remote
        } else {
            place(self.analysis, self.shell)
        };
        self.analysis.add(act, object, at, Sure::Certain, self.call.span);
    }

    /// Notes that what is done with some words is not known.
    pub(crate) fn gap(&mut self, why: GapReason, words: &[Arg]) {
        self.analysis.gap_about(why, self.call.span, words, self.shell.cwd.as_deref());
    }

    /// Notes that what is run, or changed, is made of what the program reads: its files and its input.
    pub(crate) fn gap_in_input(&mut self, files: &[Arg]) {
        let mut read: Vec<Flow> =
            files.iter().map(|file| crate::shell::content_of(self.analysis, self.shell, file)).collect();
        read.push(self.call.stdin.clone());
        for flow in read {
            crate::shell::gap_in_flow(self.analysis, self.shell, &flow, self.call.span);
        }
    }

    /// Runs another command in place of this one.
    pub(crate) fn run(&mut self, args: Vec<Arg>) -> Flow {
        let (env, stdin, span) = (self.call.env.clone(), self.call.stdin.clone(), self.call.span);
        let program = self.call.program.clone();
        self.analysis.within(&program, |analysis| run_args(analysis, self.shell, args, env, &stdin, span))
    }

    /// Runs a shell text in place of this command.
    pub(crate) fn run_text(&mut self, text: &Arg) -> Flow {
        let stdin = self.call.stdin.clone();
        let program = self.call.program.clone();
        if text.taint.remote || text.taint.decoded {
            let code =
                Flow { taint: text.taint.clone(), text: Some(text.text.clone()), ..Flow::unknown(text.taint.clone()) };
            return crate::shell::run_code(self.analysis, self.shell, &code, crate::shell::Scope::Child, &self.call);
        }
        self.analysis.within(&program, |analysis| {
            crate::shell::run_text(
                analysis,
                self.shell,
                &text.text,
                crate::shell::Scope::Child,
                Some(text.span),
                &stdin,
            )
        })
    }

    /// What the program prints is made of what it got.
    pub(crate) fn mixed(&self) -> Flow {
        Flow::unknown(self.call.taint())
    }

    pub(crate) fn first(&self) -> &str {
        self.parsed.operands.first().map_or("", |arg| arg.text.as_str())
    }

    pub(crate) fn word(&self, index: usize) -> &str {
        self.parsed.operands.get(index).map_or("", |arg| arg.text.as_str())
    }

    pub(crate) fn args(&self) -> Vec<&str> {
        self.call.args.iter().map(|arg| arg.text.as_str()).collect()
    }
}
