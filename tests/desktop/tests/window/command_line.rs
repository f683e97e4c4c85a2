//! `plancard` beside the window.

use desktop::Desktop;
use serde_json::{Value, json};
use support::{Reply, ScriptedModel, program};

#[tokio::test]
async fn commands_reach_the_window_without_its_api_and_links_go_through() {
    let model = ScriptedModel::start(vec![Reply::text("ready")]).await;
    let desktop = Desktop::start("command-line").await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    let settings = window.invoke("settings", json!({})).await.expect("the settings are there");
    assert_eq!(settings["api"]["enabled"], json!(false), "{}", settings["api"]);

    let plancard = || desktop.command(program("plancard"));
    let ran = plancard().args(["doctor", "--json"]).output().expect("it can be started");
    let found: Value = serde_json::from_slice(&ran.stdout).expect("it prints JSON");
    assert_eq!((&found["running"], &found["ok"]), (&json!(true), &json!(true)), "{found}");
    assert_eq!(model.requests().len(), 1);

    // Two programs further, the window that is there follows the link.
    let link = plancard().arg("plancard://nonsense").output().expect("it can be started");
    assert!(link.status.success(), "{link:?}");
    window.wait_for_text("is not one that Plancard knows").await;

    desktop.click_tray("Quit").await;
    window.ended(&desktop).await;
    let ran = plancard().args(["doctor", "--json", "--model", "rehearsal/tour"]).output();
    let found: Value =
        serde_json::from_slice(&ran.expect("it can be started").stdout).expect("it prints JSON");
    assert_eq!(found["running"], json!(false), "{found}");
}
