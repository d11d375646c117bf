//! Reads `[[rule]]` and `[[exception]]`: what is right is kept, what is wrong is reported with its place.

mod condition;
mod examples;
mod values;

pub(crate) use condition::words;

use crate::fault::Fault;
use crate::refusal::unknown_placeholders;
use crate::rule::{CallOutcome, Exception, Layer, Levels, Limit, PastCondition, Period, Rule, RuleDecision, Unless};
use hookrail_core::spelling::{self, closest};
use hookrail_core::{Mode, Origin};
use std::ops::Range;
use toml_edit::{Item, TableLike};

/// The keys of a `[[rule]]`.
pub(crate) const RULE_KEYS: &[&str] =
    &["id", "when", "decide", "say", "instead", "reason", "mode", "after", "unless", "limit", "until", "examples"];
/// The keys that only rules of packs have.
const PACK_KEYS: &[&str] = &["levels", "source"];
pub(crate) const EXCEPTION_KEYS: &[&str] = &["rule", "when", "reason", "until"];
pub(crate) const MODES: &[&str] = &["enforce", "warn", "shadow", "off"];

/// Whose rules are read, and what is known about the agents they speak of.
#[expect(missing_debug_implementations, reason = "closures have no debug form")]
pub struct Source<'a> {
    pub layer: Layer,
    /// The file, for people.
    pub place: &'a str,
    /// Line and column of a byte of the file.
    pub position: &'a dyn Fn(usize) -> (u32, u32),
    /// The agents there are; none means that any name is fine.
    pub agents: &'a [&'static str],
    /// The name of the pack whose file it is.
    pub pack: Option<&'a str>,
}

/// The rules and exceptions of a file, and what is wrong with them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuleFile {
    pub rules: Vec<Rule>,
    pub exceptions: Vec<Exception>,
    pub faults: Vec<Fault>,
}

/// Reads the values of the keys `rule` and `exception` of a file.
#[must_use]
pub fn read(rules: Option<&Item>, exceptions: Option<&Item>, source: &Source<'_>) -> RuleFile {
    let mut reader = RuleReader { source, file: RuleFile::default() };
    for table in reader.tables(rules, "rule") {
        if let Some(rule) = reader.rule(table) {
            reader.file.rules.push(rule);
        }
    }
    for table in reader.tables(exceptions, "exception") {
        if let Some(exception) = reader.exception(table) {
            reader.file.exceptions.push(exception);
        }
    }
    reader.file
}

struct RuleReader<'a> {
    source: &'a Source<'a>,
    file: RuleFile,
}

type Span = Range<usize>;

impl RuleReader<'_> {
    fn tables<'t>(&mut self, item: Option<&'t Item>, key: &str) -> Vec<&'t toml_edit::Table> {
        let Some(item) = item else { return Vec::new() };
        match item.as_array_of_tables() {
            Some(tables) => tables.iter().collect(),
            None => {
                self.error(&item.span(), format!("`{key}` must be written as `[[{key}]]`"));
                Vec::new()
            }
        }
    }

    fn rule(&mut self, table: &toml_edit::Table) -> Option<Rule> {
        let span = table.span();
        let before = self.file.faults.len();
        let allowed: Vec<&str> = match self.source.pack {
            Some(_) => RULE_KEYS.iter().chain(PACK_KEYS).copied().collect(),
            None => RULE_KEYS.to_vec(),
        };
        self.check_keys(table, &allowed, "rule");
        let id = self.id(table, &span);
        let decide = self.required(table, "decide", "rule", &span).and_then(|item| self.decision(item));
        let when = self.required(table, "when", "rule", &span).and_then(|item| self.condition(item, "rule.when", &[]));
        let mut rule = Rule {
            id,
            layer: self.source.layer,
            origin: self.origin(&span),
            when: when?,
            decide: decide?,
            levels: table.get("levels").map(|item| self.levels(item, decide)),
            mode: self.word(table, "mode", MODES).and_then(Mode::parse).unwrap_or_default(),
            say: self.say(table),
            instead: self.text(table, "instead"),
            reason: self.text(table, "reason"),
            source: self.text(table, "source"),
            after: table.get("after").and_then(|item| self.happening(item, "rule.after")),
            unless: table.get("unless").and_then(|item| self.unless(item)),
            limit: table.get("limit").and_then(|item| self.limit(item)),
            until: self.date(table),
            examples: Default::default(),
        };
        if let Some(item) = table.get("examples") {
            rule.examples = self.examples(item);
        }
        if rule.decide == RuleDecision::Allow && rule.limit.is_some() {
            let message =
                "a rule that allows has no `limit`; deny or ask about what goes beyond it in a rule of its own";
            self.error(&table.get("limit").and_then(Item::span), message.to_owned());
        }
        // A permission that is not what its author wrote may be wider.
        let faulty = self.file.faults.len() > before;
        if faulty && !rule.decide.survives_faults() {
            let origin = rule.origin.clone();
            let told = format!("rule `{}` allows, and is ignored until that is fixed", rule.id);
            self.file.faults.push(Fault::error(origin, told));
            return None;
        }
        Some(rule)
    }

    /// A rule without an id is known by its place, so that a guard does not fall away with its name.
    fn id(&mut self, table: &toml_edit::Table, span: &Option<Span>) -> String {
        let unnamed = |reader: &Self| {
            let line = reader.origin(span).position.map_or(0, |(line, _)| line);
            format!("line-{line}")
        };
        let Some(item) = self.required(table, "id", "rule", span) else { return unnamed(self) };
        let Some(id) = item.as_str() else {
            self.error(&item.span(), "`rule.id` must be text in quotes".to_owned());
            return unnamed(self);
        };
        let prefix = self.source.pack.map(|pack| format!("{pack}/"));
        let own = prefix.as_deref().map_or(Some(id), |prefix| id.strip_prefix(prefix));
        let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
        if own.is_none_or(|own| own.is_empty() || !own.chars().all(is_letter)) {
            let form = prefix.unwrap_or_default();
            let message = format!("`rule.id` is `{id}`, not letters, digits, `-`, `_` and `.`");
            let fault = Fault::error(self.origin(&item.span()), message);
            self.file.faults.push(fault.hint(format!("write something like `{form}no-force-push`")));
            return unnamed(self);
        }
        id.to_owned()
    }

    fn exception(&mut self, table: &toml_edit::Table) -> Option<Exception> {
        let span = table.span();
        let before = self.file.faults.len();
        self.check_keys(table, EXCEPTION_KEYS, "exception");
        let rule =
            self.required(table, "rule", "exception", &span).and_then(|item| self.plain_text(item, "exception.rule"));
        let when = self.required(table, "when", "exception", &span);
        let when = when.and_then(|item| self.condition(item, "exception.when", &[]));
        let exception = Exception {
            rule: rule?,
            layer: self.source.layer,
            origin: self.origin(&span),
            when: when?,
            reason: self.text(table, "reason"),
            until: self.date(table),
        };
        // What weakens a guard must be what its author wrote.
        (self.file.faults.len() == before).then_some(exception)
    }

    fn decision(&mut self, item: &Item) -> Option<RuleDecision> {
        let names: Vec<&str> = RuleDecision::ALL.iter().map(|decision| decision.name()).collect();
        self.one_of(item, "rule.decide", &names).and_then(|word| RuleDecision::parse(&word))
    }

    fn levels(&mut self, item: &Item, decide: Option<RuleDecision>) -> Levels {
        let mut levels = Levels { relaxed: decide, strict: decide };
        let Some(table) = self.inline_table(item, "rule.levels") else { return levels };
        self.check_keys(table, &["relaxed", "strict"], "rule.levels");
        let mut level = |key: &str, default: Option<RuleDecision>| match table.get(key) {
            None => default,
            Some(item) => {
                let word = self.one_of(item, &format!("rule.levels.{key}"), &["deny", "ask", "warn", "off"]);
                word.map_or(default, |word| RuleDecision::parse(&word))
            }
        };
        levels.relaxed = level("relaxed", decide);
        levels.strict = level("strict", decide);
        levels
    }

    fn say(&mut self, table: &toml_edit::Table) -> Option<String> {
        let text = self.text(table, "say")?;
        let span = table.get("say").and_then(Item::span);
        for name in unknown_placeholders(&text) {
            let known = crate::refusal::PLACEHOLDERS;
            let fault = Fault::error(self.origin(&span), format!("`rule.say` has an unknown placeholder `{{{name}}}`"));
            let list = known.iter().map(|known| format!("`{{{known}}}`")).collect::<Vec<_>>().join(", ");
            let guess = closest(&name, known.iter().copied());
            let hint =
                guess.map_or_else(|| format!("expected one of {list}"), |guess| format!("did you mean `{{{guess}}}`?"));
            self.file.faults.push(fault.hint(hint));
        }
        Some(text)
    }

    fn happening(&mut self, item: &Item, path: &str) -> Option<PastCondition> {
        let when = self.condition(item, path, &["outcome"])?;
        let outcome = item.as_table_like().and_then(|table| table.get("outcome"));
        let outcome = outcome.and_then(|item| self.one_of(item, &format!("{path}.outcome"), &["ok", "failed"]));
        let outcome = outcome.map(|word| if word == "ok" { CallOutcome::Ok } else { CallOutcome::Failed });
        Some(PastCondition { when, outcome })
    }

    fn unless(&mut self, item: &Item) -> Option<Unless> {
        let table = self.inline_table(item, "rule.unless")?;
        self.check_keys(table, &["happened", "since"], "rule.unless");
        let Some(happened) = table.get("happened") else {
            self.error(&item.span(), "`rule.unless` needs `happened`".to_owned());
            return None;
        };
        let happened = self.happening(happened, "rule.unless.happened")?;
        // Without the second half it would hold back the rule for longer than was meant.
        let since = match table.get("since") {
            Some(since) => Some(self.happening(since, "rule.unless.since")?),
            None => None,
        };
        Some(Unless { happened, since })
    }

    fn limit(&mut self, item: &Item) -> Option<Limit> {
        let table = self.inline_table(item, "rule.limit")?;
        self.check_keys(table, &["count", "per"], "rule.limit");
        let count = table.get("count").and_then(Item::as_integer).and_then(|count| u32::try_from(count).ok());
        if count.is_none() {
            let span = table.get("count").and_then(Item::span).or_else(|| item.span());
            self.error(&span, "`rule.limit.count` must be a whole number".to_owned());
        }
        let names: Vec<&str> = Period::ALL.iter().map(|period| period.name()).collect();
        let per = match table.get("per") {
            Some(per) => self.one_of(per, "rule.limit.per", &names),
            None => {
                self.error(&item.span(), "`rule.limit` needs `per`: `turn`, `session` or `day`".to_owned());
                None
            }
        };
        let per = per.and_then(|word| Period::ALL.iter().copied().find(|period| period.name() == word));
        Some(Limit { count: count?, per: per? })
    }
}

impl RuleReader<'_> {
    fn required<'t>(
        &mut self,
        table: &'t toml_edit::Table,
        key: &str,
        of: &str,
        span: &Option<Span>,
    ) -> Option<&'t Item> {
        let item = table.get(key);
        if item.is_none() {
            let end = if key == "id" { "" } else { "; it is left out" };
            self.error(span, format!("this `[[{of}]]` needs `{key}`{end}"));
        }
        item
    }

    /// Reports every key that means nothing.
    fn check_keys(&mut self, table: &dyn TableLike, known: &[&str], path: &str) {
        for (key, item) in table.iter().filter(|(key, _)| !known.contains(key)) {
            let span = table.key(key).and_then(toml_edit::Key::span).or_else(|| item.span());
            let fault = Fault::error(self.origin(&span), format!("unknown key `{key}` in `{path}`"));
            self.file.faults.push(spelling::hint(key, known.iter().copied()).into_iter().fold(fault, Fault::hint));
        }
    }

    fn error(&mut self, span: &Option<Span>, message: String) {
        let fault = Fault::error(self.origin(span), message);
        self.file.faults.push(fault);
    }

    fn origin(&self, span: &Option<Span>) -> Origin {
        let position = span.as_ref().map(|span| (self.source.position)(span.start));
        Origin::new(self.source.place, position)
    }
}
