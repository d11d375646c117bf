//! Every code block of README and book is held to its word: sessions are played, configuration is read by its own reader,
//! scripts are parsed, and a block in a language that is not checked is an error.
//!
//! `DOCS=overwrite cargo test -p hookrail-cli --test docs` writes into the pages what the program says now; read it before
//! you commit it. `HOOKRAIL_TEST_TOOLS=required` makes a missing bash, python3 or node a failure instead of a note.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a broken expectation must fail the test, and one that cannot be checked must say so"
)]

mod configuration;
mod elsewhere;
mod scripts;
mod session;

use hookrail_testkit::markdown::{Block, Page};
use std::path::{Path, PathBuf};

/// The repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What is wrong with a block, if anything is.
type Verdict = Result<(), String>;

/// How blocks of a language are checked.
struct Language {
    names: &'static [&'static str],
    check: fn(&Page, &Block) -> Verdict,
}

/// Every language a block may be in.
const LANGUAGES: &[Language] = &[
    // Played as a whole, below.
    Language { names: &["console"], check: |_, _| Ok(()) },
    Language { names: &["json"], check: |_, block| configuration::check_json(block) },
    Language { names: &["toml"], check: |_, block| configuration::check_toml(block) },
    Language { names: &["yaml"], check: |_, block| configuration::check_yaml(block) },
    Language { names: &["sh", "bash"], check: |_, block| scripts::check_shell(block) },
    Language { names: &["python"], check: |_, block| scripts::check_python(block) },
    Language { names: &["js"], check: |_, block| scripts::check_javascript(block) },
    Language { names: &["rust"], check: elsewhere::check_rust },
    Language { names: &["ts"], check: |_, _| elsewhere::check_typescript() },
    Language { names: &["jsonl"], check: |page, _| elsewhere::check_json_lines(page) },
    // Drawings, output that no command of ours made, and pages in pages.
    Language { names: &["text", "markdown"], check: |_, block| scripts::check_text(block) },
];

fn check(page: &Page, block: &Block) -> Verdict {
    if page.path.starts_with(elsewhere::SCENARIOS) {
        return Ok(());
    }
    // Parts of files, which `cargo xtask contributing` puts into a copy of the repository and tests there.
    if page.path == "CONTRIBUTING.md" && (block.attribute("in").is_some() || block.attribute("file").is_some()) {
        return Ok(());
    }
    let language = LANGUAGES.iter().find(|language| language.names.contains(&block.language()));
    match language {
        Some(language) => (language.check)(page, block),
        None => Err(format!("blocks in `{}` are not checked\nhint: use `text` for what is not code", block.language())),
    }
}

/// The pages whose code is promised to work.
fn pages() -> Vec<Page> {
    let is_for_readers = |page: &Page| {
        let (folder, name) = page.path.rsplit_once('/').unwrap_or(("", &page.path));
        // What else is in plugins speaks to models.
        let is_readme = name == "README.md" && !folder.starts_with("crates") && !folder.starts_with("spec");
        folder.is_empty() || folder.starts_with("docs") || is_readme
    };
    Page::all_below(&root()).into_iter().filter(is_for_readers).collect()
}

fn fail_on(problems: &[String]) {
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n\n"));
}

#[test]
fn every_block_of_every_page_is_what_it_claims_to_be() {
    let mut problems = Vec::new();
    let mut blocks = 0;
    for page in pages() {
        for block in page.blocks() {
            blocks += 1;
            problems.extend(check(&page, &block).err().map(|what| format!("{}:{}: {what}", page.path, block.line)));
        }
    }
    fail_on(&problems);
    assert!(blocks > 50, "only {blocks} blocks were found");
}

#[test]
fn every_session_in_a_page_goes_as_written() {
    let mut problems = Vec::new();
    let overwrites = std::env::var_os("DOCS").is_some_and(|value| value == "overwrite");
    for page in pages() {
        let played = session::play(&page);
        let found = played.problems(&page);
        if overwrites && !found.is_empty() {
            std::fs::write(root().join(&page.path), played.rewrite(&page)).unwrap();
        } else {
            problems.extend(found);
        }
    }
    fail_on(&problems);
}

#[test]
fn the_readme_tells_figures_that_are_in_the_book() {
    let table = |path: &str| -> Vec<String> {
        let page = Page::read(&root(), path);
        let rows = page.text.lines().skip_while(|line| *line != "| what | measured | budget |");
        rows.take_while(|line| line.starts_with('|')).map(str::to_owned).collect()
    };
    let (readme, book) = (table("README.md"), table("docs/src/performance.md"));
    assert!(readme.len() > 4, "{readme:?}");
    for row in readme {
        assert!(book.contains(&row), "the book has no such row: {row}");
    }
}

#[test]
fn blocks_that_do_not_hold_are_found() {
    let cases = [
        ("", "echo"),
        ("ruby", "puts 1"),
        ("json", "{"),
        ("json", r#"{"hooks": {"PreToolUs": []}}"#),
        ("json", r#"{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "comand": "x"}]}]}}"#),
        ("json agent=cursor", r#"{"hooks": {"PreToolUse": [{"command": "hookrail hook"}]}}"#),
        ("json agent=cursor", r#"{"hooks": {"preToolUse": [{"hooks": [{"command": "hookrail hook"}]}]}}"#),
        ("toml", "[packs.cor]\nenabled = true"),
        ("toml", "[[command]]\nname = \"a\""),
        ("toml wrong", "[packs.core]\nenabled = true"),
        ("toml file=Cargo.toml", "a ="),
        ("yaml", "a: [1"),
        ("sh", "if true; then"),
        ("sh", "hookrail frobnicate"),
        ("sh", "hookrail log --frobnicate"),
        ("text", "$ hookrail list"),
        ("text", "hookrail list"),
        ("python", "def f(:"),
        ("js", "const = 1;"),
        ("rust,ignore", "fn main() {}"),
        ("rust", "fn main() {}"),
        ("jsonl", "{}"),
    ];
    for (info, code) in cases {
        let block = Block { line: 1, info: info.to_owned(), code: code.to_owned() };
        let page = Page { path: "docs/src/nowhere.md".to_owned(), text: String::new() };
        if scripts::is_there(block.language()) {
            assert!(check(&page, &block).is_err(), "accepted: ```{info}\n{code}\n```");
        }
    }
}
