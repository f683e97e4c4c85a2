//! Random walks over a council and its members' rooms: every command, every actor, any order.
//!
//! `PLANCARD_COUNCIL_WALKS` says how many; `PLANCARD_COUNCIL_SEED` repeats one.

mod dice;
mod doings;
mod ending;
mod intruders;
mod invariants;
mod tally;

use crate::hall::{Hall, person};
use dice::{Dice, Seed, rules};
use plan::*;
use std::collections::BTreeMap;
use tally::Tally;

/// A walk, with what it has seen for itself.
struct Walk {
    hall: Hall,
    dice: Dice,
    /// Answers that each member's room was told of, by the question.
    told: BTreeMap<(RoomId, u32), Vec<(Number, u32)>>,
    /// Events of the council's room that were looked at.
    checked: usize,
    /// Events of each member's room that were looked at.
    checked_below: BTreeMap<RoomId, usize>,
    winners: u32,
    /// What happened on the way.
    tally: Tally,
}

impl Walk {
    fn new(seed: u64) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let mut hall = Hall::empty();
        let rules = rules(&mut dice);
        // Every eighth walk is replayed from its stored events at every step, the others at their end.
        hall.top.quick = !seed.is_multiple_of(8);
        let members = if dice.one_in(16) { 8 } else { 2 + dice.small(4) };
        let start = hall.new_council(members as usize, rules);
        hall.person(start).expect("a council can be started");
        Self {
            hall,
            dice,
            told: BTreeMap::new(),
            checked: 0,
            checked_below: BTreeMap::new(),
            winners: 0,
            tally: Tally::default(),
        }
    }

    fn member(&mut self) -> Number {
        let members = u32::try_from(self.hall.council().seats.len()).expect("a few");
        1 + self.dice.small(members)
    }

    fn actor(&mut self) -> Actor {
        let all = [
            person(),
            Actor::agent("default"),
            Actor::sidekick("calm-otter"),
            Actor::harness(),
            Actor::harness(),
        ];
        self.dice.pick(&all)
    }

    /// One thing happens. What is refused changes nothing.
    fn step(&mut self) {
        match self.dice.roll(20) {
            0..=6 => self.cross(),
            7..=14 => self.member_acts(),
            15 => self.hall.now += i64::from(self.dice.small(120_000)),
            16 => self.member_trouble(),
            17 | 18 => {
                let command = self.command();
                let actor = match self.dice.one_in(3) {
                    true => self.actor(),
                    false => person(),
                };
                let _ = self.hall.by(&actor, command);
            }
            _ if self.dice.one_in(2) => self.intrude(),
            _ => {
                let (command, actor) = (self.noise(), self.actor());
                let _ = self.hall.by(&actor, command);
            }
        }
        self.check();
    }

    /// One of the things that are due, or all.
    fn cross(&mut self) {
        let due = self.hall.due();
        if due.is_empty() {
            return;
        }
        let crossings = match self.dice.one_in(3) {
            true => due,
            false => vec![self.dice.pick(&due)],
        };
        for crossing in crossings {
            if let Crossing::Tell(number) = crossing {
                self.note_told(number);
            }
            self.hall.cross(crossing);
        }
    }

    fn note_told(&mut self, number: Number) {
        let asked = self.hall.asked(number);
        self.told.insert((self.hall.seat(number).who.room, asked.turn), asked.shows);
    }

    /// A member's model replies, or a call of it is carried out.
    fn member_acts(&mut self) {
        let number = self.member();
        let held = !self.hall.council().is_at_work(number);
        let Some(room) = self.hall.member_room(number) else { return };
        // What is held now and then slips through.
        if held && !self.dice.one_in(8) {
            return;
        }
        match work::next(room) {
            Work::None => {}
            Work::Model => {
                let tools = ["new_answer", "new_answer", "vote", "vote", "write_file"];
                let tool = self.dice.pick(&tools);
                match self.dice.one_in(10) {
                    true => self.hall.words_quietly(number),
                    false => drop(self.hall.calls(number, tool)),
                }
            }
            Work::Calls(calls) => {
                let call = calls[0];
                let tool = room.call(call).map(|call| call.request.tool.clone()).expect("open");
                self.carry_out(number, call, &tool);
            }
        }
    }

    fn carry_out(&mut self, number: Number, call: CallId, tool: &str) {
        match tool {
            "new_answer" => {
                let overlap = self.dice.one_in(3).then(|| self.dice.roll(101));
                let text = format!("answer {}", self.hall.now);
                let _ = self.hall.give(number, call, &text, overlap);
            }
            "vote" => {
                let choice = self.dice.small(7);
                let _ = self.hall.cast(number, call, choice);
            }
            _ => {
                let effects = [Effect::Write, Effect::Exec, Effect::Network, Effect::Read];
                let effect = self.dice.pick(&effects);
                let begin = Command::BeginCall { call, effect, touches: vec![], how: None };
                let _ = self.hall.below(number, &Actor::harness(), begin);
                let end = Command::EndCall {
                    call,
                    outcome: self.dice.pick(&[Outcome::Ok, Outcome::Failed, Outcome::Blocked]),
                    result: Text::from("r"),
                    nudge: None,
                    changed: vec![],
                    images: vec![],
                    ms: 1,
                };
                let _ = self.hall.below(number, &Actor::harness(), end);
            }
        }
    }

    fn member_trouble(&mut self) {
        let number = self.member();
        if self.hall.member_room(number).is_none() || !self.dice.one_in(3) {
            return;
        }
        let until = Time(self.hall.now + i64::from(self.dice.small(300_000)));
        let (reason, until) = match self.dice.one_in(4) {
            true => (PauseReason::Provider, None),
            false => (PauseReason::Quota, Some(until)),
        };
        let (code, text) = ("T".to_owned(), "trouble".to_owned());
        let trouble = Command::Trouble { reason, code, text, until };
        let _ = self.hall.below(number, &Actor::harness(), trouble);
    }

    /// What a person or the room's agent may want.
    fn command(&mut self) -> Command {
        let (member, room) = (self.member(), RoomId(self.hall.id()));
        match self.dice.roll(18) {
            0 | 1 => Command::Pause,
            2..=4 => Command::Resume,
            5 if self.dice.one_in(4) => Command::Cancel { reason: "no".into(), call: None },
            6 if self.dice.one_in(3) => Command::AnswerNow,
            7 if self.dice.one_in(3) => Command::PickWinner { member },
            5..=9 => {
                let (choice, label) = (self.dice.small(7), self.label());
                Command::VoteCouncil { voter: None, choice, label, reason: "me".into() }
            }
            10 | 11 => Command::RetryMember { member, room },
            12 => Command::Say { message: MessageId(self.hall.id()), text: Text::from("hi") },
            13 => Command::SetMode {
                mode: self.dice.pick(&[PlanMode::Off, PlanMode::Soft, PlanMode::Strict]),
            },
            14 => match &self.hall.top.room.plan {
                Some(plan) => Command::Approve {
                    revision: plan.revision,
                    hash: plan.hash.clone(),
                    model: None,
                    fresh_context: false,
                },
                None => Command::Resume,
            },
            15 => Command::Reject { reason: "no".into() },
            16 => self.write(),
            _ => {
                let rules = rules(&mut self.dice);
                self.hall.new_council(member as usize, rules)
            }
        }
    }

    /// Often no label, at times a wrong one.
    fn label(&mut self) -> Option<String> {
        let (member, nth) = (self.dice.small(7), self.dice.small(4));
        self.dice.one_in(2).then(|| Council::label(member, nth))
    }

    fn write(&mut self) -> Command {
        let steps = vec![DraftStep::Words("a".into())];
        Command::Write {
            plan: PlanId(self.hall.id()),
            ask: AskId(self.hall.id()),
            call: None,
            draft: Draft { goal: "g".into(), steps, ..Draft::default() },
            frame: self.hall.frame(Origin::Chat),
        }
    }

    /// What nobody should want now, and what the agent and the harness do.
    fn noise(&mut self) -> Command {
        let member = self.member();
        match self.dice.roll(13) {
            0 => Command::AskMember { member, low: self.dice.one_in(2) },
            1 if self.dice.one_in(4) => Command::MemberOut { member, reason: "out".into() },
            2 => {
                let until = self.dice.one_in(2).then_some(Time(self.hall.now + 5_000));
                Command::MemberWaits { member, until }
            }
            3 => Command::HandOver { text: Text::from("early") },
            4 => Command::CouncilTimeUp,
            5 => {
                let voter = Some((member, self.dice.small(4)));
                let (choice, label) = (self.dice.small(7), self.label());
                // A vote without a turn in its own room: only where the question was never told.
                match self.hall.seat(member).is_in_turn() {
                    true => Command::CouncilTimeUp,
                    false => Command::VoteCouncil { voter, choice, label, reason: "x".into() },
                }
            }
            6 => Command::SubmitCouncil { call: None },
            7 | 8 => {
                let rooms = self.hall.council().seats.len();
                let again = NewAttempt {
                    reason: "again".into(),
                    instructions: String::new(),
                    rooms: (0..rooms).map(|_| RoomId(self.hall.id())).collect(),
                    plan: PlanId(self.hall.id()),
                    ask: AskId(self.hall.id()),
                };
                Command::RestartCouncil { again: Box::new(again), call: None }
            }
            9 | 10 => {
                let (step, result) = (StepRef::Number(1), "ok".to_owned());
                Command::StepDone { step, result, check: None, call: None }
            }
            11 => {
                self.hall.restart_rooms();
                Command::Wake
            }
            _ => match self.hall.top.room.calls.first() {
                Some(open) => Command::BeginCall {
                    call: open.request.id,
                    effect: self.dice.pick(&[Effect::Read, Effect::Write, Effect::Exec]),
                    touches: vec![],
                    how: None,
                },
                None => {
                    let id = CallId(self.hall.id());
                    self.hall.top_reply(id)
                }
            },
        }
    }
}

fn walk(seed: u64) -> Tally {
    let printed = Seed(seed);
    let mut walk = Walk::new(seed);
    let steps = 20 + walk.dice.roll(70);
    for _ in 0..steps {
        walk.step();
    }
    walk.finish();
    drop(printed);
    walk.tally
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn whatever_happens_a_council_keeps_its_rules_and_comes_to_an_end() {
    if let Some(seed) = number("PLANCARD_COUNCIL_SEED") {
        walk(seed);
        return;
    }
    let walks = number("PLANCARD_COUNCIL_WALKS").unwrap_or(2_000);
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get());
    let some = |first: u64| (first..=walks).step_by(threads).map(walk).sum();
    let all: Tally = std::thread::scope(|scope| {
        let parts: Vec<_> =
            (1..=threads as u64).map(|first| scope.spawn(move || some(first))).collect();
        parts.into_iter().map(|part| part.join().expect("every walk keeps the rules")).sum()
    });
    all.went_everywhere(walks);
}
