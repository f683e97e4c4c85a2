//! A model's words for those who watch, as they come and without secrets.

use crate::chatter::{Channel, Chatter};
use crate::redact::{Pieces, Redactor};

/// Tells the words of one answer.
pub(super) struct Telling<'a> {
    redactor: &'a Redactor,
    channel: &'a Channel,
    text: Pieces,
    thought: Pieces,
}

impl<'a> Telling<'a> {
    pub(super) fn new(redactor: &'a Redactor, channel: &'a Channel) -> Self {
        Self { redactor, channel, text: Pieces::default(), thought: Pieces::default() }
    }

    /// The next words of the answer.
    pub(super) fn text(&mut self, delta: &str) {
        let delta = self.redactor.next(&mut self.text, delta);
        self.say(Chatter::Text { delta });
    }

    /// The next words of the model's thoughts.
    pub(super) fn thought(&mut self, delta: &str) {
        let delta = self.redactor.next(&mut self.thought, delta);
        self.say(Chatter::Thought { delta });
    }

    /// The answer is whole: what was held back was no secret.
    pub(super) fn end(mut self) {
        let delta = self.redactor.rest(&mut self.thought);
        self.say(Chatter::Thought { delta });
        let delta = self.redactor.rest(&mut self.text);
        self.say(Chatter::Text { delta });
    }

    fn say(&self, piece: Chatter) {
        if let Chatter::Text { delta } | Chatter::Thought { delta } = &piece
            && delta.is_empty()
        {
            return;
        }
        self.channel.send(piece);
    }
}
