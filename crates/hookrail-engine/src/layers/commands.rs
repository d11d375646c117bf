//! The `[[command]]` entries of all layers, in a form in which an entry that an event does not concern costs a comparison.

use super::packed::{NONE, Unread, count, put_long, put_number, put_piece, put_text};
use super::settings::{CommandHook, LayerKind};
use hookrail_core::{Mode, OnError, Origin, SharedBytes};
use std::sync::Arc;
use std::time::Duration;

/// Command hooks as bytes: the names of events, the files, and the entries in their order, each with its length before it.
///
/// They are kept beside the parsed configuration and read as they are. Only of an entry that may concern an event a
/// [`CommandHook`] is made.
#[derive(Clone, Debug, Default)]
pub(super) struct CommandTable {
    /// As they were read, so that nothing is copied; the table is not all of them.
    bytes: SharedBytes,
    /// Where the table begins, and in it the entries.
    table: usize,
    entries: usize,
    events: Vec<Box<str>>,
    places: Vec<Arc<str>>,
}

/// What stands before the first text of an entry: event, place, timeout, line, column, and four small ones.
const FIXED: usize = 4 + 4 + 8 + 4 + 4 + 4;

/// Where the layer stands among these.
const LAYER: usize = FIXED - 4;

impl CommandTable {
    /// The hooks of all layers, in the order in which they were read.
    pub fn compile(hooks: &[CommandHook]) -> Self {
        let mut events: Vec<&str> = Vec::new();
        let mut places: Vec<&str> = Vec::new();
        for hook in hooks {
            add(&mut events, &hook.event);
            add(&mut places, &hook.origin.place);
        }
        let mut bytes = Vec::new();
        for list in [&events, &places] {
            put_number(&mut bytes, count(list.len()));
            list.iter().for_each(|text| put_text(&mut bytes, Some(text)));
        }
        for hook in hooks {
            let entry = encode(hook, position(&events, &hook.event), position(&places, &hook.origin.place));
            put_piece(&mut bytes, &entry);
        }
        Self::from_part(SharedBytes::new(bytes), 0).unwrap_or_default()
    }

    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(self.table..).unwrap_or_default()
    }

    pub fn is_empty(&self) -> bool {
        self.entries >= self.bytes.len()
    }

    /// What [`CommandTable::as_bytes`] gave, behind `table` bytes of something else; `None` for anything else.
    pub fn from_part(bytes: SharedBytes, table: usize) -> Option<Self> {
        let mut reader = Unread(bytes.get(table..)?);
        let events: Vec<Box<str>> = reader.list()?.into_iter().map(Box::from).collect();
        let places: Vec<Arc<str>> = reader.list()?.into_iter().map(Arc::from).collect();
        let entries = bytes.len() - reader.0.len();
        // An entry that is cut off would be a hook that is missing.
        while !reader.0.is_empty() {
            reader.piece()?;
        }
        Some(Self { bytes, table, entries, events, places })
    }

    /// The hooks that listen to an event, but those whose matcher cannot match.
    pub fn of_event(&self, event: &str, may_match: &dyn Fn(&str) -> bool) -> Vec<CommandHook> {
        let Some(index) = self.events.iter().position(|known| &**known == event) else { return Vec::new() };
        let index = count(index).to_le_bytes();
        self.read(&|piece| {
            let is_matching = || CommandEntry::matcher(piece).is_none_or(|matcher| may_match(matcher.trim()));
            piece.starts_with(&index) && is_matching()
        })
    }

    /// Whether any hook listens to an event.
    pub fn listens(&self, event: &str) -> bool {
        self.events.iter().any(|known| &**known == event)
    }

    /// Whether any hook is of a layer that comes with a project.
    pub fn comes_with_project(&self) -> bool {
        let mut reader = Unread(self.bytes.get(self.entries..).unwrap_or_default());
        let mut layers = std::iter::from_fn(|| reader.piece()?.get(LAYER).copied());
        layers.any(|layer| LAYERS.into_iter().any(|known| known as u8 == layer && known.comes_with_project()))
    }

    /// All hooks, in the order in which they were read.
    pub fn all(&self) -> Vec<CommandHook> {
        self.read(&|_| true)
    }

    /// The hooks of those entries that are wanted by their bytes.
    fn read(&self, is_wanted: &dyn Fn(&[u8]) -> bool) -> Vec<CommandHook> {
        let mut reader = Unread(self.bytes.get(self.entries..).unwrap_or_default());
        let mut hooks = Vec::new();
        while let Some(piece) = reader.piece() {
            if is_wanted(piece) {
                hooks.extend(CommandEntry::read(piece).and_then(|entry| self.decode(&entry)));
            }
        }
        hooks
    }

    fn decode(&self, entry: &CommandEntry<'_>) -> Option<CommandHook> {
        let number = |number: u32| usize::try_from(number).ok();
        Some(CommandHook {
            name: entry.name.to_owned(),
            event: self.events.get(number(entry.event)?)?.to_string(),
            matcher: entry.matcher.map(str::to_owned),
            command: entry.command.to_owned(),
            timeout: (entry.timeout != u64::MAX).then(|| Duration::from_millis(entry.timeout)),
            sequential: entry.sequential != 0,
            on_error: [OnError::Allow, OnError::Ask, OnError::Deny]
                .into_iter()
                .find(|it| *it as u8 == entry.on_error)?,
            mode: [Mode::Enforce, Mode::Warn, Mode::Shadow, Mode::Off]
                .into_iter()
                .find(|it| *it as u8 == entry.mode)?,
            layer: LAYERS.into_iter().find(|it| *it as u8 == entry.layer)?,
            origin: Origin {
                place: Arc::clone(self.places.get(number(entry.place)?)?),
                position: (entry.line != NONE).then_some((entry.line, entry.column)),
            },
        })
    }
}

pub(super) const LAYERS: [LayerKind; 4] = [LayerKind::Managed, LayerKind::User, LayerKind::Project, LayerKind::Local];

/// An entry as it lies in the bytes.
struct CommandEntry<'a> {
    event: u32,
    place: u32,
    timeout: u64,
    line: u32,
    column: u32,
    layer: u8,
    sequential: u8,
    on_error: u8,
    mode: u8,
    matcher: Option<&'a str>,
    name: &'a str,
    command: &'a str,
}

fn encode(hook: &CommandHook, event: u32, place: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (line, column) = hook.origin.position.unwrap_or((NONE, NONE));
    let timeout = hook.timeout.map_or(u64::MAX, |timeout| u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX - 1));
    put_number(&mut bytes, event);
    put_number(&mut bytes, place);
    put_long(&mut bytes, timeout);
    put_number(&mut bytes, line);
    put_number(&mut bytes, column);
    bytes.extend([hook.layer as u8, u8::from(hook.sequential), hook.on_error as u8, hook.mode as u8]);
    put_text(&mut bytes, hook.matcher.as_deref());
    put_text(&mut bytes, Some(&hook.name));
    put_text(&mut bytes, Some(&hook.command));
    bytes
}

impl<'a> CommandEntry<'a> {
    /// The matcher alone; most entries are not for this tool.
    fn matcher(piece: &'a [u8]) -> Option<&'a str> {
        Unread(piece.get(FIXED..)?).text()?
    }

    fn read(piece: &'a [u8]) -> Option<Self> {
        let mut inner = Unread(piece);
        let [event, place] = [inner.number()?, inner.number()?];
        let timeout = inner.long()?;
        let [line, column] = [inner.number()?, inner.number()?];
        let [layer, sequential, on_error, mode] = inner.bytes()?;
        let (matcher, name, command) = (inner.text()?, inner.text()??, inner.text()??);
        let entry =
            Self { event, place, timeout, line, column, layer, sequential, on_error, mode, matcher, name, command };
        inner.0.is_empty().then_some(entry)
    }
}

fn add<'a>(list: &mut Vec<&'a str>, text: &'a str) {
    if !list.contains(&text) {
        list.push(text);
    }
}

fn position(list: &[&str], text: &str) -> u32 {
    count(list.iter().position(|known| *known == text).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hooks() -> Vec<CommandHook> {
        let hook = |number: u32| CommandHook {
            name: format!("h{number}"),
            event: if number.is_multiple_of(2) { "AfterTool" } else { "BeforeTool" }.to_owned(),
            matcher: (!number.is_multiple_of(3)).then(|| format!("Tool{number}")),
            command: "make".repeat(usize::try_from(number).unwrap()),
            timeout: number.is_multiple_of(5).then(|| Duration::from_millis(number.into())),
            sequential: number.is_multiple_of(7),
            on_error: [OnError::Allow, OnError::Ask, OnError::Deny][usize::try_from(number % 3).unwrap()],
            mode: [Mode::Enforce, Mode::Warn, Mode::Shadow, Mode::Off][usize::try_from(number % 4).unwrap()],
            layer: LAYERS[usize::try_from(number % 4).unwrap()],
            origin: Origin::new(&format!("/p{}/hookrail.toml", number % 4), (number > 2).then_some((number, 1))),
        };
        (0..24).map(hook).collect()
    }

    #[test]
    fn a_table_gives_back_what_it_was_made_of() {
        for hooks in [Vec::new(), hooks()] {
            let table = CommandTable::compile(&hooks);
            assert_eq!((table.all(), table.is_empty()), (hooks.clone(), hooks.is_empty()));
            let again =
                CommandTable::from_part(SharedBytes::new([b"head".as_slice(), table.as_bytes()].concat()), 4).unwrap();
            assert_eq!((again.all(), again.as_bytes()), (hooks, table.as_bytes()));
        }
    }

    #[test]
    fn only_hooks_of_the_event_whose_matcher_may_match_are_made() {
        let table = CommandTable::compile(&hooks());
        let expected: Vec<CommandHook> = hooks()
            .into_iter()
            .filter(|hook| hook.event == "BeforeTool")
            .filter(|hook| hook.matcher.as_deref().is_none_or(|matcher| matcher == "Tool7"))
            .collect();
        assert_eq!(table.of_event("BeforeTool", &|matcher| matcher == "Tool7"), expected);
        assert_eq!(table.of_event("Notification", &|_| true), []);
        let of_user: Vec<CommandHook> = hooks().into_iter().filter(|hook| !hook.layer.comes_with_project()).collect();
        let comes = |hooks: &[CommandHook]| CommandTable::compile(hooks).comes_with_project();
        assert_eq!([&hooks()[..], &of_user, &[]].map(comes), [true, false, false]);
        assert_eq!(["BeforeTool", "Notification"].map(|event| table.listens(event)), [true, false]);
    }

    #[test]
    fn bytes_that_were_cut_or_added_to_are_no_table() {
        let bytes = CommandTable::compile(&hooks()).as_bytes().to_vec();
        for length in 0..bytes.len() {
            let cut = CommandTable::from_part(SharedBytes::new(bytes[..length].to_vec()), 0);
            // Between two entries a table with fewer of them begins; what is kept beside it tells how many there are.
            assert!(cut.is_none_or(|table| table.all().len() < hooks().len()), "{length}");
        }
        assert!(CommandTable::from_part(SharedBytes::new([bytes, vec![1]].concat()), 0).is_none());
    }
}
