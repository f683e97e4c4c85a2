//! `plancard config check`: what is wrong with a configuration, and nothing is started.

use crate::{plancard, said};
use flow::Place;
use support::program;

/// Fragments about councils, each with its problems.
const FRAGMENTS: &str = include_str!("../../../fixtures/config/council-keys.txt");

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

#[tokio::test]
async fn every_key_of_councils_is_checked() {
    let place = Place::new("");
    let file = place.config().display().to_string();
    let mut checked = 0;
    for fragment in FRAGMENTS.split("---\n").skip(1) {
        let (expected, text): (Vec<&str>, Vec<&str>) =
            fragment.lines().partition(|line| line.starts_with("=> "));
        std::fs::write(place.config(), text.join("\n")).unwrap();
        let ran = plancard(&place, &["config", "check", &file]).await;
        let mut told: Vec<String> =
            expected.iter().map(|line| format!("{file}:{}\n", &line[3..])).collect();
        if told.is_empty() {
            told.push(format!("{file}: no problems\n"));
        }
        assert_eq!(said(&ran.stdout), told.concat(), "{fragment}");
        let bad = expected.iter().any(|line| line.contains(": error: "));
        assert_eq!(ran.status.code(), Some(i32::from(bad)), "{fragment}");
        checked += 1;
    }
    assert!(checked >= 30, "{checked}");
    assert!(!place.data().exists(), "nothing was begun");
}

#[tokio::test]
async fn variables_are_those_of_the_environment_and_are_not_told() {
    let backend = |url: &str| {
        format!(
            "agent:\n  id: a\n  backend:\n    type: openai\n    model: m\n    base_url: {url}\n"
        )
    };
    let place = Place::new(&backend("https://${TEAM_HOST}/v1"));
    let file = place.config().display().to_string();
    let check = async |host: &str| {
        let mut command = place.command(&program("plancard"));
        let ran = command.args(["config", "check", &file]).env("TEAM_HOST", host).output().await;
        let ran = ran.expect("the program can be started");
        (said(&ran.stdout), ran.status.code())
    };
    assert_eq!(check("llm.example").await, (format!("{file}: no problems\n"), Some(0)));
    let (told, code) = check("me:hunter2@llm.example").await;
    assert!(told.contains(":6: error: agents.a.backend.base_url holds a name or a password"));
    assert!(!told.contains("hunter2"), "{told}");
    assert_eq!(code, Some(1));
    let ran = plancard(&place, &["config", "check", &file]).await;
    let unset =
        "agents.a.backend.base_url needs the environment variable TEAM_HOST, which is not set";
    assert_eq!(said(&ran.stdout), format!("{file}:6: warning: {unset}\n"));
    assert_eq!(ran.status.code(), Some(0));
}

#[tokio::test]
async fn the_blocks_of_the_documents_load_unchanged() {
    let seeds = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/config/seeds");
    let place = Place::new("");
    let mut checked = 0;
    for seed in std::fs::read_dir(seeds).unwrap() {
        let seed = seed.unwrap().path().display().to_string();
        let ran = plancard(&place, &["config", "check", &seed]).await;
        assert_eq!(ran.status.code(), Some(0), "{}", said(&ran.stdout));
        checked += 1;
    }
    assert_eq!(checked, 10);
}
