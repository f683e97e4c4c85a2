//! The local API, route by route.

mod addresses;
mod asks;
mod bodies;
mod documented;
mod folders;
mod guard;
mod lists;
mod models;
mod once;
mod plans;
mod rights;
mod rooms;
mod serving;
mod socket;
mod stopping;

use flow::{Answer, Client, House, Served};
use plan::Event;
use serde_json::{Value, json};
use support::{Reply, Script};

/// A house with its API open.
struct Desk {
    house: House,
    served: Served,
}

impl Desk {
    async fn with(script: impl Into<Script>) -> Self {
        let house = House::with(script).await;
        let served = Served::new(house.engine()).await;
        Self { house, served }
    }

    /// Ends the app and starts it again on the same folder.
    async fn restart(&mut self) {
        self.served.close().await;
        self.house.restart().await;
        self.served = Served::new(self.house.engine()).await;
    }

    fn client(&self) -> &Client {
        &self.served.client
    }

    /// An address in the room.
    fn at(&self, rest: &str) -> String {
        format!("/v1/rooms/{}{rest}", self.house.room)
    }

    async fn say(&self, text: &str) -> Value {
        self.client().post(&self.at("/messages"), json!({ "text": text })).await.ok()
    }

    async fn strict(&self) {
        let body = Some(json!({ "mode": "strict" }).to_string());
        self.client().send("PUT", &self.at("/plan-mode"), body).await.ok();
    }

    async fn plan(&self) -> Value {
        self.client().get(&self.at("/plan")).await.ok()
    }

    /// Presses a button of the plan.
    async fn press(&self, button: &str) -> Answer {
        self.client().press(&self.at(&format!("/plan/{button}"))).await
    }

    async fn wait_asked(&self) {
        self.house.wait("question", |event| matches!(event, Event::AskRaised { .. })).await;
    }

    async fn wait_started(&self) {
        self.house.wait("step", |event| matches!(event, Event::StepStarted { .. })).await;
    }
}

/// A reply that never ends, so that the plan stays as it is.
fn held() -> Reply {
    Reply::text("a long answer").hold_after(1)
}

fn refused(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}
