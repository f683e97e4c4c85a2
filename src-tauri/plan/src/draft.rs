//! A plan as someone wrote it, and the checks that turn it into content.

use crate::text::is_blank;
use crate::visible::hides;
use crate::{Advance, Content, Refusal, RunMode, StepId, StepRef, StepSpec, Venue, Verify};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The longest goal, in characters.
const GOAL_CHARS: usize = 8_000;
/// The longest text of a step, and of what stands beside it, in characters.
const STEP_CHARS: usize = 2_000;
/// The longest reasoning, in characters.
const RATIONALE_CHARS: usize = 8_000;

/// A plan as written, before any check.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// What the plan is for.
    pub goal: String,
    /// A short name.
    #[serde(default)]
    pub title: Option<String>,
    /// Why it is done this way.
    #[serde(default)]
    pub rationale: Option<String>,
    /// How steps depend on each other; `graph` when absent and a step has `needs`.
    #[serde(default)]
    pub mode: Option<RunMode>,
    /// What happens when a step ends.
    #[serde(default)]
    pub advance: Advance,
    /// Where it runs.
    #[serde(default)]
    pub venue: Venue,
    /// The steps.
    pub steps: Vec<DraftStep>,
}

impl Draft {
    /// How its steps depend on each other, said or not.
    pub fn run_mode(&self) -> RunMode {
        let wired =
            |step: &DraftStep| matches!(step, DraftStep::Full(step) if !step.needs.is_empty());
        self.mode.unwrap_or_else(|| match self.steps.iter().any(wired) {
            true => RunMode::Graph,
            false => RunMode::Sequential,
        })
    }
}

/// A step as written: words alone, or with details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
#[serde(untagged)]
pub enum DraftStep {
    /// Only words.
    Words(String),
    /// Words and details.
    Full(Box<FullStep>),
}

/// A step as written, with details.
#[derive(
    Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
pub struct FullStep {
    /// What is to be done.
    #[serde(alias = "description")]
    pub text: String,
    /// The name the model chose.
    #[serde(default)]
    pub id: Option<String>,
    /// Steps that come first, by id or position.
    #[serde(default)]
    pub needs: Vec<StepRef>,
    /// The tool it means to use.
    #[serde(default)]
    pub tool: Option<String>,
    /// What it means to touch.
    #[serde(default)]
    pub target: Option<String>,
    /// What will be true afterwards.
    #[serde(default)]
    pub expected_outcome: Option<String>,
    /// How the harness checks it.
    #[serde(default)]
    pub verify: Option<Verify>,
    /// The agent that shall do it.
    #[serde(default)]
    pub agent: Option<String>,
    /// The model that shall do it.
    #[serde(default)]
    pub model: Option<String>,
    /// Which field it is from, for whoever looks for its agent.
    #[serde(default, skip_serializing)]
    #[ts(skip)]
    #[schema(ignore)]
    pub domain: Option<String>,
    /// What its agent has to be able to do.
    #[serde(default, skip_serializing)]
    #[ts(skip)]
    #[schema(ignore)]
    pub capabilities: Vec<String>,
}

impl From<DraftStep> for FullStep {
    fn from(step: DraftStep) -> Self {
        match step {
            DraftStep::Words(text) => Self { text, ..Self::default() },
            DraftStep::Full(full) => *full,
        }
    }
}

/// What an earlier revision leaves to the next.
#[derive(Debug, Default)]
pub struct Before<'a> {
    /// Its steps: one with the same text keeps its id.
    pub steps: &'a [Arc<StepSpec>],
    /// Ids the plan has ever had: they are never given again.
    pub used: BTreeSet<StepId>,
}

/// Turns a draft into content, or says what to change.
pub fn check(
    draft: Draft,
    workspace: &str,
    most: u32,
    before: &Before<'_>,
) -> Result<Content, Refusal> {
    check_goal(&draft.goal)?;
    let mode = draft.run_mode();
    let steps: Vec<FullStep> = draft.steps.into_iter().map(FullStep::from).collect();
    let content = Content {
        goal: draft.goal,
        title: draft.title,
        rationale: draft.rationale,
        mode,
        advance: draft.advance,
        venue: draft.venue,
        workspace: workspace.to_owned(),
        steps: specs(steps, mode, before)?,
    };
    check_content(&content, most)?;
    Ok(content)
}

/// Refuses a goal that says nothing, or too much.
pub fn check_goal(goal: &str) -> Result<(), Refusal> {
    if is_blank(goal) {
        return Err(Refusal::EmptyGoal);
    }
    if goal.chars().count() > GOAL_CHARS {
        return Err(Refusal::TooLong { what: "the goal".to_owned(), most: GOAL_CHARS });
    }
    Ok(())
}

/// What a goal says before it was split: no steps yet.
pub(crate) fn goal(goal: String, workspace: &str) -> Result<Content, Refusal> {
    check_goal(&goal)?;
    Ok(Content {
        goal,
        title: None,
        rationale: None,
        mode: RunMode::Graph,
        advance: Advance::Auto,
        venue: Venue::Main,
        workspace: workspace.to_owned(),
        steps: Vec::new(),
    })
}

/// The checks every revision passes, whoever made it.
pub fn check_content(content: &Content, most: u32) -> Result<(), Refusal> {
    if content.steps.is_empty() {
        return Err(Refusal::NoSteps);
    }
    fits("the title", content.title.as_deref(), STEP_CHARS)?;
    fits("the rationale", content.rationale.as_deref(), RATIONALE_CHARS)?;
    if content.steps.len() > most as usize {
        return Err(Refusal::TooManySteps { got: content.steps.len(), most });
    }
    for (index, step) in content.steps.iter().enumerate() {
        if is_blank(&step.text) {
            return Err(Refusal::EmptyStep { number: index + 1 });
        }
        let verify = step.verify.as_ref().map(ToString::to_string);
        for part in [
            Some(step.text.as_str()),
            step.tool.as_deref(),
            step.target.as_deref(),
            step.expected_outcome.as_deref(),
            step.agent.as_deref(),
            step.model.as_deref(),
            verify.as_deref(),
        ] {
            fits(&format!("step {}", index + 1), part, STEP_CHARS)?;
        }
        // Approved is what is painted, and that is one line.
        for (part, words) in [
            ("tool", step.tool.as_deref()),
            ("target", step.target.as_deref()),
            ("verify", verify.as_deref()),
            ("agent", step.agent.as_deref()),
            ("model", step.model.as_deref()),
        ] {
            if words.is_some_and(|words| words.chars().any(breaks_lines) || hides(words)) {
                return Err(Refusal::NotOneLine { number: index + 1, part });
            }
        }
        for need in &step.needs {
            if !content.steps.iter().any(|other| other.id == *need) {
                return Err(Refusal::UnknownNeed { step: step.id.clone(), need: need.0.clone() });
            }
        }
    }
    match cycle(&content.steps) {
        Some(steps) => Err(Refusal::Cycle { steps }),
        None => Ok(()),
    }
}

fn breaks_lines(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

fn fits(what: &str, text: Option<&str>, most: usize) -> Result<(), Refusal> {
    match text {
        Some(text) if text.chars().count() > most => {
            Err(Refusal::TooLong { what: what.to_owned(), most })
        }
        Some(_) | None => Ok(()),
    }
}

/// Names the steps and resolves what they need.
fn specs(
    steps: Vec<FullStep>,
    mode: RunMode,
    before: &Before<'_>,
) -> Result<Vec<Arc<StepSpec>>, Refusal> {
    let ids = name(&steps, before)?;
    let mut specs = Vec::with_capacity(steps.len());
    for (index, step) in steps.into_iter().enumerate() {
        let mut needs = Vec::new();
        for need in &step.needs {
            let Some(id) = resolve(need, &ids) else {
                return Err(Refusal::UnknownNeed {
                    step: ids[index].clone(),
                    need: need.to_string(),
                });
            };
            if !needs.contains(&id) {
                needs.push(id);
            }
        }
        specs.push(Arc::new(StepSpec {
            id: ids[index].clone(),
            text: step.text,
            tool: filled(step.tool),
            target: filled(step.target),
            expected_outcome: filled(step.expected_outcome),
            verify: step.verify,
            needs,
            agent: filled(step.agent),
            model: filled(step.model),
        }));
    }
    if let Some(steps) = cycle(&specs) {
        return Err(Refusal::Cycle { steps });
    }
    // Edges of a chain and of a parallel plan follow from the order of the
    // steps; they are not stored, so reordering cannot leave a stale one.
    if mode != RunMode::Graph {
        for spec in &mut specs {
            Arc::make_mut(spec).needs.clear();
        }
    }
    Ok(specs)
}

/// Words, unless there are none in them.
fn filled(words: Option<String>) -> Option<String> {
    words.filter(|words| !is_blank(words))
}

fn name(steps: &[FullStep], before: &Before<'_>) -> Result<Vec<StepId>, Refusal> {
    let mut taken: BTreeSet<StepId> = BTreeSet::new();
    let mut ids: Vec<Option<StepId>> = Vec::with_capacity(steps.len());
    for step in steps {
        let own = step.id.clone().filter(|id| StepId::is_valid(id)).map(StepId);
        // The id of a step that was taken out is not given to another.
        let own = own.filter(|id| {
            !before.used.contains(id) || before.steps.iter().any(|step| step.id == *id)
        });
        if let Some(id) = &own
            && !taken.insert(id.clone())
        {
            return Err(Refusal::DuplicateStep { id: id.clone() });
        }
        ids.push(own);
    }
    for (step, id) in steps.iter().zip(&mut ids) {
        if id.is_none() {
            let same =
                before.steps.iter().find(|old| old.text == step.text && !taken.contains(&old.id));
            *id = same.map(|old| old.id.clone());
            taken.extend(id.clone());
        }
    }
    let mut next = 1;
    let named = ids.into_iter().map(|id| match id {
        Some(id) => id,
        None => loop {
            let id = StepId(format!("s{next}"));
            next += 1;
            if !before.used.contains(&id) && taken.insert(id.clone()) {
                break id;
            }
        },
    });
    Ok(named.collect())
}

fn resolve(need: &StepRef, ids: &[StepId]) -> Option<StepId> {
    let number = match need {
        StepRef::Number(n) => usize::try_from(*n).ok()?,
        StepRef::Id(id) => match ids.iter().find(|known| known.0 == *id) {
            Some(known) => return Some(known.clone()),
            None => id.parse().ok()?,
        },
    };
    ids.get(number.checked_sub(1)?).cloned()
}

/// The steps of a cycle in `needs`, if there is one.
fn cycle(steps: &[Arc<StepSpec>]) -> Option<Vec<StepId>> {
    let mut left: Vec<&Arc<StepSpec>> = steps.iter().collect();
    loop {
        let before = left.len();
        let open: BTreeSet<&StepId> = left.iter().map(|step| &step.id).collect();
        left.retain(|step| step.needs.iter().any(|need| open.contains(need)));
        if left.is_empty() {
            return None;
        }
        if left.len() == before {
            return Some(left.iter().map(|step| step.id.clone()).collect());
        }
    }
}
