//! `plancard` beside the window.

use desktop::Desktop;
use serde_json::{Value, json};
use support::{Reply, Script, ScriptedModel, program};
use tokio::process::Command;

#[tokio::test]
async fn commands_reach_the_window_without_its_api_and_links_go_through() {
    let model = ScriptedModel::start(Script::from_fn(|_| Reply::text("ready"))).await;
    let desktop = Desktop::start("command-line").await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    let settings = window.invoke("settings", json!({})).await.expect("the settings are there");
    assert_eq!(settings["api"]["enabled"], json!(false), "{}", settings["api"]);

    // Not a command that blocks: the model is in this process, and is asked.
    let plancard = async |words: &[&str]| {
        let mut command = Command::from(desktop.command(program("plancard")));
        command.args(words).output().await.expect("it can be started")
    };
    let ran = plancard(&["doctor", "--json"]).await;
    let found: Value = serde_json::from_slice(&ran.stdout).expect("it prints JSON");
    assert_eq!((&found["running"], &found["ok"]), (&json!(true), &json!(true)), "{found}");
    assert!(!model.requests().is_empty(), "the window asked it");

    // Two programs further, the window that is there follows the link.
    let link = plancard(&["plancard://nonsense"]).await;
    assert!(link.status.success(), "{link:?}");
    window.wait_for_text("is not one that Plancard knows").await;

    desktop.click_tray("Quit").await;
    window.ended(&desktop).await;
    let ran = plancard(&["doctor", "--json", "--model", "rehearsal/tour"]).await;
    let found: Value = serde_json::from_slice(&ran.stdout).expect("it prints JSON");
    assert_eq!(found["running"], json!(false), "{found}");
}
