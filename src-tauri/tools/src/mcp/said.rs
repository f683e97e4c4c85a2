//! What a server wrote to its error output: the last of it, however much came.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::io::{AsyncRead, AsyncReadExt};

/// How much is remembered of each server.
const REMEMBERED: usize = 64 * 1024;
/// How much of it an error quotes.
const QUOTED: usize = 600;

/// The last words of a server, through all its lives. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Said(Arc<Mutex<VecDeque<u8>>>);

impl Said {
    /// Everything that is remembered.
    pub(crate) fn text(&self) -> String {
        let kept = self.lock();
        let (front, back) = kept.as_slices();
        let text = String::from_utf8_lossy(&[front, back].concat()).into_owned();
        match kept.len() < REMEMBERED {
            true => text,
            // The first line is a part of one.
            false => format!("[…]\n{}", text.split_once('\n').map_or(text.as_str(), |two| two.1)),
        }
    }

    /// The last of it, for an error.
    pub(crate) fn end(&self) -> String {
        let text = self.text();
        let text = text.trim_end();
        text[text.ceil_char_boundary(text.len().saturating_sub(QUOTED))..].trim_start().to_owned()
    }

    /// Adds a line of our own.
    pub(crate) fn note(&self, line: &str) {
        self.push(format!("[{line}]\n").as_bytes());
    }

    pub(crate) fn push(&self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(REMEMBERED)..];
        let mut kept = self.lock();
        let over = (kept.len() + bytes.len()).saturating_sub(REMEMBERED);
        kept.drain(..over);
        kept.extend(bytes);
    }

    /// Reads to the end, as fast as it comes, so that a flood blocks nobody.
    pub(crate) async fn listen(self, mut from: impl AsyncRead + Unpin) {
        let mut piece = vec![0; 32 * 1024];
        while let Ok(count) = from.read(&mut piece).await
            && count > 0
        {
            self.push(&piece[..count]);
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_leaves_its_end_and_no_more() {
        let said = Said::default();
        for number in 0..100_000 {
            said.push(format!("line {number}\n").as_bytes());
        }
        let text = said.text();
        assert!(text.len() <= REMEMBERED + 10 && text.ends_with("line 99999\n"));
        assert!(text.starts_with("[…]\nline "), "{}", &text[..20]);
        assert!(said.end().ends_with("line 99999") && said.end().len() <= QUOTED);
    }
}
