//! Calls of methods, of lists and maps, and of libraries.

use super::Language;
use super::ast::Node;
use super::call_table::{Does, lookup};
use super::interpreter::Interpreter;
use super::library;
use super::value::{Argument, Value, are_same, join, unknown_value};
use crate::flow::Taint;
use std::rc::Rc;

/// Methods and functions that call a function for each of some values.
pub(super) const EACH: &[&str] = &[
    "map",
    "forEach",
    "filter",
    "each",
    "flatMap",
    "flat_map",
    "collect",
    "select",
    "reject",
    "each_with_index",
    "each_entry",
    "starmap",
    "array_map",
    "array_walk",
    "array_filter",
    "imap",
    "imap_unordered",
    "map_async",
    "grep",
    "sort",
    "some",
    "every",
    "any?",
    "all?",
    "find",
    "each_slice",
    "each_key",
    "each_value",
    "each_pair",
    "reduce",
    "find_all",
    "foreach",
    "each_child",
    "lapply",
    "sapply",
    "first",
    "any",
    "all",
    "each_line",
    "tap",
    "then",
    "with_index",
    "walk",
];

/// Functions that call a function with the arguments behind it.
const APPLIES: &[&str] = &[
    "submit",
    "apply",
    "apply_async",
    "call_user_func",
    "call_user_func_array",
    "Thread",
    "Process",
    "Timer",
    "run_in_executor",
    "call_later",
    "call_soon",
    "start_new_thread",
    "register",
    "to_thread",
    "setTimeout",
    "setImmediate",
    "nextTick",
    "run",
    "do.call",
    "pcall",
    "addCallback",
];

impl Interpreter<'_, '_, '_> {
    /// Calls a method; `node` is what it is called on, for methods that change it.
    pub(super) fn call_method(
        &mut self,
        receiver: &Value,
        name: &Rc<str>,
        arguments: Vec<Argument>,
        node: Option<&Node>,
    ) -> Value {
        // `File.send(:delete, …)`
        if matches!(&**name, "send" | "public_send" | "__send__" | "method" | "public_method" | "instance_method")
            && self.language == Language::Ruby
            && let Some(wanted) = arguments.first().and_then(|first| first.value.known())
        {
            let wanted: Rc<str> = wanted.into();
            if name.ends_with("method") {
                return Value::Method(Rc::new((receiver.clone(), wanted)));
            }
            return self.call_method(receiver, &wanted, arguments.into_iter().skip(1).collect(), node);
        }
        match receiver {
            Value::Any(all) => {
                let mut values = Vec::new();
                for one in all.iter() {
                    values.push(self.call_method(one, name, arguments.clone(), None));
                }
                join(values, self.span)
            }
            Value::Class(class) => self.class_method(*class, receiver, name, arguments),
            Value::Object(scope, class) => self.object_method(*scope, *class, receiver, name, arguments),
            Value::Function(..) | Value::Bound(_) | Value::Method(_) => self.function_method(receiver, name, arguments),
            Value::Map(pairs) => {
                if let Some((_, value)) = pairs.iter().rev().find(|(key, _)| key == name) {
                    let value = value.clone();
                    return self.apply(&value, arguments);
                }
                self.map_method(pairs, name, &arguments)
            }
            Value::List(items) => self.list_method(items, name, &arguments, node),
            Value::Text(arg) => {
                if let Some(value) = self.text_method(arg, name, &arguments) {
                    return value;
                }
                self.other_method(receiver, name, &arguments)
            }
            Value::Library(module, taint) => {
                if matches!(&**module, "super()" | "super" | "parent" | "self" | "static")
                    && let Some(value) = self.call_parent(name, &arguments)
                {
                    return value;
                }
                let drops_new = &**name == "new" && self.language != Language::Ruby;
                let full = if drops_new { module.to_string() } else { format!("{module}.{name}") };
                let taint = taint.clone();
                if module.contains("()")
                    && !self.defined.is_empty()
                    && lookup(self.language, &full).is_none()
                    && let Some(value) = self.call_by_name(name, &arguments)
                {
                    return value;
                }
                self.call_library(&full, &taint, &arguments, Some(receiver))
            }
            Value::Nothing => {
                let unknown = self.unknown();
                self.other_method(&unknown, name, &arguments)
            }
        }
    }

    fn class_method(&mut self, class: usize, receiver: &Value, name: &Rc<str>, arguments: Vec<Argument>) -> Value {
        if &**name == "new" {
            return self.instantiate(class, arguments);
        }
        let fields = self.classes.get(class).map_or(0, |class| class.fields);
        let own = Value::Object(fields, class);
        if let Some(value) = self.call_own_method(&own, class, name, &arguments) {
            return value;
        }
        self.inherited(class, receiver, name, &arguments)
    }

    fn object_method(
        &mut self,
        scope: usize,
        class: usize,
        receiver: &Value,
        name: &Rc<str>,
        arguments: Vec<Argument>,
    ) -> Value {
        if let Some(value) = self.field(scope, name) {
            if arguments.is_empty() && !value.is_callable() {
                return value;
            }
            return self.apply(&value, arguments);
        }
        if let Some(value) = self.call_own_method(receiver, class, name, &arguments) {
            return value;
        }
        // `attr_reader :base` of Ruby
        if let Some(value) = self.field(scope, &format!("@{name}")) {
            return value;
        }
        self.inherited(class, receiver, name, &arguments)
    }

    /// What a class of a library does under this name.
    fn inherited(&mut self, class: usize, receiver: &Value, name: &Rc<str>, arguments: &[Argument]) -> Value {
        match self.classes.get(class).and_then(|class| class.parent.clone()) {
            Some(Value::Library(parent, taint)) => {
                self.call_library(&format!("{parent}().{name}"), &taint, arguments, None)
            }
            _ => match self.language {
                // Methods of Ruby's objects are functions as well: `system` in a class.
                Language::Ruby => self.call_library(name, &Taint::NONE, arguments, Some(receiver)),
                _ => self.unknown_call(arguments),
            },
        }
    }

    fn function_method(&mut self, receiver: &Value, name: &str, arguments: Vec<Argument>) -> Value {
        let is_js = self.language == Language::JavaScript;
        match name {
            "call" | "()" | "yield" | "===" | "__invoke" | "submit" => {
                self.apply(receiver, arguments.into_iter().skip(usize::from(is_js)).collect())
            }
            "apply" => {
                let given = arguments.into_iter().nth(1).map_or(Value::Nothing, |list| list.value);
                let elements = self.elements_of_list(&given);
                self.apply(receiver, elements.into_iter().map(Argument::plain).collect())
            }
            "bind" => Value::Bound(Rc::new((receiver.clone(), arguments.into_iter().skip(1).collect()))),
            "to_proc" | "curry" | "unbind" => receiver.clone(),
            "sync" | "native" | "default" | "promises" => self.apply(receiver, arguments),
            // A function that was given a name's fields, such as `exec.sync`
            _ => {
                if let Value::Method(method) = receiver {
                    let receiver = method.0.clone();
                    return self.other_method(&receiver, &name.into(), &arguments);
                }
                self.unknown_call(&arguments)
            }
        }
    }

    /// A method of something of which little is known.
    fn other_method(&mut self, receiver: &Value, name: &Rc<str>, arguments: &[Argument]) -> Value {
        if !self.classes.is_empty()
            && lookup(self.language, name).is_none()
            && let Some(value) = self.call_by_name(name, arguments)
        {
            return value;
        }
        let taint = receiver.taint();
        self.call_library(&format!("().{name}"), &taint, arguments, Some(receiver))
    }

    /// Calls something of a library, or of the language itself.
    pub(super) fn call_library(
        &mut self,
        name: &str,
        taint: &Taint,
        arguments: &[Argument],
        receiver: Option<&Value>,
    ) -> Value {
        if let Some(value) = library::value(self, name, arguments) {
            return value;
        }
        let mut all = taint.clone();
        arguments.iter().for_each(|argument| all.add(&argument.value.taint()));
        let writes = |value: &Value| matches!(value, Value::Library(handle, _) if handle.starts_with("open()#"));
        let prints =
            matches!(name, "print" | "printf" | "say") && arguments.first().is_some_and(|first| writes(&first.value));
        let does = if prints { Some(Does::Content) } else { lookup(self.language, name) };
        if let Some(does) = does
            && !(does == Does::Kill && own_process(name))
        {
            let value = self.perform(does, name, taint, arguments, receiver);
            let taint = value.taint();
            for argument in arguments.iter().filter(|argument| argument.value.is_callable()) {
                let content = Value::Library(format!("{name}()").into(), taint.clone());
                let known = self.given_to_callback(name, &content, receiver);
                self.call_back(&argument.value, known);
            }
            return value;
        }
        self.note_call(name, arguments, &all);
        // What comes from a connection, others have written.
        all.remote |= ["recv", "recv_into", "recvfrom", "makefile"].iter().any(|method| name.ends_with(method))
            && name.contains("ocket");
        let last = name.rsplit('.').next().unwrap_or(name);
        if let Some(value) = self.with_functions(name, last, arguments, receiver, &all) {
            return value;
        }
        let result = if name.len() < 120 { format!("{name}()") } else { "()".to_owned() };
        Value::Library(result.replace("()()", "()").into(), all)
    }

    /// What the function that is handed to a library gets: `.then(text => …)`, `(res) => …`.
    fn given_to_callback(&mut self, name: &str, content: &Value, receiver: Option<&Value>) -> Vec<Value> {
        match name.rsplit('.').next().unwrap_or(name) {
            "then" | "tap" | "yield_self" => receiver.cloned().into_iter().collect(),
            // An error comes first.
            "exec" | "readFile" | "readdir" | "execFile" => vec![self.unknown(), content.clone()],
            _ => vec![content.clone()],
        }
    }

    /// A call that is handed functions: they run with what the call goes through.
    fn with_functions(
        &mut self,
        name: &str,
        last: &str,
        arguments: &[Argument],
        receiver: Option<&Value>,
        taint: &Taint,
    ) -> Option<Value> {
        let mut functions = arguments.iter().filter(|argument| {
            argument.value.is_callable()
                || is_function(&argument.value)
                || self.language == Language::Php
                    && (EACH.contains(&last) || APPLIES.contains(&last))
                    && argument.value.known().is_some()
        });
        let function = functions.next()?.value.clone();
        let content = || receiver.cloned().unwrap_or_else(|| Value::Library(format!("{name}()").into(), taint.clone()));
        let others: Vec<Argument> =
            arguments.iter().filter(|argument| !is_same_function(&argument.value, &function)).cloned().collect();
        if matches!(last, "then" | "catch" | "finally" | "tap" | "on" | "once") {
            let content = content();
            let known = if last == "on" { vec![unknown_value(content.taint(), self.span)] } else { vec![content] };
            return Some(self.call_back(&function, known));
        }
        if EACH.contains(&last) || last == "find" {
            let mut elements: Vec<Value> = Vec::new();
            for other in &others {
                elements.extend(self.elements_of_list(&other.value));
            }
            if name == "find" || name.ends_with("Find.find") {
                return Some(self.find_files(&function, &elements));
            }
            if elements.is_empty() {
                let content = content();
                elements = self.elements(&content);
            }
            return Some(self.for_all(&function, elements, false));
        }
        // A thread, a task, `call_user_func`: what is behind the function are its arguments.
        let named = others
            .iter()
            .find(|argument| argument.name.as_deref() == Some("args"))
            .map(|argument| argument.value.clone());
        let given: Vec<Value> =
            match named {
                Some(list) => self.elements_of_list(&list),
                None => {
                    let plain: Vec<Value> = others
                        .iter()
                        .filter(|argument| argument.name.is_none())
                        .map(|argument| argument.value.clone())
                        .collect();
                    plain
                        .iter()
                        .flat_map(|value| {
                            if last.ends_with("array") { self.elements_of_list(value) } else { vec![value.clone()] }
                        })
                        .collect()
                }
            };
        if given.is_empty() && !function.is_callable() {
            // `atexit.register(os.remove)` and the like: what it is given is not known.
            return None;
        }
        if function.is_callable() {
            let given = if APPLIES.contains(&last) { given } else { vec![content()] };
            return Some(self.call_back(&function, given));
        }
        Some(self.apply(&function, given.into_iter().map(Argument::plain).collect()))
    }

    /// `find(sub { … }, $folder)` of Perl.
    fn find_files(&mut self, function: &Value, folders: &[Value]) -> Value {
        let any = super::texts::as_pattern(&self.text("**"), self.span);
        let below: Vec<Value> = folders.iter().map(|folder| super::value::below(folder, &any, self.span)).collect();
        let found = join(below, self.span);
        for name in ["$File::Find::name", "$_"] {
            self.set(self.scope, &name.into(), found.clone());
        }
        self.call_back(function, vec![found])
    }

    /// Functions of Perl and PHP that change the list they are given: `push @list, …`, `shift`.
    pub(super) fn changing_call(&mut self, callee: &Value, arguments: &[Node]) -> Option<Value> {
        let Value::Library(name, _) = callee else { return None };
        match (&**name, self.language) {
            ("push" | "unshift" | "array_push", Language::Perl | Language::Php) => {
                let list = arguments.first()?;
                let new = self.arguments(arguments.get(1..).unwrap_or_default());
                let owner = match self.eval(list) {
                    list @ Value::List(_) => list,
                    _ => Value::list(Vec::new()),
                };
                let Value::List(items) = &owner else { return None };
                Some(self.list_method(items, "push", &new, Some(list)))
            }
            ("shift" | "pop", Language::Perl) => {
                let in_function = self.find("@_").is_some();
                let default = Node::name(if in_function { "@_" } else { "@ARGV" });
                let list = arguments.first().unwrap_or(&default);
                let Value::List(items) = self.eval(list) else { return Some(self.unknown()) };
                let mut items = items.to_vec();
                if items.is_empty() {
                    return Some(Value::Nothing);
                }
                let value = if &**name == "shift" { items.remove(0) } else { items.pop().unwrap_or(Value::Nothing) };
                self.assign(list, Value::list(items), false);
                Some(value)
            }
            ("open", Language::Perl) => {
                let target = arguments.first()?;
                let given = self.arguments(arguments);
                let handle = self.apply(callee, given);
                self.assign(target, handle.clone(), true);
                Some(handle)
            }
            ("yield of", _) => {
                let given = self.arguments(arguments);
                if self.language == Language::Ruby {
                    let block =
                        self.frames.last().and_then(|frame| frame.arguments.last().cloned()).filter(Value::is_callable);
                    return Some(match block {
                        Some(block) => self.apply(&block, given),
                        None => self.unknown(),
                    });
                }
                let values = given.into_iter().map(|argument| argument.value).collect();
                let here = self.shell.cwd.clone();
                if let Some(frame) = self.frames.last_mut() {
                    frame.yielded.get_or_insert(here);
                    frame.returns.push(Value::list(values));
                }
                Some(self.unknown())
            }
            _ => None,
        }
    }
}

/// Reports whether a value is a function of a library.
pub(super) fn is_function(value: &Value) -> bool {
    matches!(value, Value::Library(name, _) if !name.ends_with("()") && !name.ends_with("[]"))
}

fn is_same_function(value: &Value, function: &Value) -> bool {
    are_same(value, function)
}

/// A process that the script has started itself.
fn own_process(name: &str) -> bool {
    [
        "Popen()",
        "spawn()",
        "fork()",
        "exec()",
        "execFile()",
        "Process()",
        "create_subprocess_exec()",
        "create_subprocess_shell()",
        "Command()",
    ]
    .iter()
    .any(|own| name.contains(own))
}
