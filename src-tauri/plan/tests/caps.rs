//! Every cap that is decided here, tried just below, at and just above its edge.

mod support;

use plan::*;
use support::Story;

/// `a1, a2, …`: a plan with so many steps.
fn steps(count: u32) -> String {
    (1..=count).map(|n| format!("a{n}")).collect::<Vec<_>>().join(", ")
}

fn told(story: &mut Story, line: &str) -> String {
    story.told.clear();
    story.tell(line);
    let told = story.told.trim().to_owned();
    told.split_once(" → ").map_or(told.clone(), |(_, what)| what.to_owned())
}

fn state(story: &Story) -> String {
    let plan = story.room.plan.as_ref().expect("a plan");
    if let PlanState::Paused { reason } = plan.state {
        return format!("paused {reason:?}");
    }
    plan.state.word().to_owned()
}

fn submit(story: &mut Story, command: Command) -> Vec<&'static str> {
    let events = story.submit(command, &Actor::harness()).expect("the harness may");
    events.iter().map(Event::kind).collect()
}

fn write_as(story: &mut Story, origin: Origin, count: u32) -> Result<Vec<Event>, Refusal> {
    let write = Command::Write {
        plan: PlanId(story.id()),
        ask: AskId(story.id()),
        call: None,
        draft: support::draft(&steps(count)),
        frame: story.frame(origin),
    };
    story.submit(write, &Actor::agent("default"))
}

fn add(story: &mut Story, actor: &Actor) -> Result<Vec<Event>, Refusal> {
    let add = Command::Revise {
        edits: vec![Edit::Add {
            after: Some(StepRef::Number(1)),
            new: DraftStep::Words("one more".into()),
        }],
        reason: None,
        seen: None,
        ask: AskId(story.id()),
        call: None,
    };
    story.submit(add, actor)
}

#[test]
fn a_plan_has_at_most_so_many_steps() {
    for cap in [2, 3, Caps::default().steps] {
        for origin in [Origin::Chat, Origin::Submitted, Origin::Council] {
            for (count, fits) in [(cap - 1, true), (cap, true), (cap + 1, false)] {
                let mut story = Story::new();
                story.caps.steps = cap;
                let got = write_as(&mut story, origin, count);
                assert_eq!(got.is_ok(), fits, "{count} steps of {cap}, {origin:?}");
                if !fits {
                    let most = Refusal::TooManySteps { got: count as usize, most: cap };
                    assert_eq!(got, Err(most));
                    assert_eq!(story.room.plan, None, "nothing is stored");
                }
            }
        }
    }
    assert_eq!(Caps::default().steps, 20);
}

#[test]
fn a_goal_has_at_most_so_many_nodes_and_the_cap_on_steps_is_not_its() {
    for (count, fits) in [(20, true), (21, true), (59, true), (60, true), (61, false)] {
        let mut story = Story::new();
        let got = write_as(&mut story, Origin::Goal, count);
        assert_eq!(got.is_ok(), fits, "{count} nodes");
    }
    let mut story = Story::new();
    (story.caps.steps, story.caps.nodes) = (5, 2);
    assert!(write_as(&mut story, Origin::Goal, 3).is_err());
    assert!(write_as(&mut story, Origin::Goal, 2).is_ok());
}

#[test]
fn no_edit_gets_past_the_cap_on_steps() {
    for actor in [Actor::agent("default"), Actor::person("me", Surface::Window)] {
        let mut story = Story::new();
        story.caps.steps = 3;
        story.tell("agent: submit a, b");
        assert!(add(&mut story, &actor).is_ok(), "the third fits");
        let most = Refusal::TooManySteps { got: 4, most: 3 };
        assert_eq!(add(&mut story, &actor), Err(most.clone()));
        story.tell("person: approve");
        assert_eq!(add(&mut story, &actor), Err(most));
        assert_eq!(story.room.plan.as_ref().map(|plan| plan.steps.len()), Some(3));
        story.replay();
    }
    let mut story = Story::new();
    story.caps.steps = 3;
    story.tell("agent: submit a, b");
    let got = told(&mut story, "agent: submit a, b, c, d");
    assert!(got.starts_with("refused TOO_MANY_STEPS"), "{got}");
    assert_eq!(told(&mut story, "agent: submit a, b, c"), "plan_revised");
}

#[test]
fn the_last_attempt_pauses() {
    for cap in [1, 2, Caps::default().attempts, 5] {
        let mut story = Story::new();
        (story.caps.attempts, story.caps.repeats) = (cap, 100);
        story.tell("agent: write a, b");
        for attempt in 1..=cap {
            assert_eq!(state(&story), "running", "before attempt {attempt} of {cap}");
            story.tell("model: calls shell");
            story.tell("call: begin exec");
            let got = told(&mut story, "call: fail no");
            let last = if attempt == cap { ", paused Attempts" } else { "" };
            let expected = format!("call_ended Failed, repeated, attempt_failed {attempt}{last}");
            assert_eq!(got, expected);
            let nudge = story.log.iter().rev().find_map(|(event, _)| {
                let Event::CallEnded { nudge, .. } = event else { return None };
                Some(nudge.clone())
            });
            let words = format!(
                "Plan harness: this is step 1/2, attempt {attempt}/{cap}. If the error suggests \
                 fallbacks, try the one that fits the user's intent."
            );
            assert_eq!(nudge, Some(Some(words)));
        }
        assert_eq!(state(&story), "paused Attempts");
        story.tell("person: resume");
        assert_eq!(story.room.plan.as_ref().map(|plan| plan.steps[0].attempts), Some(0));
    }
    assert_eq!(Caps::default().attempts, 3);
}

#[test]
fn a_step_reported_as_failed_counts_the_same() {
    let mut story = Story::new();
    story.tell("agent: write a");
    story.tell("person: say go");
    for (turn, expected) in
        [(1, "attempt_failed 1"), (2, "attempt_failed 2"), (3, "attempt_failed 3, paused Attempts")]
    {
        story.tell("model: calls plan");
        let got = told(&mut story, "agent: failed a retry");
        let expected = format!("error_reported, {expected}");
        assert!(got.starts_with(&expected), "turn {turn}: {got}");
        story.tell("call: ok");
    }
}

#[test]
fn so_many_repeats_are_one_failed_attempt() {
    for cap in [1, 2, Caps::default().repeats] {
        let mut story = Story::new();
        story.caps.repeats = cap;
        story.tell("agent: write a");
        for block in 1..=2 * cap {
            story.tell("model: calls fetch");
            let got = told(&mut story, "call: blocked");
            let attempt = block / cap;
            let expected = match block % cap {
                0 => format!("call_ended Blocked, repeated, attempt_failed {attempt} sticky"),
                _ => "call_ended Blocked, repeated".to_owned(),
            };
            assert_eq!(got, expected, "block {block}, cap {cap}");
        }
    }
    assert_eq!(Caps::default().repeats, 3);
}

#[test]
fn other_calls_are_no_repeats() {
    let mut story = Story::new();
    story.tell("agent: write a");
    for tool in ["one", "two", "three", "four"] {
        story.tell(&format!("model: calls {tool}"));
        assert_eq!(told(&mut story, "call: blocked"), "call_ended Blocked, repeated");
    }
    assert_eq!(story.room.plan.as_ref().map(|plan| plan.steps[0].attempts), Some(0));
}

#[test]
fn so_many_turns_of_words_pause() {
    for cap in [1, 2, Caps::default().idle_turns] {
        let mut story = Story::new();
        story.caps.idle_turns = cap;
        story.tell("agent: write a");
        for turn in 1..=cap {
            let got = told(&mut story, "model: words");
            let expected = if turn == cap { "replied, paused Attempts" } else { "replied, nudged" };
            assert_eq!(got, expected, "turn {turn} of {cap}");
        }
    }
    assert_eq!(Caps::default().idle_turns, 3);
}

#[test]
fn a_turn_with_work_in_it_starts_the_idle_count_again() {
    let mut story = Story::new();
    for line in [
        "agent: write a",
        "model: words",
        "model: words",
        "model: calls read_file",
        "call: ok",
        "model: words",
        "model: words",
    ] {
        story.tell(line);
    }
    assert_eq!(state(&story), "running");
    assert_eq!(told(&mut story, "model: words"), "replied, paused Attempts");
}

#[test]
fn so_many_steps_end_without_a_word() {
    for cap in [1, 2, Caps::default().auto_steps] {
        for count in [cap, cap + 1, cap + 2] {
            let mut story = Story::new();
            story.caps.auto_steps = cap;
            story.tell(&format!("agent: write {}", steps(count)));
            for n in 1..=cap {
                assert_eq!(state(&story), "running", "before step {n} of {count}, cap {cap}");
                story.tell(&format!("agent: done {n}"));
            }
            // Where a step remains it pauses; the last step ends the plan.
            let expected = if count == cap { "done" } else { "paused AutoBudget" };
            assert_eq!(state(&story), expected, "{count} steps, cap {cap}");
            let pauses =
                story.log.iter().filter(|(event, _)| matches!(event, Event::Paused { .. })).count();
            assert_eq!(pauses, usize::from(count > cap), "one pause, one notification");
        }
    }
    assert_eq!(Caps::default().auto_steps, 8);
}

#[test]
fn skipped_and_failed_steps_use_the_budget_too() {
    let mut story = Story::new();
    (story.caps.auto_steps, story.on_partial) = (3, OnPartial::Synthesize);
    story.tell("agent: write a, b, c, d, e |parallel");
    story.tell("agent: done a");
    story.tell("agent: failed b skip");
    assert_eq!(state(&story), "running");
    assert_eq!(told(&mut story, "harness: fail c"), "step_failed c, paused AutoBudget");
}

#[test]
fn steps_in_flight_end_before_the_budget_pauses() {
    let mut story = Story::new();
    (story.caps.auto_steps, story.lanes) = (2, 3);
    story.tell("agent: write a, b, c, d, e |parallel");
    assert_eq!(told(&mut story, "agent: done a"), "step_done a, step_started d");
    assert_eq!(told(&mut story, "agent: done b"), "step_done b");
    assert_eq!(told(&mut story, "agent: done c"), "step_done c");
    assert_eq!(told(&mut story, "agent: done d"), "step_done d, paused AutoBudget");
}

#[test]
fn goals_nested_plans_and_plans_by_hand_have_no_budget() {
    let mut goal = Story::new();
    goal.caps.auto_steps = 1;
    write_as(&mut goal, Origin::Goal, 3).expect("a goal");
    goal.tell("agent: done 1");
    goal.tell("agent: done 2");
    assert_eq!(state(&goal), "running");

    let mut hand = Story::new();
    hand.caps.auto_steps = 1;
    hand.tell("agent: write a, b, c |manual");
    hand.tell("agent: done a");
    assert_eq!(state(&hand), "paused Manual");

    let mut nested = Story::new();
    nested.caps.auto_steps = 1;
    let mut frame = nested.frame(Origin::Chat);
    frame.parent = Some(ParentStep {
        room: RoomId(nested.id()),
        plan: PlanId(nested.id()),
        step: StepId("a".into()),
    });
    let write = Command::Write {
        plan: PlanId(nested.id()),
        ask: AskId(nested.id()),
        call: None,
        draft: support::draft("a, b, c"),
        frame,
    };
    nested.submit(write, &Actor::sidekick("brave-otter")).expect("a nested plan");
    nested.tell("agent: done a");
    nested.tell("agent: done b");
    assert_eq!(state(&nested), "running");
}

/// A plan under these caps, and what each spending leads to.
fn spending(caps: Caps, usages: &[(Usage, &[&str])]) -> Story {
    let mut story = Story::new();
    story.caps = caps;
    story.tell("agent: write a");
    for (usage, expected) in usages {
        let spend = Command::Spend { model: "m".into(), usage: *usage };
        assert_eq!(submit(&mut story, spend), *expected, "{usage:?}");
    }
    story
}

fn tokens(input: u64, output: u64) -> Usage {
    Usage { input, output, ..Usage::default() }
}

fn money(cost_micros: u64) -> Usage {
    Usage { cost_micros, ..Usage::default() }
}

#[test]
fn tokens_warn_at_eighty_percent_and_pause_at_the_cap() {
    let caps = || Caps { tokens: Some(100), ..Caps::default() };
    spending(caps(), &[(tokens(70, 9), &["spent"]), (tokens(0, 1), &["spent", "cap_warned"])]);
    spending(caps(), &[(tokens(80, 0), &["spent", "cap_warned"]), (tokens(10, 9), &["spent"])]);
    spending(caps(), &[(tokens(60, 39), &["spent", "cap_warned"])]);
    spending(caps(), &[(tokens(99, 1), &["spent", "paused"])]);
    spending(caps(), &[(tokens(0, 101), &["spent", "paused"])]);
    let story = spending(
        caps(),
        &[(tokens(99, 0), &["spent", "cap_warned"]), (tokens(0, 1), &["spent", "paused"])],
    );
    assert_eq!(state(&story), "paused Cap");
    // Tokens read from a cache are among those read; they are not counted twice.
    let cached = Usage { cache_read: 79, ..tokens(79, 0) };
    spending(caps(), &[(cached, &["spent"])]);
}

#[test]
fn money_warns_at_eighty_percent_and_pauses_at_the_cap() {
    let caps = || Caps { cost_micros: Some(1_000_000), ..Caps::default() };
    spending(caps(), &[(money(799_999), &["spent"]), (money(1), &["spent", "cap_warned"])]);
    spending(caps(), &[(money(999_999), &["spent", "cap_warned"])]);
    spending(caps(), &[(money(1_000_000), &["spent", "paused"])]);
    spending(caps(), &[(money(1_000_001), &["spent", "paused"])]);
    let story = spending(
        caps(),
        &[(money(999_999), &["spent", "cap_warned"]), (money(1), &["spent", "paused"])],
    );
    assert_eq!(state(&story), "paused Cap");
}

#[test]
fn time_warns_at_eighty_percent_and_pauses_at_the_cap() {
    // Each command of a story comes one second after the last.
    for (cap, warned) in [(10, 8), (5, 4), (3, 3), (1, 1)] {
        let mut story = Story::new();
        story.caps.seconds = Some(cap);
        story.tell("agent: write a");
        for second in 1..=cap {
            let expected: &[&str] = match second {
                _ if second == cap => &["paused"],
                _ if second == warned => &["cap_warned"],
                _ => &[],
            };
            assert_eq!(
                submit(&mut story, Command::Tick { so_far: None, below: vec![] }),
                expected,
                "second {second} of {cap}"
            );
        }
        assert_eq!(state(&story), "paused Cap");
    }
}

#[test]
fn time_spent_paused_is_not_counted() {
    let mut story = Story::new();
    story.caps.seconds = Some(5);
    story.tell("agent: write a");
    assert!(submit(&mut story, Command::Tick { so_far: None, below: vec![] }).is_empty());
    story.tell("harness: quota 20000");
    for _ in 0..20 {
        let _ = submit(&mut story, Command::Tick { so_far: None, below: vec![] });
    }
    story.tell("harness: wake");
    // Two seconds ran before the quota was used up.
    assert!(submit(&mut story, Command::Tick { so_far: None, below: vec![] }).is_empty());
    assert_eq!(submit(&mut story, Command::Tick { so_far: None, below: vec![] }), ["cap_warned"]);
    assert_eq!(submit(&mut story, Command::Tick { so_far: None, below: vec![] }), ["paused"]);
}

#[test]
fn a_person_who_resumes_gives_the_whole_cap_again() {
    let caps = Caps { tokens: Some(100), ..Caps::default() };
    let mut story = spending(caps, &[(tokens(100, 0), &["spent", "paused"])]);
    story.tell("person: resume");
    for (used, expected) in [
        (79, &["spent"][..]),
        (1, &["spent", "cap_warned"]),
        (19, &["spent"]),
        (1, &["spent", "paused"]),
    ] {
        let spend = Command::Spend { model: "m".into(), usage: tokens(used, 0) };
        assert_eq!(submit(&mut story, spend), expected);
    }
}

#[test]
fn a_cap_of_nothing_stops_at_once_and_no_cap_never_does() {
    let none = Caps { tokens: Some(0), ..Caps::default() };
    spending(none, &[(tokens(0, 0), &["spent", "paused"])]);
    let most = u64::MAX;
    let huge = tokens(most, most);
    spending(Caps::default(), &[(huge, &["spent"]), (huge, &["spent"])]);
    let caps = Caps { cost_micros: Some(most), seconds: Some(most), ..Caps::default() };
    spending(caps, &[(money(most / 2), &["spent"]), (money(most / 2 + 1), &["spent", "paused"])]);
}

#[test]
fn a_pause_that_ends_by_itself_gives_nothing_back() {
    let mut story = Story::new();
    story.caps.auto_steps = 2;
    story.caps.tokens = Some(100);
    story.tell("agent: write a, b, c");
    story.tell("agent: done a");
    story.tell("model: calls shell");
    story.tell("call: begin exec");
    story.tell("call: fail no");
    let spend = Command::Spend { model: "m".into(), usage: tokens(79, 0) };
    assert_eq!(submit(&mut story, spend), ["spent", "cap_warned"]);
    story.tell("harness: quota 0");
    assert_eq!(told(&mut story, "harness: wake"), "resumed");
    let plan = story.room.plan.as_ref().expect("a plan");
    assert_eq!(plan.budget_left(), 1, "⚡ counts from a person's last word");
    assert_eq!(plan.steps[1].attempts, 1, "fresh attempts come from a person");
    let spend = Command::Spend { model: "m".into(), usage: tokens(10, 0) };
    assert_eq!(submit(&mut story, spend), ["spent", "paused"], "the cap counts on");
    story.replay();
}
