//! Councils over the API: routes, rights, refusals, the stream.

mod following;
mod refusing;
mod steering;

use flow::{Answer, Client, House, Served};
use serde_json::{Value, json};
use support::{Reply, Script};

/// Three agents, each with a model of its own.
const THREE: &str = "test/a\n  b:\n    model: test/b\n  c:\n    model: test/c";

/// A house of several agents with its API open.
struct Desk {
    house: House,
    served: Served,
}

impl Desk {
    /// Three agents with these replies.
    async fn of_three(a: Vec<Reply>, b: Vec<Reply>, c: Vec<Reply>) -> Self {
        let script = Script::by_model([("a", a), ("b", b), ("c", c)]);
        Self::of(House::of_agent(THREE, script, "", &[]).await).await
    }

    /// Two of them, by the same rules.
    async fn of_two(a: Vec<Reply>, b: Vec<Reply>) -> Self {
        let agents = "test/a\n  b:\n    model: test/b";
        let script = Script::by_model([("a", a), ("b", b)]);
        Self::of(House::of_agent(agents, script, "", &[]).await).await
    }

    async fn of(house: House) -> Self {
        let served = Served::new(house.engine()).await;
        Self { house, served }
    }

    fn client(&self) -> &Client {
        &self.served.client
    }

    /// An address in the room.
    fn at(&self, rest: &str) -> String {
        format!("/v1/rooms/{}{rest}", self.house.room)
    }

    async fn start(&self, more: Value) -> Answer {
        let mut body = json!({ "task": "Tidy the shelf" });
        if let (Some(body), Value::Object(more)) = (body.as_object_mut(), more) {
            body.extend(more);
        }
        self.client().post(&self.at("/council"), body).await
    }

    async fn council(&self) -> Value {
        self.client().get(&self.at("/council")).await.ok()
    }

    async fn press(&self, button: &str) -> Answer {
        self.client().press(&self.at(&format!("/council/{button}"))).await
    }

    async fn send(&self, button: &str, body: Value) -> Answer {
        self.client().post(&self.at(&format!("/council/{button}")), body).await
    }

    /// Waits for an event of the room by its name.
    async fn wait(&self, kind: &'static str) -> u64 {
        self.house.wait(kind, |event| event.kind() == kind).await
    }

    /// Waits until so many members have answered.
    async fn wait_answers(&self, many: usize) {
        support::wait_for(
            async || self.house.count("council_answered") >= many,
            "the members to answer",
        )
        .await;
    }
}

fn answer(content: &str, steps: &[&str]) -> Reply {
    Reply::call("new_answer", json!({ "content": content, "steps": steps }))
}

fn vote(member: &str, reason: &str) -> Reply {
    Reply::call("vote", json!({ "agent_id": member, "reason": reason }))
}

/// A reply that does not end before the test says so.
fn held() -> Reply {
    Reply::text("a long look").hold_after(1)
}

fn refused(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}
