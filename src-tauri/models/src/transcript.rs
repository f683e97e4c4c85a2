//! The append-only history, kept in the bytes that will be sent.
//!
//! A message is encoded once, when it is pushed. Neighbouring chunks are joined so that each chunk
//! is at least twice as long as the next: there are never more than about log2(bytes) of them,
//! and a byte is copied only when its chunk grows by half, so seldom. Taking a snapshot for a
//! request therefore costs nearly the same at message 8,000 as at message 8.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};

use crate::{Message, Protocol, openai_chat, rehearsal};

/// The conversation so far, in its protocol's own bytes.
#[derive(Debug, Clone)]
pub struct Transcript {
    protocol: Protocol,
    chunks: Vec<Bytes>,
    bytes: usize,
}

impl Transcript {
    /// An empty history.
    pub fn new(protocol: Protocol) -> Self {
        Self { protocol, chunks: Vec::new(), bytes: 0 }
    }

    /// Adds a message at the end.
    pub fn push(&mut self, m: &Message) {
        let encoded = match self.protocol {
            Protocol::OpenAiChat => openai_chat::encode_message(m),
            Protocol::Rehearsal => rehearsal::encode_message(m),
        };
        self.bytes += encoded.len();
        self.append(encoded);
    }

    /// Whether nothing was pushed yet.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// The length of the encoded history.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// A rough number of tokens, for deciding when a conversation grows too long.
    pub fn estimated_tokens(&self) -> u64 {
        estimated_tokens(self.bytes)
    }

    /// The history as it is now, sharing its bytes.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            protocol: self.protocol,
            chunks: self.chunks.as_slice().into(),
            bytes: self.bytes,
        }
    }

    /// The protocol messages are encoded in.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// Joins the new chunk with every trailing chunk that would not be twice as long, in one copy.
    fn append(&mut self, new: Bytes) {
        let mut length = new.len();
        let mut keep = self.chunks.len();
        while keep > 0 && self.chunks[keep - 1].len() < 2 * length {
            keep -= 1;
            length += self.chunks[keep].len();
        }
        if keep == self.chunks.len() {
            self.chunks.push(new);
            return;
        }
        let mut joined = BytesMut::with_capacity(length);
        for chunk in self.chunks.drain(keep..) {
            joined.extend_from_slice(&chunk);
        }
        joined.extend_from_slice(&new);
        self.chunks.push(joined.freeze());
    }
}

/// A history at one moment; a clone shares its bytes.
#[derive(Debug, Clone)]
pub struct Snapshot {
    protocol: Protocol,
    chunks: Arc<[Bytes]>,
    bytes: usize,
}

impl Snapshot {
    /// The protocol the history is encoded in.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// The length of the encoded history.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The encoded history in order; a chunk holds whole messages.
    pub fn chunks(&self) -> &[Bytes] {
        &self.chunks
    }
}

/// About four bytes make a token in most vocabularies.
pub(crate) fn estimated_tokens(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small fixed sequence of numbers that looks random.
    fn numbers() -> impl Iterator<Item = usize> {
        let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
        std::iter::from_fn(move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state >> 33).ok()
        })
    }

    fn message(n: usize) -> Message {
        let length = if n.is_multiple_of(97) { n % 50_000 } else { n % 400 };
        let text = "né \"x\"\n".repeat(length / 7);
        match n % 4 {
            0 => Message::User { text },
            1 => Message::Assistant {
                text,
                calls: vec![crate::CallRequest {
                    id: format!("c{n}"),
                    name: "read_file".into(),
                    arguments: "{}".into(),
                }],
            },
            2 => Message::ToolResult { call: format!("c{n}"), text },
            _ => Message::Note { text },
        }
    }

    #[test]
    fn a_snapshot_is_the_plain_concatenation_in_few_chunks() {
        for protocol in [Protocol::OpenAiChat, Protocol::Rehearsal] {
            let mut transcript = Transcript::new(protocol);
            let mut plain = Vec::new();
            for (i, n) in numbers().take(8_000).enumerate() {
                let m = message(n);
                transcript.push(&m);
                plain.extend_from_slice(&match protocol {
                    Protocol::OpenAiChat => openai_chat::encode_message(&m),
                    Protocol::Rehearsal => rehearsal::encode_message(&m),
                });
                let limit = plain.len().ilog2() as usize + 1;
                assert!(transcript.chunks.len() <= limit, "{} chunks", transcript.chunks.len());
                if i % 500 == 0 {
                    assert_eq!(transcript.snapshot().chunks().concat(), plain);
                }
            }
            assert_eq!(transcript.snapshot().chunks().concat(), plain);
            assert_eq!(transcript.bytes(), plain.len());
        }
    }

    #[test]
    fn a_snapshot_does_not_see_later_messages_and_shares_bytes() {
        let mut transcript = Transcript::new(Protocol::Rehearsal);
        assert!(transcript.is_empty());
        transcript.push(&message(399));
        let before = transcript.snapshot();
        transcript.push(&Message::User { text: String::new() });
        let after = transcript.snapshot();
        assert_eq!(before.chunks().len(), 1);
        assert_eq!(before.chunks()[0].as_ptr(), after.chunks()[0].as_ptr());
        assert!(after.bytes() > before.bytes());
    }
}
