//! How rooms come to be, move, stop and go.

use crate::chatter::Chatter;
use crate::config::ModelRef;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::history::{History, Reader};
use crate::live::LiveRoom;
use crate::sidekicks::{self, Finished};
use crate::workspace::{self, Opener};
use crate::{council, turn};
use models::Protocol;
use plan::{Actor, Command, PlanMode, Refusal, RoomId, RoomKind, RoomView, SoFar, Text, view};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How much is stored of a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct RoomSize {
    /// Bytes of its own texts and those of its sidekicks.
    pub bytes: u64,
    /// How many sidekicks it has, and they have.
    pub sidekicks: u32,
}

impl Engine {
    /// Makes a room. The folder must exist and be nobody's business but the person's.
    pub async fn create_room(
        &self,
        actor: &Actor,
        title: Option<String>,
        folder: &Path,
        mode: Option<PlanMode>,
    ) -> Result<RoomView, EngineError> {
        self.create_room_as(Opener::of(actor), actor, title, folder, mode).await
    }

    /// The same for someone whose rights are known.
    pub(crate) async fn create_room_as(
        &self,
        opener: Opener,
        actor: &Actor,
        title: Option<String>,
        folder: &Path,
        mode: Option<PlanMode>,
    ) -> Result<RoomView, EngineError> {
        let folder = self.open_folder(opener, folder)?;
        let loaded = self.shared.config.current();
        let agent = loaded.config.default_agent();
        let id = RoomId(crate::fresh_id());
        let live = Arc::new(LiveRoom::fresh(id));
        self.begin_history(&live, &agent.model);
        let unnamed = title.is_none();
        let command = Command::CreateRoom {
            room: id,
            title: title.unwrap_or_else(|| workspace::name(&folder)),
            unnamed,
            workspace: folder.display().to_string(),
            kind: RoomKind::Chat,
            mode: mode.unwrap_or(agent.plan_mode),
            agent: agent.name,
        };
        self.add(&live);
        self.submit_live(&live, actor, command, Vec::new())?.stored().await?;
        let inner = live.lock();
        view(&inner.room).ok_or(EngineError::NoRoom)
    }

    /// The folder, resolved, if this opener may let a room work there; who did is noted.
    fn open_folder(&self, opener: Opener, folder: &Path) -> Result<PathBuf, EngineError> {
        let folder = workspace::check(folder, &self.shared.own_folders)?;
        let loaded = self.shared.config.current();
        workspace::may_open(opener, &folder, &self.shared.worked, &loaded.config)?;
        self.shared.worked.open(folder.display().to_string(), opener.is_by_hand())?;
        Ok(folder)
    }

    /// The conversation of a new room is in memory from its first word: nothing has to be read
    /// from disk before its model is asked.
    pub(crate) fn begin_history(&self, live: &LiveRoom, name: &ModelRef) {
        let loaded = self.shared.config.current();
        let protocol = loaded.config.providers.get(&name.provider).map(|known| known.protocol());
        // A program is the room's own, and there is none yet.
        if let Some(protocol) = protocol.filter(|protocol| *protocol != Protocol::Acp) {
            let reader = Reader::of(&loaded.config, name.clone());
            live.lock().history = Some(History::new(protocol, reader));
        }
    }

    /// Lets a room work in another folder, as when its own was moved.
    pub async fn move_room(
        &self,
        room: RoomId,
        actor: &Actor,
        folder: &Path,
    ) -> Result<(), EngineError> {
        self.move_room_as(Opener::of(actor), room, actor, folder).await
    }

    /// The same for someone whose rights are known.
    pub(crate) async fn move_room_as(
        &self,
        opener: Opener,
        room: RoomId,
        actor: &Actor,
        folder: &Path,
    ) -> Result<(), EngineError> {
        let folder = self.open_folder(opener, folder)?;
        let command = Command::Move { workspace: folder.display().to_string() };
        self.submit(room, actor, command)?.stored().await?;
        Ok(())
    }

    /// Whether the folder of a room can still be used; if not, why.
    pub fn folder_trouble(&self, room: RoomId) -> Result<Option<String>, EngineError> {
        let folder = self.with_room(room, |room| room.workspace.clone())?;
        // A sidekick of a sidekick works in the copy of that one.
        if self.shared.copies.holds(&folder) {
            return Ok(None);
        }
        Ok(match workspace::check(Path::new(&folder), &self.shared.own_folders) {
            Ok(real) if real == Path::new(&folder) => None,
            Ok(_) => Some(format!("{folder} leads to another folder now")),
            Err(error) => Some(error.to_string()),
        })
    }

    /// Stops the turn under way; what the model had said stays.
    pub async fn stop_turn(&self, room: RoomId, actor: &Actor) -> Result<(), EngineError> {
        let live = self.live(room)?;
        let mut blobs = Vec::new();
        let so_far = self.so_far(&live).map(|(text, seen)| {
            let (text, blob) = Text::split(self.shared.redactor.clean(text));
            blobs.extend(blob);
            SoFar { model: turn::model_of(self, &live), text, seen }
        });
        self.submit_live(&live, actor, Command::Stop { so_far }, blobs)?.stored().await?;
        Ok(())
    }

    /// Puts a room away, or takes it out again. What is at work is stopped first.
    pub async fn archive_room(
        &self,
        room: RoomId,
        actor: &Actor,
        archived: bool,
    ) -> Result<(), EngineError> {
        let archive = Command::Archive { archived };
        if archived {
            // Nothing is stopped for what is refused.
            self.check(&*self.live(room)?, actor, archive.clone())?;
            self.stop_turn(room, actor).await?;
        }
        self.submit(room, actor, archive)?.stored().await?;
        Ok(())
    }

    /// The words of the turn under way, and the last event its model was shown.
    pub(crate) fn so_far(&self, live: &LiveRoom) -> Option<(String, u64)> {
        let (mut text, mut seen) = (String::new(), None);
        for piece in live.chatter.so_far() {
            match piece {
                Chatter::Thinking { after } => seen = Some(after),
                Chatter::Text { delta } => text.push_str(&delta),
                // What came before it is void.
                Chatter::Retry { .. } => text.clear(),
                Chatter::Thought { .. } | Chatter::Progress { .. } | Chatter::Quiet { .. } => {}
            }
        }
        seen.filter(|_| !text.trim().is_empty()).map(|seen| (text, seen))
    }

    /// What deleting a room with its sidekicks frees.
    pub fn room_size(&self, room: RoomId) -> Result<RoomSize, EngineError> {
        let mut size = RoomSize { bytes: self.journal().bytes_of_room(room.0)?, sidekicks: 0 };
        for child in self.journal().sidekicks(Some(room.0))? {
            let below = self.room_size(RoomId(child.row.id))?;
            size.bytes += below.bytes;
            // Members of its councils are shown with them.
            size.sidekicks += u32::from(child.row.kind == "sidekick") + below.sidekicks;
        }
        Ok(size)
    }

    /// Deletes a room with everything in it and its sidekicks. What ran there is stopped first, and
    /// a plan that waits for it is told.
    pub async fn delete_room(&self, room: RoomId, actor: &Actor) -> Result<(), EngineError> {
        if self.with_room(room, |room| room.member.is_some())? {
            return Err(Refusal::MemberRoom.into());
        }
        if sidekicks::does_step(self, &*self.live(room)?) {
            self.stop_sidekick(room, actor).await?;
        }
        self.delete_with_all(room, actor).await
    }

    async fn delete_with_all(&self, room: RoomId, actor: &Actor) -> Result<(), EngineError> {
        let live = self.live(room)?;
        let is_sidekick = |child: &Arc<LiveRoom>| child.lock().room.member.is_none();
        // First, or what they have finished would be taken over once the council has ended.
        for child in self.children(room).into_iter().filter(is_sidekick) {
            Box::pin(self.delete_with_all(child.id, actor)).await?;
        }
        // It makes no more rooms for its members, and those it has stand still.
        if live.lock().room.council_without_plan().is_some() {
            self.cancel_for_delete(&live, actor).await?;
        }
        for child in self.children(room) {
            Box::pin(self.delete_with_all(child.id, actor)).await?;
        }
        // Nobody but the harness acts in a member's room, which ended with its council.
        let is_member = live.lock().room.member.is_some();
        match is_member {
            true => live.shell.stop(),
            false => {
                self.cancel_for_delete(&live, actor).await?;
                let stop = Command::Stop { so_far: None };
                self.submit_live(&live, actor, stop, Vec::new())?.stored().await?;
            }
        }
        self.end_for_room(&live, Finished::Dropped);
        // Who reads it anew before it is gone sees that it has ended.
        let seq = live.lock().room.seq;
        live.stored_beyond(seq.saturating_sub(1)).await;
        self.evict(&live);
        self.shared.agents.end(room).await;
        self.remove_copy(room).await;
        let councils = live.lock().room.councils.iter().map(|council| council.id).collect();
        council::remove_answer_files(self, councils).await;
        self.shared.journal.forget(room.0).await?;
        Ok(())
    }

    async fn cancel_for_delete(
        &self,
        live: &Arc<LiveRoom>,
        actor: &Actor,
    ) -> Result<(), EngineError> {
        let cancel = Command::Cancel { reason: "the room was deleted".to_owned(), call: None };
        match self.submit_live(live, actor, cancel, Vec::new()) {
            Ok(done) => done.stored().await.map(drop),
            Err(EngineError::Refused(Refusal::NoPlan)) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
