//! Without a command, `plancard` becomes the window, which is another program.

use crate::said;
use flow::Place;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use support::program;
use tempfile::TempDir;

/// A folder with `plancard` in it, under its own name.
fn installed() -> (TempDir, PathBuf) {
    let built = program("plancard");
    // On the same disk, so that the program need not be copied.
    let folder = TempDir::new_in(built.parent().expect("a program is in a folder"));
    let folder = folder.expect("a folder can be made");
    let here = folder.path().join("plancard");
    std::fs::hard_link(built, &here).expect("it can be linked");
    (folder, here)
}

#[tokio::test]
async fn it_becomes_the_window_beside_it_and_hands_links_on_as_they_are() {
    let (folder, plancard) = installed();
    let window = folder.path().join("plancard-window");
    let script = "#!/bin/sh\necho \"window $PLANCARD_DATA\"\nprintf '%s\\n' \"$@\"\nexit 7\n";
    std::fs::write(&window, script).unwrap();
    std::fs::set_permissions(&window, std::fs::Permissions::from_mode(0o755)).unwrap();
    let place = Place::new("");
    let data = place.data();
    for words in [
        &[][..],
        &["plancard://new?goal=a%20b;$(touch%20x)"],
        &["PLANCARD://room/1"],
        // The window says that it opens one link at a time.
        &["plancard://plan/1", "--more"],
    ] {
        let ran = place.command(&plancard).args(words).output().await.unwrap();
        let wanted = format!("window {}\n{}\n", data.display(), words.join("\n"));
        assert_eq!(said(&ran.stdout), wanted);
        assert_eq!(ran.status.code(), Some(7), "it is the window from then on");
    }
    let ran = place.command(&plancard).args(["serve", "plancard://new"]).output().await.unwrap();
    assert_eq!(ran.status.code(), Some(2), "a link is a link only where a command could be");
}

#[tokio::test]
async fn a_window_that_is_not_installed_is_named_with_what_to_do() {
    let (folder, plancard) = installed();
    let place = Place::new("");
    for words in [&[][..], &["plancard://new"]] {
        let ran = place.command(&plancard).args(words).output().await.unwrap();
        let errors = said(&ran.stderr);
        assert_eq!(ran.status.code(), Some(1));
        let missing = folder.path().join("plancard-window").display().to_string();
        assert!(errors.contains(&format!("{missing} is missing")), "{errors}");
        assert!(errors.contains("plancard serve"), "{errors}");
    }
}
