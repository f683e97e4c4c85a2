//! Closing the API while it is used.

use super::Desk;
use support::{Reply, wait_for};

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
