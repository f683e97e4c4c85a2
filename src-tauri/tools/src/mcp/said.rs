//! What a server wrote to its error output: the last of it, however much came.

use crate::cut::last_words;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::io::{AsyncRead, AsyncReadExt};

/// How much is remembered of each server.
const REMEMBERED: usize = 64 * 1024;
/// How much of it an error quotes.
const QUOTED: usize = 600;

/// How many lines of our own are remembered, and how much of each.
const NOTES: usize = 100;
const LONGEST_NOTE: usize = 2_000;

/// The last words of a server, through all its lives. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Said(Arc<Mutex<Words>>);

#[derive(Default)]
struct Words {
    kept: VecDeque<u8>,
    /// How many bytes there were in all.
    heard: usize,
    /// Lines of our own, each with how much was heard before it. They take no room from the rest.
    notes: VecDeque<(usize, String)>,
}

impl Said {
    /// Everything that is remembered.
    pub(crate) fn text(&self) -> String {
        let words = self.lock();
        let kept: Vec<u8> = words.kept.iter().copied().collect();
        let gone = words.heard - kept.len();
        let mut at = 0;
        let mut text = Vec::new();
        if kept.len() == REMEMBERED {
            // The first line is a part of one.
            at = kept.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            text.extend_from_slice("[…]\n".as_bytes());
        }
        let first = gone + at;
        for (heard, note) in words.notes.iter().filter(|(heard, _)| *heard >= first) {
            text.extend_from_slice(&kept[at..heard - gone]);
            at = heard - gone;
            if text.last().is_some_and(|last| *last != b'\n') {
                text.push(b'\n');
            }
            text.extend_from_slice(format!("[{note}]\n").as_bytes());
        }
        text.extend_from_slice(&kept[at..]);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// The last of it, for an error.
    pub(crate) fn end(&self) -> String {
        let text = self.text();
        let text = text.trim_end();
        last_words(text, QUOTED).trim_start().to_owned()
    }

    /// Adds a line of our own, unless it is what we said last and nothing was heard since.
    pub(crate) fn note(&self, line: &str) {
        let mut words = self.lock();
        let note = (words.heard, line[..line.floor_char_boundary(LONGEST_NOTE)].to_owned());
        if words.notes.back() == Some(&note) {
            return;
        }
        if words.notes.len() == NOTES {
            words.notes.pop_front();
        }
        words.notes.push_back(note);
    }

    pub(crate) fn push(&self, bytes: &[u8]) {
        let mut words = self.lock();
        words.heard += bytes.len();
        let bytes = &bytes[bytes.len().saturating_sub(REMEMBERED)..];
        let over = (words.kept.len() + bytes.len()).saturating_sub(REMEMBERED);
        words.kept.drain(..over);
        words.kept.extend(bytes);
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

    fn lock(&self) -> MutexGuard<'_, Words> {
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
    #[test]
    fn lines_of_our_own_push_nothing_out_and_are_not_said_over_and_over() {
        let said = Said::default();
        said.push(b"why it failed\n");
        for number in 0..10_000 {
            said.note("started");
            said.note(&format!("try {number}"));
            said.note("started");
            said.note("started");
        }
        let text = said.text();
        assert!(text.starts_with("why it failed\n[") && text.ends_with("[try 9999]\n[started]\n"));
        assert_eq!(text.lines().count(), NOTES + 1);
        said.push(b"half");
        said.note("started");
        said.push(b" a line\n");
        assert!(said.text().ends_with("[started]\nhalf\n[started]\n a line\n"));
        said.push(&b"line\n".repeat(REMEMBERED));
        assert!(!said.text().contains("started"), "what it stood beside is gone");
    }
}
