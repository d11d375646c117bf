//! A file that is read where it lies.

use super::{FileError, length, open_own, read_at_most};
use std::path::Path;

/// From this length on, mapping a file takes less than copying it: a copy needs memory, page by page.
#[cfg(unix)]
const MAPPED_FROM: u64 = 8 << 10;

/// The content of a file that was replaced as a whole whenever it changed.
#[derive(Debug)]
pub enum FileBytes {
    Read(Vec<u8>),
    #[cfg(unix)]
    Mapped(Mapping),
}

impl AsRef<[u8]> for FileBytes {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Read(bytes) => bytes,
            #[cfg(unix)]
            Self::Mapped(mapping) => mapping.bytes(),
        }
    }
}

/// [`careful_read`](super::careful_read) for a file of our own that is replaced and never changed, in a folder that is its user's
/// alone. A long one is not copied.
pub fn careful_share(path: &Path, max: u64) -> Result<FileBytes, FileError> {
    let file = open_own(path)?;
    let length = length(path, &file)?;
    #[cfg(unix)]
    if (MAPPED_FROM..=max).contains(&length)
        && let Some(mapping) = Mapping::of(&file, length)
    {
        return Ok(FileBytes::Mapped(mapping));
    }
    match read_at_most(&file, length, max) {
        Ok(Some(bytes)) => Ok(FileBytes::Read(bytes)),
        Ok(None) => Err(FileError::TooLarge { path: path.to_owned(), max }),
        Err(source) => Err(FileError::io(path, source)),
    }
}

#[cfg(unix)]
pub use mapping::Mapping;

#[cfg(unix)]
#[expect(unsafe_code, reason = "memory that the system fills from a file")]
mod mapping {
    use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
    use std::fs::File;
    use std::ptr::{self, NonNull};
    use std::slice;

    /// A file as memory, to be read.
    #[derive(Debug)]
    pub struct Mapping {
        start: NonNull<u8>,
        length: usize,
    }

    // SAFETY: the memory is only read, and belongs to no thread.
    unsafe impl Send for Mapping {}
    // SAFETY: as above.
    unsafe impl Sync for Mapping {}

    impl Mapping {
        /// None where the system cannot do that.
        pub(super) fn of(file: &File, length: u64) -> Option<Self> {
            let length = usize::try_from(length).ok().filter(|length| *length > 0)?;
            // SAFETY: new memory, at an address that the system chooses.
            let start = unsafe { mmap(ptr::null_mut(), length, ProtFlags::READ, MapFlags::PRIVATE, file, 0) }.ok()?;
            Some(Self { start: NonNull::new(start.cast())?, length })
        }

        pub(super) fn bytes(&self) -> &[u8] {
            // SAFETY: the memory is as long as the file was, and stays until this is dropped. The file is replaced and never changed; if
            // somebody cuts it all the same, the process ends by a signal, which `hookrail hook` answers with a refusal.
            unsafe { slice::from_raw_parts(self.start.as_ptr(), self.length) }
        }
    }

    impl Drop for Mapping {
        fn drop(&mut self) {
            // SAFETY: nothing refers to the memory any more. It cannot fail for what was mapped.
            let _ = unsafe { munmap(self.start.as_ptr().cast(), self.length) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const MAX: u64 = 100_000;

    #[test]
    fn a_file_is_read_whatever_its_length_and_stays_what_it_was_when_it_is_replaced() {
        let place = tempfile::tempdir().unwrap();
        let [path, draft] = ["file", "draft"].map(|name| place.path().join(name));
        for length in [0_usize, 1, 4096, 8191, 8192, 8193, 100_000] {
            let content: Vec<u8> = (0..length).map(|at| at.to_le_bytes()[0]).collect();
            fs::write(&draft, &content).unwrap();
            fs::rename(&draft, &path).unwrap();
            let shared = careful_share(&path, MAX).unwrap();
            fs::write(&draft, "another").unwrap();
            fs::rename(&draft, &path).unwrap();
            assert_eq!(shared.as_ref(), content, "{length}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        assert!(matches!(careful_share(&path, MAX), Err(FileError::NotFound(_))));
        fs::write(&path, vec![0; 100_001]).unwrap();
        assert!(matches!(careful_share(&path, MAX), Err(FileError::TooLarge { .. })));
        assert!(matches!(careful_share(place.path(), MAX), Err(FileError::NotRegular { .. })));
        #[cfg(unix)]
        {
            let link = place.path().join("link");
            std::os::unix::fs::symlink(&path, &link).unwrap();
            assert!(matches!(careful_share(&link, MAX), Err(FileError::Link(_))));
            let pipe = place.path().join("pipe");
            assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
            assert!(matches!(careful_share(&pipe, MAX), Err(FileError::NotRegular { .. })));
        }
    }
}
