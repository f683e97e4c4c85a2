//! What only walks do in a hall.

use crate::hall::Hall;
use plan::*;

impl Hall {
    pub(super) fn words_quietly(&mut self, number: Number) {
        let reply = self.reply(number, None);
        let _ = self.below(number, &Actor::harness(), reply);
    }

    /// The app is killed and starts again; nothing that is due happens.
    pub(super) fn restart_rooms(&mut self) {
        let now = self.time();
        for log in self.rooms.values_mut().chain([&mut self.top]) {
            let interrupt = Command::Interrupt { cut: Vec::new() };
            log.submit(interrupt, &Actor::harness(), now).expect("the harness may");
        }
    }

    /// The room's own model wants to run something.
    pub(super) fn top_reply(&self, id: CallId) -> Command {
        let call = CallRequest {
            id,
            provider_id: "p".into(),
            tool: "shell".into(),
            args: Text::from("{}"),
            sent: None,
            cut: false,
        };
        Command::Reply {
            model: "m".into(),
            text: Text::from("t"),
            thinking: None,
            kept: None,
            calls: vec![call],
            usage: Usage::default(),
            seen: self.top.room.seq,
            ended: ReplyEnd::Whole,
        }
    }
}
