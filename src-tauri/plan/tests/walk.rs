//! Random walks over all commands and actors: whatever happens, the rules hold.

mod support;

use plan::*;
use proptest::prelude::*;
use std::collections::BTreeSet;
use support::Story;

/// One step of a walk: who, what, and two numbers that choose the details.
type Move = (u8, u8, u8, u8);

fn actor(kind: u8) -> Actor {
    match kind % 6 {
        0 | 1 => Actor::person("me", Surface::Api),
        2 => Actor::agent("default"),
        3 => Actor::sidekick("brave-otter"),
        _ => Actor::harness(),
    }
}

fn step(n: u8) -> StepRef {
    match n % 3 {
        0 => StepRef::Number(u32::from(n % 5)),
        _ => StepRef::Id(["a", "b", "c", "s1", "nope"][usize::from(n) % 5].to_owned()),
    }
}

fn drafted(n: u8) -> Draft {
    let text = match n % 8 {
        0 => "a",
        1 => "a, b, c",
        2 => "a, b needs a, c needs a, d needs b c",
        3 => "a, b, c |parallel",
        4 => "a, b |manual",
        5 => "a needs b, b needs a",
        6 => "a verify true, b",
        _ => "x, y, z, u, v, w, a, b, c, d",
    };
    support::draft(text)
}

fn command(story: &mut Story, (_, what, x, y): Move) -> Command {
    let call = match story.room.calls.len() {
        0 => CallId(uuid::Uuid::nil()),
        n => story.room.calls[usize::from(x) % n].request.id,
    };
    let own = (y % 2 == 0).then_some(call);
    let effect = [Effect::Read, Effect::Write, Effect::Exec, Effect::Network][usize::from(y) % 4];
    match what % 35 {
        0..=3 => Command::Write {
            plan: PlanId(story.id()),
            ask: AskId(story.id()),
            call: own,
            draft: drafted(x),
            frame: story.frame([Origin::Chat, Origin::Submitted, Origin::Goal][usize::from(y) % 3]),
        },
        4 => Command::Run { ask: AskId(story.id()), call: own },
        5..=7 => Command::StepDone {
            step: step(x),
            result: "ok".into(),
            check: (y % 3 > 0).then(|| Check { passed: y % 3 == 1, detail: String::new() }),
            call: own,
        },
        8 => Command::StepFailed {
            step: step(x),
            error: "no".into(),
            next: [
                AfterFailure::Retry,
                AfterFailure::Skip,
                AfterFailure::Revise,
                AfterFailure::Abort,
            ][usize::from(y) % 4],
            call: own,
        },
        9 => Command::Revise {
            edits: vec![match y % 4 {
                0 => Edit::Set {
                    step: step(x),
                    to: Patch { text: Some(format!("new {x}")), ..Patch::default() },
                },
                1 => Edit::Add { after: None, new: DraftStep::Words(format!("added {x}")) },
                2 => Edit::Remove { step: step(x) },
                _ => Edit::Move { step: step(x), after: Some(step(y)) },
            }],
            reason: None,
            seen: (x % 3 == 0).then_some(u32::from(y % 4)),
            ask: AskId(story.id()),
            call: own,
        },
        10 => Command::Cancel { reason: "enough".into(), call: own },
        11 | 12 => Command::Pause,
        13 | 14 => Command::Resume,
        15 => {
            let plan = story.room.plan.as_ref();
            Command::Approve {
                revision: plan.map_or(1, |plan| plan.revision + u32::from(x % 3 == 0)),
                hash: plan.map_or(Hash(String::new()), |plan| plan.hash.clone()),
                model: None,
                fresh_context: y % 2 == 0,
            }
        }
        16 => Command::Reject { reason: "no".into() },
        17 => Command::Skip { step: step(x) },
        18 => Command::Retry { step: step(x) },
        19 => Command::Override { step: step(x) },
        20 => Command::LetChange { step: step(x), on: y % 2 == 0, seen: None },
        21 => Command::Say { message: MessageId(story.id()), text: Text::from("hi") },
        22 => Command::SetMode {
            mode: [PlanMode::Off, PlanMode::Soft, PlanMode::Strict][usize::from(x) % 3],
        },
        23 | 24 => Command::Reply {
            model: "m".into(),
            text: Text::from("t"),
            thinking: None,
            kept: None,
            calls: (0..y % 4)
                .map(|n| CallRequest {
                    id: CallId(story.id()),
                    provider_id: n.to_string(),
                    tool: "shell".into(),
                    args: Text::from("{}"),
                    sent: None,
                    cut: false,
                })
                .collect(),
            usage: Usage { input: u64::from(x), ..Usage::default() },
            seen: story.room.seq,
            ended: [ReplyEnd::Repeating, ReplyEnd::Cut, ReplyEnd::Whole][usize::from(y % 5).min(2)],
        },
        25..=27 => Command::BeginCall { call, effect, touches: vec![], how: None },
        28 | 29 => Command::EndCall {
            call,
            outcome: [Outcome::Ok, Outcome::Failed, Outcome::Blocked, Outcome::Cancelled]
                [usize::from(y) % 4],
            result: Text::from("r"),
            nudge: None,
            changed: vec![],
            images: vec![],
            ms: 1,
        },
        30 => Command::RaiseAsk {
            ask: Ask {
                id: AskId(story.id()),
                kind: [AskKind::Permission, AskKind::Drift, AskKind::Question][usize::from(y) % 3],
                plan_id: None,
                step_id: None,
                call_id: Some(call),
                text: "?".into(),
                detail: vec![],
                created_at: Time(0),
            },
        },
        31 => {
            let ask = story.room.asks.values().next();
            let kind = ask.map_or(AskKind::Question, |ask| ask.kind);
            let answers = kind.answers();
            Command::Answer {
                ask: ask.map_or(AskId(uuid::Uuid::nil()), |ask| ask.id),
                answer: match answers.len() {
                    0 => "words".to_owned(),
                    n => answers[usize::from(x) % n].to_owned(),
                },
                note: None,
                revision: story.room.plan.as_ref().map(|plan| plan.revision),
                hash: story.room.plan.as_ref().map(|plan| plan.hash.clone()),
            }
        }
        32 => Command::Interrupt { cut: Vec::new() },
        33 => Command::Stop { so_far: None },
        _ => match y % 5 {
            4 => Command::SetAside {
                model: "m".into(),
                usage: Usage { input: u64::from(x), ..Usage::default() },
                seen: story.room.seq,
                turns: u32::from(x % 3),
            },
            0 => Command::Tick { so_far: None, below: vec![] },
            1 => Command::Wake,
            2 => Command::Trouble {
                reason: PauseReason::Quota,
                code: "Q".into(),
                text: "q".into(),
                until: Some(Time(i64::from(x) * 1_000)),
            },
            _ => Command::FailStep { step: StepId("a".into()), error: "no".into() },
        },
    }
}

/// What must hold after every command.
fn hold(before: &Room, events: &[Event], actor: &Actor, story: &Story) {
    let room = &story.room;
    assert_eq!(room.seq, before.seq + events.len() as u64, "sequences have no gap");

    let was_active = before.active_plan().map(|plan| plan.id);
    for event in events {
        if let Event::PlanWritten { .. } = event {
            assert_eq!(was_active, None, "never two active plans in a room");
        }
        if matches!(event, Event::Approved { .. } | Event::SentBack { .. }) {
            assert!(actor.is_person(), "only a person approves or sends back");
        }
        if let Event::Resumed { by } = event {
            let quota = before.is_paused_for(PauseReason::Quota);
            assert!(by.is_person() || quota, "only a person or a quota's end resumes");
        }
        if let Event::CallBegan { effect, .. } = event {
            assert!(before.planning.is_none() || !effect.changes_things(), "planning only looks");
        }
        if let Event::CallBegan { effect, .. } = event
            && let Some(plan) = before.active_plan()
        {
            let free = match plan.state {
                PlanState::Running { .. } => true,
                PlanState::Draft { .. } => !effect.changes_things(),
                PlanState::Paused { reason: PauseReason::Revise } => {
                    before.planning.is_some() && !effect.changes_things()
                }
                PlanState::AwaitingApproval
                | PlanState::Paused { .. }
                | PlanState::Done
                | PlanState::Failed
                | PlanState::Cancelled => false,
            };
            assert!(free, "a paused, rejected or cancelled plan starts no tool: {:?}", plan.state);
        }
    }

    let Some(plan) = &room.plan else { return };
    let ids: BTreeSet<&StepId> = plan.steps.iter().map(|step| &step.spec.id).collect();
    assert_eq!(ids.len(), plan.steps.len(), "ids are unique");
    assert!(ids.iter().all(|id| plan.used_ids.contains(id)));
    assert_eq!(plan.hash, plan.content.hash(), "the hash is of the content");
    let in_progress = plan.in_progress().count();
    assert!(in_progress <= plan.frame.lanes as usize, "never more steps at once than lanes");
    match &plan.state {
        PlanState::Running { .. } => {
            assert!(!plan.is_finished(), "a finished plan does not run on");
            assert!(in_progress > 0, "a running plan works on something: {}", story.ending());
        }
        PlanState::AwaitingApproval | PlanState::Draft { .. } => {
            assert_eq!(in_progress, 0, "nothing runs while a plan waits");
        }
        PlanState::Paused { .. } => {}
        PlanState::Done | PlanState::Failed | PlanState::Cancelled => {
            assert!(plan.is_finished(), "an ended plan has no open step");
        }
    }
    if let Some(approval) = &plan.approval {
        assert_eq!((approval.revision, &approval.hash), (plan.revision, &plan.hash));
    }
    if plan.state == PlanState::AwaitingApproval {
        let asks = room.asks.values().filter(|ask| ask.kind == AskKind::Approval).count();
        assert_eq!(asks, 1, "a waiting plan has exactly one question");
    }
    for call in &room.calls {
        if let CallState::Asking(ask) = call.state {
            assert!(room.asks.contains_key(&ask), "a call that asks has its question");
        }
    }
    if matches!(plan.state, PlanState::Paused { reason } if reason != PauseReason::Revise)
        || plan.state == PlanState::AwaitingApproval
    {
        assert_eq!(work::next(room), Work::None, "a plan that stands still gives no work");
    }
    assert!(view(room).is_some());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_the_rules_hold(
        moves in proptest::collection::vec(any::<Move>(), 50..400),
        lanes in 1u32..4,
        attempts in 1u32..4,
        auto_steps in 1u32..9,
    ) {
        let mut story = Story::new();
        story.lanes = lanes;
        story.caps.attempts = attempts;
        story.caps.auto_steps = auto_steps;
        story.caps.tokens = Some(2_000);
        for step in moves {
            let command = command(&mut story, step);
            let actor = actor(step.0);
            let before = story.room.clone();
            match story.submit(command, &actor) {
                Ok(events) => hold(&before, &events, &actor, &story),
                Err(_) => prop_assert_eq!(&before, &story.room),
            }
        }
        story.replay();
    }
}
