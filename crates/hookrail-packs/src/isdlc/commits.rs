//! The commits a shell command would make, and the branches they would land on.

use super::git_config::find_alias;
use crate::repository::Repository;
use crate::shell::{Link, Placed, Word, placed_commands};
use hookrail_core::{HookError, World};
use std::path::{Path, PathBuf};

/// A commit that a command would make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Commit {
    pub repository: Repository,
    /// `None` if the commit lands on no branch, or on one that cannot be told.
    pub branch: Option<String>,
}

/// Reads a command as the shell would, without running it.
pub(super) fn find_commits(command: &str, cwd: &Path, world: &dyn World) -> Result<Vec<Commit>, HookError> {
    let place = Place { cwd: Some(cwd.to_owned()), previous: None, moved: Vec::new(), git_dir: None };
    let mut reader = Reader { world, found: Vec::new(), depth: 0 };
    reader.read(command, place)?;
    Ok(reader.found)
}

/// Aliases and shells within shells that go deeper lead nowhere.
const DEEPEST: usize = 8;
/// Words before a command that leave its meaning as it is.
const KEYWORDS: [&str; 9] = ["if", "then", "else", "elif", "do", "while", "until", "!", "time"];
/// Programs that run the command in their arguments.
const RUNNERS: [&str; 9] = ["env", "sudo", "command", "nohup", "exec", "nice", "builtin", "xargs", "timeout"];
const SHELLS: [&str; 5] = ["sh", "bash", "zsh", "dash", "ksh"];
/// git's own options whose value is the next word.
const VALUED: [&str; 6] =
    ["--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source", "--exec-path"];

/// Where a shell is.
#[derive(Clone, Debug)]
struct Place {
    /// `None` once nobody can tell.
    cwd: Option<PathBuf>,
    previous: Option<PathBuf>,
    /// What the command has done to branches so far.
    moved: Vec<(PathBuf, Moved)>,
    /// What `GIT_DIR` says.
    git_dir: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Moved {
    /// The working tree is on this branch now, or on none.
    To(Option<String>),
    /// This branch was made.
    Made(String),
}

struct Reader<'a> {
    world: &'a dyn World,
    found: Vec<Commit>,
    depth: usize,
}

impl Reader<'_> {
    fn read(&mut self, command: &str, start: Place) -> Result<(), HookError> {
        if self.depth > DEEPEST {
            return Ok(());
        }
        self.depth += 1;
        let commands = placed_commands(command);
        // One place per open subshell; what happens in one ends with it.
        let mut places: Vec<(Vec<usize>, Place)> = vec![(Vec::new(), start)];
        let mut before: Option<Place> = None;
        for (index, command) in commands.iter().enumerate() {
            while places.len() > 1 && places.last().is_some_and(|(shells, _)| !command.subshells.starts_with(shells)) {
                places.pop();
            }
            let Some((shells, current)) = places.last().cloned() else { break };
            if shells != command.subshells {
                places.push((command.subshells.clone(), current.clone()));
            }
            let mut place = match (command.link, before.take()) {
                (Link::Otherwise, Some(place)) => place,
                _ => current,
            };
            let next = commands.get(index + 1);
            before = Some(place.clone());
            self.run(command, next, &mut place)?;
            let in_pipe = command.link == Link::Pipe || next.is_some_and(|next| next.link == Link::Pipe);
            if let Some(top) = places.last_mut().filter(|_| !in_pipe) {
                top.1 = place;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn run(&mut self, command: &Placed, next: Option<&Placed>, place: &mut Place) -> Result<(), HookError> {
        let words = command.words.iter().filter_map(|word| match word {
            Word::Text(text) => Some(text.as_str()),
            Word::RedirectTo(_) => None,
        });
        let words: Vec<&str> = words.collect();
        let outer = place.git_dir.clone();
        let Some((program, args)) = unwrap_command(&words, place) else {
            return Ok(());
        };
        match program {
            "cd" | "pushd" | "chdir" => self.change_folder(args, next, place),
            "popd" => place.cwd = place.previous.take(),
            "git" => self.git(args, place)?,
            "eval" => self.read(&args.join(" "), place.clone())?,
            shell if SHELLS.contains(&shell) => {
                if let Some(script) = shell_script(args) {
                    self.read(script, place.clone())?;
                }
            }
            _ => {}
        }
        place.git_dir = outer;
        Ok(())
    }

    fn change_folder(&self, args: &[&str], next: Option<&Placed>, place: &mut Place) {
        let target = args.iter().find(|arg| **arg == "-" || !arg.starts_with('-')).copied();
        let folder = match target {
            None => self.world.env("HOME").map(PathBuf::from),
            Some("-") => place.previous.clone(),
            // The top of a working tree is in the same repository.
            Some("$()") if next.is_some_and(asks_for_top) => place.cwd.clone(),
            Some(path) => self.expand(path).and_then(|path| Some(place.cwd.as_ref()?.join(path))),
        };
        place.previous = std::mem::replace(&mut place.cwd, folder);
    }

    /// A path as the shell would see it; `None` if only the shell can tell.
    fn expand(&self, path: &str) -> Option<String> {
        let variable = |name: &str| self.world.env(name).filter(|value| !value.is_empty());
        if path == "~" || path.starts_with("~/") {
            return Some(path.replacen('~', &variable("HOME")?, 1));
        }
        let Some(rest) = path.strip_prefix('$') else {
            return (!path.contains(['$', '*', '?'])).then(|| path.to_owned());
        };
        let rest = rest.replacen(['{', '}'], "", 2);
        let (name, tail) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let value = if name == "PWD" { ".".to_owned() } else { variable(name)? };
        (!tail.contains('$')).then(|| format!("{value}{tail}"))
    }

    fn git(&mut self, args: &[&str], place: &mut Place) -> Result<(), HookError> {
        let Some(call) = self.parse_git(args, place) else { return Ok(()) };
        let repository = match &call.git_dir {
            Some(git_dir) => Repository::at(&call.cwd.join(git_dir), self.world)?,
            None => Repository::around(&call.cwd, self.world)?,
        };
        let Some(repository) = repository else { return Ok(()) };
        match call.command.as_str() {
            "commit" => self.commit(&call, repository, place)?,
            "checkout" | "switch" => self.switch(&call, &repository, place)?,
            "branch" => self.change_branches(&call, &repository, place)?,
            other => self.alias(other, &call, &repository, place)?,
        }
        Ok(())
    }

    fn parse_git(&self, args: &[&str], place: &Place) -> Option<GitCall> {
        let mut cwd = place.cwd.clone()?;
        let mut git_dir = place.git_dir.clone();
        let mut aliases = Vec::new();
        let mut args = args.iter().copied();
        while let Some(arg) = args.next() {
            match arg {
                "-C" => cwd = cwd.join(self.expand(args.next()?)?),
                "-c" => aliases.extend(args.next().and_then(alias_setting)),
                "--git-dir" => git_dir = Some(self.expand(args.next()?)?),
                "--help" | "-h" | "--version" | "-v" => return None,
                valued if VALUED.contains(&valued) => {
                    args.next();
                }
                option if option.starts_with('-') => {
                    if let Some(path) = option.strip_prefix("--git-dir=") {
                        git_dir = Some(self.expand(path)?);
                    }
                }
                command => {
                    let rest = args.map(str::to_owned).collect();
                    return Some(GitCall { cwd, git_dir, aliases, command: command.to_owned(), args: rest });
                }
            }
        }
        None
    }

    fn commit(&mut self, call: &GitCall, repository: Repository, place: &Place) -> Result<(), HookError> {
        let options = call.options();
        if options.iter().any(|option| matches!(*option, "--dry-run" | "--help" | "-h")) {
            return Ok(());
        }
        let branch = self.branch(&repository, place)?;
        self.found.push(Commit { repository, branch });
        Ok(())
    }

    fn branch(&self, repository: &Repository, place: &Place) -> Result<Option<String>, HookError> {
        let moved = place.moved.iter().rev().filter(|(git_dir, _)| *git_dir == repository.git_dir);
        let to = moved.filter_map(|(_, moved)| match moved {
            Moved::To(branch) => Some(branch.clone()),
            Moved::Made(_) => None,
        });
        to.into_iter().next().map_or_else(|| repository.branch(self.world), Ok)
    }

    fn switch(&self, call: &GitCall, repository: &Repository, place: &mut Place) -> Result<(), HookError> {
        let args: Vec<&str> = call.args.iter().map(String::as_str).collect();
        let making = ["-b", "-B", "-c", "-C", "--create", "--force-create", "--orphan"];
        let made = args.iter().position(|arg| making.contains(arg)).and_then(|index| args.get(index + 1));
        let joined =
            args.iter().find_map(|arg| arg.strip_prefix("--create=").or_else(|| arg.strip_prefix("--orphan=")));
        if let Some(name) = made.copied().or(joined) {
            place.moved.push((repository.git_dir.clone(), Moved::To(Some(name.to_owned()))));
            return Ok(());
        }
        if args.iter().any(|arg| matches!(*arg, "--detach" | "-d")) {
            place.moved.push((repository.git_dir.clone(), Moved::To(None)));
            return Ok(());
        }
        // With paths, files change and the branch does not.
        let named: Vec<&str> = args.iter().copied().filter(|arg| *arg == "-" || !arg.starts_with('-')).collect();
        let ([target], false) = (named.as_slice(), args.contains(&"--")) else { return Ok(()) };
        if let Some(branch) = self.destination(target, call, repository, place)? {
            place.moved.push((repository.git_dir.clone(), Moved::To(branch)));
        }
        Ok(())
    }

    /// Where a checkout of `target` leads: a branch, or away from all; `None` if it leads nowhere.
    fn destination(
        &self,
        target: &str,
        call: &GitCall,
        repository: &Repository,
        place: &Place,
    ) -> Result<Option<Option<String>>, HookError> {
        let made = place.moved.contains(&(repository.git_dir.clone(), Moved::Made(target.to_owned())));
        if made || repository.has_branch(target, self.world)? {
            return Ok(Some(Some(target.to_owned())));
        }
        let is_file = self.world.kind(&call.cwd.join(target))?.is_some();
        if !is_file && repository.has_remote_branch(target, self.world)? {
            return Ok(Some(Some(target.to_owned())));
        }
        let is_commit = target.len() >= 4 && target.chars().all(|c| c.is_ascii_hexdigit());
        let elsewhere = target == "-" || target.contains(['~', '^', '@', '$']);
        let detaches = is_commit || elsewhere || repository.has_tag(target, self.world)?;
        Ok((detaches && !is_file).then_some(None))
    }

    fn change_branches(&self, call: &GitCall, repository: &Repository, place: &mut Place) -> Result<(), HookError> {
        let renames = call.args.iter().any(|arg| matches!(arg.as_str(), "-m" | "-M" | "--move"));
        let names: Vec<&str> = call.args.iter().map(String::as_str).filter(|arg| !arg.starts_with('-')).collect();
        let git_dir = repository.git_dir.clone();
        match (renames, names.as_slice()) {
            (true, [new]) => place.moved.push((git_dir, Moved::To(Some((*new).to_owned())))),
            (true, [old, new]) => {
                if self.branch(repository, place)?.as_deref() == Some(*old) {
                    place.moved.push((git_dir, Moved::To(Some((*new).to_owned()))));
                }
            }
            (false, [name, ..]) => place.moved.push((git_dir, Moved::Made((*name).to_owned()))),
            (true | false, _) => {}
        }
        Ok(())
    }

    fn alias(
        &mut self,
        name: &str,
        call: &GitCall,
        repository: &Repository,
        place: &mut Place,
    ) -> Result<(), HookError> {
        let given = call.aliases.iter().rev().find(|(alias, _)| alias == name).map(|(_, value)| value.clone());
        // By custom `ci` is `commit`. Where it is nothing at all git refuses it, and so may we.
        let customary = || (name == "ci").then(|| "commit".to_owned());
        let Some(value) = given.or_else(|| find_alias(name, repository, self.world)).or_else(customary) else {
            return Ok(());
        };
        if self.depth > DEEPEST {
            return Ok(());
        }
        self.depth += 1;
        if let Some(script) = value.strip_prefix('!') {
            let place = Place { cwd: Some(call.cwd.clone()), ..place.clone() };
            self.read(script, place)?;
        } else {
            let words: Vec<&str> = value.split_whitespace().chain(call.args.iter().map(String::as_str)).collect();
            let mut inner = Place { cwd: Some(call.cwd.clone()), git_dir: call.git_dir.clone(), ..place.clone() };
            self.git(&words, &mut inner)?;
            place.moved = inner.moved;
        }
        self.depth -= 1;
        Ok(())
    }
}

/// One call of git, its own options read.
struct GitCall {
    cwd: PathBuf,
    git_dir: Option<String>,
    aliases: Vec<(String, String)>,
    command: String,
    args: Vec<String>,
}

impl GitCall {
    /// The options of a commit, without the values that some of them take.
    fn options(&self) -> Vec<&str> {
        const VALUED: [&str; 14] = [
            "-m",
            "--message",
            "-F",
            "--file",
            "-C",
            "-c",
            "--author",
            "--date",
            "-t",
            "--template",
            "--fixup",
            "--squash",
            "--reuse-message",
            "--trailer",
        ];
        let mut options = Vec::new();
        let mut args = self.args.iter().map(String::as_str).take_while(|arg| *arg != "--");
        while let Some(arg) = args.next() {
            options.push(arg);
            let cluster_ends_in_value =
                arg.starts_with('-') && !arg.starts_with("--") && arg.ends_with(['m', 'F', 'C', 'c', 't']);
            if VALUED.contains(&arg) || cluster_ends_in_value {
                args.next();
            }
        }
        options
    }
}

/// `alias.ci=commit`, taken apart.
fn alias_setting(setting: &str) -> Option<(String, String)> {
    let (name, value) = setting.split_once('=')?;
    Some((name.strip_prefix("alias.")?.to_owned(), value.to_owned()))
}

/// Whether a command is `git rev-parse --show-toplevel`.
fn asks_for_top(command: &Placed) -> bool {
    let top = ["git", "rev-parse", "--show-toplevel"].map(|word| Word::Text(word.to_owned()));
    command.words == top
}

/// The program that really runs, and its arguments: past assignments, keywords and programs that run others.
fn unwrap_command<'a, 'w>(words: &'w [&'a str], place: &mut Place) -> Option<(&'a str, &'w [&'a str])> {
    let mut rest = words;
    loop {
        let (first, args) = rest.split_first()?;
        let name = first.rsplit(['/', '\\']).next().unwrap_or(first);
        let name = name.strip_suffix(".exe").unwrap_or(name);
        rest = if let Some((variable, value)) = assignment(first) {
            if variable == "GIT_DIR" {
                place.git_dir = Some(value.to_owned());
            }
            args
        } else if KEYWORDS.contains(first) {
            args
        } else if RUNNERS.contains(&name) {
            let options = args.iter().take_while(|arg| arg.starts_with('-')).count();
            // `sudo -u me git`, `timeout 9 git`: such a value is nobody's program.
            let has_value = options > 0 || name == "timeout";
            let skipped = args.iter().skip(options).take_while(|arg| has_value && !is_git(arg)).count();
            let has_git = args.iter().any(|arg| is_git(arg));
            args.get(options + if has_git { skipped } else { 0 }..)?
        } else {
            return Some((name, args));
        };
    }
}

fn is_git(word: &str) -> bool {
    word == "git" || word.ends_with("/git")
}

fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    plain.then_some((name, value))
}

/// The script behind `-c`, as in `bash -lc 'git commit'`.
fn shell_script<'a>(args: &[&'a str]) -> Option<&'a str> {
    let index = args.iter().position(|arg| arg.starts_with('-') && !arg.starts_with("--") && arg.ends_with('c'))?;
    args.get(index + 1).copied()
}
