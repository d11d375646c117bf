use super::child::{ChildEnd, Report};
use std::io;
use std::path::{Path, PathBuf};

/// An input that a target did not take well.
pub struct Finding {
    pub what: String,
    pub input: Vec<u8>,
}

impl Finding {
    /// Writes the input down, named after its content so that it is kept once.
    pub fn keep(&self, folder: &Path) -> io::Result<PathBuf> {
        let path = folder.join(format!("{:016x}.input", fingerprint(&self.input)));
        std::fs::write(&path, &self.input)?;
        Ok(path)
    }
}

impl Report {
    /// Panics, which the child survives, and what ended it.
    pub fn findings(&self) -> Vec<Finding> {
        let mut findings: Vec<Finding> = self
            .panics
            .iter()
            .map(|(input, message)| Finding { what: format!("panicked: {message}"), input: input.clone() })
            .collect();
        let what = match &self.ending {
            ChildEnd::Done | ChildEnd::Delayed => return findings,
            ChildEnd::Slow => "took more than 1 s of computing".to_owned(),
            ChildEnd::Crashed(how) => format!("ended the process: {how} (a stack overflow, an abort, or over 256 MiB)"),
        };
        findings.push(Finding { what, input: self.current.clone() });
        findings
    }
}

/// A short name for bytes (FNV-1a). Two inputs with the same name would be one file, which costs a finding at worst.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
