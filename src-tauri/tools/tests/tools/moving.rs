//! Moving, deleting and finding files.

use crate::support::{Desk, desk};
use serde_json::json;
use std::os::unix::fs::symlink;
use tools::{ChangeKind, Effect, Target};

fn told(changes: &[tools::Change]) -> Vec<(&str, ChangeKind)> {
    changes.iter().map(|change| (change.path.as_str(), change.kind)).collect()
}

fn trashed(desk: &Desk) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(desk.trash.path().join("files")) else {
        return Vec::new();
    };
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[tokio::test]
async fn a_file_is_moved_with_new_folders_and_both_ends_are_told() {
    let desk = desk();
    desk.put("a.txt", "1");
    let args = json!({"from": "a.txt", "to": "deep/er/b.txt"});
    let facts = desk.facts("move_file", args.clone()).unwrap();
    assert_eq!(facts.effect, Effect::Write);
    let target = |path: &str| Target::Path { path: path.into(), outside: false, write: true };
    assert_eq!(facts.targets, [target("a.txt"), target("deep/er/b.txt")]);
    let output = desk.run("move_file", args).await.unwrap();
    assert_eq!(
        told(&output.changed),
        [
            ("a.txt", ChangeKind::Deleted),
            ("deep/er/b.txt", ChangeKind::Created),
            ("deep", ChangeKind::Created)
        ]
    );
    assert_eq!(desk.get("deep/er/b.txt"), "1");
    assert!(!desk.path("a.txt").exists());
}

#[tokio::test]
async fn moving_replaces_nothing_and_says_what_is_wrong() {
    let desk = desk();
    desk.put("a", "1");
    desk.put("b", "2");
    desk.put("d/x", "3");
    for (from, to, code) in [
        ("a", "b", "EXISTS"),
        ("a", "d", "EXISTS"),
        ("none", "c", "NOT_FOUND"),
        ("d", "d/inside", "BAD_ARGUMENTS"),
        ("a", "b/c", "WRONG_KIND"),
        (".", "c", "WRONG_KIND"),
        ("a", "../c", "OUTSIDE_WORKSPACE"),
        ("../x", "c", "OUTSIDE_WORKSPACE"),
        ("a", ".git/hooks/pre-commit", "PROTECTED"),
        ("a", "sub/.GIT", "PROTECTED"),
    ] {
        let found = desk.fails("move_file", json!({"from": from, "to": to})).await;
        assert_eq!(found, code, "{from} to {to}");
    }
    assert_eq!((desk.get("a"), desk.get("b")), ("1".into(), "2".into()));
    assert!(!desk.path("c").exists());
}

#[tokio::test]
async fn git_can_not_be_moved_or_deleted() {
    let desk = desk();
    desk.put(".git/config", "x");
    let away = json!({"from": ".git", "to": "elsewhere"});
    assert_eq!(desk.fails("move_file", away).await, "PROTECTED");
    assert_eq!(desk.fails("delete_file", json!({"path": ".git"})).await, "PROTECTED");
    assert_eq!(desk.fails("delete_file", json!({"path": ".git/config"})).await, "PROTECTED");
    assert_eq!(desk.get(".git/config"), "x");
}

#[tokio::test]
async fn a_deleted_file_is_in_the_trash_and_its_text_is_known() {
    let desk = desk();
    desk.put("a b.txt", "words");
    desk.put("d/x", "1");
    let output = desk.run("delete_file", json!({"path": "a b.txt"})).await.unwrap();
    assert_eq!(told(&output.changed), [("a b.txt", ChangeKind::Deleted)]);
    assert_eq!(output.contents, ["words"]);
    assert_eq!(output.changed[0].before, Some(blake3::hash(b"words").to_hex().to_string()));
    desk.run("delete_file", json!({"path": "d"})).await.unwrap();
    assert!(!desk.path("a b.txt").exists() && !desk.path("d").exists());
    let mut names = trashed(&desk);
    names.sort();
    assert_eq!(names, ["a b.txt", "d"]);
    let note = desk.trash.path().join("info/a b.txt.trashinfo");
    let note = std::fs::read_to_string(note).unwrap();
    let origin = desk.path("a b.txt").to_str().unwrap().replace(' ', "%20");
    assert!(note.contains(&format!("Path={origin}\n")), "{note}");
    assert_eq!(desk.fails("delete_file", json!({"path": "a b.txt"})).await, "NOT_FOUND");
    assert_eq!(desk.fails("delete_file", json!({"path": "."})).await, "WRONG_KIND");
}

#[tokio::test]
async fn a_link_itself_is_moved_and_deleted_never_what_it_leads_to() {
    let desk = desk();
    std::fs::write(desk.outside.path().join("secret"), "secret").unwrap();
    symlink(desk.outside.path().join("secret"), desk.path("link")).unwrap();
    symlink(desk.outside.path(), desk.path("dir")).unwrap();
    desk.run("move_file", json!({"from": "link", "to": "moved"})).await.unwrap();
    assert!(desk.path("moved").is_symlink());
    desk.run("delete_file", json!({"path": "moved"})).await.unwrap();
    for args in [json!({"path": "dir/secret"}), json!({"path": "dir/../dir/secret"})] {
        assert_eq!(desk.fails("delete_file", args).await, "OUTSIDE_WORKSPACE");
    }
    let into = json!({"from": "dir", "to": "dir/x"});
    assert!(desk.run("move_file", into).await.is_err());
    let secret = std::fs::read_to_string(desk.outside.path().join("secret")).unwrap();
    assert_eq!(secret, "secret");
}

#[tokio::test]
async fn files_are_found_by_pattern_and_ignored_ones_are_not() {
    let desk = desk();
    for name in ["src/a.rs", "src/deep/b.rs", "c.rs", "d.txt", "target/e.rs", ".hidden/f.rs"] {
        desk.put(name, "");
    }
    desk.put(".gitignore", "target\n");
    desk.put(".git/x.rs", "");
    let find = async |args| desk.run("glob", args).await.unwrap().text;
    assert_eq!(
        find(json!({"pattern": "*.rs"})).await,
        ".hidden/f.rs\nc.rs\nsrc/a.rs\nsrc/deep/b.rs"
    );
    assert_eq!(find(json!({"pattern": "src/*.rs"})).await, "src/a.rs");
    assert_eq!(find(json!({"pattern": "./src/**/*.rs"})).await, "src/a.rs\nsrc/deep/b.rs");
    assert_eq!(find(json!({"pattern": "*.rs", "path": "src/deep"})).await, "src/deep/b.rs");
    assert_eq!(find(json!({"pattern": "*.{txt,md}"})).await, "d.txt");
    assert_eq!(find(json!({"pattern": "*.py"})).await, "(nothing matches)");
    assert_eq!(desk.fails("glob", json!({"pattern": "a["})).await, "BAD_ARGUMENTS");
    assert_eq!(
        desk.fails("glob", json!({"pattern": "*", "path": ".."})).await,
        "OUTSIDE_WORKSPACE"
    );
    for n in 0..600 {
        desk.put(&format!("many/{n}.log"), "");
    }
    let many = desk.run("glob", json!({"pattern": "*.log"})).await.unwrap();
    assert!(many.text.contains("[… 100 more left out"), "{}", many.text);
    assert_eq!(many.full.unwrap().lines().count(), 600);
}
