//! Memory for a process that lives half a millisecond.
//!
//! Answering an event allocates some hundred small blocks, 100 KiB in all, a third of which is in use at a time. Handing them out
//! from a fixed piece of memory costs a tenth of what a general allocator does, and taking those that are free again first, or the beginning
//! of a longer one, touches fewer pages, each of which the system has to provide. The piece belongs to the first thread, so that
//! nothing has to be locked.
//! What is large, or does not fit any more, and all that other threads need comes from the system's allocator.

#![expect(
    clippy::inline_always,
    reason = "the program is compiled to be small, and this runs for every block of memory"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

/// More than reading a command of 64 KiB needs. What is not touched takes no memory.
const SIZE: usize = 8 << 20;
/// Larger blocks are few, and would fill the piece quickly.
const LARGEST: usize = 4 << 10;
/// So much of the piece a command hook needs, and an event that no hook looks at half of it: a page that is asked for with the
/// others costs less than another question.
#[cfg(any(quick_start, test))]
const FIRST: usize = 16 << 10;
/// The rest is asked for in steps, each a quarter of all before it, between these: the system takes twice as long for a page that a
/// program stumbles over as for one it was asked for, and as long for one that was asked for in vain.
const SHORTEST_STEP: usize = 8 << 10;
const LONGEST_STEP: usize = 512 << 10;
const PAGE: usize = 4096;
/// Sizes are multiples of this, and every block is aligned to it.
const GRAIN: usize = 16;
/// No block may need more than this, because it is how the piece itself is aligned.
const ALIGNMENT: usize = 128;

#[global_allocator]
static ALLOCATOR: Arena<SIZE> = Arena::new();

/// Where the part of the piece ends that every event needs. Whoever asks for it before the first block is handed out says so
/// ([`first_is_provided`]).
#[cfg(quick_start)]
#[inline(always)]
pub fn end_of_first() -> usize {
    ALLOCATOR.end_of_first()
}

#[cfg(quick_start)]
pub fn first_is_provided() {
    ALLOCATOR.first_is_provided();
}

thread_local! {
    /// Each thread has it elsewhere.
    static HERE: u8 = const { 0 };
}

#[repr(align(128))]
struct Piece<const SIZE: usize>(UnsafeCell<[u8; SIZE]>);

/// In this order, so that what is looked at most lies in one page with what is handed out first.
#[repr(C)]
struct Arena<const SIZE: usize> {
    /// The thread whose piece it is: the first that asked.
    owner: AtomicUsize,
    state: UnsafeCell<State>,
    piece: Piece<SIZE>,
}

/// What only the owner sees.
struct State {
    /// Everything before this offset has been handed out.
    used: usize,
    /// Everything before this offset has been asked for.
    provided: usize,
    /// Blocks that are free again, by length: the last one of each list, which holds a pointer to the one before it.
    free: [*mut u8; LISTS],
    /// Which of the short sizes have such blocks: a bit for each.
    short: u64,
}

/// Blocks of fewer grains are short: what begins a longer block may leave a part of it. There is a list for each length.
const SHORT: usize = u64::BITS as usize;
/// The sizes of the others are multiples of this: a list for each length would take half a page.
const COARSE: usize = 8 * GRAIN;
const LISTS: usize = list_of(LARGEST / GRAIN) + 1;

/// The list of free blocks that have so many grains; of a long one, all in its list have as many as are asked for there.
#[inline(always)]
const fn list_of(grains: usize) -> usize {
    if grains < SHORT { grains } else { SHORT + (grains - SHORT) * GRAIN / COARSE }
}

#[expect(unsafe_code, reason = "a free block holds a pointer")]
impl State {
    const fn new() -> Self {
        Self { used: 0, provided: 0, free: [ptr::null_mut(); LISTS], short: 0 }
    }

    /// A free block of this many grains. If it is short, it may be the beginning of the next longer one; what is left of that is free on.
    #[inline(always)]
    fn take_free(&mut self, grains: usize) -> Option<*mut u8> {
        let found = if grains < SHORT {
            let long_enough = self.short & (u64::MAX << grains);
            if long_enough == 0 {
                return None;
            }
            long_enough.trailing_zeros() as usize
        } else {
            list_of(grains)
        };
        let last = self.free.get_mut(found).filter(|last| !last.is_null())?;
        let block = *last;
        // SAFETY: a free block holds where the one before it is, and is aligned for that.
        *last = unsafe { block.cast::<*mut u8>().read() };
        if last.is_null() && found < SHORT {
            self.short &= !(1 << found);
        }
        if found < SHORT && found > grains {
            self.add_free(block.wrapping_add(grains * GRAIN), found - grains);
        }
        Some(block)
    }

    /// Notes that a block is free. It is ours, at least a grain long, and aligned to one.
    #[inline(always)]
    fn add_free(&mut self, block: *mut u8, grains: usize) {
        let Some(last) = self.free.get_mut(list_of(grains)) else { return };
        // SAFETY: nothing else uses the block.
        unsafe { block.cast::<*mut u8>().write(*last) };
        *last = block;
        if grains < SHORT {
            self.short |= 1 << grains;
        }
    }
}

#[expect(unsafe_code, reason = "only the thread that owns the piece touches its state, and no two blocks overlap")]
unsafe impl<const SIZE: usize> Sync for Arena<SIZE> {}

#[expect(unsafe_code, reason = "an allocator hands out raw memory")]
impl<const SIZE: usize> Arena<SIZE> {
    const fn new() -> Self {
        let piece = Piece(UnsafeCell::new([0; SIZE]));
        Self { piece, owner: AtomicUsize::new(0), state: UnsafeCell::new(State::new()) }
    }

    #[cfg(any(quick_start, test))]
    #[inline(always)]
    fn end_of_first(&self) -> usize {
        (self.start().addr() + FIRST).next_multiple_of(PAGE)
    }

    /// For the first thread, before there are others.
    #[cfg(any(quick_start, test))]
    fn first_is_provided(&self) {
        // SAFETY: as in `take`.
        unsafe { (*self.state.get()).provided = self.end_of_first() - self.start().addr() };
    }

    #[inline(always)]
    fn start(&self) -> *mut u8 {
        self.piece.0.get().cast()
    }

    /// Where a block begins within the piece, if it is in it.
    fn offset(&self, block: *mut u8) -> Option<usize> {
        let offset = block.addr().wrapping_sub(self.start().addr());
        (offset < SIZE).then_some(offset)
    }

    /// The state, for the thread whose piece it is.
    #[inline(always)]
    fn state(&self) -> Option<*mut State> {
        let here = HERE.with(|here| ptr::from_ref(here).addr());
        match self.owner.load(Ordering::Relaxed) {
            owner if owner == here => {}
            0 => {
                self.owner.compare_exchange(0, here, Ordering::Relaxed, Ordering::Relaxed).ok()?;
            }
            _ => return None,
        }
        Some(self.state.get())
    }

    #[inline(always)]
    fn take(&self, layout: Layout) -> Option<*mut u8> {
        if layout.size() > LARGEST || layout.align() > ALIGNMENT {
            return None;
        }
        let size = grains(layout.size());
        // SAFETY: no other thread has the state, and nothing else of this one uses it meanwhile.
        let state = unsafe { &mut *self.state()? };
        if layout.align() <= GRAIN
            && let Some(block) = state.take_free(size / GRAIN)
        {
            return Some(block);
        }
        // Alignments are powers of two, which the compiler does not know: it would divide.
        let align = layout.align().max(GRAIN) - 1;
        let begin = (state.used + align) & !align;
        let end = begin + size;
        if end > SIZE {
            return None;
        }
        state.used = end;
        if end > state.provided {
            self.provide_step(state);
        }
        Some(self.start().wrapping_add(begin))
    }

    /// Asks for the next pages: more than the longest block, so that one step is enough for it.
    #[cold]
    fn provide_step(&self, state: &mut State) {
        let (start, before) = (self.start(), state.provided);
        let step = (before / 4).clamp(SHORTEST_STEP, LONGEST_STEP);
        let end = (start.addr() + before + step).next_multiple_of(PAGE) - start.addr();
        state.provided = end.min(SIZE);
        provide(start.wrapping_add(before), state.provided - before);
    }

    /// A block of the piece is free again. What other threads give back waits for the end of the process.
    fn give_back(&self, offset: usize, size: usize) {
        let Some(state) = self.state() else { return };
        // SAFETY: as in `take`.
        let state = unsafe { &mut *state };
        let size = grains(size);
        if offset + size == state.used {
            state.used = offset;
        } else {
            state.add_free(self.start().wrapping_add(offset), size / GRAIN);
        }
    }

    /// Makes the block at `offset` longer or shorter where it is. To grow, it must be the last one. What a block leaves that shrinks is free.
    fn resize(&self, offset: usize, old: usize, new: usize) -> bool {
        let (old, new) = (grains(old), grains(new));
        let Some(state) = self.state() else { return new <= old };
        // SAFETY: as in `take`.
        let state = unsafe { &mut *state };
        let is_last = offset + old == state.used;
        let fits = is_last && new <= LARGEST && offset + new <= SIZE;
        if fits {
            // What lies beyond what was asked for is at most one block; it is provided as it is touched.
            state.used = offset + new;
        } else if new < old {
            state.add_free(self.start().wrapping_add(offset + new), (old - new) / GRAIN);
        }
        fits || new <= old
    }
}

/// Asks the system for pages before they are touched. If it does not know the question, or has no memory, nothing is lost.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "memory is named by its address")]
fn provide(from: *mut u8, length: usize) {
    let first = from.map_addr(|address| address / PAGE * PAGE);
    let length = (from.addr() + length - first.addr()) / PAGE * PAGE;
    // SAFETY: pages keep what is in them, also those that the piece has only a part of.
    let _ = unsafe { libc::madvise(first.cast(), length, libc::MADV_POPULATE_WRITE) };
}

#[cfg(not(target_os = "linux"))]
fn provide(_from: *mut u8, _length: usize) {}

/// A size that blocks have. No block is empty: the language asks for none.
#[inline(always)]
fn grains(size: usize) -> usize {
    let unit = if size < SHORT * GRAIN { GRAIN } else { COARSE };
    (size + unit - 1) & !(unit - 1)
}

#[expect(unsafe_code, reason = "an allocator hands out raw memory")]
// SAFETY: blocks of the piece are aligned and disjoint (see `take`); all others are the system allocator's.
unsafe impl<const SIZE: usize> GlobalAlloc for Arena<SIZE> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are passed on.
        self.take(layout).unwrap_or_else(|| unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match self.take(layout) {
            Some(block) => {
                // SAFETY: the block has just been claimed. It may have been used before.
                unsafe { block.write_bytes(0, layout.size()) };
                block
            }
            // SAFETY: the caller's promises are passed on.
            None => unsafe { System.alloc_zeroed(layout) },
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match self.offset(block) {
            Some(offset) => self.give_back(offset, layout.size()),
            // SAFETY: it was not handed out from the piece, so it was by the system's allocator.
            None => unsafe { System.dealloc(block, layout) },
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let Some(offset) = self.offset(block) else {
            // SAFETY: as in `dealloc`.
            return unsafe { System.realloc(block, layout, size) };
        };
        if self.resize(offset, layout.size(), size) {
            return block;
        }
        // SAFETY: the caller promises that the new size is valid for the alignment; both blocks are at least `layout.size()`
        // long, because this one grows, and they are different blocks.
        unsafe {
            let longer = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !longer.is_null() {
                longer.copy_from_nonoverlapping(block, layout.size());
                self.dealloc(block, layout);
            }
            longer
        }
    }
}

#[cfg(test)]
#[expect(unsafe_code, reason = "the allocator is called as the language calls it")]
mod tests {
    use super::*;

    /// A stack has room for it.
    type Small = Arena<{ 80 << 10 }>;

    fn layout(size: usize, align: usize) -> Layout {
        Layout::from_size_align(size, align).unwrap()
    }

    #[test]
    fn small_blocks_are_in_the_piece_and_others_are_not() {
        let cases = [
            ("a word", 8, 8, true),
            ("a byte", 1, 1, true),
            ("the largest", LARGEST, 16, true),
            ("a larger one", LARGEST + 1, 1, false),
            ("one that a page needs", 8, 4096, false),
        ];
        for (name, size, align, expected) in cases {
            let arena = Box::new(Small::new());
            let layout = layout(size, align);
            // SAFETY: the size is not zero, and the block is given back with the layout it has.
            unsafe {
                let block = arena.alloc(layout);
                assert_eq!(arena.offset(block).is_some(), expected, "{name}");
                assert_eq!(block.addr() % align, 0, "{name}");
                arena.dealloc(block, layout);
                assert_eq!((*arena.state.get()).used, 0, "{name}");
            }
        }
    }

    #[test]
    fn what_was_provided_first_is_used_like_the_rest() {
        let arena = Box::new(Small::new());
        arena.first_is_provided();
        let first = arena.end_of_first() - arena.start().addr();
        assert!((FIRST..FIRST + PAGE).contains(&first), "{first}");
        // SAFETY: as above.
        unsafe {
            let block = arena.alloc_zeroed(layout(1024, 8));
            assert_eq!(
                (arena.offset(block), (*arena.state.get()).provided),
                (Some(0), first),
                "nothing is asked for twice"
            );
            let blocks: Vec<*mut u8> = (0..first / 1024).map(|_| arena.alloc_zeroed(layout(1024, 8))).collect();
            assert_eq!((*arena.state.get()).provided, first + SHORTEST_STEP, "whole pages, and no more than one step");
            assert!(blocks.iter().all(|block| std::slice::from_raw_parts(*block, 1024) == [0; 1024]));
        }
    }

    #[test]
    fn a_full_piece_is_no_end_of_memory() {
        let (arena, layout) = (Box::new(Small::new()), layout(1000, 8));
        // SAFETY: every block is given back once, with its layout.
        unsafe {
            let blocks: Vec<*mut u8> = (0..200).map(|_| arena.alloc_zeroed(layout)).collect();
            assert!(blocks.iter().any(|block| arena.offset(*block).is_none()));
            assert!(blocks.iter().all(|block| std::slice::from_raw_parts(*block, 1000) == [0; 1000]));
            blocks.iter().for_each(|block| arena.dealloc(*block, layout));
        }
    }

    #[test]
    fn what_is_in_a_block_survives_its_growth() {
        for behind in [false, true] {
            let arena = Box::new(Small::new());
            // SAFETY: as above; each `realloc` names the layout the block has.
            unsafe {
                let mut block = arena.alloc(layout(3, 1));
                block.copy_from_nonoverlapping(b"abc".as_ptr(), 3);
                if behind {
                    arena.alloc(layout(8, 8));
                }
                for (old, new) in [(3, 100), (100, 5000), (5000, 200_000), (200_000, 3)] {
                    block = arena.realloc(block, layout(old, 1), new);
                    assert_eq!(std::slice::from_raw_parts(block, 3), b"abc", "{old} to {new}, behind: {behind}");
                }
                arena.dealloc(block, layout(3, 1));
            }
        }
    }

    #[test]
    fn what_a_block_leaves_when_it_shrinks_is_handed_out_again() {
        for behind in [false, true] {
            let arena = Box::new(Small::new());
            // SAFETY: as above.
            unsafe {
                let block = arena.alloc(layout(1000, 1));
                if behind {
                    arena.alloc(layout(16, 8));
                }
                assert_eq!(arena.realloc(block, layout(1000, 1), 100), block);
                let next = arena.alloc(layout(8, 8));
                assert_eq!(arena.offset(next), Some(112), "behind: {behind}");
            }
        }
    }

    #[test]
    fn a_short_block_is_the_beginning_of_the_shortest_free_one_that_is_long_enough() {
        /// What is free, what is asked for, and where that is: in which of the free ones, and how far from its beginning.
        type Case = (&'static [usize], &'static [usize], &'static [(usize, usize)]);
        let cases: [Case; 5] = [
            (&[64, 48], &[48], &[(1, 0)]),
            (&[64, 96], &[48, 16], &[(0, 0), (0, 48)]),
            (&[1008, 4096], &[992, 4096], &[(0, 0), (1, 0)]),
            (&[128], &[48, 48, 32], &[(0, 0), (0, 48), (0, 96)]),
            (&[16, 1000], &[33, 16], &[(1, 0), (0, 0)]),
        ];
        for (free, wanted, expected) in cases {
            let arena = Box::new(Small::new());
            // SAFETY: as above.
            unsafe {
                // Something lies behind each, so that it is not the last.
                let blocks: Vec<*mut u8> =
                    free.iter().map(|size| (arena.alloc(layout(*size, 8)), arena.alloc(layout(16, 8))).0).collect();
                std::iter::zip(&blocks, free).for_each(|(block, size)| arena.dealloc(*block, layout(*size, 8)));
                for (size, (index, distance)) in std::iter::zip(wanted, expected) {
                    let block = arena.alloc(layout(*size, 8));
                    assert_eq!(block, blocks[*index].wrapping_add(*distance), "{size} of {wanted:?} from {free:?}");
                }
            }
        }
    }

    #[test]
    fn blocks_never_overlap_whatever_is_taken_given_back_and_resized() {
        let arena = Box::new(Small::new());
        let mut blocks: Vec<(*mut u8, usize, u8)> = Vec::new();
        let mut number = 1u32;
        let mut random = |below: u32| {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (number >> 8) % below
        };
        for mark in (0..20_000u32).map(|step| (step % 251) as u8) {
            let longest = [40, 400, 5000][random(3) as usize];
            let size = 1 + random(longest) as usize;
            // SAFETY: each block is given back once, with the layout it has, and nothing beyond its end is written.
            unsafe {
                match random(3) {
                    0 if !blocks.is_empty() => {
                        let (block, size, mark) = blocks.swap_remove(random(blocks.len() as u32) as usize);
                        assert!(
                            std::slice::from_raw_parts(block, size).iter().all(|byte| *byte == mark),
                            "overwritten"
                        );
                        arena.dealloc(block, layout(size, 8));
                    }
                    1 if !blocks.is_empty() => {
                        let index = random(blocks.len() as u32) as usize;
                        let (block, old, kept) = blocks[index];
                        let moved = arena.realloc(block, layout(old, 8), size);
                        let same = std::slice::from_raw_parts(moved, old.min(size));
                        assert!(same.iter().all(|byte| *byte == kept), "lost when it was resized");
                        moved.write_bytes(kept, size);
                        blocks[index] = (moved, size, kept);
                    }
                    _ => {
                        let block = arena.alloc(layout(size, 8));
                        block.write_bytes(mark, size);
                        blocks.push((block, size, mark));
                    }
                }
            }
            if blocks.len() > 60 {
                let (block, size, _) = blocks.swap_remove(0);
                // SAFETY: as above.
                unsafe { arena.dealloc(block, layout(size, 8)) };
            }
        }
    }

    #[test]
    fn zeroed_blocks_are_zero_also_where_something_was() {
        let (arena, layout) = (Box::new(Small::new()), layout(16, 8));
        // SAFETY: as above.
        unsafe {
            let block = arena.alloc(layout);
            block.write_bytes(7, 16);
            arena.dealloc(block, layout);
            let again = arena.alloc_zeroed(layout);
            assert_eq!((again, std::slice::from_raw_parts(again, 16)), (block, [0; 16].as_slice()));
        }
    }

    #[test]
    fn threads_never_share_a_block() {
        let arena = Box::new(Small::new());
        let (arena, layout) = (&*arena, layout(24, 8));
        std::thread::scope(|scope| {
            for mark in 0..8u8 {
                scope.spawn(move || {
                    for _ in 0..20_000 {
                        // SAFETY: as above.
                        unsafe {
                            let block = arena.alloc(layout);
                            block.write_bytes(mark, 24);
                            std::thread::yield_now();
                            assert_eq!(std::slice::from_raw_parts(block, 24), [mark; 24]);
                            arena.dealloc(block, layout);
                        }
                    }
                });
            }
        });
    }
}
