//! Goals: split by a model, done by sidekicks, brought together by an agent.

mod assigning;
mod joining;
mod timing;
mod waiting;

pub(crate) use joining::{outputs, said};
pub(crate) use timing::watch;
pub(crate) use waiting::{note, refuse_while_it_drifts};

use crate::config::{Config, OnPartial};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use crate::turn;
use crate::workspace::Opener;
use plan::{
    Actor, Caps, Command, Draft, DraftStep, Frame, FullStep, MessageId, Origin, Phase, PlanId,
    PlanMode, Refusal, RoomId, RunMode, StepRef, Text, Time, Venue,
};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;

/// How many steps of a goal a person may want at once.
const AT_ONCE: RangeInclusive<u32> = 1..=100;
/// How many milliseconds a goal may be given: a day at most.
const MS: RangeInclusive<u64> = 1..=86_400_000;

/// A goal, and what is asked for it beyond the configuration.
#[derive(Debug, Clone)]
pub struct NewGoal {
    /// What is to be reached.
    pub goal: String,
    /// The folder it is about.
    pub folder: PathBuf,
    /// Who wants it there.
    pub opener: Opener,
    /// How many of its steps may run at once; as configured when absent.
    pub parallelism: Option<u32>,
    /// Milliseconds it may take; as configured when absent.
    pub timeout_ms: Option<u64>,
    /// The plan mode of its room, where that is stricter than the default agent's.
    pub mode: PlanMode,
}

/// A goal that was taken.
#[derive(Debug, Clone, Copy)]
pub struct SetGoal {
    /// Its plan.
    pub plan: PlanId,
    /// The room that was made for it.
    pub room: RoomId,
    /// When.
    pub at: Time,
}

impl Engine {
    /// Makes a room for a goal and lets it be carried out there.
    pub async fn set_goal(&self, actor: &Actor, new: NewGoal) -> Result<SetGoal, EngineError> {
        let loaded = self.shared.config.current();
        if !loaded.config.planner.enabled {
            return Err(EngineError::GoalsOff);
        }
        plan::check_goal(&new.goal)?;
        let caps = caps(&loaded.config, &new)?;
        let mode = loaded.config.default_agent().plan_mode.max(new.mode);
        let room = self.create_room_as(new.opener, actor, None, &new.folder, Some(mode)).await?.id;
        let goal = self.shared.redactor.clean(new.goal);
        let (text, blob) = Text::split(goal.clone());
        let plan = PlanId(crate::fresh_id());
        let set = Command::SetGoal {
            plan,
            message: MessageId(crate::fresh_id()),
            text,
            goal,
            frame: frame(&loaded.config, room, caps),
        };
        let live = self.live(room)?;
        self.submit_live(&live, actor, set, blob.into_iter().collect())?.stored().await?;
        watch(self, &live);
        let at = live.lock().room.plan.as_ref().map_or(Time(0), |plan| plan.created_at);
        Ok(SetGoal { plan, room, at })
    }
}

/// The caps of one goal.
fn caps(config: &Config, new: &NewGoal) -> Result<Caps, EngineError> {
    let mut caps = config.caps.clone();
    if let Some(parallelism) = new.parallelism {
        if !AT_ONCE.contains(&parallelism) {
            return Err(EngineError::BadOption("parallelism must be from 1 to 100"));
        }
        caps.parallelism = parallelism;
    }
    if let Some(timeout_ms) = new.timeout_ms {
        if !MS.contains(&timeout_ms) {
            return Err(EngineError::BadOption("timeoutMs must be from 1 to 86400000"));
        }
        caps.timeout_ms = timeout_ms;
    }
    Ok(caps)
}

fn frame(config: &Config, room: RoomId, caps: Caps) -> Frame {
    let planner = &config.planner;
    let agent = planner.synthesis_agent.clone();
    Frame {
        origin: Origin::Goal,
        lanes: caps.parallelism.min(caps.sidekicks),
        on_partial: match planner.on_partial_completion {
            OnPartial::Synthesize => plan::OnPartial::Synthesize,
            OnPartial::Fail => plan::OnPartial::Fail,
        },
        venue_room: room,
        parent: None,
        nested: false,
        delegated: true,
        synthesis: Some(agent.unwrap_or_else(|| config.default_agent().name)),
        caps,
    }
}

/// Makes what a model wrote for a goal the goal's: the person's own words, a graph, and an agent
/// for each step. Below a goal each step gets its agent, too.
pub(crate) fn shape(engine: &Engine, live: &LiveRoom, draft: &mut Draft) {
    let (phase, goal, parent) = {
        let inner = live.lock();
        let goal = inner.room.active_plan().map(|plan| plan.content.goal.clone());
        (inner.room.phase(), goal, inner.room.kind.clone())
    };
    let below = matches!(parent, plan::RoomKind::Sidekick { parent, .. }
        if goal_above(engine, parent).is_some());
    if phase.is_none() && !(below && draft.run_mode() != RunMode::Sequential) {
        return;
    }
    if let (Some(_), Some(goal)) = (phase, goal) {
        draft.goal = goal;
        if draft.run_mode() == RunMode::Sequential {
            chain(draft);
        }
        draft.mode = Some(RunMode::Graph);
        draft.venue = Venue::Main;
    }
    assigning::assign(&engine.shared.config.current().config, draft);
}

/// Steps that were written one after the other, with that order as a graph.
fn chain(draft: &mut Draft) {
    for (before, step) in draft.steps.iter_mut().enumerate() {
        let mut full = FullStep::from(step.clone());
        let before = u32::try_from(before).unwrap_or(u32::MAX);
        full.needs = (before > 0).then_some(StepRef::Number(before)).into_iter().collect();
        *step = DraftStep::Full(Box::new(full));
    }
}

/// The frame of the goal that a room works for, if it works for one.
pub(crate) fn goal_above(engine: &Engine, room: RoomId) -> Option<Arc<Frame>> {
    let mut next = Some(room);
    while let Some(live) = next.and_then(|room| engine.live(room).ok()) {
        let frame = {
            let inner = live.lock();
            let plan = inner.room.active_plan().filter(|plan| plan.goal.is_some());
            plan.map(|plan| Arc::clone(&plan.frame))
        };
        if frame.is_some() {
            return frame;
        }
        next = crate::sidekicks::parent_of(&live);
    }
    None
}

/// The steps that were written for a goal were refused: once the model hears why, then the goal
/// has failed.
pub(crate) fn refused(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    why: String,
) -> Result<(), EngineError> {
    if is_splitting(live) {
        turn::submit(engine, live, Command::RefuseSplit { why }, Vec::new())?;
    }
    Ok(())
}

/// Whether a goal is to be split in this room now.
pub(crate) fn is_splitting(live: &LiveRoom) -> bool {
    live.lock().room.phase() == Some(Phase::Splitting)
}

/// Refuses a plan whose sidekicks would be too deep below the room at the top.
pub(crate) fn refuse_too_deep(engine: &Engine, live: &LiveRoom) -> Result<(), EngineError> {
    let most = engine.shared.config.current().config.caps.depth;
    match engine.depth(live)? >= most {
        true => Err(Refusal::TooDeep { most }.into()),
        false => Ok(()),
    }
}
