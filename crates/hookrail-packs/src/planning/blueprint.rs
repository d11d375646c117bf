//! What makes a blueprint one that can be built from.

use super::markdown;

/// The five things a blueprint is looked through for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    Components,
    DataFlow,
    Interfaces,
    Files,
    Sequence,
}

/// How many of the five a blueprint needs.
pub(super) const NEEDED: usize = 3;

const DATA_FLOW: &[&str] = &[
    "data flow",
    "dataflow",
    "data-flow",
    "flow of data",
    "sequencediagram",
    "sequence diagram",
    "flowchart",
    "request flow",
    "event flow",
    "is passed to",
    "are passed to",
    "passes it to",
    "is sent to",
    "are sent to",
    "forwards",
    "publishes",
    "subscribes",
];
const INTERFACES: &[&str] =
    &["signature", "api contract", "contract:", "endpoint", "props", "get /", "post /", "put /", "patch /", "delete /"];
const FILES: &[&str] = &[
    "files to create",
    "files to modify",
    "files to change",
    "files to add",
    "files created",
    "files modified",
    "files changed",
    "file changes",
    "new files",
    "modified files",
    "changed files",
    "list of files",
];
const SEQUENCE: &[&str] = &[
    "build sequence",
    "build order",
    "implementation order",
    "implementation sequence",
    "implementation steps",
    "implementation phases",
    "implementation plan",
    "order of implementation",
    "order of work",
    "step 1",
    "phase 1",
    "milestone 1",
];

impl Element {
    pub const COUNT: usize = 5;
    const ALL: [Self; Self::COUNT] = [Self::Components, Self::DataFlow, Self::Interfaces, Self::Files, Self::Sequence];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Components => "components with file paths",
            Self::DataFlow => "data flow",
            Self::Interfaces => "interfaces",
            Self::Files => "files to create or modify",
            Self::Sequence => "build sequence",
        }
    }

    fn is_in(self, text: &str, lower: &str) -> bool {
        let says = |words: &[&str]| words.iter().any(|words| lower.contains(words));
        match self {
            Self::Components => text.split_whitespace().any(is_file_path),
            Self::DataFlow => says(DATA_FLOW) || text.lines().any(is_arrow_line),
            Self::Interfaces => says(INTERFACES) || names_interface(lower) || text.lines().any(is_signature),
            Self::Files => says(FILES) || text.lines().filter(|line| is_file_entry(line)).count() >= 3,
            Self::Sequence => says(SEQUENCE) || says(&["first,", "first "]) && says(&["then ", "then,"]),
        }
    }
}

/// What a blueprint lacks.
pub(super) fn missing(text: &str) -> Vec<Element> {
    let lower = text.to_lowercase();
    Element::ALL.into_iter().filter(|element| !element.is_in(text, &lower)).collect()
}

/// An interface between components; one for users is none.
fn names_interface(lower: &str) -> bool {
    let mut found = lower.match_indices("interface").map(|(at, _)| lower.get(..at).unwrap_or_default());
    found.any(|before| !before.trim_end().ends_with("user"))
}

/// `src/models/user.ts`, however it is quoted, but no address of the web.
fn is_file_path(word: &str) -> bool {
    let path = word.trim_end_matches(|c: char| !c.is_alphanumeric());
    let path = path.trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '/' | '.' | '@'));
    let Some((folder, name)) = path.rsplit_once('/') else { return false };
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@' | '[' | ']' | '(' | ')');
    !folder.is_empty()
        && !path.contains("://")
        && !stem.is_empty()
        && (1..=6).contains(&extension.len())
        && extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension.chars().all(|c| c.is_ascii_alphanumeric())
        && path.chars().all(plain)
}

/// A list item or a row that names a file.
fn is_file_entry(line: &str) -> bool {
    let is_entry = markdown::list_item(line).is_some() || markdown::cells(line).is_some();
    is_entry && line.split([' ', '\t', '|']).any(is_file_path)
}

/// `client → api → store`. The arrow of a signature comes behind parentheses and is none.
fn is_arrow_line(line: &str) -> bool {
    let ascii = line.split_once("->").is_some_and(|(before, _)| !before.contains('('));
    line.contains('→') || line.contains("-->") || ascii
}

/// `createUser(input: NewUser): Promise<User>`, `fn find(id: u64) -> User`.
fn is_signature(line: &str) -> bool {
    let Some((name, rest)) = line.split_once('(') else { return false };
    let named = name.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '>'));
    let Some((arguments, after)) = rest.split_once(')') else { return false };
    let after = after.trim_start();
    named && (arguments.contains(": ") || after.starts_with("->") || after.starts_with(": ") || after.starts_with("=>"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, present: &[Element]) {
        let missing = missing(text);
        let found: Vec<Element> = Element::ALL.into_iter().filter(|element| !missing.contains(element)).collect();
        assert_eq!(found, present, "{text}");
    }

    #[test]
    fn each_element_is_found_in_the_forms_it_usually_has() {
        for text in ["`src/models/user.ts` holds the user", "see (app/user_model.rb).", "| Store | lib/store.ex |"] {
            check(text, &[Element::Components]);
        }
        for text in
            ["## Data Flow\nThe client asks.", "client → api", "A --> B", "worker -> queue", "the job is sent to it"]
        {
            check(text, &[Element::DataFlow]);
        }
        for text in [
            "createUser(input: NewUser): User",
            "fn find(id) -> User",
            "POST /users",
            "Props: name, size",
            "The interface is small",
        ] {
            check(text, &[Element::Interfaces]);
        }
        check("### Files to create\n- user.ts", &[Element::Files]);
        check("- `src/a.ts`\n- `src/b.ts`\n* src/c.ts: new", &[Element::Components, Element::Files]);
        for text in ["## Build Sequence", "Step 1: model", "First the model, then the routes."] {
            check(text, &[Element::Sequence]);
        }
    }

    #[test]
    fn fine_words_are_no_blueprint() {
        for text in [
            "",
            "We should build a clean, layered and scalable notification system with good separation of concerns.",
            "See https://example.com/docs/index.html for the idea (and/or e.g. this).",
            "It uses a service and a database. Version 1.2/3.4 is fine.",
            "A clean user interface in front of it.",
        ] {
            check(text, &[]);
        }
    }
}
