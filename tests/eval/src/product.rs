//! One task in Plancard: a room, what the person says and answers, and the end.

use crate::clock::Clock;
use crate::journal::{self, Counts};
use crate::proxy::Proxy;
use crate::result::Ended;
use crate::server::{Program, Server};
use crate::task::{Kind, Task, short};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

const LOOK: Duration = Duration::from_millis(400);
/// How often in a row nothing may be under way before that is the end.
const STILL: u32 = 5;
/// The same for a plan that should go on and does not: something may be about to begin.
const STILL_RUNNING: u32 = 25;
/// How often a person lets a call beyond the plan pass in one task.
const PATIENT: u32 = 8;

/// How a task went.
pub struct Went {
    pub ended: Ended,
    pub words: String,
    pub counts: Counts,
    /// Whether the harness ended it because it did not get on.
    pub stuck: bool,
}

/// Does one task.
pub async fn perform(
    task: &Task,
    program: &Program,
    yaml: &str,
    folder: &Path,
    proxy: &Proxy,
    clock: Clock,
    record: &Path,
) -> Result<Went, String> {
    let two = (task.kind == Kind::Council).then(|| with_second_agent(yaml));
    let yaml = two.as_deref().unwrap_or(yaml);
    let mut server = Server::start(program, yaml, &record.join("server.log")).await?;
    let mut visit = Visit { server: &server, task, room: String::new(), yes: 0, answered: false };
    visit.room = visit.begin(folder).await?;
    let ended = visit.until_rest(proxy, clock).await;
    let told = visit.tell(record).await;
    let alive = server.runs();
    server.stop().await;
    let (ended, words) = match ended {
        Ok(over) => over,
        Err(why) if alive => return Err(why),
        Err(_) => (Some(Ended::Broken), "the server ended by itself".to_owned()),
    };
    let told = told?;
    let (ended, words) = match ended {
        Some(ended) => (ended, words),
        None => told.end(),
    };
    let stuck = told.is_stuck();
    Ok(Went { ended, words, counts: told.counts, stuck })
}

/// The configuration with a second agent of the same model, so that there can be a council.
fn with_second_agent(yaml: &str) -> String {
    let first = yaml.lines().find(|line| line.starts_with("  default: "));
    let Some(first) = first else { return yaml.to_owned() };
    let second = first.replacen("default", "second", 1);
    yaml.replacen(first, &format!("{first}\n{second}"), 1)
}

struct Visit<'a> {
    server: &'a Server,
    task: &'a Task,
    room: String,
    /// How often a call beyond the plan was let pass.
    yes: u32,
    /// Whether the person's answer was given.
    answered: bool,
}

impl Visit<'_> {
    async fn begin(&self, folder: &Path) -> Result<String, String> {
        if self.task.kind == Kind::Goal {
            let body = json!({ "goal": self.task.say, "context": { "repoPath": folder } });
            let taken = self.server.post("/agents/plan", body).await?;
            return id(&taken["roomId"]);
        }
        let mode = self.task.mode();
        let body = json!({ "title": self.task.name, "workspace": folder, "plan_mode": mode });
        let room = id(&self.server.post("/v1/rooms", body).await?["id"])?;
        if self.task.kind == Kind::Council {
            let path = format!("/v1/rooms/{room}/council");
            self.server.post(&path, json!({ "task": self.task.say })).await?;
        } else {
            self.say(&room, self.task.say).await?;
        }
        Ok(room)
    }

    async fn say(&self, room: &str, text: &str) -> Result<(), String> {
        let path = format!("/v1/rooms/{room}/messages");
        self.server.post(&path, json!({ "text": text })).await.map(drop)
    }

    /// Looks after it until nothing is under way; `None` where the room itself says how it ended.
    async fn until_rest(
        &mut self,
        proxy: &Proxy,
        clock: Clock,
    ) -> Result<(Option<Ended>, String), String> {
        let mut still = 0;
        loop {
            if let Some(words) = clock.is_up(proxy) {
                return Ok((Some(Ended::Time), words));
            }
            tokio::time::sleep(LOOK).await;
            let rooms = self.server.get("/v1/rooms?limit=200").await?;
            let rooms = rooms["items"].as_array().cloned().unwrap_or_default();
            if self.attend().await? {
                still = 0;
                continue;
            }
            let busy = rooms.iter().any(|room| room["busy"] == true);
            // A room that asks is busy until somebody answers, and here nobody will.
            let asks = rooms.iter().any(|room| room["asks"].as_u64().unwrap_or_default() > 0);
            // And so is a sidekick whose plan is paused.
            let paused = rooms.iter().any(|room| room["plan"]["state"] == "paused");
            if (busy && !asks && !paused) || proxy.is_busy() {
                still = 0;
                continue;
            }
            still += 1;
            let running = rooms.iter().any(|room| room["plan"]["state"] == "running");
            if still < if running || busy { STILL_RUNNING } else { STILL } {
                continue;
            }
            if self.reply().await? {
                still = 0;
                continue;
            }
            return Ok((None, String::new()));
        }
    }

    /// Answers what is asked, as the task's person would. Says whether something was answered.
    async fn attend(&mut self) -> Result<bool, String> {
        let asks = self.server.get("/v1/asks").await?;
        for ask in asks["items"].as_array().into_iter().flatten() {
            let Some(body) = self.answer(ask).await? else { continue };
            let path = format!("/v1/asks/{}/answer", id(&ask["id"])?);
            match self.server.post(&path, body).await {
                Ok(_) => return Ok(true),
                // It was withdrawn meanwhile, or the plan is another one now.
                Err(why) if why.contains(" 404") || why.contains(" 409") => {}
                Err(why) => return Err(why),
            }
        }
        Ok(false)
    }

    async fn answer(&mut self, ask: &Value) -> Result<Option<Value>, String> {
        match ask["kind"].as_str().unwrap_or_default() {
            "approval" if self.task.approves() => {
                let room = id(&ask["room_id"])?;
                let view = self.server.get(&format!("/v1/rooms/{room}")).await?;
                let (revision, hash) = (&view["plan"]["revision"], &view["plan"]["hash"]);
                Ok(Some(json!({ "answer": "approve", "revision": revision, "hash": hash })))
            }
            "drift" if self.task.approves() && self.yes < PATIENT => {
                self.yes += 1;
                Ok(Some(json!({ "answer": "once" })))
            }
            "permission" => Ok(Some(json!({ "answer": "refuse" }))),
            "question" => Ok(self.task.answer.map(|words| {
                self.answered = true;
                json!({ "answer": words })
            })),
            _ => Ok(None),
        }
    }

    /// Gives the person's answer as a message, where the question came in words.
    async fn reply(&mut self) -> Result<bool, String> {
        let Some(words) = self.task.answer.filter(|_| !self.answered) else { return Ok(false) };
        self.answered = true;
        let room = self.room.clone();
        self.say(&room, words).await?;
        Ok(true)
    }

    /// Reads everything that happened, and keeps it beside the recordings.
    async fn tell(&self, record: &Path) -> Result<Told, String> {
        let view = self.server.get(&format!("/v1/rooms/{}", self.room)).await?;
        let rooms = self.server.get("/v1/rooms?limit=200").await?;
        let mut counts = Counts::default();
        let mut lines = String::new();
        for room in rooms["items"].as_array().into_iter().flatten() {
            let room = id(&room["id"])?;
            let seq = self.server.get(&format!("/v1/rooms/{room}")).await?["seq"].as_u64();
            let mut events = self.server.events(&room, seq.unwrap_or_default()).await?;
            for event in &mut events {
                self.fill(event).await;
                lines.push_str(&json!({ "room": room, "event": event }).to_string());
                lines.push('\n');
            }
            let counted = journal::count(&events);
            if room == self.room {
                let below = std::mem::replace(&mut counts, counted);
                counts.add(&below);
            } else {
                counts.add(&counted);
            }
        }
        std::fs::write(record.join("events.jsonl"), lines)
            .map_err(|error| format!("cannot write the events: {error}"))?;
        let plans = self.server.get(&format!("/v1/rooms/{}/plans?limit=1", self.room)).await?;
        let asks = self.server.get("/v1/asks").await?;
        let result = journal::text(&plans["items"][0]["result"]);
        if counts.answer.is_empty() && self.task.kind == Kind::Goal {
            counts.answer = result;
        }
        Ok(Told { view, plan: plans["items"][0].clone(), asks, counts })
    }

    /// Puts long texts in their place, as far as they are counted or judged.
    async fn fill(&self, event: &mut Value) {
        for name in ["text", "result"] {
            if let Some(hash) = event[name]["blob"].as_str() {
                let hash = hash.to_owned();
                if let Some(whole) = self.server.blob(&hash).await {
                    event[name] = Value::String(whole);
                }
            }
        }
        for call in event["calls"].as_array_mut().into_iter().flatten() {
            if let Some(hash) = call["args"]["blob"].as_str() {
                let hash = hash.to_owned();
                if let Some(whole) = self.server.blob(&hash).await {
                    call["args"] = Value::String(whole);
                }
            }
        }
    }
}

/// What is there at the end.
struct Told {
    view: Value,
    plan: Value,
    asks: Value,
    counts: Counts,
}

impl Told {
    fn end(&self) -> (Ended, String) {
        if let Some(ask) = self.asks["items"].get(0) {
            return (Ended::Waits, short(&journal::text(&ask["text"])));
        }
        let plan = if self.view["plan"].is_object() { &self.view["plan"] } else { &self.plan };
        let of = |name: &str| journal::text(&plan[name]);
        match plan["state"].as_str().unwrap_or_default() {
            "paused" => (Ended::Stopped, joined(&of("pause_reason"), &of("pause_detail"))),
            "failed" | "cancelled" => (Ended::Stopped, joined(&of("state"), &of("end_reason"))),
            "draft" if !of("left").is_empty() => (Ended::Stopped, of("left")),
            "running" => (Ended::Stopped, "a plan is running and nothing happens".to_owned()),
            _ => match &self.counts.trouble {
                Some((code, text)) => (Ended::Stopped, joined(code, text)),
                None => (Ended::Rest, short(&self.counts.answer)),
            },
        }
    }

    fn is_stuck(&self) -> bool {
        let paused = self.view["plan"]["pause_reason"] == "attempts";
        paused || self.counts.trouble.as_ref().is_some_and(|(code, _)| code == "STUCK")
    }
}

fn joined(what: &str, detail: &str) -> String {
    if detail.is_empty() { what.to_owned() } else { format!("{what}: {}", short(detail)) }
}

fn id(value: &Value) -> Result<String, String> {
    value.as_str().map(str::to_owned).ok_or_else(|| format!("{value} is no id"))
}
