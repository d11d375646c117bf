//! Which agent honours hooks on which surface, made from the results of the last runs.

use super::Generated;
use crate::agents::{Proof, Results};
use hookrail_dialects::{Agent, Surface};
use std::fmt::Write;
use std::io;
use std::path::Path;

const README: &str = "README.md";
const BEGIN: &str = "<!-- agents: written by `cargo xtask generate` -->\n";
const END: &str = "<!-- agents: end -->\n";

/// The README with its table renewed.
pub(super) fn readme(results: &Results) -> io::Result<Generated> {
    let text = std::fs::read_to_string(Path::new(crate::ROOT).join(README))?;
    let parts = text.split_once(BEGIN).and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let (before, after) = parts.ok_or_else(|| io::Error::other(format!("{README} has no place for the agents")))?;
    let content = format!("{before}{BEGIN}{}{END}{after}", table(results));
    Ok(Generated { path: README.to_owned(), content })
}

/// One row per agent. What no run has shown is a blank, whatever the code says.
pub(super) fn table(results: &Results) -> String {
    let mut text = "| agent | version |".to_owned();
    for surface in Surface::ALL {
        let _ = write!(text, " {} |", surface.as_str().replace('-', " "));
    }
    let _ = writeln!(text, "\n|---|---|{}", ":-:|".repeat(Surface::ALL.len()));
    for agent in hookrail_dialects::agents() {
        let proof = results.of(agent.name);
        let version = proof.map_or("", |proof| proof.version.as_str());
        let _ = write!(text, "| {} | {version} |", agent.title);
        for surface in Surface::ALL {
            let _ = write!(text, " {} |", mark(agent, surface, proof));
        }
        text.push('\n');
    }
    text.push_str(
        "\n✓ proven on that version of the real program by `hookrail verify` · – the agent has no such thing · ✗ the agent \
         does not do what hooks say there · blank: not tried\n",
    );
    text
}

fn mark(agent: &Agent, surface: Surface, proof: Option<&Proof>) -> &'static str {
    let found = proof.and_then(|proof| proof.surfaces.get(surface.as_str()));
    match found.map(|found| found.result.as_str()) {
        Some("honoured") => "✓",
        Some("absent") => "–",
        Some("ignored") => "✗",
        Some(_) => "",
        None if agent.headless.is_ok_and(|headless| headless.calls(surface).is_err()) => "–",
        None => "",
    }
}

/// What a table cannot say, one line per agent that has something to be said about.
pub(super) fn notes(results: &Results) -> String {
    let mut text = String::new();
    for agent in hookrail_dialects::agents() {
        let Some(proof) = results.of(agent.name) else {
            if let Err(why) = agent.headless {
                let _ = writeln!(text, "- {} cannot be tried: {why}.", agent.title);
            }
            continue;
        };
        let said = Surface::ALL.iter().filter_map(|surface| {
            let note = proof.surfaces.get(surface.as_str())?.note.as_deref()?;
            Some(format!("{}: {note}", surface.as_str()))
        });
        let said: Vec<String> = said.collect();
        if !said.is_empty() {
            let _ = writeln!(text, "- {}: {}.", agent.title, said.join("; "));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_proven_without_a_run_and_every_agent_has_a_row() {
        let table = table(&Results::default());
        let rows: Vec<&str> = table.lines().filter(|line| line.starts_with('|')).skip(2).collect();
        assert_eq!(rows.len(), hookrail_dialects::agents().count());
        assert!(rows.iter().all(|row| !row.contains('✓')), "{table}");
    }
}
