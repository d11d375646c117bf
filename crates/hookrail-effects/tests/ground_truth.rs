//! What the analysis says is compared with what happens: every command of these tables runs for real, in a folder of its
//! own, and changes nothing but files in it.

#![allow(clippy::unwrap_used, reason = "helpers of a test may fail it")]

use hookrail_core::FileKind;
use hookrail_effects::{DEFAULT_GUARDED, Effects, ReadOnlyWorld, Surroundings, understand_command};
use hookrail_testkit::folders;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The real file system, and a home that is the test's own.
struct Disk {
    home: PathBuf,
}

impl ReadOnlyWorld for Disk {
    fn env(&self, name: &str) -> Option<String> {
        (name == "HOME").then(|| self.home.to_str().unwrap().to_owned())
    }

    fn kind(&self, path: &Path) -> Option<FileKind> {
        let kind = fs::symlink_metadata(path).ok()?.file_type();
        Some(if kind.is_symlink() {
            FileKind::Link
        } else if kind.is_dir() {
            FileKind::Folder
        } else {
            FileKind::File
        })
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        folders::resolve(path)
    }

    fn list(&self, folder: &Path) -> Option<Vec<String>> {
        Some(fs::read_dir(folder).ok()?.map(|entry| entry.unwrap().file_name().to_str().unwrap().to_owned()).collect())
    }

    fn read_small(&self, path: &Path) -> Option<String> {
        fs::read_to_string(path).ok()
    }
}

/// A home with a project, in which `secrets/a.txt` must not change.
struct Sandbox {
    _folder: tempfile::TempDir,
    disk: Disk,
    project: PathBuf,
}

impl Sandbox {
    /// A copy of a project that is made once.
    fn new() -> Self {
        static FIRST: std::sync::OnceLock<Sandbox> = std::sync::OnceLock::new();
        let first = FIRST.get_or_init(Self::build);
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        folders::copy(&first.project, &home.join("p")).unwrap();
        Self { _folder: folder, project: home.join("p"), disk: Disk { home } }
    }

    fn build() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        let project = home.join("p");
        for name in ["secrets", "src", "spare/secrets"] {
            fs::create_dir_all(project.join(name)).unwrap();
        }
        fs::write(project.join("secrets/a.txt"), "old\n").unwrap();
        fs::write(project.join("README.md"), "secrets/a.txt\n").unwrap();
        fs::write(project.join("src/b.txt"), "new\n").unwrap();
        fs::write(project.join("spare/secrets/a.txt"), "spare\n").unwrap();
        fs::write(project.join("write.sh"), "echo script > secrets/a.txt\n").unwrap();
        fs::write(project.join("fix.diff"), "--- a/secrets/a.txt\n+++ b/secrets/a.txt\n@@ -1 +1 @@\n-old\n+patched\n")
            .unwrap();
        fs::write(project.join("Makefile"), "F = secrets/a.txt\nwrite:\n\techo make > $(F)\n").unwrap();
        symlink("secrets", project.join("lnk")).unwrap();
        symlink("secrets/a.txt", project.join("file-link")).unwrap();
        let git = |args: &[&str]| {
            let status = Command::new("git")
                .args(args)
                .current_dir(&project)
                .env_clear()
                .env("PATH", PATH)
                .env("HOME", &home)
                .output()
                .unwrap();
            assert!(status.status.success(), "{args:?}: {status:?}");
        };
        git(&["init", "-q", "-b", "main", "--template="]);
        git(&["-c", "user.name=a", "-c", "user.email=a@b", "add", "-A"]);
        git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]);
        Self { _folder: folder, disk: Disk { home }, project }
    }

    fn target(&self) -> PathBuf {
        self.project.join("secrets/a.txt")
    }

    fn effects(&self, command: &str) -> Effects {
        let around = Surroundings {
            cwd: self.project.clone(),
            home: Some(self.disk.home.clone()),
            project: self.project.clone(),
            beside: Vec::new(),
            guarded: DEFAULT_GUARDED.into(),
        };
        understand_command(command, &around, &self.disk)
    }

    /// Content and mode of what must not change, links followed.
    fn state(&self) -> Option<(Vec<u8>, u32, bool)> {
        let target = self.target();
        let folder = fs::symlink_metadata(target.parent().unwrap()).ok()?;
        let mode = fs::metadata(&target).ok()?.permissions().mode() ^ folder.permissions().mode() << 16;
        Some((fs::read(&target).unwrap_or_default(), mode, folder.is_symlink()))
    }

    fn run(&self, command: &str) {
        let mut child = Command::new("bash")
            .args(["-c", command])
            .current_dir(&self.project)
            .env_clear()
            .env("PATH", PATH)
            .env("HOME", &self.disk.home)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        child.wait().unwrap();
    }
}

const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Ways to write a path, all of which mean `secrets/a.txt`.
const PATHS: &[&str] = &[
    "secrets/a.txt",
    "./secrets/a.txt",
    "src/../secrets/a.txt",
    "~/p/secrets/a.txt",
    "\"$HOME/p/secrets/a.txt\"",
    "${PWD}/secrets/a.txt",
    "'secrets'/\"a.txt\"",
    "sec\\rets/a.txt",
    "$(pwd)/secrets/a.txt",
    "lnk/a.txt",
    "secrets/$'a\\x2etxt'",
];

/// Ways to change a file.
const CHANGES: &[&str] = &[
    "echo x > {}",
    "echo x >> {}",
    "echo x >| {}",
    ": > {}",
    "echo x &> {}",
    "printf x | tee {}",
    "printf x | tee -a {} > /dev/null",
    "cp src/b.txt {}",
    "install -m 600 src/b.txt {}",
    "mv src/b.txt {}",
    "rm {}",
    "rm -f -- {}",
    "unlink {}",
    "truncate -s 0 {}",
    "truncate -s 1 {}",
    "dd if=src/b.txt of={} status=none",
    "sed -i s/old/x/ {}",
    "sed -i.bak -e s/old/x/ {}",
    "sed -n 's/new/x/w '{} src/b.txt",
    "perl -pi -e s/old/x/ {}",
    "chmod 600 {}",
    "mv {} src/c.txt",
    "cat <<EOF > {}\nx\nEOF",
    "cat > {} <<< x",
    "sort -o {} src/b.txt",
    "{ echo a; echo b; } > {}",
    "(echo a) > {}",
    "if true; then echo x > {}; fi",
    "for i in 1; do echo x > {}; done",
    "f() { echo x > {}; }; f",
    "f() { rm \"$1\"; }; f {}",
    "X={}; rm $X",
    "bash -c 'rm \"$0\"' {}",
    "env A=1 rm {}",
    "nohup rm {}",
    "timeout 5 rm {}",
    "command rm {}",
    "exec rm {}",
    "eval rm {}",
    "echo {} | xargs rm",
    "true && rm {} || true",
    "false; rm {}",
    "! rm {}",
    "ln -sf ../README.md {}",
];

/// Whole commands that change `secrets/a.txt`.
const COMMANDS: &[&str] = &[
    "cd secrets && rm a.txt",
    "cd secrets; echo x > a.txt",
    "(cd secrets && echo x > a.txt)",
    "pushd secrets > /dev/null && rm a.txt; popd > /dev/null",
    "cd src && rm ../secrets/a.txt",
    "cd src; cd ..; rm secrets/a.txt",
    "cd; rm p/secrets/a.txt",
    "rm -rf secrets",
    "rm -r ./secrets/",
    "rm secrets/*",
    "rm secrets/*.txt",
    "rm secrets/?.txt",
    "rm secrets/[a-c].txt",
    "rm s*/a.txt",
    "rm {secrets,nothing}/a.txt",
    "rm -rf sec*",
    "mv secrets other",
    "mv secrets/ src/",
    "chmod -R 700 secrets",
    "chmod 700 secrets",
    "find secrets -name a.txt -delete",
    "find . -name a.txt -path './secrets/*' -delete",
    "find secrets -type f -exec rm {} \\;",
    "find secrets -type f -exec rm {} +",
    "find secrets -type f | xargs rm",
    "find secrets -name '*.txt' -print0 | xargs -0 rm -f",
    "ls secrets/*.txt | xargs rm",
    "for f in secrets/*; do rm \"$f\"; done",
    "for f in a b; do rm -f secrets/$f.txt; done",
    "find secrets -type f | while read -r f; do rm \"$f\"; done",
    "echo secrets/a.txt | while read f; do echo x > $f; done",
    "D=secrets; rm -rf \"$D\"",
    "D=secrets F=a.txt; rm $D/$F",
    "F=secrets/a; rm ${F}.txt",
    "F=secrets/a.md; echo x > ${F%.md}.txt",
    "rm ${UNSET_NAME:-secrets/a.txt}",
    "bash -c 'rm secrets/a.txt'",
    "sh -c \"cd secrets && rm a.txt\"",
    "bash <<'EOF'\nrm secrets/a.txt\nEOF",
    "echo 'rm secrets/a.txt' | sh",
    "printf 'rm %s\\n' secrets/a.txt | bash",
    "echo cm0gc2VjcmV0cy9hLnR4dA== | base64 -d | sh",
    "bash write.sh",
    ". ./write.sh",
    "source write.sh",
    "chmod +x write.sh; sh ./write.sh",
    "echo 'rm secrets/a.txt' > x.sh; sh x.sh",
    "patch -p1 < fix.diff",
    "patch -p1 -i fix.diff",
    "git apply fix.diff",
    "make -s write",
    "python3 -c \"open('secrets/a.txt','w').write('x')\"",
    "python3 -c \"import os; os.remove('secrets/a.txt')\"",
    "python3 -c \"import shutil; shutil.rmtree('secrets')\"",
    "python3 -c \"from pathlib import Path; Path('secrets/a.txt').write_text('x')\"",
    "python3 -c \"from pathlib import Path; p = Path('secrets') / 'a.txt'; p.unlink()\"",
    "python3 -c \"import subprocess; subprocess.run(['rm', 'secrets/a.txt'])\"",
    "python3 -c \"import os; os.system('rm secrets/a.txt')\"",
    "python3 - <<'PY'\nimport os\nos.rename('secrets/a.txt', 'x')\nPY",
    "perl -e 'unlink \"secrets/a.txt\"'",
    "perl -e 'open(F, \">secrets/a.txt\"); print F \"x\"'",
    "perl -e 'system(\"rm secrets/a.txt\")'",
    "awk 'BEGIN { system(\"rm secrets/a.txt\") }'",
    "awk '{ print > \"secrets/a.txt\" }' src/b.txt",
    "tar cf x.tar -C spare secrets && tar xf x.tar",
    "tar cf - -C spare secrets | tar xf -",
    "cp -r spare/secrets .",
    "cp spare/secrets/a.txt secrets/",
    "cp -t secrets spare/secrets/a.txt",
    "echo x > file-link",
    "sed -i s/old/x/ lnk/a.txt",
    "rm -rf lnk/",
    "rm -rf lnk/*",
    "git rm -qf secrets/a.txt",
    "git mv secrets/a.txt src/",
    "git rm -rqf secrets",
    "echo y > secrets/a.txt; git checkout -- secrets/a.txt; rm secrets/a.txt",
    "xargs rm < README.md",
    "echo x | (cat > secrets/a.txt)",
    "{ cd secrets; rm a.txt; }",
    "cd secrets && { rm a.txt; }",
    "while true; do rm secrets/a.txt; break; done",
    "case x in x) rm secrets/a.txt;; esac",
    "[[ -f secrets/a.txt ]] && rm secrets/a.txt",
    "test -f secrets/a.txt && rm secrets/a.txt",
    "a=rm; $a secrets/a.txt",
    "\\rm secrets/a.txt",
    "'rm' secrets/a.txt",
    "/bin/rm secrets/a.txt",
    "rm secrets/a.txt # and a comment",
    "rm \\\n  secrets/a.txt",
    "trap 'rm secrets/a.txt' EXIT; true",
    "shopt -s expand_aliases\nalias del=rm\ndel secrets/a.txt",
    "echo $(rm secrets/a.txt)",
    "echo \"`rm secrets/a.txt`\"",
    "cat <(rm secrets/a.txt)",
    "echo x | tee src/z.txt secrets/a.txt",
    "rm -v src/b.txt secrets/a.txt",
    "set -- secrets/a.txt; rm \"$1\"",
    "set -- secrets/a.txt; rm \"$@\"",
    "arr=(secrets/a.txt); rm \"${arr[0]}\"",
    "export F=secrets/a.txt; rm \"$F\"",
    "read F <<< secrets/a.txt; rm \"$F\"",
    "F=$(echo secrets/a.txt); rm $F",
    "ed -s secrets/a.txt <<< $'1d\\nw'",
    "nice -n 5 rm secrets/a.txt",
    "setsid -w rm secrets/a.txt",
    "stdbuf -oL rm secrets/a.txt",
    "flock x.lock rm secrets/a.txt",
    "rsync -a spare/secrets/ secrets/",
    "gzip secrets/a.txt",
];

/// Commands that mention the path and leave it alone. They must have no effect that changes it.
const LOOK_ALIKES: &[&str] = &[
    "cat secrets/a.txt",
    "grep -rn old secrets/",
    "grep secrets/a.txt README.md",
    "echo secrets/a.txt",
    "echo 'rm secrets/a.txt'",
    "echo \"echo x > secrets/a.txt\"",
    "printf '%s' secrets/a.txt",
    "ls -la secrets",
    "stat secrets/a.txt",
    "wc -l secrets/a.txt",
    "head -1 secrets/a.txt > src/out.txt",
    "cp secrets/a.txt src/copy.txt",
    "cp -r secrets src/",
    "diff secrets/a.txt src/b.txt",
    "cat secrets/a.txt | sort | uniq > src/sorted.txt",
    "find secrets -type f",
    "find . -name a.txt -print",
    "find secrets -type f -exec cat {} +",
    "test -f secrets/a.txt",
    "[ -f secrets/a.txt ]",
    "[[ -e secrets/a.txt ]]",
    "sed -n 1p secrets/a.txt",
    "sed s/old/x/ secrets/a.txt",
    "sed -i s/secrets/x/ README.md",
    "sed -i 's|secrets/a.txt|x|' README.md",
    "awk 1 secrets/a.txt",
    "git diff secrets/a.txt",
    "git diff -- secrets/",
    "git log -- secrets/a.txt",
    "git add secrets/a.txt",
    "git status secrets",
    "git blame secrets/a.txt",
    "git show HEAD:secrets/a.txt",
    "git checkout -q -b fix/secrets/a.txt",
    "git branch secrets/a.txt",
    "git commit --allow-empty -qm 'change secrets/a.txt' || true",
    "git grep old -- secrets",
    "git rm --cached -q secrets/a.txt",
    "git ls-files secrets",
    "tar cf src/x.tar secrets",
    "base64 secrets/a.txt > src/x",
    "sha256sum secrets/a.txt",
    "python3 -c \"print(open('secrets/a.txt').read())\"",
    "python3 -c \"print('secrets/a.txt')\"",
    "perl -ne print secrets/a.txt",
    "X=secrets/a.txt; echo $X",
    "cat <<'EOF' > src/doc.md\nrm secrets/a.txt\nEOF",
    "true # rm secrets/a.txt",
    "bash -n -c 'rm secrets/a.txt'",
    "cat secrets/a.txt > /dev/null 2>&1",
    "cd secrets && cat a.txt",
    "cd spare/secrets && rm a.txt",
    "cd spare && echo x > secrets/a.txt",
    "rm -rf spare",
    "rm -f src/secrets/a.txt",
    "touch src/secrets-a.txt",
    "mkdir -p src/secrets",
    "for f in secrets/*; do cat \"$f\"; done",
    "xargs cat < README.md",
    "sort secrets/a.txt -o src/o.txt",
    "test -w secrets/a.txt && echo yes",
    "ls secrets | wc -l",
    "file secrets/a.txt",
    "du -sh secrets",
    "(cd src && rm -f a.txt)",
    "rsync -a secrets/ src/copy/",
    "install -m 644 secrets/a.txt src/i.txt",
];

#[test]
fn ordinary_spellings_of_a_change_change_the_file_and_are_seen() {
    let mut commands: Vec<String> = COMMANDS.iter().map(|command| (*command).to_owned()).collect();
    for (index, change) in CHANGES.iter().enumerate() {
        // Every change with several spellings, and every spelling with several changes.
        for path in PATHS.iter().cycle().skip(index % PATHS.len()).take(4) {
            let mut parts = change.rsplitn(2, "{}");
            let behind = parts.next().unwrap();
            commands.push(format!("{}{path}{behind}", parts.next().unwrap()));
        }
    }
    assert!(commands.len() >= 150, "{}", commands.len());
    let (mut unseen, mut idle) = (Vec::new(), Vec::new());
    for command in &commands {
        let sandbox = Sandbox::new();
        let effects = sandbox.effects(command);
        if effects.touching(&sandbox.target()).next().is_none() {
            unseen.push(format!(
                "{command}\n    {}",
                effects.list.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
            ));
        }
        let before = sandbox.state();
        sandbox.run(command);
        if sandbox.state() == before {
            idle.push(command.clone());
        }
    }
    println!("{} spellings, {} unseen, {} without a change here", commands.len(), unseen.len(), idle.len());
    assert!(unseen.is_empty(), "unseen:\n{}", unseen.join("\n"));
    // Some programs may be missing on a machine; a table of commands that do nothing would prove nothing.
    assert!(idle.len() * 20 < commands.len(), "without a change:\n{}", idle.join("\n"));
}

#[test]
fn what_only_mentions_or_reads_the_file_has_no_effect_on_it() {
    for command in LOOK_ALIKES {
        let sandbox = Sandbox::new();
        let effects = sandbox.effects(command);
        let touching: Vec<String> = effects.touching(&sandbox.target()).map(ToString::to_string).collect();
        assert!(touching.is_empty(), "{command}: {touching:?}");
        let before = sandbox.state();
        sandbox.run(command);
        assert_eq!(sandbox.state(), before, "{command}");
    }
}
