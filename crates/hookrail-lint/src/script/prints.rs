//! What a script writes, and where to.

use super::{Language, Script};
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
        let whole: String = lines.iter().skip(number).take(2).map(|line| line.code).collect::<Vec<_>>().join("\n");
        let body = if matches!(found.as_str(), "cat" | "jq") { whole.as_str() } else { statement };
        prints.push(Print {
            stream: shell_stream(statement, found.as_str()),
            json: body.contains('{') || found.as_str() == "jq",
            literal: statement.contains(['"', '\'']) && found.as_str() != "cat",
            span: line.start + found.start()..line.start + line.code.trim_end().len(),
            line: number,
        });
    }
    prints
}

fn shell_stream(statement: &str, program: &str) -> Stream {
    let outside = without_quoted(statement);
    // Only what belongs to this command: `echo x; exit 2` and `echo x || y`.
    let own = outside.split([';', '}']).next().unwrap_or_default();
    let own = own.split("&&").next().unwrap_or_default().split("||").next().unwrap_or_default();
    if own.contains(">&2") || own.contains("/dev/stderr") {
        Stream::Stderr
    } else if own.contains('|') || own.replace("<<", "").contains('>') || (program == "cat" && !own.contains("<<")) {
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
        prints.push(Print {
            stream,
            json: json || name.as_str() == "json.dump",
            literal: argument.starts_with(['"', '\'', '`'])
                || argument.starts_with("f\"")
                || argument.starts_with("f'"),
            span: whole.start()..whole.end() + arguments.lines().next().unwrap_or_default().len(),
            line: script.code.get(..whole.start()).unwrap_or_default().matches('\n').count(),
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
    use crate::agents::agent;
    use crate::finding::Source;
    use hookrail_core::EventName;
    use std::sync::Arc;

    type Expected<'a> = &'a [(Stream, bool)];

    #[test]
    fn what_is_written_where() {
        let cases: [(Language, &str, Expected<'_>); 13] = [
            (Language::Shell, "echo \"no\" >&2", &[(Stream::Stderr, false)]),
            (Language::Shell, "echo \"no >&2\"", &[(Stream::Stdout, false)]),
            (Language::Shell, "if x; then echo '{\"a\":1}'; fi", &[(Stream::Stdout, true)]),
            (Language::Shell, "echo \"$x\" | jq .a", &[(Stream::Elsewhere, false)]),
            (Language::Shell, "x=$(echo \"$y\" | jq -r .a)", &[]),
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
            let script = Script::new(agent("claude").unwrap(), EventName::BeforeTool, "PreToolUse", source, language);
            let got: Vec<(Stream, bool)> = script.prints().iter().map(|print| (print.stream, print.json)).collect();
            assert_eq!(got, expected, "{text}");
        }
    }
}
