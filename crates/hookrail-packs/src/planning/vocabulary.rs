//! Which words of a question say what it is about.

/// Words that never do: grammar and question words, words for asking and deciding.
#[rustfmt::skip]
const STOP_WORDS: &[&str] = &[
    // grammar
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "being",
    "both", "but", "by", "can", "could", "did", "do", "does", "each", "either", "every", "for", "from", "had",
    "has", "have", "here", "i", "if", "in", "into", "is", "it", "its", "just", "may", "me", "might", "must",
    "my", "no", "not", "now", "of", "on", "one", "only", "or", "our", "out", "over", "own", "per", "shall",
    "should", "so", "some", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "those", "through", "to", "too", "under", "up", "us", "very", "via", "was", "we", "were", "will", "with",
    "within", "without", "would", "between", "yes", "you", "your",
    "anything", "anybody", "everyone", "people", "somebody", "someone", "something", "thing", "things",
    // questions
    "big", "deep", "fast", "high", "how", "large", "long", "many", "much", "often", "old", "small", "what",
    "when", "where", "which", "who", "whom", "whose", "why",
    // asking and deciding
    "able", "actually", "again", "agree", "allowed", "already", "available", "best", "better", "choose",
    "compulsory", "confirm", "consider", "correct", "currently", "decide", "decided", "decision", "earlier",
    "eventually", "exactly", "expected", "final", "finally", "fine", "go", "going", "gone", "good", "happy",
    "initially", "instead", "keep", "let", "like", "mandatory", "need", "needed", "needs", "offer", "offered",
    "ok", "okay", "pick", "picked", "plan", "planned", "please", "possible", "prefer", "preference",
    "preferred", "proceed", "really", "recall", "recommend", "remind", "require", "required", "requires",
    "right", "said", "select", "selected", "still", "suggest", "supposed", "sure", "think", "true", "use",
    "used", "uses", "using", "want", "wanted", "wants", "went", "wish",
];

/// Verbs that fit whatever the question is about. They count if both sides have them.
#[rustfmt::skip]
const LIGHT_VERBS: &[&str] = &[
    "add", "adopt", "aim", "allow", "apply", "assume", "base", "become", "bring", "build", "carry", "come",
    "concern", "cover", "create", "deal", "define", "deliver", "depend", "determine", "display", "enable",
    "ensure", "execute", "exist", "expect", "expose", "follow", "get", "give", "handle", "happen", "hold",
    "implement", "include", "integrate", "intend", "introduce", "involve", "leave", "look", "make", "manage",
    "meet", "occur", "perform", "permit", "provide", "put", "regard", "relate", "rely", "remain", "retain",
    "run", "send", "serve", "set", "settle", "show", "specify", "start", "stick", "support", "take", "talk",
    "treat", "turn", "work", "write",
];

/// Nouns for kinds of things, which ask for the choice itself (`which caching strategy`), and for quantities. They count if
/// both sides have them.
#[rustfmt::skip]
const LIGHT_NOUNS: &[&str] = &[
    "algorithm", "amount", "approach", "architecture", "choice", "cloud", "count", "date", "deadline", "due",
    "duration", "engine", "format", "framework", "functionality", "kind", "layer", "length", "level",
    "library", "limit", "location", "maximum", "mechanism", "method", "minimum", "number", "option", "package", "part",
    "pattern", "period", "place", "platform", "programming", "protocol", "provider", "region", "request", "scheme", "setup",
    "size", "software", "solution", "sort", "stack", "standard", "strategy", "structure", "style", "system",
    "target", "technique", "technology", "tool", "toolkit", "type", "vendor", "way",
];

/// Short and irregular forms, and what they are forms of.
#[rustfmt::skip]
const FORMS: &[(&str, &str)] = &[
    ("2fa", "factor"), ("admin", "administrator"), ("async", "asynchronous"), ("auth", "authentication"), ("begun", "begin"),
    ("broken", "break"), ("built", "build"), ("chosen", "choose"), ("config", "configuration"),
    ("db", "database"), ("docs", "documentation"), ("done", "do"), ("drawn", "draw"), ("driven", "drive"),
    ("email", "mail"), ("env", "environment"), ("expiration", "expire"), ("expiry", "expire"),
    ("found", "find"), ("given", "give"), ("held", "hold"), ("hidden", "hide"), ("indices", "index"),
    ("infra", "infrastructure"), ("k8s", "kubernetes"), ("kept", "keep"), ("login", "authentication"),
    ("made", "make"), ("max", "maximum"), ("mfa", "factor"), ("min", "minimum"), ("paid", "pay"),
    ("payment", "pay"), ("perf", "performance"), ("postgres", "postgresql"), ("ran", "run"),
    ("repo", "repository"), ("retention", "retain"), ("rollout", "roll"), ("seen", "see"), ("sent", "send"),
    ("shown", "show"), ("signin", "authentication"), ("sold", "sell"), ("spec", "specification"), ("sync", "synchronous"),
    ("taken", "take"), ("ui", "interface"), ("written", "write"),
];

/// Words for the same thing, by their stems.
#[rustfmt::skip]
const SYNONYMS: &[(&str, &str)] = &[
    ("abort", "stop"), ("client", "custom"), ("cost", "pric"), ("eras", "delet"),
    ("halt", "stop"), ("host", "deplo"), ("persist", "stor"), ("photo", "imag"), ("pictur", "imag"),
    ("purchas", "ord"), ("remov", "delet"), ("sav", "stor"), ("staff", "employe"), ("upd", "refresh"),
];

/// The base of a short or irregular form, in the singular or not; the word itself for all others.
pub(super) fn base(word: &str) -> &str {
    let find = |word: &str| FORMS.binary_search_by(|(form, _)| (*form).cmp(word)).ok();
    let at = find(word).or_else(|| find(word.strip_suffix('s')?));
    at.and_then(|at| FORMS.get(at)).map_or(word, |(_, base)| base)
}

/// The stem that stands for everything that means the same.
pub(super) fn synonym(stem: &str) -> &str {
    SYNONYMS.iter().find(|(word, _)| *word == stem).map_or(stem, |(_, common)| common)
}

/// Whether a word, in its [`base`] form, never says anything about the subject.
pub(super) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(&word)
}

/// Whether a word, in its [`base`] form, says something only if the other side has it too.
pub(super) fn is_light(word: &str) -> bool {
    let one_of = |list: &[&str], word: &str| list.contains(&word);
    let singular = word.strip_suffix('s').unwrap_or(word);
    if [word, singular].iter().any(|word| one_of(LIGHT_NOUNS, word) || one_of(LIGHT_VERBS, word)) {
        return true;
    }
    let roots = ["ed", "ing"].iter().filter_map(|ending| word.strip_suffix(ending));
    roots.into_iter().any(|root| one_of(LIGHT_VERBS, root) || one_of(LIGHT_VERBS, &format!("{root}e")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_sorted_and_lead_to_no_other_form() {
        assert!(FORMS.is_sorted());
        for (form, base) in FORMS {
            assert_eq!(super::base(base), *base, "{form}");
        }
    }

    #[test]
    fn light_words_are_light_in_every_form_and_names_for_who_does_it_are_not() {
        for word in ["manage", "manages", "managed", "managing", "strategy", "options", "write"] {
            assert!(is_light(word), "{word}");
        }
        for word in ["worker", "sorted", "limited", "manager", "writer", "cache"] {
            assert!(!is_light(word), "{word}");
        }
    }
}
