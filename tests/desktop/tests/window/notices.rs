//! Notifications: what is told, when, and what their buttons do.

use crate::stories::writes;
use desktop::Desktop;
use support::{Script, ScriptedModel, TempWorkspace, wait_for};

#[tokio::test]
async fn a_check_in_elsewhere_is_told_once_and_resume_in_it_goes_on() {
    let stories = [("book", writes("Write a book", 10)), ("letter", writes("Write a letter", 10))];
    let model = ScriptedModel::start(Script::by_room(stories)).await;
    let (one, two) = (TempWorkspace::new(&[]), TempWorkspace::new(&[]));
    let desktop = Desktop::start("notices").await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    window.room("Letter", &two.path()).await;
    window.room("Book", &one.path()).await;

    // In front of the person: no notification is needed.
    window.say("Write the book").await;
    window.wait_for_state("paused").await;
    // Elsewhere: it is.
    let room = window.room("Other", &one.path()).await;
    assert!(!room.is_empty());
    window.enter("Letter").await;
    window.say("Write the letter").await;
    window.wait_for_state("running").await;
    window.enter("Other").await;
    let shown = desktop
        .notice(
            |shown| shown.body.contains("letter") || shown.summary.contains("letter"),
            "the letter's check-in",
        )
        .await;
    assert!(shown.has("resume"), "{shown:?}");
    assert!(shown.has("default"), "{shown:?}");
    assert!(!shown.actions.iter().any(|(key, _)| key.contains("approve")), "{shown:?}");
    desktop.picture("told");
    assert_eq!(desktop.notices().len(), 1, "{:?}", desktop.notices());

    // A stranger on the bus says that Resume was pressed: nothing happens.
    desktop.pretend_press(&shown, "resume").await;
    desktop.press(&shown, "default").await;
    let card =
        window.wait_for_card(|card| card.goal == "Write a letter", "the letter's card").await;
    assert_eq!(card.state, "paused", "a stranger can't resume");
    assert!(!two.has("page-9.md"));

    window.enter("Other").await;
    desktop.press(&shown, "resume").await;
    wait_for(async || two.has("page-10.md"), "the last page").await;
    desktop.notice(|shown| shown.summary.contains("one"), "the end").await;
    window.enter("Letter").await;
    let card = window.wait_for_state("done").await;
    assert_eq!(card.count('✓'), 10);
    desktop.picture("resumed");
}
