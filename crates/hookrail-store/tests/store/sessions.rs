use crate::fixture::{Fixture, NOW, session, store_at};
use hookrail_store::{SessionState, Store, StoreError};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::time::{Duration, Instant};

fn count(state: &mut SessionState) {
    *state.budgets.entry("calls".into()).or_default() += 1;
}

#[test]
fn a_change_is_there_for_the_next_process_and_for_its_session_only() {
    let fixture = Fixture::new();
    let store = fixture.store();
    assert_eq!(store.read(&session("one")).unwrap().state, SessionState::default().into());
    assert!(!fixture.root().exists(), "reading makes no files");
    let updated = store.update(&session("one"), &mut count).unwrap();
    assert_eq!((updated.state.budgets["calls"], updated.state.updated_at), (1, NOW));
    assert_eq!(fixture.store().read(&session("one")).unwrap(), updated);
    assert_eq!(fixture.store().read(&session("two")).unwrap().state, SessionState::default().into());
}

#[test]
fn fields_of_a_newer_version_survive_an_update() {
    let fixture = Fixture::new();
    let store = fixture.store();
    store.update(&session("s"), &mut count).unwrap();
    let path = fixture.path("sessions/s.json");
    fs::write(&path, r#"{"budgets":{"calls":4},"lease":[1],"breakers":{"a/b":{"half_open":true}}}"#).unwrap();
    store.update(&session("s"), &mut count).unwrap();
    let written: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    assert_eq!(written["budgets"], json!({"calls": 5}));
    assert_eq!(written["lease"], json!([1]));
    assert_eq!(written["breakers"]["a/b"]["half_open"], json!(true));
}

#[test]
fn a_corrupt_state_is_set_aside_reported_and_begun_anew() {
    let corrupt = ["", "{", "[]", "null", "\0\0\0\0", r#"{"budgets":{"calls":-1}}"#, r#"{"once":"yes"}"#];
    for content in corrupt {
        for is_update in [true, false] {
            let fixture = Fixture::new();
            let store = fixture.store();
            store.update(&session("s"), &mut count).unwrap();
            fs::write(fixture.path("sessions/s.json"), content).unwrap();
            let found = if is_update { store.update(&session("s"), &mut count) } else { store.read(&session("s")) };
            let found = found.unwrap();
            assert_eq!(found.state.budgets.contains_key("calls"), is_update, "{content:?}");
            let aside = found.recovered.expect(content);
            assert_eq!(aside.file, fixture.path("sessions/s.json"));
            assert_eq!(aside.moved_to, fixture.path(&format!("sessions/s.json.corrupt-{NOW}")));
            assert_eq!(fs::read_to_string(&aside.moved_to).unwrap(), content);
            assert!(aside.to_string().contains(&aside.why) && !aside.why.is_empty(), "{aside}");
            assert_eq!(store.read(&session("s")).unwrap().recovered, None, "{content:?} is reported once");
        }
    }
}

#[test]
fn a_change_that_changes_nothing_is_not_written_until_the_file_looks_unused() {
    const HOUR: i64 = 60 * 60 * 1000;
    let fixture = Fixture::new();
    fixture.store().update(&session("s"), &mut |_| {}).unwrap();
    assert!(!fixture.path("sessions/s.json").exists());
    fixture.store().update(&session("s"), &mut count).unwrap();
    for (later, updated_at) in [(HOUR, NOW), (25 * HOUR, NOW + 25 * HOUR)] {
        let store = store_at(&fixture.root(), NOW + later);
        store.update(&session("s"), &mut |state| state.updated_at = 7).unwrap();
        assert_eq!(store.read(&session("s")).unwrap().state.updated_at, updated_at);
    }
}

#[test]
fn a_value_that_could_not_be_read_back_is_refused_and_the_old_state_kept() {
    let fixture = Fixture::new();
    let store = fixture.store();
    for (levels, is_fine) in [(110, true), (124, false), (500, false)] {
        let before = store.update(&session("s"), &mut count).unwrap();
        let deep = (0..levels).fold(json!(0), |inner, _| json!([inner]));
        let mut keep = |state: &mut SessionState| drop(state.values.insert("deep".into(), deep.clone()));
        let result = store.update(&session("s"), &mut keep);
        assert_eq!(result.is_ok(), is_fine, "{levels}: {result:?}");
        let after = store.read(&session("s")).unwrap();
        assert_eq!(after.recovered, None);
        assert_eq!(after.state == before.state, !is_fine, "{levels}");
    }
}

#[test]
fn an_outline_is_the_state_without_what_packs_keep_in_it() {
    let fixture = Fixture::new();
    let store = fixture.store();
    assert_eq!(store.read_outline(&session("s")).unwrap(), store.read(&session("s")).unwrap(), "nothing is there yet");
    let mut fill = |state: &mut SessionState| {
        count(state);
        state.once.insert("greeted".into());
        state.breakers.entry("a/b".into()).or_default().open = true;
        state.values.insert("pack/key".into(), json!({"long": ["value", 1.5, null, "}\""]}));
        state.unknown.insert("lease".into(), json!({"until": 7}));
    };
    let whole = store.update(&session("s"), &mut fill).unwrap().state;
    let outline = store.read_outline(&session("s")).unwrap();
    let expected =
        SessionState { values: [].into(), unknown: json!({}).as_object().unwrap().clone(), ..(*whole).clone() };
    assert_eq!((&*outline.state, outline.recovered), (&expected, None));
    assert_eq!(store.read(&session("s")).unwrap().state, whole, "a look at the outline changes nothing");
    for broken in ["{\"breakers\": 1}", "{\"values\": {}", "x", ""] {
        fs::write(fixture.path("sessions/s.json"), broken).unwrap();
        let read = store.read_outline(&session("s")).unwrap();
        assert_eq!(*read.state, SessionState::default(), "{broken}");
        assert!(read.recovered.is_some(), "{broken} is set aside");
    }
}

#[test]
fn a_change_that_panics_leaves_the_old_state_and_no_lock() {
    let fixture = Fixture::new();
    let store = fixture.store().with_lock_patience(Duration::ZERO);
    store.update(&session("s"), &mut count).unwrap();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        store.update(&session("s"), &mut |state| {
            count(state);
            panic!("on purpose");
        })
    }));
    assert!(panicked.is_err());
    assert_eq!(store.update(&session("s"), &mut count).unwrap().state.budgets["calls"], 2);
}

#[test]
fn a_process_that_never_lets_go_makes_an_error_and_not_a_hang() {
    let fixture = Fixture::new();
    let store = fixture.store().with_lock_patience(Duration::from_millis(30));
    store.update(&session("s"), &mut count).unwrap();
    store.append(&crate::fixture::record("hook/a")).unwrap();
    let stuck = ["sessions/s.lock", "journal/head"].map(|name| {
        let file = File::open(fixture.path(name)).unwrap();
        file.lock().unwrap();
        file
    });
    let start = Instant::now();
    let mut called = false;
    let update = store.update(&session("s"), &mut |_| called = true);
    let append = store.append(&crate::fixture::record("hook/a"));
    let verify = store.verify();
    assert!(matches!(update, Err(StoreError::Busy { .. })), "{update:?}");
    assert!(matches!(append, Err(StoreError::Busy { .. })), "{append:?}");
    assert!(matches!(verify, Err(StoreError::Busy { .. })), "{verify:?}");
    assert!(!called);
    assert!(start.elapsed() < Duration::from_secs(60));
    assert_eq!(store.read(&session("s")).unwrap().state.budgets["calls"], 1, "reading does not wait");
    assert!(store.update(&session("other"), &mut count).is_ok(), "another session is not concerned");
    drop(stuck);
    store.update(&session("s"), &mut count).unwrap();
}
