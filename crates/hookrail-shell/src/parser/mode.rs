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

/// Whether a byte ends a word outside of quotes.
pub(super) fn is_metacharacter(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}

/// Whether a byte may begin the name of a variable.
pub(super) fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// Whether a byte may stand in the name of a variable.
pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
