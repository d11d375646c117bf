//! PowerShell.

use super::cursor::{Building, Cursor};
use super::{CommandLine, Separator, WindowsOperator};

/// Reads a command line of PowerShell.
///
/// ```
/// let line = hookrail_shell::windows::read_power_shell("Remove-Item 'a b' -Recurse | Out-Null; ls `\n C:\\x");
/// let words: Vec<Vec<&str>> =
///     line.commands.iter().map(|command| command.words.iter().map(|word| &*word.text).collect()).collect();
/// assert_eq!(words, [vec!["Remove-Item", "a b", "-Recurse"], vec!["Out-Null"], vec!["ls", "C:\\x"]]);
/// ```
#[must_use]
pub fn read_power_shell(text: &str) -> CommandLine<'_> {
    let mut cursor = Cursor::new(text);
    while let Some(character) = cursor.peek() {
        let start = cursor.pos;
        let goes_on = match character {
            ' ' | '\t' | '\r' => cursor.next().is_some(),
            '`' if matches!(cursor.peek_second(), Some('\n' | '\r')) => {
                cursor.next();
                cursor.eat("\r");
                cursor.next().is_some()
            }
            '#' => skip_comment(&mut cursor),
            '<' if cursor.eat("<#") => skip_block_comment(&mut cursor),
            ';' | '\n' => separate(&mut cursor, 1, Separator::Then),
            '|' if cursor.peek_second() == Some('|') => separate(&mut cursor, 2, Separator::Or),
            '|' => separate(&mut cursor, 1, Separator::Pipe),
            '&' if cursor.peek_second() == Some('&') => separate(&mut cursor, 2, Separator::And),
            // Before a command it is the call operator, behind one it puts it into the background.
            '&' if !cursor.has_words() => cursor.next().is_some(),
            '&' => separate(&mut cursor, 1, Separator::Background),
            '(' | ')' | '{' | '}' => separate(&mut cursor, 1, Separator::Block),
            '>' => redirect(&mut cursor, start, None),
            '0'..='9' | '*' if cursor.peek_second() == Some('>') => {
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

fn skip_comment(cursor: &mut Cursor<'_>) -> bool {
    while cursor.peek().is_some_and(|character| character != '\n') {
        cursor.next();
    }
    true
}

fn skip_block_comment(cursor: &mut Cursor<'_>) -> bool {
    while !cursor.eat("#>") {
        if cursor.next().is_none() {
            cursor.incomplete();
            return false;
        }
    }
    true
}

fn redirect(cursor: &mut Cursor<'_>, start: usize, stream: Option<char>) -> bool {
    let operator = match () {
        () if cursor.eat(">>") => WindowsOperator::Append,
        () if cursor.eat(">&") => WindowsOperator::Duplicate,
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
            ' ' | '\t' | '\r' | '\n' | ';' | '|' | '&' | ')' | '}' | '>' | '{' => break,
            '(' => break,
            '\'' | '‘' | '’' => single_quoted(cursor, &mut word),
            '"' | '“' | '”' => double_quoted(cursor, &mut word),
            '`' => escape(cursor, &mut word),
            '$' if cursor.peek_second() == Some('(') => {
                // A subexpression is a command of its own; the word before it is not whole.
                word.expands = true;
                cursor.next();
                word.push('$');
                break;
            }
            _ => {
                word.expands |= character == '$';
                word.push(character);
                cursor.next();
            }
        }
    }
    cursor.end(word);
}

fn single_quoted(cursor: &mut Cursor<'_>, word: &mut Building) {
    let is_quote = |character| matches!(character, '\'' | '‘' | '’');
    cursor.next();
    word.removed();
    loop {
        match cursor.next() {
            None => return cursor.incomplete(),
            Some(character) if is_quote(character) => {
                if !cursor.peek().is_some_and(is_quote) {
                    return;
                }
                cursor.next();
                word.push('\'');
            }
            Some(character) => word.push(character),
        }
    }
}

fn double_quoted(cursor: &mut Cursor<'_>, word: &mut Building) {
    let is_quote = |character| matches!(character, '"' | '“' | '”');
    cursor.next();
    word.removed();
    loop {
        match cursor.peek() {
            None => return cursor.incomplete(),
            Some('`') => escape(cursor, word),
            Some(character) if is_quote(character) => {
                cursor.next();
                if !cursor.peek().is_some_and(is_quote) {
                    return;
                }
                cursor.next();
                word.push('"');
            }
            Some(character) => {
                word.expands |= character == '$';
                word.push(character);
                cursor.next();
            }
        }
    }
}

/// Reads a backtick and the character behind it.
fn escape(cursor: &mut Cursor<'_>, word: &mut Building) {
    cursor.next();
    word.removed();
    match cursor.next() {
        Some('n') => word.push('\n'),
        Some('t') => word.push('\t'),
        Some('r') => word.push('\r'),
        Some('0') => word.push('\0'),
        Some('a') => word.push('\u{7}'),
        Some('b') => word.push('\u{8}'),
        Some('e') => word.push('\u{1b}'),
        Some('f') => word.push('\u{c}'),
        Some('v') => word.push('\u{b}'),
        Some('\n') => {}
        Some(character) => word.push(character),
        None => cursor.incomplete(),
    }
}
