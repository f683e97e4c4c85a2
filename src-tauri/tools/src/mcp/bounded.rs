//! Reads a server's lines and gives up on one that does not end.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, ReadBuf};

/// The longest message that is read: what a protocol library takes for large.
pub(super) const LONGEST_LINE: usize = 16 * 1024 * 1024;

/// A stream that fails when a line grows beyond [`LONGEST_LINE`].
pub(super) struct Bounded<R> {
    inner: R,
    /// Bytes since the last line end.
    line: usize,
    too_long: Arc<AtomicBool>,
}

impl<R> Bounded<R> {
    /// Watches `inner`, and sets `too_long` when it gives up.
    pub(super) fn new(inner: R, too_long: Arc<AtomicBool>) -> Self {
        Self { inner, line: 0, too_long }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Bounded<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buf))?;
        let new = &buf.filled()[before..];
        self.line = match new.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => new.len() - end - 1,
            None => self.line + new.len(),
        };
        if self.line > LONGEST_LINE {
            self.too_long.store(true, Ordering::Release);
            // Who fails has read nothing.
            buf.set_filled(before);
            return Poll::Ready(Err(std::io::ErrorKind::FileTooLarge.into()));
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    async fn read(text: &[u8]) -> (bool, bool) {
        let too_long = Arc::new(AtomicBool::new(false));
        let mut into = Vec::new();
        let mut bounded = Bounded::new(text, Arc::clone(&too_long));
        let read = bounded.read_to_end(&mut into).await;
        (read.is_ok(), too_long.load(Ordering::Acquire))
    }

    #[tokio::test]
    async fn many_lines_pass_and_an_endless_one_does_not() {
        let mut lines = vec![b'x'; LONGEST_LINE];
        lines.push(b'\n');
        lines.extend(vec![b'y'; LONGEST_LINE]);
        assert_eq!(read(&lines).await, (true, false));
        lines.push(b'z');
        assert_eq!(read(&lines).await, (false, true));
    }
}
