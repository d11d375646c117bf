//! What scripts fetch and send, and the programs that they start.

use super::Language;
use super::acts::Given;
use super::call_table::Does;
use super::interpreter::Interpreter;
use super::value::{Argument, MAX_SET, Value, join, single, unknown_value};
use crate::act::Act;
use crate::analysis::Extent;
use crate::effect::Sure;
use crate::flow::{Arg, Flow, Taint};
use crate::location::Location;
use crate::models;
use crate::object::Object;
use crate::paths::tidy;
use crate::secrets::holds_secret;
use crate::shell::{Invocation, Scope, run_args, run_code};

/// Functions that print.
const PRINTS: &[&str] = &[
    "print", "log", "puts", "p", "pp", "echo", "print_r", "var_dump", "pprint", "say", "printf", "info", "error",
    "write",
];
const CLOUDS: &[&str] = &["boto3", "google", "azure", "kubernetes", "pulumi", "@aws-sdk/client-s3", "Aws"];

impl Interpreter<'_, '_, '_> {
    /// Notes what only all calls together tell.
    pub(super) fn note_seen(&mut self, name: &str) {
        let last = name.rsplit('.').next().unwrap_or(name);
        let before = name.strip_suffix(last).unwrap_or_default();
        self.seen.connects |= matches!(last, "connect" | "create_connection" | "createConnection" | "fsockopen")
            || before.contains("Socket");
        self.seen.redirects |= last == "dup2" || name.starts_with("pty.");
        self.seen.pipes |= last == "pipe";
        self.seen.spawns |= matches!(last, "spawn" | "exec" | "proc_open");
    }

    /// A call that no table describes.
    pub(super) fn note_call(&mut self, name: &str, arguments: &[Argument], taint: &Taint) {
        self.note_seen(name);
        let last = name.rsplit('.').next().unwrap_or(name);
        let prints = PRINTS.contains(&last) && (!name.contains("()") || name.starts_with("console"));
        if let Some(secret) = taint.secret.as_deref().filter(|secret| prints && !secret.is_empty()) {
            let secret = secret.to_owned();
            self.analysis.add_target(Act::SecretPrint, Some(&secret), Location::System, self.span);
        }
        let root = name.split(['.', '(']).next().unwrap_or(name);
        if CLOUDS.contains(&root) {
            let destroys = ["delete", "terminate", "destroy"].iter().any(|verb| last.starts_with(verb));
            let act = if destroys { Act::InfraDestroy } else { Act::InfraRead };
            self.analysis.add_target(act, Some(root), Location::Remote, self.span);
        }
        if self.language == Language::Php
            && last == "curl_setopt"
            && let Some(Argument { value, .. }) = arguments.get(2).filter(|value| value.value.taint().secret.is_some())
        {
            let taint = value.taint();
            self.send_taint(&taint);
        }
    }

    /// Adds what all calls together tell: a connection that is given to a shell.
    pub(super) fn conclude(&mut self) {
        let Self { seen, .. } = self;
        if seen.connects && (seen.redirects || seen.pipes && seen.spawns) {
            self.analysis.add_target(Act::ExecRemote, None, Location::Remote, self.span);
        }
    }

    /// Something is fetched from a URL, or sent to one.
    pub(super) fn network(&mut self, does: Does, given: &Given<'_>, url: &Value) -> Value {
        let method = given.option("method").and_then(|method| method.known().map(str::to_ascii_uppercase));
        let posts = ["data", "json", "body", "files", "content"].iter().any(|name| given.option(name).is_some())
            || method.is_some_and(|method| method != "GET" && method != "HEAD")
            || given.name.ends_with("urlopen") && given.positional.len() > 1;
        let mut taint = given.all_taint();
        taint.add(given.taint);
        let urls = match url {
            Value::Map(_) => given
                .option("hostname")
                .or_else(|| given.option("host"))
                .or_else(|| given.option("url"))
                .unwrap_or(Value::Nothing),
            Value::Nothing => given.option("url").unwrap_or(Value::Nothing),
            other => other.clone(),
        };
        let mut urls = urls.args(self.span);
        if urls.is_empty() {
            urls.push(Arg::unknown("$__", self.span));
        }
        for url in urls.iter().take(MAX_SET) {
            let known = if url.hole == Some(0) { "" } else { url.text.as_str() };
            let object =
                Object { host: models::host_of(known).map(Into::into), url: Some(known.into()), ..Object::default() };
            let mut taint = taint.clone();
            taint.add(&url.taint);
            if taint.secret.is_none() && holds_secret(&url.text) {
                taint.add(&Taint::secret(""));
            }
            let secret = taint.secret.is_some();
            if does == Does::Send || posts || secret {
                models::send(self.analysis, &taint, object, url.span);
            } else {
                self.analysis.add(Act::NetFetch, object, Location::Remote, Sure::Certain, url.span);
            }
        }
        Value::Library(format!("{}()", given.name).replace("()()", "()").into(), Taint { remote: true, ..Taint::NONE })
    }

    /// Something is sent over a connection that is open.
    pub(super) fn send_taint(&mut self, taint: &Taint) {
        if taint.secret.is_some() {
            models::send(self.analysis, taint, Object::default(), self.span);
        }
    }

    pub(super) fn fetch_into(&mut self, given: &Given<'_>) -> Value {
        let fetched = self.network(Does::Fetch, given, &given.at(0));
        let file = given.option("filename").or_else(|| given.option("dest")).unwrap_or_else(|| given.at(1));
        self.touch(Act::FsWrite, &file, Extent::Single);
        self.keep(&file, &fetched);
        Value::list(vec![file, self.unknown()])
    }

    pub(super) fn connect(&mut self, given: &Given<'_>) -> Value {
        const DATABASES: &[&str] =
            &["psycopg", "mysql", "sqlite", "duckdb", "redis", "mongo", "oracle", "pg.", "Sequelize", "dbConnect"];
        let result = |taint: Taint| Value::Library(format!("{}()", given.name).replace("()()", "()").into(), taint);
        if DATABASES.iter().any(|name| given.name.contains(name)) {
            return result(Taint::NONE);
        }
        let is_network =
            ["ocket", "fsock", "net", "tls", "HTTP", "SSH", "SMTP", "FTP", "INET", "TCP", "connection", "WebSocket"]
                .iter()
                .any(|part| given.name.contains(part));
        let is_address = matches!(given.positional.first(), Some(Value::List(parts)) if parts.len() == 2);
        if !is_network && !is_address {
            return result(Taint::NONE);
        }
        let named = ["host", "hostname", "PeerAddr", "PeerHost"].iter().find_map(|name| given.option(name));
        let mut flat: Vec<Value> = named.into_iter().collect();
        for value in &given.positional {
            flat.extend(self.elements_of_list(value));
        }
        let host =
            flat.iter().find_map(|value| value.known().filter(|text| text.parse::<u32>().is_err()).map(str::to_owned));
        // A file is no host.
        if host.as_deref().is_some_and(|host| host.ends_with(".db") || host.contains(".sqlite") || host == ":memory:") {
            return result(Taint::NONE);
        }
        let host = host.map(|host| models::host_of(&host).unwrap_or(&host).into());
        let object = Object { host, ..Object::default() };
        self.analysis.add(Act::NetSend, object, Location::Remote, Sure::Certain, self.span);
        // What comes from there, others have written.
        result(Taint { remote: true, ..Taint::NONE })
    }

    /// Starts a program, or a text for a shell.
    pub(super) fn start(&mut self, does: Does, given: &Given<'_>) -> Value {
        let before = self.shell.cwd.clone();
        let folder = given.option("cwd").or_else(|| given.option("chdir"));
        if let Some(folder) = folder.filter(|folder| !matches!(folder, Value::Nothing)) {
            self.shell.cwd = before.as_ref().and_then(|cwd| Some(tidy(cwd.join(folder.known()?))));
        }
        let input = given.option("input").map(|input| single(&input, self.span));
        let input = input.map_or_else(Flow::default, |input| match input.known() {
            true => Flow { taint: input.taint, ..Flow::literal(input.text) },
            false => Flow::unknown(input.taint),
        });
        let value = self.start_here(does, given, &input);
        self.shell.cwd = before;
        value
    }

    fn start_here(&mut self, does: Does, given: &Given<'_>, input: &Flow) -> Value {
        // Ruby's environment and Python's `os.P_WAIT` stand before the program, objects of options behind it.
        let is_word = |value: &&Value| match value {
            Value::Map(_) | Value::Function(..) => false,
            Value::Library(name, _) => {
                !name.contains("P_") && !name.ends_with("environ") && !name.ends_with("env") && !name.ends_with("PIPE")
            }
            _ => true,
        };
        let named = given.option("args").or_else(|| given.option("cmd"));
        let mut parts: Vec<Value> = given.positional.iter().filter(is_word).cloned().collect();
        if let Some(named) = named
            && (parts.is_empty() || matches!(named, Value::List(_)))
        {
            parts.push(named);
        }
        let Some(first) = parts.first().cloned() else { return self.unknown() };
        let many_words = match self.language {
            Language::Perl | Language::Ruby => parts.len() > 1,
            _ => matches!(does, Does::Spawn | Does::Exec) && parts.len() > 1 && !matches!(first, Value::List(_)),
        };
        if does == Does::Exec || many_words || matches!(parts.get(1), Some(Value::List(_))) && does != Does::Shell {
            let mut words: Vec<Value> = vec![first];
            for part in parts.iter().skip(1) {
                words.extend(self.elements_of_list(part));
            }
            if does == Does::Exec && words.len() > 1 {
                // What the program is told that it is called.
                words.remove(1);
            }
            return self.run_values(&words, input);
        }
        let mut values = Vec::new();
        for value in first.alternatives() {
            values.push(match value {
                Value::List(items) => self.run_values(&items, input),
                other => self.shell_text(&other),
            });
        }
        join(values, self.span)
    }

    /// Runs a program with words that may each be one of several.
    fn run_values(&mut self, words: &[Value], input: &Flow) -> Value {
        let most = words.iter().map(|word| word.alternatives().len()).max().unwrap_or_default();
        let mut values = Vec::new();
        for round in 0..most.min(MAX_SET) {
            let line = words.iter().map(|word| {
                let all = word.alternatives();
                let one = all.get(round).or(all.last()).cloned().unwrap_or(Value::Nothing);
                single(&one, self.span)
            });
            let line: Vec<Arg> = line.collect();
            values.push(self.run_words(line, input));
        }
        join(values, self.span)
    }

    pub(super) fn run_words(&mut self, words: Vec<Arg>, input: &Flow) -> Value {
        if words.first().is_some_and(|program| program.hole == Some(0)) {
            let program = words.first().map(|program| program.taint.clone()).unwrap_or_default();
            return self.run_flow(&Flow::unknown(program), words);
        }
        let flow = run_args(self.analysis, self.shell, words, Vec::new(), input, self.span);
        self.printed(&flow)
    }

    /// Runs texts as a shell does.
    pub(super) fn shell_text(&mut self, command: &Value) -> Value {
        let mut values = Vec::new();
        for arg in command.args(self.span) {
            if arg.text.is_empty() {
                continue;
            }
            let flow = match arg.hole {
                Some(0) => Flow::unknown(arg.taint.clone()),
                _ => Flow { taint: arg.taint.clone(), ..Flow::literal(arg.text.clone()) },
            };
            values.push(self.run_flow(&flow, Vec::new()));
        }
        join(values, self.span)
    }

    fn run_flow(&mut self, code: &Flow, args: Vec<Arg>) -> Value {
        let program = self.analysis.program.to_string();
        let call = Invocation { program, args, env: Vec::new(), stdin: Flow::default(), span: self.span };
        let flow = run_code(self.analysis, self.shell, code, Scope::Child, &call);
        self.printed(&flow)
    }

    /// What a program printed.
    fn printed(&self, flow: &Flow) -> Value {
        match &flow.text {
            Some(text) if text.len() < 1000 && !flow.taint.decoded => {
                Value::Text(Arg { taint: flow.taint.clone(), ..Arg::new(text.trim_end(), self.span) })
            }
            _ => unknown_value(flow.taint.clone(), self.span),
        }
    }
}
