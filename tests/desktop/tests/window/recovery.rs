//! What a person finds again: after the page died, after quitting in the middle, after a kill.

use crate::stories::{held, write, writes};
use desktop::{Desktop, Key, processes};
use std::process::Command;
use support::{Reply, ScriptedModel, TempWorkspace, plan_write, wait_for, wait_for_some};

#[tokio::test]
async fn a_page_that_dies_comes_back_with_everything() {
    let model = ScriptedModel::start(writes("Write a small book", 12)).await;
    let folder = TempWorkspace::new(&[]);
    let desktop = Desktop::start("renderer").await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    window.room("Book", &folder.path()).await;
    window.say("Write a small book").await;
    window.wait_for_state("paused").await;
    let in_chat = "return [...document.querySelectorAll('[role=log] .note')].some(\
         (note) => note.textContent.includes('checking in') \
           && note.getBoundingClientRect().bottom < innerHeight - 90)";
    window.wait(in_chat, "the end of the chat").await;
    window.settled().await;
    let before = desktop.still("before").await;
    // Something that is not kept, so that the page's return can be seen.
    window.click("New room").await;
    window.wait_for_text("Name (optional)").await;

    let old = window.renderer().expect("a process draws the page");
    let killed = Command::new("kill").args(["-KILL", &old.id.to_string()]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    let new = async || window.renderer().is_some_and(|process| process.id != old.id);
    wait_for(new, "another process to draw the page").await;
    // The driver lets go of a page that crashed: from here on there are eyes and hands.
    desktop.wait_for_look(&before).await;
    desktop.picture("back");
    assert!(!folder.has("page-9.md"), "nothing went on by itself");
    desktop.type_at(700, 828, "Go on, please");
    wait_for(async || folder.has("page-12.md"), "the last page").await;
    let said = model.request(9).await.texts("user");
    assert!(said.iter().any(|words| words == "Go on, please"), "{said:?}");
    desktop.click_tray("Quit").await;
    window.ended(&desktop).await;

    let window = desktop.open(&[]).await;
    window.enter("Book").await;
    let card = window.wait_for_state("done").await;
    assert_eq!(card.count('✓'), 12);
    window.picture(&desktop, "done").await;
}

#[tokio::test]
async fn a_page_that_dies_again_and_again_comes_back_when_a_person_opens_the_window() {
    let desktop = Desktop::start("renderer-gone").await;
    let model = ScriptedModel::start(vec![]).await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    window.wait_for_text("Rooms").await;
    window.settled().await;
    let before = desktop.still("before").await;
    // One that has only begun takes the whole app along.
    let works = |id: u32| {
        std::fs::read_dir(format!("/proc/{id}/task")).is_ok_and(|threads| threads.count() >= 8)
    };
    let next = async |gone: &[u32]| {
        let new = async || {
            let process = window.renderer()?;
            (!gone.contains(&process.id) && works(process.id)).then_some(process.id)
        };
        wait_for_some(new, "another process to draw the page").await
    };
    let log = desktop.home.data().join("plancard.log");
    let told = || std::fs::read_to_string(&log).unwrap_or_default();
    let mut gone = Vec::new();
    // Until it is not loaded anew at once any more.
    while !told().contains("wait=60s") {
        assert!(gone.len() < 12, "{}", told());
        let process = next(&gone).await;
        let killed = Command::new("kill").args(["-KILL", &process.to_string()]).status();
        assert!(killed.is_ok_and(|status| status.success()));
        gone.push(process);
        let ended = || told().matches("the page's process ended").count();
        wait_for(async || ended() == gone.len(), "the app to hear of it").await;
    }
    desktop.picture("gone");
    let again = desktop.app().output().expect("the app can be started");
    assert!(again.status.success(), "{again:?}");
    next(&gone).await;
    desktop.wait_for_look(&before).await;
    desktop.picture("back");
}

#[tokio::test]
async fn quitting_in_the_middle_pauses_and_the_next_start_goes_on() {
    let mut replies = vec![plan_write("Two pages", &["Write page 1", "Write page 2"])];
    replies.extend([write(1), held(2), write(2), Reply::text("Done.")]);
    let model = ScriptedModel::start(replies).await;
    let folder = TempWorkspace::new(&[]);
    let desktop = Desktop::start("quit").await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    window.room("Pages", &folder.path()).await;
    window.say("Two pages").await;
    window.wait_for_card(|card| card.glyphs == "✓▶", "step 2 under way").await;
    model.request(2).await;
    desktop.click_tray("Quit").await;
    window.ended(&desktop).await;

    folder.write("page-1.md", "Changed by the person since.\n");
    let window = desktop.open(&[]).await;
    // Whoever starts typing writes a message, and presses no key of the plan.
    let nowhere = "return document.activeElement === document.body";
    window.wait(nowhere, "no caret to blink in a window at rest").await;
    window.type_in("mf").await;
    let written = "const at = document.activeElement; \
        return at?.dataset.region === 'composer' && at.value === 'mf'";
    window.wait(written, "the letters in the message box").await;
    window.press(Key::Backspace).await;
    window.press(Key::Backspace).await;
    window.enter("Pages").await;
    let card = window.wait_for_state("paused").await;
    assert_eq!(card.glyphs.chars().next(), Some('✓'));
    assert_eq!(card.pill, "Paused: interrupted");
    window.wait_for_text("Two pages").await;
    window.picture(&desktop, "started-again").await;
    window.click("Resume").await;
    window.wait_for_state("done").await;
    assert_eq!(folder.read("page-1.md"), "Changed by the person since.\n", "nothing ran twice");
    assert!(folder.has("page-2.md"));
    window.picture(&desktop, "done").await;
}

#[tokio::test]
async fn a_start_while_the_last_one_is_leaving_waits_for_it() {
    let desktop = Desktop::start("leaving").await;
    let data = desktop.home.data();
    std::fs::create_dir_all(&data).expect("a folder can be made");
    let lock = std::fs::File::create(data.join("lock")).expect("a file can be made");
    lock.lock().expect("nobody has it");
    let group = desktop.start_app();
    // By then it has found the folder taken.
    let draws = async || processes(group).iter().any(|one| one.name.starts_with("WebKitWebProc"));
    wait_for(draws, "a process that draws").await;
    assert_eq!(desktop.windows("Plancard"), 0);
    drop(lock);
    wait_for(async || desktop.windows("Plancard") == 1, "the window").await;
    desktop.picture("open");
}

#[tokio::test]
async fn a_page_that_is_loaded_anew_in_mid_answer_shows_all_of_it() {
    let replies = vec![Reply::text("The first half, and the second half.").hold_after(1)];
    let model = ScriptedModel::start(replies).await;
    let folder = TempWorkspace::new(&[]);
    let desktop = Desktop::start("reload").await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    window.room("Halves", &folder.path()).await;
    window.say("Tell me both halves").await;
    model.request(0).await;
    window.element("textarea[data-region=composer]").await;
    window.type_in("A draft that stays").await;
    window.reload().await;
    window.wait_for_text("Tell me both halves").await;
    let draft = "return document.querySelector('textarea[data-region=composer]')?.value \
                 === 'A draft that stays'";
    window.wait(draft, "the draft").await;
    model.release();
    window.wait_for_text("The first half, and the second half.").await;
    window.picture(&desktop, "reloaded").await;
    assert_eq!(model.requests().len(), 1, "nobody was asked twice");
}

#[tokio::test]
async fn the_window_comes_back_in_the_size_it_had_and_fits_in_the_smallest() {
    let model = ScriptedModel::start(vec![]).await;
    let folder = TempWorkspace::new(&[]);
    let desktop = Desktop::start("size").await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    window.room("Small", &folder.path()).await;
    window.resize(1024, 700).await;
    let beyond = "return document.documentElement.scrollWidth > innerWidth";
    assert_eq!(window.run(beyond, vec![]).await, serde_json::json!(false), "nothing sticks out");
    let size = "return [innerWidth, innerHeight]";
    let before = window.run(size, vec![]).await;
    desktop.click_tray("Quit").await;
    window.ended(&desktop).await;
    let window = desktop.open(&[]).await;
    window.wait_for_text("Small").await;
    let same = format!("return JSON.stringify([innerWidth, innerHeight]) === '{before}'");
    window.wait(&same, "the size it had").await;
    window.picture(&desktop, "again").await;
    // Nor is it lost when there is no time to leave.
    window.resize(1180, 760).await;
    let size = window.run(size, vec![]).await;
    let kept = desktop.home.path("config/dev.plancard.desktop/.window-state.json");
    let written = async || std::fs::read_to_string(&kept).is_ok_and(|kept| kept.contains("1180"));
    wait_for(written, "the new size to be written down").await;
    window.kill(&desktop);
    let window = desktop.open(&[]).await;
    let same = format!("return JSON.stringify([innerWidth, innerHeight]) === '{size}'");
    window.wait(&same, "the size before it was killed").await;
}
