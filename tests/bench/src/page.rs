//! What happens in the page: how soon a word is there, whether it stutters, how fast rooms open.

use desktop::{Desktop, Window};
use serde_json::{Value, json};
use std::time::Duration;
use support::TempWorkspace;

use crate::Outcome;
use crate::numbers::{median, quantile};
use crate::paced_model::{Pace, PacedModel};
use crate::script::Script;
use crate::served::{Place, Served};
use crate::table::{Row, Table};
use crate::tree::Tree;

/// A word and its way to the page, at a slow and at a fast pace.
pub const WORDS: [&str; 3] = ["window-word-1", "window-word-200", "window-stutter"];
/// Long rooms.
pub const ROOMS: [&str; 2] = ["window-open-2000", "window-memory-2000"];

const SLOW: Pace = Pace { a_second: 1, words: 12 };
const FAST: Pace = Pace { a_second: 200, words: 2_000 };
const MOST_WAIT_MS: f64 = 50.0;
/// A page that is held up for longer is felt to be.
pub(crate) const STUTTER_MS: u32 = 50;
const OPENINGS: usize = 9;
const SHORT: usize = 20;
const LONG: usize = 2_000;
const MOST_OPENING: f64 = 1.5;
const MOST_MEMORY: f64 = 1.6;
const QUIET: Duration = Duration::from_secs(3);

/// Notes for every word when the page first had it.
const HEAR: &str = r"
    window.waits = []
    let newest = 0
    new MutationObserver(() => {
      const now = performance.timeOrigin + performance.now()
      const log = document.querySelector('[role=log]')
      for (const [, said] of (log?.textContent ?? '').matchAll(/w(\d{13})/g)) {
        if (Number(said) <= newest) continue
        newest = Number(said)
        window.waits.push(now - newest)
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true })
";

/// Notes every time the page was held up.
pub(crate) const WATCH: &str = r"
    const limit = arguments[0]
    window.stutters = []
    // The last one who watches is the only one.
    const mine = (window.watchers = (window.watchers ?? 0) + 1)
    let last = performance.now()
    const tick = () => {
      if (window.watchers !== mine) return
      const now = performance.now()
      if (now - last > limit + 4) window.stutters.push(now - last)
      last = now
      setTimeout(tick, 4)
    }
    tick()
";

/// How soon a word that the model says is in the page, and whether the page stutters meanwhile.
pub async fn words(table: &mut Table) -> Outcome {
    for (name, pace) in [(WORDS[0], SLOW), (WORDS[1], FAST)] {
        if !table.wants(&[name, WORDS[2]]) {
            continue;
        }
        eprintln!("{name}: {} words", pace.words);
        let model = PacedModel::start(pace).await?;
        let desktop = Desktop::start(name).await;
        desktop.home.use_model(&model.base_url(), "");
        let window = desktop.open(&[]).await;
        let folder = TempWorkspace::new(&[]);
        window.room("Words", &folder.path()).await;
        window.run(HEAR, vec![]).await;
        window.run(WATCH, vec![json!(STUTTER_MS)]).await;
        window.say("Speak").await;
        let ended = "return document.querySelector('[role=log] .agent .text') !== null \
                     && document.querySelector('[role=log] .live') === null";
        window.wait(ended, "the last word").await;
        let waits = times(&window.run("return window.waits", vec![]).await);
        let stutters = times(&window.run("return window.stutters", vec![]).await);
        window.kill(&desktop);
        if waits.len() < pace.words as usize / 2 {
            return Err(format!("{name}: only {} words were seen", waits.len()));
        }
        let (middle, tail) = (median(&waits), quantile(&waits, 0.95));
        table.add(Row {
            name,
            value: tail,
            unit: "ms",
            ratio: None,
            target: format!("≤ {MOST_WAIT_MS}"),
            holds: tail <= MOST_WAIT_MS,
            note: format!(
                "p95 from the model to the page; p50 {middle:.1} ms; {} words",
                waits.len()
            ),
        });
        if name == WORDS[1] {
            stutter(table, &stutters).await;
        }
    }
    Ok(())
}

async fn stutter(table: &mut Table, stutters: &[Duration]) {
    let beside = empty_page(Duration::from_secs(1) * FAST.words / FAST.a_second).await;
    table.add(Row {
        name: WORDS[2],
        value: stutters.len() as f64,
        unit: "times",
        ratio: None,
        target: "≤ empty".to_owned(),
        holds: stutters.len() <= beside.len(),
        note: format!(
            "held up over {STUTTER_MS} ms in {} words; most {:.0} ms; an empty page {} times, most {:.0} ms",
            FAST.words,
            longest(stutters),
            beside.len(),
            longest(&beside)
        ),
    });
}

/// How often an empty page is held up in this time.
pub(crate) async fn empty_page(time: Duration) -> Vec<Duration> {
    let desktop = Desktop::start("blank").await;
    let window = desktop.open_blank().await;
    window.wait("return document.readyState === 'complete'", "the empty page").await;
    window.run(WATCH, vec![json!(STUTTER_MS)]).await;
    tokio::time::sleep(time).await;
    let held = times(&window.run("return window.stutters", vec![]).await);
    window.kill(&desktop);
    held
}

pub(crate) fn longest(times: &[Duration]) -> f64 {
    times.iter().max().map_or(0.0, |time| time.as_secs_f64() * 1_000.0)
}

pub(crate) fn times(list: &Value) -> Vec<Duration> {
    let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
    let time = |value: &Value| Some(Duration::from_secs_f64(value.as_f64()?.max(0.0) / 1_000.0));
    list.iter().filter_map(time).collect()
}

/// How fast a room with many messages opens beside one with few, and what it takes.
pub async fn long_room(table: &mut Table) -> Outcome {
    eprintln!("{}: {LONG} messages", ROOMS[0]);
    let script = Script::words(1);
    let server = script.serve().await;
    let place = Place::new(&server.base_url(), "")?;
    let served = Served::start(&place).await?;
    for (title, messages) in [("short", SHORT), ("long", LONG)] {
        let room = served.rest.create_named_room(title, &place.workspace()).await?;
        // Every message is answered, so half of them are the person's.
        for number in 1..=messages / 2 {
            let last = if number == messages / 2 { "the last one" } else { "and another" };
            served.rest.say(&room, &format!("{} {last} of {title}", Script::message(0))).await?;
            served.rest.wait_for_rest(&room).await?;
        }
    }
    served.stop().await?;

    let mut desktop = Desktop::start("long").await;
    desktop.tell("PLANCARD_DATA", place.data());
    desktop.tell("PLANCARD_CONFIG", place.config());
    let window = desktop.open(&[]).await;
    let (mut short, mut long) = (Vec::new(), Vec::new());
    // The first pair warms up both.
    for pair in 0..=OPENINGS {
        for (title, times) in [("short", &mut short), ("long", &mut long)] {
            let time = open(&window, title).await?;
            if pair > 0 {
                times.push(time);
            }
        }
    }
    let (value, beside) = (median(&long), median(&short));
    table.add(Row {
        name: ROOMS[0],
        value,
        unit: "ms",
        ratio: Some(value / beside),
        target: format!("≤ {MOST_OPENING} × short"),
        holds: value <= MOST_OPENING * beside,
        note: format!("click to its last message; a room of {SHORT}: {beside:.0} ms"),
    });
    tokio::time::sleep(QUIET).await;
    let app = window.app().ok_or("the app is gone")?;
    let memory = Tree::of(app.id).memory()?;
    window.kill(&desktop);
    let window = desktop.open_blank().await;
    window.wait("return document.readyState === 'complete'", "the empty page").await;
    tokio::time::sleep(QUIET).await;
    let empty = window.app().ok_or("the empty window is gone")?;
    let beside = Tree::of(empty.id).memory()?;
    window.kill(&desktop);
    table.add(Row {
        name: ROOMS[1],
        value: memory,
        unit: "MB PSS",
        ratio: Some(memory / beside),
        target: format!("≤ {MOST_MEMORY} × empty"),
        holds: memory <= MOST_MEMORY * beside,
        note: format!("all processes, after {} openings; empty {beside:.0} MB", 2 * OPENINGS + 2),
    });
    Ok(())
}

/// The time from a click in the rail to the room's last message in view.
async fn open(window: &Window, title: &str) -> Outcome<Duration> {
    let click = r"
        const [title] = arguments
        delete window.opened
        const row = [...document.querySelectorAll('nav [title]')].find((row) => row.title === title)
        const begun = performance.now()
        const seen = () => {
          const words = [...document.querySelectorAll('[role=log] .me')]
          const last = words.find((one) => one.textContent.includes('the last one of ' + title))
          if (!last) return
          const place = last.getBoundingClientRect()
          if (place.top > innerHeight || place.bottom < 0) return
          window.opened = performance.now() - begun
          watch.disconnect()
        }
        const watch = new MutationObserver(seen)
        watch.observe(document.body, { subtree: true, childList: true, attributes: true })
        row.click()
    ";
    window.run(click, vec![json!(title)]).await;
    let opened = window.wait("return window.opened", "the room").await;
    times(&json!([opened])).pop().ok_or_else(|| format!("the room {title} did not open"))
}
