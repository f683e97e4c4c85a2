//! Streams: whoever was cut off gets exactly the rest.

use flow::{Client, Feed, Heard, House, Served};
use plan::{Command, Event};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use support::{Reply, Script, ask_user, plan_write, plan_write_with, sidekick_complete, step_done};

/// Twelve steps with the check-in, then a plan of four that is cancelled after its first step.
fn script() -> Vec<Reply> {
    let steps: Vec<String> = (1..=12).map(|n| format!("step {n}")).collect();
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    let mut replies = vec![plan_write("twelve", &steps)];
    for n in 1..=12 {
        replies.push(Reply::call("read_file", json!({ "path": "note.txt" })));
        replies.push(step_done(&format!("s{n}"), &format!("result {n}")));
    }
    replies.push(Reply::text("All done."));
    replies.push(plan_write("four", &["a", "b", "c", "d"]));
    replies.push(step_done("s1", "a is done"));
    replies.push(Reply::text("a long answer").hold_after(1));
    replies
}

async fn house() -> House {
    House::configured(script(), "", &[("note.txt", "hello")]).await
}

/// Runs both plans to their end.
async fn run(house: &House) {
    house.say("do it").await;
    let paused = house.wait_paused().await;
    house.say("go on").await;
    house.wait_after(paused, "end", |event| matches!(event, Event::PlanDone { .. })).await;
    house.wait_idle().await;
    let said = house.say("now four").await;
    let begun = |event: &Event| matches!(event, Event::StepStarted { step } if step.0 == "s2");
    house.wait_after(said, "second step", begun).await;
    house.model.request(script().len() - 1).await;
    let command = Command::Cancel { reason: "enough".into(), call: None };
    house.person(command).await.expect("a plan can be cancelled");
    house.wait("end", |event| matches!(event, Event::PlanCancelled { .. })).await;
    house.wait_idle().await;
}

/// The log as the room stream tells it.
fn told(house: &House) -> Vec<Heard> {
    let tell = |(stored, event): (engine::journal::StoredEvent, Event)| {
        let mut data = serde_json::to_value(&event).expect("an event is JSON");
        data["seq"] = json!(stored.seq);
        data["at"] = json!(stored.at);
        Heard { id: Some(stored.seq.to_string()), name: stored.kind, data }
    };
    house.log().into_iter().map(tell).collect()
}

fn room_path(house: &House) -> String {
    format!("/v1/rooms/{}/stream", house.room)
}

/// The plans of the room, oldest first.
fn plans(house: &House) -> Vec<String> {
    let rows = house.engine().journal().plans(house.room.0, None, 10).expect("the log can be read");
    rows.iter().rev().map(|row| row.id.to_string()).collect()
}

async fn rename(house: &House, title: &str) -> u64 {
    house.person(Command::Rename { title: title.into() }).await.expect("it has a name");
    let renamed = |event: &Event| matches!(event, Event::RoomRenamed { title: t } if t == title);
    house.wait("new name", renamed).await
}

async fn up_to(feed: &mut Feed, seq: u64) -> Vec<Heard> {
    feed.until(&format!("event {seq}"), |heard| heard.seq() == seq).await
}

#[tokio::test]
async fn the_room_stream_gives_exactly_the_rest_after_every_id() {
    let house = house().await;
    run(&house).await;
    let last = rename(&house, "the last event").await;
    let served = Served::new(house.engine()).await;
    let path = room_path(&house);
    let log = told(&house);
    let sequences: Vec<u64> = log.iter().map(Heard::seq).collect();
    assert_eq!(sequences, (1..=last).collect::<Vec<u64>>(), "no gap in the log");

    let whole = up_to(&mut served.client.follow(&path, None).await, last).await;
    assert_eq!(whole, log);
    for after in 0..last {
        let mut feed = served.client.follow(&path, Some(&after.to_string())).await;
        let rest = up_to(&mut feed, last).await;
        assert_eq!(rest, log[usize::try_from(after).unwrap()..], "after {after}");
    }
    // Whoever has everything gets only what happens from now on.
    let mut feed = served.client.follow(&path, Some(&last.to_string())).await;
    rename(&house, "one more").await;
    assert_eq!(feed.next_stored().await.as_ref(), told(&house).last());
}

#[tokio::test]
async fn the_plan_streams_give_exactly_the_rest_after_every_id_and_close() {
    let house = house().await;
    run(&house).await;
    let served = Served::new(house.engine()).await;
    let last = told(&house).len() as u64;
    for plan in plans(&house) {
        let path = format!("/plans/{plan}/stream");
        let whole = served.client.follow(&path, None).await.to_end().await;
        let ids: BTreeSet<&str> = whole.iter().filter_map(|heard| heard.id.as_deref()).collect();
        assert_eq!(ids.len(), whole.len(), "each id is sent once");
        let (end, before) = whole.split_last().expect("something was told");
        for (index, heard) in before.iter().enumerate() {
            let rest = served.client.follow(&path, heard.id.as_deref()).await.to_end().await;
            assert_eq!(rest, whole[index + 1..], "after {:?}", heard.id);
        }
        // Ids of the room that say nothing of this plan are places, too.
        for after in (0..end.seq()).filter(|seq| !ids.contains(seq.to_string().as_str())) {
            let rest = served.client.follow(&path, Some(&after.to_string())).await.to_end().await;
            let later: Vec<Heard> =
                whole.iter().filter(|heard| heard.seq() > after).cloned().collect();
            assert_eq!(rest, later, "after {after}");
        }
        // Who has it all is told to come no more.
        for after in end.seq()..=last {
            let again = served.client.header("last-event-id", &after.to_string());
            let answer = again.get(&path).await;
            assert_eq!((answer.status, answer.body), (204, json!("")), "after {after}");
        }
    }
}

#[tokio::test]
async fn the_plan_stream_tells_nodes_pauses_and_the_end() {
    let house = house().await;
    run(&house).await;
    let served = Served::new(house.engine()).await;
    let plans = plans(&house);
    let follow = async |plan: &str| {
        let path = format!("/plans/{plan}/stream");
        served.client.follow(&path, None).await.to_end().await
    };
    let first = follow(&plans[0]).await;
    let mut names = vec!["plan.updated", "plan.updated"];
    for n in 1..=12 {
        names.extend(["node.started", "node.completed"]);
        if n == 8 {
            names.extend(["plan.paused", "plan.resumed"]);
        }
    }
    names.push("plan.completed");
    assert_eq!(first.iter().map(|heard| heard.name.as_str()).collect::<Vec<_>>(), names);
    let id = &plans[0];
    let nth = |name: &str, n: usize| {
        let mut named = first.iter().filter(|heard| heard.name == name);
        named.nth(n).map(|heard| heard.data.clone()).unwrap()
    };
    assert_eq!(
        nth("node.started", 0),
        json!({ "nodeId": "s1", "agentId": "default", "task": "step 1" })
    );
    assert_eq!(
        nth("node.completed", 11),
        json!({ "nodeId": "s12", "durationMs": 0, "outputPreview": "result 12" })
    );
    assert_eq!(nth("plan.paused", 0)["reason"], "auto_budget");
    assert_eq!(nth("plan.resumed", 0), json!({ "planId": id }));
    assert_eq!(
        nth("plan.completed", 0),
        json!({ "planId": id, "totalDurationMs": 0, "status": "complete" })
    );
    let shown = nth("plan.updated", 1);
    assert_eq!((&shown["planId"], &shown["status"]), (&json!(id), &json!("running")));
    assert_eq!(shown["nodes"].as_array().map(Vec::len), Some(12));

    let second = follow(&plans[1]).await;
    let end: Vec<(&str, &str, &Value)> = second[4..]
        .iter()
        .map(|heard| (heard.id.as_deref().unwrap(), heard.name.as_str(), &heard.data["nodeId"]))
        .collect();
    let seq = second.last().unwrap().seq();
    let part = |n: usize| format!("{seq}.{n}");
    assert_eq!(
        end,
        [
            (second[4].id.as_deref().unwrap(), "node.started", &json!("s2")),
            (&part(1), "node.skipped", &json!("s2")),
            (&part(2), "node.skipped", &json!("s3")),
            (&part(3), "node.skipped", &json!("s4")),
            (&seq.to_string(), "plan.completed", &Value::Null),
        ],
        "one event in four parts"
    );
    assert_eq!(second.last().unwrap().data["status"], "cancelled");
}

#[tokio::test]
async fn an_id_that_never_was_gets_a_snapshot_first() {
    let house = house().await;
    run(&house).await;
    let served = Served::new(house.engine()).await;
    let last = told(&house).len() as u64;
    let room = served.client.get(&format!("/v1/rooms/{}", house.room)).await.ok();
    let too_large = (last + 1).to_string();
    let cancelled = |part: usize| format!("{last}.{part}");
    let strange =
        [too_large.as_str(), "18446744073709551616", "-1", "garbage", "", "1.x", "+1", "01", "1.0"];

    for id in strange.into_iter().chain([cancelled(1).as_str()]) {
        let mut feed = served.client.follow(&room_path(&house), Some(id)).await;
        let snapshot = feed.next_stored().await.unwrap();
        assert_eq!(snapshot.name, "snapshot", "after {id:?}");
        assert_eq!(snapshot.seq(), last);
        assert_eq!(snapshot.data, room, "the room as it is now");
    }
    let mut feed = served.client.follow(&room_path(&house), Some("garbage")).await;
    rename(&house, "after the snapshot").await;
    feed.next_stored().await.unwrap();
    assert_eq!(feed.next_stored().await.unwrap().seq(), last + 1, "then what follows");

    let never_sent = [cancelled(4), cancelled(99), "1.1".to_owned(), format!("{}.1", last + 2)];
    for plan in plans(&house) {
        let graph = served.client.get(&format!("/plans/{plan}")).await.ok();
        let path = format!("/plans/{plan}/stream");
        for id in ["999999", "-1", "garbage", "", "1.x", "+1"]
            .into_iter()
            .chain(never_sent.iter().map(String::as_str))
        {
            let rest = served.client.follow(&path, Some(id)).await.to_end().await;
            let names: Vec<&str> = rest.iter().map(|heard| heard.name.as_str()).collect();
            assert_eq!(names, ["plan.updated"], "after {id:?}");
            assert_eq!(rest[0].data, graph, "the whole plan as it ended, after {id:?}");
            assert_eq!(rest[0].seq(), last + 1);
        }
    }
}

/// Follows a stream, is cut off twenty times at odd places, and reads on to the end.
async fn follow_with_cuts(client: Client, path: String, seed: u64, end: &str) -> Vec<Heard> {
    let mut random = seed;
    let mut heard: Vec<Heard> = Vec::new();
    for _ in 0..20 {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let bytes = 1 + usize::try_from((random >> 33) % 900).expect("it is small");
        let after = heard.last().and_then(|last| last.id.clone());
        let feed = client.follow(&path, after.as_deref()).await;
        heard.extend(feed.cut_after(bytes).await);
        if heard.last().is_some_and(|last| last.name == end) {
            return heard;
        }
    }
    let after = heard.last().and_then(|last| last.id.clone());
    let mut feed = client.follow(&path, after.as_deref()).await;
    heard.extend(feed.until(end, |heard| heard.name == end).await);
    heard
}

#[tokio::test]
async fn a_client_cut_off_at_odd_places_during_the_run_misses_nothing() {
    for seed in 1..=3 {
        let house = house().await;
        let served = Served::new(house.engine()).await;
        let client = served.client.clone();
        let rooms = follow_with_cuts(client.clone(), room_path(&house), seed, "plan_cancelled");
        let rooms = tokio::spawn(rooms);
        house.say("do it").await;
        house.wait("plan", |event| matches!(event, Event::PlanWritten { .. })).await;
        let path = format!("/plans/{}/stream", house.plan().id);
        let plan = follow_with_cuts(client.clone(), path.clone(), seed + 100, "plan.completed");
        let plan = tokio::spawn(plan);
        let paused = house.wait_paused().await;
        house.say("go on").await;
        house.wait_after(paused, "end", |event| matches!(event, Event::PlanDone { .. })).await;
        house.wait_idle().await;
        house.say("now four").await;
        house
            .wait(
                "step",
                |event| matches!(event, Event::StepDone { result, .. } if result == "a is done"),
            )
            .await;
        let command = Command::Cancel { reason: "enough".into(), call: None };
        house.person(command).await.unwrap();

        let heard = rooms.await.unwrap();
        let log = told(&house);
        assert_eq!(heard[..], log[..heard.len()], "seed {seed}");
        assert_eq!(heard.last().unwrap().name, "plan_cancelled");
        let whole = served.client.follow(&path, None).await.to_end().await;
        assert_eq!(plan.await.unwrap(), whole, "seed {seed}");
    }
}

#[tokio::test]
async fn a_snapshot_taken_while_it_works_leaves_nothing_out_behind_it() {
    let house = house().await;
    let served = Served::new(house.engine()).await;
    house.say("do it").await;
    house.wait("plan", |event| matches!(event, Event::PlanWritten { .. })).await;
    let path = format!("/plans/{}/stream", house.plan().id);
    let mut followers = Vec::new();
    while house.count("paused") == 0 {
        let feed = served.client.follow(&path, Some("unknown")).await;
        followers.push(tokio::spawn(feed.to_end()));
    }
    let paused = house.wait_paused().await;
    house.say("go on").await;
    house.wait_after(paused, "end", |event| matches!(event, Event::PlanDone { .. })).await;
    let whole = served.client.follow(&path, None).await.to_end().await;
    for follower in followers {
        let heard = follower.await.unwrap();
        let first = heard[0].seq();
        let rest: Vec<Heard> = whole.iter().filter(|heard| heard.seq() > first).cloned().collect();
        assert_eq!(heard[1..], rest, "after the snapshot of {first}");
    }
}

#[tokio::test]
async fn what_a_client_is_shown_is_on_disk() {
    let house = house().await;
    let served = Served::new(house.engine()).await;
    let path = format!("/v1/rooms/{}", house.room);
    house.say("do it").await;
    let mut looks = 0;
    while house.count("paused") == 0 {
        let shown = served.client.get(&path).await.ok()["seq"].as_u64().unwrap();
        let stored = house.engine().journal().room(house.room.0).unwrap().unwrap().last;
        assert!(shown <= stored, "event {shown} is shown, {stored} is the last one on disk");
        let mut feed = served.client.follow(&room_path(&house), Some("unknown")).await;
        let shown = feed.next_stored().await.unwrap().seq();
        let stored = house.engine().journal().room(house.room.0).unwrap().unwrap().last;
        assert!(shown <= stored, "a snapshot of {shown}, {stored} is the last one on disk");
        looks += 1;
    }
    assert!(looks > 0);
}

/// A plan whose only step asks, done by the room's own agent or by a sidekick.
fn asking(by_sidekick: bool) -> Script {
    let more = if by_sidekick { json!({ "mode": "parallel" }) } else { json!({}) };
    let write = plan_write_with("g", json!([{ "id": "a", "text": "part" }]), more);
    let done = if by_sidekick { sidekick_complete("ok") } else { step_done("a", "ok") };
    Script::from_fn(move |request| {
        let said = request.texts("user").first().cloned().unwrap_or_default();
        let own = !by_sidekick || said.starts_with("part");
        match (own, request.tool_results().len()) {
            (true, n) if n == usize::from(!by_sidekick) => ask_user("which?", &[]),
            (true, n) if n == usize::from(!by_sidekick) + 1 => done.clone(),
            (_, 0) => write.clone(),
            _ => Reply::text("ok"),
        }
    })
}

#[tokio::test]
async fn the_stream_of_a_plan_says_what_it_waits_for() {
    for by_sidekick in [false, true] {
        let house = House::with(asking(by_sidekick)).await;
        let served = Served::new(house.engine()).await;
        house.say("do it").await;
        house.wait("step", |event| matches!(event, Event::StepStarted { .. })).await;
        let path = format!("/plans/{}/stream", house.plan().id);
        let mut feed = served.client.follow(&path, None).await;
        let waits = |heard: &Heard| heard.data["waitingFor"] == "answer";
        feed.until("a wait", waits).await;
        let ask = house.view().asks.remove(0);
        let (answer, note, revision, hash) = ("that".to_owned(), None, None, None);
        let answer = Command::Answer { ask: ask.id, answer, note, revision, hash };
        house.engine().submit(ask.room_id, &flow::me(), answer).expect("it is answered");
        let went_on = |heard: &Heard| heard.name == "plan.updated" && !waits(heard);
        feed.until("the end of it", went_on).await;
        assert_eq!(
            feed.to_end().await.last().map(|end| end.name.clone()),
            Some("plan.completed".into())
        );
    }
}
