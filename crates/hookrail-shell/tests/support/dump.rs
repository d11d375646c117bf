//! A compact form of the tree, for tables.
//!
//! A simple command is `(program argument …)`, every other one begins with `%`. Text that stands for itself is bare, or
//! in `«»` if it has characters that would look like something else; so `*` is a pattern and `«*»` is a star.
//! Redirections begin with `@`. An `Unknown` is `<?reason>`.

use hookrail_shell::ast::*;
use std::fmt::Write;

pub fn dump(script: &Script<'_>) -> String {
    let mut out = String::new();
    write_script(&mut out, script);
    out
}

fn write_script(out: &mut String, script: &Script<'_>) {
    for (index, item) in script.items.iter().enumerate() {
        if index > 0 {
            out.push_str(" ; ");
        }
        write_item(out, item);
    }
}

fn write_item(out: &mut String, item: &Item<'_>) {
    if !item.rest.is_empty() {
        out.push('[');
    }
    write_pipeline(out, &item.first);
    for (connector, pipeline) in &item.rest {
        out.push_str(match connector {
            Connector::And => " && ",
            Connector::Or => " || ",
        });
        write_pipeline(out, pipeline);
    }
    if !item.rest.is_empty() {
        out.push(']');
    }
    if item.background {
        out.push_str(" &");
    }
}

fn write_pipeline(out: &mut String, pipeline: &Pipeline<'_>) {
    if pipeline.timed {
        out.push_str("time ");
    }
    if pipeline.negated {
        out.push_str("! ");
    }
    for (index, command) in pipeline.commands.iter().enumerate() {
        if index > 0 {
            out.push_str(match pipeline.pipes[index - 1] {
                Pipe::Output => " | ",
                Pipe::OutputAndErrors => " |& ",
            });
        }
        write_command(out, command);
    }
}

fn write_command(out: &mut String, command: &Command<'_>) {
    if let CommandKind::Unknown(unknown) = &command.kind {
        write!(out, "<?{}>", unknown.reason).unwrap();
        return;
    }
    out.push('(');
    write_kind(out, &command.kind);
    for redirect in &command.redirects {
        if !out.ends_with('(') {
            out.push(' ');
        }
        write_redirect(out, redirect);
    }
    out.push(')');
}

fn write_kind(out: &mut String, kind: &CommandKind<'_>) {
    match kind {
        CommandKind::Simple(simple) => {
            for (index, assignment) in simple.assignments.iter().enumerate() {
                out.push_str(if index > 0 { " " } else { "" });
                out.push_str(&assignment.name);
                if let Some(subscript) = &assignment.subscript {
                    out.push('[');
                    write_word(out, subscript);
                    out.push(']');
                }
                out.push_str(if assignment.append { "+=" } else { "=" });
                if !assignment.value.parts.is_empty() {
                    write_word(out, &assignment.value);
                }
            }
            if !simple.assignments.is_empty() && !simple.words.is_empty() {
                out.push(' ');
            }
            write_words(out, &simple.words);
        }
        CommandKind::Group(script) => tagged(out, "%group", script),
        CommandKind::Subshell(script) => tagged(out, "%subshell", script),
        CommandKind::If(node) => {
            for (index, branch) in node.branches.iter().enumerate() {
                tagged(out, if index == 0 { "%if" } else { " elif" }, &branch.condition);
                tagged(out, " then", &branch.body);
            }
            if let Some(otherwise) = &node.otherwise {
                tagged(out, " else", otherwise);
            }
        }
        CommandKind::Loop(node) => {
            tagged(out, if node.until { "%until" } else { "%while" }, &node.condition);
            tagged(out, " do", &node.body);
        }
        CommandKind::For(node) => {
            out.push_str(if node.select { "%select " } else { "%for " });
            out.push_str(&node.name);
            if let Some(words) = &node.words {
                out.push_str(" in ");
                write_words(out, words);
            }
            tagged(out, " do", &node.body);
        }
        CommandKind::ArithmeticFor(node) => {
            out.push_str("%for ");
            for word in [&node.initial, &node.condition, &node.step] {
                write_word(out, word);
                out.push(' ');
            }
            tagged(out, "do", &node.body);
        }
        CommandKind::Case(node) => {
            out.push_str("%case ");
            write_word(out, &node.word);
            for arm in &node.arms {
                out.push_str(" (");
                for (index, pattern) in arm.patterns.iter().enumerate() {
                    out.push_str(if index > 0 { " | " } else { "" });
                    write_word(out, pattern);
                }
                tagged(out, " :", &arm.body);
                out.push_str(match arm.end {
                    CaseEnd::Break => ")",
                    CaseEnd::FallThrough => " ;&)",
                    CaseEnd::Continue => " ;;&)",
                });
            }
        }
        CommandKind::Arithmetic(word) => {
            out.push_str("%arithmetic ");
            write_word(out, word);
        }
        CommandKind::Test(test) => {
            out.push_str("%test ");
            write_test(out, test);
        }
        CommandKind::Function(function) => {
            out.push_str("%function ");
            write_word(out, &function.name);
            out.push(' ');
            write_command(out, &function.body);
        }
        CommandKind::Coproc(coproc) => {
            out.push_str("%coproc ");
            if let Some(name) = &coproc.name {
                write!(out, "{name} ").unwrap();
            }
            write_command(out, &coproc.command);
        }
        CommandKind::Unknown(_) => {}
    }
}

fn tagged(out: &mut String, tag: &str, script: &Script<'_>) {
    out.push_str(tag);
    if !script.items.is_empty() {
        out.push(' ');
        write_script(out, script);
    }
}

fn write_redirect(out: &mut String, redirect: &Redirect<'_>) {
    out.push('@');
    match &redirect.fd {
        Some(RedirectFd::Number(number)) => write!(out, "{number}").unwrap(),
        Some(RedirectFd::Variable(name)) => write!(out, "{{{name}}}").unwrap(),
        None => {}
    }
    out.push_str(match redirect.operator {
        RedirectOperator::Read => "<",
        RedirectOperator::Write => ">",
        RedirectOperator::Append => ">>",
        RedirectOperator::Clobber => ">|",
        RedirectOperator::ReadWrite => "<>",
        RedirectOperator::DuplicateInput => "<&",
        RedirectOperator::DuplicateOutput => ">&",
        RedirectOperator::WriteAll => "&>",
        RedirectOperator::AppendAll => "&>>",
        RedirectOperator::HereDocument => "<<",
        RedirectOperator::HereString => "<<<",
    });
    match &redirect.target {
        RedirectTarget::Word(word) => write_word(out, word),
        RedirectTarget::HereDocument(document) => {
            out.push_str(if document.strip_tabs { "-" } else { "" });
            out.push_str(if document.quoted { "'" } else { "" });
            write_literal(out, &document.delimiter);
            out.push_str(if document.quoted { "'" } else { "" });
            out.push(':');
            write_word(out, &document.body);
        }
    }
}

fn write_test(out: &mut String, test: &Test<'_>) {
    let list = |out: &mut String, tests: &[Test<'_>], tag: &str| {
        out.push_str(tag);
        for test in tests {
            out.push(' ');
            write_test(out, test);
        }
        out.push(')');
    };
    match &test.kind {
        TestKind::Word(word) => write_word(out, word),
        TestKind::Unary { operator, operand } => {
            write!(out, "({operator} ").unwrap();
            write_word(out, operand);
            out.push(')');
        }
        TestKind::Binary { left, operator, right } => {
            out.push('(');
            write_word(out, left);
            write!(out, " {operator} ").unwrap();
            write_word(out, right);
            out.push(')');
        }
        TestKind::Not(test) => {
            out.push_str("! ");
            write_test(out, test);
        }
        TestKind::And(tests) => list(out, tests, "(and"),
        TestKind::Or(tests) => list(out, tests, "(or"),
        TestKind::Unknown(unknown) => write!(out, "<?{}>", unknown.reason).unwrap(),
    }
}

fn write_words(out: &mut String, words: &[Word<'_>]) {
    for (index, word) in words.iter().enumerate() {
        out.push_str(if index > 0 { " " } else { "" });
        write_word(out, word);
    }
}

fn write_word(out: &mut String, word: &Word<'_>) {
    if word.parts.is_empty() {
        out.push_str("«»");
    }
    write_parts(out, &word.parts);
}

fn write_parts(out: &mut String, parts: &[WordPart<'_>]) {
    for part in parts {
        write_part(out, part);
    }
}

fn write_part(out: &mut String, part: &WordPart<'_>) {
    match &part.kind {
        PartKind::Literal(text) => write_literal(out, text),
        PartKind::SingleQuoted(text) => write!(out, "'{}'", visible(text)).unwrap(),
        PartKind::AnsiQuoted(text) => write!(out, "$'{}'", visible(text)).unwrap(),
        PartKind::DoubleQuoted(parts) => {
            out.push('"');
            write_parts(out, parts);
            out.push('"');
        }
        PartKind::Parameter(parameter) => write_parameter(out, parameter),
        PartKind::Command(substitution) => {
            let (open, close) = match substitution.style {
                SubstitutionStyle::Dollar => ("$(", ")"),
                SubstitutionStyle::Backtick => ("`", "`"),
                SubstitutionStyle::Braces => ("${ ", " }"),
            };
            out.push_str(open);
            write_script(out, &substitution.script);
            out.push_str(close);
        }
        PartKind::Process(substitution) => {
            out.push_str(match substitution.direction {
                ProcessDirection::Read => "<(",
                ProcessDirection::Write => ">(",
                ProcessDirection::ReadFile => "=(",
            });
            write_script(out, &substitution.script);
            out.push(')');
        }
        PartKind::Arithmetic(word) => {
            out.push_str("$[");
            write_word(out, word);
            out.push(']');
        }
        PartKind::Tilde(user) => write!(out, "~{user}").unwrap(),
        PartKind::Brace(brace) => match &**brace {
            Brace::List(words) => {
                out.push('{');
                for (index, word) in words.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    write_parts(out, &word.parts);
                }
                out.push('}');
            }
            Brace::Range { from, to, step } => {
                write!(out, "{{{from}..{to}").unwrap();
                if let Some(step) = step {
                    write!(out, "..{step}").unwrap();
                }
                out.push('}');
            }
        },
        PartKind::Glob(Glob::Any) => out.push('*'),
        PartKind::Glob(Glob::One) => out.push('?'),
        PartKind::Glob(Glob::Class(parts)) => {
            out.push('[');
            write_parts(out, parts);
            out.push(']');
        }
        PartKind::Glob(Glob::Group { operator, alternatives }) => {
            write!(out, "{operator}(").unwrap();
            for (index, word) in alternatives.iter().enumerate() {
                out.push_str(if index > 0 { "|" } else { "" });
                write_parts(out, &word.parts);
            }
            out.push(')');
        }
        PartKind::Array(elements) => {
            out.push('(');
            for (index, element) in elements.iter().enumerate() {
                out.push_str(if index > 0 { " " } else { "" });
                if let Some(subscript) = &element.subscript {
                    out.push('[');
                    write_word(out, subscript);
                    out.push_str(if element.append { "]+=" } else { "]=" });
                }
                write_word(out, &element.value);
            }
            out.push(')');
        }
        PartKind::Unknown(unknown) => write!(out, "<?{}>", unknown.reason).unwrap(),
    }
}

fn write_parameter(out: &mut String, parameter: &Parameter<'_>) {
    if parameter.operator == ParameterOperator::None && parameter.subscript.is_none() && !parameter.indirect {
        write!(out, "${{{}}}", parameter.name).unwrap();
        return;
    }
    out.push_str("${");
    out.push_str(if parameter.indirect { "indirect " } else { "" });
    out.push_str(&parameter.name);
    if let Some(subscript) = &parameter.subscript {
        out.push('[');
        write_word(out, subscript);
        out.push(']');
    }
    write_operator(out, &parameter.operator);
    out.push('}');
}

fn write_operator(out: &mut String, operator: &ParameterOperator<'_>) {
    let mut named = |name: &str, words: &[&Word<'_>]| {
        write!(out, " {name}").unwrap();
        for word in words {
            out.push(' ');
            write_word(out, word);
        }
    };
    match operator {
        ParameterOperator::None => {}
        ParameterOperator::Length => named("length", &[]),
        ParameterOperator::Default { action, or_empty, word } => {
            let sign = match action {
                DefaultAction::Use => "-",
                DefaultAction::Assign => "=",
                DefaultAction::Fail => "?",
                DefaultAction::Alternative => "+",
            };
            named(&format!("{}{sign}", if *or_empty { ":" } else { "" }), &[word]);
        }
        ParameterOperator::Substring { offset, length: Some(length) } => named("substring", &[offset, length]),
        ParameterOperator::Substring { offset, length: None } => named("substring", &[offset]),
        ParameterOperator::RemovePrefix { longest, pattern } => named(if *longest { "##" } else { "#" }, &[pattern]),
        ParameterOperator::RemoveSuffix { longest, pattern } => named(if *longest { "%%" } else { "%" }, &[pattern]),
        ParameterOperator::Replace { matches, pattern, replacement } => {
            let name = match matches {
                ReplaceMatches::First => "replace",
                ReplaceMatches::All => "replace-all",
                ReplaceMatches::Prefix => "replace-prefix",
                ReplaceMatches::Suffix => "replace-suffix",
            };
            match replacement {
                Some(replacement) => named(name, &[pattern, replacement]),
                None => named(name, &[pattern]),
            }
        }
        ParameterOperator::ChangeCase { case, all, pattern } => {
            let name = match case {
                LetterCase::Upper => "upper",
                LetterCase::Lower => "lower",
                LetterCase::Toggled => "toggle",
            };
            named(&format!("{name}{}", if *all { "-all" } else { "" }), &[pattern]);
        }
        ParameterOperator::Transform(letter) => named(&format!("@{letter}"), &[]),
        ParameterOperator::Names => named("names", &[]),
        ParameterOperator::Keys => named("keys", &[]),
    }
}

fn write_literal(out: &mut String, text: &str) {
    let bare = |c: char| c.is_alphanumeric() || "_./:+-%,=^@".contains(c);
    if !text.is_empty() && text.chars().all(bare) {
        out.push_str(text);
    } else {
        write!(out, "«{}»", visible(text)).unwrap();
    }
}

fn visible(text: &str) -> String {
    text.chars()
        .flat_map(|c| match c {
            '\n' => "⏎".chars().collect::<Vec<_>>(),
            '\t' => "⇥".chars().collect(),
            c if c.is_control() => c.escape_unicode().collect(),
            c => vec![c],
        })
        .collect()
}
