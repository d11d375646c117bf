//! stdin and stdout of the hot path, read and written with patience.

use std::io;
#[cfg(unix)]
use std::time::{Duration, Instant};

/// Most events fit: one read for them, one for the end.
const USUAL_EVENT: usize = 4 << 10;

/// Agents give hooks a minute or more.
#[cfg(unix)]
const PATIENCE: Duration = Duration::from_secs(10);

/// Everything on stdin. Whoever does not end an event in time has sent none.
#[cfg(unix)]
pub fn read_all() -> io::Result<Vec<u8>> {
    use rustix::event::PollFlags;
    let mut until = None;
    let mut input = Vec::with_capacity(USUAL_EVENT);
    loop {
        if input.len() == input.capacity() {
            input.reserve(input.len());
        }
        wait(rustix::stdio::stdin(), PollFlags::IN, &mut until)?;
        match rustix::io::read(rustix::stdio::stdin(), rustix::buffer::spare_capacity(&mut input)) {
            Ok(0) => {
                input.shrink_to_fit();
                return Ok(input);
            }
            Ok(_) | Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(unix)]
pub fn write_all(mut text: &[u8]) -> io::Result<()> {
    while !text.is_empty() {
        match rustix::io::write(rustix::stdio::stdout(), text) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => text = text.get(count..).unwrap_or_default(),
            Err(rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::AGAIN) => {
                wait(rustix::stdio::stdout(), rustix::event::PollFlags::OUT, &mut None)?;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Reports whether stdout was closed before this process began: Rust's start-up then opens the null device for reading and writing in
/// its place, so that no other file takes its number. A shell's `>/dev/null` is for writing alone.
#[cfg(unix)]
pub fn is_missing() -> bool {
    use rustix::fs::{OFlags, fcntl_getfl, fstat, stat};
    let stdout = rustix::stdio::stdout();
    let is_for_both = fcntl_getfl(stdout).is_ok_and(|flags| flags.contains(OFlags::RDWR));
    is_for_both && fstat(stdout).is_ok_and(|here| stat("/dev/null").is_ok_and(|null| here.st_rdev == null.st_rdev))
}

/// Until a stream has something to give or has room. The clock is not read for one that is ready; `until` is when the patience ends
/// that began with the first one that was not.
#[cfg(unix)]
fn wait(
    stream: std::os::fd::BorrowedFd<'_>,
    ready: rustix::event::PollFlags,
    until: &mut Option<Instant>,
) -> io::Result<()> {
    let mut left = Duration::ZERO;
    while !is_ready(stream, ready, left)? {
        let now = Instant::now();
        left = until.get_or_insert(now + PATIENCE).saturating_duration_since(now);
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
    }
    Ok(())
}

/// Whether it is so within this time, which a signal may cut short.
#[cfg(unix)]
fn is_ready(
    stream: std::os::fd::BorrowedFd<'_>,
    ready: rustix::event::PollFlags,
    within: Duration,
) -> io::Result<bool> {
    use rustix::event::{PollFd, Timespec, poll};
    let within = Timespec::try_from(within).map_err(|_| io::ErrorKind::TimedOut)?;
    match poll(&mut [PollFd::from_borrowed_fd(stream, ready)], Some(&within)) {
        Ok(count) => Ok(count > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Everything on stdin.
#[cfg(not(unix))]
pub fn read_all() -> io::Result<Vec<u8>> {
    let mut input = Vec::with_capacity(USUAL_EVENT);
    io::Read::read_to_end(&mut io::stdin().lock(), &mut input).map(|_| input)
}

#[cfg(not(unix))]
pub fn is_missing() -> bool {
    false
}

#[cfg(not(unix))]
pub fn write_all(text: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    io::Write::write_all(&mut stdout, text).and_then(|()| io::Write::flush(&mut stdout))
}
