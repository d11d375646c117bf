//! Skills: prompts that are kept in the project and asked for as `/name`.

use std::path::Path;

/// Where a project keeps them.
const FOLDERS: [&str; 2] = [".llxprt/skills", ".claude/skills"];
const FILE: &str = "SKILL.md";

/// A skill that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skill {
    pub name: String,
    /// What stood behind its name.
    pub args: String,
    /// What the model is told.
    pub text: String,
}

impl Skill {
    /// The skill that a prompt asks for; `None` if it asks for none that exists.
    pub fn find(prompt: &str, root: &Path) -> Option<Self> {
        let (name, args) = prompt.strip_prefix('/')?.split_once(char::is_whitespace).unwrap_or((prompt.get(1..)?, ""));
        // A name, not a path.
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) {
            return None;
        }
        let read = |folder: &&str| std::fs::read_to_string(root.join(folder).join(name).join(FILE)).ok();
        let text = FOLDERS.iter().find_map(read)?;
        let (name, args) = (name.to_owned(), args.trim().to_owned());
        Some(Self { text: format!("{}\n\n{args}", body(&text).trim()).trim_end().to_owned(), name, args })
    }
}

/// The text without the front matter, which is for agents.
fn body(text: &str) -> &str {
    text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).map_or(text, |(_, body)| body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_testkit::project::TempProject;

    #[test]
    fn a_prompt_with_a_slash_asks_for_the_skill_of_that_name() {
        let project = TempProject::new()
            .file(".claude/skills/ship/SKILL.md", "---\nname: ship\n---\nShip it.\n")
            .file(".llxprt/skills/plain/SKILL.md", "No front matter.\n")
            .file("secret/SKILL.md", "secret");
        let cases = [
            ("/ship", Some("Ship it.")),
            ("/ship  to production ", Some("Ship it.\n\nto production")),
            ("/plain", Some("No front matter.")),
            ("/missing", None),
            ("/../../secret", None),
            ("/", None),
            ("ship", None),
            ("", None),
        ];
        for (prompt, expected) in cases {
            let found = Skill::find(prompt, project.path());
            assert_eq!(found.map(|skill| skill.text).as_deref(), expected, "{prompt}");
        }
    }
}
