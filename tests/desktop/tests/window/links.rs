//! Links into the app: they only ever navigate.

use crate::stories::writes;
use desktop::{Desktop, Window};
use serde_json::json;
use support::{ScriptedModel, TempWorkspace};

/// Starts the app a second time with this link and waits until that one has handed it over.
fn follow(desktop: &Desktop, link: &str) {
    let handed = desktop.app().arg(link).output().expect("the app can be started");
    assert!(handed.status.success(), "{handed:?}");
}

async fn first_plan(window: &Window, room: &str) -> String {
    let plans = window.invoke("plans", json!({ "room": room })).await.expect("plans are listed");
    plans[0]["id"].as_str().expect("a plan has an id").to_owned()
}

#[tokio::test]
async fn links_open_rooms_plans_and_steps_in_the_running_app() {
    let model = ScriptedModel::start(writes("Write a leaflet", 3)).await;
    let folder = TempWorkspace::new(&[]);
    let desktop = Desktop::start("links").await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    let room = window.room("Leaflet", &folder.path()).await;
    window.say("Write a leaflet").await;
    window.wait_for_state("done").await;
    let plan = first_plan(&window, &room).await;
    let other = window.room("Other", &folder.path()).await;

    follow(&desktop, &format!("plancard://plan/{plan}/step/2"));
    window.wait_for_card(|card| card.goal == "Write a leaflet", "the plan").await;
    window.click("Hide details of step 2").await;
    window.picture(&desktop, "step").await;

    follow(&desktop, &format!("plancard://room/{other}"));
    window
        .wait(
            "return document.querySelector('main h1')?.textContent.trim() === 'Other'",
            "the room",
        )
        .await;

    window.fill("Message the room", "Mine").await;
    follow(&desktop, "plancard://new?goal=rm%20-rf%20%2F%3B%20/plan%20off");
    let typed = "return document.querySelector('textarea[data-region=composer]').value";
    let script = format!("{typed} === 'Mine\\n\\nrm -rf /; /plan off'");
    window.wait(&script, "the words in the composer").await;
    window.wait_for_text("Read it before you send").await;
    window.picture(&desktop, "new").await;
    assert_eq!(model.requests().len(), 5, "a link sends nothing");
    assert_eq!(desktop.windows("Plancard"), 1, "there is one window");

    for (link, words) in [
        ("plancard://plan/123", "the plan's id makes no sense"),
        ("plancard://plan/01890a5d-ac96-774b-bcce-b302099a8057", "The plan of this link is not"),
        ("plancard://room/01890a5d-ac96-774b-bcce-b302099a8057", "The room of this link is not"),
        ("plancard://new", "This link brings no goal"),
        ("plancard://", "is not one that Plancard knows"),
    ] {
        follow(&desktop, link);
        window.wait_for_text(words).await;
    }
    window.picture(&desktop, "malformed").await;
}

#[tokio::test]
async fn a_link_starts_the_app_where_it_leads() {
    let model = ScriptedModel::start(writes("Write a leaflet", 3)).await;
    let folder = TempWorkspace::new(&[]);
    let desktop = Desktop::start("cold-link").await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    let room = window.room("Leaflet", &folder.path()).await;
    window.say("Write a leaflet").await;
    window.wait_for_state("done").await;
    let plan = first_plan(&window, &room).await;
    window.room("Other", &folder.path()).await;
    desktop.click_tray("Quit").await;
    window.ended(&desktop).await;

    let window = desktop.open(&[&format!("plancard://plan/{plan}")]).await;
    window.wait_for_card(|card| card.goal == "Write a leaflet", "the plan").await;
    window.picture(&desktop, "plan").await;
    desktop.click_tray("Quit").await;
    window.ended(&desktop).await;

    let window = desktop.open(&["plancard://nonsense/at/all"]).await;
    window.wait_for_text("is not one that Plancard knows").await;
    window.picture(&desktop, "malformed").await;
}

#[tokio::test]
async fn the_desktop_entry_hands_links_to_the_app() {
    let model = ScriptedModel::start(vec![]).await;
    let folder = TempWorkspace::new(&[]);
    let desktop = Desktop::start("entry").await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    window.room("Linked", &folder.path()).await;

    // As the package installs it, but with the program that is tested.
    let entry = include_str!("../../../../src-tauri/linux/plancard.desktop");
    let program = desktop.app().get_program().to_string_lossy().into_owned();
    let entry = entry.replace("Exec=plancard-window", &format!("Exec={program}"));
    let folder = desktop.home.path("data/applications");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    std::fs::write(folder.join("plancard.desktop"), &entry).expect("the entry can be written");
    let run = |program: &str, words: &[&str]| {
        let done = desktop.command(program).args(words).output().expect("it can be started");
        assert!(done.status.success(), "{program}: {done:?}");
    };
    // So a desktop knows that the window is of this entry.
    let class = desktop.command("xprop").args(["-name", "Plancard", "WM_CLASS"]).output();
    let class = String::from_utf8(class.expect("xprop can be started").stdout).expect("it is text");
    assert!(class.contains("\"plancard-window\""), "{class}");
    assert!(entry.contains("\nStartupWMClass=plancard-window\n"));
    run("desktop-file-validate", &[&folder.join("plancard.desktop").display().to_string()]);
    run("update-desktop-database", &[&folder.display().to_string()]);
    run("gio", &["open", "plancard://new?goal=From%20the%20desktop"]);
    let typed = "return document.querySelector('textarea[data-region=composer]').value \
                 === 'From the desktop'";
    window.wait(typed, "the words in the composer").await;
}
