//! Following a room or a plan over server-sent events.
//!
//! Ids are the room's sequence. An event that becomes several messages gives
//! the earlier ones a part (`12.1`), so that a client that was cut off in the
//! middle misses nothing and gets nothing twice.

use super::body::Path;
use super::council_events;
use super::graph::{self, Graph, status};
use super::{Api, ApiError};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::journal::{PlanRow, StoredEvent};
use crate::live::{JournalBlobs, decode, room_at};
use crate::{Listener, Watch};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event as Message, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::{Stream, StreamExt};
use plan::{CouncilId, Event, PlanId, PlanView, Room, RoomId, StepId, Time, plan_view};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::fmt;
use std::time::Duration;
use uuid::Uuid;

/// How soon a client that was cut off is to come back.
const RETRY: Duration = Duration::from_millis(500);

type Messages<S> = Sse<axum::response::sse::KeepAliveStream<S>>;

/// Where a client left off: after a whole event, or after a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    seq: u64,
    part: usize,
}

impl Place {
    /// Before the first event.
    const START: Self = Self { seq: 0, part: 0 };

    /// Reads `Last-Event-ID`; `None` when there is none, `Err` when it makes no sense.
    fn read(headers: &HeaderMap) -> Result<Option<Self>, ()> {
        let Some(id) = headers.get("last-event-id") else { return Ok(None) };
        let id = id.to_str().map_err(|_| ())?;
        let (seq, part) = match id.split_once('.') {
            Some((seq, part)) => (seq, part.parse().map_err(|_| ())?),
            None => (id, 0),
        };
        let place = Self { seq: seq.parse().map_err(|_| ())?, part };
        // `+1`, `01` and `1.0` are numbers but were never sent.
        if place.to_string() != id || (part > 0 && place.seq == 0) {
            return Err(());
        }
        Ok(Some(place))
    }

    /// The last event that was wholly received.
    fn whole(self) -> u64 {
        if self.part > 0 { self.seq - 1 } else { self.seq }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.part {
            0 => write!(out, "{}", self.seq),
            part => write!(out, "{}.{part}", self.seq),
        }
    }
}

/// Everything in a room: events with an id, live chatter without one.
#[utoipa::path(get, path = "/v1/rooms/{room}/stream", operation_id = "follow_room",
    params(("room" = Uuid, Path), ("Last-Event-ID" = Option<String>, Header)),
    responses((status = 200, body = String, content_type = "text/event-stream"),
              (status = 404, body = super::error::ErrorBody)))]
pub(crate) async fn room(
    State(api): State<Api>,
    Path(room): Path<Uuid>,
    headers: HeaderMap,
) -> Result<Messages<impl Stream<Item = Result<Message, Infallible>>>, ApiError> {
    let id = RoomId(room);
    let last = api.engine.stored_seq(id)?;
    let (after, first) = match Place::read(&headers) {
        Ok(None) => (0, None),
        Ok(Some(place)) if place.part == 0 && place.seq <= last => (place.seq, None),
        // A place that never was: how things stand, then what follows.
        Ok(Some(_)) | Err(()) => {
            let view = api.engine.stored_view(id).await?;
            let data = serde_json::to_string(&view).unwrap_or_default();
            let seq = view.seq.to_string();
            (view.seq, Some(Message::default().id(seq).event("snapshot").data(data)))
        }
    };
    let watch = api.engine.watch(id, after)?;
    let chatter = watch.chatter();
    let ready = first.into_iter().collect();
    let state = RoomFeed { watch, room: id, council: None, chatter, ready };
    let stream = futures::stream::unfold(state, |mut feed| async move {
        let message = feed.next().await?;
        Some((Ok(message), feed))
    });
    Ok(Sse::new(stream).keep_alive(KeepAlive::default()))
}

struct RoomFeed {
    watch: Watch,
    room: RoomId,
    /// The council that the next of its events belongs to.
    council: Option<CouncilId>,
    chatter: Listener,
    ready: VecDeque<Message>,
}

impl RoomFeed {
    async fn next(&mut self) -> Option<Message> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            tokio::select! {
                biased;
                events = self.watch.next() => {
                    let events = events.ok()?;
                    for (stored, event) in &events {
                        let message = self.message(stored, event);
                        self.ready.push_back(message);
                    }
                }
                chatter = self.chatter.next() => {
                    let data = serde_json::to_string(&chatter?).unwrap_or_default();
                    self.ready.push_back(Message::default().event("live").data(data));
                }
            }
        }
    }
}

impl RoomFeed {
    fn message(&mut self, stored: &StoredEvent, event: &Event) -> Message {
        if let Event::CouncilStarted { council, .. } = event {
            self.council = Some(*council);
        }
        let journal = self.watch.engine.journal();
        let blobs = JournalBlobs(journal);
        let Some(mut told) = council_events::told(event, &blobs) else {
            return event_message(stored);
        };
        if self.council.is_none() {
            let room = room_at(self.room, journal, Some(stored.seq));
            self.council = room.ok().and_then(|(room, _)| Some(room.councils.last()?.id));
        }
        told.insert("seq".to_owned(), json!(stored.seq));
        told.insert("at".to_owned(), json!(stored.at));
        told.insert("type".to_owned(), json!(stored.kind));
        told.insert("council_id".to_owned(), json!(self.council));
        let data = Value::Object(told).to_string();
        Message::default().id(stored.seq.to_string()).event(&stored.kind).data(data)
    }
}

fn event_message(stored: &StoredEvent) -> Message {
    let body = String::from_utf8_lossy(&stored.body);
    let rest = body.strip_prefix('{').unwrap_or("}");
    let data = format!("{{\"seq\":{},\"at\":{},{rest}", stored.seq, stored.at);
    Message::default().id(stored.seq.to_string()).event(&stored.kind).data(data)
}

/// One plan, node by node. Closes when the plan has ended; who comes back after that has it all, and
/// is told to come no more (204).
#[utoipa::path(get, path = "/plans/{plan}/stream", operation_id = "follow_plan",
    params(("plan" = Uuid, Path), ("Last-Event-ID" = Option<String>, Header)),
    responses((status = 200, body = String, content_type = "text/event-stream"),
              (status = 204, description = "the plan has ended, and all of it was sent"),
              (status = 404, body = super::error::ErrorBody)))]
pub(crate) async fn plan(
    State(api): State<Api>,
    Path(plan): Path<Uuid>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let row = graph::find(&api.engine, plan)?;
    let place = Place::read(&headers);
    let feed = PlanFeed::open(&api.engine, &row, place)?;
    // Clients come back whenever a stream closes, until they get this answer.
    if matches!(place, Ok(Some(_))) && feed.is_over() {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let stream = futures::stream::unfold(feed, |mut feed| async move {
        let message = feed.next().await?;
        Some((Ok::<_, Infallible>(message), feed))
    });
    // It is this very computer: who was cut off may come back soon.
    let soon = futures::stream::once(async { Ok(Message::default().retry(RETRY)) });
    let messages = Sse::new(soon.chain(stream)).keep_alive(KeepAlive::default());
    Ok(messages.into_response())
}

struct PlanFeed {
    watch: Watch,
    room_id: RoomId,
    plan: PlanId,
    room: Room,
    ready: VecDeque<Message>,
    ended: bool,
}

impl PlanFeed {
    fn open(
        engine: &Engine,
        row: &PlanRow,
        place: Result<Option<Place>, ()>,
    ) -> Result<Self, ApiError> {
        let last = engine.stored_seq(RoomId(row.room))?;
        if let Ok(place) = place.map(|place| place.unwrap_or(Place::START))
            && place.seq <= last
        {
            let mut feed = Self::after(engine, row, place.whole())?;
            if place.part == 0 || feed.go_into(engine, place)? {
                return Ok(feed);
            }
        }
        // A place that never was: how things stand, then what follows.
        let mut feed = Self::after(engine, row, last)?;
        let view = match feed.view() {
            Some(view) => view,
            None => graph::view(engine, &graph::find(engine, row.id)?)?,
        };
        let data = json!(Graph::of(engine, &view, &feed.room.agent)).to_string();
        let message = Message::default().id(last.to_string()).event("plan.updated");
        feed.ready.push_back(message.data(data));
        Ok(feed)
    }

    /// Everything after a whole event.
    fn after(engine: &Engine, row: &PlanRow, seq: u64) -> Result<Self, EngineError> {
        let room_id = RoomId(row.room);
        let (room, _) = room_at(room_id, engine.journal(), Some(seq))?;
        let mut feed = Self {
            watch: engine.watch(room_id, seq)?,
            room_id,
            plan: PlanId(row.id),
            room,
            ready: VecDeque::new(),
            ended: false,
        };
        feed.ended = feed.has_ended();
        Ok(feed)
    }

    /// Takes up in the middle of the next event; whether it has such a part.
    fn go_into(&mut self, engine: &Engine, place: Place) -> Result<bool, EngineError> {
        let Some(stored) = engine.journal().read(self.room_id.0, place.whole(), 1)?.pop() else {
            return Ok(false);
        };
        self.take(&stored, &decode(&stored)?);
        if place.part >= self.ready.len() {
            return Ok(false);
        }
        self.ready.drain(..place.part);
        self.watch = engine.watch(self.room_id, place.seq)?;
        Ok(true)
    }

    /// Whether nothing more will be told.
    fn is_over(&self) -> bool {
        self.ended && self.ready.is_empty()
    }

    async fn next(&mut self) -> Option<Message> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            if self.is_over() {
                return None;
            }
            for (stored, event) in self.watch.next().await.ok()? {
                self.take(&stored, &event);
                if self.ended {
                    break;
                }
            }
        }
    }

    fn take(&mut self, stored: &StoredEvent, event: &Event) {
        let before = self.view();
        self.room.apply(event, Time(stored.at));
        let Some(after) = self.view() else {
            // Another plan has begun: this one ended before.
            self.ended |= before.is_some();
            return;
        };
        let engine = &self.watch.engine;
        let graph = || json!(Graph::of(engine, &after, &self.room.agent));
        let mut messages = messages(event, before.as_ref(), &after, &self.room.agent, &graph);
        let other = before.as_ref().is_some_and(|before| status(before) != status(&after));
        if other && !messages.iter().any(|(name, _)| name.starts_with("plan.")) {
            messages.push(("plan.updated", graph()));
        }
        let count = messages.len();
        for (index, (name, data)) in messages.into_iter().enumerate() {
            let part = if index + 1 == count { 0 } else { index + 1 };
            let id = Place { seq: stored.seq, part }.to_string();
            self.ready.push_back(Message::default().id(id).event(name).data(data.to_string()));
        }
        self.ended = self.has_ended();
    }

    fn view(&self) -> Option<PlanView> {
        let plan = self.room.plan.as_ref().filter(|plan| plan.id == self.plan)?;
        Some(plan_view(self.room_id, plan, &self.room))
    }

    fn has_ended(&self) -> bool {
        self.room.plan.as_ref().is_some_and(|plan| {
            plan.id > self.plan || (plan.id == self.plan && !plan.state.is_active())
        })
    }
}

/// What the stream says of one event.
fn messages(
    event: &Event,
    before: Option<&PlanView>,
    after: &PlanView,
    agent: &str,
    graph: &dyn Fn() -> Value,
) -> Vec<(&'static str, Value)> {
    let node = |id: &StepId| after.steps.iter().find(|step| step.id == *id);
    let updated = || vec![("plan.updated", graph())];
    match event {
        Event::StepStarted { step } => {
            let spec = node(step);
            let task = spec.map(|step| step.text.as_str());
            let agent = spec.and_then(|step| step.agent.as_deref()).unwrap_or(agent);
            vec![("node.started", json!({ "nodeId": step, "agentId": agent, "task": task }))]
        }
        Event::StepDone { refined: true, .. } => updated(),
        Event::StepDone { step, result, .. } => {
            let ms = node(step).map_or(0, |step| step.took_ms);
            let data = json!({ "nodeId": step, "durationMs": ms, "outputPreview": result });
            vec![("node.completed", data)]
        }
        Event::StepFailed { step, error } => {
            vec![("node.failed", json!({ "nodeId": step, "error": error }))]
        }
        Event::StepSkipped { step, reason, .. } => {
            vec![("node.skipped", json!({ "nodeId": step, "reason": reason }))]
        }
        Event::Paused { reason, detail, until, .. } => {
            let data = json!({
                "planId": after.id, "reason": reason, "detail": detail, "until": until,
            });
            vec![("plan.paused", data)]
        }
        Event::Resumed { .. } => vec![("plan.resumed", json!({ "planId": after.id }))],
        Event::PlanDone { .. } | Event::PlanFailed { .. } | Event::PlanCancelled { .. } => {
            let was_open = |id: &StepId| {
                before.is_some_and(|before| {
                    let open = ["pending", "in_progress"];
                    before
                        .steps
                        .iter()
                        .any(|step| step.id == *id && open.contains(&step.status.as_str()))
                })
            };
            let mut messages: Vec<(&'static str, Value)> = after
                .steps
                .iter()
                .filter(|step| was_open(&step.id))
                .map(|step| ("node.skipped", json!({ "nodeId": step.id, "reason": step.result })))
                .collect();
            let ended = after.ended_at.map_or(0, |at| at.since(after.created_at));
            let mut data = json!({
                "planId": after.id, "totalDurationMs": ended, "status": status(after).0,
            });
            if !after.failed_steps.is_empty() {
                data["failedNodes"] = json!(after.failed_steps);
            }
            messages.push(("plan.completed", data));
            messages
        }
        Event::PlanWritten { .. }
        | Event::PlanRevised { .. }
        | Event::ApprovalRequested
        | Event::Approved { .. }
        | Event::SentBack { .. }
        | Event::Started
        | Event::StepReopened { .. }
        | Event::StepPutBack { .. }
        | Event::StepMayChange { .. }
        | Event::CheckFailed { .. }
        | Event::ErrorReported { .. }
        | Event::StepStopped { .. }
        | Event::PauseAfterStep { .. }
        | Event::Granted { .. }
        | Event::AttemptFailed { .. }
        | Event::AttemptsReset { .. }
        | Event::Refilled { .. }
        | Event::PlanHeld { .. }
        | Event::SynthesisBegan
        | Event::CapWarned { .. } => updated(),
        Event::RoomCreated { .. }
        | Event::RoomRenamed { .. }
        | Event::RoomMoved { .. }
        | Event::RoomArchived { .. }
        | Event::ModeChanged { .. }
        | Event::Said { .. }
        | Event::Nudged { .. }
        | Event::SplitRefused { .. }
        | Event::Delegated { .. }
        | Event::UsedBelow { .. }
        | Event::StepHanded { .. }
        | Event::StepUsed { .. }
        | Event::Briefed { .. }
        | Event::SidekickQueued { .. }
        | Event::SidekickStarted
        | Event::SidekickEnded { .. }
        | Event::SidekickReported
        | Event::CopyMade { .. }
        | Event::MergeBegan { .. }
        | Event::Merged { .. }
        | Event::CopyDropped { .. }
        | Event::Replied { .. }
        | Event::Spent { .. }
        | Event::PlanningBegan { .. }
        | Event::Compacted { .. }
        | Event::Trouble { .. }
        | Event::CallBegan { .. }
        | Event::CallEnded { .. }
        | Event::Warned { .. }
        | Event::AskRaised { .. }
        | Event::AskAnswered { .. }
        | Event::AskWithdrawn { .. }
        | Event::RuleKept { .. }
        | Event::RuleRaised { .. }
        | Event::RuleForgotten { .. }
        | Event::Repeated { .. }
        | Event::CouncilStarted { .. }
        | Event::CouncilHandedOver { .. }
        | Event::CouncilReviewBegan
        | Event::MemberTold { .. }
        | Event::CouncilAsked { .. }
        | Event::CouncilAnswered { .. }
        | Event::CouncilNotNew { .. }
        | Event::CouncilVoted { .. }
        | Event::CouncilVoteDropped { .. }
        | Event::CouncilMemberWaits { .. }
        | Event::CouncilMemberFailed { .. }
        | Event::CouncilMemberRetried { .. }
        | Event::CouncilPaused { .. }
        | Event::CouncilResumed { .. }
        | Event::CouncilDecided { .. }
        | Event::CouncilRestarted { .. }
        | Event::CouncilEnded { .. }
        | Event::MemberRested { .. }
        | Event::MemberFailed { .. } => Vec::new(),
    }
}
