//! What a file holds with and without our entries.

use super::change::ChangeError;
use super::merge::{Document, KeyPath, Merger};
use super::record::{InstallRecord, hash};
use super::registration::Registration;
use super::settings_file::SettingsFile;

/// What the file holds without us.
pub fn baseline(
    file: &SettingsFile,
    document: &Document,
    known: Option<&InstallRecord>,
    merger: &Merger<'_>,
) -> Option<String> {
    match known {
        Some(record) if file.content().is_some_and(|content| hash(content) == record.hash) => record.before.clone(),
        _ if merger.find(document).is_empty() => file.content().map(str::to_owned),
        _ => cleared(file, document, known, merger),
    }
}

/// The same, after making sure that nothing else is lost.
pub fn without_ours(
    file: &SettingsFile,
    document: &Document,
    known: Option<&InstallRecord>,
    merger: &Merger<'_>,
) -> Result<Option<String>, ChangeError> {
    let after = cleared(file, document, known, merger);
    let text = after.as_deref().unwrap_or_default();
    let parsed = merger.parse(text.trim_start_matches('\u{feff}'));
    let sound = parsed
        .is_ok_and(|parsed| merger.find(&parsed).is_empty() && merger.foreign(&parsed) == merger.foreign(document));
    if sound { Ok(after) } else { Err(ChangeError::Unsafe(file.path.clone())) }
}

/// Our entries taken out of a text that was changed by others, too. `None` if nothing is left of a file that we made.
fn cleared(
    file: &SettingsFile,
    document: &Document,
    known: Option<&InstallRecord>,
    merger: &Merger<'_>,
) -> Option<String> {
    let original = known.and_then(|record| record.before.as_deref());
    let original_tree = original.and_then(|text| merger.parse(text.trim_start_matches('\u{feff}')).ok());
    let needed_by_all = |place: &KeyPath| {
        let fields = merger.needed_fields();
        fields.iter().any(|(field, _)| place.len() == 1 && place.first().is_some_and(|key| key == field))
    };
    // Without a record what hooks of others may need stays.
    let made_by_us =
        |place: &KeyPath| known.map_or_else(|| !needed_by_all(place), |record| record.made.contains(place));
    let mut document = document.clone();
    merger.clear(&mut document, &made_by_us, original_tree.as_ref());
    let is_bare = document.is_bare();
    match known {
        Some(record) if is_bare && record.before.is_none() => None,
        // There was a file, but nothing in it.
        Some(_) if is_bare && original_tree.is_some_and(|tree| tree.text().trim().is_empty()) => {
            original.map(str::to_owned)
        }
        _ => Some(file.dress(&document.text())),
    }
}

/// Settings are changed only if nothing but our entries differs.
pub fn verify(
    merger: &Merger<'_>,
    before: &Document,
    after: &Document,
    wanted: &[Registration],
    command: &str,
    file: &SettingsFile,
) -> Result<(), ChangeError> {
    let found = merger.find(after);
    let complete = found.len() == wanted.len()
        && wanted.iter().all(|wanted| {
            let group = wanted.group(merger.agent, command);
            found.iter().any(|own| own.event == wanted.event && own.value == group)
        });
    if complete && merger.foreign(before) == merger.foreign(after) {
        Ok(())
    } else {
        Err(ChangeError::Unsafe(file.path.clone()))
    }
}
