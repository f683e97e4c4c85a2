//! Known secrets in what tools give back: none reaches the model, the log, the stream or the export.

use engine::export;
use flow::{Heard, House, Served};
use plan::{Command, Event};
use serde_json::json;
use std::path::Path;
use support::{Reply, Script, plan_write, step_done};

const SECRET: &str = "a-known-secret-value";

/// Every byte that is stored, in whatever folder.
fn stored(data: &Path) -> Vec<u8> {
    let entries = std::fs::read_dir(data).expect("the folder can be read").flatten();
    let bytes = entries.map(|entry| match entry.file_type().expect("it is there") {
        kind if kind.is_dir() => stored(&entry.path()),
        kind if kind.is_file() => std::fs::read(entry.path()).expect("a file can be read"),
        _ => Vec::new(),
    });
    bytes.flatten().collect()
}

fn holds(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|part| part == word.as_bytes())
}

#[tokio::test]
async fn a_known_secret_in_an_output_reaches_neither_model_log_stream_nor_export() {
    let script = vec![
        plan_write("look", &["print it"]),
        Reply::call("shell", json!({ "command": "cat secret.txt" })),
        Reply::call("read_file", json!({ "path": "secret.txt" })),
        // Far more than is told, with the secret where it is cut.
        Reply::call("shell", json!({ "command": "seq 20000; cat secret.txt; seq 20000" })),
        Reply::call("search", json!({ "pattern": "known" })),
        Reply::call("search", json!({ "pattern": "long line", "path": "long.txt" })),
        step_done("s1", "printed"),
        Reply::text("done"),
    ];
    let house = House::knowing(script, SECRET).await;
    house.workspace.write("secret.txt", &format!("key={SECRET}\n"));
    house.workspace.write("long.txt", &format!("a long line{}{SECRET}\n", " ".repeat(275)));
    let served = Served::new(house.engine()).await;
    let path = format!("/v1/rooms/{}/stream", house.room);
    let mut feed = served.client.follow(&path, None).await;
    house.say("go").await;
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    house.wait_idle().await;

    for request in house.model.requests() {
        assert!(!String::from_utf8_lossy(request.body()).contains(SECRET));
    }
    let results = house.model.requests().pop().unwrap().tool_results();
    assert_eq!(results.iter().filter(|text| text.contains("key=[redacted]")).count(), 3);
    let cut = results.iter().find(|text| text.contains("long.txt:1:a long line "));
    assert!(cut.is_some_and(|text| text.contains("[redacted]") && !text.contains("a-known")));
    // Live news as well as the log.
    let mut heard = Vec::new();
    while heard.last().is_none_or(|last: &Heard| last.name != "plan_done") {
        heard.push(feed.next().await.expect("the plan ends before the stream"));
    }
    assert!(!format!("{heard:?}").contains(SECRET));
    assert!(heard.iter().any(|heard| heard.id.is_none()));
    assert!(!export::markdown(&house.plan()).contains(SECRET));
    assert!(!holds(&stored(&house.data()), SECRET));
}

/// A secret with signs that mean something to a shell or to JSON, in the quotes of real programs.
#[tokio::test]
async fn a_known_secret_in_quotes_reaches_neither_model_log_stream_nor_export() {
    const NASTY: &str = "it's \"a\\known$secret&value";
    let commands = [
        "cat secret.txt",
        "printf %q \"$(cat secret.txt)\"",
        "key=$(cat secret.txt) bash -c 'export -p' | grep key=",
        "key=$(cat secret.txt); set | grep ^key=",
        "base64 -w0 secret.txt",
        "printf u:%s \"$(cat secret.txt)\" | base64 -w0",
        "printf me:%s \"$(cat secret.txt)\" | base64 -w0",
        "python3 -c 'import json; print(json.dumps(open(\"secret.txt\").read().strip()))'",
        "python3 -c 'import urllib.parse as u; print(u.quote(open(\"secret.txt\").read().strip()))'",
        "python3 -c 'print(repr(open(\"secret.txt\").read().strip()))'",
    ];
    let shell = |command: &str| Reply::call("shell", json!({ "command": command }));
    let mut script = vec![plan_write("look", &["print it"])];
    script.extend(commands.map(shell));
    script.extend([step_done("s1", "printed"), Reply::text("done")]);
    let house = House::knowing(script, NASTY).await;
    house.workspace.write("secret.txt", NASTY);
    let served = Served::new(house.engine()).await;
    let mut feed = served.client.follow(&format!("/v1/rooms/{}/stream", house.room), None).await;
    house.say("go").await;
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    house.wait_idle().await;
    let request = house.model.requests().pop().unwrap();
    let results = request.tool_results();
    // The first result is that of the plan.
    let shown = results.iter().skip(1).zip(commands);
    let not_redacted: Vec<_> = shown.filter(|(result, _)| !result.contains("[redacted]")).collect();
    assert_eq!(not_redacted, []);
    let heard = format!("{:?}", feed.until("the end", |heard| heard.name == "plan_done").await);
    let (sent, export) = (String::from_utf8_lossy(request.body()), export::markdown(&house.plan()));
    let stored = stored(&house.data());
    // Parts that quoting changes only around them.
    for part in ["known$secret", "known\\$secret", "known%24secret", "bm93biRzZWNyZ"] {
        assert!(!sent.contains(part) && !heard.contains(part) && !export.contains(part), "{part}");
        assert!(!holds(&stored, part), "{part}");
    }
}

/// A command that ran out of time says so, whatever it had said by then.
#[tokio::test]
async fn a_long_output_with_a_secret_in_it_is_told_with_how_it_ended() {
    let command = "seq 3000; cat secret.txt; seq 3000; sleep 60";
    let script = vec![
        Reply::call("shell", json!({ "command": command, "timeout_seconds": 2 })),
        Reply::text("done"),
    ];
    let house = House::knowing(script, SECRET).await;
    house.workspace.write("secret.txt", &format!("key={SECRET}\n"));
    house.say("go").await;
    house.wait_idle().await;
    let told = house.model.requests().pop().unwrap().tool_results().remove(0);
    assert!(told.contains("TIMED_OUT") && told.contains("bytes left out"), "{told}");
    assert!(!told.contains(SECRET));
    assert!(!holds(&stored(&house.data()), SECRET));
}

/// A file may be named by what is in another.
#[tokio::test]
async fn a_known_secret_in_the_name_of_a_changed_file_is_not_told() {
    let script = vec![
        Reply::call("shell", json!({ "command": "touch \"$(cat secret.txt)\" made" })),
        Reply::text("done"),
    ];
    let house = House::knowing(script, SECRET).await;
    house.workspace.write("secret.txt", SECRET);
    let served = Served::new(house.engine()).await;
    let path = format!("/v1/rooms/{}/stream", house.room);
    let mut feed = served.client.follow(&path, None).await;
    house.say("go").await;
    house.wait_idle().await;
    assert!(house.workspace.path().join(SECRET).exists());
    let heard = feed.until("the end", |heard| heard.name == "call_ended").await;
    let heard = format!("{heard:?}");
    assert!(heard.contains("[redacted]") && heard.contains("made"), "{heard}");
    assert!(!heard.contains(SECRET), "{heard}");
    assert!(!holds(&stored(&house.data()), SECRET));
}

/// A command begins in the folder that the one before moved to, whatever that is called.
#[tokio::test]
async fn a_known_secret_in_the_name_of_a_folder_is_not_told_with_what_a_call_touches() {
    let shell = |command: &str| Reply::call("shell", json!({ "command": command }));
    let script = vec![
        plan_write("look", &["go there"]),
        shell("mkdir \"$(cat secret.txt)\"; cd \"$(cat secret.txt)\""),
        shell("touch here"),
        shell("cat ./here; echo x > there"),
        step_done("s1", "gone there"),
        Reply::text("done"),
    ];
    let house = House::knowing(script, SECRET).await;
    house.workspace.write("secret.txt", SECRET);
    let served = Served::new(house.engine()).await;
    let mut feed = served.client.follow(&format!("/v1/rooms/{}/stream", house.room), None).await;
    house.say("go").await;
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    house.wait_idle().await;
    assert!(house.workspace.path().join(SECRET).join("here").exists(), "it ran in the real folder");
    let heard = feed.until("the end", |heard| heard.name == "plan_done").await;
    let mut began = heard.iter().filter(|heard| heard.name == "call_began");
    assert!(began.any(|heard| format!("{heard:?}").contains("[redacted]")), "{heard:?}");
    assert!(!format!("{heard:?}").contains(SECRET), "{heard:?}");
    assert!(!export::markdown(&house.plan()).contains(SECRET));
    assert!(!holds(&stored(&house.data()), SECRET));
}

/// A link hides from the arguments where it leads; the gate judges that, and the question and
/// what is touched name it.
#[tokio::test]
async fn a_secret_behind_a_link_is_judged_and_not_told() {
    let secret = "customer-123456";
    let real = format!("ask-first/{secret}");
    let write = |name: &str| json!({ "path": format!("lnk/{name}"), "content": "x" });
    let script = vec![
        Reply::call("write_file", write("a.txt")),
        Reply::call("write_file", write("b.txt")),
        Reply::call("read_file", json!({ "path": "lnk/known.txt" })),
        Reply::text("done"),
    ];
    let known = format!("{real}/known.txt");
    let redact = "redact: ['customer-\\d{6}']";
    let house = House::configured(script, redact, &[(known.as_str(), "hello\n")]).await;
    std::os::unix::fs::symlink(&real, house.workspace.path().join("lnk")).unwrap();
    let served = Served::new(house.engine()).await;
    let mut feed = served.client.follow(&format!("/v1/rooms/{}/stream", house.room), None).await;
    let mut seen = house.say("go").await;
    for answer in ["allow", "refuse"] {
        let is_asked = |event: &Event| matches!(event, Event::AskRaised { .. });
        seen = house.wait_after(seen, "question", is_asked).await;
        let ask = house.view().asks[0].clone();
        assert!(ask.text.contains("ask-first/[redacted]"), "{ask:?}");
        let target = ask.detail.iter().find(|detail| detail.name == "target").unwrap();
        assert!(target.value.contains("ask-first/[redacted]"), "{ask:?}");
        assert!(
            !ask.answers.iter().any(|answer| answer == "always"),
            "no rule can be kept: {ask:?}"
        );
        let inbox = served.client.get("/v1/asks").await.ok().to_string();
        assert!(inbox.contains("[redacted]") && !inbox.contains(secret), "{inbox}");
        let say = |answer: &str| Command::Answer {
            ask: ask.id,
            answer: answer.to_owned(),
            note: None,
            revision: None,
            hash: None,
        };
        assert!(house.person(say("always")).await.is_err());
        house.person(say(answer)).await.unwrap();
    }
    house.wait_idle().await;
    assert!(house.workspace.path().join(&real).join("a.txt").exists());
    assert!(!house.workspace.path().join(&real).join("b.txt").exists());
    assert_eq!(house.view().rules, Vec::<String>::new());
    let heard = feed.until("the last call", |heard| {
        heard.name == "call_began" && heard.data.to_string().contains("known.txt")
    });
    let heard = format!("{:?}", heard.await);
    assert!(!heard.contains(secret), "{heard}");
    assert!(!holds(&stored(&house.data()), secret));
}

/// What fits a pattern that the person listed is as secret as a key.
#[tokio::test]
async fn what_fits_a_listed_pattern_reaches_neither_model_log_nor_stream() {
    let number = "card 4929-1234";
    let script = vec![
        Reply::call("shell", json!({ "command": "cat cards.txt; seq 20000; cat cards.txt" })),
        Reply::call("read_file", json!({ "path": "cards.txt" })),
        Reply::text("the card 4929-1234 is yours"),
    ];
    let redact = "redact: ['card \\d{4}-\\d{4}']";
    let files = [("cards.txt", "my card 4929-1234\n")];
    let house = House::configured(script, redact, &files).await;
    house.say("go").await;
    house.wait_idle().await;
    let results = house.model.requests().pop().unwrap().tool_results();
    assert!(results.iter().all(|told| told.contains("my [redacted]")), "{results:?}");
    for request in house.model.requests() {
        assert!(!String::from_utf8_lossy(request.body()).contains(number));
    }
    assert!(!holds(&stored(&house.data()), number));
}

#[tokio::test]
async fn a_long_output_is_kept_and_read_further_by_its_id() {
    let whole: String = (1..=20_000).map(|n| format!("{n}\n")).collect();
    let id = blake3::hash(whole.as_bytes()).to_hex().to_string();
    let script = vec![
        Reply::call("shell", json!({ "command": "seq 20000" })),
        Reply::call("read_output", json!({ "id": id, "start_line": 9_999, "line_count": 2 })),
        Reply::call("read_output", json!({ "id": "none" })),
        Reply::text("done"),
    ];
    let house = House::with(script).await;
    house.say("count").await;
    house.wait_idle().await;
    let results = house.model.request(3).await.tool_results();
    assert!(results[0].contains("bytes left out: lines "), "{}", results[0]);
    assert!(
        results[0]
            .ends_with(&format!("read_output with the id {id} shows any lines of what was kept]"))
    );
    assert!(
        results[1].starts_with("9999\n10000\n[lines 9999 to 10000 of 20000;"),
        "{}",
        results[1]
    );
    assert!(results[2].contains("NOT_KEPT"), "{}", results[2]);
}

/// Half a secret is no known secret, so nothing is cut before it is blanked.
#[tokio::test]
async fn no_part_of_a_secret_is_read_from_the_middle_of_a_file() {
    let at = |byte| Reply::call("read_file", json!({ "path": "keys.txt", "start_byte": byte }));
    let script: Vec<Reply> = (0..30).step_by(3).map(at).chain([Reply::text("ok")]).collect();
    let house = House::knowing(script, "quartz-jackdaw-vow").await;
    house.workspace.write("keys.txt", "key: quartz-jackdaw-vow\nmore\n");
    house.say("read").await;
    house.wait_idle().await;
    let results = house.model.requests().pop().unwrap().tool_results();
    assert_eq!(results.len(), 10);
    for part in ["quart", "jackd", "daw-v", "-vow"] {
        assert!(results.iter().all(|result| !result.contains(part)), "{part}: {results:?}");
    }
    assert!(results[0].contains("key: [redacted]") && results[0].contains("more"), "{results:?}");
}

/// A command in the background that has said half of a secret has said nothing yet.
#[tokio::test]
async fn a_secret_that_a_job_is_still_saying_is_not_shown() {
    let half = "printf 'go quartz-jack'; touch half; until test -e rest; do sleep 0.05; done; \
                printf 'daw-vow end'";
    let script = Script::from_fn(move |request| match request.tool_results().len() {
        0 => Reply::call("shell", json!({ "command": half, "background": true })),
        // Both are done one after the other: it waits for the file, which comes after the words.
        1 => Reply::call("shell", json!({ "command": "until test -e half; do sleep 0.05; done" })),
        2 => Reply::call("job_output", json!({ "job": 1 })),
        3 => Reply::call("write_file", json!({ "path": "rest", "content": "" })),
        4 => Reply::call("job_output", json!({ "job": 1, "wait_seconds": 20 })),
        _ => Reply::text("ok"),
    });
    let house = House::knowing(script, "quartz-jackdaw-vow").await;
    house.say("go").await;
    house.wait_idle().await;
    let results = house.model.requests().pop().unwrap().tool_results();
    assert!(results[2].starts_with("go \n(still running"), "{results:?}");
    assert!(results[4].starts_with("go [redacted] end"), "{results:?}");
}

/// Colours and letters without width between the letters of a secret, as programs print them.
#[tokio::test]
async fn a_secret_in_colours_reaches_neither_model_nor_log() {
    let commands = [
        "sed 's/./&\\x1b[31m/g' secret.txt",
        "python3 -c 'print(\"\\u200b\".join(open(\"secret.txt\").read()))'",
        "grep --color=always known secret.txt",
        "python3 -c 'print(\"\\x1b]8;;x\\x1b\\\\\".join(open(\"secret.txt\").read()))'",
    ];
    let calls = commands.iter().map(|command| Reply::call("shell", json!({ "command": command })));
    let script: Vec<Reply> = calls.chain([Reply::text("done")]).collect();
    let house = House::knowing(script, SECRET).await;
    house.workspace.write("secret.txt", &format!("{SECRET}\n"));
    house.say("go").await;
    house.wait_idle().await;
    let results = house.model.requests().pop().unwrap().tool_results();
    assert_eq!(results.len(), commands.len());
    for (command, result) in commands.iter().zip(results) {
        assert!(result.contains("[redacted]"), "{command}: {result:?}");
        let letters: String = result.chars().filter(char::is_ascii_alphabetic).collect();
        assert!(!letters.contains("known"), "{command}: {result:?}");
    }
}
