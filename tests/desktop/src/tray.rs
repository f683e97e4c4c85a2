//! A tray: items register here, and their menus are read and clicked over the bus.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use support::wait_for_some;
use tokio::sync::watch;
use zbus::fdo::DBusProxy;
use zbus::message::Header;
use zbus::names::BusName;
use zbus::zvariant::{OwnedObjectPath, OwnedValue, Value};
use zbus::{Connection, Proxy, interface};

/// Where a tray answers.
pub const PATH: &str = "/StatusNotifierWatcher";
/// What it is called on the bus.
pub const NAME: &str = "org.kde.StatusNotifierWatcher";

/// What the bus says when the one who was asked has gone.
const NO_REPLY: &str = "org.freedesktop.DBus.Error.NoReply";

/// An item: who it belongs to, and where it answers.
type Item = (String, String);

/// The tray's end.
pub struct Watcher {
    items: watch::Sender<Vec<Item>>,
    shown: Arc<AtomicBool>,
}

/// The test's end.
pub struct Tray {
    items: watch::Receiver<Vec<Item>>,
    shown: Arc<AtomicBool>,
}

/// A line of an item's menu.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    id: i32,
    /// Its words.
    pub label: String,
    /// Whether it can be clicked.
    pub enabled: bool,
}

/// A tray and what is in it.
pub fn watcher() -> (Watcher, Tray) {
    let (sender, receiver) = watch::channel(Vec::new());
    let shown = Arc::new(AtomicBool::new(true));
    (Watcher { items: sender, shown: Arc::clone(&shown) }, Tray { items: receiver, shown })
}

type Layout = (i32, HashMap<String, OwnedValue>, Vec<OwnedValue>);

impl Tray {
    /// From here on there is no panel that shows what is in it.
    pub fn hide(&self) {
        self.shown.store(false, Ordering::Relaxed);
    }

    /// The lines of the newest item's menu.
    pub async fn entries(&self, bus: &Connection) -> Vec<Entry> {
        let menu = self.menu(bus).await;
        let asked = (0_i32, -1_i32, Vec::<&str>::new());
        let (_, (_, _, lines)): (u32, Layout) =
            menu.call("GetLayout", &asked).await.expect("the menu has a layout");
        lines.into_iter().filter_map(entry).collect()
    }

    /// Clicks a line once it is there and can be clicked.
    pub async fn click(&self, bus: &Connection, label: &str) {
        let fits = |entry: &Entry| entry.label == label && entry.enabled;
        let click = async || {
            let entry = self.entries(bus).await.into_iter().find(fits)?;
            // The menu may be another since it was read: then it is read again.
            let clicked = (entry.id, "clicked", Value::from(0_i32), 0_u32);
            match self.menu(bus).await.call::<_, _, ()>("Event", &clicked).await {
                Ok(()) => Some(()),
                // Who quits may be gone before it could answer.
                Err(zbus::Error::MethodError(name, ..)) if name.as_str() == NO_REPLY => Some(()),
                Err(_) => None,
            }
        };
        wait_for_some(click, &format!("{label:?} in the tray's menu")).await;
    }

    /// A property of the newest item, such as `IconName`, as text.
    pub async fn property(&self, bus: &Connection, name: &str) -> String {
        let item = self.item(bus).await;
        let value: OwnedValue = item.get_property(name).await.expect("the item has it");
        String::try_from(value).expect("it is text")
    }

    async fn item<'a>(&self, bus: &Connection) -> Proxy<'a> {
        // One that quit leaves its item behind until the next one comes.
        let bus_itself = DBusProxy::new(bus).await.expect("the bus answers");
        let probe = async || {
            let (owner, path) = self.items.borrow().last().cloned()?;
            let name = BusName::try_from(owner.as_str()).ok()?;
            let there = bus_itself.name_has_owner(name).await.ok()?;
            there.then_some((owner, path))
        };
        let (owner, path) = wait_for_some(probe, "an item in the tray").await;
        let proxy = Proxy::new_owned(bus.clone(), owner, path, "org.kde.StatusNotifierItem");
        proxy.await.expect("the item is on the bus")
    }

    async fn menu<'a>(&self, bus: &Connection) -> Proxy<'a> {
        let item = self.item(bus).await;
        let path: OwnedObjectPath = item.get_property("Menu").await.expect("the item has a menu");
        let owner = item.destination().to_string();
        let proxy = Proxy::new_owned(bus.clone(), owner, path, "com.canonical.dbusmenu");
        proxy.await.expect("the menu is on the bus")
    }
}

fn entry(line: OwnedValue) -> Option<Entry> {
    let (id, properties, _): Layout = line.try_into().ok()?;
    let label = String::try_from(properties.get("label")?.try_clone().ok()?).ok()?;
    let enabled = match properties.get("enabled") {
        Some(value) => bool::try_from(value.try_clone().ok()?).ok()?,
        None => true,
    };
    // A single underscore marks the letter to press.
    let label = label.replace("__", "\0").replace('_', "").replace('\0', "_");
    Some(Entry { id, label, enabled })
}

#[interface(name = "org.kde.StatusNotifierWatcher")]
impl Watcher {
    fn register_status_notifier_item(&self, service: &str, #[zbus(header)] header: Header<'_>) {
        let sender = header.sender().map(ToString::to_string).unwrap_or_default();
        let item = match service.starts_with('/') {
            // Some give a path, others a name.
            true => (sender, service.to_owned()),
            false => (service.to_owned(), "/StatusNotifierItem".to_owned()),
        };
        self.items.send_modify(|items| items.push(item));
    }

    fn register_status_notifier_host(&self, _service: &str) {}

    #[zbus(property)]
    fn registered_status_notifier_items(&self) -> Vec<String> {
        self.items.borrow().iter().map(|(owner, path)| format!("{owner}{path}")).collect()
    }

    #[zbus(property)]
    fn is_status_notifier_host_registered(&self) -> bool {
        self.shown.load(Ordering::Relaxed)
    }

    #[zbus(property)]
    fn protocol_version(&self) -> i32 {
        0
    }
}
