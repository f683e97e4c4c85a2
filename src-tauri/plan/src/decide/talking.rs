//! Messages, replies, and what stops a conversation.

use super::council::Halt;
use super::{Deciding, Sweep};
use crate::text::{is_blank, on_one_line};
use crate::{
    ActorKind, Ask, AskId, AskKind, CallId, CallState, Detail, Effect, Event, MessageId,
    PauseReason, Phase, PlanState, Refusal, ReplyEnd, SidekickEnd, Text, Time, Usage, Work, work,
};

/// The code of a turn that the end of the app cut off.
pub(crate) const INTERRUPTED: &str = "INTERRUPTED";
/// The code of a turn in which nothing was said or called.
const EMPTY_ANSWER: &str = "EMPTY_ANSWER";
/// The code of a turn whose words ended at the limit of their length.
const CUT_OFF: &str = "CUT_OFF";

impl Deciding<'_> {
    pub(super) fn say(&mut self, message: MessageId, text: Text) -> Result<(), Refusal> {
        if is_blank(text.head()) {
            return Err(Refusal::EmptyMessage);
        }
        let words = text.head().to_owned();
        self.take_out();
        self.name_after(&words);
        self.emit(Event::Said { message, text, by: self.actor.clone() });
        self.withdraw_waiting();
        let Some(plan) = self.room.active_plan() else { return Ok(()) };
        match plan.state {
            PlanState::Paused { reason: PauseReason::AutoBudget } => self.go_on(),
            PlanState::AwaitingApproval => self.send_back(words, false, Vec::new()),
            PlanState::Paused { .. }
            | PlanState::Draft { .. }
            | PlanState::Running { .. }
            | PlanState::Done
            | PlanState::Failed
            | PlanState::Cancelled => {}
        }
        Ok(())
    }

    /// A room without a name of its own is called after what was said first.
    pub(super) fn name_after(&mut self, words: &str) {
        if self.room.unnamed {
            self.emit(Event::RoomRenamed { title: name_for(words) });
        }
    }

    pub(super) fn reply(&mut self, reply: Event, ended: ReplyEnd) -> Result<(), Refusal> {
        if matches!(&reply, Event::Replied { seen, .. } if self.is_stale(*seen)) {
            return Err(Refusal::Stale);
        }
        let mut only_words = None;
        if let Event::Replied { calls, text, model, .. } = &reply {
            only_words = calls.is_empty().then(|| (text.clone(), model.clone()));
        }
        let asked_by_person = self.room.said_seq > self.room.seen_seq;
        self.emit(reply);
        if let Some((words, model)) = only_words {
            let before = self.events.len();
            match ended {
                ReplyEnd::Repeating => self.ask_again(),
                ReplyEnd::Whole | ReplyEnd::Cut => self.nudge_on(&words),
            }
            let follows =
                self.room.owes || self.room.member.is_some() || self.events.len() > before;
            let ends = self.events[before..].iter().any(|e| matches!(e, Event::PlanDone { .. }));
            if is_blank(words.head()) {
                if !follows && (asked_by_person || !self.hears_news()) {
                    self.say_empty(&model);
                }
            } else if ended == ReplyEnd::Cut && (ends || !follows) {
                self.say_cut(&model);
            }
        }
        self.check_caps();
        Ok(())
    }

    /// Whether sidekicks do the steps of the running plan: who only hears how far they are need not
    /// say anything.
    fn hears_news(&self) -> bool {
        self.room.running_plan().is_some_and(|plan| plan.frame.delegated)
    }

    /// A model that answers nothing is done, and nobody would know.
    fn say_empty(&mut self, model: &str) {
        let text = match self.room.repeat.plan_done {
            true => format!("{model} sent an empty answer after the plan was done."),
            false => format!("{model} sent an empty answer. Send a message to try again."),
        };
        self.emit(Event::Trouble { code: EMPTY_ANSWER.to_owned(), text, until: None });
    }

    /// An answer that was cut off may look whole.
    fn say_cut(&mut self, model: &str) {
        let text = format!(
            "{model} reached its length limit, so this answer is cut off. Send \"continue\" for the \
             rest."
        );
        self.emit(Event::Trouble { code: CUT_OFF.to_owned(), text, until: None });
    }

    /// A turn in which the executing model wanted to plan counts for nothing but its cost; the
    /// next ones are the planning model's.
    pub(super) fn set_aside(
        &mut self,
        model: String,
        usage: Usage,
        seen: u64,
        turns: u32,
    ) -> Result<(), Refusal> {
        if self.is_stale(seen) {
            return Err(Refusal::Stale);
        }
        self.emit(Event::Spent { model, usage });
        self.emit(Event::PlanningBegan { turns });
        self.check_caps();
        Ok(())
    }

    /// Whether an answer was asked for in a state that is gone: a pause or a cancel in between
    /// makes it worthless, also when work goes on since.
    fn is_stale(&self, seen: u64) -> bool {
        seen < self.room.halted_seq || work::next(&self.room) != Work::Model
    }

    /// Once the planning model has written, what else it called in that turn is not run: the
    /// next turn is the executing model's.
    pub(super) fn end_planning(&mut self, planning: bool) {
        if planning && self.room.planning.is_none() {
            // The call that asks for approval has to hear the answer.
            let asks = self.approval_ask().and_then(|ask| self.room.asks.get(&ask)?.call_id);
            self.keep = asks.or(self.keep);
            self.sweep("the plan is written", Sweep::End);
        }
    }

    /// Who plans looks around and writes; it starts and ends nothing.
    pub(super) fn refuse_while_planning(&self, what: &'static str) -> Result<(), Refusal> {
        let agent = matches!(self.actor.kind, ActorKind::Agent | ActorKind::Sidekick);
        match agent && self.room.planning.is_some() {
            true => Err(Refusal::Planning { what }),
            false => Ok(()),
        }
    }

    /// The model behind what an agent writes.
    pub(super) fn written_by(&self) -> Option<String> {
        self.room.spoke.clone().filter(|_| !self.actor.is_person())
    }

    /// A turn that ends in words while steps remain is nudged on, a few times.
    fn nudge_on(&mut self, words: &Text) {
        if self.room.member.is_some() {
            return self.remind_member();
        }
        let Some(plan) = self.room.running_plan() else { return self.nudge_sidekick() };
        if let Some(phase) = plan.phase() {
            return self.goal_words(phase, words);
        }
        if plan.frame.delegated {
            return;
        }
        if plan.idle_turns >= plan.frame.caps.idle_turns {
            let mut detail =
                format!("the agent answered {} times but did no work", plan.idle_turns);
            if is_blank(words.head()) {
                detail += "; its last answer was empty";
            }
            return self.pause(PauseReason::Attempts, Some(detail), None);
        }
        let Some(step) = plan.in_progress().next() else { return };
        let text = format!(
            "Plan harness: step {}/{} is still open: {}. Work on it, then report \
             step_done, or step_failed if it can't be done.",
            plan.number(&step.spec.id),
            plan.steps.len(),
            step.spec.text
        );
        self.nudge(text);
    }

    pub(super) fn trouble(
        &mut self,
        reason: PauseReason,
        code: String,
        text: String,
        until: Option<Time>,
    ) {
        if self.room.member.is_some() {
            let until = until.filter(|_| reason == PauseReason::Quota);
            return self.member_trouble(code, text, until);
        }
        let goes_on = self.room.active_council().is_some_and(|council| council.paused.is_none());
        // The winner judges its work and gets nowhere: it has called for no other attempt.
        if reason == PauseReason::Attempts && goes_on && self.submit_council(None).is_ok() {
            return;
        }
        if self.room.council_without_plan().is_some() {
            let until = until.filter(|_| reason == PauseReason::Quota);
            let (detail, code) = (Some(text), Some(code));
            return self.halt_council(reason, Halt { detail, code, until, since: None });
        }
        if let Some(plan) = self.room.running_plan() {
            // Who was told often enough to split a goal is not asked again.
            if reason == PauseReason::Attempts && plan.phase() == Some(Phase::Splitting) {
                return self.fail(text);
            }
            // The steps are done, whoever can't put them into words.
            if reason == PauseReason::Attempts && plan.phase() == Some(Phase::Joining) {
                return self.join_as_it_is(&text);
            }
            return self.pause(reason, Some(text), until);
        }
        // It was paused a moment ago, and goes on from there.
        let paused = self.room.active_plan().is_some_and(|plan| plan.state.is_paused());
        if paused && !self.room.is_paused_for(PauseReason::Revise) {
            return;
        }
        let waits = reason == PauseReason::Quota && self.room.sidekick.is_some();
        let until = until.filter(|_| waits);
        self.emit(Event::Trouble { code, text: text.clone(), until });
        if until.is_none()
            && self.room.open_sidekick().is_some_and(|sidekick| sidekick.ended.is_none())
        {
            self.give_up_sidekick(SidekickEnd::Failed, &text);
        }
    }

    pub(super) fn wake(&mut self) -> Result<(), Refusal> {
        let sidekick = self.room.sidekick.as_ref().and_then(|sidekick| sidekick.until);
        let until = sidekick.or(self.room.member.as_ref().and_then(|member| member.until));
        if until.is_some_and(|until| until <= self.now) {
            self.emit(Event::Resumed { by: self.actor.clone() });
            return Ok(());
        }
        if self.wake_council() {
            return Ok(());
        }
        let plan = self.active()?;
        match (&plan.state, plan.pause_until) {
            (PlanState::Paused { reason: PauseReason::Quota }, Some(until))
                if until <= self.now =>
            {
                self.go_on();
                Ok(())
            }
            (state, _) => Err(Refusal::NotResumable { state: state.clone() }),
        }
    }

    /// The app stops or has stopped: what ran is paused, and what began without
    /// a receipt is put to a person. Nothing is repeated. What was `cut` off in
    /// order has a receipt, and the person is told.
    pub(super) fn interrupt(&mut self, cut: &[String]) {
        let since = Some(self.room.updated_at);
        if self.room.member.is_some() {
            return self.interrupt_member();
        }
        if self.room.council_without_plan().is_some() {
            self.halt_council(PauseReason::Interrupted, Halt { since, ..Halt::default() });
            // What was called for stays: the council goes on from here.
            return self.interrupt_calls();
        }
        if self.room.sidekick.as_ref().is_some_and(|sidekick| sidekick.slot) {
            self.emit(Event::SidekickQueued { since });
        }
        let cut = (!cut.is_empty()).then(|| cut_words(cut));
        let runs = self.room.running_plan().is_some();
        if runs {
            // Before anything is asked: the clocks stood still when the app did, not only now.
            let (reason, detail) = (PauseReason::Interrupted, cut.clone());
            self.emit(Event::Paused { reason, detail, until: None, since });
        }
        self.interrupt_calls();
        self.sweep("interrupted", Sweep::Interrupt);
        if !runs && work::next(&self.room) == Work::Model {
            // Nothing goes on while nobody looks: the person says when.
            let why =
                cut.unwrap_or_else(|| "The app stopped before the answer was there.".to_owned());
            self.emit(Event::Trouble {
                code: INTERRUPTED.to_owned(),
                text: format!("{why} Say something to go on."),
                until: None,
            });
        }
    }

    /// Calls that had begun: what only looked was not run, and a person is asked about the rest.
    fn interrupt_calls(&mut self) {
        let begun: Vec<(CallId, Effect)> = self
            .room
            .calls
            .iter()
            .filter_map(|call| match call.state {
                CallState::Running(effect) => Some((call.request.id, effect)),
                CallState::Waiting | CallState::Asking(_) | CallState::Allowed => None,
            })
            .collect();
        for (call, effect) in begun {
            self.withdraw_elicitations(call, "interrupted");
            if effect.changes_things() {
                self.ask_outcome(call);
            } else {
                self.not_run(call, "interrupted");
            }
        }
    }

    fn ask_outcome(&mut self, call: CallId) {
        let Some(open) = self.room.call(call) else { return };
        let mut detail = vec![Detail::new("tool", open.request.tool.clone())];
        detail.extend(open.targets().map(|target| Detail::new("target", target)));
        // Where nothing is known of what it touches, they are all there is to tell it by.
        if detail.len() == 1 {
            detail.push(Detail::of("arguments", &open.request.args));
        }
        let ask = Ask {
            // A call is asked about once, so its own id will do.
            id: AskId(call.0),
            kind: AskKind::Outcome,
            plan_id: open.plan,
            step_id: open.step.clone(),
            call_id: Some(call),
            text: format!("The app stopped while this ran: {}. Did it happen?", open.words()),
            detail,
            created_at: self.now,
        };
        self.emit(Event::AskRaised { ask });
    }
}

fn cut_words(cut: &[String]) -> String {
    format!(
        "The app was closed while this ran, and it was cut off: {}. What it did before that stays, \
         and the agent is told to look.",
        cut.join("; ")
    )
}

/// The longest name made from a message, in characters.
const NAME_CHARS: usize = 48;

/// A room's name after what was said first: its beginning, cut between words.
fn name_for(words: &str) -> String {
    let line = on_one_line(words);
    if line.chars().count() <= NAME_CHARS {
        return line;
    }
    let beginning: String = line.chars().take(NAME_CHARS).collect();
    let cut = beginning.rfind(' ').filter(|at| *at > NAME_CHARS / 2).unwrap_or(beginning.len());
    format!("{}…", beginning[..cut].trim_end_matches([',', ';', ':', '.', ' ']))
}
