//! Inputs that are made to be slow, deep or broken.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a broken expectation must fail the test")]

mod support;

use hookrail_shell::ast::UnknownReason;
use hookrail_shell::{MAX_COMMANDS, MAX_TEXT, Node, parse, parse_counted};
use support::generator::script;
use support::random::Random;

/// Pieces that are repeated, alone and behind a prefix.
const PIECES: &[&str] = &[
    "$(",
    "$((",
    "((",
    "(",
    ")",
    "{ ",
    "{",
    "}",
    "{a,",
    "{{a,b}",
    "[",
    "[[ ",
    "[a",
    "[[:",
    "]",
    "${",
    "${x:-",
    "${x[",
    "${#",
    "${x/",
    "${x:",
    "$[",
    "`",
    "\\`",
    "`\\`",
    "\\\\\\`",
    "\"",
    "'",
    "\"$(",
    "\"${x:-\"",
    "\"`",
    "$'",
    "$\"",
    "\\",
    "\\\n",
    "\n",
    ";",
    ";;",
    "&",
    "&&",
    "|",
    "||",
    "|&",
    "!",
    "! ",
    "time ",
    "<<a",
    "<<a\n",
    "<<-a\n\t",
    "<<'a' ",
    "<<a <<b\n",
    "<<",
    "<<<",
    "<(",
    ">(",
    "=(",
    ">",
    "2>",
    "{x}>",
    "&>",
    "a=(",
    "a=",
    "a[",
    "a[$(",
    "a[b",
    "+(",
    "@(a|",
    "!(",
    "*(",
    "if ",
    "if a; then ",
    "elif ",
    "else ",
    "fi ",
    "while ",
    "while a; do ",
    "until ",
    "do ",
    "done ",
    "for x in ",
    "for ((",
    "for x in a; do ",
    "select x ",
    "case x in ",
    "case x in a) ",
    "case x in (",
    "esac ",
    "f() ",
    "f() { ",
    "function f ",
    "coproc ",
    "coproc x { ",
    "[[ ! ",
    "[[ (",
    "[[ a && ",
    "[[ a =~ (",
    "~",
    "~a:",
    "x=~:",
    "{1..",
    "{1..9}",
    "#",
    "# \n",
    "a ",
    "a;",
    "a\n",
    "a|",
    "é",
    "\0",
    "$",
    "$x",
    "a'b'",
    "((a) ",
    "((a) b((",
    "(( \"",
    "(( \" $((",
    "$(( ' ",
    "$(case x in ",
    "$(<<a ",
    "`<<a\n",
    "\t",
    "\\\n\\",
    "a() (",
    "<<\"",
    "<<\\",
    "<<$(",
    "${a-`",
    "\"${a#\"",
    "{,",
    ",}",
    "[!",
    "]]",
    "a==(",
    "${${",
    "${(",
    "$(a)",
    "\r\n",
];

/// The most steps that may be taken for a byte. A text is looked at a few times: for the ends of quotes, for parentheses,
/// and once for every layer of backticks.
const STEPS_PER_BYTE: u64 = 40;

/// Reads on a thread with the stack that tests and other threads have by default.
fn on_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::Builder::new().stack_size(2 * 1024 * 1024).spawn(work).unwrap().join().unwrap()
}

fn assert_linear(text: &str) {
    let (tree, steps) = parse_counted(text);
    let most = STEPS_PER_BYTE * (text.len().min(MAX_TEXT) as u64 + 100);
    assert!(steps <= most, "{steps} steps for {} bytes of {:?}", text.len(), text.chars().take(40).collect::<String>());
    drop(tree);
}

#[test]
fn repeated_pieces_are_read_in_linear_time_on_a_small_stack() {
    on_small_stack(|| {
        for piece in PIECES {
            assert_linear(&piece.repeat(MAX_TEXT / piece.len()));
            assert_linear(&format!("a {}", piece.repeat(5_000)));
            assert_linear(&format!("\"{}", piece.repeat(5_000)));
            assert_linear(&format!("(( {}", piece.repeat(5_000)));
            assert_linear(&format!("cat <<E\n{}", piece.repeat(5_000)));
            assert_linear(&format!("`{}", piece.repeat(5_000)));
        }
    });
}

#[test]
fn repeated_pairs_are_read_in_linear_time_on_a_small_stack() {
    on_small_stack(|| {
        let mut random = Random::new(7);
        for _ in 0..1_500 {
            let pair = format!("{}{}{}", random.pick(PIECES), random.pick(PIECES), random.pick(PIECES));
            assert_linear(&pair.repeat(6_000 / pair.len()));
        }
    });
}

#[test]
fn what_is_nested_64_deep_around_much_text_is_read_in_linear_time() {
    let filler = "a b; ".repeat(800);
    let around = [
        ("(", ")"),
        ("$(", ")"),
        ("((", "))"),
        ("( (", ") )"),
        ("$((", "))"),
        ("\"$(", ")\""),
        ("{ ", "; }"),
        ("${x:-", "}"),
    ];
    on_small_stack(move || {
        for (open, close) in around {
            for depth in [10, 30, 60, 63, 64, 65, 200] {
                assert_linear(&format!("{}{filler}{}", open.repeat(depth), close.repeat(depth)));
                assert_linear(&format!("{}{filler}{}", open.repeat(depth), close.repeat(depth).replace(')', ") ")));
            }
        }
    });
}

/// The reasons of a text's unknown parts.
fn reasons(text: &str) -> Vec<UnknownReason> {
    let mut reasons = Vec::new();
    parse(text).for_each(|node| {
        if let Node::Unknown(unknown, _) = node {
            reasons.push(unknown.reason);
        }
    });
    reasons
}

#[test]
fn limits_are_named_and_what_was_read_before_them_stays() {
    on_small_stack(|| {
        let cases = [
            (format!("rm x; {}", "a".repeat(MAX_TEXT)), UnknownReason::TextTooLong),
            (format!("rm x; {}", "$(".repeat(3_000)), UnknownReason::NestedTooDeep),
            (format!("rm x; {}", "( ".repeat(3_000)), UnknownReason::NestedTooDeep),
            (format!("rm x; {}", "{ ".repeat(3_000)), UnknownReason::NestedTooDeep),
            (format!("rm x; echo {}", "{a,".repeat(3_000) + &"}".repeat(3_000)), UnknownReason::NestedTooDeep),
            (format!("rm x; {}", "a;".repeat(MAX_COMMANDS)), UnknownReason::TooManyCommands),
            (format!("rm x; {}", ";".repeat(100_000)), UnknownReason::TooManyCommands),
        ];
        for (text, reason) in cases {
            assert!(reasons(&text).contains(&reason), "{reason:?} not in {:?}", &text[..20]);
            let mut found = false;
            parse(&text).for_each(|node| {
                if let Node::Command(command) = node {
                    found |= command.span.of(&text) == "rm x";
                }
            });
            assert!(found, "`rm x` was lost before {reason:?}");
        }
    });
}

#[test]
fn what_is_just_within_the_limits_is_read() {
    let texts = [
        format!("{}a{}", "$(".repeat(63), ")".repeat(63)),
        "a;".repeat(MAX_COMMANDS),
        format!("a {}", "b".repeat(MAX_TEXT - 2)),
        format!("echo {}a{}", "{b,".repeat(60), "}".repeat(60)),
    ];
    on_small_stack(move || {
        for text in &texts {
            assert_eq!(reasons(text), [], "{:?}", &text[..20]);
        }
    });
}

/// Checks every span of a tree.
fn assert_spans(text: &str) {
    let tree = parse(text);
    tree.for_each(|node| {
        let span = node.span();
        assert!(span.start <= span.end && span.end <= text.len(), "{span:?} is not within {text:?}");
        assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end), "{span:?} cuts {text:?}");
        if let Node::Pipeline(pipeline) = node {
            let inside =
                |inner: hookrail_shell::ast::Span| pipeline.span.start <= inner.start && inner.end <= pipeline.span.end;
            assert!(pipeline.commands.iter().all(|command| inside(command.span)), "{pipeline:?} of {text:?}");
        }
        if let Node::Word(word) = node {
            let inside =
                |inner: hookrail_shell::ast::Span| word.span.start <= inner.start && inner.end <= word.span.end;
            assert!(word.parts.iter().all(|part| inside(part.span)), "{word:?} of {text:?}");
        }
    });
}

/// A text with a few bytes or pieces changed.
fn mutated(random: &mut Random, text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len() + 1);
        match random.below(4) {
            0 if at < bytes.len() => _ = bytes.remove(at),
            1 => bytes.insert(at, b"\"'`\\$(){}[]<>|&;\n #=~*!"[random.below(23)]),
            2 => bytes.truncate(at),
            _ => {
                let piece = random.pick(PIECES).bytes().collect::<Vec<_>>();
                bytes.splice(at..at, piece);
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn mutated_scripts_never_panic_and_keep_their_spans_in_order() {
    on_small_stack(|| {
        let mut random = Random::new(11);
        for seed in 0..6_000 {
            let text = mutated(&mut random, &script(seed));
            assert_spans(&text);
            assert_linear(&text);
        }
    });
}

#[test]
fn random_bytes_never_panic() {
    on_small_stack(|| {
        let mut random = Random::new(13);
        for _ in 0..3_000 {
            let bytes: Vec<u8> = (0..random.below(60)).map(|_| random.next().to_le_bytes()[0]).collect();
            hookrail_shell::fuzz(&bytes);
            assert_spans(&String::from_utf8_lossy(&bytes));
        }
    });
}

#[test]
fn a_command_read_alone_is_what_it_was_in_its_script() {
    use hookrail_shell::ast::{CommandKind, RedirectTarget};
    let mut compared = 0;
    for seed in 0..1_500 {
        let text = script(seed);
        let tree = parse(&text);
        let documents = {
            let mut found = text.contains('`');
            tree.for_each(|node| {
                if let Node::Redirect(redirect) = node {
                    found |= matches!(redirect.target, RedirectTarget::HereDocument(_));
                }
            });
            found
        };
        // A command's own text lacks the bodies of its here-documents, and a layer of backslashes between backticks.
        if documents {
            continue;
        }
        tree.for_each(|node| {
            let Node::Command(command) = node else { return };
            if matches!(command.kind, CommandKind::Unknown(_)) {
                return;
            }
            let alone = parse(command.span.of(&text));
            let kinds: Vec<_> = alone
                .items
                .iter()
                .flat_map(|item| &item.first.commands)
                .map(|c| std::mem::discriminant(&c.kind))
                .collect();
            assert_eq!(kinds, [std::mem::discriminant(&command.kind)], "{:?}", command.span.of(&text));
            compared += 1;
        });
    }
    assert!(compared > 2_000, "only {compared} commands were compared");
}

#[test]
fn seeds_of_the_fuzzer_and_their_mutations_are_read() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fuzz-seeds");
    let seeds: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| std::fs::read(entry.unwrap().path()).unwrap()).collect();
    assert!(seeds.len() > 15, "only {} seeds", seeds.len());
    on_small_stack(move || {
        let mut random = Random::new(17);
        for seed in &seeds {
            hookrail_shell::fuzz(seed);
            let text = String::from_utf8_lossy(seed);
            for _ in 0..40 {
                hookrail_shell::fuzz(mutated(&mut random, &text).as_bytes());
            }
        }
    });
}
