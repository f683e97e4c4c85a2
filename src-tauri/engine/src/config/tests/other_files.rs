//! Files that were written for another program load as far as they can mean something here.

use serde_json::{Value, json};

use super::super::{AgentConfig, ModelRef};
use super::{config, problems};

const NO_EFFECT: &str = "these keys have no effect here:";

#[test]
fn a_single_agent_is_a_list_of_one() {
    let single = config("agent: { id: a, backend: { type: openai, model: gpt-5 } }");
    let list = config("agents: [{ id: a, backend: { type: openai, model: gpt-5 } }]");
    assert_eq!(single.agents, list.agents);
    assert!(single.set_by_person("agents.a.backend.model"));
    let nameless = config("agent: { backend: { type: openai, model: gpt-5 } }");
    assert_eq!(nameless.agents[0].name, "default");
    assert_eq!(
        problems("agents: {}\nagent: { id: a, backend: { type: openai, model: gpt-5 } }"),
        ["2: error: agent is one agent, and there are agents on line 1; keep one of them"]
    );
    assert_eq!(problems("agent: me"), ["1: error: agents is text; allowed: a map"]);
}

#[test]
fn a_backend_of_an_unknown_type_makes_its_agent_unavailable() {
    let text = "agents:
  - id: a
    backend: { type: azure_openai, model: gpt-4.1, base_url: 'https://x.example', api_key: '${AZURE_KEY}' }
    system_message: Be kind.
  - { id: b, backend: { type: openai, model: gpt-5 } }
  - { id: c, backend: { type: opneai } }
";
    let found = problems(text);
    assert_eq!(found.len(), 2, "{found:?}");
    let known = "which is not supported; the agent is unavailable; known: anthropic, claude, ";
    assert!(
        found[0].starts_with(&format!(
            "3: warning: agents.a.backend.type is \"azure_openai\", {known}"
        )),
        "{found:?}"
    );
    assert_eq!(
        found[1],
        "6: warning: agents.c.backend.type is \"opneai\", which is not supported; the agent is unavailable; did you mean openai?"
    );
    let config = config(text);
    let a = config.agent("a").unwrap();
    assert_eq!(a.model, ModelRef::new("azure_openai", "gpt-4.1"));
    let why = a.unavailable.as_deref().unwrap();
    assert!(
        why.starts_with("The agent a is unavailable: its backend type \"azure_openai\""),
        "{why}"
    );
    assert_eq!(config.agent("c").unwrap().model, ModelRef::new("opneai", "default"));
    assert_eq!(config.default_agent().name, "b", "the first that is available");
    assert!(!config.providers.contains_key("a"));
    assert_eq!(config.in_words()["agents"]["a"]["unavailable"], json!(why));
}

#[test]
fn keys_that_do_nothing_here_are_one_warning() {
    let text = "agents:
  - { id: a, backend: { type: openai, model: gpt-5, temperature: 0.7, enable_web_search: true } }
  - { id: b, append_system_prompt: x, backend: { type: gemini, model: gemini-2.5-pro, temperature: 1 } }
orchestrator:
  context_paths: [{ path: docs, permission: read }]
  coordination: { use_skills: true, use_skils: true }
memory: { enabled: true }
ui: { display_type: simple, logging_enabled: true }
";
    assert_eq!(
        problems(text),
        [
            format!(
                "2: warning: {NO_EFFECT} agents.append_system_prompt, backend.enable_web_search, backend.temperature, coordination.use_skills, memory, orchestrator.context_paths"
            ),
            "6: warning: orchestrator.coordination.use_skils is not a known key".to_owned(),
        ]
    );
}

#[test]
fn servers_of_a_backend_are_a_list_or_a_map_and_each_is_one_server() {
    let text = "agents:
  - id: a
    backend:
      type: openai
      model: gpt-5
      mcp_servers:
        - { name: weather, type: stdio, command: npx, args: [-y, weather], security: { level: high } }
  - id: b
    backend:
      type: gemini
      model: gemini-2.5-pro
      mcp_servers:
        weather: { type: stdio, command: npx, args: [-y, weather] }
  - id: b.2
    backend: { type: grok, model: grok-4, mcp_servers: { weather: { url: 'http://localhost:8000/mcp' } } }
  - id: c
    backend: { type: ag2, mcp_servers: [{ name: far, url: 'http://localhost:1' }] }
";
    let found = problems(text);
    assert_eq!(found.len(), 3, "{found:?}");
    assert_eq!(found[0], format!("7: warning: {NO_EFFECT} mcp_servers.security"));
    assert_eq!(
        found[1],
        "15: warning: agents.b.2.backend.mcp_servers.weather differs from another server of that name; it is \"weather_b_2\" here"
    );
    let servers = config(text).mcp_servers;
    assert_eq!(servers.keys().collect::<Vec<_>>(), ["weather", "weather_b_2"]);
    assert_eq!(
        problems(
            "agents: [{ id: a, backend: { type: openai, model: gpt-5, mcp_servers: [{ command: x }] } }]"
        ),
        ["1: error: agents.a.backend.mcp_servers[0] has no name"]
    );
}

#[test]
fn a_key_may_be_a_variable_and_nothing_else() {
    let backend = |key: &str| {
        format!("agents: [{{ id: a, backend: {{ type: openai, model: gpt-5, {key} }} }}]")
    };
    let named = config(&backend("api_key: '${AZURE_KEY}'"));
    assert_eq!(named.providers["a"].key_env.as_deref(), Some("AZURE_KEY"));
    let provider = config("providers: { openai: { api_key: \"${WORK_KEY}\" } }");
    assert_eq!(provider.providers["openai"].key_env.as_deref(), Some("WORK_KEY"));
    // A variable that is set is named all the same, and its value is nowhere.
    let set = config(&backend("api_key: '${PATH}'"));
    assert_eq!(set.providers["a"].key_env.as_deref(), Some("PATH"));

    for key in ["sk-x", "x${A}", "${A}${B}", "$A", "${A B}", "Bearer ${A}", "${PATH} "] {
        let found = problems(&backend(&format!("api_key: '{key}'")));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("api_key holds a key, and keys are never kept"), "{found:?}");
    }
    for other in ["key", "token", "password"] {
        assert!(problems(&backend(&format!("{other}: '${{A}}'")))[0].contains("holds a key"));
    }
    assert_eq!(
        problems(&backend("api_key: '${A}', key_env: B")),
        [
            "1: error: agents.a.backend.api_key is also set as agents.a.backend.key_env on line 1; keep one of them"
        ]
    );
}

#[test]
fn a_variable_is_filled_in_wherever_a_value_stands() {
    let path = std::env::var("PATH").unwrap();
    let text = "agents:
  - { id: a, system_message: 'I am ${PATH}', backend: { type: openai, model: '${PLANCARD_UNSET}' } }
mcp_servers: { files: { command: x, args: ['--in=${PATH}', '${PLANCARD_UNSET}'], env: { P: '${PATH}' } } }
";
    assert_eq!(problems(text), [""; 0]);
    let config = config(text);
    let agent = config.default_agent();
    assert_eq!(agent.instructions, Some(format!("I am {path}")));
    assert_eq!(agent.model, ModelRef::new("openai", "${PLANCARD_UNSET}"), "as it is written");
    let shown = Value::Object(config.in_words());
    let args = json!(["--in=${PATH}", "${PLANCARD_UNSET}"]);
    assert_eq!(shown["mcp_servers"]["files"]["args"], args, "by the names of variables");

    // A rule means the text that a command has.
    let text =
        "agents: { a: { model: rehearsal/tour, permissions: { deny: ['shell(rm ${PATH})'] } } }";
    assert_eq!(super::config(text).default_agent().permissions.deny, ["shell(rm ${PATH})"]);
    assert_eq!(AgentConfig::tour().permissions.deny, [""; 0]);
}

#[test]
fn what_a_variable_holds_is_in_no_message() {
    let path = std::env::var("PATH").unwrap();
    for text in [
        "orchestrator: { max_new_answers_global: '${PATH}' }",
        "agents: { a: { model: rehearsal/tour, plan_mode: '${PATH}' } }",
        "agents: { a: { model: '${PATH}' } }",
        "agents: { a: { backend: { type: '${PATH}', model: x } } }",
        "orchestrator: { snapshot_storage: '/etc/${PATH}', voting_sensitivity: '${PATH}' }",
        "providers: { home: { type: openai, base_url: '${PATH}' } }",
    ] {
        let found = problems(text);
        assert!(!found.is_empty(), "{text}");
        assert!(!found.iter().any(|one| one.contains(&path)), "{found:?}");
    }
}

#[test]
fn an_address_waits_for_its_variable() {
    let text =
        "agents: [{ id: a, backend: { type: openai, model: x, base_url: '${PLANCARD_UNSET}' } }]";
    assert_eq!(
        problems(text),
        [
            "1: warning: agents.a.backend.base_url needs the environment variable PLANCARD_UNSET, which is not set"
        ]
    );
}
