use crate::fsm::project::SkillProject;
use serde_json::{Value, json};
use std::path::Path;

/// A plugin `p` with a skill `s`, installed in a folder per scope; `None` if no installation applied.
fn chosen(entries: &[(&str, Option<&Path>)], cwd: &Path) -> Option<String> {
    let mut place = SkillProject::new();
    let mut list = Vec::new();
    for (scope, project) in entries {
        place = place.plugin(scope, "skills/s/fsm.json");
        let mut entry = json!({"scope": scope, "installPath": place.home.at(scope)});
        if let Some(project) = project {
            entry["projectPath"] = json!(project);
        }
        list.push(entry);
    }
    let place = place.registry(&json!({"version": 2, "plugins": {"p@m": list}}));
    let mut event = place.skill_event("p:s");
    event["cwd"] = json!(cwd);
    place.fire(&event).assert_continues();
    place.subjects().pop().map(|(_, subject)| subject)
}

const APP: &str = "/projects/myapp";

#[test]
fn local_goes_before_project_and_project_before_user() {
    // covers: SCN-THS-3.1 REQ-THS-3
    let app = Path::new(APP);
    for (higher, lower) in [("local", "project"), ("local", "user"), ("project", "user")] {
        for order in [[higher, lower], [lower, higher]] {
            let entries = order.map(|scope| (scope, (scope != "user").then_some(app)));
            assert_eq!(chosen(&entries, app).as_deref(), Some(higher), "{order:?}");
        }
    }
}

#[test]
fn a_lone_local_installation_that_fits_is_used() {
    // covers: SCN-THS-3.2 REQ-THS-3
    assert_eq!(chosen(&[("local", Some(APP.as_ref()))], APP.as_ref()).as_deref(), Some("local"));
}

#[test]
fn a_lone_project_installation_that_fits_is_used() {
    // covers: SCN-THS-3.3 REQ-THS-3
    assert_eq!(chosen(&[("project", Some(APP.as_ref()))], APP.as_ref()).as_deref(), Some("project"));
}

#[test]
fn a_lone_user_installation_is_used_in_any_directory() {
    // covers: SCN-THS-3.4 REQ-THS-3
    for cwd in [APP, "/", "/elsewhere"] {
        assert_eq!(chosen(&[("user", None)], cwd.as_ref()).as_deref(), Some("user"));
    }
}

#[test]
fn a_working_directory_below_the_project_path_fits_it() {
    // covers: SCN-THS-3.5 REQ-THS-3
    for project in ["/projects/myapp", "/projects/myapp/", "/projects/./myapp"] {
        let cwd = Path::new("/projects/myapp/src/components");
        assert_eq!(chosen(&[("project", Some(project.as_ref()))], cwd).as_deref(), Some("project"), "{project}");
    }
}

#[test]
fn a_working_directory_elsewhere_rules_the_installation_out() {
    // covers: SCN-THS-3.6 REQ-THS-3
    for cwd in ["/projects/otherapp", "/projects/myapp-2", "/projects", "/projects/myapp/../otherapp"] {
        assert_eq!(chosen(&[("project", Some(APP.as_ref()))], cwd.as_ref()), None, "{cwd}");
    }
    assert_eq!(chosen(&[("project", None)], APP.as_ref()), None, "a project's installation names its project");
}

#[test]
fn links_are_resolved_before_paths_are_compared() {
    // errata A8
    let place = SkillProject::new();
    place.project.write("real/src/x", "");
    std::os::unix::fs::symlink(place.project.at("real"), place.project.at("link")).unwrap();
    let (real, link) = (place.project.at("real"), place.project.at("link"));
    assert_eq!(chosen(&[("local", Some(&link))], &real.join("src")).as_deref(), Some("local"));
    assert_eq!(chosen(&[("local", Some(&real))], &link.join("src")).as_deref(), Some("local"));
}

#[test]
fn every_known_form_of_the_registry_is_read() {
    // errata A6
    let user = |path: &Value| json!({"scope": "user", "installPath": path});
    type Form = (&'static str, fn(&Value) -> Value);
    let forms: [Form; 6] = [
        ("version 2", |path| json!({"version": 2, "plugins": {"p@m": [{"scope": "user", "installPath": path}]}})),
        ("version 1, a list", |path| json!([{"name": "p@1.0", "scope": "user", "installPath": path}])),
        (
            "version 1, a list inside",
            |path| json!({"version": 1, "plugins": [{"name": "p@1.0", "scope": "user", "installPath": path}]}),
        ),
        ("version 1, by id", |path| json!({"version": 1, "plugins": {"p@m": {"version": "1.0", "installPath": path}}})),
        (
            "two marketplaces",
            |path| json!({"version": 2, "plugins": {"p@a": [{"scope": "managed", "installPath": "/none"}], "p@b": [{"scope": "user", "installPath": path}]}}),
        ),
        ("no marketplace", |path| json!({"version": 2, "plugins": {"p": [{"scope": "user", "installPath": path}]}})),
    ];
    for (name, form) in forms {
        let place = SkillProject::new().plugin("cache", "skills/s/fsm.json");
        let path = json!(place.home.at("cache"));
        let place = place.registry(&form(&path));
        place.invoke("p:s").assert_continues();
        assert_eq!(place.subjects().len(), 1, "{name}");
    }
    // errata A9: entries that say nothing usable are skipped.
    let place = SkillProject::new().plugin("cache", "skills/s/fsm.json");
    let path = json!(place.home.at("cache"));
    let entries = json!([{"scope": "managed", "installPath": "/m"}, {"scope": "local"}, {"scope": 5, "installPath": "/x"}, 7, user(&path)]);
    let place = place.registry(&json!({"version": 2, "plugins": {"p@m": entries, "pp@m": [user(&json!("/other"))]}}));
    place.invoke("p:s").assert_continues();
    assert_eq!(place.only_subject(), "cache");
}

#[test]
fn an_absent_registry_is_no_error_and_a_malformed_one_is() {
    // errata A5
    let fsm = json!([{"id": 1, "subject": "project"}]);
    let place = SkillProject::new().skill("s", &fsm);
    place.invoke("p:s").assert_continues();
    assert_eq!(place.only_subject(), "project");
    for (text, part) in [("{", "not valid JSON"), ("7", "no known form"), ("{\"version\": 2}", "no known form")] {
        let place = SkillProject::new().skill("s", &fsm);
        place.home.write(".claude/plugins/installed_plugins.json", text);
        place.invoke("p:s").assert_fails(&["installed_plugins.json` cannot be used", part]);
        assert!(!place.home.exists(".claude/tasks"));
        place.invoke("s").assert_continues();
    }
}

#[test]
fn an_installation_without_the_file_leads_to_the_plain_lookup_and_not_to_the_next_scope() {
    // errata A9
    let place =
        SkillProject::new().plugin("user", "skills/s/fsm.json").skill("s", &json!([{"id": 1, "subject": "project"}]));
    let (local, user, cwd) = (place.home.at("local"), place.home.at("user"), place.project.path().to_owned());
    let entries =
        json!([{"scope": "user", "installPath": user}, {"scope": "local", "projectPath": cwd, "installPath": local}]);
    let place = place.registry(&json!({"version": 2, "plugins": {"p@m": entries}}));
    place.invoke("p:s").assert_continues();
    assert_eq!(place.only_subject(), "project");
}
