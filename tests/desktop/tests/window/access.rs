//! Everyone can use it: axe finds nothing serious in the main screens, light and dark.

use crate::stories::{held, write, writes};
use desktop::{Desktop, Key, Window};
use serde_json::{Value, json};
use std::path::Path;
use support::{
    Script, ScriptedModel, TempWorkspace, ask_user, plan_write, plan_write_with, submit_plan,
};

/// Puts axe into the page. It overrides `toString` in places, which frozen prototypes forbid to
/// strict code; without the pragma it goes on.
async fn bring_axe(window: &Window) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/node_modules/axe-core/axe.js");
    let axe = std::fs::read_to_string(file).expect("the window's packages are installed");
    let loose = axe.replace("'use strict';", "").replace("\"use strict\";", "");
    window.run(&format!("{loose}\nwindow.axe = axe"), vec![]).await;
}

/// Nothing serious is wrong with the window as it is, in either theme.
async fn check(desktop: &Desktop, window: &Window, screen: &str) {
    for theme in ["light", "dark"] {
        let set = "document.documentElement.dataset.theme = arguments[0]";
        window.run(set, vec![json!(theme)]).await;
        window.picture(desktop, &format!("{screen}-{theme}")).await;
        let told = serious(window).await;
        assert!(told.is_empty(), "{screen}, {theme}: {told:#?}");
    }
    window.run("document.documentElement.dataset.theme = 'light'", vec![]).await;
}

/// Whether the step a plan is at can be seen in its list, if there is one.
const CURRENT_IN_VIEW: &str = "
    const row = document.querySelector('[data-step].now')
    if (!row) return true
    const list = row.closest('[aria-label=Steps]').getBoundingClientRect()
    const { top, bottom } = row.getBoundingClientRect()
    return top >= list.top - 1 && bottom <= list.bottom + 1
";

/// The same in a small window.
async fn check_narrow(desktop: &Desktop, window: &Window, screen: &str) {
    window.resize(1024, 700).await;
    window.wait(CURRENT_IN_VIEW, "the current step in view").await;
    check(desktop, window, screen).await;
    window.resize(1360, 860).await;
}

/// What axe finds that is serious or critical.
async fn serious(window: &Window) -> Vec<String> {
    let ask = r"
        delete window.found
        axe.run(document, { resultTypes: ['violations'] }).then(
          (result) => (window.found = { violations: result.violations }),
          (error) => (window.found = { failed: String(error.stack ?? error) }),
        )
    ";
    window.run(ask, vec![]).await;
    let found = window.wait("return window.found", "axe").await;
    assert_eq!(found.get("failed"), None, "axe runs");
    let is_serious = |one: &&Value| matches!(one["impact"].as_str(), Some("serious" | "critical"));
    let violations = found["violations"].as_array().expect("axe lists violations");
    let told = |one: &Value| format!("{}: {}", one["id"], one["nodes"][0]["html"]);
    violations.iter().filter(is_serious).map(told).collect()
}

#[tokio::test]
async fn axe_finds_what_is_wrong_in_this_window() {
    let desktop = Desktop::start("access-axe").await;
    let window = desktop.open(&[]).await;
    window.wait_for_text("An agent that shows its plan first").await;
    desktop.still("shown").await;
    bring_axe(&window).await;
    let spoil = r"
        const words = document.createElement('p')
        words.textContent = 'Faint words'
        words.style.color = '#ddd'
        document.querySelector('main').replaceChildren(document.createElement('button'), words)
    ";
    window.run(spoil, vec![]).await;
    let told = serious(&window).await;
    assert_eq!(told.len(), 2, "a button without a name, words without contrast: {told:#?}");
}

#[tokio::test]
async fn the_first_start_is_for_everyone() {
    let desktop = Desktop::start("access-first").await;
    let window = desktop.open(&[]).await;
    bring_axe(&window).await;
    check(&desktop, &window, "welcome").await;
    window.click("Continue").await;
    window.wait_for_text("Who should do the work?").await;
    check(&desktop, &window, "model").await;
    window.click_on("Rehearsal", "label b").await;
    window.click("Continue").await;
    window.wait_for_text("Where should the agent work?").await;
    check(&desktop, &window, "folder").await;
}

#[tokio::test]
async fn the_main_screens_are_for_everyone() {
    let step = json!([
        { "description": "Write page 1", "tool": "write_file", "target": "page-1.md", "expected_outcome": "A page" },
        { "description": "Look around", "tool": "", "target": "", "expected_outcome": "" }
    ]);
    let stories = [
        ("book", writes("Write a small book", 12)),
        ("approve", vec![submit_plan("Two careful steps", step, "Because you asked"), write(1)]),
        ("run", vec![plan_write("One page", &["Write page 1", "Write page 2"]), write(1), held(2)]),
        ("ask", vec![ask_user("Blue or green?", &["Blue", "Green"])]),
    ];
    let model = ScriptedModel::start(Script::by_room(stories)).await;
    let folder = TempWorkspace::new(&[("notes/a.md", "# A\n")]);
    let desktop = Desktop::start("access").await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    bring_axe(&window).await;
    check(&desktop, &window, "no-rooms").await;
    window.click("New room").await;
    window.wait_for_text("Name (optional)").await;
    check(&desktop, &window, "new-room").await;
    window.press(Key::Escape).await;

    window.room("Book", &folder.path()).await;
    check(&desktop, &window, "empty").await;
    window.say("Write the book").await;
    window.wait_for_state("paused").await;
    check(&desktop, &window, "check-in").await;
    check_narrow(&desktop, &window, "check-in-narrow").await;
    window.click("Resume").await;
    window.wait_for_state("done").await;
    window.click("Show details of step 3").await;
    check(&desktop, &window, "done").await;

    window.room("Run", &folder.path()).await;
    window.say("Please run").await;
    window.wait_for_card(|card| card.glyphs == "✓▶", "step 2 under way").await;
    check(&desktop, &window, "running").await;
    window.click("Cancel plan").await;
    window.wait_for_text("Cancel this plan?").await;
    check(&desktop, &window, "cancel").await;
    window.click("Keep plan").await;

    window.room("Approve", &folder.path()).await;
    window.say("Let me approve").await;
    window.wait_for_state("awaiting_approval").await;
    check(&desktop, &window, "approval").await;
    check_narrow(&desktop, &window, "approval-narrow").await;
    window.room("Ask", &folder.path()).await;
    window.say("You may ask").await;
    window.wait_for_text("Blue or green?").await;
    check(&desktop, &window, "question").await;
    window.resize(1024, 700).await;
    check(&desktop, &window, "narrow").await;

    window.click("Settings").await;
    let tabs = "return [...document.querySelectorAll('main [role=tab]')]\
                .map((tab) => tab.textContent.trim())";
    let tabs = window.wait(tabs, "the settings").await;
    let tabs: Vec<String> = serde_json::from_value(tabs).expect("tabs have names");
    assert!(tabs.len() > 3, "{tabs:?}");
    for tab in tabs {
        window.click_on(&tab, "main button, main a").await;
        let shown = "return document.querySelector('main [role=tabpanel]')?.childElementCount > 0";
        window.wait(shown, "the tab").await;
        check(&desktop, &window, &format!("settings-{}", tab.to_lowercase().replace(' ', "-")))
            .await;
    }
}

/// Waits for a dialog, looks at it and puts it away.
async fn check_dialog(desktop: &Desktop, window: &Window, title: &str, screen: &str) {
    let open = format!(
        "return document.querySelector('dialog[open] h2')?.textContent.includes('{title}')"
    );
    window.wait(&open, screen).await;
    check(desktop, window, screen).await;
    window.press(Key::Escape).await;
    window.wait("return !document.querySelector('dialog[open]')", "the dialog to go").await;
}

#[tokio::test]
async fn what_opens_over_a_room_is_for_everyone() {
    let stories = [
        ("book", writes("Write a small book", 3)),
        ("ask", vec![ask_user("Blue or green?", &["Blue", "Green"])]),
    ];
    let model = ScriptedModel::start(Script::by_room(stories)).await;
    let folder = TempWorkspace::new(&[]);
    let desktop = Desktop::start("access-over").await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    bring_axe(&window).await;
    window.room("Ask", &folder.path()).await;
    window.say("You may ask").await;
    window.wait_for_text("Blue or green?").await;
    window.room("Book", &folder.path()).await;
    window.say("Write the book").await;
    window.wait_for_state("done").await;
    window.say("/inbox").await;
    check_dialog(&desktop, &window, "Waiting for you", "inbox").await;
    window.say("/history").await;
    check_dialog(&desktop, &window, "Plans of this room", "history").await;
    window.say("/export").await;
    check_dialog(&desktop, &window, "Plan as Markdown", "export").await;
    window.say("/help").await;
    check_dialog(&desktop, &window, "Commands and keys", "help").await;
    for (choice, title) in [("Rename…", "Rename this room"), ("Delete…", "Delete")] {
        window.click("More for this room").await;
        window.click_on(choice, "[role=menuitem]").await;
        check_dialog(&desktop, &window, title, &title.to_lowercase().replace(' ', "-")).await;
    }
}

#[tokio::test]
async fn changing_drifting_and_drawing_a_plan_is_for_everyone() {
    let step = json!([
        { "description": "Write page 1", "tool": "write_file", "target": "page-1.md", "expected_outcome": "A page" },
    ]);
    let both = json!({ "mode": "parallel" });
    let stories = [
        ("approve", vec![submit_plan("One careful step", step, "Because you asked"), write(2)]),
        ("both", vec![plan_write_with("Two at once", json!(["part 1", "part 2"]), both)]),
        ("part 1", vec![held(1)]),
        ("part 2", vec![held(2)]),
    ];
    let model = ScriptedModel::start(Script::by_room(stories)).await;
    let folder = TempWorkspace::new(&[]);
    let desktop = Desktop::start("access-plans").await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    bring_axe(&window).await;
    window.room("Approve", &folder.path()).await;
    window.say("/plan").await;
    window.say("Let me approve").await;
    window.wait_for_state("awaiting_approval").await;
    window.click("Change…").await;
    window.wait("return document.querySelector('form.editor')", "the editor").await;
    check(&desktop, &window, "editor").await;
    window.press(Key::Escape).await;
    window.click("Approve").await;
    window.wait_for_text("Add to the plan").await;
    check(&desktop, &window, "drift").await;

    window.room("Both", &folder.path()).await;
    window.say("Do both").await;
    window.wait_for_card(|card| card.glyphs == "▶▶", "both steps").await;
    window.click_on("Graph", "label").await;
    window.wait("return document.querySelector('[aria-label=\"Task graph\"]')", "a graph").await;
    check(&desktop, &window, "graph").await;
    let open = "return document.querySelector('[aria-label^=\"Open \"]')";
    window.wait(open, "a sidekick to open").await;
    window.run("document.querySelector('[aria-label^=\"Open \"]').click()", vec![]).await;
    window.wait_for_text("part").await;
    check(&desktop, &window, "sidekick").await;
}
