//! A sidekick: a room in which an agent works in the background for another room.
//!
//! ```text
//! queued ⇄ running ⇄ waiting → completed | stopped | failed   (a person may go on with it)
//! ```

use crate::text::{OUTPUT_CHARS, is_blank, one_line};
use crate::usage::is_zero;
use crate::{
    CallState, Deed, PauseReason, Room, RoomId, RoomKind, StepId, Text, Time, Usage, Work, work,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The tool that hands work to a sidekick.
pub const SPAWN: &str = "spawn_sidekick";

/// The most changes that are remembered.
const MOST_DEEDS: usize = 100;

/// How a sidekick ended.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum SidekickEnd {
    /// It did what it was asked for.
    Completed,
    /// A person, its room or a cap stopped it.
    Stopped,
    /// It could not go on.
    Failed,
}

impl SidekickEnd {
    /// The word for it, the same everywhere.
    pub fn word(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
        }
    }
}

/// What a plan is to do without a step that its sidekick could not do.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum GiveUp {
    /// Leave it out and go on.
    Skip,
    /// Change the plan.
    Revise,
    /// Fail.
    Abort,
}

/// What a sidekick may use. Waiting for a person, a slot or a quota counts for none of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
pub struct Limits {
    /// Model turns.
    pub turns: u32,
    /// Seconds.
    pub seconds: u32,
    /// Tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

/// Where something a room was told comes from: a sidekick's end, by its place in that log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
pub struct Told {
    /// The sidekick's room.
    pub room: RoomId,
    /// The event that ended it.
    pub seq: u64,
}

/// What came of a sidekick.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// How.
    pub end: SidekickEnd,
    /// In one line.
    pub result: String,
    /// In full, where that is more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Text>,
    /// What became of its changes, where the summary is kept elsewhere and can't say it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub remarks: String,
    /// The event that says so.
    pub seq: u64,
    /// Whether the room that asked knows.
    pub told: bool,
    /// Whether the check of its step passed, or a person does without it.
    pub checked: bool,
    /// Whether not even what it or its own sidekicks finished is wanted any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub given_up: bool,
    /// What it wants the plan to do, where it could not do its step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<GiveUp>,
}

impl Ended {
    /// What came of it, for a model: a long summary with how to read on.
    pub fn words(&self) -> String {
        match &self.summary {
            Some(summary) => summary.told(OUTPUT_CHARS) + &self.remarks,
            None => self.result.clone(),
        }
    }

    /// Whether what was done to the end was given up before it was taken over.
    pub fn is_unwanted(&self) -> bool {
        self.end == SidekickEnd::Completed && self.given_up
    }
}

/// What a sidekick is to do and how far it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sidekick {
    /// What it is to do, in one line.
    pub task: String,
    /// The model that was chosen for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What it may use.
    pub limits: Limits,
    /// Whether it has a slot, or had one when it last worked.
    pub slot: bool,
    /// Whether a person asked for it or spoke to it, and so waits for it.
    pub awaited: bool,
    /// Whether a person asked for it, and not an agent or a plan.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_person: bool,
    /// Model turns since a person's last word.
    pub turns: u32,
    /// Turns in a row that ended in words.
    pub idle: u32,
    /// Turns in which a call failed.
    pub attempts: u32,
    /// The last it said, in one line: what is left of it when it is stopped.
    pub said: String,
    /// The same in full, where it is long and kept beside the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spoken: Option<Text>,
    /// Whether it was told that a cap is near.
    pub warned: bool,
    /// What the room had used at a person's last word.
    pub usage_base: Usage,
    /// Since when it has been at work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_since: Option<Time>,
    /// Milliseconds it was at work before, since a person's last word.
    pub ran_ms: u64,
    /// Milliseconds it was at work before that word.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub earlier_ms: u64,
    /// When it first got a slot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Time>,
    /// When something last came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress_at: Option<Time>,
    /// When it goes on by itself, where a quota is used up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Time>,
    /// Files it changed.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub changed: BTreeSet<String>,
    /// Changes it made or tried to, as they stand to the step above.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deeds: Vec<Deed>,
    /// What came of it, once it has ended; it may be at work again since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Ended>,
}

impl Sidekick {
    /// One that nobody has begun.
    pub fn new(task: String, model: Option<String>, limits: Limits, usage: Usage) -> Self {
        Self {
            task,
            model,
            limits,
            slot: false,
            awaited: false,
            by_person: false,
            turns: 0,
            idle: 0,
            attempts: 0,
            said: String::new(),
            spoken: None,
            warned: false,
            usage_base: usage,
            working_since: None,
            ran_ms: 0,
            earlier_ms: 0,
            started_at: None,
            progress_at: None,
            until: None,
            changed: BTreeSet::new(),
            deeds: Vec::new(),
            ended: None,
        }
    }

    /// A person spoke: caps count from here.
    pub(crate) fn fresh_counts(&mut self, usage: Usage, at: Time) {
        self.turns = 0;
        self.idle = 0;
        self.warned = false;
        self.usage_base = usage;
        self.earlier_ms += self.ran_ms(at);
        self.ran_ms = 0;
        self.working_since = self.working_since.map(|_| at);
    }

    /// The model took a turn.
    pub(crate) fn replied(&mut self, text: &Text, only_words: bool, at: Time) {
        self.turns += 1;
        self.idle = if only_words { self.idle + 1 } else { 0 };
        self.progress_at = Some(at);
        if !is_blank(text.head()) {
            self.said = one_line(text.head());
            self.spoken = match text {
                Text::Blob { .. } => Some(text.clone()),
                Text::Inline(_) => None,
            };
        }
    }

    /// All of the words of which a person was shown the beginning.
    pub(crate) fn all_of(&self, said: &str) -> Option<Text> {
        match self.spoken.as_ref()? {
            Text::Blob { blob, bytes, head } if said.trim_start().starts_with(head) => {
                let (blob, head) = (blob.clone(), said.to_owned());
                Some(Text::Blob { blob, bytes: *bytes, head })
            }
            Text::Blob { .. } | Text::Inline(_) => None,
        }
    }

    /// It makes a change, or tries to.
    pub(crate) fn did(&mut self, deed: Deed) {
        if !self.deeds.contains(&deed) && self.deeds.len() < MOST_DEEDS {
            self.deeds.push(deed);
        }
    }

    /// Keeps count of the time it is at work.
    pub(crate) fn clock(&mut self, works: bool, at: Time) {
        match (works, self.working_since) {
            (true, None) => {
                self.working_since = Some(at);
                // Whoever has just begun, or begun again, was not silent.
                self.progress_at = Some(at);
            }
            (false, Some(since)) => {
                self.ran_ms += at.since(since);
                self.working_since = None;
            }
            (true, Some(_)) | (false, None) => {}
        }
    }

    /// Milliseconds it has been at work since a person's last word.
    pub fn ran_ms(&self, now: Time) -> u64 {
        self.ran_ms + self.working_since.map_or(0, |since| now.since(since))
    }
}

impl Room {
    /// Whether something goes on here, or would if it were let.
    pub fn is_at_work(&self) -> bool {
        work::next(self) != Work::None || self.running_calls().next().is_some()
    }

    /// The sidekick of this room, unless it has ended and nobody went on with it.
    pub fn open_sidekick(&self) -> Option<&Sidekick> {
        let open = |sidekick: &&Sidekick| sidekick.ended.is_none() || self.owes;
        self.sidekick.as_ref().filter(open)
    }
}

/// What a sidekick waits for.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum WaitsFor {
    /// Someone has to say something.
    Person,
    /// Sidekicks of its own.
    Sidekicks,
    /// Its provider lets it wait.
    Provider,
    /// Others have to end first.
    Place,
    /// A plan above is paused.
    Plan,
}

/// A sidekick as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct SidekickView {
    /// Its room.
    pub id: RoomId,
    /// Its adjective-animal name.
    pub codename: String,
    /// The room that asked for it.
    pub parent: RoomId,
    /// The step of that room's plan that it works on.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub step: Option<StepId>,
    /// One of: queued, running, waiting, stalled (nothing was heard of it for as long as the caps
    /// say), completed, stopped, failed.
    #[ts(
        type = "'queued' | 'running' | 'waiting' | 'stalled' | 'completed' | 'stopped' | 'failed'"
    )]
    pub state: String,
    /// What it waits for, while it is queued or waiting.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub waits_for: Option<WaitsFor>,
    /// What it is to do, in one line.
    pub task: String,
    /// The model at work.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub model: Option<String>,
    /// The tool under way.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool: Option<String>,
    /// Model turns it took since a person's last word.
    pub turns: u32,
    /// Turns in which a call failed.
    pub attempts: u32,
    pub usage: Usage,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub started_at: Option<Time>,
    /// Since when it has been at work, while it is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub working_since: Option<Time>,
    /// Milliseconds it was at work before.
    pub worked_ms: u64,
    /// When something last came of it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub progress_at: Option<Time>,
    /// What came of it, in one line.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub result: Option<String>,
}

/// What anyone sees of a sidekick; nothing in another room.
pub fn sidekick_view(room: &Room) -> Option<SidekickView> {
    let (id, sidekick) = (room.id?, room.sidekick.as_ref()?);
    let RoomKind::Sidekick { parent, codename, step, .. } = &room.kind else { return None };
    let running = |call: &&crate::Call| matches!(call.state, CallState::Running(_));
    Some(SidekickView {
        id,
        codename: codename.clone(),
        parent: *parent,
        step: step.clone(),
        state: state(room, sidekick).to_owned(),
        waits_for: waits_for(room, sidekick),
        task: sidekick.task.clone(),
        model: room.spoke.clone().or_else(|| sidekick.model.clone()),
        tool: room.calls.iter().find(running).map(|call| call.request.tool.clone()),
        turns: sidekick.turns,
        attempts: sidekick.attempts,
        usage: room.usage,
        started_at: sidekick.started_at,
        working_since: sidekick.working_since,
        worked_ms: sidekick.earlier_ms + sidekick.ran_ms,
        progress_at: sidekick.progress_at,
        result: sidekick.ended.as_ref().map(|ended| ended.result.clone()),
    })
}

fn state(room: &Room, sidekick: &Sidekick) -> &'static str {
    match &sidekick.ended {
        // Its work counts when it is in the workspace.
        Some(_) if room.has_work_to_settle() => {
            if room.asks.is_empty() {
                "running"
            } else {
                "waiting"
            }
        }
        // A command that is being stopped is no work.
        Some(ended) if !room.owes => ended.end.word(),
        _ if room.is_at_work() && sidekick.slot => "running",
        _ if room.is_at_work() => "queued",
        Some(_) | None => "waiting",
    }
}

fn waits_for(room: &Room, sidekick: &Sidekick) -> Option<WaitsFor> {
    match state(room, sidekick) {
        "queued" => return Some(WaitsFor::Place),
        "waiting" => {}
        _ => return None,
    }
    if !room.asks.is_empty() {
        return Some(WaitsFor::Person);
    }
    if sidekick.until.is_some() || room.is_paused_for(PauseReason::Quota) {
        return Some(WaitsFor::Provider);
    }
    let below = match room.active_plan() {
        Some(plan) => plan.state.is_running(),
        None => !room.below.is_empty(),
    };
    Some(if below { WaitsFor::Sidekicks } else { WaitsFor::Person })
}
