//! Random walks over a council and its members' rooms: every command, every actor, any order.
//!
//! `PLANCARD_COUNCIL_WALKS` says how many; `PLANCARD_COUNCIL_SEED` repeats one.

use crate::hall::{Hall, Log, person};
use plan::council::next_time;
use plan::*;
use std::collections::{BTreeMap, BTreeSet};

/// Numbers from a seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % most.max(1)
    }

    fn one_in(&mut self, many: u64) -> bool {
        self.roll(many) == 0
    }

    fn pick<T: Clone>(&mut self, all: &[T]) -> T {
        let index = usize::try_from(self.roll(all.len() as u64)).expect("a small number");
        all[index].clone()
    }

    fn small(&mut self, most: u32) -> u32 {
        u32::try_from(self.roll(u64::from(most))).expect("a small number")
    }
}

/// Prints the seed of a walk that fails.
struct Seed(u64);

impl Drop for Seed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the walk failed: PLANCARD_COUNCIL_SEED={}", self.0);
        }
    }
}

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
}

fn rules(dice: &mut Dice) -> CouncilRules {
    let some = |dice: &mut Dice, most: u32| (!dice.one_in(3)).then(|| dice.small(most));
    CouncilRules {
        defer_voting_until_all_answered: dice.one_in(2),
        max_new_answers_per_agent: some(dice, 4),
        max_new_answers_global: some(dice, 6).filter(|_| dice.one_in(2)),
        answer_novelty_requirement: dice.pick(&[
            Novelty::Lenient,
            Novelty::Balanced,
            Novelty::Strict,
        ]),
        fairness_lead_cap_answers: some(dice, 3),
        max_midstream_injections_per_round: dice.small(3),
        orchestrator_timeout_seconds: 60 + dice.small(1_800),
        initial_round_timeout_seconds: some(dice, 600),
        subsequent_round_timeout_seconds: some(dice, 600),
        round_timeout_grace_seconds: dice.small(120),
        final_answer_strategy: dice.pick(&[
            FinalAnswer::WinnerPresent,
            FinalAnswer::WinnerPresent,
            FinalAnswer::WinnerReuse,
            FinalAnswer::Synthesize,
        ]),
        max_orchestration_restarts: dice.small(3),
        tokens: dice.one_in(8).then_some(150),
        ..CouncilRules::default()
    }
}

impl Walk {
    fn new(seed: u64) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let mut hall = Hall::empty();
        let rules = rules(&mut dice);
        let members = 2 + dice.small(4);
        let start = hall.new_council(members as usize, rules);
        hall.person(start).expect("a council can be started");
        Self {
            hall,
            dice,
            told: BTreeMap::new(),
            checked: 0,
            checked_below: BTreeMap::new(),
            winners: 0,
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
                let choice = self.dice.small(7);
                Command::VoteCouncil { voter: None, choice, label: None, reason: "me".into() }
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
                let choice = self.dice.small(7);
                // A vote without a turn in its own room: only where the question was never told.
                match self.hall.seat(member).is_in_turn() {
                    true => Command::CouncilTimeUp,
                    false => {
                        Command::VoteCouncil { voter, choice, label: None, reason: "x".into() }
                    }
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

    /// What must hold after everything.
    fn check(&mut self) {
        let events: Vec<Event> = self.hall.top.events[self.checked..].to_vec();
        self.checked = self.hall.top.events.len();
        for event in &events {
            self.check_event(event);
        }
        let logs: Vec<(RoomId, usize)> =
            self.hall.rooms.iter().map(|(room, log)| (*room, log.events.len())).collect();
        for (room, len) in logs {
            let from = self.checked_below.insert(room, len).unwrap_or(0);
            let new = &self.hall.rooms[&room].events[from..];
            for event in new {
                if let Event::CallBegan { effect, .. } = event {
                    assert!(!effect.changes_things(), "a member changes nothing");
                }
                assert!(!matches!(event, Event::AskRaised { .. }), "nobody is asked for a member");
            }
        }
        let council = self.hall.council();
        if let Some((winner, _)) = council.winner {
            assert!(council.seat(winner).is_some_and(|seat| seat.given() > 0), "it has an answer");
        }
        if council.holds_room() {
            assert!(self.hall.top.room.active_plan().is_none(), "no plan beside a council");
        }
        if council.paused.is_some() {
            assert!(self.hall.due().is_empty(), "a paused council does nothing");
            assert_eq!(work::next(&self.hall.top.room), Work::None);
        }
        if council.is_running()
            && let Some(next) = next_time(&self.hall.top.room, self.hall.time())
        {
            let late = council.deadline().is_some_and(|end| end <= self.hall.time());
            assert!(late || next > self.hall.time(), "the next time is to come");
        }
    }

    #[allow(clippy::wildcard_enum_match_arm)] // the others say nothing of councils
    fn check_event(&mut self, event: &Event) {
        match event {
            Event::CouncilStarted { .. } | Event::CouncilRestarted { .. } => self.winners = 0,
            Event::CouncilDecided { .. } => {
                self.winners += 1;
                assert_eq!(self.winners, 1, "at most one winner for each attempt");
            }
            Event::CallBegan { effect, .. } if effect.changes_things() => {
                let stage = self.hall.top.room.active_council().map(|council| council.stage);
                let free = matches!(stage, None | Some(CouncilStage::Executing));
                assert!(free, "nothing is changed before the winner's phase: {stage:?}");
            }
            Event::CouncilVoted { member: Some(number), vote } => self.check_vote(*number, vote),
            _ => {}
        }
    }

    /// The voter's model had been told the answer that it voted for, or gave it itself.
    fn check_vote(&self, number: Number, vote: &Vote) {
        if vote.choice == number {
            return;
        }
        let (room, heard) = (self.hall.seat(number).who.room, self.hall.heard(number));
        let told: BTreeSet<String> = self
            .told
            .range((room, 0)..=(room, heard))
            .flat_map(|(_, shows)| shows.iter().map(|(other, nth)| Council::label(*other, *nth)))
            .collect();
        assert!(told.contains(&vote.label), "{number} voted for {vote:?}, told {told:?}");
    }

    /// From here on all members do as they are asked, and the person lets the council go on: it
    /// comes to an end.
    fn finish(&mut self) {
        for _ in 0..400 {
            if !self.hall.council().holds_room() {
                return;
            }
            if self.hall.council().paused.is_some() {
                self.hall.person(Command::Resume).expect("a person resumes");
                self.check();
            }
            let mut acted = false;
            for crossing in self.hall.due() {
                if let Crossing::Tell(number) = crossing {
                    self.note_told(number);
                }
                acted |= self.hall.cross(crossing);
                self.check();
            }
            let members = self.hall.council().seats.len();
            for number in 1..=u32::try_from(members).expect("a few") {
                acted |= self.obeys(number);
                self.check();
            }
            if !acted && self.hall.council().is_running() {
                let next = next_time(&self.hall.top.room, self.hall.time());
                self.hall.now = next.expect("something is to come").0;
            }
        }
        panic!("the council is stuck: {:?}", self.hall.view());
    }

    /// A member does what it was asked, if it was.
    fn obeys(&mut self, number: Number) -> bool {
        let council = self.hall.council();
        let Some(seat) = council.seat(number).filter(|_| council.is_at_work(number)) else {
            return false;
        };
        let answered: Vec<Number> =
            council.numbered().filter(|(_, seat)| seat.given() > 0).map(|(n, _)| n).collect();
        let last_word = seat.asked.as_ref().is_some_and(|asked| asked.last_word);
        let answers = last_word
            || council.may_answer(number) && (seat.given() == 0 || !council.may_vote(number));
        let Some(room) = self.hall.member_room(number) else { return false };
        match work::next(room) {
            Work::None => false,
            Work::Model => {
                let tool = if answers || answered.is_empty() { "new_answer" } else { "vote" };
                self.hall.calls(number, tool);
                true
            }
            Work::Calls(calls) => {
                let tool = room.call(calls[0]).map(|call| call.request.tool.clone());
                match tool.as_deref() {
                    Some("vote") if !answered.is_empty() => {
                        let choice = self.dice.pick(&answered);
                        let _ = self.hall.cast(number, calls[0], choice);
                    }
                    tool => self.carry_out(number, calls[0], tool.unwrap_or_default()),
                }
                true
            }
        }
    }
}

fn walk(seed: u64) {
    let printed = Seed(seed);
    let mut walk = Walk::new(seed);
    let steps = 40 + walk.dice.roll(80);
    for _ in 0..steps {
        walk.step();
    }
    walk.finish();
    walk.hall.top.replay();
    walk.hall.rooms.values().for_each(Log::replay);
    drop(printed);
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn whatever_happens_a_council_keeps_its_rules_and_comes_to_an_end() {
    match number("PLANCARD_COUNCIL_SEED") {
        Some(seed) => walk(seed),
        None => (1..=number("PLANCARD_COUNCIL_WALKS").unwrap_or(2_000)).for_each(walk),
    }
}

impl Hall {
    fn words_quietly(&mut self, number: Number) {
        let reply = self.reply(number, None);
        let _ = self.below(number, &Actor::harness(), reply);
    }

    /// The app is killed and starts again; nothing that is due happens.
    fn restart_rooms(&mut self) {
        let now = self.time();
        for log in self.rooms.values_mut().chain([&mut self.top]) {
            let interrupt = Command::Interrupt { cut: Vec::new() };
            log.submit(interrupt, &Actor::harness(), now).expect("the harness may");
        }
    }

    /// The room's own model wants to run something.
    fn top_reply(&self, id: CallId) -> Command {
        let call = CallRequest {
            id,
            provider_id: "p".into(),
            tool: "shell".into(),
            args: Text::from("{}"),
            sent: None,
            cut: false,
        };
        Command::Reply {
            model: "m".into(),
            text: Text::from("t"),
            thinking: None,
            kept: None,
            calls: vec![call],
            usage: Usage::default(),
            seen: self.top.room.seq,
        }
    }
}
