//! awk programs: commands and files in them, and what simple ones print.

use crate::act::Act;
use crate::analysis::Extent;
use crate::flow::Arg;
use crate::models::Reading;

/// So many tokens of a program are looked at.
const MAX_TOKENS: usize = 4096;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Text(String),
    Name(String),
    /// `$1`, `$NF`, `$0`
    Field(String),
    Number(String),
    /// `>>`, `==` and the like are one mark, by their first letter and whether it stands alone.
    Mark(char),
    Append,
    Other,
}

/// What names of a program stand for, and which files it reads.
pub(crate) struct Variables {
    values: Vec<(String, Arg)>,
    files: Vec<Arg>,
}

impl Variables {
    /// Of `-v NAME=VALUE`, and the files behind the program.
    pub(crate) fn new(assigned: &[Arg], files: Vec<Arg>) -> Self {
        let pair = |arg: &Arg| {
            let at = arg.text.find('=')?;
            Some((arg.text.get(..at)?.to_owned(), arg.after(at + 1)))
        };
        Self { values: assigned.iter().filter_map(pair).collect(), files }
    }

    fn get(&self, name: &str) -> Option<&Arg> {
        self.values.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

/// Looks for `system(…)`, `… | getline`, `print | …` and `print > …`.
pub(crate) fn inspect(reading: &mut Reading<'_, '_, '_>, program: &Arg, variables: &mut Variables) {
    let tokens = cut(&program.text);
    let (mut printed, mut depth) = (None, 0usize);
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let next = tokens.get(at + 1);
        match token {
            Token::Mark(';' | '{' | '}' | '\n') => (printed, depth) = (None, 0),
            Token::Mark('(') => depth += 1,
            Token::Mark(')') => depth = depth.saturating_sub(1),
            Token::Name(name) if matches!(name.as_str(), "print" | "printf") => (printed, depth) = (Some(at + 1), 0),
            Token::Name(name) if name == "system" && next == Some(&Token::Mark('(')) => {
                let command = value(&tokens, at + 2, program, variables);
                run(reading, &command, "awk system", &variables.files);
            }
            Token::Name(name) if next == Some(&Token::Mark('=')) && printed.is_none() => {
                let assigned = value(&tokens, at + 2, program, variables);
                variables.values.push((name.clone(), assigned));
            }
            Token::Mark('>') | Token::Append if printed.is_some() && depth == 0 => {
                for file in targets(&tokens, at + 1, program, variables) {
                    reading.touch(Act::FsWrite, &file, Extent::Single);
                }
            }
            Token::Mark('|') if matches!(next, Some(Token::Name(name)) if name == "getline") => {
                let start = statement(&tokens, at);
                let command = value(&tokens, start, program, variables);
                run(reading, &command, "awk getline", &variables.files);
            }
            Token::Name(name) if name == "getline" => {
                let file = tokens.iter().skip(at + 1).take(3).position(|token| *token == Token::Mark('<'));
                if let Some(file) = file {
                    let file = value(&tokens, at + file + 2, program, variables);
                    reading.touch(Act::FsRead, &file, Extent::Single);
                }
            }
            Token::Mark('|') if printed.is_some() && depth == 0 => {
                let command = value(&tokens, at + 1, program, variables);
                // A shell runs what is printed.
                let shell = command.known() && crate::shell::is_shell(command.text.trim());
                let from = printed.filter(|_| shell);
                let command = from.map_or(command, |from| value(&tokens, from, program, variables));
                run(reading, &command, "awk pipe", &variables.files);
            }
            _ => {}
        }
        at += 1;
    }
}

fn run(reading: &mut Reading<'_, '_, '_>, command: &Arg, how: &str, files: &[Arg]) {
    if command.hole == Some(0) || command.text.is_empty() {
        reading.act(Act::ExecDynamic, Some(how));
        reading.gap(crate::effect::GapReason::DynamicCode, std::slice::from_ref(command));
    } else {
        reading.run_text(command);
    }
    if !command.known() {
        reading.gap_in_input(files);
    }
}

/// Where the statement begins that the token at `at` stands in.
fn statement(tokens: &[Token], at: usize) -> usize {
    let ends = |token: &Token| matches!(token, Token::Mark(';' | '{' | '}' | '\n' | '(' | '!'));
    tokens.get(..at).unwrap_or_default().iter().rposition(ends).map_or(0, |before| before + 1)
}

/// The files that stand behind a `>`.
fn targets(tokens: &[Token], at: usize, program: &Arg, variables: &Variables) -> Vec<Arg> {
    match tokens.get(at) {
        Some(Token::Name(name)) if matches!(name.as_str(), "FILENAME" | "ARGV") => variables.files.clone(),
        _ => vec![value(tokens, at, program, variables)],
    }
}

/// Texts and names that stand side by side are one text.
fn value(tokens: &[Token], from: usize, program: &Arg, variables: &Variables) -> Arg {
    let mut whole = Arg { span: program.span, taint: program.taint.clone(), ..Arg::default() };
    for token in tokens.iter().skip(from) {
        let part = match token {
            Token::Text(text) => Arg::new(text.clone(), program.span),
            Token::Number(text) => Arg::new(text.clone(), program.span),
            Token::Name(name) => match variables.get(name) {
                Some(value) => value.clone(),
                None => Arg::unknown("$__", program.span),
            },
            Token::Field(_) => Arg::unknown("$__", program.span),
            Token::Mark('(') => continue,
            _ => break,
        };
        if whole.hole.is_none() {
            whole.hole = part.hole.map(|hole| hole + whole.text.len());
        }
        whole.text.push_str(&part.text);
        if whole.text.len() > 4096 {
            break;
        }
    }
    whole
}

/// What `{ print … }` prints of an input, or of one line that is not known. `None` for any other program.
pub(crate) fn printed(program: &str, separator: Option<&str>, input: Option<&str>) -> Option<String> {
    let tokens: Vec<Token> = cut(program).into_iter().filter(|token| *token != Token::Mark('\n')).collect();
    let [Token::Mark('{'), Token::Name(print), items @ .., Token::Mark('}')] = tokens.as_slice() else { return None };
    if print != "print" {
        return None;
    }
    let line = |line: Option<&str>| -> Option<String> {
        let mut text = String::new();
        for item in items {
            match item {
                Token::Text(part) => text.push_str(part),
                Token::Number(part) => text.push_str(part),
                Token::Mark(',') => text.push(' '),
                Token::Mark(';') => {}
                Token::Field(name) => text.push_str(&field(line, name, separator)?),
                _ => return None,
            }
        }
        if items.is_empty() {
            text.push_str(line.unwrap_or("$__"));
        }
        Some(text + "\n")
    };
    match input {
        Some(input) => input.lines().map(|text| line(Some(text))).collect(),
        // A line that is not known still has a known shape, unless it is all there is.
        None => line(None).filter(|text| !text.replace("$__", "").trim().is_empty()),
    }
}

fn field(line: Option<&str>, name: &str, separator: Option<&str>) -> Option<String> {
    let Some(line) = line else { return Some("$__".to_owned()) };
    let fields: Vec<&str> = match separator {
        None | Some(" ") => line.split_whitespace().collect(),
        Some("\\t") => line.split('\t').collect(),
        Some(separator) => line.split(separator).collect(),
    };
    Some(match name {
        "0" => line.to_owned(),
        "NF" => fields.last().copied().unwrap_or_default().to_owned(),
        number => {
            let at: usize = number.parse().ok()?;
            fields.get(at.checked_sub(1)?).copied().unwrap_or_default().to_owned()
        }
    })
}

/// Cuts a program into tokens. Linear; comments are dropped, regular expressions are something else.
fn cut(program: &str) -> Vec<Token> {
    let chars: Vec<char> = program.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&c) = chars.get(at).filter(|_| tokens.len() < MAX_TOKENS) {
        let next = chars.get(at + 1).copied();
        let run = |from: usize, part: fn(char) -> bool| {
            chars.iter().skip(from).position(|c| !part(*c)).map_or(chars.len(), |end| from + end)
        };
        let take = |from: usize, to: usize| chars.get(from..to).unwrap_or_default().iter().collect::<String>();
        match c {
            '#' => at = run(at, |c| c != '\n'),
            '"' => {
                let (text, end) = quoted(&chars, at + 1, '"');
                tokens.push(Token::Text(text));
                at = end;
            }
            '/' if begins_expression(tokens.last()) => {
                at = quoted(&chars, at + 1, '/').1;
                tokens.push(Token::Other);
            }
            '$' => {
                let end = run(at + 1, |c| c.is_alphanumeric() || c == '_').max(at + 1);
                tokens.push(Token::Field(take(at + 1, end)));
                at = end;
            }
            c if c.is_ascii_digit() => {
                let end = run(at, |c| c.is_ascii_digit() || c == '.');
                tokens.push(Token::Number(take(at, end)));
                at = end;
            }
            c if c.is_alphabetic() || c == '_' => {
                let end = run(at, |c| c.is_alphanumeric() || c == '_');
                tokens.push(Token::Name(take(at, end)));
                at = end;
            }
            '>' if next == Some('>') => {
                tokens.push(Token::Append);
                at += 2;
            }
            '|' | '&' if next == Some(c) => {
                tokens.push(Token::Other);
                at += 2;
            }
            '=' | '!' | '<' | '>' | '+' | '-' | '*' | '%' if next == Some('=') => {
                tokens.push(Token::Other);
                at += 2;
            }
            c if c.is_whitespace() && c != '\n' => at += 1,
            c => {
                tokens.push(Token::Mark(c));
                at += 1;
            }
        }
    }
    tokens
}

/// Elsewhere a slash divides.
fn begins_expression(before: Option<&Token>) -> bool {
    !matches!(
        before,
        Some(Token::Name(_) | Token::Number(_) | Token::Field(_) | Token::Text(_) | Token::Mark(')' | ']'))
    )
}

fn quoted(chars: &[char], from: usize, quote: char) -> (String, usize) {
    let (mut text, mut at) = (String::new(), from);
    while let Some(&c) = chars.get(at) {
        at += 1;
        match c {
            '\\' => {
                match chars.get(at) {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some(other) => text.push(*other),
                    None => {}
                }
                at += 1;
            }
            c if c == quote => break,
            c => text.push(c),
        }
    }
    (text, at)
}
