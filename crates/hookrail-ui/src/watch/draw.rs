//! The view on a screen of at least 80 columns and 24 lines.

use super::app::{App, Focus};
use super::detail::{Detail, Run};
use crate::journal::{EventRow, Index, ShownSession, Verdict};
use hookrail_core::display;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Clear, Paragraph, Wrap};

/// Less than this cannot be laid out.
const LEAST: (u16, u16) = (80, 24);

pub fn draw(app: &mut App, frame: &mut Frame<'_>) {
    let area = frame.area();
    if area.width < LEAST.0 || area.height < LEAST.1 {
        let text = format!("hookrail watch needs {} × {}; this is {} × {}", LEAST.0, LEAST.1, area.width, area.height);
        frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), area);
        return;
    }
    let lanes = lane_lines(app).len();
    let room = u16::try_from(lanes).unwrap_or(u16::MAX).clamp(1, area.height / 3) + 2;
    let rows = [Constraint::Length(1), Constraint::Length(room), Constraint::Min(5), Constraint::Length(1)];
    let [head, lanes, events, foot] = Layout::vertical(rows).areas(area);
    draw_head(app, frame, head);
    draw_lanes(app, frame, lanes);
    draw_events(app, frame, events);
    draw_foot(app, frame, foot);
    if let Some(detail) = app.detail.clone() {
        let below = Rect { y: head.bottom(), height: foot.y - head.bottom(), ..area };
        if let Some(open) = &mut app.detail {
            open.lines = draw_detail(&detail, frame, below);
        }
    }
    if app.help {
        draw_help(frame, area);
    }
}

/// A verdict's colour; its word says the same where there are no colours.
fn style(verdict: Verdict) -> Style {
    match verdict {
        Verdict::None => Style::new().add_modifier(Modifier::DIM),
        Verdict::Failed => Style::new().fg(Color::Magenta),
        Verdict::Warned => Style::new().fg(Color::Yellow),
        Verdict::Allow => Style::new().fg(Color::Green),
        Verdict::Ask => Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD),
        Verdict::Deny => Style::new().fg(Color::Red).add_modifier(Modifier::BOLD),
        Verdict::Stop => Style::new().fg(Color::Red).add_modifier(Modifier::REVERSED),
    }
}

/// A verdict in a lane. The letters differ, not only the colours.
fn mark(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::None => "·",
        Verdict::Failed => "!",
        Verdict::Warned => "w",
        Verdict::Allow => "a",
        Verdict::Ask => "?",
        Verdict::Deny => "D",
        Verdict::Stop => "S",
    }
}

fn draw_head(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let index = app.tail.index();
    let events = index.rows().len();
    let text = match &app.trouble {
        Some(trouble) => vec![" hookrail watch ".bold(), display::one_line(trouble).into_owned().red()],
        None => vec![
            " hookrail watch ".bold().reversed(),
            format!("  {} of {events} events · {} sessions · ", app.found.len(), app.sessions.len()).into(),
            Span::styled(
                format!("{} denied", index.count(Verdict::Deny) + index.count(Verdict::Stop)),
                style(Verdict::Deny),
            ),
            " · ".into(),
            Span::styled(format!("{} asked", index.count(Verdict::Ask)), style(Verdict::Ask)),
        ],
    };
    frame.render_widget(Paragraph::new(Line::from(text)), area);
}

fn block(title: &str, focused: bool) -> Block<'_> {
    let style = if focused { Style::new().fg(Color::Cyan) } else { Style::new().add_modifier(Modifier::DIM) };
    Block::new().borders(Borders::TOP | Borders::BOTTOM).border_style(style).title(format!(" {title} ").bold())
}

fn draw_lanes(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let lines = lane_lines(app);
    let room = usize::from(area.height.saturating_sub(2));
    let chosen = lines.iter().position(|(session, _)| *session == app.lane).unwrap_or_default();
    let skip = (chosen + 1).saturating_sub(room);
    let shown: Vec<Line<'_>> = lines
        .into_iter()
        .skip(skip)
        .take(room)
        .map(|(session, line)| if session == app.lane && app.focus == Focus::Lanes { line.reversed() } else { line })
        .collect();
    let title = match &app.story {
        Some(session) => format!("sessions: story of {} (Esc: all)", short(session, 24)),
        None => "sessions".to_owned(),
    };
    let lanes = if shown.is_empty() {
        vec![Line::from("No session yet: start an agent whose hooks call hookrail (`hookrail install`).").dim()]
    } else {
        shown
    };
    frame.render_widget(Paragraph::new(lanes).block(block(&title, app.focus == Focus::Lanes)), area);
}

/// A line for every session and for every sub-agent below it, with the number of the session.
fn lane_lines(app: &App) -> Vec<(usize, Line<'static>)> {
    let now = (app.clock)();
    let mut lines = Vec::new();
    for (number, session) in app.sessions.iter().enumerate() {
        for (which, lane) in session.lanes.iter().enumerate() {
            let name =
                if which == 0 { session_name(session) } else { format!("  └ {}", lane_name(&lane.title, &lane.id)) };
            let mut spans = vec![Span::raw(format!("{name:34.34} "))];
            let marks = lane.marks.iter().skip(lane.marks.len().saturating_sub(28));
            let drawn = marks.clone().count();
            spans.push(Span::raw(" ".repeat(28 - drawn)));
            spans.extend(marks.map(|(_, verdict)| Span::styled(mark(*verdict), style(*verdict))));
            let state = if session.ended || lane.ended { "ended".to_owned() } else { age(now - lane.last) };
            spans.push(Span::raw(format!(" {:>5} {state:>7}", lane.events)).dim());
            lines.push((number, Line::from(spans)));
        }
    }
    lines
}

fn session_name(session: &ShownSession) -> String {
    let project = session.project.rsplit('/').next().unwrap_or_default();
    display::one_line(&format!("{} {project} {}", session.agent, short(&session.id, 12))).into_owned()
}

fn lane_name(title: &str, id: &str) -> String {
    display::one_line(if title.is_empty() { id } else { title }).into_owned()
}

fn draw_events(app: &mut App, frame: &mut Frame<'_>, area: Rect) {
    app.set_page(usize::from(area.height.saturating_sub(2)));
    let tail = app.tail.clone();
    let index = tail.index();
    let width = usize::from(area.width);
    let line = |from_newest: usize| {
        let row = index.rows().get(app.place(from_newest)? as usize)?;
        let line = event_line(row, &index, width);
        let chosen = from_newest == app.selected && app.focus == Focus::Events;
        Some(if chosen { line.reversed() } else { line })
    };
    let mut lines: Vec<Line<'_>> = (app.top..app.top + app.page).map_while(line).collect();
    if lines.is_empty() {
        let text = match app.filter.is_open() {
            true => "Nothing happened yet. Events appear here as your agents work.",
            false => "No event matches the filter. Esc clears it.",
        };
        lines.push(Line::from(text).dim());
    }
    let place =
        if app.found.is_empty() { String::new() } else { format!(", {} of {}", app.selected + 1, app.found.len()) };
    let title = format!("events{place}");
    frame.render_widget(Paragraph::new(lines).block(block(&title, app.focus == Focus::Events)), area);
}

fn event_line(row: &EventRow, index: &Index, width: usize) -> Line<'static> {
    const FIXED: usize = 9 + 7 + 13 + 9;
    let names = index.names();
    let tool = names.text(row.tool);
    let tool = if tool.is_empty() { names.text(row.event) } else { tool };
    let room = width.saturating_sub(FIXED);
    let mut spans = vec![
        Span::raw(format!("{} ", time_of_day(row.millis))).dim(),
        Span::styled(format!("{:6} ", row.verdict.as_str()), style(row.verdict)),
        Span::raw(format!("{:12.12} ", display::one_line(tool))),
    ];
    let mut left = room;
    for (text, marked) in parts(row) {
        let text: String = display::one_line(text).chars().take(left).collect();
        left -= text.chars().count();
        spans.push(if marked { Span::raw(text).underlined() } else { Span::raw(text) });
    }
    spans.push(Span::raw(" ".repeat(left)));
    spans.push(Span::raw(format!(" {:>8}", duration(row.micros()))).dim());
    Line::from(spans)
}

/// What an event is about, and which part of it a rule named.
fn parts(row: &EventRow) -> Vec<(&str, bool)> {
    match row.span.and_then(|span| crate::journal::marked(&row.subject, span)) {
        Some([before, named, after]) => vec![(before, false), (named, true), (after, false)],
        None => vec![(&row.subject, false)],
    }
}

fn draw_foot(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let line = if app.focus == Focus::Filter {
        Line::from(vec![
            " filter: ".bold(),
            app.typed.clone().into(),
            "▏".into(),
            "  (words, project: agent: hook: decision:)".dim(),
        ])
    } else if app.typed.is_empty() {
        Line::from(" ↑↓ choose  ↵ open  Tab lanes  / filter  d decisions  ? keys  q end").dim()
    } else {
        Line::from(vec![" filter: ".bold(), app.typed.clone().into(), "  Esc clears it".dim()])
    };
    frame.render_widget(Paragraph::new(line), area);
}

/// How many lines it has.
fn draw_detail(detail: &Detail, frame: &mut Frame<'_>, area: Rect) -> usize {
    let mut lines = vec![Line::from(vec![
        Span::styled(format!("{} ", detail.verdict.as_str()), style(detail.verdict)),
        detail.title.clone().bold(),
    ])];
    let [before, named, after] = &detail.subject;
    if !(before.is_empty() && named.is_empty() && after.is_empty()) {
        lines.push(Line::default());
        lines.extend(subject_lines(before, named, after));
    }
    lines.push(Line::default());
    lines.extend(
        detail.facts.iter().map(|(name, value)| Line::from(vec![format!("{name:10}").dim(), value.clone().into()])),
    );
    lines.push(Line::default());
    lines.push(Line::from(format!("{} hook run(s)", detail.runs.len())).bold());
    detail.runs.iter().for_each(|run| lines.extend(run_lines(run)));
    if detail.verdict >= Verdict::Ask {
        let record = detail.facts.iter().find(|(name, _)| *name == "record").map(|(_, value)| value.as_str());
        lines.push(Line::default());
        let hint = format!("Was this wrong? `hookrail allow {}` shows the exception first.", record.unwrap_or("last"));
        lines.push(Line::from(hint).dim());
    }
    let room = usize::from(area.width.max(1));
    let count = lines.iter().map(|line| line.width().div_ceil(room).max(1)).sum();
    let page = Paragraph::new(lines).wrap(Wrap { trim: false });
    let scroll = u16::try_from(detail.scroll).unwrap_or(u16::MAX);
    frame.render_widget(Clear, area);
    frame.render_widget(page.scroll((scroll, 0)).block(block("event (Esc: back)", true)), area);
    count
}

/// The parts of a text that may have several lines.
fn subject_lines(before: &str, named: &str, after: &str) -> Vec<Line<'static>> {
    let mut lines = vec![Vec::new()];
    for (text, marked) in [(before, false), (named, true), (after, false)] {
        for (number, piece) in text.split('\n').enumerate() {
            if number > 0 {
                lines.push(Vec::new());
            }
            let span = Span::raw(piece.to_owned());
            if let Some(line) = lines.last_mut() {
                line.push(if marked { span.underlined().red() } else { span });
            }
        }
    }
    lines.into_iter().map(Line::from).collect()
}

fn run_lines(run: &Run) -> Vec<Line<'static>> {
    let mut lines = vec![Line::from(vec![
        Span::styled(format!("  {:6} ", run.verdict.as_str()), style(run.verdict)),
        format!("{:40} ", run.hook).into(),
        format!("{:>8}", duration(run.micros)).dim(),
        format!("  {}", run.source).dim(),
    ])];
    lines.extend(run.why.lines().map(|line| Line::from(format!("         {line}"))));
    lines
}

const KEYS: [(&str, &str); 9] = [
    ("↑ ↓ j k", "the next or the previous"),
    ("PgUp PgDn g G", "a page further, the newest, the oldest"),
    ("Tab", "between sessions and events"),
    ("Enter", "a session's story, or an event in detail"),
    ("Esc", "back: detail, filter, story"),
    ("/", "filter: words, project:shop agent:claude hook:x decision:deny"),
    ("d", "only refusals, questions, warnings, failures, all again"),
    ("?", "this list"),
    ("q", "end"),
];

fn draw_help(frame: &mut Frame<'_>, area: Rect) {
    let lines: Vec<Line<'_>> =
        KEYS.iter().map(|(key, what)| Line::from(vec![format!(" {key:14}").bold(), (*what).into()])).collect();
    let (width, height) = (78.min(area.width), 11);
    let popup = Rect { x: (area.width - width) / 2, y: (area.height - height) / 2, width, height };
    frame.render_widget(Clear, popup);
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(" keys ".bold())), popup);
}

fn short(text: &str, room: usize) -> String {
    display::one_line(text).chars().take(room).collect()
}

/// In UTC, as `hookrail log` has it.
fn time_of_day(millis: i64) -> String {
    let seconds = millis.div_euclid(1000).rem_euclid(24 * 60 * 60);
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

fn age(millis: i64) -> String {
    match millis.max(0) / 1000 {
        seconds @ 0..60 => format!("{seconds}s"),
        seconds @ 60..3600 => format!("{}m", seconds / 60),
        seconds @ 3600..86_400 => format!("{}h", seconds / 3600),
        seconds => format!("{}d", seconds / 86_400),
    }
}

fn duration(micros: u64) -> String {
    match micros {
        0..1000 => format!("{micros}µs"),
        1000..1_000_000 => format!("{:.1}ms", micros as f64 / 1000.0),
        _ => format!("{:.1}s", micros as f64 / 1_000_000.0),
    }
}
