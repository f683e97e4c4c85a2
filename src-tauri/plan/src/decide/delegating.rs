//! Sidekicks: what they are told, what ends them, and who hears of it.

use super::{Deciding, Sweep};
use crate::text::{is_blank, on_one_line, one_line};
use crate::{
    Actor, ActorKind, Ask, CallId, Event, GiveUp, Limits, Outcome, PauseReason, Refusal, RoomId,
    RoomKind, Sidekick, SidekickEnd, Text, Told, Usage,
};
use std::collections::BTreeSet;

/// The name of a sidekick's own caps in the log.
pub const SIDEKICK_CAP: &str = "sidekick";

const GO_ON: &str = "Plan harness: nobody reads your words here. If the task is done, call \
sidekick_complete with what came of it, which may be what you just said; if not, go on with it.";

const RUNNING_LOW: &str = "Plan harness: time is running low. Submit what you have now: call \
sidekick_complete with the best result so far.";

/// How a sidekick ends.
pub(super) struct End<'a> {
    pub(super) end: SidekickEnd,
    pub(super) result: &'a str,
    pub(super) told: bool,
    pub(super) checked: bool,
    pub(super) given_up: bool,
    pub(super) next: Option<GiveUp>,
    /// All of the result, where that is kept beside the log already.
    pub(super) full: Option<Text>,
}

impl<'a> End<'a> {
    fn with(end: SidekickEnd, result: &'a str) -> Self {
        let (told, checked, given_up, next, full) = (false, false, false, None, None);
        Self { end, result, told, checked, given_up, next, full }
    }
}

impl Deciding<'_> {
    pub(super) fn brief(
        &mut self,
        task: Text,
        context: Option<Text>,
        model: Option<String>,
        number: Option<u32>,
        limits: Limits,
    ) -> Result<(), Refusal> {
        // Who does a whole plan is told of each step when the one before has ended, also while a
        // person talks with it.
        let known = self.room.sidekick.as_ref();
        let may = match self.room.kind {
            RoomKind::Chat | RoomKind::Member { .. } => false,
            RoomKind::Sidekick { whole: true, .. } => known.is_none_or(|one| one.ended.is_some()),
            RoomKind::Sidekick { whole: false, .. } => known.is_none(),
        };
        if !may {
            return Err(Refusal::NoSidekick);
        }
        if is_blank(task.head()) {
            return Err(Refusal::EmptyMessage);
        }
        let (full, by) = (context.is_some(), self.actor.clone());
        self.emit(Event::Briefed { task, full, by, context, model, number, limits });
        Ok(())
    }

    pub(super) fn queue_sidekick(&mut self) {
        if self.room.sidekick.as_ref().is_some_and(|sidekick| sidekick.slot) {
            self.emit(Event::SidekickQueued { since: None });
        }
    }

    pub(super) fn start_sidekick(&mut self) {
        let waits = self.room.open_sidekick().is_some_and(|sidekick| !sidekick.slot);
        if waits && self.room.is_at_work() {
            self.emit(Event::SidekickStarted);
        }
    }

    pub(super) fn sidekick_reported(&mut self) {
        let ended = self.room.sidekick.as_ref().and_then(|sidekick| sidekick.ended.as_ref());
        if ended.is_some_and(|ended| !ended.told) {
            self.emit(Event::SidekickReported);
        }
    }

    /// Any other sidekick counts against the caps of the plan that it is part of.
    pub(super) fn spent_below(&mut self, room: RoomId, usage: Usage) {
        let usage = self.room.uncounted(room, usage);
        if usage != Usage::default() {
            self.emit(Event::UsedBelow { room, usage });
            self.check_caps();
            self.check_council();
        }
    }

    /// A sidekick that was interrupted goes on, and so does its own plan. Where a person lets it, it
    /// may use as much again.
    pub(super) fn sidekick_goes_on(&mut self, by: Actor) {
        let open = |sidekick: &Sidekick| sidekick.ended.is_none() && sidekick.until.is_none();
        if !self.room.open_sidekick().is_some_and(open) {
            return;
        }
        if self.room.is_paused_for(PauseReason::Interrupted) {
            return self.go_on();
        }
        self.withdraw_waiting();
        let waits = !self.room.below.is_empty() || !self.room.asks.is_empty();
        if waits || self.room.active_plan().is_some_and(|plan| !plan.state.is_being_written()) {
            return;
        }
        self.goes_on_for(by, "Plan harness: the plan goes on. Go on with your task.");
    }

    /// What came of a sidekick is told once.
    pub(super) fn tell(&mut self, from: Told, text: String, quiet: bool) {
        if self.room.told.get(&from.room).is_none_or(|seq| *seq < from.seq) {
            self.emit(Event::Nudged { text, from: Some(from), quiet });
        }
    }

    /// Ends a sidekick. Answered the same when it has ended already.
    pub(super) fn end_sidekick(
        &mut self,
        how: &End<'_>,
        call: Option<CallId>,
    ) -> Result<(), Refusal> {
        let End { end, result, told, checked, given_up, next, ref full } = *how;
        if self.room.sidekick.is_none() {
            return Err(Refusal::NoSidekick);
        }
        if self.room.open_sidekick().is_none() {
            return Ok(());
        }
        if end == SidekickEnd::Completed && is_blank(result) {
            return Err(Refusal::NoResult);
        }
        self.keep = call;
        self.sweep("the sidekick ended", Sweep::End);
        let asks: Vec<_> = self.room.asks.keys().copied().collect();
        for ask in asks {
            self.emit(Event::AskWithdrawn { ask, reason: "the sidekick ended".to_owned() });
        }
        if self.room.active_plan().is_some() {
            let (reason, by) = ("the sidekick ended".to_owned(), self.actor.clone());
            self.emit(Event::PlanCancelled { reason, by, beside: BTreeSet::new() });
        }
        if let Some(call) = call {
            self.end_with(call, Outcome::Ok, format!(r#"{{"state":"{}"}}"#, end.word()));
        }
        let line = one_line(result);
        let said = || full.clone().unwrap_or_else(|| Text::from(result.trim()));
        let summary = (line != result.trim()).then(said);
        self.emit(Event::SidekickEnded {
            end,
            result: line,
            summary,
            told,
            checked,
            given_up,
            next,
        });
        Ok(())
    }

    /// Ends a sidekick that may not go on, with the best it has.
    pub(super) fn give_up_sidekick(&mut self, end: SidekickEnd, why: &str) {
        let said = self.room.sidekick.as_ref().map(|sidekick| sidekick.said.clone());
        let said = self.so_far.take().or(said);
        let result = match said.filter(|said| !said.is_empty()) {
            Some(said) => format!("{why}; so far: {said}"),
            None => why.to_owned(),
        };
        // It is open, so nothing can be refused.
        let _ = self.end_sidekick(&End::with(end, &on_one_line(&result)), None);
    }

    /// A sidekick that answers in words is sent on: it is done when it says so by its tool.
    pub(super) fn nudge_sidekick(&mut self) {
        let Some(sidekick) = &self.room.sidekick else { return };
        // Who goes on with one that has ended talks with it.
        let talks = sidekick.ended.is_some() || self.room.owes;
        // Who waits for sidekicks of its own is told when they have ended.
        let waits = !self.room.below.is_empty();
        if talks || waits || self.room.active_plan().is_some() {
            return;
        }
        self.nudge(GO_ON.to_owned());
    }

    /// A sidekick stands still until a person has said what becomes of it.
    pub(super) fn await_person(&mut self, ask: Ask) {
        let open = self.room.open_sidekick().is_some_and(|sidekick| sidekick.ended.is_none());
        let asked = self.room.asks.values().any(|known| known.shows(Ask::WAITS));
        let moves = self.room.active_plan().is_some_and(|plan| !plan.state.is_draft());
        if !open || asked || moves {
            return;
        }
        if self.room.owes {
            let (code, text) = ("WAITS".to_owned(), ask.text.clone());
            self.emit(Event::Trouble { code, text, until: None });
        }
        self.emit(Event::AskRaised { ask });
    }

    /// A person says what becomes of a sidekick that waits for them.
    pub(super) fn answer_sidekick(&mut self, ask: &Ask, answer: &str) -> Result<(), Refusal> {
        let said = ask.told(Ask::SAID);
        match (answer, said) {
            (Ask::STOP, _) => {
                let end = End::with(SidekickEnd::Stopped, "stopped by a person");
                self.end_sidekick(&End { given_up: true, ..end }, None)
            }
            (Ask::TAKE_WORDS, Some(said)) => {
                let full = self.room.sidekick.as_ref().and_then(|own| own.all_of(said));
                self.end_sidekick(&End { full, ..End::with(SidekickEnd::Completed, said) }, None)
            }
            (Ask::GO_ON, _) => {
                self.goes_on_for(self.actor.clone(), "Plan harness: go on with your task.");
                Ok(())
            }
            (words, _) => {
                let text = format!("Plan harness: the person says: {words}");
                self.goes_on_for(self.actor.clone(), &text);
                Ok(())
            }
        }
    }

    /// A person said something to a sidekick: nobody has to be asked what becomes of it.
    pub(super) fn withdraw_waiting(&mut self) {
        let asks = self.room.asks.values().filter(|ask| ask.shows(Ask::WAITS)).map(|ask| ask.id);
        for ask in asks.collect::<Vec<_>>() {
            let reason = "it goes on".to_owned();
            self.emit(Event::AskWithdrawn { ask, reason });
        }
    }

    /// Lets a sidekick go on, which may use as much again where a person lets it.
    fn goes_on_for(&mut self, by: Actor, words: &str) {
        let owes = self.room.owes;
        // A plan that is still to be written does not run because of it.
        if by.is_person() && self.room.active_plan().is_none() {
            self.emit(Event::Resumed { by });
        }
        if !owes {
            self.nudge(words.to_owned());
        }
    }

    /// Warns a sidekick that is near a cap, and ends one that has reached it.
    pub(super) fn check_sidekick(&mut self) {
        let Some(sidekick) = self.room.open_sidekick() else { return };
        let limits = &sidekick.limits;
        let used = [
            ("turns", u64::from(sidekick.turns), Some(u64::from(limits.turns))),
            ("time", sidekick.ran_ms(self.now), Some(u64::from(limits.seconds) * 1_000)),
            ("tokens", self.room.usage.since(&sidekick.usage_base).tokens(), limits.tokens),
        ];
        let warned = sidekick.warned;
        let used = || used.iter().filter_map(|(cap, used, most)| Some((*cap, *used, (*most)?)));
        // What its last turn called is still run.
        let over = |(cap, used, most): &(&str, u64, u64)| {
            used >= most && (*cap != "turns" || self.room.calls.is_empty())
        };
        if let Some((cap, ..)) = used().find(over) {
            let why = format!("the cap on {cap} is reached");
            return self.give_up_sidekick(SidekickEnd::Stopped, &why);
        }
        if !warned && used().any(|(_, used, most)| used >= most - most / 5) {
            self.warn_sidekick();
        }
    }

    /// A sidekick at work hears that a plan above has little left. Who waits for others goes on
    /// when those have ended, who hear it, too.
    pub(super) fn run_low(&mut self) {
        let waits = !self.room.below.is_empty()
            || self.room.active_plan().is_some_and(|plan| plan.frame.delegated);
        let works = |sidekick: &Sidekick| sidekick.slot && !sidekick.warned;
        if !waits && self.room.open_sidekick().is_some_and(works) {
            self.warn_sidekick();
        }
    }

    fn warn_sidekick(&mut self) {
        self.emit(Event::CapWarned { cap: SIDEKICK_CAP.to_owned() });
        self.nudge(RUNNING_LOW.to_owned());
    }
}

/// Who may end a sidekick how: a person stops it, itself it says what came of it.
pub(super) fn may_end(end: SidekickEnd, actor: &Actor) -> Result<(), Refusal> {
    match (actor.kind, end) {
        (ActorKind::Harness, _)
        | (ActorKind::Person, SidekickEnd::Stopped)
        | (ActorKind::Agent | ActorKind::Sidekick, SidekickEnd::Completed | SidekickEnd::Failed) => {
            Ok(())
        }
        (ActorKind::Agent | ActorKind::Sidekick, SidekickEnd::Stopped) => {
            Err(Refusal::PersonOnly { what: "stop a sidekick" })
        }
        (ActorKind::Person, SidekickEnd::Completed | SidekickEnd::Failed) => {
            Err(Refusal::HarnessOnly { what: "say what came of a sidekick" })
        }
    }
}
