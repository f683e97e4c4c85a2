//! After comments on single steps, all other steps are what they were.

mod support;

use plan::*;
use serde_json::{Value, json};
use support::Story;

/// Three steps before a person, who spoke of the second.
fn commented(mode: &str) -> Story {
    let mut story = Story::new();
    story.tell("person: mode strict");
    let steps = json!([
        { "id": "one", "text": "write a", "tool": "write_file", "target": "a.txt" },
        { "id": "two", "text": "write b", "tool": "write_file", "target": "b.txt" },
        { "id": "three", "text": "write c", "tool": "write_file", "target": "c.txt",
          "needs": if mode == "graph" { json!(["two"]) } else { json!([]) } },
    ]);
    let written = json!({ "goal": "goal", "mode": mode, "steps": steps });
    write(&mut story, written).expect("it is written");
    story.tell("person: comment two call it otherwise");
    assert!(story.room.plan.as_ref().is_some_and(Plan::is_sent_back), "{}", story.told);
    story
}

fn write(story: &mut Story, draft: Value) -> Result<Vec<Event>, Refusal> {
    let command = Command::Write {
        plan: PlanId(story.id()),
        ask: AskId(story.id()),
        call: None,
        draft: serde_json::from_value(draft).expect("a draft"),
        frame: story.frame(Origin::Chat),
    };
    story.submit(command, &Actor::agent("default"))
}

fn revise(story: &mut Story, actor: &Actor, edits: Value) -> Result<Vec<Event>, Refusal> {
    let command = Command::Revise {
        edits: serde_json::from_value(edits).expect("edits"),
        reason: None,
        seen: None,
        ask: AskId(story.id()),
        call: None,
    };
    story.submit(command, actor)
}

fn steps(story: &Story) -> Vec<StepSpec> {
    let plan = story.room.plan.as_ref().expect("a plan");
    plan.content.steps.iter().map(|step| StepSpec::clone(step)).collect()
}

fn ids(story: &Story) -> Vec<String> {
    steps(story).into_iter().map(|step| step.id.0).collect()
}

fn step(id: &str, text: &str, target: &str) -> Value {
    json!({ "id": id, "text": text, "tool": "write_file", "target": target })
}

#[test]
fn a_plan_that_leaves_out_moves_or_replaces_another_step_is_refused() {
    let (one, three) = (step("one", "write a", "a.txt"), step("three", "write c", "c.txt"));
    let two = step("two", "write d", "d.txt");
    let unnamed = |text: &str| json!({ "text": text, "tool": "write_file", "target": "x.txt" });
    let attacks = [
        json!([two]),
        json!([one, two]),
        json!([three, two, one]),
        json!([unnamed("write all of it"), two, three]),
        json!([one, two, unnamed("write c, but more")]),
        json!([unnamed("first of all"), one, two, three]),
        json!([one, two, three, unnamed("and then")]),
        json!(["write everything"]),
    ];
    for attack in attacks {
        let mut story = commented("sequential");
        let before = story.room.clone();
        let refused = write(&mut story, json!({ "goal": "goal", "steps": attack })).unwrap_err();
        assert_eq!(refused.code(), "PLAN_STEPS_STAY", "{attack}");
        let words = refused.to_string();
        for part in ["step two only", "one (write a), three (write c)"] {
            assert!(words.contains(part), "{words}");
        }
        assert_eq!(story.room, before, "nothing is stored");
    }
}

#[test]
fn what_is_rewritten_beside_it_is_held_to_what_it_was() {
    let mut story = commented("sequential");
    let before = steps(&story);
    let written = json!({
        "goal": "take over", "title": "another", "mode": "parallel", "advance": "manual",
        "venue": "sidekick", "rationale": "because",
        "steps": [
            { "id": "one", "text": "write a", "tool": "write_file", "target": "**" },
            step("two", "write d", "d.txt"),
            "write c",
        ],
    });
    write(&mut story, written).expect("it is taken");
    let after = steps(&story);
    assert_eq!((&after[0], &after[2]), (&before[0], &before[2]));
    assert_eq!((after[1].text.as_str(), after[1].target.as_deref()), ("write d", Some("d.txt")));
    let content = Content::clone(&story.room.plan.as_ref().expect("a plan").content);
    let frame = (content.goal.as_str(), content.title, content.mode, content.advance);
    assert_eq!(frame, ("goal", None, RunMode::Sequential, Advance::Auto));
    assert_eq!(content.venue, Venue::Main);
    assert_eq!(content.rationale.as_deref(), Some("because"), "why may be said anew");
    story.replay();
}

#[test]
fn an_edit_of_another_step_is_refused() {
    let agent = Actor::agent("default");
    let attacks = [
        json!([{ "op": "set", "step": "one", "text": "write more" }]),
        json!([{ "op": "set", "step": "two", "text": "x" },
               { "op": "set", "step": "three", "target": "**" }]),
        json!([{ "op": "remove", "step": "three" }]),
        json!([{ "op": "move", "step": "three", "after": null }]),
        json!([{ "op": "add", "after": null, "new": "first of all" }]),
        json!([{ "op": "add", "after": "three", "new": "and then" }]),
    ];
    for attack in attacks {
        let mut story = commented("sequential");
        let before = story.room.clone();
        let refused = revise(&mut story, &agent, attack.clone()).unwrap_err();
        assert_eq!(refused.code(), "PLAN_STEPS_STAY", "{attack}");
        assert_eq!(story.room, before);
        revise(&mut story, &Actor::person("me", Surface::Window), attack).expect("a person may");
    }
}

#[test]
fn what_was_spoken_of_may_change_move_go_or_become_several() {
    let agent = Actor::agent("default");
    let edits = [
        (json!([{ "op": "set", "step": "two", "text": "x" }]), "one two three"),
        (json!([{ "op": "remove", "step": "two" }]), "one three"),
        (json!([{ "op": "move", "step": "two", "after": null }]), "two one three"),
        (
            json!([{ "op": "add", "after": "one", "new": { "id": "n", "text": "n" } }]),
            "one n two three",
        ),
        (
            json!([{ "op": "remove", "step": "two" },
                { "op": "add", "after": "one", "new": { "id": "n", "text": "n" } }]),
            "one n three",
        ),
    ];
    for (edits, left) in edits {
        let mut story = commented("sequential");
        revise(&mut story, &agent, edits).expect("it is taken");
        assert_eq!(ids(&story).join(" "), left);
    }
    let mut story = commented("sequential");
    let both = json!(["write a", "write d first", "then write e", "write c"]);
    write(&mut story, json!({ "goal": "goal", "steps": both })).expect("it is taken");
    assert_eq!(ids(&story), ["one", "s1", "s2", "three"], "without a name they are found by words");
}

#[test]
fn a_step_that_needs_one_that_went_needs_what_came_for_it() {
    let mut story = commented("graph");
    let written = json!({ "goal": "goal", "steps": [
        step("one", "write a", "a.txt"),
        step("n", "write d", "d.txt"),
        { "id": "three", "text": "write much more", "needs": ["n", "one"] },
    ] });
    write(&mut story, written).expect("it is taken");
    let three = steps(&story).remove(2);
    assert_eq!(three.text, "write c");
    assert_eq!(three.needs, [StepId("n".into())]);
}

#[test]
fn a_persons_own_edit_outlives_the_next_plan() {
    let mut story = commented("sequential");
    let person = Actor::person("me", Surface::Window);
    let mine = json!([{ "op": "set", "step": "one", "text": "write a, gently" }]);
    revise(&mut story, &person, mine).expect("a person may");
    story.tell("person: comment two call it otherwise");
    let old = json!([{ "text": "write a" }, { "text": "write d" }, { "text": "write c" }]);
    let refused = write(&mut story, json!({ "goal": "goal", "steps": old })).unwrap_err();
    assert!(refused.to_string().contains("one (write a, gently)"), "{refused}");
    let named = json!([step("one", "write a", "a.txt"), "write d", "write c"]);
    write(&mut story, json!({ "goal": "goal", "steps": named })).expect("it is taken");
    assert_eq!(steps(&story)[0].text, "write a, gently");
    story.replay();
}

#[test]
fn the_agent_is_told_what_it_was_sent_back_for() {
    let told = ledger(&commented("sequential").room).expect("a plan");
    assert!(told.contains("sent it back for step two"), "{told}");
}
