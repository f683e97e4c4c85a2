//! The real window, driven as a person drives it, with a real bus, tray, keyring and disk; only
//! the model is scripted.

mod access;
mod approve;
mod command_line;
mod council;
mod first_run;
mod keys;
mod links;
mod notices;
mod recovery;
mod settings;
mod sidekicks;
mod stories;
mod supervise;
mod tray;
