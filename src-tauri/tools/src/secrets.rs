//! What tools must not show. A secret is known outside; where a tool cuts a text or shows one that
//! is not yet whole, it asks here first, for half a secret is not known by anybody later.

/// Knows secrets.
pub trait Secrets: Send + Sync + std::fmt::Debug {
    /// The text with every secret blanked out.
    fn clean(&self, text: String) -> String;
    /// Up to where nothing that follows can make a secret of the text.
    fn clear_until(&self, text: &str) -> usize;
}

/// Knows none.
#[derive(Debug)]
pub(crate) struct NoSecrets;

impl Secrets for NoSecrets {
    fn clean(&self, text: String) -> String {
        text
    }

    fn clear_until(&self, text: &str) -> usize {
        text.len()
    }
}
