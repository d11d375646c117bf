//! `cmd.exe`.

use super::cursor::{Building, Cursor};
use super::{CommandLine, Separator, WindowsOperator};

/// Reads a command line of `cmd.exe`.
///
/// ```
/// let line = hookrail_shell::windows::read_cmd(r#"del /q "a b" ^&c & type x>y || dir"#);
/// let words: Vec<Vec<&str>> =
///     line.commands.iter().map(|command| command.words.iter().map(|word| &*word.text).collect()).collect();
/// assert_eq!(words, [vec!["del", "/q", "a b", "&c"], vec!["type", "x"], vec!["dir"]]);
/// ```
#[must_use]
pub fn read_cmd(text: &str) -> CommandLine<'_> {
    let mut cursor = Cursor::new(text);
    while let Some(character) = cursor.peek() {
        let start = cursor.pos;
        let goes_on = match character {
            ' ' | '\t' | '\r' | ',' | ';' | '=' => cursor.next().is_some(),
            // `@` before a command only keeps it from being shown.
            '@' if !cursor.has_words() => cursor.next().is_some(),
            '\n' => separate(&mut cursor, 1, Separator::Then),
            '|' if cursor.peek_second() == Some('|') => separate(&mut cursor, 2, Separator::Or),
            '|' => separate(&mut cursor, 1, Separator::Pipe),
            '&' if cursor.peek_second() == Some('&') => separate(&mut cursor, 2, Separator::And),
            '&' => separate(&mut cursor, 1, Separator::Then),
            '(' if cursor.allows_block() => separate(&mut cursor, 1, Separator::Block),
            ')' => separate(&mut cursor, 1, Separator::Block),
            '<' | '>' => redirect(&mut cursor, start, None),
            '0'..='9' if matches!(cursor.peek_second(), Some('<' | '>')) => {
                cursor.next();
                redirect(&mut cursor, start, Some(character))
            }
            _ => {
                word(&mut cursor);
                true
            }
        };
        if !goes_on {
            break;
        }
    }
    cursor.finish()
}

fn separate(cursor: &mut Cursor<'_>, length: usize, separator: Separator) -> bool {
    cursor.pos += length;
    cursor.separate(separator)
}

fn redirect(cursor: &mut Cursor<'_>, start: usize, stream: Option<char>) -> bool {
    let operator = match () {
        () if cursor.eat(">>") => WindowsOperator::Append,
        () if cursor.eat(">&") || cursor.eat("<&") => WindowsOperator::Duplicate,
        () if cursor.eat("<") => WindowsOperator::Read,
        () => {
            cursor.next();
            WindowsOperator::Write
        }
    };
    cursor.redirect(start, stream, operator);
    true
}

fn word(cursor: &mut Cursor<'_>) {
    let mut word = cursor.begin();
    while let Some(character) = cursor.peek() {
        match character {
            ' ' | '\t' | '\r' | '\n' | ',' | ';' | '=' | '|' | '&' | '<' | '>' | ')' => break,
            '"' => quoted(cursor, &mut word),
            '^' => escape(cursor, &mut word),
            _ => {
                word.expands |= matches!(character, '%' | '!');
                word.push(character);
                cursor.next();
            }
        }
    }
    cursor.end(word);
}

/// Reads a quoted text. It ends at a quote or with the line; two quotes are one.
fn quoted(cursor: &mut Cursor<'_>, word: &mut Building) {
    cursor.next();
    word.removed();
    loop {
        match cursor.peek() {
            None | Some('\n') => return cursor.incomplete(),
            Some('"') => {
                cursor.next();
                if cursor.peek() != Some('"') {
                    return;
                }
                cursor.next();
                word.push('"');
            }
            Some(character) => {
                word.expands |= matches!(character, '%' | '!');
                word.push(character);
                cursor.next();
            }
        }
    }
}

/// Reads a caret and the character behind it.
fn escape(cursor: &mut Cursor<'_>, word: &mut Building) {
    cursor.next();
    word.removed();
    cursor.eat("\r");
    match cursor.next() {
        Some('\n') | None => {}
        Some(character) => word.push(character),
    }
}
