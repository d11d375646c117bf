use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// Below the ten seconds that a native hook has, so that whoever waits too long can still say so.
const PATIENCE: Duration = Duration::from_secs(8);
const FIRST_PAUSE: Duration = Duration::from_micros(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(2);

/// A file or folder that this process alone holds. The lock ends with the process, however that ends.
#[derive(Debug)]
pub(super) struct Lock(File);

impl Lock {
    pub fn acquire(path: &Path) -> io::Result<Self> {
        let file = open(path)?;
        let start = Instant::now();
        let mut pause = FIRST_PAUSE;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self(file)),
                Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => {
                    thread::sleep(pause);
                    pause = LONGEST_PAUSE.min(pause * 2);
                }
                Err(TryLockError::WouldBlock) => {
                    let why = format!("somebody else held it for {} s", PATIENCE.as_secs());
                    return Err(io::Error::new(io::ErrorKind::WouldBlock, why));
                }
                Err(TryLockError::Error(error)) => return Err(error),
            }
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
