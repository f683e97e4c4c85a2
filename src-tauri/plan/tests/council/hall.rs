//! A council with its members' rooms as a small tree, driven by what is due between them.

use crate::log::Log;
use plan::council::{Standing, due};
use plan::*;
use std::collections::BTreeMap;
use uuid::Uuid;

/// The council's room and those of its members. It replays all of them when it is dropped.
pub(crate) struct Hall {
    pub(crate) top: Log,
    pub(crate) rooms: BTreeMap<RoomId, Log>,
    pub(crate) now: i64,
    pub(crate) caps: Caps,
    ids: u128,
}

impl Drop for Hall {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.top.replay();
            self.rooms.values().for_each(Log::replay);
        }
    }
}

pub(crate) fn person() -> Actor {
    Actor::person("me", Surface::Window)
}

impl Hall {
    /// A room without a council.
    pub(crate) fn empty() -> Self {
        let (top, rooms) = (Log::default(), BTreeMap::new());
        let mut hall = Self { top, rooms, now: 0, caps: Caps::default(), ids: 0 };
        let create = Command::CreateRoom {
            unnamed: false,
            room: RoomId(hall.id()),
            title: "room".into(),
            workspace: "/ws".into(),
            kind: RoomKind::Chat,
            mode: PlanMode::Off,
            agent: "default".into(),
        };
        hall.harness(create).expect("a new room can be made");
        hall
    }

    /// A council of so many members, whose rooms are made and who were asked.
    pub(crate) fn of(members: usize) -> Self {
        Self::with(members, |_| {})
    }

    /// The same under other rules.
    pub(crate) fn with(members: usize, change: impl FnOnce(&mut CouncilRules)) -> Self {
        let mut hall = Self::empty();
        hall.start(members, change).expect("a council can be started");
        hall.settle();
        hall
    }

    pub(crate) fn start(
        &mut self,
        members: usize,
        change: impl FnOnce(&mut CouncilRules),
    ) -> Result<Vec<Event>, Refusal> {
        let mut rules = CouncilRules::default();
        change(&mut rules);
        let start = self.new_council(members, rules);
        self.person(start)
    }

    pub(crate) fn new_council(&mut self, members: usize, rules: CouncilRules) -> Command {
        let sitting = |n: usize, room| Sitting {
            agent: format!("a{n}"),
            model: format!("p/m{n}"),
            room: RoomId(room),
        };
        let members = (1..=members).map(|n| sitting(n, self.id())).collect();
        let new = NewCouncil {
            council: CouncilId(self.id()),
            task: Text::from("sort the folders"),
            members,
            rules,
            frame: self.frame(Origin::Council),
            plan: PlanId(self.id()),
            ask: AskId(self.id()),
        };
        Command::StartCouncil { new: Box::new(new), call: None }
    }

    pub(crate) fn id(&mut self) -> Uuid {
        self.ids += 1;
        Uuid::from_u128(self.ids)
    }

    pub(crate) fn frame(&self, origin: Origin) -> Frame {
        Frame {
            origin,
            caps: self.caps.clone(),
            lanes: 1,
            on_partial: OnPartial::Fail,
            venue_room: self.top.room.id.unwrap_or(RoomId(Uuid::nil())),
            parent: None,
            nested: false,
            delegated: false,
            synthesis: None,
        }
    }

    pub(crate) fn time(&self) -> Time {
        Time(self.now)
    }

    pub(crate) fn person(&mut self, command: Command) -> Result<Vec<Event>, Refusal> {
        self.by(&person(), command)
    }

    pub(crate) fn agent(&mut self, command: Command) -> Result<Vec<Event>, Refusal> {
        self.by(&Actor::agent("default"), command)
    }

    pub(crate) fn harness(&mut self, command: Command) -> Result<Vec<Event>, Refusal> {
        self.by(&Actor::harness(), command)
    }

    pub(crate) fn by(&mut self, actor: &Actor, command: Command) -> Result<Vec<Event>, Refusal> {
        self.now += 1;
        let now = self.time();
        self.top.submit(command, actor, now)
    }

    /// Something in a member's own room.
    pub(crate) fn below(
        &mut self,
        number: Number,
        actor: &Actor,
        command: Command,
    ) -> Result<Vec<Event>, Refusal> {
        self.now += 1;
        let (now, id) = (self.time(), self.seat(number).who.room);
        self.rooms.get_mut(&id).expect("the member's room").submit(command, actor, now)
    }

    /// The newest council of the room.
    pub(crate) fn council(&self) -> &Council {
        self.top.room.councils.last().expect("a council")
    }

    pub(crate) fn seat(&self, number: Number) -> &Seat {
        self.council().seat(number).expect("a member of that number")
    }

    pub(crate) fn view(&self) -> CouncilView {
        council_view(&self.top.room).expect("a council")
    }

    pub(crate) fn member_room(&self, number: Number) -> Option<&Room> {
        self.rooms.get(&self.seat(number).who.room).map(|log| &log.room)
    }

    /// What a member is asked now.
    pub(crate) fn asked(&self, number: Number) -> Question {
        self.seat(number).asked.clone().expect("a question")
    }

    pub(crate) fn due(&self) -> Vec<Crossing> {
        due(&self.top.room, |number| self.member_room(number).and_then(Standing::of), self.time())
    }

    /// Carries out what is due until nothing is.
    pub(crate) fn settle(&mut self) {
        for _ in 0..200 {
            let due = self.due();
            if due.is_empty() {
                return;
            }
            for crossing in due {
                self.cross(crossing);
            }
        }
        panic!("something is always due: {:?}", self.due());
    }

    pub(crate) fn cross(&mut self, crossing: Crossing) -> bool {
        let harness = Actor::harness();
        let done = match crossing {
            Crossing::Make(number) => {
                let (who, council) = (self.seat(number).who.clone(), self.council().id);
                let parent = self.top.room.id.expect("the room is there");
                let create = Command::CreateRoom {
                    room: who.room,
                    title: member_name(number),
                    unnamed: false,
                    workspace: "/ws".into(),
                    kind: RoomKind::Member { parent, council, number },
                    mode: PlanMode::Strict,
                    agent: who.agent,
                };
                let quick = self.top.quick;
                self.rooms.entry(who.room).or_insert_with(|| Log::new(quick));
                self.below(number, &harness, create)
            }
            Crossing::Ask(member) => self.harness(Command::AskMember { member, low: false }),
            Crossing::RunsLow(member) => self.harness(Command::AskMember { member, low: true }),
            Crossing::Tell(number) => {
                let Question { turn, may_look, words, last_word, .. } = self.asked(number);
                let text = Text::from("?");
                let tell = Command::TellMember { turn, text, may_look, words, last_word };
                self.below(number, &harness, tell)
            }
            Crossing::GoOn(number) => self.below(number, &harness, Command::NudgeMember),
            Crossing::Out(member, reason) => self.harness(Command::MemberOut { member, reason }),
            Crossing::Waits(member, until) => self.harness(Command::MemberWaits { member, until }),
            Crossing::TimeUp => self.harness(Command::CouncilTimeUp),
            Crossing::HandOver => self.harness(Command::HandOver { text: Text::from("won") }),
        };
        done.is_ok()
    }

    /// Time passes, and what is due then happens.
    pub(crate) fn pass(&mut self, seconds: i64) {
        self.now += seconds * 1_000;
        self.settle();
    }

    /// A member's model replies with one call, which has not been looked at yet.
    pub(crate) fn calls(&mut self, number: Number, tool: &str) -> CallId {
        let id = CallId(self.id());
        let reply = self.reply(number, Some((id, tool)));
        self.below(number, &Actor::harness(), reply).expect("the model is asked");
        let room = self.seat(number).who.room;
        let usage = self.member_room(number).expect("its room").usage;
        self.harness(Command::SpentBelow { room, usage }).expect("costs are counted");
        id
    }

    /// A member's model says only words.
    pub(crate) fn words(&mut self, number: Number) {
        let reply = self.reply(number, None);
        self.below(number, &Actor::harness(), reply).expect("the model is asked");
        self.settle();
    }

    pub(crate) fn reply(&self, number: Number, call: Option<(CallId, &str)>) -> Command {
        let request = |(id, tool): (CallId, &str)| CallRequest {
            id,
            provider_id: "p".into(),
            tool: tool.to_owned(),
            args: Text::from("{}"),
            sent: None,
            cut: false,
        };
        Command::Reply {
            model: "m".into(),
            text: Text::from("t"),
            thinking: None,
            kept: None,
            calls: call.map(request).into_iter().collect(),
            usage: Usage { input: 10, output: 1, cost_micros: 5, ..Usage::default() },
            seen: self.member_room(number).map_or(0, |room| room.seq),
            ended: ReplyEnd::Whole,
        }
    }

    /// The call of a member is carried out: its answer.
    pub(crate) fn give(
        &mut self,
        number: Number,
        call: CallId,
        text: &str,
        overlap: Option<u64>,
    ) -> Result<Vec<Event>, Refusal> {
        let heard = self.heard(number);
        let draft = Draft {
            goal: "sort".into(),
            steps: vec![DraftStep::Words(format!(
                "do {}",
                text.chars().take(80).collect::<String>()
            ))],
            ..Draft::default()
        };
        let content = Text::from(text);
        let new = NewAnswer { member: number, heard, content, draft, overlap };
        let done = self.harness(Command::AnswerCouncil { new: Box::new(new) });
        self.ends(number, call, done)
    }

    /// The call of a member is carried out: its vote.
    pub(crate) fn cast(
        &mut self,
        number: Number,
        call: CallId,
        choice: Number,
    ) -> Result<Vec<Event>, Refusal> {
        let voter = Some((number, self.heard(number)));
        let reason = format!("{} is best", member_name(choice));
        let vote = Command::VoteCouncil { voter, choice, label: None, reason };
        let done = self.harness(vote);
        self.ends(number, call, done)
    }

    pub(crate) fn heard(&self, number: Number) -> u32 {
        let member = self.member_room(number).and_then(|room| room.member.as_ref());
        member.map_or(0, |member| member.heard)
    }

    fn ends(
        &mut self,
        number: Number,
        call: CallId,
        done: Result<Vec<Event>, Refusal>,
    ) -> Result<Vec<Event>, Refusal> {
        let not_new = |event: &Event| matches!(event, Event::CouncilNotNew { .. });
        let rests = done.as_ref().is_ok_and(|events| !events.iter().any(not_new));
        let end = match rests {
            true => Command::EndMemberTurn { call, words: String::new() },
            false => Command::EndCall {
                call,
                outcome: Outcome::Blocked,
                result: Text::from("no"),
                nudge: None,
                changed: vec![],
                images: vec![],
                ms: 1,
            },
        };
        // A call that was swept away meanwhile has ended.
        let _ = self.below(number, &Actor::harness(), end);
        done
    }

    /// A member answers.
    pub(crate) fn answer(&mut self, number: Number, text: &str) -> Result<Vec<Event>, Refusal> {
        let call = self.calls(number, "new_answer");
        let done = self.give(number, call, text, None);
        self.settle();
        done
    }

    /// A member votes.
    pub(crate) fn vote(&mut self, number: Number, choice: Number) -> Result<Vec<Event>, Refusal> {
        let call = self.calls(number, "vote");
        let done = self.cast(number, call, choice);
        self.settle();
        done
    }

    /// The person votes.
    pub(crate) fn person_votes(&mut self, choice: Number) -> Result<Vec<Event>, Refusal> {
        let vote = Command::VoteCouncil { voter: None, choice, label: None, reason: "me".into() };
        let done = self.person(vote);
        self.settle();
        done
    }

    /// A member's provider lets it wait until then.
    pub(crate) fn rate_limited(&mut self, number: Number, until: i64) {
        let trouble = Command::Trouble {
            reason: PauseReason::Quota,
            code: "QUOTA".into(),
            text: "rate limit".into(),
            until: Some(Time(until)),
        };
        self.below(number, &Actor::harness(), trouble).expect("trouble is told");
        self.settle();
    }

    /// A member's model can't be asked any more.
    pub(crate) fn dies(&mut self, number: Number) {
        let trouble = Command::Trouble {
            reason: PauseReason::Provider,
            code: "GONE".into(),
            text: "the key was rejected".into(),
            until: None,
        };
        self.below(number, &Actor::harness(), trouble).expect("trouble is told");
        self.settle();
    }

    /// The app is killed and starts again.
    pub(crate) fn restart_app(&mut self) {
        let now = Time(self.now);
        let logs = self.rooms.values_mut().chain([&mut self.top]);
        for log in logs {
            let interrupt = Command::Interrupt { cut: Vec::new() };
            log.submit(interrupt, &Actor::harness(), now).expect("the harness may");
        }
        self.settle();
    }

    pub(crate) fn winner(&self) -> Option<(Number, DecidedBy)> {
        self.council().winner
    }

    pub(crate) fn is_out(&self, number: Number) -> bool {
        !self.seat(number).lives()
    }

    /// The winner's plan is worked off, step by step.
    pub(crate) fn work_off(&mut self) {
        while let Some(step) = self.top.room.running_plan().and_then(Plan::current) {
            let step = StepRef::Id(step.spec.id.0.clone());
            let done = Command::StepDone { step, result: "ok".into(), check: None, call: None };
            self.agent(done).expect("the step is in progress");
        }
    }
}

/// The kinds of some events.
pub(crate) fn kinds(done: Result<Vec<Event>, Refusal>) -> Vec<&'static str> {
    done.expect("it is done").iter().map(Event::kind).collect()
}

/// The code of a refusal.
pub(crate) fn refused(done: Result<Vec<Event>, Refusal>) -> &'static str {
    done.expect_err("it is refused").code()
}
