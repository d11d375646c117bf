//! Blocks that other tests compile or play; here only that they really do.

use crate::{Verdict, root};
use hookrail_testkit::markdown::{Block, Page};
use std::fs;

/// The module that makes documentation tests of pages.
const BOOK_MODULE: &str = "crates/hookrail-testkit/src/book.rs";

/// Pages that are scenarios, all of which `tests/scenarios/examples.rs` plays.
pub const SCENARIOS: &str = "docs/src/packs/scenarios/";

pub fn check_rust(page: &Page, block: &Block) -> Verdict {
    if block.has_word("ignore") {
        return Err("this is not compiled\nhint: make it complete, or call it `text`".to_owned());
    }
    let included = fs::read_to_string(root().join(BOOK_MODULE)).map_err(|error| error.to_string())?;
    if included.contains(&format!("\"../../../{}\"", page.path)) {
        Ok(())
    } else {
        Err(format!("this block is not compiled\nhint: list the page in {BOOK_MODULE}"))
    }
}

pub fn check_typescript() -> Verdict {
    let checks = fs::read_to_string(root().join(".ci/run")).map_err(|error| error.to_string())?;
    if checks.contains("run check-docs") { Ok(()) } else { Err("the compiler does not check it".to_owned()) }
}

/// Requests and answers of `hookrail serve`, played by `tests/serve.rs`.
pub fn check_json_lines(page: &Page) -> Verdict {
    if page.path == "docs/src/serve.md" { Ok(()) } else { Err("only the page about `serve` is played".to_owned()) }
}
