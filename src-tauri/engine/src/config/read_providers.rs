//! Reads `providers:`. No key is ever read from a file, nor shown in a message.

use std::collections::BTreeMap;

use super::mcp::readable;
use super::provider::{
    AgentProgram, OpenAiApi, ProviderConfig, ProviderKind, built_in, kind_of, kind_words, usual,
};
use super::section::{Section, one_of, shown, text_of};
use super::tree::Node;
use super::variables::{is_name, only_variable, unset_variable};

/// The built-in providers, changed and added to as the section says.
pub(super) fn read(section: &Section<'_>) -> BTreeMap<String, ProviderConfig> {
    let mut providers = built_in();
    for (name, node, path) in section.named() {
        let inner = Section::new(section.report, path, Some(node));
        if name.is_empty() || name.contains('/') {
            let message = "is not a name for a provider; allowed: a name without /";
            section.report.error(inner.at, &inner.path, message);
        }
        let known = providers.get(name).cloned();
        // Where it is wrong there is an error; a stand-in keeps every agent
        // that names it from being reported, too.
        let provider = one(&inner, name, known)
            .unwrap_or_else(|| usual(ProviderKind::ChatCompletion, "chatcompletion"));
        providers.insert(name.to_owned(), provider);
        inner.finish();
    }
    providers
}

fn one(section: &Section<'_>, name: &str, known: Option<ProviderConfig>) -> Option<ProviderConfig> {
    refuse_keys(section);
    let key_env = key_env(section);
    let base_url = address(section, "base_url");
    let program = program(section);
    let start = match section.get("type") {
        Some(node) => typed(section, node)?,
        None => untyped(section, name, known)?,
    };
    let mut provider = start.with(base_url, key_env, program);
    provider.api = api(section, &provider).or(provider.api);
    only_for_programs(section, &provider);
    if let Some(missing) = provider.missing()
        && section.get(missing).is_none()
    {
        section.report.error(section.at, &section.path, format!("has no {missing}"));
    }
    Some(provider)
}

const APIS: [(&str, OpenAiApi); 2] =
    [("responses", OpenAiApi::Responses), ("chat", OpenAiApi::Chat)];

/// The protocol a person chose, where there is a choice.
pub(super) fn api(section: &Section<'_>, provider: &ProviderConfig) -> Option<OpenAiApi> {
    let node = section.get("api")?;
    match provider.kind {
        ProviderKind::OpenAi
        | ProviderKind::ChatCompletion
        | ProviderKind::Xai
        | ProviderKind::Ollama
        | ProviderKind::LmStudio => section.choice("api", &APIS),
        ProviderKind::Anthropic
        | ProviderKind::Gemini
        | ProviderKind::Rehearsal
        | ProviderKind::CommandLineAgent(_) => {
            let message = "is only for providers that speak a protocol of OpenAI; leave it out";
            section.report.error(node.at, &section.path_of("api"), message);
            None
        }
    }
}

fn typed(section: &Section<'_>, node: &Node) -> Option<ProviderConfig> {
    let Some((name, kind)) = text_of(node).and_then(kind_of) else {
        section.bad("type", node, &kind_words());
        return None;
    };
    Some(usual(kind, name))
}

/// Without a type, the name may say what it is, or a command that it is a program.
fn untyped(
    section: &Section<'_>,
    name: &str,
    known: Option<ProviderConfig>,
) -> Option<ProviderConfig> {
    let program = section.get("command").map(|_| "command_line");
    let by_name = kind_of(name).or_else(|| program.and_then(kind_of));
    let provider = known.or_else(|| by_name.map(|(name, kind)| usual(kind, name)));
    if provider.is_none() {
        let message = format!("has no type; allowed: {}", kind_words());
        section.report.error(section.at, &section.path, message);
    }
    provider
}

/// A program that is an agent, as far as the section says.
pub(super) fn program(section: &Section<'_>) -> AgentProgram {
    AgentProgram {
        command: command(section),
        env: section.text_map("env"),
        hosts: hosts(section),
        read: readable(section),
    }
}

/// Keys that say nothing about any other provider.
const FOR_PROGRAMS: [&str; 5] = ["command", "args", "env", "hosts", "read"];

/// Refuses what only a program can use.
pub(super) fn only_for_programs(section: &Section<'_>, provider: &ProviderConfig) {
    if let ProviderKind::CommandLineAgent(_) = provider.kind {
        return;
    }
    for (key, node) in FOR_PROGRAMS.into_iter().filter_map(|key| Some((key, section.get(key)?))) {
        let message = "is only for programs that are agents; leave it out";
        section.report.error(node.at, &section.path_of(key), message);
    }
}

/// Hosts that a program may reach.
fn hosts(section: &Section<'_>) -> Vec<String> {
    let hosts = section.texts("hosts");
    if let Some(node) = section.get("hosts")
        && !hosts.iter().all(|host| tools::is_host(host))
    {
        section.bad("hosts", node, "hosts such as api.example.com");
    }
    hosts
}

/// A program with its arguments: `command` as text or list, `args` after it.
pub(super) fn command(section: &Section<'_>) -> Vec<String> {
    let mut command = section.texts("command");
    command.extend(section.texts("args"));
    command
}

/// Keys belong in the keyring or the environment. The value is not shown: an
/// error ends up in logs and on screens.
pub(super) fn refuse_keys(section: &Section<'_>) {
    for name in ["key", "api_key", "apikey", "apiKey", "token", "secret", "password"] {
        let is_variable = |node: &&Node| name == API_KEY && only_variable(node).is_some();
        if let Some(node) = section.get(name).filter(|node| !is_variable(node)) {
            let message = "holds a key, and keys are never kept in a file; \
                           name an environment variable with key_env, or leave both out to use the keyring";
            section.report.error(node.at, &section.path_of(name), message);
        }
    }
}

/// May name a variable with nothing beside it, as in `api_key: "${OPENAI_API_KEY}"`.
const API_KEY: &str = "api_key";

/// The name of an environment variable. Anything else is likely the key
/// itself, so it is not shown either.
pub(super) fn key_env(section: &Section<'_>) -> Option<String> {
    let named = section.get(API_KEY).and_then(only_variable);
    if let Some(name) = named
        && one_of((section, "key_env"), (section, API_KEY)).1 == API_KEY
    {
        return Some(name.to_owned());
    }
    let node = section.get("key_env")?;
    let name = text_of(node).filter(|name| is_name(name));
    if name.is_none() {
        let message = "is not the name of an environment variable; allowed: letters, digits and _";
        section.report.error(node.at, &section.path_of("key_env"), message);
    }
    name.map(str::to_owned)
}

/// An address, without a password in it.
pub(super) fn address(section: &Section<'_>, key: &'static str) -> Option<String> {
    let node = section.get(key)?;
    let path = section.path_of(key);
    let text = text_of(node).unwrap_or_default();
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
    if host.contains('@') {
        let message = "holds a name or a password; allowed: an address without them";
        section.report.error(node.at, &path, message);
        return None;
    }
    if let Some(name) = unset_variable(node) {
        let message = format!("needs the environment variable {name}, which is not set");
        section.report.warning(node.at, &path, message);
        return Some(text.to_owned());
    }
    if host.is_empty() || text.contains(char::is_whitespace) {
        let message =
            format!("is {}; allowed: an address that starts with http:// or https://", shown(node));
        section.report.error(node.at, &path, message);
        return None;
    }
    let written = text.trim_end_matches('/');
    let ends = ["/chat/completions", "/responses", "/messages"];
    if let Some(end) = ends.into_iter().find(|end| key == "base_url" && written.ends_with(end)) {
        let message = format!("ends with {end}, which is added to it; leave that out");
        section.report.warning(node.at, &path, message);
    }
    Some(text.to_owned())
}
