//! The words of a shell command: enough of the grammar to know what is run on what, without running anything.

/// A word of a simple command, quotes removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    Text(String),
    /// Output goes to this file.
    RedirectTo(String),
}

/// What stands between a command and the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// `;`, `&&`, `&` or a new line: it comes after.
    Then,
    /// `||`: it comes after if the other failed.
    Otherwise,
    /// `|`: both run at once, each in a shell of its own.
    Pipe,
}

/// A simple command and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub words: Vec<Word>,
    pub link: Link,
    /// The subshells it is in, the outermost first, each with its own number.
    pub subshells: Vec<usize>,
}

/// The simple commands of a command line, in order, those in pipes, lists, subshells and substitutions included.
#[must_use]
pub fn simple_commands(text: &str) -> Vec<Vec<Word>> {
    placed_commands(text).into_iter().map(|command| command.words).collect()
}

/// [`simple_commands`], with their places. Those of a substitution follow the command it is in.
#[must_use]
pub(crate) fn placed_commands(text: &str) -> Vec<Placed> {
    let mut opened = 0;
    read_within(text, Vec::new(), &mut opened)
}

fn read_within(text: &str, subshells: Vec<usize>, opened: &mut usize) -> Vec<Placed> {
    let mut reader = Reader {
        rest: text.chars().peekable(),
        commands: Vec::new(),
        nested: Vec::new(),
        documents: Vec::new(),
        separators: String::new(),
        subshells,
        opened,
    };
    reader.read();
    reader.commands
}

/// Nobody nests shells deeper; a text that does must not cost memory or the stack.
const DEEPEST: usize = 200;

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
    commands: Vec<Placed>,
    /// Texts of command substitutions, read afterwards.
    nested: Vec<String>,
    /// Ends of here-documents that begin on the next line.
    documents: Vec<String>,
    /// What was read since the last command.
    separators: String,
    subshells: Vec<usize>,
    /// How many subshells there were so far.
    opened: &'a mut usize,
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
                    self.separate(c);
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
                    if self.rest.next_if_eq(&'<').is_some() && self.rest.next_if_eq(&'<').is_none() {
                        self.announce_document();
                    }
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
            let separators = std::mem::take(&mut self.separators);
            let link = match separators.as_str() {
                text if text.contains("||") => Link::Otherwise,
                text if text.contains('|') => Link::Pipe,
                _ => Link::Then,
            };
            let subshells = self.shells();
            self.commands.push(Placed { words: std::mem::take(words), link, subshells });
        }
        for inner in std::mem::take(&mut self.nested) {
            let mut subshells = self.shells();
            if subshells.len() >= DEEPEST {
                continue;
            }
            subshells.push(self.open());
            self.commands.extend(read_within(&inner, subshells, self.opened));
        }
    }

    fn shells(&self) -> Vec<usize> {
        self.subshells.iter().copied().take(DEEPEST).collect()
    }

    fn open(&mut self) -> usize {
        *self.opened += 1;
        *self.opened
    }

    fn separate(&mut self, c: char) {
        self.separators.push(c);
        match c {
            '(' => {
                let number = self.open();
                self.subshells.push(number);
            }
            ')' => {
                self.subshells.pop();
            }
            '\n' => {
                for end in std::mem::take(&mut self.documents) {
                    self.skip_document(&end);
                }
            }
            _ => {}
        }
    }

    /// Behind `<<`: the word that will end the document.
    fn announce_document(&mut self) {
        self.rest.next_if_eq(&'-');
        while self.rest.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
        let end = self.word();
        self.documents.extend(end);
    }

    /// The text of a here-document is data, not commands.
    fn skip_document(&mut self, end: &str) {
        loop {
            let mut line = String::new();
            while let Some(c) = self.rest.next_if(|c| *c != '\n') {
                line.push(c);
            }
            if self.rest.next().is_none() || line.trim() == end {
                return;
            }
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
        let inner = self.until_closed();
        word.push_str("$()");
        self.nested.push(inner);
    }

    /// The text up to the parenthesis that closes one; those in quotes and here-documents close nothing.
    fn until_closed(&mut self) -> String {
        let mut inner = String::new();
        let (mut depth, mut quote) = (1, None);
        while let Some(c) = self.rest.next() {
            match (quote, c) {
                (None, '(') => depth += 1,
                (None, ')') => depth -= 1,
                (None, '\'' | '"') => quote = Some(c),
                (Some(open), c) if open == c => quote = None,
                (None | Some('"'), '\\') => {
                    inner.push(c);
                    inner.extend(self.rest.next());
                    continue;
                }
                (None, '<') if self.rest.next_if_eq(&'<').is_some() => {
                    inner.push_str("<<");
                    self.copy_document(&mut inner);
                    continue;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
            inner.push(c);
        }
        inner
    }

    /// Behind `<<`: copies up to the end of the document.
    fn copy_document(&mut self, copy: &mut String) {
        let mut line = String::new();
        while let Some(c) = self.rest.next_if(|c| *c != '\n') {
            line.push(c);
        }
        copy.push_str(&line);
        let end = line.trim_start_matches('-').split_whitespace().next().unwrap_or_default();
        let end: String = end.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
        copy.extend(self.rest.next());
        loop {
            line.clear();
            while let Some(c) = self.rest.next_if(|c| *c != '\n') {
                line.push(c);
            }
            copy.push_str(&line);
            let more = self.rest.next();
            copy.extend(more);
            if more.is_none() || line.trim() == end {
                return;
            }
        }
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
            ("cat <<EOF\nrm -rf 'x\nEOF\nls", "[cat] | [ls]"),
            ("cat <<-'END' > out\n\tgit commit\n\tEND\nls", "[cat]>[out] | [ls]"),
            ("cat <<< word", "[cat][word]"),
            (
                "git commit -m \"$(cat <<'EOF'\nIt's done :)\n\nrm x\nEOF\n)\" && ls",
                "[git][commit][-m][$()] | [cat] | [ls]",
            ),
            ("echo $(echo ')' \"(\") z", "[echo][$()][z] | [echo][)][(]"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn absurdly_deep_nesting_is_survived() {
        for text in ["$(".repeat(3000), "(a ".repeat(20_000), "`".repeat(20_000), "a <<x\n".repeat(5000)] {
            assert!(placed_commands(&text).len() <= 20_000);
        }
    }

    #[test]
    fn commands_know_what_they_follow_and_which_shell_they_are_in() {
        let text = "a && (b || c | d); e `f`";
        let commands = placed_commands(text);
        let shown: Vec<_> = commands.iter().map(|command| (command.link, command.subshells.as_slice())).collect();
        let expected: [(Link, &[usize]); 6] = [
            (Link::Then, &[]),
            (Link::Then, &[1]),
            (Link::Otherwise, &[1]),
            (Link::Pipe, &[1]),
            (Link::Then, &[]),
            (Link::Then, &[2]),
        ];
        assert_eq!(shown, expected);
    }
}
