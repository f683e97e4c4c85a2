//! Keeps the computer awake while a plan runs.

use crate::house::House;
use std::sync::Arc;
use zbus::Connection;
use zbus::zvariant::OwnedFd;

const WHO: &str = "Plancard";
const WHY: &str = "A plan is running";
const SAVER: &str = "org.freedesktop.ScreenSaver";
const SAVER_PATH: &str = "/org/freedesktop/ScreenSaver";

/// What keeps it awake.
enum Hold {
    /// Until it is closed.
    Logind { _held: OwnedFd },
    /// Until it is given back.
    Saver { bus: Connection, cookie: u32 },
}

/// Takes hold when the first plan begins to run, and lets go with the last.
pub async fn run(house: Arc<House>) {
    let mut looks = house.glance.follow();
    let mut settings = house.engine.config().changes();
    let (mut held, mut warned) = (None, false);
    loop {
        let wanted = house.engine.config().current().config.ui.keep_awake && runs(&house);
        match (wanted, held.take()) {
            (true, None) => match hold().await {
                Ok(hold) => held = Some(hold),
                Err(error) => {
                    if !warned {
                        tracing::warn!(%error, "the computer can't be kept awake");
                    }
                    warned = true;
                }
            },
            (true, hold) => held = hold,
            (false, Some(hold)) => release(hold).await,
            (false, None) => {}
        }
        tokio::select! {
            Ok(()) = looks.changed() => {}
            Ok(()) = settings.changed() => {}
            else => return,
        }
    }
}

fn runs(house: &House) -> bool {
    let running =
        |room: &engine::RoomSummary| room.plan.as_ref().is_some_and(|plan| plan.state == "running");
    house.glance.now().rooms.iter().any(running)
}

async fn hold() -> zbus::Result<Hold> {
    match logind().await {
        Ok(held) => Ok(Hold::Logind { _held: held }),
        Err(error) => {
            tracing::debug!(%error, "logind does not keep the computer awake");
            let bus = Connection::session().await?;
            let words = (WHO, WHY);
            let answer =
                bus.call_method(Some(SAVER), SAVER_PATH, Some(SAVER), "Inhibit", &words).await?;
            let cookie = answer.body().deserialize()?;
            Ok(Hold::Saver { bus, cookie })
        }
    }
}

async fn logind() -> zbus::Result<OwnedFd> {
    let (name, path) = ("org.freedesktop.login1", "/org/freedesktop/login1");
    let words = ("idle:sleep", WHO, WHY, "block");
    let bus = Connection::system().await?;
    let manager = Some("org.freedesktop.login1.Manager");
    bus.call_method(Some(name), path, manager, "Inhibit", &words).await?.body().deserialize()
}

async fn release(hold: Hold) {
    match hold {
        Hold::Logind { .. } => {}
        Hold::Saver { bus, cookie } => {
            let done =
                bus.call_method(Some(SAVER), SAVER_PATH, Some(SAVER), "UnInhibit", &cookie).await;
            if let Err(error) = done {
                tracing::warn!(%error, "the screen saver can't be given back its turn");
            }
        }
    }
}
