use super::discovery::{is_discovery, response_text};
use hookrail_core::{Event, EventName, HookError, NativeHook, Outcome, World};

/// Points out a discovery that offers another menu than the agreed one.
///
/// **What it catches.** Numbered options in what a discovery answered that are not exactly three: a new project, an existing
/// one, and chat. A numbered list is a menu if it offers one of these or a removed option, or if the line before it asks
/// for a choice (errata E20).
///
/// **Why.** Options that were removed lead into flows that are gone.
///
/// **Caught:** `1. New Project`, `2. Existing Project`, `3. Scoped Analysis`, `4. Auto-detect`.
/// **Not caught:** `1. New Project`, `2. Existing Project`, `3. Chat / Explore`; a summary in numbered steps.
#[derive(Debug)]
pub struct DiscoverMenuGuard;

const WARNING: &str =
    "Discover presented incorrect menu. Expected 3 options: New Project, Existing Project, Chat/Explore";

impl NativeHook for DiscoverMenuGuard {
    fn id(&self) -> &'static str {
        "isdlc/discover-menu-guard"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::AfterTool]
    }

    fn concerns(&self, event: &Event) -> bool {
        is_discovery(event)
    }

    fn may_wait(&self) -> bool {
        false
    }

    fn has_breaker(&self) -> bool {
        false
    }

    fn check(&self, event: &Event, _world: &dyn World) -> Result<Outcome, HookError> {
        let wrong = menus(&response_text(event)).iter().any(|menu| !is_agreed(menu));
        Ok(if wrong { Outcome::silent().with_message(WARNING).with_context(WARNING) } else { Outcome::silent() })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    New,
    Existing,
    Chat,
    /// One that was removed.
    Removed,
    Unknown,
}

impl Choice {
    fn read(option: &str) -> Self {
        let option = option.to_lowercase().replace(['-', '_'], " ");
        let says = |phrases: &[&str]| phrases.iter().any(|phrase| option.contains(phrase));
        let starts_with_word = |words: &[&str]| {
            let mut own = option.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            own.next().is_some_and(|word| words.contains(&word))
        };
        match () {
            () if says(&["scoped analysis", "auto detect", "autodetect"]) => Self::Removed,
            () if starts_with_word(&["chat", "explore", "exploration"]) => Self::Chat,
            () if says(&["existing project", "existing code", "brownfield"]) => Self::Existing,
            () if says(&["new project", "greenfield"]) => Self::New,
            () => Self::Unknown,
        }
    }
}

/// The menus in a text: numbered lists that offer something known, or that somebody is asked to choose from.
fn menus(text: &str) -> Vec<Vec<Choice>> {
    let mut menus = Vec::new();
    let mut options: Vec<Choice> = Vec::new();
    let (mut asked, mut last_line) = (false, "");
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()).chain([""]) {
        let numbered = option(line);
        if numbered.is_none_or(|(number, _)| number == 1) {
            let known = options.iter().any(|choice| *choice != Choice::Unknown);
            // An indented line that explains an option does not end the menu.
            if options.len() > 1 && (known || asked) && (numbered.is_some() || line.is_empty()) {
                menus.push(std::mem::take(&mut options));
            }
        }
        match numbered {
            Some((number, text)) => {
                if number == 1 {
                    options.clear();
                    asked = asks_for_choice(last_line);
                }
                options.push(Choice::read(text));
            }
            None => last_line = line,
        }
    }
    menus
}

fn asks_for_choice(line: &str) -> bool {
    let line = line.to_lowercase();
    ["select", "choose", "option", "menu", "would you like", "pick"].iter().any(|word| line.contains(word))
}

/// The number and the text of `1. x`, `1) x`, `[1] x`, `**1.** x` and the like.
fn option(line: &str) -> Option<(u32, &str)> {
    let start = line.trim_start_matches(['*', '[', '(', '-', '>', '|', ' ', '#']);
    let digits = start.find(|c: char| !c.is_ascii_digit())?;
    let number = start.get(..digits)?.parse().ok()?;
    let rest = start.get(digits..)?;
    let text = rest.trim_start_matches(['.', ')', ']', ':', '*', ' ', '|']);
    let marked = rest.starts_with(['.', ')', ']', ':', '*']);
    (marked && !text.is_empty() && !text.starts_with(|c: char| c.is_ascii_digit())).then_some((number, text))
}

/// The three options, in any order, and nothing else.
fn is_agreed(menu: &[Choice]) -> bool {
    menu.len() == 3 && [Choice::New, Choice::Existing, Choice::Chat].iter().all(|choice| menu.contains(choice))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_menu_is_known_by_its_option_lines() {
        let cases = [
            ("1. New Project\n2. Existing Project\n3. Chat / Explore", false),
            ("[1] New Project\n[2] Existing Project\n[3] Chat", false),
            ("**1)** Existing codebase\n**2)** New project (greenfield)\n**3)** Explore - ask anything", false),
            ("1. New Project\n   Start from nothing\n2. Existing Project\n   Look at code\n3. Chat/Explore", false),
            ("1. New Project\n2. Existing Project\n3. Scoped Analysis\n4. Auto-detect", true),
            ("1. New Project\n2. Existing Project\n3. Auto-detect", true),
            ("1. New Project\n2. Existing Project", true),
            ("1. New Project\n2. Existing Project\n3. Chat\n4. Cancel", true),
            ("Select an option:\n1. Foo\n2. Bar\n3. Baz", true),
            ("What I did:\n1. Read the code\n2. Wrote a report\n3. Explained it", false),
            ("The types are auto-detected; scoped analysis is gone. Chat or explore.", false),
            ("In 2026.\n1.5 times", false),
            ("", false),
        ];
        for (text, expected) in cases {
            assert_eq!(menus(text).iter().any(|menu| !is_agreed(menu)), expected, "{text}");
        }
    }
}
