//! Members in turn: what they are asked, answer and vote.

use super::{NewAnswer, cut, names};
use crate::council::{
    ANSWER_BYTES, Council, CouncilStage, Number, Question, Seat, Sitting, Vote, member_name,
};
use crate::decide::Deciding;
use crate::text::on_one_line;
use crate::{Event, Refusal, RoomId, Time, draft};
use std::sync::Arc;

impl Deciding<'_> {
    pub(super) fn seat(&self, number: Number) -> Result<&Seat, Refusal> {
        let council = self.room.active_council().ok_or(Refusal::NoCouncil)?;
        council.seat(number).ok_or_else(|| Refusal::NoSuchMember {
            named: member_name(number),
            members: names(council, |_| true),
        })
    }

    /// Whether the council talks, or its winner writes.
    fn holds_room(&self) -> Result<bool, Refusal> {
        Ok(self.room.active_council().ok_or(Refusal::NoCouncil)?.holds_room())
    }

    /// Asks a member the next question; `low` when it has no more time to look around.
    pub(in crate::decide) fn ask_member(
        &mut self,
        number: Number,
        low: bool,
    ) -> Result<(), Refusal> {
        let council = self.room.active_council().ok_or(Refusal::NoCouncil)?;
        let seat = self.seat(number)?;
        let looks = seat.asked.as_ref().is_some_and(|asked| asked.may_look);
        let wanted = match low {
            true => seat.is_in_turn() && looks,
            false => council.wants_to_ask(number),
        };
        if !council.is_at_work(number) || !wanted {
            return Err(Refusal::NotAsked);
        }
        let last_word = council.stage == CouncilStage::Decided;
        let in_turn = seat.is_in_turn();
        let asked = Question {
            turn: seat.turn() + 1,
            shows: shown_to(council, number, seat.turn() + 1, last_word),
            may_answer: last_word || council.may_answer(number),
            may_vote: !last_word && council.may_vote(number),
            may_look: !low && (looks || !in_turn),
            mid: in_turn,
            last_word,
            words: u32::try_from(council.words.len()).unwrap_or(u32::MAX),
        };
        self.emit(Event::CouncilAsked { member: number, asked });
        Ok(())
    }

    pub(in crate::decide) fn member_answers(&mut self, new: NewAnswer) -> Result<(), Refusal> {
        let NewAnswer { member, heard, content, draft, overlap } = new;
        let council = self.room.active_council().ok_or(Refusal::NoCouncil)?;
        let seat = self.seat(member)?;
        if has_ended(seat, heard) && seat.answers.last().is_some_and(|one| one.content == content) {
            // It was heard before the app stopped.
            return Ok(());
        }
        let last_word = council.stage == CouncilStage::Decided;
        let asked = seat.asked.as_ref().filter(|_| seat.is_in_turn() && council.holds_room());
        if asked.is_none_or(|asked| last_word && !(asked.last_word && heard >= asked.turn)) {
            return Err(Refusal::NotAsked);
        }
        if content.bytes() > ANSWER_BYTES {
            return Err(Refusal::AnswerTooLong { most: ANSWER_BYTES });
        }
        if !last_word && !council.may_answer(member) {
            return Err(Refusal::OnlyVote { members: names(council, |seat| seat.given() > 0) });
        }
        let most = council.rules.answer_novelty_requirement.most_overlap();
        let (label, steps) = (Council::label(member, seat.given() + 1), council.frame.most_steps());
        // Where there is nothing to vote for yet, nobody is repeated.
        let compared = !last_word && council.may_vote(member);
        if let (Some(most), Some(overlap), true) = (most, overlap, compared)
            && overlap > most
        {
            self.emit(Event::CouncilNotNew { member, overlap });
            return Ok(());
        }
        let workspace = self.room.workspace.clone();
        let plan = draft::check(draft, &workspace, steps, &draft::Before::default())?;
        self.emit(Event::CouncilAnswered { member, label, content, plan: Arc::new(plan) });
        Ok(())
    }

    /// A vote of a member, or of the person.
    pub(in crate::decide) fn vote(
        &mut self,
        voter: Option<(Number, u32)>,
        choice: Number,
        label: Option<&str>,
        reason: &str,
    ) -> Result<(), Refusal> {
        if self.room.active_council().is_some_and(|council| council.winner.is_some()) {
            return Err(Refusal::VoteOver);
        }
        let council = self.talking()?;
        if !council.is_voting() {
            return Err(match voter {
                Some(_) => Refusal::AnswerFirst,
                None => Refusal::NotVoting,
            });
        }
        let chosen = council.seat(choice).filter(|seat| seat.given() > 0);
        let Some(chosen) = chosen else {
            return Err(Refusal::NoSuchMember {
                named: member_name(choice),
                members: names(council, |seat| seat.given() > 0),
            });
        };
        let newest = Council::label(choice, chosen.given());
        if let Some(label) = label.filter(|label| *label != newest) {
            return Err(Refusal::NoSuchAnswer { label: label.to_owned(), newest });
        }
        let reason = cut(&on_one_line(reason));
        let vote = Vote { choice, label: newest, reason };
        let Some((number, heard)) = voter else {
            self.emit(Event::CouncilVoted { member: None, vote });
            return Ok(());
        };
        let seat = self.seat(number)?;
        let before = seat.vote.as_ref().or(seat.cleared.as_ref());
        if has_ended(seat, heard) && before.is_some_and(|before| before.choice == choice) {
            // It was heard before the app stopped.
            return Ok(());
        }
        if !seat.is_in_turn() {
            return Err(Refusal::NotAsked);
        }
        if !council.may_vote(number) {
            return Err(Refusal::AnswerFirst);
        }
        if heard < seat.news || council.has_news_for(number) {
            let why = "a new answer had come in that the member was not shown".to_owned();
            self.emit(Event::CouncilVoteDropped { member: number, vote, why });
            return Ok(());
        }
        self.emit(Event::CouncilVoted { member: Some(number), vote });
        Ok(())
    }

    pub(in crate::decide) fn member_out(
        &mut self,
        number: Number,
        reason: String,
    ) -> Result<(), Refusal> {
        if self.holds_room()? && self.seat(number)?.lives() {
            let reason = cut(&on_one_line(&reason));
            self.emit(Event::CouncilMemberFailed { member: number, reason });
        }
        Ok(())
    }

    pub(in crate::decide) fn member_waits(
        &mut self,
        number: Number,
        until: Option<Time>,
    ) -> Result<(), Refusal> {
        if self.holds_room()? && self.seat(number)?.lives() {
            self.emit(Event::CouncilMemberWaits { member: number, until });
        }
        Ok(())
    }

    /// A member that is out gets another chance, in a room of its own again.
    pub(in crate::decide) fn retry_member(
        &mut self,
        number: Number,
        room: RoomId,
    ) -> Result<(), Refusal> {
        self.talking()?;
        let seat = self.seat(number)?;
        if seat.lives() {
            return Err(Refusal::NotOut { member: member_name(number) });
        }
        let (who, by) = (Sitting { room, ..seat.who.clone() }, self.actor.clone());
        self.emit(Event::CouncilMemberRetried { member: number, who, by });
        Ok(())
    }
}

/// Whether the council has heard the end of the turn in which this was said.
fn has_ended(seat: &Seat, heard: u32) -> bool {
    seat.lives() && !seat.is_in_turn() && heard <= seat.ended
}

/// The newest answers that a member is shown, in an order of its own.
fn shown_to(council: &Council, number: Number, turn: u32, all: bool) -> Vec<(Number, u32)> {
    if !all && !council.sees_answers(number) {
        return Vec::new();
    }
    let mut shows: Vec<(Number, u32)> = council
        .numbered()
        .filter(|(_, seat)| seat.given() > 0)
        .map(|(other, seat)| (other, seat.given()))
        .collect();
    shows.sort_by_key(|(other, _)| {
        let mark = format!("{} {number} {turn} {other}", council.id);
        *blake3::hash(mark.as_bytes()).as_bytes()
    });
    shows
}
