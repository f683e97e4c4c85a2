//! The bare loop: the same client, the same growing conversation and the same tools, with no
//! plan, no gate and no log around them.

use futures::StreamExt;
use models::{
    CallRequest, Endpoint, Message, Model, ModelEvent, OpenAiChat, Protocol, Request, Transcript,
};
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tools::{Profile, RunContext, Toolbox, Workspace};

use crate::Outcome;
use crate::sample::Sample;

/// Threads for bare loops alone, as the program has its own.
pub fn runtime() -> Outcome<Runtime> {
    let runtime = Builder::new_multi_thread().enable_all().build();
    runtime.map_err(|error| format!("threads for the bare loop: {error}"))
}

/// The client of a bare loop, for the model at this address.
pub fn bare_model(base_url: &str) -> OpenAiChat {
    let config = Endpoint {
        base_url: base_url.to_owned(),
        key: None,
        name: "bench".to_owned(),
        patience: models::Patience::default(),
    };
    OpenAiChat::new(config, models::http_client())
}

/// Asks for one turn: what the model said, and the calls it made.
pub async fn turn(model: &OpenAiChat, request: Request) -> Outcome<(String, Vec<CallRequest>)> {
    let mut stream = model.stream(request).await.map_err(|error| error.to_string())?;
    let (mut text, mut calls) = (String::new(), Vec::new());
    while let Some(event) = stream.next().await {
        match event.map_err(|error| error.to_string())? {
            ModelEvent::Text(delta) => text.push_str(&delta),
            // An id as long as those in the program's log.
            ModelEvent::ToolCall(call) => {
                calls.push(CallRequest { id: engine::fresh_id().to_string(), ..call });
            }
            ModelEvent::Thinking(_) | ModelEvent::Kept(_) | ModelEvent::Usage(_) => {}
            ModelEvent::Done(_) => return Ok((text, calls)),
        }
    }
    Err("the scripted model broke off".to_owned())
}

/// One conversation of the bare loop.
pub struct Bare {
    model: OpenAiChat,
    sample: Sample,
    transcript: Transcript,
    toolbox: Toolbox,
    workspace: Workspace,
    context: RunContext,
    /// Whether commands run in no sandbox at all.
    unconfined: bool,
}

impl Bare {
    /// A new conversation with the model at this address.
    pub fn new(base_url: &str, sample: Sample, workspace: &Path) -> Outcome<Self> {
        Ok(Self {
            model: bare_model(base_url),
            sample,
            transcript: Transcript::new(Protocol::OpenAiChat),
            toolbox: Toolbox::builtin(),
            workspace: Workspace::open(workspace).map_err(|error| error.to_string())?,
            context: RunContext::new(Profile::Look, Duration::from_secs(30)),
            unconfined: false,
        })
    }

    /// The same, running commands in no sandbox at all.
    pub fn unconfined(self) -> Self {
        Self { unconfined: true, ..self }
    }

    /// Says something and goes on until the model answers in words.
    pub async fn message(&mut self, text: String) -> Outcome {
        self.transcript.push(&Message::User { text });
        loop {
            let (text, calls) = self.turn().await?;
            self.transcript.push(&Message::Assistant { text, calls: calls.clone(), kept: None });
            if calls.is_empty() {
                return Ok(());
            }
            for call in calls {
                let text = self.answer(&call).await?;
                let images = Vec::new();
                let failed = false;
                self.transcript.push(&Message::ToolResult { call: call.id, text, images, failed });
            }
        }
    }

    async fn turn(&self) -> Outcome<(String, Vec<CallRequest>)> {
        let request = Request {
            model: self.sample.model.clone(),
            system: Arc::clone(&self.sample.system),
            history: self.transcript.snapshot(),
            tail: Some(self.sample.ledger.clone()),
            tools: self.sample.tools.clone(),
            max_output: None,
            thinking: None,
            force: None,
        };
        turn(&self.model, request).await
    }

    async fn answer(&self, call: &CallRequest) -> Outcome<String> {
        let args: Value =
            serde_json::from_str(&call.arguments).map_err(|error| error.to_string())?;
        if call.name == "plan" {
            let is_done = args["action"] == "step_done";
            return Ok(if is_done { &self.sample.step_done } else { &self.sample.written }.clone());
        }
        if self.unconfined && call.name == "shell" {
            return self.shell(&args).await;
        }
        let ran = self.toolbox.run(&call.name, &args, &self.workspace, &self.context).await;
        match ran {
            Ok(output) if output.failed => Err(format!("{} failed: {}", call.name, output.text)),
            Ok(output) => Ok(output.text),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Runs a command as any program would.
    async fn shell(&self, args: &Value) -> Outcome<String> {
        let mut bash = tokio::process::Command::new("bash");
        bash.arg("-c").arg(args["command"].as_str().unwrap_or_default());
        let output = bash.current_dir(self.workspace.root()).stdin(Stdio::null()).output().await;
        let output = output.map_err(|error| format!("bash: {error}"))?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}
