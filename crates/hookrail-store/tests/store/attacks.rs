//! Symlinks, owners and modes.

use crate::fixture::{Fixture, record, session};
use hookrail_store::{Cursor, FileStore, Retention, RootError, SessionState, StateRoot, Store, StoreError};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

fn count(state: &mut SessionState) {
    *state.budgets.entry("calls".into()).or_default() += 1;
}

/// Uses everything that writes.
fn use_all(store: &FileStore) -> Result<(), StoreError> {
    store.update(&session("s"), &mut count)?;
    store.append(&record("hook/a"))?;
    store.spill(&session("s"), "hint", "text")?;
    Ok(())
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().mode() & 0o7777
}

fn modes_below(path: &Path, seen: &mut Vec<(bool, u32)>) {
    seen.push((path.is_dir(), mode(path)));
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| modes_below(&entry.unwrap().path(), seen));
    }
}

#[test]
fn everything_is_private_under_any_umask() {
    use crate::worker::{Job, finish, start};
    let jobs = [Job::Count { times: 1 }, Job::Append { name: "hook/a".into(), times: 3, padding: 0, segment_bytes: 1 }];
    for umask in ["000", "022", "077", "177", "277"] {
        let fixture = Fixture::new();
        for job in &jobs {
            let run = format!(r#"umask {umask}; exec "$0" "$@""#);
            finish(vec![start(&["sh", "-c", &run], &fixture.root(), job)]);
        }
        let mut seen = Vec::new();
        modes_below(&fixture.root(), &mut seen);
        assert!(seen.len() > 6);
        for (is_dir, mode) in seen {
            assert_eq!(mode, if is_dir { 0o700 } else { 0o600 }, "umask {umask}");
        }
    }
}

#[test]
fn an_overflow_text_is_private() {
    let fixture = Fixture::new();
    let path = fixture.store().spill(&session("s"), "../../hint: x", "text").unwrap();
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    assert_eq!(path.parent().unwrap(), fixture.path("overflow/s"));
    let name = path.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("------hint--x-") && name.ends_with(".txt"), "{name}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "text");
    assert_eq!(fixture.store().spill(&session("s"), "../../hint: x", "text").unwrap(), path);
    assert_ne!(fixture.store().spill(&session("s"), "../../hint: x", "other").unwrap(), path);
    assert_eq!(fixture.names("overflow/s").len(), 2);
}

#[test]
fn a_symlink_in_place_of_a_file_or_directory_is_refused_and_named() {
    let fixture = Fixture::new();
    use_all(&fixture.store()).unwrap();
    let outside = fixture.root().with_file_name("outside");
    fs::create_dir(&outside).unwrap();
    let victim = outside.join("victim");
    let places =
        ["sessions", "journal", "overflow", "overflow/s", "sessions/s.json", "sessions/s.lock", "journal/head"];
    let segment = "journal/000000000001.jsonl";
    for place in places.into_iter().chain([segment]) {
        let path = fixture.path(place);
        for target in [&victim, &outside, &outside.join("nothing")] {
            fs::write(&victim, "{}").unwrap();
            let original = path.with_extension("original");
            fs::rename(&path, &original).unwrap();
            symlink(target, &path).unwrap();
            let error = use_all(&fixture.store()).unwrap_err();
            assert!(matches!(&error, StoreError::Symlink(named) if *named == path), "{place}: {error}");
            assert_eq!(fs::read_to_string(&victim).unwrap(), "{}", "{place}");
            assert_eq!(fs::read_dir(&outside).unwrap().count(), 1, "{place}");
            fs::remove_file(&path).unwrap();
            fs::rename(&original, &path).unwrap();
        }
    }
    use_all(&fixture.store()).unwrap();
}

#[test]
fn a_draft_that_is_a_symlink_is_replaced_and_not_written_through() {
    let fixture = Fixture::new();
    use_all(&fixture.store()).unwrap();
    let victim = fixture.root().with_file_name("victim");
    fs::write(&victim, "untouched").unwrap();
    symlink(&victim, fixture.path("sessions/s.draft")).unwrap();
    fixture.store().update(&session("s"), &mut count).unwrap();
    assert_eq!(fs::read_to_string(&victim).unwrap(), "untouched");
    assert!(fs::symlink_metadata(fixture.path("sessions/s.json")).unwrap().is_file());
}

#[test]
fn a_pipe_a_socket_or_a_directory_in_place_of_a_file_is_refused_at_once() {
    type Maker = fn(&Path);
    let makers: [Maker; 3] = [
        |path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
        |path| drop(UnixListener::bind(path).unwrap()),
        |path| fs::create_dir(path).unwrap(),
    ];
    for place in ["sessions/s.json", "journal/head", "journal/000000000001.jsonl"] {
        for make in makers {
            let fixture = Fixture::new();
            use_all(&fixture.store()).unwrap();
            fs::remove_file(fixture.path(place)).unwrap();
            make(&fixture.path(place));
            let error = use_all(&fixture.store()).unwrap_err();
            assert!(matches!(&error, StoreError::WrongKind { path, .. } if *path == fixture.path(place)), "{error}");
        }
    }
}

#[track_caller]
fn check_refused(path: &Path, expected: &str) {
    let store = FileStore::new(StateRoot::at(path), || 0);
    let refusals = [
        use_all(&store).unwrap_err(),
        store.read(&session("s")).unwrap_err(),
        store.verify().unwrap_err(),
        store.records(Cursor::default()).map(drop).unwrap_err(),
        store.prune(&Retention::default()).unwrap_err(),
    ];
    for error in refusals {
        let text = error.to_string();
        assert!(text.contains(expected), "{text}");
        assert!(text.contains(&format!("`{}`", path.display())), "{text}");
    }
}

#[test]
fn a_state_directory_that_others_control_is_refused() {
    let fixture = Fixture::new();
    let root = fixture.root();
    for (mode, is_fine) in [(0o700, true), (0o755, true), (0o770, false), (0o702, false), (0o1777, false)] {
        fs::create_dir(&root).unwrap();
        fs::set_permissions(&root, Permissions::from_mode(mode)).unwrap();
        if is_fine {
            use_all(&fixture.store()).unwrap();
        } else {
            check_refused(&root, &format!("(mode {:03o})\nhint: chmod 700", mode & 0o777));
            assert_eq!(fs::read_dir(&root).unwrap().count(), 0);
        }
        fs::remove_dir_all(&root).unwrap();
    }
}

#[test]
fn a_state_directory_of_somebody_else_is_refused() {
    let fixture = Fixture::new();
    fs::create_dir(fixture.root()).unwrap();
    fs::set_permissions(fixture.root(), Permissions::from_mode(0o700)).unwrap();
    // Only root can give a directory away; other users use one that is not theirs.
    let foreign = if chown(fixture.root(), Some(12345), None).is_ok() { fixture.root() } else { "/usr".into() };
    check_refused(&foreign, "belongs to user");
}

#[test]
fn a_state_directory_that_is_no_directory_is_refused() {
    let fixture = Fixture::new();
    let real = fixture.root().with_file_name("real");
    fs::create_dir(&real).unwrap();
    symlink(&real, fixture.root()).unwrap();
    check_refused(&fixture.root(), "is a symlink");
    fs::remove_file(fixture.root()).unwrap();
    fs::write(fixture.root(), "").unwrap();
    check_refused(&fixture.root(), "is not a directory");
    assert_eq!(fs::read_dir(&real).unwrap().count(), 0);
    let below = StateRoot::at(fixture.root().join("below"));
    let error = FileStore::new(below, || 0).append(&record("hook/a")).unwrap_err();
    assert!(matches!(error, StoreError::Root(RootError::NotADirectory(_) | RootError::Io { .. })), "{error}");
}
