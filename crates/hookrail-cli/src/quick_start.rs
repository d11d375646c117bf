//! Starts `hookrail hook` without the questions that the C library asks the processor.
//!
//! A static program of glibc asks about seventy of them before `main`, to choose the fastest ways to copy memory for this
//! processor. In a virtual machine each one is a trap, and together they take three quarters of the time of an empty program.
//! A process that lives for half a millisecond copies too little to earn that back. Here the same steps are taken in the
//! same order, without that one: the copies that every x86-64 processor can do are chosen.
//!
//! Only released binaries have this: `cargo xtask dist` asks for it (see `build.rs`) where it knows the version of the C
//! library, whose inner functions are called. Every other command of hookrail starts as usual. Besides copying, the answers
//! are needed for shared libraries that are loaded later, to look up names of hosts or of users: a hook that asks over the
//! network looks names up without them (`host_names.rs` of the engine), and users are not looked up. For the same reason a second
//! step is left out: preparing to load such libraries, which is a fifth of what is left. Of that step, one thing is done here:
//! stacks of threads do not hold programs. The clock is read by a system call: finding the kernel's own
//! library and touching its two pages takes as long as asking for the time thirty times. `GLIBC_TUNABLES` is not read: that takes a
//! look at every variable of the environment for every tunable, and there is nothing to tune in so short a life.
//! Two things are added: memory is asked for at once ([`provide_memory`]), and every command asks that the file be kept in huge pages
//! ([`ask_for_huge_pages`]).

#![expect(unsafe_code, reason = "takes the place of the first function of the C library")]
#![expect(clippy::inline_always, reason = "what runs first may not call anything that lies elsewhere")]

use std::cell::UnsafeCell;
use std::ffi::{c_char, c_int, c_long, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

type Main = unsafe extern "C" fn(c_int, *const *const c_char, *const *const c_char) -> c_int;
type Initialiser = unsafe extern "C" fn(c_int, *const *const c_char, *const *const c_char);

/// A function that is chosen at start: `choose` returns it, and it belongs into `target`.
#[repr(C)]
struct Choice {
    target: *mut usize,
    kind: u64,
    choose: unsafe extern "C" fn() -> usize,
}

unsafe extern "C" {
    fn __real___libc_start_main(
        main: Main,
        count: c_int,
        arguments: *const *const c_char,
        init: *const c_void,
        fini: *const c_void,
        loader_end: *const c_void,
        stack_end: *mut c_void,
    ) -> c_int;
    fn __real__dl_early_allocate(size: usize) -> *mut c_void;
    safe fn _exit(code: c_int) -> !;

    static mut __environ: *const *const c_char;
    static mut __libc_stack_end: *mut c_void;
    static _dl_random: *const usize;
    static _dl_phdr: *const Header;
    static _dl_phnum: usize;
    static mut _dl_stack_flags: u32;
    static mut __libc_argv: *const *const c_char;
    static mut __libc_argc: c_int;
    fn _dl_aux_init(vector: *const *const c_char);
    fn _dl_relocate_static_pie();
    fn __libc_setup_tls();
    fn __libc_early_init(first: bool);
    fn _init();

    static mut __x86_shared_non_temporal_threshold: c_long;
    static mut __x86_rep_movsb_stop_threshold: c_long;

    // Made by the linker: the first element of a list, and what follows its last.
    static __rela_iplt_start: Choice;
    static __rela_iplt_end: Choice;
    static __init_array_start: Initialiser;
    static __init_array_end: Initialiser;
    // Likewise: the first byte of the file.
    static __ehdr_start: u8;
    // Made by the script of `cargo xtask dist`: where the variables that every event uses begin.
    static hookrail_variables_start: u8;
}

const PAGE: usize = 4096;

/// From which size on memory is copied past the caches. The C library takes three quarters of the largest cache; this is
/// that of a common one.
const PAST_THE_CACHES: c_long = 16 << 20;

/// The linker puts this in front of `__libc_start_main` (`--wrap`), and by its section among the first bytes of the file, away from
/// what it asks huge pages for.
///
/// Until the choices are made, nothing here may copy or compare memory.
#[unsafe(no_mangle)]
#[unsafe(link_section = ".text.start")]
unsafe extern "C" fn __wrap___libc_start_main(
    main: Main,
    count: c_int,
    arguments: *const *const c_char,
    init: *const c_void,
    fini: *const c_void,
    loader_end: *const c_void,
    stack_end: *mut c_void,
) -> c_int {
    // SAFETY: called by `_start`, once, with what the kernel has put on the stack.
    unsafe {
        ask_for_huge_pages();
        if !is_hook(count, arguments) {
            return __real___libc_start_main(main, count, arguments, init, fini, loader_end, stack_end);
        }
        provide_memory();
        start_quickly(main, count, arguments, stack_end)
    }
}

/// Asks that the file of this program be kept in huge pages when it is read into memory: processes that start while it is there need
/// one page fault for all code of events, instead of one for each 64 KiB. Every command asks: whichever is the first after the machine
/// was started decides how the file is kept.
///
/// Inlined, because no function elsewhere may be called yet.
#[inline(always)]
unsafe fn ask_for_huge_pages() {
    // SAFETY: the linker has put the headers of the program there, and the kernel has loaded what they say. What is asked for
    // changes nothing that this process can see.
    unsafe {
        let file = &raw const __ehdr_start;
        let mut header: *const Header = file.add(file.add(HEADERS_AT).cast::<usize>().read()).cast();
        let mut left = file.add(HEADERS_COUNT_AT).cast::<u16>().read();
        while left > 0 {
            if (*header).kind == LOADED && (*header).flags & EXECUTABLE != 0 {
                advise((*header).address, (*header).address + (*header).size, libc::MADV_HUGEPAGE);
            }
            header = header.add(1);
            left -= 1;
        }
    }
}

/// Asks for the memory that every event writes to in two calls, instead of page by page as it is touched: its variables up to the memory
/// that is handed out first, and its stack. The linker has put what has a value at first and is used by every event right before what has
/// none. A system that does not know the question does nothing.
///
/// Inlined, as above.
#[inline(always)]
unsafe fn provide_memory() {
    let here = 0u8;
    // SAFETY: pages keep what is in them.
    unsafe {
        advise((&raw const hookrail_variables_start).addr(), crate::arena::end_of_first(), libc::MADV_POPULATE_WRITE);
        // It lies in what the kernel has set aside for the stack of a new program.
        let stack = (&raw const here).addr();
        advise(stack - STACK_BYTES, stack, libc::MADV_POPULATE_WRITE);
    }
}

/// So much of its stack an event needs.
const STACK_BYTES: usize = 4 * PAGE;

/// Tells the kernel what pages are for. Asks it directly, because the C library is not ready.
#[inline(always)]
unsafe fn advise(start: usize, end: usize, advice: c_int) {
    let start = start & !(PAGE - 1);
    // SAFETY: the caller's promise.
    unsafe {
        std::arch::asm!(
            "syscall",
            inlateout("rax") libc::SYS_madvise => _,
            in("rdi") start,
            in("rsi") end.next_multiple_of(PAGE) - start,
            in("rdx") advice,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
}

/// Room for the variables of the first thread. The C library would take it from the heap, which would be made for nothing else.
#[repr(align(64))]
struct ThreadRoom(UnsafeCell<[u8; PAGE]>, AtomicBool);

// SAFETY: its bytes are given away once.
unsafe impl Sync for ThreadRoom {}

static THREAD_ROOM: ThreadRoom = ThreadRoom(UnsafeCell::new([0; PAGE]), AtomicBool::new(false));

/// The linker puts this in front of `_dl_early_allocate` (`--wrap`), which is only asked for that room.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__dl_early_allocate(size: usize) -> *mut c_void {
    if size > PAGE || THREAD_ROOM.1.swap(true, Ordering::Relaxed) {
        // SAFETY: the caller's promises are passed on.
        return unsafe { __real__dl_early_allocate(size) };
    }
    THREAD_ROOM.0.get().cast()
}

/// The steps of the C library, without its questions.
unsafe fn start_quickly(main: Main, count: c_int, arguments: *const *const c_char, stack_end: *mut c_void) -> c_int {
    // SAFETY: what the kernel has put on the stack.
    unsafe {
        let environment = arguments.add(count as usize + 1);
        prepare(environment, stack_end);
        __libc_early_init(true);
        (__libc_argc, __libc_argv) = (count, arguments);
        forbid_programs_on_stacks();
        crate::arena::first_is_provided();
        _init();
        for initialise in between(&raw const __init_array_start, &raw const __init_array_end) {
            (*initialise)(count, arguments, environment);
        }
        _exit(main(count, arguments, environment))
    }
}

/// Whether the command line begins with `hookrail hook`.
#[inline(always)]
unsafe fn is_hook(count: c_int, arguments: *const *const c_char) -> bool {
    // SAFETY: `count` arguments are there, and each of them ends with a zero, behind which nothing is read.
    unsafe {
        if count < 2 {
            return false;
        }
        let word = *arguments.add(1);
        *word == b'h' as c_char
            && *word.add(1) == b'o' as c_char
            && *word.add(2) == b'o' as c_char
            && *word.add(3) == b'k' as c_char
            && *word.add(4) == 0
    }
}

/// What must be there before a function of the C library may be called: choices, the memory of this thread, and the secret
/// values that guard it.
unsafe fn prepare(environment: *const *const c_char, stack_end: *mut c_void) {
    // SAFETY: the steps of the C library, in its order.
    unsafe {
        __environ = environment;
        __libc_stack_end = stack_end;
        let mut vector = environment;
        while !(*vector).is_null() {
            vector = vector.add(1);
        }
        _dl_aux_init(vector.add(1));
        __x86_shared_non_temporal_threshold = PAST_THE_CACHES;
        __x86_rep_movsb_stop_threshold = PAST_THE_CACHES;
        _dl_relocate_static_pie();
        for choice in between(&raw const __rela_iplt_start, &raw const __rela_iplt_end) {
            *(*choice).target = ((*choice).choose)();
        }
        __libc_setup_tls();
        // The kernel puts them wherever there is room.
        let canary = _dl_random.read_unaligned() & !0xff;
        let pointer_guard = _dl_random.add(1).read_unaligned();
        std::arch::asm!("mov fs:[0x28], {}", in(reg) canary, options(nostack, preserves_flags));
        std::arch::asm!("mov fs:[0x30], {}", in(reg) pointer_guard, options(nostack, preserves_flags));
    }
}

/// Part of the program as the kernel has loaded it.
#[repr(C)]
struct Header {
    kind: u32,
    flags: u32,
    offset: usize,
    address: usize,
    physical: usize,
    file_size: usize,
    size: usize,
    alignment: usize,
}

/// A part of the file that is in memory, and what is set if it is code.
const LOADED: u32 = 1;
const EXECUTABLE: u32 = 1;
/// What the program says of the stacks of its threads: whether programs may stand there.
const STACK: u32 = 0x6474_e551;

unsafe fn forbid_programs_on_stacks() {
    // SAFETY: the kernel has told where the list is and how long.
    unsafe {
        for header in between(_dl_phdr, _dl_phdr.wrapping_add(_dl_phnum)) {
            if (*header).kind == STACK {
                _dl_stack_flags = (*header).flags;
            }
        }
    }
}

/// Where in the first bytes of the file it is said where its headers are, and how many.
const HEADERS_AT: usize = 32;
const HEADERS_COUNT_AT: usize = 56;

/// The elements of a list that the linker made.
fn between<T>(start: *const T, end: *const T) -> impl Iterator<Item = *const T> {
    let length = (end.addr() - start.addr()) / size_of::<T>();
    (0..length).map(move |index| start.wrapping_add(index))
}
