//! From words to arguments.

use super::fields::{Fields, MAX_FIELD, MAX_FIELDS};
use super::{Shell, end_shell, gap_of, parameter, run_script, with_content};
use crate::analysis::Analysis;
use crate::flow::{Arg, Flow};
use crate::models::is_local;
use crate::proof::DoubtReason;
use hookrail_shell::ast::{ArrayElement, Brace, Glob, PartKind, ProcessDirection, Script, Span, Word, WordPart};

/// The arguments that a word becomes.
pub(super) fn fields<'s>(analysis: &mut Analysis<'_>, shell: &mut Shell<'s>, word: &'s Word<'s>) -> Vec<Arg> {
    if let Some(written) = written_out(word) {
        return vec![written];
    }
    let mut fields = Fields::new(word.span, shell);
    for part in &word.parts {
        add_part(analysis, shell, part, &mut fields, Quoting::None);
    }
    let cut = fields.cut;
    let mut found = fields.finish();
    if cut || found.len() > MAX_FIELDS {
        found.truncate(MAX_FIELDS);
        analysis.over_limit(word.span);
    }
    analysis.expanded += found.iter().map(|field| field.text.len()).sum::<usize>();
    found
}

/// Adds the arguments that a word becomes. Most words are one that stands there as it is.
pub(super) fn add_fields<'s>(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'s>,
    word: &'s Word<'s>,
    args: &mut Vec<Arg>,
) {
    match written_out(word) {
        Some(written) => args.push(written),
        None => args.append(&mut fields(analysis, shell, word)),
    }
}

/// A word that stands there as it is, without anything to expand.
fn written_out(word: &Word<'_>) -> Option<Arg> {
    match word.parts.as_slice() {
        [WordPart { kind: PartKind::Literal(text), .. }] => Some(Arg { firm: true, ..Arg::new(&**text, word.span) }),
        _ => None,
    }
}

/// The one argument that a word becomes where the shell does not split: in assignments and redirections.
pub(super) fn single<'s>(analysis: &mut Analysis<'_>, shell: &mut Shell<'s>, word: &'s Word<'s>) -> Arg {
    if let Some(written) = written_out(word).filter(|written| written.text.len() <= MAX_FIELD) {
        analysis.expanded += written.text.len();
        return written;
    }
    let mut fields = Fields::new(word.span, shell);
    for part in &word.parts {
        add_part(analysis, shell, part, &mut fields, Quoting::Assignment);
    }
    let found = fields.open.into_iter().next().unwrap_or_default();
    analysis.expanded += found.text.len();
    found
}

/// The text of a word, as far as it is known.
pub(super) fn text<'s>(analysis: &mut Analysis<'_>, shell: &mut Shell<'s>, word: &'s Word<'s>) -> String {
    single(analysis, shell, word).text
}

/// The values of an assignment.
pub(super) fn values<'s>(analysis: &mut Analysis<'_>, shell: &mut Shell<'s>, word: &'s Word<'s>) -> Vec<Arg> {
    if let [WordPart { kind: PartKind::Array(elements), .. }] = word.parts.as_slice() {
        let all: &'s [ArrayElement<'s>] = elements;
        return all.iter().flat_map(|element| fields(analysis, shell, &element.value)).collect();
    }
    // Names that a substitution prints stay separate, as the variable may be used unquoted.
    if let [WordPart { kind: PartKind::Command(_), .. }] = word.parts.as_slice() {
        let found = fields(analysis, shell, word);
        if found.len() > 1 {
            return found;
        }
        return vec![found.into_iter().next().unwrap_or_default()];
    }
    vec![single(analysis, shell, word)]
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quoting {
    None,
    Double,
    Assignment,
}

fn add_part<'s>(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'s>,
    part: &'s WordPart<'s>,
    fields: &mut Fields,
    quoting: Quoting,
) {
    match &part.kind {
        PartKind::Literal(text) => fields.push(text),
        PartKind::SingleQuoted(text) | PartKind::AnsiQuoted(text) => {
            fields.quoted = true;
            fields.push(text);
        }
        PartKind::DoubleQuoted(parts) => {
            fields.quoted = true;
            analysis.deeper(part.span, |analysis| {
                for part in parts {
                    add_part(analysis, shell, part, fields, Quoting::Double);
                }
            });
        }
        PartKind::Parameter(parameter) => {
            let values = parameter::values(analysis, shell, parameter, part.span);
            let subscript = parameter.subscript.as_ref().and_then(Word::literal);
            let each = matches!(&*parameter.name, "@") || subscript.as_deref() == Some("@");
            add_values(fields, &values, quoting, each);
        }
        PartKind::Command(substitution) => {
            let flow = substitute(analysis, shell, &substitution.script, &Flow::default());
            let values = printed(analysis, &flow, part.span);
            add_values(fields, &values, quoting, false);
        }
        PartKind::Process(process) => {
            add_process(analysis, shell, &process.script, process.direction, part.span, fields);
        }
        PartKind::Arithmetic(word) => {
            analysis.doubt(DoubtReason::Syntax, "$((", part.span);
            analysis.deeper(part.span, |analysis| text(analysis, shell, word));
            shell.loosen();
            // A number: it names no other folder.
            fields.push_arg(&Arg::new("0", part.span));
        }
        PartKind::Tilde(user) => add_tilde(analysis, shell, user, fields),
        PartKind::Brace(brace) => add_brace(analysis, shell, brace, part.span, fields),
        PartKind::Glob(glob) => add_glob(analysis, shell, glob, fields),
        PartKind::Array(elements) => {
            for element in elements {
                let values = self::fields(analysis, shell, &element.value);
                fields.push_split(&values);
            }
        }
        PartKind::Unknown(unknown) => {
            analysis.gap(gap_of(unknown.reason), part.span);
            fields.push_arg(&Arg::unknown("", part.span));
        }
    }
}

fn add_values(fields: &mut Fields, values: &[Arg], quoting: Quoting, each: bool) {
    if quoting == Quoting::None {
        fields.push_split(values);
        return;
    }
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            if each { fields.split() } else { fields.push_joint() }
        }
        fields.push_arg(value);
    }
}

/// Follows a substitution in a subshell.
pub(super) fn substitute<'s>(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'s>,
    script: &'s Script<'s>,
    stdin: &Flow,
) -> Flow {
    let mut child = shell.fork();
    let flow = analysis.deeper(script.span, |analysis| run_script(analysis, &mut child, script, stdin));
    end_shell(analysis, &mut child);
    child.settle();
    // How a substitution ends is not how the command around it does.
    let (ending, if_failed) = (shell.ending, shell.if_failed.take());
    shell.inherit(child);
    (shell.ending, shell.if_failed) = (ending, if_failed);
    flow
}

/// So many substitutions with an unknown output are kept in mind.
const MAX_OUTPUTS: usize = 16;

/// What a substitution puts into the command line.
fn printed(analysis: &mut Analysis<'_>, flow: &Flow, span: Span) -> Vec<Arg> {
    let flow = with_content(analysis, flow);
    if let Some(text) = flow.text {
        return vec![Arg { taint: flow.taint, firm: flow.firm, ..Arg::new(text.trim_end_matches('\n'), span) }];
    }
    if !flow.names.is_empty() {
        let taint = flow.taint;
        let tainted = |mut name: Arg| {
            name.taint.add(&taint);
            Arg { span, ..name }
        };
        return flow.names.into_iter().map(tainted).collect();
    }
    let made_of = || analysis.machine.read_small(flow.made_of.as_deref().filter(|file| is_local(analysis, file))?);
    let source = flow.origin.clone().or_else(|| made_of().map(Into::into));
    if let Some(source) = source.filter(|_| analysis.unknown_outputs.len() < MAX_OUTPUTS) {
        analysis.unknown_outputs.push((span, source));
    }
    vec![Arg { taint: flow.taint, ..Arg::unknown("$__", span) }]
}

fn add_process<'s>(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'s>,
    script: &'s Script<'s>,
    direction: ProcessDirection,
    span: Span,
    fields: &mut Fields,
) {
    let stdin = Flow { some: direction == ProcessDirection::Write, ..Flow::default() };
    let flow = substitute(analysis, shell, script, &stdin);
    let taint = flow.taint.clone();
    fields.push_arg(&Arg { feed: Some(Box::new(flow)), taint, ..Arg::new("/dev/fd/63", span) });
}

fn add_tilde(analysis: &Analysis<'_>, shell: &Shell<'_>, user: &str, fields: &mut Fields) {
    let named = |path: Option<&std::path::Path>| path.map(|path| path.to_string_lossy().into_owned());
    let folder = match user {
        "" => shell
            .get("HOME")
            .and_then(<[Arg]>::first)
            .filter(|arg| arg.known())
            .map(|arg| arg.text.clone())
            .or_else(|| named(analysis.around.home.as_deref())),
        "+" => named(shell.cwd.as_deref()),
        "-" => shell.get("OLDPWD").and_then(<[Arg]>::first).filter(|old| old.known()).map(|old| old.text.clone()),
        user => {
            let own = analysis.machine.env("USER").is_some_and(|name| name == user);
            Some(match (&analysis.around.home, user) {
                (Some(home), _) if own || home.ends_with(user) => home.to_string_lossy().into_owned(),
                (_, "root") => "/root".to_owned(),
                _ => format!("/home/{user}"),
            })
        }
    };
    match folder {
        Some(folder) => fields.push(&folder),
        None => fields.push_arg(&Arg::unknown(format!("~{user}"), fields.span)),
    }
}

fn add_brace<'s>(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'s>,
    brace: &'s Brace<'s>,
    span: Span,
    fields: &mut Fields,
) {
    let words: Vec<Arg> = match brace {
        Brace::List(words) => analysis.deeper(span, |analysis| {
            let mut all = Vec::new();
            for word in words {
                let found = self::fields(analysis, shell, word);
                if found.is_empty() {
                    all.push(Arg::new("", span));
                }
                all.extend(found);
            }
            all
        }),
        Brace::Range { from, to, .. } => range(from, to, span),
    };
    fields.multiply(&words);
}

/// So many numbers of a range are written out. A range may be of thousands, and each is like the others.
const MAX_NUMBERS: usize = 64;

fn range(from: &str, to: &str, span: Span) -> Vec<Arg> {
    if let (Ok(from), Ok(to)) = (from.parse::<i64>(), to.parse::<i64>()) {
        let (low, high) = (from.min(to), from.max(to));
        let mut numbers: Vec<Arg> =
            (low..=high).take(MAX_NUMBERS).map(|number| Arg::new(number.to_string(), span)).collect();
        if high.abs_diff(low) >= MAX_NUMBERS as u64 {
            numbers.push(Arg { glob: Some(0), ..Arg::new("[0-9]*", span) });
        }
        return numbers;
    }
    match (from.chars().next(), to.chars().next()) {
        (Some(from), Some(to)) => {
            let mut letters = from.min(to)..=from.max(to);
            let mut words: Vec<Arg> = letters.by_ref().take(MAX_NUMBERS).map(|letter| Arg::new(letter, span)).collect();
            words.extend(letters.next().map(|_| Arg { glob: Some(0), ..Arg::new("?", span) }));
            words
        }
        _ => vec![Arg::new(from, span)],
    }
}

fn add_glob<'s>(analysis: &mut Analysis<'_>, shell: &mut Shell<'s>, glob: &'s Glob<'s>, fields: &mut Fields) {
    match glob {
        Glob::Any => fields.push_glob("*"),
        Glob::One => fields.push_glob("?"),
        Glob::Class(parts) => {
            let mut inner = fields.fresh();
            for part in parts {
                if let PartKind::Literal(text) = &part.kind {
                    inner.push(text);
                }
            }
            let text = inner.open.first().map(|arg| arg.text.clone()).unwrap_or_default();
            fields.push_glob(&format!("[{text}]"));
        }
        Glob::Group { alternatives, .. } => {
            for word in alternatives {
                analysis.deeper(word.span, |analysis| text(analysis, shell, word));
            }
            fields.push_glob("*");
        }
    }
}
