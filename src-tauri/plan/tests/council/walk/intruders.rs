//! Others want something in a member's room, where only the harness acts and nobody is asked.

use super::Walk;
use crate::hall::person;
use plan::*;

impl Walk {
    pub(super) fn intrude(&mut self) {
        let number = self.member();
        if self.hall.member_room(number).is_none() {
            return;
        }
        let (command, actor) = match self.dice.one_in(4) {
            true => (Command::RaiseAsk { ask: self.ask(number) }, Actor::harness()),
            false => {
                let all = [person(), Actor::agent("default"), Actor::sidekick("calm-otter")];
                (self.intrusion(), self.dice.pick(&all))
            }
        };
        let shown = format!("{command:?} by {actor:?}");
        let done = self.hall.below(number, &actor, command);
        assert!(done.is_err(), "in a member's room: {shown} gave {done:?}");
        self.tally.kept_out += 1;
    }

    fn ask(&mut self, number: Number) -> Ask {
        let kinds = [AskKind::Permission, AskKind::Question, AskKind::Elicitation, AskKind::Drift];
        let room = self.hall.member_room(number).expect("it was made");
        let call_id = room.calls.first().map(|open| open.request.id);
        Ask {
            id: AskId(self.hall.id()),
            kind: self.dice.pick(&kinds),
            plan_id: None,
            step_id: None,
            call_id,
            text: "may I?".into(),
            detail: vec![],
            created_at: self.hall.time(),
        }
    }

    fn intrusion(&mut self) -> Command {
        let id = self.hall.id();
        match self.dice.roll(12) {
            0 => Command::Say { message: MessageId(id), text: Text::from("do it now") },
            1 => Command::SetMode { mode: PlanMode::Off },
            2 => Command::Stop { so_far: None },
            3 => {
                let rules = CouncilRules::default();
                self.hall.new_council(2, rules)
            }
            4 => self.write(),
            5 => Command::Resume,
            6 => Command::Cancel { reason: "no".into(), call: None },
            7 => Command::Rename { title: "mine".into() },
            8 => Command::Move { workspace: "/elsewhere".into() },
            9 => Command::Archive { archived: true },
            10 => Command::Answer {
                ask: AskId(id),
                answer: "allow".into(),
                note: None,
                revision: None,
                hash: None,
            },
            _ => Command::Delegate {
                room: RoomId(id),
                codename: "calm-otter".into(),
                task: "write a file".into(),
                plan: None,
            },
        }
    }
}
