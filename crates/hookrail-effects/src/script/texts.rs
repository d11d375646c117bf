//! Methods of texts and paths.

use super::Language;
use super::interpreter::Interpreter;
use super::library::{expanded, map_texts};
use super::value::{Argument, MAX_LIST, Value, append, below, join, pattern, single, unknown_value};
use crate::flow::Arg;

impl Interpreter<'_, '_, '_> {
    /// What a method makes of a text or a path; `None` if it is no method of them.
    pub(super) fn text_method(&mut self, value: &Arg, method: &str, arguments: &[Argument]) -> Option<Value> {
        let span = self.span;
        let own = Value::Text(value.clone());
        let argument = |at: usize| arguments.get(at).map_or(Value::Nothing, |argument| argument.value.clone());
        let unknown = || unknown_value(value.taint.clone(), span);
        Some(match method {
            "joinpath" | "join" if self.language == Language::Python && method == "join" => {
                let items = self.elements_of_list(&argument(0));
                let separator = Some(&value.text).filter(|_| value.known());
                match separator {
                    Some(separator) => self.joined(&items, separator),
                    None => unknown(),
                }
            }
            "joinpath" | "join" | "child" => {
                let mut path = own;
                for part in arguments {
                    path = below(&path, &part.value, span);
                }
                path
            }
            "glob" => Value::list(vec![below(&own, &as_pattern(&argument(0), span), span)]),
            "rglob" => {
                let all = below(&own, &as_pattern(&self.text("**"), span), span);
                Value::list(vec![below(&all, &as_pattern(&argument(0), span), span)])
            }
            "iterdir" | "children" | "entries" | "each_child" | "walk" => {
                Value::list(vec![below(&own, &as_pattern(&self.text("*"), span), span)])
            }
            "with_name" => {
                let folder = Value::Text(parent(value));
                below(&folder, &argument(0), span)
            }
            "with_suffix" => unknown_below(value, span),
            "parent" | "dirname" => Value::Text(parent(value)),
            "name" | "basename" | "stem" => Value::Text(base(value)),
            "expanduser" | "expand_path" => expanded(self, &own),
            "resolve" | "absolute" | "as_posix" | "path" | "toString" | "to_s" | "to_str" | "to_path" | "realpath"
            | "cleanpath" | "encode" | "decode" | "freeze" | "dup" | "valueOf" | "normalize" | "absolute_path"
            | "toWellFormed" | "to_sym" | "text" | "content" | "stdout"
                if value.known() || !matches!(method, "text" | "content" | "stdout") =>
            {
                own
            }
            "trim" | "strip" | "rstrip" | "lstrip" | "chomp" | "trimEnd" | "trimStart"
                if value.known() && arguments.is_empty() =>
            {
                Value::Text(value.with_text(value.text.trim()))
            }
            "lower" | "toLowerCase" | "downcase" | "casefold" if value.known() => {
                Value::Text(value.with_text(value.text.to_lowercase()))
            }
            "concat" => {
                let mut text = value.clone();
                for part in arguments {
                    append(&mut text, &single(&part.value, span), "");
                }
                Value::Text(text)
            }
            "replace" | "replaceAll" | "gsub" | "sub" if arguments.len() > 1 => {
                match (value.known(), argument(0).known(), argument(1).known()) {
                    (true, Some(old), Some(new)) if !old.is_empty() => {
                        Value::Text(value.with_text(value.text.replace(old, new)))
                    }
                    _ => unknown(),
                }
            }
            "split" => self.split(&own, argument(0).known().map(str::to_owned).as_deref()),
            "shellsplit" | "splitlines" | "lines" => self.split(&own, (method != "shellsplit").then_some("\n")),
            "format" => self.format(value, arguments),
            "reverse" if value.known() => Value::Text(value.with_text(value.text.chars().rev().collect::<String>())),
            "unpack1" | "unpack" => unknown(),
            "exists" | "exist?" | "is_file" | "is_dir" | "is_symlink" | "file?" | "directory?" | "startswith"
            | "endswith" | "startsWith" | "endsWith" | "start_with?" | "end_with?" | "includes" | "include?"
            | "find" | "index" | "indexOf" | "count" | "isdigit" | "match" | "match?" | "test" | "search" | "stat"
            | "isDirectory" | "isFile" | "is_relative_to" | "size" | "length" | "empty?" | "nil?" | "charCodeAt"
            | "charAt" | "at" | "slice" | "substring" | "substr" | "padStart" | "padEnd" | "ljust" | "rjust"
            | "zfill" | "title" | "capitalize" | "upper" | "upcase" | "toUpperCase" | "to_i" | "to_f" | "ord"
            | "suffix" | "suffixes" | "parts" | "extname" | "each_line" | "matchAll" | "partition" | "rpartition"
            | "relative_to" | "strip" | "trim" | "rstrip" | "lstrip" | "chomp" | "lower" | "downcase"
            | "toLowerCase" | "rsplit" | "removeprefix" | "removesuffix" | "is_absolute" | "samefile" | "owner"
            | "match_suffix" => unknown(),
            _ => return None,
        })
    }

    /// The parts of a text.
    pub(super) fn split(&mut self, value: &Value, separator: Option<&str>) -> Value {
        let span = self.span;
        map_texts(self, value, |_, arg| {
            if !arg.known() {
                return Value::list(vec![unknown_value(arg.taint.clone(), span)]);
            }
            let part = |text: &str| Value::Text(arg.with_text(text));
            let parts: Vec<Value> = match separator {
                Some("") => arg.text.chars().take(MAX_LIST).map(|c| part(&c.to_string())).collect(),
                Some(separator) => arg.text.split(separator).take(MAX_LIST).map(part).collect(),
                None => arg.text.split_whitespace().take(MAX_LIST).map(part).collect(),
            };
            Value::list(parts)
        })
    }

    /// The words of a command, quotes read as a shell does.
    pub(super) fn split_words(&mut self, value: &Value) -> Value {
        let span = self.span;
        map_texts(self, value, |_, arg| {
            if !arg.known() {
                return Value::Text(arg.clone());
            }
            let mut words = vec![String::new()];
            let mut quote = None;
            for c in arg.text.chars() {
                match (c, quote) {
                    (c, Some(open)) if c == open => quote = None,
                    (c, None) if c.is_whitespace() => words.push(String::new()),
                    ('\'' | '"', None) => quote = Some(c),
                    (c, _) => words.iter_mut().last().into_iter().for_each(|word| word.push(c)),
                }
            }
            words.retain(|word| !word.is_empty());
            Value::list(words.into_iter().take(MAX_LIST).map(|word| Value::text(word, span)).collect())
        })
    }

    /// `'%s/%s' % (a, b)`
    pub(super) fn percent(&mut self, text: &Value, operands: &Value) -> Value {
        let operands = match operands {
            Value::List(items) => items.to_vec(),
            other => vec![other.clone()],
        };
        map_texts(self, text, |interpreter, arg| {
            let (mut made, mut used) = (Value::Nothing, 0);
            for (at, piece) in arg.text.split('%').enumerate() {
                if at == 0 {
                    made = interpreter.text(piece);
                    continue;
                }
                // `%(name)s` takes a map, `%%` is a mark.
                let named = piece.strip_prefix('(').and_then(|rest| rest.split_once(')'));
                let (operand, rest) = match named {
                    Some((name, rest)) => {
                        let map = operands.first().cloned().unwrap_or(Value::Nothing);
                        (interpreter.member(&map, &name.into()), rest)
                    }
                    None => {
                        used += 1;
                        (operands.get(used - 1).cloned().unwrap_or_else(|| interpreter.unknown()), piece)
                    }
                };
                let end = rest.find(|c: char| c.is_ascii_alphabetic()).map_or(rest.len(), |end| end + 1);
                made = super::value::concatenate(&made, &operand, "", interpreter.span);
                let rest = interpreter.text(rest.get(end..).unwrap_or_default());
                made = super::value::concatenate(&made, &rest, "", interpreter.span);
            }
            made
        })
    }

    /// `'{}/{name}'.format(a, name=b)`
    fn format(&mut self, value: &Arg, arguments: &[Argument]) -> Value {
        let mut used = 0;
        let mut pieces = value.text.split('{');
        let mut made = Value::Text(value.with_text(pieces.next().unwrap_or_default()));
        for piece in pieces {
            let (field, rest) = piece.split_once('}').unwrap_or((piece, ""));
            let field = field.split(['!', ':']).next().unwrap_or_default();
            let by_name = arguments.iter().find(|argument| argument.name.as_deref() == Some(field));
            let by_number = || {
                let at = field.parse::<usize>().unwrap_or_else(|_| {
                    used += 1;
                    used - 1
                });
                arguments.get(at)
            };
            let operand = by_name.or_else(by_number).map_or_else(|| self.unknown(), |argument| argument.value.clone());
            made = super::value::concatenate(&made, &operand, "", self.span);
            made = super::value::concatenate(&made, &self.text(rest), "", self.span);
        }
        made
    }

    /// The elements of a list, or the value itself.
    pub(super) fn elements_of_list(&mut self, value: &Value) -> Vec<Value> {
        match value {
            Value::List(_) | Value::Any(_) => self.elements_once(value),
            other => vec![other.clone()],
        }
    }

    fn elements_once(&mut self, value: &Value) -> Vec<Value> {
        match value {
            Value::List(items) => items.to_vec(),
            Value::Any(all) if all.iter().all(|value| matches!(value, Value::List(_))) => {
                let lists: Vec<Value> = all.to_vec();
                let all = lists.iter().flat_map(|list| self.elements(list)).collect::<Vec<_>>();
                vec![join(all, self.span)]
            }
            other => vec![other.clone()],
        }
    }
}

/// A value as a pattern.
pub(super) fn as_pattern(value: &Value, span: hookrail_shell::ast::Span) -> Value {
    join(value.alternatives().iter().map(|value| Value::Text(pattern(single(value, span)))).collect::<Vec<_>>(), span)
}

fn parent(path: &Arg) -> Arg {
    let text = path.text.trim_end_matches('/');
    let folder = match text.rsplit_once('/') {
        Some(("", _)) => "/",
        Some((folder, _)) => folder,
        None if path.known() && !text.starts_with('.') => ".",
        None if path.known() => "..",
        None => return path.clone(),
    };
    let keep = |at: Option<usize>| at.filter(|at| *at < folder.len());
    Arg { hole: keep(path.hole), glob: keep(path.glob), ..path.with_text(folder) }
}

fn base(path: &Arg) -> Arg {
    let name = path.text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let from = path.text.len() - name.len();
    if path.hole.is_some_and(|hole| hole < from) {
        return super::value::unknown(path.taint.clone(), path.span);
    }
    let shift = |at: Option<usize>| at.and_then(|at| at.checked_sub(from));
    Arg { hole: shift(path.hole), glob: path.glob.map(|at| at.saturating_sub(from)), ..path.with_text(name) }
}

/// A file of which only the folder is known.
fn unknown_below(path: &Arg, span: hookrail_shell::ast::Span) -> Value {
    let folder = Value::Text(parent(path));
    below(&folder, &unknown_value(path.taint.clone(), span), span)
}
