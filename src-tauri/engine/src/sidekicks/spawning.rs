//! The tool by which an agent asks for a sidekick.

use super::steps::number;
use super::{Finished, NewSidekick};
use crate::engine::Engine;
use crate::live::LiveRoom;
use crate::turn::{self, Performed};
use plan::{Actor, CallId, Outcome};
use serde_json::{Value, json};
use std::sync::Arc;

/// The tool call that spawns a sidekick, after the gate.
pub(crate) async fn perform(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    call: CallId,
    args: &Value,
) -> Performed {
    let mut new: NewSidekick = match serde_json::from_value(args.clone()) {
        Ok(new) => new,
        Err(_) => {
            let words = "spawn_sidekick: it takes `task` (text). Example: spawn_sidekick \
                         {\"task\":\"…\"}";
            return Performed::failed(turn::refused(plan::BAD_ARGUMENTS, words));
        }
    };
    let given = live.lock().room.may_give(&new.task);
    if let Err(refusal) = given {
        return Performed::failed(turn::refused(refusal.code(), &refusal.to_string()));
    }
    let actor = {
        let inner = live.lock();
        let plan = inner.room.running_plan().filter(|plan| !plan.frame.delegated);
        let step = plan.and_then(|plan| Some((plan, plan.current()?)));
        new.number = step.and_then(|(plan, step)| number(plan, &step.spec.id));
        new.step = step.map(|(_, step)| step.spec.id.clone());
        Actor::agent(&inner.room.agent)
    };
    match engine.spawn_sidekick(live.id, &actor, new).await {
        Ok(sidekick) => {
            // Who stopped meanwhile did not see it.
            if live.lock().room.is_doomed(call)
                && let Ok(child) = engine.live(sidekick.id)
            {
                engine.end_for_room(&child, Finished::Dropped);
            }
            Performed {
                outcome: Outcome::Ok,
                text: json!({ "id": sidekick.id, "codename": sidekick.codename }).to_string(),
                ..Performed::failed(String::new())
            }
        }
        Err(error) => Performed::failed(turn::refused(error.code(), &error.to_string())),
    }
}
