//! `plancard config check`: what is wrong with a configuration, and nothing is started.

use crate::{plancard, said};
use flow::Place;

#[tokio::test]
async fn errors_and_warnings_are_told_with_file_and_line_and_errors_decide() {
    let bad = "agnets:\n  x: {}\ncaps:\n  steps: 20\n  attempts: many\nui: { theme: pink }\n";
    let place = Place::new(bad);
    let file = place.config().display().to_string();
    let ran = plancard(&place, &["config", "check", &file]).await;
    let out = said(&ran.stdout);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 3, "{out}");
    assert!(lines[0].starts_with(&format!("{file}:1: warning: agnets ")), "{out}");
    assert!(lines[1].starts_with(&format!("{file}:5: error: caps.attempts ")), "{out}");
    assert!(lines[2].starts_with(&format!("{file}:6: error: ui.theme ")), "{out}");
    assert_eq!(ran.status.code(), Some(1));
    assert!(!place.data().exists(), "nothing was begun");

    std::fs::write(place.config(), "agnets:\n  x: {}\n").unwrap();
    let ran = plancard(&place, &["config", "check", &file]).await;
    assert!(said(&ran.stdout).contains(":1: warning: agnets "), "{}", said(&ran.stdout));
    assert_eq!(ran.status.code(), Some(0), "a warning is no error");
}

#[tokio::test]
async fn the_settings_beside_a_file_count_and_so_does_a_folder() {
    let place = Place::new("caps:\n  steps: 0\n");
    let folder = place.config().parent().unwrap().to_owned();
    std::fs::write(folder.join("settings.yaml"), "ui:\n  theme: pink\n").unwrap();
    // Without a name it is the one that `plancard serve` would read.
    let (file, folder) = (place.config().display().to_string(), folder.display().to_string());
    for words in
        [&["config", "check", &file][..], &["config", "check", &folder], &["config", "check"]]
    {
        let ran = plancard(&place, words).await;
        let out = said(&ran.stdout);
        assert!(out.contains("plancard.yaml:2: error: caps.steps "), "{out}");
        assert!(out.contains("settings.yaml:2: error: ui.theme "), "{out}");
        assert_eq!(ran.status.code(), Some(1));
    }
}

#[tokio::test]
async fn a_good_file_has_no_problems_and_a_missing_one_has() {
    let place = Place::new("caps: { steps: 20 }\n");
    let file = place.config().display().to_string();
    let ran = plancard(&place, &["config", "check", &file]).await;
    assert_eq!(said(&ran.stdout), format!("{file}: no problems\n"));
    assert_eq!(ran.status.code(), Some(0));

    let missing = place.home().join("nowhere.yaml").display().to_string();
    let ran = plancard(&place, &["config", "check", &missing]).await;
    let out = said(&ran.stdout);
    assert!(out.starts_with(&format!("{missing}: error: cannot be read")), "{out}");
    assert_eq!(ran.status.code(), Some(1));

    let ran = plancard(&place, &["config"]).await;
    assert_eq!(ran.status.code(), Some(2));
    let errors = said(&ran.stderr);
    assert!(errors.contains("a command is missing") && errors.contains("check"), "{errors}");
}
