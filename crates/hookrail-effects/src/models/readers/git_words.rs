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
                let name = arg.text.split_once('=').map_or(arg.text.as_str(), |(name, _)| name).to_owned();
                let attached = (name.len() < arg.text.len()).then(|| arg.after(name.len() + 1));
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

    pub(super) fn operand(&self, index: usize) -> Option<&str> {
        self.operands.get(index).map(|arg| arg.text.as_str())
    }
}
