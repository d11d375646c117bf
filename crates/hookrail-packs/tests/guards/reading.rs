//! Spellings that several tables share: ways to change a file, and ways to name it without that.

/// Ways to bring other content into a file, `{}`, which is `{dir}/{name}`. `new.txt` is in the project.
pub const WRITES: &[&str] = &[
    "echo x > {}",
    "echo x >> ./{}",
    "echo x >| \"$PWD/{}\"",
    ": > ~/p/{}",
    "cat new.txt > $(pwd)/{}",
    "cat <<'EOF' > {}\nx\nEOF",
    "printf x | tee {} > /dev/null",
    "cp new.txt {}",
    "cp new.txt {dir}/{name}",
    "install -m 600 new.txt {}",
    "mv new.txt {}",
    "dd if=new.txt of={} status=none",
    "truncate -s 3 {}",
    "sed -i 's/$/x/' {}",
    "sed -i.bak -e 's/^/x/' {}",
    "perl -pi -e 's/$/x/' {}",
    "sort -o {} new.txt",
    "ln -sf /etc/hostname {}",
    "ed -s {} <<< $'0a\\nx\\n.\\nw'",
    "vim -es -c 'normal ox' -c wq {}",
    "cd {dir} && echo x > {name}",
    "cd {dir}; cp ~/p/new.txt {name}",
    "(cd {dir} && tee {name} < ~/p/new.txt > /dev/null)",
    "pushd {dir} > /dev/null && echo x > {name}; popd > /dev/null",
    "cd nowhere; echo x > {}",
    "bash -c 'echo x > {}'",
    "sh -c 'cd {dir} && echo x > {name}'",
    "echo 'echo x > {}' | bash",
    "bash <<'EOF'\necho x > {}\nEOF",
    "env A=1 cp new.txt {}",
    "nice cp new.txt {}",
    "timeout 5 cp new.txt {}",
    "eval 'echo x > {}'",
    "F={}; echo x > \"$F\"",
    "D={dir}; cp new.txt \"$D/{name}\"",
    "f() { echo x > \"$1\"; }; f {}",
    "for f in {}; do echo x > \"$f\"; done",
    "echo {} | xargs cp new.txt",
    "find {dir} -name {name} -exec cp new.txt {name_braces} \\;",
    "python3 -c \"open('{}', 'w').write('x')\"",
    "python3 -c \"import shutil; shutil.copy('new.txt', '{}')\"",
    "node -e \"require('fs').writeFileSync('{}', 'x')\"",
    "perl -e 'open(F, \">{}\"); print F \"x\"'",
    "awk 'BEGIN { print \"x\" > \"{}\" }'",
    "true && echo x > {} || true",
    "echo x > {dir}/../{dir_name}/{name}",
];

/// Ways to take a file away or change how it can be used.
pub const REMOVALS: &[&str] = &[
    "rm {}",
    "rm -rf {dir}",
    "unlink {}",
    "rm {dir}/*",
    "mv {} gone.txt",
    "mv {dir} gone",
    "chmod 600 {}",
    "chmod -R go-rwx {dir}; chmod 600 {}",
    "find {dir} -name {name} -delete",
    "python3 -c \"import os; os.remove('{}')\"",
    "git rm -qf {}",
];

/// Ways to read a file or to speak of it.
pub const LOOK_ALIKES: &[&str] = &[
    "cat {}",
    "cat {} > copy.txt",
    "head -1 {} | tee copy.txt",
    "grep -n x {}",
    "cp {} copy.txt",
    "diff {} new.txt",
    "wc -l {}",
    "stat {}",
    "ls -la {dir}",
    "sed -n 1p {}",
    "sed s/a/b/ {} > copy.txt",
    "git diff {}",
    "git add {}",
    "git log --oneline -- {}",
    "git show HEAD:{}",
    "git status {dir}",
    "git checkout -q -b fix/{}",
    "git commit --allow-empty -qm 'write {}'",
    "echo {}",
    "echo 'echo x > {}'",
    "echo {} > copy.txt",
    "sed -i 's|{}|x|' new.txt",
    "cat <<'EOF' > copy.txt\nrm {}\nEOF",
    "python3 -c \"print(open('{}').read())\"",
    "python3 -c \"print('{}')\"",
    "node -e \"require('fs').readFileSync('{}')\"",
    "test -f {} && echo yes",
    "find {dir} -type f",
    "tar cf copy.tar {dir}",
    "cd {dir} && cat {name}",
    "false && rm {}; true",
    "# rm {}",
    "bash -n -c 'rm {}'",
    "rm -f elsewhere/{name}",
    "touch elsewhere.txt",
];

/// The spellings for one file.
pub fn spell(templates: &[&str], path: &str) -> Vec<String> {
    let (dir, name) = path.rsplit_once('/').unwrap();
    let dir_name = dir.rsplit('/').next().unwrap();
    let fill = |text: &&str| {
        text.replace("{dir}", dir)
            .replace("{dir_name}", dir_name)
            .replace("{name}", name)
            .replace("{}", path)
            .replace("{name_braces}", "{}")
    };
    templates.iter().map(fill).collect()
}

pub fn borrowed(list: &[String]) -> Vec<&str> {
    list.iter().map(String::as_str).collect()
}
