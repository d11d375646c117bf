//! Reading files that another user may have placed.

use hookrail_store::{FileError, Links, SpecialFile, careful_read};
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const MAX: u64 = 1000;

/// A project with a file, a link of every kind, and something of each kind that is no file; beside it a file of others.
fn project() -> (TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("project");
    fs::create_dir_all(root.join("dir/below")).unwrap();
    fs::write(root.join("dir/file"), "content").unwrap();
    fs::write(place.path().join("outside"), "theirs").unwrap();
    fs::create_dir(place.path().join("project-other")).unwrap();
    fs::write(place.path().join("project-other/file"), "theirs").unwrap();
    assert!(Command::new("mkfifo").arg(root.join("pipe")).status().unwrap().success());
    drop(UnixListener::bind(root.join("socket")).unwrap());
    let links: [(&str, &Path); 14] = [
        ("link", Path::new("dir/file")),
        ("absolute", &root.join("dir/file")),
        ("chain", Path::new("link")),
        ("up-and-back", Path::new("../project/dir/file")),
        ("to-dir", Path::new("dir")),
        ("dangling", Path::new("nothing")),
        ("loop", Path::new("loop")),
        ("out", Path::new("../outside")),
        ("dir-out", Path::new("..")),
        ("sibling", Path::new("../project-other/file")),
        ("to-pipe", Path::new("pipe")),
        ("zero", Path::new("/dev/zero")),
        ("terminal", Path::new("/dev/ptmx")),
        ("stdout", Path::new("/proc/self/fd/1")),
    ];
    for (name, target) in links {
        symlink(target, root.join(name)).unwrap();
    }
    (place, root)
}

/// What became of it, in a word.
fn outcome(result: Result<Vec<u8>, FileError>) -> String {
    match result {
        Ok(bytes) => String::from_utf8(bytes).unwrap(),
        Err(FileError::NotFound(_)) => "not found".to_owned(),
        Err(FileError::Denied(_)) => "denied".to_owned(),
        Err(FileError::NotRegular { kind, .. }) => kind.to_string(),
        Err(FileError::Link(_)) => "link".to_owned(),
        Err(FileError::OutsideRoot { .. }) => "outside".to_owned(),
        Err(FileError::TooLarge { .. }) => "too large".to_owned(),
        Err(FileError::Io { source, .. }) => source.kind().to_string(),
    }
}

#[test]
fn only_a_regular_file_is_read_and_links_are_judged_by_where_they_end() {
    let (_place, root) = project();
    // Path, with links refused, with links that stay in the project, with links anywhere.
    let cases: [(&str, &str, &str, &str); 22] = [
        ("dir/file", "content", "content", "content"),
        ("nothing", "not found", "not found", "not found"),
        ("dir/file/below", "not found", "not found", "not found"),
        ("dir", "a directory", "a directory", "a directory"),
        ("", "a directory", "a directory", "a directory"),
        ("pipe", "a named pipe", "a named pipe", "a named pipe"),
        ("socket", "a socket", "a socket", "a socket"),
        ("link", "link", "content", "content"),
        ("absolute", "link", "content", "content"),
        ("chain", "link", "content", "content"),
        ("up-and-back", "link", "content", "content"),
        ("to-dir/file", "content", "content", "content"),
        ("to-dir", "link", "a directory", "a directory"),
        ("dangling", "link", "not found", "not found"),
        (
            "loop",
            "link",
            "filesystem loop or indirection limit (e.g. symlink loop)",
            "filesystem loop or indirection limit (e.g. symlink loop)",
        ),
        ("out", "link", "outside", "theirs"),
        ("dir-out/outside", "theirs", "outside", "theirs"),
        ("dir/../../outside", "theirs", "outside", "theirs"),
        ("sibling", "link", "outside", "theirs"),
        ("to-pipe", "link", "a named pipe", "a named pipe"),
        ("zero", "link", "outside", "a device"),
        ("terminal", "link", "outside", "a device"),
    ];
    for (name, refused, within, followed) in cases {
        let path = root.join(name);
        let read = |links| outcome(careful_read(&path, links, MAX));
        let got = [read(Links::Refuse), read(Links::Within(&root)), read(Links::Follow)];
        assert_eq!(got, [refused, within, followed], "{name}");
    }
    // Our own output, wherever it leads: a pipe that the path does not name, a file elsewhere, a terminal.
    let stdout = outcome(careful_read(&root.join("stdout"), Links::Within(&root), MAX));
    assert!(["not found", "outside", "a named pipe", "a device"].contains(&stdout.as_str()), "{stdout}");
    for device in ["/dev/zero", "/dev/ptmx", "/dev/full", "/dev/tty"] {
        assert_eq!(outcome(careful_read(Path::new(device), Links::Follow, MAX)), SpecialFile::Device.to_string());
    }
}

#[test]
fn a_file_larger_than_allowed_is_not_read_whatever_its_metadata_say() {
    let (_place, root) = project();
    let path = root.join("large");
    for (bytes, fits) in [(MAX - 1, true), (MAX, true), (MAX + 1, false), (1 << 40, false)] {
        File::create(&path).unwrap().set_len(bytes).unwrap();
        let read = careful_read(&path, Links::Refuse, MAX);
        assert_eq!(matches!(read, Ok(content) if content.len() as u64 == bytes), fits, "{bytes}");
    }
    // A file of the kernel says that it is empty.
    let status = Path::new("/proc/self/status");
    assert_eq!(fs::metadata(status).unwrap().len(), 0);
    assert_eq!(outcome(careful_read(status, Links::Follow, 10)), "too large");
    assert!(careful_read(status, Links::Follow, 1 << 20).unwrap().starts_with(b"Name:"));
}

#[test]
fn a_file_that_must_not_be_read_is_told_from_one_that_is_missing() {
    let (_place, root) = project();
    let path = root.join("dir/file");
    fs::set_permissions(&path, Permissions::from_mode(0o000)).unwrap();
    let readable = File::open(&path).is_ok();
    let expected = if readable { "content" } else { "denied" };
    assert_eq!(outcome(careful_read(&path, Links::Refuse, MAX)), expected, "root reads everything");
}

#[test]
fn a_path_longer_than_the_system_takes_is_an_error() {
    let (_place, root) = project();
    for components in [1000, 11_000, 200_000] {
        let path = root.join("x/".repeat(components));
        for links in [Links::Refuse, Links::Within(&root), Links::Follow] {
            assert!(careful_read(&path, links, MAX).is_err());
        }
    }
}

/// Whoever exchanges the file while it is read gets an error or the one or the other content, never a pipe that blocks
/// and never a file outside.
#[test]
fn a_file_that_is_exchanged_all_the_time_never_leads_outside() {
    let (_place, root) = project();
    let (path, spare, done) = (root.join("victim"), root.join("spare"), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            let makers: [fn(&Path); 3] = [
                |spare| fs::write(spare, "content").unwrap(),
                |spare| symlink("../outside", spare).unwrap(),
                |spare| symlink("pipe", spare).unwrap(),
            ];
            for make in makers.iter().cycle().take_while(|_| !done.load(Ordering::Relaxed)) {
                make(&spare);
                fs::rename(&spare, &path).unwrap();
            }
        });
        let end = Instant::now() + Duration::from_millis(300);
        while Instant::now() < end {
            for links in [Links::Refuse, Links::Within(&root)] {
                if let Ok(bytes) = careful_read(&path, links, MAX) {
                    // Between making and writing it, the file is empty.
                    assert!(bytes == b"content" || bytes.is_empty(), "{bytes:?}");
                }
            }
        }
        done.store(true, Ordering::Relaxed);
    });
}
