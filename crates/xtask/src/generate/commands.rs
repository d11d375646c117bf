//! The reference of the command line: what the real program says when it is asked for help, command by command.

use super::Generated;
use std::fmt::Write;
use std::io;
use std::path::Path;
use std::process::Command;

pub(super) fn page() -> io::Result<Generated> {
    let program = crate::cargo::build_hookrail()?;
    let mut text = format!("{}\n\n# Commands\n\n", super::WRITTEN_BY_GENERATE);
    text.push_str(
        "What `hookrail --help` and the help of every command say. Each says at its end whether it only reads or what it \
         changes.\n\n",
    );
    describe(&program, &[], &mut text)?;
    Ok(Generated { path: "docs/src/reference/commands.md".to_owned(), content: text })
}

/// The help of a command, and of the commands below it.
fn describe(program: &Path, command: &[String], text: &mut String) -> io::Result<()> {
    let help = help(program, command)?;
    if !command.is_empty() {
        let _ = writeln!(text, "{} `hookrail {}`\n", "#".repeat(command.len() + 1), command.join(" "));
    }
    let _ = writeln!(text, "```text\n{help}\n```\n");
    for name in subcommands(&help) {
        describe(program, &[command, &[name]].concat(), text)?;
    }
    Ok(())
}

fn help(program: &Path, command: &[String]) -> io::Result<String> {
    let output =
        Command::new(program).args(command).arg("--help").env("NO_COLOR", "1").env("COLUMNS", "100").output()?;
    if !output.status.success() {
        return Err(io::Error::other(format!("`hookrail {} --help` failed", command.join(" "))));
    }
    let lines: Vec<String> =
        String::from_utf8_lossy(&output.stdout).lines().map(|line| line.trim_end().to_owned()).collect();
    Ok(lines.join("\n").trim().to_owned())
}

/// The commands a help text lists, without the one that only repeats help.
fn subcommands(help: &str) -> Vec<String> {
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = list.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_from_the_list_and_from_nowhere_else() {
        let help = "About\n\nUsage: x <COMMAND>\n\nCommands:\n  fsm   Look\n  log   Show\n          what\n  help  Print\n\nOptions:\n  -h  Print\n";
        assert_eq!(subcommands(help), ["fsm", "log"]);
        assert_eq!(subcommands("Usage: x\n"), Vec::<String>::new());
    }
}
