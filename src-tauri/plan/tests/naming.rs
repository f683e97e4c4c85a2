//! What a room is called when nobody gave it a name.

use plan::*;
use uuid::Uuid;

fn said(unnamed: bool, lines: &[&str]) -> String {
    let mut room = Room::default();
    let person = Actor::person("me", Surface::Window);
    let create = Command::CreateRoom {
        room: RoomId(Uuid::from_u128(1)),
        title: "folder".to_owned(),
        unnamed,
        workspace: "/ws".to_owned(),
        kind: RoomKind::Chat,
        mode: PlanMode::Off,
        agent: "default".to_owned(),
    };
    let says = lines.iter().zip(2..).map(|(text, id)| Command::Say {
        message: MessageId(Uuid::from_u128(id)),
        text: Text::from(*text),
    });
    for command in std::iter::once(create).chain(says) {
        for event in decide(&room, command, &person, Time(1)).expect("it is allowed") {
            let stored = serde_json::to_vec(&event).expect("events serialise");
            room.apply(&serde_json::from_slice(&stored).expect("and come back"), Time(1));
        }
    }
    room.title
}

#[test]
fn it_is_named_after_what_is_said_first() {
    let long = "Please go through every file in this folder, and tell me which are old";
    for (unnamed, lines, title) in [
        (true, &[][..], "folder"),
        (true, &["Sort\n my   notes", "and then more"], "Sort my notes"),
        (true, &[long], "Please go through every file in this folder…"),
        (true, &[&"x".repeat(60)], &format!("{}…", "x".repeat(48))),
        (false, &["Sort my notes"], "folder"),
    ] {
        assert_eq!(said(unnamed, lines), title);
    }
}
