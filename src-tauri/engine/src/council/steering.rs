//! What a person does to a council. Pausing, going on and cancelling are those of the room's plan.

use super::answering::chosen;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::history::whole;
use crate::journal::JournalError;
use crate::live::JournalBlobs;
use plan::{Actor, Command, CouncilView, Number, Refusal, RoomId, Text};

impl Engine {
    /// The councils of a room, the newest first.
    pub fn councils(&self, room: RoomId) -> Result<Vec<CouncilView>, EngineError> {
        self.with_room(room, plan::councils)
    }

    /// The same, once all that they show is stored, so that every other address knows of it.
    pub async fn stored_councils(&self, room: RoomId) -> Result<Vec<CouncilView>, EngineError> {
        let live = self.live(room)?;
        let (seq, councils) = {
            let room = &live.lock().room;
            (room.seq, plan::councils(room))
        };
        match seq == 0 || live.stored_beyond(seq - 1).await {
            true => Ok(councils),
            false => Err(EngineError::Journal(JournalError::Closed)),
        }
    }

    /// A council with its long texts in it as a whole, not only their beginnings.
    pub fn council_in_full(&self, mut council: CouncilView) -> CouncilView {
        let blobs = JournalBlobs(self.journal());
        let earlier = council.earlier.iter_mut().flat_map(|attempt| &mut attempt.members);
        let members = earlier.chain(&mut council.members);
        let answers = members.flat_map(|member| &mut member.answers);
        let texts = answers.map(|answer| &mut answer.content).chain([&mut council.task]);
        for text in texts {
            *text = Text::Inline(whole(text, &blobs));
        }
        council
    }

    /// Lets what is there decide.
    pub fn answer_now(&self, room: RoomId, actor: &Actor) -> Result<crate::Submitted, EngineError> {
        self.submit(room, actor, Command::AnswerNow)
    }

    /// The person's own vote.
    pub fn vote_council(
        &self,
        room: RoomId,
        actor: &Actor,
        member: &str,
        reason: &str,
    ) -> Result<crate::Submitted, EngineError> {
        let (choice, label) = self.named_member(room, member)?;
        let reason = self.shared.redactor.clean(reason.to_owned());
        self.submit(room, actor, Command::VoteCouncil { voter: None, choice, label, reason })
    }

    /// Says who wins.
    pub fn pick_winner(
        &self,
        room: RoomId,
        actor: &Actor,
        member: &str,
    ) -> Result<crate::Submitted, EngineError> {
        let (member, _) = self.named_member(room, member)?;
        self.submit(room, actor, Command::PickWinner { member })
    }

    /// Gives a member that is out another chance.
    pub fn retry_member(
        &self,
        room: RoomId,
        actor: &Actor,
        member: &str,
    ) -> Result<crate::Submitted, EngineError> {
        let (member, _) = self.named_member(room, member)?;
        let fresh = RoomId(crate::fresh_id());
        self.submit(room, actor, Command::RetryMember { member, room: fresh })
    }

    /// The member that someone names, and its answer where that is named.
    fn named_member(
        &self,
        room: RoomId,
        named: &str,
    ) -> Result<(Number, Option<String>), EngineError> {
        let members = self.with_room(room, |room| {
            let council = room.active_council()?;
            let names = council.numbered().map(|(number, _)| plan::member_name(number));
            Some(names.collect::<Vec<_>>().join(", "))
        })?;
        let members = members.ok_or(Refusal::NoCouncil)?;
        let no_such = || Refusal::NoSuchMember { named: named.to_owned(), members }.into();
        chosen(named).ok_or_else(no_such)
    }
}
