//! A configuration in the words of the file, every default filled in: what the
//! settings screen shows. It never holds a key.

use models::Thinking;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

use super::abilities::form_word;
use super::agent::AgentConfig;
use super::facts::{ModelFacts, Prices};
use super::goals::OnPartial;
use super::mcp::{McpServer, McpTransport};
use super::provider::{ProviderConfig, ProviderKind};
use super::{Config, ModelRef, variables};

impl Config {
    /// Every section, by the name it has in the file.
    pub fn in_words(&self) -> Map<String, Value> {
        let caps = &self.caps;
        let listen = self.api.listen.to_string();
        let sections = [
            (
                "providers",
                by_name(self.providers.iter().map(|(name, one)| (name, provider(name, one)))),
            ),
            ("agents", by_name(self.agents.iter().map(|one| (&one.name, agent(one))))),
            ("models", self.models_in_words()),
            ("caps", json!(caps)),
            ("planner", self.planner_in_words()),
            ("orchestrator", self.orchestrator_in_words()),
            ("timeout_settings", self.timeouts_in_words()),
            ("mcp_servers", by_name(self.mcp_servers.iter().map(|(name, one)| (name, mcp(one))))),
            ("spending", json!(self.spending)),
            ("network", json!({ "private_hosts": self.network.private_hosts })),
            ("sandbox", json!({ "read": self.sandbox.read })),
            ("limits", json!(self.limits)),
            ("workspaces", json!(self.workspaces)),
            ("redact", self.redact.iter().map(|one| one.0.as_str()).collect()),
            ("ui", self.ui_in_words()),
            (
                "api",
                json!({
                    "enabled": self.api.enabled, "listen": listen,
                    "rights": self.api.rights().words(),
                }),
            ),
        ];
        let mut words: Map<String, Value> =
            sections.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        words.values_mut().for_each(|value| self.name_variables(value));
        words
    }

    /// Shows variables by their names: what they hold may be secret.
    fn name_variables(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = variables::named_again(text, self.variables()),
            Value::Array(items) => items.iter_mut().for_each(|item| self.name_variables(item)),
            Value::Object(map) => map.values_mut().for_each(|item| self.name_variables(item)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn models_in_words(&self) -> Value {
        by_name(self.models.aliases.iter().map(|(name, target)| {
            let model = self.model(name, None).ok();
            let said = model.and_then(|model| self.models.facts.get(&model));
            (name, said.map_or_else(|| json!(target), |said| facts(target, said)))
        }))
    }

    fn planner_in_words(&self) -> Value {
        let planner = &self.planner;
        let on_partial = match planner.on_partial_completion {
            OnPartial::Synthesize => "synthesize",
            OnPartial::Fail => "fail",
        };
        json!({
            "enabled": planner.enabled,
            "maxDepth": self.caps.depth,
            "parallelism": self.caps.parallelism,
            "synthesisAgent": planner.synthesis_agent,
            "decompositionModel": planner.decomposition_model.as_ref().map(ModelRef::to_string),
            "timeoutMs": self.caps.timeout_ms,
            "onPartialCompletion": on_partial,
        })
    }

    fn ui_in_words(&self) -> Value {
        let ui = &self.ui;
        json!({
            "theme": ui.theme.word(),
            "notifications": ui.notifications,
            "quiet_hours": ui.quiet_hours.map(|hours| hours.to_string()),
            "pause_shortcut": ui.pause_shortcut.as_ref().map_or("", |keys| keys.as_str()),
            "keep_awake": ui.keep_awake,
            "first_run_done": ui.first_run_done,
            "tray_notice_done": ui.tray_notice_done,
        })
    }
}

fn by_name<'a>(entries: impl Iterator<Item = (&'a String, Value)>) -> Value {
    Value::Object(entries.map(|(name, value)| (name.clone(), value)).collect())
}

fn provider(name: &str, provider: &ProviderConfig) -> Value {
    let (kind, program) = match &provider.kind {
        ProviderKind::Anthropic => ("anthropic", None),
        ProviderKind::OpenAi => ("openai", None),
        ProviderKind::ChatCompletion => ("chatcompletion", None),
        ProviderKind::Gemini => ("gemini", None),
        ProviderKind::Xai => ("xai", None),
        ProviderKind::Ollama => ("ollama", None),
        ProviderKind::LmStudio => ("lmstudio", None),
        ProviderKind::Rehearsal => ("rehearsal", None),
        ProviderKind::CommandLineAgent(program) => ("command_line", Some(program)),
    };
    let mut value =
        json!({ "type": kind, "base_url": provider.base_url, "key_env": provider.key_env });
    if let Some(program) = program {
        value["command"] = json!(program.command);
        value["not_installed"] =
            json!(crate::agents::not_installed(name, program).map(|trouble| trouble.to_string()));
        value["hosts"] = json!(program.hosts);
        value["read"] = json!(program.read);
        value["env"] = names(&program.env);
    }
    if let Some(api) = provider.api {
        value["api"] = json!(api.word());
    }
    value
}

fn agent(agent: &AgentConfig) -> Value {
    let rules = &agent.permissions;
    let mut value = json!({
        "model": agent.model.to_string(),
        "plan_model": agent.plan_model.as_ref().map(ModelRef::to_string),
        "thinking": agent.thinking.map(thinking),
        "plan_thinking": agent.plan_thinking.map(thinking),
        "plan_mode": agent.plan_mode,
        "domains": agent.domains,
        "capabilities": agent.capabilities,
        "instructions": agent.instructions,
        "permissions": {
            "allow": rules.allow, "ask": rules.ask, "deny": rules.deny, "open": rules.open,
        },
    });
    if let Some(why) = &agent.unavailable {
        value["unavailable"] = json!(why);
    }
    value
}

/// A budget as a number, everything else as a word.
fn thinking(thinking: Thinking) -> Value {
    match thinking {
        Thinking::Tokens(tokens) => json!(tokens),
        Thinking::Off | Thinking::Low | Thinking::Medium | Thinking::High => {
            json!(thinking.to_string())
        }
    }
}

fn facts(target: &str, facts: &ModelFacts) -> Value {
    let dollars = |micros: u64| micros as f64 / 1_000_000.0;
    let prices = |prices: &Prices| {
        json!({
            "input": dollars(prices.input), "output": dollars(prices.output),
            "cache_read": dollars(prices.cache_read),
            "cache_write": dollars(prices.cache_write),
        })
    };
    json!({
        "model": target,
        "context_window": facts.context_window,
        "max_output": facts.max_output,
        "vision": facts.vision,
        "tools": facts.abilities.tools.map(form_word),
        "simple": facts.abilities.simple,
        "parallel": facts.abilities.parallel,
        "schema": facts.abilities.schema,
        "forced_tool": facts.abilities.forced_tool,
        "thinks": facts.abilities.thinks,
        "prices": facts.prices.as_ref().map(prices),
    })
}

/// The names alone: values may be secrets.
fn names(values: &BTreeMap<String, String>) -> Value {
    values.keys().cloned().collect()
}

fn mcp(server: &McpServer) -> Value {
    let mut value = match &server.transport {
        McpTransport::Process { command, args, env, cwd, read } => json!({
            "command": command, "args": args, "env": names(env), "cwd": cwd, "read": read,
            "share": server.share,
        }),
        McpTransport::Http { url, headers } => json!({ "url": url, "headers": names(headers) }),
    };
    value["trusted"] = json!(server.trusted);
    value["effects"] = json!(server.effects);
    value
}
