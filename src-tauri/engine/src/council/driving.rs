//! Carries out what is due between a council's room and those of its members, as long as it goes on.

use super::asking;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use crate::turn;
use plan::council::{Standing, due, next_time};
use plan::{Actor, Command, Council, Crossing, Event, Number, Room, RoomId, RoomKind};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// The councils that go on, by their rooms, and how each is woken.
#[derive(Default)]
pub(crate) struct Councils(Mutex<HashMap<RoomId, Arc<Notify>>>);

impl Councils {
    fn lock(&self) -> MutexGuard<'_, HashMap<RoomId, Arc<Notify>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Something happened in a room: what it means for the council in it, or above it.
pub(crate) fn heard(engine: &Engine, live: &Arc<LiveRoom>, events: &[Event]) {
    let above = {
        let room = &live.lock().room;
        match (room.council_above(), room.councils.is_empty()) {
            (Some(above), _) => above,
            (None, false) => live.id,
            (None, true) => return,
        }
    };
    if above != live.id {
        if events.iter().any(|event| matches!(event, Event::Replied { .. } | Event::Spent { .. })) {
            tell_spent(engine, live, above);
        }
        return wake(engine, above);
    }
    wake(engine, above);
    if events.iter().any(holds_members) {
        look_up(engine, live);
    }
    if events.iter().any(lets_copies_go) {
        drop_copies(engine, live);
    }
}

/// Wakes the task of a council that goes on, or begins one.
fn wake(engine: &Engine, room: RoomId) {
    let mut all = engine.shared.councils.lock();
    if let Some(task) = all.get(&room) {
        return task.notify_one();
    }
    let Some(live) = engine.in_use(room) else { return };
    if engine.shared.stopping.is_cancelled() || !goes_on(&live.lock().room) {
        return;
    }
    let wake = Arc::new(Notify::new());
    all.insert(room, Arc::clone(&wake));
    let engine = engine.clone();
    let (tasks, runtime) = (engine.shared.tasks.clone(), engine.shared.runtime.clone());
    tasks.spawn_on(async move { drive(&engine, &live, &wake).await }, &runtime);
}

fn goes_on(room: &Room) -> bool {
    room.active_council().is_some_and(Council::is_running)
}

async fn drive(engine: &Engine, live: &Arc<LiveRoom>, wake: &Notify) {
    loop {
        if let Err(error) = settle(engine, live).await {
            tracing::error!(room = %live.id, %error, "a council could not go on");
        }
        let next = {
            let mut all = engine.shared.councils.lock();
            let inner = live.lock();
            if inner.broken || !goes_on(&inner.room) || engine.shared.stopping.is_cancelled() {
                all.remove(&live.id);
                return;
            }
            next_time(&inner.room, engine.shared.clock.now())
        };
        let later = async {
            match next {
                Some(at) => engine.shared.clock.until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = wake.notified() => {}
            () = later => {}
            () = engine.shared.stopping.cancelled() => {}
        }
    }
}

/// Carries out what is due until nothing is, or nothing more comes of it.
async fn settle(engine: &Engine, live: &Arc<LiveRoom>) -> Result<(), EngineError> {
    let mut last = Vec::new();
    loop {
        let due = {
            let rooms = members(engine, live).into_iter();
            let mut standings: HashMap<Number, Standing> = rooms
                .filter_map(|(number, room)| Some((number, Standing::of(&room.lock().room)?)))
                .collect();
            let inner = live.lock();
            due(&inner.room, |number| standings.remove(&number), engine.shared.clock.now())
        };
        if due.is_empty() || due == last || engine.shared.stopping.is_cancelled() {
            return Ok(());
        }
        last.clone_from(&due);
        let mut done = false;
        for crossing in due {
            match carry_out(engine, live, crossing).await {
                Ok(()) => done = true,
                // What was due a moment ago is no longer.
                Err(EngineError::Refused(_)) => {}
                Err(error) => return Err(error),
            }
        }
        if !done {
            return Ok(());
        }
    }
}

async fn carry_out(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    crossing: Crossing,
) -> Result<(), EngineError> {
    let here = |command| turn::submit(engine, live, command, Vec::new()).map(drop);
    match crossing {
        Crossing::Make(number) => make(engine, live, number),
        Crossing::Ask(member) => here(Command::AskMember { member, low: false }),
        Crossing::RunsLow(member) => here(Command::AskMember { member, low: true }),
        Crossing::Tell(number) => asking::tell(engine, live, number),
        Crossing::GoOn(number) => {
            let Some(member) = member(engine, live, number) else { return Ok(()) };
            turn::submit(engine, &member, Command::NudgeMember, Vec::new()).map(drop)
        }
        Crossing::Out(member, reason) => here(Command::MemberOut { member, reason }),
        Crossing::Waits(member, until) => here(Command::MemberWaits { member, until }),
        Crossing::TimeUp => here(Command::CouncilTimeUp),
        Crossing::HandOver => {
            let (text, blob) = asking::handed_over(engine, live).await?;
            let command = Command::HandOver { text };
            turn::submit(engine, live, command, blob.into_iter().collect()).map(drop)
        }
    }
}

/// The rooms of the members that are there.
fn members(engine: &Engine, live: &LiveRoom) -> Vec<(Number, Arc<LiveRoom>)> {
    let seats: Vec<(Number, RoomId)> = {
        let inner = live.lock();
        let Some(council) = inner.room.active_council() else { return Vec::new() };
        council.numbered().map(|(number, seat)| (number, seat.who.room)).collect()
    };
    let found =
        seats.into_iter().filter_map(|(number, room)| Some((number, engine.live(room).ok()?)));
    found.collect()
}

pub(super) fn member(engine: &Engine, live: &LiveRoom, number: Number) -> Option<Arc<LiveRoom>> {
    let room = live.lock().room.active_council()?.seat(number)?.who.room;
    engine.live(room).ok()
}

/// Makes a member's room, as its council names it.
fn make(engine: &Engine, above: &Arc<LiveRoom>, number: Number) -> Result<(), EngineError> {
    let (council, who, workspace) = {
        let inner = above.lock();
        let Some(council) = inner.room.active_council() else { return Ok(()) };
        let Some(seat) = council.seat(number) else { return Ok(()) };
        (council.id, seat.who.clone(), inner.room.workspace.clone())
    };
    let create = Command::CreateRoom {
        room: who.room,
        title: plan::member_name(number),
        unnamed: false,
        workspace,
        kind: RoomKind::Member { parent: above.id, council, number },
        mode: plan::PlanMode::Strict,
        agent: who.agent,
    };
    let live = Arc::new(LiveRoom::fresh(who.room));
    engine.add(&live);
    engine.know_parent(above.id, who.room);
    engine.submit_live(&live, &Actor::harness(), create, Vec::new())?;
    let config = engine.shared.config.current();
    let agent = turn::agent_of(&config.config, &live.lock().room);
    engine.begin_history(&live, &super::model_of(&agent));
    Ok(())
}

/// What a member used counts in the council's room at once.
fn tell_spent(engine: &Engine, live: &LiveRoom, above: RoomId) {
    let (room, usage) = (live.id, live.lock().room.usage);
    let spent = Command::SpentBelow { room, usage };
    let told = engine.live(above).and_then(|above| turn::submit(engine, &above, spent, Vec::new()));
    if let Err(error) = told {
        tracing::error!(room = %above, %error, "what a council member used could not be told");
    }
}

/// Whether members may not go on as before, or may again.
fn holds_members(event: &Event) -> bool {
    matches!(
        event,
        Event::CouncilPaused { .. }
            | Event::CouncilResumed { .. }
            | Event::CouncilDecided { .. }
            | Event::CouncilMemberFailed { .. }
            | Event::CouncilRestarted { .. }
            | Event::CouncilEnded { .. }
    )
}

/// Members look whether they still may, or may again.
fn look_up(engine: &Engine, live: &LiveRoom) {
    for child in engine.live_below(live.id) {
        if child.lock().room.member.is_some() {
            child.changed.send_modify(|_| {});
            engine.drive(&child);
        }
    }
}

/// Whether members need their copies no more.
fn lets_copies_go(event: &Event) -> bool {
    matches!(
        event,
        Event::CouncilHandedOver { .. }
            | Event::CouncilRestarted { .. }
            | Event::CouncilEnded { .. }
    )
}

/// Copies in which nobody looks any more go.
fn drop_copies(engine: &Engine, live: &LiveRoom) {
    for child in engine.live_below(live.id) {
        let has = {
            let room = &child.lock().room;
            room.member.is_some() && room.copy.is_some()
        };
        if !has {
            continue;
        }
        let drop_it = Command::DropCopy { problem: None };
        if let Err(error) = turn::submit(engine, &child, drop_it, Vec::new()) {
            tracing::error!(room = %child.id, %error, "a council member's copy could not be dropped");
            continue;
        }
        let (engine, room) = (engine.clone(), child.id);
        let (tasks, runtime) = (engine.shared.tasks.clone(), engine.shared.runtime.clone());
        tasks.spawn_on(async move { engine.remove_copy(room).await }, &runtime);
    }
}
