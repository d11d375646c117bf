use crate::isdlc::project::{WorkflowProject, state};
use serde_json::json;

/// A monorepo of which only the project `app` is out of order.
fn monorepo(default: Option<&str>) -> WorkflowProject {
    let projects = json!({"web": {"path": "apps"}, "app": {"path": "apps/app"}, "lib": {"path": "lib"}});
    let place = WorkflowProject::with(&state("05-test-strategy", "pending"));
    place.project.write(".isdlc/monorepo.json", &json!({"projects": projects, "default_project": default}).to_string());
    place.project.write(".isdlc/projects/app/state.json", &state("05-test-strategy", "in_progress").to_string());
    for project in ["web", "lib"] {
        let state = state("06-implementation", "in_progress").to_string();
        place.project.write(format!(".isdlc/projects/{project}/state.json"), &state);
    }
    for folder in ["apps/app/src", "apps/other", "lib", "tools"] {
        std::fs::create_dir_all(place.project.at(folder)).unwrap();
    }
    place
}

#[test]
fn variable_then_nearest_folder_then_default_name_the_project() {
    // covers: AC-03
    let cases = [
        (None, None, "apps/app", true),
        (None, None, "apps/app/src", true),
        (None, None, "apps/other", false),
        (None, None, "lib", false),
        (None, None, "tools", false),
        (None, Some("app"), "tools", true),
        (None, Some("app"), "lib", false),
        (Some("app"), None, "lib", true),
        (Some("lib"), Some("app"), "apps/app", false),
        (Some("no-such"), None, "apps/app", false),
        (Some("../projects/app"), None, "apps/app", false),
    ];
    for (variable, default, folder, refused) in cases {
        let mut place = monorepo(default);
        if let Some(id) = variable {
            place = place.env("ISDLC_PROJECT", id);
        }
        let mut event = place.task("software-developer", "");
        event["cwd"] = json!(place.project.at(folder));
        let case = format!("{variable:?} {default:?} {folder}");
        let said = place.fire("phase-sequence-guard", &event);
        if refused {
            said.refusal(&case);
        } else {
            said.assert_silent(&case);
        }
    }
}

#[test]
fn the_project_is_the_one_the_agent_was_started_in_or_the_nearest_above() {
    // covers: AC-03
    let place = WorkflowProject::with(&state("05-test-strategy", "in_progress")).file("deep/down/x", "");
    let mut event = place.task("software-developer", "");
    event["cwd"] = json!(place.project.at("deep/down"));
    place.fire("phase-sequence-guard", &event).refusal("above");
    event["cwd"] = json!(place.home.path());
    place.fire("phase-sequence-guard", &event).assert_silent("elsewhere");
    let project = place.project.path().to_owned();
    let place = place.env("CLAUDE_PROJECT_DIR", project);
    place.fire("phase-sequence-guard", &event).refusal("CLAUDE_PROJECT_DIR");
}

#[test]
fn a_plan_of_the_project_counts() {
    // covers: AC-02 AC-02b
    let place = monorepo(Some("lib"));
    let event = place.task("software-developer", "");
    place.fire("plan-surfacer", &event).refusal("no plan");
    let place = place.file("lib/docs/isdlc/tasks.md", "");
    place.fire("plan-surfacer", &event).assert_silent("the project's plan");
}
