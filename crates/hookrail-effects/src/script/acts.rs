//! What calls of libraries do to the machine.

use super::Language;
use super::ast::Node;
use super::call_table::{Does, is_path_method};
use super::interpreter::Interpreter;
use super::library::expanded;
use super::parser;
use super::value::{Argument, Value, join, single, unknown};
use crate::act::Act;
use crate::analysis::Extent;
use crate::effect::GapReason;
use crate::flow::{Arg, Flow, Taint};
use crate::location::Location;
use crate::models::sql;
use crate::paths::tidy;
use crate::shell::run_args;

/// Maximum nesting of code that code evaluates.
const MAX_CODE: usize = 4;

/// What only all calls of a script tell.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub connects: bool,
    pub redirects: bool,
    pub pipes: bool,
    pub spawns: bool,
}

/// A call: what it is given, by position and by name.
pub(super) struct Given<'a> {
    pub name: &'a str,
    pub positional: Vec<Value>,
    pub named: Vec<(&'a str, Value)>,
    /// The path that a method is called on.
    pub path: Option<Value>,
    pub taint: &'a Taint,
}

impl Given<'_> {
    pub(super) fn at(&self, index: usize) -> Value {
        self.positional.get(index).cloned().unwrap_or(Value::Nothing)
    }

    /// A named argument, or a field of an object of options.
    pub(super) fn option(&self, name: &str) -> Option<Value> {
        let named = self.named.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone());
        named.or_else(|| {
            self.positional.iter().find_map(|value| match value {
                Value::Map(pairs) => pairs.iter().rev().find(|(key, _)| &**key == name).map(|(_, value)| value.clone()),
                _ => None,
            })
        })
    }

    /// Where everything that the call gets comes from.
    pub(super) fn all_taint(&self) -> Taint {
        let mut taint = Taint::NONE;
        self.positional
            .iter()
            .chain(self.named.iter().map(|(_, value)| value))
            .for_each(|value| taint.add(&value.taint()));
        taint
    }
}

impl Interpreter<'_, '_, '_> {
    /// Does what a call of a library does, and returns what it returns.
    pub(super) fn perform(
        &mut self,
        does: Does,
        name: &str,
        taint: &Taint,
        arguments: &[Argument],
        receiver: Option<&Value>,
    ) -> Value {
        let named =
            arguments.iter().filter_map(|argument| Some((argument.name.as_deref()?, argument.value.clone()))).collect();
        let positional = arguments
            .iter()
            .filter(|argument| argument.name.is_none())
            .map(|argument| argument.value.clone())
            .collect();
        let path = self.receiver_path(does, name, receiver);
        let given = Given { name, positional, named, path, taint };
        self.note_seen(name);
        let result = |taint: Taint| Value::Library(format!("{name}()").replace("()()", "()").into(), taint);
        match does {
            Does::Shell | Does::Spawn | Does::Exec => return self.start(does, &given),
            Does::Fetch | Does::Send => return self.network(does, &given, &given.at(0)),
            Does::FetchInto => return self.fetch_into(&given),
            Does::Connect => return self.connect(&given),
            Does::Code => return self.code(&given),
            Does::Open | Does::OpenMethod | Does::OpenByFlags => return self.open(does, &given),
            Does::Glob => return self.glob(&given),
            Does::List => return self.list_folder(&given),
            Does::Read => return self.read(&given),
            Does::Content => self.content(&given),
            Does::Kill => self.kill(&given),
            Does::Sql => self.sql(&given),
            Does::Listen => self.analysis.add_target(Act::NetListen, None, Location::Remote, self.span),
            Does::Database if given.at(0).known() == Some(":memory:") => return Value::library("memory database()"),
            Does::Fork if self.loops > 0 => {
                self.analysis.add_target(Act::HostProcess, Some("fork-bomb"), Location::System, self.span);
            }
            Does::Fork => {}
            Does::Remote => {
                let text = given
                    .positional
                    .first()
                    .map_or_else(|| unknown(Taint::NONE, self.span), |text| single(text, self.span));
                let words = vec![Arg::new("ssh", self.span), Arg::new("host", self.span), text];
                return self.run_words(words, &Flow::default());
            }
            Does::Folder => return self.change_folder(&given, arguments),
            _ => self.change_files(does, &given),
        }
        result(Taint::NONE)
    }

    /// What a method is called on, if that is a path.
    fn receiver_path(&self, does: Does, name: &str, receiver: Option<&Value>) -> Option<Value> {
        if does.ignores_receiver() {
            return None;
        }
        let last = name.rsplit('.').next().unwrap_or(name);
        match receiver? {
            text @ Value::Text(_) => Some(text.clone()),
            Value::Library(owner, taint)
                if owner.contains("()") && is_path_method(self.language, last) && !does.is_network() =>
            {
                Some(Value::Text(unknown(taint.clone(), self.span)))
            }
            _ => None,
        }
    }

    fn change_files(&mut self, does: Does, given: &Given<'_>) {
        let is_method = given.path.is_some();
        let first = given.path.clone().unwrap_or_else(|| given.at(0));
        let target = if is_method { given.at(0) } else { given.at(1) };
        let lists = matches!(self.language, Language::Perl | Language::Ruby) && !is_method;
        match does {
            Does::Delete | Does::DeleteTree => {
                let extent = if does == Does::Delete { Extent::Single } else { Extent::Below };
                let lists = lists || given.name.starts_with("shell");
                let is_option = |value: &Value| value.known().is_some_and(|text| text.starts_with('-'));
                if !is_option(&first) {
                    self.touch(Act::FsDelete, &first, extent);
                }
                for other in given.positional.iter().skip(1).filter(|_| lists) {
                    self.touch(Act::FsDelete, other, extent);
                }
                if given.positional.is_empty() && !is_method && self.language == Language::Perl {
                    let line = self.find("$_").map_or_else(|| self.unknown(), |(_, value)| value);
                    self.touch(Act::FsDelete, &line, extent);
                }
            }
            Does::Permissions if lists => {
                for other in given.positional.iter().skip(1) {
                    self.touch(Act::FsPermissions, other, Extent::Single);
                }
            }
            Does::Permissions => self.touch(Act::FsPermissions, &first, Extent::Single),
            Does::Write => {
                let adds =
                    ["append", "mkdir", "makedirs", "touch", "mkdir_p"].iter().any(|part| given.name.contains(part))
                        || given.option("flag").is_some()
                        || given.at(2).is_unknown() && given.positional.len() > 2;
                if adds {
                    self.touch(Act::FsWrite, &first, Extent::Single);
                } else {
                    self.overwrite(&first);
                }
                self.keep(&first, &target);
            }
            // A method of texts has two arguments.
            Does::PathReplace if given.positional.len() != 1 => {}
            Does::Move | Does::PathReplace => {
                // `frame.rename(columns=…)` moves nothing.
                if given.positional.is_empty() {
                    return;
                }
                self.touch(Act::FsMove, &first, Extent::Below);
                self.touch(Act::FsWrite, &target, Extent::Single);
            }
            Does::Link => self.copy(&first, &target, given),
            Does::LinkHere => {
                self.touch(Act::FsRead, &given.at(0), Extent::Single);
                self.touch(Act::FsWrite, &first, Extent::Single);
            }
            Does::Unpack | Does::UnpackInto => {
                let place = if does == Does::Unpack { given.at(0) } else { given.at(1) };
                let place = given
                    .option("path")
                    .or_else(|| given.option("extract_dir"))
                    .or_else(|| given.option("cwd"))
                    .unwrap_or(place);
                let place = if matches!(place, Value::Nothing) { self.text(".") } else { place };
                self.touch(Act::FsWrite, &place, Extent::Below);
            }
            Does::WriteArgument => self.touch(Act::FsWrite, &given.at(0), Extent::Single),
            Does::Save => {
                for value in given.positional.iter().filter(|value| value.known().is_some()) {
                    self.touch(Act::FsWrite, value, Extent::Single);
                }
            }
            Does::WriteNamed(option) => {
                let path = given.option(option).unwrap_or(Value::Nothing);
                self.touch(Act::FsWrite, &path, Extent::Below);
            }
            Does::EditInPlace => {
                let act = if given.option("inplace").is_some() { Act::FsWrite } else { Act::FsRead };
                self.touch(act, &given.at(0), Extent::Single);
            }
            Does::Database => {
                let act = if self.changes_data { Act::FsWrite } else { Act::FsRead };
                self.touch(act, &given.at(0), Extent::Single);
            }
            _ => {}
        }
    }

    fn copy(&mut self, first: &Value, target: &Value, given: &Given<'_>) {
        let from_network = is_url(first) || first.taint().remote;
        if is_url(first) {
            self.network(Does::Fetch, given, first);
        } else {
            self.touch(Act::FsRead, first, Extent::Single);
        }
        self.touch(Act::FsWrite, target, Extent::Single);
        if from_network {
            self.keep(target, &Value::Text(unknown(Taint { remote: true, ..Taint::NONE }, self.span)));
        }
    }

    /// Adds what writing whole files does.
    pub(super) fn overwrite(&mut self, paths: &Value) {
        for path in paths.args(self.span).iter().filter(|path| !path.text.is_empty()) {
            self.analysis.overwrite(path, self.shell.cwd.as_deref());
        }
    }

    /// Adds what an act does to each path that a value may be.
    pub(super) fn touch(&mut self, act: Act, paths: &Value, extent: Extent) {
        for path in paths.args(self.span) {
            if path.text.is_empty() || path.hole == Some(0) && act == Act::FsRead {
                continue;
            }
            let path = path.text.strip_prefix("file://").map_or_else(|| path.clone(), |rest| path.with_text(rest));
            self.analysis.touch(act, &path, self.shell.cwd.as_deref(), extent);
        }
    }

    fn change_folder(&mut self, given: &Given<'_>, arguments: &[Argument]) -> Value {
        let before = self.shell.cwd.clone();
        let to = given.at(0);
        let to = if matches!(to, Value::Nothing) { Value::Text(Arg::new("~", self.span)) } else { to };
        let to = expanded(self, &to);
        self.shell.cwd = to.known().zip(before.as_ref()).map(|(to, cwd)| tidy(cwd.join(to)));
        if let Some(block) = arguments.iter().find(|argument| matches!(argument.value, Value::Function(..))) {
            let folder = self.shell.cwd.as_ref().map_or_else(|| self.unknown(), |cwd| self.text(cwd.to_string_lossy()));
            let value = self.apply(&block.value.clone(), vec![Argument::plain(folder)]);
            self.shell.cwd = before;
            return value;
        }
        Value::Nothing
    }

    /// Ends processes, as the programs of the shell do.
    fn kill(&mut self, given: &Given<'_>) {
        let signal_first = matches!(self.language, Language::Perl | Language::Ruby);
        let flat: Vec<Value> = given.positional.iter().flat_map(|value| self.elements_of_list(value)).collect();
        let targets: Vec<Value> = match () {
            () if flat.is_empty() && !given.name.contains("psutil") => return,
            () if flat.is_empty() || given.name.contains("psutil") => vec![self.unknown()],
            () if signal_first => flat.get(1..).unwrap_or_default().to_vec(),
            () => flat.get(..1).unwrap_or_default().to_vec(),
        };
        // `kill 0` asks whether a process is there.
        let signal = if signal_first { flat.first() } else { flat.get(1) };
        if signal.and_then(Value::known) == Some("0") {
            return;
        }
        for target in targets.iter().flat_map(|target| target.args(self.span)) {
            let words = vec![Arg::new("kill", self.span), Arg::new("-9", self.span), target];
            run_args(self.analysis, self.shell, words, Vec::new(), &Flow::default(), self.span);
        }
    }

    fn sql(&mut self, given: &Given<'_>) {
        if given.name.starts_with("memory database") {
            return;
        }
        let texts: Vec<Arg> = given
            .positional
            .iter()
            .chain(given.named.iter().map(|(_, value)| value))
            .take(2)
            .flat_map(|value| value.args(self.span))
            .collect();
        for text in &texts {
            if let Some(act) =
                Some(&text.text).filter(|text| sql::looks_like(text)).and_then(|text| sql::classify(text))
            {
                self.analysis.add_target(act, None, Location::Remote, self.span);
            }
        }
        let is_cursor = given.name.ends_with("execute") || given.name.ends_with("query");
        if is_cursor && texts.first().is_some_and(|text| text.hole == Some(0)) {
            self.analysis.gap(GapReason::DynamicCode, self.span);
        }
    }

    /// Code that is evaluated.
    fn code(&mut self, given: &Given<'_>) -> Value {
        let code = match given.name.rsplit('.').next() {
            Some("Function") => given.positional.last().cloned().unwrap_or(Value::Nothing),
            _ => given.path.clone().filter(|_| given.positional.is_empty()).unwrap_or_else(|| given.at(0)),
        };
        let mut value = Value::Nothing;
        for code in code.alternatives() {
            if code.is_callable() || matches!(code, Value::Nothing) {
                continue;
            }
            let text = single(&code, self.span);
            let taint = code.taint();
            let acts = [(taint.remote, Act::ExecRemote), (taint.decoded, Act::ExecDecoded)];
            for (_, act) in acts.iter().filter(|(holds, _)| *holds) {
                self.analysis.add_target(*act, None, Location::Unknown, self.span);
            }
            if text.known() && self.code_depth < MAX_CODE {
                value = self.evaluate(&text.text);
                continue;
            }
            if !taint.remote && !taint.decoded {
                self.analysis.add_target(Act::ExecDynamic, None, Location::Unknown, self.span);
            }
            self.analysis.gap(GapReason::DynamicCode, self.span);
        }
        join([value], self.span)
    }

    fn evaluate(&mut self, text: &str) -> Value {
        if text.len() > crate::machine::MAX_SCRIPT {
            self.over_limit();
            return self.unknown();
        }
        let (tree, parsed): (Node, _) = parser::parse(self.language, text);
        if parsed.cut_off {
            self.over_limit();
        }
        self.code_depth += 1;
        let value = self.eval(&tree);
        self.code_depth -= 1;
        value
    }
}

pub(super) fn is_url(value: &Value) -> bool {
    matches!(value, Value::Text(arg) if ["http://", "https://", "ftp://"].iter().any(|scheme| arg.text.starts_with(scheme)))
}
