use std::fs;

use super::*;

fn test(name: &str, line: usize) -> Home {
    Home::Test { name: name.to_owned(), line }
}

/// Line, ids and home of a comment.
type Expected = (usize, &'static str, Home);

fn check(language: Language, source: &str, expected: &[Expected]) {
    let found: Vec<_> = language.mentions(source).into_iter().map(|m| (m.line, m.ids.join(" "), m.home)).collect();
    let expected: Vec<_> = expected.iter().map(|(line, ids, home)| (*line, (*ids).to_owned(), home.clone())).collect();
    assert_eq!(found, expected, "in\n{source}");
}

#[test]
fn a_rust_comment_belongs_to_the_test_around_it() {
    let cases: &[(&str, &[Expected])] = &[
        ("#[test]\nfn a() {\n    // covers: X-1 X-2\n}", &[(3, "X-1 X-2", test("a", 2))]),
        ("#[test]\nfn a() {\n    // covers: X-1,X-2,  X-3\r\n}", &[(3, "X-1 X-2 X-3", test("a", 2))]),
        (
            "#[test]\nfn a() {\n    //Covers : X-1\n    // covers:\n}",
            &[(3, "X-1", test("a", 2)), (4, "", test("a", 2))],
        ),
        // Nested braces, and the test after them.
        (
            "#[test]\nfn a() {\n    if x { { y } }\n    // covers: X-1\n}\n#[test]\nfn b() {\n    // covers: X-2\n}",
            &[(4, "X-1", test("a", 2)), (8, "X-2", test("b", 7))],
        ),
        // A closure, a loop and a function inside the test are still the test.
        ("#[test]\nfn a() {\n    fn b() {\n        // covers: X-1\n    }\n}", &[(4, "X-1", test("a", 2))]),
        // Other attributes and qualifiers around the test's own.
        (
            "#[cfg(unix)]\n#[tokio::test(flavor = \"x\")]\n#[should_panic]\n\
             pub async fn a() -> [u8; { 1 }] {\n// covers: X-1\n}",
            &[(5, "X-1", test("a", 4))],
        ),
        (
            "proptest! {\n#[test]\nfn a(x in \"[a-z]{1,5}\", y in f({ 2 })) {\n    // covers: X-1\n}\n}",
            &[(4, "X-1", test("a", 3))],
        ),
        ("macro_rules! m { ($n:ident) => { #[test] fn $n() { // covers: X-1\n} } }", &[(1, "X-1", test("n", 1))]),
    ];
    for (source, expected) in cases {
        check(Language::Rust, source, expected);
    }
}

#[test]
fn braces_and_comments_inside_rust_literals_are_text() {
    let bodies = [
        r#"let s = "}"; let t = "\"}";"#,
        r#"let s = "// covers: X-9";"#,
        r##"let s = r"}\"; let t = r#"}" // covers: X-9"#;"##,
        r###"let s = br##"}"# // covers: X-9"##; let t = b"}"; let u = c"}";"###,
        r"let c = '}'; let d = '\''; let e = '}'; let f = b'}'; let g: &'static str = x;",
        r"let c = ['\n','}','\u{7d}','}'];",
        "let s = \"over\n    // covers: X-9\n    lines }\";",
        "/* } /* } */ // covers: X-9\n */",
        "let r#fn = 1; let r = 2;",
    ];
    for body in bodies {
        let line = 4 + body.matches('\n').count();
        let source = format!("#[test]\nfn a() {{\n    {body}\n    // covers: X-1\n}}\n// covers: X-2\n");
        check(Language::Rust, &source, &[(line, "X-1", test("a", 2)), (line + 2, "X-2", Home::Nowhere)]);
    }
}

#[test]
fn a_rust_comment_outside_a_test_has_no_home() {
    let sources = [
        "// covers: X-1\nfn a() {}",
        "fn a() { // covers: X-1\n}",
        "#[cfg(test)]\nmod tests { // covers: X-1\n}",
        "#![cfg(test)]\nfn test() { // covers: X-1\n}",
        "/// covers: X-1\n#[test]\nfn a() {}",
        "//! covers: X-1\n",
        "#[test] // covers: X-1\nfn a() {}",
        "#[test] fn a( // covers: X-1\n) {}",
        "#[test] fn a() {} // covers: X-1",
        "#[test] const X: u8 = 1; fn a() { // covers: X-1\n}",
        "#[inline] fn a() { test(); // covers: X-1\n}",
    ];
    for source in sources {
        let line = 1 + source.split("covers").next().unwrap_or_default().matches('\n').count();
        check(Language::Rust, source, &[(line, "X-1", Home::Nowhere)]);
    }
}

#[test]
fn a_test_that_never_runs_is_told_apart() {
    let skipped = Home::SkippedTest { name: "a".to_owned() };
    let cases = [
        (Language::Rust, "#[test]\n#[ignore]\nfn a() { // covers: X-1\n}"),
        (Language::Rust, "#[ignore = \"slow\"]\n#[test]\nfn a() { // covers: X-1\n}"),
        (Language::TypeScript, "\n\ntest.skip('a', () => { // covers: X-1\n})"),
        (Language::TypeScript, "\n\nit.todo('a', () => { // covers: X-1\n})"),
    ];
    for (language, source) in cases {
        check(language, source, &[(3, "X-1", skipped.clone())]);
    }
}

#[test]
fn words_that_only_sound_alike_are_no_comment_of_ours() {
    let sources = ["// it covers: X-1", "// covers X-1", "// discovers: X-1", "/* covers: X-1 */", "//", "// : X-1"];
    for source in sources {
        check(Language::Rust, source, &[]);
        check(Language::TypeScript, source, &[]);
    }
}

#[test]
fn a_typescript_comment_belongs_to_the_call_around_it() {
    let cases: &[(&str, &[Expected])] = &[
        ("test('a b', async () => {\n  // covers: X-1\n});", &[(2, "X-1", test("a b", 1))]),
        ("describe('d', () => {\n  it(\"a\", () => {\n    // covers: X-1\n  });\n});", &[(3, "X-1", test("a", 2))]),
        ("test(`a ${f(`)`)} b`, () => { // covers: X-1\n})", &[(1, "X-1", test("a ${f(`)`)} b", 1))]),
        ("test.only('a', () => { // covers: X-1\n})", &[(1, "X-1", test("a", 1))]),
        ("test.each(['x', ')'])('a', () => { // covers: X-1\n})", &[(1, "X-1", test("a", 1))]),
        // A subtest counts for the test that runs it.
        ("test('a', (t) => {\n  t.test('b', () => { // covers: X-1\n  });\n})", &[(2, "X-1", test("a", 1))]),
        ("test('a', () => {});\ntest('b', () => { // covers: X-1\n})", &[(2, "X-1", test("b", 2))]),
    ];
    for (source, expected) in cases {
        check(Language::TypeScript, source, expected);
    }
}

#[test]
fn parentheses_inside_typescript_literals_are_text() {
    let bodies = [
        r#"f(")", ')', "\")");"#,
        r"f(/[)/]\/)/g); f(/[/)]/);",
        r"const x = a / b; f(`) ${`)`} \` )`); const y = (c) / d;",
        r#"f(`${g({ a: ")" })} )`);"#,
        "/* ) // covers: X-9 */",
        "f('// covers: X-9');",
        "f(a // a ratio )\n / b, ')');",
    ];
    for body in bodies {
        let line = 3 + body.matches('\n').count();
        let source = format!("test('a', () => {{\n  {body}\n  // covers: X-1\n}});\n// covers: X-2\n");
        check(Language::TypeScript, &source, &[(line, "X-1", test("a", 1)), (line + 2, "X-2", Home::Nowhere)]);
    }
}

#[test]
fn a_typescript_comment_outside_a_test_has_no_home() {
    let sources = [
        "// covers: X-1",
        "describe('a', () => { // covers: X-1\n})",
        "if (pattern.test(x)) { // covers: X-1\n}",
        "/x/.test(function () { // covers: X-1\n})",
        "function it() { // covers: X-1\n}",
        "test('a', f); // covers: X-1",
    ];
    for source in sources {
        check(Language::TypeScript, source, &[(1, "X-1", Home::Nowhere)]);
    }
}

#[test]
fn a_workspace_is_scanned_where_tests_are_written() {
    let rust = "#[test]\nfn a() { // covers: X-1\n}";
    let script = "test('a', () => { // covers: X-1\n})";
    let files = [
        ("crates/b/src/lib.rs", rust, true),
        ("crates/a/tests/door.rs", rust, true),
        ("examples/e/main.rs", rust, true),
        ("clients/node/test/client.test.ts", script, true),
        ("crates/a/src/empty.rs", "fn a() {}", false),
        ("crates/a/notes.txt", rust, false),
        ("crates/a/target/debug/build.rs", rust, false),
        ("clients/node/node_modules/dep/a.ts", script, false),
        ("clients/node/dist/client.test.js", script, false),
        ("fuzz/a.rs", rust, false),
    ];
    let root = tempfile::tempdir().unwrap();
    for (path, text, _) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let mut expected: Vec<_> = files.iter().filter(|(.., found)| *found).map(|(path, ..)| (*path).to_owned()).collect();
    let mut found: Vec<_> = scan(root.path()).unwrap().into_iter().map(|file| file.path).collect();
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
}
