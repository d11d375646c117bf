//! The same interface on Windows, with the standard library alone. Weaker than on Unix, and honest about it:
//!
//! - a deadline ends the command's shell at once, since there is no SIGTERM to ask with; what the shell started lives on;
//! - threads pump the pipes, and the caller looks every few milliseconds, since pipes cannot be polled.

use super::cancel::CancelToken;
use super::capture::{Capture, Captured};
use super::start_error::StartError;
use super::{Exit, Limits, ProcessOutcome, ProcessSpec, Program, RUN_MARK};
use std::io::{self, Read, Write};
use std::os::windows::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const SHELL: &str = "cmd.exe";

/// Between two looks at the commands.
const TICK: Duration = Duration::from_millis(5);

pub(super) fn run_all(
    specs: &[ProcessSpec],
    limits: &Limits,
    cancel: &CancelToken,
    meanwhile: &dyn Fn(),
) -> Vec<ProcessOutcome> {
    let mut commands: Vec<ChildState> = specs.iter().map(|spec| ChildState::start(spec, limits, cancel)).collect();
    meanwhile();
    // Every command is looked at every time: each has its own deadline.
    while commands.iter_mut().map(|command| command.is_done(limits, cancel)).filter(|done| !done).count() > 0 {
        std::thread::sleep(TICK);
    }
    commands.into_iter().map(ChildState::into_outcome).collect()
}

enum ChildState {
    Running(Running),
    Done(ProcessOutcome),
}

impl ChildState {
    fn start(spec: &ProcessSpec, limits: &Limits, cancel: &CancelToken) -> Self {
        if cancel.is_cancelled() {
            return Self::Done(ProcessOutcome::without_process(Exit::Cancelled));
        }
        let started = StartError::check(spec).and_then(|()| {
            Running::start(spec, limits).map_err(|reason| StartError::explain(spec, shell(&spec.program), reason))
        });
        match started {
            Ok(running) => Self::Running(running),
            Err(error) => Self::Done(ProcessOutcome::without_process(Exit::NotStarted(error.to_string()))),
        }
    }

    fn is_done(&mut self, limits: &Limits, cancel: &CancelToken) -> bool {
        match self {
            Self::Running(running) => running.is_done(limits, cancel),
            Self::Done(_) => true,
        }
    }

    fn into_outcome(self) -> ProcessOutcome {
        match self {
            Self::Running(running) => running.into_outcome(),
            Self::Done(outcome) => outcome,
        }
    }
}

struct Running {
    child: Child,
    stdout: Tap,
    stderr: Tap,
    started: Instant,
    deadline: Option<Instant>,
    ended: Option<Ended>,
}

struct Ended {
    exit: Exit,
    duration: Duration,
    /// Until then what the command left in its pipes is waited for.
    read_until: Option<Instant>,
}

impl Running {
    fn start(spec: &ProcessSpec, limits: &Limits) -> io::Result<Self> {
        let started = Instant::now();
        let mut child = program(spec)
            .current_dir(&spec.cwd)
            .envs(spec.env.iter().map(|(name, value)| (name, value)))
            .env(RUN_MARK, std::process::id().to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            let bytes = Arc::clone(spec.stdin.bytes());
            // A command need not read its input (HOOK-192).
            std::thread::spawn(move || stdin.write_all(&bytes));
        }
        let stdout = Tap::open(child.stdout.take(), limits.answer_to(spec.stdin.bytes().len()));
        let stderr = Tap::open(child.stderr.take(), limits.capture_bytes);
        Ok(Self { child, stdout, stderr, started, deadline: started.checked_add(spec.timeout), ended: None })
    }

    fn is_done(&mut self, limits: &Limits, cancel: &CancelToken) -> bool {
        let now = Instant::now();
        let Some(ended) = &self.ended else {
            self.ended = self.end(now, cancel).map(|exit| Ended {
                exit,
                duration: now.saturating_duration_since(self.started),
                read_until: now.checked_add(limits.drain),
            });
            return false;
        };
        let all_read = self.stdout.has_ended() && self.stderr.has_ended();
        all_read || ended.read_until.is_some_and(|moment| now >= moment)
    }

    fn end(&mut self, now: Instant, cancel: &CancelToken) -> Option<Exit> {
        match self.child.try_wait() {
            Ok(Some(status)) => return Some(Exit::Code(status.code().unwrap_or(-1))),
            Ok(None) => {}
            Err(error) => return Some(Exit::NotStarted(format!("how the command ended cannot be known: {error}"))),
        }
        let exit = if cancel.is_cancelled() {
            Exit::Cancelled
        } else if self.deadline.is_some_and(|moment| now >= moment) {
            Exit::TimedOut
        } else {
            return None;
        };
        // Fails only if it ended just now.
        let _ = self.child.kill();
        Some(exit)
    }

    fn into_outcome(self) -> ProcessOutcome {
        let (exit, duration) = match self.ended {
            Some(ended) => (ended.exit, ended.duration),
            None => (Exit::Cancelled, self.started.elapsed()),
        };
        ProcessOutcome { exit, stdout: self.stdout.take(), stderr: self.stderr.take(), duration }
    }
}

/// Reads one stream on a thread of its own, which ends with the stream.
struct Tap {
    capture: Arc<Mutex<Capture>>,
    reader: Option<JoinHandle<()>>,
}

impl Tap {
    fn open<R: Read + Send + 'static>(stream: Option<R>, limit: usize) -> Self {
        let capture = Arc::new(Mutex::new(Capture::new(limit)));
        let shared = Arc::clone(&capture);
        let reader = stream.map(|stream| std::thread::spawn(move || read_all(stream, &shared)));
        Self { capture, reader }
    }

    fn has_ended(&self) -> bool {
        self.reader.as_ref().is_none_or(JoinHandle::is_finished)
    }

    fn take(&self) -> Captured {
        lock(&self.capture).take()
    }
}

fn read_all(mut stream: impl Read, capture: &Mutex<Capture>) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => lock(capture).push(buffer.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

fn lock(capture: &Mutex<Capture>) -> MutexGuard<'_, Capture> {
    capture.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What reads a command that is no program itself.
fn shell(program: &Program) -> &'static str {
    match program {
        Program::SystemShell | Program::Executable(_) => SHELL,
        Program::Bash => "bash.exe",
        Program::PowerShell => "powershell.exe",
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
        Program::Bash => command.args(["-c", "--", &spec.command]),
        // `/S` takes off the outer quotes and leaves the text between them as it is.
        _ => command.raw_arg(format!("/D /S /C \"{}\"", spec.command)),
    };
    command
}
