//! Fields: the arguments that a word is about to become.

use super::Shell;
use crate::flow::Arg;
use hookrail_shell::ast::Span;

/// So many fields one word may become.
pub(super) const MAX_FIELDS: usize = 1024;
/// So long one field may become; what is longer is not known.
pub(super) const MAX_FIELD: usize = crate::machine::MAX_SCRIPT;
/// So many bytes all fields of a word may be together: braces make a thousand copies of what stands around them.
const MAX_TOGETHER: usize = 256 * 1024;

/// Fields that are being built: all open ones get what comes next, as braces make several of one.
pub(super) struct Fields {
    pub done: Vec<Arg>,
    pub open: Vec<Arg>,
    pub span: Span,
    /// Whether there was anything that makes a field even if it is empty.
    pub quoted: bool,
    /// Whether there were more than are kept.
    pub cut: bool,
    /// Bytes that were written to fields so far.
    written: usize,
    separators: Separators,
}

/// What separates the fields of an unquoted expansion: white space, unless the script sets `IFS`.
#[derive(Clone, Debug, Default)]
pub(super) struct Separators(Option<Box<str>>);

impl Separators {
    pub(super) fn of(shell: &Shell<'_>) -> Self {
        let value = shell.get("IFS").and_then(<[Arg]>::first).filter(|value| value.known());
        Self::from(value)
    }

    /// Those that a value of `IFS` stands for.
    pub(super) fn from(value: Option<&Arg>) -> Self {
        Self(value.map(|value| value.text.as_str().into()))
    }

    fn has(&self, c: char) -> bool {
        self.0.as_deref().map_or_else(|| c.is_whitespace(), |separators| separators.contains(c))
    }

    /// The pieces of a text, empty ones left out.
    pub(super) fn split<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        text.split(|c| self.has(c)).filter(|piece| !piece.is_empty())
    }

    /// What `"$*"` puts between arguments.
    fn joint(&self) -> &str {
        let first = |text: &str| text.chars().next().map_or(0, char::len_utf8);
        self.0.as_ref().map_or(" ", |text| text.get(..first(text)).unwrap_or_default())
    }
}

impl Fields {
    pub(super) fn new(span: Span, shell: &Shell<'_>) -> Self {
        Self::with(span, Separators::of(shell))
    }

    fn with(span: Span, separators: Separators) -> Self {
        Self {
            done: Vec::new(),
            open: vec![Arg { span, firm: true, ..Arg::default() }],
            span,
            quoted: false,
            cut: false,
            written: 0,
            separators,
        }
    }

    /// Others for the same place.
    pub(super) fn fresh(&self) -> Self {
        Self::with(self.span, self.separators.clone())
    }

    /// Counts what all open fields get, and gives up all but one where that is too much.
    fn charge(&mut self, bytes: usize) {
        if self.open.len() == 1 {
            return;
        }
        self.written += self.open.len() * bytes;
        if self.written > MAX_TOGETHER {
            self.cut = true;
            self.open.truncate(1);
        }
    }

    /// Makes of every open field as many as there are words, each behind it; fewer where there would be too many.
    pub(super) fn multiply(&mut self, words: &[Arg]) {
        let length = |args: &[Arg]| args.iter().map(|arg| arg.text.len()).max().unwrap_or_default();
        let each = self.open.len() * (length(&self.open) + length(words) + 1);
        let room = MAX_TOGETHER.saturating_sub(self.written) / each.max(1);
        let kept = usize::min(MAX_FIELDS / self.open.len().max(1), room).clamp(1, words.len().max(1));
        self.cut |= kept < words.len();
        self.written += each * kept;
        let words = words.get(..kept).unwrap_or_default();
        if let [word] = words {
            return self.push_arg(word);
        }
        let longer = |start: &Arg, word: &Arg| {
            let mut longer = start.clone();
            append(&mut longer, word);
            longer
        };
        if !words.is_empty() {
            let pairs = self.open.iter().flat_map(|start| words.iter().map(move |word| (start, word)));
            self.open = pairs.map(|(start, word)| longer(start, word)).collect();
        }
    }

    pub(super) fn push(&mut self, text: &str) {
        self.charge(text.len());
        for field in &mut self.open {
            if field.text.len() + text.len() > MAX_FIELD {
                field.hole = field.hole.or(Some(field.text.len()));
                continue;
            }
            field.text.push_str(text);
        }
    }

    pub(super) fn push_arg(&mut self, arg: &Arg) {
        self.charge(arg.text.len());
        for field in &mut self.open {
            append(field, arg);
        }
    }

    pub(super) fn push_glob(&mut self, text: &str) {
        self.charge(text.len());
        for field in &mut self.open {
            if field.glob.is_none() {
                field.glob = Some(field.text.len());
            }
            field.text.push_str(text);
        }
    }

    /// Puts between two values what `"$*"` does.
    pub(super) fn push_joint(&mut self) {
        let joint = self.separators.joint().to_owned();
        self.push(&joint);
    }

    /// Ends the open fields and begins a new one.
    pub(super) fn split(&mut self) {
        let fresh = vec![Arg { span: self.span, firm: true, ..Arg::default() }];
        let open = std::mem::replace(&mut self.open, fresh);
        self.done.extend(open.into_iter().filter(|field| !field.text.is_empty()));
        self.quoted = false;
    }

    /// Adds values as the shell does with an unquoted expansion: separators end fields.
    pub(super) fn push_split(&mut self, values: &[Arg]) {
        let separators = self.separators.clone();
        let separates = |c: char| separators.has(c);
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                self.split();
            }
            if value.hole.is_some() || !value.text.contains(separates) {
                self.push_arg(value);
                continue;
            }
            if value.text.starts_with(separates) {
                self.split();
            }
            for (number, piece) in separators.split(&value.text).enumerate() {
                if number >= MAX_FIELDS {
                    self.cut = true;
                    break;
                }
                if number > 0 {
                    self.split();
                }
                let glob = piece.find(['*', '?']);
                self.push_arg(&Arg { glob, ..value.with_text(piece) });
            }
            if value.text.ends_with(separates) {
                self.split();
            }
        }
    }

    pub(super) fn finish(mut self) -> Vec<Arg> {
        self.open.retain(|field| self.quoted || !field.text.is_empty());
        if self.done.is_empty() {
            return self.open;
        }
        self.done.append(&mut self.open);
        self.done
    }
}

/// Makes a field longer by a value.
pub(super) fn append(field: &mut Arg, value: &Arg) {
    let at = field.text.len();
    if field.hole.is_none() {
        field.hole = value.hole.map(|hole| hole + at);
    }
    if field.glob.is_none() {
        field.glob = value.glob.map(|glob| glob + at);
    }
    field.taint.add(&value.taint);
    field.firm &= value.firm;
    if at + value.text.len() > MAX_FIELD {
        field.hole = field.hole.or(Some(at));
        return;
    }
    field.text.push_str(&value.text);
    if field.feed.is_none() {
        field.feed.clone_from(&value.feed);
    }
}
