//! Settings: what is changed in the window is in the file, in force, and there after a restart.

use crate::stories::held;
use desktop::Desktop;
use serde_json::json;
use support::{ScriptedModel, TempWorkspace, plan_write, wait_for};

#[tokio::test]
async fn a_setting_is_kept_and_a_bad_one_is_refused_in_the_words_of_the_file() {
    let model = ScriptedModel::start(vec![]).await;
    let desktop = Desktop::start("settings").await;
    desktop.home.use_model(&model.base_url(), "caps: { attempts: 2 }");
    let window = desktop.open(&[]).await;
    let save = async |path: &str, value| {
        window.invoke("save_setting", json!({ "path": path, "value": value })).await
    };
    save("ui.theme", json!("dark")).await.expect("a theme can be chosen");
    let refused = save("caps.steps", json!(0)).await.expect_err("a plan needs steps");
    let words = refused["message"].as_str().unwrap_or_default();
    assert!(words.contains("caps.steps"), "{refused}");
    let refused = save("ui.quiet_hours", json!("late")).await.expect_err("that is no time");
    assert!(refused["message"].as_str().unwrap_or_default().contains("22:00"), "{refused}");
    assert!(desktop.home.settings().contains("dark"), "{}", desktop.home.settings());
    assert!(!desktop.home.settings().contains("late"), "{}", desktop.home.settings());

    desktop.click_tray("Quit").await;
    window.ended(&desktop).await;
    let window = desktop.open(&[]).await;
    let dark = "return document.documentElement.dataset.theme === 'dark'";
    window.wait(dark, "the dark theme").await;
    window.click("Settings").await;
    window.click("Limits").await;
    // What the person's own file says can't be changed here.
    let fixed = "return [...document.querySelectorAll('main input')].some((field) => \
                 field.disabled && field.value === '2')";
    window.wait(fixed, "the person's own value").await;
    desktop.still("limits-dark").await;
}

#[tokio::test]
async fn the_shortcut_pauses_everything_and_can_be_changed() {
    let plan = plan_write("One page", &["Write page 1"]);
    let model = ScriptedModel::start(vec![plan, held(1), held(1), held(1)]).await;
    let folder = TempWorkspace::new(&[]);
    let desktop = Desktop::start("shortcut").await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    window.room("One", &folder.path()).await;
    window.say("One page please").await;
    window.wait_for_state("running").await;
    desktop.press_keys("ctrl+alt+shift+p");
    let card = window.wait_for_state("paused").await;
    assert_eq!(card.pill, "Paused: by you");

    let other = json!({ "path": "ui.pause_shortcut", "value": "Ctrl+Alt+Shift+K" });
    window.invoke("save_setting", other).await.expect("another shortcut can be chosen");
    window.click("Resume").await;
    window.wait_for_state("running").await;
    model.request(2).await;
    desktop.press_keys("ctrl+alt+shift+k");
    window.wait_for_state("paused").await;
}

#[tokio::test]
async fn the_api_is_switched_on_behind_the_window() {
    let model = ScriptedModel::start(vec![]).await;
    let folder = TempWorkspace::new(&[]);
    let desktop = Desktop::start("api").await;
    desktop.home.use_model(&model.base_url(), "api: { listen: \"127.0.0.1:0\" }");
    let window = desktop.open(&[]).await;
    let room = window.room("Reached from outside", &folder.path()).await;
    let on = json!({ "path": "api.enabled", "value": true });
    let view = window.invoke("save_setting", on).await.expect("it can be switched on");
    let address = view["api"]["address"].as_str().expect("it says where it listens").to_owned();
    let token = view["api"]["token_file"].as_str().expect("it says where the token is");
    let token = std::fs::read_to_string(token).expect("the token can be read");

    let asked = async |token: &str| {
        let ask = ["-s", "-H", &format!("Authorization: Bearer {token}")];
        let mut curl = desktop.command("curl");
        let answer = curl.args(ask).arg(format!("{address}/v1/rooms")).output();
        String::from_utf8_lossy(&answer.expect("curl can be started").stdout).into_owned()
    };
    assert!(asked(token.trim()).await.contains("Reached from outside"));
    assert!(!asked("a-wrong-token").await.contains("Reached from outside"));

    // Approving is not in it until it is given, and then on the same address.
    let loosened = || {
        let bearer = format!("Authorization: Bearer {}", token.trim());
        let mut curl = desktop.command("curl");
        curl.args(["-s", "-X", "PUT", "-H", &bearer, "-H", "Content-Type: application/json"]);
        curl.args(["-d", r#"{"mode":"soft"}"#, &format!("{address}/v1/rooms/{room}/plan-mode")]);
        let answer = curl.output().expect("curl can be started");
        String::from_utf8_lossy(&answer.stdout).into_owned()
    };
    assert!(loosened().contains("FORBIDDEN"));
    let rights = json!({ "path": "api.rights", "value": ["read", "supervise", "run", "approve"] });
    let view = window.invoke("save_setting", rights).await.expect("the right can be given");
    assert_eq!(view["api"]["address"].as_str(), Some(address.as_str()));
    let answer = loosened();
    assert!(!answer.contains("FORBIDDEN") && answer.contains("Reached from outside"), "{answer}");

    let off = json!({ "path": "api.enabled", "value": false });
    window.invoke("save_setting", off).await.expect("it can be switched off");
    wait_for(async || asked(token.trim()).await.is_empty(), "the API to be gone").await;
    let told = window.invoke("diagnostics", json!({})).await.expect("diagnostics are made");
    let told = told.as_str().unwrap_or_default();
    assert!(told.contains("Plancard") && !told.contains(token.trim()), "{told}");
}

#[tokio::test]
async fn a_mistake_in_the_file_is_said_and_locks_nobody_out() {
    let desktop = Desktop::start("mistake").await;
    desktop.home.configure("agents: { default: { model: nope/x } }\n");
    let window = desktop.open(&[]).await;
    window.wait_for_text("The configuration has an error").await;
    let text = window.text().await;
    assert!(!text.contains("An agent that shows its plan first"), "it is not the first start");
    window.click("Settings").await;
    window.wait_for_text("Models").await;
    window.picture(&desktop, "said").await;
}
