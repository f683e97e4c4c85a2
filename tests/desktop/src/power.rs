//! Who keeps the computer awake, as the desktop's screen saver hears it.

use std::collections::BTreeMap;
use tokio::sync::watch;
use zbus::interface;

/// Where the screen saver answers.
pub const PATH: &str = "/org/freedesktop/ScreenSaver";
/// What it is called on the bus.
pub const NAME: &str = "org.freedesktop.ScreenSaver";

/// The reasons to stay awake, by number.
pub type Reasons = BTreeMap<u32, String>;

/// The screen saver's end.
pub struct ScreenSaver {
    reasons: watch::Sender<Reasons>,
    next: u32,
}

/// A screen saver, and the reasons it has not to start.
pub fn screen_saver() -> (ScreenSaver, watch::Receiver<Reasons>) {
    let (sender, receiver) = watch::channel(Reasons::new());
    (ScreenSaver { reasons: sender, next: 1 }, receiver)
}

#[interface(name = "org.freedesktop.ScreenSaver")]
impl ScreenSaver {
    fn inhibit(&mut self, app: &str, reason: &str) -> u32 {
        let cookie = self.next;
        self.next += 1;
        let words = format!("{app}: {reason}");
        self.reasons.send_modify(|reasons| drop(reasons.insert(cookie, words)));
        cookie
    }

    fn un_inhibit(&self, cookie: u32) {
        self.reasons.send_modify(|reasons| drop(reasons.remove(&cookie)));
    }
}
