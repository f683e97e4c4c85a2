//! A person's answer to a stored question.

use super::council::Halt;
use super::{Deciding, short_enough};
use crate::{
    Ask, AskId, AskKind, Event, Hash, Outcome, PauseReason, PlanId, Refusal, RoomKind, Rule,
    RuleAction, SoFar, StepId, Text, Usage,
};

/// The code of a turn that a person stopped.
pub(crate) const STOPPED: &str = "STOPPED";

impl Deciding<'_> {
    pub(super) fn answer(
        &mut self,
        id: AskId,
        answer: String,
        note: Option<String>,
        revision: Option<u32>,
        hash: Option<Hash>,
    ) -> Result<(), Refusal> {
        let Some(ask) = self.room.asks.get(&id).cloned() else { return Err(Refusal::NoSuchAsk) };
        let allowed = ask.answers();
        if !allowed.is_empty() && !allowed.contains(&answer.as_str()) {
            return Err(Refusal::BadAnswer { answer, allowed: allowed.join(", ") });
        }
        short_enough("the note", note.as_deref())?;
        short_enough("the answer", Some(&answer))?;
        match ask.kind {
            AskKind::Approval => self.answer_approval(&answer, note, revision, hash),
            AskKind::Permission | AskKind::Drift => {
                self.answered(id, &answer, note.clone());
                // First, so that what was refused counts for the step under way.
                if self.room.is_paused_for(PauseReason::Drift) && !self.drifts() {
                    self.go_on();
                }
                self.answer_permission(&ask, &answer, note)
            }
            AskKind::Outcome => {
                self.answered(id, &answer, note);
                let (outcome, words) = match answer.as_str() {
                    "happened" => (Outcome::Ok, "The person says that this call did happen."),
                    "not" => (Outcome::NotRun, "The person says that this call did not happen."),
                    _ => (
                        Outcome::Cancelled,
                        "The app stopped during this call. Look whether it happened before you \
                         do it again.",
                    ),
                };
                self.end_asking_call(&ask, outcome, words.to_owned());
                Ok(())
            }
            // The call goes on at its server, which is told.
            AskKind::Elicitation => {
                self.answered(id, &answer, note);
                Ok(())
            }
            AskKind::Question | AskKind::Conflict => {
                self.answered(id, &answer, note);
                if answer == Ask::LEAVE_OUT {
                    self.leave_out(&ask);
                }
                if ask.shows(Ask::WAITS) {
                    self.answer_sidekick(&ask, &answer)?;
                }
                self.end_asking_call(&ask, Outcome::Ok, answer);
                Ok(())
            }
        }
    }

    fn answer_approval(
        &mut self,
        answer: &str,
        note: Option<String>,
        revision: Option<u32>,
        hash: Option<Hash>,
    ) -> Result<(), Refusal> {
        if answer == "reject" {
            return self.reject(note.unwrap_or_default());
        }
        let plan = self.active()?;
        let (Some(revision), Some(hash)) = (revision, hash) else {
            return Err(Refusal::Conflict { revision: plan.revision, hash: plan.hash.clone() });
        };
        self.approve(revision, &hash, None, false)
    }

    fn answer_permission(
        &mut self,
        ask: &Ask,
        answer: &str,
        note: Option<String>,
    ) -> Result<(), Refusal> {
        match answer {
            "always" => {
                if let Some(rule) = rule_of(ask) {
                    self.keep_rule(rule);
                }
            }
            "add" => {
                let Some(step) = &ask.step_id else { return Ok(()) };
                let own = self.room.plan.as_ref().map(|plan| plan.id);
                let plan = ask.plan_id.filter(|plan| own != Some(*plan));
                for grant in ask.detail.iter().filter(|detail| detail.name == "grant") {
                    let (step, grant) = (step.clone(), grant.value.clone());
                    self.emit(Event::Granted { plan, step, grant, by: self.actor.clone() });
                }
            }
            "refuse" | "refuse_stop" => {
                let words = match note {
                    Some(note) => format!("The person refused this call: {note}"),
                    None => "The person refused this call.".to_owned(),
                };
                // The same call refused again and again is a failed attempt like any other.
                if let Some(call) = ask.call_id.filter(|call| self.room.call(*call).is_some()) {
                    let (changed, images) = (Vec::new(), Vec::new());
                    let words = Text::Inline(words);
                    self.end_call(call, Outcome::Blocked, words, changed, images, 0)?;
                }
                if answer == "refuse_stop" {
                    self.stop(None);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// A rule holds in the room where the person works: a sidekick's is kept above.
    pub(super) fn keep_rule(&mut self, rule: Rule) {
        let by = self.actor.clone();
        match self.room.kind {
            RoomKind::Sidekick { .. } => self.emit(Event::RuleRaised { rule, by }),
            RoomKind::Chat if self.room.rules.contains(&rule) => {}
            RoomKind::Member { .. } => {}
            RoomKind::Chat => self.emit(Event::RuleKept { rule, by }),
        }
    }

    /// A person added what a sidekick asked for to the plan that it went beyond.
    pub(super) fn grant(&mut self, plan: PlanId, step: StepId, grant: String) {
        let known = self.room.active_plan().filter(|known| known.id == plan);
        // It may have ended meanwhile.
        let Some(found) = known.and_then(|plan| plan.step(&step)) else { return };
        if !found.state.is_terminal() && !found.grants.contains(&grant) {
            self.emit(Event::Granted { plan: None, step, grant, by: self.actor.clone() });
        }
    }

    /// The plan is paused; without one that was started, the turn is over.
    pub(super) fn stop(&mut self, so_far: Option<SoFar>) {
        if self.room.council_without_plan().is_some() {
            return self.halt_council(PauseReason::Supervisor, Halt::default());
        }
        let revises = self.room.owes && self.room.is_paused_for(PauseReason::Revise);
        if self.room.running_plan().is_some() || revises {
            return self.pause(PauseReason::Supervisor, None, None);
        }
        let started = self.room.active_plan().is_some_and(|plan| !plan.state.is_draft());
        if started || !self.room.owes {
            return;
        }
        self.sweep("stopped", super::Sweep::End);
        // Unless the whole reply came in meanwhile.
        let unread = so_far.as_ref().is_some_and(|so_far| self.room.said_seq > so_far.seen);
        if let Some(SoFar { model, text, seen }) = so_far
            && seen > self.room.seen_seq
            && seen >= self.room.halted_seq
        {
            let planning = self.room.planning.is_some();
            self.emit(Event::Replied {
                planning,
                model,
                text,
                thinking: None,
                calls: Vec::new(),
                kept: None,
                usage: Usage::default(),
                seen,
                repeats: false,
            });
        }
        self.emit(Event::Trouble {
            code: STOPPED.to_owned(),
            text: match unread {
                true => "You stopped this turn. What you said meanwhile is read with your next \
                         message."
                    .to_owned(),
                false => "You stopped this turn.".to_owned(),
            },
            until: None,
        });
    }

    pub(super) fn answered(&mut self, ask: AskId, answer: &str, note: Option<String>) {
        self.emit(Event::AskAnswered {
            ask,
            answer: answer.to_owned(),
            note,
            by: self.actor.clone(),
        });
    }

    fn end_asking_call(&mut self, ask: &Ask, outcome: Outcome, words: String) {
        let Some(call) = ask.call_id else { return };
        self.end_with(call, outcome, words);
    }
}

/// The rule that "always" keeps: the one that was shown, to the letter.
fn rule_of(ask: &Ask) -> Option<Rule> {
    let shown = ask.detail.iter().find(|detail| detail.name == "rule")?;
    Rule::parse(RuleAction::Allow, &shown.value)
}
