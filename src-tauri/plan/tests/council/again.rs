//! One council after the other in one room.

use crate::hall::Hall;
use plan::*;

#[test]
fn a_council_that_a_person_starts_begins_the_count_of_turns_anew() {
    let hall = Hall::with(2, |_| {});
    let started = Event::CouncilStarted {
        council: hall.council().id,
        task: Text::from("again"),
        members: hall.council().seats.iter().map(|seat| seat.who.clone()).collect(),
        rules: hall.council().rules.clone(),
        frame: hall.council().frame.clone(),
        plan: hall.council().plan,
        ask: hall.council().ask,
        by: Actor::person("me", Surface::Window),
    };
    let mut room = hall.top.room.clone();
    room.repeat.idle = 8;
    room.apply(&started, Time(1));
    assert_eq!(room.repeat.idle, 0);
}
