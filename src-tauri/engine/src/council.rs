//! Councils: several agents propose and vote, each in a room of its own, and the winner acts. What
//! follows from what is decided in `plan`; here it is carried out.

mod answer_files;
mod answering;
mod asking;
mod copying;
mod driving;
mod preview;
mod starting;
mod steering;

pub(crate) use answer_files::remove as remove_answer_files;
pub(crate) use answering::{called, is_tool};
pub(crate) use asking::fenced;
pub(crate) use copying::give_copy;
pub(crate) use driving::{Councils, heard};
pub use preview::{CouncilPreview, CouncilSeat};
pub use starting::StartCouncil;

use crate::config::{self, AgentConfig, Config, ModelRef};
use crate::engine::Engine;
use crate::live::LiveRoom;
use crate::sidekicks::parent_of;
use plan::council::answer_tools;
use plan::{CouncilStage, Room, Seat};
use std::path::{Path, PathBuf};

/// The tool by which a room's agent calls a council.
pub(crate) const START: &str = "start_council";

/// The model of an agent that sits in a council.
pub(crate) fn model_of(agent: &AgentConfig) -> ModelRef {
    agent.plan_model.clone().unwrap_or_else(|| agent.model.clone())
}

/// Whether an agent can speak for its seat: it is configured, or one of the built-in ones.
pub(crate) fn knows(config: &Config, name: &str) -> bool {
    config.agent(name).is_some() || starting::available(config).iter().any(|one| one.name == name)
}

/// Where answers are left as files: where the configuration says so, else in the data folder.
pub(crate) fn snapshots(engine: &Engine) -> PathBuf {
    let config = engine.shared.config.current();
    let named = config.config.orchestrator.snapshot_storage.as_deref();
    storage(engine, named).unwrap_or_else(|| engine.shared.data.join("snapshots"))
}

/// The folder beside the data folder in which members' copies are, where one is named. It is a
/// folder of our own there, and of this data folder alone: what else is beside it is not ours.
pub(crate) fn copies(engine: &Engine) -> Option<PathBuf> {
    let config = engine.shared.config.current();
    let named = config.config.orchestrator.agent_temporary_workspace.as_deref();
    let data = engine.shared.data.canonicalize().unwrap_or_else(|_| engine.shared.data.clone());
    let id = &blake3::hash(data.as_os_str().as_encoded_bytes()).to_hex()[..12];
    Some(storage(engine, named)?.join(format!("plancard-{id}")))
}

/// The folder that a configuration names for councils, where it names one that can be used.
fn storage(engine: &Engine, named: Option<&Path>) -> Option<PathBuf> {
    let named = named?;
    let workspaces = engine.shared.journal.workspaces().map_err(|error| error.to_string());
    let folder = workspaces
        .and_then(|workspaces| config::storage_folder(named, &engine.shared.data, &workspaces));
    match folder {
        Ok(folder) => Some(folder),
        Err(why) => {
            tracing::warn!(%why, "a council's files go to the data folder");
            None
        }
    }
}

/// Whether work in this room is a council's: the configuration says so, and there are agents for it.
pub(crate) fn is_called_for(config: &Config, room: &Room) -> bool {
    config.orchestrator.enable_planning_mode == Some(true)
        && matches!(room.kind, plan::RoomKind::Chat)
        && room.active_plan().is_none()
        && room.active_council().is_none()
        && starting::available(config).len() >= 2
}

/// Whether a council talks, or judges what was done, in a room above.
pub(crate) fn talks_above(engine: &Engine, live: &LiveRoom) -> bool {
    let mut parent = parent_of(live);
    while let Some(above) = parent.and_then(|room| engine.live(room).ok()) {
        if above.lock().room.council_without_plan().is_some() {
            return true;
        }
        parent = parent_of(&above);
    }
    false
}

/// Whether a room is a council member's whose council does not go on, or without it.
pub(crate) fn is_held(engine: &Engine, live: &LiveRoom) -> bool {
    let (above, member, told, words, hands_in, id) = {
        let room = &live.lock().room;
        let Some(member) = &room.member else { return false };
        let hands_in = room.calls.iter().any(|call| answer_tools(&call.request.tool));
        let place = (member.council, member.number);
        (room.council_above(), place, member.told(), member.words, hands_in, live.id)
    };
    let Some(above) = above.and_then(|room| engine.live(room).ok()) else { return true };
    let inner = above.lock();
    let council = inner.room.active_council().filter(|council| council.id == member.0);
    let seat = council.filter(|one| one.is_at_work(member.1)).and_then(|one| one.seat(member.1));
    // What its model says to an older question is not heard any more.
    let is_decided = council.is_some_and(|council| council.stage == CouncilStage::Decided);
    let hears_the_last = |seat: &Seat| {
        seat.asked.as_ref().is_some_and(|asked| asked.last_word && told >= asked.turn)
    };
    // It stood still, and is told first what was said meanwhile.
    let lacks_words = |seat: &Seat| !hands_in && seat.is_in_turn() && seat.lacks(words);
    seat.is_none_or(|seat| match is_decided {
        _ if seat.who.room != id => true,
        true => !hears_the_last(seat),
        false => lacks_words(seat),
    })
}
