//! Commands cannot plant anything that the person's git would run.

use crate::support::{Desk, desk};
use std::process::Command;
use tools::ChangeKind;

fn repository() -> Desk {
    let desk = desk();
    let git = |args: &[&str]| {
        let status = Command::new("git").arg("-C").arg(desk.ws.root()).args(args).output().unwrap();
        assert!(status.status.success(), "{status:?}");
    };
    git(&["init", "-q"]);
    git(&["config", "user.email", "a@example.com"]);
    git(&["config", "user.name", "A"]);
    desk.put("a.txt", "1\n");
    git(&["add", "."]);
    git(&["commit", "-qm", "first"]);
    desk
}

#[tokio::test]
async fn ordinary_git_works() {
    let desk = repository();
    let output =
        desk.shell("echo 2 >> a.txt && git commit -qam second && git log --format=%s").await;
    assert_eq!(output.text, "second\nfirst\n");
    assert!(!output.failed);
    assert_eq!(output.changed.len(), 1, "{:?}", output.changed);
    let status = desk.shell("git status --short").await;
    assert_eq!(status.text, "(it succeeded and said nothing)");
}

#[tokio::test]
async fn what_git_takes_orders_from_is_read_only() {
    let desk = repository();
    desk.put(".git/modules/m/config", "");
    let config = desk.get(".git/config");
    for attack in [
        "echo x > .git/hooks/pre-commit",
        "echo x >> .git/config",
        "git config core.fsmonitor ./evil",
        "echo x > .git/info/attributes",
        "echo x > .git/modules/m/config",
        "mv .git x",
        "mv .git/hooks .git/other",
        "mv .git/config .git/other",
        "rm -rf .git/hooks",
        "rm .git/config",
        "rmdir .git",
        "ln -sfT /tmp .git",
        "mkdir /tmp/g && mv -T /tmp/g .git",
        "umount .git/hooks",
        "mount --bind /tmp .git/hooks",
        "mount -o remount,rw .git/hooks && echo x > .git/hooks/x",
        "unshare -rm sh -c 'umount .git/hooks || mount -o remount,bind,rw .git/hooks'",
        "chmod 777 .git/hooks",
    ] {
        let output = desk.shell(attack).await;
        assert!(output.failed, "{attack}: {}", output.text);
    }
    assert_eq!(desk.get(".git/config"), config);
    assert!(!desk.path(".git/hooks/pre-commit").exists());
    assert!(desk.path(".git").is_dir() && !desk.path("x").exists());
}

#[tokio::test]
async fn parts_that_were_missing_are_set_aside_when_they_appear() {
    let desk = repository();
    std::fs::remove_dir_all(desk.path(".git/hooks")).unwrap();
    let output = desk
        .shell("mkdir .git/hooks && echo x > .git/hooks/pre-commit; echo ../evil > .git/commondir")
        .await;
    assert!(output.text.contains(".git/hooks may not be made"), "{}", output.text);
    assert!(!desk.path(".git/hooks").exists() && !desk.path(".git/commondir").exists());
    assert_eq!(desk.get(".git/hooks.refused-1/pre-commit"), "x\n");
}

#[tokio::test]
async fn a_link_in_git_is_not_followed_out_and_is_put_back() {
    let desk = repository();
    std::fs::write(desk.outside.path().join("secret"), "secret").unwrap();
    std::fs::remove_dir_all(desk.path(".git/hooks")).unwrap();
    std::os::unix::fs::symlink(desk.outside.path(), desk.path(".git/hooks")).unwrap();
    assert!(
        desk.shell("cat .git/hooks/secret; ls .git/hooks/; false")
            .await
            .text
            .contains("No such file")
    );
    desk.shell("rm .git/hooks; mkdir .git/hooks").await;
    assert_eq!(std::fs::read_link(desk.path(".git/hooks")).unwrap(), desk.outside.path());
}

#[tokio::test]
async fn a_new_repository_is_told() {
    let desk = desk();
    let output = desk.shell("git init -q .").await;
    let told: Vec<_> = output.changed.iter().map(|c| (c.path.as_str(), c.kind)).collect();
    assert_eq!(told, [(".git", ChangeKind::Created)]);
}

#[tokio::test]
async fn a_linked_work_tree_can_be_looked_at() {
    let mut desk = repository();
    let tree = desk.outside.path().join("tree");
    let added = Command::new("git")
        .arg("-C")
        .arg(desk.ws.root())
        .args(["worktree", "add", "-q"])
        .arg(&tree)
        .output();
    assert!(added.unwrap().status.success());
    desk.ws = tools::Workspace::open(&tree).unwrap();
    assert_eq!(desk.shell("git log --format=%s").await.text, "first\n");
    assert!(desk.shell("echo x > .git").await.failed);
    assert!(desk.shell("git config a.b c").await.failed);
}
