//! `hookrail completions`, asked by a shell.

use std::process::Command;

/// What bash proposes for the last of these words.
fn propose(words: &[&str]) -> Vec<String> {
    let (last, rest) = words.split_last().unwrap();
    let before = rest.last().unwrap();
    let script = format!(
        "source <(\"$HOOKRAIL\" completions bash); COMP_WORDS=({}); COMP_CWORD={}; _hookrail hookrail '{last}' '{before}'; \
         printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        words.join(" "),
        words.len() - 1,
    );
    let output = Command::new("bash").args(["-c", &script]).env("HOOKRAIL", env!("CARGO_BIN_EXE_hookrail")).output();
    String::from_utf8(output.unwrap().stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn a_shell_completes_commands_flags_agents_packs_and_hooks() {
    for (words, expected) in [
        (&["hookrail", "rep"][..], vec!["replay"]),
        (&["hookrail", "fsm", "ch"], vec!["check"]),
        (&["hookrail", "log", "--unt"], vec!["--until"]),
        (&["hookrail", "log", "--decision", "b"], vec!["block"]),
        (&["hookrail", "hook", "--agent", "cl"], vec!["claude", "cline"]),
        (&["hookrail", "hook", "--pack", "orch"], vec!["orchestrator"]),
        (&["hookrail", "hook", "--contr"], vec!["--contract"]),
        (&["hookrail", "hook", "core/ev"], vec!["core/event-log"]),
        (&["hookrail", "completions", "z"], vec!["zsh"]),
    ] {
        assert_eq!(propose(words), expected, "{words:?}");
    }
}
