//! Says in plain words whether a model can be used, by one small real call.

use crate::config::ModelRef;
use crate::engine::Engine;
use crate::error::EngineError;
use futures::StreamExt;
use models::{
    Message, Model, ModelError, ModelEvent, Protocol, Request, Stop, ToolSet, Transcript,
};
use secrecy::SecretString;
use std::time::Duration;

/// How long one small call may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a local server may take to say that it is there.
const KNOCK: Duration = Duration::from_millis(400);

/// A model server found on this computer.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, ts_rs::TS)]
pub struct LocalServer {
    /// The provider it is used as.
    pub provider: String,
    /// What people call it.
    pub name: String,
    /// Where it is.
    pub address: String,
    /// The models it has.
    pub models: Vec<String>,
}

/// Why commands can't be confined on this computer; `None` when they can. The
/// first call tries it, which takes a moment.
pub fn no_sandbox() -> Option<&'static str> {
    match tools::sandbox::availability() {
        tools::sandbox::Availability::Available => None,
        tools::sandbox::Availability::Missing { reason } => Some(reason),
    }
}

/// What of the limits of commands can't be kept on this computer; `None` where all can. The first
/// call asks systemd, which takes a moment.
pub fn not_limited() -> Option<String> {
    tools::not_limited()
}

/// Whether a model answers.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, utoipa::ToSchema, ts_rs::TS)]
pub struct Tested {
    /// The model that was asked, as `provider/model`.
    pub model: String,
    /// It answers.
    pub ok: bool,
    /// A stable code where it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub code: Option<&'static str>,
    /// What was seen, in words.
    pub message: String,
}

impl Engine {
    /// Asks a model for one word, and says in words what came of it; without a name, the one that
    /// answers in a new room.
    pub async fn test_model(&self, name: Option<&str>) -> Result<Tested, EngineError> {
        let name = self.model_named(name)?;
        Ok(self.tested(&name).await)
    }

    /// The model a name stands for; without one, the model that answers in a new room.
    pub(crate) fn model_named(&self, name: Option<&str>) -> Result<ModelRef, EngineError> {
        let config = self.config().current();
        let agent = config.config.default_agent();
        let Some(name) = name else { return Ok(agent.model) };
        config.config.model(name, Some(&agent)).map_err(|error| EngineError::BadModel {
            name: name.to_owned(),
            why: error.to_string(),
        })
    }

    /// Asks a model for one word, and says in words what came of it.
    pub async fn tested(&self, name: &ModelRef) -> Tested {
        let tried = self.try_model(name).await;
        self.in_words(name, tried)
    }

    /// The same with a key that is only tried: whatever comes of it, nobody else gets it.
    pub async fn tested_with(&self, name: &ModelRef, key: SecretString) -> Tested {
        let config = self.config().current();
        let tried = match self.shared.providers.with_key(&config.config, name, key) {
            Ok(model) => self.ask_one_word(&*model, name).await,
            Err(error) => Err(error),
        };
        self.in_words(name, tried)
    }

    fn in_words(&self, name: &ModelRef, tried: Result<(), ModelError>) -> Tested {
        let model = name.to_string();
        match tried {
            Ok(()) => {
                let message = format!("{name} answers.");
                Tested { model, ok: true, code: None, message }
            }
            Err(error) => {
                let message = self.redact(error.to_string());
                Tested { model, ok: false, code: Some(error.code()), message }
            }
        }
    }

    /// Asks a model for one word.
    async fn try_model(&self, name: &ModelRef) -> Result<(), ModelError> {
        let config = self.config().current();
        if let Some(program) = crate::agents::program_of(&config.config, name) {
            let agent = self.shared.agents.on_trial(self, &name.provider, program)?;
            let tried = self.ask_one_word(&*agent, name).await;
            agent.end().await;
            return tried;
        }
        let model = self.shared.providers.model(&config.config, name).await?;
        self.ask_one_word(&*model, name).await
    }

    async fn ask_one_word(&self, model: &dyn Model, name: &ModelRef) -> Result<(), ModelError> {
        let config = self.config().current();
        let protocol = model.protocol();
        let mut transcript = Transcript::new(protocol);
        transcript.push(&Message::User { text: "Answer with the word ready.".to_owned() });
        let request = Request {
            model: config.config.name_at_provider(name).to_owned(),
            system: "You answer in one word.".into(),
            history: transcript.snapshot(),
            tail: None,
            tools: ToolSet::new(protocol, &[]),
            max_output: Some(64),
            thinking: None,
            force: None,
        };
        let ask = async {
            let mut stream = model.stream(request).await?;
            let mut heard = matches!(protocol, Protocol::Rehearsal | Protocol::Acp);
            while let Some(event) = stream.next().await {
                match event? {
                    ModelEvent::Text(words) | ModelEvent::Thinking(words) => {
                        heard |= !words.trim().is_empty();
                    }
                    ModelEvent::ToolCall(_) => heard = true,
                    ModelEvent::Kept(_) | ModelEvent::Usage(_) => {}
                    ModelEvent::Done(Stop::Length) => return Ok(()),
                    ModelEvent::Done(_) if heard => return Ok(()),
                    ModelEvent::Done(_) => {
                        return Err(ModelError::Malformed { message: "it is empty".to_owned() });
                    }
                }
            }
            Err(ModelError::Dropped)
        };
        let late = ModelError::Silent { seconds: PATIENCE.as_secs() };
        tokio::time::timeout(PATIENCE, ask).await.unwrap_or(Err(late))
    }

    /// Looks for model servers on their usual ports.
    pub async fn local_servers(&self) -> Vec<LocalServer> {
        let config = self.config().current();
        let http = self.shared.providers.http();
        let mut found = Vec::new();
        for (provider, name) in [("ollama", "Ollama"), ("lmstudio", "LM Studio")] {
            let base =
                config.config.providers.get(provider).and_then(|known| known.base_url.clone());
            let Some(address) = base else { continue };
            let list = http.get(format!("{}/models", address.trim_end_matches('/'))).send();
            let Ok(Ok(answer)) = tokio::time::timeout(KNOCK, list).await else { continue };
            let Ok(body) = answer.bytes().await else { continue };
            let Ok(json) = serde_json::from_slice::<serde_json::Value>(&body) else { continue };
            let ids = json["data"].as_array().into_iter().flatten();
            let models = ids.filter_map(|model| model["id"].as_str()).map(str::to_owned).collect();
            let (provider, name) = (provider.to_owned(), name.to_owned());
            found.push(LocalServer { provider, name, address, models });
        }
        found
    }
}
