//! Texts that are made to break whoever reads them: the answer comes, and what was not followed is a gap.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use hookrail_effects::{EmptyWorld, GapReason, Surroundings, understand_command};

fn gaps(command: &str) -> Vec<GapReason> {
    let around = Surroundings {
        cwd: "/home/me/p".into(),
        home: Some("/home/me".into()),
        project: "/home/me/p".into(),
        beside: Vec::new(),
        guarded: hookrail_effects::DEFAULT_GUARDED.into(),
    };
    understand_command(command, &around, &EmptyWorld).gaps.iter().map(|gap| gap.why).collect()
}

#[test]
fn deep_and_long_texts_end_and_leave_a_gap() {
    let nested_eval = (0..40).fold("rm a".to_owned(), |text, _| {
        format!("eval \"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")).chars().take(60_000).collect()
    });
    let texts = [
        "$(".repeat(3000),
        "(a ".repeat(20_000),
        "{ ".repeat(20_000),
        "a; ".repeat(20_000),
        "a | ".repeat(20_000),
        "x=$x$x; ".repeat(5000),
        format!("rm {}", "{a,b}".repeat(30)),
        format!("rm {}", "*/".repeat(5000)),
        "f() { f; f; }; f".to_owned(),
        "f() { g; g; g; }; g() { h; h; h; }; h() { f; f; f; }; f".to_owned(),
        "for a in 1 2 3 4 5 6 7 8 9; do for b in 1 2 3 4 5 6 7 8 9; do for c in 1 2 3 4 5 6 7 8 9; do for d in 1 2 3 4 5 6 7 8 9; do for e in 1 2 3 4 5 6 7 8 9; do rm $a$b$c$d$e; done; done; done; done; done".to_owned(),
        nested_eval,
        format!("python3 -c '{}'", "os.remove(".repeat(5000)),
        format!("python3 -c '{}'", "Path(".repeat(5000)),
        format!("python3 -c 'x = {}'", "(".repeat(20_000)),
        format!("python3 -c '{}'", "a.".repeat(20_000)),
        format!("x={}; rm ${{x%%*a*a*a*a*b}}", "a".repeat(30_000)),
        format!("git -c alias.a='!git a' {}", "a ".repeat(100)),
        "alias a='a b'; a".to_owned(),
        format!("find . {}", "-exec rm {} + ".repeat(3000)),
    ];
    for text in &texts {
        gaps(text);
    }
    assert!(gaps(&"$(".repeat(3000)).contains(&GapReason::OverLimit));
    assert!(gaps(&format!("echo {}", "a".repeat(300_000))).contains(&GapReason::OverLimit));
}

#[test]
fn doubling_variables_do_not_grow_without_bounds() {
    let text = format!("x=aaaaaaaaaaaaaaaa; {}", "x=\"$x$x\"; ".repeat(60));
    gaps(&text);
}

/// As long as a command may be that agents write: 64 KiB of something.
fn long(piece: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for number in 0.. {
        let piece = piece(number);
        if text.len() + piece.len() > 64 * 1024 {
            break;
        }
        text.push_str(&piece);
    }
    text
}

#[test]
fn work_that_grows_faster_than_the_text_is_cut_and_leaves_a_gap() {
    let texts = [
        ("braces behind braces", format!("rm {}", long(|_| "{a,b}".to_owned()))),
        ("ranges behind ranges", format!("rm {}", long(|_| "{1..9}".to_owned()))),
        ("a long word behind braces", format!("rm {}{}", "{a,b}".repeat(10), long(|_| "x".to_owned()))),
        ("more alternatives than are kept", format!("rm {{{}}}", long(|number| format!("a{number},")))),
        ("wrappers of wrappers", format!("{} rm x", long(|_| "sudo ".to_owned()))),
        ("wrappers with variables", format!("{} rm x", long(|_| "env A=1 ".to_owned()))),
        ("folders in folders", long(|number| format!("cd d{number} && rm x\n"))),
        ("many redirections", format!("echo x {}", long(|number| format!("> f{number} ")))),
        ("many variables", long(|number| format!("v{number}=$HOME/a{number}; rm $v{number}\n"))),
        ("many functions", long(|number| format!("f{number}() {{ rm x; }}; f{number}\n"))),
        ("a variable that grows", long(|_| "a=x$a;rm $a;".to_owned())),
    ];
    for (what, text) in &texts {
        assert!(gaps(text).contains(&GapReason::OverLimit), "{what}");
    }
}

#[test]
fn what_is_kept_of_many_alternatives_is_looked_at() {
    let around = Surroundings {
        cwd: "/home/me/p".into(),
        home: Some("/home/me".into()),
        project: "/home/me/p".into(),
        beside: Vec::new(),
        guarded: hookrail_effects::DEFAULT_GUARDED.into(),
    };
    let all = (0..2000).map(|number| format!("a{number}")).collect::<Vec<_>>().join(",");
    let effects = understand_command(&format!("rm {{{all}}}"), &around, &EmptyWorld);
    assert_eq!(effects.changed_paths().count(), 1024);
}

/// The scripts of the corpus, one after the other, as long as a script may be.
#[test]
fn ordinary_scripts_are_read_in_a_moment() {
    let calls = hookrail_testkit::corpus::read(include_str!("../../../spec/corpus/scripts.json")).unwrap();
    for language in ["python", "javascript", "ruby", "perl", "php"] {
        let of_language = calls.iter().filter(|call| call.class == language);
        let commands: Vec<String> = of_language.map(|call| call.shown().replace("\\n", "\n")).collect();
        let bodies = commands.iter().filter_map(|command| command.split_once("EOF'\n")?.1.strip_suffix("\nEOF"));
        let one = bodies.map(|body| body.trim_start_matches("<?php\n")).collect::<Vec<_>>().join("\n");
        let script = long(|_| format!("{one}\n"));
        let program = if language == "javascript" { "node" } else { language };
        let start = if language == "php" { "<?php\n" } else { "" };
        let began = std::time::Instant::now();
        let found = gaps(&format!("{program} <<'END_OF_IT'\n{start}{script}\nEND_OF_IT"));
        let took = began.elapsed();
        println!("{took:>10.1?} {language}: {} bytes, {found:?}", script.len());
        assert!(took.as_secs() < 5, "{language}: {took:?}");
        let began = std::time::Instant::now();
        commands.iter().for_each(|command| drop(gaps(command)));
        println!("{:>10.1?} for one of {}", began.elapsed() / u32::try_from(commands.len()).unwrap(), commands.len());
    }
}

/// Scripts as long as they are read, of something that invites more work than the text is worth. Each ends with a deletion,
/// which is seen or over the limit.
#[test]
fn scripts_made_of_anything_end_soon_and_hide_nothing() {
    let pieces: &[(&str, &str, &str)] = &[
        ("python3", "(", ""),
        ("python3", "[", ""),
        ("python3", "a.", ""),
        ("python3", "f'{", ""),
        ("python3", "x = x + x\n", "x = 'a'\n"),
        ("python3", "a.append(a)\n", "a = []\n"),
        ("python3", "if x:\n  y = 'a'\nelse:\n  y = y + 'b'\n", "y = ''\n"),
        ("python3", "def f(a):\n  return f(a + 'x')\nf('y')\n", ""),
        ("python3", "for i in range(16):\n", ""),
        ("python3", "lambda x: ", ""),
        ("python3", "-", ""),
        ("python3", "not ", ""),
        ("python3", "class A(A): pass\n", ""),
        ("python3", "x = [x, x]\n", "x = []\n"),
        ("node", "`${", ""),
        ("node", "{a:", ""),
        ("node", "a=>", ""),
        ("node", "/[", ""),
        ("node", "f(", "const f = (g) => g(g); f(f);"),
        ("node", "a?b:", ""),
        ("node", "if(a)", ""),
        ("node", "x = {...x, a: x};\n", "let x = {};\n"),
        ("ruby", "%w[", ""),
        ("ruby", "<<A ", ""),
        ("ruby", "[1].each { |a| ", ""),
        ("ruby", "a do |b| ", ""),
        ("ruby", "\"#{", ""),
        ("perl", "<", ""),
        ("perl", "q(", ""),
        ("perl", "s{a}{", ""),
        ("perl", "\"$a[", ""),
        ("perl", "map { ", ""),
        ("php", "\"{$a[\"", ""),
        ("php", "$a->", ""),
        ("php", "fn($a) => ", ""),
    ];
    for (program, piece, start) in pieces {
        let end = match *program {
            "python3" => "\nimport os\nos.remove('/etc/x')\n",
            "node" => ";\nrequire('fs').rmSync('/etc/x');\n",
            "ruby" => "\nFile.delete('/etc/x')\n",
            _ => ";\nunlink('/etc/x');\n",
        };
        let middle: String = std::iter::repeat_n(*piece, 50_000 / piece.len()).collect();
        for script in [format!("{start}{middle}{end}"), format!("{start}{end}{middle}")] {
            let began = std::time::Instant::now();
            let around = Surroundings {
                cwd: "/home/me/p".into(),
                home: Some("/home/me".into()),
                project: "/home/me/p".into(),
                beside: Vec::new(),
                guarded: hookrail_effects::DEFAULT_GUARDED.into(),
            };
            let command = format!("{program} <<'END_OF_IT'\n{script}\nEND_OF_IT");
            let effects = understand_command(&command, &around, &EmptyWorld);
            let took = began.elapsed();
            println!("{took:>10.1?} {program} {piece:?}");
            assert!(took.as_secs() < 10, "{program} {piece:?} took {took:?}");
            assert!(
                !effects.understood() || effects.list.iter().any(|effect| effect.act.name() == "fs.delete"),
                "{program} {piece:?}"
            );
        }
    }
}
