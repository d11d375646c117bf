//! What may stand in a `hookrail.toml`. The reader and the JSON Schema are both made from this table.

/// What a key holds.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Bool,
    /// A whole number of at least 1.
    Count,
    Text,
    /// An address that begins with one of these words and `://`, such as the example.
    Address {
        schemes: &'static [&'static str],
        example: &'static str,
    },
    /// The name of an event.
    Event,
    /// A matcher.
    Pattern,
    /// One of these words.
    Word(&'static [&'static str]),
    /// `"5s"`, `"250ms"`, `"2m"`.
    Time,
    /// Paths, as in `.gitignore`.
    Patterns,
    Table(&'static [Field]),
    /// Tables by a name of the user's choice.
    Named(&'static [Field]),
    /// `[[key]]`
    Entries(&'static [Field]),
    /// A pack's own table; the pack looks at it.
    Free,
    /// `[[rule]]`, which `hookrail_rules` reads.
    Rules,
    /// `[[exception]]`, likewise.
    Exceptions,
}

/// A key.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub name: &'static str,
    pub kind: Kind,
    pub about: &'static str,
    pub required: bool,
    /// Only for managed and user layer: from a project it would be another person's choice.
    pub personal: bool,
}

const fn field(name: &'static str, kind: Kind, about: &'static str) -> Field {
    Field { name, kind, about, required: false, personal: false }
}

const fn required(name: &'static str, kind: Kind, about: &'static str) -> Field {
    Field { required: true, ..field(name, kind, about) }
}

const fn personal(name: &'static str, kind: Kind, about: &'static str) -> Field {
    Field { personal: true, ..field(name, kind, about) }
}

const MODES: &[&str] = &["enforce", "warn", "shadow", "off"];
const ON_ERRORS: &[&str] = &["allow", "ask", "deny"];
const LEVELS: &[&str] = &["relaxed", "balanced", "strict"];
const UNANSWERED: &[&str] = &["deny", "allow"];
const PROVIDERS: &[&str] = &["anthropic", "openai", "gemini"];
const MODE: Field =
    field("mode", Kind::Word(MODES), "enforce, warn (report, do not act), shadow (record, do not report) or off");
const ON_ERROR: Field = field("on_error", Kind::Word(ON_ERRORS), "what a hook that fails decides");
const ENABLED: Field = field("enabled", Kind::Bool, "false is the same as mode off");
const TIMEOUT: Field = field("timeout", Kind::Time, "how long a hook may take, such as 5s or 250ms");
const OVERRIDABLE: Field = field(
    "overridable",
    Kind::Bool,
    "lets a lower layer weaken what this table says; otherwise it may only make it stricter",
);

pub const ROOT: &[Field] = &[
    field("packs", Kind::Named(&[ENABLED, MODE, OVERRIDABLE]), "packs of native hooks, by name"),
    field(
        "hooks",
        Kind::Named(&[ENABLED, MODE, ON_ERROR, TIMEOUT, OVERRIDABLE]),
        "single native hooks, by id (pack/name)",
    ),
    field(
        "command",
        Kind::Entries(&[
            required("name", Kind::Text, "what people call this hook"),
            required("event", Kind::Event, "the event it runs on, such as BeforeTool"),
            field("matcher", Kind::Pattern, "which tools it runs on: a regular expression"),
            required("command", Kind::Text, "a shell command; reads the event as JSON on stdin"),
            TIMEOUT,
            field("sequential", Kind::Bool, "run the hooks of this event one after the other"),
            ON_ERROR,
            MODE,
        ]),
        "command hooks beside the native ones",
    ),
    field("rule", Kind::Rules, "rules about what calls do; deny and ask hold from every layer"),
    field("exception", Kind::Exceptions, "what rules of this layer or a lower one do not hold for"),
    personal(
        "rules",
        Kind::Table(&[field(
            "ask_when_nobody_can_answer",
            Kind::Word(UNANSWERED),
            "what becomes of a question where the agent cannot ask a person: deny (the default) or allow",
        )]),
        "how rules are applied; managed and user layer only",
    ),
    field(
        "safety",
        Kind::Table(&[
            field("level", Kind::Word(LEVELS), "how strict the rules of pack safety are"),
            field("redact", Kind::Bool, "true hides secrets in what tools print, where the agent lets hooks do that"),
            personal("hosts", Kind::Patterns, "hosts that project data may be sent to; managed and user layer only"),
            personal(
                "folders",
                Kind::Patterns,
                "folders that count as part of every project; managed and user layer only",
            ),
        ]),
        "pack safety",
    ),
    field("config", Kind::Table(&[ON_ERROR]), "what an unreadable configuration file decides"),
    personal(
        "breaker",
        Kind::Table(&[field("threshold", Kind::Count, "failures in a row until a hook rests for the session")]),
        "circuit breaker; managed and user layer only",
    ),
    personal(
        "retention",
        Kind::Table(&[
            field(
                "journal_days",
                Kind::Count,
                "how long files of the journal are kept after their newest record; default: 180",
            ),
            field(
                "journal_megabytes",
                Kind::Count,
                "how large the journal may get before its oldest files go; default: 512",
            ),
            field(
                "session_days",
                Kind::Count,
                "how long sessions, long texts, caches and logs of packs are kept after their last use; default: 30",
            ),
        ]),
        "what is kept for how long; managed and user layer only",
    ),
    personal(
        "answers",
        Kind::Table(&[field(
            "limit_bytes",
            Kind::Count,
            "how much longer than the event a hook's answer may be, in bytes; a longer one is a failure",
        )]),
        "what hooks print; managed and user layer only",
    ),
    personal(
        "dev_mode",
        Kind::Table(&[field("file", Kind::Text, "while this file exists no hook runs")]),
        "development mode; managed and user layer only",
    ),
    personal(
        "model",
        Kind::Table(&[
            required("provider", Kind::Word(PROVIDERS), "whose API it speaks"),
            required("model", Kind::Text, "the model's name, as its provider spells it"),
            field(
                "base_url",
                Kind::Text,
                "another place that speaks the same API; it gets no key unless key_env names one",
            ),
            field("key_env", Kind::Text, "the environment variable with the API key"),
            field("max_tokens", Kind::Count, "how long an answer may get, thinking included"),
            field("timeout", Kind::Time, "how long an answer may take"),
        ]),
        "the model that hooks may ask; managed and user layer only",
    ),
    personal(
        "fleet",
        Kind::Table(&[
            field(
                "database",
                Kind::Address { schemes: &["postgres", "postgresql"], example: "postgres://user@host/database" },
                "the PostgreSQL that `hookrail sync` ships the journal to, such as postgres://writer@db.example.com/fleet; without a password",
            ),
            field("password_file", Kind::Text, "a file with the database's password, which only its owner may read"),
            field(
                "otlp",
                Kind::Address { schemes: &["http", "https"], example: "https://host:4318" },
                "the OpenTelemetry collector that gets the journal, such as https://otel.example.com:4318",
            ),
        ]),
        "many machines: where their journals go; managed and user layer only",
    ),
    field(
        "privacy",
        Kind::Word(&["full", "minimal"]),
        "full: the journal keeps events, without secrets, so that they can be replayed; minimal: it keeps nothing of them",
    ),
    field(
        "core",
        Kind::Table(&[
            field("protected", Kind::Patterns, "paths no tool may write, as in .gitignore"),
            field("secret", Kind::Patterns, "paths no tool may read, as in .gitignore"),
        ]),
        "pack core",
    ),
    field("fsm", Kind::Free, "pack fsm"),
    field("orchestrator", Kind::Free, "pack orchestrator"),
    field("planning", Kind::Free, "pack planning"),
    field("isdlc", Kind::Free, "pack isdlc"),
];

/// The keys of a table of the whole file; `None` for what hookrail does not look into.
pub fn table(name: &str) -> Option<&'static [Field]> {
    ROOT.iter().find(|field| field.name == name).and_then(|field| match field.kind {
        Kind::Table(fields) => Some(fields),
        _ => None,
    })
}
