use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Bytes that several users read without copying them. Clones share them.
#[derive(Clone, Default)]
pub struct SharedBytes(Option<Arc<dyn AsRef<[u8]> + Send + Sync>>);

impl SharedBytes {
    /// Shares what has bytes.
    #[must_use]
    pub fn new(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(bytes)))
    }
}

impl Deref for SharedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.as_ref().map(|bytes| (**bytes).as_ref()).unwrap_or_default()
    }
}

impl fmt::Debug for SharedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SharedBytes({})", self.len())
    }
}
