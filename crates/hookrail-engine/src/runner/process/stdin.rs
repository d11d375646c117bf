//! What a command reads.

use std::fmt;
use std::sync::{Arc, LazyLock};

/// The input of commands, made when the first byte of it is needed: a command takes a while to begin, and what it reads can be made
/// meanwhile. Copies share it.
#[derive(Clone)]
pub struct Stdin(Arc<LazyLock<Arc<[u8]>, Maker>>);

type Maker = Box<dyn FnOnce() -> Arc<[u8]> + Send>;

impl Stdin {
    /// Input that `make` makes.
    pub fn made_by(make: impl FnOnce() -> Arc<[u8]> + Send + 'static) -> Self {
        Self(Arc::new(LazyLock::new(Box::new(make))))
    }

    /// The bytes, which are made now if they are not there yet.
    #[must_use]
    pub fn bytes(&self) -> &Arc<[u8]> {
        &self.0
    }
}

impl<T: Into<Arc<[u8]>>> From<T> for Stdin {
    fn from(bytes: T) -> Self {
        let bytes = bytes.into();
        Self::made_by(move || bytes)
    }
}

impl fmt::Debug for Stdin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stdin").finish_non_exhaustive()
    }
}
