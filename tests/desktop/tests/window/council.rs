//! A council in the window: proposals side by side, votes with reasons, a person's own part, and
//! the plan that comes of it.

use desktop::{Desktop, Key, Window};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::{Recorded, Reply, Script, ScriptedModel, TempWorkspace, step_done, wait_for};

const TASK: &str = "Create a project structure";
const TITLES: [&str; 3] = ["Plain folders", "Installable package", "Package with a docs site"];

/// The number of the member that asks, by its model.
fn number(request: &Recorded) -> usize {
    request.model().trim_start_matches('m').parse().unwrap_or_default()
}

/// Whether a council's member asks, and not the winner who executes.
fn is_member(request: &Recorded) -> bool {
    request.tool_names().contains(&"new_answer")
}

/// Whether the member that asks has answered before.
fn has_answered(request: &Recorded) -> bool {
    request.messages().iter().any(|message| {
        message["role"] == "assistant" && message["tool_calls"].to_string().contains("new_answer")
    })
}

fn answer(member: usize) -> Reply {
    let title = TITLES[(member + 2) % 3];
    let steps = json!([{ "text": "Write the README", "tool": "write_file", "target": "README.md" },
        { "text": "Look whether it is there" }]);
    let content = format!("{title} by member {member}\n\nIt is small, and it can be undone.");
    Reply::call("new_answer", json!({ "content": content, "steps": steps }))
}

/// All vote so that the second member's vote decides; that one is held.
fn vote(member: usize) -> Reply {
    let choice = match member {
        8 => 1,
        1 | 2 | 4 | 6 => 2,
        _ => 3,
    };
    let reason = format!("Member {member} finds agent{choice} the smallest.");
    let vote = json!({ "agent_id": format!("agent{choice}"), "reason": reason });
    let reply = Reply::call("vote", vote);
    if member == 2 { reply.hold_after(1) } else { reply }
}

/// What members do, and then the winner, request after request.
fn council() -> Script {
    let acted = AtomicUsize::new(0);
    Script::from_fn(move |request| match number(request) {
        member if is_member(request) && has_answered(request) => vote(member),
        member if is_member(request) => answer(member),
        _ => match acted.fetch_add(1, Ordering::SeqCst) {
            0 => Reply::call("write_file", json!({ "path": "README.md", "content": "Atlas\n" })),
            1 => step_done("s1", "Written"),
            2 => step_done("s2", "It is there"),
            _ => Reply::text("The structure is there."),
        },
    })
}

/// A configuration with so many agents, each with a model of its own.
fn agents(base_url: &str, count: usize) -> String {
    let agents: Vec<String> =
        (1..=count).map(|n| format!("  a{n}: {{ model: test/m{n} }}")).collect();
    format!(
        "providers:\n  test: {{ type: openai, base_url: \"{base_url}\" }}\nagents:\n{}\n\
         ui: {{ first_run_done: true }}\n",
        agents.join("\n")
    )
}

/// A window with so many agents, in a room that insists on a plan.
async fn open(
    desktop: &Desktop,
    model: &ScriptedModel,
    members: usize,
    at: &TempWorkspace,
) -> Window {
    desktop.home.configure(&agents(&model.base_url(), members));
    let window = desktop.open(&[]).await;
    window.room("Structure", &at.path()).await;
    window.click_on("Strict", "label").await;
    window
}

/// Starts a council of all agents, as a person does.
async fn start(window: &Window, members: usize) {
    window.say(&format!("/council {TASK}")).await;
    let boxes = format!(
        "return document.querySelectorAll('dialog input[type=checkbox]').length === {members}"
    );
    window.wait(&boxes, "the agents that can sit there").await;
    // Five are chosen where nobody says otherwise.
    for member in 6..=members {
        choose(window, &format!("a{member}")).await;
    }
    window.wait_for_text(&format!("{members} members × ")).await;
    window.click("Start").await;
}

/// Chooses what has this value in the dialog in front.
async fn choose(window: &Window, value: &str) {
    let box_of = format!("document.querySelector('dialog[open] input[value=\"{value}\"]')");
    window.wait(&format!("return !!{box_of}"), &format!("{value} to choose")).await;
    window.run(&format!("{box_of}.click()"), vec![]).await;
}

/// Waits until only the held vote is missing.
async fn wait_for_votes(window: &Window, members: usize) {
    let cast = format!(
        "return document.querySelector('section[aria-label=Council] [role=status]')?.textContent\
         .includes('{} of {members} votes')",
        members - 1
    );
    window.wait(&cast, "all votes but one").await;
}

/// Pictures in both themes and in a small window.
async fn pictures(desktop: &Desktop, window: &Window, name: &str) {
    for theme in ["light", "dark"] {
        let set = "document.documentElement.dataset.theme = arguments[0]";
        window.run(set, vec![json!(theme)]).await;
        window.picture(desktop, &format!("{name}-{theme}")).await;
    }
    window.run("document.documentElement.dataset.theme = 'light'", vec![]).await;
    window.resize(1024, 700).await;
    window.wait(&within_window("section[aria-label=Council]"), "the card inside the window").await;
    window.picture(desktop, &format!("{name}-narrow")).await;
    window.run("document.documentElement.dataset.theme = 'dark'", vec![]).await;
    window.picture(desktop, &format!("{name}-narrow-dark")).await;
    window.run("document.documentElement.dataset.theme = 'light'", vec![]).await;
    window.click_on("Votes", "label").await;
    window.wait("return !!document.querySelector('table caption')", "the votes").await;
    window.picture(desktop, &format!("{name}-votes-narrow")).await;
    window.resize(1360, 860).await;
}

/// Whether an element lies in the window and leaves the message box free.
fn within_window(css: &str) -> String {
    format!(
        "const card = document.querySelector('{css}')?.getBoundingClientRect(); \
         const box = document.querySelector('[data-region=composer]')?.getBoundingClientRect(); \
         return !!card && !!box && card.left >= 0 && card.right <= innerWidth && \
         card.bottom <= box.top"
    )
}

/// No step or headline of a proposal is wider than its column.
const NOTHING_CUT: &str = "return [...document.querySelectorAll('[data-member] :is(h3, h4, li, p)')]\
    .every((one) => one.scrollWidth <= one.clientWidth + 1)";

/// A council of so many, up to the last vote.
async fn talks(name: &str, members: usize) {
    let model = ScriptedModel::start(council()).await;
    let folder = TempWorkspace::new(&[]);
    let desktop = Desktop::start(name).await;
    let window = open(&desktop, &model, members, &folder).await;
    start(&window, members).await;
    wait_for_votes(&window, members).await;
    let columns = format!("return document.querySelectorAll('[data-member]').length === {members}");
    window.wait(&columns, "a column for each member").await;
    window.wait(NOTHING_CUT, "every proposal to be readable in its column").await;
    pictures(&desktop, &window, name).await;
    model.release();
    window.wait_for_text("Waiting for your approval").await;
    window.wait_for_text(&format!("of {members} votes.")).await;
}

#[tokio::test]
async fn a_council_of_two_is_shown_side_by_side() {
    talks("council-two", 2).await;
}

#[tokio::test]
async fn a_council_of_five_is_readable() {
    talks("council-five", 5).await;
}

#[tokio::test]
async fn a_council_of_eight_is_usable() {
    talks("council-eight", 8).await;
}

#[tokio::test]
async fn three_members_vote_and_the_winner_executes_once_you_approve() {
    let model = ScriptedModel::start(council()).await;
    let folder = TempWorkspace::new(&[]);
    let desktop = Desktop::start("council").await;
    let window = open(&desktop, &model, 3, &folder).await;
    start(&window, 3).await;
    wait_for_votes(&window, 3).await;
    window.wait_for_text("agent3 prefers agent3.1 to agent2.1").await;
    window.wait_for_text("Member 1 finds agent2 the smallest.").await;
    pictures(&desktop, &window, "council-three").await;
    assert!(!folder.path().join("README.md").exists(), "nothing is changed while they talk");

    // Two answers beside each other.
    window.click("Compare agent2.1").await;
    window.wait_for_text("differ").await;
    window.picture(&desktop, "council-compare").await;
    window.press(Key::Escape).await;

    model.release();
    window.wait_for_text("agent2 (a2) won 2 of 3 votes.").await;
    window.wait_for_text("agent3 (a3) objected:").await;
    window.picture(&desktop, "council-decided").await;
    assert!(!folder.path().join("README.md").exists(), "nothing is changed before approval");
    window.click("All votes").await;
    window.wait("return !!document.querySelector('[data-council]')", "the votes beside").await;
    window.picture(&desktop, "council-inspector").await;

    window.click("Approve").await;
    window.wait_for_state("done").await;
    assert_eq!(folder.read("README.md"), "Atlas\n");
    let acted = model.requests().into_iter().filter(|one| !is_member(one));
    let models: Vec<String> = acted.map(|one| one.model().to_owned()).collect();
    assert!(models.iter().all(|model| model == "m2"), "only the winner acts: {models:?}");
}

#[tokio::test]
async fn a_person_votes_and_picks_with_the_keyboard() {
    let model = ScriptedModel::start(council()).await;
    let folder = TempWorkspace::new(&[]);
    let desktop = Desktop::start("council-keys").await;
    let window = open(&desktop, &model, 3, &folder).await;
    start(&window, 3).await;
    wait_for_votes(&window, 3).await;

    window.go_to("card").await;
    window.type_in("v").await;
    choose(&window, "agent1").await;
    window.fill("Reason", "It is plain").await;
    window.click("Vote").await;
    window.wait_for_text("It is plain").await;

    // A pick overrides the vote, and says so.
    window.go_to("card").await;
    window.type_in("w").await;
    choose(&window, "agent1").await;
    window.wait_for_text("Your pick overrides").await;
    window.picture(&desktop, "council-pick").await;
    window.click("Pick agent1").await;
    window.wait_for_text("Waiting for your approval").await;
    window.wait_for_text("You decided.").await;
    let hung_up = async || model.disconnects() > 0;
    wait_for(hung_up, "the member that was about to vote to be let go").await;
}

#[tokio::test]
async fn answer_now_takes_what_is_there_with_one_key() {
    let model = ScriptedModel::start(council()).await;
    let folder = TempWorkspace::new(&[]);
    let desktop = Desktop::start("council-now").await;
    let window = open(&desktop, &model, 3, &folder).await;
    start(&window, 3).await;
    wait_for_votes(&window, 3).await;
    window.go_to("card").await;
    window.type_in("a").await;
    window.wait_for_text("Waiting for your approval").await;
    // One vote for each of two, and the first in order wins a tie.
    window.wait_for_text("agent2 (a2) won").await;
    assert!(!folder.path().join("README.md").exists(), "nothing is changed before approval");
}

#[tokio::test]
async fn too_few_agents_lead_to_the_settings_of_agents() {
    let model = ScriptedModel::start(council()).await;
    let folder = TempWorkspace::new(&[]);
    let desktop = Desktop::start("council-alone").await;
    let window = open(&desktop, &model, 1, &folder).await;
    window.click("Start a council…").await;
    window.wait_for_text("A council needs two agents or more.").await;
    window.picture(&desktop, "council-alone").await;
    window.click("Settings → Agents").await;
    let agents = "return document.querySelector('[role=tab][aria-selected=true]')?.textContent\
         .trim() === 'Agents'";
    window.wait(agents, "the settings of agents").await;
}
