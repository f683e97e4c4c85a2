//! Supervising a plan from its card.

use crate::stories::{held, write, writes};
use desktop::Desktop;
use support::{Reply, ScriptedModel, TempWorkspace, plan_write};

#[tokio::test]
async fn a_message_becomes_twelve_steps_done_with_a_check_in_between() {
    let model = ScriptedModel::start(writes("Write a small book", 12)).await;
    let folder = TempWorkspace::new(&[("README.md", "A book.\n")]);
    let desktop = Desktop::start("twelve").await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    window.room("Book", &folder.path()).await;

    window.say("Write a small book of twelve pages").await;
    let card = window.wait_for_state("paused").await;
    assert_eq!(card.glyphs, "✓✓○○○○");
    assert_eq!(card.pill, "Paused: checking in");
    assert!(!folder.has("page-9.md"), "nothing went on by itself");
    window.picture(&desktop, "check-in").await;

    window.click("Resume").await;
    let card = window.wait_for_state("done").await;
    assert_eq!(card.count('✓'), 12);
    assert_eq!(card.goal, "Write a small book");
    window.wait_for_text("All pages are written.").await;
    assert_eq!(folder.read("page-12.md"), "This is page 12.\n");

    window.click("Show details of step 3").await;
    window.click("page-3.md +1 created").await;
    window.wait_for_text("+ This is page 3.").await;
    window.picture(&desktop, "step-3").await;
    window.click("Hide details of step 3").await;
}

#[tokio::test]
async fn pause_resume_and_cancel_are_on_the_card() {
    let mut replies =
        vec![plan_write("Tidy up", &["Write page 1", "Write page 2", "Write page 3"])];
    replies.extend([write(1), held(2), held(2), Reply::text("I stop here.")]);
    let model = ScriptedModel::start(replies).await;
    let folder = TempWorkspace::new(&[]);
    let desktop = Desktop::start("card").await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    window.room("Tidy", &folder.path()).await;

    window.say("Tidy up, please").await;
    window.wait_for_card(|card| card.glyphs == "✓▶○", "step 2 under way").await;
    window.wait_for_text("One moment").await;
    window.picture(&desktop, "running").await;

    window.click("Pause").await;
    let card = window.wait_for_state("paused").await;
    assert_eq!(card.pill, "Paused: by you");
    assert!(card.buttons.contains(&"Resume".to_owned()), "{:?}", card.buttons);
    assert!(!card.buttons.contains(&"Pause".to_owned()), "{:?}", card.buttons);
    window.picture(&desktop, "paused").await;

    window.click("Resume").await;
    window.wait_for_state("running").await;
    model.request(3).await;

    window.click("Cancel plan").await;
    window.wait_for_text("Cancel this plan?").await;
    window.picture(&desktop, "cancel-dialog").await;
    window.click("Cancel plan").await;
    let card = window.wait_for_state("cancelled").await;
    assert_eq!(card.glyphs, "✓——");
    assert!(!folder.has("page-2.md"));
    window.picture(&desktop, "cancelled").await;
}
