use hookrail_lint::{LINTS, Severity};
use std::collections::BTreeSet;
use std::path::Path;

/// The table of `docs/src/validate.md`, as it must be.
fn table() -> String {
    let mut table = String::from("| code | severity | what | why it matters | what to do |\n|---|---|---|---|---|\n");
    for lint in LINTS {
        let cell = |text: &str| text.replace('|', "\\|");
        let severity = match lint.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        table += &format!(
            "| `{}` | {severity} | {} | {} | {} |\n",
            lint.code,
            cell(lint.what),
            cell(lint.why),
            cell(lint.fix)
        );
    }
    table
}

#[test]
#[expect(clippy::disallowed_methods, reason = "`cargo xtask bless` tells by it what it wants")]
fn the_page_about_validate_has_the_table_of_lints() {
    const BEGIN: &str = "<!-- lints: generated; `HOOKRAIL_BLESS=1 cargo test -p hookrail-lint` writes it -->\n";
    const END: &str = "<!-- end of lints -->";
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/validate.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let (before, rest) = text.split_once(BEGIN).expect("the mark before the table");
    let (present, after) = rest.split_once(END).expect("the mark after the table");
    if std::env::var_os("HOOKRAIL_BLESS").is_some() {
        std::fs::write(&page, format!("{before}{BEGIN}{}{END}{after}", table())).unwrap();
        return;
    }
    assert_eq!(present, table(), "docs/src/validate.md is out of date");
}

#[test]
fn every_code_is_one_word_that_no_other_lint_has() {
    let mut seen = BTreeSet::new();
    for lint in LINTS {
        assert!(lint.code.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{}", lint.code);
        assert!(seen.insert(lint.code), "{} twice", lint.code);
        for text in [lint.what, lint.why, lint.fix] {
            assert!(
                text.ends_with(['.', '`']) && text.starts_with(|c: char| !c.is_lowercase()),
                "{}: {text}",
                lint.code
            );
        }
    }
}

#[test]
fn every_lint_is_tried_on_a_file_that_has_the_mistake() {
    let tests = [include_str!("configuration.rs"), include_str!("scripts.rs")].concat();
    // The engine reports these itself.
    let elsewhere = ["hookrail-toml"];
    for lint in LINTS.iter().filter(|lint| !elsewhere.contains(&lint.code)) {
        assert!(tests.contains(&format!("{} ", lint.code)), "no test finds `{}`", lint.code);
    }
}
