//! Keys in minisign's format.

use std::fmt;
use std::io::Cursor;

#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error("this is not a public key of minisign: {0}")]
    Public(String),
    #[error("the secret key cannot be used: {0}")]
    Secret(String),
    #[error("the key pair could not be made: {0}")]
    Generate(String),
    #[error("this is not a signature of minisign: {0}")]
    Signature(String),
    #[error("the signature is not valid for this bundle and the key {key}: {why}")]
    Invalid { key: String, why: String },
}

/// The public key that policies of a machine must be signed with.
#[derive(Clone, PartialEq, Eq)]
pub struct PinnedKey(minisign::PublicKey);

impl PinnedKey {
    /// Reads a `.pub` file, or the one line of it that is the key.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let line = text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
        minisign::PublicKey::from_base64(line).map(Self).map_err(|error| KeyError::Public(error.to_string()))
    }

    /// The key as one line.
    #[must_use]
    pub fn line(&self) -> String {
        self.0.to_base64()
    }

    /// The key as a file.
    #[must_use]
    pub fn file(&self) -> String {
        format!("untrusted comment: the key that policies of this machine are signed with\n{}\n", self.line())
    }

    /// Checks a detached signature. Only the form that hashes first is accepted, as minisign itself writes it.
    pub fn verify(&self, bytes: &[u8], signature: &str) -> Result<(), KeyError> {
        let signature =
            minisign::SignatureBox::from_string(signature).map_err(|error| KeyError::Signature(error.to_string()))?;
        minisign::verify(&self.0, &signature, Cursor::new(bytes), true, false, false)
            .map_err(|error| KeyError::Invalid { key: self.line(), why: error.to_string() })
    }
}

impl fmt::Debug for PinnedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PinnedKey").field(&self.line()).finish()
    }
}

/// A secret key, ready to sign. It is never printed.
pub struct SigningKey(minisign::SecretKey);

impl SigningKey {
    /// Reads a key file as `minisign -G` writes it. Without a password an encrypted key is asked for on the terminal.
    pub fn parse(text: &str, password: Option<String>) -> Result<Self, KeyError> {
        let secret = |error: minisign::PError| KeyError::Secret(error.to_string());
        let boxed = || minisign::SecretKeyBox::from_string(text).map_err(secret);
        if let Ok(key) = boxed()?.into_unencrypted_secret_key() {
            return Ok(Self(key));
        }
        boxed()?.into_secret_key(password).map(Self).map_err(secret)
    }

    pub fn public(&self) -> Result<PinnedKey, KeyError> {
        let key = minisign::PublicKey::from_secret_key(&self.0);
        key.map(PinnedKey).map_err(|error| KeyError::Secret(error.to_string()))
    }

    /// A detached signature. The comment is signed as well.
    pub fn sign(&self, bytes: &[u8], comment: &str) -> Result<String, KeyError> {
        let public = self.public()?;
        let signature = minisign::sign(Some(&public.0), &self.0, Cursor::new(bytes), Some(comment), None);
        signature.map(minisign::SignatureBox::into_string).map_err(|error| KeyError::Secret(error.to_string()))
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey")
    }
}

/// The texts of a new key pair's files.
pub struct KeyPair {
    pub public: String,
    pub secret: String,
}

impl KeyPair {
    /// With a password the secret key is encrypted by it.
    pub fn generate(password: Option<String>) -> Result<Self, KeyError> {
        let failed = |error: minisign::PError| KeyError::Generate(error.to_string());
        let pair = match password {
            Some(password) => minisign::KeyPair::generate_encrypted_keypair(Some(password)),
            None => minisign::KeyPair::generate_unencrypted_keypair(),
        };
        let pair = pair.map_err(failed)?;
        let secret = pair.sk.to_box(None).map_err(failed)?.into_string();
        Ok(Self { public: PinnedKey(pair.pk).file(), secret })
    }
}

impl fmt::Debug for KeyPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyPair").field("public", &self.public).finish_non_exhaustive()
    }
}
