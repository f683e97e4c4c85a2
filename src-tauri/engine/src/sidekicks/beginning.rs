//! How a sidekick begins: a room is made for it, and it is told what to do.

use super::context;
use crate::config::ModelRef;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use crate::submit::Submitted;
use crate::turn;
use plan::{
    Actor, Command, Limits, Refusal, Room, RoomId, RoomKind, SidekickView, StepId, Text, view,
};
use serde::Deserialize;
use std::sync::Arc;

/// What a sidekick gets to read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContextMode {
    /// Its task and nothing else.
    #[default]
    TaskOnly,
    /// What was said in the room that asks, too.
    Full,
}

/// What a new sidekick is to do.
#[derive(Debug, Clone, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSidekick {
    /// All it needs to know.
    pub task: String,
    /// What else it gets to read.
    #[serde(default)]
    pub context_mode: ContextMode,
    /// Its model; the agent's when absent.
    #[serde(default)]
    pub model: Option<String>,
    /// Seconds it may take; as configured when absent.
    #[serde(default)]
    pub timeout: Option<u32>,
    /// The step of the room's plan that it works on.
    #[serde(skip)]
    pub step: Option<StepId>,
    /// The number of that step, or of the one it does now of a whole plan.
    #[serde(skip)]
    pub number: Option<u32>,
    /// Whether it does all of that plan, one step after the other.
    #[serde(skip)]
    pub whole: bool,
    /// The agent that does it; the room's when absent.
    #[serde(skip)]
    pub agent: Option<String>,
    /// Its room's id; a new one when absent.
    #[serde(skip)]
    pub id: Option<RoomId>,
}

impl Engine {
    /// Makes a sidekick of a room, tells it what to do and lets it work.
    pub async fn spawn_sidekick(
        &self,
        parent: RoomId,
        actor: &Actor,
        new: NewSidekick,
    ) -> Result<SidekickView, EngineError> {
        let above = self.live(parent)?;
        let context = match new.context_mode {
            ContextMode::TaskOnly => None,
            ContextMode::Full => Some(context::of(self, &above).await?),
        };
        let (live, begun) = self.begin_sidekick(&above, actor, new, context)?;
        begun.stored().await?;
        let inner = live.lock();
        view(&inner.room).and_then(|view| view.sidekick).ok_or(EngineError::NoRoom)
    }

    /// The same, without waiting for the disk.
    pub(super) fn begin_sidekick(
        &self,
        above: &Arc<LiveRoom>,
        actor: &Actor,
        new: NewSidekick,
        context: Option<String>,
    ) -> Result<(Arc<LiveRoom>, Submitted), EngineError> {
        if above.lock().room.member.is_some() {
            return Err(Refusal::MemberRoom.into());
        }
        let most = self.shared.config.current().config.caps.depth;
        if self.depth(above)? >= most {
            return Err(Refusal::TooDeep { most }.into());
        }
        self.check_model(above, new.model.as_deref())?;
        if new.timeout == Some(0) {
            return Err(EngineError::BadOption("timeout must be at least 1 second"));
        }
        if new.task.trim().is_empty() {
            return Err(Refusal::EmptyMessage.into());
        }
        let codename = self.shared.codenames.give(&*self.shared.journal)?;
        let id = new.id.unwrap_or_else(|| RoomId(crate::fresh_id()));
        let name = codename.clone();
        let create = {
            let room = &above.lock().room;
            let (step, whole) = (new.step.clone(), new.whole);
            Command::CreateRoom {
                room: id,
                title: codename.clone(),
                unnamed: false,
                workspace: room.folder().to_owned(),
                kind: RoomKind::Sidekick { parent: above.id, codename, step, whole },
                mode: room.mode,
                agent: new.agent.clone().unwrap_or_else(|| own_agent(room)),
            }
        };
        let live = Arc::new(LiveRoom::fresh(id));
        self.add(&live);
        self.know_parent(above.id, id);
        self.submit_live(&live, actor, create, Vec::new())?;
        if let Some(model) = self.first_model(&live, new.model.as_deref()) {
            self.begin_history(&live, &model);
        }
        if new.id.is_none() {
            let task = self.shared.redactor.clean(new.task.clone());
            // What a person asks for is no part of a plan.
            let part = |room: &Room| room.active_plan().map(|plan| plan.id);
            let plan = part(&above.lock().room).filter(|_| !actor.is_person());
            let delegate = Command::Delegate { room: id, codename: name, task, plan };
            turn::submit(self, above, delegate, Vec::new())?;
        }
        let begun = self.brief(&live, actor, new, context)?;
        Ok((live, begun))
    }

    /// Tells a sidekick what to do.
    pub(super) fn brief(
        &self,
        live: &Arc<LiveRoom>,
        actor: &Actor,
        new: NewSidekick,
        context: Option<String>,
    ) -> Result<Submitted, EngineError> {
        let mut blobs = Vec::new();
        let mut keep = |text: String| {
            let (text, blob) = Text::split(self.shared.redactor.clean(text));
            blobs.extend(blob);
            text
        };
        let caps = self.shared.config.current().config.caps.clone();
        let serves_step = live.lock().room.serves_step();
        let limits = Limits {
            turns: caps.sidekick_turns,
            seconds: new.timeout.unwrap_or(caps.sidekick_seconds),
            // A plan that has a cap counts what is used for it at once, and is paused.
            tokens: caps.tokens.filter(|_| !(serves_step && self.has_tokens_above(live))),
        };
        let (task, context) = (keep(new.task), context.map(keep));
        let (model, number) = (new.model, new.number);
        let brief = Command::Brief { task, context, model, number, limits };
        self.submit_live(live, actor, brief, blobs)
    }

    /// The model that a new sidekick begins with.
    fn first_model(&self, live: &LiveRoom, named: Option<&str>) -> Option<ModelRef> {
        let config = self.shared.config.current();
        let agent = turn::agent_of(&config.config, &live.lock().room);
        match named {
            Some(name) => config.config.model(name, Some(&agent)).ok(),
            None => Some(agent.model),
        }
    }

    fn check_model(&self, above: &LiveRoom, model: Option<&str>) -> Result<(), EngineError> {
        let Some(name) = model else { return Ok(()) };
        let config = self.shared.config.current();
        let agent = turn::agent_of(&config.config, &above.lock().room);
        match config.config.model(name, Some(&agent)) {
            Ok(_) => Ok(()),
            Err(why) => Err(EngineError::BadModel { name: name.to_owned(), why: why.to_string() }),
        }
    }
}

/// The agent of a room's sidekicks: its own, and who won a council while that one's plan runs.
fn own_agent(room: &Room) -> String {
    room.winner().map_or(&room.agent, |seat| &seat.who.agent).clone()
}
