//! Small scripts of interpreters: what they do.
//!
//! A script is cut into tokens ([`lexer`]), parsed into a tree that is the same for every language ([`ast`]), and followed by an
//! abstract interpreter ([`interpreter`]): every branch runs, a value is the set of what it may be, and calls of libraries are
//! looked up in a table ([`call_table`]). A value that cannot be followed is a gap where it is used.

mod acts;
mod arguments;
mod assignments;
mod ast;
pub(crate) mod awk;
mod branches;
mod call_table;
mod collections;
mod definitions;
mod dispatch;
mod expressions;
pub(crate) mod file;
mod functions;
mod imports;
mod interpreter;
mod lexer;
mod library;
mod loops;
mod network;
mod opening;
mod parser;
mod primary;
mod quotes;
mod quotes_by_letter;
mod statements;
pub(crate) mod tcl;
mod texts;
mod value;
mod variables;
mod words;

use crate::act::Act;
use crate::analysis::Analysis;
use crate::effect::{Effect, GapReason};
use crate::flow::{Flow, Taint};
use crate::location::Location;
use crate::shell::Shell;
use hookrail_shell::ast::Span;

/// Languages whose scripts are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Shell,
    Python,
    JavaScript,
    Perl,
    Ruby,
    Php,
    Lua,
    R,
}

/// What an option of an interpreter means for the code that it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodeOption {
    /// The next argument is code.
    Code,
    /// Code begins at this byte of the option itself.
    Attached(usize),
    /// The next argument is a module.
    Module,
    /// The next argument belongs to the option.
    Value,
    /// Nothing runs: a syntax check or a version.
    Check,
    Flag,
    /// It is no option.
    None,
}

/// What an argument of an interpreter is.
pub(crate) fn option(language: Language, text: &str) -> CodeOption {
    if !text.starts_with('-') || text == "-" {
        return CodeOption::None;
    }
    if matches!(text, "--version" | "--help" | "-V" | "--check" | "-h") {
        return CodeOption::Check;
    }
    let last = |letters: &str| {
        !text.starts_with("--") && text.len() < 10 && text.chars().last().is_some_and(|c| letters.contains(c))
    };
    match language {
        Language::Python => match text {
            "-W" | "-X" => CodeOption::Value,
            _ if last("c") => CodeOption::Code,
            _ if text.starts_with("-c") => CodeOption::Attached(2),
            _ if last("m") => CodeOption::Module,
            _ => CodeOption::Flag,
        },
        Language::JavaScript => match text {
            "-e" | "--eval" | "-p" | "--print" | "-pe" => CodeOption::Code,
            "-r" | "--require" | "--import" | "--loader" | "--env-file" => CodeOption::Value,
            "-c" | "-v" => CodeOption::Check,
            _ if text.starts_with("--eval=") => CodeOption::Attached(7),
            _ => CodeOption::Flag,
        },
        Language::Perl | Language::Ruby => match text {
            "-c" => CodeOption::Check,
            "-I" | "-r" => CodeOption::Value,
            "-v" => CodeOption::Check,
            // `-Mautodie` is a module's name.
            _ if text.starts_with("-M") || text.starts_with("-m") => CodeOption::Flag,
            _ if last("eE") => CodeOption::Code,
            _ => CodeOption::Flag,
        },
        Language::Php => match text {
            "-r" | "--run" | "-B" | "-R" => CodeOption::Code,
            "-d" | "-S" | "-t" | "-f" => CodeOption::Value,
            "-l" | "-v" | "-i" | "-m" => CodeOption::Check,
            _ => CodeOption::Flag,
        },
        Language::Lua | Language::R | Language::Shell => match text {
            "-e" => CodeOption::Code,
            "-l" => CodeOption::Value,
            _ => CodeOption::Flag,
        },
    }
}

/// Follows a script.
pub(crate) fn run(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'_>,
    language: Language,
    code: &str,
    span: Span,
    stdin: &Flow,
) -> Flow {
    if language == Language::Shell {
        return crate::shell::run_text(analysis, shell, code, crate::shell::Scope::Child, Some(span), stdin);
    }
    if code.len() > crate::machine::MAX_SCRIPT {
        analysis.gap_in_text(GapReason::OverLimit, span, code, shell.cwd.as_deref());
        return Flow::unknown(Taint::NONE);
    }
    let before = analysis.effects.list.len();
    let cwd = shell.cwd.clone();
    follow(analysis, shell, language, code, span);
    shell.cwd = cwd;
    // A call whose argument the script works out: what it names may be what it changes.
    let open = |effect: &Effect| {
        effect.place == Location::Unknown && (effect.act.changes_path() || effect.act == Act::ExecDynamic)
    };
    if analysis.effects.list.iter().skip(before).any(open) {
        analysis.gap_in_text(GapReason::DynamicCode, span, code, shell.cwd.as_deref());
        crate::shell::gap_in_flow(analysis, shell, stdin, span);
        let arguments = shell.arguments.clone();
        analysis.gap_about(GapReason::DynamicCode, span, &arguments, shell.cwd.as_deref());
    }
    let found = |act: Act| analysis.effects.list.iter().skip(before).any(|effect| effect.is(act));
    let (secret, sends) = (found(Act::SecretRead) || stdin.taint.secret.is_some(), found(Act::NetSend));
    let remote = found(Act::NetFetch);
    // What is evaluated is what was fetched, as far as can be told.
    if found(Act::ExecDynamic) && (remote || ["http://", "https://"].iter().any(|scheme| code.contains(scheme))) {
        analysis.add_target(Act::ExecRemote, None, Location::Remote, span);
    }
    if secret && sends {
        analysis.add_target(Act::SecretSend, None, Location::Remote, span);
    }
    let taint = Taint { secret: secret.then(|| "".into()), remote, ..Taint::NONE };
    // What it prints is made of what it names.
    Flow { origin: Some(code.into()), ..Flow::unknown(taint) }
}

fn follow(analysis: &mut Analysis<'_>, shell: &mut Shell<'_>, language: Language, code: &str, span: Span) {
    let (tree, parsed) = parser::parse(language, code);
    if parsed.cut_off {
        analysis.over_limit(span);
    }
    if parsed.broken {
        analysis.gap(GapReason::Syntax, span);
    }
    analysis.deeper(span, |analysis| {
        let mut interpreter = interpreter::Interpreter::new(analysis, shell, language, span);
        interpreter.changes_data = parsed.changes_data();
        interpreter.run(&tree);
    });
}
