//! Sessions in pages: the files a page shows are written, its commands are run in a project of their own, and what they
//! print is compared with what the page says.
//!
//! In a block ```` ```console ````, `$ ` begins a command, `> ` continues it, `? 3` below it is its exit code (0 if there is
//! none), and everything else is what it prints, on either stream. `[..]` stands for any text in a line, `...` for any
//! lines. A block with `file=path` is that file. `/home/me/project` is the project and `/home/me` the home folder.

use crate::scripts;
use hookrail_testkit::markdown::{Block, Page};
use hookrail_testkit::project::TempProject;
use snapbox::Data;
use snapbox::filter::NormalizeToExpected;
use std::fmt::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

const HOME: &str = "/home/me";

/// How a session in a page went.
#[derive(Default)]
pub struct PlayedPage {
    /// Each block, and what it would say if it said what happened.
    blocks: Vec<(Block, String)>,
}

impl PlayedPage {
    /// What did not go as written.
    pub fn problems(&self, page: &Page) -> Vec<String> {
        let differs = self.blocks.iter().filter(|(block, real)| *real != block.code);
        differs.map(|(block, real)| format!("{}:{}: this is what happens:\n{real}", page.path, block.line)).collect()
    }

    /// The page as it would have to be.
    pub fn rewrite(&self, page: &Page) -> String {
        let mut lines: Vec<&str> = page.text.lines().collect();
        for (block, real) in self.blocks.iter().rev() {
            lines.splice(block.line..block.line + block.code.lines().count(), real.lines());
        }
        lines.join("\n") + "\n"
    }
}

/// Plays the blocks of a page from top to bottom.
pub fn play(page: &Page) -> PlayedPage {
    let blocks = page.blocks();
    let mut played = PlayedPage::default();
    if !blocks.iter().any(|block| block.language() == "console") {
        return played;
    }
    if !scripts::has_tool("bash") {
        eprintln!("{}: not played: there is no bash", page.path);
        return played;
    }
    let stage = SessionHome::new();
    for block in blocks {
        if let Some(tool) = block.attribute("needs")
            && !scripts::has_tool(tool)
        {
            eprintln!("{}:{}: not played: there is no {tool}", page.path, block.line);
            continue;
        }
        if let Some(file) = block.attribute("file") {
            stage.write(file, &block.code);
        }
        if block.language() == "console" {
            let real = stage.play(&block);
            played.blocks.push((block, real));
        }
    }
    played
}

/// A home folder with a project in it.
struct SessionHome {
    home: TempProject,
}

impl SessionHome {
    fn new() -> Self {
        let home = TempProject::new();
        std::fs::create_dir(home.path().join("project")).unwrap();
        Self { home }
    }

    fn project(&self) -> std::path::PathBuf {
        self.home.path().join("project")
    }

    /// Writes a file of the project, or of the home folder if its name begins with `~/`.
    fn write(&self, file: &str, text: &str) {
        let path =
            file.strip_prefix("~/").map_or_else(|| self.project().join(file), |file| self.home.path().join(file));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text.replace(HOME, &self.home.path().display().to_string())).unwrap();
        let mode = if text.starts_with("#!") { 0o755 } else { 0o644 };
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    /// The block as it would read if it said what really happens.
    fn play(&self, block: &Block) -> String {
        let mut real = String::new();
        for step in steps(&block.code) {
            let (output, code) = self.run(&step.command());
            let output =
                NormalizeToExpected::new().redact().normalize(Data::text(output), &Data::text(step.expected.clone()));
            for (index, line) in step.lines.iter().enumerate() {
                let _ = writeln!(real, "{} {line}", if index == 0 { '$' } else { '>' });
            }
            if code != 0 {
                let _ = writeln!(real, "? {code}");
            }
            real.push_str(&output.to_string());
        }
        real
    }

    fn run(&self, command: &str) -> (String, i32) {
        let home = self.home.path().display().to_string();
        let binaries = Path::new(env!("CARGO_BIN_EXE_hookrail")).parent().unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        let output = Command::new("bash")
            .args(["-c", &format!("exec 2>&1\n{}", command.replace(HOME, &home))])
            .current_dir(self.project())
            .env_clear()
            .env("PATH", format!("{}:{path}", binaries.display()))
            .env("HOME", &home)
            .env("NO_COLOR", "1")
            .env("COLUMNS", "100")
            .output()
            .expect("bash");
        let text = String::from_utf8_lossy(&output.stdout).replace(&home, HOME);
        // Spaces at the end of a line would not survive an editor.
        let lines = text.lines().fold(String::new(), |lines, line| lines + line.trim_end() + "\n");
        (lines, output.status.code().unwrap_or(-1))
    }
}

/// A command and what it is said to print.
struct SessionStep {
    lines: Vec<String>,
    expected: String,
}

impl SessionStep {
    fn command(&self) -> String {
        self.lines.join("\n")
    }
}

fn steps(code: &str) -> Vec<SessionStep> {
    let mut steps: Vec<SessionStep> = Vec::new();
    for line in code.lines() {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => steps.push(SessionStep { lines: vec![command.to_owned()], expected: String::new() }),
            (None, None) => panic!("a session begins with a command, not with `{line}`"),
            (None, Some(step)) => match line.strip_prefix("> ") {
                Some(more) if step.expected.is_empty() => step.lines.push(more.to_owned()),
                _ if step.expected.is_empty() && is_exit_code(line) => {}
                _ => step.expected += &format!("{line}\n"),
            },
        }
    }
    steps
}

fn is_exit_code(line: &str) -> bool {
    line.strip_prefix("? ").is_some_and(|code| code.parse::<i32>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Page {
        Page { path: "x.md".to_owned(), text: text.to_owned() }
    }

    #[test]
    fn a_page_can_be_written_as_it_went() {
        let page = page("A\n```console\n$ echo a\nb\n$ echo c\n```\nB\n```console\n$ false\n```\nC\n");
        let expected = "A\n```console\n$ echo a\na\n$ echo c\nc\n```\nB\n```console\n$ false\n? 1\n```\nC\n";
        if scripts::has_tool("bash") {
            assert_eq!(play(&page).rewrite(&page), expected);
        }
    }

    #[test]
    fn what_happens_is_compared_with_what_is_written() {
        let cases = [
            ("```console\n$ echo a\na\n```", 0),
            ("```console\n$ echo a\nb\n```", 1),
            ("```console\n$ echo a\n```", 1),
            ("```console\n$ echo 'a b c'\na [..] c\n$ printf '1\\n2\\n3\\n'\n1\n...\n3\n```", 0),
            ("```console\n$ exit 3\n? 3\n```", 0),
            ("```console\n$ exit 3\n```", 1),
            ("```console\n$ echo a >&2\na\n```", 0),
            ("```console\n$ cat <<'END'\n> x\n> END\nx\n```", 0),
            ("```console\n$ pwd\n/home/me/project\n$ test -d /home/me/project\n```", 0),
            ("```sh file=a/b.sh\n#!/bin/sh\necho yes\n```\n\n```console\n$ a/b.sh\nyes\n```", 0),
        ];
        for (text, problems) in cases.into_iter().filter(|_| scripts::has_tool("bash")) {
            let page = page(text);
            assert_eq!(play(&page).problems(&page).len(), problems, "{text}");
        }
    }
}
