//! What a hook's command line starts, read without a shell.

use hookrail_shell::ast::{self, Command, CommandKind, PartKind, WordPart};
use hookrail_shell::{Node, parse};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The variables whose value is known, and the folder that relative paths start at.
#[derive(Clone, Debug, Default)]
pub(crate) struct Variables {
    pub known: Vec<(String, PathBuf)>,
    pub folder: Option<PathBuf>,
}

/// Something a command line starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Invocation {
    /// A file of its own, run by an interpreter or by itself.
    Script { path: PathBuf, interpreter: Option<String>, word: Range<usize> },
    /// A program that is looked up in `PATH`.
    Program { name: String, word: Range<usize> },
}

impl Invocation {
    /// Where the word that starts it stands in the command line.
    pub fn word(&self) -> &Range<usize> {
        match self {
            Self::Script { word, .. } | Self::Program { word, .. } => word,
        }
    }
}

/// A word of a shell command, quotes taken off.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Word {
    text: String,
    /// Where it stands in the command.
    range: Range<usize>,
    /// Its text depends on something that only a shell knows.
    dynamic: bool,
}

const INTERPRETERS: [&str; 12] =
    ["bash", "sh", "zsh", "dash", "ksh", "python", "python3", "node", "bun", "ruby", "perl", "tsx"];
/// Words before the command they start.
const PREFIXES: [&str; 7] = ["exec", "env", "command", "time", "nice", "nohup", "if"];
/// What a shell understands without a program.
const BUILTINS: [&str; 41] = [
    ":", ".", "[", "[[", "!", "{", "}", "alias", "break", "case", "cd", "continue", "declare", "do", "done", "echo",
    "elif", "else", "esac", "eval", "exit", "export", "false", "fi", "for", "function", "if", "local", "printf", "pwd",
    "read", "return", "set", "shift", "source", "test", "then", "trap", "true", "until", "while",
];

pub(crate) fn invocations(command: &str, variables: &Variables) -> Vec<Invocation> {
    simple_commands(command, variables).iter().filter_map(|words| invocation(words, variables)).collect()
}

fn invocation(words: &[Word], variables: &Variables) -> Option<Invocation> {
    let words = words.iter().filter(|word| !is_assignment(&word.text));
    let mut words = words.skip_while(|word| PREFIXES.contains(&file_name(&word.text)));
    let first = words.next()?;
    // `command -v x` looks for a program and starts none, and neither does an option of a prefix.
    if first.dynamic || first.text.is_empty() || first.text.starts_with('-') {
        return None;
    }
    let name = file_name(&first.text);
    let sourced = matches!(first.text.as_str(), "." | "source");
    if INTERPRETERS.contains(&name) || sourced {
        let script = words.find(|word| !word.text.starts_with('-') || takes_text(&word.text))?;
        // `bash -c '…'`, `python3 -m …`: there is no file.
        if takes_text(&script.text) || script.dynamic {
            return None;
        }
        let path = resolve(&script.text, variables)?;
        return Some(Invocation::Script { path, interpreter: Some(name.to_owned()), word: script.range.clone() });
    }
    if first.text.contains('/') {
        let path = resolve(&first.text, variables)?;
        return Some(Invocation::Script { path, interpreter: None, word: first.range.clone() });
    }
    let is_name = first.text.chars().all(|c| c.is_ascii_alphanumeric() || "_-.+".contains(c));
    let program = is_name && !BUILTINS.contains(&first.text.as_str());
    program.then(|| Invocation::Program { name: first.text.clone(), word: first.range.clone() })
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// Options after which no file follows.
fn takes_text(option: &str) -> bool {
    matches!(option, "-c" | "-lc" | "-ic" | "-e" | "-m" | "-p" | "--eval" | "--print" | "-s" | "-")
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=')
        .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

fn resolve(text: &str, variables: &Variables) -> Option<PathBuf> {
    let path = Path::new(text);
    let whole = if path.is_absolute() { path.to_path_buf() } else { variables.folder.as_ref()?.join(path) };
    // Without the `.` in the middle, as people would write it.
    Some(whole.components().collect())
}

/// The simple commands of a line, those of substitutions included, each as words.
fn simple_commands(command: &str, variables: &Variables) -> Vec<Vec<Word>> {
    let script = parse(command);
    let mut commands = Vec::new();
    script.for_each(|node| {
        if let Node::Command(Command { kind: CommandKind::Simple(simple), .. }) = node {
            commands.push(simple.words.iter().map(|word| read_word(word, variables)).collect());
        }
    });
    commands
}

fn read_word(word: &ast::Word<'_>, variables: &Variables) -> Word {
    let mut read = Word { text: String::new(), range: word.span.start..word.span.end, dynamic: false };
    word.parts.iter().for_each(|part| add_part(&mut read, part, variables));
    read
}

/// Adds the text of a part, as far as it is known.
fn add_part(word: &mut Word, part: &WordPart<'_>, variables: &Variables) {
    let known = |name: &str| variables.known.iter().find(|(known, _)| known == name).map(|(_, value)| value);
    let value = match &part.kind {
        PartKind::Literal(text) | PartKind::SingleQuoted(text) | PartKind::AnsiQuoted(text) => {
            word.text.push_str(text);
            return;
        }
        PartKind::DoubleQuoted(parts) => {
            parts.iter().for_each(|part| add_part(word, part, variables));
            return;
        }
        PartKind::Parameter(parameter) => known(&parameter.name),
        PartKind::Tilde(user) if user.is_empty() => known("HOME"),
        _ => None,
    };
    match value {
        Some(value) => word.text.push_str(&value.to_string_lossy()),
        None => word.dynamic = true,
    }
}

/// The name of the variable a text begins with, and how long it is written. A default (`${A:-b}`) is passed over.
pub(crate) fn variable(text: &str) -> Option<(&str, usize)> {
    let name_length = |text: &str| text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let after = text.strip_prefix('$')?;
    if let Some(inner) = after.strip_prefix('{') {
        let name = inner.get(..name_length(inner))?;
        let end = inner.find('}')?;
        return (!name.is_empty()).then_some((name, end + 3));
    }
    let name = after.get(..name_length(after))?;
    (!name.is_empty()).then_some((name, name.len() + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_or_program_behind_a_command_is_found() {
        let variables = Variables {
            known: vec![("CLAUDE_PROJECT_DIR".to_owned(), "/my shop".into()), ("HOME".to_owned(), "/home/me".into())],
            folder: Some("/my shop".into()),
        };
        let cases = [
            ("\"$CLAUDE_PROJECT_DIR\"/hooks/a.sh", "/my shop/hooks/a.sh by itself"),
            ("${CLAUDE_PROJECT_DIR:-.}/a.sh", "/my shop/a.sh by itself"),
            ("bash .claude/a.sh --flag", "/my shop/.claude/a.sh by bash"),
            ("/usr/bin/env python3 -u a.py", "/my shop/a.py by python3"),
            ("env FOO=1 python3 -u a.py", "/my shop/a.py by python3"),
            ("FOO=1 ~/a.sh", "/home/me/a.sh by itself"),
            ("bash -c 'exit 1'", ""),
            ("python3 -m tool", ""),
            ("hookrail hook --pack core", "hookrail"),
            ("jq . | grep -q x && ./b.sh", "jq grep /my shop/b.sh by itself"),
            ("echo $(cat x)", "cat"),
            ("$UNKNOWN/a.sh", ""),
            ("cd x; source lib.sh", "/my shop/lib.sh by source"),
        ];
        for (command, expected) in cases {
            let shown: Vec<String> = invocations(command, &variables)
                .into_iter()
                .map(|invocation| match invocation {
                    Invocation::Script { path, interpreter: Some(by), .. } => format!("{} by {by}", path.display()),
                    Invocation::Script { path, .. } => format!("{} by itself", path.display()),
                    Invocation::Program { name, .. } => name,
                })
                .collect();
            assert_eq!(shown.join(" "), expected, "{command}");
        }
    }

    #[test]
    fn a_word_is_found_where_it_stands() {
        let found = invocations("bash \"a b.sh\" x", &Variables { known: Vec::new(), folder: Some("/p".into()) });
        let Some(Invocation::Script { word, .. }) = found.first() else { panic!("{found:?}") };
        assert_eq!(word, &(5..13));
    }
}
