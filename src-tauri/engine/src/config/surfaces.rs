//! Reads what concerns the window and the API.

use std::net::{Ipv4Addr, SocketAddr};
use std::str::FromStr;

use super::quiet::{self, QuietHours};
use super::rights::Rights;
use super::section::{Section, text_of};
use super::shortcut::{self, Shortcut};

/// The colours of the window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the desktop has it.
    #[default]
    System,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// How the window looks and behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ui {
    /// The colours.
    pub theme: Theme,
    /// Whether there are notifications at all.
    pub notifications: bool,
    /// When there are none.
    pub quiet_hours: Option<QuietHours>,
    /// Pauses everything, wherever the person is.
    pub pause_shortcut: Option<Shortcut>,
    /// Whether the computer is kept awake while a plan runs.
    pub keep_awake: bool,
    /// Whether the first-run screens were seen.
    pub first_run_done: bool,
    /// Whether the person was told that closing leaves the app in the tray.
    pub tray_notice_done: bool,
}

/// Whether and where the API listens, and what its token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Api {
    /// Whether the window offers it; `plancard serve` always does.
    pub enabled: bool,
    /// Where; always on this computer. Port 0 takes any that is free.
    pub listen: SocketAddr,
    /// What the token may do, where a file says so.
    pub rights: Option<Rights>,
}

impl Default for Api {
    fn default() -> Self {
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 7435));
        Self { enabled: false, listen, rights: None }
    }
}

impl Default for Ui {
    fn default() -> Self {
        Self {
            theme: Theme::default(),
            notifications: true,
            quiet_hours: None,
            pause_shortcut: Some(Shortcut::usual()),
            keep_awake: true,
            first_run_done: false,
            tray_notice_done: false,
        }
    }
}

impl Ui {
    pub(super) fn read(section: &Section<'_>) -> Self {
        let usual = Self::default();
        // Written for a terminal in files people already have; nothing here goes by them.
        for other in ["display_type", "logging_enabled", "type"] {
            section.get(other);
        }
        let themes = [("system", Theme::System), ("light", Theme::Light), ("dark", Theme::Dark)];
        Self {
            theme: section.choice("theme", &themes).unwrap_or_default(),
            notifications: section.flag("notifications").unwrap_or(usual.notifications),
            quiet_hours: meant(section, "quiet_hours", quiet::ALLOWED).unwrap_or(None),
            pause_shortcut: meant(section, "pause_shortcut", shortcut::ALLOWED)
                .unwrap_or(usual.pause_shortcut),
            keep_awake: section.flag("keep_awake").unwrap_or(usual.keep_awake),
            first_run_done: section.flag("first_run_done").unwrap_or(usual.first_run_done),
            tray_notice_done: section.flag("tray_notice_done").unwrap_or(usual.tray_notice_done),
        }
    }
}

impl Theme {
    /// The word for it in a file.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// What a text means, where an empty one means none; `None` where nothing usable is said.
fn meant<T: FromStr>(section: &Section<'_>, key: &'static str, allowed: &str) -> Option<Option<T>> {
    let node = section.get(key)?;
    let text = text_of(node);
    if text.is_some_and(|text| text.trim().is_empty()) {
        return Some(None);
    }
    let meant = text.and_then(|text| text.parse().ok());
    if meant.is_none() {
        section.bad(key, node, allowed);
    }
    meant.map(Some)
}

impl Api {
    pub(super) fn read(section: &Section<'_>) -> Self {
        let usual = Self::default();
        Self {
            enabled: section.flag("enabled").unwrap_or(usual.enabled),
            listen: listen(section).unwrap_or(usual.listen),
            rights: Rights::read(section, "rights"),
        }
    }

    /// What the token may do.
    pub fn rights(&self) -> Rights {
        self.rights.unwrap_or_default()
    }
}

fn listen(section: &Section<'_>) -> Option<SocketAddr> {
    let node = section.get("listen")?;
    let address: Option<SocketAddr> = text_of(node).and_then(|text| text.parse().ok());
    let address = address.filter(|address| address.ip().is_loopback());
    if address.is_none() {
        section.bad(
            "listen",
            node,
            "an address of this computer with a port, such as 127.0.0.1:7435",
        );
    }
    address
}
