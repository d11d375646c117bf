//! The arguments of one of git's commands.

use crate::flow::Arg;

pub(super) struct Words {
    /// Options as written, letters of a cluster one by one, with their values.
    options: Vec<(String, Option<Arg>)>,
    /// What is no option, up to `--`.
    pub operands: Vec<Arg>,
    /// What follows `--`.
    pub paths: Vec<Arg>,
    /// Whether there is a `--`.
    pub separated: bool,
}

impl Words {
    /// Sorts arguments; `values` are the options whose value may be the next argument.
    pub(super) fn new(all: Vec<Arg>, values: &[&str]) -> Self {
        let mut words = Self { options: Vec::new(), operands: Vec::new(), paths: Vec::new(), separated: false };
        let mut rest = all.into_iter();
        while let Some(arg) = rest.next() {
            if words.separated {
                words.paths.push(arg);
            } else if arg.text == "--" {
                words.separated = true;
            } else if arg.text.starts_with("--") {
                let name = arg.text.split_once('=').map_or(arg.text.as_str(), |(name, _)| name);
                let given = name.len();
                let name = in_full(name).to_owned();
                let attached = (given < arg.text.len()).then(|| arg.after(given + 1));
                let value = attached.or_else(|| if values.contains(&name.as_str()) { rest.next() } else { None });
                words.options.push((name, value));
            } else if arg.text.starts_with('-') && arg.text.len() > 1 && arg.hole != Some(0) {
                words.add_letters(&arg, values, &mut rest);
            } else {
                words.operands.push(arg);
            }
        }
        words
    }

    fn add_letters(&mut self, arg: &Arg, values: &[&str], rest: &mut impl Iterator<Item = Arg>) {
        for (at, letter) in arg.text.char_indices().skip(1) {
            let name = format!("-{letter}");
            if values.contains(&name.as_str()) {
                let behind = at + letter.len_utf8();
                let value = if behind < arg.text.len() { Some(arg.after(behind)) } else { rest.next() };
                self.options.push((name, value));
                return;
            }
            self.options.push((name, None));
        }
    }

    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|(known, _)| names.contains(&known.as_str()))
    }

    /// Whether there are no other options than these.
    pub(super) fn has_only(&self, names: &[&str]) -> bool {
        self.options.iter().all(|(known, _)| names.contains(&known.as_str()))
    }

    /// The value of the last of these options that has one.
    pub(super) fn value(&self, names: &[&str]) -> Option<Arg> {
        self.options
            .iter()
            .rev()
            .filter(|(known, _)| names.contains(&known.as_str()))
            .find_map(|(_, value)| value.clone())
    }

    /// What is no option, and what follows `--`, as paths.
    pub(super) fn all_paths(&self) -> Vec<Arg> {
        self.operands.iter().chain(&self.paths).flat_map(pathspec).collect()
    }

    pub(super) fn operand(&self, index: usize) -> Option<&str> {
        self.operands.get(index).map(|arg| arg.text.as_str())
    }
}

/// Options that change what a command does, those first that do the most: git takes any unambiguous beginning of a name.
const LONG: &[&str] = &[
    "--force",
    "--hard",
    "--delete",
    "--mirror",
    "--no-verify",
    "--all",
    "--prune",
    "--amend",
    "--exec",
    "--upload-pack",
    "--receive-pack",
    "--output",
    "--open-files-in-pager",
    "--ext-diff",
    "--textconv",
    "--include-untracked",
    "--discard-changes",
    "--worktree",
    "--staged",
    "--cached",
    "--force-create",
    "--merge",
    "--keep",
    "--reset",
    "--source",
    "--orphan",
    "--create",
    "--global",
    "--system",
    "--unset-all",
    "--unset",
    "--remove-section",
    "--template",
    "--separate-git-dir",
    "--config",
    "--move",
    "--copy",
    "--onto",
    "--message",
    "--file",
];

/// The option that a name abbreviates, or the name.
fn in_full(name: &str) -> &str {
    let is_abbreviation = |long: &&&str| long.len() > name.len() && long.starts_with(name);
    if name.len() < 3 || LONG.contains(&name) || WHOLE.contains(&name) {
        return name;
    }
    LONG.iter().find(is_abbreviation).unwrap_or(&name)
}

/// Whole names that are also the beginning of a longer one.
const WHOLE: &[&str] = &["--temp", "--text", "--stage", "--glob", "--force", "--unset"];

/// The paths that a path specification of git stands for: `:/x` and `:(top)x` count from the top, `:!x` leaves something out, and a
/// pattern goes into folders.
pub(super) fn pathspec(arg: &Arg) -> Vec<Arg> {
    let text = arg.text.as_str();
    let (magic, rest) = match text.strip_prefix(':') {
        Some(long) if long.starts_with('(') => long.trim_start_matches('(').split_once(')').unwrap_or(("", long)),
        Some(short) => {
            let end = short.find(|c: char| !matches!(c, '/' | '!' | '^')).unwrap_or(short.len());
            short.split_at_checked(end).unwrap_or(("", short))
        }
        None => ("", text),
    };
    if magic.contains(['!', '^']) || magic.split(',').any(|word| word == "exclude") {
        return Vec::new();
    }
    let path = if rest.is_empty() { arg.with_text(".") } else { arg.after(text.len() - rest.len()) };
    let Some(glob) = rest.find(['*', '?', '[']).filter(|_| arg.known() && !magic.contains("literal")) else {
        return vec![path];
    };
    let deep = |name: &str| Arg { glob: Some(0), ..path.with_text(format!("**/{name}")) };
    // Its `*` matches hidden files, too: `*.env` is `.env`.
    let hidden = rest.strip_prefix('*').filter(|name| name.starts_with('.'));
    let mut all = vec![deep(rest)];
    all.extend(hidden.map(|name| path.with_text(name)));
    all.extend(hidden.map(deep));
    all.push(Arg { glob: path.glob.or(Some(glob)), ..path });
    all
}
