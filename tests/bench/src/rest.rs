//! Drives the program through its API, as a script of a person would.

use reqwest::Client;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::Outcome;

const PATIENCE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(1);
/// How often one looks after many.
const LOOK: Duration = Duration::from_millis(100);

/// A client of the API.
#[derive(Clone)]
pub struct Rest {
    http: Client,
    address: String,
    token: String,
}

impl Rest {
    /// A client for the API at this address.
    pub fn new(address: String, token: &str) -> Self {
        Self { http: models::http_client(), address, token: format!("Bearer {token}") }
    }

    /// Makes a room and gives its id.
    pub async fn create_room(&self, workspace: &Path) -> Outcome<String> {
        self.create_named_room("room", workspace).await
    }

    /// Makes a room with this name and gives its id.
    pub async fn create_named_room(&self, title: &str, workspace: &Path) -> Outcome<String> {
        let room = json!({ "title": title, "workspace": workspace });
        let room = self.post("/v1/rooms", room).await?;
        room["id"]
            .as_str()
            .map(str::to_owned)
            .ok_or_else(|| format!("a room without an id: {room}"))
    }

    /// Says something in a room.
    pub async fn say(&self, room: &str, text: &str) -> Outcome {
        self.post(&format!("/v1/rooms/{room}/messages"), json!({ "text": text })).await.map(drop)
    }

    /// Starts a council in a room.
    pub async fn start_council(&self, room: &str, task: &str) -> Outcome {
        self.post(&format!("/v1/rooms/{room}/council"), json!({ "task": task })).await.map(drop)
    }

    /// Chooses the plan mode of a room.
    pub async fn set_mode(&self, room: &str, mode: &str) -> Outcome {
        let request = self.http.put(format!("{}/v1/rooms/{room}/plan-mode", self.address));
        let body = json!({ "mode": mode }).to_string();
        let request = request.header(CONTENT_TYPE, "application/json").body(body);
        self.send(request, "plan-mode").await.map(drop)
    }

    /// Cancels the plan of a room.
    pub async fn cancel(&self, room: &str) -> Outcome {
        self.post(&format!("/v1/rooms/{room}/plan/cancel"), json!({})).await.map(drop)
    }

    /// Returns when the agent of a room has nothing left to do.
    pub async fn wait_for_rest(&self, room: &str) -> Outcome {
        let path = format!("/v1/rooms/{room}");
        let begun = Instant::now();
        while self.get(&path).await?["busy"] != false {
            if begun.elapsed() > PATIENCE {
                return Err("a room is still busy after its last turn".to_owned());
            }
            tokio::time::sleep(PAUSE).await;
        }
        Ok(())
    }

    /// Returns when a room has this many plans on disk and each of them is done.
    pub async fn wait_for_done(&self, room: &str, plans: usize) -> Outcome {
        let path = format!("/v1/rooms/{room}/plans?limit=200");
        let begun = Instant::now();
        loop {
            let page = self.get(&path).await?;
            let listed = page["items"].as_array().map(Vec::as_slice).unwrap_or_default();
            let states: Vec<&str> =
                listed.iter().filter_map(|plan| plan["state"].as_str()).collect();
            if states.len() == plans && states.iter().all(|state| *state == "done") {
                return Ok(());
            }
            if begun.elapsed() > PATIENCE {
                let undone: Vec<&str> =
                    states.into_iter().filter(|state| *state != "done").collect();
                return Err(format!(
                    "{} of {plans} plans are there, not done: {undone:?}",
                    listed.len()
                ));
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Sends a sidekick off.
    pub async fn spawn_sidekick(&self, room: &str, task: &str) -> Outcome {
        self.post(&format!("/v1/rooms/{room}/sidekicks"), json!({ "task": task })).await.map(drop)
    }

    /// Returns when a room has this many sidekicks and all of them are done.
    pub async fn wait_for_sidekicks(
        &self,
        room: &str,
        count: usize,
        patience: Duration,
    ) -> Outcome {
        let path = format!("/v1/rooms/{room}/sidekicks");
        let begun = Instant::now();
        loop {
            let page = self.get(&path).await?;
            let listed = page["items"].as_array().map(Vec::as_slice).unwrap_or_default();
            let done = listed.iter().filter(|one| one["state"] == "completed").count();
            if done == count {
                return Ok(());
            }
            if begun.elapsed() > patience {
                return Err(format!("{done} of {count} sidekicks are done"));
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// What happens in a room from now on.
    pub async fn news(&self, room: &str) -> Outcome<News> {
        let path = format!("/v1/rooms/{room}/stream");
        let request = self.http.get(format!("{}{path}", self.address));
        let answer = request.header(AUTHORIZATION, &self.token).send().await;
        let answer = answer.map_err(|error| format!("{path}: {error}"))?;
        Ok(News { answer, read: Vec::new() })
    }

    async fn post(&self, path: &str, body: Value) -> Outcome<Value> {
        let request = self.http.post(format!("{}{path}", self.address));
        let request = request.header(CONTENT_TYPE, "application/json").body(body.to_string());
        self.send(request, path).await
    }

    async fn get(&self, path: &str) -> Outcome<Value> {
        self.send(self.http.get(format!("{}{path}", self.address)), path).await
    }

    async fn send(&self, request: reqwest::RequestBuilder, path: &str) -> Outcome<Value> {
        let failed = |error: reqwest::Error| format!("{path}: {error}");
        let answer = request.header(AUTHORIZATION, &self.token).send().await.map_err(failed)?;
        let status = answer.status();
        let body = answer.bytes().await.map_err(failed)?;
        if !status.is_success() {
            return Err(format!("{path}: {status}: {}", String::from_utf8_lossy(&body)));
        }
        serde_json::from_slice(&body).map_err(|error| format!("{path}: {error}"))
    }
}

/// The stream of a room.
pub struct News {
    answer: reqwest::Response,
    read: Vec<u8>,
}

impl News {
    /// Returns when an event of this kind comes.
    pub async fn wait_for(&mut self, kind: &str) -> Outcome {
        let mark = format!("event: {kind}\n");
        let wait = async {
            loop {
                let found = self.read.windows(mark.len()).position(|part| part == mark.as_bytes());
                if let Some(at) = found {
                    self.read.drain(..at + mark.len());
                    return Ok(());
                }
                match self.answer.chunk().await {
                    Ok(Some(chunk)) => self.read.extend_from_slice(&chunk),
                    Ok(None) => return Err("the stream of a room ended".to_owned()),
                    Err(error) => return Err(format!("the stream of a room: {error}")),
                }
            }
        };
        let done = tokio::time::timeout(PATIENCE, wait).await;
        done.map_err(|_| format!("no {kind} came; last: {}", String::from_utf8_lossy(&self.read)))?
    }
}
