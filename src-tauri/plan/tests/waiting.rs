//! A sidekick that stands still until a person has said what becomes of it.

mod support;

use plan::*;
use support::Story;

fn ask(story: &mut Story, said: Option<&str>) -> Ask {
    let mut detail = vec![Detail::new(Ask::WAITS, "it was interrupted")];
    detail.extend(said.map(|said| Detail::new(Ask::SAID, said)));
    Ask {
        id: AskId(story.id()),
        kind: AskKind::Question,
        plan_id: None,
        step_id: None,
        call_id: None,
        text: "it waits".into(),
        detail,
        created_at: Time(1),
    }
}

/// One that waits; the question it waits with.
fn waiting(said: Option<&str>) -> (Story, AskId) {
    let mut story = Story::sidekick();
    let id = wait(&mut story, said);
    (story, id)
}

fn wait(story: &mut Story, said: Option<&str>) -> AskId {
    let ask = ask(story, said);
    let id = ask.id;
    story.submit(Command::AwaitPerson { ask }, &Actor::harness()).expect("the harness may");
    assert_eq!(work::next(&story.room), Work::None, "it stands still");
    id
}

fn answer(story: &mut Story, ask: AskId, answer: &str) {
    let (answer, note, revision, hash) = (answer.to_owned(), None, None, None);
    let answer = Command::Answer { ask, answer, note, revision, hash };
    story.submit(answer, &me()).expect("it is answered");
    assert!(story.room.asks.is_empty());
    story.replay();
}

fn me() -> Actor {
    Actor::person("me", Surface::Window)
}

fn ended(story: &Story) -> Option<(SidekickEnd, String)> {
    let ended = story.room.sidekick.as_ref()?.ended.as_ref()?;
    Some((ended.end, ended.words()))
}

#[test]
fn only_the_harness_lets_it_wait_and_only_once() {
    let (mut story, first) = waiting(None);
    let again = ask(&mut story, None);
    for actor in [me(), Actor::agent("default")] {
        let refused = story.submit(Command::AwaitPerson { ask: again.clone() }, &actor);
        assert!(matches!(refused, Err(Refusal::HarnessOnly { .. })), "{refused:?}");
    }
    let asked = story.submit(Command::AwaitPerson { ask: again }, &Actor::harness());
    assert_eq!(asked, Ok(Vec::new()));
    assert!(story.room.asks.contains_key(&first));
    // Nor does another room, or one that has ended.
    let mut chat = Story::new();
    let ask = ask(&mut chat, None);
    assert_eq!(chat.submit(Command::AwaitPerson { ask }, &Actor::harness()), Ok(Vec::new()));
}

#[test]
fn each_answer_does_what_it_says() {
    let (mut story, ask) = waiting(Some("first\nsecond"));
    answer(&mut story, ask, Ask::TAKE_WORDS);
    assert_eq!(ended(&story), Some((SidekickEnd::Completed, "first\nsecond".to_owned())));

    let (mut story, ask) = waiting(Some("first"));
    answer(&mut story, ask, Ask::STOP);
    assert_eq!(ended(&story), Some((SidekickEnd::Stopped, "stopped by a person".to_owned())));

    for words in [Ask::GO_ON, "look in b", Ask::TAKE_WORDS] {
        // There are no words to take.
        let (mut story, ask) = waiting(None);
        answer(&mut story, ask, words);
        assert_eq!((ended(&story), work::next(&story.room)), (None, Work::Model), "{words}");
    }
}

#[test]
fn a_plan_of_its_own_that_has_ended_stays_so_when_it_goes_on() {
    let mut story = Story::sidekick();
    story.tell("agent: write a");
    story.tell("agent: done a read it");
    let state = |story: &Story| story.room.plan.as_ref().map(|plan| plan.state.clone());
    assert_eq!(state(&story), Some(PlanState::Done), "{}", story.told);
    let ask = wait(&mut story, None);
    answer(&mut story, ask, Ask::GO_ON);
    assert_eq!(state(&story), Some(PlanState::Done));
}
