//! The folder's own path in a copy of it: a model has seen it, and what it does there is not lost.

use crate::shared_objects::{repository, sidekick};
use crate::support::{Desk, desk};
use serde_json::json;

async fn the_path_of_the_folder_means_the_copy(first: Desk) {
    first.put("a.txt", "1\n");
    let other = sidekick(&first).await;
    other.put("a.txt", "of the copy\n");
    let root = first.ws.root().display().to_string();
    let read = other.shell(&format!("cat {root}/a.txt; ls {root}")).await;
    assert!(read.text.contains("of the copy\na.txt\n"), "{}", read.text);
    // What can't be kept is refused, and not put where nobody looks.
    for command in ["echo x >> {}/a.txt", "echo x > {}/new.txt", "mkdir -p {}/sub"] {
        let command = command.replace("{}", &root);
        let said = other.shell(&format!("{command} && echo written; true")).await.text;
        assert!(said.contains("Read-only file system") && !said.contains("written"), "{said}");
    }
    for (path, text) in [("a.txt", "by a tool\n"), ("sub/b.txt", "new\n")] {
        let written = json!({ "path": format!("{root}/{path}"), "content": text });
        other.run("write_file", written).await.unwrap();
        assert_eq!(std::fs::read_to_string(other.path(path)).unwrap(), text);
    }
    assert_eq!(std::fs::read_to_string(first.path("a.txt")).unwrap(), "1\n");
    assert!(!first.path("sub").exists());
}

#[tokio::test]
async fn in_a_copy_of_a_repository() {
    the_path_of_the_folder_means_the_copy(repository()).await;
}

#[tokio::test]
async fn in_a_plain_copy() {
    the_path_of_the_folder_means_the_copy(desk()).await;
}

#[tokio::test]
async fn git_works_in_both_places() {
    let first = repository();
    let other = sidekick(&first).await;
    let root = first.ws.root().display().to_string();
    let said = other.shell(&format!("git log --format=%s && git -C {root} log --format=%s")).await;
    assert_eq!(said.text.matches("first").count(), 2, "{}", said.text);
}
