//! The folder a room's commands stand in.

use crate::support::desk;
use serde_json::json;

#[tokio::test]
async fn a_change_of_folder_is_kept_and_told() {
    let desk = desk();
    desk.put("src/deep er/a", "1");
    let moved = desk.shell("cd 'src/deep er' && touch made").await;
    assert_eq!(
        moved.text,
        "(it succeeded and said nothing)\n[the next command starts in src/deep er/]"
    );
    assert_eq!(desk.shell("cat a; ls").await.text, "1a\nmade\n");
    let failed = desk.shell("cd ..; false").await;
    assert!(failed.text.ends_with("(exit code 1)\n[the next command starts in src/]"));
    assert_eq!(desk.shell("pwd").await.text, format!("{}\n", desk.path("src").display()));
    let back = desk.shell("cd ..; :").await;
    assert_eq!(
        back.text,
        "(it succeeded and said nothing)\n[the next command starts in the workspace itself]"
    );
}

#[tokio::test]
async fn looking_moves_too_and_another_room_stands_elsewhere() {
    let desk = desk();
    desk.put("src/a", "1");
    desk.shell("cd src && ls").await;
    assert_eq!(desk.shell("ls").await.text, "a\n");
    let mut other = desk.ctx.clone();
    other.shell = tools::Shell::default();
    let there =
        desk.toolbox.run("shell", &json!({"command": "ls"}), &desk.ws, &other).await.unwrap();
    assert_eq!(there.text, "src\n");
}

#[tokio::test]
async fn no_folder_outside_is_kept() {
    let desk = desk();
    desk.put("src/a", "1");
    desk.shell("cd src").await;
    for place in ["/tmp", "/usr", "~"] {
        let output = desk.shell(&format!("cd {place}; :")).await;
        assert!(output.text.contains("starts in src/ again"), "{place}: {}", output.text);
    }
    // What a command claims about itself is looked at before it is believed.
    let lie = "for fd in /proc/self/fd/*; do echo /etc > $fd; done 2>/dev/null; :";
    desk.shell(lie).await;
    assert_eq!(desk.shell("ls").await.text, "a\n");
}

#[tokio::test]
async fn nothing_runs_for_a_folder_that_is_gone() {
    let desk = desk();
    desk.put("src/a", "1");
    desk.shell("cd src").await;
    std::fs::remove_dir_all(desk.path("src")).unwrap();
    let call = json!({"command": "touch made"});
    let error = desk.run("shell", call.clone()).await.unwrap_err();
    assert_eq!(error.code(), "NOT_FOUND");
    assert!(error.to_string().contains("the next command starts in the workspace itself"));
    assert!(!desk.path("made").exists());
    desk.run("shell", call).await.unwrap();
    assert!(desk.path("made").exists());
}

#[tokio::test]
async fn a_folder_can_be_given_for_one_call() {
    let desk = desk();
    desk.put("src/a", "1");
    let there = desk.run("shell", json!({"command": "cd .; ls", "folder": "src"})).await.unwrap();
    assert_eq!(there.text, "a\n");
    assert_eq!(desk.shell("ls").await.text, "src\n");
    for (folder, code) in [
        ("..", "OUTSIDE_WORKSPACE"),
        ("/etc", "OUTSIDE_WORKSPACE"),
        ("build", "NOT_FOUND"),
        ("src/a", "NOT_FOUND"),
    ] {
        let call = json!({"command": "rm -rf *; ls", "folder": folder});
        assert_eq!(desk.fails("shell", call).await, code);
    }
    assert_eq!(desk.shell("ls").await.text, "src\n");
}

/// Nothing vouches for what a command says of the folder it ended in.
#[tokio::test]
async fn a_folder_that_is_not_there_is_not_gone_to() {
    let desk = desk();
    desk.put("src/a.txt", "");
    desk.shell("cd src").await;
    let told = "for all in /proc/self/fd/*; do printf 'no/such\\n' > $all; done 2>/dev/null; true";
    let lied = desk.shell(told).await;
    assert!(lied.text.contains("[the next command starts in src/ again]"), "{}", lied.text);
    assert_eq!(desk.shell("ls").await.text, "a.txt\n");
}
