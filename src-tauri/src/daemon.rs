//! The desktop's notification service over D-Bus.
//!
//! One subscription is made before the first notification, so that no answer
//! is lost. Anyone on the bus can send a signal that looks like an answer:
//! only those of the service's current owner count.

use futures::StreamExt;
use std::collections::HashMap;
use std::time::Duration;
use zbus::fdo::DBusProxy;
use zbus::names::{BusName, OwnedUniqueName};
use zbus::zvariant::Value;
use zbus::{Connection, MatchRule, Message, MessageStream};

const NAME: &str = "org.freedesktop.Notifications";
const PATH: &str = "/org/freedesktop/Notifications";
/// The file that describes the app to the desktop, without its ending.
const DESKTOP_ENTRY: &str = "plancard";
/// How long the service may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// Signals kept until they are looked at.
const WAITING: usize = 64;

/// What the service said.
#[derive(Debug)]
pub enum Heard {
    /// A person chose an action of a notification.
    Chosen {
        /// The notification.
        id: u32,
        /// The action's key.
        action: String,
    },
    /// A notification is gone.
    Closed {
        /// Which.
        id: u32,
    },
    /// Another service is there, or none: what was shown is shown no more.
    Changed,
}

/// What is shown.
pub struct Card<'a> {
    /// The first line.
    pub summary: &'a str,
    /// The rest, in plain text.
    pub body: &'a str,
    /// Keys and labels.
    pub actions: &'a [(&'a str, &'a str)],
    /// Whether it stays until it is dealt with.
    pub stays: bool,
}

/// The connection to the service.
pub struct Daemon {
    bus: Connection,
    signals: MessageStream,
    owners: MessageStream,
    owner: Option<OwnedUniqueName>,
    /// Whether a stranger was heard; said once, or anyone could fill the log.
    strangers: bool,
}

impl Daemon {
    /// Connects and begins to listen. The service itself need not be there yet.
    pub async fn connect() -> zbus::Result<Self> {
        let bus = Connection::session().await?;
        let signal = || MatchRule::builder().msg_type(zbus::message::Type::Signal);
        let rule = signal().sender(NAME)?.interface(NAME)?.path(PATH)?.build();
        let signals = MessageStream::for_match_rule(rule, &bus, Some(WAITING)).await?;
        let rule = signal()
            .sender("org.freedesktop.DBus")?
            .interface("org.freedesktop.DBus")?
            .member("NameOwnerChanged")?
            .arg(0, NAME)?
            .build();
        let owners = MessageStream::for_match_rule(rule, &bus, Some(WAITING)).await?;
        let known = DBusProxy::new(&bus).await?.get_name_owner(BusName::try_from(NAME)?).await;
        Ok(Self { bus, signals, owners, owner: known.ok(), strangers: false })
    }

    /// The next thing the service says; never returns when the bus is gone.
    pub async fn heard(&mut self) -> Heard {
        loop {
            let message = tokio::select! {
                // A new owner comes before what it says.
                biased;
                Some(Ok(message)) = self.owners.next() => {
                    if self.took_over(&message) {
                        return Heard::Changed;
                    }
                    continue;
                }
                Some(Ok(message)) = self.signals.next() => message,
                else => std::future::pending().await,
            };
            if let Some(heard) = self.understood(&message) {
                return heard;
            }
        }
    }

    /// Shows a notification; its number.
    pub async fn show(&self, card: &Card<'_>) -> zbus::Result<u32> {
        let actions: Vec<&str> =
            card.actions.iter().flat_map(|(key, label)| [*key, *label]).collect();
        let body =
            if self.reads_markup().await { escaped(card.body) } else { card.body.to_owned() };
        let hints = HashMap::from([
            ("desktop-entry", Value::from(DESKTOP_ENTRY)),
            ("urgency", Value::from(1_u8)),
        ]);
        let patience: i32 = if card.stays { 0 } else { -1 };
        let words =
            ("Plancard", 0_u32, "plancard", card.summary, body.as_str(), actions, hints, patience);
        self.call("Notify", &words).await?.body().deserialize()
    }

    /// Takes a notification back.
    pub async fn close(&self, id: u32) {
        if let Err(error) = self.call("CloseNotification", &id).await {
            tracing::debug!(%error, id, "a notification can't be closed");
        }
    }

    async fn reads_markup(&self) -> bool {
        let answer = self.call("GetCapabilities", &()).await;
        let can: Vec<String> =
            answer.and_then(|answer| answer.body().deserialize()).unwrap_or_default();
        can.iter().any(|can| can == "body-markup")
    }

    async fn call<B>(&self, method: &str, words: &B) -> zbus::Result<Message>
    where
        B: serde::Serialize + zbus::zvariant::DynamicType,
    {
        let call = self.bus.call_method(Some(NAME), PATH, Some(NAME), method, words);
        match tokio::time::timeout(PATIENCE, call).await {
            Ok(answer) => answer,
            Err(_) => Err(zbus::Error::Failure("the notification service is silent".to_owned())),
        }
    }

    /// Takes note of a new owner; whether it is another.
    fn took_over(&mut self, message: &Message) -> bool {
        let body = message.body();
        let Ok((_, _, new)) = body.deserialize::<(&str, &str, &str)>() else { return false };
        let new = OwnedUniqueName::try_from(new).ok();
        let other = self.owner != new;
        self.owner = new;
        other
    }

    fn understood(&mut self, message: &Message) -> Option<Heard> {
        let header = message.header();
        let sender = header.sender()?;
        if self.owner.as_ref().is_none_or(|owner| owner.as_str() != sender.as_str()) {
            if !std::mem::replace(&mut self.strangers, true) {
                tracing::warn!(%sender, "an answer that is not from the notification service");
            }
            return None;
        }
        let body = message.body();
        match header.member()?.as_str() {
            "ActionInvoked" => {
                let (id, action) = body.deserialize::<(u32, String)>().ok()?;
                Some(Heard::Chosen { id, action })
            }
            "NotificationClosed" => {
                let (id, _why) = body.deserialize::<(u32, u32)>().ok()?;
                Some(Heard::Closed { id })
            }
            _ => None,
        }
    }
}

/// Services that read markup get none.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
