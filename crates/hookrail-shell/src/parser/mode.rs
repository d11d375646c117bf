//! How the bytes of a word are read, depending on where it stands.

/// What ends a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    /// A blank, a newline or an operator.
    Metacharacter,
    /// The same but `|`; and parentheses hold together what is between them.
    Regex,
    /// `}`
    Brace,
    /// `}` or `/`
    BraceOrSlash,
    /// `}` or `:`
    BraceOrColon,
    /// `]`
    Bracket,
    /// `|` or `)`
    Group,
    /// `"`
    Quote,
    /// `;`
    Semicolon,
    /// Nothing but the end of what is read.
    Nothing,
}

/// Which characters quote, and what a backslash does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoting {
    /// Outside of quotes.
    Plain,
    /// Between double quotes, and in arithmetic without its own quotes.
    Double,
    /// In the word of `${name-word}` between double quotes.
    DoubleParameter,
    /// In a here-document.
    HereDocument { strip_tabs: bool },
    /// In arithmetic: as between double quotes, but double quotes are allowed.
    Arithmetic,
}

/// Where a tilde is expanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tildes {
    Nowhere,
    /// At the start; and as in an assignment if the word looks like one.
    Start,
    /// At the start and behind every colon.
    Assignment,
}

/// How the bytes of a word are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mode {
    pub(super) ends: Ends,
    pub(super) quoting: Quoting,
    pub(super) patterns: bool,
    pub(super) braces: bool,
    pub(super) tildes: Tildes,
}

impl Mode {
    /// The program and the arguments of a command.
    pub(super) const ARGUMENT: Self = Self {
        ends: Ends::Metacharacter,
        quoting: Quoting::Plain,
        patterns: true,
        braces: true,
        tildes: Tildes::Start,
    };
    /// A word that is not subject to brace expansion: of `[[ ]]`, of `case`, of a redirection.
    pub(super) const UNBRACED: Self = Self { braces: false, ..Self::ARGUMENT };
    /// What is assigned to a variable.
    pub(super) const ASSIGNED: Self = Self { tildes: Tildes::Assignment, ..Self::UNBRACED };
    pub(super) const REGEX: Self = Self { ends: Ends::Regex, patterns: false, ..Self::UNBRACED };
    pub(super) const DOUBLE_QUOTED: Self = Self::quiet(Ends::Quote, Quoting::Double);
    pub(super) const ARITHMETIC: Self = Self::quiet(Ends::Nothing, Quoting::Arithmetic);
    pub(super) const SUBSCRIPT: Self = Self::quiet(Ends::Bracket, Quoting::Arithmetic);
    pub(super) const ASSIGNED_SUBSCRIPT: Self = Self::quiet(Ends::Bracket, Quoting::Plain);

    /// A mode in which only quotes, `$` and backticks mean something.
    pub(super) const fn quiet(ends: Ends, quoting: Quoting) -> Self {
        Self { ends, quoting, patterns: false, braces: false, tildes: Tildes::Nowhere }
    }

    /// The pattern of a parameter expansion.
    pub(super) const fn pattern(ends: Ends) -> Self {
        Self { ends, quoting: Quoting::Plain, patterns: true, braces: false, tildes: Tildes::Nowhere }
    }

    /// How a parameter expansion's word is read in a word of this mode.
    pub(super) fn parameter_word(self, ends: Ends) -> Self {
        match self.quoting {
            Quoting::Plain => Self { ends, tildes: Tildes::Start, ..Self::UNBRACED },
            Quoting::Double | Quoting::DoubleParameter | Quoting::HereDocument { .. } | Quoting::Arithmetic => {
                Self::quiet(ends, Quoting::DoubleParameter)
            }
        }
    }
}

impl Ends {
    /// Whether `byte` ends the word. Parentheses and process substitutions are looked at by the caller.
    pub(super) fn at(self, byte: u8) -> bool {
        match self {
            Self::Metacharacter => is_metacharacter(byte),
            Self::Regex => is_metacharacter(byte) && byte != b'|',
            Self::Brace => byte == b'}',
            Self::BraceOrSlash => matches!(byte, b'}' | b'/'),
            Self::BraceOrColon => matches!(byte, b'}' | b':'),
            Self::Bracket => byte == b']',
            Self::Group => matches!(byte, b'|' | b')'),
            Self::Quote => byte == b'"',
            Self::Semicolon => byte == b';',
            Self::Nothing => false,
        }
    }
}

/// What a byte may be, as bits: several of them are asked of every byte of a text.
static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0_u8;
    loop {
        #[expect(clippy::indexing_slicing, reason = "a byte is below 256")]
        {
            classes[byte as usize] = class(byte);
        }
        if byte == u8::MAX {
            break classes;
        }
        byte += 1;
    }
};

const METACHARACTER: u8 = 1;
const NAME_START: u8 = 1 << 1;
const NAME: u8 = 1 << 2;
const INERT: u8 = 1 << 3;
const RESERVABLE: u8 = 1 << 4;
const BEGINS_REDIRECT: u8 = 1 << 5;

const fn class(byte: u8) -> u8 {
    let name_start = byte.is_ascii_alphabetic() || byte == b'_';
    let name = name_start || byte.is_ascii_digit();
    let mut classes = 0;
    if matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')') {
        classes |= METACHARACTER;
    }
    if name_start {
        classes |= NAME_START;
    }
    if name {
        classes |= NAME;
    }
    if name || byte >= 0x80 || matches!(byte, b'-' | b'.' | b'%' | b'^') {
        classes |= INERT;
    }
    if byte.is_ascii_lowercase() || matches!(byte, b'!' | b'{' | b'}' | b'[' | b']' | b'-') {
        classes |= RESERVABLE;
    }
    if byte.is_ascii_digit() || matches!(byte, b'{' | b'<' | b'>' | b'&') {
        classes |= BEGINS_REDIRECT;
    }
    classes
}

fn has(byte: u8, class: u8) -> bool {
    CLASSES.get(usize::from(byte)).is_some_and(|classes| classes & class != 0)
}

/// Whether a byte ends a word outside of quotes.
pub(super) fn is_metacharacter(byte: u8) -> bool {
    has(byte, METACHARACTER)
}

/// Whether a byte may begin the name of a variable.
pub(super) fn is_name_start(byte: u8) -> bool {
    has(byte, NAME_START)
}

/// Whether a byte may stand in the name of a variable.
pub(super) fn is_name_byte(byte: u8) -> bool {
    has(byte, NAME)
}

/// Whether a byte means nothing in any mode.
pub(super) fn is_inert(byte: u8) -> bool {
    has(byte, INERT)
}

/// Whether a byte may stand in a reserved word.
pub(super) fn is_reservable(byte: u8) -> bool {
    has(byte, RESERVABLE)
}

/// Whether a reserved word begins with these bytes: of lists, of compound commands, or of what stands before a pipeline. A line may
/// end behind the first.
pub(super) fn begins_reserved(first: u8, second: Option<u8>) -> bool {
    let Some(second) = second.filter(|byte| *byte != b'\\') else { return has(first, RESERVABLE) };
    match first {
        b'!' | b'{' | b'}' => true,
        b'[' => second == b'[',
        b'-' => matches!(second, b'-' | b'p'),
        b'c' => matches!(second, b'a' | b'o'),
        b'd' => second == b'o',
        b'e' => matches!(second, b'l' | b's'),
        b'f' => matches!(second, b'i' | b'o' | b'u'),
        b'i' => matches!(second, b'f' | b'n'),
        b's' => second == b'e',
        b't' => matches!(second, b'h' | b'i'),
        b'u' => second == b'n',
        b'w' => second == b'h',
        _ => false,
    }
}

/// Whether a redirection, with what stands before its operator, may begin with a byte.
pub(super) fn begins_redirect(byte: u8) -> bool {
    has(byte, BEGINS_REDIRECT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reserved_word_begins_and_goes_on_as_one() {
        let words =
            "! { } [[ -p -- case coproc do done elif else esac fi for function if in select then time until while";
        for word in words.split(' ') {
            let (first, second) = (word.as_bytes()[0], word.as_bytes().get(1).copied());
            for second in [second, second.and(Some(b'\\'))] {
                assert!(begins_reserved(first, second), "{word}");
            }
            assert!(word.bytes().all(is_reservable), "{word}");
        }
    }
}
