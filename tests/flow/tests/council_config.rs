//! What a configuration says of a council's members, through the real engine.

use engine::StartCouncil;
use flow::{House, me};
use plan::Event;

async fn begin(house: &House, members: &[&str]) -> Result<(), String> {
    let members = members.iter().map(|name| (*name).to_owned()).collect();
    let start = StartCouncil { task: "Look".to_owned(), members, ..StartCouncil::default() };
    let begun = house.engine().start_council(house.room, &me(), start).await;
    begun.map(drop).map_err(|error| error.to_string())
}

#[tokio::test]
async fn an_unavailable_agent_sits_in_no_council_and_answers_in_no_room() {
    let agents = "test/a\n    backend: { type: ag2 }\n  bob:\n    model: test/b";
    let house = House::of_agent(agents, Vec::new(), "", &[]).await;
    let refused = begin(&house, &["default", "bob"]).await.unwrap_err();
    assert!(refused.contains("there is no agent default that can sit in a council"), "{refused}");
    let refused = begin(&house, &[]).await.unwrap_err();
    assert!(refused.contains('1'), "one member is too few: {refused}");

    house.say("hello").await;
    let says = |event: &Event| format!("{event:?}").contains("The agent default is unavailable");
    house.wait("words about it", says).await;
    assert_eq!(house.model.requests().len(), 0, "nobody was asked");
}
