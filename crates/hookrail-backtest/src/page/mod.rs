//! A report as one page that needs nothing else: no script, no network, no file beside it.
//!
//! What calls say was written by models and by programs. It stands in the page as text only ([`Escaped`]), and the page's own
//! policy forbids scripts, frames, forms and every request.

mod chart;
mod escape;

use crate::judge::CallDecision;
use crate::report::{BacktestReport, CallSource, ChangedCall, Decisions, JudgedCall, counted, number, share};
use escape::Escaped;
use std::fmt::Write;

const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
const STYLE: &str = include_str!("style.css");

/// The page.
#[must_use]
pub fn render(report: &BacktestReport) -> String {
    let mut page = String::with_capacity(64 * 1024);
    // Writing to a text does not fail.
    let _ = write_page(&mut page, report);
    page
}

fn write_page(out: &mut String, report: &BacktestReport) -> std::fmt::Result {
    writeln!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>hookrail backtest</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>"
    )?;
    head(out, report)?;
    answer(out, report)?;
    calls(out, "Calls most worth a look", "look", &report.worth_a_look)?;
    if let Some(selected) = &report.selected {
        calls(out, &format!("Calls of {}", selected.rule), "selected", &selected.calls)?;
    }
    diff(out, report)?;
    days(out, report)?;
    rules(out, report)?;
    projects(out, report)?;
    remarks(out, report)?;
    writeln!(
        out,
        "</main>\n<footer>Made by hookrail on {}. Secrets that were recognised are taken out; look through the page before you \
         share it.</footer>\n</body>\n</html>",
        Escaped(&report.made)
    )
}

fn head(out: &mut String, report: &BacktestReport) -> std::fmt::Result {
    let history = &report.history;
    let agents: Vec<&str> = report.agents.iter().filter(|row| row.sessions > 0).map(|row| row.title.as_str()).collect();
    let day = |time: &Option<String>| time.as_deref().and_then(|time| time.get(..10)).unwrap_or("?").to_owned();
    writeln!(
        out,
        "<header>\n<h1>What it would have done</h1>\n<p><strong>{}</strong> sessions, <strong>{}</strong> calls of {} in {} \
         projects, {} to {}.</p>\n<p>Tried: {}</p>",
        number(history.sessions),
        number(history.calls),
        Escaped(&agents.join(", ")),
        number(history.projects),
        Escaped(&day(&history.first)),
        Escaped(&day(&history.last)),
        Escaped(&report.configuration)
    )?;
    if !report.complete {
        out.push_str("<p class=\"warning\">Interrupted: this is what was found so far.</p>\n");
    }
    out.push_str("</header>\n");
    Ok(())
}

/// The first screen: what would have happened, and what to look at first.
fn answer(out: &mut String, report: &BacktestReport) -> std::fmt::Result {
    let (decisions, asked, score) = (&report.decisions, &report.interruptions, &report.score);
    let total = decisions.total();
    out.push_str("<section aria-label=\"Answer\">\n<div class=\"cards\">\n");
    for (class, title, count, about) in [
        ("deny", "Refused", decisions.deny, "calls that would not have run"),
        ("ask", "Asked", decisions.ask, "calls that you would have been asked about"),
        ("allow", "Approved", decisions.allow, "calls that would have run without a prompt"),
    ] {
        writeln!(
            out,
            "<div class=\"card {class}\"><h2>{title}</h2><p class=\"big\">{}</p><p>{} of {}</p></div>",
            number(count),
            share(count, total),
            Escaped(about)
        )?;
    }
    writeln!(
        out,
        "<div class=\"card\"><h2>Questions to you</h2><p class=\"big\">{} → {}</p><p>{:.1} → {:.1} a day</p></div>\n</div>",
        number(asked.before),
        number(asked.after),
        asked.before_per_day,
        asked.after_per_day
    )?;
    chart::share(out, decisions)?;
    let class = if score.approved_denied > 0 { "verdict warning" } else { "verdict" };
    let first = if score.approved_denied > 0 { " <a href=\"#look\">Look here first.</a>" } else { "" };
    if report.source == CallSource::Transcripts {
        writeln!(
            out,
            "<p class=\"{class}\">Of {} calls that you approved then, <strong>{}</strong> would be refused now.{first}</p>",
            number(score.approved),
            number(score.approved_denied)
        )?;
    }
    if score.refused > 0 {
        writeln!(
            out,
            "<p>Of {} calls that you refused then, {} would be refused or asked about now.</p>",
            number(score.refused),
            number(score.refused_stopped)
        )?;
    }
    out.push_str("</section>\n");
    calls(out, "The worst of what would have been refused", "worst", &report.worst)
}

fn calls(out: &mut String, title: &str, id: &str, calls: &[JudgedCall]) -> std::fmt::Result {
    if calls.is_empty() {
        return Ok(());
    }
    writeln!(out, "<section id=\"{id}\">\n<h2>{}</h2>\n<ol class=\"calls\">", Escaped(title))?;
    for call in calls {
        out.push_str("<li>\n");
        one_call(out, call)?;
        out.push_str("</li>\n");
    }
    out.push_str("</ol>\n</section>\n");
    Ok(())
}

fn one_call(out: &mut String, call: &JudgedCall) -> std::fmt::Result {
    let times =
        if call.times > 1 { format!(" <span class=\"times\">×{}</span>", number(call.times)) } else { String::new() };
    write!(
        out,
        "<p><span class=\"word {0}\">{0}</span> <code>{1}</code>{times}</p>\n<p class=\"detail\">{2} · {3} · {4} in {5} · {6}",
        call.now.as_str(),
        Escaped(&format!("{} {}", call.tool, call.subject)),
        Escaped(&call.rules.join(", ")),
        call.then.sentence(),
        Escaped(&call.agent),
        Escaped(&call.project),
        Escaped(call.time.get(..16).unwrap_or(&call.time))
    )?;
    if call.cannot_ask {
        out.push_str(" · the agent cannot ask, so that the question is a refusal");
    }
    if call.may_differ {
        out.push_str(" · may have been decided otherwise with the files of then");
    }
    out.push_str("</p>\n");
    if let Some(reason) = &call.reason {
        writeln!(out, "<details><summary>Why</summary><pre>{}</pre></details>", Escaped(reason))?;
    }
    let call = Escaped(&call.call);
    writeln!(
        out,
        "<p class=\"commands\"><code>hookrail try --call {call}</code> <code>hookrail explain --call {call}</code> \
         <code>hookrail backtest --scenario {call}</code></p>"
    )
}

fn diff(out: &mut String, report: &BacktestReport) -> std::fmt::Result {
    let Some(diff) = &report.diff else { return Ok(()) };
    writeln!(
        out,
        "<section id=\"diff\">\n<h2>Compared with {}</h2>\n<p>{} calls would be decided otherwise; {} questions to you in place \
         of {}.</p>\n<table>\n<thead><tr><th>this</th><th>the other</th><th class=\"n\">calls</th></tr></thead>\n<tbody>",
        Escaped(&diff.other),
        number(diff.changed),
        number(diff.asked),
        number(report.interruptions.after)
    )?;
    for shift in &diff.shifts {
        writeln!(
            out,
            "<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td></tr>",
            word(shift.from),
            word(shift.to),
            number(shift.calls)
        )?;
    }
    out.push_str("</tbody>\n</table>\n<ol class=\"calls\">\n");
    for ChangedCall { call, other, other_rules } in diff.calls.iter().take(40) {
        out.push_str("<li>\n");
        one_call(out, call)?;
        writeln!(
            out,
            "<p class=\"detail\">the other: {} {}</p>\n</li>",
            word(*other),
            Escaped(&other_rules.join(", "))
        )?;
    }
    out.push_str("</ol>\n</section>\n");
    Ok(())
}

fn days(out: &mut String, report: &BacktestReport) -> std::fmt::Result {
    if report.days.is_empty() {
        return Ok(());
    }
    out.push_str("<section id=\"days\">\n<h2>By day</h2>\n");
    chart::questions(out, &report.days)?;
    chart::stops(out, &report.days)?;
    out.push_str("</section>\n");
    Ok(())
}

fn rules(out: &mut String, report: &BacktestReport) -> std::fmt::Result {
    if report.rules.is_empty() {
        return Ok(());
    }
    out.push_str(
        "<section id=\"rules\">\n<h2>By rule</h2>\n<table>\n<thead><tr><th>rule</th><th class=\"n\">refuses</th><th class=\"n\">asks</th>\
         <th class=\"n\">approves</th><th class=\"n\">you approved</th><th class=\"n\">you refused</th><th>for example</th></tr></thead>\n<tbody>\n",
    );
    for row in &report.rules {
        let example = row.example.as_ref().map(|call| call.subject.as_str()).unwrap_or_default();
        let shadow = if row.withheld { " <em>(shadow)</em>" } else { "" };
        writeln!(
            out,
            "<tr><td><code>{}</code>{shadow}</td>{}<td class=\"n\">{}</td><td class=\"n\">{}</td><td><code>{}</code></td></tr>",
            Escaped(&row.rule),
            decision_cells(&row.said),
            some(row.approved_then),
            some(row.refused_then),
            Escaped(example)
        )?;
    }
    out.push_str("</tbody>\n</table>\n</section>\n");
    Ok(())
}

fn projects(out: &mut String, report: &BacktestReport) -> std::fmt::Result {
    out.push_str(
        "<section id=\"projects\">\n<h2>By project</h2>\n<table>\n<thead><tr><th>project</th><th class=\"n\">refused</th>\
         <th class=\"n\">asked</th><th class=\"n\">approved</th><th class=\"n\">calls</th><th class=\"n\">asked then</th></tr></thead>\n<tbody>\n",
    );
    for row in &report.projects {
        writeln!(
            out,
            "<tr><td>{}</td>{}<td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            Escaped(&row.project),
            decision_cells(&row.decisions),
            number(row.decisions.total()),
            some(row.asked_then)
        )?;
    }
    out.push_str("</tbody>\n</table>\n</section>\n");
    Ok(())
}

fn remarks(out: &mut String, report: &BacktestReport) -> std::fmt::Result {
    out.push_str("<section id=\"remarks\">\n<h2>What this rests on</h2>\n<ul>\n");
    let history = &report.history;
    if report.source == CallSource::Transcripts {
        writeln!(out, "<li>{}, {:.1} MB</li>", counted(history.files, "file"), history.bytes as f64 / 1e6)?;
    }
    for remark in report.remarks() {
        writeln!(out, "<li>{}</li>", Escaped(&remark))?;
    }
    out.push_str("</ul>\n</section>\n");
    Ok(())
}

fn decision_cells(decisions: &Decisions) -> String {
    [decisions.deny, decisions.ask, decisions.allow]
        .map(|count| format!("<td class=\"n\">{}</td>", some(count)))
        .concat()
}

fn word(answer: CallDecision) -> String {
    format!("<span class=\"word {0}\">{0}</span>", answer.as_str())
}

/// Nothing is not worth a number.
fn some(count: u64) -> String {
    if count == 0 { String::new() } else { number(count) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Counted, Problem, RuleRow};

    #[test]
    fn nothing_of_a_call_becomes_markup() {
        let hostile = "</code><script>alert(1)</script>\u{1b}[31m\" onload='x' & \u{202e}";
        let call = JudgedCall {
            call: hostile.to_owned(),
            tool: hostile.to_owned(),
            subject: hostile.to_owned(),
            reason: Some(hostile.to_owned()),
            project: hostile.to_owned(),
            rules: vec![hostile.to_owned()],
            ..JudgedCall::default()
        };
        let report = BacktestReport {
            configuration: hostile.to_owned(),
            worst: vec![call.clone()],
            worth_a_look: vec![call.clone()],
            rules: vec![RuleRow { rule: hostile.to_owned(), example: Some(call), ..RuleRow::default() }],
            problems: vec![Problem { examples: vec![hostile.to_owned()], ..Problem::default() }],
            not_started: vec![Counted { name: hostile.to_owned(), count: 1 }],
            ..BacktestReport::default()
        };
        let page = render(&report);
        for forbidden in ["<script", "onload='", "\u{1b}", "\u{202e}"] {
            assert!(!page.contains(forbidden), "{forbidden:?}");
        }
        assert!(page.contains("&lt;script&gt;alert(1)"));
    }
}
