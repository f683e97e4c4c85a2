//! The configuration that a run gives Plancard: the person's model behind the proxy, and time
//! enough for a slow one.

use crate::http;
use crate::options::{Options, Source, Speaks};
use serde_json::Value;
use std::time::Duration;

/// Where the model is, and how Plancard is told of it.
pub struct Setup {
    /// Scheme, host and port of every provider that is asked.
    pub origins: Vec<String>,
    /// The model's name at its provider.
    pub model: String,
    /// What a check found that it can do, as the configuration says it.
    pub abilities: String,
    form: Form,
}

enum Form {
    Address { path: String, speaks: Speaks, key_env: Option<String> },
    Text(String),
}

impl Setup {
    /// Works it out; without a name the first model that the server lists is taken.
    pub async fn new(options: &Options) -> Result<Self, String> {
        match &options.source {
            Source::Address { url, speaks, key_env } => {
                let (origin, path) = parts(url)?;
                let model = match &options.model {
                    Some(model) => model.clone(),
                    None => first_model(url, key_env.as_deref()).await?,
                };
                let (speaks, key_env) = (*speaks, key_env.clone());
                let form = Form::Address { path, speaks, key_env };
                Ok(Self { origins: vec![origin], model, abilities: String::new(), form })
            }
            Source::Config(file) => {
                let text = std::fs::read_to_string(file)
                    .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
                let model = options.model.clone().unwrap_or_default();
                let addresses = addresses(&text);
                if addresses.is_empty() {
                    return Err(format!(
                        "{} has no base_url: the evaluation records what goes to an address, so \
                         write the provider's out",
                        file.display()
                    ));
                }
                let origins: Result<Vec<String>, String> =
                    addresses.iter().map(|url| parts(url).map(|(origin, _)| origin)).collect();
                let (form, abilities) = (Form::Text(text), String::new());
                Ok(Self { origins: origins?, model, abilities, form })
            }
        }
    }

    /// The address of the model behind the proxy, for the bare loop.
    pub fn bare_address(&self, proxy: &str) -> Option<String> {
        match &self.form {
            Form::Address { path, .. } => Some(format!("{proxy}{path}")),
            Form::Text(_) => None,
        }
    }

    /// The variable with the key.
    pub fn key_env(&self) -> Option<&str> {
        match &self.form {
            Form::Address { key_env, .. } => key_env.as_deref(),
            Form::Text(_) => None,
        }
    }

    /// The file that Plancard reads.
    pub fn yaml(&self, proxy: impl Fn(usize) -> String, window: u64, limit: Duration) -> String {
        let seconds = limit.as_secs();
        // Nothing of ours ends a task sooner than the person who measures.
        let rest = format!(
            "caps: {{ sidekick_seconds: {seconds}, stalled_seconds: {seconds}, timeout_ms: {} }}\n\
             ui: {{ first_run_done: true }}\n",
            seconds * 1_000
        );
        match &self.form {
            Form::Address { path, speaks, key_env } => {
                let speaks = match speaks {
                    Speaks::Chat => "type: chatcompletion",
                    Speaks::Anthropic => "type: anthropic",
                    Speaks::Responses => "type: openai, api: responses",
                };
                let key = key_env.as_ref().map(|name| format!(", key_env: {name}"));
                let (key, model) =
                    (key.unwrap_or_default(), quoted(&format!("eval/{}", self.model)));
                let abilities = &self.abilities;
                let address = quoted(&format!("{}{path}", proxy(0)));
                format!(
                    "providers:\n  eval: {{ {speaks}, base_url: {address}{key} }}\n\
                     models:\n  {model}: {{ context_window: {window}{abilities} }}\n\
                     agents:\n  default: {{ model: {model} }}\n{rest}"
                )
            }
            Form::Text(text) => {
                let mut text = without_sections(text, &["agents", "caps", "ui"]);
                for (number, url) in addresses(&text).into_iter().enumerate() {
                    if let Ok((_, path)) = parts(&url) {
                        text = text.replace(&url, &format!("{}{path}", proxy(number)));
                    }
                }
                let model = quoted(&self.model);
                format!("{text}\nagents:\n  default: {{ model: {model} }}\n{rest}")
            }
        }
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Origin and path of an address.
fn parts(url: &str) -> Result<(String, String), String> {
    let address = reqwest::Url::parse(url).map_err(|error| format!("{url}: {error}"))?;
    let (scheme, Some(host)) = (address.scheme(), address.host_str()) else {
        return Err(format!("{url} names no host"));
    };
    let port = address.port().map(|port| format!(":{port}")).unwrap_or_default();
    let path = address.path().trim_end_matches('/').to_owned();
    Ok((format!("{scheme}://{host}{port}"), path))
}

/// Every address that stands after `base_url:`, each once.
fn addresses(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, name) in text.match_indices("base_url:") {
        let rest = text[at + name.len()..].trim_start_matches([' ', '"', '\'']);
        let end = rest.find(['"', '\'', ' ', ',', '}', '\n', '\r']).unwrap_or(rest.len());
        let url = rest[..end].to_owned();
        if url.starts_with("http") && !found.contains(&url) {
            found.push(url);
        }
    }
    found
}

/// The text without these sections at its top.
fn without_sections(text: &str, names: &[&str]) -> String {
    let mut kept = String::new();
    let mut inside = false;
    for line in text.lines() {
        let begins = !line.is_empty() && !line.starts_with([' ', '\t', '#', '-', '}']);
        if begins {
            inside = names
                .iter()
                .any(|name| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(':')));
        }
        if !inside {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

async fn first_model(url: &str, key_env: Option<&str>) -> Result<String, String> {
    let address = format!("{url}/models");
    let why = |error: String| format!("{address} lists no models ({error}); give --model");
    let mut request = http::client().get(&address);
    if let Some(key) = key_env.and_then(|name| std::env::var(name).ok()) {
        request = request.header("authorization", format!("Bearer {key}"));
    }
    let answer = request.send().await.map_err(|error| why(error.to_string()))?;
    let body = answer.bytes().await.map_err(|error| why(error.to_string()))?;
    let value: Value = serde_json::from_slice(&body).map_err(|error| why(error.to_string()))?;
    let id = value["data"][0]["id"].as_str().ok_or_else(|| why("no id".into()))?;
    // Some servers name a model by its file.
    let name = id.rsplit('/').next().unwrap_or(id);
    Ok(name.strip_suffix(".gguf").unwrap_or(name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_however_they_are_written() {
        let text = "providers:\n  a: { base_url: \"http://x:1/v1\", type: chat }\n  b:\n    \
                    base_url: https://y.example/v1\n  c: {base_url: 'http://x:1/v1'}\n";
        assert_eq!(addresses(text), ["http://x:1/v1", "https://y.example/v1"]);
        let expected = ("https://y.example".to_owned(), "/v1".to_owned());
        assert_eq!(parts("https://y.example/v1/"), Ok(expected));
    }

    #[test]
    fn a_persons_file_keeps_its_providers_and_gets_our_agent() {
        let text = "providers:\n  a: { base_url: \"http://x:1/v1\" }\nagents:\n  \
                    default: { model: old/one }\n# mine\nmodels:\n  m: a/m\n";
        let setup = Setup {
            origins: vec!["http://x:1".into()],
            model: "a/m".into(),
            abilities: String::new(),
            form: Form::Text(text.into()),
        };
        let yaml = setup.yaml(|number| format!("http://p/{number}"), 1, Duration::from_secs(60));
        assert!(yaml.contains("base_url: \"http://p/0/v1\""), "{yaml}");
        assert!(!yaml.contains("old/one"), "{yaml}");
        assert!(yaml.contains("default: { model: \"a/m\" }"), "{yaml}");
        assert!(yaml.contains("sidekick_seconds: 60"), "{yaml}");
    }
}
