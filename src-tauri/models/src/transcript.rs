//! The append-only history, kept in the bytes that will be sent.
//!
//! A message is encoded once, when it is pushed. Neighbouring chunks are joined so that each chunk
//! is at least twice as long as the next: there are never more than about log2(bytes) of them,
//! and a byte is copied only when its chunk grows by half, so seldom. Taking a snapshot for a
//! request therefore costs nearly the same at message 8,000 as at message 8.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use serde_json::Value;

use crate::image::Pictures;
use crate::{Message, Protocol, anthropic, gemini, openai_chat, openai_responses, rehearsal};

/// The conversation so far, in its protocol's own bytes.
#[derive(Debug, Clone)]
pub struct Transcript {
    protocol: Protocol,
    chunks: Vec<Bytes>,
    bytes: usize,
    pictures: Pictures,
    so_far: SoFar,
}

/// What a message must know of those before it, in protocols that put several into one.
#[derive(Debug, Clone, Default)]
pub(crate) struct SoFar {
    /// Whose message is not closed yet, so that more can go into it.
    pub open: Option<Side>,
    /// The calls of the model's last turn, with their tools.
    pub calls: Vec<(String, String)>,
    /// Whether the model is in the middle of a turn that it began without thinking.
    pub unthought: bool,
    /// Whether it is a Gemini from 3 on, which takes no call without a signature and pictures
    /// inside results only.
    pub newer_gemini: bool,
    /// Pictures that wait for the results of all calls of their turn.
    pub pictures: Vec<Value>,
}

/// Who speaks, in protocols that know two sides only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// The person, the harness and the tools.
    User,
    /// The model.
    Model,
}

impl Transcript {
    /// An empty history.
    pub fn new(protocol: Protocol) -> Self {
        let (pictures, so_far) = (Pictures::default(), SoFar::default());
        Self { protocol, chunks: Vec::new(), bytes: 0, pictures, so_far }
    }

    /// An empty history for one model, which may want more than its protocol asks for.
    pub fn for_model(protocol: Protocol, model: &str) -> Self {
        let mut transcript = Self::new(protocol);
        transcript.so_far.newer_gemini = gemini::is_newer(protocol, model);
        transcript
    }

    /// Adds a message at the end.
    pub fn push(&mut self, m: &Message) {
        let encoded = encode(self.protocol, m, &mut self.so_far);
        if encoded.is_empty() {
            return;
        }
        if let Message::ToolResult { images, .. } = m
            && self.protocol != Protocol::Rehearsal
        {
            self.pictures.add(images);
        }
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
        let words = self.bytes.saturating_sub(self.pictures.bytes());
        estimated_tokens(words) + self.pictures.tokens()
    }

    /// Whether there are pictures in it.
    pub fn has_pictures(&self) -> bool {
        !self.pictures.is_empty()
    }

    /// The history as it is now, sharing its bytes.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            protocol: self.protocol,
            chunks: self.chunks.as_slice().into(),
            bytes: self.bytes,
            open: self.so_far.open,
            unthought: self.so_far.unthought,
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

fn encode(protocol: Protocol, message: &Message, so_far: &mut SoFar) -> Bytes {
    match protocol {
        Protocol::OpenAiChat => openai_chat::encode_message(message, so_far),
        Protocol::OpenAiResponses => openai_responses::encode_message(message),
        Protocol::Anthropic => anthropic::encode_message(message, so_far),
        Protocol::Gemini => gemini::encode_message(message, so_far),
        Protocol::Rehearsal | Protocol::Acp => rehearsal::encode_message(message),
    }
}

/// A history at one moment; a clone shares its bytes.
#[derive(Debug, Clone)]
pub struct Snapshot {
    protocol: Protocol,
    chunks: Arc<[Bytes]>,
    bytes: usize,
    open: Option<Side>,
    unthought: bool,
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

    /// How many bytes it has.
    pub fn len(&self) -> usize {
        self.chunks.iter().map(Bytes::len).sum()
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// The same with one more message, as it is encoded after what is here.
    pub(crate) fn and(&self, encoded: Bytes, so_far: &SoFar) -> Self {
        Self {
            protocol: self.protocol,
            bytes: self.bytes + encoded.len(),
            chunks: self.chunks.iter().cloned().chain([encoded]).collect(),
            open: so_far.open,
            unthought: so_far.unthought,
        }
    }

    /// Whose message is not closed yet.
    pub(crate) fn open(&self) -> Option<Side> {
        self.open
    }

    /// Whether the model is in the middle of a turn that it began without thinking.
    pub(crate) fn is_unthought(&self) -> bool {
        self.unthought
    }
}

/// About four bytes make a token in most vocabularies.
pub(crate) fn estimated_tokens(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Image;

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

    fn picture(length: usize) -> Image {
        Image { mime: "image/png".into(), bytes: vec![7; length] }
    }

    fn message(n: usize) -> Message {
        let length = if n.is_multiple_of(97) { n % 50_000 } else { n % 400 };
        let text = "né \"x\"\n".repeat(length / 7);
        match n % 4 {
            0 => Message::User { text },
            1 => Message::Assistant {
                text,
                calls: vec![crate::CallRequest::new(format!("c{n}"), "read_file", "{}")],
                kept: None,
            },
            2 => Message::ToolResult {
                call: format!("c{n}"),
                text,
                images: if n.is_multiple_of(10) { vec![picture(n % 90)] } else { Vec::new() },
                failed: n % 8 == 2,
            },
            _ => Message::Note { text },
        }
    }

    #[test]
    fn a_snapshot_is_the_plain_concatenation_in_few_chunks() {
        for protocol in [
            Protocol::OpenAiChat,
            Protocol::OpenAiResponses,
            Protocol::Anthropic,
            Protocol::Gemini,
            Protocol::Rehearsal,
            Protocol::Acp,
        ] {
            let mut transcript = Transcript::new(protocol);
            let mut plain = Vec::new();
            let mut so_far = SoFar::default();
            for (i, n) in numbers().take(8_000).enumerate() {
                let m = message(n);
                transcript.push(&m);
                plain.extend_from_slice(&encode(protocol, &m, &mut so_far));
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
    fn a_picture_does_not_count_by_its_bytes() {
        let mut transcript = Transcript::new(Protocol::Anthropic);
        transcript.push(&Message::ToolResult {
            call: "c".into(),
            text: "a large picture".into(),
            images: vec![picture(3_000_000)],
            failed: false,
        });
        assert!(transcript.has_pictures() && transcript.bytes() > 4_000_000);
        assert!((1_600..1_700).contains(&transcript.estimated_tokens()));
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
