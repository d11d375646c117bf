//! A disk that is full soon: a file system in memory, mounted where a test wants it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A mounted disk; unmounted at the end.
#[derive(Debug)]
pub struct SmallDisk {
    at: PathBuf,
}

impl SmallDisk {
    /// Mounts one of so many KiB. `None` where mounting is not allowed, which is said; it is forbidden to root alone by
    /// containers, so that nothing requires it.
    #[must_use]
    pub fn mount(at: &Path, kib: u32) -> Option<Self> {
        std::fs::create_dir_all(at).ok()?;
        let size = format!("size={kib}k,mode=700");
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "hookrail-test"]).arg(at).output();
        if mount.is_ok_and(|output| output.status.success()) {
            return Some(Self { at: at.to_owned() });
        }
        #[expect(clippy::print_stderr, reason = "whoever reads the tests must know")]
        {
            eprintln!("NOT RUN: a file system cannot be mounted here (it takes root, and a machine that lets it)");
        }
        None
    }

    /// Fills the disk up, except for so many bytes.
    pub fn fill(&self, but: usize) {
        let ballast = self.ballast();
        let mut bytes = vec![0_u8; 1 << 16];
        let file = std::fs::File::create(&ballast).unwrap_or_else(|error| panic!("{}: {error}", ballast.display()));
        let mut written = 0_u64;
        while !bytes.is_empty() {
            match std::io::Write::write(&mut &file, &bytes) {
                Ok(count) if count > 0 => written += count as u64,
                _ => bytes.truncate(bytes.len() / 2),
            }
        }
        let left = written.saturating_sub(but as u64);
        assert!(file.set_len(left).is_ok(), "{}", ballast.display());
    }

    /// Makes room again.
    pub fn free(&self) {
        let removed = std::fs::remove_file(self.ballast());
        assert!(removed.is_ok(), "{removed:?}");
    }

    fn ballast(&self) -> PathBuf {
        self.at.join("ballast")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: a server may be about to end.
        let _ = Command::new("umount").arg("-l").arg(&self.at).status();
    }
}
