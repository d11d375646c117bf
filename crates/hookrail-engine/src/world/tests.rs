use super::*;
use std::os::unix::fs::PermissionsExt;

fn world() -> (tempfile::TempDir, PathBuf, RealWorld) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    (folder, root, RealWorld::default())
}

#[test]
fn a_path_is_resolved_as_far_as_it_exists() {
    let (_folder, root, world) = world();
    fs::create_dir(root.join("real")).unwrap();
    std::os::unix::fs::symlink(root.join("real"), root.join("link")).unwrap();
    for (path, expected) in [
        ("link/new/file", "real/new/file"),
        ("link/../x", "x"),
        ("real/./a/../b", "real/b"),
        ("none/../real/f", "real/f"),
    ] {
        assert_eq!(world.resolve(&root.join(path)), root.join(expected), "{path}");
    }
}

#[test]
fn what_is_not_there_is_an_answer_and_what_cannot_be_read_is_an_error() {
    let (_folder, root, world) = world();
    assert_eq!(world.read(&root.join("none")), Ok(None));
    assert_eq!(world.list(&root.join("none")), Ok(None));
    assert_eq!(world.kind(&root.join("none")), Ok(None));
    assert_eq!(world.modified_millis(&root.join("none")), Ok(None));
    assert_eq!(world.remove(&root.join("none")), Ok(()));
    world.write(&root.join("file"), b"x").unwrap();
    assert_eq!(world.read(&root.join("file/below")), Ok(None), "a path through a file leads nowhere");
    assert!(world.read(&root).is_err(), "a folder cannot be read as a file");
}

#[test]
fn files_are_written_whole_and_never_through_a_link() {
    let (_folder, root, world) = world();
    let file = root.join("deep/er/file");
    world.write(&file, b"one").unwrap();
    world.write(&file, b"two").unwrap();
    world.append(&file, " three").unwrap();
    assert_eq!(world.read(&file), Ok(Some(b"two three".to_vec())));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(&root.join("deep"))), (0o600, 0o700), "for its user alone");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    world.write(&file, b"two three").unwrap();
    assert_eq!(mode(&file), 0o644, "a file keeps the mode its owner gave it");
    assert_eq!(world.list(&root.join("deep/er")), Ok(Some(vec!["file".to_owned()])), "no draft is left");
    std::os::unix::fs::symlink(&file, root.join("link")).unwrap();
    assert_eq!(world.kind(&root.join("link")), Ok(Some(FileKind::Link)));
    for error in [world.write(&root.join("link"), b"x"), world.append(&root.join("link"), "x")] {
        assert!(error.is_err_and(|error| error.text().contains("symbolic link")));
    }
    assert_eq!(world.read(&file), Ok(Some(b"two three".to_vec())));
}

#[test]
fn hooks_of_one_event_see_the_same_files_until_something_changes() {
    let (_folder, root, _) = world();
    let (event, file) = (RealWorld::of_event(Arc::default(), None), root.join("state.json"));
    let change = |text: &str| fs::write(&file, text).unwrap();
    assert_eq!(event.read(&file), Ok(None));
    change("one");
    assert_eq!(event.read(&file), Ok(None), "seen once is seen");
    assert_eq!(RealWorld::default().read(&file), Ok(Some(b"one".to_vec())), "another world looks for itself");
    drop(event.lock(&root).unwrap());
    assert_eq!(event.read(&file), Ok(Some(b"one".to_vec())), "under a lock one looks again");
    event.write(&file, b"two").unwrap();
    assert_eq!(event.read(&file), Ok(Some(b"two".to_vec())));
}

#[test]
fn a_file_moves_only_to_a_name_that_is_free() {
    let (_folder, root, world) = world();
    let (a, b) = (root.join("a"), root.join("b"));
    world.write(&a, b"a").unwrap();
    world.write(&b, b"b").unwrap();
    assert_eq!(world.relocate(&a, &b), Ok(Relocation::Taken));
    assert_eq!(world.read(&b), Ok(Some(b"b".to_vec())));
    assert_eq!(world.relocate(&root.join("none"), &root.join("c")), Ok(Relocation::Gone));
    assert!(world.relocate(&a, &root.join("no/such/folder")).is_err());
    assert_eq!(world.relocate(&a, &root.join("c")), Ok(Relocation::Done));
    assert_eq!(world.list(&root), Ok(Some(vec!["b".to_owned(), "c".to_owned()])));
}

#[test]
fn a_folder_that_is_held_is_waited_for() {
    let (_folder, root, world) = world();
    world.make_folder(&root.join("x/y")).unwrap();
    let held = world.lock(&root.join("x")).unwrap();
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let (world, folder) = (&world, root.join("x"));
        scope.spawn(move || {
            let _held = world.lock(&folder).unwrap();
            tell.send(()).unwrap();
        });
        let early = told.recv_timeout(std::time::Duration::from_millis(50));
        assert!(early.is_err(), "two hold it");
        drop(held);
        told.recv_timeout(std::time::Duration::from_secs(60)).unwrap();
    });
    assert!(world.lock(&root.join("none")).is_err());
    assert!(world.remove_folder(&root.join("x")).is_err(), "it is not empty");
    assert_eq!(world.remove_folder(&root.join("x/y")), Ok(()));
    assert_eq!(world.remove_folder(&root.join("x/y")), Ok(()), "there is none");
}

#[test]
fn what_a_hook_remembers_belongs_to_its_session() {
    let (_folder, root, _) = world();
    let open = |session: &str| {
        let state = hookrail_store::StateRoot::at(root.join("state"));
        let store: Arc<dyn Store> = Arc::new(hookrail_store::FileStore::new(state, || 0));
        let memory = Memory { store, session: SessionId::new(session, Path::new("/p")), folder: root.join("state") };
        RealWorld::of_event(Arc::default(), Some(memory))
    };
    let count = |world: &RealWorld| {
        let add = &mut |old: Option<Value>| Some(Value::from(old.and_then(|old| old.as_u64()).unwrap_or(0) + 1));
        world.remember("pack/count", add).unwrap()
    };
    assert_eq!(count(&open("a")), Some(Value::from(1)));
    assert_eq!(count(&open("a")), Some(Value::from(2)));
    assert_eq!(count(&open("b")), Some(Value::from(1)));
    assert_eq!(open("a").recall("pack/count"), Ok(Some(Value::from(2))));
    open("a").remember("pack/count", &mut |_| None).unwrap();
    assert_eq!(open("a").recall("pack/count"), Ok(None));
}
