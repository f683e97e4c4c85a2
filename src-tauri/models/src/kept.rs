//! What a provider wants to see again together with a turn: reasoning that is signed or sealed.
//!
//! It is worth something only to the model that gave it, and only in the place where it stood. So
//! a turn is kept as a row of pieces: the provider's own, and references to words and calls, which
//! are stored elsewhere.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{CallRequest, Protocol};

/// The layout of one turn, with what is the provider's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    protocol: Protocol,
    pieces: Vec<Piece>,
}

/// One piece of a turn, in the order in which it came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Piece {
    /// Something only the provider understands.
    Own(Value),
    /// The next words, so many bytes.
    Text {
        bytes: usize,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mark: Option<String>,
    },
    /// The next call.
    Call {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mark: Option<String>,
    },
}

/// A piece of a turn with what it stands for.
#[derive(Debug, PartialEq)]
pub(crate) enum Part<'a> {
    Own(&'a Value),
    Text { text: &'a str, mark: Option<&'a str> },
    Call { call: &'a CallRequest, mark: Option<&'a str> },
}

impl Kept {
    pub(crate) fn new(protocol: Protocol) -> Self {
        Self { protocol, pieces: Vec::new() }
    }

    /// Adds something of the provider's own.
    pub(crate) fn own(&mut self, value: Value) {
        self.pieces.push(Piece::Own(value));
    }

    /// Adds words; those that follow each other without a mark between them are one piece.
    pub(crate) fn text(&mut self, words: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Text { bytes, mark: None }) => *bytes += words.len(),
            Some(Piece::Text { .. } | Piece::Own(_) | Piece::Call { .. }) | None => {
                self.pieces.push(Piece::Text { bytes: words.len(), mark: None });
            }
        }
    }

    /// Adds a call.
    pub(crate) fn call(&mut self, mark: Option<String>) {
        self.pieces.push(Piece::Call { mark });
    }

    /// Adds words with a mark on them, possibly a mark alone.
    pub(crate) fn marked_text(&mut self, words: &str, mark: String) {
        self.pieces.push(Piece::Text { bytes: words.len(), mark: Some(mark) });
    }

    /// Adds another part of the same turn.
    pub(crate) fn append(&mut self, other: Self) {
        self.pieces.extend(other.pieces);
    }

    /// Itself, if it holds anything that words and calls alone would lose.
    pub(crate) fn worth_keeping(self) -> Option<Self> {
        let told = self.pieces.iter().any(|piece| match piece {
            Piece::Own(_) => true,
            Piece::Text { mark, .. } | Piece::Call { mark } => mark.is_some(),
        });
        told.then_some(self)
    }

    fn fits(&self, text: &str, calls: &[CallRequest]) -> bool {
        let (mut at, mut count) = (0, 0);
        for piece in &self.pieces {
            match piece {
                Piece::Own(_) => {}
                Piece::Text { bytes, .. } => at += bytes,
                Piece::Call { .. } => count += 1,
            }
            if !text.is_char_boundary(at) {
                return false;
            }
        }
        at == text.len() && count == calls.len()
    }
}

/// A turn as the pieces it came in, or simply words and calls when nothing was kept for this
/// protocol. Where the words were changed since, what is the provider's own comes first.
pub(crate) fn parts<'a>(
    protocol: Protocol,
    text: &'a str,
    calls: &'a [CallRequest],
    kept: Option<&'a Kept>,
) -> Vec<Part<'a>> {
    let kept = kept.filter(|kept| kept.protocol == protocol);
    let Some(kept) = kept.filter(|kept| kept.fits(text, calls)) else {
        let pieces = kept.map_or(&[][..], |kept| &kept.pieces);
        return plain(pieces, text, calls);
    };
    let (mut rest, mut calls) = (text, calls.iter());
    let mut parts = Vec::with_capacity(kept.pieces.len());
    for piece in &kept.pieces {
        match piece {
            Piece::Own(value) => parts.push(Part::Own(value)),
            Piece::Text { bytes, mark } => {
                let (words, after) = rest.split_at(*bytes);
                rest = after;
                parts.push(Part::Text { text: words, mark: mark.as_deref() });
            }
            Piece::Call { mark } => {
                parts.extend(calls.next().map(|call| Part::Call { call, mark: mark.as_deref() }));
            }
        }
    }
    parts
}

fn plain<'a>(pieces: &'a [Piece], text: &'a str, calls: &'a [CallRequest]) -> Vec<Part<'a>> {
    let own = pieces.iter().filter_map(|piece| match piece {
        Piece::Own(value) => Some(Part::Own(value)),
        Piece::Text { .. } | Piece::Call { .. } => None,
    });
    let mut parts: Vec<Part<'a>> = own.collect();
    if !text.is_empty() {
        parts.push(Part::Text { text, mark: None });
    }
    let mut marks = pieces.iter().filter_map(|piece| match piece {
        Piece::Call { mark } => Some(mark.as_deref()),
        Piece::Own(_) | Piece::Text { .. } => None,
    });
    for call in calls {
        parts.push(Part::Call { call, mark: marks.next().flatten() });
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(id: &str) -> CallRequest {
        CallRequest::new(id, "read", "{}")
    }

    fn kept() -> Kept {
        let mut kept = Kept::new(Protocol::Anthropic);
        kept.own(json!("a"));
        kept.text("é");
        kept.text("t");
        kept.own(json!("b"));
        kept.call(Some("m".into()));
        kept.text("end");
        kept.worth_keeping().unwrap()
    }

    #[test]
    fn a_turn_comes_back_in_its_order_also_from_the_log() {
        let stored = serde_json::to_string(&kept()).unwrap();
        let again: Kept = serde_json::from_str(&stored).unwrap();
        assert_eq!(again, kept());
        let calls = [call("1")];
        let parts = parts(Protocol::Anthropic, "étend", &calls, Some(&again));
        let expected = [
            Part::Own(&json!("a")),
            Part::Text { text: "ét", mark: None },
            Part::Own(&json!("b")),
            Part::Call { call: &calls[0], mark: Some("m") },
            Part::Text { text: "end", mark: None },
        ];
        assert_eq!(parts, expected);
    }

    #[test]
    fn changed_words_or_another_protocol_lose_the_order_but_nothing_else() {
        let (kept, calls) = (kept(), [call("1")]);
        let changed = parts(Protocol::Anthropic, "[redacted]", &calls, Some(&kept));
        let expected = [
            Part::Own(&json!("a")),
            Part::Own(&json!("b")),
            Part::Text { text: "[redacted]", mark: None },
            Part::Call { call: &calls[0], mark: Some("m") },
        ];
        assert_eq!(changed, expected);
        let elsewhere = parts(Protocol::Gemini, "étend", &calls, Some(&kept));
        let expected =
            [Part::Text { text: "étend", mark: None }, Part::Call { call: &calls[0], mark: None }];
        assert_eq!(elsewhere, expected);
    }

    #[test]
    fn words_and_calls_alone_need_not_be_kept() {
        let mut kept = Kept::new(Protocol::Gemini);
        kept.text("words");
        kept.call(None);
        assert_eq!(kept.clone().worth_keeping(), None);
        kept.marked_text("", "signed".into());
        assert!(kept.worth_keeping().is_some());
    }
}
