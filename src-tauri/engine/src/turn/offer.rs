//! Which tools a model is offered: those that fit what the room does now, in the form the model
//! does best with. A tool that is not offered still works when it is called.

use super::specs::{self, StepForm};
use crate::mcp::Listed;
use models::{CallForm, Profile, Protocol, ToolSet, ToolSpec};
use plan::{CouncilStage, PauseReason, Phase, Plan, PlanState, Room};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use tools::{Effect, Toolbox};

/// How many lists of tools are kept.
const MOST: usize = 128;

/// The built-in tools that a model with few tools gets.
const CORE: [&str; 6] = ["read_file", "write_file", "edit_file", "list_dir", "search", "shell"];

/// And where a step may be to make a folder. Files bring theirs with them, so it only misleads else.
const FOLDER: &str = "create_directory";

/// What the room does now, as far as tools go. The list of tools changes only with this.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Stage {
    /// Nothing is planned, and nothing forbids to begin.
    Free,
    /// Looking around before a plan: in strict mode, and for a model that plans for another.
    Looking,
    /// Only a plan can be written now.
    MustPlan,
    /// A step of the room's plan is done here; `alone` where it has only one.
    Step {
        /// Whether the plan has no other step.
        alone: bool,
    },
    /// Sidekicks do the steps; here their results are heard.
    Following,
    /// Every step of a goal has ended; what came of them is said in words.
    Joining,
    /// A sidekick does its task; `step` where that is a step of a plan.
    Task {
        /// Whether it is a step of a plan.
        step: bool,
    },
    /// A council member looks, answers and votes.
    Member(Part),
    /// The winner of a council judges what was done.
    Review,
}

/// What a council member may do in its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    /// Look around, answer and vote.
    All,
    /// Answer or vote.
    Decide,
    /// Look around and answer: it has won.
    Write,
}

impl Stage {
    /// Whether nothing is planned or done yet.
    pub(crate) fn is_before_work(self) -> bool {
        matches!(self, Self::Free | Self::Looking)
    }

    /// What a room does now.
    pub(crate) fn of(room: &Room) -> Self {
        if let Some(member) = &room.member {
            return Self::Member(match (member.last_word, member.may_look) {
                (true, _) => Part::Write,
                (false, true) => Part::All,
                (false, false) => Part::Decide,
            });
        }
        let reviews = |council: &plan::Council| council.stage == CouncilStage::Reviewing;
        if room.active_council().is_some_and(reviews) {
            return Self::Review;
        }
        if let Some(planning) = &room.planning {
            return if planning.must_decide_next() { Self::MustPlan } else { Self::Looking };
        }
        let plan = room.active_plan();
        if plan
            .is_some_and(|plan| plan.state == (PlanState::Paused { reason: PauseReason::Revise }))
        {
            return Self::MustPlan;
        }
        match plan.filter(|plan| plan.state.is_running()) {
            Some(plan) if plan.phase() == Some(Phase::Joining) => return Self::Joining,
            Some(plan) if plan.frame.delegated => return Self::Following,
            Some(plan) => return Self::Step { alone: plan.steps.len() == 1 },
            None => {}
        }
        if room.sidekick.is_some() {
            return Self::Task { step: room.serves_step() };
        }
        if room.asks_for_plans() { Self::Looking } else { Self::Free }
    }
}

/// Everything a list of tools depends on, but for what servers offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Offer {
    pub(crate) stage: Stage,
    pub(crate) steps: StepForm,
    /// Few tools, each with few fields.
    pub(crate) simple: bool,
    /// Whether a plan speaks of folders.
    pub(crate) folders: bool,
    /// Whether commands run in the background.
    pub(crate) jobs: bool,
    /// Whether the agent's own instructions speak of `submit_plan`.
    pub(crate) submits: bool,
    /// Whether work here is a council's.
    pub(crate) council: bool,
    /// Whether the model calls tools at all. Servers refuse tools for one that does not.
    pub(crate) calls: bool,
    /// Whether a council can be called now.
    pub(crate) may_call: bool,
}

impl Offer {
    /// What is offered in a room.
    pub(crate) fn of(
        room: &Room,
        profile: &Profile,
        jobs: bool,
        instructions: Option<&str>,
        council: bool,
    ) -> Self {
        let mut stage = Stage::of(room);
        if council && stage == Stage::Free {
            // What a council is for, it does.
            stage = Stage::Looking;
        }
        Self {
            stage,
            council,
            may_call: council && room.may_call_council(),
            steps: StepForm::of(room),
            simple: profile.simple,
            folders: room.active_plan().is_some_and(speaks_of_folders),
            jobs,
            submits: instructions.is_some_and(|words| words.contains("submit_plan")),
            calls: match profile.calls {
                CallForm::Native | CallForm::Text => true,
                CallForm::None => false,
            },
        }
    }

    fn specs(&self, toolbox: &Toolbox) -> Vec<ToolSpec> {
        if !self.calls {
            return Vec::new();
        }
        let mut specs = if self.simple { self.few() } else { self.all() };
        let built_in = tools::catalogue().into_iter().filter(|entry| self.has(entry));
        specs.extend(built_in.filter_map(|entry| {
            let spec = toolbox.specs().iter().find(|spec| spec.name == entry.name)?;
            let spec = ToolSpec {
                name: spec.name.to_owned(),
                description: spec.description.to_owned(),
                schema: spec.schema.clone(),
            };
            Some(if self.simple { shorter(spec) } else { spec })
        }));
        specs
    }

    /// The harness's own tools for a model that manages many fields.
    fn all(&self) -> Vec<ToolSpec> {
        match self.stage {
            Stage::Member(Part::Write) => return vec![specs::new_answer()],
            Stage::Member(_) => return vec![specs::new_answer(), specs::vote()],
            Stage::Review => return vec![specs::submit(), specs::restart()],
            Stage::Joining => return Vec::new(),
            Stage::Free
            | Stage::Looking
            | Stage::MustPlan
            | Stage::Step { .. }
            | Stage::Following
            | Stage::Task { .. } => {}
        }
        if self.council && self.stage == Stage::Looking {
            return self.may_call.then(specs::start_council).into_iter().collect();
        }
        let mut all = vec![specs::plan(self.steps)];
        if self.submits {
            all.push(specs::submit_plan());
        }
        let (asks, spawns) = match self.stage {
            Stage::MustPlan | Stage::Joining | Stage::Member(_) | Stage::Review => (false, false),
            Stage::Looking => (true, false),
            Stage::Free | Stage::Following | Stage::Task { step: false } => (true, true),
            Stage::Step { alone } => (true, !alone),
            Stage::Task { step: true } => (true, false),
        };
        all.extend(asks.then(specs::ask_user));
        all.extend(spawns.then(specs::spawn_sidekick));
        all.extend(matches!(self.stage, Stage::Task { .. }).then(specs::sidekick_complete));
        all
    }

    /// The same for a model that does not.
    fn few(&self) -> Vec<ToolSpec> {
        if self.council && self.stage == Stage::Looking {
            return self.may_call.then(specs::start_council).into_iter().collect();
        }
        match self.stage {
            Stage::Free | Stage::Looking | Stage::MustPlan => vec![specs::write_plan(self.steps)],
            Stage::Step { .. } => vec![specs::step_done(), specs::step_failed()],
            // It has no step of its own, and its results are brought together in words.
            Stage::Following | Stage::Joining => Vec::new(),
            Stage::Task { .. } => vec![specs::sidekick_complete()],
            Stage::Member(Part::Write) => vec![specs::new_answer()],
            Stage::Member(_) => vec![specs::new_answer(), specs::vote()],
            Stage::Review => vec![specs::submit(), specs::restart()],
        }
    }

    /// Whether a built-in tool is offered.
    fn has(&self, tool: &tools::Entry) -> bool {
        let is_job = tool.name.starts_with("job_");
        let looks = match tool.effect {
            // A command that only looks runs before a yes, too.
            Effect::Read | Effect::Exec => true,
            Effect::Write | Effect::WriteOutside | Effect::Network => false,
        };
        let fits = match self.stage {
            Stage::MustPlan | Stage::Review | Stage::Member(Part::Decide) => false,
            Stage::Looking | Stage::Joining | Stage::Member(Part::All | Part::Write) => looks,
            Stage::Free | Stage::Step { .. } | Stage::Following | Stage::Task { .. } => true,
        };
        let in_step = matches!(self.stage, Stage::Step { .. } | Stage::Task { .. });
        let folder = in_step && self.folders && tool.name == FOLDER;
        let core = CORE.contains(&tool.name) || folder;
        let kept = !self.simple || core || is_job;
        fits && kept && (!is_job || self.jobs)
    }
}

/// Whether a step of a plan may be to make a folder.
fn speaks_of_folders(plan: &Plan) -> bool {
    let words = ["folder", "director", "mkdir"];
    plan.content.steps.iter().any(|step| {
        let text = step.text.to_lowercase();
        words.iter().any(|word| text.contains(word)) || step.tool.as_deref() == Some(FOLDER)
    })
}

/// A tool in few words: its first sentence, and what it can't do without.
fn shorter(mut spec: ToolSpec) -> ToolSpec {
    if let Some((first, _)) = spec.description.split_once(". ") {
        spec.description = format!("{first}.");
    }
    let required: Vec<String> = spec.schema["required"]
        .as_array()
        .map(|names| names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect())
        .unwrap_or_default();
    if let Some(fields) = spec.schema["properties"].as_object_mut() {
        // A folder to search in would only be guessed at.
        let has_path = spec.name == "list_dir";
        fields.retain(|name, _| required.contains(name) || (has_path && name == "path"));
        for field in fields.values_mut().filter_map(serde_json::Value::as_object_mut) {
            field.retain(|key, _| key == "type");
        }
    }
    if let Some(schema) = spec.schema.as_object_mut() {
        schema.remove("additionalProperties");
    }
    spec
}

/// What a list of tools depends on.
type Key = (Protocol, Offer, Option<blake3::Hash>);

/// The tools as each protocol writes them, encoded once.
#[derive(Default)]
pub(crate) struct ToolSets {
    made: Mutex<HashMap<Key, ToolSet>>,
}

impl ToolSets {
    /// The tools of an offer, with what servers bring.
    pub(crate) fn of(
        &self,
        protocol: Protocol,
        offer: Offer,
        toolbox: &Toolbox,
        served: &Listed,
    ) -> ToolSet {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (protocol, offer, served.mark());
        // Servers may change their tools for ever.
        if made.len() >= MOST && !made.contains_key(&key) {
            made.clear();
        }
        let set = made.entry(key).or_insert_with(|| {
            let mut specs = offer.specs(toolbox);
            let decides = matches!(
                offer.stage,
                Stage::MustPlan | Stage::Review | Stage::Member(Part::Decide)
            );
            if offer.calls && !decides {
                specs.extend(served.tools().into_iter().map(|(name, tool)| ToolSpec {
                    name,
                    description: format!("[{}] {}", tool.full_name(), tool.description),
                    schema: tool.schema.clone(),
                }));
            }
            ToolSet::new(protocol, &specs)
        });
        set.clone()
    }
}

/// The names of all tools that any model is ever told about.
#[cfg(test)]
pub(crate) fn tool_names(toolbox: &Toolbox) -> Vec<String> {
    let own = [
        specs::plan(StepForm::Words),
        specs::submit_plan(),
        specs::write_plan(StepForm::Words),
        specs::step_done(),
        specs::step_failed(),
        specs::ask_user(),
        specs::spawn_sidekick(),
        specs::sidekick_complete(),
        specs::new_answer(),
        specs::vote(),
        specs::submit(),
        specs::restart(),
        specs::start_council(),
    ];
    let own = own.into_iter().map(|spec| spec.name);
    own.chain(toolbox.specs().iter().map(|spec| spec.name.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turn::prompt;

    const STAGES: [Stage; 13] = [
        Stage::Free,
        Stage::Looking,
        Stage::MustPlan,
        Stage::Step { alone: true },
        Stage::Step { alone: false },
        Stage::Following,
        Stage::Joining,
        Stage::Task { step: true },
        Stage::Task { step: false },
        Stage::Member(Part::All),
        Stage::Member(Part::Decide),
        Stage::Member(Part::Write),
        Stage::Review,
    ];

    /// Bytes of the instructions and the tools, at most, whatever the room is.
    fn most_bytes(stage: Stage, simple: bool) -> usize {
        let toolbox = Toolbox::builtin();
        let talks = matches!(stage, Stage::Member(_) | Stage::Review);
        let sidekick = matches!(stage, Stage::Task { .. });
        let mut most = 0;
        for (strict, council, jobs) in [
            (false, false, false),
            (true, false, false),
            (false, true, false),
            (true, true, false),
            (true, false, true),
        ] {
            let council = council && !talks;
            let scene = prompt::Scene { stage, simple, strict, council, sidekick, copy: false };
            let parts = scene.parts(Protocol::OpenAiChat).into_iter();
            let system: usize = parts.map(|name| prompt::part(name).len() + 2).sum();
            for steps in [StepForm::Words, StepForm::Targets, StepForm::Graph] {
                let (submits, calls, may_call, folders) = (false, true, council, true);
                let offer = Offer {
                    stage,
                    steps,
                    simple,
                    folders,
                    jobs,
                    submits,
                    council,
                    calls,
                    may_call,
                };
                let tools = ToolSet::new(Protocol::OpenAiChat, &offer.specs(&toolbox));
                most = most.max(system + tools.text().len());
            }
        }
        most
    }

    #[test]
    fn a_model_that_calls_no_tools_is_offered_none() {
        let toolbox = Toolbox::builtin();
        for (stage, simple) in STAGES.into_iter().flat_map(|stage| [(stage, true), (stage, false)])
        {
            let (steps, jobs) = (StepForm::Words, true);
            let (submits, council, calls, may_call) = (true, false, false, false);
            let folders = true;
            let offer =
                Offer { stage, steps, simple, folders, jobs, submits, council, calls, may_call };
            assert!(offer.specs(&toolbox).is_empty(), "{stage:?}");
        }
    }

    #[test]
    fn instructions_and_tools_are_few_tokens_in_every_stage() {
        for (simple, limit) in [(true, 1_500), (false, 3_000)] {
            for stage in STAGES {
                let tokens = most_bytes(stage, simple) / 4;
                assert!(tokens <= limit, "{stage:?}, small {simple}: {tokens} of {limit}");
            }
        }
    }
}
