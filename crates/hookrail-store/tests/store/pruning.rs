use crate::fixture::{Fixture, append, record, segment_name, session, store_at};
use hookrail_store::{Fault, Note, Retention, SessionState, Store};
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

const DAY: i64 = 24 * 60 * 60 * 1000;
/// When pruning takes place.
const TODAY: i64 = 1_800_000_000_000;

fn count(state: &mut SessionState) {
    *state.budgets.entry("calls".into()).or_default() += 1;
}

/// Makes a file look as if it was last changed some days ago.
fn age(path: &Path, days: i64) {
    let time = UNIX_EPOCH + Duration::from_millis(u64::try_from(TODAY - days * DAY).unwrap());
    File::open(path).unwrap().set_modified(time).unwrap();
}

fn prune(fixture: &Fixture, retention: &Retention) -> Vec<PathBuf> {
    let pruned = store_at(&fixture.root(), TODAY).prune(retention).unwrap();
    assert!(pruned.failed.is_empty(), "{:?}", pruned.failed);
    let mut removed: Vec<PathBuf> =
        pruned.removed.iter().map(|path| path.strip_prefix(fixture.root()).unwrap().to_owned()).collect();
    removed.sort();
    removed
}

fn paths(names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(PathBuf::from).collect()
}

#[test]
fn sessions_unused_for_thirty_days_are_removed_with_all_that_belongs_to_them() {
    let fixture = Fixture::new();
    let store = fixture.store();
    for name in ["old", "young", "busy"] {
        store.update(&session(name), &mut count).unwrap();
    }
    let old_text = store.spill(&session("old"), "long", "text").unwrap();
    let mixed = [("a", 40), ("b", 1)].map(|(text, days)| (store.spill(&session("mixed"), "long", text).unwrap(), days));
    let files = [
        ("sessions/old.json", 31),
        ("sessions/old.lock", 50),
        ("sessions/young.json", 29),
        ("sessions/young.lock", 50),
        ("sessions/busy.json", 31),
        ("sessions/busy.lock", 31),
        ("sessions/died.draft", 31),
        ("sessions/x.json.corrupt-5", 31),
        ("sessions/y.json.corrupt-5", 29),
        ("sessions/stale.lock", 31),
        ("sessions/fresh.lock", 1),
    ];
    for (name, days) in files {
        File::options().append(true).create(true).open(fixture.path(name)).unwrap();
        age(&fixture.path(name), days);
    }
    age(&old_text, 31);
    mixed.iter().for_each(|(path, days)| age(path, *days));
    let in_use = File::open(fixture.path("sessions/busy.lock")).unwrap();
    in_use.lock().unwrap();

    let text = |path: &Path| path.strip_prefix(fixture.root()).unwrap().to_str().unwrap().to_owned();
    let (old_text, mixed_text) = (text(&old_text), text(&mixed[0].0));
    let mut expected = paths(&[
        &mixed_text,
        "overflow/old",
        &old_text,
        "sessions/died.draft",
        "sessions/died.lock",
        "sessions/old.json",
        "sessions/old.lock",
        "sessions/stale.lock",
        "sessions/x.json.corrupt-5",
    ]);
    expected.sort();
    assert_eq!(prune(&fixture, &Retention::default()), expected);
    let left = ["busy.json", "busy.lock", "fresh.lock", "y.json.corrupt-5", "young.json", "young.lock"];
    assert_eq!(fixture.names("sessions"), left);
    assert_eq!(fixture.names("overflow"), ["mixed"]);
    assert_eq!(prune(&fixture, &Retention::default()), paths(&[]), "nothing is left to do");
}

#[test]
fn symlinks_are_neither_followed_nor_removed() {
    let fixture = Fixture::new();
    fixture.store().update(&session("s"), &mut count).unwrap();
    fixture.store().spill(&session("s"), "", "text").unwrap();
    fixture.append(1);
    let outside = fixture.root().with_file_name("outside");
    fs::create_dir(&outside).unwrap();
    let victim = outside.join("victim.json");
    fs::write(&victim, "{}").unwrap();
    age(&victim, 100);
    age(&outside, 100);
    symlink(&victim, fixture.path("sessions/link.json")).unwrap();
    symlink(&victim, fixture.path("sessions/a.json.corrupt-1")).unwrap();
    symlink(&outside, fixture.path("overflow/link")).unwrap();
    symlink(&victim, fixture.path("overflow/s/link.txt")).unwrap();
    symlink(&victim, fixture.path("journal/000000000000.jsonl")).unwrap();
    let strict = Retention { sessions: Duration::ZERO, journal: Some(Duration::ZERO), ..Retention::default() };
    let removed = prune(&fixture, &strict);
    assert!(removed.iter().all(|path| !path.to_str().unwrap().contains("link")), "{removed:?}");
    assert_eq!(fs::read_to_string(&victim).unwrap(), "{}");
    for link in ["sessions/link.json", "sessions/a.json.corrupt-1", "overflow/link", "overflow/s/link.txt"] {
        assert!(fs::symlink_metadata(fixture.path(link)).unwrap().is_symlink(), "{link}");
    }
}

#[test]
fn pruning_nothing_makes_nothing() {
    let fixture = Fixture::new();
    assert_eq!(prune(&fixture, &Retention::default()), paths(&[]));
    assert!(!fixture.root().exists());
}

/// Four files with one record each, changed 40, 35, 20 and 10 days ago.
fn journal() -> Fixture {
    let fixture = Fixture::new();
    append(&fixture.store_of_small_files(), 4);
    for (first, days) in [(1, 40), (2, 35), (3, 20), (4, 10)] {
        age(&fixture.segment(first), days);
    }
    fixture
}

fn keep_journal(days: u64) -> Retention {
    Retention { journal: Some(Duration::from_secs(days * 24 * 60 * 60)), ..Retention::default() }
}

#[test]
fn the_journal_is_kept_unless_asked_otherwise() {
    let fixture = journal();
    assert_eq!(prune(&fixture, &Retention::default()), paths(&[]));
}

#[test]
fn old_journal_files_are_removed_and_the_check_knows_it() {
    for (days, removed) in [(50, 0), (30, 2), (15, 3), (0, 3)] {
        let fixture = journal();
        let names: Vec<String> = (1..=removed).map(|first| format!("journal/{}", segment_name(first))).collect();
        assert_eq!(prune(&fixture, &keep_journal(days)), names.iter().map(PathBuf::from).collect::<Vec<_>>());
        let report = fixture.store().verify().unwrap();
        let notes: Vec<Note> = (removed > 0).then_some(Note::Pruned { last: removed }).into_iter().collect();
        assert_eq!((report.sound, report.problems, report.notes), (4 - removed, vec![], notes), "{days} days");
        assert_eq!(fixture.store().append(&record("hook/after")).unwrap().last, 5);
        assert!(fixture.store().verify().unwrap().is_intact());
    }
}

#[test]
fn the_oldest_journal_files_go_when_there_are_too_many_bytes() {
    let size = |fixture: &Fixture, first: u64| fs::metadata(fixture.segment(first)).unwrap().len();
    // How many files may stay, and how many are removed; the one that is written to always stays.
    for (stay, removed) in [(4, 0), (3, 1), (2, 2), (1, 3), (0, 3)] {
        let fixture = journal();
        let bytes = (5 - stay..=4).map(|first| size(&fixture, first)).sum();
        let names: Vec<String> = (1..=removed).map(|first| format!("journal/{}", segment_name(first))).collect();
        let retention = Retention { journal_bytes: Some(bytes), ..Retention::default() };
        assert_eq!(prune(&fixture, &retention), names.iter().map(PathBuf::from).collect::<Vec<_>>(), "{stay}");
        assert!(fixture.store().verify().unwrap().is_intact());
    }
}

#[test]
fn old_files_of_the_folders_that_are_named_go_and_no_others() {
    let fixture = Fixture::new();
    fixture.store().update(&session("s"), &mut count).unwrap();
    let files = [
        ("cache/config-1.json", 31),
        ("cache/config-2.json", 29),
        ("planning/hooks-s.log", 31),
        ("planning/claims/1", 31),
        ("trust/kept", 90),
        ("trust.json", 90),
        ("sessions/s.json", 1),
    ];
    for (name, days) in files {
        fs::create_dir_all(fixture.path(name).parent().unwrap()).unwrap();
        File::create(fixture.path(name)).unwrap();
        age(&fixture.path(name), days);
    }
    let retention = Retention { folders: &["cache", "planning", "planning/claims", "absent"], ..Retention::default() };
    let expected = paths(&["cache/config-1.json", "planning/claims/1", "planning/hooks-s.log"]);
    assert_eq!(prune(&fixture, &retention), expected);
}

#[test]
fn many_sessions_are_pruned_piece_by_piece() {
    const SESSIONS: usize = 1000;
    let fixture = Fixture::new();
    fixture.store().update(&session("young"), &mut count).unwrap();
    for number in 0..SESSIONS {
        for suffix in ["json", "lock"] {
            let path = fixture.path(&format!("sessions/old-{number}.{suffix}"));
            File::create(&path).unwrap();
            age(&path, 31);
        }
    }
    age(&fixture.path("sessions/young.json"), 1);
    let mut removed = Vec::new();
    let mut calls = 0;
    while removed.len() < 2 * SESSIONS {
        let piece = prune(&fixture, &Retention::default());
        assert!(piece.len() <= 2 * 20, "a call removes a part: {}", piece.len());
        removed.extend(piece);
        calls += 1;
        assert!(calls < SESSIONS / 10, "{} are left", 2 * SESSIONS - removed.len());
    }
    assert_eq!(fixture.names("sessions"), ["young.json", "young.lock"]);
}

#[test]
fn a_file_that_somebody_else_removes_is_still_missing() {
    let fixture = journal();
    prune(&fixture, &keep_journal(30));
    fs::remove_file(fixture.segment(3)).unwrap();
    let faults: Vec<Fault> = fixture.store().verify().unwrap().problems.into_iter().map(|found| found.fault).collect();
    assert_eq!(faults, [Fault::FileMissing { file: segment_name(3), from: 3, to: 3 }]);
}

#[test]
fn an_old_file_after_a_young_one_is_kept() {
    let fixture = journal();
    age(&fixture.segment(1), 1);
    assert_eq!(prune(&fixture, &keep_journal(30)), paths(&[]));
}

#[test]
fn dying_between_the_head_and_the_removal_is_harmless() {
    let fixture = journal();
    let first = fs::read(fixture.segment(1)).unwrap();
    prune(&fixture, &keep_journal(30));
    fs::write(fixture.segment(1), first).unwrap();
    age(&fixture.segment(1), 40);
    assert!(fixture.store().verify().unwrap().is_intact());
    assert_eq!(prune(&fixture, &keep_journal(30)), paths(&[&format!("journal/{}", segment_name(1))]));
}

#[test]
fn a_journal_without_a_head_keeps_everything() {
    let fixture = journal();
    fs::write(fixture.head(), "garbage").unwrap();
    assert_eq!(prune(&fixture, &keep_journal(0)), paths(&[]));
}
