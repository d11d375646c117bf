//! The page in a real browser: Debian's Chromium, driven by playwright-core.

use super::TranscriptFixture;
use std::path::{Path, PathBuf};
use std::process::Command;

const SCRIPT: &str = include_str!("browser.mjs");

/// Where playwright-core is: that of `ui/`, or installed below the target folder.
fn playwright() -> Option<PathBuf> {
    let below = Path::new(env!("CARGO_TARGET_TMPDIR")).join("playwright");
    let found = |folder: &PathBuf| folder.join("node_modules/playwright-core/package.json").exists();
    let of_ui = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui");
    if let Some(folder) = [of_ui, below.clone()].into_iter().find(found) {
        return Some(folder);
    }
    std::fs::create_dir_all(&below).ok()?;
    let install = ["install", "--silent", "--no-audit", "--no-fund", "--prefix"];
    let status = Command::new("npm").args(install).arg(&below).arg("playwright-core@1.56.1").status().ok()?;
    status.success().then_some(below)
}

fn chromium() -> Option<PathBuf> {
    ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
        .map(PathBuf::from)
        .into_iter()
        .find(|path| path.exists())
}

#[test]
fn the_page_is_whole_in_a_browser_without_a_network_a_script_or_an_error() {
    let (Some(chromium), Some(playwright)) = (chromium(), playwright()) else {
        #[expect(clippy::disallowed_methods, reason = "who runs the tests says which tools there must be")]
        let required = std::env::var_os("HOOKRAIL_TEST_TOOLS").is_some_and(|value| value == "required");
        assert!(!required, "chromium and playwright-core are needed");
        eprintln!("SKIPPED: chromium or playwright-core is not installed");
        return;
    };
    let place = TranscriptFixture::all();
    let (code, _, err) = place.hookrail(&["backtest", "--html", "report.html"]);
    assert_eq!(code, Some(0), "{err}");
    place.project.write("browser.mjs", SCRIPT);
    let output = Command::new("node")
        .arg(place.project.at("browser.mjs"))
        .arg(place.project.at("report.html"))
        .arg(&chromium)
        .arg(playwright.join("node_modules/playwright-core/index.mjs"))
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert!(told.contains("checked: light 1280, light 390, dark 1280, dark 390"), "{told}");
}
