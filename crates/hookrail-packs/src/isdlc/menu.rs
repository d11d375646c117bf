//! The menus in a text, however their options are marked.

/// What an option offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    New,
    Existing,
    Chat,
    /// One that was removed.
    Removed,
    Unknown,
}

/// How the options of a list are marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OptionMarker {
    /// `1.`, `2)`, `[3]`, `Option 1:`, `1️⃣`
    Number(u32),
    /// `A.`, `b)`, `(c)`, `Option A:`
    Letter(char),
    Bullet,
    /// A row of a table.
    Row,
}

/// A list that is being read.
struct List {
    mark: OptionMarker,
    indent: usize,
    options: Vec<Choice>,
    /// How many of them begin with something that a menu offers.
    titles: usize,
    /// The line before it.
    question: String,
}

impl Choice {
    fn read(option: &str) -> Self {
        let option = option.to_lowercase().replace(['-', '_'], " ");
        let says = |phrases: &[&str]| phrases.iter().any(|phrase| option.contains(phrase));
        let mut words = option.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let first = words.next().unwrap_or_default();
        let starts_with_chat = ["chat", "explore", "exploration"].contains(&first)
            || ["just", "free", "open", "simply"].contains(&first) && words.next() == Some("chat");
        match () {
            () if says(&["scoped analysis", "auto detect", "autodetect"]) => Self::Removed,
            () if starts_with_chat => Self::Chat,
            () if says(&["existing project", "existing code", "brownfield"]) => Self::Existing,
            () if says(&["new project", "greenfield"]) => Self::New,
            () => Self::Unknown,
        }
    }
}

/// The menus in a text: lists that offer something known, or that a person is asked to choose from.
pub(super) fn menus(text: &str) -> Vec<Vec<Choice>> {
    let mut reader = MenuReader::default();
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    for (index, line) in lines.iter().enumerate() {
        let is_header = lines.get(index + 1).is_some_and(|next| is_ruler(next)) || is_ruler(line);
        reader.read(line, is_header);
    }
    reader.finish_all("");
    reader.menus
}

/// Lists may lie in one another: bullets that explain the options of a menu are a list of their own.
#[derive(Default)]
struct MenuReader {
    open: Vec<List>,
    menus: Vec<Vec<Choice>>,
    last_line: String,
}

impl MenuReader {
    fn read(&mut self, line: &str, is_header: bool) {
        let indent = line.len() - line.trim_start().len();
        let found = if is_header { None } else { option(line.trim()) };
        let Some((mark, text)) = found else {
            self.read_prose(line.trim(), indent, is_header);
            return;
        };
        self.finish_deeper(indent);
        let continues = self.open.last().is_some_and(|list| list.indent == indent && follows(list.mark, mark));
        let nests = self.open.last().is_some_and(|list| list.indent < indent);
        if !continues {
            if !nests {
                self.finish("");
            }
            let question = std::mem::take(&mut self.last_line);
            self.open.push(List { mark, indent, options: Vec::new(), titles: 0, question });
        }
        if let Some(list) = self.open.last_mut() {
            let choice = Choice::read(text);
            list.mark = mark;
            list.options.push(choice);
            list.titles += usize::from(choice != Choice::Unknown && begins_with_offer(text));
        }
    }

    /// Prose explains an option, asks a question, or ends a list: a heading ends every list, and unmarked text one whose
    /// options have no order that would tell that it goes on.
    fn read_prose(&mut self, line: &str, indent: usize, is_header: bool) {
        self.finish_deeper(indent);
        let unordered =
            |list: &List| matches!(list.mark, OptionMarker::Bullet | OptionMarker::Row) && indent <= list.indent;
        if line.starts_with('#') || is_header {
            self.finish_all(line);
        } else if self.open.last().is_some_and(unordered) || asks(line) == Ask::Plainly {
            self.finish(line);
        }
        if !is_header {
            line.clone_into(&mut self.last_line);
        }
    }

    /// Whatever is less indented is no part of the lists in a list.
    fn finish_deeper(&mut self, indent: usize) {
        while self.open.len() > 1 && self.open.last().is_some_and(|list| list.indent > indent) {
            self.finish("");
        }
    }

    fn finish_all(&mut self, next: &str) {
        while !self.open.is_empty() {
            self.finish(next);
        }
    }

    fn finish(&mut self, next: &str) {
        let Some(list) = self.open.pop() else { return };
        if list.is_menu(next) {
            self.menus.push(list.options);
        }
    }
}

impl List {
    fn is_menu(&self, next: &str) -> bool {
        let known = self.options.iter().filter(|choice| **choice != Choice::Unknown).count();
        let ask = asks(&self.question).max(asks(next));
        let ordered = matches!(self.mark, OptionMarker::Number(_) | OptionMarker::Letter(_));
        let offered = known >= 2 || (ordered && self.titles >= 1);
        let asked = ask == Ask::Plainly || (ask == Ask::Perhaps && (ordered || known >= 1));
        self.options.len() > 1 && (offered || asked)
    }
}

/// How much a line asks for a choice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Ask {
    No,
    /// It may just as well introduce suggestions.
    Perhaps,
    Plainly,
}

fn asks(line: &str) -> Ask {
    let line = line.to_lowercase();
    let ends_open = line.trim_end_matches(['*', '_', '`', ' ']).ends_with([':', '?']);
    let says = |words: &[&str]| words.iter().any(|word| line.contains(word));
    match () {
        () if says(&["select", "choose", "option", "menu", "pick", "your choice"]) && ends_open => Ask::Plainly,
        () if says(&["select", "choose", "option", "menu", "pick", "would you like"]) => Ask::Perhaps,
        () => Ask::No,
    }
}

/// Whether a mark goes on with the list that the mark before it belongs to.
fn follows(before: OptionMarker, mark: OptionMarker) -> bool {
    match (before, mark) {
        (OptionMarker::Number(before), OptionMarker::Number(number)) => number > before,
        (OptionMarker::Letter(before), OptionMarker::Letter(letter)) => letter > before,
        (OptionMarker::Bullet, OptionMarker::Bullet) | (OptionMarker::Row, OptionMarker::Row) => true,
        _ => false,
    }
}

/// Whether an option's text begins with what it offers, as a title does and a report does not.
fn begins_with_offer(text: &str) -> bool {
    let text = text.to_lowercase().replace(['-', '_'], " ");
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let offers = ["new project", "existing", "chat", "explore", "scoped analysis", "auto", "greenfield", "brownfield"];
    offers.iter().any(|offer| text.starts_with(offer))
}

/// The mark and the text of an option.
fn option(line: &str) -> Option<(OptionMarker, &str)> {
    if let Some(row) = line.strip_prefix('|') {
        return table_option(row);
    }
    marked(line).or_else(|| {
        let text = line.strip_prefix(['-', '*', '+', '•', '◦', '▪', '–', '‣', '·'])?;
        // `- 1. x` and `- **Option A:** x` are what they say, not bullets.
        let text = text.strip_prefix([' ', '\t']).map(str::trim)?;
        marked(text).or(Some((OptionMarker::Bullet, text))).filter(|(_, text)| !text.is_empty())
    })
}

/// A row of a table: its first cell that is more than a mark.
fn table_option(row: &str) -> Option<(OptionMarker, &str)> {
    let is_mark = |cell: &str| cell.chars().filter(|c| c.is_alphanumeric()).count() <= 2 || bare_mark(cell);
    let text = row.split('|').map(str::trim).find(|cell| !cell.is_empty() && !is_mark(cell))?;
    Some((OptionMarker::Row, text))
}

/// `Option 1`, `Choice B`
fn bare_mark(cell: &str) -> bool {
    let cell = cell.trim_matches(['*', '`', ' ']).to_lowercase();
    let number = ["option ", "choice "].iter().find_map(|word| cell.strip_prefix(word));
    number.is_some_and(|number| number.chars().count() <= 2)
}

/// A number or a letter with something that marks it as one.
fn marked(line: &str) -> Option<(OptionMarker, &str)> {
    let start = line.trim_start_matches(['*', '[', '(', '>', ' ', '#', '`', '_']);
    let opened = line.contains(['[', '(']) && start.len() < line.len();
    let lower = start.to_lowercase();
    let named = ["option ", "choice "].iter().find(|word| lower.starts_with(**word));
    let start = named.and_then(|word| start.get(word.len()..)).unwrap_or(start);
    let (mark, rest) = number(start).or_else(|| letter(start))?;
    // A keycap or a circle is a mark by itself.
    let keycap = rest.trim_start_matches('\u{fe0f}').strip_prefix('\u{20e3}');
    let closes = rest.starts_with(['.', ')', ']', ':', '*']) || rest.starts_with(" - ") || rest.starts_with(" – ");
    let rest = keycap.unwrap_or(rest);
    let text = rest.trim_start_matches(['.', ')', ']', ':', '*', ' ', '`', '_', '-', '–', '—']).trim();
    let is_mark = keycap.is_some()
        || (closes && (matches!(mark, OptionMarker::Number(_)) || letter_is_mark(rest, opened, named)));
    (is_mark && !text.is_empty() && !text.starts_with(|c: char| c.is_ascii_digit())).then_some((mark, text))
}

/// `a. x` may end a sentence; `A)`, `(a)`, `[a]`, `A.` followed by a space and `Option A:` do not.
fn letter_is_mark(rest: &str, opened: bool, named: Option<&&str>) -> bool {
    let bracketed = rest.starts_with([')', ']']);
    bracketed || named.is_some() || opened || rest.starts_with(". ") || rest.starts_with(".*") || rest.starts_with(": ")
}

fn number(start: &str) -> Option<(OptionMarker, &str)> {
    let digits = start.find(|c: char| !c.is_ascii_digit())?;
    let number = start.get(..digits)?.parse().ok()?;
    Some((OptionMarker::Number(number), start.get(digits..)?))
}

fn letter(start: &str) -> Option<(OptionMarker, &str)> {
    let letter = start.chars().next().filter(char::is_ascii_alphabetic)?;
    Some((OptionMarker::Letter(letter.to_ascii_lowercase()), start.get(1..)?))
}

/// The line between a table's header and its rows.
fn is_ruler(line: &str) -> bool {
    let line = line.trim();
    line.contains('|') && line.contains('-') && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

/// The three options, in any order, and nothing else.
pub(super) fn is_agreed(menu: &[Choice]) -> bool {
    menu.len() == 3 && [Choice::New, Choice::Existing, Choice::Chat].iter().all(|choice| menu.contains(choice))
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGREED: [&str; 3] = ["New Project", "Existing Project", "Chat / Explore"];
    const OLD: [&str; 4] = ["New Project", "Existing Project", "Scoped Analysis", "Auto-detect"];
    const OTHER: [&str; 3] = ["Foo", "Bar", "Baz"];

    /// Writes the option at this index.
    type Style = fn(usize, &str) -> String;

    fn is_wrong(text: &str) -> bool {
        menus(text).iter().any(|menu| !is_agreed(menu))
    }

    #[test]
    fn a_menu_is_known_however_its_options_are_marked() {
        let styles: [(&str, Style); 14] = [
            ("1.", |at, text| format!("{}. {text}", at + 1)),
            ("1)", |at, text| format!("{}) {text}", at + 1)),
            ("[1]", |at, text| format!("[{}] {text}", at + 1)),
            ("**1.**", |at, text| format!("**{}.** {text} - more about it", at + 1)),
            ("### 1.", |at, text| format!("   {}. **{text}**\n      what it means", at + 1)),
            ("-", |_, text| format!("- {text}")),
            ("*", |_, text| format!("* **{text}**: what it means\n  - a detail\n  - another one")),
            ("•", |_, text| format!("• {text}")),
            ("A.", |at, text| format!("{}. {text}", ["A", "B", "C", "D"][at])),
            ("(a)", |at, text| format!("({}) {text}", ["a", "b", "c", "d"][at])),
            ("Option 1:", |at, text| format!("**Option {}:** {text}", at + 1)),
            ("Option A -", |at, text| format!("Option {} - {text}", ["A", "B", "C", "D"][at])),
            ("keycaps", |at, text| format!("{}\u{fe0f}\u{20e3} {text}", at + 1)),
            ("| 1 |", |at, text| format!("| {} | {text} | what it means |", at + 1)),
        ];
        for (name, style) in styles {
            let menu = |options: &[&str]| {
                let lines: Vec<String> = options.iter().enumerate().map(|(at, text)| style(at, text)).collect();
                let head = if name == "| 1 |" { "| # | Option | About |\n|---|---|---|\n" } else { "" };
                format!("{head}{}\n", lines.join("\n"))
            };
            for (before, after) in [("", ""), ("What would you like to do?\n\n", "\nThanks."), ("", "\nYour choice:")] {
                let text = |options: &[&str]| format!("{before}{}{after}", menu(options));
                assert!(!is_wrong(&text(&AGREED)), "{name}: {}", text(&AGREED));
                assert_eq!(menus(&text(&AGREED)).len(), 1, "{name}: {}", text(&AGREED));
                assert!(is_wrong(&text(&OLD)), "{name}: {}", text(&OLD));
                assert!(is_wrong(&text(&AGREED[..2])), "{name}");
            }
            assert!(is_wrong(&format!("Select an option:\n{}", menu(&OTHER))), "{name}");
            assert!(!is_wrong(&format!("What was done\n{}", menu(&OTHER))), "{name}");
        }
    }

    #[test]
    fn reports_and_prose_are_no_menus() {
        let cases = [
            ("**1)** Existing codebase\n**2)** New project (greenfield)\n**3)** Explore - ask anything", false),
            ("1. New Project\n   Start from nothing\n2. Existing Project\n   Look at code\n3. Chat/Explore", false),
            ("1. New Project\nStart from nothing\n2. Existing Project\n3. Just chat", false),
            ("1. New Project\n2. Existing Project\n3. Chat\n4. Cancel", true),
            ("Select an option:\n1. Foo\n2. Bar\n3. Baz", true),
            ("What I did:\n1. Read the code\n2. Wrote a report\n3. Explained it", false),
            ("1. Scanned the existing project\n2. Wrote a report", false),
            ("- Scanned the existing project\n- Wrote a report", false),
            ("Would you like to go on?\n- Read the report\n- Run /sdlc", false),
            ("Plan a.\nB. Then this", false),
            ("The types are auto-detected; scoped analysis is gone. Chat or explore.", false),
            ("In 2026.\n1.5 times", false),
            ("| File | Lines |\n|---|---|\n| new project notes | 3 |\n| b.md | 4 |", false),
            ("", false),
        ];
        for (text, expected) in cases {
            assert_eq!(is_wrong(text), expected, "{text}");
        }
    }
}
