//! What sudden death leaves behind, and how the next append deals with it.

use crate::fixture::{Fixture, NOW, append, entries, record, segment_name};
use hookrail_store::{Note, RecordPosition, Recovery, Store};
use std::fs::{self, OpenOptions};
use std::io::Write;

fn add(fixture: &Fixture, first: u64, text: &str) {
    let mut file = OpenOptions::new().append(true).create(true).open(fixture.segment(first)).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

fn hooks(fixture: &Fixture) -> Vec<String> {
    entries(&fixture.store()).into_iter().map(|entry| entry.record.hook).collect()
}

/// The line that would come next, and the journal without it.
fn next_line(fixture: &Fixture) -> String {
    let paths = [fixture.head(), fixture.witness(), fixture.segment(1)];
    let before = paths.each_ref().map(|path| fs::read(path).unwrap());
    fixture.append(1);
    let line = fixture.lines(1).pop().unwrap();
    paths.iter().zip(before).for_each(|(path, content)| fs::write(path, content).unwrap());
    line
}

#[test]
fn a_record_that_the_head_does_not_know_yet_is_confirmed_by_the_next() {
    let fixture = Fixture::new();
    fixture.append(2);
    let line = next_line(&fixture);
    add(&fixture, 1, &format!("{line}\n"));
    let report = fixture.store().verify().unwrap();
    assert_eq!((report.problems, report.notes), (vec![], vec![Note::Unconfirmed { records: 1 }]));
    let appended = fixture.store().append(&record("hook/after")).unwrap();
    assert_eq!((appended.last, appended.recovered), (4, vec![]));
    let report = fixture.store().verify().unwrap();
    assert_eq!((report.sound, report.problems, report.notes), (4, vec![], vec![]));
}

#[test]
fn a_line_torn_at_any_byte_is_set_aside_and_the_chain_goes_on() {
    let template = Fixture::new();
    template.append(2);
    let line = next_line(&template);
    for cut in 1..=line.len() {
        let fixture = Fixture::new();
        fixture.append(2);
        add(&fixture, 1, &line[..cut]);
        let report = fixture.store().verify().unwrap();
        let place = RecordPosition { file: segment_name(1), line: 3 };
        let bytes = cut as u64;
        assert_eq!((report.problems, report.notes), (vec![], vec![Note::Torn { place, bytes }]), "cut at {cut}");

        let appended = fixture.store().append(&record("hook/after")).unwrap();
        let set_aside = format!("{}.corrupt-{NOW}", segment_name(1));
        let torn = Recovery::Torn { file: segment_name(1), bytes, set_aside: set_aside.clone() };
        assert_eq!((appended.last, appended.recovered), (4, vec![torn]), "cut at {cut}");
        assert_eq!(fs::read_to_string(fixture.path(&format!("journal/{set_aside}"))).unwrap(), line[..cut]);
        assert_eq!(hooks(&fixture), ["hook/a", "hook/a", "hookrail/journal", "hook/after"]);
        let report = fixture.store().verify().unwrap();
        assert_eq!((report.problems, report.notes), (vec![], vec![Note::SetAside { file: set_aside }]));
    }
}

/// Saves a head, given without its check, as the journal would.
fn save_head(fixture: &Fixture, body: &str) {
    let check = &blake3::hash(body.as_bytes()).to_hex()[..16];
    fs::write(fixture.head(), format!("{:<383}\n", format!("{body},\"check\":\"{check}\"}}"))).unwrap();
}

#[test]
fn dying_in_the_journals_first_moments_is_harmless() {
    let template = Fixture::new();
    template.append(1);
    let line = format!("{}\n", template.lines(1)[0]);
    let zeros = "0".repeat(64);
    let empty_head = format!(r#"{{"seq":0,"hash":"{zeros}","segment":1,"bytes":0,"base_seq":0,"base_hash":"{zeros}""#);
    // The head is made, then saved, then the file is made, then the record is written.
    let moments: [(Option<&str>, Option<&str>, u64); 6] = [
        (None, None, 1),
        (Some(""), None, 1),
        (Some(&empty_head), None, 1),
        (Some(&empty_head), Some(""), 1),
        // With the note about the torn line.
        (Some(&empty_head), Some(&line[..40]), 2),
        (Some(&empty_head), Some(&line), 2),
    ];
    for (head, content, sound) in moments {
        let fixture = Fixture::new();
        fixture.append(1);
        for path in [fixture.head(), fixture.witness(), fixture.segment(1)] {
            fs::remove_file(path).unwrap();
        }
        match head {
            Some("") => fs::write(fixture.head(), "").unwrap(),
            Some(body) => save_head(&fixture, body),
            None => {}
        }
        content.into_iter().for_each(|content| add(&fixture, 1, content));
        assert!(fixture.store().verify().unwrap().is_intact(), "{head:?} {content:?}");
        fixture.append(1);
        let report = fixture.store().verify().unwrap();
        assert_eq!((report.sound, report.problems), (sound, vec![]), "{head:?} {content:?}");
    }
}

#[test]
fn dying_in_the_middle_of_a_rotation_is_harmless() {
    let template = Fixture::new();
    append(&template.store_of_small_files(), 4);
    let fourth = fs::read_to_string(template.segment(4)).unwrap();
    // The head names the next file, then the file is made, then the record is written.
    let moments = [(None, 4), (Some(""), 4), (Some(&fourth[..40]), 5), (Some(&fourth), 5)];
    for (content, sound) in moments {
        let fixture = Fixture::new();
        append(&fixture.store_of_small_files(), 3);
        let bytes = fs::metadata(fixture.segment(3)).unwrap().len();
        let head = fs::read_to_string(fixture.head()).unwrap();
        let (body, _) = head.rsplit_once(",\"check\"").unwrap();
        let moved = body.replace(&format!("\"segment\":3,\"bytes\":{bytes}"), "\"segment\":4,\"bytes\":0");
        assert_ne!(moved, body);
        save_head(&fixture, &moved);
        content.into_iter().for_each(|content| add(&fixture, 4, content));
        assert!(fixture.store().verify().unwrap().is_intact(), "{content:?}");
        fixture.append(1);
        let report = fixture.store().verify().unwrap();
        assert_eq!((report.sound, report.problems), (sound, vec![]), "{content:?}");
    }
}

#[test]
fn a_lost_head_is_rebuilt_and_the_journal_says_so() {
    for damage in ["", "garbage", "{}", &"longer than a head ".repeat(50)] {
        let fixture = Fixture::new();
        append(&fixture.store_of_small_files(), 3);
        fs::write(fixture.head(), damage).unwrap();
        let appended = fixture.store().append(&record("hook/after")).unwrap();
        let aside = (!damage.is_empty()).then(|| format!("head.corrupt-{NOW}"));
        assert_eq!(appended.recovered, [Recovery::HeadRestored { set_aside: aside.clone() }], "{damage:?}");
        assert_eq!(appended.last, 5);
        if let Some(aside) = aside {
            assert_eq!(fs::read_to_string(fixture.path(&format!("journal/{aside}"))).unwrap(), damage);
        }
        let report = fixture.store().verify().unwrap();
        assert_eq!((report.sound, report.problems), (5, vec![]), "{damage:?}");
        assert_eq!(fixture.store().append(&record("hook/later")).unwrap().recovered, [], "{damage:?}: reported once");
        assert_eq!(hooks(&fixture)[3..], ["hookrail/journal", "hook/after", "hook/later"]);
    }
}

#[test]
fn a_lost_head_and_a_torn_line_are_both_dealt_with() {
    let fixture = Fixture::new();
    fixture.append(2);
    fs::remove_file(fixture.head()).unwrap();
    add(&fixture, 1, "{\"v\":1,\"ts\":");
    let recovered = fixture.store().append(&record("hook/after")).unwrap().recovered;
    assert!(matches!(recovered.as_slice(), [Recovery::HeadRestored { .. }, Recovery::Torn { .. }]), "{recovered:?}");
    let report = fixture.store().verify().unwrap();
    assert_eq!((report.sound, report.problems), (5, vec![]));
}

#[test]
fn a_journal_whose_newest_file_is_gone_goes_on_and_shows_the_gap() {
    let fixture = Fixture::new();
    append(&fixture.store_of_small_files(), 3);
    fs::remove_file(fixture.segment(3)).unwrap();
    let recovered = fixture.store().append(&record("hook/after")).unwrap().recovered;
    assert_eq!(recovered, [Recovery::FileGone { file: segment_name(3) }]);
    let problems = fixture.store().verify().unwrap().problems;
    let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let file = segment_name(3);
    let place = segment_name(4);
    let expected = format!("{place}:1: record 3 is missing: the file `{file}` is gone, or the one before it was cut");
    assert_eq!(texts, [expected]);
}

#[test]
fn a_whole_state_directory_that_vanishes_is_begun_anew() {
    let fixture = Fixture::new();
    let store = fixture.store();
    store.append(&record("hook/a")).unwrap();
    fs::remove_dir_all(fixture.root()).unwrap();
    assert_eq!(store.append(&record("hook/b")).unwrap().last, 1);
    assert_eq!(hooks(&fixture), ["hook/b"]);
}
