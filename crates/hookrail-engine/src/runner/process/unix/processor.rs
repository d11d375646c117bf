//! The processor on which this thread waits for a command.
//!
//! Where another processor is idle, the kernel likes to move a command there when its program begins, or this thread when it is woken.
//! Both have nothing to do at the same time, and in a virtual machine an idle processor takes a tenth of a millisecond to wake: as long
//! as half of all else that hookrail does. So a thread that only waits for one command stays where it is, and the command begins there.
//! From its program on, the command may use every processor that this thread could use.

#[cfg(all(target_os = "linux", target_arch = "x86_64", target_pointer_width = "64"))]
pub(super) use linux::OneProcessor;

/// Elsewhere no thread is kept anywhere.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64", target_pointer_width = "64")))]
#[derive(Debug)]
pub(super) enum OneProcessor {}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64", target_pointer_width = "64")))]
impl OneProcessor {
    pub(super) fn stay(self) {
        match self {}
    }
}

#[cfg(all(target_os = "linux", target_arch = "x86_64", target_pointer_width = "64"))]
#[expect(unsafe_code, reason = "calls of the C library that a process which shares its parent's memory can make too")]
mod linux {
    use std::marker::PhantomData;

    /// The thread that made this stays on one processor until it drops this.
    #[derive(Debug)]
    pub(in super::super) struct OneProcessor {
        before: libc::cpu_set_t,
        of_this_thread: PhantomData<*const ()>,
    }

    impl OneProcessor {
        /// None where that is forbidden, or where there is no other processor.
        pub(in super::super) fn keep() -> Option<Self> {
            // SAFETY: the sets are plain numbers, and as long as the calls are told.
            unsafe {
                let here = usize::try_from(libc::sched_getcpu()).ok()?;
                let mut before: libc::cpu_set_t = std::mem::zeroed();
                let is_known = libc::sched_getaffinity(0, size_of_val(&before), &raw mut before) == 0;
                if !is_known || here >= 8 * size_of_val(&before) || libc::CPU_COUNT(&before) < 2 {
                    return None;
                }
                let mut only: libc::cpu_set_t = std::mem::zeroed();
                libc::CPU_SET(here, &mut only);
                allow(&raw const only).then_some(Self { before, of_this_thread: PhantomData })
            }
        }

        /// The processors that the thread could use before.
        pub(in super::super) fn before(&self) -> &libc::cpu_set_t {
            &self.before
        }

        /// Leaves the thread where it is for the rest of its life.
        pub(in super::super) fn stay(self) {
            std::mem::forget(self);
        }

        /// For a new process that inherited the one processor, right before its program begins; false if something is forbidden.
        ///
        /// # Safety
        /// `before` points to what [`Self::before`] is.
        pub(in super::super) unsafe fn open(before: *const libc::cpu_set_t) -> bool {
            // SAFETY: the caller keeps it.
            unsafe {
                // The kernel may count our parent, which sleeps, among those that want this processor until it is asked for the next one.
                allow(before) && libc::sched_yield() == 0
            }
        }
    }

    impl Drop for OneProcessor {
        fn drop(&mut self) {
            // SAFETY: the set is our own.
            unsafe { allow(&raw const self.before) };
        }
    }

    /// Lets the calling thread use these processors.
    unsafe fn allow(processors: *const libc::cpu_set_t) -> bool {
        // SAFETY: the caller knows that there is such a set.
        unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), processors) == 0 }
    }
}
