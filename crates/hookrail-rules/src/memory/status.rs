//! What the status of a call says about one of its commands.
//!
//! `npm test && git push` succeeds only if the tests did; `npm test || true` and `npm test | tail` always do. Where the
//! text does not settle it, nothing is known.

use hookrail_effects::{Effect, Span};
use hookrail_shell::ast::{Command, CommandKind, Connector, Item, Pipeline, Script, SimpleCommand};
use hookrail_shell::parse;

/// What a status means for one command of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Decides {
    pub zero_is_ok: bool,
    pub zero_is_failure: bool,
    pub other_is_failure: bool,
    pub other_is_ok: bool,
}

impl Decides {
    const ALL: Self = Self { zero_is_ok: true, zero_is_failure: false, other_is_failure: true, other_is_ok: false };

    fn inverted(self) -> Self {
        Self {
            zero_is_ok: self.other_is_ok,
            zero_is_failure: self.other_is_failure,
            other_is_failure: self.zero_is_failure,
            other_is_ok: self.zero_is_ok,
        }
    }

    /// What is left if only a success of the whole says something, or only a failure.
    fn limited(self, zero: bool, other: bool) -> Self {
        Self {
            zero_is_ok: self.zero_is_ok && zero,
            zero_is_failure: self.zero_is_failure && zero,
            other_is_failure: self.other_is_failure && other,
            other_is_ok: self.other_is_ok && other,
        }
    }
}

/// So deep compound commands are looked into.
const MAX_DEPTH: usize = 16;
/// What runs another program and ends as it does.
const TRANSPARENT: &[&str] = &[
    "sudo",
    "doas",
    "env",
    "nice",
    "ionice",
    "timeout",
    "gtimeout",
    "time",
    "stdbuf",
    "unbuffer",
    "command",
    "exec",
    "setarch",
    "caffeinate",
    "firejail",
    "taskset",
    "chrt",
    "dotenv",
    "npx",
    "uv",
    "poetry",
    "pipenv",
    "bundle",
];

/// What the status of a command line says about the command that an effect is of.
pub(super) fn decides(text: &str, effect: &Effect) -> Decides {
    let is_transparent = |step: &str| {
        // `package.json: test` and `Makefile: check`: what runs a script of a manifest ends as the script does.
        let is_manifest = step.split_once(": ").is_some_and(|(file, _)| !file.contains(['/', ' ']));
        if is_manifest {
            return true;
        }
        let program = step.split_whitespace().next().unwrap_or_default();
        TRANSPARENT.contains(&program.rsplit('/').next().unwrap_or_default())
    };
    if !effect.via.iter().all(|step| is_transparent(&step.0)) {
        return Decides::default();
    }
    let script = parse(text);
    in_script(&script, effect.span, Options::default(), text, 0)
}

/// What `set` changed.
#[derive(Clone, Copy, Debug, Default)]
struct Options {
    /// `set -e`: the first failure ends the script.
    errexit: bool,
    /// `set -o pipefail`: a pipe fails if any of its commands does.
    pipefail: bool,
}

fn in_script(script: &Script<'_>, span: Span, mut options: Options, text: &str, depth: usize) -> Decides {
    let last = script.items.len().saturating_sub(1);
    for (index, item) in script.items.iter().enumerate() {
        if contains(item.span, span) {
            let found = in_item(item, span, options, text, depth);
            // What is not last is passed over, unless a failure would have ended the script.
            let fatal = options.errexit && item.rest.is_empty();
            return found.limited(index == last || fatal, index == last);
        }
        options = changed(options, item, text);
    }
    Decides::default()
}

fn in_item(item: &Item<'_>, span: Span, options: Options, text: &str, depth: usize) -> Decides {
    if item.background {
        return Decides::default();
    }
    let pipelines: Vec<&Pipeline<'_>> =
        std::iter::once(&item.first).chain(item.rest.iter().map(|(_, pipeline)| pipeline)).collect();
    let Some(at) = pipelines.iter().position(|pipeline| contains(pipeline.span, span)) else {
        return Decides::default();
    };
    let connectors: Vec<Connector> = item.rest.iter().map(|(connector, _)| *connector).collect();
    let before = at.checked_sub(1).and_then(|index| connectors.get(index)).copied();
    let after = || connectors.iter().skip(at);
    let zero = before != Some(Connector::Or) && after().all(|connector| *connector == Connector::And);
    let other = before != Some(Connector::And) && after().all(|connector| *connector == Connector::Or);
    let found = pipelines.get(at).map(|pipeline| in_pipeline(pipeline, span, options, text, depth));
    found.unwrap_or_default().limited(zero, other)
}

fn in_pipeline(pipeline: &Pipeline<'_>, span: Span, options: Options, text: &str, depth: usize) -> Decides {
    let Some(at) = pipeline.commands.iter().position(|command| contains(command.span, span)) else {
        return Decides::default();
    };
    let alone = pipeline.commands.len() == 1;
    let last = at + 1 == pipeline.commands.len();
    let found = pipeline.commands.get(at).map(|command| in_command(command, span, options, text, depth));
    let found = found.unwrap_or_default();
    // A pipe ends as its last command does; with `pipefail` its success is that of all.
    let found = found.limited(last || options.pipefail, alone || last && !options.pipefail);
    if pipeline.negated { found.inverted() } else { found }
}

fn in_command(command: &Command<'_>, span: Span, options: Options, text: &str, depth: usize) -> Decides {
    match &command.kind {
        CommandKind::Simple(simple) if is_of_command(simple, span, text) => Decides::ALL,
        CommandKind::Group(script) | CommandKind::Subshell(script) if depth < MAX_DEPTH => {
            in_script(script, span, options, text, depth + 1)
        }
        _ => Decides::default(),
    }
}

/// Whether an effect is the command's own and not that of a substitution in one of its words.
fn is_of_command(simple: &SimpleCommand<'_>, span: Span, text: &str) -> bool {
    let values = simple.assignments.iter().map(|assignment| assignment.span);
    let mut words = values.chain(simple.words.iter().map(|word| word.span));
    let substitutes = |span: Span| {
        let word = text.get(span.start..span.end).unwrap_or_default();
        word.contains("$(") || word.contains('`') || word.contains("<(") || word.contains(">(")
    };
    !words.any(|word| contains(word, span) && substitutes(word))
}

fn changed(options: Options, item: &Item<'_>, text: &str) -> Options {
    let [command] = item.first.commands.as_slice() else { return options };
    let CommandKind::Simple(simple) = &command.kind else { return options };
    let words: Vec<&str> =
        simple.words.iter().map(|word| text.get(word.span.start..word.span.end).unwrap_or_default()).collect();
    let ["set", arguments @ ..] = words.as_slice() else { return options };
    let mut options = options;
    for argument in arguments {
        let short = argument.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        options.errexit |= short.is_some_and(|letters| letters.contains('e')) || *argument == "errexit";
        options.pipefail |= *argument == "pipefail";
    }
    options
}

fn contains(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_effects::{Act, Location, Object, Sure};

    #[test]
    fn a_status_decides_about_a_command_only_where_the_text_says_so() {
        // command, what exit code 0 says of the tests, what another says
        let cases = [
            ("npm test", Some(true), Some(false)),
            ("cd app && npm test", Some(true), None),
            ("npm test && git push", Some(true), None),
            ("npm test || true", None, Some(false)),
            ("npm test | tail", None, None),
            ("npm test; echo done", None, None),
            ("echo go; npm test", Some(true), Some(false)),
            ("npm test &", None, None),
            ("! npm test", Some(false), Some(true)),
            ("(cd app; npm test)", Some(true), Some(false)),
            ("{ npm test; } && echo fine", Some(true), None),
            ("false || npm test", None, Some(false)),
            ("set -o pipefail; npm test | tee log", Some(true), None),
            ("set -e; npm test; echo done", Some(true), None),
            ("set -euo pipefail\nnpm test | tee log\necho done", Some(true), None),
            ("if npm test; then echo; fi", None, None),
            ("echo \"$(npm test)\"", None, None),
            ("npm test 2>&1 | tail -3", None, None),
            ("cat x | npm test", Some(true), Some(false)),
        ];
        for (command, zero, other) in cases {
            let start = command.find("npm test").unwrap();
            let effect = Effect {
                act: Act::ExecTest,
                on: Object::default(),
                place: Location::Project,
                sure: Sure::Certain,
                unmet: false,
                span: Span { start, end: start + "npm test".len() },
                via: Vec::new(),
            };
            let found = decides(command, &effect);
            let said = |ok: bool, failure: bool| if ok { Some(true) } else { failure.then_some(false) };
            assert_eq!(said(found.zero_is_ok, found.zero_is_failure), zero, "{command}");
            assert_eq!(said(found.other_is_ok, found.other_is_failure), other, "{command}");
        }
    }
}
