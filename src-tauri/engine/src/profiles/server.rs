//! What a model's server says of it, beside its answers: its window and its size.
//!
//! Nothing of this is part of a protocol that all speak, so each question is tried for a moment,
//! and only at the address that is configured. No key is sent.

use super::local::Nearness;
use crate::config::{ProviderConfig, ProviderKind};
use futures::StreamExt;
use reqwest::{Client, RequestBuilder, Url};
use serde_json::{Value, json};
use std::time::Duration;

/// How long one question may take.
const MOMENT: Duration = Duration::from_secs(2);
/// The longest answer that is read.
const MOST_BYTES: usize = 4 * 1024 * 1024;
/// The largest window that is believed, in tokens.
const MOST_TOKENS: u64 = 100_000_000;

/// What a server says of a model.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct ServerFacts {
    /// It is a program known to run models itself: nothing is paid for an answer.
    pub(super) runs_models: bool,
    /// It hands the model's requests on to somebody else.
    pub(super) hands_on: bool,
    /// Tokens the model can hold at once there.
    pub(super) window: Option<u64>,
    /// Billions of parameters.
    pub(super) billions: Option<f64>,
}

impl ServerFacts {
    fn or(self, other: Self) -> Self {
        Self {
            runs_models: self.runs_models || other.runs_models,
            hands_on: self.hands_on || other.hands_on,
            window: self.window.or(other.window),
            billions: self.billions.or(other.billions),
        }
    }
}

/// Asks a provider's server about a model.
pub(super) async fn facts(http: &Client, provider: &ProviderConfig, model: &str) -> ServerFacts {
    let none = ServerFacts::default();
    let Some(base) = provider.base_url.as_deref().and_then(|base| Url::parse(base).ok()) else {
        return none;
    };
    let server = Server { http, base: &base, model };
    match provider.kind {
        ProviderKind::Ollama => server.ollama().await,
        ProviderKind::LmStudio => server.lm_studio().await,
        ProviderKind::OpenAi | ProviderKind::ChatCompletion => {
            let listed = server.listed().await;
            // Another's server is asked only what all servers of this kind are asked.
            if Nearness::of(base.as_str()) == Nearness::Far || listed.window.is_some() {
                return listed;
            }
            let (props, ollama) = (server.props().await, server.ollama());
            match props.runs_models {
                true => listed.or(props),
                false => listed.or(ollama.await).or(server.lm_studio().await),
            }
        }
        ProviderKind::Anthropic
        | ProviderKind::Gemini
        | ProviderKind::Xai
        | ProviderKind::Rehearsal
        | ProviderKind::CommandLineAgent(_) => none,
    }
}

struct Server<'a> {
    http: &'a Client,
    base: &'a Url,
    model: &'a str,
}

impl Server<'_> {
    /// The list of models: llama.cpp and vLLM say more there than they have to.
    async fn listed(&self) -> ServerFacts {
        let path = format!("{}/models", self.base.path().trim_end_matches('/'));
        let Some(list) = answer(self.http.get(self.url(&path))).await else {
            return ServerFacts::default();
        };
        let models = list["data"].as_array().map_or(&[] as &[Value], Vec::as_slice);
        let own = models.iter().find(|one| one["id"] == self.model);
        // llama.cpp has one model, and answers to every name.
        let Some(model) = own.or(models.first().filter(|_| models.len() == 1)) else {
            return ServerFacts::default();
        };
        let parameters = model["meta"]["n_params"].as_f64();
        ServerFacts {
            runs_models: matches!(model["owned_by"].as_str(), Some("llamacpp" | "vllm")),
            hands_on: false,
            window: window(&model["meta"]["n_ctx"]).or(window(&model["max_model_len"])),
            billions: parameters.map(|count| count / 1e9),
        }
    }

    /// llama.cpp, before it said so in the list of models.
    async fn props(&self) -> ServerFacts {
        let Some(props) = answer(self.http.get(self.url("/props"))).await else {
            return ServerFacts::default();
        };
        let window = window(&props["default_generation_settings"]["n_ctx"]);
        ServerFacts { runs_models: window.is_some(), window, ..ServerFacts::default() }
    }

    async fn ollama(&self) -> ServerFacts {
        let show = self.http.post(self.url("/api/show")).json(&json!({ "model": self.model }));
        let Some(show) = answer(show).await.filter(|show| show["model_info"].is_object()) else {
            return ServerFacts::default();
        };
        // What it holds now counts: what the model could hold is more than it is given.
        let running = answer(self.http.get(self.url("/api/ps"))).await.unwrap_or_default();
        let running = running["models"].as_array().into_iter().flatten();
        let own = running.filter(|one| one["model"] == self.model || one["name"] == self.model);
        let loaded = own.map(|one| window(&one["context_length"])).next().flatten();
        let parameters = show["model_info"]["general.parameter_count"].as_f64();
        ServerFacts {
            runs_models: true,
            hands_on: show["remote_host"].is_string() || show["remote_model"].is_string(),
            window: loaded.or(num_ctx(show["parameters"].as_str().unwrap_or_default())),
            billions: parameters.map(|count| count / 1e9),
        }
    }

    async fn lm_studio(&self) -> ServerFacts {
        let Some(list) = answer(self.http.get(self.url("/api/v0/models"))).await else {
            return ServerFacts::default();
        };
        let mut models = list["data"].as_array().into_iter().flatten();
        let Some(model) = models.find(|one| one["id"] == self.model) else {
            return ServerFacts::default();
        };
        let window = window(&model["loaded_context_length"]);
        let runs_models = model["max_context_length"].is_u64();
        ServerFacts { runs_models, window, ..ServerFacts::default() }
    }

    /// Another path at the same address.
    fn url(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(path);
        url.set_query(None);
        url
    }
}

/// `num_ctx` among the parameters that Ollama gives as lines of text.
fn num_ctx(parameters: &str) -> Option<u64> {
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let set = parameters
        .lines()
        .map(words)
        .find(|words| words.first().is_some_and(|word| word == "num_ctx"));
    set?.get(1)?.parse().ok().filter(|tokens| (1..=MOST_TOKENS).contains(tokens))
}

fn window(value: &Value) -> Option<u64> {
    value.as_u64().filter(|tokens| (1..=MOST_TOKENS).contains(tokens))
}

/// A short JSON answer; nothing where something else came, or it took too long.
async fn answer(request: RequestBuilder) -> Option<Value> {
    let read = async {
        let answer = request.send().await.ok()?;
        if !answer.status().is_success() {
            return None;
        }
        let mut body = Vec::new();
        let mut pieces = answer.bytes_stream();
        while let Some(piece) = pieces.next().await {
            body.extend_from_slice(&piece.ok()?);
            if body.len() > MOST_BYTES {
                return None;
            }
        }
        serde_json::from_slice(&body).ok()
    };
    tokio::time::timeout(MOMENT, read).await.ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::Router;
    use axum::extract::State;
    use axum::http::{StatusCode, Uri};

    /// A server that knows these paths; what it says of the model `m` at `/v1`.
    async fn said(kind: ProviderKind, paths: Value) -> ServerFacts {
        async fn answer(State(paths): State<Value>, uri: Uri) -> (StatusCode, String) {
            match paths.get(uri.path()) {
                Some(body) => (StatusCode::OK, body.to_string()),
                None => (StatusCode::NOT_FOUND, "{}".to_owned()),
            }
        }
        let router = Router::new().fallback(answer).with_state(paths);
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = format!("http://{}/v1/", listener.local_addr().unwrap());
        let server = tokio::spawn(async move { axum::serve(listener, router).await });
        let provider = ProviderConfig { kind, api: None, base_url: Some(address), key_env: None };
        let facts = facts(&models::http_client(), &provider, "m").await;
        server.abort();
        facts
    }

    #[tokio::test]
    async fn llama_cpp_says_its_window_and_size() {
        let listed = json!({ "/v1/models": { "data": [{
            "id": "another-name", "owned_by": "llamacpp",
            "meta": { "n_ctx": 16_384, "n_ctx_train": 32_768, "n_params": 1_500_000_000 },
        }]}});
        let facts = said(ProviderKind::ChatCompletion, listed).await;
        assert_eq!((facts.runs_models, facts.window), (true, Some(16_384)));
        assert_eq!(facts.billions, Some(1.5));
        // An older one.
        let props = json!({
            "/v1/models": { "data": [{ "id": "m" }] },
            "/props": { "default_generation_settings": { "n_ctx": 4096 } },
        });
        let facts = said(ProviderKind::ChatCompletion, props).await;
        assert_eq!((facts.runs_models, facts.window), (true, Some(4096)));
    }

    #[tokio::test]
    async fn vllm_says_its_window() {
        let model = |id: &str, most| json!({ "id": id, "owned_by": "vllm", "max_model_len": most });
        let listed = json!({ "/v1/models": { "data": [model("other", 1), model("m", 8192)] } });
        let facts = said(ProviderKind::OpenAi, listed).await;
        assert_eq!((facts.runs_models, facts.window), (true, Some(8192)));
    }

    #[tokio::test]
    async fn ollama_says_what_it_gives_the_model_and_not_what_that_could_hold() {
        let show = json!({
            "model_info": { "general.parameter_count": 7_600_000_000_u64, "qwen2.context_length": 131_072 },
            "parameters": "stop \"x\"\nnum_ctx                        8192",
        });
        let of = |running: Value| {
            said(
                ProviderKind::Ollama,
                json!({ "/api/show": show, "/api/ps": { "models": running } }),
            )
        };
        let facts = of(json!([{ "model": "m", "context_length": 4096 }])).await;
        assert_eq!((facts.window, facts.billions), (Some(4096), Some(7.6)));
        assert!(facts.runs_models && !facts.hands_on);
        assert_eq!(of(json!([{ "model": "other", "context_length": 1 }])).await.window, Some(8192));
        // Also where it is configured as any other server.
        let as_any = json!({ "/v1/models": { "data": [{ "id": "m" }] }, "/api/show": show });
        assert_eq!(said(ProviderKind::ChatCompletion, as_any).await.window, Some(8192));
    }

    #[tokio::test]
    async fn ollama_says_when_another_computer_runs_the_model() {
        let show =
            json!({ "/api/show": { "model_info": {}, "remote_host": "https://far.example" } });
        assert!(said(ProviderKind::Ollama, show).await.hands_on);
    }

    #[tokio::test]
    async fn lm_studio_says_the_window_of_what_is_loaded() {
        let list = |model: Value| json!({ "/api/v0/models": { "data": [model] } });
        let loaded = json!({
            "id": "m", "max_context_length": 32_768, "loaded_context_length": 4096,
        });
        let facts = said(ProviderKind::LmStudio, list(loaded)).await;
        assert_eq!((facts.runs_models, facts.window), (true, Some(4096)));
        let idle = json!({ "id": "m", "max_context_length": 32_768 });
        assert_eq!(said(ProviderKind::LmStudio, list(idle)).await.window, None);
    }

    #[tokio::test]
    async fn a_server_that_says_nothing_of_itself_is_no_known_one() {
        for paths in [
            json!({}),
            json!({ "/v1/models": "no list" }),
            json!({ "/v1/models": { "data": [{ "id": "m", "owned_by": "openai" }] } }),
            json!({ "/v1/models": { "data": [{ "id": "a", "owned_by": "vllm" }, { "id": "b" }] } }),
            json!({ "/props": { "default_generation_settings": { "n_ctx": -1 } } }),
        ] {
            let facts = said(ProviderKind::ChatCompletion, paths.clone()).await;
            assert_eq!(facts, ServerFacts::default(), "{paths}");
        }
    }
}
