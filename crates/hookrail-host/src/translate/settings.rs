//! Temperature, limits and the like: the `config` of the stable form.

use super::Object;
use serde_json::Value;

/// One setting: its stable name and the provider's. Of several provider names the first that a request uses counts,
/// and the first of all is used where none is.
pub(super) struct Setting {
    pub(super) name: &'static str,
    pub(super) wire: &'static [&'static str],
    pub(super) kind: Kind,
}

#[derive(Clone, Copy)]
pub(super) enum Kind {
    Number,
    Count,
    Texts,
}

impl Setting {
    pub(super) const fn number(name: &'static str, wire: &'static [&'static str]) -> Self {
        Self { name, wire, kind: Kind::Number }
    }

    pub(super) const fn count(name: &'static str, wire: &'static [&'static str]) -> Self {
        Self { name, wire, kind: Kind::Count }
    }

    pub(super) const fn texts(name: &'static str, wire: &'static [&'static str]) -> Self {
        Self { name, wire, kind: Kind::Texts }
    }

    fn wire_name(&self, request: &Object) -> Option<&'static str> {
        let is_used = |name: &&&str| request.get(**name).is_some_and(|value| !value.is_null());
        self.wire.iter().find(is_used).or(self.wire.first()).copied()
    }
}

impl Kind {
    /// The value if it is of this kind, in its usual form.
    fn accept(self, value: &Value) -> Option<Value> {
        match (self, value) {
            (Self::Number, Value::Number(_)) => Some(value.clone()),
            (Self::Count, Value::Number(_)) => whole(value).map(Value::from),
            (Self::Texts, Value::String(_)) => Some(Value::Array(vec![value.clone()])),
            (Self::Texts, Value::Array(texts)) => texts.iter().all(Value::is_string).then(|| value.clone()),
            (Self::Number | Self::Count | Self::Texts, _) => None,
        }
    }
}

/// Some languages write every number with a fraction.
fn whole(number: &Value) -> Option<u64> {
    let without_fraction = || number.as_f64().filter(|number| number.fract() == 0.0 && (0.0..1e15).contains(number));
    number.as_u64().or_else(|| without_fraction().map(|number| number as u64))
}

/// The settings of a request that hooks see.
pub(super) fn show(settings: &[Setting], request: &Object) -> Object {
    let shown = settings.iter().filter_map(|setting| {
        let value = request.get(setting.wire_name(request)?)?;
        Some((setting.name.to_owned(), setting.kind.accept(value)?))
    });
    shown.collect()
}

/// The settings that a hook's `config` changes, under the provider's names.
pub(super) fn changes(settings: &[Setting], request: &Object, config: &Value) -> Vec<(&'static str, Value)> {
    let shown = show(settings, request);
    let changed = settings.iter().filter_map(|setting| {
        let value = setting.kind.accept(config.get(setting.name)?)?;
        let is_new = shown.get(setting.name) != Some(&value);
        Some((setting.wire_name(request)?, value)).filter(|_| is_new)
    });
    changed.collect()
}
