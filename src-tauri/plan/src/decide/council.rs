//! A council in its own room: how it begins, what members say, and what follows from it.

use super::{Deciding, Sweep};
use crate::council::{Council, CouncilEnd, CouncilRules, CouncilStage, DecidedBy, FinalAnswer};
use crate::council::{
    MOST_MEMBERS, Number, Question, REASON_CHARS, Seat, Sitting, Vote, member_name,
};
use crate::text::{is_blank, on_one_line};
use crate::{
    Actor, AskId, CallId, Content, CouncilId, Draft, Event, Frame, Outcome, PauseReason, PlanId,
    PlanState, Refusal, RoomId, RunMode, Text, Time, draft,
};
use std::sync::Arc;

/// How a council begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCouncil {
    /// Its name.
    pub council: CouncilId,
    /// What it is about.
    pub task: Text,
    /// Who sits there.
    pub members: Vec<Sitting>,
    /// What it is held to.
    pub rules: CouncilRules,
    /// How the winner's plan runs.
    pub frame: Frame,
    /// The plan that the winner's answer becomes, and the question whether it may run.
    pub plan: PlanId,
    pub ask: AskId,
}

/// An answer as it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAnswer {
    /// Whose.
    pub member: Number,
    /// The last question its model had been told.
    pub heard: u32,
    /// Its words.
    pub content: Text,
    /// The plan it would be.
    pub draft: Draft,
    /// How much it is like the earlier answer that is most like it, in hundredths.
    pub overlap: Option<u64>,
}

/// Another attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAttempt {
    /// Why.
    pub reason: String,
    /// What to do otherwise.
    pub instructions: String,
    /// The members' new rooms, in their order.
    pub rooms: Vec<RoomId>,
    /// The plan that the winner's answer becomes, and the question whether it may run.
    pub plan: PlanId,
    pub ask: AskId,
}

impl Deciding<'_> {
    pub(super) fn start_council(
        &mut self,
        new: NewCouncil,
        call: Option<CallId>,
    ) -> Result<(), Refusal> {
        if self.room.active_plan().is_some() {
            return Err(Refusal::PlanActive);
        }
        if self.room.active_council().is_some() {
            return Err(Refusal::CouncilActive);
        }
        if is_blank(new.task.head()) {
            return Err(Refusal::EmptyMessage);
        }
        let members = new.members.len();
        if !(2..=MOST_MEMBERS).contains(&members) {
            return Err(Refusal::CouncilSize { members, most: MOST_MEMBERS });
        }
        self.take_out();
        self.name_after(new.task.head());
        self.keep = call;
        self.sweep("a council was called", Sweep::End);
        self.emit(Event::CouncilStarted {
            council: new.council,
            task: new.task,
            members: new.members,
            rules: new.rules,
            frame: Arc::new(new.frame),
            plan: new.plan,
            ask: new.ask,
            by: self.actor.clone(),
        });
        if let Some(call) = call {
            let words = serde_json::json!({ "council_id": new.council }).to_string();
            self.end_with(call, Outcome::Ok, words);
        }
        Ok(())
    }

    /// The council whose members talk.
    fn talking(&self) -> Result<&Council, Refusal> {
        let talks = |council: &&Council| council.stage == CouncilStage::Talking;
        self.room.active_council().filter(talks).ok_or(Refusal::NoCouncil)
    }

    fn seat(&self, number: Number) -> Result<&Seat, Refusal> {
        let council = self.room.active_council().ok_or(Refusal::NoCouncil)?;
        council.seat(number).ok_or_else(|| Refusal::NoSuchMember {
            named: member_name(number),
            members: names(council, |_| true),
        })
    }

    /// Asks a member the next question; `low` when it has no more time to look around.
    pub(super) fn ask_member(&mut self, number: Number, low: bool) -> Result<(), Refusal> {
        let council = self.room.active_council().ok_or(Refusal::NoCouncil)?;
        let seat = self.seat(number)?;
        if !council.is_running() || !(low || council.wants_to_ask(number)) {
            return Err(Refusal::NoCouncil);
        }
        let last_word = council.stage == CouncilStage::Decided;
        let under_way = seat.is_under_way();
        let looks = seat.asked.as_ref().is_some_and(|asked| asked.may_look);
        let asked = Question {
            turn: seat.turn() + 1,
            shows: shown_to(council, number, seat.turn() + 1, last_word),
            may_answer: last_word || council.may_answer(number),
            may_vote: !last_word && council.may_vote(number),
            may_look: !low && (looks || !under_way),
            mid: under_way,
            last_word,
            words: u32::try_from(council.words.len()).unwrap_or(u32::MAX),
        };
        self.emit(Event::CouncilAsked { member: number, asked });
        Ok(())
    }

    pub(super) fn member_answers(&mut self, new: NewAnswer) -> Result<(), Refusal> {
        let NewAnswer { member, content, draft, overlap, .. } = new;
        let council = self.room.active_council().ok_or(Refusal::NoCouncil)?;
        let seat = self.seat(member)?;
        if !council.is_running() || !seat.is_under_way() {
            return Err(Refusal::NotAsked);
        }
        let last_word = council.stage == CouncilStage::Decided;
        if !last_word && !council.may_answer(member) {
            return Err(Refusal::OnlyVote { members: names(council, |seat| seat.given() > 0) });
        }
        let most = council.rules.answer_novelty_requirement.most_overlap();
        let (label, steps) = (Council::label(member, seat.given() + 1), council.frame.most_steps());
        if let (Some(most), Some(overlap), false) = (most, overlap, last_word)
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
    pub(super) fn vote(
        &mut self,
        voter: Option<(Number, u32)>,
        choice: Number,
        label: Option<&str>,
        reason: &str,
    ) -> Result<(), Refusal> {
        let council = self.talking()?;
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
        if !council.is_running() || !seat.is_under_way() {
            return Err(Refusal::NotAsked);
        }
        if !council.may_vote(number) {
            return Err(Refusal::AnswerFirst);
        }
        if heard < seat.turn() || council.has_news_for(number) {
            let why = "a new answer had come in that the member was not shown".to_owned();
            self.emit(Event::CouncilVoteDropped { member: number, vote, why });
            return Ok(());
        }
        self.emit(Event::CouncilVoted { member: Some(number), vote });
        Ok(())
    }

    pub(super) fn member_out(&mut self, number: Number, reason: String) -> Result<(), Refusal> {
        if self.seat(number)?.lives() {
            let reason = cut(&on_one_line(&reason));
            self.emit(Event::CouncilMemberFailed { member: number, reason });
        }
        Ok(())
    }

    pub(super) fn member_waits(
        &mut self,
        number: Number,
        until: Option<Time>,
    ) -> Result<(), Refusal> {
        if self.seat(number)?.lives() {
            self.emit(Event::CouncilMemberWaits { member: number, until });
        }
        Ok(())
    }

    /// A member that is out gets another chance, in a room of its own again.
    pub(super) fn retry_member(&mut self, number: Number, room: RoomId) -> Result<(), Refusal> {
        self.talking()?;
        let seat = self.seat(number)?;
        if seat.lives() {
            return Err(Refusal::NotOut { member: member_name(number) });
        }
        let (who, by) = (Sitting { room, ..seat.who.clone() }, self.actor.clone());
        self.emit(Event::CouncilMemberRetried { member: number, who, by });
        Ok(())
    }

    /// The time is over, or the person wants an answer at once.
    pub(super) fn decide_now(&mut self, by: DecidedBy) -> Result<(), Refusal> {
        let council = self.talking()?;
        if by == DecidedBy::Timeout && council.deadline().is_none_or(|end| end > self.now) {
            return Err(Refusal::NoCouncil);
        }
        match council.best_so_far() {
            Some(winner) => self.decided(winner, by),
            None if by == DecidedBy::Person => return Err(Refusal::NoAnswerYet),
            None => self.council_fails("Its time was over before anyone had answered."),
        }
        Ok(())
    }

    pub(super) fn pick(&mut self, number: Number) -> Result<(), Refusal> {
        let council = self.talking()?;
        if council.seat(number).is_none_or(|seat| seat.given() == 0) {
            return Err(Refusal::NoSuchMember {
                named: member_name(number),
                members: names(council, |seat| seat.given() > 0),
            });
        }
        self.decided(number, DecidedBy::Person);
        Ok(())
    }

    fn decided(&mut self, winner: Number, by: DecidedBy) {
        if self.room.active_council().is_some_and(|council| council.paused.is_some()) {
            // Whoever decides wants it to go on.
            self.emit(Event::CouncilResumed { by: self.actor.clone() });
        }
        self.emit(Event::CouncilDecided { winner, by });
    }

    fn council_fails(&mut self, why: &str) {
        let reason = why.to_owned();
        self.emit(Event::CouncilEnded { state: CouncilEnd::Failed, reason });
    }

    /// The winner's answer becomes the room's plan, or is only shown.
    pub(super) fn hand_over(&mut self, text: Text) -> Result<(), Refusal> {
        let decided = |council: &&Council| council.stage == CouncilStage::Decided;
        let council = self.room.active_council().filter(decided).ok_or(Refusal::NoCouncil)?;
        let Some(seat) = council.winner.and_then(|(winner, _)| council.seat(winner)) else {
            return Err(Refusal::NoCouncil);
        };
        let Some(answer) = seat.answers.last() else { return Err(Refusal::NoAnswerYet) };
        if council.rules.final_answer_strategy == FinalAnswer::WinnerReuse {
            let (state, reason) = (CouncilEnd::Done, String::new());
            self.emit(Event::CouncilEnded { state, reason });
            return Ok(());
        }
        let (content, ask) = (Arc::clone(&answer.plan), council.ask);
        let written = Event::PlanWritten {
            plan: council.plan,
            hash: content.hash(),
            frame: Arc::new(frame_for(&council.frame, &content)),
            content,
            by: Actor::agent(&seat.who.agent),
            model: Some(seat.who.model.clone()),
        };
        self.emit(Event::CouncilHandedOver { text });
        self.emit(written);
        self.start_or_ask(false, ask, None);
        Ok(())
    }

    /// The winner says that the work is done.
    pub(super) fn submit_council(&mut self, call: Option<CallId>) -> Result<(), Refusal> {
        let reviews = |council: &&Council| council.stage == CouncilStage::Reviewing;
        self.room.active_council().filter(reviews).ok_or(Refusal::NoReview)?;
        let (state, reason) = (CouncilEnd::Done, String::new());
        self.emit(Event::CouncilEnded { state, reason });
        if let Some(call) = call {
            self.end_with(call, Outcome::Ok, "The work is submitted.".to_owned());
        }
        self.sweep("the work is submitted", Sweep::End);
        Ok(())
    }

    /// The winner wants all of it done again.
    pub(super) fn restart_council(
        &mut self,
        again: NewAttempt,
        call: Option<CallId>,
    ) -> Result<(), Refusal> {
        let reviews = |council: &&Council| council.stage == CouncilStage::Reviewing;
        let council = self.room.active_council().filter(reviews).ok_or(Refusal::NoReview)?;
        if !council.may_restart() {
            return Err(Refusal::NoMoreAttempts);
        }
        let NewAttempt { reason, instructions, rooms, plan, ask } = again;
        let members: Vec<Sitting> = council
            .seats
            .iter()
            .zip(rooms)
            .map(|(seat, room)| Sitting { room, ..seat.who.clone() })
            .collect();
        if is_blank(&reason) {
            return Err(Refusal::NoReason);
        }
        let result = self.came_of_steps();
        let (reason, instructions) = (cut(&reason), cut(&instructions));
        if let Some(call) = call {
            self.end_with(call, Outcome::Ok, "The council begins again.".to_owned());
        }
        self.sweep("the council begins again", Sweep::End);
        self.emit(Event::CouncilRestarted { reason, instructions, result, members, plan, ask });
        Ok(())
    }

    /// What came of the plan's steps, in words.
    fn came_of_steps(&self) -> String {
        let Some(plan) = &self.room.plan else { return String::new() };
        let line = |step: &crate::Step| {
            format!("{}. {}: {}", plan.number(&step.spec.id), step.spec.text, step.outcome_words())
        };
        plan.steps.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// A person stops a council for now; from the decision on, its plan.
    pub(super) fn pause_council(&mut self) -> Result<bool, Refusal> {
        let Some(council) = self.room.active_council() else { return Ok(false) };
        match council.stage {
            CouncilStage::Talking | CouncilStage::Decided | CouncilStage::Reviewing => {
                if council.paused.is_none() {
                    self.halt_council(PauseReason::Supervisor, None, None);
                }
                Ok(true)
            }
            CouncilStage::Executing | CouncilStage::Ended(_) => Ok(false),
        }
    }

    pub(super) fn halt_council(
        &mut self,
        reason: PauseReason,
        detail: Option<String>,
        since: Option<Time>,
    ) {
        self.emit(Event::CouncilPaused { reason, detail, since });
    }

    pub(super) fn resume_council(&mut self) -> bool {
        let Some(council) = self.room.active_council() else { return false };
        let paused = council.paused.is_some();
        if paused {
            self.take_out();
            self.emit(Event::CouncilResumed { by: self.actor.clone() });
        }
        paused || council_holds(&self.room)
    }

    /// Ends a council whose plan is not there yet, or no longer active.
    pub(super) fn cancel_council(&mut self, reason: &str) -> bool {
        let Some(council) = self.room.active_council() else { return false };
        match council.stage {
            CouncilStage::Executing | CouncilStage::Ended(_) => false,
            CouncilStage::Talking | CouncilStage::Decided | CouncilStage::Reviewing => {
                let (state, reason) = (CouncilEnd::Cancelled, reason.to_owned());
                self.sweep("the council was cancelled", Sweep::End);
                self.emit(Event::CouncilEnded { state, reason });
                true
            }
        }
    }

    /// What members used may be more than the council may use.
    pub(super) fn check_council(&mut self) {
        let Some(council) = self.room.active_council().filter(|council| council.is_running())
        else {
            return;
        };
        let used = council.usage(&self.room).since(&council.usage_base);
        let over = |most: Option<u64>, used: u64| most.is_some_and(|most| used >= most);
        let cap = if over(council.rules.tokens, used.tokens()) {
            "tokens"
        } else if over(council.rules.cost_micros, used.cost_micros) {
            "money"
        } else {
            return;
        };
        let detail =
            format!("the council has used what it may of {cap}; resume lets it use as much again");
        self.halt_council(PauseReason::Cap, Some(detail), None);
    }

    /// After every command: what follows for the council from what is true now.
    pub(super) fn follow_council(&mut self) {
        let Some(council) = self.room.active_council() else { return };
        match council.stage {
            CouncilStage::Talking if council.paused.is_none() => {
                if let Some((winner, by)) = council.decision() {
                    self.decided(winner, by);
                } else if !council.seats.iter().any(Seat::lives) {
                    let why = match council.seats.iter().filter_map(|seat| seat.out.as_ref()).next()
                    {
                        Some(first) => format!("No member could answer: {first}."),
                        None => "No member could answer.".to_owned(),
                    };
                    self.council_fails(&why);
                }
            }
            CouncilStage::Executing => self.follow_plan(),
            CouncilStage::Reviewing
                if council.paused.is_none() && !self.room.owes && self.room.calls.is_empty() =>
            {
                let (state, reason) = (CouncilEnd::Done, String::new());
                self.emit(Event::CouncilEnded { state, reason });
            }
            CouncilStage::Talking
            | CouncilStage::Decided
            | CouncilStage::Reviewing
            | CouncilStage::Ended(_) => {}
        }
    }

    fn follow_plan(&mut self) {
        let Some(council) = self.room.active_council() else { return };
        let again = council.may_restart();
        let Some(plan) = self.room.plan.as_ref().filter(|plan| plan.id == council.plan) else {
            return;
        };
        let reason = plan.end_reason.clone().unwrap_or_default();
        let state = match plan.state {
            PlanState::Done if again => {
                self.sweep("the plan is done", Sweep::End);
                return self.emit(Event::CouncilReviewBegan);
            }
            PlanState::Done => CouncilEnd::Done,
            PlanState::Failed => CouncilEnd::Failed,
            PlanState::Cancelled => CouncilEnd::Cancelled,
            PlanState::Draft { .. }
            | PlanState::AwaitingApproval
            | PlanState::Running { .. }
            | PlanState::Paused { .. } => return,
        };
        self.emit(Event::CouncilEnded { state, reason });
    }

    /// While a council talks, nothing else is planned in its room.
    pub(super) fn refuse_in_council(&self) -> Result<(), Refusal> {
        match self.room.talking_council() {
            Some(_) => Err(Refusal::CouncilActive),
            None => Ok(()),
        }
    }
}

fn council_holds(room: &crate::Room) -> bool {
    room.talking_council().is_some()
}

/// How the winner's plan runs: as its steps depend on each other.
fn frame_for(frame: &Frame, content: &Content) -> Frame {
    let lanes = match content.mode {
        RunMode::Sequential => 1,
        RunMode::Parallel | RunMode::Graph => {
            frame.caps.sidekicks_per_plan.min(frame.caps.sidekicks)
        }
    };
    Frame { lanes, delegated: content.mode != RunMode::Sequential, ..frame.clone() }
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

fn names(council: &Council, such: impl Fn(&Seat) -> bool) -> String {
    let names = council.numbered().filter(|(_, seat)| such(seat)).map(|(n, _)| member_name(n));
    names.collect::<Vec<_>>().join(", ")
}

/// A reason that fits into an event.
fn cut(reason: &str) -> String {
    match reason.chars().count() > REASON_CHARS {
        true => reason.chars().take(REASON_CHARS - 1).chain(['…']).collect(),
        false => reason.trim().to_owned(),
    }
}
