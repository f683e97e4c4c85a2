//! What a room's conversation tells of its councils. While one talks the room's agent rests, so
//! nothing is told; then it is told once, as what it has become: work for the winner, or something
//! that nobody has to do.

use super::{Blobs, whole};
use crate::council::fenced;
use models::Message;
use plan::{CouncilEnd, CouncilId, Event, Number, Text};
use std::collections::BTreeMap;

/// The newest council of a room, as far as the conversation goes back.
#[derive(Default)]
pub(super) struct CouncilNotes(Option<Talk>);

struct Talk {
    id: CouncilId,
    task: Text,
    /// What the person said to the members and nobody was told here.
    words: Vec<Text>,
    /// The newest answer of each member.
    answers: BTreeMap<Number, Text>,
    winner: Option<Number>,
    /// Whether members talk, or a winner is about to act.
    holds_room: bool,
}

impl CouncilNotes {
    /// Whether the council takes in what the person said.
    pub(super) fn hears(&mut self, words: &Text) -> bool {
        let talk = self.0.as_mut().filter(|talk| talk.holds_room);
        let hears = talk.is_some();
        if let Some(talk) = talk {
            talk.words.push(words.clone());
        }
        hears
    }

    pub(super) fn started(&mut self, id: CouncilId, task: &Text) {
        let (words, answers) = (Vec::new(), BTreeMap::new());
        let task = task.clone();
        self.0 = Some(Talk { id, task, words, answers, winner: None, holds_room: true });
    }

    /// What the council says, as far as the conversation may need it later.
    #[allow(clippy::wildcard_enum_match_arm)] // the others say nothing of it
    pub(super) fn goes_on(&mut self, event: &Event) {
        let Some(talk) = &mut self.0 else { return };
        match event {
            Event::CouncilAnswered { member, content, .. } => {
                talk.answers.insert(*member, content.clone());
            }
            Event::CouncilDecided { winner, .. } => talk.winner = Some(*winner),
            Event::CouncilRestarted { .. } => {
                (talk.winner, talk.holds_room) = (None, true);
                talk.answers.clear();
            }
            _ => {}
        }
    }

    /// The winner acts in this room: its task. Some servers answer nothing that no person asked.
    pub(super) fn handed_over(&mut self, blobs: &dyn Blobs) -> Message {
        let begin = "Plan harness: the council has decided, and its winner acts in this room.";
        let text = match &mut self.0 {
            Some(talk) => {
                talk.holds_room = false;
                let told = talk.told(blobs);
                talk.words.clear();
                format!("{begin} {told}")
            }
            None => begin.to_owned(),
        };
        Message::User { text }
    }

    /// The council is over; nothing where its winner did all of it.
    pub(super) fn ended(
        &mut self,
        end: CouncilEnd,
        reason: &str,
        blobs: &dyn Blobs,
    ) -> Option<Message> {
        let talk = self.0.take();
        let talked = talk.filter(|talk| talk.holds_room);
        let why = match reason.trim() {
            "" => String::new(),
            reason => format!(": {}", reason.split_whitespace().collect::<Vec<_>>().join(" ")),
        };
        let became = match end {
            CouncilEnd::Cancelled => format!("The council was cancelled{why}"),
            CouncilEnd::Failed => format!("The council failed{why}"),
            CouncilEnd::Done => {
                let talk = talked?;
                let winner = talk.winner.and_then(|winner| talk.answers.get(&winner));
                let answer = winner.map(|answer| whole(answer, blobs)).unwrap_or_default();
                let answer = fenced(&format!("{} answer", talk.id), &answer);
                let text = format!(
                    "Plan harness: a council has talked in this room. {}\n\nThis is its answer, \
                     which the person sees:\n{answer}\n\nNothing of it is to be done, unless the \
                     person asks for it from here on.",
                    talk.told(blobs)
                );
                return Some(Message::Note { text });
            }
        };
        let became = became.trim_end_matches('.');
        let text = match talked {
            Some(talk) => format!(
                "Plan harness: a council has talked in this room. {}\n\n{became}. Nothing of it is \
                 to be done, unless the person asks for it from here on.",
                talk.told(blobs)
            ),
            None => format!(
                "Plan harness: {became}. Nothing more of its task is to be done, unless the person \
                 asks for it from here on."
            ),
        };
        Some(Message::Note { text })
    }
}

impl Talk {
    /// The task, and what the person said meanwhile.
    fn told(&self, blobs: &dyn Blobs) -> String {
        let task = fenced(&format!("{} task", self.id), &whole(&self.task, blobs));
        let mut parts = vec![format!("It was asked:\n{task}")];
        for (nth, words) in self.words.iter().enumerate() {
            let words = fenced(&format!("{} words {nth}", self.id), &whole(words, blobs));
            parts.push(format!("Meanwhile the person said to it:\n{words}"));
        }
        parts.join("\n\n")
    }
}
