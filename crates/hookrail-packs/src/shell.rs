//! The words of a shell command: enough of the grammar to know what is run on what, without running anything.

/// A word of a simple command, quotes removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    Text(String),
    /// Output goes to this file.
    RedirectTo(String),
}

/// The simple commands of a command line, in order, those in pipes, lists, subshells and substitutions included.
#[must_use]
pub fn simple_commands(text: &str) -> Vec<Vec<Word>> {
    let mut reader = Reader { rest: text.chars().peekable(), commands: Vec::new(), nested: Vec::new() };
    reader.read();
    let mut commands = reader.commands;
    for inner in reader.nested {
        commands.extend(simple_commands(&inner));
    }
    commands
}

/// What the next word is.
enum Role {
    Argument,
    /// The file behind a `>`.
    Target,
    /// The number behind a `>&`.
    Stream,
}

struct Reader<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    commands: Vec<Vec<Word>>,
    /// Texts of command substitutions, read afterwards.
    nested: Vec<String>,
}

impl Reader<'_> {
    fn read(&mut self) {
        let mut words = Vec::new();
        let mut next = Role::Argument;
        while let Some(c) = self.rest.peek().copied() {
            match c {
                ' ' | '\t' | '\r' => {
                    self.rest.next();
                }
                '\n' | ';' | '&' | '|' | '(' | ')' | '{' | '}' if self.separates(c) => {
                    self.rest.next();
                    self.finish(&mut words);
                    next = Role::Argument;
                }
                '#' => self.skip_comment(),
                '>' => {
                    self.rest.next();
                    while self.rest.next_if(|c| matches!(c, '>' | '|')).is_some() {}
                    let copies_a_stream = self.rest.next_if_eq(&'&').is_some();
                    next = if copies_a_stream { Role::Stream } else { Role::Target };
                }
                '<' => {
                    self.rest.next();
                    next = Role::Argument;
                }
                _ => match (self.word(), std::mem::replace(&mut next, Role::Argument)) {
                    (None, _) | (Some(_), Role::Stream) => {}
                    (Some(word), Role::Target) => words.push(Word::RedirectTo(word)),
                    (Some(word), Role::Argument) => words.push(Word::Text(word)),
                },
            }
        }
        self.finish(&mut words);
    }

    /// Braces separate only where they stand alone.
    fn separates(&self, c: char) -> bool {
        if !matches!(c, '{' | '}') {
            return true;
        }
        let mut ahead = self.rest.clone();
        ahead.next();
        ahead.next().is_none_or(|next| next.is_whitespace() || next == ';')
    }

    fn finish(&mut self, words: &mut Vec<Word>) {
        if !words.is_empty() {
            self.commands.push(std::mem::take(words));
        }
    }

    fn skip_comment(&mut self) {
        while self.rest.next_if(|c| *c != '\n').is_some() {}
    }

    /// The next word; `None` for the number of a stream right before `>`.
    fn word(&mut self) -> Option<String> {
        let mut word = String::new();
        while let Some(c) = self.rest.peek().copied() {
            match c {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' => break,
                '>' if word.chars().all(|c| c.is_ascii_digit()) => return None,
                '>' => break,
                '\'' => {
                    self.rest.next();
                    while let Some(c) = self.rest.next().filter(|c| *c != '\'') {
                        word.push(c);
                    }
                }
                '"' => {
                    self.rest.next();
                    self.double_quoted(&mut word);
                }
                '\\' => {
                    self.rest.next();
                    word.extend(self.rest.next().filter(|c| *c != '\n'));
                }
                '$' => self.dollar(&mut word),
                '`' => self.backquoted(&mut word),
                c => {
                    self.rest.next();
                    word.push(c);
                }
            }
        }
        Some(word)
    }

    fn double_quoted(&mut self, word: &mut String) {
        while let Some(c) = self.rest.peek().copied() {
            match c {
                '"' => {
                    self.rest.next();
                    return;
                }
                '\\' => {
                    self.rest.next();
                    match self.rest.next() {
                        Some(escaped @ ('"' | '\\' | '$' | '`')) => word.push(escaped),
                        Some('\n') | None => {}
                        Some(other) => word.extend(['\\', other]),
                    }
                }
                '$' => self.dollar(word),
                '`' => self.backquoted(word),
                c => {
                    self.rest.next();
                    word.push(c);
                }
            }
        }
    }

    /// A substitution's text is kept for later; everything else with a dollar stays as it is written.
    fn dollar(&mut self, word: &mut String) {
        self.rest.next();
        if self.rest.next_if_eq(&'(').is_none() {
            word.push('$');
            return;
        }
        let mut depth = 1;
        let mut inner = String::new();
        for c in self.rest.by_ref() {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            inner.push(c);
        }
        word.push_str("$()");
        self.nested.push(inner);
    }

    fn backquoted(&mut self, word: &mut String) {
        self.rest.next();
        let inner: String = self.rest.by_ref().take_while(|c| *c != '`').collect();
        word.push_str("$()");
        self.nested.push(inner);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Commands separated by ` | `, words by spaces, redirections with `>`.
    fn shown(text: &str) -> String {
        let word = |word: &Word| match word {
            Word::Text(text) => format!("[{text}]"),
            Word::RedirectTo(file) => format!(">[{file}]"),
        };
        let commands = simple_commands(text);
        commands.iter().map(|words| words.iter().map(word).collect::<String>()).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn a_command_line_is_taken_apart_as_a_shell_would() {
        let cases = [
            ("git commit -m 'a b'", "[git][commit][-m][a b]"),
            ("a && b; c || d & e", "[a] | [b] | [c] | [d] | [e]"),
            ("a|b\nc", "[a] | [b] | [c]"),
            ("(cd x && y)", "[cd][x] | [y]"),
            ("{ a; b; }", "[a] | [b]"),
            ("echo {a,b}", "[echo][{a,b}]"),
            ("echo \"a \\\"b\\\" $x\"", "[echo][a \"b\" $x]"),
            ("x > out 2>&1", "[x]>[out]"),
            ("x 2>err >>log", "[x]>[err]>[log]"),
            ("x >|out", "[x]>[out]"),
            ("x < in", "[x][in]"),
            ("echo \"$(rm -rf y)\" z", "[echo][$()][z] | [rm][-rf][y]"),
            ("echo `id`", "[echo][$()] | [id]"),
            ("a # comment; b\nc", "[a] | [c]"),
            ("a\\ b c\\\nd", "[a b][cd]"),
            ("'unclosed", "[unclosed]"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}
