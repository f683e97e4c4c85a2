//! Keys: in the keyring and nowhere else.

use desktop::Desktop;
use support::{Reply, ScriptedModel, TempWorkspace};

const KEY: &str = "sk-desktop-test-5f1d0c2b7a";

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
    window.click("Save and check").await;
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
async fn without_a_keyring_it_says_so_and_keeps_the_key_for_the_session() {
    let model = ScriptedModel::start(vec![Reply::text("Yes."), Reply::text("Hello.")]).await;
    let desktop = Desktop::start("no-keyring").await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    window.click("Settings").await;
    window.click("Models").await;
    window.wait_for_text("No keyring was found").await;
    window.fill("Key for test", KEY).await;
    window.click("Save and check").await;
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
    window.click("Try again").await;
    let gone = "return !document.body.innerText.includes('No keyring was found')";
    window.wait(gone, "the warning to go").await;
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
    window.click("Save and check").await;
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
