//! The readers for PowerShell and `cmd.exe`.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a broken expectation must fail the test")]

use hookrail_shell::windows::{CommandLine, Separator, WindowsOperator, read_cmd, read_power_shell};

/// A line as a text: commands in parentheses behind what separates them, `$` behind a word that expands, and `!` at the
/// end of a line that was not read to its end.
fn dump(line: &CommandLine<'_>) -> String {
    let mut out = String::new();
    for command in &line.commands {
        out.push_str(match command.before {
            Separator::Start => "",
            Separator::Pipe => " | ",
            Separator::And => " && ",
            Separator::Or => " || ",
            Separator::Then => " ; ",
            Separator::Background => " & ",
            Separator::Block => " # ",
        });
        let word = |word: &hookrail_shell::windows::WindowsWord<'_>| {
            format!("{:?}{}", word.text, if word.expands { "$" } else { "" })
        };
        let mut pieces: Vec<String> = command.words.iter().map(word).collect();
        for redirect in &command.redirects {
            let operator = match redirect.operator {
                WindowsOperator::Read => "<",
                WindowsOperator::Write => ">",
                WindowsOperator::Append => ">>",
                WindowsOperator::Duplicate => ">&",
            };
            let target = redirect.target.as_ref().map(word).unwrap_or_default();
            pieces.push(format!("{}{operator}{target}", redirect.stream.map(String::from).unwrap_or_default()));
        }
        out.push_str(&format!("({})", pieces.join(" ")));
    }
    out.push_str(if line.complete { "" } else { " !" });
    out
}

#[test]
fn power_shell_lines_are_read() {
    let cases = [
        ("Get-ChildItem", r#"("Get-ChildItem")"#),
        ("Remove-Item -Recurse -Force C:\\x", r#"("Remove-Item" "-Recurse" "-Force" "C:\\x")"#),
        ("rm 'it''s' \"a \"\"b\"\"\"", r#"("rm" "it's" "a \"b\"")"#),
        ("rm a` b `$c \"`$d`t\"", r#"("rm" "a b" "$c" "$d\t")"#),
        ("rm $HOME \"$env:X\\y\"", r#"("rm" "$HOME"$ "$env:X\\y"$)"#),
        ("a | b; c && d || e", r#"("a") | ("b") ; ("c") && ("d") || ("e")"#),
        ("a\nb\r\nc", r#"("a") ; ("b") ; ("c")"#),
        ("a `\n b", r#"("a" "b")"#),
        ("& 'C:\\a b.exe' x", r#"("C:\\a b.exe" "x")"#),
        ("a & b", r#"("a") & ("b")"#),
        ("a > x 2>&1 >> y *> z", r#"("a" >"x" 2>&"1" >>"y" *>"z")"#),
        ("a # b\nc <# d #> e", r#"("a") ; ("c" "e")"#),
        ("a (b c) | % { d $_ }", r#"("a") # ("b" "c") | ("%") # ("d" "$_"$)"#),
        ("a $(b) c", r#"("a" "$"$) # ("b") # ("c")"#),
        ("a 'b", r#"("a" "b") !"#),
        ("a \"b", r#"("a" "b") !"#),
        ("a >", r#"("a" >) !"#),
        ("", ""),
        ("; ;", ""),
    ];
    for (text, expected) in cases {
        assert_eq!(dump(&read_power_shell(text)), expected, "{text:?}");
    }
}

#[test]
fn cmd_lines_are_read() {
    let cases = [
        ("dir", r#"("dir")"#),
        ("del /q \"C:\\a b\\*\"", r#"("del" "/q" "C:\\a b\\*")"#),
        ("echo a ^& b ^\"c", r#"("echo" "a" "&" "b" "\"c")"#),
        ("echo \"a\"\"b\"", r#"("echo" "a\"b")"#),
        ("echo \"a & b\" & c", r#"("echo" "a & b") ; ("c")"#),
        ("a & b && c || d | e", r#"("a") ; ("b") && ("c") || ("d") | ("e")"#),
        ("a > x 2>&1 < y >> z", r#"("a" >"x" 2>&"1" <"y" >>"z")"#),
        ("type x>y", r#"("type" "x" >"y")"#),
        ("echo %PATH% !x!", r#"("echo" "%PATH%"$ "!x!"$)"#),
        ("@echo off\r\nrd /s x", r#"("echo" "off") ; ("rd" "/s" "x")"#),
        ("(a & b) & c", r#" # ("a") ; ("b") ; ("c")"#),
        ("if exist x (del x) else (type y)", r#"("if" "exist" "x") # ("del" "x") # ("else") # ("type" "y")"#),
        ("echo (a)", r#"("echo" "(a")"#),
        ("copy a,b;c=d", r#"("copy" "a" "b" "c" "d")"#),
        ("a ^\nb", r#"("a" "b")"#),
        ("echo \"a", r#"("echo" "a") !"#),
        ("a >", r#"("a" >) !"#),
        ("d^e^l x", r#"("del" "x")"#),
    ];
    for (text, expected) in cases {
        assert_eq!(dump(&read_cmd(text)), expected, "{text:?}");
    }
}
