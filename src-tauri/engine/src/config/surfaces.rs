//! Reads what concerns the window and the API.

use std::net::{Ipv4Addr, SocketAddr};

use super::section::{Section, text_of};

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
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ui {
    /// The colours.
    pub theme: Theme,
    /// Everything else, as it is written.
    pub more: serde_json::Map<String, serde_json::Value>,
}

/// Whether and where the API listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Api {
    /// Whether the window offers it; `plancard serve` always does.
    pub enabled: bool,
    /// Where; always on this computer. Port 0 takes any that is free.
    pub listen: SocketAddr,
}

impl Default for Api {
    fn default() -> Self {
        Self { enabled: false, listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 7435)) }
    }
}

impl Ui {
    pub(super) fn read(section: &Section<'_>) -> Self {
        let themes = [("system", Theme::System), ("light", Theme::Light), ("dark", Theme::Dark)];
        let more = section
            .named()
            .filter(|(name, _, _)| *name != "theme")
            .map(|(name, node, _)| (name.to_owned(), node.to_json()))
            .collect();
        Self { theme: section.choice("theme", &themes).unwrap_or_default(), more }
    }
}

impl Api {
    pub(super) fn read(section: &Section<'_>) -> Self {
        let usual = Self::default();
        Self {
            enabled: section.flag("enabled").unwrap_or(usual.enabled),
            listen: listen(section).unwrap_or(usual.listen),
        }
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
