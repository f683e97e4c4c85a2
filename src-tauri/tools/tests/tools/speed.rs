//! Measures; run with `cargo test --release -p tools speed -- --ignored --nocapture`.

use crate::support::desk;
use serde_json::json;
use std::process::Command;
use std::time::{Duration, Instant};

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

#[tokio::test]
#[ignore = "measures time, which other work on the machine disturbs"]
async fn speed_of_small_calls() {
    let desk = desk();
    desk.put("src/small.txt", "hello\n".repeat(100));
    let mut times = Vec::new();
    let args = json!({"path": "src/small.txt"});
    for _ in 0..2000 {
        let started = Instant::now();
        desk.run("read_file", args.clone()).await.unwrap();
        times.push(started.elapsed());
    }
    println!("read_file: {:?}", median(times));
    let mut times = Vec::new();
    for _ in 0..2000 {
        let started = Instant::now();
        desk.run("write_file", json!({"path": "src/w.txt", "content": "x"})).await.unwrap();
        times.push(started.elapsed());
    }
    println!("write_file: {:?}", median(times));

    // In turns, so that both see the same load.
    let (mut bare, mut look, mut work) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..100 {
        let started = Instant::now();
        assert!(Command::new("bash").args(["-c", "true"]).status().unwrap().success());
        bare.push(started.elapsed());
        let started = Instant::now();
        desk.shell("true").await;
        look.push(started.elapsed());
        let started = Instant::now();
        desk.shell("true;").await;
        work.push(started.elapsed());
    }
    println!("bash -c true: {:?}", median(bare));
    println!("shell true (look): {:?}", median(look));
    println!("shell true (work): {:?}", median(work));
}
