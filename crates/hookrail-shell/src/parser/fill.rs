//! Puts the bodies of here-documents into the finished tree.

use super::here_document::BODY_NUMBER;
use crate::ast::{
    Brace, Command, CommandKind, Glob, Parameter, ParameterOperator, PartKind, Redirect, RedirectTarget, Script, Test,
    TestKind, Word, WordPart,
};

/// The bodies, by number. Each is taken once.
type Bodies<'a> = Vec<Word<'a>>;

pub(super) fn fill_script<'a>(script: &mut Script<'a>, bodies: &mut Bodies<'a>) {
    for item in &mut script.items {
        let pipelines = std::iter::once(&mut item.first).chain(item.rest.iter_mut().map(|(_, pipeline)| pipeline));
        for command in pipelines.flat_map(|pipeline| &mut pipeline.commands) {
            fill_command(command, bodies);
        }
    }
}

fn fill_command<'a>(command: &mut Command<'a>, bodies: &mut Bodies<'a>) {
    for redirect in &mut command.redirects {
        fill_redirect(redirect, bodies);
    }
    match &mut command.kind {
        CommandKind::Simple(simple) => {
            for assignment in &mut simple.assignments {
                assignment.subscript.iter_mut().for_each(|word| fill_word(word, bodies));
                fill_word(&mut assignment.value, bodies);
            }
            fill_words(&mut simple.words, bodies);
        }
        CommandKind::Group(script) | CommandKind::Subshell(script) => fill_script(script, bodies),
        CommandKind::If(node) => {
            for branch in &mut node.branches {
                fill_script(&mut branch.condition, bodies);
                fill_script(&mut branch.body, bodies);
            }
            node.otherwise.iter_mut().for_each(|script| fill_script(script, bodies));
        }
        CommandKind::Loop(node) => {
            fill_script(&mut node.condition, bodies);
            fill_script(&mut node.body, bodies);
        }
        CommandKind::For(node) => {
            node.words.iter_mut().for_each(|words| fill_words(words, bodies));
            fill_script(&mut node.body, bodies);
        }
        CommandKind::ArithmeticFor(node) => {
            [&mut node.initial, &mut node.condition, &mut node.step]
                .into_iter()
                .for_each(|word| fill_word(word, bodies));
            fill_script(&mut node.body, bodies);
        }
        CommandKind::Case(node) => {
            fill_word(&mut node.word, bodies);
            for arm in &mut node.arms {
                fill_words(&mut arm.patterns, bodies);
                fill_script(&mut arm.body, bodies);
            }
        }
        CommandKind::Arithmetic(word) => fill_word(word, bodies),
        CommandKind::Test(test) => fill_test(test, bodies),
        CommandKind::Function(function) => fill_command(&mut function.body, bodies),
        CommandKind::Coproc(coproc) => fill_command(&mut coproc.command, bodies),
        CommandKind::Unknown(_) => {}
    }
}

fn fill_redirect<'a>(redirect: &mut Redirect<'a>, bodies: &mut Bodies<'a>) {
    match &mut redirect.target {
        RedirectTarget::Word(word) => fill_word(word, bodies),
        RedirectTarget::HereDocument(document) if document.body.span.start == BODY_NUMBER => {
            let body = bodies.get_mut(document.body.span.end).map(std::mem::take).unwrap_or_default();
            document.body = body;
            fill_word(&mut document.body, bodies);
        }
        RedirectTarget::HereDocument(_) => {}
    }
}

fn fill_test<'a>(test: &mut Test<'a>, bodies: &mut Bodies<'a>) {
    match &mut test.kind {
        TestKind::Word(word) | TestKind::Unary { operand: word, .. } => fill_word(word, bodies),
        TestKind::Binary { left, right, .. } => {
            fill_word(left, bodies);
            fill_word(right, bodies);
        }
        TestKind::Not(inner) => fill_test(inner, bodies),
        TestKind::And(tests) | TestKind::Or(tests) => tests.iter_mut().for_each(|test| fill_test(test, bodies)),
        TestKind::Unknown(_) => {}
    }
}

fn fill_words<'a>(words: &mut [Word<'a>], bodies: &mut Bodies<'a>) {
    words.iter_mut().for_each(|word| fill_word(word, bodies));
}

fn fill_word<'a>(word: &mut Word<'a>, bodies: &mut Bodies<'a>) {
    fill_parts(&mut word.parts, bodies);
}

fn fill_parts<'a>(parts: &mut [WordPart<'a>], bodies: &mut Bodies<'a>) {
    for part in parts {
        match &mut part.kind {
            PartKind::Literal(_)
            | PartKind::SingleQuoted(_)
            | PartKind::AnsiQuoted(_)
            | PartKind::Tilde(_)
            | PartKind::Unknown(_)
            | PartKind::Glob(Glob::Any | Glob::One) => {}
            PartKind::DoubleQuoted(parts) | PartKind::Glob(Glob::Class(parts)) => fill_parts(parts, bodies),
            PartKind::Parameter(parameter) => fill_parameter(parameter, bodies),
            PartKind::Command(substitution) => fill_script(&mut substitution.script, bodies),
            PartKind::Process(substitution) => fill_script(&mut substitution.script, bodies),
            PartKind::Arithmetic(word) => fill_word(word, bodies),
            PartKind::Brace(brace) => {
                if let Brace::List(words) = &mut **brace {
                    fill_words(words, bodies);
                }
            }
            PartKind::Glob(Glob::Group { alternatives, .. }) => fill_words(alternatives, bodies),
            PartKind::Array(elements) => {
                for element in elements {
                    element.subscript.iter_mut().for_each(|word| fill_word(word, bodies));
                    fill_word(&mut element.value, bodies);
                }
            }
        }
    }
}

fn fill_parameter<'a>(parameter: &mut Parameter<'a>, bodies: &mut Bodies<'a>) {
    parameter.subscript.iter_mut().for_each(|word| fill_word(word, bodies));
    match &mut parameter.operator {
        ParameterOperator::None
        | ParameterOperator::Length
        | ParameterOperator::Transform(_)
        | ParameterOperator::Names
        | ParameterOperator::Keys => {}
        ParameterOperator::Default { word, .. }
        | ParameterOperator::RemovePrefix { pattern: word, .. }
        | ParameterOperator::RemoveSuffix { pattern: word, .. }
        | ParameterOperator::ChangeCase { pattern: word, .. } => fill_word(word, bodies),
        ParameterOperator::Substring { offset, length } => {
            fill_word(offset, bodies);
            length.iter_mut().for_each(|word| fill_word(word, bodies));
        }
        ParameterOperator::Replace { pattern, replacement, .. } => {
            fill_word(pattern, bodies);
            replacement.iter_mut().for_each(|word| fill_word(word, bodies));
        }
    }
}
