//! Redirections: where input comes from and where output goes.

use super::{Shell, expand};
use crate::act::Act;
use crate::analysis::{Analysis, Extent, is_stream};
use crate::effect::Sure;
use crate::flow::{Arg, Flow, Taint};
use crate::location::Location;
use crate::models::send;
use crate::object::Object;
use crate::paths::joined;
use hookrail_core::tidy_path::is_same;
use hookrail_shell::ast::{Redirect, RedirectFd, RedirectOperator, RedirectTarget, Span};
use std::borrow::Cow;

/// Redirections of one command, looked at.
pub(super) struct Redirected<'f> {
    pub stdin: Cow<'f, Flow>,
    outputs: Vec<Output>,
    /// Of these, the files that are emptied before anything is written.
    pub emptied: Vec<Arg>,
    /// Whether standard output goes to a file, and not to what reads the command.
    stdout_taken: bool,
    /// Whether there is a connection to `/dev/tcp/HOST/PORT`.
    pub connected: bool,
    /// The connections that output goes to.
    connections: Vec<(Object, Span)>,
}

/// A file that output goes to.
struct Output {
    target: Arg,
    /// What is in it stays.
    appends: bool,
}

/// Performs the redirections before a command: reads are effects now, writes when it is known what is written.
pub(super) fn prepare<'s, 'f>(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'s>,
    redirects: &'s [Redirect<'s>],
    stdin: &'f Flow,
) -> Redirected<'f> {
    let mut all = Redirected {
        stdin: Cow::Borrowed(stdin),
        outputs: Vec::new(),
        emptied: Vec::new(),
        stdout_taken: false,
        connected: false,
        connections: Vec::new(),
    };
    for redirect in redirects {
        match &redirect.target {
            RedirectTarget::HereDocument(document) => {
                let body = expand::single(analysis, shell, &document.body);
                all.stdin = Cow::Owned(Flow { taint: body.taint, ..Flow::literal(body.text) });
            }
            RedirectTarget::Word(word) => {
                let target = expand::single(analysis, shell, word);
                let target = Arg { span: redirect.span, ..target };
                one(analysis, shell, redirect, target, &mut all);
            }
        }
    }
    all
}

fn one(analysis: &mut Analysis<'_>, shell: &Shell<'_>, redirect: &Redirect<'_>, target: Arg, all: &mut Redirected<'_>) {
    if let Some(rest) = ["/dev/tcp/", "/dev/udp/"].iter().find_map(|prefix| target.text.strip_prefix(prefix)) {
        let host = rest.split('/').next().unwrap_or_default();
        let object = Object { host: Some(host.into()), ..Object::default() };
        all.connections.push((object, target.span));
        all.connected = true;
        all.stdin = Cow::Owned(Flow::unknown(Taint { remote: true, ..Taint::NONE }));
        return;
    }
    let stdout = matches!(redirect.fd, None | Some(RedirectFd::Number(1)));
    match redirect.operator {
        RedirectOperator::Read => all.stdin = Cow::Owned(read(analysis, shell, &target)),
        RedirectOperator::HereString => {
            all.stdin = Cow::Owned(Flow { taint: target.taint.clone(), ..Flow::literal(target.text) });
        }
        RedirectOperator::DuplicateInput => {}
        RedirectOperator::DuplicateOutput if is_descriptor(&target.text) => {}
        RedirectOperator::Write
        | RedirectOperator::Append
        | RedirectOperator::Clobber
        | RedirectOperator::ReadWrite
        | RedirectOperator::WriteAll
        | RedirectOperator::AppendAll
        | RedirectOperator::DuplicateOutput => {
            all.stdout_taken |= stdout && !matches!(&*target.text, "/dev/stdout" | "/dev/tty");
            if is_stream(&target.text) {
                return;
            }
            if matches!(redirect.operator, RedirectOperator::Write | RedirectOperator::Clobber) && stdout {
                all.emptied.push(target.clone());
            }
            let appends = matches!(redirect.operator, RedirectOperator::Append | RedirectOperator::AppendAll);
            all.outputs.push(Output { target, appends });
        }
        RedirectOperator::HereDocument => {}
    }
}

fn is_descriptor(text: &str) -> bool {
    text == "-" || text.trim_end_matches('-').chars().all(|c| c.is_ascii_digit()) || text.starts_with('$')
}

/// What a file gives to its reader.
pub(crate) fn read(analysis: &mut Analysis<'_>, shell: &Shell<'_>, target: &Arg) -> Flow {
    if let Some(feed) = &target.feed {
        return (**feed).clone();
    }
    let before = analysis.effects.list.len();
    analysis.touch(Act::FsRead, target, shell.cwd.as_deref(), Extent::Single);
    let secret = analysis.effects.list.iter().skip(before).any(|effect| effect.act == Act::SecretRead);
    let known = written(shell, target);
    // What this call wrote itself is of this machine only if it was made of something that is.
    let local = known.as_ref().is_none_or(|flow| flow.file.is_some());
    let mut flow = known.unwrap_or_else(|| from_file(analysis, shell, target));
    flow.taint.local |= local;
    if secret {
        flow.taint.add(&Taint::secret(""));
    }
    flow
}

/// The content of a file, read only if it is needed.
pub(crate) fn from_file(analysis: &Analysis<'_>, shell: &Shell<'_>, target: &Arg) -> Flow {
    let path = shell.cwd.as_deref().filter(|_| target.known() && target.glob.is_none() && analysis.mounts.is_none());
    let file = path.map(|cwd| joined(cwd, &target.text).into_boxed_path());
    let program = crate::programs::named_by(analysis, shell, target).map(Into::into);
    Flow { file, program, ..Flow::unknown(Taint::NONE) }
}

/// What this call wrote to a file before.
pub(crate) fn written(shell: &Shell<'_>, target: &Arg) -> Option<Flow> {
    let cwd = shell.cwd.as_deref().filter(|_| !shell.files.is_empty())?;
    shell.written(&joined(cwd, &target.text)).cloned()
}

/// Notes that what is below a folder comes over the network.
pub(crate) fn note_fetched(shell: &mut Shell<'_>, folder: &Arg) {
    let Some(cwd) = shell.cwd.as_deref().filter(|_| folder.known() && shell.fetched.len() < MAX_FILES) else { return };
    let path = joined(cwd, &folder.text);
    shell.fetched.change().push(path);
}

/// Sends a command's output where its redirections say, and returns what is left for the next one.
pub(super) fn finish(analysis: &mut Analysis<'_>, shell: &mut Shell<'_>, all: &Redirected<'_>, flow: Flow) -> Flow {
    for (object, span) in &all.connections {
        // Without output, the descriptor stays open for commands that come later.
        let keeps = !flow.some || &*analysis.program == "exec";
        let taint = if keeps { Taint::LOCAL } else { flow.taint.clone() };
        send(analysis, &taint, object.clone(), *span);
    }
    for Output { target, appends } in &all.outputs {
        if !analysis.has_room() {
            analysis.over_limit(target.span);
            break;
        }
        let before = if *appends { content_of(analysis, shell, target) } else { Flow::default() };
        write(analysis, shell, target, &flow);
        if before.some {
            let mut whole = before;
            whole.append(flow.clone());
            remember(shell, target, &whole);
        }
    }
    if all.stdout_taken { Flow::default() } else { flow }
}

/// What is in a file so far; nothing if there is none.
pub(crate) fn content_of(analysis: &Analysis<'_>, shell: &Shell<'_>, target: &Arg) -> Flow {
    if let Some(flow) = written(shell, target) {
        return flow;
    }
    let path = shell.cwd.as_deref().filter(|_| target.known()).map(|cwd| joined(cwd, &target.text));
    let exists = path.is_some_and(|path| analysis.machine.kind(&path).is_some());
    if exists { super::with_content(analysis, &from_file(analysis, shell, target)) } else { Flow::default() }
}

/// Whether a command certainly prints nothing: `: > file` is how a file is emptied.
pub(super) fn prints_nothing(args: &[Arg]) -> bool {
    match args {
        [] => true,
        [program] => matches!(program.text.as_str(), ":" | "true"),
        [program, file] => program.text == "cat" && file.text == "/dev/null",
        _ => false,
    }
}

/// Whether a command prints without an end.
pub(super) fn prints_endlessly(args: &[Arg]) -> bool {
    let [program, rest @ ..] = args else { return false };
    let is_endless = |file: &Arg| matches!(file.text.as_str(), "/dev/zero" | "/dev/urandom" | "/dev/random");
    program.text == "yes" || program.text == "cat" && matches!(rest, [file] if is_endless(file))
}

/// A file that is written to without an end fills the disk.
pub(super) fn note_filled(analysis: &mut Analysis<'_>, all: &Redirected<'_>) {
    for target in &all.outputs {
        let is_written = |effect: &&crate::Effect| effect.act == Act::FsWrite && effect.span == target.target.span;
        let written =
            analysis.effects.list.iter().rev().find(is_written).map(|effect| (effect.on.clone(), effect.place));
        if let Some((object, place)) = written {
            analysis.add(Act::HostDisk, object, place, Sure::Certain, target.target.span);
        }
    }
}

/// A file of the user's that nothing is written to is as good as deleted.
pub(crate) fn note_emptied(analysis: &mut Analysis<'_>, shell: &Shell<'_>, target: &Arg) {
    let is_written = |effect: &&crate::Effect| effect.act == Act::FsWrite && effect.span == target.span;
    let place = analysis.effects.list.iter().rev().find(is_written).map(|effect| effect.place);
    if place == Some(Location::Home) {
        analysis.touch(Act::FsDelete, target, shell.cwd.as_deref(), Extent::Single);
    }
}

/// Writes a flow to a file, and remembers it for whoever reads or runs that file.
pub(crate) fn write(analysis: &mut Analysis<'_>, shell: &mut Shell<'_>, target: &Arg, flow: &Flow) {
    analysis.touch(Act::FsWrite, target, shell.cwd.as_deref(), Extent::Single);
    if let Some(text) = &flow.text {
        crate::tools::content::inspect(analysis, shell.cwd.as_deref(), target, text);
    }
    remember(shell, target, flow);
}

/// So many files are remembered, and so many bytes of what is in them: they are copied for every subshell.
const MAX_FILES: usize = 128;
const MAX_CONTENT: usize = 128 * 1024;

/// Remembers what a file holds now.
pub(crate) fn remember(shell: &mut Shell<'_>, target: &Arg, flow: &Flow) {
    let Some(cwd) = shell.cwd.as_deref().filter(|_| target.known()) else { return };
    let path = joined(cwd, &target.text);
    let known = shell.files.iter().position(|(known, _)| is_same(known, &path));
    if known.is_none() && shell.files.len() >= MAX_FILES {
        shell.overflowed = true;
        return;
    }
    if let Some(known) = known {
        shell.files.change().remove(known);
    }
    let kept: usize = shell.files.iter().filter_map(|(_, flow)| flow.text.as_ref()).map(String::len).sum();
    let text = flow.text.clone().filter(|text| kept + text.len() <= MAX_CONTENT);
    shell.overflowed |= text.is_none() && flow.text.is_some();
    let kept = Flow {
        text,
        names: flow.names.clone(),
        taint: flow.taint.clone(),
        some: flow.some,
        file: flow.file.clone(),
        program: flow.program.clone(),
        firm: flow.firm,
        template: flow.template.clone(),
        origin: flow.origin.clone(),
        made_of: flow.made_of.clone(),
    };
    shell.files.change().push((path.into(), kept.into()));
}
