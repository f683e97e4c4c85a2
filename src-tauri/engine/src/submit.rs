//! The door in: a command is decided, applied and queued for the log under one lock.

use crate::config::ModelRef;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::history::{Blobs, whole};
use crate::journal::{Append, Journal, JournalError, NewEvent, RowChange, Ticket};
use crate::live::{Inner, JournalBlobs, LiveRoom, SNAPSHOT_EVERY, begins_afresh, write_snapshot};
use crate::reach::{self, Reach};
use crate::rows::{Shown, ask_row, plan_row, state_rows, usage_row};
use crate::turn::agent_of;
use plan::{Actor, AskId, Command, Event, Room, RoomId, Text, Time, Work, decide, work};
use std::sync::Arc;

/// What came of a command.
pub struct Submitted {
    /// The room's last event.
    pub seq: u64,
    /// What happened; empty when it was so already.
    pub events: Vec<Event>,
    ticket: Option<Ticket>,
}

impl Submitted {
    /// Returns when what happened is on disk.
    pub async fn stored(self) -> Result<(u64, Vec<Event>), EngineError> {
        if let Some(ticket) = self.ticket {
            ticket.await?;
        }
        Ok((self.seq, self.events))
    }
}

impl Engine {
    /// The door in: decides a command and stores what follows from it.
    pub fn submit(
        &self,
        room: RoomId,
        actor: &Actor,
        command: Command,
    ) -> Result<Submitted, EngineError> {
        self.submit_with(room, actor, command, Vec::new())
    }

    /// The same, with long texts that the command names by hash.
    pub fn submit_with(
        &self,
        room: RoomId,
        actor: &Actor,
        command: Command,
        blobs: Vec<(String, Vec<u8>)>,
    ) -> Result<Submitted, EngineError> {
        let live = self.live(room)?;
        if let Command::Approve { model: Some(name), .. } = &command {
            self.named(&live, name)?;
        }
        if let Command::Resume = command {
            crate::goals::refuse_while_it_drifts(self, &live)?;
        }
        if let Command::Answer { ask, answer, .. } = &command {
            self.refuse_unless_whole(&live, *ask, answer)?;
        }
        if let Command::Override { step } = &command
            && let Some(child) = self.copy_for(&live, step)
        {
            self.check(&live, actor, command)?;
            let (taken, seq) = (self.take_as_done(&child)?, live.lock().room.seq);
            return Ok(Submitted { seq, events: Vec::new(), ..taken });
        }
        self.submit_live(&live, actor, command, blobs)
    }

    /// Refuses what would be refused now; nothing happens.
    pub(crate) fn check(
        &self,
        live: &LiveRoom,
        actor: &Actor,
        command: Command,
    ) -> Result<(), EngineError> {
        decide(&live.lock().room, command, actor, self.shared.clock.now())?;
        Ok(())
    }

    /// Nothing is allowed of which a part can no longer be seen.
    fn refuse_unless_whole(
        &self,
        live: &LiveRoom,
        ask: AskId,
        answer: &str,
    ) -> Result<(), EngineError> {
        let asked = live.lock().room.asks.get(&ask).cloned();
        for whole in asked.iter().flat_map(|ask| ask.allowed_by(answer)) {
            if self.journal().blob(&whole.blob)?.is_none() {
                return Err(EngineError::NotWhole);
            }
        }
        Ok(())
    }

    /// The model of this name, as the room's agent would find it.
    pub(crate) fn named(&self, live: &LiveRoom, name: &str) -> Result<ModelRef, EngineError> {
        let config = self.shared.config.current();
        let agent = agent_of(&config.config, &live.lock().room);
        config.config.model(name, Some(&agent)).map_err(|error| EngineError::BadModel {
            name: name.to_owned(),
            why: error.to_string(),
        })
    }

    pub(crate) fn submit_live(
        &self,
        live: &Arc<LiveRoom>,
        actor: &Actor,
        command: Command,
        blobs: Vec<(String, Vec<u8>)>,
    ) -> Result<Submitted, EngineError> {
        let now = self.shared.clock.now();
        let stops = matches!(command, Command::Stop { .. } | Command::Cancel { .. });
        // Whoever takes some of that away meanwhile ends what goes on here.
        let above = Reach::above(self, live);
        let mut inner = live.lock();
        if inner.broken {
            return Err(EngineError::Journal(JournalError::Closed));
        }
        let command = crate::mcp::name_tools(self, &inner.room, command);
        let mut events = decide(&inner.room, command, actor, now)?;
        crate::mcp::refuse_foreign(self, &inner.room, &events)?;
        let mut blobs = blobs;
        blobs.extend(events.iter_mut().filter_map(Event::put_beside));
        if stops || events.iter().any(ends_work) {
            live.shell.stop();
        }
        if events.is_empty() {
            return Ok(Submitted { seq: inner.room.seq, events, ticket: None });
        }
        let before = Reach::of(&inner.room);
        let went_on = before.and(above).changes || reach::leaves_something(&inner.room, &events);
        let append = self.take_in(live, &mut inner, &events, now, blobs);
        let seq = inner.room.seq;
        let wanted = work::next(&inner.room) != Work::None;
        // What began with a yes does not outlive it.
        let own = Reach::of(&inner.room);
        let Reach { changes, program } = own.and(above);
        let void = went_on && !changes;
        if void {
            live.shell.stop();
        }
        // Queued under the lock, so that the log has the order of the decisions.
        let ticket = self.shared.journal.append(append);
        drop(inner);
        live.changed.send_replace(seq);
        if own.is_less_than(before) {
            self.narrow_below(live);
        }
        // Before the next call is judged.
        self.keep_above(live, &events);
        // The drive that sees the calls end also ends their servers.
        let servers_over = self.shared.mcp.heard(self, live, &events, void);
        let agent_over = self.shared.agents.heard(self, live, &events, program);
        if wanted || servers_over || agent_over {
            self.drive(live);
        }
        self.sidekicks_heard(live, &events);
        crate::council::heard(self, live, &events);
        Ok(Submitted { seq, events, ticket: Some(ticket) })
    }

    /// Applies events in memory and says what the log must hold.
    fn take_in(
        &self,
        live: &LiveRoom,
        inner: &mut Inner,
        events: &[Event],
        now: Time,
        blobs: Vec<(String, Vec<u8>)>,
    ) -> Append {
        let (id, expected) = (live.id, inner.room.seq);
        let before = Shown::of(&inner.room);
        let mut rows: Vec<RowChange> = Vec::new();
        let texts = Fresh { blobs: &blobs, journal: &*self.shared.journal };
        for event in events {
            if let Event::AskRaised { ask } = event {
                rows.push(ask_row(id, &inner.room, ask, true));
            }
            if let Event::AskAnswered { ask, .. } | Event::AskWithdrawn { ask, .. } = event {
                let room = &inner.room;
                rows.extend(room.asks.get(ask).map(|ask| ask_row(id, room, ask, false)));
            }
            if moves(event) {
                inner.workspace = None;
            }
            if matches!(event, Event::Compacted { .. }) || begins_afresh(event) {
                inner.history = None;
            }
            if let Event::CallEnded { call, .. } = event {
                inner.long_args.remove(call);
            }
            // The last that is known of a plan that makes way for another.
            if let (Event::PlanWritten { .. }, Some(old)) = (event, &inner.room.plan) {
                rows.push(RowChange::Plan(plan_row(id, old, &inner.room)));
            }
            rows.extend(usage_row(event, now));
            // A sidekick's room may be deleted before the one that has its result.
            let named = event.names_output().map(str::to_owned);
            rows.extend(named.map(|hash| RowChange::UsesBlob { hash }));
            if let Event::Replied { calls, .. } = event {
                let long = calls.iter().filter(|call| matches!(call.args, Text::Blob { .. }));
                inner.long_args = long.map(|call| (call.id, whole(&call.args, &texts))).collect();
            }
            inner.room.apply(event, now);
            if let Some(history) = &mut inner.history {
                history.push(inner.room.seq, event, &texts);
            }
        }
        if rests(&inner.room) {
            inner.history = None;
        }
        rows.extend(state_rows(&before, &inner.room));
        if inner.room.seq >= inner.snapshot_seq + SNAPSHOT_EVERY
            && let Some(state) = write_snapshot(&inner.room)
        {
            inner.snapshot_seq = inner.room.seq;
            rows.push(RowChange::Snapshot { seq: inner.room.seq, state });
        }
        let events = events.iter().map(|event| NewEvent {
            kind: event.kind(),
            at: now.0,
            body: serde_json::to_vec(event).unwrap_or_default(),
        });
        let (chain, events) = (live.chain.clone(), events.collect());
        Append { room: id.0, chain, expected, events, rows, blobs }
    }
}

/// Whether no model is asked here before a person or a plan wants it: the conversation is read from
/// the log then.
pub(crate) fn rests(room: &Room) -> bool {
    let ended = room.sidekick.as_ref().is_some_and(|sidekick| sidekick.ended.is_some());
    room.archived || (ended && room.open_sidekick().is_none())
}

/// Whether the room works in another folder after this.
fn moves(event: &Event) -> bool {
    matches!(
        event,
        Event::RoomMoved { .. }
            | Event::CopyMade { .. }
            | Event::Merged { .. }
            | Event::CopyDropped { .. }
    )
}

/// Whether nothing may go on in the background after this.
fn ends_work(event: &Event) -> bool {
    let over = matches!(
        event,
        Event::PlanDone { .. } | Event::PlanFailed { .. } | Event::PlanCancelled { .. }
    );
    over || matches!(
        event,
        Event::RoomArchived { archived: true }
            | Event::RoomMoved { .. }
            | Event::SidekickEnded { .. }
    )
}

/// Texts of this command, then those kept from before.
struct Fresh<'a> {
    blobs: &'a [(String, Vec<u8>)],
    journal: &'a dyn Journal,
}

impl Blobs for Fresh<'_> {
    fn bytes(&self, hash: &str) -> Option<Vec<u8>> {
        match self.blobs.iter().find(|(known, _)| known == hash) {
            Some((_, bytes)) => Some(bytes.clone()),
            None => JournalBlobs(self.journal).bytes(hash),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::config::{ConfigPlace, ConfigStore};
    use crate::journal::{Chain, FolderLock};
    use plan::Surface;

    #[tokio::test]
    async fn a_room_that_rests_keeps_its_conversation_in_the_log_alone() {
        let home = tempfile::tempdir().unwrap();
        let [config, data, work] = ["config", "data", "work"].map(|name| home.path().join(name));
        std::fs::create_dir(&work).unwrap();
        let config = ConfigStore::open(ConfigPlace::Folder(config));
        let options = Options::new(FolderLock::take(&data).unwrap(), config);
        let engine = Engine::start(options).unwrap().engine;
        let me = Actor::person("me", Surface::Window);
        let room = engine.create_room(&me, None, &work, None).await.unwrap().id;
        let has_history = |room| engine.live(room).unwrap().lock().history.is_some();
        let new = crate::NewSidekick { task: "look".to_owned(), ..Default::default() };
        let sidekick = engine.spawn_sidekick(room, &me, new).await.unwrap().id;
        assert!(has_history(room) && has_history(sidekick));
        engine.stop_sidekick(sidekick, &me).await.unwrap();
        engine.archive_room(room, &me, true).await.unwrap();
        assert!(!has_history(room) && !has_history(sidekick));
    }

    #[tokio::test]
    async fn nothing_is_stored_on_top_of_what_the_log_refused() {
        let home = tempfile::tempdir().unwrap();
        let [config, data, work] = ["config", "data", "work"].map(|name| home.path().join(name));
        std::fs::create_dir(&work).unwrap();
        let config = ConfigStore::open(ConfigPlace::Folder(config));
        let options = Options::new(FolderLock::take(&data).unwrap(), config);
        let engine = Engine::start(options).unwrap().engine;
        let me = Actor::person("me", Surface::Window);
        let room = engine.create_room(&me, None, &work, None).await.unwrap().id;
        let live = engine.live(room).unwrap();
        let rename = |title: &str| {
            let command = Command::Rename { title: title.to_owned() };
            engine.submit_live(&live, &me, command, Vec::new())
        };

        let body = serde_json::to_vec(&Event::RoomRenamed { title: "taken".to_owned() }).unwrap();
        let taken = engine.shared.journal.append(Append {
            room: room.0,
            chain: Chain::default(),
            expected: 1,
            events: vec![NewEvent { kind: "room_renamed", at: 1, body }],
            rows: Vec::new(),
            blobs: Vec::new(),
        });
        // The last of these expects the very sequence that the first leaves behind.
        let refused = rename("refused");
        let on_top = rename("on top of it");
        taken.await.unwrap();
        assert!(refused.unwrap().stored().await.is_err());
        // The room may have been given up before it was asked.
        if let Ok(on_top) = on_top {
            assert!(on_top.stored().await.is_err());
        }
        assert_eq!(engine.journal().read(room.0, 0, 10).unwrap().len(), 2);
        assert_eq!(engine.view(room).unwrap().title, "taken");
    }
}
