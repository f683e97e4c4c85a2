//! What a council is held to. A council carries the rules it was begun under, so replaying it
//! needs no configuration. The names are those of the configuration.

use serde::{Deserialize, Serialize};

/// How new an answer has to be.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Novelty {
    /// Any answer is taken.
    #[default]
    Lenient,
    /// An answer that shares more than 70 % of its words with an earlier one is refused.
    Balanced,
    /// An answer that shares more than 50 % of its words with an earlier one is refused.
    Strict,
}

impl Novelty {
    /// The largest share of words in hundredths, where there is one.
    pub fn most_overlap(self) -> Option<u64> {
        match self {
            Self::Lenient => None,
            Self::Balanced => Some(70),
            Self::Strict => Some(50),
        }
    }
}

/// How ready members are to vote for what is there.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Sensitivity {
    /// A good answer is enough.
    #[default]
    Lenient,
    /// An answer is weighed against a better one.
    Balanced,
    /// Only a very good answer gets a vote.
    Strict,
}

/// What becomes of the winner's answer.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FinalAnswer {
    /// It becomes the room's plan, and its agent carries it out.
    #[default]
    WinnerPresent,
    /// It is shown, and nothing is carried out.
    WinnerReuse,
    /// The winner first writes one plan from all answers.
    Synthesize,
}

/// What voters see of an answer beside its words.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// Nothing.
    #[default]
    None,
    /// The result of its steps in a copy that is thrown away.
    DryRun,
}

/// The rules of one council. `None` means no limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CouncilRules {
    /// Whether nobody sees an answer or votes before every member has answered once or is out.
    pub defer_voting_until_all_answered: bool,
    /// Answers a member may give.
    pub max_new_answers_per_agent: Option<u32>,
    /// Answers all members may give together.
    pub max_new_answers_global: Option<u32>,
    /// How new an answer has to be.
    pub answer_novelty_requirement: Novelty,
    /// How many answers a member may be ahead of the slowest.
    pub fairness_lead_cap_answers: Option<u32>,
    /// How often news reach a member in the middle of a turn, in one round.
    pub max_midstream_injections_per_round: u32,
    /// How ready members are to vote.
    pub voting_sensitivity: Sensitivity,
    /// Seconds the council may take.
    pub orchestrator_timeout_seconds: u32,
    /// Seconds of a member's first turn.
    pub initial_round_timeout_seconds: Option<u32>,
    /// Seconds of each later turn.
    pub subsequent_round_timeout_seconds: Option<u32>,
    /// Seconds after that in which only answering and voting are left.
    pub round_timeout_grace_seconds: u32,
    /// What becomes of the winner's answer.
    pub final_answer_strategy: FinalAnswer,
    /// Attempts that may follow the first.
    pub max_orchestration_restarts: u32,
    /// What voters see of an answer beside its words.
    pub evidence: Evidence,
    /// Tokens its members may use before it asks; the plan has caps of its own.
    pub tokens: Option<u64>,
    /// Money its members may cost before it asks, in millionths of a dollar. What a model without a
    /// price uses counts for nothing.
    pub cost_micros: Option<u64>,
}

impl Default for CouncilRules {
    fn default() -> Self {
        Self {
            defer_voting_until_all_answered: true,
            max_new_answers_per_agent: Some(2),
            max_new_answers_global: None,
            answer_novelty_requirement: Novelty::default(),
            fairness_lead_cap_answers: Some(2),
            max_midstream_injections_per_round: 2,
            voting_sensitivity: Sensitivity::default(),
            orchestrator_timeout_seconds: 1_800,
            initial_round_timeout_seconds: None,
            subsequent_round_timeout_seconds: None,
            round_timeout_grace_seconds: 120,
            final_answer_strategy: FinalAnswer::default(),
            max_orchestration_restarts: 0,
            evidence: Evidence::default(),
            tokens: None,
            cost_micros: None,
        }
    }
}
