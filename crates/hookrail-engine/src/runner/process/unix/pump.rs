//! The three pipes of a command. Our ends never block, so one thread can serve any number of them.

use super::super::Stdin;
use super::super::capture::{Capture, Captured};
use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};

/// Our end of a pipe. The system is told that it must not block when it is first used: many commands neither read nor print, and then
/// it need not be told.
#[derive(Debug)]
struct NonBlocking<P> {
    pipe: P,
    told: bool,
}

impl<P: AsFd> NonBlocking<P> {
    fn new(pipe: P) -> Self {
        Self { pipe, told: false }
    }

    fn get(&mut self) -> io::Result<&mut P> {
        if !self.told {
            rustix::io::ioctl_fionbio(&self.pipe, true)?;
            self.told = true;
        }
        Ok(&mut self.pipe)
    }
}

/// Room for what most commands print.
const BUFFER_BYTES: usize = 2 * 1024;

/// As much as a pipe usually holds.
const PIPE_BYTES: usize = 64 * 1024;

/// How many reads one stream gets before the others have their turn.
const READS_PER_TURN: usize = 16;

/// Input on its way to the command.
#[derive(Debug)]
pub(super) struct Feed {
    /// Gone as soon as there is nothing more to write, which is the end of input for the command.
    pipe: Option<NonBlocking<PipeWriter>>,
    input: Stdin,
    written: usize,
}

impl Feed {
    /// The feed, and the end of its pipe that belongs to the command.
    pub(super) fn new(input: &Stdin) -> io::Result<(Self, PipeReader)> {
        let (theirs, ours) = io::pipe()?;
        Ok((Self { pipe: Some(NonBlocking::new(ours)), input: input.clone(), written: 0 }, theirs))
    }

    /// How much there is to write in all.
    pub(super) fn len(&self) -> usize {
        self.input.bytes().len()
    }

    pub(super) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(|ours| ours.pipe.as_fd())
    }

    /// Writes what the pipe takes.
    pub(super) fn push(&mut self) {
        while let Some(pipe) = &mut self.pipe {
            let rest = self.input.bytes().get(self.written..).unwrap_or_default();
            if rest.is_empty() {
                return self.close();
            }
            match pipe.get().and_then(|pipe| pipe.write(rest)) {
                Ok(count) => self.written += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                // A command need not read its input (HOOK-192).
                Err(_) => return self.close(),
            }
        }
    }

    pub(super) fn close(&mut self) {
        self.pipe = None;
    }
}

/// One output stream of the command.
#[derive(Debug)]
pub(super) struct Stream {
    /// Gone at the end of the stream.
    pipe: Option<NonBlocking<PipeReader>>,
    capture: Capture,
}

impl Stream {
    /// The stream, and the end of its pipe that belongs to the command.
    pub(super) fn new(limit: usize) -> io::Result<(Self, PipeWriter)> {
        let (ours, theirs) = io::pipe()?;
        Ok((Self { pipe: Some(NonBlocking::new(ours)), capture: Capture::new(limit) }, theirs))
    }

    pub(super) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(|ours| ours.pipe.as_fd())
    }

    pub(super) fn has_ended(&self) -> bool {
        self.pipe.is_none()
    }

    pub(super) fn end(&mut self) {
        self.pipe = None;
    }

    /// How much of it is kept from now on.
    pub(super) fn set_limit(&mut self, limit: usize) {
        self.capture.limit = limit;
    }

    /// Reads what is there. Most commands print little or nothing: a buffer that is never used up need not be long, and at first there
    /// is none.
    pub(super) fn pull(&mut self, buffer: &mut Vec<u8>) {
        for _ in 0..READS_PER_TURN {
            let Some(pipe) = &mut self.pipe else { return };
            if buffer.is_empty() {
                buffer.resize(BUFFER_BYTES, 0);
            }
            match pipe.get().and_then(|pipe| pipe.read(buffer)) {
                Ok(0) => self.pipe = None,
                Ok(count) => {
                    self.capture.push(buffer.get(..count).unwrap_or_default());
                    if count == buffer.len() {
                        buffer.resize(PIPE_BYTES, 0);
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => self.pipe = None,
            }
        }
    }

    /// What was read.
    pub(super) fn take(&mut self) -> Captured {
        self.capture.take()
    }
}
