//! Records that are removed or rolled back together with what would tell, and the anchor that is kept elsewhere.

use crate::fixture::{Fixture, append, record, segment_name};
use hookrail_store::{Anchor, Fault, Note, Retention, Store};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

/// Six records in three files.
fn journal() -> Fixture {
    let fixture = Fixture::new();
    append(&fixture.store(), 2);
    let bytes = fs::metadata(fixture.segment(1)).unwrap().len();
    append(&fixture.store().with_segment_bytes(bytes + 60), 4);
    assert_eq!(fixture.names("journal")[..3], [1, 3, 5].map(segment_name));
    assert_eq!(faults(&fixture), []);
    fixture
}

fn faults(fixture: &Fixture) -> Vec<Fault> {
    fixture.store().verify().unwrap().problems.into_iter().map(|problem| problem.fault).collect()
}

fn cut_last_line(fixture: &Fixture) {
    let mut lines = fixture.lines(5);
    lines.pop();
    fixture.write_lines(5, &lines);
}

fn copy_directory(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

/// Puts the journal's directory back to how it was one record ago.
fn roll_back_directory(fixture: &Fixture) {
    let backup = fixture.root().with_file_name("backup");
    copy_directory(&fixture.path("journal"), &backup);
    fixture.append(1);
    fs::remove_dir_all(fixture.path("journal")).unwrap();
    copy_directory(&backup, &fixture.path("journal"));
}

#[test]
fn whatever_is_removed_or_rolled_back_is_found_at_once_and_after_the_journal_went_on() {
    type Tamper = fn(&Fixture);
    let cases: [(&str, Tamper); 11] = [
        ("the head and the last record", |fixture| {
            fs::remove_file(fixture.head()).unwrap();
            cut_last_line(fixture);
        }),
        ("the head and the last file", |fixture| {
            fs::remove_file(fixture.head()).unwrap();
            fs::remove_file(fixture.segment(5)).unwrap();
        }),
        ("the head and all files", |fixture| {
            fs::remove_file(fixture.head()).unwrap();
            [1, 3, 5].iter().for_each(|first| fs::remove_file(fixture.segment(*first)).unwrap());
        }),
        ("the head and the first file", |fixture| {
            fs::remove_file(fixture.head()).unwrap();
            fs::remove_file(fixture.segment(1)).unwrap();
        }),
        ("the directory", |fixture| fs::remove_dir_all(fixture.path("journal")).unwrap()),
        ("a damaged head and the last record", |fixture| {
            fs::write(fixture.head(), "{}").unwrap();
            cut_last_line(fixture);
        }),
        ("an older directory", roll_back_directory),
        ("an older directory and no witness", |fixture| {
            roll_back_directory(fixture);
            fs::remove_file(fixture.witness()).unwrap();
        }),
        ("an older directory and a damaged witness", |fixture| {
            roll_back_directory(fixture);
            fs::write(fixture.witness(), "not a witness ".repeat(100)).unwrap();
        }),
        ("the head, the witness and the last record", |fixture| {
            fs::remove_file(fixture.head()).unwrap();
            fs::remove_file(fixture.witness()).unwrap();
            cut_last_line(fixture);
        }),
        ("the witness", |fixture| fs::remove_file(fixture.witness()).unwrap()),
    ];
    for (what, tamper) in cases {
        let fixture = journal();
        tamper(&fixture);
        assert!(!faults(&fixture).is_empty(), "{what}: found at once");
        let recovered = fixture.store().append(&record("hook/after")).unwrap().recovered;
        assert!(!recovered.is_empty(), "{what}: told by the next append");
        assert!(!faults(&fixture).is_empty(), "{what}: found after the next append");
        assert_eq!(fixture.store().append(&record("hook/later")).unwrap().recovered, [], "{what}: told once");
        assert!(!faults(&fixture).is_empty(), "{what}: found later");
    }
}

#[test]
fn the_missing_records_are_named_where_the_witness_knows_them() {
    let fixture = journal();
    fs::remove_file(fixture.head()).unwrap();
    cut_last_line(&fixture);
    assert_eq!(faults(&fixture), [Fault::HeadReplaced, Fault::CutOff { from: 6, to: 6 }]);
    fixture.append(1);
    assert_eq!(faults(&fixture), [Fault::Missing { from: 6, to: 6 }]);

    let fixture = journal();
    fs::remove_dir_all(fixture.path("journal")).unwrap();
    let gone = |file| Fault::FileMissing { file: segment_name(file), from: 1, to: 6 };
    assert_eq!(faults(&fixture), [Fault::HeadReplaced, gone(5)]);
    fixture.append(1);
    assert_eq!(faults(&fixture), [gone(1)]);
}

#[test]
fn a_journal_that_is_older_than_the_witness_file_gets_one_without_a_word() {
    let fixture = Fixture::new();
    fixture.append(1);
    fs::remove_file(fixture.witness()).unwrap();
    assert_eq!(faults(&fixture), [], "the first record is written before its witness");
    assert_eq!(fixture.store().append(&record("hook/a")).unwrap().recovered, []);
    assert!(fixture.witness().exists());
    assert_eq!(faults(&fixture), []);
}

#[test]
fn another_journal_of_the_same_length_is_not_taken_for_this_one() {
    let fixture = journal();
    let forged = Fixture::new();
    (0..6).for_each(|_| drop(forged.store().append(&record("hook/forged")).unwrap()));
    fs::remove_dir_all(fixture.path("journal")).unwrap();
    copy_directory(&forged.path("journal"), &fixture.path("journal"));
    assert_eq!(faults(&fixture), [Fault::RolledBack { head: 6, witness: 6 }, Fault::Replaced]);
    fixture.append(2);
    assert_eq!(faults(&fixture), [Fault::Replaced], "found after the journal went on");
}

#[test]
fn a_link_in_place_of_the_witness_is_refused() {
    let fixture = journal();
    let victim = fixture.root().with_file_name("victim");
    fs::write(&victim, "untouched").unwrap();
    fs::remove_file(fixture.witness()).unwrap();
    symlink(&victim, fixture.witness()).unwrap();
    assert!(fixture.store().append(&record("hook/a")).is_err());
    assert!(fixture.store().verify().is_err());
    assert_eq!(fs::read_to_string(&victim).unwrap(), "untouched");
}

#[test]
fn an_anchor_finds_what_nothing_on_the_disk_can() {
    let fixture = Fixture::new();
    let store = fixture.store();
    assert_eq!(store.anchor().unwrap(), None);
    fixture.append(3);
    let early = store.anchor().unwrap().unwrap();
    assert_eq!(early.seq(), Some(3));
    fixture.append(3);
    let late = store.anchor().unwrap().unwrap();
    let bare: Anchor = late.hash().parse().unwrap();
    assert!(store.verify_anchors(&[early, late, bare]).unwrap().is_intact());

    // Everything is put back, the witness included.
    let other = Fixture::new();
    (0..6).for_each(|_| drop(other.store().append(&record("hook/forged")).unwrap()));
    let forged = other.store();
    assert!(forged.verify().unwrap().is_intact());
    let found: Vec<Fault> =
        forged.verify_anchors(&[early, late, bare]).unwrap().problems.into_iter().map(|found| found.fault).collect();
    assert_eq!(found, [Fault::NotTheAnchor(early), Fault::NotTheAnchor(late), Fault::AnchorMissing(bare)]);

    let shorter = Fixture::new();
    shorter.append(3);
    let report = shorter.store().verify_anchors(&[early, late]).unwrap();
    let found: Vec<Fault> = report.problems.into_iter().map(|found| found.fault).collect();
    assert_eq!(found, [Fault::AnchorMissing(late)]);

    let nothing = Fixture::new();
    assert!(!nothing.store().verify_anchors(&[late]).unwrap().is_intact());
}

#[test]
fn an_anchor_whose_record_was_pruned_is_a_note_and_no_fault() {
    let fixture = Fixture::new();
    let store = fixture.store_of_small_files();
    append(&store, 2);
    let anchor = store.anchor().unwrap().unwrap();
    append(&store, 2);
    let strict = Retention { journal: Some(Duration::ZERO), ..Retention::default() };
    let far_ahead = crate::fixture::store_at(&fixture.root(), i64::MAX / 2);
    assert_eq!(far_ahead.prune(&strict).unwrap().removed.len(), 3);
    let report = store.verify_anchors(&[anchor]).unwrap();
    assert_eq!((report.problems, report.notes), (vec![], vec![Note::Pruned { last: 3 }, Note::AnchorPruned(anchor)]));
    // The witness knows what was pruned, so losing the head now brings nothing back.
    fs::remove_file(fixture.head()).unwrap();
    append(&store, 1);
    assert_eq!(faults(&fixture), []);
}
