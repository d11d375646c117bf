use super::feature::Feature;
use super::input::{Finding, HookSwitch, PlanningInput, decide};
use super::subagent::{self, QA_STRATEGIST, Review};
use super::test_cases::{TestCases, has_coverage_matrix};
use super::test_id::TestKind;
use crate::limits::THOROUGH;
use hookrail_core::{Event, EventName, FileKind, HookError, HookProfile, NativeHook, Outcome, World};
use std::path::Path;

const PART: HookSwitch = HookSwitch { log_name: "H09_qa_strategist_validator", flag: Some("hooks_agent_validation") };

/// How deep below its folder a test case may lie, and how many files are looked at.
const MAX_DEPTH: usize = 4;
const MAX_FILES: usize = 2000;

/// H09: holds the QA strategist until its test cases can be referred to and carried out.
///
/// **Why:** tasks refer to tests by their ids, and people carry out acceptance tests step by step. What is missing here is
/// missed two phases later.
///
/// **Catches:** the end of `product-planning:qa-strategist` while a workflow is under way and `test-cases/` is missing, has no
/// unit test ids (`UT-001`) or acceptance test ids (`UAT-001`) in headings or tables, acceptance tests lack Given, When or
/// Then, or `test-plan.md` lacks its coverage matrix.
///
/// **Leaves alone:** other agents, projects without a workflow, a second attempt to end, and missing integration or
/// end-to-end tests, which not every feature has.
#[derive(Debug)]
pub struct ValidateQaStrategistOutput;

impl NativeHook for ValidateQaStrategistOutput {
    fn id(&self) -> &'static str {
        "planning/validate-qa-strategist-output"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::SubagentStop]
    }

    fn profile(&self) -> HookProfile {
        HookProfile { timeout: Some(THOROUGH), may_wait: false, ..HookProfile::DEFAULT }
    }

    fn concerns(&self, event: &Event) -> bool {
        subagent::name(event) == Some(QA_STRATEGIST)
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        decide(&PART, event, world, look)
    }
}

fn look(scene: &PlanningInput<'_>) -> Result<Finding, HookError> {
    let Some(feature) = subagent::active_feature(scene)? else { return Ok(Finding::nothing()) };
    Ok(review(&feature, scene.world)?.into_finding(scene))
}

fn review(feature: &Feature, world: &dyn World) -> Result<Review, HookError> {
    let mut problems = Vec::new();
    let folder = feature.file("test-cases");
    let [unit, integration, end_to_end, acceptance] = read_all(&folder, world)?;
    if world.list(&folder)?.is_none() {
        problems.push("test-cases/ not found".to_owned());
    } else {
        if unit.count() == 0 {
            problems.push("No unit test IDs (UT-xxx) found".to_owned());
        }
        if acceptance.count() == 0 {
            problems.push("No UAT script IDs (UAT-xxx) found".to_owned());
        }
        if let Some((step, count)) = acceptance.missing_step() {
            let total = acceptance.count();
            problems.push(format!(
                "UAT scripts missing Given-When-Then structure (`{step}` stands {count} times for {total} scripts)"
            ));
        }
    }
    match world.read(&feature.file("test-plan.md"))? {
        None => problems.push("test-plan.md not found".to_owned()),
        Some(bytes) if !has_coverage_matrix(&String::from_utf8_lossy(&bytes)) => {
            problems.push("Missing coverage matrix in test-plan.md".to_owned());
        }
        Some(_) => {}
    }
    let counts = [unit.count(), integration.count(), end_to_end.count(), acceptance.count()];
    let advice = format!(
        "Complete the files below `{}`: each test under a heading or in a table row with its id, in `unit/`, `integration/`, \
         `e2e/` and `uat/`; each UAT script with `Given:`, `When:` and `Then:`; the coverage matrix in `test-plan.md`. Then \
         finish again",
        feature.folder.display()
    );
    let [ut, int, e2e, uat] = counts;
    Ok(Review { problems, advice, praise: format!("UT={ut}, INT={int}, E2E={e2e}, UAT={uat}") })
}

fn read_all(folder: &Path, world: &dyn World) -> Result<[TestCases; 4], HookError> {
    let mut all = [const { None }; 4].map(|_: Option<()>| TestCases::default());
    for (cases, kind) in all.iter_mut().zip(TestKind::ALL) {
        let name = match kind {
            TestKind::Unit => "unit",
            TestKind::Integration => "integration",
            TestKind::EndToEnd => "e2e",
            TestKind::Acceptance => "uat",
        };
        let mut left = MAX_FILES;
        read_folder(&folder.join(name), kind, MAX_DEPTH, &mut left, cases, world)?;
    }
    Ok(all)
}

fn read_folder(
    folder: &Path,
    kind: TestKind,
    depth: usize,
    left: &mut usize,
    cases: &mut TestCases,
    world: &dyn World,
) -> Result<(), HookError> {
    for name in world.list(folder)?.unwrap_or_default() {
        let path = world.resolve(&folder.join(&name));
        match world.kind(&path)? {
            Some(FileKind::Folder) if depth > 0 => read_folder(&path, kind, depth - 1, left, cases, world)?,
            Some(FileKind::File) if name.ends_with(".md") && *left > 0 => {
                *left -= 1;
                let bytes = world.read(&path)?.unwrap_or_default();
                cases.add(kind, &String::from_utf8_lossy(&bytes));
            }
            Some(FileKind::File | FileKind::Folder | FileKind::Link | FileKind::Other) | None => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::subagent::tests::{active_world, end_of};
    use super::super::test_events::{reason, word};
    use super::*;
    use hookrail_testkit::world::FakeWorld;
    use serde_json::json;

    const HOOK: ValidateQaStrategistOutput = ValidateQaStrategistOutput;
    const STEPS: &str = "Given: a\nWhen: b\nThen: c\n";

    /// Complete work, file by file.
    fn files() -> Vec<(&'static str, String)> {
        vec![
            ("test-cases/unit/auth.md", "### UT-001\n".to_owned()),
            ("test-cases/uat/deep/login.md", format!("## UAT-001\n{STEPS}")),
            ("test-plan.md", "## Coverage Matrix\n".to_owned()),
        ]
    }

    fn world(files: &[(&str, String)]) -> FakeWorld {
        files.iter().fold(active_world(), |world, (path, text)| world.file(&format!("/p/specs/x/{path}"), text))
    }

    fn strategist() -> Event {
        end_of("product-planning:qa-strategist", &json!({}))
    }

    #[test]
    fn test_cases_that_cannot_be_referred_to_or_carried_out_are_refused() {
        // covers: H09
        assert_eq!(word(&HOOK, &strategist(), &world(&files())), "silent");
        for (path, text, expected) in [
            ("test-cases/unit/auth.md", "| UT-01 | adds |", ""),
            ("test-cases/unit/auth.md", "no id here", "No unit test IDs (UT-xxx) found"),
            ("test-cases/uat/deep/login.md", "log in", "No UAT script IDs (UAT-xxx) found"),
            ("test-cases/uat/deep/login.md", "## UAT-001\nGiven: a", "UAT scripts missing Given-When-Then structure"),
            ("test-plan.md", "coverage", "Missing coverage matrix in test-plan.md"),
        ] {
            let mut files = files();
            files.retain(|(name, _)| *name != path);
            files.push((path, text.to_owned()));
            assert_eq!(word(&HOOK, &strategist(), &world(&files)), if expected.is_empty() { "silent" } else { "deny" });
            assert!(reason(&HOOK, &strategist(), &world(&files)).contains(expected), "{path} {text}");
        }
        let nothing = reason(&HOOK, &strategist(), &active_world());
        assert!(nothing.starts_with("test-cases/ not found. test-plan.md not found. Complete the files"), "{nothing}");
        let empty = active_world().file("/p/specs/x/test-cases/unit/readme.txt", "## UT-001");
        assert!(reason(&HOOK, &strategist(), &empty).contains("No unit test IDs"), "only Markdown counts");
    }

    #[test]
    fn links_are_followed_to_files_and_a_circle_ends() {
        // covers: H09
        let mut files = files();
        files.remove(0);
        let linked = world(&files)
            .file("/shared/auth.md", "# UT-001")
            .link("/p/specs/x/test-cases/unit/auth.md", "/shared/auth.md")
            .link("/p/specs/x/test-cases/unit/circle", "/p/specs/x/test-cases");
        assert_eq!(word(&HOOK, &strategist(), &linked), "silent");
    }

    #[test]
    fn it_is_asked_once_and_only_of_the_strategist_of_an_active_workflow() {
        // covers: H09
        let again = end_of("product-planning:qa-strategist", &json!({"stop_hook_active": true}));
        assert_eq!(word(&HOOK, &again, &active_world()), "warn");
        assert_eq!(word(&HOOK, &end_of("product-planning:tech-lead", &json!({})), &active_world()), "silent");
        assert_eq!(word(&HOOK, &strategist(), &FakeWorld::new()), "silent");
        let broken = world(&files()).broken("/p/specs/x/test-cases/unit/auth.md");
        assert_eq!(word(&HOOK, &strategist(), &broken), "error");
    }
}
