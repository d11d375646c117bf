//! Policies: signed, installed, gone back from.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a broken expectation must fail the test")]

use hookrail_fleet::policy::{
    Bundle, InForce, Installed, KeyPair, PinnedKey, PolicyError, Pulled, Replace, Signed, SigningKey,
};
use std::fs;
use std::path::Path;

struct Author {
    secret: SigningKey,
    public: PinnedKey,
}

impl Author {
    fn new() -> Self {
        let pair = KeyPair::generate(None).unwrap();
        Self { secret: SigningKey::parse(&pair.secret, None).unwrap(), public: PinnedKey::parse(&pair.public).unwrap() }
    }

    fn policy(&self, manifest: &str, settings: &str) -> Signed {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("policy.toml"), manifest).unwrap();
        fs::write(folder.path().join("hookrail.toml"), settings).unwrap();
        Bundle::from_folder(folder.path()).unwrap().sign(&self.secret).unwrap()
    }

    fn serial(&self, serial: u64) -> Signed {
        self.policy(&format!("name = \"acme\"\nserial = {serial}\n"), &format!("# {serial}\n"))
    }
}

fn pull(machine: &Installed, signed: &Signed, key: Option<&PinnedKey>) -> Result<Pulled, PolicyError> {
    machine.pull(signed, key, Replace::Never, "0.1.0", |_| Ok::<_, PolicyError>(()))
}

fn in_force(machine: &Installed) -> Option<u64> {
    match machine.in_force().unwrap() {
        InForce::Policy(bundle) => Some(bundle.serial),
        InForce::Altered(_) | InForce::Nothing | InForce::ByHand => None,
    }
}

#[test]
fn a_policy_becomes_the_managed_layer_and_the_key_is_pinned() {
    let (author, folder) = (Author::new(), tempfile::tempdir().unwrap());
    let machine = Installed::at(folder.path().join("etc/hookrail"));
    assert_eq!(machine.in_force().unwrap(), InForce::Nothing);
    assert!(matches!(pull(&machine, &author.serial(1), None), Err(PolicyError::NoKey)));
    assert!(!machine.settings_file().exists());
    let pulled = pull(&machine, &author.serial(1), Some(&author.public)).unwrap();
    assert!(matches!(pulled, Pulled::Installed { before: None, .. }));
    assert_eq!(fs::read_to_string(machine.settings_file()).unwrap(), "# 1\n");
    assert_eq!(machine.key().unwrap(), Some(author.public.clone()));
    assert!(matches!(pull(&machine, &author.serial(1), None).unwrap(), Pulled::Unchanged(_)));
    let other = Author::new();
    assert!(matches!(pull(&machine, &other.serial(2), None), Err(PolicyError::Bundle(_))), "not the pinned key");
    assert!(matches!(pull(&machine, &other.serial(2), Some(&other.public)), Err(PolicyError::OtherKey(_))));
    assert_eq!(in_force(&machine), Some(1));
}

#[test]
fn no_changed_byte_of_a_bundle_or_its_signature_is_accepted() {
    let (author, folder) = (Author::new(), tempfile::tempdir().unwrap());
    let machine = Installed::at(folder.path());
    let good = author.serial(1);
    for position in 0..good.bytes.len() {
        let mut bad = good.clone();
        bad.bytes[position] ^= 1;
        assert!(pull(&machine, &bad, Some(&author.public)).is_err(), "byte {position}");
    }
    let line = good.signature.lines().nth(1).unwrap();
    for position in [0, 4, 20, line.len() / 2, line.len() - 4] {
        let mut changed = line.to_owned().into_bytes();
        changed[position] = if changed[position] == b'A' { b'B' } else { b'A' };
        let signature = good.signature.replace(line, &String::from_utf8(changed).unwrap());
        let bad = Signed { signature, ..good.clone() };
        assert!(pull(&machine, &bad, Some(&author.public)).is_err(), "character {position} of the signature");
    }
    let renamed = good.signature.replace("policy acme 1", "policy acme 9");
    assert_ne!(renamed, good.signature);
    assert!(pull(&machine, &Signed { signature: renamed, ..good }, Some(&author.public)).is_err(), "trusted comment");
    assert!(!machine.settings_file().exists() && machine.key().unwrap().is_none());
}

#[test]
fn a_machine_never_takes_an_older_policy_and_goes_back_only_on_request() {
    let (author, folder) = (Author::new(), tempfile::tempdir().unwrap());
    let machine = Installed::at(folder.path());
    pull(&machine, &author.serial(5), Some(&author.public)).unwrap();
    pull(&machine, &author.serial(7), None).unwrap();
    assert!(matches!(pull(&machine, &author.serial(6), None), Err(PolicyError::Older { offered: 6, present: 7, .. })));
    let changed = author.policy("name = \"acme\"\nserial = 7\n", "# other\n");
    assert!(matches!(pull(&machine, &changed, None), Err(PolicyError::SameSerial(7))));
    assert_eq!(in_force(&machine), Some(7));
    assert_eq!(machine.rollback().unwrap().serial, 5);
    assert_eq!(in_force(&machine), Some(5));
    assert!(matches!(machine.rollback(), Err(PolicyError::NothingEarlier)));
    assert!(matches!(pull(&machine, &changed, None), Err(PolicyError::SameSerial(7))), "7 stands for one text here");
    pull(&machine, &author.serial(7), None).unwrap();
    assert_eq!(in_force(&machine), Some(7));
}

#[test]
fn what_an_administrator_changed_by_hand_is_told_and_mended() {
    let (author, folder) = (Author::new(), tempfile::tempdir().unwrap());
    let machine = Installed::at(folder.path());
    pull(&machine, &author.serial(3), Some(&author.public)).unwrap();
    for change in [Some("# changed\n"), None] {
        match change {
            Some(text) => fs::write(machine.settings_file(), text).unwrap(),
            None => fs::remove_file(machine.settings_file()).unwrap(),
        }
        assert!(matches!(machine.in_force().unwrap(), InForce::Altered(bundle) if bundle.serial == 3));
        assert!(matches!(pull(&machine, &author.serial(2), None), Err(PolicyError::Older { .. })));
        pull(&machine, &author.serial(3), None).unwrap();
        assert_eq!(in_force(&machine), Some(3));
    }
}

#[test]
fn what_was_there_before_the_first_policy_is_replaced_on_request_only_and_kept() {
    let (author, folder) = (Author::new(), tempfile::tempdir().unwrap());
    let machine = Installed::at(folder.path());
    fs::write(machine.settings_file(), "# mine\n").unwrap();
    assert_eq!(machine.in_force().unwrap(), InForce::ByHand);
    assert!(matches!(pull(&machine, &author.serial(1), Some(&author.public)), Err(PolicyError::ByHand(_))));
    assert_eq!(fs::read_to_string(machine.settings_file()).unwrap(), "# mine\n");
    let check = |_: &Bundle| Ok::<_, PolicyError>(());
    machine.pull(&author.serial(1), Some(&author.public), Replace::Allowed, "0.1.0", check).unwrap();
    assert_eq!(in_force(&machine), Some(1));
    assert_eq!(fs::read_to_string(folder.path().join("policies/by-hand.toml")).unwrap(), "# mine\n");
    let other = author.policy("name = \"other\"\nserial = 9\n", "# other\n");
    assert!(matches!(pull(&machine, &other, None), Err(PolicyError::OtherName { .. })));
}

#[test]
fn a_policy_that_needs_a_newer_hookrail_or_does_not_pass_the_check_changes_nothing() {
    let (author, folder) = (Author::new(), tempfile::tempdir().unwrap());
    let machine = Installed::at(folder.path());
    let newer = author.policy("name = \"acme\"\nserial = 1\nversions = { hookrail = \"9.0\" }\n", "");
    assert!(matches!(pull(&machine, &newer, Some(&author.public)), Err(PolicyError::Version { .. })));
    let refused = machine
        .pull(&author.serial(1), Some(&author.public), Replace::Never, "0.1.0", |_| Err(PolicyError::NothingEarlier));
    assert!(refused.is_err());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn only_the_newest_bundles_are_kept_and_one_that_was_tampered_with_does_not_count() {
    let (author, folder) = (Author::new(), tempfile::tempdir().unwrap());
    let machine = Installed::at(folder.path());
    for serial in 1..=13 {
        pull(&machine, &author.serial(serial), Some(&author.public)).unwrap();
    }
    let serials = |machine: &Installed| machine.kept().unwrap().iter().map(|it| it.serial).collect::<Vec<_>>();
    assert_eq!(serials(&machine), (4..=13).collect::<Vec<_>>());
    let file = folder.path().join(format!("policies/{:020}.json", 12));
    fs::write(&file, fs::read_to_string(&file).unwrap().replace("# 12", "# evil")).unwrap();
    assert_eq!(machine.rollback().unwrap().serial, 11, "12 is not what was signed");
}

#[test]
fn the_pinned_key_changes_only_by_a_bundle_that_it_signed() {
    let (old, new, folder) = (Author::new(), Author::new(), tempfile::tempdir().unwrap());
    let machine = Installed::at(folder.path());
    let rotating = |author: &Author, serial: u64, next: &Author| {
        let manifest = format!("name = \"acme\"\nserial = {serial}\nnext_key = \"{}\"\n", next.public.line());
        author.policy(&manifest, &format!("# {serial}\n"))
    };
    pull(&machine, &old.serial(1), Some(&old.public)).unwrap();
    assert!(pull(&machine, &rotating(&new, 2, &new), None).is_err(), "a key cannot vouch for itself");
    assert_eq!(machine.key().unwrap(), Some(old.public.clone()));
    pull(&machine, &rotating(&old, 2, &new), None).unwrap();
    assert_eq!((machine.key().unwrap(), in_force(&machine)), (Some(new.public.clone()), Some(2)));
    assert!(matches!(pull(&machine, &old.serial(3), None), Err(PolicyError::FormerKey(_))), "the old key is over");
    assert!(matches!(pull(&machine, &rotating(&old, 3, &old), None), Err(PolicyError::FormerKey(_))));
    pull(&machine, &new.serial(3), Some(&old.public)).unwrap();
    assert_eq!(in_force(&machine), Some(3));
    assert!(matches!(pull(&machine, &rotating(&old, 2, &new), None), Err(PolicyError::Older { .. })), "a replay");
    let serials: Vec<u64> = machine.kept().unwrap().iter().map(|it| it.serial).collect();
    assert_eq!(serials, [1, 2, 3], "what the old key signed can be gone back to");
    assert_eq!(machine.rollback().unwrap().serial, 2);
    assert_eq!(machine.rollback().unwrap().serial, 1);
    assert_eq!(machine.key().unwrap(), Some(new.public.clone()), "going back does not bring a key back");
}

/// A pull that ends after any number of its steps: what it would write next cannot be written.
#[cfg(unix)]
#[test]
fn a_pull_that_is_interrupted_leaves_the_old_policy_and_can_be_repeated() {
    let (old, new) = (Author::new(), Author::new());
    let manifest = format!("name = \"acme\"\nserial = 2\nnext_key = \"{}\"\n", new.public.line());
    let rotating = old.policy(&manifest, "# 2\n");
    let kept = format!("policies/{:020}.json", 2);
    // A folder in the place of a file makes the rename onto it fail, as a process that ended there would.
    for blocked in [format!("{kept}.minisig"), kept, "policies/former-keys".to_owned(), "policy.pub".to_owned()] {
        let folder = tempfile::tempdir().unwrap();
        let machine = Installed::at(folder.path());
        pull(&machine, &old.serial(1), Some(&old.public)).unwrap();
        let place = folder.path().join(&blocked);
        let before = fs::read(&place).ok();
        if before.is_some() {
            fs::remove_file(&place).unwrap();
        }
        fs::create_dir_all(place.join("in the way")).unwrap();
        let pulled = pull(&machine, &rotating, before.is_some().then_some(&old.public));
        assert!(pulled.is_err(), "{blocked}");
        assert_eq!(fs::read_to_string(machine.settings_file()).unwrap(), "# 1\n", "{blocked}");
        fs::remove_dir_all(&place).unwrap();
        if let Some(text) = before {
            fs::write(&place, text).unwrap();
        }
        pull(&machine, &rotating, None).unwrap_or_else(|error| panic!("{blocked}: {error}"));
        assert_eq!((in_force(&machine), machine.key().unwrap()), (Some(2), Some(new.public.clone())), "{blocked}");
    }
    // The key was changed and the process ended before the policy was in force.
    let folder = tempfile::tempdir().unwrap();
    let machine = Installed::at(folder.path());
    pull(&machine, &old.serial(1), Some(&old.public)).unwrap();
    pull(&machine, &rotating, None).unwrap();
    fs::write(machine.settings_file(), "# 1\n").unwrap();
    assert_eq!(in_force(&machine), Some(1));
    pull(&machine, &rotating, None).unwrap();
    assert_eq!(in_force(&machine), Some(2));
}

#[cfg(unix)]
#[test]
fn whatever_else_a_bundle_may_be_is_refused() {
    let (author, folder) = (Author::new(), tempfile::tempdir().unwrap());
    let machine = Installed::at(folder.path().join("etc"));
    let place = |name: &str| folder.path().join(name);
    // Signed by the right key, and yet no bundle.
    let texts: [(&str, String); 7] = [
        ("members", r#"{"format":1,"name":"a","serial":1,"settings":"","files":{"../../etc/passwd":"x"}}"#.to_owned()),
        ("a name that climbs", r#"{"format":1,"name":"../a","serial":1,"settings":""}"#.to_owned()),
        ("another format", r#"{"format":2,"name":"a","serial":1,"settings":""}"#.to_owned()),
        ("a negative serial", r#"{"format":1,"name":"a","serial":-1,"settings":""}"#.to_owned()),
        ("a key that is none", r#"{"format":1,"name":"a","serial":1,"settings":"","next_key":"x"}"#.to_owned()),
        ("an archive", "\u{1f}\u{8b}\u{8}".to_owned()),
        ("too much", format!(r#"{{"format":1,"name":"a","serial":1,"settings":"{}"}}"#, "x".repeat(5 << 20))),
    ];
    for (name, text) in texts {
        let signature = author.secret.sign(text.as_bytes(), "hookrail policy a 1").unwrap();
        let signed = Signed { bytes: text.into_bytes(), signature };
        assert!(pull(&machine, &signed, Some(&author.public)).is_err(), "{name}");
    }
    // Files that are none.
    let good = author.serial(1);
    let write = |name: &str, bytes: &[u8]| fs::write(place(name), bytes).unwrap();
    write("good.json", &good.bytes);
    write("good.json.minisig", good.signature.as_bytes());
    assert!(Signed::read(&place("good.json")).is_ok());
    let made = std::process::Command::new("mkfifo").arg(place("pipe.json")).status().unwrap();
    assert!(made.success());
    fs::create_dir(place("folder.json")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", place("link.json")).unwrap();
    write("huge.json", &vec![b' '; 5 << 20]);
    write("huge.json.minisig", good.signature.as_bytes());
    write("long.json", &good.bytes);
    write("long.json.minisig", &vec![b' '; 1 << 20]);
    for name in ["pipe.json", "folder.json", "link.json", "huge.json", "long.json", "gone.json"] {
        assert!(Signed::read(&place(name)).is_err(), "{name}");
    }
    assert!(!machine.settings_file().exists() && machine.key().unwrap().is_none());
}

#[test]
fn what_is_wrong_with_a_folder_is_told() {
    let cases = [
        ("name = \"a\"\n", "missing field `serial`"),
        ("name = \"a\"\nserial = 0\n", "at least 1"),
        ("name = \"a b\"\nserial = 1\n", "not a name"),
        ("name = \"a\"\nserial = 1\nverions = {}\n", "unknown field `verions`"),
        ("name = \"a\"\nserial = 1\nnext_key = \"x\"\n", "`next_key`: this is not a public key"),
        ("name = \"a\"\nserial = 1\nversions = { claude = \"new\" }\n", "`versions.claude`: `new` is not a version"),
    ];
    for (manifest, expected) in cases {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("policy.toml"), manifest).unwrap();
        fs::write(folder.path().join("hookrail.toml"), "").unwrap();
        let error = Bundle::from_folder(folder.path()).unwrap_err().to_string();
        assert!(error.contains(expected), "{manifest}: {error}");
    }
    let error = Bundle::from_folder(Path::new("/gone")).unwrap_err().to_string();
    assert!(error.contains("/gone/policy.toml"), "{error}");
}

#[test]
fn an_encrypted_key_signs_with_its_password_only() {
    let pair = KeyPair::generate(Some("secret".to_owned())).unwrap();
    assert!(SigningKey::parse(&pair.secret, Some("wrong".to_owned())).is_err());
    let key = SigningKey::parse(&pair.secret, Some("secret".to_owned())).unwrap();
    let public = PinnedKey::parse(&pair.public).unwrap();
    assert_eq!(key.public().unwrap(), public);
    let signature = key.sign(b"text", "comment").unwrap();
    assert!(public.verify(b"text", &signature).is_ok() && public.verify(b"Text", &signature).is_err());
    assert!(!format!("{key:?} {pair:?}").contains(pair.secret.lines().nth(1).unwrap()));
}
