//! Functions of libraries that make paths and texts, and constants: what they return, as far as the text tells.

use super::Language;
use super::imports::module_path;
use super::interpreter::Interpreter;
use super::value::{Argument, MAX_SET, Value, below, concatenate, join, pattern, single, unknown_value};
use crate::flow::{Arg, Taint};
use crate::models::decoding;
use std::rc::Rc;

/// Values that are only known by their names.
pub(super) fn constant(interpreter: &Interpreter<'_, '_, '_>, name: &str) -> Option<Value> {
    let text = |text: &str| Some(interpreter.text(text));
    match name {
        "sys.argv" | "$argv" | "process.argv" | "Deno.args" | "Bun.argv" | "ARGV" | "@ARGV" => {
            Some(arguments(interpreter, name))
        }
        "os.environ" | "process.env" | "ENV" | "%ENV" | "$_ENV" | "$_SERVER" | "Bun.env" => {
            Some(Value::Library(name.into(), Taint::secret("environment")))
        }
        "os.sep" | "path.sep" | "os.path.sep" | "File.SEPARATOR" | "DIRECTORY_SEPARATOR" => text("/"),
        "os.curdir" => text("."),
        "os.pardir" => text(".."),
        "os.linesep" | "os.EOL" | "PHP_EOL" => text("\n"),
        "sys.executable" => text("python3"),
        "process.execPath" => text("node"),
        "RbConfig.ruby" | "Gem.ruby" => text("ruby"),
        "PHP_BINARY" => text("php"),
        "$^X" => text("perl"),
        "__dirname" | "import.meta.dirname" | "import.meta.dir" | "$Bin" | "FindBin.Bin" => Some(folder(interpreter)),
        "__file__"
        | "__filename"
        | "__FILE__"
        | "$0"
        | "$PROGRAM_NAME"
        | "import.meta.url"
        | "import.meta.filename" => Some(below(&folder(interpreter), &interpreter.text("$__script"), interpreter.span)),
        "__name__" => text("__main__"),
        "process.platform" | "sys.platform" | "os.name" | "PHP_OS" | "RUBY_PLATFORM" | "$^O" => {
            Some(interpreter.unknown())
        }
        _ => None,
    }
}

fn arguments(interpreter: &Interpreter<'_, '_, '_>, name: &str) -> Value {
    let programs = match name {
        "process.argv" | "Bun.argv" => 2,
        "sys.argv" | "$argv" => 1,
        _ => 0,
    };
    let given = &interpreter.shell.arguments;
    if given.is_empty() {
        return Value::library("arguments()");
    }
    let own = std::iter::repeat_n(Value::Nothing, programs);
    Value::list(own.chain(given.iter().cloned().map(Value::Text)).collect())
}

/// The folder of the script.
fn folder(interpreter: &Interpreter<'_, '_, '_>) -> Value {
    match &interpreter.folder {
        Some(folder) => interpreter.text(folder.to_string_lossy()),
        None => cwd(interpreter),
    }
}

fn cwd(interpreter: &Interpreter<'_, '_, '_>) -> Value {
    match &interpreter.shell.cwd {
        Some(cwd) => interpreter.text(cwd.to_string_lossy()),
        None => interpreter.unknown(),
    }
}

fn home(interpreter: &Interpreter<'_, '_, '_>) -> Value {
    match &interpreter.analysis.around.home {
        Some(home) => interpreter.text(home.to_string_lossy()),
        None => Value::Text(Arg::unknown("~", interpreter.span)),
    }
}

/// An element of something of a library: `os.environ["HOME"]`.
pub(super) fn looked_up(interpreter: &Interpreter<'_, '_, '_>, name: &str, key: Option<&str>) -> Option<Value> {
    let is_environment =
        matches!(name, "os.environ" | "process.env" | "ENV" | "%ENV" | "$_ENV" | "$_SERVER" | "Bun.env" | "Deno.env");
    let key = key.filter(|_| is_environment)?;
    Some(environment(interpreter, key))
}

/// A variable of the environment.
fn environment(interpreter: &Interpreter<'_, '_, '_>, name: &str) -> Value {
    if let Some(values) = interpreter.shell.get(name).filter(|_| interpreter.shell.is_exported(name)) {
        return join(values.iter().cloned().map(Value::Text).collect::<Vec<_>>(), interpreter.span);
    }
    let secret = crate::secrets::is_secret_variable(name);
    match (name, interpreter.analysis.machine.env(name)) {
        ("HOME" | "USERPROFILE", _) => home(interpreter),
        ("PWD", _) => cwd(interpreter),
        (_, Some(value)) if !secret => interpreter.text(value),
        _ => {
            let taint = if secret { Taint::secret(name) } else { Taint::NONE };
            Value::Text(Arg { taint, ..Arg::unknown(format!("${name}"), interpreter.span) })
        }
    }
}

/// What a function of a library returns that changes nothing; `None` if it is none of those.
pub(super) fn value(interpreter: &mut Interpreter<'_, '_, '_>, name: &str, arguments: &[Argument]) -> Option<Value> {
    let positional: Vec<Value> =
        arguments.iter().filter(|argument| argument.name.is_none()).map(|argument| argument.value.clone()).collect();
    let first = || positional.first().cloned().unwrap_or(Value::Nothing);
    let last = name.rsplit('.').next().unwrap_or(name);
    Some(match name {
        "os.path.join" | "posixpath.join" | "path.join" | "path.posix.join" | "File.join" | "path.resolve" | "Path"
        | "pathlib.Path" | "PurePath" | "pathlib.PurePath" | "pathlib.PosixPath" | "Pathname" | "Pathname.new"
        | "file.path" | "File.Spec.catfile" | "File.Spec.catdir" | "catfile" | "catdir" | "url.fileURLToPath"
        | "fileURLToPath" => {
            if last == "resolve" && positional.is_empty() {
                cwd(interpreter)
            } else {
                joined_path(interpreter, &positional)
            }
        }
        "Path.home" | "pathlib.Path.home" | "os.homedir" | "homedir" | "Dir.home" | "os.userInfo().homedir" => {
            home(interpreter)
        }
        "Path.cwd" | "pathlib.Path.cwd" | "os.getcwd" | "process.cwd" | "Dir.pwd" | "Dir.getwd" | "getcwd" | "cwd"
        | "Cwd.cwd" | "Cwd.getcwd" | "Deno.cwd" => cwd(interpreter),
        "os.path.expanduser" | "File.expand_path" | "path.expand" | "os.path.expandvars" => {
            let path = expanded(interpreter, &first());
            match positional.get(1) {
                Some(folder) => below(folder, &path, interpreter.span),
                None => path,
            }
        }
        "tempfile.gettempdir" | "os.tmpdir" | "Dir.tmpdir" | "sys_get_temp_dir" | "tempdir" => interpreter.text("/tmp"),
        "os.getenv"
        | "os.environ.get"
        | "getenv"
        | "ENV.fetch"
        | "os.environ.setdefault"
        | "Deno.env.get"
        | "os.getenvb"
        | "Sys.getenv"
            if !positional.is_empty() =>
        {
            let found = first().known().map_or_else(|| interpreter.unknown(), |name| environment(interpreter, name));
            match positional.get(1).filter(|_| found.is_unknown()) {
                Some(default) => default.clone(),
                None => found,
            }
        }
        "os.path.dirname" | "path.dirname" | "File.dirname" | "dirname" => {
            map_texts(interpreter, &first(), |interpreter, arg| {
                interpreter.text_method(arg, "parent", &[]).unwrap_or(Value::Nothing)
            })
        }
        "os.path.basename" | "path.basename" | "File.basename" | "basename" => {
            map_texts(interpreter, &first(), |interpreter, arg| {
                interpreter.text_method(arg, "name", &[]).unwrap_or(Value::Nothing)
            })
        }
        "__import__" | "importlib.import_module" | "require" | "import"
            if positional.first().and_then(Value::known).is_some() =>
        {
            Value::library(module_path(first().known().unwrap_or_default()))
        }
        "getattr" if positional.len() > 1 => match positional.get(1).and_then(Value::known) {
            Some(name) => interpreter.member(&first(), &name.into()),
            None => return None,
        },
        "functools.partial" | "partial" if !positional.is_empty() => {
            let bound = arguments.iter().skip(1).cloned().collect();
            Value::Bound(Rc::new((first(), bound)))
        }
        "chr" | "String.fromCharCode" | "String.fromCodePoint" => characters(interpreter, &positional),
        "Buffer.from"
            if positional
                .get(1)
                .and_then(Value::known)
                .is_some_and(|encoding| matches!(encoding, "base64" | "base64url" | "hex")) =>
        {
            let is_hex = positional.get(1).and_then(Value::known) == Some("hex");
            decoded(interpreter, &first(), is_hex)
        }
        "range" => range(interpreter, &positional),
        "os.walk" | "Deno.walk" => walked(interpreter, &first()),
        "getenv" | "Deno.env.toObject" if positional.is_empty() => {
            Value::Library("os.environ".into(), Taint::secret("environment"))
        }
        "vars" | "globals" | "locals" => Value::library("globals()"),
        "c" if interpreter.language == Language::R => Value::list(positional),
        "entries of" | "Object.entries" | "enumerate" => entries(interpreter, &first(), last == "enumerate"),
        "zip" => {
            let columns: Vec<Vec<Value>> = positional.iter().map(|list| interpreter.elements(list)).collect();
            let rows = columns.iter().map(Vec::len).min().unwrap_or_default();
            Value::list(
                (0..rows)
                    .map(|row| Value::list(columns.iter().filter_map(|column| column.get(row).cloned()).collect()))
                    .collect(),
            )
        }
        "Object.values" => match first() {
            Value::Map(pairs) => Value::list(pairs.iter().map(|(_, value)| value.clone()).collect()),
            _ => return None,
        },
        "shlex.quote" | "pipes.quote" | "Shellwords.escape" | "escapeshellarg" | "escapeshellcmd" | "shellEscape"
        | "shQuote" => first(),
        "shlex.split" | "Shellwords.split" | "shellwords" | "quotewords" => interpreter.split_words(&first()),
        "shlex.join" => match first() {
            Value::List(items) => interpreter.joined(&items, " "),
            _ => return None,
        },
        _ => return by_last_name(interpreter, name, last, &positional, arguments),
    })
}

/// Functions that mean the same in whatever module they are.
fn by_last_name(
    interpreter: &mut Interpreter<'_, '_, '_>,
    name: &str,
    last: &str,
    positional: &[Value],
    arguments: &[Argument],
) -> Option<Value> {
    let first = || positional.first().cloned().unwrap_or(Value::Nothing);
    Some(match last {
        "b64decode" | "decodestring" | "atob" | "base64_decode" | "decode_base64" | "decode64" | "strict_decode64"
        | "urlsafe_decode64" | "urlsafe_b64decode" | "standard_b64decode" => decoded(interpreter, &first(), false),
        "fromhex" | "unhexlify" | "hex2bin" => decoded(interpreter, &first(), true),
        "decode" | "decodebytes" if name.starts_with("codecs.") || name.starts_with("base64.") => {
            unknown_value(Taint { decoded: true, ..first().taint() }, interpreter.span)
        }
        "str_rot13" | "gzinflate" | "gzuncompress" | "decompress" | "inflateSync" | "gunzipSync" => {
            let taint = Taint { decoded: true, ..first().taint() };
            unknown_value(taint, interpreter.span)
        }
        "str" | "String" | "fspath" | "bytes" | "bytearray" | "abspath" | "realpath" | "normpath" | "normalize"
        | "realpathSync" | "canonpath" | "fileURLToPath" | "as_posix" | "encodeURI" | "decodeURIComponent"
        | "unescape" | "trim" | "rtrim" | "ltrim" | "list" | "tuple" | "sorted" | "set" | "iter" | "reversed"
        | "Array" | "promisify" | "wait_for" | "gather" | "ensure_future" | "create_task" | "freeze" | "reverse"
        | "sort" | "uniq" | "array_values" | "array_unique" | "array_filter" | "iterator_to_array" | "scalar"
        | "quotemeta" | "lc" | "raw" | "wraps"
            if name.split('.').count() <= 3
                && !name.contains("()")
                && !positional.first().is_none_or(Value::is_callable)
                || last == "promisify" =>
        {
            first()
        }
        "path.expand" => expanded(interpreter, &first()),
        "join" | "implode" | "paste"
            if positional.len() > 1 && matches!(interpreter.language, Language::Perl | Language::Php) =>
        {
            let separator = first().known().unwrap_or(" ").to_owned();
            let items: Vec<Value> =
                positional.iter().skip(1).flat_map(|value| interpreter.elements_of_list(value)).collect();
            interpreter.joined(&items, &separator)
        }
        "paste0" => interpreter.joined(positional, ""),
        "split" | "explode" if matches!(interpreter.language, Language::Perl | Language::Php) => {
            let text = positional.get(1).cloned().unwrap_or(Value::Nothing);
            let separator = first().known().map(str::to_owned);
            interpreter.split(&text, separator.as_deref())
        }
        "sprintf" | "format"
            if matches!(
                interpreter.language,
                Language::Perl | Language::Php | Language::Ruby | Language::Lua | Language::R
            ) || name == "util.format" =>
        {
            let rest = Value::list(positional.iter().skip(1).cloned().collect());
            interpreter.percent(&first(), &rest)
        }
        "mkdtemp" | "mkdtempSync" | "mkstemp" | "mktmpdir" | "tempnam" | "makeTempDir" | "makeTempDirSync"
        | "makeTempFile" | "makeTempFileSync" | "NamedTemporaryFile" | "TemporaryDirectory" | "tempfile"
        | "tmpfile"
            if !arguments.iter().any(|argument| argument.name.as_deref() == Some("dir")) =>
        {
            temporary(interpreter, last, &first())
        }
        "array_merge" => Value::list(positional.iter().flat_map(|value| interpreter.elements_of_list(value)).collect()),
        "assign" if name == "Object.assign" => positional.last().cloned().unwrap_or(Value::Nothing),
        "keys" | "array_keys" if matches!(first(), Value::Map(_)) => {
            let items = interpreter.elements(&first());
            Value::list(items)
        }
        "values" if matches!(first(), Value::Map(_)) => match first() {
            Value::Map(pairs) => Value::list(pairs.iter().map(|(_, value)| value.clone()).collect()),
            _ => return None,
        },
        _ => return None,
    })
}

fn joined_path(interpreter: &mut Interpreter<'_, '_, '_>, parts: &[Value]) -> Value {
    let mut path = Value::Nothing;
    for part in parts {
        for part in interpreter.elements_of_list(part) {
            path = if matches!(path, Value::Nothing) { part } else { below(&path, &part, interpreter.span) };
        }
    }
    path
}

/// A path with `~` and variables looked up.
pub(super) fn expanded(interpreter: &mut Interpreter<'_, '_, '_>, path: &Value) -> Value {
    map_texts(interpreter, path, |interpreter, arg| {
        if let Some(rest) = arg.text.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/')) {
            let shift = |at: Option<usize>| at.map(|at| at.saturating_sub(1));
            let rest = Arg { text: rest.to_owned(), hole: shift(arg.hole), glob: shift(arg.glob), ..arg.clone() };
            return concatenate(&home(interpreter), &Value::Text(rest), "", interpreter.span);
        }
        let variable = arg.text.strip_prefix('$').and_then(|rest| rest.split_once('/').or(Some((rest, ""))));
        match variable.filter(|_| arg.known()) {
            Some((name, rest)) => {
                let value = environment(interpreter, name.trim_matches(['{', '}']));
                let rest = interpreter.text(rest);
                below(&value, &rest, interpreter.span)
            }
            None => Value::Text(arg.clone()),
        }
    })
}

/// Applies a function to each text that a value may be.
pub(super) fn map_texts(
    interpreter: &mut Interpreter<'_, '_, '_>,
    value: &Value,
    mut make: impl FnMut(&mut Interpreter<'_, '_, '_>, &Arg) -> Value,
) -> Value {
    let values: Vec<Value> = value
        .alternatives()
        .iter()
        .map(|value| {
            let arg = single(value, interpreter.span);
            make(interpreter, &arg)
        })
        .collect();
    join(values, interpreter.span)
}

fn decoded(interpreter: &mut Interpreter<'_, '_, '_>, value: &Value, is_hex: bool) -> Value {
    map_texts(interpreter, value, |interpreter, arg| {
        let taint = Taint { decoded: true, ..arg.taint.clone() };
        let text = Some(&arg.text)
            .filter(|_| arg.known())
            .and_then(|text| if is_hex { decoding::from_hex(text) } else { decoding::from_base64(text) });
        match text {
            Some(text) => Value::Text(Arg { taint, ..Arg::new(text, interpreter.span) }),
            None => unknown_value(taint, interpreter.span),
        }
    })
}

fn characters(interpreter: &Interpreter<'_, '_, '_>, codes: &[Value]) -> Value {
    let codes =
        codes.iter().map(|code| code.known().and_then(|code| code.parse::<u32>().ok()).and_then(char::from_u32));
    let text: Option<String> = codes.collect();
    text.map_or_else(|| interpreter.unknown(), |text| interpreter.text(text))
}

fn range(interpreter: &Interpreter<'_, '_, '_>, bounds: &[Value]) -> Value {
    let bound = |at: usize| bounds.get(at).and_then(Value::known).and_then(|text| text.parse::<usize>().ok());
    let (from, to) = if bounds.len() > 1 { (bound(0), bound(1)) } else { (Some(0), bound(0)) };
    match (from, to) {
        (Some(from), Some(to)) if to.saturating_sub(from) <= MAX_SET => {
            Value::list((from..to).map(|number| interpreter.text(number.to_string())).collect())
        }
        _ => Value::library("range()"),
    }
}

/// Folders with the names in them, however deep.
fn walked(interpreter: &mut Interpreter<'_, '_, '_>, top: &Value) -> Value {
    let any = |text: &str| Value::Text(pattern(Arg::new(text, interpreter.span)));
    let folder = join([top.clone(), below(top, &any("**"), interpreter.span)], interpreter.span);
    let names = Value::list(vec![any("*")]);
    Value::list(vec![Value::list(vec![folder, names.clone(), names])])
}

fn entries(interpreter: &mut Interpreter<'_, '_, '_>, value: &Value, numbered: bool) -> Value {
    match value {
        Value::Map(pairs) if !numbered => Value::list(
            pairs.iter().map(|(key, value)| Value::list(vec![interpreter.text(&**key), value.clone()])).collect(),
        ),
        other => {
            let elements = interpreter.elements(other);
            Value::list(elements.into_iter().map(|element| Value::list(vec![interpreter.unknown(), element])).collect())
        }
    }
}

/// A new file or folder among the temporary ones.
fn temporary(interpreter: &mut Interpreter<'_, '_, '_>, last: &str, beginning: &Value) -> Value {
    let beginning = match last {
        "mkdtempSync" | "mkdtemp" if interpreter.language == Language::JavaScript => beginning.clone(),
        _ => interpreter.text("/tmp/"),
    };
    let path = concatenate(&beginning, &interpreter.unknown(), "", interpreter.span);
    if last == "mkstemp" { Value::list(vec![interpreter.unknown(), path]) } else { path }
}
