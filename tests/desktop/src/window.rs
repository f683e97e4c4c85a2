//! A hand on the window: it clicks, types and reads as a person does, by what things are called.

use crate::card::{Card, READ};
use crate::processes::{Process, processes};
use crate::session::Desktop;
use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::elements::Element;
use fantoccini::error::CmdError;
use fantoccini::key::Key;
use fantoccini::wd::Capabilities;
use fantoccini::{Client, ClientBuilder};
use serde_json::{Value, json};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;
use support::{program, wait_for, wait_for_some};

/// The longest a single word with the window may take; only a hang takes as long.
const ANSWER: Duration = Duration::from_secs(60);

/// Finds what can be used and is called so: a button, a link, a field, a line of a list.
const BY_NAME: &str = r#"
const [wanted, kinds] = arguments
const words = (node) => node.nodeType === 3 ? node.textContent
  : node.ariaHidden === 'true' ? '' : [...node.childNodes].map(words).join('')
const name = (node) => (node.getAttribute('aria-label') ?? node.getAttribute('placeholder') ?? words(node))
  .replace(/\s+/g, ' ').trim()
const seen = (node) => node.checkVisibility() && !node.disabled && !node.closest('[inert]')
// What is in front counts first.
const front = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document
return [...front.querySelectorAll(kinds)].find((node) => seen(node) && name(node) === wanted) ?? null
"#;

/// The name of what has the focus, as it is told to people who hear the window.
const FOCUSED: &str = r#"
const at = document.activeElement
const words = (node) => node.nodeType === 3 ? node.textContent
  : node.ariaHidden === 'true' ? '' : [...node.childNodes].map(words).join('')
const label = at?.labels?.[0]
return (at?.getAttribute('aria-label') ?? (label ? words(label) : words(at ?? document.body)))
  .replace(/\s+/g, ' ').trim().slice(0, 80)
"#;

/// Whether the window is as it stays, and painted so: no button is inert any more because it is
/// new, and nothing moves but what moves for ever.
const SETTLED: &str = r#"
const seen = (button) => button.checkVisibility()
const moves = (animation) => animation.playState === 'running'
  && animation.effect?.getComputedTiming().endTime !== Infinity
const inert = [...document.querySelectorAll('button[aria-disabled="true"]')].some(seen)
if (inert || document.getAnimations().some(moves)) return false
if (window.painted === undefined) {
  window.painted = false
  requestAnimationFrame(() => requestAnimationFrame(() => (window.painted = true)))
}
return window.painted
"#;

/// More presses of Tab or F6 than lead anywhere in this window.
const MOST_TABS: usize = 60;
const MOST_PARTS: usize = 8;

/// More than a window manager draws around a window.
const FRAME: u32 = 40;

/// The app under a driver.
pub struct Window {
    client: Client,
    group: u32,
}

impl Window {
    pub(crate) async fn open(desktop: &Desktop, args: &[&str]) -> Self {
        let window = Self::connect(desktop, args).await;
        // Shown, too: nothing has a place on the screen before.
        let there = "return !document.hidden \
                     && document.querySelector('main:not([aria-busy=true])') !== null";
        window.wait(there, "the page").await;
        window
    }

    pub(crate) async fn connect(desktop: &Desktop, args: &[&str]) -> Self {
        let port = free_port();
        let mut driver = desktop.command("WebKitWebDriver");
        driver.arg(format!("--port={port}")).env("TAURI_WEBVIEW_AUTOMATION", "true");
        let group = desktop.spawn("app", &mut driver);
        let listens = async || TcpStream::connect(("127.0.0.1", port)).is_ok();
        wait_for(listens, "the driver").await;
        let mut wanted = Capabilities::new();
        let app = json!({ "binary": program("plancard-window"), "args": args });
        wanted.insert("webkitgtk:browserOptions".to_owned(), app);
        let http = hyper_util::client::legacy::connect::HttpConnector::new();
        let mut builder = ClientBuilder::new(http);
        let address = format!("http://127.0.0.1:{port}");
        let connecting = builder.capabilities(wanted);
        let connecting = connecting.connect(&address);
        let client = tokio::time::timeout(ANSWER, connecting).await;
        let client = match client {
            Ok(Ok(client)) => client,
            Ok(Err(error)) => panic!("no session: {error}\n{}", desktop.log("app")),
            Err(_) => panic!("the window does not answer\n{}", desktop.log("app")),
        };
        Self { client, group }
    }

    /// Runs a script in the page.
    pub async fn run(&self, script: &str, args: Vec<Value>) -> Value {
        match self.try_run(script, args).await {
            Ok(value) => value,
            Err(error) => panic!("the page fails: {error}"),
        }
    }

    /// Runs a script in the page, which may be gone.
    pub async fn try_run(&self, script: &str, args: Vec<Value>) -> Result<Value, String> {
        answered(self.client.execute(script, args)).await
    }

    /// Calls a command as the page would; what it answers, or the refusal.
    pub async fn invoke(&self, command: &str, args: Value) -> Result<Value, Value> {
        // The driver's own way to wait for a promise does not get along with frozen prototypes.
        let script = r"
            const [command, args] = arguments
            delete window.answered
            window.__TAURI_INTERNALS__.invoke(command, args).then(
              (answer) => (window.answered = { Ok: answer ?? null }),
              (refusal) => (window.answered = { Err: refusal }),
            )
        ";
        self.run(script, vec![json!(command), args]).await;
        let answer = self.wait("return window.answered", &format!("an answer to {command}")).await;
        serde_json::from_value(answer).expect("it is one or the other")
    }

    /// Makes a room in a folder and goes there; its id.
    pub async fn room(&self, title: &str, folder: &Path) -> String {
        let room = json!({ "title": title, "workspace": folder, "plan_mode": "off" });
        let made = self.invoke("create_room", json!({ "room": room })).await;
        let made = made.expect("a room can be made");
        self.enter(title).await;
        made["id"].as_str().expect("a room has an id").to_owned()
    }

    /// Opens a room by its place in the rail.
    pub async fn enter(&self, title: &str) {
        let click = async || {
            let script = "return [...document.querySelectorAll('nav [title]')]\
                .find((row) => row.title === arguments[0]) ?? null";
            let row = self.element_of(script, vec![json!(title)]).await?;
            answered(row.click()).await.ok()
        };
        wait_for_some(click, &format!("the room {title:?} in the rail")).await;
        let open = format!(
            "return document.querySelector('main h1')?.textContent.trim() === {}",
            json!(title)
        );
        self.wait(&open, &format!("the room {title:?} to open")).await;
    }

    /// Waits until a script gives something that is not null, false or empty.
    pub async fn wait(&self, script: &str, what: &str) -> Value {
        let there = |value: &Value| match value {
            Value::Null | Value::Bool(false) => false,
            Value::String(text) => !text.is_empty(),
            Value::Array(list) => !list.is_empty(),
            Value::Bool(true) | Value::Number(_) | Value::Object(_) => true,
        };
        let probe = async || self.try_run(script, vec![]).await.ok().filter(there);
        wait_for_some(probe, what).await
    }

    /// Everything the window says.
    pub async fn text(&self) -> String {
        let text = self.run("return document.body.innerText", vec![]).await;
        text.as_str().unwrap_or_default().to_owned()
    }

    /// Waits until the window says this somewhere.
    pub async fn wait_for_text(&self, words: &str) {
        let probe = async || {
            let text = self.try_run("return document.body.innerText", vec![]).await;
            text.is_ok_and(|text| text.as_str().is_some_and(|text| text.contains(words)))
        };
        wait_for(probe, &format!("the window to say {words:?}")).await;
    }

    /// Clicks a button by its name once it can be.
    pub async fn click(&self, name: &str) {
        self.click_on(name, "button, a, [role=option], [role=menuitem], summary, label").await;
    }

    /// Clicks the first of these kinds with that name once it can be.
    pub async fn click_on(&self, name: &str, kinds: &str) {
        let click = async || {
            let element = self.find(name, kinds).await?;
            // What asks is inert until it could have been read.
            let inert = answered(element.attr("aria-disabled")).await.ok()?;
            if inert.as_deref() == Some("true") {
                return None;
            }
            // It may have moved or gone since it was found: then it is looked for again.
            answered(element.click()).await.ok()
        };
        wait_for_some(click, &format!("{name:?} to be clicked")).await;
    }

    /// Writes into a field by its name, in place of what it holds.
    pub async fn fill(&self, name: &str, words: &str) {
        let fill = async || {
            let field = self.find(name, "input, textarea").await?;
            answered(field.clear()).await.ok()?;
            answered(field.send_keys(words)).await.ok()
        };
        wait_for_some(fill, &format!("the field {name:?}")).await;
    }

    /// Types a message and sends it.
    pub async fn say(&self, words: &str) {
        let composer = self.element("textarea[data-region=composer]").await;
        self.must(composer.send_keys(words)).await;
        self.must(composer.send_keys(&char::from(Key::Enter).to_string())).await;
    }

    /// Presses a key wherever the focus is.
    pub async fn press(&self, key: Key) {
        let focused = self.must(self.client.active_element()).await;
        self.must(focused.send_keys(&char::from(key).to_string())).await;
    }

    /// Presses a key wherever the focus is, while others are held.
    pub async fn chord(&self, held: &[Key], key: Key) {
        let held: Vec<char> = held.iter().copied().map(char::from).collect();
        let mut keys = KeyActions::new("keys".to_owned());
        for value in held.iter().copied().chain([char::from(key)]) {
            keys = keys.then(KeyAction::Down { value });
        }
        for value in [char::from(key)].into_iter().chain(held.into_iter().rev()) {
            keys = keys.then(KeyAction::Up { value });
        }
        self.must(self.client.perform_actions(keys)).await;
    }

    /// Types words wherever the focus is.
    pub async fn type_in(&self, words: &str) {
        let mut keys = KeyActions::new("keys".to_owned());
        for value in words.chars() {
            keys = keys.then(KeyAction::Down { value }).then(KeyAction::Up { value });
        }
        self.must(self.client.perform_actions(keys)).await;
    }

    /// What has the focus, by its name.
    pub async fn focused(&self) -> String {
        let name = self.run(FOCUSED, vec![]).await;
        name.as_str().unwrap_or_default().to_owned()
    }

    /// Presses Tab until what is called so has the focus; `back` with Shift.
    pub async fn tab_to(&self, name: &str, back: bool) {
        let held: &[Key] = if back { &[Key::Shift] } else { &[] };
        let mut passed = Vec::new();
        while passed.len() < MOST_TABS {
            let at = self.focused().await;
            if at == name {
                return;
            }
            passed.push(at);
            self.chord(held, Key::Tab).await;
        }
        panic!("Tab does not lead to {name:?}, only to {passed:?}");
    }

    /// Presses F6 until that part of the window has the focus.
    pub async fn go_to(&self, part: &str) {
        let at = "return document.activeElement?.closest('[data-region]')?.dataset.region ?? ''";
        let mut passed = Vec::new();
        while passed.len() < MOST_PARTS {
            self.chord(&[], Key::F6).await;
            let at = self.run(at, vec![]).await;
            if at == part {
                return;
            }
            passed.push(at);
        }
        panic!("F6 does not lead to {part:?}, only to {passed:?}");
    }

    /// The first element that a selector names, once it is there.
    pub async fn element(&self, css: &str) -> Element {
        let find = async || answered(self.client.find(fantoccini::Locator::Css(css))).await.ok();
        wait_for_some(find, css).await
    }

    /// The card, if there is one.
    pub async fn card(&self) -> Option<Card> {
        let read = self.try_run(READ, vec![]).await.ok()?;
        serde_json::from_value(read).ok()
    }

    /// Waits until the card is like this.
    pub async fn wait_for_card(&self, like: impl Fn(&Card) -> bool, what: &str) -> Card {
        let mut last = None;
        let probe = async || {
            last = self.card().await;
            last.clone().filter(|card| like(card))
        };
        wait_for_some(probe, what).await
    }

    /// Waits until the plan is in this state.
    pub async fn wait_for_state(&self, state: &str) -> Card {
        self.wait_for_card(|card| card.state == state, &format!("a plan that is {state}")).await
    }

    /// Waits until what asks can be answered and what moves has come to rest.
    pub async fn settled(&self) {
        self.run("delete window.painted", vec![]).await;
        self.wait(SETTLED, "the window to settle").await;
    }

    /// A picture of the screen once the window has settled.
    pub async fn picture(&self, desktop: &Desktop, name: &str) -> PathBuf {
        self.settled().await;
        desktop.picture(name)
    }

    /// Changes the size of the window's inside.
    pub async fn resize(&self, width: u32, height: u32) {
        self.must(self.client.set_window_size(width, height)).await;
        // Larger as well as smaller; what the window manager draws around it may count.
        let near = |name: &str, size: u32| {
            format!("{name} <= {size} && {name} > {}", size.saturating_sub(FRAME))
        };
        let (wide, high) = (near("innerWidth", width), near("innerHeight", height));
        self.wait(&format!("return {wide} && {high}"), "the window's new size").await;
    }

    /// Loads the page anew.
    pub async fn reload(&self) {
        self.must(self.client.refresh()).await;
    }

    /// The app's own process.
    pub fn app(&self) -> Option<Process> {
        processes(self.group).into_iter().find(|process| process.name == "plancard-window")
    }

    /// The process that draws the page.
    pub fn renderer(&self) -> Option<Process> {
        processes(self.group).into_iter().find(|process| process.name.starts_with("WebKitWebProc"))
    }

    /// Waits until the app has ended by itself, then lets go of it.
    pub async fn ended(self, desktop: &Desktop) {
        wait_for(async || self.app().is_none(), "the app to end").await;
        desktop.end(self.group);
    }

    /// Ends the app without a warning.
    pub fn kill(self, desktop: &Desktop) {
        desktop.end(self.group);
    }

    async fn find(&self, name: &str, kinds: &str) -> Option<Element> {
        self.element_of(BY_NAME, vec![json!(name), json!(kinds)]).await
    }

    async fn element_of(&self, script: &str, args: Vec<Value>) -> Option<Element> {
        let found = self.try_run(script, args).await.ok()?;
        let id = found.as_object()?.values().next()?.as_str()?.to_owned();
        Some(Element::from_element_id(self.client.clone(), id.into()))
    }

    async fn must<T>(&self, command: impl Future<Output = Result<T, CmdError>>) -> T {
        match answered(command).await {
            Ok(value) => value,
            Err(error) => panic!("the window refuses: {error}"),
        }
    }
}

/// Waits for an answer of the driver, which sometimes never comes.
async fn answered<T>(command: impl Future<Output = Result<T, CmdError>>) -> Result<T, String> {
    match tokio::time::timeout(ANSWER, command).await {
        Ok(answer) => answer.map_err(|error| format!("{error:?}")),
        Err(_) => Err("no answer".to_owned()),
    }
}

fn free_port() -> u16 {
    let socket = TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr());
    socket.expect("there is a free port").port()
}
