//! Takes the hook out of the page about native hooks, so that a test can run the very code that readers copy.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "this is how a build script talks to cargo")]

use std::path::Path;

const PAGE: &str = "../../docs/src/native-hooks.md";
/// What follows in the block is a test of the hook, which stands in another module.
const TESTS: &str = "// What stands in the file's `mod tests`";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed={PAGE}");
    let page = std::fs::read_to_string(PAGE)?;
    let block = page.split("```rust\n").nth(1).ok_or("the page has no block of Rust")?;
    let (hook, _) = block.split_once(TESTS).ok_or("the page does not say where the tests of its hook begin")?;
    let folder = std::env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?;
    Ok(std::fs::write(Path::new(&folder).join("native_hook.rs"), hook)?)
}
