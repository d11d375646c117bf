//! The checklist.

use super::item::{Area, CheckStatus, Item};
use crate::error::CliError;
use crate::screen::{columns, one_line, wrap};
use anstream::println;
use owo_colors::OwoColorize;
use serde_json::{Value, json};

/// The column of areas.
const AREA: usize = 15;
/// The column of marks.
const MARK: usize = 2;
/// The column before a reason or a remedy.
const LABEL: usize = 5;

type Done = Result<String, CliError>;

pub fn print(areas: &[Area], done: &[Done]) {
    for result in done {
        match result {
            Ok(what) => println!("{} {}", "fixed:".green().bold(), one_line(what)),
            Err(why) => println!("{} {}", "not fixed:".red().bold(), one_line(&why.to_string())),
        }
    }
    if !done.is_empty() {
        println!();
    }
    areas.iter().for_each(print_area);
    println!("\n{}{}", summary(areas), remedy(areas));
}

fn remedy(areas: &[Area]) -> String {
    match areas.iter().flat_map(Area::repairs).count() {
        0 => String::new(),
        count => format!("; `hookrail doctor --fix` repairs {count}"),
    }
}

fn print_area(area: &Area) {
    for (number, item) in area.items.iter().enumerate() {
        print_item(if number == 0 { area.title } else { "" }, item);
    }
}

fn print_item(title: &str, item: &Item) {
    let mark = match item.mark {
        CheckStatus::Fine => "✓".green().to_string(),
        CheckStatus::Look => "!".yellow().bold().to_string(),
        CheckStatus::Wrong => "✗".red().bold().to_string(),
    };
    for (number, line) in wrapped(&item.what, AREA + MARK).iter().enumerate() {
        let (title, mark) = if number == 0 { (title, mark.as_str()) } else { ("", " ") };
        println!("{:AREA$}{mark} {line}", title.bold());
    }
    if let Some(why) = &item.why {
        labelled("why", why, |line| line.dimmed().to_string());
    }
    if let Some(fix) = &item.fix {
        labelled("fix", fix, |line| line.cyan().to_string());
    }
}

fn labelled(label: &str, text: &str, paint: impl Fn(&str) -> String) {
    for (number, line) in wrapped(text, AREA + MARK + LABEL).iter().enumerate() {
        let label = if number == 0 { label } else { "" };
        println!("{:margin$}{:LABEL$}{}", "", label.dimmed(), paint(line), margin = AREA + MARK);
    }
}

fn wrapped(text: &str, margin: usize) -> Vec<String> {
    wrap(&one_line(text), columns().saturating_sub(margin))
}

fn summary(areas: &[Area]) -> String {
    let count = |mark: CheckStatus| areas.iter().flat_map(|area| &area.items).filter(|item| item.mark == mark).count();
    let things = |count: usize| if count == 1 { "1 thing is".to_owned() } else { format!("{count} things are") };
    let look = |count: usize| if count == 1 { "1 to look at".to_owned() } else { format!("{count} to look at") };
    match (count(CheckStatus::Wrong), count(CheckStatus::Look)) {
        (0, 0) => "no problems found".green().bold().to_string(),
        (0, looks) => look(looks).yellow().bold().to_string(),
        (wrong, 0) => format!("{} wrong", things(wrong)).red().bold().to_string(),
        (wrong, looks) => format!("{}, {}", format!("{} wrong", things(wrong)).red().bold(), look(looks).yellow()),
    }
}

pub fn json(areas: &[Area], done: &[Done]) -> Value {
    let item = |item: &Item| {
        json!({
            "state": item.mark.as_str(),
            "what": item.what,
            "why": item.why,
            "fix": item.fix,
            "fixable": item.repair.is_some(),
        })
    };
    let area = |area: &Area| json!({ "area": area.title, "checks": area.items.iter().map(item).collect::<Vec<_>>() });
    let count = |mark: CheckStatus| areas.iter().flat_map(|area| &area.items).filter(|item| item.mark == mark).count();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "areas": areas.iter().map(area).collect::<Vec<_>>(),
        "errors": count(CheckStatus::Wrong),
        "warnings": count(CheckStatus::Look),
        "fixed": done.iter().filter_map(|it| it.as_ref().ok()).collect::<Vec<_>>(),
        "not_fixed": done.iter().filter_map(|it| it.as_ref().err()).map(ToString::to_string).collect::<Vec<_>>(),
    })
}
