//! Notifications: what is told, when, and what their buttons do.

use crate::stories::{held, writes};
use desktop::Desktop;
use support::{Script, ScriptedModel, TempWorkspace, wait_for};

#[tokio::test]
async fn a_check_in_elsewhere_is_told_once_and_resume_in_it_goes_on() {
    // The letter waits until the person has gone elsewhere.
    let mut letter = writes("Write a letter", 10);
    letter[1] = held(1);
    let stories = [("book", writes("Write a book", 10)), ("letter", letter)];
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
    // Tray and notifications follow the same news: what the one shows, the other has seen.
    let label = async || desktop.tray_property("XAyatanaLabel").await;
    wait_for(async || label().await.contains("Needs you"), "the tray to tell of it").await;
    // Elsewhere: it is.
    window.room("Other", &one.path()).await;
    window.enter("Letter").await;
    window.say("Write the letter").await;
    window.wait_for_state("running").await;
    window.wait_for_text("One moment").await;
    window.enter("Other").await;
    model.release();
    let shown = desktop
        .notice(
            |shown| shown.body.contains("letter") || shown.summary.contains("letter"),
            "the letter's check-in",
        )
        .await;
    assert!(shown.has("resume"), "{shown:?}");
    assert!(shown.has("default"), "{shown:?}");
    assert!(!shown.actions.iter().any(|(key, _)| key.contains("approve")), "{shown:?}");
    window.picture(&desktop, "told").await;
    assert_eq!(desktop.notices().len(), 1, "{:?}", desktop.notices());

    // A stranger on the bus says that Resume was pressed: it is heard, and nothing happens.
    desktop.pretend_press(&shown, "resume").await;
    let warned = "an answer that is not from the notification service";
    wait_for(async || desktop.log("app").contains(warned), "a warning").await;
    assert!(!two.has("page-9.md"), "a stranger can't resume");
    desktop.press(&shown, "resume").await;
    wait_for(async || two.has("page-10.md"), "the last page").await;

    // Its end is told, too, and a click on that leads there.
    let end = desktop.notice(|shown| shown.summary == "Plan done", "the end").await;
    assert!(end.body.contains("Write a letter"), "{end:?}");
    desktop.press(&end, "default").await;
    window.wait_for_card(|card| card.goal == "Write a letter", "the letter's card").await;
    let card = window.wait_for_state("done").await;
    assert_eq!(card.count('✓'), 10);
    window.picture(&desktop, "resumed").await;
    assert_eq!(desktop.notices().len(), 2, "one for each event: {:?}", desktop.notices());
}
