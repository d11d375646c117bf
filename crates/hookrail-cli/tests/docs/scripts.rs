//! Scripts in pages: their syntax, and the commands of hookrail they call.

use crate::Verdict;
use hookrail_testkit::markdown::Block;
use std::io::Write;
use std::process::{Command, Stdio};

pub fn check_shell(block: &Block) -> Verdict {
    check_syntax("bash", &["-n"], &block.code)?;
    block.code.lines().filter_map(|line| line.trim_start().strip_prefix("hookrail ")).try_for_each(check_command)
}

pub fn check_python(block: &Block) -> Verdict {
    check_syntax("python3", &["-c", "import ast, sys; ast.parse(sys.stdin.read())"], &block.code)
}

pub fn check_javascript(block: &Block) -> Verdict {
    check_syntax("node", &["--input-type=module", "--check", "-"], &block.code)
}

/// What is not code must not look like code, because it would not be run.
pub fn check_text(block: &Block) -> Verdict {
    let is_command = |line: &&str| ["$ ", "hookrail ", "cargo "].iter().any(|start| line.starts_with(start));
    match block.code.lines().find(is_command) {
        Some(line) => Err(format!("`{line}` is a command\nhint: make it a `console` or `sh` block")),
        None => Ok(()),
    }
}

/// Whether blocks of a language can be checked on this machine.
pub fn is_there(language: &str) -> bool {
    match language {
        "sh" | "bash" => has_tool("bash"),
        "python" => has_tool("python3"),
        "js" => has_tool("node"),
        _ => true,
    }
}

/// Whether the machine has a program. Where `HOOKRAIL_TEST_TOOLS=required` it must.
pub fn has_tool(tool: &str) -> bool {
    let asked = Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let found = asked.is_ok_and(|status| status.success());
    let required = std::env::var_os("HOOKRAIL_TEST_TOOLS").is_some_and(|value| value == "required");
    assert!(found || !required, "there is no {tool}");
    found
}

fn check_syntax(tool: &str, args: &[&str], code: &str) -> Verdict {
    if !has_tool(tool) {
        eprintln!("not checked: there is no {tool}");
        return Ok(());
    }
    let mut child = Command::new(tool)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    child.stdin.take().expect("a pipe").write_all(code.as_bytes()).map_err(|error| error.to_string())?;
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()) }
}

/// A command line exists: its words lead to a command whose help mentions its flags.
fn check_command(line: &str) -> Verdict {
    let line = line.split(" #").next().unwrap_or_default();
    let words: Vec<&str> =
        line.split_whitespace().take_while(|word| !matches!(*word, "|" | ">" | "<" | "&&" | "--")).collect();
    let mut command: Vec<&str> = Vec::new();
    let mut help = help_of(&command)?;
    for word in words.iter().take_while(|word| !word.starts_with(['-', '['])) {
        if !lists_command(&help, word) {
            break;
        }
        command.push(word);
        help = help_of(&command)?;
    }
    if command.is_empty() && words.first().is_some_and(|word| !word.starts_with('-')) {
        return Err(format!("hookrail has no command `{}`", words.first().unwrap_or(&"")));
    }
    let flags = words.iter().map(|word| word.trim_matches(['[', ']', '.'])).filter(|word| word.starts_with("--"));
    let unknown = flags.map(|word| word.split('=').next().unwrap_or(word)).find(|flag| !help.contains(flag));
    unknown.map_or(Ok(()), |flag| Err(format!("`hookrail {}` has no `{flag}`", command.join(" "))))
}

fn help_of(command: &[&str]) -> Result<String, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_hookrail")).args(command).arg("--help").output();
    let output = output.map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn lists_command(help: &str, name: &str) -> bool {
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    list.filter_map(|line| line.split_whitespace().next()).any(|listed| listed == name)
}
