use crate::fsm::project::{SESSION, SkillProject, finish, manual, snapshot};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

const HYDRATIONS: usize = 500;
const AT_ONCE: usize = 16;
const TASKS: usize = 3;

fn fsm() -> Value {
    json!([{"id": 1, "subject": "a"}, {"id": 2, "subject": "b", "blockedBy": [1]}, {"id": 3, "subject": "c", "blockedBy": [2]}])
}

/// Hydrates one list from many processes at once, each for its own skill, in turns.
fn crowd(place: &SkillProject) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for worker in 0..AT_ONCE {
            let next = &next;
            scope.spawn(move || {
                while next.fetch_add(1, Ordering::Relaxed) < HYDRATIONS {
                    let event = place.skill_event(&format!("p{worker}:s")).to_string();
                    let child = place.command(&["hook", "fsm/hydrate-tasks", "--contract=spec"]).spawn().unwrap();
                    finish(child, &event).assert_continues();
                }
            });
        }
    });
}

/// Tasks by their mark, the subjects in the order of ids, after checking that links stay within a skill's tasks.
fn by_skill(place: &SkillProject) -> BTreeMap<String, Vec<String>> {
    let mut skills: BTreeMap<String, BTreeMap<u64, Value>> = BTreeMap::new();
    for (name, task) in place.tasks() {
        let id: u64 = name.trim_end_matches(".json").parse().unwrap();
        assert_eq!(task["id"], json!(id.to_string()));
        let skill = task["metadata"]["fsm"].as_str().unwrap_or("manual").to_owned();
        assert!(skills.entry(skill).or_default().insert(id, task).is_none());
    }
    for tasks in skills.iter().filter(|(skill, _)| *skill != "manual").map(|(_, tasks)| tasks) {
        let ids: Vec<String> = tasks.keys().map(ToString::to_string).collect();
        let links: Vec<&Value> = tasks.values().map(|task| &task["blockedBy"]).collect();
        assert_eq!(links, [&json!([]), &json!([ids[0]]), &json!([ids[1]])]);
    }
    let subject = |task: &Value| task["subject"].as_str().unwrap().to_owned();
    skills.into_iter().map(|(skill, tasks)| (skill, tasks.values().map(subject).collect())).collect()
}

#[test]
fn five_hundred_hydrations_from_sixteen_processes_lose_and_duplicate_nothing() {
    let place = SkillProject::new().skill("s", &fsm()).task("1.json", &manual(1)).task("7.json", &manual(7));
    place.project.write(".hookrail/hookrail.toml", "[fsm]\nscope = \"skill\"\n");
    crowd(&place);
    let mut skills = by_skill(&place);
    assert_eq!(skills.remove("manual").unwrap(), ["manual 1", "manual 7"]);
    assert_eq!(skills.len(), AT_ONCE);
    for (skill, subjects) in skills {
        assert_eq!(subjects, ["a", "b", "c"], "{skill}");
    }
    assert_eq!(snapshot(&place.list()).len(), 2 + AT_ONCE * TASKS, "nothing else is left");

    // With the document's rule the last one wins, whole.
    place.project.write(".hookrail/hookrail.toml", "[fsm]\nscope = \"all\"\n");
    place.invoke("s").assert_continues();
    let names: BTreeSet<String> = snapshot(&place.list()).into_keys().collect();
    assert_eq!(names, ["1.json", "7.json", "8.json", "9.json", "10.json"].map(str::to_owned).into());
}

#[test]
fn tasks_that_a_person_adds_meanwhile_are_never_replaced() {
    let place = SkillProject::new().skill("s", &fsm());
    std::fs::create_dir_all(place.list()).unwrap();
    let mut added = BTreeMap::new();
    let invoked = AtomicUsize::new(0);
    thread::scope(|scope| {
        let worker = scope.spawn(|| {
            for _ in 0..60 {
                place.invoke("s").assert_continues();
                invoked.fetch_add(1, Ordering::Relaxed);
            }
        });
        // As an agent does it: the next free id, and nothing that is there is replaced. Once during each invocation: a writer
        // who never stops is given way to, which is another story.
        while !worker.is_finished() {
            let before = invoked.load(Ordering::Relaxed);
            let ids =
                snapshot(&place.list()).into_keys().filter_map(|name| name.trim_end_matches(".json").parse().ok());
            let id = ids.max().unwrap_or(0_u64) + 1;
            let path = place.list().join(format!("{id}.json"));
            let text = manual(id).to_string();
            let draft = place.home.at("draft");
            std::fs::write(&draft, &text).unwrap();
            if std::fs::hard_link(&draft, &path).is_ok() {
                added.insert(format!("{id}.json"), text);
            }
            std::fs::remove_file(&draft).unwrap();
            while invoked.load(Ordering::Relaxed) == before && !worker.is_finished() {
                thread::sleep(std::time::Duration::from_millis(1));
            }
        }
        worker.join().unwrap();
    });
    let now = snapshot(&place.list());
    assert!(!added.is_empty());
    for (name, text) in &added {
        assert_eq!(now.get(name), Some(text), "{name} of session {SESSION}");
    }
    assert_eq!(by_skill(&place).remove("s").unwrap(), ["a", "b", "c"]);
    assert_eq!(now.len(), added.len() + TASKS);
}
