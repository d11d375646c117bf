//! Every way to change a journal, and what the check reports.

use crate::fixture::{Fixture, NOW, append, record, segment_name};
use hookrail_store::{Fault, Note, Problem, Store};
use std::fs;
use std::path::Path;

/// Two files with two records each, and one with the last.
fn journal() -> Fixture {
    let fixture = Fixture::new();
    append(&fixture.store(), 1);
    let line = fs::metadata(fixture.segment(1)).unwrap().len();
    append(&fixture.store().with_segment_bytes(line * 2 + 60), 4);
    assert_eq!(fixture.names("journal")[..3], [1, 3, 5].map(segment_name));
    fixture
}

fn problems(fixture: &Fixture) -> Vec<Problem> {
    let report = fixture.store().verify().unwrap();
    assert_eq!(report.more_problems, 0);
    report.problems
}

fn brief(problems: &[Problem]) -> Vec<(String, Fault)> {
    problems.iter().map(|problem| (problem.place.to_string(), problem.fault.clone())).collect()
}

/// Changes each byte of a file in several ways, among them to a line break, and lets `check` judge each.
fn change_everything(path: &Path, check: impl Fn(usize, u8)) {
    let good = fs::read(path).unwrap();
    for (position, byte) in good.iter().enumerate() {
        for other in [byte ^ 1, byte ^ 0x20, b'\n'].into_iter().filter(|other| other != byte) {
            let mut bad = good.clone();
            bad[position] = other;
            fs::write(path, bad).unwrap();
            check(position, other);
        }
    }
    fs::write(path, good).unwrap();
}

#[test]
fn each_changed_byte_is_found_and_its_line_named() {
    let fixture = Fixture::new();
    append(&fixture.store(), 2);
    append(&fixture.store_of_small_files(), 1);
    assert_eq!(problems(&fixture), []);
    for first in [1, 3] {
        let text = fs::read_to_string(fixture.segment(first)).unwrap();
        change_everything(&fixture.segment(first), |position, byte| {
            let line = 1 + text[..position].matches('\n').count() as u64;
            let found = problems(&fixture);
            let named = found.first().map(|problem| (problem.place.file.clone(), problem.place.line));
            assert_eq!(named, Some((segment_name(first), line)), "byte {position} is now {byte:#x}");
            // A new line break makes two broken lines of one.
            assert!(found.len() <= 1 + usize::from(byte == b'\n'), "byte {position} is now {byte:#x}: {found:?}");
        });
    }
    assert_eq!(problems(&fixture), []);
}

#[test]
fn each_changed_byte_of_the_head_is_found() {
    let fixture = Fixture::new();
    append(&fixture.store(), 1);
    change_everything(&fixture.head(), |position, byte| {
        let found = brief(&problems(&fixture));
        assert_eq!(found, [("head:1".to_owned(), Fault::HeadDamaged)], "byte {position} is now {byte:#x}");
    });
    assert_eq!(problems(&fixture), []);
}

/// A journal of six records in one file, changed by `tamper`.
fn tampered(tamper: impl FnOnce(&mut Vec<String>)) -> Fixture {
    let fixture = Fixture::new();
    fixture.append(6);
    let mut lines = fixture.lines(1);
    tamper(&mut lines);
    fixture.write_lines(1, &lines);
    fixture
}

/// A record with another reason and hashes that fit it: what a careful forger writes.
fn forge(line: &str) -> String {
    let (body, _) = line.rsplit_once(",\"hash\":").unwrap();
    let body = body.replace("succeeded", "skipped");
    let hash = blake3::hash(body.as_bytes()).to_hex();
    format!("{body},\"hash\":\"{hash}\"}}")
}

#[test]
fn lines_that_were_moved_removed_or_forged_are_named() {
    type Tamper = fn(&mut Vec<String>);
    type Expected = Vec<(u64, Fault)>;
    let cases: [(&str, Tamper, Expected); 14] = [
        ("nothing", |_| {}, vec![]),
        ("a removed line", |lines| drop(lines.remove(2)), vec![(3, Fault::Missing { from: 3, to: 3 })]),
        ("removed lines", |lines| drop(lines.drain(1..4)), vec![(2, Fault::Missing { from: 2, to: 4 })]),
        ("the first line removed", |lines| drop(lines.remove(0)), vec![(1, Fault::Missing { from: 1, to: 1 })]),
        ("a cut tail", |lines| lines.truncate(4), vec![(5, Fault::CutOff { from: 5, to: 6 })]),
        ("everything cut", |lines| lines.clear(), vec![(1, Fault::CutOff { from: 1, to: 6 })]),
        ("two lines swapped", |lines| lines.swap(1, 2), vec![(3, Fault::OutOfOrder { seq: 2 })]),
        (
            "a line moved to the end",
            |lines| {
                let line = lines.remove(1);
                lines.push(line);
            },
            vec![(6, Fault::OutOfOrder { seq: 2 })],
        ),
        (
            "a line doubled",
            |lines| {
                let line = lines[1].clone();
                lines.insert(4, line);
            },
            vec![(5, Fault::Repeated { seq: 2 })],
        ),
        ("something inserted", |lines| lines.insert(3, "{}".into()), vec![(4, Fault::Unreadable)]),
        ("an empty line", |lines| lines.insert(3, String::new()), vec![(4, Fault::Unreadable)]),
        ("a forged line", |lines| lines[2] = forge(&lines[2]), vec![(3, Fault::Replaced)]),
        ("a forged last line", |lines| lines[5] = forge(&lines[5]), vec![(6, Fault::Replaced)]),
        (
            "two faults",
            |lines| {
                lines[1] = lines[1].replace("succeeded", "skipped");
                lines.remove(4);
            },
            vec![(2, Fault::Changed), (5, Fault::Missing { from: 5, to: 5 })],
        ),
    ];
    for (what, tamper, expected) in cases {
        let fixture = tampered(tamper);
        let expected: Vec<_> =
            expected.into_iter().map(|(line, fault)| (format!("{}:{line}", segment_name(1)), fault)).collect();
        assert_eq!(brief(&problems(&fixture)), expected, "{what}");
    }
}

#[test]
fn a_forged_line_that_was_inserted_is_named() {
    let fixture = tampered(|lines| {
        let forged = forge(&lines[2]);
        lines.insert(2, forged);
    });
    let expected = [(3, Fault::Replaced), (4, Fault::Repeated { seq: 3 })];
    assert_eq!(
        brief(&problems(&fixture)),
        expected.map(|(line, fault)| (format!("{}:{line}", segment_name(1)), fault))
    );
}

#[test]
fn a_last_line_without_its_line_break_is_named() {
    let fixture = tampered(|_| {});
    let text = fs::read_to_string(fixture.segment(1)).unwrap();
    fs::write(fixture.segment(1), text.trim_end()).unwrap();
    assert_eq!(brief(&problems(&fixture)), [(format!("{}:6", segment_name(1)), Fault::Unfinished)]);
}

#[test]
fn missing_files_are_named() {
    let missing = |first: u64, from, to| Fault::FileMissing { file: segment_name(first), from, to };
    let cases = [
        (1, vec![(segment_name(3), missing(1, 1, 2))]),
        (3, vec![(segment_name(5), missing(3, 3, 4))]),
        (5, vec![(segment_name(5), missing(5, 5, 5))]),
    ];
    for (gone, expected) in cases {
        let fixture = journal();
        fs::remove_file(fixture.segment(gone)).unwrap();
        let expected: Vec<_> = expected.into_iter().map(|(file, fault)| (format!("{file}:1"), fault)).collect();
        assert_eq!(brief(&problems(&fixture)), expected, "{gone}");
    }
    let fixture = journal();
    for first in [1, 3, 5] {
        fs::remove_file(fixture.segment(first)).unwrap();
    }
    assert_eq!(brief(&problems(&fixture)), [(format!("{}:1", segment_name(5)), missing(5, 1, 5))]);
}

#[test]
fn a_missing_head_is_named_but_does_not_hide_other_faults() {
    let fixture = journal();
    fs::remove_file(fixture.head()).unwrap();
    assert_eq!(brief(&problems(&fixture)), [("head:1".to_owned(), Fault::HeadReplaced)]);
    fs::remove_file(fixture.witness()).unwrap();
    assert_eq!(brief(&problems(&fixture)), [("head:1".to_owned(), Fault::HeadMissing)]);
    fs::remove_file(fixture.segment(3)).unwrap();
    let gap = Fault::FileMissing { file: segment_name(3), from: 3, to: 4 };
    let expected = [("head:1".to_owned(), Fault::HeadMissing), (format!("{}:1", segment_name(5)), gap)];
    assert_eq!(brief(&problems(&fixture)), expected);
}

#[test]
fn an_older_head_excuses_one_batch_and_no_more() {
    for (ahead, excused) in [(1, true), (64, true), (65, false)] {
        let fixture = Fixture::new();
        fixture.append(3);
        let (old_head, old_witness) = (fs::read(fixture.head()).unwrap(), fs::read(fixture.witness()).unwrap());
        fixture.append(ahead);
        fs::write(fixture.head(), old_head).unwrap();
        fs::write(fixture.witness(), old_witness).unwrap();
        let report = fixture.store().verify().unwrap();
        assert_eq!(report.is_intact(), excused, "{ahead}: {:?}", report.problems);
        let note = Note::Unconfirmed { records: ahead };
        assert_eq!(report.notes.contains(&note), excused, "{ahead}: {:?}", report.notes);
    }
}

#[test]
fn a_file_full_of_something_else_is_reported_with_bounds() {
    let fixture = tampered(|lines| *lines = vec!["nonsense".to_owned(); 1500]);
    let report = fixture.store().verify().unwrap();
    assert_eq!((report.problems.len(), report.more_problems, report.lines), (1000, 500, 1500));
}

#[test]
fn a_problem_reads_like_a_sentence() {
    let fixture = tampered(|lines| {
        lines.drain(1..3);
        lines[0] = lines[0].replace("succeeded", "skipped");
    });
    let texts: Vec<String> = problems(&fixture).iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "000000000001.jsonl:1: the record was changed after it was written",
            "000000000001.jsonl:2: records 2 to 3 are missing before this line",
        ]
    );
}

#[test]
fn tampering_stays_visible_when_the_journal_goes_on() {
    type Tamper = fn(&mut Vec<String>);
    let cases: [(&str, Tamper); 5] = [
        ("a cut tail", |lines| lines.truncate(4)),
        ("everything cut", |lines| lines.clear()),
        ("a longer line", |lines| lines[1] = lines[1].replace("succeeded", "succeeded indeed")),
        ("a shorter line", |lines| lines[1] = lines[1].replace("succeeded", "failed")),
        ("foreign lines at the end", |lines| lines.push("{\"forged\":true}".into())),
    ];
    for (what, tamper) in cases {
        let fixture = tampered(tamper);
        let before = fixture.lines(1);
        let appended = fixture.store().append(&record("hook/after")).unwrap();
        assert_eq!(appended.recovered.len(), 1, "{what}: {:?}", appended.recovered);
        let after = fixture.lines(1);
        assert_eq!(after[..before.len()], before, "{what}: evidence is left alone");
        let note = &after[before.len()];
        assert!(note.contains("hookrail/journal") && note.contains("warned"), "{what}: {note}");
        assert!(!problems(&fixture).is_empty(), "{what}");
        assert_eq!(fixture.store().append(&record("hook/later")).unwrap().recovered, [], "{what}: reported once");
        assert_eq!(fixture.names("journal"), [segment_name(1), "head".to_owned()], "{what} at {NOW}");
    }
}
