//! Servers and disks that fail in the middle.

use crate::machine::{Machine, breaks, connect, counted, fleet, own_fleet, with_schema};
use hookrail_testkit::postgres::Cluster;
use std::fs;
use std::path::PathBuf;

#[test]
fn a_server_that_goes_away_in_the_middle_loses_nothing_and_doubles_nothing() {
    let Some(cluster) = own_fleet() else { return };
    let machine = Machine::new("m1");
    machine.write(30_000);
    let outcome = std::thread::scope(|scope| {
        let shipping = scope.spawn(|| machine.ship(&cluster));
        let arrived = "SELECT coalesce(max(last_seq), 0) FROM hookrail.machines";
        while cluster.sql(arrived) == "0" && !shipping.is_finished() {}
        cluster.crash();
        shipping.join().unwrap()
    });
    let error = outcome.unwrap_err();
    assert!(error.is_passing(), "{error}");
    let error = machine.ship(&cluster).unwrap_err();
    assert!(error.is_passing() && error.to_string().contains("cannot reach the database"), "{error}");
    machine.write(10);
    cluster.resume();
    let arrived: u64 = cluster.sql("SELECT count(*) FROM hookrail.records").parse().unwrap();
    assert!((1..30_000).contains(&arrived), "{arrived} arrived before the crash");
    assert_eq!(machine.ship(&cluster).unwrap().records, 30_010 - arrived);
    assert_eq!(counted(&cluster), "30010|30010|30010");
    assert_eq!(breaks(&cluster), "");
    assert_eq!(cluster.sql("SELECT sum(runs) FROM hookrail.daily"), "30010");
}

#[test]
fn a_sync_that_is_killed_in_the_middle_of_a_batch_leaves_nothing_of_it() {
    let Some(cluster) = fleet() else { return };
    let machine = Machine::new("m1");
    machine.write(100);
    machine.ship(&cluster).unwrap();
    machine.write(100);
    {
        let mut database = connect(&cluster, "alice").unwrap();
        let client = database.client();
        client.execute("BEGIN").unwrap();
        client.query("SELECT * FROM hookrail.resume(1)", &[]).unwrap();
        let row = "1\t1\t1\t101\t2026-11-16\t2026-11-16\ts\ta\te\th\tk\tsucceeded\t1\t0\t\\\\x00\t\\\\x00\tt\n";
        let columns =
            "machine,epoch,segment,seq,day,ts,session,agent,event,hook,kind,outcome,duration_us,part,prev,hash,sound";
        let day = cluster.sql("SELECT (now() AT TIME ZONE 'UTC')::date");
        let copy = format!("COPY hookrail.records ({columns}) FROM STDIN");
        client.copy_in(&copy, row.replace("2026-11-16", &day).as_bytes()).unwrap();
    }
    assert_eq!(counted(&cluster), "100|100|100");
    assert_eq!(machine.ship(&cluster).unwrap().records, 100);
    assert_eq!(counted(&cluster), "200|200|200");
    assert_eq!(breaks(&cluster), "");
}

#[test]
fn a_server_without_room_keeps_what_it_has_and_takes_the_rest_later() {
    let Some(cluster) = fleet() else { return };
    let machine = Machine::new("m1");
    machine.write(10);
    machine.ship(&cluster).unwrap();
    let full = "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE disk_full; END $$; \
        CREATE TRIGGER full_disk BEFORE INSERT ON hookrail.records FOR EACH ROW EXECUTE FUNCTION full_disk()";
    assert_eq!(cluster.sql(full), "");
    machine.write(10);
    let error = machine.ship(&cluster).unwrap_err();
    assert!(error.is_passing() && error.to_string().contains("53100"), "{error}");
    assert_eq!(cluster.sql("DROP TRIGGER full_disk ON hookrail.records"), "");
    assert_eq!(machine.ship(&cluster).unwrap().records, 10);
    assert_eq!(counted(&cluster), "20|20|20");
}

#[test]
fn a_disk_that_is_really_full_loses_nothing_and_doubles_nothing() {
    let Some((cluster, disk)) = Cluster::start_on_small_disk(160 << 10) else { return };
    let (cluster, machine) = (with_schema(cluster), Machine::new("m1"));
    machine.write(2000);
    assert_eq!(machine.ship(&cluster).unwrap().records, 2000);
    machine.write(40_000);
    let ballast = disk.join("ballast");
    let fill = |file: &PathBuf| {
        let mut dd = std::process::Command::new("dd");
        drop(dd.args(["if=/dev/zero", "bs=64k"]).arg(format!("of={}", file.display())).output().unwrap());
    };
    fill(&ballast);
    // A little room, so that a batch begins.
    let size = fs::metadata(&ballast).unwrap().len();
    fs::File::options().write(true).open(&ballast).unwrap().set_len(size - (6 << 20)).unwrap();
    let error = machine.ship(&cluster).unwrap_err();
    assert!(error.is_passing(), "{error}");
    fs::remove_file(&ballast).unwrap();
    // A server that cannot write its log ends itself, as it should.
    if machine.ship(&cluster).is_err() {
        cluster.restart();
    }
    machine.ship(&cluster).unwrap();
    assert_eq!(counted(&cluster), "42000|42000|42000");
    assert_eq!(breaks(&cluster), "");
    assert_eq!(cluster.sql("SELECT sum(runs) FROM hookrail.daily"), "42000");
    assert_eq!(cluster.sql("SELECT sum(events) FROM hookrail.daily_events"), "42000");
}

#[test]
fn a_server_process_that_is_killed_in_the_middle_of_a_batch_leaves_nothing_of_it() {
    let Some(cluster) = own_fleet() else { return };
    let machine = Machine::new("m1");
    machine.write(30_000);
    let busy = "SELECT pid FROM pg_stat_activity WHERE application_name = 'hookrail' AND state = 'active' AND query LIKE 'COPY%'";
    let killed = std::thread::scope(|scope| {
        let shipping = scope.spawn(|| machine.ship(&cluster));
        let mut pid = String::new();
        while pid.is_empty() && !shipping.is_finished() {
            pid = cluster.sql(busy);
        }
        let killed = std::process::Command::new("kill").args(["-9", &pid]).status().unwrap().success();
        let outcome = shipping.join().unwrap();
        assert!(outcome.is_err() || !killed, "{outcome:?}");
        killed
    });
    assert!(killed, "a batch was under way");
    let begun = std::time::Instant::now();
    while machine.ship(&cluster).is_err() {
        assert!(begun.elapsed() < std::time::Duration::from_secs(60), "the server does not come back");
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    assert_eq!(counted(&cluster), "30000|30000|30000");
    assert_eq!(breaks(&cluster), "");
    assert_eq!(cluster.sql("SELECT sum(runs) FROM hookrail.daily_totals"), "30000");
}
