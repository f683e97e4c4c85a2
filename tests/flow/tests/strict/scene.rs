//! The program with one room, a scripted model, and a person who calls the API.

use flow::{Answer, Client, Heard, Place, Serve};
use serde_json::{Value, json};
use support::{Script, ScriptedModel, TempWorkspace, wait_for, wait_for_some};

/// Everything one test needs.
pub struct Scene {
    pub model: ScriptedModel,
    pub place: Place,
    pub workspace: TempWorkspace,
    /// The room the test plays in.
    pub room: String,
    /// `None` between two lives of the program.
    serve: Option<Serve>,
}

impl Scene {
    /// A room in this plan mode, over a folder with these files.
    pub async fn new(mode: &str, script: impl Into<Script>, files: &[(&str, &str)]) -> Self {
        Self::configured(mode, script, TempWorkspace::new(files), "").await
    }

    /// The same, with a folder that was made before and more configuration.
    pub async fn configured(
        mode: &str,
        script: impl Into<Script>,
        workspace: TempWorkspace,
        more: &str,
    ) -> Self {
        let model = ScriptedModel::start(script.into()).await;
        let place = Place::with_model(&model, more);
        Self::at_home(mode, model, place, workspace).await
    }

    /// The same, in a home that was made before.
    pub async fn at_home(
        mode: &str,
        model: ScriptedModel,
        place: Place,
        workspace: TempWorkspace,
    ) -> Self {
        let mut scene = Self { model, place, workspace, room: String::new(), serve: None };
        scene.start().await;
        let room = json!({ "workspace": scene.workspace.path(), "plan_mode": mode });
        let room = scene.client().post("/v1/rooms", room).await.ok();
        scene.room = room["id"].as_str().unwrap().to_owned();
        scene
    }

    /// Starts the program. It is told where the toolchains of this computer are, as a person's
    /// shell would tell it.
    async fn start(&mut self) {
        let mut command = self.place.serve();
        command.env("PLANCARD_RIGHTS", "read,supervise,run,approve");
        let home = std::env::home_dir().unwrap();
        for (name, usual) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
            let folder = std::env::var_os(name).map_or_else(|| home.join(usual), Into::into);
            if folder.is_dir() {
                command.env(name, folder);
            }
        }
        self.serve = Some(Serve::listening(command).await);
    }

    /// Stops it as the system does, and starts it again on the same folders.
    pub async fn restart(&mut self) {
        let serve = self.serve.take().unwrap();
        assert!(serve.terminate().await.success());
        self.start().await;
    }

    /// Kills it without a warning, and starts it again on the same folders.
    pub async fn kill(&mut self) {
        self.serve.take().unwrap().kill().await;
        self.start().await;
    }

    pub fn client(&self) -> &Client {
        &self.serve.as_ref().unwrap().client
    }

    /// An address in the room.
    pub fn at(&self, rest: &str) -> String {
        format!("/v1/rooms/{}{rest}", self.room)
    }

    /// A person says something; the event that holds it.
    pub async fn say(&self, text: &str) -> u64 {
        let said = self.client().post(&self.at("/messages"), json!({ "text": text })).await.ok();
        said["seq"].as_u64().unwrap()
    }

    /// A person changes the plan mode.
    pub async fn mode(&self, mode: &str) {
        let body = Some(json!({ "mode": mode }).to_string());
        self.client().send("PUT", &self.at("/plan-mode"), body).await.ok();
    }

    /// The room as anyone sees it.
    pub async fn view(&self) -> Value {
        self.client().get(&self.at("")).await.ok()
    }

    /// The active plan; null without one.
    pub async fn plan(&self) -> Value {
        self.client().get(&self.at("/plan")).await.ok()
    }

    /// The plan's state and why it is paused.
    pub async fn state(&self) -> (String, String) {
        let plan = self.plan().await;
        let word = |name: &str| plan[name].as_str().unwrap_or_default().to_owned();
        (word("state"), word("pause_reason"))
    }

    /// Waits until a plan is put before the person, and all of that is on disk.
    pub async fn wait_for_plan(&self) -> Value {
        let probe = async || Some(self.plan().await).filter(is_waiting);
        let plan = wait_for_some(probe, "a plan that waits").await;
        self.wait_asked("approval").await;
        plan
    }

    /// Says yes to a revision.
    pub async fn approve(&self, plan: &Value) -> Answer {
        let body = json!({ "revision": plan["revision"], "hash": plan["hash"] });
        self.client().post(&self.at("/plan/approve"), body).await
    }

    /// Says no to the plan.
    pub async fn reject(&self, reason: &str) -> Value {
        self.client().post(&self.at("/plan/reject"), json!({ "reason": reason })).await.ok()
    }

    /// Every open question.
    pub async fn asks(&self) -> Vec<Value> {
        let asks = self.client().get("/v1/asks").await.ok();
        asks["items"].as_array().unwrap().clone()
    }

    /// Waits for the one open question, of this kind.
    pub async fn wait_asked(&self, kind: &str) -> Value {
        let probe = async || self.asks().await.into_iter().find(|ask| ask["kind"] == kind);
        wait_for_some(probe, &format!("a question of kind {kind}")).await
    }

    /// Answers a question.
    pub async fn answer(&self, ask: &Value, body: Value) -> Answer {
        let path = format!("/v1/asks/{}/answer", ask["id"].as_str().unwrap());
        self.client().post(&path, body).await
    }

    /// Every stored event after `seq` up to the first of this kind, which is the last one given.
    pub async fn until(&self, seq: u64, kind: &str) -> Vec<Heard> {
        let after = seq.to_string();
        let mut feed = self.client().follow(&self.at("/stream"), Some(&after)).await;
        feed.until(kind, |heard| heard.name == kind).await
    }

    /// Every stored event so far.
    pub async fn log(&self) -> Vec<Heard> {
        let last = self.view().await["seq"].as_u64().unwrap();
        let mut feed = self.client().follow(&self.at("/stream"), None).await;
        feed.until("the last event", |heard| heard.seq() == last).await
    }

    /// How many events of a kind are stored.
    pub async fn count(&self, kind: &str) -> usize {
        self.log().await.iter().filter(|heard| heard.name == kind).count()
    }

    /// Waits until the agent has nothing to do.
    pub async fn wait_idle(&self) {
        let idle = async || self.view().await["busy"] == false;
        wait_for(idle, "the room to be idle").await;
    }

    /// What the model was last told that its tools said.
    pub fn results(&self) -> Vec<String> {
        self.model.requests().pop().unwrap().tool_results()
    }

    /// The last of those.
    pub fn result(&self) -> String {
        self.results().pop().unwrap()
    }
}

fn is_waiting(plan: &Value) -> bool {
    plan["state"] == "awaiting_approval"
}

/// The code in what a call gave back, if there is one.
pub fn code(result: &str) -> String {
    let told: Value = serde_json::from_str(result).unwrap_or_default();
    told["code"].as_str().unwrap_or_default().to_owned()
}

/// How a call ended, and what it said.
pub fn outcome(ended: &Heard) -> (String, String) {
    let result = &ended.data["result"];
    let text = result.as_str().or(result["head"].as_str()).unwrap_or_default();
    (ended.data["outcome"].as_str().unwrap().to_owned(), text.to_owned())
}
