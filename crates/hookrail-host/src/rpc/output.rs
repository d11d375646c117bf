use std::io::{BufWriter, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

const BUFFER_BYTES: usize = 64 * 1024;

/// Where answers go: whole lines, whoever writes them.
pub(super) struct Output {
    writer: Mutex<BufWriter<Box<dyn Write + Send>>>,
    broken: AtomicBool,
}

impl Output {
    pub fn new(writer: impl Write + Send + 'static) -> Self {
        let writer: Box<dyn Write + Send> = Box::new(writer);
        Self { writer: Mutex::new(BufWriter::with_capacity(BUFFER_BYTES, writer)), broken: AtomicBool::new(false) }
    }

    /// Adds a line. It may wait in the buffer until [`Output::flush`].
    pub fn write_line(&self, line: &str) {
        self.attempt(|writer| writer.write_all(line.as_bytes()).and_then(|()| writer.write_all(b"\n")));
    }

    pub fn flush(&self) {
        self.attempt(BufWriter::flush);
    }

    /// The answers are no longer read.
    pub fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed)
    }

    fn attempt(&self, work: impl FnOnce(&mut BufWriter<Box<dyn Write + Send>>) -> std::io::Result<()>) {
        if !self.is_broken() && work(&mut self.writer()).is_err() {
            self.broken.store(true, Ordering::Relaxed);
        }
    }

    fn writer(&self) -> MutexGuard<'_, BufWriter<Box<dyn Write + Send>>> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
