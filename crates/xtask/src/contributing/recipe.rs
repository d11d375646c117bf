//! The worked examples of CONTRIBUTING.md: what each writes, runs and changes.

use hookrail_testkit::markdown::{Block, Page};

/// One section with a worked example.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Recipe {
    pub title: String,
    pub steps: Vec<Step>,
    /// Commands, in order.
    pub commands: Vec<String>,
    /// The files that are other ones afterwards.
    pub changed: Vec<String>,
}

/// A change to one file.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    Write {
        file: String,
        text: String,
    },
    /// Below the first line that contains `line`, or at the end.
    Insert {
        file: String,
        line: Option<String>,
        text: String,
    },
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecipeError {
    #[error(
        "line {line}: the block does not say where it goes\nhint: write `<!-- below: … -->` or `<!-- at the end -->` above it"
    )]
    Nowhere { line: usize },
    #[error("recipe `{title}` has no block `{missing}`")]
    Incomplete { title: String, missing: &'static str },
}

/// Every recipe of a page: a section that has at least one block for a file.
pub fn read(page: &Page) -> Result<Vec<Recipe>, RecipeError> {
    let lines: Vec<&str> = page.text.lines().collect();
    let mut recipes: Vec<Recipe> = Vec::new();
    for block in page.blocks() {
        let before = lines.get(..block.line.saturating_sub(1)).unwrap_or_default();
        let title = before.iter().rev().find_map(|line| line.strip_prefix("### ")).unwrap_or_default();
        if recipes.last().is_none_or(|recipe| recipe.title != title) {
            recipes.push(Recipe { title: title.to_owned(), ..Recipe::default() });
        }
        if let Some(recipe) = recipes.last_mut() {
            add(recipe, &block, before)?;
        }
    }
    recipes.retain(|recipe| !recipe.steps.is_empty());
    recipes.iter().try_for_each(check)?;
    Ok(recipes)
}

fn add(recipe: &mut Recipe, block: &Block, before: &[&str]) -> Result<(), RecipeError> {
    let text = block.code.clone();
    if let Some(file) = block.attribute("file") {
        recipe.steps.push(Step::Write { file: file.to_owned(), text });
    } else if let Some(file) = block.attribute("in") {
        let comment = before.last().and_then(|line| line.strip_prefix("<!-- ")?.strip_suffix(" -->"));
        let line = match comment {
            Some("at the end") => None,
            Some(comment) if comment.starts_with("below: ") => comment.strip_prefix("below: ").map(str::to_owned),
            _ => return Err(RecipeError::Nowhere { line: block.line }),
        };
        recipe.steps.push(Step::Insert { file: file.to_owned(), line, text });
    } else if block.has_word("run") {
        recipe.commands.extend(block.code.lines().map(str::to_owned));
    } else if block.has_word("changed") {
        recipe.changed.extend(block.code.lines().map(str::to_owned));
    }
    Ok(())
}

fn check(recipe: &Recipe) -> Result<(), RecipeError> {
    let missing = match (recipe.commands.is_empty(), recipe.changed.is_empty()) {
        (true, _) => "sh run",
        (_, true) => "text changed",
        (false, false) => return Ok(()),
    };
    Err(RecipeError::Incomplete { title: recipe.title.clone(), missing })
}

/// A text with another one below the first line that contains `line`; `None` if there is no such line.
pub fn inserted(text: &str, line: Option<&str>, addition: &str) -> Option<String> {
    let Some(line) = line else { return Some(format!("{text}{addition}")) };
    let start = text.find(line)?;
    let end = text.get(start..)?.find('\n').map_or(text.len(), |length| start + length + 1);
    Some(format!("{}{addition}{}", text.get(..end)?, text.get(end..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Page {
        Page { path: "C.md".to_owned(), text: text.to_owned() }
    }

    #[test]
    fn a_recipe_is_its_blocks_in_order() {
        let text = "## Other\n```sh\nls\n```\n### One\n```rust file=a.rs\nA\n```\n<!-- below: mod b; -->\n```rust in=m.rs\nmod a;\n```\n\n<!-- at the end -->\n```toml in=x.toml\nx = 1\n```\n```sh run\nmake\nmake test\n```\n```text changed\na.rs\nm.rs\n```\n";
        let insert = |file: &str, line: Option<&str>, text: &str| Step::Insert {
            file: file.to_owned(),
            line: line.map(str::to_owned),
            text: text.to_owned(),
        };
        let expected = Recipe {
            title: "One".to_owned(),
            steps: vec![
                Step::Write { file: "a.rs".to_owned(), text: "A\n".to_owned() },
                insert("m.rs", Some("mod b;"), "mod a;\n"),
                insert("x.toml", None, "x = 1\n"),
            ],
            commands: vec!["make".to_owned(), "make test".to_owned()],
            changed: vec!["a.rs".to_owned(), "m.rs".to_owned()],
        };
        assert_eq!(read(&page(text)), Ok(vec![expected]));
    }

    #[test]
    fn a_recipe_that_cannot_be_followed_is_refused() {
        assert_eq!(read(&page("### A\n```rust in=m.rs\nx\n```\n")), Err(RecipeError::Nowhere { line: 2 }));
        let title = "A".to_owned();
        let no_commands = RecipeError::Incomplete { title, missing: "sh run" };
        assert_eq!(read(&page("### A\n```rust file=m.rs\nx\n```\n")), Err(no_commands));
    }

    #[test]
    fn text_goes_below_the_line_that_is_named() {
        let cases = [
            ("a\nb\nc\n", Some("b"), Some("a\nb\nX\nc\n")),
            ("a\nbcd\nc\n", Some("cd"), Some("a\nbcd\nX\nc\n")),
            ("a\n", None, Some("a\nX\n")),
            ("a\n", Some("z"), None),
        ];
        for (text, line, expected) in cases {
            assert_eq!(inserted(text, line, "X\n").as_deref(), expected, "{line:?}");
        }
    }

    #[test]
    fn this_repository_shows_how_to_add_a_hook_a_rule_a_program_and_an_agent() {
        let recipes = read(&Page::read(std::path::Path::new(crate::ROOT), "CONTRIBUTING.md")).unwrap();
        let titles: Vec<&str> = recipes.iter().map(|recipe| recipe.title.as_str()).collect();
        assert_eq!(
            titles,
            ["A native hook", "A rule of pack `safety`", "A program: what its arguments do", "An agent"]
        );
    }
}
