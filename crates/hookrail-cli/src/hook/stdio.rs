//! stdin and stdout of the hot path, without the buffers that Rust keeps for them: a process that lives half a millisecond
//! pays for every page it touches.

use std::io;

/// Most events fit: one read for them, one for the end.
const USUAL_EVENT: usize = 4 << 10;

/// Agents give hooks a minute or more.
#[cfg(unix)]
const PATIENCE_SECONDS: i64 = 10;

/// Everything on stdin.
#[cfg(unix)]
pub fn read_all() -> io::Result<Vec<u8>> {
    let mut input = Vec::with_capacity(USUAL_EVENT);
    loop {
        if input.len() == input.capacity() {
            input.reserve(input.len());
        }
        match rustix::io::read(rustix::stdio::stdin(), rustix::buffer::spare_capacity(&mut input)) {
            Ok(0) => return Ok(input),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::AGAIN) => wait(rustix::stdio::stdin(), rustix::event::PollFlags::IN)?,
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
            Err(rustix::io::Errno::AGAIN) => wait(rustix::stdio::stdout(), rustix::event::PollFlags::OUT)?,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Somebody set a stream to answer at once, and it has nothing to give or no room.
#[cfg(unix)]
fn wait(stream: std::os::fd::BorrowedFd<'_>, ready: rustix::event::PollFlags) -> io::Result<()> {
    use rustix::event::{PollFd, Timespec, poll};
    let patience = Timespec { tv_sec: PATIENCE_SECONDS, tv_nsec: 0 };
    match poll(&mut [PollFd::from_borrowed_fd(stream, ready)], Some(&patience)) {
        Ok(0) => Err(io::ErrorKind::TimedOut.into()),
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
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
pub fn write_all(text: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    io::Write::write_all(&mut stdout, text).and_then(|()| io::Write::flush(&mut stdout))
}
