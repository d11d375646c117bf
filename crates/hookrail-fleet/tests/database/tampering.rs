//! Journals that are not what was written.

use crate::machine::{Machine, breaks, counted, fleet, record};
use hookrail_fleet::database::Shipped;
use hookrail_store::Store;
use std::fs;
use std::path::PathBuf;

#[test]
fn every_way_to_tamper_with_a_journal_is_recorded_and_what_is_left_arrives_once() {
    type Tampering = fn(&mut Vec<String>);
    let cases: [(&str, Tampering, &str, &str); 5] = [
        ("changed", |lines| lines[4] = lines[4].replace("call 4", "call x"), "1|changed|seq 5", "20|20|20"),
        ("removed", |lines| drop(lines.remove(4)), "1|gap|seq 6", "19|19|20"),
        ("two removed", |lines| drop(lines.drain(4..6)), "1|gap|seq 7", "18|18|20"),
        ("repeated", |lines| lines.insert(9, lines[4].clone()), "1|repeated|000000000001.jsonl:10", "20|20|20"),
        (
            "unreadable",
            |lines| lines[4] = "garbage".to_owned(),
            "1|unreadable|000000000001.jsonl:5\n1|gap|seq 6",
            "19|19|20",
        ),
    ];
    let Some(cluster) = fleet() else { return };
    for (name, tamper, expected, expected_counts) in cases {
        let machine = Machine::new(name);
        machine.write(20);
        machine.tamper(tamper);
        machine.ship(&cluster).unwrap();
        assert_eq!(breaks(&cluster), expected, "{name}");
        assert_eq!(counted(&cluster), expected_counts, "{name}");
        machine.ship(&cluster).unwrap();
        assert_eq!(breaks(&cluster), expected, "{name}: told once");
        assert_eq!(cluster.sql("TRUNCATE hookrail.breaks, hookrail.records, hookrail.daily, hookrail.sessions"), "");
    }
}

#[test]
fn a_journal_that_was_replaced_after_shipping_goes_on_from_the_last_record_in_common() {
    let Some(cluster) = fleet() else { return };
    let (machine, copy) = (Machine::new("m1"), tempfile::tempdir().unwrap());
    machine.write(30);
    let run = |from: PathBuf, to: PathBuf| {
        let status = std::process::Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap();
        assert!(status.success());
    };
    run(machine.folder.path().join("state"), copy.path().join("state"));
    machine.write(10);
    machine.ship(&cluster).unwrap();
    // The state directory is put back to what it was, and a session goes on from there.
    fs::remove_dir_all(machine.folder.path().join("state")).unwrap();
    run(copy.path().join("state"), machine.folder.path().join("state"));
    let shipped = machine.ship(&cluster).unwrap();
    assert_eq!((shipped.records, shipped.started_over), (0, 1));
    assert_eq!(breaks(&cluster), "1|rewound|seq 40");
    machine.journal().append_all(&[record("another 31"), record("another 32")]).unwrap();
    assert_eq!(machine.ship(&cluster).unwrap().records, 2);
    assert_eq!(counted(&cluster), "42|42|40", "30 in common, 10 that are gone from the machine, 2 new ones");
    assert_eq!(machine.ship(&cluster).unwrap(), Shipped::default());
    assert_eq!(cluster.sql("SELECT epoch, last_seq FROM hookrail.machines"), "2|32");
}
