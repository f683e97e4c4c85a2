//! What is seen of the keyring without asking anybody: the library would have it unlocked.

use std::collections::HashMap;
use zbus::blocking::{Connection, Proxy};
use zbus::zvariant::OwnedObjectPath;

const NAME: &str = "org.freedesktop.secrets";
const PATH: &str = "/org/freedesktop/secrets";
/// Stands for no object.
const NOTHING: &str = "/";

/// What is seen.
pub struct Seen {
    /// Whether something new could be kept at once.
    pub open: bool,
    /// The entry that was looked for.
    pub entry: Entry,
}

/// An entry of the keyring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// There is none, or it is not shown as long as the keyring is locked.
    None,
    /// It can be read.
    Open,
    /// It is there, and the keyring has to be unlocked first.
    Locked,
}

/// Looks for an entry; nothing where there is no keyring. Waits inside.
pub fn look(service: &str, name: &str) -> Option<Seen> {
    let bus = Connection::session().ok()?;
    let keyring = proxy(&bus, PATH, "org.freedesktop.Secret.Service")?;
    let wanted = HashMap::from([("service", service), ("username", name)]);
    type Found = (Vec<OwnedObjectPath>, Vec<OwnedObjectPath>);
    let (open, locked): Found = keyring.call("SearchItems", &wanted).ok()?;
    let entry = match (open.is_empty(), locked.is_empty()) {
        (_, false) => Entry::Locked,
        (false, true) => Entry::Open,
        (true, true) => Entry::None,
    };
    let usual: OwnedObjectPath = keyring.call("ReadAlias", &"default").ok()?;
    let open = usual.as_str() != NOTHING && is_open(&bus, &usual);
    Some(Seen { open, entry })
}

fn is_open(bus: &Connection, collection: &OwnedObjectPath) -> bool {
    let collection = proxy(bus, collection.as_str(), "org.freedesktop.Secret.Collection");
    collection.is_some_and(|one| one.get_property("Locked").is_ok_and(|locked: bool| !locked))
}

fn proxy<'a>(bus: &Connection, path: &'a str, interface: &'a str) -> Option<Proxy<'a>> {
    let proxy = zbus::blocking::proxy::Builder::new(bus)
        .destination(NAME)
        .and_then(|proxy| proxy.path(path))
        .and_then(|proxy| proxy.interface(interface));
    proxy.ok()?.cache_properties(zbus::proxy::CacheProperties::No).build().ok()
}
