//! The person's session: its bus, its keyring behind it, and its screen.

use crate::support::desk;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A program that ends with the test.
struct Started(Child);

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a program and reads the line it prints when it is ready.
fn start(command: &mut Command) -> (Started, String) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(!line.trim().is_empty(), "it said nothing");
    (Started(child), line.trim().to_owned())
}

#[tokio::test]
async fn the_session_bus_is_out_of_reach() {
    let desk = desk();
    let folder = tempfile::tempdir().unwrap();
    for place in ["unix:dir=FOLDER", "unix:abstract=FOLDER/bus"] {
        let place = place.replace("FOLDER", folder.path().to_str().unwrap());
        let listen = format!("--address={place}");
        let (_bus, address) = start(Command::new("dbus-daemon").args([
            "--session",
            "--nofork",
            "--print-address",
            &listen,
        ]));
        for name in
            ["org.freedesktop.DBus", "org.freedesktop.secrets", "org.kde.StatusNotifierWatcher"]
        {
            let send = format!(
                "dbus-send --bus='{address}' --print-reply --dest={name} / \
                 org.freedesktop.DBus.Peer.Ping"
            );
            let output = desk.shell(&send).await;
            assert!(
                output.failed && output.text.contains("Failed to open connection"),
                "{}",
                output.text
            );
        }
        let outside = Command::new("dbus-send")
            .arg(format!("--bus={address}"))
            .args([
                "--print-reply",
                "--dest=org.freedesktop.DBus",
                "/",
                "org.freedesktop.DBus.Peer.Ping",
            ])
            .output()
            .unwrap();
        assert!(outside.status.success(), "from here it can be reached: {outside:?}");
    }
    let output = desk.shell("echo \"$DBUS_SESSION_BUS_ADDRESS$XDG_RUNTIME_DIR\"").await;
    assert_eq!(output.text, "\n");
}

#[tokio::test]
async fn the_screen_is_out_of_reach() {
    let desk = desk();
    let (_screen, number) =
        start(Command::new("Xvfb").args(["-displayfd", "1", "-screen", "0", "64x64x24"]));
    let look = |display: &str| format!("xprop -display {display} -root");
    let output = desk.shell(&look(&format!(":{number}"))).await;
    assert!(output.failed && output.text.contains("unable to open display"), "{}", output.text);
    let outside = Command::new("xprop").args(["-display", &format!(":{number}"), "-root"]).output();
    assert!(outside.unwrap().status.success(), "from here it can be reached");
    let output = desk.shell("echo \"$DISPLAY$WAYLAND_DISPLAY$XAUTHORITY\"").await;
    assert_eq!(output.text, "\n");
}
