//! Reads `agents:`, each with its own keys or with a `backend`, and finds the
//! models they name.

use std::collections::BTreeMap;
use std::path::PathBuf;

use models::{Protocol, Thinking};
use plan::{PlanMode, RuleAction};

use super::agent::{AgentConfig, Permissions};
use super::backend::{Backend, absent_model, backend, backend_model};
use super::model_ref::{ModelRef, resolve};
use super::provider::ProviderConfig;
use super::section::{Section, one_of, shown, text_of};
use super::tree::Node;
use super::{Config, ignored_keys, mcp, read_rules};

const PLAN_MODES: [(&str, PlanMode); 3] =
    [("off", PlanMode::Off), ("soft", PlanMode::Soft), ("strict", PlanMode::Strict)];

/// Reads every agent into the configuration, whose providers and models are
/// read before. A backend with an address of its own adds a provider.
pub(super) fn read(section: &Section<'_>, config: &mut Config) {
    for (name, node, path) in section.named() {
        let inner = Section::new(section.report, path, Some(node)).ignoring(ignored_keys::AGENT);
        if name.is_empty() || name.contains('/') {
            let message = "is not a name for an agent; allowed: a name without /";
            section.report.error(inner.at, &inner.path, message);
        }
        let agent = one(&inner, name, config);
        inner.finish();
        config.agents.push(agent);
    }
    refuse_shared_domains(section, &config.agents);
}

fn one(section: &Section<'_>, name: &str, config: &mut Config) -> AgentConfig {
    let backend_section = section.section("backend").ignoring(ignored_keys::BACKEND);
    let backend = backend(&backend_section, name, config);
    let (model_section, model_key) = one_of((section, "model"), (&backend_section, "model"));
    let (cwd_section, cwd_key) = one_of((section, "cwd"), (&backend_section, "cwd"));
    let (words_section, words_key) = one_of((section, "instructions"), (section, "system_message"));

    mcp::read_own(&backend_section, name, &backend, config);
    let provider = backend.provider();
    if let Backend::Unknown(kind) = &backend {
        let agent = unavailable(section, (model_section, model_key), name, kind);
        backend_section.finish();
        return agent;
    }
    let model = match model_section.get(model_key) {
        Some(node) if std::ptr::eq(model_section, &backend_section) => {
            backend_model(model_section, node, &backend, config)
        }
        Some(node) => named_model(model_section, model_key, node, provider, config),
        None => absent_model(section, &backend, config),
    };
    let plan_model = section
        .get("plan_model")
        .and_then(|node| named_model(section, "plan_model", node, provider, config));
    let alone = |name: &&ModelRef| {
        let protocol = config.providers.get(&name.provider).map(ProviderConfig::protocol);
        matches!(protocol, Some(Protocol::Rehearsal | Protocol::Acp))
    };
    if let Some(node) = section.get("plan_model")
        && let Some(name) = [&model, &plan_model].into_iter().flatten().find(alone)
    {
        let message = format!("has no effect: {name} plans for itself, and for no other model");
        section.report.warning(node.at, &section.path_of("plan_model"), message);
    }
    let agent = AgentConfig {
        name: name.to_owned(),
        // Where the name is bad there is an error, and this value is never used.
        model: model.unwrap_or_else(|| AgentConfig::tour().model),
        plan_model,
        thinking: thinking(section, "thinking"),
        plan_thinking: thinking(section, "plan_thinking"),
        plan_mode: plan_mode(section),
        domains: section.texts("domains"),
        capabilities: section.texts("capabilities"),
        instructions: words_section.text(words_key),
        permissions: permissions(section.section("permissions")),
        cwd: cwd_section.name(cwd_key).map(PathBuf::from),
        backend: provider.map(str::to_owned),
        unavailable: None,
    };
    backend_section.finish();
    agent
}

/// An agent that nothing here can be the backend of. It has a name and a model to show.
fn unavailable(
    section: &Section<'_>,
    (model_section, model_key): (&Section<'_>, &'static str),
    name: &str,
    kind: &str,
) -> AgentConfig {
    let model = model_section.get(model_key).and_then(text_of).unwrap_or("default");
    let why = format!(
        "The agent {name} is unavailable: its backend type {kind:?} is not supported. Set another \
         backend or a model for it."
    );
    for key in ["plan_model", "thinking", "plan_thinking"] {
        section.get(key);
    }
    AgentConfig {
        plan_mode: plan_mode(section),
        domains: section.texts("domains"),
        capabilities: section.texts("capabilities"),
        permissions: permissions(section.section("permissions")),
        unavailable: Some(why),
        ..AgentConfig::new(name, ModelRef::new(kind, model))
    }
}

/// A word, or a budget in tokens.
fn thinking(section: &Section<'_>, key: &'static str) -> Option<Thinking> {
    const MOST: u32 = 200_000;
    let node = section.get(key)?;
    let word = text_of(node).unwrap_or_default();
    let least = Thinking::FEWEST;
    let thinking = match word {
        // A round trip through other YAML tools turns `off` into `false`.
        "off" | "false" => Some(Thinking::Off),
        "low" => Some(Thinking::Low),
        "medium" => Some(Thinking::Medium),
        "high" => Some(Thinking::High),
        _ => {
            let tokens = word.replace('_', "").parse::<u32>().ok();
            tokens.filter(|tokens| (least..=MOST).contains(tokens)).map(Thinking::Tokens)
        }
    };
    if thinking.is_none() {
        let allowed =
            format!("off, low, medium, high, or a number of tokens from {least} to {MOST}");
        section.bad(key, node, &allowed);
    }
    thinking
}

fn plan_mode(section: &Section<'_>) -> PlanMode {
    match section.get("plan_mode").and_then(text_of) {
        // A round trip through other YAML tools turns `off` into `false`.
        Some("false") => PlanMode::Off,
        Some(_) | None => section.choice("plan_mode", &PLAN_MODES).unwrap_or_default(),
    }
}

fn permissions(section: Section<'_>) -> Permissions {
    let permissions = Permissions {
        allow: read_rules::read(&section, "allow", RuleAction::Allow),
        ask: read_rules::read(&section, "ask", RuleAction::Ask),
        deny: read_rules::read(&section, "deny", RuleAction::Deny),
        open: read_rules::read(&section, "open", RuleAction::Allow),
    };
    section.finish();
    permissions
}

/// The model a key names, or an error that says why it names none.
pub(super) fn named_model(
    section: &Section<'_>,
    key: &str,
    node: &Node,
    backend: Option<&str>,
    config: &Config,
) -> Option<ModelRef> {
    let Some(name) = text_of(node) else {
        section.bad(key, node, "the name of a model");
        return None;
    };
    match resolve(config, name, backend) {
        Ok(model) => Some(model),
        Err(error) => {
            let message = format!("is {}; {error}", shown(node));
            section.report.error(node.at, &section.path_of(key), message);
            None
        }
    }
}

fn refuse_shared_domains(section: &Section<'_>, agents: &[AgentConfig]) {
    // `Security` and `security` are one domain.
    let mut owners: BTreeMap<String, &str> = BTreeMap::new();
    for agent in agents {
        for domain in &agent.domains {
            let Some(owner) = owners.insert(domain.trim().to_lowercase(), &agent.name) else {
                continue;
            };
            if owner == agent.name {
                continue;
            }
            let at = section
                .named()
                .find(|(name, _, _)| *name == agent.name)
                .map_or(section.at, |(_, node, _)| node.at);
            let path = format!("{}.{}.domains", section.path, agent.name);
            let message = format!("claims {domain:?}, which {owner} claims already");
            section.report.error(at, &path, message);
        }
    }
}
