//! The statements that read.

use rusqlite::types::ToSql;
use rusqlite::{Connection, OptionalExtension, Row, params};
use uuid::Uuid;

use super::append::StoredEvent;
use super::rows::{Answer, AskRow, PlanRow, RoomRow, StoredRoom, UsageOf, UsageSum};

type Read<T> = rusqlite::Result<T>;

pub(super) fn events_after(
    conn: &Connection,
    room: Uuid,
    after: u64,
    limit: usize,
) -> Read<Vec<StoredEvent>> {
    conn.prepare_cached(
        "SELECT seq, version, kind, at, body FROM events
         WHERE room_n = (SELECT n FROM rooms WHERE id = ?1) AND seq > ?2
         ORDER BY seq LIMIT ?3",
    )?
    .query_map(params![room, clamp(after), clamp(limit as u64)], |row| event(room, row))?
    .collect()
}

/// One walk down the index for each kind, then the newest of them all: one
/// statement for several kinds would sort every such event of the room. The
/// index is named because SQLite otherwise walks the log backwards, which
/// for a rare kind is all of it.
pub(super) fn events_of_kinds(
    conn: &Connection,
    room: Uuid,
    kinds: &[&str],
    before: Option<u64>,
    limit: usize,
) -> Read<Vec<StoredEvent>> {
    let before = before.map_or(i64::MAX, clamp);
    let mut found = Vec::new();
    for kind in kinds {
        let mut newest = conn.prepare_cached(
            "SELECT seq, version, kind, at, body FROM events INDEXED BY events_by_kind
             WHERE room_n = (SELECT n FROM rooms WHERE id = ?1) AND kind = ?2 AND seq < ?3
             ORDER BY seq DESC LIMIT ?4",
        )?;
        let rows = newest
            .query_map(params![room, kind, before, clamp(limit as u64)], |row| event(room, row))?;
        for row in rows {
            found.push(row?);
        }
    }
    found.sort_unstable_by_key(|event| std::cmp::Reverse(event.seq));
    // A kind that is named twice is still listed once.
    found.dedup_by_key(|event| event.seq);
    found.truncate(limit);
    Ok(found)
}

pub(super) fn size_of_events(conn: &Connection, room: Uuid) -> Read<(u64, u64)> {
    conn.prepare_cached(
        "SELECT count(*), coalesce(sum(length(body)), 0) FROM events
         WHERE room_n = (SELECT n FROM rooms WHERE id = ?1)",
    )?
    .query_row([room], |row| Ok((row.get(0)?, row.get(1)?)))
}

pub(super) fn room(conn: &Connection, id: Uuid) -> Read<Option<StoredRoom>> {
    let mut found = rooms_where(conn, "WHERE id = ?1", &[&id])?;
    Ok(found.pop())
}

pub(super) fn rooms(conn: &Connection, before: Option<u64>, limit: usize) -> Read<Vec<StoredRoom>> {
    let before = before.map_or(i64::MAX, clamp);
    rooms_where(conn, "WHERE n < ?1 ORDER BY n DESC LIMIT ?2", &[&before, &clamp(limit as u64)])
}

pub(super) fn workspaces(conn: &Connection) -> Read<Vec<String>> {
    conn.prepare_cached("SELECT DISTINCT workspace FROM rooms")?
        .query_map([], |row| row.get(0))?
        .collect()
}

pub(super) fn bytes_of_room(conn: &Connection, room: Uuid) -> Read<u64> {
    let own = "SELECT n FROM rooms WHERE id = ?1";
    conn.prepare_cached(&format!(
        "SELECT (SELECT coalesce(sum(length(body)), 0) FROM events WHERE room_n = ({own}))
              + (SELECT coalesce(sum(length(state)), 0) FROM snapshots WHERE room_n = ({own}))
              + (SELECT coalesce(sum(length(body)), 0) FROM plans WHERE room = ?1)
              + (SELECT coalesce(sum(length(body)), 0) FROM blobs
                 WHERE n IN (SELECT blob_n FROM blob_uses WHERE room_n = ({own}))
                   AND NOT EXISTS (SELECT 1 FROM blob_uses WHERE blob_n = n AND room_n <> ({own})))"
    ))?
    .query_row([room], |row| row.get(0))
}

pub(super) fn shown_rooms(conn: &Connection, most: usize) -> Read<Vec<StoredRoom>> {
    let which = "WHERE active_plan IS NOT NULL
            OR id IN (SELECT room FROM asks WHERE open = 1)
            OR n IN (SELECT n FROM rooms WHERE parent IS NULL
                     ORDER BY updated_at DESC, n DESC LIMIT ?1)
            OR n IN (SELECT n FROM rooms WHERE parent IS NOT NULL
                     ORDER BY updated_at DESC, n DESC LIMIT ?1)
         ORDER BY n DESC";
    rooms_where(conn, which, &[&clamp(most as u64)])
}

pub(super) fn sidekicks(conn: &Connection, parent: Option<Uuid>) -> Read<Vec<StoredRoom>> {
    match parent {
        Some(parent) => rooms_where(conn, "WHERE parent = ?1 ORDER BY n DESC", &[&parent]),
        None => rooms_where(conn, "WHERE parent IS NOT NULL ORDER BY n DESC", &[]),
    }
}

pub(super) fn live_rooms(conn: &Connection, states: &[&str]) -> Read<Vec<StoredRoom>> {
    let mut found = Vec::new();
    for state in states {
        found.extend(rooms_where(conn, "WHERE plan_state = ?1", &[state])?);
    }
    found.sort_unstable_by_key(|room| std::cmp::Reverse(room.number));
    found.dedup_by_key(|room| room.number);
    Ok(found)
}

pub(super) fn snapshot(conn: &Connection, room: Uuid) -> Read<Option<(u64, Vec<u8>)>> {
    conn.prepare_cached(
        "SELECT seq, state FROM snapshots WHERE room_n = (SELECT n FROM rooms WHERE id = ?1)",
    )?
    .query_row([room], |row| Ok((row.get(0)?, row.get(1)?)))
    .optional()
}

pub(super) fn plan(conn: &Connection, id: Uuid) -> Read<Option<PlanRow>> {
    let mut found = plans_where(conn, "WHERE id = ?1", &[&id])?;
    Ok(found.pop())
}

pub(super) fn plans(
    conn: &Connection,
    room: Uuid,
    before: Option<Uuid>,
    limit: usize,
) -> Read<Vec<PlanRow>> {
    let limit = clamp(limit as u64);
    match before {
        None => plans_where(conn, "WHERE room = ?1 ORDER BY n DESC LIMIT ?2", &[&room, &limit]),
        Some(before) => plans_where(
            conn,
            "WHERE room = ?1 AND n < (SELECT n FROM plans WHERE id = ?2)
             ORDER BY n DESC LIMIT ?3",
            &[&room, &before, &limit],
        ),
    }
}

pub(super) fn ask(conn: &Connection, id: Uuid) -> Read<Option<AskRow>> {
    let mut found = asks_where(conn, "WHERE id = ?1", &[&id])?;
    Ok(found.pop())
}

pub(super) fn open_asks(conn: &Connection) -> Read<Vec<AskRow>> {
    asks_where(conn, "WHERE open = 1 ORDER BY n DESC", &[])
}

pub(super) fn blob(conn: &Connection, hash: &str) -> Read<Option<Vec<u8>>> {
    conn.prepare_cached("SELECT body FROM blobs WHERE hash = ?1")?
        .query_row([hash], |row| row.get(0))
        .optional()
}

pub(super) fn usage(conn: &Connection, of: UsageOf<'_>) -> Read<Vec<UsageSum>> {
    const ROOM: &str = "room_n = (SELECT n FROM rooms WHERE id = ?1)";
    const TREE: &str = "room_n IN (
         WITH RECURSIVE tree(id, n) AS (
             SELECT id, n FROM rooms WHERE id = ?1
             UNION SELECT rooms.id, rooms.n FROM rooms JOIN tree ON rooms.parent = tree.id)
         SELECT n FROM tree)";
    let (which, values): (String, Vec<&dyn ToSql>) = match &of {
        UsageOf::Room(room) => (format!("WHERE {ROOM}"), vec![room]),
        UsageOf::Tree(root) => (format!("WHERE {TREE}"), vec![root]),
        UsageOf::Day(day) => ("WHERE day = ?1".to_owned(), vec![day]),
        UsageOf::RoomDay(room, day) => (format!("WHERE {ROOM} AND day = ?2"), vec![room, day]),
        UsageOf::All => (String::new(), Vec::new()),
    };
    conn.prepare_cached(&format!(
        "SELECT model, sum(input), sum(output), sum(cache_read), sum(cost_micros)
         FROM usage {which} GROUP BY model ORDER BY model"
    ))?
    .query_map(values.as_slice(), |row| {
        Ok(UsageSum {
            model: row.get(0)?,
            input: row.get(1)?,
            output: row.get(2)?,
            cache_read: row.get(3)?,
            cost_micros: row.get(4)?,
        })
    })?
    .collect()
}

pub(super) fn answer(conn: &Connection, key: &str) -> Read<Option<Answer>> {
    conn.prepare_cached("SELECT request_hash, response, at FROM answers WHERE key = ?1")?
        .query_row([key], |row| {
            Ok(Answer {
                key: key.to_owned(),
                request_hash: row.get(0)?,
                response: row.get(1)?,
                at: row.get(2)?,
            })
        })
        .optional()
}

fn event(room: Uuid, row: &Row<'_>) -> Read<StoredEvent> {
    Ok(StoredEvent {
        room,
        seq: row.get(0)?,
        version: row.get(1)?,
        kind: row.get(2)?,
        at: row.get(3)?,
        body: row.get(4)?,
    })
}

fn rooms_where(conn: &Connection, which: &str, values: &[&dyn ToSql]) -> Read<Vec<StoredRoom>> {
    conn.prepare_cached(&format!(
        "SELECT id, title, workspace, kind, parent, plan_mode, archived, created_at, updated_at,
                active_plan, plan_state, n,
                (SELECT coalesce(max(seq), 0) FROM events WHERE room_n = n)
         FROM rooms {which}"
    ))?
    .query_map(values, |row| {
        Ok(StoredRoom {
            row: RoomRow {
                id: row.get(0)?,
                title: row.get(1)?,
                workspace: row.get(2)?,
                kind: row.get(3)?,
                parent: row.get(4)?,
                plan_mode: row.get(5)?,
                archived: row.get(6)?,
                created_at: row.get(7)?,
                updated_at: row.get(8)?,
                active_plan: row.get(9)?,
                plan_state: row.get(10)?,
            },
            number: row.get(11)?,
            last: row.get(12)?,
        })
    })?
    .collect()
}

fn plans_where(conn: &Connection, which: &str, values: &[&dyn ToSql]) -> Read<Vec<PlanRow>> {
    conn.prepare_cached(&format!(
        "SELECT id, room, goal, state, revision, created_at, updated_at, body FROM plans {which}"
    ))?
    .query_map(values, |row| {
        Ok(PlanRow {
            id: row.get(0)?,
            room: row.get(1)?,
            goal: row.get(2)?,
            state: row.get(3)?,
            revision: row.get(4)?,
            created_at: row.get(5)?,
            updated_at: row.get(6)?,
            body: row.get(7)?,
        })
    })?
    .collect()
}

fn asks_where(conn: &Connection, which: &str, values: &[&dyn ToSql]) -> Read<Vec<AskRow>> {
    conn.prepare_cached(&format!(
        "SELECT id, room, plan, step, kind, open, created_at, body FROM asks {which}"
    ))?
    .query_map(values, |row| {
        Ok(AskRow {
            id: row.get(0)?,
            room: row.get(1)?,
            plan: row.get(2)?,
            step: row.get(3)?,
            kind: row.get(4)?,
            open: row.get(5)?,
            created_at: row.get(6)?,
            body: row.get(7)?,
        })
    })?
    .collect()
}

/// SQLite counts to 2^63; beyond it "as many as there are" is meant.
fn clamp(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
