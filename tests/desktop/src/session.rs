//! The desktop: a screen, a bus, and what lives on it.

use crate::children::Children;
use crate::home::Home;
use crate::keyring;
use crate::notices::{self, Notices, Shown};
use crate::power::{self, Reasons};
use crate::tray::{self, Entry, Tray};
use crate::window::Window;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use support::{program, wait_for, wait_for_some};
use tokio::sync::watch;
use zbus::Connection;

/// How often keys are pressed, how long the window may take for them, and how often one looks.
const PRESSES: usize = 10;
const ANSWER: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(20);

/// The screen, in pixels: the window's usual size and a little more.
const SCREEN: &str = "1400x900x24";

/// A desktop for one test. Everything in it ends with it.
pub struct Desktop {
    /// The person's folders.
    pub home: Home,
    /// The session's bus.
    pub bus: Connection,
    name: String,
    display: String,
    address: String,
    notices: Notices,
    tray: Tray,
    awake: watch::Receiver<Reasons>,
    more: Vec<(String, PathBuf)>,
    children: Mutex<Children>,
}

impl Desktop {
    /// A desktop with a screen, a window manager, a tray and a notification server.
    pub async fn start(name: &str) -> Self {
        let home = Home::default();
        let mut children = Children::default();
        let display = format!(":{}", screen(&home, &mut children));
        let address = format!("unix:path={}", home.path("run/bus").display());
        bus(&home, &address, &mut children);
        let (watcher, tray) = tray::watcher();
        let (server, notices) = notices::server();
        let (saver, awake) = power::screen_saver();
        // The app must find these when it starts.
        let bus = zbus::connection::Builder::address(address.as_str())
            .and_then(|bus| bus.serve_at(tray::PATH, watcher))
            .and_then(|bus| bus.serve_at(notices::PATH, server))
            .and_then(|bus| bus.serve_at(power::PATH, saver))
            .and_then(|bus| bus.name(tray::NAME))
            .and_then(|bus| bus.name(notices::NAME))
            .and_then(|bus| bus.name(power::NAME))
            .expect("the names are good")
            .build()
            .await
            .expect("the bus takes us in");
        let desktop = Self {
            home,
            bus,
            name: name.to_owned(),
            display,
            address,
            notices,
            tray,
            awake,
            more: Vec::new(),
            children: Mutex::new(children),
        };
        desktop.spawn("openbox", &mut desktop.command("openbox"));
        // Only a window manager that is there can say which windows there are.
        let managed = async || {
            let asked = desktop.command("xprop").args(["-root", "_NET_CLIENT_LIST"]).output();
            asked.is_ok_and(|asked| String::from_utf8_lossy(&asked.stdout).contains("window id"))
        };
        wait_for(managed, "the window manager").await;
        desktop
    }

    /// Starts the keyring, unlocked.
    pub async fn start_keyring(&self) {
        self.keyring(true).await;
    }

    /// Starts a keyring that nobody has opened, with nobody there to ask for its password.
    pub async fn start_locked_keyring(&self) {
        self.keyring(false).await;
    }

    async fn keyring(&self, open: bool) {
        let mut command = self.command("gnome-keyring-daemon");
        let child = keyring::start(&self.bus, &mut command, &self.home, open).await;
        self.children.lock().expect("no test has panicked").adopt(child);
    }

    /// Locks the keyring; how often someone is asked to unlock it, which they never do.
    pub async fn lock_keyring(&self) -> Arc<AtomicUsize> {
        keyring::lock(&self.bus).await
    }

    /// Unlocks the keyring, as a person does elsewhere.
    pub async fn unlock_keyring(&self) {
        keyring::unlock(&self.bus).await;
    }

    /// Every secret the app keeps in the keyring, by name.
    pub async fn secrets(&self) -> Vec<(String, String)> {
        keyring::secrets(&self.bus).await
    }

    /// Opens the app with these arguments, with a hand on its window.
    pub async fn open(&self, args: &[&str]) -> Window {
        Window::open(self, args).await
    }

    /// Opens an empty window of the same program.
    pub async fn open_blank(&self) -> Window {
        Window::connect(self, &["blank"]).await
    }

    /// Takes away the panel that shows tray icons.
    pub fn hide_tray(&self) {
        self.tray.hide();
    }

    /// The app as a program of this desktop, for a second start.
    pub fn app(&self) -> Command {
        self.command(program("plancard-window"))
    }

    /// Starts the app without a hand on its window; the group of its processes.
    pub fn start_app(&self) -> u32 {
        self.spawn("app", &mut self.app())
    }

    /// A program on this desktop.
    pub fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = self.home.command(program);
        command
            .env("DISPLAY", &self.display)
            .env("DBUS_SESSION_BUS_ADDRESS", &self.address)
            .env("GDK_BACKEND", "x11")
            .env("NO_AT_BRIDGE", "1")
            // There is no graphics card to draw with.
            .env("WEBKIT_DISABLE_DMABUF_RENDERER", "1")
            .envs(self.more.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Tells every later program of this desktop where something is.
    pub fn tell(&mut self, name: &str, path: PathBuf) {
        self.more.push((name.to_owned(), path));
    }

    pub(crate) fn spawn(&self, name: &str, command: &mut Command) -> u32 {
        let log = self.log_file(name);
        self.children.lock().expect("no test has panicked").start(command, &log)
    }

    pub(crate) fn end(&self, group: u32) {
        self.children.lock().expect("no test has panicked").end(group);
    }

    /// What a program has said so far.
    pub fn log(&self, name: &str) -> String {
        std::fs::read_to_string(self.log_file(name)).unwrap_or_default()
    }

    fn log_file(&self, name: &str) -> PathBuf {
        self.home.path(&format!("logs/{name}.log"))
    }

    /// Waits for a notification like this.
    pub async fn notice(&self, like: impl Fn(&Shown) -> bool, what: &str) -> Shown {
        self.notices.wait(like, what).await
    }

    /// Every notification so far.
    pub fn notices(&self) -> Vec<Shown> {
        self.notices.all()
    }

    /// Presses a notification's button.
    pub async fn press(&self, shown: &Shown, key: &str) {
        self.notices.press(&self.bus, shown, key).await;
    }

    /// Says that a notification's button was pressed, without being its server.
    pub async fn pretend_press(&self, shown: &Shown, key: &str) {
        let stranger = zbus::connection::Builder::address(self.address.as_str());
        let stranger = stranger.expect("it is an address").build().await.expect("anyone may join");
        for to in [None, Some(shown.sender.as_str())] {
            notices::signal(&stranger, to, "ActionInvoked", &(shown.id, key)).await;
        }
    }

    /// The lines of the tray's menu.
    pub async fn tray(&self) -> Vec<Entry> {
        self.tray.entries(&self.bus).await
    }

    /// Clicks a line of the tray's menu.
    pub async fn click_tray(&self, label: &str) {
        self.tray.click(&self.bus, label).await;
    }

    /// What the tray's item says of itself, such as `IconName`.
    pub async fn tray_property(&self, name: &str) -> String {
        self.tray.property(&self.bus, name).await
    }

    /// Why the computer is kept awake.
    pub fn reasons_to_stay_awake(&self) -> Vec<String> {
        self.awake.borrow().values().cloned().collect()
    }

    /// A picture of the window alone, once it stands still: `target/desktop/window.png`.
    pub async fn portrait(&self) {
        self.still("window").await;
        let window = self.visible("Plancard").pop().expect("there is a window");
        let file = pictures().join("window.png");
        let taken = self.command("import").args(["-window", &window]).arg(&file).status();
        assert!(taken.is_ok_and(|status| status.success()), "a picture can be taken");
    }

    /// A picture of the screen once it stands still.
    pub async fn still(&self, name: &str) -> PathBuf {
        let mut last = self.picture("moving");
        let probe = async || {
            let now = self.picture(name);
            if self.are_alike(&last, &now) {
                return Some(now);
            }
            last = self.picture("moving");
            None
        };
        wait_for_some(probe, "the screen to stand still").await
    }

    /// Waits until the screen looks as in a picture taken before.
    pub async fn wait_for_look(&self, before: &Path) {
        let alike = async || self.are_alike(before, &self.picture("now"));
        wait_for(alike, &format!("the screen to look like {}", before.display())).await;
    }

    /// Whether two pictures differ by no more than a line's width here and there, a caret or a
    /// scroll bar.
    fn are_alike(&self, one: &Path, other: &Path) -> bool {
        let mut comparing = self.command("convert");
        comparing.args([one, other]);
        comparing.args(["-resize", "20%", "-metric", "AE", "-fuzz", "12%", "-compare"]);
        comparing.args(["-format", "%[distortion]", "info:"]);
        let compared = comparing.output().expect("pictures can be compared").stdout;
        let differing: Option<f64> = String::from_utf8_lossy(&compared).trim().parse().ok();
        differing.is_some_and(|differing| differing < 600.0)
    }

    /// Clicks at a place of the screen and types there, ending with Enter, as hands do.
    pub fn type_at(&self, x: u32, y: u32, words: &str) {
        let (x, y) = (x.to_string(), y.to_string());
        let window = self.visible("Plancard").pop().expect("there is a window");
        let mut hands = self.command("xdotool");
        hands.args(["windowactivate", "--sync", &window, "mousemove", &x, &y, "click", "1"]);
        hands.args(["type", "--delay", "20", words]);
        assert!(hands.status().is_ok_and(|status| status.success()), "hands can type");
        self.press_keys("Return");
    }

    /// Presses keys together, whatever is in front.
    pub fn press_keys(&self, keys: &str) {
        let pressed = self.command("xdotool").args(["key", keys]).status();
        assert!(pressed.is_ok_and(|status| status.success()), "keys can be pressed");
    }

    /// How many windows with this title are on the screen.
    pub fn windows(&self, title: &str) -> usize {
        self.visible(title).len()
    }

    /// Closes a window with the keys that the window manager has for it. A busy one may miss
    /// them: then they are pressed again.
    pub async fn close_window(&self, title: &str) {
        for _ in 0..PRESSES {
            for id in self.visible(title) {
                let keys = ["windowactivate", "--sync", &id, "key", "alt+F4"];
                let closed = self.command("xdotool").args(keys).status();
                assert!(closed.is_ok_and(|status| status.success()), "a window can be closed");
            }
            let gone = async {
                while !self.visible(title).is_empty() {
                    tokio::time::sleep(LOOK).await;
                }
            };
            if tokio::time::timeout(ANSWER, gone).await.is_ok() {
                return;
            }
        }
        panic!("the window {title} does not close");
    }

    /// Whether the window manager keeps a window as an icon: one that is hidden it forgets.
    pub fn is_minimized(&self, title: &str) -> bool {
        let exact = format!("^{title}$");
        let found = self.command("xdotool").args(["search", "--name", &exact]).output();
        let found = found.expect("xdotool can be started").stdout;
        String::from_utf8_lossy(&found).lines().any(|id| {
            let asked = self.command("xprop").args(["-id", id, "WM_STATE"]).output();
            asked.is_ok_and(|asked| String::from_utf8_lossy(&asked.stdout).contains("Iconic"))
        })
    }

    fn visible(&self, title: &str) -> Vec<String> {
        let exact = format!("^{title}$");
        let found =
            self.command("xdotool").args(["search", "--onlyvisible", "--name", &exact]).output();
        let found = found.expect("xdotool can be started").stdout;
        String::from_utf8_lossy(&found).lines().map(str::to_owned).collect()
    }

    /// Keeps a picture of the screen as it is where people look for it: `target/desktop`.
    pub fn picture(&self, name: &str) -> PathBuf {
        let file = pictures().join(format!("{}-{name}.png", self.name));
        let taken = self.command("import").args(["-window", "root"]).arg(&file).status();
        assert!(taken.is_ok_and(|status| status.success()), "a picture can be taken");
        file
    }
}

impl Drop for Desktop {
    /// A test that fails shows what the person would have seen.
    fn drop(&mut self) {
        if std::thread::panicking() {
            let file = pictures().join(format!("{}-failed.png", self.name));
            let _ = self.command("import").args(["-window", "root"]).arg(&file).status();
            eprintln!("the screen: {}\nthe app: {}", file.display(), self.log("app"));
        }
    }
}

/// The folder that pictures go to.
fn pictures() -> PathBuf {
    let built = program("plancard-window");
    let target = built.parent().and_then(Path::parent).expect("a build is in the target folder");
    let folder = target.join("desktop");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

/// Starts a screen; its number.
fn screen(home: &Home, children: &mut Children) -> String {
    let mut child = home
        .command("Xvfb")
        .args(["-displayfd", "1", "-screen", "0", SCREEN, "-nolisten", "tcp", "-noreset"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .expect("Xvfb can be started");
    let mut said = String::new();
    let output = child.stdout.take().expect("its output is ours");
    BufReader::new(output).read_line(&mut said).expect("it says its number");
    children.adopt(child);
    said.trim().to_owned()
}

/// Starts a bus at an address and waits until it is there.
///
/// It starts nothing by itself: what the machine has installed is not part of this desktop.
fn bus(home: &Home, address: &str, children: &mut Children) {
    let file = home.path("run/bus.conf");
    let rules = format!(
        "<busconfig><type>session</type><listen>{address}</listen><policy context='default'>\
         <allow send_destination='*' eavesdrop='true'/><allow eavesdrop='true'/><allow own='*'/>\
         </policy></busconfig>"
    );
    std::fs::write(&file, rules).expect("the bus's rules can be written");
    let mut child = home
        .command("dbus-daemon")
        .args(["--nofork", "--nopidfile", "--print-address=1"])
        .arg(format!("--config-file={}", file.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .expect("dbus-daemon can be started");
    let mut said = String::new();
    let output = child.stdout.take().expect("its output is ours");
    BufReader::new(output).read_line(&mut said).expect("it says its address");
    children.adopt(child);
}
