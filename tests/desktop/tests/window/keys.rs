//! Keys: in the keyring and nowhere else.

use crate::stories::writes;
use desktop::Desktop;
use std::sync::atomic::Ordering;
use support::{Recorded, Reply, Script, ScriptedModel, TempWorkspace, wait_for};

const KEY: &str = "sk-desktop-test-5f1d0c2b7a";
/// One that the provider refuses.
const WRONG: &str = "sk-desktop-wrong-77e0a1c94d";

/// Answers `Yes.` to the good key alone, and repeats the other in its refusal.
fn only_the_good_key() -> Script {
    Script::from_fn(|request| match request.header("authorization") {
        Some(sent) if sent == format!("Bearer {KEY}") => Reply::text("Yes."),
        sent => {
            let words = format!("Incorrect API key: {}", sent.unwrap_or_default());
            let body =
                serde_json::json!({ "error": { "message": words, "code": "invalid_api_key" } });
            Reply::status(401, body.to_string(), &[])
        }
    })
}

fn sent(request: &Recorded) -> String {
    request.header("authorization").unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_key_goes_into_the_keyring_and_into_no_file() {
    let replies =
        vec![Reply::text("Yes."), Reply::text("Hello again."), Reply::text("Still here.")];
    let model = ScriptedModel::start(replies).await;
    let folder = TempWorkspace::new(&[]);
    let desktop = Desktop::start("keys").await;
    desktop.start_keyring().await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    window.click("Settings").await;
    window.click("Models").await;
    window.fill("Key for test", KEY).await;
    window.click("Test and save").await;
    window.wait_for_text("answers.").await;
    window.picture(&desktop, "saved").await;
    assert_eq!(
        model.request(0).await.header("authorization"),
        Some(format!("Bearer {KEY}").as_str())
    );
    let kept = desktop.secrets().await;
    assert!(kept.iter().any(|(_, key)| key == KEY), "it is in the keyring: {}", kept.len());
    let shown = window.run("return document.documentElement.outerHTML", vec![]).await;
    assert!(!shown.to_string().contains(KEY), "the page has forgotten it");

    // Read back from the keyring by an app that was started anew.
    desktop.click_tray("Quit").await;
    window.ended(&desktop).await;
    let window = desktop.open(&[]).await;
    window.room("Hello", &folder.path()).await;
    window.say("Hello").await;
    window.wait_for_text("Hello again.").await;
    assert_eq!(
        model.request(1).await.header("authorization"),
        Some(format!("Bearer {KEY}").as_str())
    );
    window.picture(&desktop, "used").await;
    desktop.click_tray("Quit").await;
    window.ended(&desktop).await;
    let files = desktop.home.files_with(KEY.as_bytes());
    assert!(files.is_empty(), "{files:?}");
}

#[tokio::test]
async fn a_refused_key_is_not_kept_and_the_one_that_works_stays() {
    let model = ScriptedModel::start(only_the_good_key()).await;
    let folder = TempWorkspace::new(&[]);
    let desktop = Desktop::start("refused-key").await;
    desktop.start_keyring().await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    window.click("Settings").await;
    window.click("Models").await;

    // Refused with none before: nothing is kept, and it can be tried again in the same place.
    window.fill("Key for test", WRONG).await;
    window.click("Test and save").await;
    window.wait_for_text("test does not accept this key. The key was not kept.").await;
    assert_eq!(sent(&model.request(0).await), format!("Bearer {WRONG}"));
    assert_eq!(desktop.secrets().await, []);
    window.fill("Key for test", KEY).await;
    window.click("Test and save").await;
    window.wait_for_text("test/scripted answers.").await;
    let kept = desktop.secrets().await;
    assert_eq!(kept.iter().map(|(_, key)| key.as_str()).collect::<Vec<_>>(), [KEY]);

    // Refused in place of one that works.
    window.click("Replace: Key for test").await;
    window.fill("Key for test", WRONG).await;
    window.click("Test and save").await;
    window.wait_for_text("The key was not kept: the one you had stays.").await;
    window.picture(&desktop, "stays").await;
    assert_eq!(desktop.secrets().await, kept);
    window.click("Back").await;
    window.room("Hello", &folder.path()).await;
    window.say("Hello").await;
    window.wait_for_text("Yes.").await;
    assert_eq!(sent(&model.request(3).await), format!("Bearer {KEY}"));

    desktop.click_tray("Quit").await;
    window.ended(&desktop).await;
    for key in [KEY, WRONG] {
        let files = desktop.home.files_with(key.as_bytes());
        assert!(files.is_empty(), "{files:?}");
    }
}

#[tokio::test]
async fn a_key_that_is_checked_while_the_page_goes_away_is_kept_if_it_works() {
    let model = ScriptedModel::start(only_the_good_key()).await;
    let desktop = Desktop::start("key-and-page").await;
    desktop.start_keyring().await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    window.click("Settings").await;
    window.click("Models").await;
    model.hold();
    window.fill("Key for test", KEY).await;
    window.click("Test and save").await;
    model.request(0).await;
    assert_eq!(desktop.secrets().await, [], "not before it was accepted");
    window.reload().await;
    model.release();
    let kept = async || desktop.secrets().await.iter().any(|(_, key)| key == KEY);
    wait_for(kept, "the key in the keyring").await;
}

#[tokio::test]
async fn at_the_first_start_a_refused_key_is_not_kept_and_another_can_be_given() {
    let model = ScriptedModel::start(only_the_good_key()).await;
    let desktop = Desktop::start("refused-first").await;
    desktop.start_keyring().await;
    let window = desktop.open(&[]).await;
    window.click("Continue").await;
    window.click_on("OpenAI, Gemini, xAI or another address", "label b").await;
    window.fill("Address", &model.base_url()).await;
    window.fill("Model", "scripted").await;
    window.fill("Key", WRONG).await;
    window.click("Continue").await;
    window.wait_for_text("openai does not accept this key. The key was not kept.").await;
    assert_eq!(desktop.secrets().await, []);
    // What is pasted now takes its place.
    assert_eq!(window.focused().await, "Key");
    window.type_in(KEY).await;
    window.click("Continue").await;
    window.wait_for_text("Where should the agent work?").await;
    let kept = desktop.secrets().await;
    assert_eq!(kept.iter().map(|(_, key)| key.as_str()).collect::<Vec<_>>(), [KEY]);
}

#[tokio::test]
async fn without_a_keyring_it_says_so_and_keeps_the_key_for_the_session() {
    let model = ScriptedModel::start(vec![Reply::text("Yes."), Reply::text("Hello.")]).await;
    let desktop = Desktop::start("no-keyring").await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    window.click("Settings").await;
    window.click("Models").await;
    window.wait_for_text("No keyring found").await;
    window.fill("Key for test", KEY).await;
    window.click("Test and save").await;
    window.wait_for_text("answers.").await;
    assert_eq!(
        model.request(0).await.header("authorization"),
        Some(format!("Bearer {KEY}").as_str())
    );
    window.picture(&desktop, "session").await;
    let files = desktop.home.files_with(KEY.as_bytes());
    assert!(files.is_empty(), "{files:?}");

    // A keyring that appears later is found.
    desktop.start_keyring().await;
    window.click("Retry").await;
    let gone = "return !document.body.innerText.includes('No keyring found')";
    window.wait(gone, "the warning to go").await;
}

#[tokio::test]
async fn a_locked_keyring_is_asked_for_once_when_a_key_is_needed_and_retry_goes_on() {
    let model = ScriptedModel::start(writes("Write a small book", 12)).await;
    let folder = TempWorkspace::new(&[]);
    let desktop = Desktop::start("locked-plan").await;
    desktop.start_keyring().await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    let key = serde_json::json!({ "provider": "test", "key": KEY });
    window.invoke("set_key", key).await.expect("the key is kept");
    window.room("Book", &folder.path()).await;
    window.say("Write a small book").await;
    window.wait_for_state("paused").await;
    desktop.click_tray("Quit").await;
    window.ended(&desktop).await;
    let before = model.requests().len();

    // Neither a start nor the settings need a key.
    let asked = desktop.lock_keyring().await;
    let asked = || asked.load(Ordering::SeqCst);
    let window = desktop.open(&[]).await;
    window.click("Settings").await;
    window.wait_for_text("Your keyring is locked.").await;
    window.wait_for_text("Key stored in the keyring").await;
    window.picture(&desktop, "settings").await;
    window.click("Back").await;
    assert_eq!(asked(), 0);

    window.enter("Book").await;
    window.click("Resume").await;
    window.wait_for_text("The key for test is in the keyring, which is locked").await;
    window.wait_for_state("paused").await;
    assert_eq!(asked(), 1);
    window.picture(&desktop, "card").await;
    window.click("Retry").await;
    let twice = "return [...document.querySelectorAll('[role=log] .note')].filter(\
         (note) => note.textContent.includes('can’t use the model')).length === 2";
    window.wait(twice, "the second pause").await;
    window.settled().await;
    assert_eq!(asked(), 2);
    assert_eq!(model.requests().len(), before, "nobody is asked without the key");

    desktop.unlock_keyring().await;
    window.click("Retry").await;
    let card = window.wait_for_state("done").await;
    assert_eq!(card.count('✓'), 12);
    assert_eq!(sent(&model.request(before).await), format!("Bearer {KEY}"));
    assert_eq!(asked(), 2);
}

#[tokio::test]
async fn at_the_first_start_a_locked_keyring_is_asked_for_once_when_a_key_is_to_be_kept() {
    let model = ScriptedModel::start(only_the_good_key()).await;
    let desktop = Desktop::start("locked-first").await;
    desktop.start_keyring().await;
    let asked = desktop.lock_keyring().await;
    let asked = || asked.load(Ordering::SeqCst);
    let window = desktop.open(&[]).await;
    window.click("Continue").await;
    window.click_on("OpenAI, Gemini, xAI or another address", "label b").await;
    window.wait_for_text("Your keyring is locked.").await;
    window.fill("Address", &model.base_url()).await;
    window.fill("Model", "scripted").await;
    window.fill("Key", KEY).await;
    assert_eq!(asked(), 0);
    window.click("Continue").await;
    window.wait_for_text("Where should the agent work?").await;
    assert_eq!(asked(), 1);
    // The key holds until the app is quit.
    let folder = TempWorkspace::new(&[]);
    window.fill("Folder", &folder.path().display().to_string()).await;
    window.click("Start").await;
    window.element("textarea[data-region=composer]").await;
    window.say("Hello").await;
    window.wait_for_text("Yes.").await;
    assert_eq!(sent(&model.request(1).await), format!("Bearer {KEY}"));
    assert_eq!(asked(), 1);
}

#[tokio::test]
async fn a_locked_keyring_is_said_and_the_key_kept_for_the_session() {
    let model = ScriptedModel::start(vec![Reply::text("Yes.")]).await;
    let desktop = Desktop::start("locked").await;
    desktop.start_locked_keyring().await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    window.click("Settings").await;
    window.wait_for_text("keyring is locked").await;
    window.fill("Key for test", KEY).await;
    window.click("Test and save").await;
    window.wait_for_text("answers.").await;
    let sent = model.request(0).await;
    assert_eq!(sent.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    window.picture(&desktop, "session").await;
    let files = desktop.home.files_with(KEY.as_bytes());
    assert!(files.is_empty(), "{files:?}");
    // A crash leaves no copy of what is in memory, neither the app's nor the page's.
    for process in [window.app(), window.renderer()] {
        let limits = process.expect("it runs").limits();
        assert!(limits.contains("Max core file size        0                    0 "), "{limits}");
    }
}
