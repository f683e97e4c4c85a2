//! Rows, lists and sums.

use tempfile::tempdir;
use uuid::Uuid;

use super::super::{
    AskRow, Journal, PlanRow, RoomRow, RowChange, StoredRoom, UsageAdd, UsageOf, UsageSum,
};
use super::{event, id, make, open, room_row, rows, say};

fn ids(rooms: &[StoredRoom]) -> Vec<Uuid> {
    rooms.iter().map(|room| room.row.id).collect()
}

#[test]
fn rooms_are_listed_newest_first_and_by_pages() {
    let dir = tempdir().unwrap();
    let journal = open(dir.path());
    for room in 1..=5 {
        journal.append(make(id(room))).wait().unwrap();
    }
    let page = journal.rooms(None, 2).unwrap();
    assert_eq!(ids(&page), [id(5), id(4)]);
    // The last room of a page may be deleted before the next page is asked for.
    journal.forget(id(4)).wait().unwrap();
    let page = journal.rooms(Some(page[1].number), 2).unwrap();
    assert_eq!(ids(&page), [id(3), id(2)]);
    let page = journal.rooms(Some(page[1].number), 2).unwrap();
    assert_eq!(ids(&page), [id(1)]);
    assert_eq!(journal.rooms(Some(page[0].number), 2).unwrap(), []);
}

#[test]
fn no_number_of_sidekicks_hides_a_conversation_or_what_is_at_work() {
    let dir = tempdir().unwrap();
    let journal = open(dir.path());
    for room in 1..=9 {
        journal.append(make(id(room))).wait().unwrap();
    }
    let change = |row: RoomRow| {
        journal.append(rows(row.id, 1, vec![RowChange::Room(row)])).wait().unwrap();
    };
    let asked = AskRow {
        id: id(20),
        room: id(2),
        plan: None,
        step: None,
        kind: "question".to_owned(),
        open: true,
        created_at: 3,
        body: b"{}".to_vec(),
    };
    journal.append(rows(id(2), 1, vec![RowChange::Ask(asked)])).wait().unwrap();
    change(RoomRow { active_plan: Some(id(30)), ..room_row(id(1)) });
    change(RoomRow { updated_at: 2_000, ..room_row(id(3)) });
    for sidekick in 6..=9 {
        change(RoomRow { parent: Some(id(5)), ..room_row(id(sidekick)) });
    }
    let shown = ids(&journal.shown_rooms(2).unwrap());
    // Two sidekicks, two conversations of late, one that asks and one at work.
    assert_eq!(shown, [id(9), id(8), id(5), id(3), id(2), id(1)]);
}

#[test]
fn a_room_row_is_replaced_and_found_by_the_state_of_its_plan() {
    let dir = tempdir().unwrap();
    let journal = open(dir.path());
    for room in 1..=3 {
        journal.append(make(id(room))).wait().unwrap();
    }
    let with_state = |room, state: &str| RoomRow {
        title: "Renamed".to_owned(),
        parent: Some(id(9)),
        archived: true,
        created_at: 77,
        updated_at: 78,
        active_plan: Some(id(8)),
        plan_state: Some(state.to_owned()),
        ..room_row(room)
    };
    for (room, state) in [(1, "running"), (2, "paused"), (3, "completed")] {
        let change = RowChange::Room(with_state(id(room), state));
        journal.append(rows(id(room), 1, vec![change])).wait().unwrap();
    }
    let live = journal.live_rooms(&["running", "paused", "running"]).unwrap();
    assert_eq!(ids(&live), [id(2), id(1)]);
    let expected = RoomRow { created_at: 1, ..with_state(id(1), "running") };
    assert_eq!(live[1], StoredRoom { row: expected, last: 1, number: 1 });
    assert_eq!(journal.live_rooms(&[]).unwrap(), []);
}

#[test]
fn events_of_some_kinds_are_listed_newest_first() {
    let dir = tempdir().unwrap();
    let journal = open(dir.path());
    journal.append(make(id(1))).wait().unwrap();
    let mut append = say(id(1), 1, &[]);
    for kind in ["tool", "said", "answered", "tool", "tool", "said", "answered"] {
        append.events.push(event(kind, "x"));
    }
    journal.append(append).wait().unwrap();
    let list = |kinds: &[&str], before, limit| -> Vec<u64> {
        let found = journal.read_kinds(id(1), kinds, before, limit).unwrap();
        found.iter().map(|event| event.seq).collect()
    };
    assert_eq!(list(&["said", "answered"], None, 3), [8, 7, 4]);
    assert_eq!(list(&["said", "answered"], Some(4), 3), [3, 1]);
    assert_eq!(list(&["said", "said"], None, 10), [7, 3, 1]);
    assert_eq!(list(&[], None, 10), [0; 0]);
}

#[test]
fn a_plan_keeps_its_body_when_a_change_has_none() {
    let dir = tempdir().unwrap();
    let journal = open(dir.path());
    let plan = |plan, state: &str, body: Option<&str>| PlanRow {
        id: id(plan),
        room: id(1),
        goal: "Ship it".to_owned(),
        state: state.to_owned(),
        revision: 1,
        created_at: 5,
        updated_at: 6,
        body: body.map(|body| body.as_bytes().to_vec()),
    };
    journal.append(make(id(1))).wait().unwrap();
    let changes = vec![
        RowChange::Plan(plan(10, "draft", Some("{}"))),
        RowChange::Plan(plan(11, "draft", None)),
        RowChange::Plan(plan(12, "draft", None)),
        RowChange::Plan(plan(10, "running", None)),
    ];
    journal.append(rows(id(1), 1, changes)).wait().unwrap();
    assert_eq!(journal.plan(id(10)).unwrap(), Some(plan(10, "running", Some("{}"))));
    assert_eq!(journal.plan(id(99)).unwrap(), None);
    let page = journal.plans(id(1), None, 2).unwrap();
    assert_eq!(page, [plan(12, "draft", None), plan(11, "draft", None)]);
    let page = journal.plans(id(1), Some(id(11)), 2).unwrap();
    assert_eq!(page, [plan(10, "running", Some("{}"))]);
}

#[test]
fn only_open_asks_are_in_the_inbox() {
    let dir = tempdir().unwrap();
    let journal = open(dir.path());
    let ask = |ask, open| AskRow {
        id: id(ask),
        room: id(1),
        plan: Some(id(10)),
        step: Some("build".to_owned()),
        kind: "approval".to_owned(),
        open,
        created_at: 3,
        body: b"{}".to_vec(),
    };
    journal.append(make(id(1))).wait().unwrap();
    let asked = (20..23).map(|number| RowChange::Ask(ask(number, true))).collect();
    journal.append(rows(id(1), 1, asked)).wait().unwrap();
    let answered = vec![RowChange::Ask(ask(21, false))];
    journal.append(rows(id(1), 1, answered)).wait().unwrap();
    assert_eq!(journal.open_asks().unwrap(), [ask(22, true), ask(20, true)]);
    assert_eq!(journal.ask(id(21)).unwrap(), Some(ask(21, false)));
    assert_eq!(journal.ask(id(99)).unwrap(), None);
}

#[test]
fn usage_adds_up_by_room_day_and_model() {
    let dir = tempdir().unwrap();
    let journal = open(dir.path());
    let add = |room, day: &str, model: &str, input| {
        let usage = UsageAdd {
            day: day.to_owned(),
            model: model.to_owned(),
            input,
            output: 1,
            cache_read: 2,
            cost_micros: 3,
        };
        journal.append(rows(id(room), 1, vec![RowChange::Usage(usage)])).wait().unwrap();
    };
    let sum = |model: &str, input, times| UsageSum {
        model: model.to_owned(),
        input,
        output: times,
        cache_read: 2 * times,
        cost_micros: 3 * times,
    };
    journal.append(make(id(1))).wait().unwrap();
    journal.append(make(id(2))).wait().unwrap();
    add(1, "2026-01-01", "small", 10);
    add(1, "2026-01-01", "small", 20);
    add(1, "2026-01-01", "large", 100);
    add(1, "2026-01-02", "small", 1);
    add(2, "2026-01-01", "small", 1000);
    let usage = |of| journal.usage(of).unwrap();
    assert_eq!(usage(UsageOf::Room(id(1))), [sum("large", 100, 1), sum("small", 31, 3)]);
    assert_eq!(usage(UsageOf::Day("2026-01-01")), [sum("large", 100, 1), sum("small", 1030, 3)]);
    assert_eq!(usage(UsageOf::RoomDay(id(1), "2026-01-02")), [sum("small", 1, 1)]);
    journal.forget(id(2)).wait().unwrap();
    assert_eq!(usage(UsageOf::All), [sum("large", 100, 1), sum("small", 1031, 4)]);
}

#[test]
fn what_deleting_a_room_frees_is_what_no_other_room_names() {
    let dir = tempdir().unwrap();
    let journal = open(dir.path());
    for (room, blobs) in [(1, &["own", "both"][..]), (2, &["both"][..])] {
        let mut append = make(id(room));
        append.blobs = blobs.iter().map(|hash| (String::from(*hash), vec![7; 1000])).collect();
        journal.append(append).wait().unwrap();
    }
    let events = journal.bytes_of_events(id(1)).unwrap().1;
    assert_eq!(journal.bytes_of_room(id(1)).unwrap(), events + 1000);
    assert_eq!(journal.bytes_of_room(id(2)).unwrap(), events);
    assert_eq!(journal.bytes_of_room(id(9)).unwrap(), 0);
}

#[test]
fn a_blob_is_stored_once() {
    let dir = tempdir().unwrap();
    let journal = open(dir.path());
    let text = vec![7; 1_000_000];
    for room in 1..=5 {
        let mut append = make(id(room));
        append.blobs.push(("abc".to_owned(), text.clone()));
        journal.append(append).wait().unwrap();
    }
    assert_eq!(journal.blob("abc").unwrap(), Some(text));
    assert_eq!(journal.blob("abd").unwrap(), None);
    drop(journal);
    let size = std::fs::metadata(dir.path().join("plancard.db")).unwrap().len();
    assert!((1_000_000..1_500_000).contains(&size), "{size}");
}
