use super::table::{Align, Table};
use super::text::{columns, one_line, plural, shorten, visible_width, wrap};
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer};
use hookrail_effects::{Effect, Effects, Span, Sure};
use owo_colors::OwoColorize;
use std::io::{self, Write};
use std::ops::Range;

/// So many parts of a command are underlined.
const MOST_MARKS: usize = 8;
/// So many are compared with each other; a hostile command has more, and they would not be shown anyway.
const MOST_COMPARED: usize = 256;
/// So many effects and gaps are listed.
const MOST_ROWS: usize = 24;
/// What is said about a part is cut to this many columns.
const LONGEST_LABEL: usize = 36;

/// What a call would do: the command with the parts underlined that say so, the effects with place and certainty, and what the
/// call does not tell. `spell` writes paths as a person would.
pub fn write_effects(
    command: Option<&str>,
    effects: &Effects,
    spell: &dyn Fn(&str) -> String,
    out: &mut dyn Write,
) -> io::Result<()> {
    if let Some(picture) = command.and_then(|command| underline(command, effects)) {
        writeln!(out, "\n{picture}")?;
    }
    match effects.list.len() {
        0 if effects.understood() => writeln!(out, "\n{}  {}", "effects".bold(), "none".dimmed())?,
        0 => {}
        count => {
            writeln!(out, "\n{}  {}", "effects".bold(), "of this call".dimmed())?;
            let mut rows: Vec<[String; 4]> = Vec::new();
            let mut more = count.saturating_sub(MOST_COMPARED);
            for row in effects.list.iter().take(MOST_COMPARED).map(|effect| row(effect, spell)) {
                match rows.len() {
                    // What is done over and over is told once.
                    _ if rows.contains(&row) => {}
                    MOST_ROWS.. => more += 1,
                    _ => rows.push(row),
                }
            }
            let mut table = Table::new([("", Align::Left); 4]);
            for row in rows {
                table.row(row);
            }
            table.write(out)?;
            write_more(more, out)?;
        }
    }
    if !effects.understood() {
        writeln!(out, "\n{}  {}", "gaps".bold(), "what the call does not tell".dimmed())?;
        let mut table = Table::new([("", Align::Left); 2]);
        for gap in effects.gaps.iter().take(MOST_ROWS) {
            let part = command.and_then(|command| command.get(gap.span.start..gap.span.end)).unwrap_or_default();
            let part = if part.is_empty() { String::new() } else { format!(": `{}`", shorten(&one_line(part), 40)) };
            table.row([format!("  {}", gap.why.name().yellow()), format!("{}{part}", gap.why.about())]);
        }
        table.write(out)?;
        write_more(effects.gaps.len().saturating_sub(MOST_ROWS), out)?;
    }
    Ok(())
}

/// What an allow rests on: the commands all of whose words are claimed, or the words that nothing claims.
pub fn write_proof(effects: &Effects, out: &mut dyn Write) -> io::Result<()> {
    let proof = &effects.proof;
    if effects.proven() {
        let commands: Vec<String> =
            proof.claims.iter().map(|claim| format!("`{}`", one_line(&claim.command))).collect();
        let of = if commands.is_empty() {
            "the tool's contract".to_owned()
        } else {
            format!("every word of {}", commands.join(", "))
        };
        return writeln!(out, "\n{}  {of} is known", "proven".bold());
    }
    writeln!(out, "\n{}  {}", "not proven".bold(), "no rule allows this call".dimmed())?;
    let mut table = Table::new([("", Align::Left); 2]);
    for doubt in proof.doubts.iter().take(MOST_ROWS) {
        table.row([format!("  {}", shorten(&one_line(&doubt.word), 40)), doubt.why.about().dimmed().to_string()]);
    }
    if proof.doubts.is_empty() {
        let why = match effects.list.iter().find(|effect| effect.sure == Sure::Possible) {
            _ if !effects.understood() => "the gaps above",
            Some(_) => "an effect that is only possible",
            None => "a tool without a contract",
        };
        table.row([format!("  {why}"), String::new()]);
    }
    table.write(out)
}

fn write_more(more: usize, out: &mut dyn Write) -> io::Result<()> {
    match more {
        0 => Ok(()),
        more => writeln!(out, "  {}", format!("… {more} more line{}; --json has all", plural(more)).dimmed()),
    }
}

fn row(effect: &Effect, spell: &dyn Fn(&str) -> String) -> [String; 4] {
    let act = if effect.act.only_reads() { effect.act.name().to_owned() } else { effect.act.name().cyan().to_string() };
    let sure = match effect.sure {
        Sure::Certain => effect.sure.name().dimmed().to_string(),
        Sure::Possible => effect.sure.name().yellow().to_string(),
    };
    let subject = match &effect.on.path {
        Some(path) => {
            let through = path.through.as_ref().map(|real| format!(" → {}", spell(&real.to_string_lossy())));
            let below = if path.recursive && !path.pattern { " and what is below" } else { "" };
            format!("{}{}{below}", spell(&path.resolved.to_string_lossy()), through.unwrap_or_default())
        }
        None => effect.on.subject().unwrap_or_default().to_owned(),
    };
    let program = effect.on.program.as_deref().filter(|program| *program != subject);
    let steps = effect.via.iter().map(|step| &*step.0).chain(program).collect::<Vec<_>>().join(" › ");
    let by = if steps.is_empty() { String::new() } else { format!("by {}", shorten(&one_line(&steps), 40)) };
    let room = columns().saturating_sub(46 + visible_width(&by)).max(24);
    let by = if by.is_empty() { by } else { format!("  {}", by.dimmed()) };
    let subject = shorten(&one_line(&subject), room);
    [format!("  {act}"), effect.place.name().to_owned(), sure, format!("{subject}{by}")]
}

/// A part of the command, and what is said about it.
struct Underline {
    part: Range<usize>,
    labels: Vec<&'static str>,
    changes: bool,
}

/// The command with the parts underlined that have effects or gaps; `None` if there are none.
fn underline(command: &str, effects: &Effects) -> Option<String> {
    let mut marks: Vec<Underline> = Vec::new();
    for effect in &effects.list {
        add(&mut marks, command, effect.span, effect.act.name(), !effect.act.only_reads());
    }
    for gap in &effects.gaps {
        add(&mut marks, command, gap.span, "gap", true);
    }
    if marks.is_empty() {
        return None;
    }
    // What changes something is worth more than what only looks.
    marks.sort_by_key(|mark| !mark.changes);
    let left_out = marks.len().saturating_sub(MOST_MARKS);
    marks.truncate(MOST_MARKS);
    marks.sort_by_key(|mark| mark.part.start);
    let labels: Vec<String> = marks.iter().map(|mark| shorten(&mark.labels.join(", "), LONGEST_LABEL)).collect();
    // What is said stands behind the line, so the line must leave room for it.
    let longest = labels.iter().map(|label| visible_width(label)).max().unwrap_or_default();
    let broken = BrokenText::of(&inert(command), columns().saturating_sub(longest + 8).max(20));
    let annotations = marks.iter().zip(labels).filter_map(|(mark, label)| {
        let kind = if mark.changes { AnnotationKind::Primary } else { AnnotationKind::Context };
        let annotation: Annotation<'_> = kind.span(broken.locate(&mark.part)?).label(label);
        Some(annotation)
    });
    let snippet = annotate_snippets::Snippet::source(broken.text.as_str())
        .line_start(1)
        .line_numbering(!broken.is_broken)
        .annotations(annotations);
    let group = Group::with_level(Level::NOTE).element(snippet);
    let mut picture = Renderer::styled().term_width(columns()).render(&[group]);
    if left_out > 0 {
        picture.push_str(&format!("\n   {}", format!("… {left_out} more part{}", plural(left_out)).dimmed()));
    }
    Some(picture)
}

fn add(marks: &mut Vec<Underline>, command: &str, span: Span, label: &'static str, changes: bool) {
    let Some(part) = command.get(span.start..span.end).filter(|part| !part.trim().is_empty()) else { return };
    // Of a part that goes over several lines the first is enough.
    let first = part.lines().next().unwrap_or_default().len().max(1);
    let part = span.start..span.start + first;
    if let Some(mark) = marks.iter_mut().find(|mark| mark.part == part) {
        if !mark.labels.contains(&label) {
            mark.labels.push(label);
        }
        mark.changes |= changes;
    } else if marks.len() < MOST_COMPARED {
        marks.push(Underline { part, labels: vec![label], changes });
    }
}

/// A text of the same length in bytes that cannot steer a terminal.
fn inert(text: &str) -> String {
    let mut inert = String::with_capacity(text.len());
    for c in text.chars() {
        match c.len_utf8() {
            _ if c == '\n' || !hookrail_core::display::steers(c) => inert.push(c),
            1 => inert.push(' '),
            2 => inert.push('·'),
            3 => inert.push('\u{fffd}'),
            _ => inert.push_str("\u{fffd} "),
        }
    }
    inert
}

/// A command with its long lines broken, between words where there are some.
struct BrokenText {
    text: String,
    /// Where the lines stand in the command and in the text: from, to, and the place in the text.
    pieces: Vec<(usize, usize, usize)>,
    is_broken: bool,
}

impl BrokenText {
    fn of(command: &str, width: usize) -> Self {
        let mut broken = Self { text: String::new(), pieces: Vec::new(), is_broken: false };
        let mut start = 0;
        for line in command.split_inclusive('\n') {
            let mut rest = line;
            while let Some(end) = break_point(rest, width) {
                let (row, after) = rest.split_at(end);
                broken.push(row, &mut start);
                broken.text.push('\n');
                broken.is_broken = true;
                rest = after;
            }
            broken.push(rest, &mut start);
        }
        broken
    }

    fn push(&mut self, row: &str, start: &mut usize) {
        self.pieces.push((*start, *start + row.len(), self.text.len()));
        self.text.push_str(row);
        *start += row.len();
    }

    /// Where a part of the command is in the text, up to the end of its line.
    fn locate(&self, part: &Range<usize>) -> Option<Range<usize>> {
        let index = self.pieces.partition_point(|(_, to, _)| *to <= part.start);
        let (from, to, place) = self.pieces.get(index).copied()?;
        Some(place + part.start.checked_sub(from)?..place + (part.end.min(to) - from))
    }
}

/// Where a line that is too wide is broken: behind the last blank that fits, or where the room ends.
fn break_point(line: &str, width: usize) -> Option<usize> {
    let (mut at, mut used, mut blank) = (0, 0, None);
    for c in line.trim_end_matches('\n').chars() {
        used += visible_width(c.encode_utf8(&mut [0; 4]));
        if used > width {
            return blank.or(Some(at)).filter(|at| *at > 0);
        }
        at += c.len_utf8();
        if c == ' ' {
            blank = Some(at);
        }
    }
    None
}

/// A text in lines of at most the width of the screen, behind a margin.
pub fn write_wrapped(margin: usize, text: &str, out: &mut dyn Write) -> io::Result<()> {
    let lines = wrap(&super::text::harmless(text), columns().saturating_sub(margin));
    lines.iter().try_for_each(|line| writeln!(out, "{:margin$}{line}", ""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_effects::{DEFAULT_GUARDED, EmptyWorld, Surroundings, understand_command};

    fn told(command: &str) -> String {
        let around = Surroundings {
            cwd: "/home/me/shop".into(),
            home: Some("/home/me".into()),
            project: "/home/me/shop".into(),
            beside: Vec::new(),
            guarded: DEFAULT_GUARDED.into(),
        };
        let effects = understand_command(command, &around, &EmptyWorld);
        let mut out = Vec::new();
        write_effects(Some(command), &effects, &str::to_owned, &mut out).unwrap();
        anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string()
    }

    #[test]
    fn the_part_that_says_so_is_underlined() {
        let expected = "\n  |\n1 | cd /opt && rm -rf *\n  |                   ^ fs.delete\n\n\
                        effects  of this call\n  fs.delete  system  possible  /opt/*  by rm\n";
        assert_eq!(told("cd /opt && rm -rf *"), expected);
        assert_eq!(told("echo hi"), "\neffects  none\n");
        assert_eq!(told(""), "\neffects  none\n");
    }

    #[test]
    fn a_hostile_command_cannot_steer_the_terminal_and_is_marked_where_it_should() {
        let told = told("echo \u{202e}x\u{1b}[31m\u{85}; rm -rf ~/x");
        assert!(!told.contains(['\u{202e}', '\u{1b}', '\u{85}']), "{told:?}");
        let lines: Vec<&str> = told.lines().collect();
        let mark = lines.iter().position(|line| line.contains("^ fs.delete")).unwrap();
        let column = lines[mark].chars().position(|c| c == '^').unwrap();
        assert_eq!(lines[mark - 1].chars().skip(column).collect::<String>(), "~/x", "{told}");
    }

    #[test]
    fn lines_of_any_length_and_number_fit_the_screen() {
        for command in [
            format!("echo {}; rm -rf ~/x", "y ".repeat(30_000)),
            format!("rm -rf {}", "~/é/x ".repeat(8_000)),
            format!("rm -rf {}", "漢".repeat(500)),
            format!("rm -rf ~/{}", "z".repeat(5_000)),
            "rm ~/x\n".repeat(3_000),
            "rm -rf ~/x; ".repeat(3_000),
            format!("bash -c '{}'", "rm -rf ~/x;".repeat(1_000)),
        ] {
            let told = told(&command);
            assert!(told.contains("fs.delete"), "{told}");
            assert!(told.lines().count() < 80, "{}", told.lines().count());
            let widest = told.lines().map(visible_width).max().unwrap_or_default();
            assert!(widest <= columns(), "{widest}: {told}");
        }
    }

    #[test]
    fn a_broken_line_is_marked_where_it_should() {
        let command = format!("echo {} && rm -rf ~/x/y", "word ".repeat(40));
        let told = told(&command);
        let lines: Vec<&str> = told.lines().collect();
        let mark = lines.iter().position(|line| line.contains("^ fs.delete")).unwrap();
        let column = lines[mark].chars().position(|c| c == '^').unwrap();
        assert_eq!(lines[mark - 1].chars().skip(column).collect::<String>(), "~/x/y", "{told}");
    }
}
