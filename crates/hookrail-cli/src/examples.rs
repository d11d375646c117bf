//! Two examples or more for every command, shown at the end of its help and its manual page.

/// The words of a command, and command lines with what each of them does. A test parses every one of them.
pub const EXAMPLES: &[(&str, &[(&str, &str)])] = &[
    (
        "",
        &[
            ("hookrail demo", "a session with a real agent, real hooks and a scripted model"),
            ("hookrail try \"rm -rf ~\"", "what a call would do, and what hooks would decide about it"),
        ],
    ),
    (
        "allow",
        &[
            ("hookrail allow last", "except the newest refused call, as narrowly as possible"),
            ("hookrail allow 4711 --until 2027-12-31 --reason \"release week\"", "until a day, with a reason"),
            ("hookrail allow last --once", "the next time only"),
        ],
    ),
    (
        "backtest",
        &[
            ("hookrail backtest --since 30d --html report.html", "the last month, as a page"),
            (
                "hookrail backtest --config strict.toml --diff relaxed.toml --fail-on 'false-deny>1%'",
                "compare two configurations; exit with 3 if too much is refused",
            ),
            (
                "hookrail backtest --fleet --since 7d --config policy/hookrail.toml --fail-on 'deny>2%'",
                "what a policy would have done on all machines",
            ),
        ],
    ),
    (
        "completions",
        &[
            ("hookrail completions bash > ~/.local/share/bash-completion/completions/hookrail", "for bash"),
            ("hookrail completions zsh > ~/.zfunc/_hookrail", "for zsh"),
        ],
    ),
    (
        "demo",
        &[
            ("hookrail demo", "with pauses for reading"),
            ("hookrail demo --fast --keep", "without pauses; keep the project and its journal"),
        ],
    ),
    (
        "doctor",
        &[
            ("hookrail doctor", "what is in place, and what to do about the rest"),
            ("hookrail doctor --fix", "repair what can be repaired"),
        ],
    ),
    (
        "explain",
        &[
            ("hookrail explain < event.json", "an event as an agent sends it"),
            ("hookrail explain --config new.toml --json < event.json", "under another configuration, as JSON"),
        ],
    ),
    (
        "fleet",
        &[
            ("hookrail fleet migrate --database postgres://hookrail@db.example/hookrail", "set up the database"),
            ("hookrail fleet status", "which machines report, and which have gaps"),
        ],
    ),
    (
        "fleet migrate",
        &[
            ("hookrail fleet migrate", "the database of your hookrail.toml"),
            ("hookrail fleet migrate --database postgres://hookrail@db.example/hookrail", "another one"),
        ],
    ),
    (
        "fleet retain",
        &[
            ("hookrail fleet retain 90", "drop records older than 90 days"),
            ("hookrail fleet retain 365 --json", "a year; print what was dropped as JSON"),
        ],
    ),
    (
        "fleet status",
        &[("hookrail fleet status", "every machine"), ("hookrail fleet status --json", "the same as JSON")],
    ),
    (
        "fsm",
        &[
            ("hookrail fsm check .claude/skills", "find mistakes in task lists"),
            ("hookrail fsm graph fsm.json", "print which task waits for which"),
        ],
    ),
    (
        "fsm check",
        &[
            ("hookrail fsm check", "every fsm.json below this folder"),
            ("hookrail fsm check .claude/skills/release/fsm.json --json", "one file, as JSON"),
        ],
    ),
    (
        "fsm graph",
        &[
            ("hookrail fsm graph fsm.json", "as text"),
            ("hookrail fsm graph fsm.json --format mermaid", "as a Mermaid diagram"),
        ],
    ),
    (
        "hook",
        &[
            ("hookrail hook --agent claude < event.json", "every enabled hook"),
            ("hookrail hook --agent claude --pack core < event.json", "the hooks of one pack"),
        ],
    ),
    (
        "init",
        &[
            ("hookrail init", "answer a few questions"),
            ("hookrail init --yes --scope user", "the defaults, for all your projects"),
            ("hookrail init --level strict --protect 'migrations/**'", "stricter, with protected paths"),
        ],
    ),
    (
        "install",
        &[
            ("hookrail install claude", "into your settings of Claude Code"),
            ("hookrail install codex gemini --scope project --dry-run", "show what would change in this project"),
        ],
    ),
    (
        "list",
        &[
            ("hookrail list", "every pack, and the hooks of those that are on"),
            ("hookrail list planning --agent gemini", "one pack, with the agent's names of events"),
        ],
    ),
    (
        "log",
        &[
            ("hookrail log --decision deny --since 7d", "what was denied in the last week"),
            ("hookrail log --follow", "records as they are written"),
            ("hookrail log --verify", "whether the journal is as it was written"),
        ],
    ),
    (
        "man",
        &[
            ("hookrail man log | man -l -", "read one page"),
            ("hookrail man --out ~/.local/share/man/man1", "install every page"),
        ],
    ),
    (
        "orchestrator",
        &[
            ("hookrail orchestrator begin --plan plan.md --team red", "before the team is created"),
            ("hookrail orchestrator end", "after the team is gone"),
        ],
    ),
    (
        "orchestrator begin",
        &[
            ("hookrail orchestrator begin --plan plan.md --team red", "one worktree: this folder"),
            (
                "hookrail orchestrator begin --plan plan.md --team red --worktree api=../api --worktree web=../web",
                "a worktree for each service",
            ),
        ],
    ),
    (
        "orchestrator status",
        &[
            ("hookrail orchestrator status", "the active plan and its progress"),
            ("hookrail orchestrator status --json", "the same as JSON"),
        ],
    ),
    (
        "orchestrator end",
        &[
            ("hookrail orchestrator end", "whichever team is active"),
            ("hookrail orchestrator end --team red", "only if this team is active"),
        ],
    ),
    (
        "policy",
        &[
            ("hookrail policy pack policy --key policy.key", "sign a folder with a hookrail.toml"),
            (
                "hookrail policy pull https://example.com/policy.json --key policy.key.pub",
                "put a signed policy in force",
            ),
        ],
    ),
    (
        "policy keygen",
        &[
            ("HOOKRAIL_POLICY_PASSWORD=… hookrail policy keygen policy.key", "a key with a password"),
            ("hookrail policy keygen ci.key --no-password", "for a machine that signs by itself"),
        ],
    ),
    (
        "policy pack",
        &[
            ("hookrail policy pack policy --key policy.key", "named after its name and serial number"),
            ("hookrail policy pack policy --key policy.key -o dist/policy.json", "into a file of your choice"),
        ],
    ),
    (
        "policy pull",
        &[
            ("hookrail policy pull policy.json --key policy.key.pub", "from a file; the key is pinned the first time"),
            ("hookrail policy pull git+https://example.com/policies.git#team.json", "from a git repository"),
        ],
    ),
    (
        "policy status",
        &[
            ("hookrail policy status", "the policy in force on this machine"),
            ("hookrail policy status --root /mnt/image --json", "of a machine image, as JSON"),
        ],
    ),
    (
        "policy rollback",
        &[
            ("hookrail policy rollback", "back to the policy before"),
            ("hookrail policy rollback --json", "the same; print it as JSON"),
        ],
    ),
    (
        "replay",
        &[
            ("hookrail replay --config new.toml --since 7d", "what another configuration would decide"),
            ("hookrail replay --session 5f3c --html report.html", "one session, as a page"),
        ],
    ),
    (
        "rules",
        &[
            ("hookrail rules", "every rule in force, with what it did"),
            ("hookrail rules show safety/force-push", "one rule in full"),
        ],
    ),
    (
        "rules check",
        &[
            ("hookrail rules check", "the rules of every layer, with their examples"),
            ("hookrail rules check team.toml --json", "a file, as JSON"),
        ],
    ),
    (
        "rules import",
        &[
            ("hookrail rules import claude", "print the rules of Claude Code's permission lists"),
            ("hookrail rules import --write --scope project", "add the rules of every agent to the project"),
        ],
    ),
    (
        "rules show",
        &[
            ("hookrail rules show safety/force-push", "a rule of pack safety, or your own"),
            ("hookrail rules show safety/force-push --json", "the same as JSON"),
        ],
    ),
    (
        "schema",
        &[
            ("hookrail schema > hookrail.schema.json", "of hookrail.toml, for your editor"),
            ("hookrail schema input", "of what command hooks read on stdin"),
        ],
    ),
    (
        "self",
        &[
            ("hookrail self version", "version, target, where it lies and what installed it"),
            ("hookrail self version --check", "whether there is a newer version"),
        ],
    ),
    (
        "self version",
        &[
            ("hookrail self version", "without a network"),
            ("hookrail self version --check", "ask the project's releases; exit with 3 if there is a newer one"),
            (
                "hookrail self version --check --url https://mirror.example.com/hookrail-version.json",
                "ask a mirror instead",
            ),
        ],
    ),
    (
        "serve",
        &[
            ("hookrail serve --stdio", "JSON-RPC on stdin and stdout, for a program that is an agent"),
            ("hookrail serve --stdio < requests.jsonl", "requests from a file, one on each line"),
        ],
    ),
    (
        "stats",
        &[
            ("hookrail stats --since 7d", "what hooks did in the last week"),
            ("hookrail stats --shadow", "what hooks in mode shadow would have decided"),
            ("hookrail stats --svg week.svg --days 7", "a drawing"),
        ],
    ),
    (
        "sync",
        &[
            ("hookrail sync", "send the journal to the database and collector of [fleet]"),
            ("hookrail sync --json", "the same; print what was sent as JSON"),
        ],
    ),
    (
        "test",
        &[
            ("hookrail test --init", "write a first scenario from your journal"),
            ("hookrail test .hookrail/tests --name secrets", "play the scenarios with this word in their name"),
        ],
    ),
    (
        "trust",
        &[
            ("hookrail trust", "look at the commands of this project and approve them"),
            ("hookrail trust --revoke lint", "take an approval back"),
        ],
    ),
    (
        "try",
        &[
            ("hookrail try \"cd .. && rm -rf *\"", "a shell command"),
            (
                "hookrail try --tool Write --input '{\"file_path\": \".env\", \"content\": \"\"}' --agent claude",
                "a call of any other tool",
            ),
        ],
    ),
    (
        "ui",
        &[
            ("hookrail ui", "open the page in your browser"),
            (
                "hookrail ui --no-open --port 7411",
                "print the address only; after `ssh -L 7411:127.0.0.1:7411 HOST` it opens elsewhere",
            ),
            ("hookrail ui --fleet --person ann", "what the agents of one person did on all machines"),
        ],
    ),
    (
        "uninstall",
        &[
            ("hookrail uninstall claude", "from every file that install wrote"),
            ("hookrail uninstall gemini --scope project --dry-run", "show what would change in this project"),
        ],
    ),
    (
        "validate",
        &[
            ("hookrail validate", "the hooks of every agent in this project and in your home"),
            ("hookrail validate .claude/settings.json --strict", "one file; warnings count as errors"),
            ("hookrail validate --explain matcher-never-matches", "what a finding means"),
        ],
    ),
    (
        "verify",
        &[
            ("hookrail verify", "every agent on this machine that can be run without a person"),
            ("hookrail verify gemini --surface stop", "one surface of one agent"),
            ("hookrail verify qwen --keep", "keep the temporary homes, to read what the agent printed"),
        ],
    ),
    (
        "watch",
        &[
            ("hookrail watch", "everything, the newest first"),
            ("hookrail watch --decision deny,ask", "refusals and questions only"),
        ],
    ),
];

/// Adds its examples to a command and to every one below it.
pub fn add(command: clap::Command) -> clap::Command {
    add_below(command, "")
}

fn add_below(command: clap::Command, words: &str) -> clap::Command {
    let names: Vec<String> = command.get_subcommands().map(|below| below.get_name().to_owned()).collect();
    let command = names.into_iter().fold(command, |command, name| {
        let words = format!("{words} {name}").trim().to_owned();
        command.mut_subcommand(name, |below| add_below(below, &words))
    });
    let Some(text) = text_of(words) else { return command };
    let before = command.get_after_help().map(|help| format!("\n\n{help}")).unwrap_or_default();
    command.after_help(format!("{text}{before}"))
}

/// The examples of a command, each above what it does.
pub fn text_of(words: &str) -> Option<String> {
    let (_, examples) = EXAMPLES.iter().find(|(known, _)| *known == words)?;
    let lines: Vec<String> = examples.iter().map(|(line, about)| format!("  {line}\n      {about}")).collect();
    Some(format!("Examples:\n{}", lines.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of a command line as a shell has them, up to a redirection; variables before the command are left out.
    fn words_of(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quote, mut has_word) = (Vec::new(), String::new(), None, false);
        for c in line.chars() {
            match (quote, c) {
                (Some(open), c) if c == open => quote = None,
                (Some(_), c) => word.push(c),
                (None, '\'' | '"') => (quote, has_word) = (Some(c), true),
                (None, '|' | '<' | '>') => break,
                (None, ' ') => {
                    if has_word || !word.is_empty() {
                        words.push(std::mem::take(&mut word));
                    }
                    has_word = false;
                }
                (None, c) => word.push(c),
            }
        }
        if has_word || !word.is_empty() {
            words.push(word);
        }
        words.into_iter().skip_while(|word| word != "hookrail").collect()
    }

    fn every_command(command: &clap::Command, words: &str, found: &mut Vec<String>) {
        found.push(words.to_owned());
        for below in command.get_subcommands().filter(|below| below.get_name() != "help" && !below.is_hide_set()) {
            every_command(below, format!("{words} {}", below.get_name()).trim(), found);
        }
    }

    #[test]
    fn every_command_has_two_examples_which_its_help_shows() {
        let mut command = crate::command().disable_help_subcommand(true);
        command.build();
        let mut all = Vec::new();
        every_command(&command, "", &mut all);
        assert!(all.len() > 40, "{all:?}");
        for words in all {
            let examples = EXAMPLES.iter().find(|(known, _)| *known == words).map_or(&[][..], |(_, examples)| examples);
            assert!(examples.len() >= 2, "`hookrail {words}` has {} examples in examples.rs", examples.len());
            let below = words.split_whitespace().try_fold(&command, |at, word| at.find_subcommand(word)).unwrap();
            let help = below.clone().render_long_help().to_string();
            for (line, about) in examples {
                assert!(
                    help.contains(line) && help.contains(about),
                    "`hookrail {words} --help` has no `{line}`:\n{help}"
                );
            }
        }
    }

    #[test]
    fn every_example_is_a_command_line_of_its_own_command() {
        let command = crate::command();
        let exists = |words: &str| words.split_whitespace().try_fold(&command, |at, word| at.find_subcommand(word));
        for (words, examples) in EXAMPLES.iter().filter(|(words, _)| exists(words).is_some()) {
            for (line, _) in *examples {
                let parsed = crate::command().try_get_matches_from(words_of(line));
                assert!(parsed.is_ok(), "`{line}`: {}", parsed.unwrap_err());
                let named = words_of(line).join(" ");
                assert!(named.starts_with(format!("hookrail {words}").trim()), "`{line}` is listed for `{words}`");
            }
        }
    }
}
