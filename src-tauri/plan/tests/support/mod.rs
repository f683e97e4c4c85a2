//! A room told as a story: one line, one command.

#![allow(dead_code)] // each test file uses its own part

use plan::*;
use std::fmt::Write;
use uuid::Uuid;

pub struct Story {
    pub room: Room,
    pub log: Vec<(Event, Time)>,
    pub told: String,
    pub now: i64,
    ids: u128,
    pub caps: Caps,
    pub lanes: u32,
    pub on_partial: OnPartial,
}

impl Story {
    pub fn new() -> Self {
        let mut story = Self {
            room: Room::default(),
            log: Vec::new(),
            told: String::new(),
            now: 0,
            ids: 0,
            caps: Caps::default(),
            lanes: 1,
            on_partial: OnPartial::Fail,
        };
        let create = Command::CreateRoom {
            unnamed: false,
            room: RoomId(story.id()),
            title: "room".into(),
            workspace: "/ws".into(),
            kind: RoomKind::Chat,
            mode: PlanMode::Off,
            agent: "default".into(),
        };
        story.submit(create, &Actor::harness()).expect("a new room can be made");
        story
    }

    /// In the room of a sidekick that was told what to do.
    pub fn sidekick() -> Self {
        let mut story = Self::new();
        (story.room, story.log) = (Room::default(), Vec::new());
        let (room, parent) = (RoomId(story.id()), RoomId(story.id()));
        let kind =
            RoomKind::Sidekick { parent, codename: "calm-otter".into(), step: None, whole: false };
        let (title, workspace, agent) = ("calm-otter".into(), "/ws".into(), "default".into());
        let mode = PlanMode::Off;
        let create =
            Command::CreateRoom { room, title, unnamed: false, workspace, kind, mode, agent };
        let limits = Limits { turns: 25, seconds: 300, tokens: None };
        let (task, context, model) = (Text::Inline("do it".into()), None, None);
        let brief = Command::Brief { task, context, model, number: None, limits };
        for command in [create, brief] {
            story.submit(command, &Actor::harness()).expect("the harness may");
        }
        story
    }

    pub fn id(&mut self) -> Uuid {
        self.ids += 1;
        Uuid::from_u128(self.ids)
    }

    pub fn frame(&self, origin: Origin) -> Frame {
        Frame {
            origin,
            caps: self.caps.clone(),
            lanes: self.lanes,
            on_partial: self.on_partial,
            venue_room: self.room.id.expect("the room is there"),
            parent: None,
            nested: false,
            delegated: false,
            synthesis: None,
        }
    }

    pub fn submit(&mut self, command: Command, actor: &Actor) -> Result<Vec<Event>, Refusal> {
        self.now += 1_000;
        let events = decide(&self.room, command, actor, Time(self.now))?;
        for event in &events {
            self.room.apply(event, Time(self.now));
            self.log.push((event.clone(), Time(self.now)));
        }
        Ok(events)
    }

    /// Live state is replayed state, also through the bytes that are stored.
    pub fn replay(&self) {
        let mut replayed = Room::default();
        for (event, at) in &self.log {
            let stored = serde_json::to_vec(event).expect("events serialise");
            let read: Event = serde_json::from_slice(&stored).expect("and read back");
            replayed.apply(&read, *at);
        }
        assert_eq!(replayed, self.room);
        let bytes = serde_json::to_vec(&self.room).expect("rooms serialise");
        assert_eq!(serde_json::to_vec(&replayed).expect("rooms serialise"), bytes);
        let read: Room = serde_json::from_slice(&bytes).expect("and read back");
        assert_eq!(read, self.room);
    }

    pub fn tell(&mut self, line: &str) {
        let (who, what) = line.split_once(": ").expect("actor: command");
        let actor = match who {
            "person" => Actor::person("me", Surface::Window),
            "agent" | "model" => Actor::agent("default"),
            _ => Actor::harness(),
        };
        let command = self.command(who, what);
        let actor = if who == "model" { Actor::harness() } else { actor };
        match self.submit(command, &actor) {
            Ok(events) => {
                let words: Vec<String> = events.iter().map(short).collect();
                let _ = writeln!(self.told, "{line} → {}", words.join(", "));
            }
            Err(refusal) => {
                let _ = writeln!(self.told, "{line} → refused {}: {refusal}", refusal.code());
            }
        }
    }

    fn command(&mut self, who: &str, what: &str) -> Command {
        let (verb, rest) = what.split_once(' ').unwrap_or((what, ""));
        let step = || StepRef::Id(rest.split(' ').next().unwrap_or("").to_owned());
        let words = || rest.split_once(' ').map_or("", |(_, words)| words).to_owned();
        let open = self.room.calls.first().map(|call| call.request.id);
        let call = open.unwrap_or(CallId(Uuid::nil()));
        match (who, verb) {
            ("model", "words") => self.reply(&[]),
            ("model", "aside") => Command::SetAside {
                model: "m".into(),
                usage: Usage { input: 10, output: 1, ..Usage::default() },
                seen: self.room.seq,
                turns: self.caps.planning_turns,
            },
            ("model", "calls") => self.reply(&rest.split(", ").collect::<Vec<_>>()),
            ("call", "begin") => Command::BeginCall {
                call,
                effect: if rest == "read" { Effect::Read } else { Effect::Write },
                touches: vec![],
                how: None,
            },
            ("call", end) => Command::EndCall {
                call,
                outcome: match end {
                    "ok" => Outcome::Ok,
                    "fail" => Outcome::Failed,
                    _ => Outcome::Blocked,
                },
                result: Text::from(rest),
                nudge: None,
                changed: vec![],
                images: vec![],
                ms: 1,
            },
            (_, "tick") => {
                let (said, known) = (words(), !rest.is_empty());
                let settles = said == "settles";
                let so_far = (!settles && !said.is_empty()).then_some(said);
                let step = StepId(rest.split(' ').next().unwrap_or("").to_owned());
                let below = known.then_some(UnderWay { step, so_far, settles });
                Command::Tick { so_far: None, below: below.into_iter().collect() }
            }
            (_, "ask" | "drift") => Command::RaiseAsk {
                ask: Ask {
                    id: AskId(self.id()),
                    kind: if verb == "ask" { AskKind::Permission } else { AskKind::Drift },
                    plan_id: None,
                    step_id: None,
                    call_id: Some(call),
                    text: "May it?".into(),
                    detail: vec![Detail::new("rule", "fetch(example.org)")],
                    created_at: Time(self.now),
                },
            },
            (_, "write" | "submit") => {
                let origin = if verb == "submit" { Origin::Submitted } else { Origin::Chat };
                Command::Write {
                    plan: PlanId(self.id()),
                    ask: AskId(self.id()),
                    call: open,
                    draft: draft(rest),
                    frame: self.frame(origin),
                }
            }
            (_, "goal") => Command::SetGoal {
                plan: PlanId(self.id()),
                message: MessageId(self.id()),
                text: Text::from(rest),
                goal: rest.to_owned(),
                frame: Frame {
                    delegated: true,
                    synthesis: Some("editor".into()),
                    ..self.frame(Origin::Goal)
                },
            },
            (_, "refuse") => Command::RefuseSplit { why: rest.to_owned() },
            (_, "hold") => Command::Hold {
                held: match rest.split(' ').next().unwrap_or("") {
                    "slot" => Some(Held::Slot),
                    "drift" | "answer" => Some(Held::Answer),
                    _ => None,
                },
                drift: rest.starts_with("drift"),
                waiting: words()
                    .split(' ')
                    .filter(|id| !id.is_empty())
                    .map(|id| StepId(id.to_owned()))
                    .collect(),
            },
            (_, "run") => Command::Run { ask: AskId(self.id()), call: None },
            (_, "done") => {
                Command::StepDone { step: step(), result: words(), check: None, call: open }
            }
            (_, "checked") => Command::StepDone {
                step: step(),
                result: words(),
                check: Some(Check { passed: true, detail: String::new() }),
                call: None,
            },
            (_, "failed") => Command::StepFailed {
                step: step(),
                error: "it broke".into(),
                next: match words().as_str() {
                    "skip" => AfterFailure::Skip,
                    "revise" => AfterFailure::Revise,
                    "abort" => AfterFailure::Abort,
                    _ => AfterFailure::Retry,
                },
                call: None,
            },
            (_, "set") => Command::Revise {
                edits: vec![Edit::Set {
                    step: step(),
                    to: Patch { text: Some(words()), ..Patch::default() },
                }],
                reason: None,
                seen: None,
                ask: AskId(self.id()),
                call: None,
            },
            (_, "comment") => Command::Comment {
                message: MessageId(self.id()),
                seen: self.room.plan.as_ref().map_or(1, |plan| plan.revision),
                on: match rest.split_once(' ') {
                    Some((id, text)) if id != "all" => {
                        vec![StepComment { step: StepId(id.to_owned()), text: text.to_owned() }]
                    }
                    Some(_) | None => Vec::new(),
                },
                text: rest.strip_prefix("all ").unwrap_or_default().to_owned(),
            },
            (_, "let" | "unlet") => {
                Command::LetChange { step: step(), on: verb == "let", seen: words().parse().ok() }
            }
            (_, "say") => Command::Say { message: MessageId(self.id()), text: Text::from(rest) },
            (_, "pause") => Command::Pause,
            (_, "pause_after" | "pause_not") => {
                Command::PauseAfterStep { on: verb == "pause_after" }
            }
            (_, "stop_step") => Command::StopStep,
            (_, "check_failed") => {
                let step = StepId(rest.split(' ').next().unwrap_or("").to_owned());
                Command::CheckFailed { step, detail: words() }
            }
            (_, "resume") => Command::Resume,
            (_, "cancel") => Command::Cancel { reason: rest.to_owned(), call: None },
            (_, "reject") => Command::Reject { reason: rest.to_owned() },
            (_, "approve") => {
                let plan = self.room.plan.as_ref().expect("a plan to approve");
                Command::Approve {
                    revision: rest.parse().unwrap_or(plan.revision),
                    hash: plan.hash.clone(),
                    model: None,
                    fresh_context: false,
                }
            }
            (_, "answer") => Command::Answer {
                ask: *self.room.asks.keys().next().expect("an open question"),
                answer: rest.to_owned(),
                note: None,
                revision: None,
                hash: None,
            },
            (_, "skip") => Command::Skip { step: step() },
            (_, "retry") => Command::Retry { step: step() },
            (_, "override") => Command::Override { step: step() },
            (_, "mode") => Command::SetMode {
                mode: match rest {
                    "strict" => PlanMode::Strict,
                    "soft" => PlanMode::Soft,
                    _ => PlanMode::Off,
                },
            },
            (_, "fail") => Command::FailStep { step: StepId(rest.to_owned()), error: "x".into() },
            (_, "interrupt") => Command::Interrupt { cut: Vec::new() },
            (_, "wake") => Command::Wake,
            (_, "quota") => Command::Trouble {
                reason: PauseReason::Quota,
                code: "QUOTA".into(),
                text: "quota".into(),
                until: Some(Time(self.now + rest.parse::<i64>().unwrap_or(0))),
            },
            _ => panic!("no such line: {who}: {what}"),
        }
    }

    fn reply(&mut self, tools: &[&str]) -> Command {
        let calls = tools
            .iter()
            .map(|tool| CallRequest {
                id: CallId(self.id()),
                provider_id: "p".into(),
                tool: (*tool).to_owned(),
                args: Text::from("{}"),
                sent: None,
                cut: false,
            })
            .collect();
        Command::Reply {
            model: "m".into(),
            text: Text::from(if tools.is_empty() { "words" } else { "" }),
            thinking: None,
            kept: None,
            calls,
            usage: Usage { input: 10, output: 1, ..Usage::default() },
            seen: self.room.seq,
            ended: ReplyEnd::Whole,
        }
    }

    pub fn ending(&self) -> String {
        let plan = self.room.plan.as_ref().map_or("no plan".to_owned(), |plan| {
            let steps: Vec<String> = plan
                .steps
                .iter()
                .map(|step| format!("{}:{}", step.spec.id, step.state.word()))
                .collect();
            let mut reason = String::new();
            if let PlanState::Paused { reason: why } = &plan.state {
                reason = format!("({why:?})");
            }
            format!(
                "{}{reason} r{} ⚡{} [{}]",
                plan.state.word(),
                plan.revision,
                plan.budget_left(),
                steps.join(" ")
            )
        });
        format!("{plan}; next {:?}", WorkWord(&work::next(&self.room)))
    }
}

struct WorkWord<'a>(&'a Work);

impl std::fmt::Debug for WorkWord<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Work::None => f.write_str("nothing"),
            Work::Calls(calls) => write!(f, "{} calls", calls.len()),
            Work::Model => f.write_str("model"),
        }
    }
}

/// `a, b needs a, c` or bare words; `|parallel` at the end sets the mode.
pub fn draft(text: &str) -> Draft {
    let (steps, mode) = text.split_once(" |").unwrap_or((text, ""));
    let steps = steps
        .split(", ")
        .map(|step| {
            let (words, verify) = step.split_once(" verify ").unwrap_or((step, ""));
            let (words, needs) = words.split_once(" needs ").unwrap_or((words, ""));
            DraftStep::Full(Box::new(FullStep {
                text: words.to_owned(),
                id: Some(words.to_owned()),
                needs: needs.split_whitespace().map(|id| StepRef::Id(id.to_owned())).collect(),
                verify: (!verify.is_empty()).then(|| Verify::Command(verify.to_owned())),
                ..FullStep::default()
            }))
        })
        .collect();
    Draft {
        goal: "goal".into(),
        steps,
        mode: match mode {
            "parallel" => Some(RunMode::Parallel),
            "sequential" => Some(RunMode::Sequential),
            _ => None,
        },
        advance: if mode == "manual" { Advance::Manual } else { Advance::Auto },
        ..Draft::default()
    }
}

#[allow(clippy::wildcard_enum_match_arm)] // what is not told at length is told by its kind
fn short(event: &Event) -> String {
    match event {
        Event::StepStarted { step }
        | Event::StepDone { step, .. }
        | Event::StepFailed { step, .. }
        | Event::StepSkipped { step, .. } => format!("{} {step}", event.kind()),
        Event::Paused { reason, .. } => format!("paused {reason:?}"),
        Event::AttemptFailed { attempt, sticky, .. } => {
            format!("attempt_failed {attempt}{}", if *sticky { " sticky" } else { "" })
        }
        Event::CallEnded { outcome, .. } => format!("call_ended {outcome:?}"),
        _ => event.kind().to_owned(),
    }
}

/// Tells a story and compares what followed from each line.
pub fn check(lines: &str, expect: expect_test::Expect) {
    let mut story = Story::new();
    check_in(&mut story, lines, expect);
}

pub fn check_in(story: &mut Story, lines: &str, expect: expect_test::Expect) {
    for line in lines.trim().lines() {
        story.tell(line.trim());
    }
    story.replay();
    expect.assert_eq(&format!("{}{}\n", story.told, story.ending()));
}
