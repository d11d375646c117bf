//! The tokens of a row's usage.

use super::Row;
use crate::act::Act;
use crate::flow::Arg;

/// What a usage says about an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OptionUse {
    Value(&'static str),
    Recursive,
    DryRun,
    /// The operands get this role.
    Operands(&'static str),
    Adds(Act),
    /// A link is worked on, not what it leads to.
    OnLinks,
    Flag,
}

/// The tokens of a usage.
pub(crate) fn tokens(row: &Row) -> impl Iterator<Item = &'static str> + use<> {
    row.1.split_ascii_whitespace()
}

/// Kinds of tokens that a usage has, found in one look at it: every run of a program asks about each, and few rows have them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks(u8);

impl Marks {
    /// `x`: a command with its arguments.
    pub(crate) const COMMAND: Self = Self(1);
    /// `X`: a shell text.
    pub(crate) const TEXT: Self = Self(1 << 1);
    /// `@name`
    pub(crate) const READER: Self = Self(1 << 2);
    /// `>name`
    pub(crate) const WRITES: Self = Self(1 << 3);
    /// `|mix`
    pub(crate) const OUTPUT: Self = Self(1 << 4);
    /// `family.verb`
    pub(crate) const ACT: Self = Self(1 << 5);

    pub(crate) fn of(row: &Row) -> Self {
        tokens(row).fold(Self::default(), |marks, token| Self(marks.0 | Self::of_token(token).0))
    }

    fn of_token(token: &str) -> Self {
        match token.as_bytes() {
            b"x" => Self::COMMAND,
            b"X" | b"X*" => Self::TEXT,
            [b'@', ..] => Self::READER,
            [b'>', ..] => Self::WRITES,
            [b'|', ..] => Self::OUTPUT,
            [b'-' | b'=', ..] => Self::default(),
            other if other.contains(&b'.') => Self::ACT,
            _ => Self::default(),
        }
    }

    pub(crate) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// The acts of a usage, whatever the arguments are.
pub(crate) fn acts(row: &Row) -> impl Iterator<Item = Act> + use<> {
    tokens(row).filter(|token| Marks::of_token(token) == Marks::ACT).filter_map(Act::parse)
}

fn parse_option(token: &'static str) -> Option<(&'static str, OptionUse)> {
    if !token.starts_with('-') || token == "--*=" {
        return None;
    }
    if let Some((name, role)) = token.split_once('=') {
        return Some((name, OptionUse::Value(role)));
    }
    if let Some((name, role)) = token.split_once('>') {
        return Some((name, OptionUse::Operands(role)));
    }
    if let Some((name, act)) = token.split_once(':') {
        return Some((name, Act::parse(act).map_or(OptionUse::Flag, OptionUse::Adds)));
    }
    if let Some(name) = token.strip_suffix('+') {
        return Some((name, OptionUse::Recursive));
    }
    if let Some(name) = token.strip_suffix('^') {
        return Some((name, OptionUse::OnLinks));
    }
    if let Some(name) = token.strip_suffix('?') {
        return Some((name, OptionUse::DryRun));
    }
    Some((token, OptionUse::Flag))
}

/// What rows say about an option, the last row first.
pub(crate) fn option(rows: &[&'static Row], name: &str) -> OptionUse {
    let mut values = false;
    for row in rows.iter().rev() {
        for token in tokens(row) {
            values |= token == "--*=";
            if token.starts_with(name)
                && let Some((known, meaning)) = parse_option(token)
                && known == name
            {
                return meaning;
            }
        }
    }
    if values && name.starts_with("--") { OptionUse::Value("") } else { OptionUse::Flag }
}

/// Whether one dash begins long options, too, as `-name` in terraform: some option with one dash has several letters.
pub(crate) fn single_dash_words(rows: &[&'static Row]) -> bool {
    rows.iter().any(|row| {
        tokens(row).any(|token| {
            let end = token.find(['=', '?', '+', '>', ':', '^']).unwrap_or(token.len());
            let name = token.get(..end).unwrap_or_default();
            name.starts_with('-') && !name.starts_with("--") && name.len() > 2
        })
    })
}

/// The next word that is no option, from `at` on, and moves behind it.
pub(crate) fn next_operand<'a>(rows: &[&'static Row], args: &'a [Arg], at: &mut usize) -> Option<&'a Arg> {
    while let Some(arg) = args.get(*at) {
        *at += 1;
        if arg.text.len() < 2 || !arg.text.starts_with('-') {
            return Some(arg);
        }
        if arg.text == "--" {
            return None;
        }
        let takes = !arg.text.contains('=') && matches!(option(rows, &arg.text), OptionUse::Value(_));
        // With `--*=` a flag before a subcommand would swallow it; a value is rarely the name of a subcommand.
        *at += usize::from(takes);
    }
    None
}
