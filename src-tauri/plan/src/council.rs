//! A council: several agents propose, see each other's answers and vote; then one of them acts.

mod rules;

pub use rules::{CouncilRules, Evidence, FinalAnswer, Novelty, Sensitivity};
