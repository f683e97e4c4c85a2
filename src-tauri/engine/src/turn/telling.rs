//! A model's words for those who watch, as they come and without secrets.

use super::answer_words::AnswerWords;
use crate::chatter::{Channel, Chatter};
use crate::redact::{Pieces, Redactor};
use models::Force;

/// Tells the words of one answer.
pub(super) struct Telling<'a> {
    redactor: &'a Redactor,
    channel: &'a Channel,
    text: Pieces,
    thought: Pieces,
    form: Form,
}

/// What the words of an answer are.
enum Form {
    /// Words.
    Plain,
    /// A call, or words in JSON.
    OneCall(AnswerWords),
    /// The arguments of a call, which are for nobody to read.
    Arguments,
}

impl Form {
    fn of(force: Option<&Force>) -> Self {
        match force {
            None | Some(Force::Tool(_)) => Self::Plain,
            Some(Force::Call(_)) => Self::OneCall(AnswerWords::default()),
            Some(Force::Schema { .. }) => Self::Arguments,
        }
    }
}

impl<'a> Telling<'a> {
    /// For an answer that has to be of this form.
    pub(super) fn new(redactor: &'a Redactor, channel: &'a Channel, force: Option<&Force>) -> Self {
        let (text, thought) = (Pieces::default(), Pieces::default());
        Self { redactor, channel, text, thought, form: Form::of(force) }
    }

    /// The next words of the answer.
    pub(super) fn text(&mut self, delta: &str) {
        let inner;
        let delta = match &mut self.form {
            Form::Plain => delta,
            Form::OneCall(words) => {
                inner = words.next(delta);
                &inner
            }
            Form::Arguments => return,
        };
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
