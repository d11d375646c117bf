//! How commands end, where they run, and what is never started.

use crate::scene::{check, hook, run, run_many};
use hookrail_engine::runner::process::{CancelToken, Exit, Limits, ProcessSpec, Program, signal_name};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use tempfile::TempDir;

#[test]
fn the_exit_code_is_the_commands_own() {
    for code in [0, 1, 2, 3, 125, 255] {
        check(hook(format!("exit {code}")), Limits::default(), &Exit::Code(code), "", "");
    }
}

#[test]
fn a_death_by_signal_is_no_exit_code() {
    // covers: HOOK-196
    for (number, name) in [(11, "SIGSEGV"), (9, "SIGKILL"), (15, "SIGTERM"), (6, "SIGABRT")] {
        check(
            hook(format!("echo last words; kill -{number} $$")),
            Limits::default(),
            &Exit::Signal(number),
            "last words\n",
            "",
        );
        assert_eq!(signal_name(number), Some(name));
    }
}

#[test]
fn what_the_shell_cannot_run_it_says_itself() {
    let folder = TempDir::new().unwrap();
    let script = folder.path().join("not executable.sh");
    fs::write(&script, "#!/bin/sh\nexit 0\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o644)).unwrap();
    let cases = [
        ("hookrail-no-such-program --flag".to_owned(), 127),
        ("./nowhere/missing.sh".to_owned(), 127),
        ("-x".to_owned(), 127),
        (format!("'{}'", script.display()), 126),
    ];
    for (command, code) in cases {
        let outcome = run(hook(&command), Limits::default());
        assert_eq!(outcome.exit, Exit::Code(code), "{command}");
        assert!(!outcome.stderr.text.is_empty(), "{command}");
    }
}

#[test]
fn what_cannot_be_started_says_why() {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("file"), "").unwrap();
    fs::write(at("script"), "no program at all").unwrap();
    fs::set_permissions(at("script"), fs::Permissions::from_mode(0o755)).unwrap();
    let good = || hook("echo started");
    let program =
        |command: &str, arg: &str| ProcessSpec { program: Program::Executable(vec![arg.to_owned()]), ..hook(command) };
    let nowhere = |program| ProcessSpec { program, env: vec![("PATH".into(), "/nowhere".into())], ..good() };
    let cases = [
        (hook(""), "the command is empty".to_owned()),
        (hook(" \n\t"), "the command is empty".to_owned()),
        (hook("echo \0"), "the command contains a NUL byte".to_owned()),
        (
            ProcessSpec { cwd: at("missing"), ..good() },
            format!(
                "the working directory `{}` cannot be used: No such file or directory (os error 2)",
                at("missing").display()
            ),
        ),
        (
            ProcessSpec { cwd: at("file"), ..good() },
            format!("the working directory `{}` cannot be used: Not a directory (os error 20)", at("file").display()),
        ),
        (
            ProcessSpec { cwd: "/no\nsuch".into(), ..good() },
            "the working directory `/no\\nsuch` cannot be used: No such file or directory (os error 2)".to_owned(),
        ),
        (
            ProcessSpec { env: vec![("A".into(), "\0".into())], ..good() },
            "an environment variable contains a NUL byte".to_owned(),
        ),
        (
            hook(format!(": {}", "x".repeat(4 << 20))),
            "the shell `/bin/sh` cannot be started: Argument list too long (os error 7)".to_owned(),
        ),
        (program("echo", "\0"), "an argument of the command contains a NUL byte".to_owned()),
        (
            program("/no/such\nprogram", ""),
            "the program `/no/such\\nprogram` cannot be started: No such file or directory (os error 2)".to_owned(),
        ),
        (
            program("hookrail-no-such-program", ""),
            "the program `hookrail-no-such-program` cannot be started: No such file or directory (os error 2)"
                .to_owned(),
        ),
        (
            program(at("file").to_str().unwrap(), ""),
            format!("the program `{}` cannot be started: Permission denied (os error 13)", at("file").display()),
        ),
        (
            program(at("script").to_str().unwrap(), ""),
            format!("the program `{}` cannot be started: Exec format error (os error 8)", at("script").display()),
        ),
        (
            nowhere(Program::Bash),
            "the shell `bash` cannot be started: No such file or directory (os error 2)".to_owned(),
        ),
        (
            nowhere(Program::PowerShell),
            "the shell `pwsh` cannot be started: No such file or directory (os error 2)".to_owned(),
        ),
    ];
    for (spec, reason) in cases {
        check(spec, Limits::default(), &Exit::NotStarted(reason), "", "");
    }
}

#[test]
fn any_name_of_a_working_directory_is_just_a_name() {
    let folder = TempDir::new().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for name in
        ["with space", "quote's", "double\"quote", "$(touch pwned)", "`touch pwned`", "new\nline", "-dash", "ünï€", "*"]
    {
        let cwd = root.join(name);
        fs::create_dir(&cwd).unwrap();
        let stdout = format!("{}\n", cwd.display());
        check(ProcessSpec { cwd: cwd.clone(), ..hook("pwd -P") }, Limits::default(), &Exit::Code(0), &stdout, "");
        assert_eq!(fs::read_dir(&cwd).unwrap().count(), 0, "{name}");
    }
}

#[test]
fn variables_are_set_on_top_of_the_inherited_environment() {
    let env = vec![("HOOK_TEXT".into(), "two\nlines '$(x)'".into()), ("HOME".into(), "/elsewhere".into())];
    let spec = ProcessSpec { env, ..hook("printf %s \"$HOOK_TEXT|$HOME|${PATH:+inherited}|${HOOKRAIL_RUN:+marked}\"") };
    check(spec, Limits::default(), &Exit::Code(0), "two\nlines '$(x)'|/elsewhere|inherited|marked", "");
}

#[test]
fn commands_run_at_the_same_time_and_answer_in_their_own_order() {
    let folder = TempDir::new().unwrap();
    // Each waits for all others to be there: one after the other, none would ever end. The last ends first.
    let specs: Vec<ProcessSpec> = (0..5)
        .map(|number| {
            let after = if number == 4 { "here.0".to_owned() } else { format!("done.{}", number + 1) };
            let wait = "while [ \"$(ls here.* | wc -l)\" -lt 5 ] || [ ! -e $after ]; do sleep 0.01; done";
            let command = format!(
                "after={after}; touch here.{number}; {wait}; echo {number}; touch done.{number}; exit {number}"
            );
            ProcessSpec { cwd: folder.path().to_owned(), ..hook(command) }
        })
        .collect();
    let outcomes = run_many(specs, Limits::default(), CancelToken::new());
    let seen: Vec<_> = outcomes.iter().map(|outcome| (outcome.exit.clone(), outcome.stdout.text.clone())).collect();
    let expected: Vec<_> = (0..5).map(|number| (Exit::Code(number), format!("{number}\n"))).collect();
    assert_eq!(seen, expected);
}

#[test]
fn no_commands_have_no_outcomes() {
    assert!(run_many(Vec::new(), Limits::default(), CancelToken::new()).is_empty());
}
