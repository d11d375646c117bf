//! Project-directory variables in the text of a command.
//!
//! Hooks are written as if `$CLAUDE_PROJECT_DIR` were pasted into the command, so that is what happens, except that the
//! directory's name must never be able to mean anything to the shell (errata B20).

use std::path::Path;

/// All of them name the event's working directory.
pub(crate) const PROJECT_DIR_VARIABLES: [&str; 3] = ["LLXPRT_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"];

/// Replaces the project-directory variables in a text that no shell reads.
pub(super) fn expand_argument(text: &str, directory: &Path) -> String {
    let directory = directory.to_string_lossy();
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (piece, length) = match variable_length(rest) {
            Some(length) => (&*directory, length),
            None => (rest.get(..c.len_utf8()).unwrap_or_default(), c.len_utf8()),
        };
        expanded.push_str(piece);
        rest = rest.get(length..).unwrap_or_default();
    }
    expanded
}

/// Where in a shell text we are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Context {
    Bare,
    Double,
    Single,
}

/// Replaces `$NAME` and `${NAME}` of the project-directory variables.
///
/// - Outside quotes the directory becomes one quoted word.
/// - Inside double quotes the variable stays for the shell to expand, which yields the directory unchanged.
/// - Inside single quotes the directory is pasted literally if it has no character that means something to a shell.
///   Otherwise the text stays, because single-quoted text is often a command for another shell (`bash -c '…'`), which
///   finds the variable in its environment.
#[must_use]
pub fn expand_command(command: &str, directory: &Path) -> String {
    let directory = directory.to_string_lossy();
    let mut expanded = String::with_capacity(command.len() + directory.len());
    // Quotes nest: `"$(… '…' …)"`. The stack holds the contexts around the current one.
    let mut outer: Vec<Context> = Vec::new();
    let mut context = Context::Bare;
    let mut rest = command;
    while let Some(c) = rest.chars().next() {
        if let Some(length) = variable_length(rest) {
            let (variable, after) = rest.split_at(length);
            expanded.push_str(&replacement(variable, &directory, context));
            rest = after;
            continue;
        }
        let taken = match (context, c) {
            (Context::Bare | Context::Double, '\\') => {
                c.len_utf8() + rest[1..].chars().next().map_or(0, char::len_utf8)
            }
            (Context::Bare | Context::Double, '$') if rest.starts_with("$(") => {
                outer.push(context);
                context = Context::Bare;
                2
            }
            (Context::Bare, '(') => {
                outer.push(context);
                1
            }
            (Context::Bare, ')') => {
                context = outer.pop().unwrap_or(Context::Bare);
                1
            }
            (Context::Bare, '\'') => {
                outer.push(context);
                context = Context::Single;
                1
            }
            (Context::Bare, '"') => {
                outer.push(context);
                context = Context::Double;
                1
            }
            (Context::Single, '\'') | (Context::Double, '"') => {
                context = outer.pop().unwrap_or(Context::Bare);
                1
            }
            (Context::Bare | Context::Double | Context::Single, c) => c.len_utf8(),
        };
        let (text, after) = rest.split_at(taken);
        expanded.push_str(text);
        rest = after;
    }
    expanded
}

/// How long the variable is that `text` begins with, if it begins with one.
fn variable_length(text: &str) -> Option<usize> {
    let name = text.strip_prefix('$')?;
    if let Some(name) = name.strip_prefix('{') {
        let variable = PROJECT_DIR_VARIABLES
            .iter()
            .find(|variable| name.strip_prefix(**variable).is_some_and(|after| after.starts_with('}')))?;
        return Some(variable.len() + 3);
    }
    let variable = PROJECT_DIR_VARIABLES.iter().find(|variable| {
        name.strip_prefix(**variable)
            .is_some_and(|after| !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
    })?;
    Some(variable.len() + 1)
}

fn replacement(variable: &str, directory: &str, context: Context) -> String {
    match context {
        Context::Bare => quoted(directory),
        Context::Single if directory.chars().all(is_harmless) => directory.to_owned(),
        Context::Single | Context::Double => variable.to_owned(),
    }
}

/// The text as one word of a POSIX shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn is_harmless(c: char) -> bool {
    c.is_alphanumeric() || " /._-+:@%,=".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// What a real shell makes of the expanded command, with the variables exported as the runner does.
    fn run(command: &str, directory: &str) -> String {
        let output = Command::new("sh")
            .args(["-c", &expand_command(command, Path::new(directory))])
            .envs(PROJECT_DIR_VARIABLES.map(|name| (name, directory)))
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    #[test]
    fn a_directory_is_one_word_whatever_its_name_and_wherever_it_stands() {
        // covers: HOOK-188
        let directories = [
            "/plain",
            "/with space",
            "/it's",
            "/a\"b",
            "/$(touch x)",
            "/`id`",
            "/a;b",
            "/new\nline",
            "/*",
            "/\\",
            "/é",
        ];
        let commands = [
            "printf '[%s]' $LLXPRT_PROJECT_DIR",
            "printf '[%s]' ${GEMINI_PROJECT_DIR}",
            "printf '[%s]' \"$CLAUDE_PROJECT_DIR\"",
            "printf '[%s]' \"${CLAUDE_PROJECT_DIR}\"",
            "printf '%s' \"$(printf '[%s]' $LLXPRT_PROJECT_DIR)\"",
            "(printf '[%s]' $LLXPRT_PROJECT_DIR)",
            "printf '[%s]' a\\$b >/dev/null; printf '[%s]' $LLXPRT_PROJECT_DIR",
        ];
        for directory in directories {
            for command in commands {
                assert_eq!(run(command, directory), format!("[{directory}]"), "{command} in {directory}");
            }
        }
    }

    #[test]
    fn a_path_below_the_directory_stays_attached() {
        assert_eq!(run("printf '[%s]' $LLXPRT_PROJECT_DIR/hooks/a.sh", "/my dir"), "[/my dir/hooks/a.sh]");
        assert_eq!(run("printf '[%s]' \"$CLAUDE_PROJECT_DIR/a b\"", "/my dir"), "[/my dir/a b]");
    }

    #[test]
    fn single_quotes_take_the_directory_only_if_it_cannot_be_a_command() {
        assert_eq!(run("printf '[%s]' '$LLXPRT_PROJECT_DIR'", "/my dir"), "[/my dir]");
        assert_eq!(run("sh -c 'cd $CLAUDE_PROJECT_DIR; :'; echo safe", "/x; echo owned"), "safe\n");
    }

    #[test]
    fn only_the_three_variables_are_expanded() {
        let cases = [
            ("$LLXPRT_PROJECT_DIRECTORY", "$LLXPRT_PROJECT_DIRECTORY"),
            ("$HOME/$OTHER", "$HOME/$OTHER"),
            ("\\$LLXPRT_PROJECT_DIR", "\\$LLXPRT_PROJECT_DIR"),
            ("${LLXPRT_PROJECT_DIR:-x}", "${LLXPRT_PROJECT_DIR:-x}"),
            ("a\\", "a\\"),
            ("$LLXPRT_PROJECT_DIR", "'/d'"),
        ];
        for (command, expected) in cases {
            assert_eq!(expand_command(command, Path::new("/d")), expected, "{command}");
        }
    }
}
