//! Plan mode, approval and drift with the keyboard alone: no mouse from the first message on.

use desktop::{Desktop, Key, Window};
use serde_json::{Value, json};
use support::{Reply, ScriptedModel, TempWorkspace, plan_write_with, step_done};

/// A plan for two pages.
fn plan() -> Reply {
    plan_of(2)
}

fn plan_of(pages: u32) -> Reply {
    let step = |page: u32| {
        let text = format!("Write page {page}");
        json!({ "text": text, "tool": "write_file", "target": format!("page-{page}.md") })
    };
    let steps: Vec<Value> = (1..=pages).map(step).collect();
    plan_write_with("Two pages", json!(steps), json!({}))
}

fn write(page: &str) -> Reply {
    Reply::call("write_file", json!({ "path": page, "content": format!("This is {page}.\n") }))
}

/// A room in which this agent works, with the focus in the message box; the room's id.
async fn open(
    desktop: &Desktop,
    model: &ScriptedModel,
    folder: &TempWorkspace,
) -> (Window, String) {
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    let room = window.room("Pages", &folder.path()).await;
    window.go_to("composer").await;
    (window, room)
}

/// Types a message and sends it.
async fn say(window: &Window, words: &str) {
    window.type_in(words).await;
    window.chord(&[], Key::Enter).await;
}

async fn mode(window: &Window) -> String {
    let on =
        "return document.querySelector('fieldset[aria-label=\"Plan mode\"] input:checked')?.value";
    window.run(on, vec![]).await.as_str().unwrap_or_default().to_owned()
}

async fn wait_for_mode(window: &Window, mode: &str) {
    let on = "fieldset[aria-label=\"Plan mode\"] input:checked";
    let script = format!("return document.querySelector('{on}')?.value === '{mode}'");
    window.wait(&script, &format!("plan mode {mode}")).await;
}

/// Whether Approve does nothing now.
async fn is_inert(window: &Window) -> bool {
    let script = "return document.activeElement?.getAttribute('aria-disabled') === 'true'";
    window.run(script, vec![]).await == json!(true)
}

/// Goes to the Approve button, and presses Enter once it could have been read.
async fn approve(window: &Window) {
    window.go_to("asks").await;
    window.tab_to("Approve", false).await;
    let ready = "return document.activeElement?.getAttribute('aria-disabled') !== 'true'";
    window.wait(ready, "Approve to be ready").await;
    window.chord(&[], Key::Enter).await;
}

#[tokio::test]
async fn the_mode_is_switched_and_a_plan_approved_with_keys() {
    let replies = vec![
        plan(),
        write("page-1.md"),
        step_done("s1", "Written"),
        write("page-2.md"),
        step_done("s2", "Written"),
        Reply::text("Both are written."),
    ];
    let model = ScriptedModel::start(replies).await;
    let folder = TempWorkspace::new(&[]);
    let desktop = Desktop::start("approve").await;
    let (window, room) = open(&desktop, &model, &folder).await;
    assert_eq!(mode(&window).await, "off");

    // The switch in the header, with the arrow keys; then back and forth by a command.
    window.tab_to("Plan off", true).await;
    window.chord(&[], Key::Right).await;
    wait_for_mode(&window, "soft").await;
    window.chord(&[], Key::Right).await;
    wait_for_mode(&window, "strict").await;
    assert_eq!(window.focused().await, "Strict");
    window.picture(&desktop, "switched").await;
    window.go_to("composer").await;
    say(&window, "/plan off").await;
    wait_for_mode(&window, "off").await;
    say(&window, "/plan").await;
    wait_for_mode(&window, "strict").await;

    say(&window, "Write two pages").await;
    window.wait_for_state("awaiting_approval").await;
    assert_eq!(window.focused().await, composer(&window).await, "the focus stays where one types");
    // Enter in the message box approves nothing.
    window.chord(&[], Key::Enter).await;
    window.go_to("asks").await;
    window.chord(&[], Key::Enter).await;
    window.tab_to("Approve", false).await;
    window.picture(&desktop, "waiting").await;

    // Enter on the button does nothing while a revision is new. One that comes while the button
    // has the focus is the worst moment.
    for revision in 1.. {
        let care = format!("with care, {revision}");
        let text = format!("Write page 2 {care}");
        let edit = json!([{ "op": "set", "step": "s2", "text": text }]);
        edit_behind(&window, &room, revision, edit).await;
        window.wait_for_text(&care).await;
        let early = is_inert(&window).await;
        window.chord(&[], Key::Enter).await;
        let card = window.wait_for_state("awaiting_approval").await;
        assert_eq!(card.glyphs, "○○", "the press was taken");
        // On a busy machine the press may come when the time is over; then it is tried again.
        if early && is_inert(&window).await {
            break;
        }
        window.tab_to("Approve", false).await;
    }
    desktop.picture("inert");
    assert!(!folder.has("page-1.md"), "nothing began");

    let ready = "return document.activeElement?.getAttribute('aria-disabled') !== 'true'";
    window.wait(ready, "Approve to be ready").await;
    assert_eq!(window.focused().await, "Approve");
    window.chord(&[], Key::Enter).await;
    let card = window.wait_for_state("done").await;
    assert_eq!(card.glyphs, "✓✓");
    assert!(folder.has("page-1.md") && folder.has("page-2.md"));
    window.picture(&desktop, "done").await;
}

/// Another surface edits the plan while the window shows it.
async fn edit_behind(window: &Window, room: &str, revision: u32, edits: Value) {
    let args = json!({ "room": room, "revision": revision, "edits": edits, "reason": null });
    window.invoke("edit", args).await.expect("the plan can be edited");
}

async fn composer(window: &Window) -> String {
    let name = "return document.querySelector('[data-region=composer]').getAttribute('aria-label')";
    window.run(name, vec![]).await.as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_plan_is_changed_with_keys_and_what_was_changed_is_approved() {
    let replies = vec![
        plan(),
        write("page-2.md"),
        step_done("s2", "Written"),
        write("cover.md"),
        step_done("s1", "Written"),
        Reply::text("Done."),
    ];
    let model = ScriptedModel::start(replies).await;
    let folder = TempWorkspace::new(&[]);
    let desktop = Desktop::start("approve-change").await;
    let (window, _) = open(&desktop, &model, &folder).await;
    say(&window, "/plan").await;
    wait_for_mode(&window, "strict").await;
    say(&window, "Write two pages").await;
    window.wait_for_state("awaiting_approval").await;

    window.go_to("asks").await;
    window.type_in("m").await;
    let editor = "return document.activeElement?.getAttribute('aria-label') === 'Step 1'";
    window.wait(editor, "the editor, with the focus on the first step").await;
    window.chord(&[], Key::End).await;
    window.type_in(" as a cover").await;
    window.chord(&[], Key::Tab).await;
    window.chord(&[], Key::Tab).await;
    assert_eq!(window.focused().await, "File or command of step 1");
    window.chord(&[Key::Control], Key::Home).await;
    window.chord(&[Key::Shift], Key::End).await;
    window.type_in("cover.md").await;
    window.picture(&desktop, "changing").await;
    // The first step goes below the second one.
    window.tab_to("Step 1", true).await;
    window.chord(&[Key::Alt], Key::Down).await;
    window
        .wait("return document.activeElement?.getAttribute('aria-label') === 'Step 2'", "the move")
        .await;
    window.picture(&desktop, "moved").await;
    window.chord(&[Key::Control], Key::Enter).await;
    window.wait_for_text("as a cover").await;
    let card = window.wait_for_state("awaiting_approval").await;
    assert_eq!(card.glyphs, "○○");
    window.picture(&desktop, "revision-2").await;

    approve(&window).await;
    window.wait_for_state("done").await;
    assert!(folder.has("cover.md") && folder.has("page-2.md") && !folder.has("page-1.md"));
    window.picture(&desktop, "done").await;
}

#[tokio::test]
async fn a_plan_is_rejected_with_keys_and_a_note_and_the_agent_stays_blocked() {
    let replies = vec![plan(), write("page-1.md"), Reply::text("I may not."), plan_of(3)];
    let model = ScriptedModel::start(replies).await;
    let folder = TempWorkspace::new(&[]);
    let desktop = Desktop::start("approve-reject").await;
    let (window, _) = open(&desktop, &model, &folder).await;
    say(&window, "/plan").await;
    wait_for_mode(&window, "strict").await;
    say(&window, "Write two pages").await;
    window.wait_for_state("awaiting_approval").await;

    window.go_to("asks").await;
    window.chord(&[], Key::Escape).await;
    let field = "return document.activeElement?.getAttribute('aria-label') === 'Why not? The agent reads this'";
    window.wait(field, "the field for the note").await;
    // One step back and here again: nothing was said yet.
    window.chord(&[], Key::Escape).await;
    window.wait_for_state("awaiting_approval").await;
    window.chord(&[], Key::Escape).await;
    window.wait(field, "the field for the note").await;
    window.type_in("Three pages, please").await;
    window.picture(&desktop, "note").await;
    window.chord(&[], Key::Enter).await;
    window.wait_for_text("I may not.").await;
    let told = model.request(1).await.tool_results().pop().expect("the call is answered");
    assert_eq!(told, r#"{"approved":false,"reason":"Three pages, please"}"#);
    let blocked = model.request(2).await.tool_results().pop().expect("the call is answered");
    assert!(blocked.contains("NOT_APPROVED"), "{blocked}");
    assert!(!folder.has("page-1.md"));
    window.wait_for_state("draft").await;
    window.picture(&desktop, "rejected").await;

    window.go_to("composer").await;
    say(&window, "Go on").await;
    window.wait_for_state("awaiting_approval").await;
    assert!(!folder.has("page-1.md"));
    window.picture(&desktop, "revision-2").await;
}

/// An approved plan whose agent goes on with these calls.
async fn approved(desktop: &Desktop, model: &ScriptedModel, folder: &TempWorkspace) -> Window {
    let (window, _) = open(desktop, model, folder).await;
    say(&window, "/plan").await;
    wait_for_mode(&window, "strict").await;
    say(&window, "Write two pages").await;
    window.wait_for_state("awaiting_approval").await;
    approve(&window).await;
    window
}

#[tokio::test]
async fn a_drift_is_allowed_added_and_refused_with_keys() {
    let replies = vec![
        plan(),
        write("once.md"),
        write("added.md"),
        write("refused.md"),
        write("page-1.md"),
        step_done("s1", "Written"),
        write("page-2.md"),
        step_done("s2", "Written"),
        Reply::text("Done."),
    ];
    let model = ScriptedModel::start(replies).await;
    let folder = TempWorkspace::new(&[]);
    let desktop = Desktop::start("approve-drift").await;
    let window = approved(&desktop, &model, &folder).await;

    drifted(&window, &folder, "once.md").await;
    window.picture(&desktop, "once").await;
    window.go_to("asks").await;
    window.tab_to("Allow once", false).await;
    ready(&window).await;
    window.chord(&[], Key::Enter).await;

    drifted(&window, &folder, "added.md").await;
    assert!(folder.has("once.md"));
    window.go_to("asks").await;
    window.tab_to("Allow once", false).await;
    ready(&window).await;
    window.picture(&desktop, "add").await;
    window.type_in("a").await;

    drifted(&window, &folder, "refused.md").await;
    assert!(folder.has("added.md"));
    window.go_to("asks").await;
    window.chord(&[], Key::Escape).await;
    noting(&window).await;
    window.type_in("Leave that one alone").await;
    window.picture(&desktop, "refuse").await;
    window.chord(&[], Key::Enter).await;

    window.wait_for_state("done").await;
    window.picture(&desktop, "done").await;
    let told = model.request(4).await.tool_results().pop().expect("the call is answered");
    assert_eq!(told, "The person refused this call: Leave that one alone");
    let written: Vec<String> = folder.files().into_iter().map(|(path, _)| path).collect();
    assert_eq!(written, ["added.md", "once.md", "page-1.md", "page-2.md"]);
}

#[tokio::test]
async fn refuse_and_stop_is_two_tabs_away_from_the_note() {
    let replies = vec![plan(), write("stopped.md"), Reply::text("Never asked.")];
    let model = ScriptedModel::start(replies).await;
    let folder = TempWorkspace::new(&[]);
    let desktop = Desktop::start("approve-stop").await;
    let window = approved(&desktop, &model, &folder).await;
    drifted(&window, &folder, "stopped.md").await;
    window.go_to("asks").await;
    window.chord(&[], Key::Escape).await;
    noting(&window).await;
    window.type_in("Stop here").await;
    for name in ["Refuse and continue", "Refuse and stop"] {
        window.chord(&[], Key::Tab).await;
        assert_eq!(window.focused().await, name);
    }
    window.picture(&desktop, "stop").await;
    window.chord(&[], Key::Enter).await;
    window
        .wait_for_card(|card| card.pill == "Paused: by you", "the plan to be paused by the person")
        .await;
    window.picture(&desktop, "stopped").await;
    assert_eq!(folder.files(), []);
    assert_eq!(model.requests().len(), 2, "nobody was asked to go on");
}

/// Waits for the question about a file, which is not there.
async fn drifted(window: &Window, folder: &TempWorkspace, page: &str) {
    let asked = format!(
        "return document.querySelector('[data-region=asks]')?.textContent.includes('{page}')"
    );
    window.wait(&asked, &format!("a question about {page}")).await;
    assert!(!folder.has(page), "{page} waits for the answer");
}

async fn ready(window: &Window) {
    let ready = "return document.activeElement?.getAttribute('aria-disabled') !== 'true'";
    window.wait(ready, "the answer to be ready").await;
}

async fn noting(window: &Window) {
    let field = "return document.activeElement?.getAttribute('aria-label') === 'Tell the agent what to do instead'";
    window.wait(field, "the field for the note").await;
}
