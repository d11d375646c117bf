//! A survey as text for people.

use std::io::{self, Write};

use super::survey::{Counts, DocumentSurvey, RequirementState, RequirementSurvey, Survey};

/// Case ids are many; they are wrapped at this column.
const WIDTH: usize = 120;

const DETAIL_INDENT: &str = "             ";

pub fn write(survey: &Survey, out: &mut dyn Write) -> io::Result<()> {
    let ids = survey.documents.iter().flat_map(|document| &document.requirements).map(|row| row.id.len());
    let id_width = ids.max().unwrap_or_default();
    for document in &survey.documents {
        write_document(document, id_width, out)?;
    }
    for problem in &survey.problems {
        writeln!(out, "error: {problem}")?;
    }
    if !survey.problems.is_empty() {
        writeln!(out)?;
    }
    let Counts { ids, covered, uncovered, not_applicable } = survey.counts;
    writeln!(out, "not applicable: {not_applicable}")?;
    writeln!(out, "trace: {ids} ids, {covered} covered, {uncovered} uncovered")
}

fn write_document(document: &DocumentSurvey, id_width: usize, out: &mut dyn Write) -> io::Result<()> {
    let Counts { ids, covered, uncovered, not_applicable } = document.counts;
    write!(out, "{}: {} ({ids} ids, {covered} covered, {uncovered} uncovered", document.name, document.title)?;
    if not_applicable > 0 {
        write!(out, ", {not_applicable} not applicable")?;
    }
    writeln!(out, ")")?;
    for row in &document.requirements {
        write_row(row, id_width, out)?;
    }
    writeln!(out)
}

fn write_row(row: &RequirementSurvey, id_width: usize, out: &mut dyn Write) -> io::Result<()> {
    let (label, reason) = match &row.state {
        RequirementState::Covered => ("covered", None),
        RequirementState::Uncovered => ("UNCOVERED", None),
        RequirementState::Pending { reason } => ("pending", Some(reason)),
        RequirementState::NotApplicable { reason } => ("n/a", Some(reason)),
    };
    write!(out, "  {label:9}  {:id_width$}  {}", row.id, row.title)?;
    match &row.merged_into {
        Some(target) => writeln!(out, " (merged into {target})")?,
        None => writeln!(out)?,
    }
    if let Some(reason) = reason {
        writeln!(out, "{DETAIL_INDENT}reason       {reason}")?;
    }
    for test in &row.evidence.tests {
        writeln!(out, "{DETAIL_INDENT}test         {} {}", test.place, test.name)?;
    }
    for line in wrap(&row.evidence.conformance) {
        writeln!(out, "{DETAIL_INDENT}conformance {line}")?;
    }
    Ok(())
}

/// `conformance:ID` for each case, as lines that keep within the width.
fn wrap(cases: &[String]) -> Vec<String> {
    let room = WIDTH - DETAIL_INDENT.len() - "conformance".len();
    let mut lines: Vec<String> = Vec::new();
    for case in cases {
        let word = format!(" conformance:{case}");
        if let Some(line) = lines.last_mut().filter(|line| line.len() + word.len() <= room) {
            line.push_str(&word);
        } else {
            lines.push(word);
        }
    }
    lines
}
