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
    /// Waits for the file or folder of this path. `waited` is how long this event has waited for it in vain, which counts.
    pub fn acquire(path: &Path, waited: &mut Duration) -> io::Result<Self> {
        let started = Instant::now();
        loop {
            let file = open(path)?;
            let patience = PATIENCE.saturating_sub(*waited + started.elapsed());
            match wait_for_lock(&file, LockKind::Exclusive, patience) {
                // Who changes a file replaces it. A lock on the one that was replaced meanwhile keeps no other process out.
                Ok(()) if is_at(&file, path)? => return Ok(Self(file)),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    *waited += started.elapsed();
                    let why = format!("another process held it for {} ms", waited.as_millis());
                    return Err(io::Error::new(io::ErrorKind::WouldBlock, why));
                }
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }
}

/// Whether an open file is still the one that the path leads to.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let (ours, there) = (file.metadata()?, path.metadata()?);
        Ok((ours.dev(), ours.ino()) == (there.dev(), there.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = (file, path);
        Ok(true)
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
