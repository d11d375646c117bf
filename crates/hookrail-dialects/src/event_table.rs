//! Looking up what an agent's table says about an event.

use hookrail_core::{Event, EventName};

/// A line of an agent's table of events.
pub(crate) trait EventLine {
    /// The agent's name for the event; of several, the one to install.
    fn native(&self) -> &'static str;

    /// The agent calls the event so.
    fn is_named(&self, native: &str) -> bool {
        self.native() == native
    }

    /// Every name the agent has for the event.
    fn names(&self) -> Vec<&'static str> {
        vec![self.native()]
    }

    /// hookrail's name for it. `None`: hookrail keeps the agent's.
    fn event(&self) -> Option<&EventName>;
}

/// The line of an event the agent calls so.
pub(crate) fn named<L: EventLine>(lines: &'static [L], native: &str) -> Option<&'static L> {
    lines.iter().find(|line| line.is_named(native))
}

/// The first line of an event: the one to install.
pub(crate) fn of<L: EventLine>(lines: &'static [L], event: &EventName) -> Option<&'static L> {
    let known = lines.iter().find(|line| line.event() == Some(event));
    if known.is_none()
        && let EventName::Other(native) = event
    {
        return named(lines, native).filter(|line| line.event().is_none());
    }
    known
}

/// The line for an answer: that of the event's native name, which tells apart what hookrail has one name for.
pub(crate) fn for_answer<L: EventLine>(lines: &'static [L], event: &Event) -> Option<&'static L> {
    named(lines, &event.native_name).or_else(|| of(lines, &event.name))
}

/// hookrail's name for what the agent calls `native`.
pub(crate) fn event<L: EventLine>(lines: &'static [L], native: &str) -> Option<EventName> {
    named(lines, native).map(|line| line.event().cloned().unwrap_or_else(|| EventName::Other(line.native().into())))
}

/// The methods of a [`Dialect`](crate::Dialect) that a table of events answers.
macro_rules! by_table {
    ($self:ident, $events:expr) => {
        fn native_event(&$self, event: &EventName) -> Option<&'static str> {
            event_table::of($events, event).map(event_table::EventLine::native)
        }

        fn native_events(&$self) -> Vec<&'static str> {
            $events.iter().flat_map(event_table::EventLine::names).collect()
        }

        fn event(&$self, native: &str) -> Option<EventName> {
            event_table::event($events, native)
        }
    };
}

pub(crate) use by_table;
