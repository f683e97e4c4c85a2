//! Agents that are programs, as a file names them.

use std::path::PathBuf;

use expect_test::expect;

use super::super::*;
use super::{check, config};

fn program(config: &Config, name: &str) -> AgentProgram {
    let ProviderKind::CommandLineAgent(program) = &config.providers[name].kind else {
        panic!("{name} is no program");
    };
    program.clone()
}

#[test]
fn a_program_has_a_command_and_what_it_may_reach() {
    let config = config(
        "providers:
  mine: { type: acp, command: my-agent, args: [--acp], env: { A: b }, hosts: [a.example], read: [/opt/x] }
  claude_code: { hosts: [api.example] }
agents: { default: { model: claude_code/default } }
",
    );
    let mine = program(&config, "mine");
    assert_eq!(mine.command, ["my-agent", "--acp"]);
    assert_eq!(
        (mine.hosts, mine.read),
        (vec!["a.example".to_owned()], vec![PathBuf::from("/opt/x")])
    );
    assert_eq!(mine.env["A"], "b");
    let claude = program(&config, "claude_code");
    assert_eq!(claude.command, ["claude-code-acp"], "the usual one");
    assert_eq!(claude.hosts, ["api.example"]);
    let words = config.in_words();
    assert_eq!(words["providers"]["mine"]["env"], serde_json::json!(["A"]), "values may be secret");
    let missing = words["providers"]["mine"]["not_installed"].as_str().unwrap_or_default();
    assert!(missing.contains("there is no program called my-agent"), "{missing}");
}

#[test]
fn what_a_program_can_not_use_is_said_with_its_line() {
    check(
        "providers:
  a: { type: acp }
  b: { type: acp, command: x, hosts: ['https://a.example/'], read: [here] }
  c: { type: ollama, hosts: [a.example] }
  d: { type: acp, command: x, host: [a.example] }
",
        &expect![[r#"
            plancard.yaml:2: providers.a has no command
            plancard.yaml:3: providers.b.hosts is a list; allowed: hosts such as api.example.com
            plancard.yaml:3: providers.b.read is a list; allowed: absolute paths
            plancard.yaml:4: providers.c.hosts is only for programs that are agents; leave it out
        "#]],
    );
}

#[test]
fn a_program_and_the_rehearsal_plan_for_themselves_alone() {
    check(
        "providers: { claude_code: {} }
agents:
  a: { model: ollama/small, plan_model: claude_code/default }
  b: { model: rehearsal/tour, plan_model: ollama/large }
  c: { model: ollama/small, plan_model: ollama/large }
",
        &expect![[r#"
            plancard.yaml:3: agents.a.plan_model has no effect: claude_code/default plans for itself, and for no other model
            plancard.yaml:4: agents.b.plan_model has no effect: rehearsal/tour plans for itself, and for no other model
        "#]],
    );
}
