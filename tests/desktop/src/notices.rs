//! A notification server: keeps what it is asked to show, and presses buttons.

use std::collections::HashMap;
use support::wait_for_some;
use tokio::sync::watch;
use zbus::message::Header;
use zbus::object_server::SignalEmitter;
use zbus::zvariant::OwnedValue;
use zbus::{Connection, interface};

/// Where a notification server answers.
pub const PATH: &str = "/org/freedesktop/Notifications";
/// What it is called on the bus.
pub const NAME: &str = "org.freedesktop.Notifications";

/// A notification as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The number it was given.
    pub id: u32,
    /// The first line.
    pub summary: String,
    /// The rest.
    pub body: String,
    /// Keys and labels of its buttons.
    pub actions: Vec<(String, String)>,
    /// Whether it was taken back.
    pub closed: bool,
    /// Who asked for it, on the bus.
    pub sender: String,
}

impl Shown {
    /// Whether it has a button with this key.
    pub fn has(&self, key: &str) -> bool {
        self.actions.iter().any(|(known, _)| known == key)
    }
}

/// The server's end: what was shown so far.
pub struct Server {
    shown: watch::Sender<Vec<Shown>>,
}

/// The test's end.
pub struct Notices {
    shown: watch::Receiver<Vec<Shown>>,
}

/// A server and what it has been asked to show.
pub fn server() -> (Server, Notices) {
    let (sender, receiver) = watch::channel(Vec::new());
    (Server { shown: sender }, Notices { shown: receiver })
}

impl Notices {
    /// Everything shown so far.
    pub fn all(&self) -> Vec<Shown> {
        self.shown.borrow().clone()
    }

    /// Waits for a notification like this.
    pub async fn wait(&self, like: impl Fn(&Shown) -> bool, what: &str) -> Shown {
        wait_for_some(async || self.all().into_iter().find(|shown| like(shown)), what).await
    }

    /// Presses a button, as the person would; the server is who says so.
    pub async fn press(&self, bus: &Connection, shown: &Shown, key: &str) {
        signal(bus, None, "ActionInvoked", &(shown.id, key)).await;
        signal(bus, None, "NotificationClosed", &(shown.id, 2_u32)).await;
    }
}

/// Says something as a notification server would, to all or to one.
pub async fn signal<B>(bus: &Connection, to: Option<&str>, name: &str, body: &B)
where
    B: serde::Serialize + zbus::zvariant::DynamicType,
{
    bus.emit_signal(to, PATH, NAME, name, body).await.expect("the bus carries it");
}

#[interface(name = "org.freedesktop.Notifications")]
impl Server {
    #[allow(clippy::too_many_arguments)] // the server's interface has as many
    fn notify(
        &self,
        _app: &str,
        replaces: u32,
        _icon: &str,
        summary: String,
        body: String,
        actions: Vec<String>,
        _hints: HashMap<String, OwnedValue>,
        _expires: i32,
        #[zbus(header)] header: Header<'_>,
    ) -> u32 {
        let sender = header.sender().map(ToString::to_string).unwrap_or_default();
        let mut given = replaces;
        self.shown.send_modify(|shown| {
            let pairs = actions.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone()));
            if given == 0 {
                given = u32::try_from(shown.len()).unwrap_or(u32::MAX) + 1;
            }
            let actions = pairs.collect();
            shown.push(Shown { id: given, summary, body, actions, closed: false, sender });
        });
        given
    }

    async fn close_notification(
        &self,
        id: u32,
        #[zbus(signal_emitter)] emitter: SignalEmitter<'_>,
    ) {
        self.shown.send_modify(|all| {
            for shown in all.iter_mut().filter(|shown| shown.id == id) {
                shown.closed = true;
            }
        });
        let _ = Self::notification_closed(&emitter, id, 3).await;
    }

    fn get_capabilities(&self) -> Vec<&'static str> {
        vec!["actions", "body"]
    }

    fn get_server_information(&self) -> (&str, &str, &str, &str) {
        ("test", "plancard", "1", "1.2")
    }

    #[zbus(signal)]
    async fn action_invoked(emitter: &SignalEmitter<'_>, id: u32, key: &str) -> zbus::Result<()>;

    #[zbus(signal)]
    async fn notification_closed(
        emitter: &SignalEmitter<'_>,
        id: u32,
        reason: u32,
    ) -> zbus::Result<()>;
}
