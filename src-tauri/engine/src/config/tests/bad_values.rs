use expect_test::expect;
use models::{Protocol, Thinking};
use plan::PlanMode;

use super::super::{ModelRef, Part};
use super::{check, config, load};

#[test]
fn a_bad_value_is_an_error_that_says_what_is_allowed() {
    check(
        "agents:\n  default:\n    # careful\n    model: rehearsal/tour\n\n\n    plan_mode: hard\n",
        &expect![[r#"
            plancard.yaml:7: agents.default.plan_mode is "hard"; allowed: off, soft, strict
        "#]],
    );
    let errors = load("caps:\n  steps: 0\n").unwrap_err();
    let problem = &errors.0[0];
    assert_eq!((problem.line, problem.column), (Some(2), Some(10)));
    assert_eq!(problem.path, "caps.steps");
}

#[test]
fn thinking_is_a_word_or_a_budget() {
    let of = |value: &str| {
        config(&format!("agents: {{ a: {{ model: rehearsal/tour, thinking: {value} }} }}"))
            .default_agent()
            .thinking
    };
    assert_eq!(of("false"), Some(Thinking::Off));
    assert_eq!(of("high"), Some(Thinking::High));
    assert_eq!(of("16_000"), Some(Thinking::Tokens(16_000)));
    assert_eq!(of(""), None);
    check(
        "agents: { a: { model: rehearsal/tour, thinking: 12, plan_thinking: much } }",
        &expect![[r#"
            plancard.yaml:1: agents.a.thinking is 12; allowed: off, low, medium, high, or a number of tokens from 1024 to 200000
            plancard.yaml:1: agents.a.plan_thinking is "much"; allowed: off, low, medium, high, or a number of tokens from 1024 to 200000
        "#]],
    );
    let text =
        "agents: { a: { model: home/s, plan_model: home/l, thinking: low, plan_thinking: high } }
providers: { home: { type: ollama } }";
    let agent = config(text).default_agent();
    let thinking = (agent.thinking_in(Part::Execute), agent.thinking_in(Part::Plan));
    assert_eq!(thinking, (Some(Thinking::Low), Some(Thinking::High)));
    let agent = config("agents: { a: { model: rehearsal/tour, thinking: low } }").default_agent();
    assert_eq!(agent.thinking_in(Part::Plan), Some(Thinking::Low), "where nothing else is said");
}

#[test]
fn a_provider_says_which_protocol_it_speaks() {
    let config = config(
        "providers:
  ours: { type: openai, base_url: 'http://127.0.0.1:8080/v1' }
  region: { type: openai, base_url: 'https://eu.api.openai.com/v1' }
  old: { type: openai, api: chat }
  grok: { type: xai, api: responses }
  false_friend: { type: openai, base_url: 'https://api.openai.com.example/v1' }
",
    );
    let protocol = |name: &str| config.providers[name].protocol();
    for (name, expected) in [
        ("openai", Protocol::OpenAiResponses),
        ("region", Protocol::OpenAiResponses),
        ("grok", Protocol::OpenAiResponses),
        ("ours", Protocol::OpenAiChat),
        ("old", Protocol::OpenAiChat),
        ("false_friend", Protocol::OpenAiChat),
        ("xai", Protocol::OpenAiChat),
        ("ollama", Protocol::OpenAiChat),
        ("lmstudio", Protocol::OpenAiChat),
        ("anthropic", Protocol::Anthropic),
        ("gemini", Protocol::Gemini),
        ("rehearsal", Protocol::Rehearsal),
    ] {
        assert_eq!(protocol(name), expected, "{name}");
    }
    check(
        "providers: { a: { type: gemini, api: chat }, b: { type: openai, api: soap } }",
        &expect![[r#"
            plancard.yaml:1: providers.a.api is only for providers that speak a protocol of OpenAI; leave it out
            plancard.yaml:1: providers.b.api is "soap"; allowed: responses, chat
        "#]],
    );
}

#[test]
fn a_name_of_ours_becomes_the_name_the_provider_knows() {
    let config =
        config("providers: { proxy: { type: anthropic, base_url: 'http://127.0.0.1:1' } }");
    for (provider, model, expected) in [
        ("anthropic", "claude-sonnet", "claude-sonnet-5-5"),
        ("proxy", "claude-sonnet", "claude-sonnet-5-5"),
        ("anthropic", "claude-sonnet-5-5", "claude-sonnet-5-5"),
        ("anthropic", "claude-next", "claude-next"),
        ("ollama", "claude-sonnet", "claude-sonnet"),
    ] {
        let name = ModelRef::new(provider, model);
        assert_eq!(config.name_at_provider(&name), expected, "{name}");
    }
}

#[test]
fn every_error_is_told_in_the_order_of_the_file() {
    check(
        "ui: { theme: pink, notifications: loud, quiet_hours: '9:00-9:00', pause_shortcut: P }
caps: { steps: 0, attempts: -1, auto_steps: many, nodes: [], tokens: 0, timeout_ms: 1.5 }
planner:
  enabled: perhaps
  maxDepth: 11
  onPartialCompletion: guess
  decompositionModel: nowhere/model
orchestrator:
  voting_sensitivity: [loud]
  max_new_answers_per_agent: 0
  coordination: { enable_planning_mode: 2, max_orchestration_restarts: -1 }
timeout_settings: { orchestrator_timeout_seconds: 0 }
api: { enabled: 1, listen: '0.0.0.0:80' }
agents:
  a: { plan_mode: on, domains: { x: 1 }, permissions: strict }
  b: text
  c: { backend: { type: z, base_url: 'http://there' } }
  d: { backend: { type: chatcompletion, model: x } }
  e: { backend: { type: openai } }
mcp_servers:
  one: {}
  two: { command: a, url: 'http://b' }
  a.b: { command: c }
  three: { url: ftp://b }
providers:
  x: { base_url: http://here }
  y: { type: opneai }
  z: { type: openai, base_url: nowhere }
  w: { type: chatcompletion }
  v: { type: command_line }
models:
  small: [a]
  big: { model: rehearsal/tour, context_window: 0, prices: { input: -1 } }
",
        &expect![[r#"
            plancard.yaml:1: ui.theme is "pink"; allowed: system, light, dark
            plancard.yaml:1: ui.notifications is "loud"; allowed: true, false
            plancard.yaml:1: ui.quiet_hours is "9:00-9:00"; allowed: two different times of day such as 22:00-07:00, or nothing for none
            plancard.yaml:1: ui.pause_shortcut is "P"; allowed: keys such as Ctrl+Alt+Shift+P (Ctrl, Alt or Super, then a letter, a digit, F1 to F24 or a name such as Pause), or "" for none
            plancard.yaml:2: caps.steps is 0; allowed: a whole number from 1 to 1000
            plancard.yaml:2: caps.attempts is -1; allowed: a whole number from 1 to 100
            plancard.yaml:2: caps.auto_steps is "many"; allowed: a whole number from 1 to 1000
            plancard.yaml:2: caps.nodes is a list; allowed: a whole number from 1 to 1000
            plancard.yaml:2: caps.tokens is 0; allowed: a whole number from 1 to 1000000000000
            plancard.yaml:2: caps.timeout_ms is 1.5; allowed: a whole number from 1 to 86400000
            plancard.yaml:4: planner.enabled is "perhaps"; allowed: true, false
            plancard.yaml:5: planner.maxDepth is 11; allowed: a whole number from 1 to 10
            plancard.yaml:6: planner.onPartialCompletion is "guess"; allowed: synthesize, fail
            plancard.yaml:7: planner.decompositionModel is "nowhere/model"; there is no provider "nowhere"; there are: anthropic, gemini, lmstudio, ollama, openai, rehearsal, v, w, x, xai, y, z
            plancard.yaml:9: orchestrator.voting_sensitivity is a list; allowed: lenient, balanced, strict
            plancard.yaml:10: orchestrator.max_new_answers_per_agent is 0; allowed: a whole number from 1 to 1000
            plancard.yaml:11: orchestrator.coordination.enable_planning_mode is 2; allowed: true, false
            plancard.yaml:11: orchestrator.coordination.max_orchestration_restarts is -1; allowed: a whole number from 0 to 20
            plancard.yaml:12: timeout_settings.orchestrator_timeout_seconds is 0; allowed: a whole number from 1 to 86400
            plancard.yaml:13: api.enabled is 1; allowed: true, false
            plancard.yaml:13: api.listen is "0.0.0.0:80"; allowed: an address of this computer with a port, such as 127.0.0.1:7435
            plancard.yaml:15: agents.a.plan_mode is "on"; allowed: off, soft, strict
            plancard.yaml:15: agents.a.domains is a map; allowed: a list of texts
            plancard.yaml:15: agents.a.permissions is text; allowed: a map
            plancard.yaml:16: agents.b is text; allowed: a map
            plancard.yaml:17: agents.c.backend.type is "z"; allowed: anthropic, claude, openai, chatcompletion, openai_compatible, gemini, xai, grok, ollama, lmstudio, rehearsal, command_line, acp, claude_code, codex, copilot, gemini_cli, goose, opencode, or the name of a provider
            plancard.yaml:18: agents.d.backend.type is "chatcompletion"; it needs base_url beside it, or a provider of that name
            plancard.yaml:19: agents.e has a backend but names no model
            plancard.yaml:21: mcp_servers.one has neither command nor url; allowed: one of them
            plancard.yaml:22: mcp_servers.two has both command and url; allowed: one of them
            plancard.yaml:23: mcp_servers.a.b is not a name for a server; allowed: a name without dots
            plancard.yaml:24: mcp_servers.three.url is "ftp://b"; allowed: an address that starts with http:// or https://
            plancard.yaml:26: providers.x has no type; allowed: anthropic, claude, openai, chatcompletion, openai_compatible, gemini, xai, grok, ollama, lmstudio, rehearsal, command_line, acp, claude_code, codex, copilot, gemini_cli, goose, opencode
            plancard.yaml:27: providers.y.type is "opneai"; allowed: anthropic, claude, openai, chatcompletion, openai_compatible, gemini, xai, grok, ollama, lmstudio, rehearsal, command_line, acp, claude_code, codex, copilot, gemini_cli, goose, opencode
            plancard.yaml:28: providers.z.base_url is "nowhere"; allowed: an address that starts with http:// or https://
            plancard.yaml:29: providers.w has no base_url
            plancard.yaml:30: providers.v has no command
            plancard.yaml:32: models.small is a list; allowed: provider/model, a map
            plancard.yaml:33: models.big.context_window is 0; allowed: a whole number from 1 to 100000000
            plancard.yaml:33: models.big.prices needs both input and output
            plancard.yaml:33: models.big.prices.input is -1; allowed: dollars per million tokens, from 0 to 1000000
        "#]],
    );
}

#[test]
fn an_unknown_key_is_a_warning_with_its_path() {
    check(
        "agnet: {}
agents:
  default: { modle: x, model: rehearsal/tour, permissions: { denny: [x] } }
caps: { stepps: 3, colour: red }
orchestrator: { coordination: { enable_planing_mode: true }, skip_voting: true }
providers: { home: { type: openai, base_uri: 'http://x' } }
ui: { notification: true }
",
        &expect![[r#"
            plancard.yaml:1: agnet is not a known key; did you mean agents?
            plancard.yaml:3: agents.default.modle is not a known key; did you mean model?
            plancard.yaml:3: agents.default.permissions.denny is not a known key; did you mean deny?
            plancard.yaml:4: caps.stepps is not a known key; did you mean steps?
            plancard.yaml:4: caps.colour is not a known key
            plancard.yaml:5: orchestrator.coordination.enable_planing_mode is not a known key; did you mean enable_planning_mode?
            plancard.yaml:5: orchestrator.skip_voting is not a known key
            plancard.yaml:6: providers.home.base_uri is not a known key; did you mean base_url?
            plancard.yaml:7: ui.notification is not a known key; did you mean notifications?
        "#]],
    );
}

/// A key can be pasted anywhere, and the message about that place quotes what stands there.
#[test]
fn a_key_in_a_wrong_place_is_not_shown() {
    for text in [
        "providers: { home: { type: KEY } }",
        "providers: { home: { type: openai, KEY: x } }",
        "agents: { default: { model: KEY } }",
        "agents: { default: { plan_mode: KEY } }",
        "caps: { steps: KEY }",
        "caps: { KEY: 3 }",
        "KEY: x",
        "KEY: x\nKEY: y",
        "redact: ['(KEY']",
        "api: { rights: [KEY] }",
        "providers: { home: { type: openai, base_url: 'KEY' } }",
        "agents: { default: { permissions: { deny: ['KEY('] } } }",
        "providers: {\n  home: { type: 'KEY\n",
        "providers:\n  - KEY\n",
        "a: KEY: b",
        "a: *KEY",
        "a: !KEY b\n c",
    ] {
        for key in ["sk-proj-x9x9x9x9x9x9x9x9x9", "aB3dE5gH7jK9mN1pQ3sT5vW7"] {
            let shown = match load(&text.replace("KEY", key)) {
                Ok(loaded) => format!("{:?}", loaded.warnings),
                Err(errors) => format!("{errors} {errors:?}"),
            };
            assert!(!shown.contains(&key[4..16]), "{text}: {shown}");
        }
    }
}

#[test]
fn keys_are_refused_and_never_shown() {
    let text = "providers:
  openai: { api_key: sk-secret-1 }
  home: { type: openai, key: sk-secret-2 }
  away: { type: openai, key_env: sk-secret-3 }
  far: { type: openai, base_url: 'https://me:sk-secret-4@example.org' }
  anthropic: sk-secret-5
agents:
  - { id: a, backend: { type: openai, model: gpt-5, api_key: sk-secret-6 } }
";
    let errors = load(text).unwrap_err();
    assert!(!format!("{errors} {errors:?}").contains("secret"), "{errors}");
    check(
        text,
        &expect![[r#"
        plancard.yaml:2: providers.openai.api_key holds a key, and keys are never kept in a file; name an environment variable with key_env, or leave both out to use the keyring
        plancard.yaml:3: providers.home.key holds a key, and keys are never kept in a file; name an environment variable with key_env, or leave both out to use the keyring
        plancard.yaml:4: providers.away.key_env is not the name of an environment variable; allowed: letters, digits and _
        plancard.yaml:5: providers.far.base_url holds a name or a password; allowed: an address without them
        plancard.yaml:6: providers.anthropic is text; allowed: a map
        plancard.yaml:8: agents.a.backend.api_key holds a key, and keys are never kept in a file; name an environment variable with key_env, or leave both out to use the keyring
    "#]],
    );
}

#[test]
fn off_means_off_however_it_is_written() {
    for written in ["off", "'off'", "\"off\"", "false", "!!str off"] {
        let text = format!("agents: {{ a: {{ model: rehearsal/tour, plan_mode: {written} }} }}");
        assert_eq!(config(&text).agents[0].plan_mode, PlanMode::Off, "{written}");
    }
    let text = "agents: { a: { model: rehearsal/tour, plan_mode: strict } }";
    assert_eq!(config(text).agents[0].plan_mode, PlanMode::Strict);
}

#[test]
fn caps_are_kept_at_their_edges() {
    let edges = [
        ("steps", 1, 1_000),
        ("nodes", 1, 1_000),
        ("attempts", 1, 100),
        ("repeats", 1, 100),
        ("idle_turns", 1, 100),
        ("planning_turns", 1, 1_000),
        ("auto_steps", 1, 1_000),
        ("sidekicks", 1, 1_000),
        ("sidekicks_per_plan", 1, 100),
        ("sidekick_turns", 1, 10_000),
        ("sidekick_seconds", 1, 86_400),
        ("stalled_seconds", 1, 86_400),
        ("parallelism", 1, 100),
        ("depth", 1, 10),
        ("timeout_ms", 1, 86_400_000),
        ("council_seconds", 1, 86_400),
        ("council_restarts", 0, 20),
        ("shell_seconds", 1, 86_400),
        ("tool_seconds", 1, 86_400),
        ("tokens", 1, 1_000_000_000_000_i64),
        ("cost_micros", 1, 1_000_000_000_000),
        ("seconds", 1, 86_400 * 366),
    ];
    let names = serde_json::to_value(plan::Caps::default()).unwrap();
    assert_eq!(names.as_object().unwrap().len(), edges.len());
    for (name, least, most) in edges {
        for good in [least, most] {
            let caps = config(&format!("caps: {{ {name}: {good} }}")).caps;
            assert_eq!(serde_json::to_value(caps).unwrap()[name], good, "{name}");
        }
        for bad in [least - 1, most + 1] {
            let errors = load(&format!("caps: {{ {name}: {bad} }}")).unwrap_err();
            let expected = format!(
                "plancard.yaml:1: caps.{name} is {bad}; allowed: a whole number from {least} to {most}"
            );
            assert_eq!(errors.to_string(), expected);
        }
    }
}

#[test]
fn limits_of_commands_are_within_bounds() {
    let edges = [
        ("memory_mb", 64, 16_000_000),
        ("all_memory_mb", 64, 16_000_000),
        ("processes", 16, 100_000),
        ("all_processes", 16, 1_000_000),
        ("processors", 1, 1_024),
    ];
    let names = serde_json::to_value(tools::ResourceLimits::default()).unwrap();
    assert_eq!(names.as_object().unwrap().len(), edges.len());
    for (name, least, most) in edges {
        for good in [least, most] {
            let limits = config(&format!("limits: {{ {name}: {good} }}")).limits;
            assert_eq!(serde_json::to_value(limits).unwrap()[name], good, "{name}");
        }
        for bad in [least - 1, most + 1] {
            let errors = load(&format!("limits: {{ {name}: {bad} }}")).unwrap_err();
            let expected = format!(
                "plancard.yaml:1: limits.{name} is {bad}; allowed: a whole number from {least} to {most}"
            );
            assert_eq!(errors.to_string(), expected);
        }
    }
}

#[test]
fn two_words_for_one_thing_in_one_file_is_an_error() {
    check(
        "caps: { depth: 2 }
planner: { maxDepth: 3 }
agents:
  a: { model: rehearsal/tour, backend: { model: gpt-5 } }
",
        &expect![[r#"
            plancard.yaml:2: planner.maxDepth is also set as caps.depth on line 1; keep one of them
            plancard.yaml:4: agents.a.backend.model is also set as agents.a.model on line 4; keep one of them
        "#]],
    );
}

#[test]
fn a_domain_has_one_owner() {
    check(
        "agents:
  a: { model: rehearsal/tour, domains: [security, docs] }
  b: { model: rehearsal/tour, domains: [docs] }
",
        &expect![[r#"
            plancard.yaml:3: agents.b.domains claims "docs", which a claims already
        "#]],
    );
}

#[test]
fn a_domain_is_one_however_it_is_written() {
    check(
        "agents:
  a: { model: rehearsal/tour, domains: [Security] }
  b: { model: rehearsal/tour, domains: [\" security\"] }
planner: { maxNodes: 0 }
",
        &expect![[r#"
            plancard.yaml:3: agents.b.domains claims " security", which a claims already
            plancard.yaml:4: planner.maxNodes is 0; allowed: a whole number from 1 to 1000
        "#]],
    );
}

#[test]
fn lists_need_names_and_each_name_once() {
    check(
        "agents:
  - { id: a, backend: { type: claude_code } }
  - { id: a, backend: { type: claude_code } }
  - { backend: { type: claude_code } }
  - text
mcp_servers: [{ command: x }]
",
        &expect![[r#"
            plancard.yaml:3: agents[1] has the id "a", which is taken already
            plancard.yaml:4: agents[2] has no id
            plancard.yaml:5: agents[3] is not a map; allowed: a map
            plancard.yaml:6: mcp_servers[0] has no name
        "#]],
    );
}

#[test]
fn what_is_not_yaml_is_told_with_its_line() {
    check(
        "caps:\n  steps: [1\nagents: {}\n",
        &expect![[r#"
        plancard.yaml:3: this is not YAML: illegal placement of ':' indicator
    "#]],
    );
    check(
        "caps: { steps: 3 }\ncaps: { steps: 4 }\n",
        &expect![[r#"
        plancard.yaml:2: caps is already set on line 1
    "#]],
    );
    check(
        "agents:\n  a: { model: x/y, model: z }\n",
        &expect![[r#"
        plancard.yaml:2: agents.a.model is "x/y"; there is no provider "x"; there are: anthropic, gemini, lmstudio, ollama, openai, rehearsal, xai
        plancard.yaml:2: agents.a.model is already set on line 2
    "#]],
    );
    check(
        "caps: *nowhere\n",
        &expect![[r#"
        plancard.yaml:1: this is not YAML: while parsing node, found unknown anchor
    "#]],
    );
    check(
        "a: 1\n---\nb: 2\n",
        &expect![[r#"
        plancard.yaml:2: a second document starts here; allowed: one
    "#]],
    );
    check(
        "- a\n- b\n",
        &expect![[r#"
            plancard.yaml:1: the file is a list; allowed: a map
        "#]],
    );
}

#[test]
fn aliases_cannot_make_a_small_file_huge() {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..9 {
        let below = format!("*a{}", level - 1);
        text += &format!("a{level}: &a{level} [{}]\n", vec![below; 10].join(", "));
    }
    check(
        &text,
        &expect![[r#"
        plancard.yaml:5: the file is too large; allowed: 50000 values
    "#]],
    );
}

#[test]
fn what_servers_may_and_do_is_checked() {
    check(
        "\
mcp_servers:
  files: { command: x, share: perhaps, read: [relative], effects: { a: read, b: delegate } }
",
        &expect![[r#"
            plancard.yaml:2: mcp_servers.files.share is "perhaps"; allowed: true, false
            plancard.yaml:2: mcp_servers.files.read is a list; allowed: absolute paths
            plancard.yaml:2: mcp_servers.files.effects.b is "delegate"; allowed: read, write, write_outside, exec, network
        "#]],
    );
}

#[test]
fn the_rights_of_the_token_are_words_of_a_list_and_approving_has_to_be_one_of_them() {
    let of = |text: &str| config(text).api.rights().words();
    assert_eq!(of(""), ["read", "supervise", "run"]);
    assert_eq!(of("api: { rights: }"), ["read", "supervise", "run"]);
    assert_eq!(of("api: { rights: read }"), ["read"]);
    assert_eq!(of("api: { rights: [approve, read] }"), ["read", "approve"]);
    check(
        "api:\n  rights: [read, aprove]\n",
        &expect![[r#"
            plancard.yaml:2: api.rights has "aprove"; allowed: read, supervise, run, approve
        "#]],
    );
    check(
        "api:\n  rights: [approve]\n",
        &expect![[r#"
            plancard.yaml:2: api.rights has no read, which comes with every token; allowed: read, supervise, run, approve
        "#]],
    );
    check(
        "api:\n  rights: { approve: true }\n",
        &expect![[r#"
            plancard.yaml:2: api.rights is a map; allowed: a list of read, supervise, run, approve
        "#]],
    );
}

#[test]
fn what_a_model_can_do_is_said_in_known_words() {
    check(
        "models: { tour: { model: rehearsal/tour, tools: xml, simple: maybe, paralel: true } }",
        &expect![[r#"
            plancard.yaml:1: models.tour.tools is "xml"; allowed: native, text, none
            plancard.yaml:1: models.tour.simple is "maybe"; allowed: true, false
        "#]],
    );
    check(
        "models: { tour: { model: rehearsal/tour, paralel: true } }",
        &expect![[r#"
            plancard.yaml:1: models.tour.paralel is not a known key; did you mean parallel?
        "#]],
    );
}

#[test]
fn agents_by_name_below_agent_and_an_address_with_too_much_are_warned_of() {
    check(
        "agent: { default: { model: rehearsal/tour } }
providers:
  home: { type: chatcompletion, base_url: 'http://127.0.0.1:1/v1/chat/completions' }
",
        &expect![[r#"
            plancard.yaml:1: agent is one agent, and this holds agents by their names; write agents
            plancard.yaml:3: providers.home.base_url ends with /chat/completions, which is added to it; leave that out
        "#]],
    );
}
