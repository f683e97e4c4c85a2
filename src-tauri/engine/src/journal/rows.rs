//! The small state rows kept beside the log, so that a start reads a few rows
//! and not a million events.

use uuid::Uuid;

/// A row that changes in the same transaction as the events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowChange {
    /// Makes the room or replaces its row.
    Room(RoomRow),
    /// Makes the plan or replaces its row.
    Plan(PlanRow),
    /// Makes the ask or replaces its row.
    Ask(AskRow),
    /// Adds to what the room has used.
    Usage(UsageAdd),
    /// Replaces the room's snapshot.
    Snapshot { seq: u64, state: Vec<u8> },
    /// The room names a large text that another room brought.
    UsesBlob { hash: String },
    /// Keeps the answer to a request, so that the request and its effect are
    /// remembered together.
    Answer(Answer),
}

/// A room as lists show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoomRow {
    /// The room.
    pub id: Uuid,
    /// What the person calls it.
    pub title: String,
    /// The folder it works in.
    pub workspace: String,
    /// A word for what sort of room it is.
    pub kind: String,
    /// The room a sidekick works for.
    pub parent: Option<Uuid>,
    /// A word for its plan mode.
    pub plan_mode: String,
    /// True when it is out of the way.
    pub archived: bool,
    /// Milliseconds since 1970; kept from the first time the row is written.
    pub created_at: i64,
    /// When it last changed.
    pub updated_at: i64,
    /// Its one active plan.
    pub active_plan: Option<Uuid>,
    /// The state of the active plan.
    pub plan_state: Option<String>,
}

/// A room's row with its place in the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRoom {
    /// The row as last written.
    pub row: RoomRow,
    /// The sequence of the room's last event.
    pub last: u64,
    /// Rooms are numbered as they are made; what [`rooms`] pages by.
    ///
    /// [`rooms`]: super::Journal::rooms
    pub number: u64,
}

/// A plan as lists show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanRow {
    /// The plan.
    pub id: Uuid,
    /// The room that asked for it.
    pub room: Uuid,
    /// What it is for.
    pub goal: String,
    /// A word for its state.
    pub state: String,
    /// How often it was revised.
    pub revision: u32,
    /// Milliseconds since 1970; kept from the first time the row is written.
    pub created_at: i64,
    /// When it last changed.
    pub updated_at: i64,
    /// The whole plan as JSON. `None` in a change leaves it as it is.
    pub body: Option<Vec<u8>>,
}

/// A question to a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskRow {
    /// The ask.
    pub id: Uuid,
    /// The room it was asked in.
    pub room: Uuid,
    /// The plan it is about.
    pub plan: Option<Uuid>,
    /// The step it is about.
    pub step: Option<String>,
    /// A word for what is asked.
    pub kind: String,
    /// True until it is answered or withdrawn.
    pub open: bool,
    /// Milliseconds since 1970; kept from the first time the row is written.
    pub created_at: i64,
    /// The ask as JSON.
    pub body: Vec<u8>,
}

/// Tokens and money to add to a room's day with one model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageAdd {
    /// `YYYY-MM-DD`
    pub day: String,
    /// The model, as `provider/model`.
    pub model: String,
    /// Tokens read.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
    /// Tokens read from the provider's cache.
    pub cache_read: u64,
    /// Millionths of a dollar.
    pub cost_micros: u64,
}

/// Which usage to add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsageOf<'a> {
    /// A room and its sidekicks, theirs included.
    Tree(Uuid),
    /// All days of one room.
    Room(Uuid),
    /// One day (`YYYY-MM-DD`) of every room, deleted ones included.
    Day(&'a str),
    /// One day of one room.
    RoomDay(Uuid, &'a str),
    /// Everything there is.
    All,
}

/// What one model used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageSum {
    /// The model, as `provider/model`.
    pub model: String,
    /// Tokens read.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
    /// Tokens read from the provider's cache.
    pub cache_read: u64,
    /// Millionths of a dollar.
    pub cost_micros: u64,
}

/// How long an [`Answer`] is kept, in milliseconds.
pub const ANSWER_LIFE_MS: i64 = 24 * 60 * 60 * 1000;

/// What was answered to a request with an idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The key the request came with.
    pub key: String,
    /// Tells the same request from another one under the same key.
    pub request_hash: String,
    /// What was answered.
    pub response: Vec<u8>,
    /// When it was answered, in milliseconds since 1970.
    pub at: i64,
}
