//! Sidekicks: rooms in which agents work in the background for another room.

mod conflicts;
mod context;
mod copying;
mod finished;
mod heard;
mod merging;
mod nested;
mod showing;
mod spending;
mod steps;
mod timing;

pub(crate) use copying::{Given, give_copy, may_change_files};
pub(crate) use nested::refuse_vain_approval;
pub(crate) use plan::SPAWN;
use steps::number;
pub(crate) use steps::{check_failed, check_of, does_step, served_step};
pub(crate) use timing::watch;

use heard::{
    begins_to_run, ends_sidekicks, gives_copy_up, gives_work_up, may_end_it, may_let_go_on,
    moves_steps, moves_waits, spends,
};

use crate::config::ModelRef;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::goals;
use crate::live::LiveRoom;
use crate::slots::Wish;
use crate::submit::Submitted;
use crate::turn::{self, Performed};
use plan::{
    Actor, CallId, Command, Event, Limits, Outcome, PlanId, Refusal, Room, RoomId, RoomKind,
    SidekickEnd, SidekickView, StepId, Text, Told, view,
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

/// What becomes of changes of a sidekick that is done and only has to be merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Finished {
    /// They are merged all the same.
    Kept,
    /// Nobody wants them any more.
    Dropped,
}

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
    fn begin_sidekick(
        &self,
        above: &Arc<LiveRoom>,
        actor: &Actor,
        new: NewSidekick,
        context: Option<String>,
    ) -> Result<(Arc<LiveRoom>, Submitted), EngineError> {
        let most = self.shared.config.current().config.caps.depth;
        if self.depth(above)? >= most {
            return Err(Refusal::TooDeep { most }.into());
        }
        self.check_model(above, new.model.as_deref())?;
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
                agent: new.agent.clone().unwrap_or_else(|| room.agent.clone()),
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
    fn brief(
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
        let limits = Limits {
            turns: caps.sidekick_turns,
            seconds: new.timeout.unwrap_or(caps.sidekick_seconds),
            tokens: caps.tokens,
        };
        let (task, context) = (keep(new.task), context.map(keep));
        let (model, number) = (new.model, new.number);
        let brief = Command::Brief { task, context, model, number, limits };
        self.submit_live(live, actor, brief, blobs)
    }

    /// The sidekicks of a room, newest first.
    pub fn sidekicks(&self, parent: RoomId) -> Result<Vec<SidekickView>, EngineError> {
        self.live(parent)?;
        let stored = self.journal().sidekicks(Some(parent.0))?;
        let mut rooms: BTreeSet<RoomId> =
            stored.into_iter().map(|stored| RoomId(stored.row.id)).collect();
        // The newest may not be on disk yet.
        rooms.extend(self.live_below(parent).iter().map(|live| live.id));
        let mut found = Vec::with_capacity(rooms.len());
        for room in rooms.into_iter().rev() {
            match self.view(room) {
                Ok(view) => found.extend(view.sidekick),
                // It is being made, or was deleted a moment ago.
                Err(EngineError::NoRoom) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }

    /// A sidekick of a room by its codename or id.
    pub fn sidekick(&self, parent: RoomId, name: &str) -> Result<SidekickView, EngineError> {
        let named = |known: &SidekickView| known.codename == name || known.id.to_string() == name;
        let found = self.sidekicks(parent)?.into_iter().find(named);
        found.ok_or(EngineError::Refused(Refusal::NoSidekick))
    }

    /// Stops a sidekick, with its own sidekicks and everything that runs there.
    pub async fn stop_sidekick(&self, room: RoomId, actor: &Actor) -> Result<(), EngineError> {
        let live = self.live(room)?;
        let result = "stopped by a person".to_owned();
        // One that waits with what it has done is done with it, too.
        if live.lock().room.has_work_to_settle() {
            let drop = Command::DropCopy { problem: Some(result) };
            turn::submit(self, &live, drop, Vec::new())?.stored().await?;
            return Ok(());
        }
        // Neither is what its own have done wanted any more.
        let (end, told, checked, given_up) = (SidekickEnd::Stopped, false, false, true);
        let command = Command::EndSidekick { end, result, told, checked, given_up, call: None };
        self.submit_live(&live, actor, command, Vec::new())?.stored().await?;
        Ok(())
    }

    /// Tells the room that asked what came of a sidekick, unless it knows.
    pub(crate) fn report(&self, live: &Arc<LiveRoom>) -> Result<(), EngineError> {
        // First its work has to be where it belongs.
        if self.settle_copy(live) {
            return Ok(());
        }
        let (parent, from, text) = {
            let inner = live.lock();
            let RoomKind::Sidekick { parent, codename, .. } = &inner.room.kind else {
                return Ok(());
            };
            let ended = inner.room.sidekick.as_ref().and_then(|sidekick| sidekick.ended.as_ref());
            let Some(ended) = ended.filter(|ended| !ended.told) else { return Ok(()) };
            let how = match ended.end {
                SidekickEnd::Completed => "has finished",
                SidekickEnd::Stopped => "was stopped",
                SidekickEnd::Failed => "has failed",
            };
            let text = format!("Sidekick {codename} {how}: {}", ended.words());
            (*parent, Told { room: live.id, seq: ended.seq }, text)
        };
        match self.step_over(live) {
            Ok(true) => return self.told(live),
            Ok(false) => {}
            // The plan is paused; it is told when it goes on.
            Err(error) if steps::is_too_early(&error) => return Ok(()),
            Err(error) => return Err(error),
        }
        // Who has ended does not begin anew because of it.
        let ended = |room: &Room| room.sidekick.is_some() && room.open_sidekick().is_none();
        let quiet = self.with_room(parent, ended).unwrap_or(false);
        match self.submit(parent, &Actor::harness(), Command::Tell { from, text, quiet }) {
            // A room that was deleted need not know.
            Ok(_) | Err(EngineError::NoRoom) => {}
            Err(error) => return Err(error),
        }
        self.told(live)
    }

    fn told(&self, live: &Arc<LiveRoom>) -> Result<(), EngineError> {
        turn::submit(self, live, Command::SidekickReported, Vec::new())?;
        Ok(())
    }

    /// What happened in a room, for the sidekicks of it and the room above.
    pub(crate) fn sidekicks_heard(&self, live: &Arc<LiveRoom>, events: &[Event]) {
        let ended = events.iter().any(|event| matches!(event, Event::SidekickEnded { .. }));
        if ended {
            self.free_slot(live);
        }
        if events.iter().any(gives_copy_up) {
            self.clear_copy(live);
            self.settle_above(live);
        }
        if ended || events.iter().any(spends) {
            self.tell_spent(live);
        }
        if events.iter().any(begins_to_run) && live.lock().room.phase().is_none() {
            goals::watch(self, live);
        }
        if events.iter().any(may_end_it)
            && let Err(error) = self.report(live)
        {
            tracing::error!(room = %live.id, %error, "a sidekick's end could not be told");
        }
        if events.iter().any(|event| matches!(event, Event::Paused { .. })) {
            self.wake_below(live);
        }
        if events.iter().any(moves_steps) {
            self.end_strays(live);
            let resumed = events.iter().any(|event| matches!(event, Event::Resumed { .. }));
            self.hand_steps(live, resumed);
        }
        self.stop_above(live, events);
        self.refill_above(live, events);
        if events.iter().any(moves_waits) {
            goals::note(self, live);
        }
        let over = events.iter().any(ends_sidekicks);
        if !over && !events.iter().any(may_let_go_on) {
            return;
        }
        let finished = match events.iter().any(gives_work_up) {
            true => Finished::Dropped,
            false => Finished::Kept,
        };
        // A plan that failed says nothing of sidekicks that were no part of it.
        let failed = events.iter().any(|event| matches!(event, Event::PlanFailed { .. }));
        for child in self.children(live.id) {
            if failed && !child.lock().room.serves_step() {
                continue;
            }
            match over {
                true => self.end_for_room(&child, finished),
                false => {
                    self.settle_copy(&child);
                    self.drive(&child);
                    self.drive_below(&child);
                }
            }
        }
    }

    /// Who asks a model below a plan that was paused looks whether it may still.
    fn wake_below(&self, live: &LiveRoom) {
        for child in self.live_below(live.id) {
            child.changed.send_modify(|_| {});
            self.wake_below(&child);
        }
    }

    /// What is further below was held back, too.
    fn drive_below(&self, live: &LiveRoom) {
        for child in self.live_below(live.id) {
            self.settle_copy(&child);
            self.drive(&child);
            self.drive_below(&child);
        }
    }

    /// Gives a sidekick's slot to whoever is next.
    pub(crate) fn free_slot(&self, live: &LiveRoom) {
        if parent_of(live).is_none() {
            return;
        }
        let most = self.shared.config.current().config.caps.sidekicks;
        let mut next = VecDeque::from(self.shared.slots.give_back(live.id, most));
        while let Some(room) = next.pop_front() {
            match self.live(room) {
                Ok(room) => self.drive(&room),
                // It is gone: another one may have its slot.
                Err(_) => next.extend(self.shared.slots.give_back(room, most)),
            }
        }
    }

    /// The room that asked is done with it.
    pub(crate) fn end_for_room(&self, child: &Arc<LiveRoom>, finished: Finished) {
        let (open, has_copy) = {
            let room = &child.lock().room;
            if finished == Finished::Kept && room.has_work_to_settle() {
                return;
            }
            (room.open_sidekick().is_some(), room.has_copy_to_settle())
        };
        let mut result = "the room that asked stopped it".to_owned();
        if let Some((said, _)) = self.so_far(child).filter(|_| open) {
            result += &format!("; so far: {}", self.redact(said));
        }
        let given_up = finished == Finished::Dropped;
        let command = match (open, has_copy) {
            (true, _) => {
                let (end, told, checked) = (SidekickEnd::Stopped, true, false);
                Command::EndSidekick { end, result, told, checked, given_up, call: None }
            }
            (false, true) if given_up => Command::DropCopy { problem: None },
            // There may be finished work in it.
            (false, true) => {
                self.settle_copy(child);
                return;
            }
            (false, false) => return,
        };
        if let Err(error) = turn::submit(self, child, command, Vec::new()) {
            tracing::error!(room = %child.id, %error, "a sidekick could not be stopped");
        }
        self.wait_no_more(child);
    }

    /// A room that waits for a sidekick which was stopped does so no more.
    fn wait_no_more(&self, child: &LiveRoom) {
        let Some(parent) = parent_of(child).and_then(|parent| self.live(parent).ok()) else {
            return;
        };
        let (from, text) = {
            let inner = child.lock();
            let RoomKind::Sidekick { codename, .. } = &inner.room.kind else { return };
            let text = format!("Sidekick {codename} was stopped with what it was for.");
            (Told { room: child.id, seq: inner.room.seq }, text)
        };
        let quiet = {
            let room = &parent.lock().room;
            if !room.below.contains(&child.id) {
                return;
            }
            // In a room where a person speaks, nobody has to answer to that.
            room.sidekick.is_none()
        };
        let tell = Command::Tell { from, text, quiet };
        if let Err(error) = turn::submit(self, &parent, tell, Vec::new()) {
            tracing::error!(room = %parent.id, %error, "a room could not be told");
        }
    }

    /// The sidekicks of a room, those that are not in memory included.
    pub(crate) fn children(&self, parent: RoomId) -> Vec<Arc<LiveRoom>> {
        let mut found = self.live_below(parent);
        let stored = self.shared.journal.sidekicks(Some(parent.0)).unwrap_or_default();
        for stored in stored {
            let id = RoomId(stored.row.id);
            if !found.iter().any(|live| live.id == id) {
                found.extend(self.live(id).ok());
            }
        }
        found
    }

    /// How many rooms are above this one.
    pub(crate) fn depth(&self, live: &LiveRoom) -> Result<u32, EngineError> {
        let mut depth = 0;
        let mut parent = parent_of(live);
        while let Some(room) = parent {
            depth += 1;
            parent = parent_of(&*self.live(room)?);
        }
        Ok(depth)
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

/// A sidekick of a room that is done, but whose changes are not taken over yet.
pub(crate) fn settling_below(engine: &Engine, live: &LiveRoom) -> Option<String> {
    engine.children(live.id).iter().find_map(|child| {
        let inner = child.lock();
        match &inner.room.kind {
            RoomKind::Sidekick { codename, .. } if inner.room.has_work_to_settle() => {
                Some(codename.clone())
            }
            RoomKind::Sidekick { .. } | RoomKind::Chat => None,
        }
    })
}

/// The room that asked for this one.
pub(crate) fn parent_of(live: &LiveRoom) -> Option<RoomId> {
    match live.lock().room.kind {
        RoomKind::Chat => None,
        RoomKind::Sidekick { parent, .. } => Some(parent),
    }
}

/// The room at the top, where a person works.
pub(crate) fn root_of(engine: &Engine, live: &LiveRoom) -> RoomId {
    let mut root = live.id;
    while let Some(parent) = engine.live(root).ok().and_then(|room| parent_of(&room)) {
        root = parent;
    }
    root
}

/// Whether a plan above is paused: nothing starts below it.
pub(crate) fn is_held(engine: &Engine, live: &LiveRoom) -> bool {
    let mut parent = parent_of(live);
    while let Some(above) = parent.and_then(|room| engine.live(room).ok()) {
        if above.lock().room.active_plan().is_some_and(|plan| plan.state.is_paused()) {
            return true;
        }
        parent = parent_of(&above);
    }
    false
}

/// Whether a room may work now: a sidekick needs a slot, or waits for one. Another room always may.
pub(crate) fn may_work(engine: &Engine, live: &Arc<LiveRoom>) -> Result<bool, EngineError> {
    let (urgent, had) = {
        let inner = live.lock();
        let Some(sidekick) = &inner.room.sidekick else { return Ok(true) };
        (sidekick.awaited, sidekick.slot)
    };
    let root = root_of(engine, live);
    let most = engine.shared.config.current().config.caps.sidekicks;
    // What a goal has at once counts together, however deep it is.
    let of_goal = goals::goal_above(engine, root).map_or(most, |frame| frame.lanes);
    let pool = pool_of(engine, live);
    let wish = Wish { room: live.id, root, urgent, most: of_goal, pool };
    let got = engine.shared.slots.take(wish, most);
    match (got, had) {
        (true, false) => drop(turn::submit(engine, live, Command::StartSidekick, Vec::new())?),
        (false, true) => drop(turn::submit(engine, live, Command::QueueSidekick, Vec::new())?),
        (true, true) | (false, false) => {}
    }
    if !got || !had {
        goals::note(engine, live);
    }
    Ok(got)
}

/// The plan that a sidekick works for, and how many may at once; nothing where a person asked for it.
fn pool_of(engine: &Engine, live: &LiveRoom) -> Option<(PlanId, u32)> {
    if live.lock().room.sidekick.as_ref()?.by_person {
        return None;
    }
    let parent = engine.live(parent_of(live)?).ok()?;
    let (plan, most) = {
        let inner = parent.lock();
        let plan = inner.room.active_plan()?;
        (plan.id, plan.frame.caps.sidekicks_per_plan)
    };
    let goal = goals::goal_above(engine, parent.id);
    Some((plan, goal.map_or(most, |goal| goal.lanes)))
}

/// A sidekick waits, with its slot: that time counts for nothing.
pub(crate) fn rest(engine: &Engine, live: &Arc<LiveRoom>) -> Result<(), EngineError> {
    turn::submit(engine, live, Command::QueueSidekick, Vec::new())?;
    goals::note(engine, live);
    Ok(())
}

/// A sidekick that rested works on.
pub(crate) fn work_on(engine: &Engine, live: &Arc<LiveRoom>) -> Result<(), EngineError> {
    turn::submit(engine, live, Command::StartSidekick, Vec::new())?;
    goals::note(engine, live);
    Ok(())
}

/// A sidekick that a paused plan above holds back is not at work.
pub(crate) fn put_off(engine: &Engine, live: &Arc<LiveRoom>) {
    let works = {
        let inner = live.lock();
        let has_slot = inner.room.sidekick.as_ref().is_some_and(|sidekick| sidekick.slot);
        has_slot && inner.room.is_at_work()
    };
    if works && is_held(engine, live) {
        // A log that can't be written evicts the room.
        let _ = turn::submit(engine, live, Command::QueueSidekick, Vec::new());
    }
}

/// The tool call that spawns a sidekick, after the gate.
pub(crate) async fn perform(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    call: CallId,
    args: &Value,
) -> Performed {
    let mut new: NewSidekick = match serde_json::from_value(args.clone()) {
        Ok(new) => new,
        Err(error) => {
            return Performed::failed(turn::refused("BAD_ARGUMENTS", &error.to_string()));
        }
    };
    let actor = {
        let inner = live.lock();
        let plan = inner.room.running_plan().filter(|plan| !plan.frame.delegated);
        let step = plan.and_then(|plan| Some((plan, plan.current()?)));
        new.number = step.and_then(|(plan, step)| number(plan, &step.spec.id));
        new.step = step.map(|(_, step)| step.spec.id.clone());
        Actor::agent(&inner.room.agent)
    };
    match engine.spawn_sidekick(live.id, &actor, new).await {
        Ok(sidekick) => {
            // Who stopped meanwhile did not see it.
            if live.lock().room.is_doomed(call)
                && let Ok(child) = engine.live(sidekick.id)
            {
                engine.end_for_room(&child, Finished::Dropped);
            }
            Performed {
                outcome: Outcome::Ok,
                text: json!({ "id": sidekick.id, "codename": sidekick.codename }).to_string(),
                ..Performed::failed(String::new())
            }
        }
        Err(error) => Performed::failed(turn::refused(error.code(), &error.to_string())),
    }
}
