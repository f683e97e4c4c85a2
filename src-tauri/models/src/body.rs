//! A request body made of shared pieces, so that a long history is sent without being copied.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// Pieces sent one after the other; the length is known, so `Content-Length` is set.
#[derive(Debug)]
pub(crate) struct Pieces {
    left: VecDeque<Bytes>,
    bytes: u64,
}

impl Pieces {
    pub(crate) fn new(pieces: impl IntoIterator<Item = Bytes>) -> Self {
        let left: VecDeque<Bytes> = pieces.into_iter().filter(|piece| !piece.is_empty()).collect();
        let bytes = left.iter().map(|piece| piece.len() as u64).sum();
        Self { left, bytes }
    }
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let Some(piece) = self.left.pop_front() else {
            return Poll::Ready(None);
        };
        self.bytes -= piece.len() as u64;
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.left.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes)
    }
}
