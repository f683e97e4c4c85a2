//! Which reply answers which request.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::{Recorded, Reply};

/// What the scripted model does.
#[derive(Clone)]
pub enum Script {
    /// These replies in order; after the last one, empty words.
    Replies(Vec<Reply>),
    /// A request takes the next reply of the first entry whose words a `user` message contains,
    /// so that rooms that talk at the same time do not take each other's replies.
    ByRoom(Vec<(String, Vec<Reply>)>),
    /// A request takes the next reply of the entry that names its model.
    ByModel(Vec<(String, Vec<Reply>)>),
    /// The reply is worked out from the request.
    Fn(Arc<dyn Fn(&Recorded) -> Reply + Send + Sync>),
}

impl Script {
    /// The reply is worked out from the request.
    pub fn from_fn(reply: impl Fn(&Recorded) -> Reply + Send + Sync + 'static) -> Self {
        Self::Fn(Arc::new(reply))
    }

    /// One list of replies for each room, told apart by words a person said in it.
    pub fn by_room<W: Into<String>>(entries: impl IntoIterator<Item = (W, Vec<Reply>)>) -> Self {
        Self::ByRoom(owned(entries))
    }

    /// One list of replies for each model.
    pub fn by_model<W: Into<String>>(entries: impl IntoIterator<Item = (W, Vec<Reply>)>) -> Self {
        Self::ByModel(owned(entries))
    }
}

fn owned<W: Into<String>>(
    entries: impl IntoIterator<Item = (W, Vec<Reply>)>,
) -> Vec<(String, Vec<Reply>)> {
    let entry = |(word, replies): (W, Vec<Reply>)| (word.into(), replies);
    entries.into_iter().map(entry).collect()
}

impl From<Vec<Reply>> for Script {
    fn from(replies: Vec<Reply>) -> Self {
        Self::Replies(replies)
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Replies(replies) => out.debug_tuple("Replies").field(replies).finish(),
            Self::ByRoom(entries) => out.debug_tuple("ByRoom").field(entries).finish(),
            Self::ByModel(entries) => out.debug_tuple("ByModel").field(entries).finish(),
            Self::Fn(_) => out.write_str("Fn"),
        }
    }
}

/// A script being played: the replies that are left.
pub(crate) struct Playing {
    script: Script,
    /// What each room or model has not been told yet.
    queues: Mutex<Vec<VecDeque<Reply>>>,
}

impl Playing {
    pub fn new(script: Script) -> Self {
        let queues = match &script {
            Script::ByRoom(entries) | Script::ByModel(entries) => {
                entries.iter().map(|(_, replies)| replies.clone().into()).collect()
            }
            Script::Replies(_) | Script::Fn(_) => Vec::new(),
        };
        let queues = Mutex::new(queues);
        Self { script, queues }
    }

    /// The reply to this request, which is used up.
    pub fn reply(&self, request: &Recorded) -> Reply {
        let entry = match &self.script {
            // By number rather than by a queue, so that requests that arrive at the same moment
            // cannot swap replies.
            Script::Replies(replies) => {
                return replies.get(request.number()).cloned().unwrap_or_default();
            }
            Script::ByRoom(entries) => {
                let said = request.texts("user");
                entries.iter().position(|(words, _)| said.iter().any(|text| text.contains(words)))
            }
            Script::ByModel(entries) => {
                entries.iter().position(|(model, _)| model == request.model())
            }
            Script::Fn(reply) => return reply(request),
        };
        let Some(entry) = entry else {
            // Not one that is retried, so that the test shows it at once.
            return Reply::status(
                400,
                r#"{"error":{"message":"the script has no entry for this request"}}"#,
                &[],
            );
        };
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        queues[entry].pop_front().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderMap;
    use serde_json::json;

    use super::*;

    fn request(number: usize, model: &str, user: &str) -> Recorded {
        let body = json!({
            "model": model,
            "messages": [
                { "role": "assistant", "content": "alpha and beta" },
                { "role": "user", "content": [{ "type": "text", "text": user }] },
            ],
        });
        Recorded::new(number, HeaderMap::new(), body.to_string().into())
    }

    fn words(playing: &Playing, model: &str, user: &str) -> String {
        playing.reply(&request(0, model, user)).text
    }

    #[test]
    fn replies_come_in_order_and_then_nothing_is_said() {
        let playing = Playing::new(vec![Reply::text("one"), Reply::text("two")].into());
        let said: Vec<String> =
            (0..3).map(|number| playing.reply(&request(number, "m", "go")).text).collect();
        assert_eq!(said, ["one", "two", ""]);
    }

    #[test]
    fn rooms_keep_their_own_place() {
        let playing = Playing::new(Script::by_room([
            ("alpha", vec![Reply::text("a1"), Reply::text("a2")]),
            ("beta", vec![Reply::text("b1")]),
        ]));
        let said =
            ["do alpha", "do beta", "do alpha"].map(|user| words(&playing, "anything", user));
        assert_eq!(said, ["a1", "b1", "a2"]);
    }

    #[test]
    fn models_keep_their_own_place() {
        let playing = Playing::new(Script::by_model([
            ("small", vec![Reply::text("s1")]),
            ("large", vec![Reply::text("l1")]),
        ]));
        let said = ["large", "small"].map(|model| words(&playing, model, "go"));
        assert_eq!(said, ["l1", "s1"]);
    }

    #[test]
    fn a_request_without_an_entry_is_refused() {
        let playing = Playing::new(Script::by_room([("alpha", vec![])]));
        let reply = playing.reply(&request(0, "m", "gamma"));
        assert_eq!(reply.refusal.map(|refusal| refusal.status), Some(400));
    }
}
