//! Which models may be checked without a person asking for it: those that run nearby and cost
//! nothing.

use crate::config::{Config, ModelRef, Prices, ProviderKind, is_in_table};
use reqwest::Url;
use std::net::IpAddr;

/// How far away an address is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nearness {
    /// On this computer.
    Here,
    /// In a network of the person's own.
    Private,
    /// Anywhere else, or not known: a name may lead anywhere.
    Far,
}

impl Nearness {
    /// Of an address as it is written; no name is looked up.
    pub(super) fn of(address: &str) -> Self {
        let Ok(url) = Url::parse(address) else { return Self::Far };
        let host = url.host_str().unwrap_or_default();
        if host == "localhost" || host.ends_with(".localhost") {
            return Self::Here;
        }
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        match bare.parse::<IpAddr>().map(|address| address.to_canonical()) {
            Ok(address) if address.is_loopback() => Self::Here,
            Ok(IpAddr::V4(address)) if address.is_private() || address.is_link_local() => {
                Self::Private
            }
            Ok(IpAddr::V6(address))
                if address.is_unique_local() || address.is_unicast_link_local() =>
            {
                Self::Private
            }
            Ok(IpAddr::V4(_) | IpAddr::V6(_)) | Err(_) => Self::Far,
        }
    }
}

/// Whether a model runs nearby by all that the configuration says, and nothing is paid for it.
pub(super) fn is_free(config: &Config, model: &ModelRef) -> bool {
    let Some(provider) = config.providers.get(&model.provider) else { return false };
    let Some(address) = &provider.base_url else { return false };
    let near = match (&provider.kind, Nearness::of(address)) {
        (ProviderKind::Ollama | ProviderKind::LmStudio, Nearness::Here | Nearness::Private) => true,
        (ProviderKind::OpenAi | ProviderKind::ChatCompletion, Nearness::Here) => true,
        (
            ProviderKind::Anthropic
            | ProviderKind::OpenAi
            | ProviderKind::ChatCompletion
            | ProviderKind::Gemini
            | ProviderKind::Xai
            | ProviderKind::Ollama
            | ProviderKind::LmStudio
            | ProviderKind::Rehearsal
            | ProviderKind::CommandLineAgent(_),
            Nearness::Here | Nearness::Private | Nearness::Far,
        ) => false,
    };
    let costs = |prices: Prices| prices.input > 0 || prices.output > 0;
    let paid = config.facts(model).prices.is_some_and(costs);
    // Someone who wants a key may count, and pass requests on to whom they pay.
    near && !paid && provider.key_env.is_none() && !is_hosted(&model.model)
}

/// Whether a model goes by the name of one that is paid for.
fn is_hosted(name: &str) -> bool {
    name.ends_with("-cloud") || name.ends_with(":cloud") || is_in_table(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_near_only_where_it_says_so_itself() {
        for (address, nearness) in [
            ("http://127.0.0.1:11434/v1", Nearness::Here),
            ("http://127.8.8.8/v1", Nearness::Here),
            ("http://localhost:8080/v1", Nearness::Here),
            ("http://[::1]:8080/v1", Nearness::Here),
            ("http://[::ffff:127.0.0.1]:8080/v1", Nearness::Here),
            ("http://192.168.1.4:11434/v1", Nearness::Private),
            ("http://10.0.0.4/v1", Nearness::Private),
            ("http://[fd00::1]/v1", Nearness::Private),
            ("https://api.openai.com/v1", Nearness::Far),
            ("http://192.169.1.4/v1", Nearness::Far),
            ("http://localhost.example.com/v1", Nearness::Far),
            ("http://127.0.0.1.nip.example/v1", Nearness::Far),
            ("http://printer.lan/v1", Nearness::Far),
            ("nonsense", Nearness::Far),
        ] {
            assert_eq!(Nearness::of(address), nearness, "{address}");
        }
    }

    #[test]
    fn only_what_runs_nearby_and_costs_nothing_is_checked_unasked() {
        let text = "
providers:
  llama: { type: chatcompletion, base_url: 'http://127.0.0.1:8080/v1' }
  shed: { type: ollama, base_url: 'http://192.168.1.4:11434/v1' }
  box: { type: chatcompletion, base_url: 'http://192.168.1.4:8080/v1' }
  away: { type: chatcompletion, base_url: 'https://llm.example/v1' }
  keyed: { type: chatcompletion, base_url: 'http://127.0.0.1:4000/v1', key_env: SOME_KEY }
models:
  llama/dear: { prices: { input: 1, output: 2 } }
  llama/cheap: { prices: { input: 0, output: 0 } }
";
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("plancard.yaml"), text).unwrap();
        let config = Config::load(folder.path()).unwrap().config;
        let free = |name: &str| is_free(&config, &config.model(name, None).unwrap());
        for name in ["llama/small", "llama/cheap", "shed/qwen3:8b", "ollama/x", "lmstudio/x"] {
            assert!(free(name), "{name}");
        }
        for name in [
            "box/small",
            "away/small",
            "keyed/small",
            "llama/dear",
            "llama/gpt-4o",
            "ollama/gpt-oss:120b-cloud",
            "openai/gpt-5",
            "anthropic/claude-opus",
            "rehearsal/tour",
        ] {
            assert!(!free(name), "{name}");
        }
    }
}
