//! How a command gets the very bytes that were checked.
//!
//! Whoever hashes a file and then starts it by its name has opened it twice, and it may be another one the second time. So
//! what was read is put into a file in memory that cannot be changed any more, and the command is told to run that:
//!
//! ```text
//! sh hooks/check.sh --all        sh -c '. /dev/fd/7' hooks/check.sh --all
//! ./hooks/check.py               /usr/bin/env python3 -c '… exec(/dev/fd/7) …' ./hooks/check.py
//! ```
//!
//! The word that names the script stays, because scripts look at their own name to find their neighbours. Where that is not
//! enough (`BASH_SOURCE`, modules of JavaScript, programs, interpreters we do not know) the command keeps the path, and the
//! file is watched while it runs.

use super::imports::Language;
use super::scripts::FoundScripts;
use hookrail_shell::Node;
use hookrail_shell::ast::{CommandKind, SimpleCommand, Word};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A larger script keeps its path.
const MAX_COPIED: usize = 1 << 20;

/// Makes a module's name and place what they would be; `N` is the descriptor.
const PYTHON: &str = r#"import os,sys;sys.argv=sys.argv[1:];__file__=os.path.abspath(sys.argv[0])
if sys.path and sys.path[0]=="":sys.path[0]=os.path.dirname(os.path.realpath(__file__))
with open("/dev/fd/N","rb") as f:f=f.read()
exec(compile(f,__file__,"exec"))"#;
const NODE: &str = r##"const M=require("module"),P=require("path"),f=P.resolve(process.argv[1]);process.argv[1]=f;
const m=new M(".",null);m.filename=f;m.paths=M._nodeModulePaths(P.dirname(f));process.mainModule=m;M._cache[f]=m;
m._compile(require("fs").readFileSync("/dev/fd/N","utf8").replace(/^#!/,"//"),f);m.loaded=true"##;

/// A command that runs what was checked.
#[derive(Debug, Default)]
pub(super) struct CheckedCommand {
    pub command: String,
    /// What the command refers to by number. Commands inherit them.
    pub inherited: Vec<Arc<File>>,
    /// Files of which the command opens nothing by path.
    pub settled: BTreeSet<PathBuf>,
}

/// A change of the command's text.
struct Edit {
    from: usize,
    to: usize,
    text: String,
}

pub(super) fn hand_over(found: &FoundScripts) -> CheckedCommand {
    let mut handed = CheckedCommand { command: found.command.clone(), ..CheckedCommand::default() };
    let mut edits = Vec::new();
    let mut kept = BTreeSet::new();
    // Backticks read their text twice.
    if !found.command.contains('`') {
        hookrail_shell::parse(&found.command).for_each(|node| {
            if let Node::Command(command) = node
                && let CommandKind::Simple(simple) = &command.kind
            {
                edits.extend(handed.edit(simple, found, &mut kept));
            }
        });
    }
    let mut edited = BTreeSet::new();
    edits.sort_by_key(|(edit, _)| std::cmp::Reverse(edit.from));
    for (edit, path) in edits {
        handed.command.replace_range(edit.from..edit.to, &edit.text);
        edited.insert((edit.from, path));
    }
    let all = |path: &PathBuf| {
        let named = found.named.iter().filter(|(_, named)| named == path);
        !found.brought_in.contains(path) && named.clone().all(|(span, _)| edited.contains(&(span.start, path.clone())))
    };
    let settled = found.named.iter().map(|(_, path)| path).filter(|path| all(path) && !kept.contains(*path));
    handed.settled = settled.cloned().collect();
    handed
}

impl CheckedCommand {
    /// What has to change for a simple command to get a script by number.
    fn edit(
        &mut self,
        simple: &SimpleCommand<'_>,
        found: &FoundScripts,
        kept: &mut BTreeSet<PathBuf>,
    ) -> Option<(Edit, PathBuf)> {
        let word_of = |(span, path): &(hookrail_effects::Span, PathBuf)| {
            let index = simple.words.iter().position(|word| word.span == *span)?;
            Some((index, path.clone()))
        };
        let (index, path) = found.named.iter().find_map(word_of)?;
        let content = found.contents.get(&path).filter(|content| content.len() <= MAX_COPIED)?;
        let word = simple.words.get(index)?;
        let start = Start::of(simple, index, &path, content)?;
        let text = String::from_utf8_lossy(content);
        if !start.keeps_meaning(&text) {
            return None;
        }
        let number = self.copy(content)?;
        if start.looks_at_itself(&text) {
            kept.insert(path.clone());
        }
        let edit = match start {
            Start::Sourced => Edit { from: word.span.start, to: word.span.end, text: format!("/dev/fd/{number}") },
            Start::Interpreted { before, program } => {
                let text = format!("{before}{} ", program.code(number));
                Edit { from: word.span.start, to: word.span.start, text }
            }
        };
        Some((edit, path))
    }

    /// Puts bytes where they cannot be changed; returns the descriptor by which a command finds them.
    fn copy(&mut self, content: &[u8]) -> Option<i32> {
        let copy = memfd_create("hookrail-script", MemfdFlags::ALLOW_SEALING).ok()?;
        // The streams of a command take the first three numbers.
        let number = Some(copy.as_raw_fd()).filter(|number| *number > 2)?;
        let mut file = File::from(copy);
        file.write_all(content).ok()?;
        let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
        fcntl_add_seals(&file, seals).ok()?;
        Path::new(&format!("/dev/fd/{number}")).exists().then_some(())?;
        self.inherited.push(Arc::new(file));
        Some(number)
    }
}

/// How a script is started.
enum Start {
    /// `. hooks/a.sh`
    Sourced,
    /// `bash hooks/a.sh`, or `hooks/a.sh` and its first line, which `before` says.
    Interpreted { before: String, program: Program },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Program {
    /// `$0` is an argument of `-c` there.
    PosixShell,
    /// `$0` is the sourced file there.
    OtherShell,
    Python,
    Node,
}

impl Program {
    fn named(name: &str) -> Option<Self> {
        let base = name.rsplit('/').next()?;
        match Language::of_program(base) {
            Language::Shell if matches!(base, "sh" | "bash" | "dash" | "ash") => Some(Self::PosixShell),
            Language::Shell => Some(Self::OtherShell),
            Language::Python => Some(Self::Python),
            Language::JavaScript if matches!(base, "node" | "nodejs") => Some(Self::Node),
            Language::JavaScript | Language::Other => None,
        }
    }

    /// The argument that runs what a descriptor holds.
    fn code(self, number: i32) -> String {
        let with = |code: &str| code.replace("/dev/fd/N", &format!("/dev/fd/{number}"));
        match self {
            Self::PosixShell | Self::OtherShell => format!("-c '. /dev/fd/{number}'"),
            Self::Python => format!("-c '{}'", with(PYTHON)),
            Self::Node => format!("-e '{}' --", with(NODE)),
        }
    }

    /// Whether an option changes nothing about which file is run, and takes no argument.
    fn knows_option(self, option: &str) -> bool {
        let letters = option.strip_prefix('-').unwrap_or_default();
        let only = |known: &str| !letters.is_empty() && letters.chars().all(|letter| known.contains(letter));
        match self {
            Self::PosixShell | Self::OtherShell => only("abefhkmpuvxBCEHPT"),
            Self::Python => only("bBdEIOPqsSuv"),
            Self::Node => option == "--no-warnings",
        }
    }
}

impl Start {
    fn of(simple: &SimpleCommand<'_>, index: usize, path: &Path, content: &[u8]) -> Option<Self> {
        let literals: Vec<_> = simple.words.iter().take(index).map(Word::literal).collect::<Option<_>>()?;
        let words: Vec<&str> = literals.iter().map(|word| &**word).collect();
        match strip_wrappers(&words) {
            [] => Self::by_first_line(path, content),
            ["." | "source"] => Some(Self::Sourced),
            [name, options @ ..] if !name.contains('/') || name.starts_with('/') => {
                let program = Program::named(name)?;
                let known = options.iter().all(|option| program.knows_option(option));
                known.then(|| Self::Interpreted { before: String::new(), program })
            }
            _ => None,
        }
    }

    /// What the kernel, or the shell in its place, makes of a script that is run as a program.
    fn by_first_line(path: &Path, content: &[u8]) -> Option<Self> {
        let is_executable = path.metadata().ok()?.permissions().mode() & 0o111 != 0;
        if !is_executable || content.contains(&0) {
            return None;
        }
        let first = content.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let Some(line) = std::str::from_utf8(first).ok()?.strip_prefix("#!") else {
            return Some(Self::Interpreted { before: "/bin/sh ".to_owned(), program: Program::PosixShell });
        };
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_plain = |word: &&str| word.chars().all(|c| c.is_ascii_alphanumeric() || "/._+-".contains(c));
        if !words.iter().all(is_plain) {
            return None;
        }
        let (before, name, options) = match words.as_slice() {
            [env, "-S", name, options @ ..] if env.ends_with("/env") => (format!("{env} {name}"), *name, options),
            [env, name] if env.ends_with("/env") => (format!("{env} {name}"), *name, &[] as &[&str]),
            [name, options @ ..] if options.len() <= 1 => ((*name).to_owned(), *name, options),
            _ => return None,
        };
        let program = Program::named(name).filter(|program| options.iter().all(|word| program.knows_option(word)))?;
        let is_ours =
            !words.first().is_some_and(|word| word.starts_with('/')) || name.contains('/') && !name.starts_with('/');
        let options: String = options.iter().map(|option| format!(" {option}")).collect();
        (!is_ours).then(|| Self::Interpreted { before: format!("{before}{options} "), program })
    }

    /// Whether a script does the same if it is not opened by its path.
    fn keeps_meaning(&self, text: &str) -> bool {
        let none = |words: &[&str]| !words.iter().any(|word| text.contains(word));
        let bash = ["BASH_SOURCE", "BASH_ARGV0"];
        match self {
            Self::Sourced | Self::Interpreted { program: Program::PosixShell, .. } => none(&bash),
            Self::Interpreted { program: Program::OtherShell, .. } => none(&["$0", "${0", "%x", "$_", ".sh.file"]),
            Self::Interpreted { program: Program::Python, .. } => true,
            Self::Interpreted { program: Program::Node, .. } => is_common_js(text),
        }
    }

    /// Whether a script may open its own file again.
    fn looks_at_itself(&self, text: &str) -> bool {
        let words: &[&str] = match self {
            Self::Sourced => &[],
            Self::Interpreted { program: Program::PosixShell | Program::OtherShell, .. } => &["$0", "${0", "$_"],
            Self::Interpreted { program: Program::Python, .. } => {
                &["__file__", "argv", "inspect", "__main__.", "multiprocessing", "runpy"]
            }
            Self::Interpreted { program: Program::Node, .. } => &["__filename", "argv", "main.filename", "Worker"],
        };
        words.iter().any(|word| text.contains(word))
    }
}

/// Only scripts of the older kind can be given to Node as a text.
fn is_common_js(text: &str) -> bool {
    let is_module = |line: &str| line.starts_with("import ") || line.starts_with("export ");
    text.contains("require(") && !text.contains("import.meta") && !text.lines().any(is_module)
}

/// What is left without programs that start another one and are nothing else.
fn strip_wrappers<'w, 't>(mut words: &'w [&'t str]) -> &'w [&'t str] {
    loop {
        words = match words {
            ["exec" | "command" | "nohup" | "nice" | "setsid", rest @ ..] => rest,
            ["timeout", limit, rest @ ..] if limit.starts_with(|c: char| c.is_ascii_digit()) => rest,
            ["env", rest @ ..] => {
                let assignments = rest.iter().take_while(|word| word.contains('=') && !word.starts_with('-')).count();
                rest.get(assignments..).unwrap_or_default()
            }
            rest => return rest,
        };
    }
}
