use hookrail_store::{LockKind, wait_for_lock};
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// Below the ten seconds that a native hook has; one with less time waits less.
const PATIENCE: Duration = Duration::from_secs(8);

/// A file or folder that this process alone holds. The lock ends with the process, however that ends.
#[derive(Debug)]
pub(super) struct Lock(File);

impl Lock {
    pub fn acquire(path: &Path) -> io::Result<Self> {
        let file = open(path)?;
        let started = Instant::now();
        match wait_for_lock(&file, LockKind::Exclusive, PATIENCE) {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => {
                let why = format!("another process held it for {} ms", started.elapsed().as_millis());
                Err(io::Error::new(io::ErrorKind::WouldBlock, why))
            }
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// A pipe in the place of the file is not waited for: it is opened, and locked like anything else.
fn open(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    options.read(true).open(path)
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing is not enough: a child process that is just being started may still hold a copy of the handle.
        let _ = self.0.unlock();
    }
}
