//! The command line of `cargo xtask trace`.

use super::catalogue::Catalogue;
use super::problem::hint;
use crate::TaskError;

pub const HELP: &str = "\
usage: cargo xtask trace [--document NAME]… [--uncovered] [--require NAME]… [--json]

Lists every requirement id of spec/requirements/*.toml with what covers it. Only reads.

A test covers an id when a comment `// covers: HOOK-107 HOOK-108` stands in its body: a `#[test]` function in
crates/ and examples/, a `test(…)` or `it(…)` in clients/. A conformance case (spec/conformance/*.jsonl) covers
the ids of its `spec`. A merged id is covered when the id it was merged into is.

  --document NAME  list and count this document only (may repeat, or name several: engine,fsm)
  --uncovered      list only the ids without cover; the counts stay those of the whole
  --require NAME   fail when this document has ids without cover, instead of `complete` in spec/trace.toml
  --json           print one JSON object instead of the listing and its last lines
  --help           print this text

The last lines count all ids, merged ones included, except those that spec/trace.toml marks as not applicable:

  not applicable: K
  trace: N ids, C covered, U uncovered

Exit code 1 when a document that must be complete is not (ids in [pending] of spec/trace.toml are excused), or
when a comment, a case or spec/trace.toml is wrong; 2 when this command line is.";

/// What was asked for.
#[derive(Debug, Default)]
pub struct Options {
    pub help: bool,
    pub json: bool,
    pub uncovered: bool,
    documents: Vec<String>,
    require: Vec<String>,
}

impl Options {
    pub fn parse(args: &[String]) -> Result<Self, TaskError> {
        let mut options = Self::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let (flag, attached) = match arg.split_once('=') {
                Some((flag, value)) => (flag, Some(value)),
                None => (arg.as_str(), None),
            };
            let mut value = || {
                let value = attached.or_else(|| args.next().map(String::as_str));
                value.map(split_list).ok_or_else(|| usage(&format!("`{flag}` needs a value")))
            };
            match flag {
                "--document" => options.documents.extend(value()?),
                "--require" => options.require.extend(value()?),
                "--help" | "-h" | "--json" | "--uncovered" if attached.is_some() => {
                    return Err(usage(&format!("`{flag}` takes no value")));
                }
                "--help" | "-h" => options.help = true,
                "--json" => options.json = true,
                "--uncovered" => options.uncovered = true,
                _ if flag.starts_with('-') => return Err(usage(&format!("unknown flag `{flag}`"))),
                _ => return Err(usage(&format!("unexpected argument `{arg}`"))),
            }
        }
        Ok(options)
    }

    /// Refuses names of documents that do not exist, and a requirement on a document that is left out.
    pub fn check(&self, catalogue: &Catalogue) -> Result<(), TaskError> {
        for name in self.documents.iter().chain(&self.require) {
            if catalogue.document(name).is_none() {
                let known: Vec<_> = catalogue.documents.iter().map(|document| document.name.as_str()).collect();
                let hint = hint(catalogue.nearest_document(name));
                let message = format!("unknown document `{name}`; there are {}{hint}", known.join(", "));
                return Err(TaskError::Usage(message));
            }
        }
        match self.require.iter().find(|name| !self.selects(name)) {
            Some(name) => Err(usage(&format!("`--require {name}` asks for a document that `--document` leaves out"))),
            None => Ok(()),
        }
    }

    /// Whether the document is listed and counted.
    pub fn selects(&self, document: &str) -> bool {
        self.documents.is_empty() || self.documents.iter().any(|name| name == document)
    }

    /// Whether the document must be complete, given what the policy says of it.
    pub fn requires(&self, document: &str, complete: &[String]) -> bool {
        let required = if self.require.is_empty() { complete } else { &self.require };
        required.iter().any(|name| name == document)
    }
}

fn split_list(names: &str) -> Vec<String> {
    names.split(',').map(|name| name.trim().to_owned()).collect()
}

fn usage(message: &str) -> TaskError {
    TaskError::Usage(format!("{message}\nhint: `cargo xtask trace --help` explains the flags"))
}
