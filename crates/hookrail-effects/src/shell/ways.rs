//! Commands whose words have several possible values: they are followed once for each.

use super::choices::{self, Choice, MAX_VALUES};
use super::{Ending, Shell, ShellState, flow_control};
use crate::analysis::Analysis;
use crate::flow::{Arg, Flow};
use crate::proof::DoubtReason;
use hookrail_shell::ast::{
    Brace, Command, CommandKind, Glob, Item, ParameterOperator, PartKind, RedirectTarget, Script, Span, Test, TestKind,
    Word, WordPart,
};
use std::rc::Rc;

/// The variables with several values that the words of a command use. What is within a compound command is looked at when it runs.
pub(super) fn open_names(shell: &Shell<'_>, command: &Command<'_>) -> Vec<Rc<str>> {
    let mut names = Names { shell, found: Vec::new() };
    for redirect in &command.redirects {
        match &redirect.target {
            RedirectTarget::Word(word) => names.word(word),
            RedirectTarget::HereDocument(document) => names.word(&document.body),
        }
    }
    match &command.kind {
        CommandKind::Simple(simple) => {
            for assignment in &simple.assignments {
                names.word(&assignment.value);
                if assignment.append {
                    names.name(&assignment.name);
                }
            }
            simple.words.iter().for_each(|word| names.word(word));
        }
        CommandKind::For(all) => all.words.iter().flatten().for_each(|word| names.word(word)),
        CommandKind::Case(all) => names.word(&all.word),
        CommandKind::Test(test) => names.test(test),
        _ => {}
    }
    names.found
}

struct Names<'a, 's> {
    shell: &'a Shell<'s>,
    found: Vec<Rc<str>>,
}

impl Names<'_, '_> {
    fn name(&mut self, name: &str) {
        let name = self.shell.referred(name);
        let is_open = matches!(choices::find(&self.shell.variables, name), Some(Choice::Several(_)));
        if is_open && !self.found.iter().any(|known| **known == *name) {
            self.found.push(name.into());
        }
    }

    fn word(&mut self, word: &Word<'_>) {
        word.parts.iter().for_each(|part| self.part(part));
    }

    fn part(&mut self, part: &WordPart<'_>) {
        match &part.kind {
            PartKind::DoubleQuoted(parts) | PartKind::Glob(Glob::Class(parts)) => {
                parts.iter().for_each(|part| self.part(part));
            }
            PartKind::Parameter(parameter) => {
                self.name(&parameter.name);
                parameter.subscript.iter().for_each(|word| self.word(word));
                match &parameter.operator {
                    ParameterOperator::Default { word, .. } => self.word(word),
                    ParameterOperator::RemovePrefix { pattern, .. }
                    | ParameterOperator::RemoveSuffix { pattern, .. } => {
                        self.word(pattern);
                    }
                    ParameterOperator::Replace { pattern, replacement, .. } => {
                        self.word(pattern);
                        replacement.iter().for_each(|word| self.word(word));
                    }
                    _ => {}
                }
            }
            PartKind::Command(substitution) => self.script(&substitution.script),
            PartKind::Process(process) => self.script(&process.script),
            PartKind::Brace(brace) => {
                if let Brace::List(words) = &**brace {
                    words.iter().for_each(|word| self.word(word));
                }
            }
            PartKind::Array(elements) => elements.iter().for_each(|element| self.word(&element.value)),
            PartKind::Glob(Glob::Group { alternatives, .. }) => alternatives.iter().for_each(|word| self.word(word)),
            _ => {}
        }
    }

    /// What a substitution prints depends on what its commands use.
    fn script(&mut self, script: &Script<'_>) {
        for Item { first, rest, .. } in &script.items {
            for pipeline in std::iter::once(first).chain(rest.iter().map(|(_, pipeline)| pipeline)) {
                for command in &pipeline.commands {
                    if let CommandKind::Simple(simple) = &command.kind {
                        simple.words.iter().for_each(|word| self.word(word));
                    }
                }
            }
        }
    }

    fn test(&mut self, test: &Test<'_>) {
        match &test.kind {
            TestKind::Word(word) | TestKind::Unary { operand: word, .. } => self.word(word),
            TestKind::Binary { left, right, .. } => {
                self.word(left);
                self.word(right);
            }
            TestKind::Not(inner) => self.test(inner),
            TestKind::And(tests) | TestKind::Or(tests) => tests.iter().for_each(|test| self.test(test)),
            TestKind::Unknown(_) => {}
        }
    }
}

/// A variable with the value that it has on one way; `None` if it is unset there.
type Given = (Rc<str>, Option<Rc<[Arg]>>);

/// Runs something once for each combination of values. Of names that would make too many nothing is known.
pub(super) fn run_each<'s, 'm>(
    analysis: &mut Analysis<'m>,
    shell: &mut Shell<'s>,
    names: &[Rc<str>],
    mut run: impl FnMut(&mut Analysis<'m>, &mut Shell<'s>) -> Flow,
) -> Flow {
    let mut combinations: Vec<Vec<Given>> = vec![Vec::new()];
    for name in names {
        let Some(Choice::Several(several)) = choices::find(&shell.variables, name) else { continue };
        if combinations.len() * several.all.len() <= MAX_VALUES {
            let longer = |start: &Vec<_>, value: &Option<Rc<[Arg]>>| {
                start.iter().cloned().chain([(Rc::clone(name), value.clone())]).collect::<Vec<_>>()
            };
            combinations = combinations
                .iter()
                .flat_map(|start| several.all.iter().map(move |value| longer(start, value)))
                .collect();
        }
    }
    let starts = combinations.into_iter().map(|values| {
        move |shell: &mut Shell<'s>| {
            for (name, value) in values {
                choices::assign(&mut shell.variables, &name, value.map(Choice::One));
            }
        }
    });
    let starts: Vec<_> = starts.collect();
    run_ways(analysis, shell, starts, |analysis, shell, start| {
        start(shell);
        run(analysis, shell)
    })
}

/// Follows each of several ways from here, and goes on in any state they end in. Their effects are possible, not certain.
pub(super) fn run_ways<'s, 'm, W>(
    analysis: &mut Analysis<'m>,
    shell: &mut Shell<'s>,
    ways: Vec<W>,
    mut run: impl FnMut(&mut Analysis<'m>, &mut Shell<'s>, W) -> Flow,
) -> Flow {
    let several = usize::from(ways.len() > 1);
    if several > 0 {
        analysis.doubt(DoubtReason::Value, "several values", Span::default());
    }
    let start = shell.state();
    let (mut ends, mut failures, mut endings) = (Vec::new(), Vec::<ShellState<'s>>::new(), Vec::new());
    let mut output: Option<Flow> = None;
    analysis.ways += several;
    shell.optional += several;
    for way in ways {
        shell.begin();
        shell.restore(start.clone());
        let flow = run(analysis, shell, way);
        output = Some(match output {
            None => flow,
            Some(known) => known.or(flow),
        });
        let ending = shell.ending.unwrap_or_default();
        endings.push(ending);
        if ending != Ending::Exits {
            let failed = shell.if_failed.take();
            failures.push(failed.map_or_else(|| shell.state(), |failed| *failed));
            ends.push(shell.state());
        }
    }
    analysis.ways -= several;
    shell.optional -= several;
    shell.begin();
    let all_alike = endings.windows(2).all(|two| matches!(two, [one, other] if one == other));
    if ends.is_empty() {
        shell.ending = Some(Ending::Exits);
        return output.unwrap_or_default();
    }
    flow_control::join(shell, ends);
    let failed = failures.into_iter().reduce(ShellState::or);
    shell.if_failed = failed.filter(|failed| *failed != shell.state()).map(Box::new);
    let usually = |expected: bool| endings.iter().all(|ending| ending.expected() == Some(expected));
    shell.ending = match endings.first() {
        Some(ending) if all_alike => Some(*ending),
        _ if usually(true) => Some(Ending::UsuallySucceeds),
        _ if usually(false) => Some(Ending::UsuallyFails),
        _ => None,
    };
    output.unwrap_or_default()
}
