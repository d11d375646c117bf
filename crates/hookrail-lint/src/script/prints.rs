//! What a script writes, and where to.

use super::{Language, Line, Script};
use regex_lite::Regex;
use std::ops::Range;
use std::sync::LazyLock;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Stdout,
    Stderr,
    /// A file, another program, a variable.
    Elsewhere,
}

/// A statement that writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Print {
    pub stream: Stream,
    /// It writes an answer, not words.
    pub json: bool,
    /// Words in quotes, so that it certainly writes something.
    pub literal: bool,
    pub span: Range<usize>,
    /// The line it begins on, from 0.
    pub line: usize,
    /// The line it ends on: that of a here-document's end.
    pub end: usize,
    /// In a function of a shell script, whose output is often caught.
    pub caught: bool,
}

/// How many lines one statement may go on.
const STATEMENT_LINES: usize = 12;

static SHELL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?:^|[;&|{(]|\bthen|\bdo|\belse)\s*(echo|printf|cat|jq)\b").ok());
static CALLS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"\b(print|sys\.stdout\.write|sys\.stderr\.write|json\.dump|console\.(?:log|info|error|warn)|process\.stdout\.write|process\.stderr\.write)\s*\(",
    )
    .ok()
});

pub(super) fn find(script: &Script) -> Vec<Print> {
    match script.language {
        Language::Shell => shell_prints(script),
        Language::Python | Language::Node => call_prints(script),
    }
}

fn shell_prints(script: &Script) -> Vec<Print> {
    let Some(pattern) = SHELL.as_ref() else { return Vec::new() };
    let lines = script.lines();
    let functions = functions(&lines);
    let mut prints = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let Some(found) = pattern.captures(line.code).and_then(|found| found.get(1)) else { continue };
        let statement = line.code.get(found.start()..).unwrap_or_default();
        let before = line.code.get(..found.start()).unwrap_or_default();
        // `cat file` reads as often as it writes, and `jq` mostly takes apart; what they write is an answer only where
        // the text is at hand.
        let writes = match found.as_str() {
            "cat" => statement.contains("<<"),
            "jq" => statement.contains("-n") || statement.contains("--null-input"),
            _ => true,
        };
        if !writes || before.ends_with("$(") || before.contains("=$(") || before.contains("=\"$(") {
            continue;
        }
        let end = here_document_end(&lines, number).unwrap_or(number);
        let body: String = lines.iter().take(end + 1).skip(number).map(|line| line.code).collect::<Vec<_>>().join("\n");
        let json = body.contains('{') || found.as_str() == "jq";
        prints.push(Print {
            stream: shell_stream(statement, json),
            json,
            literal: has_words(statement) && found.as_str() != "cat",
            span: line.start + found.start()..line.start + line.code.trim_end().len(),
            line: number,
            end,
            caught: functions.iter().any(|function| function.contains(&number)),
        });
    }
    prints
}

/// The lines of functions, from 0. A function ends at the brace that stands where it began.
fn functions(lines: &[Line<'_>]) -> Vec<Range<usize>> {
    let indent = |code: &str| code.len() - code.trim_start().len();
    let begins = |code: &str| {
        let code = code.trim();
        let name = code.strip_prefix("function ").unwrap_or(code);
        let word = name.find(|c: char| !(c.is_alphanumeric() || "_-:".contains(c))).unwrap_or(name.len());
        let rest = name.get(word..).unwrap_or_default().trim_start();
        word > 0 && (rest.starts_with("()") || (code.starts_with("function ") && rest.starts_with('{')))
    };
    let mut functions = Vec::new();
    for (number, line) in lines.iter().enumerate().filter(|(_, line)| begins(line.code)) {
        let closes = |later: &Line<'_>| later.code.trim() == "}" && indent(later.code) == indent(line.code);
        let length = lines.iter().skip(number).position(closes).filter(|_| !line.code.trim_end().ends_with('}'));
        functions.push(number..number + length.unwrap_or_default() + 1);
    }
    functions
}

/// Where the here-document ends that begins on this line.
fn here_document_end(lines: &[Line<'_>], number: usize) -> Option<usize> {
    let (_, after) = lines.get(number)?.code.split_once("<<")?;
    let word = after.trim_start_matches('-').trim_start().trim_start_matches(['"', '\'']);
    let mark = word.get(..word.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(word.len()))?;
    let ends = |line: &Line<'_>| !mark.is_empty() && line.code.trim() == mark;
    lines.iter().skip(number + 1).position(ends).map(|length| number + 1 + length)
}

/// Whether a statement writes words of its own, not only what is in variables.
fn has_words(statement: &str) -> bool {
    let mut letters = 0;
    let mut rest = statement.find(['"', '\'']).and_then(|start| statement.get(start..)).unwrap_or_default();
    while let Some(c) = rest.chars().next() {
        let taken =
            if c == '$' { crate::command::variable(rest).map_or(1, |(_, length)| length) } else { c.len_utf8() };
        letters += usize::from(c.is_alphabetic());
        rest = rest.get(taken..).unwrap_or_default();
    }
    letters >= 3
}

fn shell_stream(statement: &str, json: bool) -> Stream {
    let outside = without_quoted(statement);
    // Only what belongs to this command: `echo x; exit 2` and `echo x || y`.
    let own = outside.split([';', '}']).next().unwrap_or_default();
    let own = own.split("&&").next().unwrap_or_default().split("||").next().unwrap_or_default();
    // `jq` only makes an answer look nicer.
    let piped = own.split_once('|').is_some_and(|(_, to)| !(json && to.trim_start().starts_with("jq")));
    if own.contains(">&2") || own.contains("/dev/stderr") {
        Stream::Stderr
    } else if piped || own.replace("<<", "").contains('>') {
        Stream::Elsewhere
    } else {
        Stream::Stdout
    }
}

/// The statement without what stands in quotes.
fn without_quoted(statement: &str) -> String {
    let mut quote = None;
    let mut outside = String::new();
    for c in statement.chars() {
        match quote {
            None if c == '"' || c == '\'' => quote = Some(c),
            None => outside.push(c),
            Some(open) if open == c => quote = None,
            Some(_) => {}
        }
    }
    outside
}

fn call_prints(script: &Script) -> Vec<Print> {
    let Some(pattern) = CALLS.as_ref() else { return Vec::new() };
    let mut prints = Vec::new();
    for found in pattern.captures_iter(&script.code) {
        let (Some(whole), Some(name)) = (found.get(0), found.get(1)) else { continue };
        let arguments = arguments(script.code.get(whole.end()..).unwrap_or_default());
        let stream = match name.as_str() {
            "sys.stderr.write" | "process.stderr.write" | "console.error" | "console.warn" => Stream::Stderr,
            "print" if arguments.contains("stderr") => Stream::Stderr,
            "print" if arguments.contains("file=") => Stream::Elsewhere,
            "json.dump" if !arguments.contains("stdout") => Stream::Elsewhere,
            _ => Stream::Stdout,
        };
        let json = arguments.contains('{') || arguments.contains("dumps") || arguments.contains("stringify");
        let argument = arguments.trim_start();
        let line = script.code.get(..whole.start()).unwrap_or_default().matches('\n').count();
        prints.push(Print {
            stream,
            json: json || name.as_str() == "json.dump",
            literal: argument.starts_with(['"', '\'', '`'])
                || argument.starts_with("f\"")
                || argument.starts_with("f'"),
            span: whole.start()..whole.end() + arguments.lines().next().unwrap_or_default().len(),
            line,
            end: line + arguments.matches('\n').count(),
            caught: false,
        });
    }
    prints
}

/// The text up to the parenthesis that closes the call.
fn arguments(text: &str) -> &str {
    let mut depth = 1_usize;
    let mut lines = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            '\n' => lines += 1,
            _ => {}
        }
        if depth == 0 || lines > STATEMENT_LINES {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Source;
    use hookrail_core::EventName;
    use hookrail_dialects::agent;
    use std::sync::Arc;

    type Expected<'a> = &'a [(Stream, bool)];

    #[test]
    fn what_is_written_where() {
        let cases: [(Language, &str, Expected<'_>); 14] = [
            (Language::Shell, "echo \"no\" >&2", &[(Stream::Stderr, false)]),
            (Language::Shell, "echo \"no >&2\"", &[(Stream::Stdout, false)]),
            (Language::Shell, "if x; then echo '{\"a\":1}'; fi", &[(Stream::Stdout, true)]),
            (Language::Shell, "echo \"$x\" | jq .a", &[(Stream::Elsewhere, false)]),
            (Language::Shell, "x=$(echo \"$y\" | jq -r .a)", &[]),
            (Language::Shell, "echo '{\"a\": 1}' | jq", &[(Stream::Stdout, true)]),
            (Language::Shell, "echo hi >> log; exit 2", &[(Stream::Elsewhere, false)]),
            (Language::Shell, "cat <<EOF\n{\"decision\": 1}\nEOF", &[(Stream::Stdout, true)]),
            (Language::Shell, "jq -n '{a: 1}'", &[(Stream::Stdout, true)]),
            (Language::Shell, "INPUT=$(cat)", &[]),
            (Language::Python, "print('no', file=sys.stderr)", &[(Stream::Stderr, false)]),
            (Language::Python, "print(json.dumps(x))", &[(Stream::Stdout, true)]),
            (
                Language::Node,
                "console.log('hi'); console.error(`x`)",
                &[(Stream::Stdout, false), (Stream::Stderr, false)],
            ),
            (Language::Node, "process.stdout.write(JSON.stringify({\n a: 1 }))", &[(Stream::Stdout, true)]),
        ];
        for (language, text, expected) in cases {
            let source = Arc::new(Source { path: "x".into(), text: text.to_owned() });
            let script =
                Script::new(agent("claude").unwrap().into(), EventName::BeforeTool, "PreToolUse", source, language);
            let got: Vec<(Stream, bool)> = script.prints().iter().map(|print| (print.stream, print.json)).collect();
            assert_eq!(got, expected, "{text}");
        }
    }
}
