//! Reads how councils are held: `orchestrator:` with its `coordination:`, and the times of
//! `timeout_settings:`. The council's time and its restarts are caps and are read there.

use std::path::PathBuf;

use plan::{CouncilRules, Evidence, FinalAnswer, Novelty, Sensitivity};

use super::Config;
use super::section::{Section, shown, text_of};
use super::storage;
use super::tree::Source;

/// A day in seconds: no council should take longer.
const DAY: u64 = 86_400;
/// The most tokens, and the most money in millionths of a dollar.
const MOST_SPENT: u64 = 1_000_000_000_000;

/// How councils are held.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Orchestrator {
    /// Where answers are left as files, if not in the data folder.
    pub snapshot_storage: Option<PathBuf>,
    /// Where members' copies are, if not in the data folder.
    pub agent_temporary_workspace: Option<PathBuf>,
    /// Whether a message that asks for work begins a council.
    pub enable_planning_mode: Option<bool>,
    /// What members are told while they plan.
    pub planning_mode_instruction: Option<String>,
    /// The rules, but for what is a cap; [`Config::council_rules`] has both.
    pub(super) rules: CouncilRules,
}

const SENSITIVITIES: [(&str, Sensitivity); 3] = [
    ("lenient", Sensitivity::Lenient),
    ("balanced", Sensitivity::Balanced),
    ("strict", Sensitivity::Strict),
];

const NOVELTIES: [(&str, Novelty); 3] =
    [("lenient", Novelty::Lenient), ("balanced", Novelty::Balanced), ("strict", Novelty::Strict)];

const STRATEGIES: [(&str, FinalAnswer); 3] = [
    ("winner_present", FinalAnswer::WinnerPresent),
    ("winner_reuse", FinalAnswer::WinnerReuse),
    ("synthesize", FinalAnswer::Synthesize),
];

impl Config {
    /// What a council is held to, as configured.
    pub fn council_rules(&self) -> CouncilRules {
        CouncilRules {
            orchestrator_timeout_seconds: self.caps.council_seconds,
            max_orchestration_restarts: self.caps.council_restarts,
            ..self.orchestrator.rules.clone()
        }
    }
}

impl Orchestrator {
    pub(super) fn read(
        section: &Section<'_>,
        coordination: &Section<'_>,
        timeouts: &Section<'_>,
    ) -> Self {
        Self {
            snapshot_storage: storage::read(section, "snapshot_storage"),
            agent_temporary_workspace: storage::read(section, "agent_temporary_workspace"),
            enable_planning_mode: coordination.flag("enable_planning_mode"),
            planning_mode_instruction: coordination.text("planning_mode_instruction"),
            rules: rules(section, timeouts),
        }
    }
}

fn rules(section: &Section<'_>, timeouts: &Section<'_>) -> CouncilRules {
    let usual = CouncilRules::default();
    let number = |section: &Section<'_>, key, range| {
        section.number(key, range).and_then(|number| u32::try_from(number).ok())
    };
    let fair = section.flag("fairness_enabled").unwrap_or(true);
    let lead = number(section, "fairness_lead_cap_answers", 0..=1_000);
    let lead = lead.or(usual.fairness_lead_cap_answers).filter(|_| fair);
    CouncilRules {
        defer_voting_until_all_answered: defers_voting(section, &usual),
        max_new_answers_per_agent: number(section, "max_new_answers_per_agent", 1..=1_000)
            .or(usual.max_new_answers_per_agent),
        max_new_answers_global: number(section, "max_new_answers_global", 1..=10_000),
        answer_novelty_requirement: section
            .choice("answer_novelty_requirement", &NOVELTIES)
            .unwrap_or_default(),
        fairness_lead_cap_answers: lead,
        max_midstream_injections_per_round: number(
            section,
            "max_midstream_injections_per_round",
            0..=1_000,
        )
        .unwrap_or(usual.max_midstream_injections_per_round),
        voting_sensitivity: sensitivity(section),
        initial_round_timeout_seconds: number(timeouts, "initial_round_timeout_seconds", 1..=DAY),
        subsequent_round_timeout_seconds: number(
            timeouts,
            "subsequent_round_timeout_seconds",
            1..=DAY,
        ),
        round_timeout_grace_seconds: number(timeouts, "round_timeout_grace_seconds", 0..=DAY)
            .unwrap_or(usual.round_timeout_grace_seconds),
        final_answer_strategy: section
            .choice("final_answer_strategy", &STRATEGIES)
            .unwrap_or_default(),
        evidence: evidence(section),
        tokens: section.number("tokens", 1..=MOST_SPENT),
        cost_micros: section.number("cost_micros", 1..=MOST_SPENT),
        // Both are caps.
        orchestrator_timeout_seconds: usual.orchestrator_timeout_seconds,
        max_orchestration_restarts: usual.max_orchestration_restarts,
    }
}

/// A person's file with an `orchestrator:` block that doesn't mention it means it off: such files
/// were written for a program in which that is the default. What the settings screen wrote doesn't
/// count as such a block.
fn defers_voting(section: &Section<'_>, usual: &CouncilRules) -> bool {
    let has_block = section.is_written() && section.at.source == Source::Person;
    let said = section.flag("defer_voting_until_all_answered");
    said.unwrap_or(usual.defer_voting_until_all_answered && !has_block)
}

/// Words that other programs know beside ours are read as balanced.
fn sensitivity(section: &Section<'_>) -> Sensitivity {
    let key = "voting_sensitivity";
    let Some(node) = section.get(key) else { return Sensitivity::default() };
    let Some(word) = text_of(node) else {
        section.bad(key, node, "lenient, balanced, strict");
        return Sensitivity::default();
    };
    let known = SENSITIVITIES.iter().find(|(known, _)| *known == word);
    known.map_or_else(
        || {
            let message =
                format!("is {}; taken as balanced; known: lenient, balanced, strict", shown(node));
            section.report.warning(node.at, &section.path_of(key), message);
            Sensitivity::Balanced
        },
        |(_, sensitivity)| *sensitivity,
    )
}

/// Dry runs come later: until then a council begins without them.
fn evidence(section: &Section<'_>) -> Evidence {
    let key = "evidence";
    let chosen = section.choice(key, &[("none", Evidence::None), ("dry_run", Evidence::DryRun)]);
    if let (Some(Evidence::DryRun), Some(node)) = (chosen, section.get(key)) {
        let message = "is \"dry_run\", which is not available yet; councils begin without it";
        section.report.warning(node.at, &section.path_of(key), message);
    }
    Evidence::None
}

/// The word for it in a file.
pub(super) fn word<T: Copy + PartialEq>(
    words: &[(&'static str, T)],
    value: T,
) -> Option<&'static str> {
    words.iter().find(|(_, known)| *known == value).map(|(word, _)| *word)
}

impl Config {
    /// The section `orchestrator` in the words of the file, every default filled in.
    pub(super) fn orchestrator_in_words(&self) -> serde_json::Value {
        let (one, rules) = (&self.orchestrator, self.council_rules());
        serde_json::json!({
            "snapshot_storage": one.snapshot_storage,
            "agent_temporary_workspace": one.agent_temporary_workspace,
            "coordination": {
                "enable_planning_mode": one.enable_planning_mode,
                "planning_mode_instruction": one.planning_mode_instruction,
                "max_orchestration_restarts": rules.max_orchestration_restarts,
            },
            "voting_sensitivity": word(&SENSITIVITIES, rules.voting_sensitivity),
            "max_new_answers_per_agent": rules.max_new_answers_per_agent,
            "max_new_answers_global": rules.max_new_answers_global,
            "answer_novelty_requirement": word(&NOVELTIES, rules.answer_novelty_requirement),
            "fairness_enabled": rules.fairness_lead_cap_answers.is_some(),
            "fairness_lead_cap_answers": rules.fairness_lead_cap_answers,
            "max_midstream_injections_per_round": rules.max_midstream_injections_per_round,
            "defer_voting_until_all_answered": rules.defer_voting_until_all_answered,
            "evidence": "none",
            "final_answer_strategy": word(&STRATEGIES, rules.final_answer_strategy),
            "tokens": rules.tokens,
            "cost_micros": rules.cost_micros,
        })
    }

    /// The section `timeout_settings` in the words of the file.
    pub(super) fn timeouts_in_words(&self) -> serde_json::Value {
        let rules = self.council_rules();
        serde_json::json!({
            "orchestrator_timeout_seconds": rules.orchestrator_timeout_seconds,
            "initial_round_timeout_seconds": rules.initial_round_timeout_seconds,
            "subsequent_round_timeout_seconds": rules.subsequent_round_timeout_seconds,
            "round_timeout_grace_seconds": rules.round_timeout_grace_seconds,
        })
    }
}
