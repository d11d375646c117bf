//! Starting commands without copying this process.
//!
//! A fork copies the tables of all memory and makes every page that is written afterwards a fault, which is as dear as the rest of
//! starting. So a command shares the memory of this process until its program begins. On Linux, one call of the kernel makes such a
//! process and gives it the usual handling of every signal ([`shared_memory`]). What that cannot start, the standard library starts, which also explains what is wrong.

use super::super::{ProcessSpec, Program, RUN_MARK};
use super::processor::OneProcessor;
use rustix::process::Pid;
use std::ffi::OsString;
use std::io::{self, PipeReader, PipeWriter};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// By its full path, so that neither a hook's `PATH` nor ours decides what a command means.
pub(super) const SHELL: &str = "/bin/sh";

/// What the command has as its streams: the other ends of our pipes.
pub(super) struct Streams {
    pub(super) stdin: PipeReader,
    pub(super) stdout: PipeWriter,
    pub(super) stderr: PipeWriter,
}

/// A process that began with its program, leader of a group of its own.
pub(super) struct Spawned {
    pub(super) pid: Pid,
    /// What this thread was kept on to start it.
    pub(super) processor: Option<OneProcessor>,
}

/// Starts a command whose processes carry `mark`. If it is `alone`, this thread may keep to its processor while it waits.
#[cfg_attr(
    not(all(target_os = "linux", target_arch = "x86_64", target_pointer_width = "64")),
    expect(unused_variables, reason = "only what follows knows the processors of a new process")
)]
pub(super) fn spawn(spec: &ProcessSpec, streams: Streams, mark: OsString, alone: bool) -> io::Result<Spawned> {
    #[cfg(all(target_os = "linux", target_arch = "x86_64", target_pointer_width = "64"))]
    if let Some(spawned) = shared_memory::spawn(spec, &streams, &mark, alone) {
        return Ok(spawned);
    }
    let child = program(spec)
        .current_dir(&spec.cwd)
        .envs(spec.env.iter().map(|(name, value)| (name, value)))
        .env(RUN_MARK, mark)
        .stdin(streams.stdin)
        .stdout(streams.stdout)
        .stderr(streams.stderr)
        .process_group(0)
        .spawn()?;
    Ok(Spawned { pid: Pid::from_child(&child), processor: None })
}

/// What reads a command that is no program itself.
pub(super) fn shell(program: &Program) -> &'static str {
    match program {
        Program::SystemShell | Program::Executable(_) => SHELL,
        Program::Bash => "bash",
        Program::PowerShell => "pwsh",
    }
}

fn program(spec: &ProcessSpec) -> Command {
    if let Program::Executable(args) = &spec.program {
        let mut command = Command::new(&spec.command);
        command.args(args);
        return command;
    }
    let mut command = Command::new(shell(&spec.program));
    match &spec.program {
        Program::PowerShell => command.args(["-NoProfile", "-Command", &spec.command]),
        // A command may begin with a dash.
        _ => command.args(["-c", "--", &spec.command]),
    };
    command
}

/// Makes the standard library use `posix_spawn` in a statically linked program. It asks by a weak reference whether the C library can
/// change the folder on the way, and forks if not. A weak reference brings nothing in from an archive; a strong one does.
#[cfg(all(target_os = "linux", any(target_env = "gnu", target_env = "musl"), target_feature = "crt-static"))]
mod folder_change {
    #[expect(unsafe_code, reason = "a name for the linker; nothing is called through it")]
    unsafe extern "C" {
        fn posix_spawn_file_actions_addchdir_np();
    }

    /// What the linker has to bring in.
    #[used]
    static CHANGES_FOLDER: unsafe extern "C" fn() = posix_spawn_file_actions_addchdir_np;
}

/// The C library's `posix_spawn` asks for and resets each of 64 signals. The kernel does that by itself for whoever asks it directly.
#[cfg(all(target_os = "linux", target_arch = "x86_64", target_pointer_width = "64"))]
#[expect(unsafe_code, reason = "a process that shares its parent's memory cannot be had from a safe function")]
mod shared_memory {
    use super::super::super::{ProcessSpec, Program, RUN_MARK};
    use super::{OneProcessor, SHELL, Spawned, Streams};
    use rustix::process::{Pid, WaitOptions, waitpid};
    use std::arch::asm;
    use std::ffi::{CStr, OsStr, c_char, c_int};
    use std::mem::MaybeUninit;
    use std::os::fd::AsRawFd;
    use std::os::unix::ffi::OsStrExt;
    use std::ptr;

    /// For a dozen system calls without a buffer, which need 656 bytes. Its pages are provided; a build without optimisation needs more.
    const STACK_BYTES: usize = if cfg!(debug_assertions) { 16 << 10 } else { 2 << 10 };
    const FLAGS: u64 = (libc::CLONE_VM | libc::CLONE_VFORK) as u64 | CLEAR_SIGHAND;
    /// Too large for the type that `libc` gives its flags.
    const CLEAR_SIGHAND: u64 = 0x1_0000_0000;

    /// None if it could not be started in this way.
    pub(super) fn spawn(spec: &ProcessSpec, streams: &Streams, mark: &OsStr, alone: bool) -> Option<Spawned> {
        let numbers = [streams.stdin.as_raw_fd(), streams.stdout.as_raw_fd(), streams.stderr.as_raw_fd()];
        // One of our pipes in the place of a stream would be overwritten by another one.
        if numbers.iter().any(|number| *number <= libc::STDERR_FILENO) {
            return None;
        }
        let arguments = arguments(spec)?;
        let environment = environment(spec, mark)?;
        let folder = Texts::of([spec.cwd.as_os_str().as_bytes()])?;
        let (arguments, environment) = (arguments.pointers(), environment.pointers());
        let processor = if alone { OneProcessor::keep() } else { None };
        let plan = Plan {
            program: *arguments.first()?,
            arguments: arguments.as_ptr(),
            environment: environment.as_ptr(),
            folder: *folder.pointers().first()?,
            streams: numbers,
            processors: processor.as_ref().map_or(ptr::null(), |processor| &raw const *processor.before()),
            has_failed: false,
        };
        Some(Spawned { pid: start(plan)?, processor })
    }

    /// Only programs that are named by a path: which of several is meant by a name is for the standard library to find out.
    fn arguments(spec: &ProcessSpec) -> Option<Texts> {
        match &spec.program {
            Program::SystemShell => Texts::of([SHELL, "-c", "--", &spec.command].map(str::as_bytes)),
            Program::Executable(args) if spec.command.contains('/') => {
                Texts::of(std::iter::once(&spec.command).chain(args).map(String::as_bytes))
            }
            Program::Executable(_) | Program::Bash | Program::PowerShell => None,
        }
    }

    /// Our own variables with those of the command in their place. Ours are copied as they stand in memory: most users have dozens, and
    /// taking each apart would need two blocks of memory.
    fn environment(spec: &ProcessSpec, mark: &OsStr) -> Option<Texts> {
        let own = spec.env.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()));
        let own: Vec<(&OsStr, &OsStr)> = own.chain([(OsStr::new(RUN_MARK), mark)]).collect();
        // SAFETY: nothing in this program changes its variables while hooks run.
        let inherited = unsafe { inherited() }.filter(|(name, _)| own.iter().all(|(other, _)| other != name));
        let inherited: Vec<&[u8]> = inherited.map(|(_, variable)| variable).collect();
        let own_bytes = own.iter().map(|(name, value)| name.len() + value.len() + 2).sum::<usize>();
        let bytes = own_bytes + inherited.iter().map(|variable| variable.len() + 1).sum::<usize>();
        let mut texts = Texts::with_room(inherited.len() + own.len(), bytes);
        for variable in inherited {
            texts.push(&[variable])?;
        }
        for (index, (name, value)) in own.iter().enumerate() {
            // Of two with one name the last one counts.
            if own.iter().skip(index + 1).all(|(later, _)| later != name) {
                texts.push(&[name.as_bytes(), b"=", value.as_bytes()])?;
            }
        }
        Some(texts)
    }

    /// The variables of this process, each with its name.
    ///
    /// # Safety
    /// No other thread changes a variable meanwhile.
    unsafe fn inherited() -> impl Iterator<Item = (&'static OsStr, &'static [u8])> {
        unsafe extern "C" {
            static environ: *const *const c_char;
        }
        // SAFETY: the list ends with a null pointer, and what it points to are texts of C.
        let first = unsafe { environ };
        let places = std::iter::successors((!first.is_null()).then_some(first), |place| Some(place.wrapping_add(1)));
        let texts = places.map_while(|place| {
            // SAFETY: as above; nothing behind the null pointer is looked at.
            let text = unsafe { *place };
            // SAFETY: as above.
            (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_bytes())
        });
        // A name may begin with an equals sign; what has no other is no variable.
        texts.filter_map(|text| {
            let end = text.iter().skip(1).position(|byte| *byte == b'=')? + 1;
            Some((OsStr::from_bytes(text.get(..end)?), text))
        })
    }

    /// Texts as C has them, one behind the other.
    struct Texts {
        bytes: Vec<u8>,
        starts: Vec<usize>,
    }

    impl Texts {
        /// Room for so many texts and bytes, so that nothing moves while they are added.
        fn with_room(texts: usize, bytes: usize) -> Self {
            Self { bytes: Vec::with_capacity(bytes), starts: Vec::with_capacity(texts) }
        }

        fn of<'a>(texts: impl IntoIterator<Item = &'a [u8]>) -> Option<Self> {
            let mut all = Self::with_room(4, 128);
            texts.into_iter().try_for_each(|text| all.push(&[text]))?;
            Some(all)
        }

        /// One text of several parts; none if it has a NUL byte.
        fn push(&mut self, parts: &[&[u8]]) -> Option<()> {
            self.starts.push(self.bytes.len());
            for part in parts {
                if part.contains(&0) {
                    return None;
                }
                self.bytes.extend_from_slice(part);
            }
            self.bytes.push(0);
            Some(())
        }

        /// Valid as long as no text is added, ended by a null pointer.
        fn pointers(&self) -> Vec<*const c_char> {
            let start = self.bytes.as_ptr();
            let each = self.starts.iter().map(|offset| start.wrapping_add(*offset).cast());
            each.chain([ptr::null()]).collect()
        }
    }

    /// What the new process needs to know, in the memory of this one.
    struct Plan {
        program: *const c_char,
        arguments: *const *const c_char,
        environment: *const *const c_char,
        folder: *const c_char,
        streams: [c_int; 3],
        /// Those that its parent may use when it waits for nothing; null if it is not kept from any.
        processors: *const libc::cpu_set_t,
        has_failed: bool,
    }

    #[repr(C, align(16))]
    struct Stack([MaybeUninit<u8>; STACK_BYTES]);

    /// `struct clone_args` of the kernel in its first version.
    #[repr(C, align(8))]
    #[derive(Default)]
    struct Request {
        flags: u64,
        pidfd: u64,
        child_tid: u64,
        parent_tid: u64,
        exit_signal: u64,
        stack: u64,
        stack_size: u64,
        tls: u64,
    }

    fn start(mut plan: Plan) -> Option<Pid> {
        let mut stack = Stack([const { MaybeUninit::uninit() }; STACK_BYTES]);
        let request = Request {
            flags: FLAGS,
            exit_signal: libc::SIGCHLD as u64,
            stack: (&raw mut stack).expose_provenance() as u64,
            stack_size: STACK_BYTES as u64,
            ..Request::default()
        };
        // SAFETY: this thread sleeps until the new process has begun with its program or ended, so everything that it is given lives
        // long enough, and its stack is no other's. It never returns from `begin`.
        let number = unsafe { clone(&request, &raw mut plan) };
        // What is below zero is an error, and would mean a group of processes.
        let pid = i32::try_from(number).ok().filter(|number| *number > 0).and_then(Pid::from_raw)?;
        // SAFETY: the other process may have written to it, which the compiler does not know.
        if unsafe { ptr::read_volatile(&raw const plan.has_failed) } {
            let _ = waitpid(Some(pid), WaitOptions::empty());
            return None;
        }
        Some(pid)
    }

    /// The number of the new process, or what went wrong as a negative number. In the new process it does not return.
    unsafe fn clone(request: &Request, plan: *mut Plan) -> isize {
        let result: isize;
        // SAFETY: `clone3` changes no register but the ones named here. The new process has its own stack, aligned as a call needs it.
        unsafe {
            asm!(
                "syscall",
                "test rax, rax",
                "jnz 2f",
                "xor ebp, ebp",
                "mov rdi, r9",
                "call r8",
                "ud2",
                "2:",
                inlateout("rax") libc::SYS_clone3 as isize => result,
                in("rdi") request,
                in("rsi") size_of::<Request>(),
                in("r8") begin as unsafe extern "C" fn(*mut Plan) -> !,
                in("r9") plan,
                lateout("rcx") _,
                lateout("r11") _,
            );
        }
        result
    }

    /// The new process until its program begins: system calls and nothing else. Memory is its parent's.
    unsafe extern "C" fn begin(plan: *mut Plan) -> ! {
        // SAFETY: the parent sleeps, and every pointer is to a value that it keeps.
        unsafe {
            let Plan { program, arguments, environment, folder, streams, processors, .. } = &*plan;
            let [stdin, stdout, stderr] = *streams;
            let mut none: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut none);
            let usual: libc::sigaction = std::mem::zeroed();
            let is_ready = libc::setpgid(0, 0) == 0
                && libc::dup2(stdin, libc::STDIN_FILENO) >= 0
                && libc::dup2(stdout, libc::STDOUT_FILENO) >= 0
                && libc::dup2(stderr, libc::STDERR_FILENO) >= 0
                && libc::chdir(*folder) == 0
                && (processors.is_null() || OneProcessor::open(*processors))
                // We ignore it, and what is ignored is handed on.
                && libc::sigaction(libc::SIGPIPE, &raw const usual, ptr::null_mut()) == 0
                && libc::sigprocmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut()) == 0;
            if is_ready {
                libc::execve(*program, *arguments, *environment);
            }
            ptr::write_volatile(&raw mut (*plan).has_failed, true);
            libc::_exit(127)
        }
    }
}
