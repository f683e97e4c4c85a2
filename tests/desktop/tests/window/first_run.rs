//! The first start: from nothing to a plan that ran, without a key.

use desktop::Desktop;

#[tokio::test]
async fn one_click_runs_the_rehearsal_from_the_check_in_to_twelve_steps_done() {
    let desktop = Desktop::start("first-run").await;
    let window = desktop.open(&[]).await;
    window.wait_for_text("An agent that shows its plan first").await;
    window.picture(&desktop, "welcome").await;

    window.click("Try it without a model").await;
    let card = window.wait_for_state("paused").await;
    assert_eq!(card.pill, "Paused: checking in");
    assert_eq!(card.glyphs, "✓✓○○○○", "it checks in after eight steps");
    window.settled().await;
    desktop.portrait().await;

    window.click("Resume").await;
    let card = window.wait_for_state("done").await;
    assert_eq!(card.count('✓'), 12);
    window.picture(&desktop, "done").await;
}
