//! What an agent, a sidekick or the harness might try to get around a person.

mod support;

use expect_test::expect;
use plan::*;
use support::{Story, check};
use uuid::Uuid;

/// Told lines that end where nothing may change without a person.
const HELD: [(&str, &str); 16] = [
    ("strict without a plan", "person: mode strict\nperson: say go"),
    ("off, waiting", "agent: submit a, b"),
    ("off, sent back", "agent: submit a, b\nperson: reject no"),
    ("off, words sent it back", "agent: submit a, b\nperson: say other"),
    ("off, paused", "agent: write a, b\nmodel: calls shell, shell\nperson: pause"),
    (
        "off, paused in a call",
        "agent: write a, b\nmodel: calls x, x\ncall: begin exec\nperson: pause",
    ),
    ("off, wants to revise", "agent: write a, b\nmodel: calls plan, shell\nagent: failed a revise"),
    (
        "off, interrupted",
        "agent: write a, b\nmodel: calls x, x\ncall: begin exec\nharness: interrupt",
    ),
    ("off, by hand", "agent: write a, b |manual\nagent: done a"),
    ("soft, paused", "person: mode soft\nagent: write a, b\nperson: pause"),
    ("strict, waiting", "person: mode strict\nagent: write a, b"),
    (
        "strict, approved and revised",
        "person: mode strict\nagent: write a, b\nperson: approve\nmodel: calls shell, x\nagent: set b other",
    ),
    (
        "strict, approval void",
        "agent: submit a, b\nperson: approve\nagent: set b other\nmodel: calls x, x\nperson: mode strict",
    ),
    (
        "strict, sent back and then off",
        "person: mode strict\nagent: write a, b\nperson: reject no\nmodel: calls x, x\nperson: mode off",
    ),
    (
        "strict, commented and then soft",
        "person: mode strict\nagent: write a, b\nperson: comment a other\nperson: mode soft",
    ),
    ("strict, never approved", "agent: write a, b\nmodel: calls x, x\nperson: mode strict"),
];

#[test]
fn nobody_but_a_person_gets_past_a_person() {
    for (name, lines) in HELD {
        let mut story = Story::new();
        for line in lines.lines() {
            story.tell(line);
        }
        assert!(!story.told.contains("refused"), "{name}: {}", story.told);
        Search { ids: 1_000 }.from(&story.room, 5, &mut vec![name.to_owned()]);
    }
}

/// Tries everything that anyone but a person can wish, in every order.
struct Search {
    ids: u128,
}

impl Search {
    fn from(&mut self, room: &Room, depth: u32, path: &mut Vec<String>) {
        if depth == 0 {
            return;
        }
        for (actor, command) in self.wishes(room) {
            let what = format!("{:?}: {command:?}", actor.kind);
            let Ok(events) = decide(room, command, &actor, Time(1_000_000)) else { continue };
            path.push(what);
            let mut after = room.clone();
            for event in &events {
                if let Event::CallBegan { effect, .. } = event {
                    assert!(!effect.changes_things(), "a change began: {path:#?}");
                }
                after.apply(event, Time(1_000_000));
            }
            let started = after.running_plan().is_some() && room.running_plan().is_none();
            assert!(!started, "a plan went on by itself: {path:#?}");
            // An agent may end its plan; in off and soft the rules alone decide from there.
            let over = after.active_plan().is_none() && after.mode != PlanMode::Strict;
            if !events.is_empty() && !over {
                self.from(&after, depth - 1, path);
            }
            path.pop();
        }
    }

    fn id(&mut self) -> Uuid {
        self.ids += 1;
        Uuid::from_u128(self.ids)
    }

    fn wishes(&mut self, room: &Room) -> Vec<(Actor, Command)> {
        let (agent, harness) = (Actor::agent("default"), Actor::harness());
        let frame = Story::new().frame(Origin::Chat);
        let step = || StepRef::Number(1);
        let mut wishes = vec![
            (agent.clone(), self.write(Origin::Chat, &frame)),
            (agent.clone(), self.write(Origin::Submitted, &frame)),
            (harness.clone(), self.write(Origin::Goal, &frame)),
            (agent.clone(), Command::Run { ask: AskId(self.id()), call: None }),
            (
                agent.clone(),
                Command::StepDone { step: step(), result: "ok".into(), check: None, call: None },
            ),
            (agent.clone(), self.revise()),
            (agent.clone(), Command::Cancel { reason: "x".into(), call: None }),
            (harness.clone(), Command::Tick { so_far: None, below: vec![] }),
            (harness.clone(), Command::Wake),
            (harness.clone(), Command::Interrupt { cut: Vec::new() }),
            (harness.clone(), self.reply(room)),
        ];
        for next in
            [AfterFailure::Retry, AfterFailure::Skip, AfterFailure::Revise, AfterFailure::Abort]
        {
            let error = "no".to_owned();
            let failed = Command::StepFailed { step: step(), error, next, call: None };
            wishes.push((agent.clone(), failed));
        }
        for call in &room.calls {
            let call = call.request.id;
            for effect in [Effect::Write, Effect::WriteOutside, Effect::Exec, Effect::Network] {
                let begin = Command::BeginCall { call, effect, touches: vec![], how: None };
                wishes.push((harness.clone(), begin));
            }
            let end = Command::EndCall {
                call,
                outcome: Outcome::Ok,
                result: Text::from(""),
                nudge: None,
                changed: vec![],
                images: vec![],
                ms: 1,
            };
            wishes.push((harness.clone(), end));
        }
        for actor in [agent, Actor::sidekick("brave-otter"), harness] {
            wishes.extend(self.of_a_person(room).into_iter().map(|wish| (actor.clone(), wish)));
        }
        wishes
    }

    /// What only a person may wish.
    fn of_a_person(&mut self, room: &Room) -> Vec<Command> {
        let step = || StepRef::Number(1);
        let mut wishes = vec![
            Command::Resume,
            Command::PauseAfterStep { on: true },
            Command::StopStep,
            Command::Skip { step: step() },
            Command::Retry { step: step() },
            Command::Override { step: step() },
            Command::LetChange { step: step(), on: true, seen: None },
            Command::SetMode { mode: PlanMode::Off },
            Command::Say { message: MessageId(self.id()), text: Text::from("go on") },
        ];
        if let Some(plan) = &room.plan {
            let (revision, hash) = (plan.revision, plan.hash.clone());
            wishes.push(Command::Approve { revision, hash, model: None, fresh_context: false });
        }
        for ask in room.asks.values() {
            let answers = ask.kind.answers().iter().map(|&answer| Command::Answer {
                ask: ask.id,
                answer: answer.to_owned(),
                note: None,
                revision: room.plan.as_ref().map(|plan| plan.revision),
                hash: room.plan.as_ref().map(|plan| plan.hash.clone()),
            });
            wishes.extend(answers);
        }
        wishes
    }

    fn write(&mut self, origin: Origin, frame: &Frame) -> Command {
        Command::Write {
            plan: PlanId(self.id()),
            ask: AskId(self.id()),
            call: None,
            draft: support::draft("a, c"),
            frame: Frame { origin, ..frame.clone() },
        }
    }

    fn revise(&mut self) -> Command {
        let text = Some(format!("text {}", self.ids));
        let to = Patch { text, ..Patch::default() };
        Command::Revise {
            edits: vec![Edit::Set { step: StepRef::Number(2), to }],
            reason: None,
            seen: None,
            ask: AskId(self.id()),
            call: None,
        }
    }

    fn reply(&mut self, room: &Room) -> Command {
        Command::Reply {
            model: "m".into(),
            text: Text::from(""),
            thinking: None,
            kept: None,
            calls: vec![CallRequest {
                id: CallId(self.id()),
                provider_id: "p".into(),
                tool: "shell".into(),
                args: Text::from("{}"),
                sent: None,
                cut: false,
            }],
            usage: Usage::default(),
            seen: room.seq,
            ended: ReplyEnd::Whole,
        }
    }
}

#[test]
fn strict_begins_no_change_once_the_approval_is_void() {
    check(
        "agent: submit a
         person: approve
         agent: set a other
         model: calls write_file, read_file
         person: mode strict
         call: begin write
         call: blocked
         call: begin read",
        expect![[r#"
            agent: submit a → plan_written, approval_requested, ask_raised
            person: approve → ask_answered, approved, started, step_started a
            agent: set a other → plan_revised
            model: calls write_file, read_file → replied
            person: mode strict → mode_changed
            call: begin write → refused NOT_APPROVED: no plan is approved, so nothing may be changed
            call: blocked → call_ended Blocked, repeated
            call: begin read → call_began
            running r2 ⚡8 [a:in_progress]; next nothing
        "#]],
    );
}

#[test]
fn a_failure_counts_for_the_step_it_happened_in() {
    check(
        "agent: write a, b
         model: calls x, y
         call: begin exec
         call: fail no
         agent: failed a skip
         call: begin exec
         call: fail no",
        expect![[r#"
            agent: write a, b → plan_written, started, step_started a
            model: calls x, y → replied
            call: begin exec → call_began
            call: fail no → call_ended Failed, repeated, attempt_failed 1
            agent: failed a skip → step_skipped a, step_started b
            call: begin exec → call_began
            call: fail no → call_ended Failed, repeated, attempt_failed 1
            running r1 ⚡7 [a:skipped b:in_progress]; next model
        "#]],
    );
}

#[test]
fn a_new_revision_keeps_what_is_finished() {
    check(
        "person: mode strict
         agent: write a, b, c
         person: approve
         agent: done a
         agent: set c other
         person: reject no
         agent: write d, c
         person: approve",
        expect![[r#"
            person: mode strict → mode_changed
            agent: write a, b, c → plan_written, approval_requested, ask_raised
            person: approve → ask_answered, approved, started, step_started a
            agent: done a → step_done a, step_started b
            agent: set c other → plan_revised, approval_requested, ask_raised
            person: reject no → ask_answered, sent_back, nudged
            agent: write d, c → plan_revised, approval_requested, ask_raised
            person: approve → ask_answered, approved, started, step_started d
            running r3 ⚡8 [a:done d:in_progress c:pending]; next model
        "#]],
    );
}

#[test]
fn a_finished_step_keeps_its_words() {
    let mut story = Story::new();
    for line in ["person: mode strict", "agent: write a, b", "person: approve", "agent: done a"] {
        story.tell(line);
    }
    story.tell("agent: set b other");
    let other = FullStep { text: "other".into(), id: Some("a".into()), ..FullStep::default() };
    let draft = Draft {
        goal: "goal".into(),
        steps: vec![DraftStep::Full(Box::new(other)), DraftStep::Words("b".into())],
        ..Draft::default()
    };
    let write = Command::Write {
        plan: PlanId(story.id()),
        ask: AskId(story.id()),
        call: None,
        draft,
        frame: story.frame(Origin::Chat),
    };
    story.submit(write, &Actor::agent("default")).expect("the next revision");
    let plan = story.room.plan.as_ref().expect("a plan");
    assert_eq!((plan.revision, plan.content.steps[0].text.as_str()), (3, "a"));
    assert_eq!(plan.hash, plan.content.hash());
}

#[test]
fn many_ways_through_skipped_steps_are_walked_once() {
    let mut story = Story::new();
    let text: Vec<String> = (0..60)
        .map(|n| {
            let needs: Vec<String> = (0..n).map(|need| format!("a{need}")).collect();
            if needs.is_empty() {
                "a0".to_owned()
            } else {
                format!("a{n} needs {}", needs.join(" "))
            }
        })
        .collect();
    let write = Command::Write {
        plan: PlanId(story.id()),
        ask: AskId(story.id()),
        call: None,
        draft: support::draft(&text.join(", ")),
        frame: story.frame(Origin::Goal),
    };
    story.submit(write, &Actor::agent("default")).expect("a goal of sixty steps");
    for n in 0..59 {
        story.tell(&format!("agent: failed a{n} skip"));
    }
    assert!(story.ending().ends_with("a58:skipped a59:in_progress]; next model"));
}

#[test]
fn no_clock_is_too_early_or_too_late() {
    let (first, last) = (Time(i64::MIN), Time(i64::MAX));
    assert_eq!(first.since(last), 0);
    assert_eq!(last.since(first), i64::MAX.unsigned_abs());
}
