//! What was checked of a trusted command is what runs, also while its files are being exchanged; and scripts that look for
//! their neighbours by their own name still find them.

use super::trust::TrustProject;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Writes an executable file.
fn script(place: &TrustProject, path: &str, text: &str) {
    place.project.write(path, text);
    fs::set_permissions(place.project.at(path), fs::Permissions::from_mode(0o755)).unwrap();
}

fn trusted(command: &str, more: &str, prepare: impl FnOnce(&TrustProject)) -> TrustProject {
    let place = TrustProject::new(&format!("command = '''{command}'''\n{more}"));
    prepare(&place);
    let (code, said) = place.hookrail(&["trust", "--yes"], "");
    assert_eq!(code, Some(0), "{command}: {said}");
    place
}

/// The language of a script.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Shell,
    Python,
    Node,
}

/// A script that says a word to the log of the project, and to whoever asks for a decision.
fn saying(word: &str, language: Language) -> String {
    match language {
        Language::Shell => format!("#!/bin/sh\necho {word} >> \"$CLAUDE_PROJECT_DIR/log\"\n"),
        Language::Python => format!(
            "#!/usr/bin/env python3\nimport os\nopen(os.environ['CLAUDE_PROJECT_DIR'] + '/log', 'a').write('{word}\\n')\n"
        ),
        Language::Node => format!(
            "#!/usr/bin/env node\nrequire('fs').appendFileSync(process.env.CLAUDE_PROJECT_DIR + '/log', '{word}\\n');\n\
             console.log(JSON.stringify({{ systemMessage: 'this is {word}' }}));\n"
        ),
    }
}

/// Puts two files in each other's place for as long as `work` takes.
fn exchanging<T>(file: &Path, good: &str, evil: &str, work: impl FnOnce() -> T) -> T {
    let done = AtomicBool::new(false);
    let other = file.with_extension("other");
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                for text in [evil, good] {
                    fs::write(&other, text).unwrap();
                    fs::set_permissions(&other, fs::Permissions::from_mode(0o755)).unwrap();
                    fs::rename(&other, file).unwrap();
                }
            }
        });
        let result = work();
        done.store(true, Ordering::Relaxed);
        result
    })
}

#[test]
#[cfg(target_os = "linux")]
fn a_script_that_is_exchanged_between_the_check_and_the_start_never_runs() {
    let cases = [
        ("sh hooks/check.sh", Language::Shell),
        ("hooks/check.sh", Language::Shell),
        ("./hooks/check.sh --flag", Language::Shell),
        ("'hooks'/\"check.sh\"", Language::Shell),
        ("cd hooks && ./check.sh", Language::Shell),
        ("\"$CLAUDE_PROJECT_DIR\"/hooks/check.sh", Language::Shell),
        ("$CLAUDE_PROJECT_DIR/hooks/check.sh", Language::Shell),
        ("sh ${NOBODY_SETS_THIS:-.}/hooks/check.sh", Language::Shell),
        ("bash -eu hooks/check.sh", Language::Shell),
        (". ./hooks/check.sh", Language::Shell),
        ("exec timeout 20 sh hooks/check.sh", Language::Shell),
        ("env A=b hooks/check.sh | cat", Language::Shell),
        ("if true; then (sh hooks/check.sh); fi", Language::Shell),
        ("python3 -u hooks/check.py", Language::Python),
        ("./hooks/check.py", Language::Python),
    ];
    for (command, language) in cases {
        let name = if language == Language::Python { "hooks/check.py" } else { "hooks/check.sh" };
        let (good, evil) = (saying("good", language), saying("evil", language));
        let place = trusted(command, "", |place| script(place, name, &good));
        exchanging(&place.project.at(name), &good, &evil, || (0..12).for_each(|_| drop(place.fire())));
        script(&place, name, &good);
        place.fire();
        let log = place.project.read("log");
        assert!(log.contains("good") && !log.contains("evil"), "{command}: {log}");
    }
}

/// Node opens what it runs by its path, so other bytes may run; what they say is not believed, and the hook has failed.
#[test]
#[cfg(target_os = "linux")]
fn a_script_that_must_be_opened_by_its_path_is_not_believed_if_it_is_exchanged_meanwhile() {
    if std::process::Command::new("node").arg("--version").output().is_err() {
        println!("there is no Node here");
        return;
    }
    for command in ["node hooks/check.js", "./hooks/check.js", "cd hooks && node ./check.js --flag"] {
        let (good, evil) = (saying("good", Language::Node), saying("evil", Language::Node));
        let place = trusted(command, "on_error = \"deny\"", |place| script(place, "hooks/check.js", &good));
        let quiet = place.fire();
        assert!(quiet.contains("this is good") && !quiet.contains("\"deny\""), "{command}: {quiet}");
        let file = place.project.at("hooks/check.js");
        let answers: Vec<String> = exchanging(&file, &good, &evil, || (0..12).map(|_| place.fire()).collect());
        for said in &answers {
            assert!(!said.contains("this is evil"), "{command}: {said}");
            assert!(said.contains("\"deny\"") || said.contains("this is good"), "{command}: {said}");
        }
        assert!(answers.iter().any(|said| said.contains("\"deny\"")), "{command}: nothing was ever exchanged in time");
    }
}

#[test]
fn scripts_find_their_neighbours_and_arguments_as_before() {
    // (command, files, what the log has then)
    type Files = &'static [(&'static str, &'static str)];
    let cases: &[(&str, Files, &str)] = &[
        (
            "sh hooks/run.sh a 'b c'",
            &[
                ("hooks/run.sh", "#!/bin/sh\n. \"$(dirname \"$0\")/lib.sh\"\necho \"$0|$#|$2|$word\" >> log\n"),
                ("hooks/lib.sh", "word=lib\n"),
            ],
            "hooks/run.sh|2|b c|lib\n",
        ),
        (
            "cd hooks && ./run.sh",
            &[
                (
                    "hooks/run.sh",
                    "#!/bin/bash\nHERE=\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\"\nsource \"$HERE/../lib/x.sh\"\n\
                     if [[ \"${BASH_SOURCE[0]}\" == \"$0\" ]]; then echo \"$word\" >> \"$HERE/../log\"; fi\n",
                ),
                ("lib/x.sh", "word=found\n"),
            ],
            "found\n",
        ),
        (
            "\"$CLAUDE_PROJECT_DIR\"/hooks/run.py x",
            &[
                (
                    "hooks/run.py",
                    "#!/usr/bin/env python3\nimport os, sys, json\nfrom helper import WORD\n\
                     event = json.load(sys.stdin)\nif __name__ == '__main__':\n    \
                     open('log', 'a').write(f\"{os.path.basename(__file__)}|{sys.argv[1:]}|{WORD}|{event['tool_name']}\\n\")\n",
                ),
                ("hooks/helper.py", "WORD = 'helper'\n"),
            ],
            "run.py|['x']|helper|Bash\n",
        ),
        (
            "sh hooks/run.sh",
            &[("hooks/run.sh", "trap 'echo trapped >> log' EXIT\nset -e\nfalse\necho not reached >> log\n")],
            "trapped\n",
        ),
        ("bash hooks/run", &[("hooks/run", "echo ${0##*/} >> log\nreturn 2>/dev/null; exit 0\n")], "run\n"),
        ("sh hooks/run.sh", &[("hooks/run.sh", "cat > input; test -s input && echo read >> log\n")], "read\n"),
    ];
    for (command, files, expected) in cases {
        let place = trusted(command, "", |place| files.iter().for_each(|(path, text)| script(place, path, text)));
        let said = place.fire();
        let log = if place.project.exists("log") { place.project.read("log") } else { String::new() };
        assert_eq!(log, *expected, "{command}: {said}");
    }
}

#[test]
fn what_a_script_says_while_its_files_change_does_not_count() {
    let cases = [
        ("itself", "echo \"${BASH_SOURCE[0]}\" >/dev/null; echo '# more' >> hooks/run.sh"),
        ("itself, and back", "f=${BASH_SOURCE[0]}; mv $f $f.x; cp $f.x $f; mv $f.x $f"),
        ("its folder", "f=${BASH_SOURCE[0]}; mv hooks h; cp -r h hooks; rm -r hooks; mv h hooks"),
        ("its neighbour", ". \"${BASH_SOURCE[0]%/*}/lib.sh\"; echo x >> hooks/lib.sh"),
    ];
    for (what, text) in cases {
        let place = trusted("bash hooks/run.sh", "on_error = \"deny\"", |place| {
            script(place, "hooks/run.sh", &format!("#!/bin/bash\n{text}\n"));
            script(place, "hooks/lib.sh", "true\n");
        });
        let said = place.fire();
        assert!(said.contains("\"deny\"") && said.contains("changed while the hook ran"), "{what}: {said}");
    }
}

#[test]
fn what_a_script_brings_in_is_part_of_what_is_trusted_and_protected() {
    let cases: &[(&str, &str, &str, &str)] = &[
        ("hooks/run.sh", ". \"$(dirname \"$0\")/lib.sh\"\n", "sh hooks/run.sh", "hooks/lib.sh"),
        ("hooks/run.py", "import helper\n", "python3 hooks/run.py", "hooks/helper.py"),
        ("hooks/run.py", "import json\n", "python3 hooks/run.py", "hooks/json.py"),
        ("hooks/run.js", "require('./rules')\n", "node hooks/run.js", "hooks/rules.js"),
        ("hooks/run.mjs", "import { a } from './rules.mjs'\n", "node hooks/run.mjs", "hooks/rules.mjs"),
    ];
    for (path, text, command, neighbour) in cases {
        let place = trusted(command, "on_error = \"deny\"", |place| script(place, path, text));
        let event =
            place.event("Write", &serde_json::json!({ "file_path": place.project.at(neighbour), "content": "" }));
        assert!(place.hookrail(&["hook"], &event).1.contains("is protected"), "{neighbour}");
        place.project.write(neighbour, "");
        let said = place.fire();
        assert!(said.contains("\"deny\"") && said.contains("not what was trusted"), "{neighbour}: {said}");
    }
}

#[test]
fn hooks_of_one_name_in_both_files_of_a_project_are_trusted_each_by_itself() {
    let place = TrustProject::new("command = \"echo one >> log\"");
    let entry = "[[command]]\nname = \"check\"\nevent = \"BeforeTool\"\ncommand = \"echo two >> log\"\n";
    place.project.write(".hookrail/local.toml", entry);
    place.hookrail(&["trust", "--yes"], "");
    place.fire();
    let mut log: Vec<String> = place.project.read("log").lines().map(str::to_owned).collect();
    log.sort();
    assert_eq!(log, ["one", "two"]);
}
