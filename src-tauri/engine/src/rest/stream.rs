//! Following a room or a plan over server-sent events.
//!
//! Ids are the room's sequence. An event that becomes several messages gives
//! the earlier ones a part (`12.1`), so that a client that was cut off in the
//! middle misses nothing and gets nothing twice.

use super::body::Path;
use super::graph::{self, Graph, status};
use super::{Api, ApiError};
use crate::Watch;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::journal::StoredEvent;
use crate::live::room_at;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event as Message, KeepAlive, Sse};
use futures::Stream;
use plan::{Event, PlanId, PlanView, Room, RoomId, StepId, Time, plan_view, view};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::convert::Infallible;
use tokio::sync::broadcast::error::RecvError;
use uuid::Uuid;

type Messages<S> = Sse<axum::response::sse::KeepAliveStream<S>>;

/// Where a client left off: after a whole event, or after a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    seq: u64,
    part: usize,
}

impl Place {
    /// Reads `Last-Event-ID`; `None` when there is none, `Err` when it makes no sense.
    fn read(headers: &HeaderMap) -> Result<Option<Self>, ()> {
        let Some(id) = headers.get("last-event-id") else { return Ok(None) };
        let id = id.to_str().map_err(|_| ())?;
        let (seq, part) = match id.split_once('.') {
            Some((seq, part)) => (seq, part.parse().map_err(|_| ())?),
            None => (id, 0),
        };
        let seq: u64 = seq.parse().map_err(|_| ())?;
        if part > 0 && seq == 0 {
            return Err(());
        }
        Ok(Some(Self { seq, part }))
    }

    /// The last event that was wholly received.
    fn whole(self) -> u64 {
        if self.part > 0 { self.seq - 1 } else { self.seq }
    }
}

/// Everything in a room: events with an id, live chatter without one.
#[utoipa::path(get, path = "/v1/rooms/{room}/stream",
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
        // A place that never was: how things stand on disk, then what follows.
        Ok(Some(_)) | Err(()) => {
            let (state, _) = room_at(id, api.engine.journal(), Some(last))?;
            let data = serde_json::to_string(&view(&state)).unwrap_or_default();
            let message = Message::default().id(last.to_string()).event("snapshot").data(data);
            (last, Some(message))
        }
    };
    let watch = api.engine.watch(id, after)?;
    let chatter = watch.chatter();
    let state = RoomFeed { watch, chatter, ready: first.into_iter().collect() };
    let stream = futures::stream::unfold(state, |mut feed| async move {
        let message = feed.next().await?;
        Some((Ok(message), feed))
    });
    Ok(Sse::new(stream).keep_alive(KeepAlive::default()))
}

struct RoomFeed {
    watch: Watch,
    chatter: tokio::sync::broadcast::Receiver<crate::Chatter>,
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
                    self.ready.extend(events.iter().map(|(stored, _)| event_message(stored)));
                }
                chatter = self.chatter.recv() => match chatter {
                    Ok(chatter) => {
                        let data = serde_json::to_string(&chatter).unwrap_or_default();
                        self.ready.push_back(Message::default().event("live").data(data));
                    }
                    // Live news may be lost; the log is not.
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return None,
                }
            }
        }
    }
}

fn event_message(stored: &StoredEvent) -> Message {
    let body = String::from_utf8_lossy(&stored.body);
    let rest = body.strip_prefix('{').unwrap_or("}");
    let data = format!("{{\"seq\":{},\"at\":{},{rest}", stored.seq, stored.at);
    Message::default().id(stored.seq.to_string()).event(&stored.kind).data(data)
}

/// One plan, node by node. Closes when the plan has ended.
#[utoipa::path(get, path = "/plans/{plan}/stream",
    params(("plan" = Uuid, Path), ("Last-Event-ID" = Option<String>, Header)),
    responses((status = 200, body = String, content_type = "text/event-stream"),
              (status = 404, body = super::error::ErrorBody)))]
pub(crate) async fn plan(
    State(api): State<Api>,
    Path(plan): Path<Uuid>,
    headers: HeaderMap,
) -> Result<Messages<impl Stream<Item = Result<Message, Infallible>>>, ApiError> {
    let row = graph::find(&api.engine, plan)?;
    let feed = PlanFeed::open(&api.engine, RoomId(row.room), PlanId(plan), Place::read(&headers))?;
    let stream = futures::stream::unfold(feed, |mut feed| async move {
        let message = feed.next().await?;
        Some((Ok(message), feed))
    });
    Ok(Sse::new(stream).keep_alive(KeepAlive::default()))
}

struct PlanFeed {
    watch: Watch,
    room_id: RoomId,
    plan: PlanId,
    room: Room,
    /// The part of the next event that the client has already.
    skip: Option<Place>,
    ready: VecDeque<Message>,
    ended: bool,
}

impl PlanFeed {
    fn open(
        engine: &Engine,
        room_id: RoomId,
        plan: PlanId,
        place: Result<Option<Place>, ()>,
    ) -> Result<Self, EngineError> {
        let last = engine.stored_seq(room_id)?;
        let known = match place {
            Ok(None) => Some(Place { seq: 0, part: 0 }),
            Ok(Some(place)) if place.whole() < last || place.seq <= last => Some(place),
            Ok(Some(_)) | Err(()) => None,
        };
        let after = known.map_or(last, Place::whole);
        let journal = engine.journal();
        let (room, _) = room_at(room_id, journal, Some(after))?;
        let mut feed = Self {
            watch: engine.watch(room_id, after)?,
            room_id,
            plan,
            room,
            skip: known.filter(|place| place.part > 0),
            ready: VecDeque::new(),
            ended: false,
        };
        feed.ended = feed.has_ended() && known.is_none_or(|place| place.seq > 0);
        if known.is_none() {
            // A plan that ended before the room's current one is kept as it ended.
            let view = match feed.view() {
                Some(view) => Some(view),
                None => graph::ended(engine, plan)?,
            };
            let message = Message::default().id(after.to_string()).event("plan.updated");
            let data = json!(view.as_ref().map(Graph::of)).to_string();
            feed.ready.push_back(message.data(data));
        }
        Ok(feed)
    }

    async fn next(&mut self) -> Option<Message> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            if self.ended {
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
        let messages = messages(event, before.as_ref(), &after, &self.room.agent);
        let count = messages.len();
        let skip = match self.skip.take() {
            Some(place) if place.seq == stored.seq => place.part,
            Some(_) | None => 0,
        };
        for (index, (name, data)) in messages.into_iter().enumerate().skip(skip) {
            let id = if index + 1 == count {
                stored.seq.to_string()
            } else {
                format!("{}.{}", stored.seq, index + 1)
            };
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
) -> Vec<(&'static str, Value)> {
    let node = |id: &StepId| after.steps.iter().find(|step| step.id == *id);
    let updated = || vec![("plan.updated", json!(Graph::of(after)))];
    match event {
        Event::StepStarted { step } => {
            let spec = node(step);
            let task = spec.map(|step| step.text.as_str());
            let agent = spec.and_then(|step| step.agent.as_deref()).unwrap_or(agent);
            vec![("node.started", json!({ "nodeId": step, "agentId": agent, "task": task }))]
        }
        Event::StepDone { step, result } => {
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
        Event::Paused { reason, detail, until } => {
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
            let data = json!({
                "planId": after.id, "totalDurationMs": ended, "status": status(after).0,
            });
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
        | Event::StepMayChange { .. }
        | Event::Granted { .. }
        | Event::AttemptFailed { .. }
        | Event::AttemptsReset { .. }
        | Event::CapWarned { .. } => updated(),
        Event::RoomCreated { .. }
        | Event::RoomRenamed { .. }
        | Event::RoomArchived { .. }
        | Event::ModeChanged { .. }
        | Event::Said { .. }
        | Event::Nudged { .. }
        | Event::Replied { .. }
        | Event::Spent { .. }
        | Event::Compacted { .. }
        | Event::Trouble { .. }
        | Event::CallBegan { .. }
        | Event::CallEnded { .. }
        | Event::Warned { .. }
        | Event::AskRaised { .. }
        | Event::AskAnswered { .. }
        | Event::AskWithdrawn { .. }
        | Event::RuleKept { .. }
        | Event::Repeated { .. } => Vec::new(),
    }
}
