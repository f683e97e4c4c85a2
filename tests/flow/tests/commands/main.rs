//! `plancard` as a command line: what its words do.

mod config_check;
mod council;
mod doctor;
mod window;

use flow::Place;
use std::process::Output;
use support::program;

fn said(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs `plancard` with these words in a home, until it ends.
async fn plancard(place: &Place, words: &[&str]) -> Output {
    let ran = place.command(&program("plancard")).args(words).output().await;
    ran.expect("the program can be started")
}

#[tokio::test]
async fn unknown_words_are_refused_with_what_there_is() {
    let place = Place::new("");
    for words in [&["sreve"][..], &["--serve"], &["https://example.org"], &["-x", "serve"]] {
        let ran = plancard(&place, words).await;
        let errors = said(&ran.stderr);
        assert_eq!(ran.status.code(), Some(2), "{words:?}");
        assert!(errors.starts_with("plancard: "), "{errors}");
        assert!(errors.contains(words[0]), "it names what it did not understand: {errors}");
        assert!(
            ["serve", "doctor", "council", "config"].iter().all(|word| errors.contains(word)),
            "{errors}"
        );
        assert_eq!(said(&ran.stdout), "");
    }
    let meant = said(&plancard(&place, &["sreve"]).await.stderr);
    assert!(meant.contains("'serve'"), "it guesses what was meant: {meant}");
    assert!(!place.data().exists(), "nothing was begun");
}

#[tokio::test]
async fn help_and_version_are_answers_and_no_errors() {
    let place = Place::new("");
    for words in [&["help"][..], &["--help"], &["-h"], &["help", "serve"], &["serve", "--help"]] {
        let ran = plancard(&place, words).await;
        assert!(ran.status.success(), "{words:?}");
        assert!(said(&ran.stdout).contains("PLANCARD_DATA"), "{words:?}");
        assert_eq!(said(&ran.stderr), "", "{words:?}");
    }
    let version = plancard(&place, &["--version"]).await;
    assert_eq!(said(&version.stdout), format!("plancard {}\n", env!("CARGO_PKG_VERSION")));
    let script = plancard(&place, &["completions", "bash"]).await;
    assert!(said(&script.stdout).contains("serve"), "a shell learns the commands");
}
