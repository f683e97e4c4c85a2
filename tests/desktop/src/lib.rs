//! A desktop nobody sees, for the real window: a screen, a bus, a tray, a notification server, a
//! keyring, and a hand that clicks and reads.
//!
//! ```ignore
//! let desktop = Desktop::start("first_run").await;
//! let window = desktop.open(&[]).await;
//! window.click("Try it without a model").await;
//! window.wait_for_card("paused").await;
//! window.picture(&desktop, "first-run").await;
//! ```

mod card;
mod children;
mod home;
mod keyring;
mod notices;
mod power;
mod processes;
mod session;
mod tray;
mod window;

pub use card::Card;
pub use fantoccini::key::Key;
pub use home::Home;
pub use notices::Shown;
pub use processes::{Process, processes};
pub use session::Desktop;
pub use tray::Entry;
pub use window::Window;
