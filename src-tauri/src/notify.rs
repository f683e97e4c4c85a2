//! Notifications: tells of what needs the person, and carries out what they choose there.

use crate::Closed;
use crate::daemon::{Card, Daemon, Heard};
use crate::house::House;
use crate::links::{self, Link};
use crate::notices::{self, About, Notice};
use plan::{Actor, Command, RoomId, Surface};
use std::sync::Arc;
use tauri::{AppHandle, Manager};
use tokio::sync::mpsc;

/// What is shown on the desktop now.
#[derive(Default)]
struct Shown {
    open: Vec<(u32, Option<Notice>)>,
    /// Whether it was said that nothing can be shown.
    warned: bool,
}

/// Follows everything until the app leaves.
pub async fn run(app: AppHandle, mut closings: mpsc::Receiver<Closed>) {
    let house = Arc::clone(&app.state::<Arc<House>>());
    let mut looks = house.glance.follow();
    let mut before = Arc::clone(&looks.borrow_and_update());
    let mut shown = Shown::default();
    let mut daemon = match Daemon::connect().await {
        Ok(daemon) => Some(daemon),
        Err(error) => {
            tracing::warn!(%error, "there is no session bus: no notifications");
            shown.warned = true;
            None
        }
    };
    loop {
        let heard = async {
            match &mut daemon {
                Some(daemon) => daemon.heard().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            heard = heard => shown.answer(&app, &house, heard),
            Ok(()) = looks.changed() => {
                let after = Arc::clone(&looks.borrow_and_update());
                let news = notices::between(&before, &after);
                before = after;
                let Some(daemon) = &daemon else { continue };
                shown.take_back(daemon, &news.over).await;
                for notice in news.new {
                    shown.tell(&app, &house, daemon, notice).await;
                }
            }
            Some(closed) = closings.recv() => {
                if let Some(daemon) = &daemon {
                    shown.tell_of_closing(&house, daemon, closed).await;
                }
            }
            () = house.leaving.cancelled() => break,
        }
    }
    // Nobody would hear an answer from now on.
    if let Some(daemon) = &daemon {
        for (id, _) in shown.open {
            daemon.close(id).await;
        }
    }
}

impl Shown {
    async fn tell(&mut self, app: &AppHandle, house: &House, daemon: &Daemon, notice: Notice) {
        let rooms = [Some(notice.room), notice.parent];
        if is_quiet(house) || rooms.into_iter().flatten().any(|room| is_in_front(app, house, room))
        {
            return;
        }
        let mut actions = vec![("default", "Open"), ("open", "Open")];
        if notice.resume {
            actions.push(("resume", "Resume"));
        }
        let card = Card {
            summary: notice.summary,
            body: &notice.body,
            actions: &actions,
            stays: notice.stays,
        };
        match daemon.show(&card).await {
            Ok(id) => self.open.push((id, Some(notice))),
            Err(error) => self.warn(&error),
        }
    }

    /// Says once ever that closing the window did not end the app.
    async fn tell_of_closing(&mut self, house: &House, daemon: &Daemon, closed: Closed) {
        let done = house.engine.config().current().config.ui.tray_notice_done;
        if done || is_quiet(house) {
            return;
        }
        let (summary, body) = match closed {
            Closed::InTray => (
                "Plancard keeps running in the tray",
                "Plans go on while the window is closed. Choose Quit in the tray menu to stop.",
            ),
            Closed::Minimized => (
                "Plancard keeps running",
                "There is no tray here, so the window is only minimized. Type /quit in a room, or \
                 choose Quit in the settings, to stop.",
            ),
        };
        let card =
            Card { summary, body, actions: &[("default", "Open"), ("open", "Open")], stays: false };
        match daemon.show(&card).await {
            Ok(id) => {
                self.open.push((id, None));
                let kept = crate::settings::keep(house, "ui.tray_notice_done", Some(true.into()));
                if let Err(problem) = kept {
                    tracing::warn!(problem.message, "the tray notice can't be marked as seen");
                }
            }
            Err(error) => self.warn(&error),
        }
    }

    async fn take_back(&mut self, daemon: &Daemon, over: &[About]) {
        let is_over = |(_, notice): &(u32, Option<Notice>)| {
            notice.as_ref().is_some_and(|notice| over.contains(&notice.about))
        };
        for (id, _) in self.open.extract_if(.., |open| is_over(open)) {
            daemon.close(id).await;
        }
    }

    /// Does what was chosen. What is not shown by us has no answer.
    fn answer(&mut self, app: &AppHandle, house: &House, heard: Heard) {
        let (id, action) = match heard {
            Heard::Chosen { id, action } => (id, action),
            Heard::Closed { id } => return self.open.retain(|(known, _)| *known != id),
            Heard::Changed => return self.open.clear(),
        };
        let Some((_, notice)) = self.open.iter().find(|(known, _)| *known == id) else { return };
        match (action.as_str(), notice) {
            ("default" | "open", Some(notice)) => {
                let link = match notice.plan {
                    Some(plan) => Link::Plan { room: notice.room, plan, step: None },
                    None => Link::Room { room: notice.room },
                };
                links::go(app, link);
            }
            ("default" | "open", None) => crate::tray::show(app),
            ("resume", Some(notice)) if notice.resume => resume(house, notice),
            _ => {}
        }
    }

    fn warn(&mut self, error: &zbus::Error) {
        if !self.warned {
            tracing::warn!(%error, "notifications can't be shown");
        }
        self.warned = true;
    }
}

/// Goes on, unless the pause was dealt with meanwhile.
fn resume(house: &House, notice: &Notice) {
    let stands = house.engine.overview().is_ok_and(|now| notices::stands(&now, &notice.about));
    if !stands {
        return;
    }
    let me = Actor::person("me", Surface::Notification);
    if let Err(error) = house.engine.submit(notice.room, &me, Command::Resume) {
        tracing::warn!(%error, "a plan can't be resumed from its notification");
    }
}

fn is_quiet(house: &House) -> bool {
    let config = house.engine.config().current();
    let ui = &config.config.ui;
    let now = jiff::Zoned::now();
    let time = |part: i8| u16::try_from(part).unwrap_or(0);
    let night =
        |hours: engine::config::QuietHours| hours.covers(time(now.hour()), time(now.minute()));
    !ui.notifications || ui.quiet_hours.is_some_and(night)
}

/// Whether the person is looking at that room.
fn is_in_front(app: &AppHandle, house: &House, room: RoomId) -> bool {
    let Some(window) = app.get_webview_window("main") else { return false };
    house.in_front() == Some(room)
        && window.is_focused().unwrap_or(false)
        && window.is_visible().unwrap_or(false)
        && !window.is_minimized().unwrap_or(false)
}
