//! The pages people read, and the code in them: so that tests can hold every example to its word.

use std::fs;
use std::path::Path;

/// A Markdown file.
#[derive(Clone, Debug)]
pub struct Page {
    /// Relative to the folder it was looked for in, with `/`.
    pub path: String,
    pub text: String,
}

/// A fenced block of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The line of the opening fence, counted from 1.
    pub line: usize,
    /// What follows the fence: a language, then words such as `file=hooks/guard.sh`.
    pub info: String,
    /// What stands between the fences, each line without the fence's own indentation.
    pub code: String,
}

impl Page {
    /// Reads a page.
    ///
    /// # Panics
    ///
    /// If there is no such file.
    #[must_use]
    pub fn read(root: &Path, path: &str) -> Self {
        let text = fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        Self { path: path.to_owned(), text }
    }

    /// Every page below a folder, sorted by path. Folders that are built, hidden or third-party are left out.
    #[must_use]
    pub fn all_below(root: &Path) -> Vec<Self> {
        let mut pages = Vec::new();
        collect(root, Path::new(""), &mut pages);
        pages.sort_by(|a, b| a.path.cmp(&b.path));
        pages
    }

    /// Its fenced blocks, those in lists included.
    #[must_use]
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut open: Option<(Fence, Block)> = None;
        for (index, line) in self.text.lines().enumerate() {
            match &mut open {
                None => {
                    open = Fence::opened_by(line).map(|(fence, info)| {
                        (fence, Block { line: index + 1, info: info.to_owned(), code: String::new() })
                    });
                }
                Some((fence, _)) if fence.is_closed_by(line) => blocks.extend(open.take().map(|(_, block)| block)),
                Some((fence, block)) => {
                    block.code.push_str(fence.strip_indent(line));
                    block.code.push('\n');
                }
            }
        }
        blocks.extend(open.map(|(_, block)| block));
        blocks
    }

    /// The text outside of fenced blocks; each of their lines is left empty, so that line numbers stay.
    #[must_use]
    pub fn prose(&self) -> String {
        let mut prose = String::new();
        let mut open: Option<Fence> = None;
        for line in self.text.lines() {
            match &open {
                Some(fence) if fence.is_closed_by(line) => open = None,
                Some(_) => {}
                None => match Fence::opened_by(line) {
                    Some((fence, _)) => open = Some(fence),
                    None => prose.push_str(line),
                },
            }
            prose.push('\n');
        }
        prose
    }
}

impl Block {
    /// The first word of the info string; empty if there is none.
    #[must_use]
    pub fn language(&self) -> &str {
        self.words().next().unwrap_or_default()
    }

    /// The value of a word `key=value` behind the language.
    #[must_use]
    pub fn attribute(&self, key: &str) -> Option<&str> {
        self.words().skip(1).find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    }

    /// Whether this word stands behind the language.
    #[must_use]
    pub fn has_word(&self, word: &str) -> bool {
        self.words().skip(1).any(|other| other == word)
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        self.info.split([' ', ',']).filter(|word| !word.is_empty())
    }
}

/// How a block was opened, and so how it ends.
struct Fence {
    indent: usize,
    marks: usize,
    mark: char,
}

impl Fence {
    fn opened_by(line: &str) -> Option<(Self, &str)> {
        let rest = line.trim_start_matches(' ');
        let mark = rest.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let info = rest.trim_start_matches(mark);
        let marks = rest.len() - info.len();
        // `` ```inline``` `` on one line opens nothing.
        (marks >= 3 && !(mark == '`' && info.contains('`')))
            .then(|| (Self { indent: line.len() - rest.len(), marks, mark }, info.trim()))
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let text = line.trim();
        text.len() >= self.marks && text.chars().all(|c| c == self.mark)
    }

    fn strip_indent<'a>(&self, line: &'a str) -> &'a str {
        let spaces = line.len() - line.trim_start_matches(' ').len();
        line.get(spaces.min(self.indent)..).unwrap_or_default()
    }
}

fn collect(root: &Path, below: &Path, pages: &mut Vec<Page>) {
    let Ok(entries) = fs::read_dir(root.join(below)) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = below.join(&name);
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let is_ours = !name.starts_with('.') && !matches!(name.as_str(), "target" | "node_modules" | "build");
        if is_folder && is_ours {
            collect(root, &path, pages);
        } else if !is_folder && name.ends_with(".md") {
            pages.push(Page::read(root, &path.to_string_lossy().replace('\\', "/")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_with_their_line_language_and_words_wherever_they_stand() {
        let text = "\
# Title
```sh file=a.sh
echo '``'
```
- item

  ~~~json,file=b.json
  {
    \"a\": 1
  ```
  ~~~
a ```b``` c
````
```sh
````
```toml
unclosed
";
        let page = Page { path: "x.md".to_owned(), text: text.to_owned() };
        let found: Vec<_> = page
            .blocks()
            .into_iter()
            .map(|block| {
                let file = block.attribute("file").unwrap_or("-").to_owned();
                (block.line, block.language().to_owned(), file, block.code)
            })
            .collect();
        let expected = [
            (2, "sh", "a.sh", "echo '``'\n"),
            (7, "json", "b.json", "{\n  \"a\": 1\n```\n"),
            (13, "", "-", "```sh\n"),
            (16, "toml", "-", "unclosed\n"),
        ]
        .map(|(line, language, file, code)| (line, language.to_owned(), file.to_owned(), code.to_owned()));
        assert_eq!(found, expected);
        let prose = page.prose();
        assert_eq!(prose.lines().count(), text.lines().count());
        assert!(prose.contains("# Title") && prose.contains("a ```b``` c") && !prose.contains("echo"), "{prose}");
    }
}
