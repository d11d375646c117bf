use crate::fixture::{Fixture, append, entries, record, segment_name};
use hookrail_store::journal::MAX_BATCH;
use hookrail_store::{Appended, Cursor, FileStore, JournalRecord, Outcome, ReadError, Report, StateRoot, Store};
use serde_json::json;
use std::fs;
use std::fs::OpenOptions;
use std::io::Write;

fn seqs(store: &FileStore, from: Cursor) -> Vec<u64> {
    store.records(from).unwrap().map(|entry| entry.unwrap().seq).collect()
}

#[test]
fn a_record_reads_back_as_it_was_written() {
    let fixture = Fixture::new();
    let full = JournalRecord {
        source: "/p/hookrail.toml".into(),
        outcome: Outcome::Blocked,
        decision: Some("block".into()),
        reason: Some("two\nlines, \"quotes\", é, \u{9b}".into()),
        duration_us: 5,
        tool: Some("Write".into()),
        subject: Some("a/b".into()),
        error: Some("none".into()),
        input: Some(json!({"tool_input": {"path": "a/b"}})),
        extra: json!({"hash": "x", "seq": 0}).as_object().unwrap().clone(),
        ..record("hook/full")
    };
    let records = [record("hook/a"), full];
    let store: Box<dyn Store> = Box::new(fixture.store());
    let appended = store.append_all(&records).unwrap();
    assert_eq!(appended, Appended { last: 2, recovered: vec![] });
    let read: Vec<JournalRecord> = entries(&fixture.store()).into_iter().map(|entry| entry.record).collect();
    assert_eq!(read, records);
    assert_eq!(fixture.lines(1).len(), 2);
}

#[test]
fn a_root_that_is_kept_open_is_shared_and_made_again_when_it_is_gone() {
    let fixture = Fixture::new();
    let root = StateRoot::kept_open(fixture.root());
    let stores = [root.clone(), root.clone()].map(|root| FileStore::new(root, || 0));
    for (store, last) in stores.iter().zip([1, 2]) {
        assert_eq!(store.append(&record("hook/a")).unwrap().last, last);
    }
    fs::remove_dir_all(root.path()).unwrap();
    assert!(!root.is_ours(), "looking makes no folder");
    for (store, last) in stores.iter().zip([1, 2]) {
        assert_eq!(store.append(&record("hook/a")).unwrap().last, last);
    }
    assert!(root.is_ours());
    assert_eq!(entries(&fixture.store()).len(), 2);
}

#[test]
fn a_record_of_a_newer_version_is_still_readable() {
    let fixture = Fixture::new();
    fixture.append(1);
    let newer = fixture.lines(1)[0].replace(r#""succeeded""#, r#""postponed","until":5"#);
    fixture.write_lines(1, &[newer]);
    assert_eq!(entries(&fixture.store())[0].record.outcome, Outcome::Unknown);
}

#[test]
fn nothing_is_an_intact_journal() {
    let fixture = Fixture::new();
    let store = fixture.store();
    assert_eq!(store.append_all(&[]).unwrap(), Appended::default());
    assert_eq!(store.verify().unwrap(), Report::default());
    assert_eq!(seqs(&store, store.tail(5).unwrap()), [0; 0]);
    assert!(!fixture.root().exists(), "looking makes no files");
}

#[test]
fn a_full_file_is_followed_by_the_next_and_the_chain_goes_on() {
    let fixture = Fixture::new();
    append(&fixture.store(), 1);
    let line = fs::metadata(fixture.segment(1)).unwrap().len();
    // Room for three lines each, whose numbers may be a digit or two longer.
    append(&fixture.store().with_segment_bytes(line * 3 + 100), 9);
    let files = [1, 4, 7, 10].map(segment_name);
    assert_eq!(fixture.names("journal"), [files.as_slice(), &["head".to_owned()]].concat());
    let report = fixture.store().verify().unwrap();
    assert_eq!(report, Report { files: 4, lines: 10, sound: 10, ..Report::default() });
    let places: Vec<String> = entries(&fixture.store()).iter().map(|entry| entry.place.to_string()).collect();
    assert_eq!(places[2..4], [format!("{}:3", segment_name(1)), format!("{}:1", segment_name(4))]);
}

#[test]
fn a_large_batch_stays_together() {
    let fixture = Fixture::new();
    let count = MAX_BATCH * 2 + 5;
    let batch: Vec<JournalRecord> = (0..count).map(|number| record(&format!("hook/{number}"))).collect();
    assert_eq!(fixture.store_of_small_files().append_all(&batch).unwrap().last, count as u64);
    let hooks = entries(&fixture.store()).into_iter().map(|entry| entry.record.hook);
    assert!(hooks.eq(batch.into_iter().map(|record| record.hook)));
    assert_eq!(fixture.store().verify().unwrap().sound, count as u64);
}

#[test]
fn a_follower_sees_each_record_once_across_files() {
    let fixture = Fixture::new();
    let store = fixture.store_of_small_files();
    let mut cursor = Cursor::default();
    let mut seen = Vec::new();
    for batch in [1, 0, 3, 2] {
        append(&store, batch);
        for entry in store.records(cursor).unwrap() {
            let entry = entry.unwrap();
            cursor = entry.next;
            seen.push(entry.seq);
        }
    }
    assert_eq!(seen, [1, 2, 3, 4, 5, 6]);
}

#[test]
fn a_line_that_is_still_being_written_is_left_for_later() {
    let fixture = Fixture::new();
    fixture.append(2);
    let line = fixture.lines(1)[1].clone();
    let begun = [fixture.lines(1)[0].as_str(), "\n", &line[..20]].concat();
    fs::write(fixture.segment(1), begun).unwrap();
    let first: Vec<_> = entries(&fixture.store());
    assert_eq!(first.len(), 1);
    let mut file = OpenOptions::new().append(true).open(fixture.segment(1)).unwrap();
    file.write_all(format!("{}\n", &line[20..]).as_bytes()).unwrap();
    assert_eq!(seqs(&fixture.store(), first[0].next), [2]);
}

#[test]
fn the_tail_is_found_across_files() {
    let fixture = Fixture::new();
    let store = fixture.store();
    append(&store, 1);
    let line = fs::metadata(fixture.segment(1)).unwrap().len();
    append(&store.with_segment_bytes(line * 3 + 100), 6);
    let store = fixture.store();
    let cases: [(u64, &[u64]); 7] = [
        (0, &[]),
        (1, &[7]),
        (2, &[6, 7]),
        (4, &[4, 5, 6, 7]),
        (5, &[3, 4, 5, 6, 7]),
        (7, &[1, 2, 3, 4, 5, 6, 7]),
        (99, &[1, 2, 3, 4, 5, 6, 7]),
    ];
    for (count, expected) in cases {
        assert_eq!(seqs(&store, store.tail(count).unwrap()), expected, "{count}");
    }
    let end = store.tail(0).unwrap();
    append(&store, 2);
    assert_eq!(seqs(&store, end), [8, 9]);
    let place = &store.records(store.tail(1).unwrap()).unwrap().next().unwrap().unwrap().place;
    assert_eq!((place.file.as_str(), place.line), (segment_name(7).as_str(), 3));
}

#[test]
fn a_broken_line_is_an_error_with_its_place_and_the_rest_is_read() {
    let fixture = Fixture::new();
    fixture.append(3);
    let mut lines = fixture.lines(1);
    lines[1] = lines[1].replacen("\"ts\"", "ts", 1);
    lines.insert(2, "what is this?".into());
    fixture.write_lines(1, &lines);
    let read: Vec<Result<u64, String>> = fixture
        .store()
        .records(Cursor::default())
        .unwrap()
        .map(|entry| match entry {
            Ok(entry) => Ok(entry.seq),
            Err(ReadError::Broken { place, .. }) => Err(place.to_string()),
            Err(ReadError::Store(error)) => panic!("{error}"),
        })
        .collect();
    let file = segment_name(1);
    assert_eq!(read, [Ok(1), Err(format!("{file}:2")), Err(format!("{file}:3")), Ok(3)]);
}

#[test]
fn records_since_a_time_begin_in_the_newest_file_that_begins_before_it() {
    const HOUR: i64 = 60 * 60 * 1000;
    let fixture = Fixture::new();
    let store = fixture.store_of_small_files();
    for hour in 0..10 {
        store.append(&JournalRecord { ts: hour * HOUR, ..record("hook/x") }).unwrap();
    }
    // Records may be an hour out of order, so one more file is looked at.
    for (since, first) in
        [(0, 1), (HOUR, 1), (2 * HOUR, 1), (3 * HOUR, 2), (9 * HOUR, 8), (99 * HOUR, 10), (i64::MAX, 10)]
    {
        let cursor = store.since(since).unwrap();
        let seen: Vec<u64> = store.records(cursor).unwrap().map(|entry| entry.unwrap().seq).collect();
        assert_eq!(seen.first(), Some(&first), "{since}");
        assert_eq!(seen.len() as u64, 11 - first, "{since}");
    }
    fs::write(fixture.segment(9), "garbage\n").unwrap();
    assert!(store.since(99 * HOUR).is_ok(), "a file that cannot be read is no beginning");
}

#[test]
fn a_glance_at_the_journal_shows_what_reading_does() {
    let fixture = Fixture::new();
    let store = fixture.store_of_small_files();
    for (number, name) in ["hook/plain", "hook/\"quoted\"", "hook/é", "hook/last"].into_iter().enumerate() {
        let mut record = record(name);
        record.duration_us = number as u64;
        record.reason = Some("why \\ \"".to_owned());
        store.append(&record).unwrap();
    }
    let mut file = OpenOptions::new().append(true).open(fixture.segment(2)).unwrap();
    file.write_all(b"not a record\n").unwrap();
    let (mut seen, mut wrong) = (Vec::new(), Vec::new());
    store
        .glance(Cursor::default(), &mut |item| match item {
            Ok((seq, glance)) => seen.push((seq, glance.hook.to_owned(), glance.duration_us)),
            Err(error) => wrong.push(error.to_string()),
        })
        .unwrap();
    let read: Vec<_> = store.records(Cursor::default()).unwrap().filter_map(Result::ok).collect();
    let read: Vec<_> = read.into_iter().map(|entry| (entry.seq, entry.record.hook, entry.record.duration_us)).collect();
    assert_eq!((seen.len(), &seen), (4, &read));
    assert_eq!(wrong.len(), 1, "{wrong:?}");
}
