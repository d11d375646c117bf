//! Files that scripts open, and folders that they look into.

use super::Language;
use super::acts::{Given, is_url};
use super::call_table::Does;
use super::interpreter::Interpreter;
use super::library::expanded;
use super::texts::as_pattern;
use super::value::{Value, below, single};
use crate::act::Act;
use crate::analysis::Extent;
use crate::flow::{Arg, Flow, Taint};
use crate::shell::remember;

impl Interpreter<'_, '_, '_> {
    /// Notes what a file contains now, for programs that run it later.
    pub(super) fn keep(&mut self, path: &Value, content: &Value) {
        let content = single(content, self.span);
        let flow = if content.known() && !content.text.is_empty() {
            Flow { taint: content.taint, ..Flow::literal(content.text) }
        } else {
            Flow::unknown(content.taint)
        };
        for path in path.args(self.span).iter().filter(|path| path.known() && path.glob.is_none()) {
            remember(self.shell, path, &flow);
        }
    }

    pub(super) fn read(&mut self, given: &Given<'_>) -> Value {
        let path = given.path.clone().unwrap_or_else(|| given.at(0));
        if is_url(&path) {
            return self.network(Does::Fetch, given, &path);
        }
        let before = self.analysis.effects.list.len();
        self.touch(Act::FsRead, &path, Extent::Single);
        self.opened(given.name, before, &path)
    }

    /// What is read from files since `before`.
    pub(super) fn opened(&self, name: &str, before: usize, path: &Value) -> Value {
        let secret = self.analysis.effects.list.iter().skip(before).any(|effect| effect.act == Act::SecretRead);
        let mut taint = path.taint();
        taint.local |= self.analysis.effects.list.len() > before;
        if secret {
            taint.add(&Taint::secret(""));
        }
        Value::Library(format!("{name}()").replace("()()", "()").into(), taint)
    }

    pub(super) fn open(&mut self, does: Does, given: &Given<'_>) -> Value {
        let is_method = given.path.is_some();
        let path = given.path.clone().or_else(|| given.option("file")).unwrap_or_else(|| given.at(0));
        let mode = given.option("mode").unwrap_or_else(|| given.at(usize::from(!is_method)));
        if self.language == Language::Perl {
            return self.open_perl(given);
        }
        let before = self.analysis.effects.list.len();
        let flags = given.positional.iter().skip(usize::from(!is_method)).any(names_writing);
        let (reads, writes) = match (flags, does) {
            (true, _) => (false, true),
            (false, Does::OpenByFlags) => (true, false),
            (false, _) => modes(&mode),
        };
        if is_url(&path) {
            return self.network(Does::Fetch, given, &path);
        }
        if reads {
            self.touch(Act::FsRead, &path, Extent::Single);
        }
        if !writes {
            return self.opened(given.name, before, &path);
        }
        let adds =
            mode.alternatives().iter().any(|mode| mode.known().is_none_or(|mode| mode.contains(['a', 'r', 'x'])));
        if adds {
            self.touch(Act::FsWrite, &path, Extent::Single);
        } else {
            self.overwrite(&path);
        }
        self.handles.push(path);
        Value::Library(format!("open()#{}", self.handles.len() - 1).into(), Taint::NONE)
    }

    /// `open(F, ">file")`, `open(my $f, ">", "file")`, and a pipe.
    pub(super) fn open_perl(&mut self, given: &Given<'_>) -> Value {
        let flat: Vec<Value> = given.positional.iter().flat_map(|value| self.elements_of_list(value)).collect();
        let mode = flat.get(1).map_or_else(|| Arg::new("", self.span), |mode| single(mode, self.span));
        let marks: &[char] = &['>', '+', '<', '|', '-', '&', ' '];
        let plain = mode.text.trim_matches(marks).split(':').next().unwrap_or_default().trim();
        let at = mode.text.find(plain).unwrap_or_default();
        let rest: Vec<Value> = flat.get(2..).unwrap_or_default().to_vec();
        if mode.text.contains('|') {
            let words: Vec<Arg> = rest.iter().map(|word| single(word, self.span)).collect();
            if mode.text.trim() == "|-" && !words.is_empty() {
                let line = std::iter::once(self.text("|")).chain(words.into_iter().map(Value::Text));
                self.handles.push(Value::list(line.collect()));
                return Value::library(format!("open()#{}", self.handles.len() - 1));
            }
            if words.is_empty() {
                let end = mode.text.trim_end_matches(['|', ' ']).len();
                let text = mode.with_text(mode.text.get(..end).unwrap_or_default()).after(at);
                return self.shell_text(&Value::Text(text));
            }
            return self.run_words(words, &Flow::default());
        }
        if mode.text.contains('&') {
            self.seen.redirects = true;
            return Value::Nothing;
        }
        let file = if plain.is_empty() {
            rest.first().cloned().unwrap_or(Value::Nothing)
        } else {
            Value::Text(mode.after(at))
        };
        let before = self.analysis.effects.list.len();
        if !mode.text.contains(['>', '+']) {
            self.touch(Act::FsRead, &file, Extent::Single);
            return self.opened(given.name, before, &file);
        }
        if mode.text.contains(">>") || mode.text.contains('+') {
            self.touch(Act::FsWrite, &file, Extent::Single);
        } else {
            self.overwrite(&file);
        }
        self.handles.push(file);
        Value::library(format!("open()#{}", self.handles.len() - 1))
    }

    /// Something is written to an open file: what a program may run later.
    pub(super) fn content(&mut self, given: &Given<'_>) {
        // `fwrite($file, "text")`
        let first = given.at(0);
        let (name, content) = match &first {
            Value::Library(name, _) if !given.name.contains('.') => (&**name, given.at(1)),
            _ => (given.name, first.clone()),
        };
        let number = name.split_once("open()#").and_then(|(_, rest)| rest.split('.').next()?.parse::<usize>().ok());
        let handle = number.and_then(|number| self.handles.get(number)).cloned();
        if let Some(Value::List(line)) = &handle {
            let words: Vec<Arg> = line.iter().skip(1).map(|word| single(word, self.span)).collect();
            let text = single(&content, self.span);
            let input = if text.known() {
                Flow { taint: text.taint, ..Flow::literal(text.text) }
            } else {
                Flow::unknown(text.taint)
            };
            self.run_words(words, &input);
        } else if let Some(path) = handle {
            self.keep(&path, &content);
        } else if ["connect", "ocket", "fsockopen", "INET"].iter().any(|part| name.contains(part)) {
            self.send_taint(&given.all_taint());
        }
    }

    pub(super) fn glob(&mut self, given: &Given<'_>) -> Value {
        let patterns: Vec<Value> =
            given.positional.iter().take(1).flat_map(|value| self.elements_of_list(value)).collect();
        let mut found = Vec::new();
        for value in patterns {
            let text = expanded(self, &value);
            let root = given.option("cwd").or_else(|| given.option("root_dir")).or_else(|| given.option("base"));
            let text = root.map_or_else(|| text.clone(), |root| below(&root, &text, self.span));
            found.push(as_pattern(&text, self.span));
        }
        Value::list(found)
    }

    pub(super) fn list_folder(&mut self, given: &Given<'_>) -> Value {
        let path = given.path.clone().unwrap_or_else(|| given.at(0));
        let before = self.analysis.effects.list.len();
        self.touch(Act::FsRead, &path, Extent::Single);
        self.analysis.only_names(before);
        let names = as_pattern(&self.text("*"), self.span);
        let has_paths =
            given.name.ends_with("scandir") && self.language == Language::Python || given.option("recursive").is_some();
        Value::list(vec![if has_paths { below(&path, &names, self.span) } else { names }])
    }
}

/// Reports whether a mode reads, and whether it writes.
fn modes(mode: &Value) -> (bool, bool) {
    let texts = mode.alternatives();
    let mut found = (false, false);
    for text in texts.iter().map(|text| text.known().unwrap_or("r")) {
        // `w:gz` of an archive writes as `w` does.
        let text = text.split([':', '|']).next().unwrap_or_default();
        let writes = text.contains(['w', 'a', 'x', '+', 'c']) && text.len() <= 4;
        found.0 |= !writes || text.contains('r');
        found.1 |= writes;
    }
    found
}

/// `O_WRONLY` of C, `File::WRONLY` of Ruby.
fn names_writing(value: &Value) -> bool {
    let is_flag = |name: &str| {
        matches!(
            name.rsplit('.').next().unwrap_or(name).trim_start_matches("O_"),
            "WRONLY" | "RDWR" | "CREAT" | "TRUNC" | "APPEND"
        )
    };
    match value {
        Value::Library(name, _) => is_flag(name),
        Value::Any(all) => all.iter().any(names_writing),
        _ => false,
    }
}
