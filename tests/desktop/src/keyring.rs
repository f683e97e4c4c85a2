//! The desktop's keyring: a real Secret Service, and a look into it.

use crate::home::Home;
use std::collections::HashMap;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::wait_for;
use zbus::zvariant::{OwnedObjectPath, OwnedValue, Value};
use zbus::{Connection, Proxy};

const NAME: &str = "org.freedesktop.secrets";
const PATH: &str = "/org/freedesktop/secrets";
const LOGIN: &str = "/org/freedesktop/secrets/collection/login";
const PASSWORD: &[u8] = b"a password";
const PROMPTER: &str = "org.gnome.keyring.SystemPrompter";
const PROMPTER_PATH: &str = "/org/gnome/keyring/Prompter";

/// Starts gnome-keyring, opened with a password or not, and waits until it answers.
pub async fn start(bus: &Connection, command: &mut Command, home: &Home, open: bool) -> Child {
    let log = std::fs::File::create(home.path("logs/keyring.log")).expect("a log can be made");
    command.args(["--foreground", "--components=secrets"]);
    if open {
        command.arg("--unlock");
    }
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(log)
        .process_group(0)
        .spawn()
        .expect("gnome-keyring-daemon can be started");
    // The end of its input ends the password.
    let mut input = child.stdin.take().expect("its input is ours");
    if open {
        input.write_all(PASSWORD).expect("it reads its password");
    }
    drop(input);
    let names = zbus::fdo::DBusProxy::new(bus).await.expect("the bus answers");
    let name = zbus::names::BusName::try_from(NAME).expect("it is a name");
    let answers = async || names.name_has_owner(name.clone()).await.unwrap_or(false);
    wait_for(answers, "the keyring").await;
    child
}

/// Someone who is asked to unlock the keyring, and never does.
pub struct Prompter(Arc<AtomicUsize>);

#[zbus::interface(name = "org.gnome.keyring.internal.Prompter")]
impl Prompter {
    fn begin_prompting(&self, _callback: OwnedObjectPath) -> zbus::fdo::Result<()> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Err(zbus::fdo::Error::Failed("nobody is there".to_owned()))
    }
}

/// Locks the keyring, with someone there who is asked to unlock it; how often they are.
pub async fn lock(bus: &Connection) -> Arc<AtomicUsize> {
    let asked = Arc::new(AtomicUsize::new(0));
    let prompter = Prompter(Arc::clone(&asked));
    bus.object_server().at(PROMPTER_PATH, prompter).await.expect("there is room for it");
    bus.request_name(PROMPTER).await.expect("nobody else asks");
    let service = proxy(bus, PATH, "org.freedesktop.Secret.Service").await;
    let login = OwnedObjectPath::try_from(LOGIN).expect("it is a path");
    let _: (Vec<OwnedObjectPath>, OwnedObjectPath) =
        service.call("Lock", &vec![login]).await.expect("the keyring can be locked");
    asked
}

/// Unlocks it with its password.
pub async fn unlock(bus: &Connection) {
    let service = proxy(bus, PATH, "org.freedesktop.Secret.Service").await;
    let plain = ("plain", Value::from(""));
    let (_, session): (OwnedValue, OwnedObjectPath) =
        service.call("OpenSession", &plain).await.expect("the keyring opens a session");
    let hidden = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface";
    let own = proxy(bus, PATH, hidden).await;
    let login = OwnedObjectPath::try_from(LOGIN).expect("it is a path");
    let master = (session, Vec::<u8>::new(), PASSWORD.to_vec(), "text/plain");
    let () = own
        .call("UnlockWithMasterPassword", &(login, master))
        .await
        .expect("the keyring can be unlocked");
}

/// Every secret the app keeps, by the name it is kept under.
pub async fn secrets(bus: &Connection) -> Vec<(String, String)> {
    let service = proxy(bus, PATH, "org.freedesktop.Secret.Service").await;
    let plain = ("plain", Value::from(""));
    let (_, session): (OwnedValue, OwnedObjectPath) =
        service.call("OpenSession", &plain).await.expect("the keyring opens a session");
    let wanted = HashMap::from([("service", "plancard")]);
    let (open, locked): (Vec<OwnedObjectPath>, Vec<OwnedObjectPath>) =
        service.call("SearchItems", &wanted).await.expect("the keyring can be searched");
    assert!(locked.is_empty(), "the keyring is open");
    let mut found = Vec::new();
    for path in open {
        let item = proxy(bus, path.as_str(), "org.freedesktop.Secret.Item").await;
        // It may have been deleted meanwhile.
        let Ok(attributes) = item.get_property::<HashMap<String, String>>("Attributes").await
        else {
            continue;
        };
        let (_, _, value, _): (OwnedObjectPath, Vec<u8>, Vec<u8>, String) = item
            .call::<_, _, ((OwnedObjectPath, Vec<u8>, Vec<u8>, String),)>("GetSecret", &session)
            .await
            .expect("an item has a secret")
            .0;
        let name = attributes.get("username").cloned().unwrap_or_default();
        found.push((name, String::from_utf8_lossy(&value).into_owned()));
    }
    found
}

async fn proxy<'a>(bus: &Connection, path: &str, interface: &str) -> Proxy<'a> {
    let proxy = Proxy::new_owned(bus.clone(), NAME, path.to_owned(), interface.to_owned());
    proxy.await.expect("the keyring is on the bus")
}
