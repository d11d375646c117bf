//! What answers mean, shown with commands that are judged under them.

use crate::commands::test::Preview;
use crate::error::CliError;
use crate::screen::{Align, Table};
use owo_colors::OwoColorize;

/// Commands that levels differ in, and one that they do not.
pub const LEVEL: &[&str] = &["rm -rf ~/photos", "rm -rf data", "git status"];
pub const PROTECTED: &[&str] = &["echo x > secrets/token", "rm -rf secrets", "cat README.md > notes.md"];
pub const SECRET: &[&str] = &["cat .env", "head data/orders.csv", "cat README.md"];
pub const DAILY: &[&str] = &["npm test", "git commit -am fix", "git push"];

/// Prints what each configuration says about each command. Where it cannot be found out, nothing is shown.
pub fn show(configurations: &[(&str, String)], commands: &[&str]) {
    if let Ok(table) = table(configurations, commands) {
        anstream::eprintln!();
        // A closed stdout is not an error.
        let _ = table.write(&mut anstream::stderr());
    }
}

fn table(configurations: &[(&str, String)], commands: &[&str]) -> Result<Table, CliError> {
    let names = configurations.iter().map(|(name, _)| (*name, Align::Left));
    let mut table = Table::new(std::iter::once(("", Align::Left)).chain(names));
    let previews: Vec<Preview> = configurations.iter().map(|(_, text)| Preview::new(text)).collect::<Result<_, _>>()?;
    for command in commands {
        let mut cells = vec![format!("  {command}")];
        for preview in &previews {
            cells.push(painted(preview.verdict(command)?));
        }
        table.row(cells);
    }
    Ok(table)
}

fn painted(verdict: &str) -> String {
    match verdict {
        "deny" => "denied".red().to_string(),
        "ask" => "asks you".yellow().to_string(),
        "allow" => "allowed".green().to_string(),
        _ => "agent decides".dimmed().to_string(),
    }
}
