//! Texts that methods make of texts: joined and listed paths, filled-in formats.

use super::evaluate::{Constants, append, arguments, joined, text};
use super::tokens::Token;
use crate::flow::Arg;
use hookrail_shell::ast::Span;

/// What a method makes of the text that it is called on; `None` if it is no method of texts or paths.
pub(super) fn apply(value: &Arg, method: &str, inner: &[Token], names: &Constants, span: Span) -> Option<Arg> {
    Some(match method {
        "joinpath" => below(value, &joined(inner, names, span)),
        "glob" => below(value, &pattern(text(inner, names, span))),
        "rglob" => {
            let all = below(value, &pattern(Arg::new("**", span)));
            below(&all, &pattern(text(inner, names, span)))
        }
        "iterdir" => below(value, &pattern(Arg::new("*", span))),
        "with_name" => below(&parent(value), &text(inner, names, span)),
        "parent" => parent(value),
        // Of an entry that `scandir` gives.
        "path" => value.clone(),
        "format" => format(value, arguments(inner).into_iter().map(|part| text(part, names, span))),
        _ => return None,
    })
}

/// The value of `'%s/%s' % (a, b)`.
pub(super) fn percent(value: &Arg, operand: &[Token], names: &Constants, span: Span) -> Arg {
    let parts = match operand {
        [Token::Mark('('), inner @ .., Token::Mark(')')] => arguments(inner),
        _ => vec![operand],
    };
    let mut made = Arg { span, ..Arg::default() };
    let mut values = parts.into_iter().map(|part| text(part, names, span));
    let mut pieces = value.text.split('%');
    append(&mut made, &Arg::new(pieces.next().unwrap_or_default(), span), "");
    for piece in pieces {
        let end = piece.find(|c: char| c.is_ascii_alphabetic()).map_or(piece.len(), |at| at + 1);
        append(&mut made, &values.next().unwrap_or_else(|| Arg::unknown("$__", span)), "");
        append(&mut made, &Arg::new(piece.get(end..).unwrap_or_default(), span), "");
    }
    made
}

/// A text as a pattern.
pub(super) fn pattern(value: Arg) -> Arg {
    let glob = value.text.find(['*', '?', '[']);
    Arg { glob, ..value }
}

fn below(folder: &Arg, name: &Arg) -> Arg {
    let mut value = folder.clone();
    let separator = if value.text.is_empty() { "" } else { "/" };
    append(&mut value, name, separator);
    value
}

fn parent(path: &Arg) -> Arg {
    match path.text.rsplit_once('/') {
        Some((folder, _)) if path.known() => path.with_text(folder),
        None if path.known() => path.with_text("."),
        _ => path.clone(),
    }
}

/// The value of `'{}/{}'.format(a, b)`; fields that are named or numbered are taken in their order.
fn format(value: &Arg, mut values: impl Iterator<Item = Arg>) -> Arg {
    let mut made = Arg { span: value.span, ..Arg::default() };
    let mut pieces = value.text.split('{');
    append(&mut made, &value.with_text(pieces.next().unwrap_or_default()), "");
    for piece in pieces {
        let (_, behind) = piece.split_once('}').unwrap_or((piece, ""));
        append(&mut made, &values.next().unwrap_or_else(|| Arg::unknown("$__", value.span)), "");
        append(&mut made, &Arg::new(behind, value.span), "");
    }
    made
}

/// Functions that call another one for each of their values.
pub(super) const APPLIES: &[&str] = &[
    "map",
    "forEach",
    "filter",
    "apply",
    "starmap",
    "array_map",
    "array_walk",
    "array_filter",
    "call_user_func",
    "call_user_func_array",
];

/// Methods of Python's paths that change what they are called on.
pub(super) fn is_path_method(method: &str) -> bool {
    matches!(
        method,
        "unlink"
            | "rmdir"
            | "write_text"
            | "write_bytes"
            | "touch"
            | "mkdir"
            | "chmod"
            | "rename"
            | "symlink_to"
            | "hardlink_to"
    )
}

/// Modules whose functions are called like methods of paths.
pub(super) fn is_module(name: &str) -> bool {
    matches!(name.split('.').next(), Some("os" | "shutil" | "pathlib" | "ftp" | "sftp" | "Path"))
}

/// `O_WRONLY` of C, `File::WRONLY` of Ruby.
pub(super) fn names_writing(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name).trim_start_matches("O_");
    matches!(last, "WRONLY" | "RDWR" | "CREAT" | "TRUNC" | "APPEND")
}
