use serde_json::{Value, json};

use super::{config, load, load_both};

const EVERYTHING: &str = "
providers: { home: { type: openai, base_url: 'http://127.0.0.1:8080/v1', key_env: HOME_KEY, api: chat } }
agents:
  default: { model: home/small, plan_model: home/large, plan_mode: soft, domains: [a],
             thinking: low, plan_thinking: 20000,
             capabilities: [b], instructions: be kind, permissions: { deny: ['shell(rm *)'] } }
models:
  quick: home/small
  big: { model: home/large, context_window: 1000, tools: text, simple: true, thinks: false, prices: { input: 1.5, output: 2 } }
caps: { steps: 7, council_restarts: 2 }
planner: { enabled: false, maxDepth: 2, onPartialCompletion: fail, decompositionModel: quick }
orchestrator: { voting_sensitivity: strict, fairness_enabled: false, tokens: 9, final_answer_strategy: synthesize, coordination: { enable_planning_mode: true } }
timeout_settings: { orchestrator_timeout_seconds: 60 }
mcp_servers: { files: { command: serve-files, args: [--here] }, far: { url: 'https://x.example' } }
ui: { notifications: false, quiet_hours: '22:00-7:00', pause_shortcut: '' }
sandbox: { read: [/opt/models] }
limits: { memory_mb: 4000, all_memory_mb: 6000, processes: 100, all_processes: 300, processors: 2 }
workspaces: [/opt/work]
redact: ['ghp_[A-Za-z0-9]{36}']
api: { enabled: true, listen: '127.0.0.1:0', rights: [read, approve] }
";

/// Every path that leads to something that is not a map.
fn leaves(value: &Value, path: &str, found: &mut Vec<String>) {
    let Value::Object(map) = value else {
        found.push(path.to_owned());
        return;
    };
    for (key, inner) in map {
        leaves(inner, &format!("{path}.{key}"), found);
    }
}

#[test]
fn what_is_shown_is_what_the_file_would_say() {
    let first = config(EVERYTHING);
    let words = serde_json::to_string(&first.in_words()).unwrap();
    // Caps have two names; a file may use one.
    let mut again: Value = serde_json::from_str(&words).unwrap();
    for name in ["depth", "parallelism", "timeout_ms", "council_seconds", "council_restarts"] {
        again["caps"].as_object_mut().unwrap().remove(name);
    }
    // Of variables and headers only the names are shown.
    let without_values = |words: &mut Value| {
        for server in words["mcp_servers"].as_object_mut().unwrap().values_mut() {
            server.as_object_mut().unwrap().retain(|name, _| name != "env" && name != "headers");
        }
    };
    without_values(&mut again);
    let second = load_both("", &again.to_string()).unwrap();
    assert_eq!(second.warnings, vec![]);
    let [mut one, mut two] =
        [&first, &second.config].map(|config| Value::Object(config.in_words()));
    without_values(&mut one);
    without_values(&mut two);
    assert_eq!(one, two);
}

#[test]
fn every_documented_key_is_there_with_its_default() {
    let words = Value::Object(load("").unwrap().config.in_words());
    let mut found = Vec::new();
    leaves(&words["planner"], "planner", &mut found);
    leaves(&words["orchestrator"], "orchestrator", &mut found);
    leaves(&words["timeout_settings"], "timeout_settings", &mut found);
    for key in [
        "planner.enabled",
        "planner.maxDepth",
        "planner.parallelism",
        "planner.synthesisAgent",
        "planner.decompositionModel",
        "planner.timeoutMs",
        "planner.onPartialCompletion",
        "orchestrator.snapshot_storage",
        "orchestrator.agent_temporary_workspace",
        "orchestrator.coordination.enable_planning_mode",
        "orchestrator.coordination.planning_mode_instruction",
        "orchestrator.coordination.max_orchestration_restarts",
        "orchestrator.voting_sensitivity",
        "orchestrator.max_new_answers_per_agent",
        "orchestrator.max_new_answers_global",
        "orchestrator.answer_novelty_requirement",
        "orchestrator.fairness_enabled",
        "orchestrator.fairness_lead_cap_answers",
        "orchestrator.max_midstream_injections_per_round",
        "orchestrator.defer_voting_until_all_answered",
        "orchestrator.final_answer_strategy",
        "orchestrator.evidence",
        "orchestrator.tokens",
        "orchestrator.cost_micros",
        "timeout_settings.orchestrator_timeout_seconds",
        "timeout_settings.initial_round_timeout_seconds",
        "timeout_settings.subsequent_round_timeout_seconds",
        "timeout_settings.round_timeout_grace_seconds",
    ] {
        assert!(found.iter().any(|path| path == key), "{key}");
    }
    let council = &words["orchestrator"];
    for (key, usual) in [
        ("voting_sensitivity", json!("lenient")),
        ("max_new_answers_per_agent", json!(2)),
        ("max_new_answers_global", Value::Null),
        ("answer_novelty_requirement", json!("lenient")),
        ("fairness_enabled", json!(true)),
        ("fairness_lead_cap_answers", json!(2)),
        ("max_midstream_injections_per_round", json!(2)),
        ("defer_voting_until_all_answered", json!(true)),
        ("final_answer_strategy", json!("winner_present")),
        ("tokens", Value::Null),
    ] {
        assert_eq!(council[key], usual, "{key}");
    }
    let times = json!({
        "orchestrator_timeout_seconds": 1_800, "initial_round_timeout_seconds": null,
        "subsequent_round_timeout_seconds": null, "round_timeout_grace_seconds": 120,
    });
    assert_eq!(words["timeout_settings"], times);
    assert_eq!(
        words["ui"],
        json!({
            "theme": "system", "notifications": true, "quiet_hours": null,
            "pause_shortcut": "Ctrl+Alt+Shift+P", "keep_awake": true,
            "first_run_done": false, "tray_notice_done": false,
        })
    );
    let rights = ["read", "supervise", "run"];
    let api = json!({ "enabled": false, "listen": "127.0.0.1:7435", "rights": rights });
    assert_eq!(words["api"], api);
    assert_eq!(words["caps"]["steps"], 20);
    assert_eq!((&words["agents"], &words["mcp_servers"]), (&json!({}), &json!({})));
}

#[test]
fn none_is_a_choice_for_what_the_window_does() {
    let ui = config("ui: { quiet_hours: '', pause_shortcut: '' }").ui;
    assert_eq!((ui.quiet_hours, ui.pause_shortcut), (None, None));
}
