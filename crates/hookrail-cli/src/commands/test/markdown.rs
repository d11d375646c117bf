//! Scenarios in Markdown: prose, and fenced blocks whose info string says what they are.

use super::expectation::Expectation;
use super::scenario::{CONFIG, Given, Scenario, ScenarioStep, check_given};
use super::source::{Mistake, Piece, Source};
use super::table::Fields;
use std::ops::Range;
use std::sync::Arc;

/// A fenced block.
struct Block {
    /// Behind the fence: a language, then words.
    info: String,
    /// Of the opening fence.
    at: usize,
    content: Range<usize>,
}

/// What a document consists of, as far as scenarios go.
enum DocumentPart {
    Heading { level: usize, text: String, at: usize },
    Block(Block),
}

pub fn read(source: &Arc<Source>) -> Result<Vec<Scenario>, Mistake> {
    let mut reader = ScenarioReader {
        source,
        background: Given::default(),
        title: String::new(),
        scenarios: Vec::new(),
        open: None,
        event: None,
    };
    for part in parts(source)? {
        match part {
            DocumentPart::Heading { level, text, at } => reader.heading(level, &text, at)?,
            DocumentPart::Block(block) => reader.block(&block)?,
        }
    }
    reader.close()?;
    Ok(reader.scenarios)
}

struct ScenarioReader<'a> {
    source: &'a Arc<Source>,
    /// What stands before the first second-level heading holds for all scenarios of the file.
    background: Given,
    title: String,
    scenarios: Vec<Scenario>,
    open: Option<Scenario>,
    /// An event that still waits for what is expected of it.
    event: Option<Fields>,
}

impl ScenarioReader<'_> {
    fn heading(&mut self, level: usize, text: &str, at: usize) -> Result<(), Mistake> {
        if level == 1 && self.open.is_none() {
            text.clone_into(&mut self.title);
            return Ok(());
        }
        if level == 2 {
            self.close()?;
            let place = Piece { source: Arc::clone(self.source), range: at..at };
            self.open = Some(Scenario::new(text, &place, self.background.clone()));
        }
        Ok(())
    }

    /// The end of a scenario. One without an event is prose.
    fn close(&mut self) -> Result<(), Mistake> {
        self.settle_event()?;
        self.scenarios.extend(self.open.take().filter(|scenario| !scenario.steps.is_empty()));
        Ok(())
    }

    fn settle_event(&mut self) -> Result<(), Mistake> {
        match self.event.take() {
            Some(event) => {
                let after = event.piece.range.end;
                self.add(event, Expectation::missing(self.source, after));
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn add(&mut self, event: Fields, expect: Expectation) {
        if let Some(scenario) = &mut self.open {
            scenario.steps.push(ScenarioStep { event, expect });
        }
    }

    fn block(&mut self, block: &Block) -> Result<(), Mistake> {
        let mut words = block.info.split_whitespace();
        let language = words.next().unwrap_or_default();
        let words: Vec<&str> = words.collect();
        let Some(first) = words.first().copied() else { return Ok(()) };
        let piece = Piece { source: Arc::clone(self.source), range: block.content.clone() };
        match first {
            "event" => {
                self.settle_event()?;
                if self.open.is_none() {
                    let place = Piece { source: Arc::clone(self.source), range: block.at..block.at };
                    self.open = Some(Scenario::new(&self.title.clone(), &place, self.background.clone()));
                }
                self.event = Some(table(language, piece, block, self.source)?);
                Ok(())
            }
            "expect" if language != "toml" => {
                Err(Mistake::new(self.source, block.at, "what is expected is written in TOML: `toml expect`"))
            }
            "expect" => {
                let fields = Fields::toml(&piece)?;
                let Some(event) = self.event.take() else {
                    return Err(Mistake::new(self.source, block.at, "there is no event before this `expect`"));
                };
                let expect = Expectation::read(&fields)?;
                self.add(event, expect);
                Ok(())
            }
            "given" => {
                let fields = table(language, piece, block, self.source)?;
                self.given(block)?.read(&fields)
            }
            "hookrail.toml" => {
                self.given(block)?.add_file(CONFIG, piece.text());
                Ok(())
            }
            word => match word.strip_prefix("file=") {
                Some(path) => {
                    check_given(path).map_err(|problem| Mistake::new(self.source, block.at, problem.message))?;
                    self.given(block)?.add_file(path, piece.text());
                    Ok(())
                }
                None => Ok(()),
            },
        }
    }

    /// What a scenario begins with must be said before its first event.
    fn given(&mut self, block: &Block) -> Result<&mut Given, Mistake> {
        match &mut self.open {
            Some(scenario) if self.event.is_some() || !scenario.steps.is_empty() => {
                Err(Mistake::new(self.source, block.at, "this must stand before the first event of the scenario"))
            }
            Some(scenario) => Ok(&mut scenario.given),
            None => Ok(&mut self.background),
        }
    }
}

fn table(language: &str, piece: Piece, block: &Block, source: &Arc<Source>) -> Result<Fields, Mistake> {
    match language {
        "toml" => Fields::toml(&piece),
        "json" => Fields::json(piece),
        other => {
            Err(Mistake::new(source, block.at, format!("a block of this kind is `toml` or `json`, not `{other}`")))
        }
    }
}

/// Headings and fenced blocks, in order.
fn parts(source: &Arc<Source>) -> Result<Vec<DocumentPart>, Mistake> {
    let mut parts = Vec::new();
    let mut fence: Option<(String, Block)> = None;
    let mut at = 0;
    for line in source.text.split_inclusive('\n') {
        let trimmed = line.trim_end();
        match &mut fence {
            Some((ticks, block)) => {
                let inner = trimmed.trim_start();
                if inner.starts_with(ticks.as_str()) && inner.trim_start_matches(['`', '~']).is_empty() {
                    block.content.end = at;
                    parts.extend(fence.take().map(|(_, block)| DocumentPart::Block(block)));
                }
            }
            None => {
                let inner = trimmed.trim_start();
                let ticks: String = inner.chars().take_while(|c| matches!(c, '`' | '~')).collect();
                if ticks.len() >= 3 {
                    let info = inner.get(ticks.len()..).unwrap_or_default().trim().to_owned();
                    let begin = at + line.len();
                    fence = Some((ticks, Block { info, at, content: begin..begin }));
                } else if let Some((level, text)) = heading(trimmed) {
                    parts.push(DocumentPart::Heading { level, text: text.to_owned(), at });
                }
            }
        }
        at += line.len();
    }
    match fence {
        Some((ticks, block)) => {
            Err(Mistake::new(source, block.at, format!("this block is never closed with `{ticks}`")))
        }
        None => Ok(parts),
    }
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    (level > 0 && text.starts_with(' ')).then(|| (level, text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read_text(text: String) -> Result<Vec<Scenario>, Mistake> {
        read(&Arc::new(Source { path: "s.md".into(), text }))
    }

    #[test]
    fn a_fence_ends_with_its_own_length_and_prose_is_no_scenario() {
        let inner = "# A\n\n````toml event\nevent = \"Stop\"\nprompt = \"\"\"\n```\n\"\"\"\n````\n\n```toml expect\ndecision = \"none\"\n```\n";
        assert_eq!(read_text(inner.to_owned()).unwrap().len(), 1);
        let prose = "# A\n\n## B\n\n```toml\n[packs]\n```\n\n```sh\n# event\n```\n";
        assert!(read_text(prose.to_owned()).unwrap().is_empty());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_told_off(
            parts in proptest::collection::vec(prop_oneof![
                Just("# A\n".to_owned()), Just("## B\n".to_owned()), Just("```\n".to_owned()), Just("````\n".to_owned()),
                Just("```toml event\n".to_owned()), Just("```toml expect\n".to_owned()), Just("```json event\n".to_owned()),
                Just("```toml given\n".to_owned()), Just("event = \"Stop\"\n".to_owned()), Just("{\"é\": }\n".to_owned()),
                Just("files.\"é\" = { absent = 1 }\n".to_owned()), any::<String>(),
            ], 0..12),
        ) {
            match read_text(parts.concat()) {
                Ok(scenarios) => prop_assert!(scenarios.iter().all(|scenario| !scenario.steps.is_empty())),
                Err(mistake) => prop_assert!(mistake.show(std::path::Path::new("s.md")).contains("s.md:")),
            }
        }
    }
}
