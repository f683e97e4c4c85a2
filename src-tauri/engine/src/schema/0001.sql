-- Ids are 16 raw bytes. Rooms also have a small number, so that an event row
-- spends one or two bytes on naming its room. AUTOINCREMENT: the number of a
-- deleted room is never given to another, whose spending it would inherit.
CREATE TABLE rooms (
    n           INTEGER PRIMARY KEY AUTOINCREMENT,
    id          BLOB    NOT NULL UNIQUE,
    title       TEXT    NOT NULL,
    workspace   TEXT    NOT NULL,
    kind        TEXT    NOT NULL,
    parent      BLOB,
    plan_mode   TEXT    NOT NULL,
    archived    INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    active_plan BLOB,
    plan_state  TEXT
);
CREATE INDEX rooms_by_plan_state ON rooms (plan_state) WHERE plan_state IS NOT NULL;

-- The log. The last sequence of a room is the largest key, one seek away, so
-- an append has no counter to update.
CREATE TABLE events (
    room_n  INTEGER NOT NULL,
    seq     INTEGER NOT NULL,
    version INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    kind    TEXT    NOT NULL,
    body    BLOB    NOT NULL,
    PRIMARY KEY (room_n, seq)
) WITHOUT ROWID;
CREATE INDEX events_by_kind ON events (room_n, kind, seq);

CREATE TABLE snapshots (
    room_n INTEGER PRIMARY KEY,
    seq    INTEGER NOT NULL,
    state  BLOB    NOT NULL
);

CREATE TABLE plans (
    n          INTEGER PRIMARY KEY,
    id         BLOB    NOT NULL UNIQUE,
    room       BLOB    NOT NULL,
    goal       TEXT    NOT NULL,
    state      TEXT    NOT NULL,
    revision   INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    body       BLOB
);
CREATE INDEX plans_by_room ON plans (room, n);

CREATE TABLE asks (
    n          INTEGER PRIMARY KEY,
    id         BLOB    NOT NULL UNIQUE,
    room       BLOB    NOT NULL,
    plan       BLOB,
    step       TEXT,
    kind       TEXT    NOT NULL,
    open       INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    body       BLOB    NOT NULL
);
CREATE INDEX asks_open ON asks (n) WHERE open = 1;
CREATE INDEX asks_by_room ON asks (room);

CREATE TABLE usage (
    room_n      INTEGER NOT NULL,
    day         TEXT    NOT NULL,
    model       TEXT    NOT NULL,
    input       INTEGER NOT NULL,
    output      INTEGER NOT NULL,
    cache_read  INTEGER NOT NULL,
    cost_micros INTEGER NOT NULL,
    PRIMARY KEY (room_n, day, model)
) WITHOUT ROWID;
CREATE INDEX usage_by_day ON usage (day);

-- Large texts, stored once. Which rooms use one is kept apart, so that
-- deleting a room frees what no other room names.
CREATE TABLE blobs (
    n    INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    body BLOB NOT NULL
);
CREATE TABLE blob_uses (
    room_n INTEGER NOT NULL,
    blob_n INTEGER NOT NULL,
    PRIMARY KEY (room_n, blob_n)
) WITHOUT ROWID;
CREATE INDEX blob_uses_by_blob ON blob_uses (blob_n);

CREATE TABLE answers (
    key          TEXT PRIMARY KEY,
    request_hash TEXT    NOT NULL,
    response     BLOB    NOT NULL,
    at           INTEGER NOT NULL
);
CREATE INDEX answers_by_age ON answers (at);
