//! Calls that do something.

use super::Language;
use super::call_table::{Does, lookup};
use super::evaluate::{Constants, append, arguments, matching, text, texts};
use super::methods::{APPLIES, is_module, is_path_method, names_writing};
use super::names::Names;
use super::programs::{Started, started};
use super::tokens::Token;
use crate::act::Act;
use crate::analysis::{Analysis, Extent};
use crate::effect::{GapReason, Sure};
use crate::flow::{Arg, Flow};
use crate::location::Location;
use crate::models::sql;
use crate::object::Object;
use crate::paths::tidy;
use crate::shell::{Scope, Shell, run_args, run_text};
use hookrail_shell::ast::Span;

struct Follower<'r, 'm, 's> {
    analysis: &'r mut Analysis<'m>,
    shell: &'r mut Shell<'s>,
    language: Language,
    constants: Constants,
    names: Names,
    /// Whether a text of the script is SQL that changes something.
    writes_sql: bool,
    span: Span,
}

/// Follows the calls of a script.
pub(super) fn follow(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'_>,
    language: Language,
    tokens: &[Token],
    span: Span,
) {
    let mut constants = Constants::default();
    constants.home = analysis.around.home.as_ref().map(|home| home.to_string_lossy().into_owned());
    constants.cwd = shell.cwd.as_ref().map(|cwd| cwd.to_string_lossy().into_owned());
    let changes = |token: &Token| matches!(token, Token::Text { text, .. } if sql::looks_like(text) && sql::classify(text) != Some(Act::DbRead));
    let writes_sql = tokens.iter().any(changes);
    let names = Names::of(language, tokens);
    constants.names = names.clone();
    constants.arguments.clone_from(&shell.arguments);
    constants.environment = shell.environment();
    let mut follower = Follower { analysis, shell, language, constants, names, writes_sql, span };
    follower.whole(tokens);
    let mut at = 0;
    while at < tokens.len() {
        at = follower.step(tokens, at);
    }
}

impl Follower<'_, '_, '_> {
    /// What only the whole tells: a connection that is given to a shell, a loop that forks, a cloud's library.
    fn whole(&mut self, tokens: &[Token]) {
        let last = |name: &str| {
            tokens.iter().any(|token| matches!(token, Token::Name(known) if known.rsplit('.').next() == Some(name)))
        };
        let part = |name: &str| {
            tokens.iter().any(|token| matches!(token, Token::Name(known) if known.split('.').any(|part| part == name)))
        };
        let connects = last("connect") || last("create_connection") || last("createConnection");
        if connects && (last("dup2") || part("pty") || last("pipe") && part("spawn") || part("spawn") && part("net")) {
            self.analysis.add_target(Act::ExecRemote, None, Location::Remote, self.span);
        }
        if last("fork") && (part("while") || part("for") || part("loop")) {
            self.analysis.add_target(Act::HostProcess, Some("fork-bomb"), Location::System, self.span);
        }
        let cloud = ["boto3", "google", "azure", "kubernetes", "pulumi"].iter().find(|name| part(name));
        if let Some(cloud) = cloud {
            let destroys = tokens.iter().any(|token| {
                matches!(token, Token::Name(name) if name.split('.').next_back().is_some_and(|last| ["delete", "terminate", "destroy"].iter().any(|verb| last.starts_with(verb))))
            });
            let act = if destroys { Act::InfraDestroy } else { Act::InfraRead };
            self.analysis.add_target(act, Some(cloud), Location::Remote, self.span);
        }
        const VARIABLES: &[&str] = &["os.environ", "process.env", "ENV.to_h", "%ENV", "$_ENV"];
        let environment = tokens.iter().enumerate().any(|(at, token)| {
            let whole = !matches!(tokens.get(at + 1), Some(Token::Mark('[')));
            whole && matches!(token, Token::Name(name) if VARIABLES.contains(&name.as_str()))
        }) || tokens
            .windows(3)
            .any(|three| matches!(three, [Token::Name(name), Token::Mark('('), Token::Mark(')')] if name == "getenv"));
        const PRINTS: &[&str] = &["print", "console", "puts", "log", "p", "pp", "echo", "print_r", "var_dump"];
        if environment && PRINTS.iter().any(|name| part(name)) {
            self.analysis.add_target(Act::SecretPrint, Some("environment"), Location::System, self.span);
        }
    }

    /// Looks at the token at `at` and returns where to go on.
    fn step(&mut self, tokens: &[Token], at: usize) -> usize {
        match tokens.get(at) {
            Some(Token::Command(command)) => {
                self.shell_text(&Arg::new(command.clone(), self.span));
                at + 1
            }
            Some(Token::Name(name)) if name == "for" => {
                self.bind(tokens, at);
                at + 1
            }
            Some(Token::Name(name)) => self.name(tokens, at, name),
            Some(Token::Mark('|')) if self.language == Language::Ruby => {
                self.bind_block(tokens, at);
                at + 1
            }
            // What a comprehension goes through stands behind what it does.
            Some(Token::Mark('[' | '(' | '{')) if self.language == Language::Python => {
                let end = matching(tokens, at);
                let inner = tokens.get(at..end).unwrap_or_default();
                if let Some(loops) = inner.iter().position(|token| matches!(token, Token::Name(name) if name == "for"))
                {
                    self.bind(inner, loops);
                }
                at + 1
            }
            _ => at + 1,
        }
    }

    /// `for NAME in PATHS`: the name stands for what is gone through.
    fn bind(&mut self, tokens: &[Token], at: usize) {
        let rest = tokens.get(at + 1..).unwrap_or_default();
        let is_word = |token: &Token| matches!(token, Token::Name(word) if word == "in" || word == "of");
        let Some((targets, [_, values @ ..])) = rest.iter().take(12).position(is_word).map(|at| rest.split_at(at))
        else {
            return;
        };
        let targets: Vec<&String> = targets
            .iter()
            .filter_map(|token| match token {
                Token::Name(name) if !matches!(name.as_str(), "const" | "let" | "var") => Some(name),
                _ => None,
            })
            .collect();
        let mut depth = 0usize;
        let end = values.iter().position(|token| {
            match token {
                Token::Mark('(' | '[' | '{') => depth += 1,
                Token::Mark(')' | ']' | '}') if depth == 0 => return true,
                Token::Mark(')' | ']' | '}') => depth -= 1,
                Token::Mark(':' | ';') => return depth == 0,
                Token::Name(word) => return depth == 0 && word == "if",
                _ => {}
            }
            false
        });
        let values = values.get(..end.unwrap_or(values.len())).unwrap_or_default();
        if let (Some(Token::Name(walk)), [root, names @ ..]) = (values.first(), targets.as_slice())
            && self.names.resolve(walk) == "os.walk"
        {
            let top = text(values.get(1..).unwrap_or_default(), &self.constants, self.span);
            let any = |pattern: &str| Arg { glob: Some(0), ..Arg::new(pattern, self.span) };
            let mut below = top;
            append(&mut below, &any("**"), "/");
            self.constants.set(root, vec![below]);
            names.iter().for_each(|name| self.constants.set(name, vec![any("*")]));
            return;
        }
        let [name] = targets.as_slice() else { return };
        let values = texts(values, &self.constants, self.span);
        if values.iter().any(|value| value.hole != Some(0) && !value.text.is_empty()) {
            self.constants.set(name, values);
        }
    }

    /// `Dir["x/*"].each { |name| … }`: the name of a block stands for the texts in front of it.
    fn bind_block(&mut self, tokens: &[Token], at: usize) {
        let [Token::Name(name), Token::Mark('|'), ..] = tokens.get(at + 1..).unwrap_or_default() else { return };
        let before = tokens.get(..at).unwrap_or_default();
        let opens = matches!(before.last(), Some(Token::Mark('{')))
            || matches!(before.last(), Some(Token::Name(word)) if word == "do");
        let from = before.iter().rposition(|token| matches!(token, Token::Mark(';'))).unwrap_or_default();
        let values: Vec<Arg> = before
            .iter()
            .skip(from)
            .filter_map(|token| match token {
                Token::Text { text, .. } => Some(Arg { glob: text.find(['*', '?', '[']), ..Arg::new(text, self.span) }),
                _ => None,
            })
            .collect();
        if opens && !values.is_empty() {
            self.constants.set(name, values);
        }
    }

    fn name(&mut self, tokens: &[Token], at: usize, name: &str) -> usize {
        match tokens.get(at + 1) {
            Some(Token::Mark('=')) if !matches!(tokens.get(at + 2), Some(Token::Mark('=' | '>' | '~'))) => {
                let end = tokens
                    .iter()
                    .skip(at + 2)
                    .position(|token| matches!(token, Token::Mark(';' | ',')))
                    .map_or(tokens.len(), |end| at + 2 + end);
                let value = tokens.get(at + 2..end).unwrap_or_default();
                let new = name.trim_start_matches("const ").trim_start_matches(['$', '@']);
                if self.names.keep(self.language, new, value) {
                    return at + 2;
                }
                let value = texts(value, &self.constants, self.span);
                if value.iter().any(|value| !value.text.is_empty()) {
                    self.constants.set(new, value.clone());
                    self.constants.set(name, value);
                }
                at + 2
            }
            Some(Token::Mark('(')) => {
                if let Some(does) = lookup(self.language, &self.names.resolve(name)) {
                    let end = matching(tokens, at + 1);
                    let inner = tokens.get(at + 2..end).unwrap_or_default().to_vec();
                    let receiver = self.receiver(tokens, at, name, does);
                    self.call(does, &inner, receiver);
                } else if APPLIES.contains(&name.rsplit('.').next().unwrap_or(name)) {
                    let end = matching(tokens, at + 1);
                    self.applied(tokens.get(at + 2..end).unwrap_or_default());
                }
                at + 1
            }
            // Perl and Ruby need no parentheses, JavaScript's tagged templates neither. Numbers leave no token behind.
            Some(Token::Text { .. } | Token::Name(_) | Token::Mark(','))
                if matches!(self.language, Language::Perl | Language::Ruby | Language::Php) || name == "$" =>
            {
                if let Some(does) = lookup(self.language, name) {
                    let end = tokens
                        .iter()
                        .skip(at + 1)
                        .position(|token| matches!(token, Token::Mark(';' | '}' | ')')))
                        .map_or(tokens.len(), |end| at + 1 + end);
                    let inner = tokens.get(at + 1..end).unwrap_or_default().to_vec();
                    self.call(does, &inner, None);
                }
                at + 1
            }
            _ => at + 1,
        }
    }

    /// A function that is handed over by its name: `array_map("unlink", …)`, `map(os.remove, …)`, `files.forEach(unlinkSync)`.
    fn applied(&mut self, inner: &[Token]) {
        let name = match inner.first() {
            Some(Token::Name(name)) => name,
            Some(Token::Text { text, .. }) if self.language == Language::Php => text,
            _ => return,
        };
        let Some(does) = lookup(self.language, &self.names.resolve(name))
            .filter(|_| matches!(inner.get(1), None | Some(Token::Mark(','))))
        else {
            return;
        };
        let rest = inner.get(2..).unwrap_or_default().to_vec();
        let before = self.analysis.effects.list.len();
        self.call(does, &rest, None);
        if self.analysis.effects.list.len() == before {
            self.analysis.gap(GapReason::DynamicCode, self.span);
        }
    }

    /// What a method is called on: `Path('x').unlink()`, `p.unlink()`.
    fn receiver(&self, tokens: &[Token], at: usize, name: &str, does: Does) -> Option<Arg> {
        // Elsewhere it is a module: `require('fs').rmSync('x')`.
        if !matches!(self.language, Language::Python | Language::Ruby) || does.ignores_receiver() {
            return None;
        }
        if let Some((object, method)) = name.rsplit_once('.').filter(|(object, _)| !object.is_empty()) {
            let known = self.constants.get(object).and_then(<[Arg]>::first).cloned();
            let is_object =
                self.language == Language::Python && is_path_method(method) && !is_module(&self.names.resolve(object));
            return known.or_else(|| is_object.then(|| Arg::unknown("$__", self.span)));
        }
        if !name.starts_with('.') {
            return None;
        }
        let mut depth = 0usize;
        let mut start = at;
        while start > 0 {
            start -= 1;
            match tokens.get(start) {
                Some(Token::Mark(')' | ']')) => depth += 1,
                Some(Token::Mark('(' | '[')) => {
                    if depth == 0 {
                        start += 1;
                        break;
                    }
                    depth -= 1;
                }
                Some(Token::Mark(';' | '=' | ',' | '{' | '}')) if depth == 0 => {
                    start += 1;
                    break;
                }
                _ => {}
            }
        }
        let value = text(tokens.get(start..at).unwrap_or_default(), &self.constants, self.span);
        (!value.text.is_empty()).then_some(value)
    }

    fn call(&mut self, does: Does, inner: &[Token], receiver: Option<Arg>) {
        let args = arguments(inner);
        let argument =
            |index: usize| args.get(index).map(|part| texts(part, &self.constants, self.span)).unwrap_or_default();
        let first = argument(0);
        let second = argument(1).into_iter().next();
        let method = receiver.is_some();
        let mut path: Vec<Arg> = receiver.into_iter().chain(if method { Vec::new() } else { first.clone() }).collect();
        // `unlink "a", "b"` and `chmod 0600, "a"`
        if matches!(self.language, Language::Perl | Language::Ruby)
            && matches!(does, Does::Delete | Does::DeleteTree | Does::Permissions)
        {
            path.extend((1..args.len()).flat_map(argument));
        }
        match does {
            Does::Delete => self.touch(Act::FsDelete, &path, Extent::Single),
            Does::DeleteTree => self.touch(Act::FsDelete, &path, Extent::Below),
            Does::Write => self.touch(Act::FsWrite, &path, Extent::Single),
            Does::Read => self.touch(Act::FsRead, &path, Extent::Single),
            Does::List => {
                let before = self.analysis.effects.list.len();
                self.touch(Act::FsRead, &path, Extent::Single);
                self.analysis.only_names(before);
            }
            Does::LinkHere => {
                self.touch(Act::FsRead, &first, Extent::Single);
                self.touch(Act::FsWrite, &path, Extent::Single);
            }
            Does::Permissions => self.touch(Act::FsPermissions, &path, Extent::Single),
            Does::PathReplace if args.len() != 1 => {}
            Does::Move | Does::PathReplace => {
                self.touch(Act::FsMove, &path, Extent::Below);
                let target = if method { first } else { second.into_iter().collect() };
                self.touch(Act::FsWrite, &target, Extent::Single);
            }
            Does::Link => {
                self.touch(Act::FsRead, &path, Extent::Single);
                let target = if method { first } else { second.into_iter().collect() };
                self.touch(Act::FsWrite, &target, Extent::Single);
            }
            Does::Open => {
                let third = argument(2).into_iter().next();
                // `open(name, mode='w')`
                let named = args.iter().find_map(|part| match part {
                    [Token::Name(name), Token::Mark('='), Token::Text { text, .. }] if name == "mode" => {
                        Some(text.as_str())
                    }
                    _ => None,
                });
                let writes = inner.iter().any(|token| matches!(token, Token::Name(name) if names_writing(name)));
                let named = named.or(writes.then_some("w"));
                let mode = named.map(|mode| Arg::new(mode, self.span)).or(second);
                self.open(&path, mode.as_ref(), third.as_ref());
            }
            Does::OpenByFlags => {
                let writes = inner.iter().any(|token| matches!(token, Token::Name(name) if names_writing(name)));
                self.touch(if writes { Act::FsWrite } else { Act::FsRead }, &first, Extent::Single);
            }
            Does::OpenMethod => {
                let mode = if method { first.into_iter().next() } else { second };
                self.open(&path, mode.as_ref(), None);
            }
            Does::Unpack | Does::UnpackInto => {
                let into = if does == Does::Unpack { first } else { second.into_iter().collect() };
                let here = vec![Arg::new(".", self.span)];
                self.touch(Act::FsWrite, if into.is_empty() { &here } else { &into }, Extent::Below);
            }
            Does::WriteArgument => self.touch(Act::FsWrite, &first, Extent::Single),
            Does::Save => {
                let all: Vec<Arg> = (0..args.len()).flat_map(argument).filter(Arg::known).collect();
                self.touch(Act::FsWrite, &all, Extent::Single);
            }
            Does::WriteNamed(name) => {
                let named: Vec<Arg> = self.option(inner, name).into_iter().collect();
                self.touch(Act::FsWrite, &named, Extent::Below);
            }
            Does::EditInPlace => {
                let act = if self.option(inner, "inplace").is_some() { Act::FsWrite } else { Act::FsRead };
                self.touch(act, &first, Extent::Single);
            }
            Does::Database => {
                let act = if self.writes_sql { Act::FsWrite } else { Act::FsRead };
                let file: Vec<Arg> = first.into_iter().filter(|file| file.text != ":memory:").collect();
                self.touch(act, &file, Extent::Single);
            }
            Does::FetchInto => {
                self.network(Does::Fetch, &args, &first);
                let file: Vec<Arg> = second.into_iter().collect();
                self.touch(Act::FsWrite, &file, Extent::Single);
            }
            Does::Folder => {
                let to = first.first().filter(|to| to.known() && !to.text.is_empty());
                self.shell.cwd = to.zip(self.shell.cwd.as_ref()).map(|(to, cwd)| tidy(cwd.join(&to.text)));
                self.constants.cwd = self.shell.cwd.as_ref().map(|cwd| cwd.to_string_lossy().into_owned());
            }
            Does::Shell | Does::Spawn | Does::Exec => self.start(does, inner, &args),
            Does::Fetch | Does::Send => self.network(does, &args, &first),
            Does::Connect => self.connect(inner),
            Does::Code => self.code(inner, &first),
            Does::Kill => self.analysis.add_target(
                Act::HostProcess,
                first.first().map(|arg| arg.text.as_str()),
                Location::System,
                self.span,
            ),
            Does::Sql => {
                for act in first
                    .iter()
                    .filter(|arg| sql::looks_like(&arg.text))
                    .filter_map(|arg| sql::classify(&arg.text))
                    .collect::<Vec<_>>()
                {
                    self.analysis.add_target(act, None, Location::Remote, self.span);
                }
            }
            Does::Listen => self.analysis.add_target(Act::NetListen, None, Location::Remote, self.span),
            Does::Fork => {}
        }
    }

    /// The value of a named argument or of a field of an object: `cwd='a'`, `{cwd: 'a'}`.
    fn option(&self, inner: &[Token], name: &str) -> Option<Arg> {
        let at = inner
            .windows(2)
            .position(|two| matches!(two, [Token::Name(known), Token::Mark('=' | ':')] if known == name))?;
        let value: Vec<Token> =
            inner.iter().skip(at + 2).take_while(|token| !matches!(token, Token::Mark(',' | '}'))).cloned().collect();
        Some(text(&value, &self.constants, self.span))
    }

    fn touch(&mut self, act: Act, paths: &[Arg], extent: Extent) {
        for path in paths.iter().filter(|path| !path.text.is_empty()) {
            if !path.known() && path.hole == Some(0) && act == Act::FsRead {
                continue;
            }
            self.analysis.touch(act, path, self.shell.cwd.as_deref(), extent);
        }
    }

    fn open(&mut self, path: &[Arg], mode: Option<&Arg>, third: Option<&Arg>) {
        let mode = mode.map_or("r", |mode| mode.text.as_str());
        // Perl: open(F, ">file") and open(F, ">", "file"), and a pipe.
        if self.language == Language::Perl {
            let target = mode.trim_start_matches(['>', '+', '<', ' ']).split(':').next().unwrap_or_default();
            let arg = third.filter(|_| target.is_empty()).cloned().unwrap_or_else(|| Arg::new(target, self.span));
            if mode.ends_with('|') || mode.starts_with('|') {
                self.shell_text(&Arg::new(mode.trim_matches(['|', ' ']), self.span));
            } else if mode.contains('>') {
                self.touch(Act::FsWrite, &[arg], Extent::Single);
            } else {
                self.touch(Act::FsRead, &[arg], Extent::Single);
            }
            return;
        }
        // `w:gz` of an archive writes as `w` does.
        let mode = mode.split([':', '|']).next().unwrap_or_default();
        let writes = mode.contains(['w', 'a', 'x', '+']) && mode.len() <= 4;
        if !writes || mode.contains('r') {
            self.touch(Act::FsRead, path, Extent::Single);
        }
        if writes {
            self.touch(Act::FsWrite, path, Extent::Single);
        }
    }

    fn shell_text(&mut self, command: &Arg) {
        if command.text.is_empty() {
            return;
        }
        if command.hole == Some(0) {
            self.analysis.add_target(Act::ExecDynamic, None, Location::Unknown, self.span);
            self.analysis.gap(GapReason::DynamicCode, self.span);
            return;
        }
        run_text(self.analysis, self.shell, &command.text, Scope::Child, Some(self.span), &Flow::default());
    }

    fn start(&mut self, does: Does, inner: &[Token], args: &[&[Token]]) {
        let before = self.shell.cwd.clone();
        if let Some(folder) = self.option(inner, "cwd").or_else(|| self.option(inner, "chdir")) {
            self.shell.cwd = before.as_ref().filter(|_| folder.known()).map(|cwd| tidy(cwd.join(&folder.text)));
        }
        for started in started(does, self.language, args, &self.constants, self.span) {
            match started {
                Started::Text(text) => self.shell_text(&text),
                Started::Words(line) => {
                    run_args(self.analysis, self.shell, line, Vec::new(), &Flow::default(), self.span);
                }
            }
        }
        self.shell.cwd = before;
    }

    fn network(&mut self, does: Does, args: &[&[Token]], first: &[Arg]) {
        let url = first.first().map(|arg| arg.text.clone()).unwrap_or_default();
        let posts = args.iter().skip(1).any(|part| {
            part.iter().any(|token| match token {
                Token::Name(name) => matches!(name.as_str(), "data" | "json" | "body" | "files"),
                Token::Text { text, .. } => matches!(text.as_str(), "POST" | "PUT" | "PATCH" | "DELETE"),
                _ => false,
            })
        });
        let object = Object {
            host: crate::models::host_of(&url).map(Into::into),
            url: Some(url.as_str().into()),
            ..Object::default()
        };
        let act = if does == Does::Send || posts { Act::NetSend } else { Act::NetFetch };
        self.analysis.add(act, object, Location::Remote, Sure::Certain, self.span);
    }

    fn connect(&mut self, inner: &[Token]) {
        let host = inner.iter().find_map(|token| match token {
            Token::Text { text, .. } => Some(text.clone()),
            _ => None,
        });
        let Some(host) = host else { return };
        // `sqlite3.connect('a.db')` is no network.
        if host.ends_with(".db") || host.contains(".sqlite") || host == ":memory:" {
            return;
        }
        let object = Object { host: Some(crate::models::host_of(&host).unwrap_or(&host).into()), ..Object::default() };
        self.analysis.add(Act::NetSend, object, Location::Remote, Sure::Certain, self.span);
    }

    fn code(&mut self, inner: &[Token], first: &[Arg]) {
        let part = |name: &str| {
            inner.iter().any(|token| matches!(token, Token::Name(known) if known.split('.').any(|part| part == name)))
        };
        let fetched = part("urlopen") || part("requests") || part("fetch") || part("get") && part("text");
        let decoded = inner.iter().any(|token| matches!(token, Token::Name(name) if name.contains("b64decode") || name.contains("atob") || name.contains("base64") || name.contains("fromhex")));
        match first.first() {
            Some(code) if code.known() && !code.text.is_empty() && !fetched && !decoded => {
                let tokens = super::tokens::cut(self.language, &code.text);
                self.analysis
                    .deeper(self.span, |analysis| follow(analysis, self.shell, self.language, &tokens, self.span));
            }
            _ => {
                let act = if fetched {
                    Act::ExecRemote
                } else if decoded {
                    Act::ExecDecoded
                } else {
                    Act::ExecDynamic
                };
                self.analysis.add_target(act, None, Location::Unknown, self.span);
                self.analysis.gap(GapReason::DynamicCode, self.span);
            }
        }
    }
}
