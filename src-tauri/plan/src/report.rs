//! What was planned against what was done.

use crate::{Amendment, Outcome, Plan, StepId, granted};
use serde::{Deserialize, Serialize};

/// How many changes of a step are told apart; a step with more is told by these.
const DEEDS: usize = 100;
/// How many warnings of a step are kept.
const WARNINGS: usize = 5;

/// How a change stands to the plan.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// Its step names it.
    Planned,
    /// A person allowed it once.
    Once,
    /// A person added it to the plan.
    Added,
    /// It passed with a warning.
    Warned,
    /// Nobody asked about it: rules alone let it pass.
    Unplanned,
}

/// A change that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct Deed {
    /// The tool.
    pub tool: String,
    /// What it touched.
    pub touches: Vec<String>,
    /// How it stands to the plan.
    pub how: How,
}

/// What was planned against what was done, once a plan has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct Report {
    /// A line for each step.
    pub lines: Vec<ReportLine>,
}

/// One step in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct ReportLine {
    /// The step.
    pub step: StepId,
    /// Its position from 1.
    pub number: u32,
    /// What it was to do, in words.
    pub planned: String,
    /// Whether something it names was done.
    pub touched: bool,
    /// What was done beyond that.
    pub beyond: Vec<Deed>,
    /// What a person let it do by hand after they approved the plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub amended: Vec<Amendment>,
}

/// The report of a plan that has ended.
pub fn report(plan: &Plan) -> Option<Report> {
    let line = |(index, step): (usize, &crate::Step)| ReportLine {
        step: step.spec.id.clone(),
        number: u32::try_from(index + 1).unwrap_or(u32::MAX),
        planned: granted::words(step),
        touched: step.deeds.iter().any(|deed| deed.how == How::Planned),
        beyond: step.deeds.iter().filter(|deed| deed.how != How::Planned).cloned().collect(),
        amended: plan.amendments(&step.spec.id).cloned().collect(),
    };
    let lines = || plan.steps.iter().enumerate().map(line).collect();
    (!plan.state.is_active()).then(|| Report { lines: lines() })
}

impl Deed {
    /// What is left of it when its call has ended: all of it where that went well, else the files
    /// that were seen to be changed.
    pub(crate) fn after(self, outcome: Outcome, changed: Vec<String>) -> Option<Self> {
        match outcome {
            Outcome::Ok => Some(self),
            Outcome::Failed | Outcome::Cancelled if !changed.is_empty() => {
                Some(Self { touches: changed, ..self })
            }
            Outcome::Failed
            | Outcome::Cancelled
            | Outcome::Blocked
            | Outcome::NotRun
            | Outcome::AlreadyDone => None,
        }
    }
}

impl crate::Step {
    pub(crate) fn did(&mut self, deed: Deed) {
        if self.deeds.len() < DEEDS && !self.deeds.contains(&deed) {
            self.deeds.push(deed);
        }
    }

    pub(crate) fn warned(&mut self, text: &str) {
        self.warnings.retain(|warning| warning != text);
        self.warnings.push(text.to_owned());
        if self.warnings.len() > WARNINGS {
            self.warnings.remove(0);
        }
    }
}
