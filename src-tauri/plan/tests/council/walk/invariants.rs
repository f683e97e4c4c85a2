//! What must hold after every step of a walk.

use super::Walk;
use plan::council::next_time;
use plan::*;
use std::collections::BTreeSet;

impl Walk {
    /// What must hold after everything.
    pub(super) fn check(&mut self) {
        let events: Vec<Event> = self.hall.top.events[self.checked..].to_vec();
        self.checked = self.hall.top.events.len();
        for event in &events {
            self.tally.count(event);
            self.check_event(event);
        }
        let logs: Vec<(RoomId, usize)> =
            self.hall.rooms.iter().map(|(room, log)| (*room, log.events.len())).collect();
        for (room, len) in logs {
            let from = self.checked_below.insert(room, len).unwrap_or(0);
            let new = &self.hall.rooms[&room].events[from..];
            for event in new {
                if let Event::CallBegan { effect, .. } = event {
                    assert!(!effect.changes_things(), "a member changes nothing");
                }
                assert!(!matches!(event, Event::AskRaised { .. }), "nobody is asked for a member");
            }
        }
        let council = self.hall.council();
        let over = |event: &Event| matches!(event, Event::CouncilEnded { .. });
        if !council.is_active() && !council.handed_over && events.iter().any(over) {
            assert_eq!(work::next(&self.hall.top.room), Work::None, "nothing of it is owed");
            let states: Vec<String> =
                self.hall.view().members.into_iter().map(|one| one.state).collect();
            assert!(!states.contains(&"working".to_owned()), "nobody works: {states:?}");
        }
        if let Some((winner, _)) = council.winner {
            assert!(council.seat(winner).is_some_and(|seat| seat.given() > 0), "it has an answer");
        }
        if council.holds_room() {
            assert!(self.hall.top.room.active_plan().is_none(), "no plan beside a council");
        }
        if council.paused.is_some() {
            assert!(self.hall.due().is_empty(), "a paused council does nothing");
            assert_eq!(work::next(&self.hall.top.room), Work::None);
        }
        if council.is_running()
            && let Some(next) = next_time(&self.hall.top.room, self.hall.time())
        {
            let late = council.deadline().is_some_and(|end| end <= self.hall.time());
            assert!(late || next > self.hall.time(), "the next time is to come");
        }
    }

    #[allow(clippy::wildcard_enum_match_arm)] // the others say nothing of councils
    fn check_event(&mut self, event: &Event) {
        match event {
            Event::CouncilStarted { .. } | Event::CouncilRestarted { .. } => self.winners = 0,
            Event::CouncilDecided { .. } => {
                self.winners += 1;
                assert_eq!(self.winners, 1, "at most one winner for each attempt");
            }
            Event::CallBegan { effect, .. } if effect.changes_things() => {
                let stage = self.hall.top.room.active_council().map(|council| council.stage);
                let free = matches!(stage, None | Some(CouncilStage::Executing));
                assert!(free, "nothing is changed before the winner's phase: {stage:?}");
            }
            Event::CouncilVoted { member: Some(number), vote } => self.check_vote(*number, vote),
            _ => {}
        }
    }

    /// The voter's model had been told the answer that it voted for, or gave it itself.
    fn check_vote(&self, number: Number, vote: &Vote) {
        if vote.choice == number {
            return;
        }
        let (room, heard) = (self.hall.seat(number).who.room, self.hall.heard(number));
        let told: BTreeSet<String> = self
            .told
            .range((room, 0)..=(room, heard))
            .flat_map(|(_, shows)| shows.iter().map(|(other, nth)| Council::label(*other, *nth)))
            .collect();
        assert!(told.contains(&vote.label), "{number} voted for {vote:?}, told {told:?}");
    }
}
