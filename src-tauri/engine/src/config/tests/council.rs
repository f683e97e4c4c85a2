//! Every key of councils: what it means, and what is said about a bad value.

use plan::{CouncilRules, FinalAnswer, Novelty, Sensitivity};

use super::super::Orchestrator;
use super::{config, load, load_both, problems};

const FRAGMENTS: &str = include_str!("../../../../../tests/fixtures/config/council-keys.txt");

#[test]
fn every_key_is_checked_and_told_with_its_line() {
    let fragments: Vec<&str> = FRAGMENTS.split("---\n").skip(1).collect();
    for fragment in &fragments {
        let (expected, text): (Vec<&str>, Vec<&str>) =
            fragment.lines().partition(|line| line.starts_with("=> "));
        let found: Vec<String> =
            problems(&text.join("\n")).iter().map(|one| format!("=> {one}")).collect();
        assert_eq!(found, expected, "{fragment}");
    }
    assert!(fragments.len() >= 30);
    let keys = serde_json::to_value(CouncilRules::default()).unwrap();
    for key in keys.as_object().unwrap().keys() {
        assert!(FRAGMENTS.contains(&format!("  {key}: ")), "{key}");
    }
}

#[test]
fn every_key_has_its_effect() {
    let config = config(
        "
orchestrator:
  snapshot_storage: snapshots
  agent_temporary_workspace: /srv/copies
  voting_sensitivity: roi
  max_new_answers_per_agent: 5
  max_new_answers_global: 9
  answer_novelty_requirement: strict
  fairness_lead_cap_answers: 3
  max_midstream_injections_per_round: 4
  defer_voting_until_all_answered: true
  final_answer_strategy: winner_reuse
  tokens: 1000
  cost_micros: 2000
  coordination: { enable_planning_mode: true, planning_mode_instruction: Plan., max_orchestration_restarts: 1 }
timeout_settings:
  orchestrator_timeout_seconds: 600
  initial_round_timeout_seconds: 120
  subsequent_round_timeout_seconds: 60
  round_timeout_grace_seconds: 30
",
    );
    let rules = CouncilRules {
        defer_voting_until_all_answered: true,
        max_new_answers_per_agent: Some(5),
        max_new_answers_global: Some(9),
        answer_novelty_requirement: Novelty::Strict,
        fairness_lead_cap_answers: Some(3),
        max_midstream_injections_per_round: 4,
        voting_sensitivity: Sensitivity::Balanced,
        orchestrator_timeout_seconds: 600,
        initial_round_timeout_seconds: Some(120),
        subsequent_round_timeout_seconds: Some(60),
        round_timeout_grace_seconds: 30,
        final_answer_strategy: FinalAnswer::WinnerReuse,
        max_orchestration_restarts: 1,
        evidence: plan::Evidence::None,
        tokens: Some(1_000),
        cost_micros: Some(2_000),
    };
    assert_eq!(config.council_rules(), rules);
    let Orchestrator { snapshot_storage, agent_temporary_workspace, .. } = &config.orchestrator;
    assert_eq!(snapshot_storage.as_deref(), Some("snapshots".as_ref()));
    assert_eq!(agent_temporary_workspace.as_deref(), Some("/srv/copies".as_ref()));
    assert_eq!(config.orchestrator.enable_planning_mode, Some(true));
    assert_eq!(config.orchestrator.planning_mode_instruction.as_deref(), Some("Plan."));
}

#[test]
fn a_council_starts_blind_unless_a_block_of_the_person_leaves_it_out() {
    let blind = |person: &str, settings: &str| {
        let loaded = load_both(person, settings).unwrap();
        loaded.config.council_rules().defer_voting_until_all_answered
    };
    assert!(blind("", ""));
    assert!(blind("orchestrator:\n", ""));
    assert!(blind("timeout_settings: { orchestrator_timeout_seconds: 60 }", ""));
    assert!(!blind("orchestrator: { snapshot_storage: x }", ""));
    assert!(blind("orchestrator: { defer_voting_until_all_answered: true }", ""));
    assert!(!blind("orchestrator: { defer_voting_until_all_answered: false }", ""));
    // A setting changed on screen changes nothing else.
    assert!(blind("", "orchestrator: { voting_sensitivity: strict }"));
    assert!(!blind("", "orchestrator: { defer_voting_until_all_answered: false }"));
    let said_on_screen = "orchestrator: { defer_voting_until_all_answered: true }";
    assert!(blind("orchestrator: { snapshot_storage: x }", said_on_screen));
}

#[test]
fn the_councils_caps_have_one_number_under_two_names() {
    let by_caps = config("caps: { council_seconds: 60, council_restarts: 2 }");
    let by_names = config(
        "timeout_settings: { orchestrator_timeout_seconds: 60 }\norchestrator: { coordination: { max_orchestration_restarts: 2 } }",
    );
    for config in [by_caps, by_names] {
        let rules = config.council_rules();
        assert_eq!((rules.orchestrator_timeout_seconds, rules.max_orchestration_restarts), (60, 2));
        assert_eq!((config.caps.council_seconds, config.caps.council_restarts), (60, 2));
        let words = serde_json::Value::Object(config.in_words());
        assert_eq!(words["timeout_settings"]["orchestrator_timeout_seconds"], 60);
        assert_eq!(words["orchestrator"]["coordination"]["max_orchestration_restarts"], 2);
    }
}

#[test]
fn nobody_waits_for_the_slowest_where_fairness_is_off() {
    let lead = |text: &str| config(text).council_rules().fairness_lead_cap_answers;
    assert_eq!(lead(""), Some(2));
    assert_eq!(lead("orchestrator: { fairness_enabled: true }"), Some(2));
    assert_eq!(lead("orchestrator: { fairness_enabled: false }"), None);
    assert_eq!(
        lead("orchestrator: { fairness_enabled: false, fairness_lead_cap_answers: 3 }"),
        None
    );
}

#[test]
fn a_copy_is_named_by_the_last_part_of_cwd() {
    let name = |cwd: &str| {
        let text = format!("agents: {{ a: {{ model: rehearsal/tour, cwd: {cwd} }} }}");
        config(&text).default_agent().copy_name()
    };
    assert_eq!(name("workspace_a").as_deref(), Some("workspace_a"));
    assert_eq!(name("/srv/deep/work.1").as_deref(), Some("work_1"));
    assert_eq!(name("'../..'"), None);
    assert_eq!(name(""), None);
}

#[test]
fn a_variable_that_is_not_set_leaves_the_usual_value_and_a_warning_names_it() {
    let text = "
orchestrator:
  max_new_answers_per_agent: ${UNSET_N}
  snapshot_storage: '${UNSET_F}/answers'
  coordination: { enable_planning_mode: '${UNSET_P}', max_orchestration_restarts: '${UNSET_R}' }
timeout_settings: { orchestrator_timeout_seconds: '${UNSET_S}' }
";
    assert_eq!(config(text).council_rules().max_new_answers_per_agent, Some(2));
    assert_eq!(config(text).orchestrator.snapshot_storage, None);
    let told = problems(text).join("\n");
    for name in ["UNSET_N", "UNSET_F", "UNSET_P", "UNSET_R", "UNSET_S"] {
        assert!(told.contains(&format!("names the variable {name}, which is not set")), "{told}");
    }
    // A guard has to be there.
    assert!(load("caps: { attempts: '${UNSET_A}' }").is_err());
}

#[test]
fn the_built_in_model_has_two_names() {
    let agent = config("agents: { a: { model: demo/tour } }").default_agent();
    assert_eq!(agent.model.to_string(), "rehearsal/tour");
}
