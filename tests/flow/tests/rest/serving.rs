//! Closing the API while it is used.

use super::Desk;
use flow::{Client, Place, Serve};
use support::{Reply, program, wait_for};
use tokio::net::TcpStream;

#[tokio::test]
async fn a_closed_api_ends_its_streams() {
    let mut desk = Desk::with(Vec::<Reply>::new()).await;
    let stream = desk.at("/stream");
    let mut feed = desk.client().follow(&stream, None).await;
    feed.next_stored().await.expect("the room was made");
    let clients = desk.served.clients.clone();
    assert_eq!(clients.count(), 1);
    desk.served.close().await;
    assert!(feed.to_end().await.is_empty());
    wait_for(async || clients.count() == 0, "the stream to be let go of").await;
    assert!(desk.house.engine().overview().is_ok());
}

/// More connections than the program may have open, each without a token and most without a word.
#[tokio::test]
async fn idle_connections_without_a_token_keep_nobody_out() {
    engine::open_many();
    let place = Place::new("");
    let mut command = place.command(std::path::Path::new("/bin/sh"));
    command.args(["-c", "ulimit -n 256; exec \"$0\" serve"]).arg(program("plancard"));
    let serve = Serve::listening(command).await;
    let mut crowd = Vec::new();
    for number in 0..1_100 {
        let stream = TcpStream::connect(serve.client.address).await.unwrap();
        if number % 3 == 0 {
            let _ = stream.try_write(b"GET /v1/rooms HTTP/1.1\r\nx-slow: ");
        }
        crowd.push(stream);
    }
    serve.client.get("/v1/rooms").await.ok();
    Client::on_socket(&place.data()).get("/v1/rooms").await.ok();
    let none = serve.client.without("authorization").get("/v1/rooms").await;
    assert_eq!(none.status, 401);
    let folder = format!("/proc/{}/fd", serve.id());
    let open = || std::fs::read_dir(&folder).unwrap().count();
    wait_for(async || open() < 160, "those that made room to be closed").await;
    drop(crowd);
}
