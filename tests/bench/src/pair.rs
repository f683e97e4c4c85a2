//! One room of the program and one bare loop, taking turns plan by plan, so that whatever else
//! the machine does meets both alike.

use std::sync::Arc;
use std::time::Duration;
use support::FastModel;
use tokio::runtime::Handle;

use crate::Outcome;
use crate::bare::Bare;
use crate::sample::Sample;
use crate::script::Script;
use crate::served::{Place, Served};

/// How much is run with each of the two.
#[derive(Clone, Copy)]
pub struct Amount {
    /// New conversations, one after the other.
    pub rooms: usize,
    /// Plans in each of them.
    pub plans: usize,
}

/// The model, and what the bare loop does with a command.
#[derive(Clone, Copy, Default)]
pub struct Beside {
    /// How long the model takes for each answer.
    pub thinks: Duration,
    /// Whether the bare loop runs commands in no sandbox at all.
    pub unconfined: bool,
}

impl Amount {
    /// Conversations a script must have room for.
    pub fn conversations(self) -> usize {
        2 * self.rooms
    }
}

/// How long each step took, room after room.
#[derive(Default)]
pub struct Times {
    /// In the program.
    pub program: Vec<Duration>,
    /// In the bare loop.
    pub bare: Vec<Duration>,
}

/// Both, with the folders of the program, which is stopped.
pub struct Measured {
    /// How long each step took.
    pub times: Times,
    /// The folders of the program.
    pub place: Place,
}

/// Runs rooms and plans with both.
pub async fn run(
    what: &str,
    script: &Arc<Script>,
    caps: &str,
    amount: Amount,
    bare_threads: &Handle,
) -> Outcome<Measured> {
    run_beside(what, script, caps, amount, bare_threads, Beside::default()).await
}

/// The same with another model, or beside another loop.
pub async fn run_beside(
    what: &str,
    script: &Arc<Script>,
    caps: &str,
    amount: Amount,
    bare_threads: &Handle,
    beside: Beside,
) -> Outcome<Measured> {
    let server = script.serve_after(beside.thinks).await;
    let place = Place::new(&server.base_url(), caps)?;
    let served = Served::start(&place).await?;
    let mut times = Times::default();
    for room in 0..amount.rooms {
        let (program, bare) = (2 * room, 2 * room + 1);
        let id = served.rest.create_room(&place.workspace()).await?;
        let mut talk = None;
        for plan in 1..=amount.plans {
            if plan % 20 == 1 || script.steps() > 100 {
                let Amount { rooms, plans } = amount;
                eprintln!("{what}: room {} of {rooms}, plan {plan} of {plans}", room + 1);
            }
            let ended = script.ended() + 1;
            served.rest.say(&id, &Script::message(program)).await?;
            script.wait_for_ended(ended).await.map_err(|why| format!("{what}: {why}"))?;
            served.rest.wait_for_rest(&id).await?;
            let ready = match talk.take() {
                Some(ready) => ready,
                None => beginning(&server, script, &place, beside.unconfined)?,
            };
            talk = Some(on(bare_threads, ready, bare).await?);
        }
        let done = served.rest.wait_for_done(&id, amount.plans).await;
        done.map_err(|why| format!("{what}: {why}"))?;
        times.program.extend(script.step_times(program));
        times.bare.extend(script.step_times(bare));
    }
    served.stop().await?;
    Ok(Measured { times, place })
}

/// The bare loop can begin once there is a real request to do as.
fn beginning(
    server: &FastModel,
    script: &Script,
    place: &Place,
    unconfined: bool,
) -> Outcome<Bare> {
    let sample = script.sample().ok_or("the program never came to the middle of a plan")?;
    let bare = Bare::new(&server.base_url(), Sample::read(&sample)?, &place.workspace())?;
    Ok(if unconfined { bare.unconfined() } else { bare })
}

async fn on(threads: &Handle, mut bare: Bare, conversation: usize) -> Outcome<Bare> {
    let task = threads.spawn(async move {
        bare.message(Script::message(conversation)).await?;
        Ok(bare)
    });
    task.await.map_err(|error| format!("the bare loop: {error}"))?
}
