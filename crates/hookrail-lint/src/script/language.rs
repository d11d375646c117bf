use std::path::Path;

/// A language whose ways to print and to exit are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Shell,
    Python,
    Node,
}

impl Language {
    /// From the interpreter in the command, the file's name, or its first line.
    pub fn recognise(path: &Path, interpreter: Option<&str>, text: &str) -> Option<Self> {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let by_extension = match extension {
            "sh" | "bash" | "zsh" => Some(Self::Shell),
            "py" => Some(Self::Python),
            "js" | "mjs" | "cjs" | "ts" | "mts" => Some(Self::Node),
            _ => None,
        };
        let shebang = text.lines().next().and_then(|line| line.strip_prefix("#!"));
        let program = |line: &str| {
            let words = line.split_whitespace().filter(|word| !word.starts_with('-'));
            words.filter_map(|word| word.rsplit('/').next()).find(|word| *word != "env").map(str::to_owned)
        };
        by_extension.or_else(|| Self::of_program(interpreter?)).or_else(|| Self::of_program(&program(shebang?)?))
    }

    fn of_program(name: &str) -> Option<Self> {
        match name {
            "bash" | "sh" | "zsh" | "dash" | "ksh" | "source" | "." => Some(Self::Shell),
            "node" | "bun" | "tsx" | "deno" => Some(Self::Node),
            python if python.starts_with("python") => Some(Self::Python),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_recognised() {
        let cases = [
            ("a.sh", None, "", Some(Language::Shell)),
            ("a", Some("python3"), "", Some(Language::Python)),
            ("a", None, "#!/usr/bin/env -S node --x\n", Some(Language::Node)),
            ("a", None, "#!/bin/bash -eu\n", Some(Language::Shell)),
            ("a.rb", Some("ruby"), "", None),
            ("a", None, "\u{7f}ELF", None),
        ];
        for (path, interpreter, text, expected) in cases {
            assert_eq!(Language::recognise(Path::new(path), interpreter, text), expected, "{path} {text}");
        }
    }
}
