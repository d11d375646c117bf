//! `cargo xtask picture`: what the demo looks like, as an SVG for the README.

mod ansi;
mod svg;

use crate::{Outcome, TaskError};
use std::io::Write;
use std::path::Path;
use std::process::Command;

const HELP: &str = "usage: cargo xtask picture [--check | --debug | --binary FILE]

Runs the demo with the release binary, with a debug build, or with the binary given, and writes docs/src/assets/demo.svg. With `--check` nothing is
written; it fails if the demo does not say any more, apart from times, what the picture shows.";

const FILE: &str = "docs/src/assets/demo.svg";
const TITLE: &str = "hookrail demo";
const COLUMNS: usize = 100;
/// How the demo's folder is called, up to what is different each time.
const FOLDER: &str = "hookrail-demo-";

/// The scenes that are shown, by words of their first line; the whole session would be too long a picture.
const SCENES: [&str; 7] = [
    "you › /ship",
    "model › One question",
    "model › In Redis",
    "model › 60 it stays",
    "model › The page is not mine",
    "model › The limiter is written",
    "hook runs",
];

pub(crate) fn run(args: &[String], out: &mut dyn Write) -> Result<Outcome, TaskError> {
    match args {
        [] => write(&mut cargo_run(&["--release"]), out),
        [flag] if flag == "--debug" => write(&mut cargo_run(&[]), out),
        [flag, binary] if flag == "--binary" => write(&mut Command::new(binary), out),
        [flag] if flag == "--check" => check(out),
        [flag] if flag == "--help" || flag == "-h" => {
            writeln!(out, "{HELP}")?;
            Ok(Outcome::Passed)
        }
        [other, ..] => Err(TaskError::Usage(format!("unexpected `{other}`\nhint: see `cargo xtask picture --help`"))),
    }
}

fn write(hookrail: &mut Command, out: &mut dyn Write) -> Result<Outcome, TaskError> {
    let picture = svg::draw(TITLE, &shown(&play(hookrail)?, &SCENES), COLUMNS);
    let path = Path::new(crate::ROOT).join(FILE);
    std::fs::write(path, picture)?;
    writeln!(out, "wrote {FILE}")?;
    Ok(Outcome::Passed)
}

/// Times differ from run to run, so only the texts are compared.
fn check(out: &mut dyn Write) -> Result<Outcome, TaskError> {
    let present = std::fs::read_to_string(Path::new(crate::ROOT).join(FILE))?;
    let today = svg::draw(TITLE, &shown(&play(&mut cargo_run(&[]))?, &SCENES), COLUMNS);
    if texts(&present) == texts(&today) {
        writeln!(out, "picture: {FILE} shows what the demo says")?;
        return Ok(Outcome::Passed);
    }
    writeln!(out, "{FILE} is out of date\nhint: run `cargo xtask picture`")?;
    Ok(Outcome::Failed)
}

/// hookrail, built from this workspace.
fn cargo_run(profile: &[&str]) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.args(["run", "--quiet", "--package", "hookrail-cli"]).args(profile).arg("--");
    cargo
}

/// What the demo prints on a terminal of a fixed width.
fn play(hookrail: &mut Command) -> Result<String, TaskError> {
    let demo = hookrail.args(["demo", "--fast"]).current_dir(crate::ROOT);
    let output = demo.env("CLICOLOR_FORCE", "1").env("COLUMNS", COLUMNS.to_string()).env_remove("NO_COLOR").output()?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(std::io::Error::other(format!("the demo could not be played: {why}")).into());
    }
    Ok(without_folder(&String::from_utf8_lossy(&output.stdout)))
}

/// The name of the temporary folder is another one each time.
fn without_folder(session: &str) -> String {
    let mut parts = session.split(FOLDER);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, rest| {
        let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        format!("{text}{FOLDER}…{}", rest.get(end..).unwrap_or_default())
    })
}

/// The lines of the scenes that are shown, with a mark where some are left out.
fn shown(session: &str, scenes: &[&str]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut left_out = false;
    for scene in session.split("\n\n") {
        let beginning = ansi::plain(scene.lines().next().unwrap_or_default());
        if !scenes.iter().any(|words| beginning.contains(words)) {
            left_out = true;
            continue;
        }
        if !lines.is_empty() {
            lines.push(if left_out { "\u{1b}[2m         ⋮\u{1b}[0m".to_owned() } else { String::new() });
        }
        left_out = false;
        lines.extend(scene.lines().map(str::to_owned));
    }
    lines
}

/// The texts of a picture without its times.
fn texts(svg: &str) -> Vec<String> {
    let texts = svg.lines().filter_map(|line| line.strip_suffix("</text>")?.rsplit_once('>'));
    texts.map(|(_, text)| timeless(text)).collect()
}

/// The words of a text, times left out: `85 µs` is as good as `1.2 ms`.
fn timeless(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_unit = |word: Option<&&str>| word.is_some_and(|word| ["µs", "ms", "s"].contains(word));
    let kept = words.iter().enumerate().filter(|(at, word)| !is_unit(Some(word)) && !is_unit(words.get(at + 1)));
    kept.map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_are_chosen_and_gaps_are_marked() {
        let session = "hookrail demo\nabout\n\n  model › Other\n\n  model › Chosen\n  line\n\n3 hook runs";
        let gap = "\u{1b}[2m         ⋮\u{1b}[0m";
        let expected = ["hookrail demo", "about", gap, "  model › Chosen", "  line", "", "3 hook runs"];
        assert_eq!(shown(session, &["hookrail demo", "› Chosen", "hook runs"]), expected);
    }

    #[test]
    fn a_picture_of_another_run_has_the_same_texts() {
        let draw =
            |time: &str| texts(&svg::draw("t", &[format!("a \u{1b}[2m{time}\u{1b}[0m"), format!("in {time} all")], 20));
        assert_eq!(draw("85 µs"), draw("1.2 ms"));
        assert_eq!(draw("85 µs"), ["t", "a", "", "in all"]);
    }
}
