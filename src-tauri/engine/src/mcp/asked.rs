//! Which packages people were asked about, and when they are asked again.
//!
//! ```text
//!   open ── no ──▶ refused ── a message ──▶ heard since ── a call of its tools ──▶ asked again
//!                     └─────────── a message that names the server ───────────────────┘
//! ```
//!
//! A no holds until the person shows that the server is wanted after all. Another package under
//! the same name is another question.

use plan::{AskId, Event, RoomId};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What was asked in which room, by the server's name.
#[derive(Default)]
pub(super) struct Questions(Mutex<HashMap<(RoomId, String), Question>>);

struct Question {
    package: String,
    standing: Standing,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// It was allowed and is fetched, or is about to be asked.
    UnderWay,
    Open(AskId),
    Refused,
    /// Refused, and the person has said something since.
    HeardSince,
}

impl Questions {
    /// Whether a package is to be asked about; from then on it is under way.
    pub(super) fn begin(&self, room: RoomId, server: &str, package: &str) -> bool {
        let mut all = self.lock();
        let known = all.get(&(room, server.to_owned()));
        let holds = known.is_some_and(|known| match known.standing {
            Standing::UnderWay | Standing::Open(_) => true,
            Standing::Refused | Standing::HeardSince => known.package == package,
        });
        if !holds {
            let package = package.to_owned();
            let question = Question { package, standing: Standing::UnderWay };
            all.insert((room, server.to_owned()), question);
        }
        !holds
    }

    /// The question that is put now.
    pub(super) fn put(&self, room: RoomId, server: &str, ask: AskId) {
        if let Some(question) = self.lock().get_mut(&(room, server.to_owned())) {
            question.standing = Standing::Open(ask);
        }
    }

    /// It is there, or could not be asked about: should it be missed again, it is asked again.
    pub(super) fn forget(&self, room: RoomId, server: &str) {
        self.lock().remove(&(room, server.to_owned()));
    }

    /// Takes note of answers and of what a person says.
    pub(super) fn heard(&self, room: RoomId, events: &[Event]) {
        let mut all = self.lock();
        if all.is_empty() {
            return;
        }
        for event in events {
            // All else is about something else.
            if let Event::AskAnswered { ask, answer, .. } = event {
                let allowed = answer == "allow";
                let standing = if allowed { Standing::UnderWay } else { Standing::Refused };
                answered(&mut all, *ask, standing);
            }
            if let Event::AskWithdrawn { ask, .. } = event {
                answered(&mut all, *ask, Standing::Refused);
            }
            if let Event::Said { text, by, .. } = event
                && by.is_person()
            {
                all.retain(|(there, server), question| {
                    let refused =
                        matches!(question.standing, Standing::Refused | Standing::HeardSince);
                    if *there != room || !refused {
                        return true;
                    }
                    question.standing = Standing::HeardSince;
                    !names(text.head(), server)
                });
            }
        }
    }

    /// An agent calls a tool of a server that is not there.
    pub(super) fn missed(&self, room: RoomId, server: &str) {
        let mut all = self.lock();
        let key = (room, server.to_owned());
        if all.get(&key).is_some_and(|question| question.standing == Standing::HeardSince) {
            all.remove(&key);
        }
    }

    /// Whether a person refused it somewhere, and is asked no more by itself.
    pub(super) fn is_refused(&self, server: &str) -> bool {
        self.lock().iter().any(|((_, name), question)| {
            name == server && matches!(question.standing, Standing::Refused | Standing::HeardSince)
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(RoomId, String), Question>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn answered(all: &mut HashMap<(RoomId, String), Question>, ask: AskId, now: Standing) {
    for question in all.values_mut().filter(|one| one.standing == Standing::Open(ask)) {
        question.standing = now;
    }
}

/// Whether a message has the server's name in it, as a word of its own.
fn names(message: &str, server: &str) -> bool {
    let (message, server) = (message.to_lowercase(), server.to_lowercase());
    let ends = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && !"-_".contains(c));
    message.match_indices(&server).any(|(at, found)| {
        let (before, after) = (&message[..at], &message[at + found.len()..]);
        ends(before.chars().next_back()) && ends(after.chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_server_is_named_by_a_word_of_its_own() {
        for said in ["tiny", "Use Tiny, please", "(tiny)", "what about tiny.echo?"] {
            assert!(names(said, "tiny"), "{said}");
        }
        for said in ["", "destiny", "tiny-house", "a tinyer one", "tin y"] {
            assert!(!names(said, "tiny"), "{said}");
        }
    }
}
