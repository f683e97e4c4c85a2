//! The statements that write. Each runs inside the writer's transaction.

use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

use super::JournalError;
use super::append::{Append, EVENT_VERSION, NewEvent};
use super::error::Doing;
use super::rows::{ANSWER_LIFE_MS, Answer, AskRow, PlanRow, RoomRow, RowChange, UsageAdd};

const WRITING: &str = "write to the journal";

/// Writes one append and answers the room's last sequence. On an error some
/// of it may have been written: the caller rolls back.
pub(super) fn append(conn: &Connection, append: &Append) -> Result<u64, JournalError> {
    let Append { room, chain, expected, events, rows, blobs } = append;
    if chain.is_broken() {
        let why = "what it builds on was not stored".to_owned();
        return Err(JournalError::Refused { doing: WRITING, why });
    }
    let number = number_of(conn, *room).doing(WRITING)?;
    let found = match number {
        Some(number) => last_seq(conn, number).doing(WRITING)?,
        None => 0,
    };
    if found != *expected {
        return Err(JournalError::Conflict { room: *room, expected: *expected, found });
    }
    // Rooms first: the append that makes a room needs its number.
    for change in rows {
        if let RowChange::Room(row) = change {
            put_room(conn, row).doing(WRITING)?;
        }
    }
    let number = match number {
        Some(number) => number,
        None => number_of(conn, *room).doing(WRITING)?.ok_or(JournalError::NoRoom(*room))?,
    };
    let mut seq = found;
    for event in events {
        seq += 1;
        put_event(conn, number, seq, event).doing(WRITING)?;
    }
    if let Some(last) = events.last() {
        conn.prepare_cached("UPDATE rooms SET updated_at = ?2 WHERE n = ?1")
            .and_then(|mut statement| statement.execute((number, last.at)))
            .doing(WRITING)?;
    }
    for change in rows {
        put_row(conn, number, change).doing(WRITING)?;
    }
    for (hash, body) in blobs {
        put_blob(conn, number, hash, body).doing(WRITING)?;
    }
    Ok(seq)
}

/// Keeps an answer, and drops those that are too old. Of two answers to one
/// key the first stands.
pub(super) fn remember(conn: &Connection, answer: &Answer) -> Result<(), JournalError> {
    put_answer(conn, answer).doing(WRITING)
}

/// Removes a room with its events, rows and the blobs nobody else names.
/// What it used stays in the sums of its days.
pub(super) fn forget(conn: &Connection, room: Uuid) -> Result<(), JournalError> {
    const FORGETTING: &str = "delete a room";
    let number = number_of(conn, room).doing(FORGETTING)?.ok_or(JournalError::NoRoom(room))?;
    for sql in [
        "DELETE FROM events WHERE room_n = ?1",
        "DELETE FROM snapshots WHERE room_n = ?1",
        "DELETE FROM blobs WHERE n IN (SELECT blob_n FROM blob_uses WHERE room_n = ?1)
           AND NOT EXISTS (SELECT 1 FROM blob_uses WHERE blob_n = n AND room_n <> ?1)",
        "DELETE FROM blob_uses WHERE room_n = ?1",
        "DELETE FROM rooms WHERE n = ?1",
    ] {
        conn.prepare_cached(sql).and_then(|mut one| one.execute([number])).doing(FORGETTING)?;
    }
    for sql in ["DELETE FROM plans WHERE room = ?1", "DELETE FROM asks WHERE room = ?1"] {
        conn.prepare_cached(sql).and_then(|mut one| one.execute([room])).doing(FORGETTING)?;
    }
    Ok(())
}

fn number_of(conn: &Connection, room: Uuid) -> rusqlite::Result<Option<i64>> {
    conn.prepare_cached("SELECT n FROM rooms WHERE id = ?1")?
        .query_row([room], |row| row.get(0))
        .optional()
}

fn last_seq(conn: &Connection, number: i64) -> rusqlite::Result<u64> {
    conn.prepare_cached("SELECT coalesce(max(seq), 0) FROM events WHERE room_n = ?1")?
        .query_row([number], |row| row.get(0))
}

fn put_event(conn: &Connection, number: i64, seq: u64, event: &NewEvent) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT INTO events (room_n, seq, version, at, kind, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![number, seq, EVENT_VERSION, event.at, event.kind, event.body])?;
    Ok(())
}

fn put_row(conn: &Connection, number: i64, change: &RowChange) -> rusqlite::Result<()> {
    match change {
        // Written before the events.
        RowChange::Room(_) => Ok(()),
        RowChange::Plan(row) => put_plan(conn, row),
        RowChange::Ask(row) => put_ask(conn, row),
        RowChange::Usage(add) => add_usage(conn, number, add),
        RowChange::Snapshot { seq, state } => put_snapshot(conn, number, *seq, state),
        RowChange::UsesBlob { hash } => use_blob(conn, number, hash),
        RowChange::Answer(answer) => put_answer(conn, answer),
    }
}

fn put_room(conn: &Connection, row: &RoomRow) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT INTO rooms (id, title, workspace, kind, parent, plan_mode, archived,
                            created_at, updated_at, active_plan, plan_state)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
         ON CONFLICT (id) DO UPDATE SET
             title = excluded.title, workspace = excluded.workspace, kind = excluded.kind,
             parent = excluded.parent, plan_mode = excluded.plan_mode,
             archived = excluded.archived, updated_at = excluded.updated_at,
             active_plan = excluded.active_plan, plan_state = excluded.plan_state",
    )?
    .execute(params![
        row.id,
        row.title,
        row.workspace,
        row.kind,
        row.parent,
        row.plan_mode,
        row.archived,
        row.created_at,
        row.updated_at,
        row.active_plan,
        row.plan_state,
    ])?;
    Ok(())
}

fn put_plan(conn: &Connection, row: &PlanRow) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT INTO plans (id, room, goal, state, revision, created_at, updated_at, body)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT (id) DO UPDATE SET
             room = excluded.room, goal = excluded.goal, state = excluded.state,
             revision = excluded.revision, updated_at = excluded.updated_at,
             body = coalesce(excluded.body, body)",
    )?
    .execute(params![
        row.id,
        row.room,
        row.goal,
        row.state,
        row.revision,
        row.created_at,
        row.updated_at,
        row.body,
    ])?;
    Ok(())
}

fn put_ask(conn: &Connection, row: &AskRow) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT INTO asks (id, room, plan, step, kind, open, created_at, body)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT (id) DO UPDATE SET
             room = excluded.room, plan = excluded.plan, step = excluded.step,
             kind = excluded.kind, open = excluded.open, body = excluded.body",
    )?
    .execute(params![
        row.id,
        row.room,
        row.plan,
        row.step,
        row.kind,
        row.open,
        row.created_at,
        row.body,
    ])?;
    Ok(())
}

fn add_usage(conn: &Connection, number: i64, add: &UsageAdd) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT INTO usage (room_n, day, model, input, output, cache_read, cost_micros)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (room_n, day, model) DO UPDATE SET
             input = input + excluded.input, output = output + excluded.output,
             cache_read = cache_read + excluded.cache_read,
             cost_micros = cost_micros + excluded.cost_micros",
    )?
    .execute(params![
        number,
        add.day,
        add.model,
        add.input,
        add.output,
        add.cache_read,
        add.cost_micros,
    ])?;
    Ok(())
}

fn put_snapshot(conn: &Connection, number: i64, seq: u64, state: &[u8]) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT INTO snapshots (room_n, seq, state) VALUES (?1, ?2, ?3)
         ON CONFLICT (room_n) DO UPDATE SET seq = excluded.seq, state = excluded.state",
    )?
    .execute(params![number, seq, state])?;
    Ok(())
}

fn put_blob(conn: &Connection, number: i64, hash: &str, body: &[u8]) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT INTO blobs (hash, body) VALUES (?1, ?2) ON CONFLICT (hash) DO NOTHING",
    )?
    .execute(params![hash, body])?;
    use_blob(conn, number, hash)
}

fn use_blob(conn: &Connection, number: i64, hash: &str) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT INTO blob_uses (room_n, blob_n) SELECT ?1, n FROM blobs WHERE hash = ?2
         ON CONFLICT DO NOTHING",
    )?
    .execute(params![number, hash])?;
    Ok(())
}

fn put_answer(conn: &Connection, answer: &Answer) -> rusqlite::Result<()> {
    conn.prepare_cached("DELETE FROM answers WHERE at < ?1")?
        .execute([answer.at.saturating_sub(ANSWER_LIFE_MS)])?;
    conn.prepare_cached(
        "INSERT INTO answers (key, request_hash, response, at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (key) DO NOTHING",
    )?
    .execute(params![answer.key, answer.request_hash, answer.response, answer.at])?;
    Ok(())
}
