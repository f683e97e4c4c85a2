use std::collections::BTreeMap;
use std::path::PathBuf;

use expect_test::expect;
use plan::{Caps, PlanMode};

use super::super::*;
use super::{check, config, load};

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../../../../tests/fixtures/config/", $name))
    };
}

#[test]
fn the_example_means_what_it_says() {
    let loaded = load(fixture!("example.yaml")).unwrap();
    assert_eq!(loaded.warnings, []);
    let config = loaded.config;

    let home = ProviderConfig {
        kind: ProviderKind::OpenAi,
        api: None,
        base_url: Some("http://127.0.0.1:8080/v1".into()),
        key_env: Some("HOME_LLM_KEY".into()),
    };
    assert_eq!(config.providers["home"], home);
    let default = AgentConfig {
        plan_model: Some(ModelRef::new("home", "large")),
        plan_mode: PlanMode::Strict,
        ..AgentConfig::new("default", ModelRef::new("home", "small"))
    };
    let reviewer = AgentConfig {
        domains: vec!["security".into()],
        ..AgentConfig::new("reviewer", ModelRef::new("anthropic", "claude-sonnet"))
    };
    assert_eq!(config.default_agent(), default);
    assert_eq!(config.agents, [default, reviewer]);
    assert_eq!(config.caps, Caps::default());
}

#[test]
fn nothing_at_all_is_a_configuration() {
    for text in ["", "# nothing yet\n", "---\n", "agents:\ncaps: {}\n"] {
        let config = config(text);
        assert_eq!(config.default_agent(), AgentConfig::tour());
        assert_eq!(config.providers, Config::default().providers);
        assert_eq!(config.caps, Caps::default());
    }
}

#[test]
fn built_in_providers_are_at_their_usual_addresses() {
    let addresses: BTreeMap<String, Option<String>> = Config::default()
        .providers
        .into_iter()
        .map(|(name, provider)| (name, provider.base_url))
        .collect();
    expect![[r#"
        {
            "anthropic": Some(
                "https://api.anthropic.com/v1",
            ),
            "gemini": Some(
                "https://generativelanguage.googleapis.com/v1beta",
            ),
            "lmstudio": Some(
                "http://127.0.0.1:1234/v1",
            ),
            "ollama": Some(
                "http://127.0.0.1:11434/v1",
            ),
            "openai": Some(
                "https://api.openai.com/v1",
            ),
            "rehearsal": None,
            "xai": Some(
                "https://api.x.ai/v1",
            ),
        }
    "#]]
    .assert_debug_eq(&addresses);
}

#[test]
fn a_coder_with_two_models_loads() {
    let config = config(fixture!("seeds/plan-mode-issue.yaml"));
    let coder = AgentConfig {
        plan_model: Some(ModelRef::new("anthropic", "claude-opus-5-5")),
        plan_mode: PlanMode::Soft,
        ..AgentConfig::new("coder", ModelRef::new("anthropic", "claude-sonnet-5-5"))
    };
    assert_eq!(config.default_agent(), coder);
}

#[test]
fn a_planner_loads_and_its_numbers_are_caps() {
    let config =
        config("caps: { steps: 5 }\nplanner: { maxDepth: 2, parallelism: 3, timeoutMs: 1000 }");
    let expected =
        Caps { steps: 5, depth: 2, parallelism: 3, timeout_ms: 1_000, ..Caps::default() };
    assert_eq!(config.caps, expected);

    let loaded = load(fixture!("seeds/planner-and-orchestrator.yaml")).unwrap();
    let planner = Planner {
        enabled: true,
        synthesis_agent: None,
        decomposition_model: Some(ModelRef::new("anthropic", "claude-3-7-sonnet-20250219")),
        on_partial_completion: OnPartial::Synthesize,
    };
    assert_eq!(loaded.config.planner, planner);
    assert_eq!(loaded.config.caps, Caps::default());
    check(
        fixture!("seeds/planner-and-orchestrator.yaml"),
        &expect![[r#"
            plancard.yaml:5: planner.synthesisAgent is "orchestrator", and there is no such agent; the default agent does it
        "#]],
    );
}

#[test]
fn a_council_of_two_loads() {
    let loaded = load(fixture!("seeds/planning-mode-4.yaml")).unwrap();
    assert_eq!(loaded.warnings, []);
    let agent = |name: &str, provider: &str, model: &str, cwd: &str| AgentConfig {
        cwd: Some(PathBuf::from(cwd)),
        backend: Some(provider.into()),
        ..AgentConfig::new(name, ModelRef::new(provider, model))
    };
    let agents = [
        agent("agent_a", "gemini", "gemini-2.5-flash", "workspace_a"),
        agent("agent_b", "openai", "gpt-5-nano", "workspace_b"),
    ];
    assert_eq!(loaded.config.agents, agents);
    expect![[r#"
        (
            Orchestrator {
                snapshot_storage: Some(
                    "snapshots",
                ),
                agent_temporary_workspace: Some(
                    "temp_workspaces",
                ),
                enable_planning_mode: Some(
                    true,
                ),
                planning_mode_instruction: Some(
                    "During coordination, describe what you would do without executing.\nOnly the winning agent will implement the plan.\n",
                ),
                rules: CouncilRules {
                    defer_voting_until_all_answered: false,
                    max_new_answers_per_agent: Some(
                        2,
                    ),
                    max_new_answers_global: None,
                    answer_novelty_requirement: Lenient,
                    fairness_lead_cap_answers: Some(
                        2,
                    ),
                    max_midstream_injections_per_round: 2,
                    voting_sensitivity: Lenient,
                    orchestrator_timeout_seconds: 1800,
                    initial_round_timeout_seconds: None,
                    subsequent_round_timeout_seconds: None,
                    round_timeout_grace_seconds: 120,
                    final_answer_strategy: WinnerPresent,
                    max_orchestration_restarts: 0,
                    evidence: None,
                    tokens: None,
                    cost_micros: None,
                },
            },
            Ui {
                theme: System,
                notifications: true,
                quiet_hours: None,
                pause_shortcut: Some(
                    Shortcut(
                        "Ctrl+Alt+Shift+P",
                    ),
                ),
                keep_awake: true,
                first_run_done: false,
                tray_notice_done: false,
            },
        )
    "#]].assert_debug_eq(&(loaded.config.orchestrator, loaded.config.ui));
}

#[test]
fn every_other_block_of_the_seeds_loads() {
    let planning = |text: &str| config(text).orchestrator.enable_planning_mode;
    assert_eq!(planning(fixture!("seeds/planning-mode-1.yaml")), Some(true));
    assert_eq!(planning(fixture!("seeds/planning-mode-2.yaml")), Some(true));
    assert_eq!(planning(fixture!("seeds/planning-mode-3.yaml")), Some(true));
    assert_eq!(planning(fixture!("seeds/planning-mode-5.yaml")), Some(true));

    let told = config(fixture!("seeds/planning-mode-6.yaml"))
        .orchestrator
        .planning_mode_instruction
        .unwrap();
    assert!(told.starts_with("IMPORTANT: DO NOT") && told.ends_with("would do.\n"), "{told}");

    let agent = config(fixture!("seeds/planning-mode-7.yaml")).default_agent();
    assert_eq!((agent.name.as_str(), agent.model), ("agent_a", AgentConfig::tour().model));
    assert!(agent.instructions.unwrap().starts_with("During coordination"));
    check(
        fixture!("seeds/planning-mode-7.yaml"),
        &expect![[r#"
        plancard.yaml:2: agents.agent_a names no model; it runs on rehearsal/tour
    "#]],
    );

    assert_eq!(config(fixture!("seeds/planning-mode-8.yaml")).caps.council_seconds, 600);
}

#[test]
fn mcp_servers_load_as_a_map_and_as_a_list() {
    let map = config(
        "mcp_servers:\n  files: { command: npx, args: [-y, server-files], env: { LEVEL: 3 }, trusted: true }\n  \
         web: { url: 'https://example.org/mcp', headers: { X-Team: blue } }\n",
    );
    let list = config(
        "mcp_servers:\n  - { name: files, command: [npx, -y, server-files], env: { LEVEL: '3' }, trusted: yes }\n  \
         - { name: web, type: streamable-http, url: 'https://example.org/mcp', headers: { X-Team: blue } }\n",
    );
    assert_eq!(map.mcp_servers, list.mcp_servers);
    let words = map.in_words();
    assert_eq!(words["mcp_servers"]["files"]["env"], serde_json::json!(["LEVEL"]), "no values");
    assert_eq!(words["mcp_servers"]["web"]["headers"], serde_json::json!(["X-Team"]), "no values");
    expect![[r#"
        {
            "files": McpServer {
                transport: Process {
                    command: "npx",
                    args: [
                        "-y",
                        "server-files",
                    ],
                    env: {
                        "LEVEL": "3",
                    },
                    cwd: None,
                    read: [],
                },
                trusted: true,
                share: false,
                effects: {},
            },
            "web": McpServer {
                transport: Http {
                    url: "https://example.org/mcp",
                    headers: {
                        "X-Team": "blue",
                    },
                },
                trusted: false,
                share: false,
                effects: {},
            },
        }
    "#]]
    .assert_debug_eq(&map.mcp_servers);
}

#[test]
fn agents_hold_all_they_can_hold() {
    let config = config(
        "agents:\n  a:\n    model: ollama/qwen3:8b\n    capabilities: [rust]\n    instructions: Be brief.\n    \
         permissions: { allow: ['shell cargo *'], ask: [fetch], deny: 'shell rm *' }\n    cwd: /srv/a\n",
    );
    let agent = AgentConfig {
        capabilities: vec!["rust".into()],
        instructions: Some("Be brief.".into()),
        permissions: Permissions {
            allow: vec!["shell cargo *".into()],
            ask: vec!["fetch".into()],
            deny: vec!["shell rm *".into()],
            open: Vec::new(),
        },
        cwd: Some(PathBuf::from("/srv/a")),
        ..AgentConfig::new("a", ModelRef::new("ollama", "qwen3:8b"))
    };
    assert_eq!(config.agents, [agent]);
}

#[test]
fn backend_types_map_to_providers() {
    let of = |backend: &str| {
        let config = config(&format!("agents: [{{ id: a, backend: {{ {backend} }} }}]"));
        let agent = config.default_agent();
        let provider = config.providers[&agent.model.provider].clone();
        format!("{} = {:?} {:?}\n", agent.model, provider.kind, provider.base_url)
    };
    let backends = [
        "type: claude, model: claude-opus-5",
        "type: openai, model: gpt-99",
        "type: gemini, model: gemini-2.5-pro",
        "type: grok, model: grok-4.5",
        "type: lmstudio, model: openai/gpt-oss-20b",
        "type: ollama, model: gpt-5",
        "type: chatcompletion, model: gpt-5, base_url: 'https://llm.example/v1'",
        "type: claude_code",
        "type: gemini_cli, model: gemini-2.5-pro",
        "type: command_line, command: my-agent, args: [--acp]",
    ];
    let lines: String = backends.into_iter().map(of).collect();
    expect![[r#"
        anthropic/claude-opus-5 = Anthropic Some("https://api.anthropic.com/v1")
        openai/gpt-99 = OpenAi Some("https://api.openai.com/v1")
        gemini/gemini-2.5-pro = Gemini Some("https://generativelanguage.googleapis.com/v1beta")
        xai/grok-4.5 = Xai Some("https://api.x.ai/v1")
        lmstudio/openai/gpt-oss-20b = LmStudio Some("http://127.0.0.1:1234/v1")
        ollama/gpt-5 = Ollama Some("http://127.0.0.1:11434/v1")
        a/gpt-5 = ChatCompletion Some("https://llm.example/v1")
        claude_code/default = CommandLineAgent(AgentProgram { command: ["claude-code-acp"], env: {}, hosts: [], read: [] }) None
        gemini_cli/gemini-2.5-pro = CommandLineAgent(AgentProgram { command: ["gemini", "--acp"], env: {}, hosts: [], read: [] }) None
        a/default = CommandLineAgent(AgentProgram { command: ["my-agent", "--acp"], env: {}, hosts: [], read: [] }) None
    "#]]
    .assert_eq(&lines);
}

#[test]
fn a_default_agent_is_the_one_called_default_or_the_first() {
    let named = config("agents: { a: { model: rehearsal/x }, default: { model: rehearsal/y } }");
    assert_eq!(named.default_agent().name, "default");
    let first = config("agents: { zoe: { model: rehearsal/x }, amy: { model: rehearsal/y } }");
    assert_eq!(first.default_agent().name, "zoe");
}

#[test]
fn aliases_and_merge_keys_are_followed() {
    let config = config(
        "agents:\n  a: &base { model: rehearsal/x, plan_mode: soft }\n  b: { <<: *base, model: rehearsal/y }\n",
    );
    let b = config.agent("b").unwrap();
    assert_eq!((b.plan_mode, b.model.model.as_str()), (PlanMode::Soft, "y"));
}

#[test]
fn files_from_other_editors_load() {
    let config =
        config("\u{feff}caps:\r\n  steps: 7\r\nagents:\r\n  a: { model: rehearsal/x }\r\n");
    assert_eq!((config.caps.steps, config.default_agent().model.model.as_str()), (7, "x"));
}

#[test]
fn a_provider_may_be_a_program_or_a_changed_built_in() {
    let config = config(
        "providers:\n  mine: { command: my-agent, args: [--acp] }\n  codex: {}\n  openai: { key_env: WORK_KEY }\n",
    );
    let program = |words: &[&str]| {
        let command = words.iter().map(|word| (*word).to_owned()).collect();
        ProviderKind::CommandLineAgent(AgentProgram { command, ..AgentProgram::default() })
    };
    assert_eq!(config.providers["mine"].kind, program(&["my-agent", "--acp"]));
    assert_eq!(config.providers["codex"].kind, program(&["codex-acp"]));
    let openai = ProviderConfig {
        key_env: Some("WORK_KEY".into()),
        ..Config::default().providers["openai"].clone()
    };
    assert_eq!(config.providers["openai"], openai);
}
