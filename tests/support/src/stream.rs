//! Sends a reply the way its script says: in pieces, held back, or cut off.

use std::collections::VecDeque;
use std::io;

use bytes::Bytes;
use futures::Stream;
use futures::stream;

use crate::hold::Waiting;
use crate::reply::Travel;
use crate::{Ending, Recorded};

/// Marks a reply as dropped when it goes away before its end.
pub(crate) struct Answering {
    request: Recorded,
}

impl Answering {
    pub fn new(request: Recorded) -> Self {
        Self { request }
    }

    pub fn end(&self, how: Ending) {
        self.request.end(how);
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.request.end(Ending::Dropped);
    }
}

/// What happens next on the connection.
#[derive(Debug, PartialEq)]
enum Move {
    Send(Bytes),
    /// Go on when replies are not held.
    Pass,
    /// Go on at the next release.
    Wait,
    Cut,
}

/// The body as a stream; dropping it before its end marks the request as dropped.
pub(crate) fn send(
    body: Bytes,
    travel: Travel,
    waiting: Waiting,
    answering: Answering,
) -> impl Stream<Item = io::Result<Bytes>> {
    let state = (moves(body, travel), waiting, answering);
    stream::unfold(state, |(mut moves, mut waiting, answering)| async move {
        loop {
            // Gives the connection a chance to write what it has, so that a piece is a piece
            // for the client and nothing before a cut is lost.
            tokio::task::yield_now().await;
            match moves.pop_front() {
                Some(Move::Send(bytes)) => return Some((Ok(bytes), (moves, waiting, answering))),
                Some(Move::Pass) => waiting.while_held().await,
                Some(Move::Wait) => waiting.for_release().await,
                Some(Move::Cut) => {
                    answering.end(Ending::Cut);
                    let cut = io::Error::other("the script cuts the connection here");
                    return Some((Err(cut), (moves, waiting, answering)));
                }
                None => {
                    answering.end(Ending::Whole);
                    return None;
                }
            }
        }
    })
}

fn moves(mut body: Bytes, travel: Travel) -> VecDeque<Move> {
    body.truncate(travel.cut_after.unwrap_or(body.len()));
    let mut moves = VecDeque::new();
    // A held stream is open: its first event is out, so that the client is in the middle of it.
    push(&mut moves, split_events(&mut body, 1), travel.piece);
    moves.push_back(Move::Pass);
    if let Some(events) = travel.hold_after {
        let before = split_events(&mut body, events.saturating_sub(1));
        push(&mut moves, before, travel.piece);
        moves.push_back(Move::Wait);
    }
    push(&mut moves, body, travel.piece);
    if travel.cut_after.is_some() {
        moves.push_back(Move::Cut);
    }
    moves
}

/// Takes whole events off the front, or all there is.
fn split_events(body: &mut Bytes, events: usize) -> Bytes {
    let mut end = 0;
    for _ in 0..events {
        let blank = body[end..].windows(2).position(|pair| pair == b"\n\n");
        end = blank.map_or(body.len(), |at| end + at + 2);
    }
    body.split_to(end)
}

fn push(moves: &mut VecDeque<Move>, mut bytes: Bytes, piece: Option<usize>) {
    let piece = piece.unwrap_or(bytes.len());
    while !bytes.is_empty() {
        let next = bytes.split_to(piece.min(bytes.len()));
        moves.push_back(Move::Send(next));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn send(text: &'static str) -> Move {
        Move::Send(Bytes::from_static(text.as_bytes()))
    }

    #[test]
    fn a_reply_waits_after_the_events_named() {
        let travel = Travel { hold_after: Some(2), ..Travel::default() };
        assert_eq!(
            moves("a\n\nb\n\nc\n\n".into(), travel),
            [send("a\n\n"), Move::Pass, send("b\n\n"), Move::Wait, send("c\n\n"),]
        );
    }

    #[test]
    fn a_cut_comes_after_exactly_so_many_bytes() {
        let travel = Travel { piece: Some(2), cut_after: Some(5), ..Travel::default() };
        assert_eq!(
            moves("a\n\nb\n\n".into(), travel),
            [send("a\n"), send("\n"), Move::Pass, send("b\n"), Move::Cut,]
        );
    }
}
