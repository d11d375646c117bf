//! Counts allocations of this thread, to prove that a path makes none.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[expect(unsafe_code, reason = "counting needs an allocator; it hands everything on to the system's unchanged")]
// SAFETY: every call is passed to `System` with the arguments it was given, which is all the contract asks for.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that is being torn down has no counter any more; nobody measures it.
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// How often `work` allocates on this thread.
pub(super) fn count(work: impl FnOnce()) -> u64 {
    let before = COUNT.with(Cell::get);
    work();
    COUNT.with(Cell::get) - before
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_are_counted() {
        assert_eq!(count(|| drop(std::hint::black_box(Box::new(1)))), 1);
        assert_eq!(count(|| ()), 0);
    }

    #[test]
    fn an_event_without_hooks_allocates_nothing() {
        let input = serde_json::Map::new();
        let off = hookrail_engine::Config::new("s", "/");
        assert!(hookrail_host::fire_before_tool_hook(&off, "Read", &input).is_none());
        assert_eq!(count(|| drop(hookrail_host::fire_before_tool_hook(&off, "Read", &input))), 0, "switched off");
        let none = hookrail_engine::Config::new("s", "/").enable_hooks(true);
        assert!(hookrail_host::fire_before_tool_hook(&none, "Read", &input).is_none(), "initialises");
        assert_eq!(count(|| drop(hookrail_host::fire_before_tool_hook(&none, "Read", &input))), 0, "none configured");
    }
}
