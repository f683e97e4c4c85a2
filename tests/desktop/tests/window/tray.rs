//! The tray: everything at once, over the bus, as a panel does it.

use crate::stories::{held, write};
use desktop::{Desktop, Shown};
use support::{Reply, Script, ScriptedModel, TempWorkspace, ask_user, plan_write, wait_for};

#[tokio::test]
async fn pause_all_and_resume_all_reach_every_room() {
    let story = |goal: &str| {
        let plan = plan_write(goal, &["Write page 1", "Write page 2"]);
        vec![plan, held(1), held(1), write(2), Reply::text("Done.")]
    };
    let stories = [("first room", story("First plan")), ("second room", story("Second plan"))];
    let model = ScriptedModel::start(Script::by_room(stories)).await;
    let (one, two) = (TempWorkspace::new(&[]), TempWorkspace::new(&[]));
    let desktop = Desktop::start("tray").await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    window.room("One", &one.path()).await;
    window.say("This is the first room").await;
    window.wait_for_state("running").await;
    window.room("Two", &two.path()).await;
    window.say("This is the second room").await;
    window.wait_for_state("running").await;
    window.picture(&desktop, "running").await;

    desktop.click_tray("Pause all").await;
    window.wait_for_state("paused").await;
    window.enter("One").await;
    let card = window.wait_for_state("paused").await;
    assert_eq!((card.goal.as_str(), card.pill.as_str()), ("First plan", "Paused: by you"));
    window.picture(&desktop, "paused").await;

    desktop.click_tray("Resume all").await;
    window.wait_for_state("running").await;
    // The second room's line opens it.
    let second = async || {
        let lines = desktop.tray().await;
        lines.into_iter().map(|line| line.label).find(|label| label.starts_with("Second plan"))
    };
    let second = support::wait_for_some(second, "the second plan in the menu").await;
    desktop.click_tray(&second).await;
    window.wait_for_card(|card| card.goal == "Second plan", "the second room").await;
    window.wait_for_state("running").await;
}

#[tokio::test]
async fn the_icon_and_the_menu_follow_what_happens() {
    let mut replies = vec![plan_write("One page", &["Write page 1"])];
    replies.extend([held(1), Reply::text("Done."), ask_user("Which one?", &[])]);
    let model = ScriptedModel::start(replies).await;
    let folder = TempWorkspace::new(&[]);
    let desktop = Desktop::start("icon").await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    let enabled = async |label: &str| {
        desktop.tray().await.iter().any(|line| line.label == label && line.enabled)
    };
    assert!(!enabled("Pause all").await, "nothing runs");
    let idle = desktop.tray_property("IconName").await;
    let label = async || desktop.tray_property("XAyatanaLabel").await;
    let says = async |words: &str| label().await.contains(words);

    window.room("One", &folder.path()).await;
    window.say("One page please").await;
    window.wait_for_state("running").await;
    wait_for(async || enabled("Pause all").await, "Pause all").await;
    wait_for(async || desktop.tray_property("IconName").await != idle, "another icon").await;
    let running = desktop.tray_property("IconName").await;
    wait_for(async || says("Running").await, "words beside the icon").await;
    let awake = async || !desktop.reasons_to_stay_awake().is_empty();
    wait_for(awake, "the computer to be kept awake").await;

    model.request(1).await;
    model.release();
    window.wait_for_state("done").await;
    wait_for(async || desktop.reasons_to_stay_awake().is_empty(), "sleep to be allowed").await;
    wait_for(async || desktop.tray_property("IconName").await != running, "the first icon").await;
    wait_for(async || !enabled("Pause all").await, "nothing to pause").await;
    wait_for(async || !says("Running").await, "the words to go").await;

    window.say("And now?").await;
    window.wait_for_text("Which one?").await;
    wait_for(async || says("Needs you").await, "the tray to need the person").await;
    let needs = desktop.tray_property("IconName").await;
    assert!(needs != idle && needs != running, "three icons: {idle}, {running}, {needs}");
}

#[tokio::test]
async fn pause_all_also_stops_an_answer_without_a_plan() {
    let model = ScriptedModel::start(vec![Reply::text("Well, it is long.").hold_after(1)]).await;
    let folder = TempWorkspace::new(&[]);
    let desktop = Desktop::start("tray-stop").await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    window.room("One", &folder.path()).await;
    window.say("Tell me everything").await;
    model.request(0).await;
    desktop.click_tray("Pause all").await;
    window.wait_for_text("You stopped this turn.").await;
    wait_for(async || model.disconnects() == 1, "the model to be let go").await;
}

#[tokio::test]
async fn closing_hides_to_the_tray_says_so_once_and_open_brings_it_back() {
    let model = ScriptedModel::start(vec![]).await;
    let desktop = Desktop::start("closing").await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    window.wait_for_text("Rooms").await;
    let on_screen = || desktop.windows("Plancard");
    wait_for(async || on_screen() == 1, "the window").await;

    desktop.close_window("Plancard").await;
    wait_for(async || on_screen() == 0, "the window to hide").await;
    desktop.notice(|shown| shown.body.contains("tray"), "words about the tray").await;
    assert!(window.app().is_some(), "it is still there");
    desktop.click_tray("Open").await;
    wait_for(async || on_screen() == 1, "the window to come back").await;

    desktop.close_window("Plancard").await;
    wait_for(async || on_screen() == 0, "the window to hide again").await;
    desktop.click_tray("Open").await;
    wait_for(async || on_screen() == 1, "the window to come back again").await;
    let told = desktop.notices().iter().filter(|shown| shown.body.contains("tray")).count();
    assert_eq!(told, 1, "it is said once");
}

#[tokio::test]
async fn where_nobody_shows_the_tray_closing_says_how_to_quit_and_quit_is_in_the_window() {
    let model = ScriptedModel::start(vec![]).await;
    let desktop = Desktop::start("no-tray").await;
    desktop.home.use_model(&model.base_url(), "");
    desktop.hide_tray();
    let window = desktop.open(&[]).await;
    window.wait_for_text("Rooms").await;
    wait_for(async || desktop.windows("Plancard") == 1, "the window").await;
    desktop.tray().await;

    desktop.close_window("Plancard").await;
    let shown = |notice: &Shown| notice.body.contains("only minimized. Type /quit");
    desktop.notice(shown, "how to quit").await;
    assert!(window.app().is_some(), "it is still there");
    wait_for(async || desktop.is_minimized("Plancard"), "a window that is still in reach").await;

    window.click("Settings").await;
    window.click_on("About", "main button, main a").await;
    window.wait_for_text("Quitting pauses them").await;
    // Pressed a moment later: the page may be gone before it could answer.
    let quit = "const quit = [...document.querySelectorAll('main button')]
        .find((button) => button.textContent.includes('Quit Plancard'))
        setTimeout(() => quit.click())";
    window.run(quit, vec![]).await;
    wait_for(async || window.app().is_none(), "the app to end").await;
}
