//! What came of the tests, and what of it was to be expected.

use super::AdoptError;
use crate::TaskError;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::Path;

const FILE: &str = "spec/adoption/llxprt.toml";

/// What is known to differ, and why.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Differences {
    #[serde(default)]
    difference: Vec<Difference>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Difference {
    /// A test file, relative to the agent's source.
    file: String,
    /// Part of the names of the tests; every test of the file if absent, also those of a file that cannot be loaded.
    test: Option<String>,
    why: String,
}

/// The tests that ran, by file; a file that could not be loaded has none.
#[derive(Debug, Default)]
pub(super) struct TestRun {
    files: BTreeMap<String, Vec<TestCase>>,
}

#[derive(Debug, PartialEq, Eq)]
struct TestCase {
    name: String,
    passed: bool,
}

/// What the run says about the list.
#[derive(Debug)]
pub(super) struct Judgement<'a> {
    passed: usize,
    failed: usize,
    known: BTreeMap<&'a str, usize>,
    new: Vec<String>,
    stale: Vec<&'a Difference>,
}

impl Differences {
    pub fn load(root: &Path) -> Result<Self, TaskError> {
        let text = std::fs::read_to_string(root.join(FILE))?;
        Ok(toml::from_str(&text).map_err(|cause| AdoptError::List { file: FILE, cause: Box::new(cause) })?)
    }

    pub fn judge(&self, run: &TestRun) -> Judgement<'_> {
        let mut judgement =
            Judgement { passed: 0, failed: 0, known: BTreeMap::new(), new: Vec::new(), stale: Vec::new() };
        let mut used = BTreeSet::new();
        let mut differs = |file: &str, name: Option<&str>, judgement: &mut Judgement<'_>| {
            judgement.failed += 1;
            match self.difference.iter().enumerate().find(|(_, difference)| difference.covers(file, name)) {
                Some((index, _)) => drop(used.insert(index)),
                None => judgement.new.push(format!("{file}: {}", name.unwrap_or("cannot be loaded"))),
            }
            self.difference.iter().find(|difference| difference.covers(file, name)).map(|known| known.why.as_str())
        };
        for (file, tests) in &run.files {
            if tests.is_empty() {
                let why = differs(file, None, &mut judgement);
                why.into_iter().for_each(|why| *judgement.known.entry(why).or_default() += 1);
            }
            for test in tests {
                if test.passed {
                    judgement.passed += 1;
                    continue;
                }
                let why = differs(file, Some(&test.name), &mut judgement);
                why.into_iter().for_each(|why| *judgement.known.entry(why).or_default() += 1);
            }
        }
        let unused = self.difference.iter().enumerate().filter(|(index, _)| !used.contains(index));
        judgement.stale = unused.map(|(_, difference)| difference).collect();
        judgement
    }
}

impl Difference {
    fn covers(&self, file: &str, name: Option<&str>) -> bool {
        let names = self.test.as_deref().is_none_or(|part| name.is_some_and(|name| name.contains(part)));
        file == format!("src/{}", self.file) && names
    }
}

impl Judgement<'_> {
    pub fn is_expected(&self) -> bool {
        self.new.is_empty() && self.stale.is_empty()
    }

    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for (why, count) in &self.known {
            writeln!(out, "{count:4}  {why}")?;
        }
        for test in &self.new {
            writeln!(out, "new difference: {test}")?;
        }
        for difference in &self.stale {
            let test = difference.test.as_deref().unwrap_or("every test");
            writeln!(out, "no difference any more: {}: {test}", difference.file)?;
        }
        let (passed, failed) = (self.passed, self.failed);
        writeln!(out, "adopt: {passed} as the agent has it, {failed} differ, {} of them unexplained", self.new.len())
    }
}

impl TestRun {
    /// Reads what a JUnit reporter writes. `expected` are the files that there are tests in.
    pub fn read(xml: &str, expected: &BTreeSet<String>) -> Self {
        let mut files: BTreeMap<String, Vec<TestCase>> =
            expected.iter().map(|file| (file.clone(), Vec::new())).collect();
        for element in xml.split("<testcase ").skip(1) {
            let (Some(head), Some(name)) = (element.split('>').next(), attribute(element, "name")) else { continue };
            let Some(file) = attribute(element, "file") else { continue };
            let whole = element.split("</testcase>").next().unwrap_or_default();
            let passed = head.ends_with('/') || !whole.contains("<failure");
            let group = attribute(element, "classname").unwrap_or_default();
            files.entry(file).or_default().push(TestCase { name: format!("{group} > {name}"), passed });
        }
        Self { files }
    }
}

fn attribute(element: &str, name: &str) -> Option<String> {
    let head = element.split('>').next()?;
    let start = head.find(&format!("{name}=\""))? + name.len() + 2;
    let value = head.get(start..)?.split('"').next()?;
    let marks = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    Some(marks.iter().fold(value.to_owned(), |text, (mark, character)| text.replace(mark, character)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const XML: &str = r#"<testsuites><testsuite name="a">
        <testcase name="works" classname="HookSystem" time="1" file="src/hooks/a.test.ts" assertions="1" />
        <testcase name="uses the bus &amp; waits" classname="HookSystem" file="src/hooks/a.test.ts">
            <failure type="AssertionError" />
        </testcase>
    </testsuite></testsuites>"#;

    fn judge(list: &str) -> (bool, String) {
        let files = ["src/hooks/a.test.ts", "src/hooks/b.test.ts"].map(str::to_owned).into();
        let differences: Differences = toml::from_str(list).unwrap();
        let run = TestRun::read(XML, &files);
        let judgement = differences.judge(&run);
        let mut out = Vec::new();
        judgement.write(&mut out).unwrap();
        (judgement.is_expected(), String::from_utf8(out).unwrap())
    }

    #[test]
    fn a_difference_is_explained_or_it_fails() {
        let bus = "[[difference]]\nfile = \"hooks/a.test.ts\"\ntest = \"the bus & waits\"\nwhy = \"there is no bus\"\n";
        let unloaded = "[[difference]]\nfile = \"hooks/b.test.ts\"\nwhy = \"internals\"\n";
        let stale = "[[difference]]\nfile = \"hooks/a.test.ts\"\ntest = \"works\"\nwhy = \"never mind\"\n";
        let (expected, told) = judge(&format!("{bus}{unloaded}"));
        assert!(
            expected && told.ends_with("adopt: 1 as the agent has it, 2 differ, 0 of them unexplained\n"),
            "{told}"
        );
        let (expected, told) = judge(bus);
        assert!(!expected && told.contains("new difference: src/hooks/b.test.ts: cannot be loaded"), "{told}");
        let (expected, told) = judge(&format!("{bus}{unloaded}{stale}"));
        assert!(!expected && told.contains("no difference any more: hooks/a.test.ts: works"), "{told}");
    }
}
