//! Commands cannot plant anything that the person's git would run.

use crate::support::{Desk, desk, until};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::AsyncReadExt;
use tools::{ChangeKind, ToolError};

fn repository() -> Desk {
    let desk = desk();
    let git = |args: &[&str]| {
        let status = Command::new("git").arg("-C").arg(desk.ws.root()).args(args).output().unwrap();
        assert!(status.status.success(), "{status:?}");
    };
    git(&["init", "-q"]);
    git(&["config", "user.email", "a@example.com"]);
    git(&["config", "user.name", "A"]);
    // Some templates have it.
    let _ = std::fs::remove_dir(desk.path(".git/branches"));
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
    assert!(status.text.contains("said nothing"), "{}", status.text);
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
        "echo https://evil > .git/branches/x",
        "mkdir -p .git/remotes && echo URL: ext::evil > .git/remotes/origin",
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

/// What is in `.git`, without what git writes there at work.
fn parts(desk: &Desk) -> Vec<String> {
    let names = std::fs::read_dir(desk.path(".git")).unwrap().flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let known = [
        "hooks",
        "config",
        "config.worktree",
        "info",
        "modules",
        "commondir",
        "branches",
        "remotes",
    ];
    let mut names: Vec<String> = names.filter(|name| known.contains(&name.as_str())).collect();
    names.sort();
    names
}

#[tokio::test]
async fn parts_that_are_missing_cannot_be_made() {
    let desk = repository();
    std::fs::remove_dir_all(desk.path(".git/hooks")).unwrap();
    std::fs::remove_dir_all(desk.path(".git/info")).unwrap();
    for attack in [
        "mkdir -p .git/branches && echo https://evil > .git/branches/x",
        "mkdir -p .git/remotes && echo URL: ext::evil > .git/remotes/x",
        "mkdir y && mv -T y .git/remotes",
        "printf '../evil' > .git/commondir",
        "rm -f .git/commondir; printf '../evil' > .git/commondir",
        "echo ../evil > x && mv x .git/commondir",
        "ln -sf ../evil .git/commondir",
        "echo x > .git/hooks/pre-commit",
        "rmdir .git/hooks; mkdir .git/hooks && echo x > .git/hooks/pre-commit",
        "mkdir y && mv -T y .git/hooks",
        "echo x > .git/config.worktree",
        "echo x > .git/info/attributes",
        "mkdir .git/modules/m",
    ] {
        let output = desk.shell(&format!("( {attack} )")).await;
        assert!(output.failed, "{attack}: {}", output.text);
        assert_eq!(parts(&desk), ["config"], "{attack}: nothing is left");
    }
    let output = desk.shell("echo 2 >> a.txt; git commit -qam second && git log --format=%s").await;
    assert_eq!(output.text, "second\nfirst\n");
}

#[tokio::test]
async fn nor_can_a_job_or_a_program_make_them() {
    let desk = repository();
    std::fs::remove_dir_all(desk.path(".git/hooks")).unwrap();
    let attack = "echo ../evil > .git/commondir; echo x > .git/hooks/pre-commit; echo tried; cat";
    let job = json!({"command": attack, "background": true});
    desk.run("shell", job).await.unwrap();
    let start = tools::ProgramStart {
        workspace: desk.ws.clone(),
        profile: tools::Profile::Work,
        command: "sh".to_owned(),
        args: vec!["-c".to_owned(), attack.to_owned()],
        env: Default::default(),
        cwd: None,
        read: Vec::new(),
        workspaces: tools::Workspaces::default(),
        shared: Vec::new(),
        hosts: Vec::new(),
        private_hosts: Default::default(),
        hidden: Default::default(),
    };
    let mut started = tools::start_program(start).await.unwrap();
    let mut said = [0; 6];
    started.stdout.read_exact(&mut said).await.unwrap();
    assert_eq!(&said, b"tried\n");
    desk.run("job_output", json!({"job": 1, "wait_seconds": 20})).await.unwrap();
    assert_eq!(desk.get(".git/commondir"), ".\n");
    assert!(!desk.path(".git/hooks/pre-commit").exists());
    started.program.end().await;
    assert_eq!(parts(&desk), ["config", "info"]);
}

#[tokio::test]
async fn what_a_killed_program_left_is_taken_away() {
    let desk = repository();
    std::fs::create_dir(desk.path(".git/modules")).unwrap();
    desk.put(".git/config.worktree", "");
    desk.shell("echo x > x").await;
    assert_eq!(parts(&desk), ["config", "config.worktree", "hooks", "info", "modules"], "not ours");
    desk.put(".git/commondir", ".\n");
    desk.shell("echo x > x").await;
    assert_eq!(parts(&desk), ["config", "hooks", "info"]);
}

/// What stands in for missing parts changes nothing for the person's git.
#[tokio::test]
async fn the_persons_git_works_meanwhile() {
    let desk = repository();
    std::fs::remove_dir_all(desk.path(".git/hooks")).unwrap();
    let job = json!({"command": "sleep 60", "background": true});
    desk.run("shell", job.clone()).await.unwrap();
    desk.run("shell", job).await.unwrap();
    assert_eq!(desk.get(".git/commondir"), ".\n");
    let host = desk.outside.path().join("tree");
    let script = "set -e; git status --porcelain; echo 2 >> a.txt; git commit -qam second; \
        git branch side HEAD~1; git worktree add -q \"$0\" side; \
        (cd \"$0\"; echo x > b.txt; git add .; git commit -qm on-side); echo 3 >> a.txt; \
        git stash -q; git stash pop -q; git commit -qam third; git rebase -q side; git gc -q; \
        git fsck --no-dangling; git worktree remove \"$0\"; git log --format=%s; git status --porcelain";
    let run = |script: &str| {
        let mut run = Command::new("sh");
        let output = run.current_dir(desk.ws.root()).args(["-c", script]).arg(&host).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(run(script), "third\nsecond\non-side\nfirst\n");
    // One ends, and the other is still held to it.
    desk.run("job_stop", json!({"job": 1})).await.unwrap();
    assert_eq!(desk.get(".git/commondir"), ".\n");
    // What the person made of it stays.
    desk.put(".git/hooks/pre-commit", "");
    desk.run("job_stop", json!({"job": 2})).await.unwrap();
    assert_eq!(parts(&desk), ["config", "hooks", "info"]);
}

/// Where a placeholder would change something, `.git` is read-only instead.
#[tokio::test]
async fn a_repository_of_another_kind_is_only_looked_at() {
    for (name, value) in [("core.worktree", "/x"), ("core.bare", "true")] {
        let desk = repository();
        let mut set = Command::new("git");
        let set = set.arg("-C").arg(desk.ws.root()).args(["config", name, value]).status();
        assert!(set.unwrap().success());
        assert!(desk.shell("echo . > .git/commondir").await.failed, "{name}");
        assert!(desk.shell("echo x > .git/new").await.failed, "{name}");
        assert!(!desk.shell("echo x > new").await.failed, "{name}");
    }
}

#[tokio::test]
async fn a_link_in_git_is_not_followed_out_and_stays() {
    let desk = repository();
    std::fs::write(desk.outside.path().join("secret"), "secret").unwrap();
    std::fs::remove_dir_all(desk.path(".git/hooks")).unwrap();
    symlink(desk.outside.path(), desk.path(".git/hooks")).unwrap();
    let looked = desk.shell("cat .git/hooks/secret; ls .git/hooks/; false").await;
    assert!(looked.text.contains("No such file"), "{}", looked.text);
    assert!(desk.shell("rm .git/hooks").await.failed);
    assert_eq!(std::fs::read_link(desk.path(".git/hooks")).unwrap(), desk.outside.path());
}

async fn all_fail(desk: &Desk, attacks: &[&str]) {
    for attack in attacks {
        let output = desk.shell(&format!("( {attack} )")).await;
        assert!(output.failed, "{attack}: {}", output.text);
    }
}

async fn are_protected(desk: &Desk, write: &[&str], take: &[&str]) {
    for path in write {
        let call = json!({"path": path, "content": "x"});
        assert_eq!(desk.fails("write_file", call).await, "PROTECTED", "{path}");
        let call = json!({"from": "a.txt", "to": path});
        assert_eq!(desk.fails("move_file", call).await, "PROTECTED", "{path}");
    }
    for path in take {
        assert_eq!(desk.fails("delete_file", json!({"path": path})).await, "PROTECTED", "{path}");
        let call = json!({"from": path, "to": "elsewhere"});
        assert_eq!(desk.fails("move_file", call).await, "PROTECTED", "{path}");
    }
}

#[tokio::test]
async fn parts_behind_links_are_protected_where_they_are() {
    let desk = repository();
    desk.put("deep/hk/pre-commit.sample", "");
    std::fs::remove_dir_all(desk.path(".git/hooks")).unwrap();
    symlink("../deep/hk", desk.path(".git/hooks")).unwrap();
    std::fs::rename(desk.path(".git/config"), desk.path("cf")).unwrap();
    symlink("../cf", desk.path(".git/config")).unwrap();
    symlink("../later", desk.path(".git/config.worktree")).unwrap();
    let attacks = [
        "echo x > deep/hk/pre-commit",
        "mv deep other",
        "mv deep/hk deep/other",
        "rm .git/hooks",
        "ln -sfT ../evil .git/hooks",
        "echo x >> cf",
        "mv cf other",
        "rm .git/config",
        "echo x > later",
    ];
    all_fail(&desk, &attacks).await;
    assert!(!desk.shell("echo x > deep/fine").await.failed);
    are_protected(&desk, &["deep/hk/pre-commit", "cf", "later"], &["deep/hk", "deep", "cf"]).await;
    let edit = json!({"path": "cf", "old": "[core]", "new": "[x]"});
    assert_eq!(desk.fails("edit_file", edit).await, "PROTECTED");
}

#[tokio::test]
async fn a_file_that_names_gits_folder_is_followed() {
    let desk = repository();
    std::fs::create_dir(desk.path("deep")).unwrap();
    std::fs::rename(desk.path(".git"), desk.path("deep/real")).unwrap();
    desk.put(".git", "gitdir: deep/real\n");
    let look = desk.shell("echo 2 >> a.txt; git log --format=%s").await;
    assert_eq!(look.text, "first\n");
    let attacks = [
        "git commit -qam second",
        "echo x > deep/real/new",
        "echo x > deep/real/hooks/pre-commit",
        "echo x >> deep/real/config",
        "echo ../../evil > deep/real/commondir",
        "mv deep other",
        "mv deep/real other",
        "echo gitdir: evil > .git",
        "rm .git",
        "echo gitdir: evil > x && mv x .git",
    ];
    all_fail(&desk, &attacks).await;
    are_protected(
        &desk,
        &["deep/real/hooks/pre-commit", "deep/real/new", ".git"],
        &["deep/real/config", "deep/real", "deep", ".git"],
    )
    .await;
    assert!(!desk.path("deep/real/commondir").exists());
}

#[tokio::test]
async fn a_link_to_gits_folder_is_followed_and_stays() {
    let desk = repository();
    std::fs::rename(desk.path(".git"), desk.path("real")).unwrap();
    symlink("real", desk.path(".git")).unwrap();
    desk.put("src/a.rs", "");
    let attacks = [
        "rm .git",
        "ln -sfT evil .git",
        "mv .git other",
        "echo x > real/hooks/pre-commit",
        "echo x >> real/config",
        "echo ../evil > real/commondir",
        "mv real other",
    ];
    all_fail(&desk, &attacks).await;
    let work = desk.shell("echo 2 > src/a.rs; git status --short").await;
    assert!(!work.failed && work.text.contains("src/"), "{}", work.text);
    are_protected(&desk, &["real/hooks/pre-commit"], &["real/config", "real", ".git"]).await;
}

#[tokio::test]
async fn a_linked_work_tree_cannot_be_led_elsewhere() {
    let desk = repository();
    let add = Command::new("git")
        .arg("-C")
        .arg(desk.ws.root())
        .args(["worktree", "add", "-q", "tree"])
        .output();
    assert!(add.unwrap().status.success());
    let commit = desk.shell("( cd tree && echo 2 >> a.txt && git commit -qam second )").await;
    assert!(!commit.failed, "{}", commit.text);
    let attacks = [
        "echo ../../../evil > .git/worktrees/tree/commondir",
        "echo x > .git/worktrees/tree/config.worktree",
        "mv .git/worktrees .git/other",
        "mv .git/worktrees/tree .git/other",
    ];
    all_fail(&desk, &attacks).await;
}

#[tokio::test]
async fn a_new_repository_is_told() {
    let desk = desk();
    let output = desk.shell("git init -q .").await;
    let told: Vec<_> = output.changed.iter().map(|c| (c.path.as_str(), c.kind)).collect();
    assert_eq!(told, [(".git", ChangeKind::Created)]);
}

/// Whoever made it, and however much there is to look at.
#[tokio::test]
async fn a_new_repository_of_a_job_or_in_a_large_workspace_is_told() {
    let news = "there is a new git repository";
    let desk = desk();
    desk.run("shell", json!({"command": "git init -q .", "background": true})).await.unwrap();
    let ended = desk.run("job_output", json!({"job": 1, "wait_seconds": 20})).await.unwrap();
    assert!(ended.text.contains(news), "{}", ended.text);
    let made = desk.path("made");
    let job = json!({"command": "git init -q n; touch made; sleep 60", "background": true});
    desk.run("shell", job).await.unwrap();
    until("it was made", || made.exists()).await;
    let said = desk.shell("echo x > x").await.text;
    assert!(said.contains(&format!("{news} n/.git")), "while it runs: {said}");
    let stopped = desk.run("job_stop", json!({"job": 2})).await.unwrap().text;
    assert!(!stopped.contains(news), "it is told once: {stopped}");

    let desk = crate::support::desk();
    desk.shell("mkdir many; (cd many; seq 5001 | xargs touch)").await;
    let output = desk.shell("git init -q .").await;
    assert!(output.text.contains(news) && !output.changes_known, "{}", output.text);
}

/// The person's git runs what these name, so a command must not change it.
#[tokio::test]
async fn what_settings_name_in_the_workspace_is_read_only() {
    let desk = repository();
    desk.put(".husky/_/pre-commit", "");
    desk.put(".husky/pre-commit", "");
    desk.put("tools/watch", "");
    desk.put("tools/lint.py", "");
    desk.put("more.config", "[diff]\nexternal = ./differ\n");
    desk.put("differ", "");
    let config = desk.get(".git/config");
    let named = "[core]\nhooksPath = .husky/_\nfsmonitor = tools/watch --fast\n\
                 [filter \"lint\"]\nclean = python3 tools/lint.py %f\n\
                 [include]\npath = ../more.config\n";
    desk.put(".git/config", config + named);
    let attacks = [
        "echo x > .husky/_/pre-commit",
        "echo x > .husky/_/post-checkout",
        "echo x > .husky/pre-commit",
        "mv .husky other",
        "echo x > tools/watch",
        "rm tools/watch",
        "mv tools other",
        "echo x > tools/lint.py",
        "echo x > evil && mv evil tools/lint.py",
        "echo x >> more.config",
        "ln -sf evil differ",
    ];
    all_fail(&desk, &attacks).await;
    assert!(!desk.shell("echo x > tools/fine && echo x > fine").await.failed);
    let places = [".husky/_/pre-commit", "tools/watch", "tools/lint.py", "more.config", "differ"];
    are_protected(&desk, &places, &[".husky", "tools"]).await;
}

/// Also where the repository lies above the workspace, as in a folder of a larger project.
#[tokio::test]
async fn what_a_repository_above_names_is_read_only() {
    for made in [true, false] {
        let mut desk = repository();
        let config = desk.get(".git/config");
        let named = "[core]\nhooksPath = app/.husky/_\nfsmonitor = app/tools/watch\n";
        desk.put(".git/config", config + named);
        desk.put("app/a.txt", "1\n");
        desk.put("app/tools/watch", "");
        desk.put("app/lib/.git", "gitdir: ../../.git/modules/lib\n");
        desk.put(".gitmodules", "[submodule \"lib\"]\npath = app/lib\n");
        if made {
            desk.put("app/.husky/_/pre-commit", "");
        }
        desk.ws = tools::Workspace::open(desk.path("app")).unwrap();
        let attacks = [
            "mkdir -p .husky/_; echo x > .husky/_/pre-commit",
            "mkdir -p y && mv -T y .husky",
            "echo x > .husky/pre-commit",
            "echo x > tools/watch",
            "echo 'gitdir: ../evil' > lib/.git",
        ];
        all_fail(&desk, &attacks).await;
        assert_eq!(desk.path(".husky").exists(), made, "nothing is left");
        assert!(!desk.shell("echo x > fine && echo x > tools/fine").await.failed);
        are_protected(&desk, &[".husky/_/pre-commit", "tools/watch"], &["tools"]).await;
    }
}

#[tokio::test]
async fn hooks_that_settings_name_cannot_be_made() {
    let desk = repository();
    let config = desk.get(".git/config") + "[core]\nhooksPath = .githooks\n";
    desk.put(".git/config", config);
    let job = json!({"command": "sleep 60", "background": true});
    desk.run("shell", job).await.unwrap();
    let attacks = [
        "mkdir .githooks && echo x > .githooks/pre-commit",
        "echo x > .githooks/pre-commit",
        "rmdir .githooks",
        "mkdir y && mv -T y .githooks",
    ];
    all_fail(&desk, &attacks).await;
    // Also when a command that came later ended first.
    all_fail(&desk, &attacks).await;
    desk.run("job_stop", json!({"job": 1})).await.unwrap();
    assert!(!desk.path(".githooks").exists(), "nothing is left");
    desk.put(".githooks/pre-commit", "own\n");
    all_fail(&desk, &["echo x > .githooks/pre-commit"]).await;
    assert_eq!(desk.get(".githooks/pre-commit"), "own\n");
}

/// However many folders on the way are missing, for commands and for file tools.
#[tokio::test]
async fn no_level_of_a_missing_folder_for_hooks_can_be_made() {
    for (path, level) in [(".husky/_", ".husky"), ("a/b/hooks", "a")] {
        let desk = repository();
        let config = desk.get(".git/config") + &format!("[core]\nhooksPath = {path}\n");
        desk.put(".git/config", config);
        let hook = format!("{path}/post-commit");
        let attacks = [
            format!("mkdir -p {path}; echo x > {hook}"),
            format!("mkdir -p y && mv -T y {level}"),
            format!("mkdir -p y && mv -T y {path}"),
            format!("rm -rf {level}; mkdir {level}"),
            format!("mv {level} other"),
        ];
        all_fail(&desk, &attacks.each_ref().map(String::as_str)).await;
        assert!(!desk.path(level).exists(), "nothing is left of {path}");
        let call = json!({"path": hook, "content": "x"});
        assert_eq!(desk.fails("write_file", call).await, "PROTECTED", "{path}");
        desk.run("create_directory", json!({"path": "t/b/hooks"})).await.unwrap();
        let call = json!({"from": "t", "to": level});
        assert_eq!(desk.fails("move_file", call).await, "PROTECTED", "{path}");
        assert!(!desk.shell("echo x > fine && git add fine && git commit -qm x").await.failed);
    }
}

/// Git would start it as soon as it is there.
#[tokio::test]
async fn a_program_that_settings_name_and_that_is_missing_cannot_be_made() {
    let desk = repository();
    let config = desk.get(".git/config")
        + "[core]\nfsmonitor = tools/watch --fast\n[filter \"x\"]\nclean = python3 lint.py %f\n";
    desk.put(".git/config", config);
    let attacks = [
        "mkdir -p tools; echo x > tools/watch",
        "echo x > y; mv -fT y tools/watch",
        "rm -rf tools; mkdir tools",
        "echo x > lint.py",
        "mv tools other",
    ];
    all_fail(&desk, &attacks).await;
    are_protected(&desk, &["tools/watch", "lint.py"], &[]).await;
    assert!(!desk.path("tools").exists() && !desk.path("lint.py").exists(), "nothing is left");
}

/// Git obeys them as soon as they are there.
#[tokio::test]
async fn settings_that_are_included_and_missing_cannot_be_made() {
    let desk = repository();
    let config = desk.get(".git/config")
        + "[include]\npath = ../team.cfg\n[includeIf \"gitdir:/nowhere/\"]\npath = ../conf/own.cfg\n";
    desk.put(".git/config", config);
    let attacks = [
        "echo x > team.cfg",
        "echo x > y && mv y team.cfg",
        "ln -sf y team.cfg",
        "rm team.cfg",
        "mkdir -p conf; echo x > conf/own.cfg",
        "mkdir -p z && mv -T z conf",
    ];
    all_fail(&desk, &attacks).await;
    let work = desk.shell("rm -rf y z; echo x > fine; git add -A && git commit -qm second").await;
    assert!(!work.failed, "{}", work.text);
    assert_eq!(desk.shell("git ls-files").await.text, "a.txt\nfine\n", "no stand-in is added");
    assert!(!desk.path("team.cfg").exists() && !desk.path("conf").exists(), "nothing is left");
    are_protected(&desk, &["team.cfg", "conf/own.cfg"], &[]).await;
    let call = json!({"from": "fine", "to": "conf"});
    assert_eq!(desk.fails("move_file", call).await, "PROTECTED");
}

/// Git obeys them on another branch, and a command can choose that.
#[tokio::test]
async fn settings_under_a_condition_are_followed_before_it_holds() {
    let desk = repository();
    let config = desk.get(".git/config")
        + "[includeIf \"onbranch:evil\"]\npath = ../team.cfg\n[gc]\nrecentObjectsHook = tools/gc.sh\n";
    desk.put(".git/config", config);
    desk.put("team.cfg", "[core]\nhooksPath = hk\n[include]\npath = more.cfg\n");
    desk.put(
        "more.cfg",
        "[includeIf \"onbranch:x\"]\npath = it's.cfg\n[filter \"f\"]\nclean = a/b.sh\n",
    );
    desk.put("it's.cfg", "[core]\nfsmonitor = ./watch\n");
    for path in ["hk/pre-commit", "a/b.sh", "watch", "tools/gc.sh"] {
        desk.put(path, "#!/bin/sh\n");
    }
    let places =
        ["team.cfg", "more.cfg", "it's.cfg", "hk/pre-commit", "a/b.sh", "watch", "tools/gc.sh"];
    let attacks = places.map(|place| format!("git checkout -q -B evil; echo x > \"{place}\""));
    all_fail(&desk, &attacks.each_ref().map(String::as_str)).await;
    are_protected(&desk, &places, &["hk", "more.cfg"]).await;
    // What can't be read may name anything.
    std::fs::write(desk.path("more.cfg"), "[core").unwrap();
    all_fail(&desk, &["echo x >> .git/packed-refs"]).await;
}

/// The person's git looks into them from the top.
#[tokio::test]
async fn a_submodule_cannot_be_led_elsewhere() {
    let desk = repository();
    let git = |args: &[&str]| {
        let run = Command::new("git").arg("-C").arg(desk.ws.root()).args(args).output().unwrap();
        assert!(run.status.success(), "{run:?}");
    };
    let top = desk.ws.root().to_str().unwrap();
    let copy = desk.outside.path().join("lib");
    let copy = copy.to_str().unwrap();
    git(&["clone", "-q", top, copy]);
    git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", copy, "lib"]);
    // One of the old kind, with its repository in it.
    git(&["clone", "-q", copy, "old"]);
    git(&["-c", "advice.addEmbeddedRepo=false", "add", "old"]);
    git(&["worktree", "add", "-q", "tree"]);
    git(&["commit", "-qm", "modules"]);
    let (file, config) = (desk.get("lib/.git"), desk.get("old/.git/config"));
    let attacks = [
        "echo 'gitdir: ../.git/evil' > lib/.git",
        "echo 'gitdir: ../evil' > x && mv x lib/.git",
        "rm lib/.git",
        "mv lib other",
        "rm -rf lib; mkdir lib && git init -q lib",
        "git -C old config core.fsmonitor ./evil",
        "echo x > old/.git/hooks/pre-commit",
        "mv old/.git x",
        "mv old other",
        "echo 'gitdir: ../evil' > tree/.git",
        "echo ../evil > .git/worktrees/tree/gitdir",
    ];
    all_fail(&desk, &attacks).await;
    // Also when neither the index nor `.gitmodules` tells of them any more.
    desk.shell("git rm -q --cached lib old; rm -rf .gitmodules").await;
    all_fail(&desk, &attacks).await;
    assert_eq!((desk.get("lib/.git"), desk.get("old/.git/config")), (file, config));
    let work = desk.shell("echo 2 > old/a.txt; git -C old commit -qam x; echo 2 > lib/a.txt").await;
    assert!(!work.failed, "{}", work.text);
}

/// It can't be kept from making one, so it is told, also where git ignores the folder; from then on
/// it is read-only.
#[tokio::test]
async fn a_repository_further_down_is_told() {
    let desk = repository();
    let output = desk.shell("git init -q sm && git -C sm config core.fsmonitor ./evil").await;
    let changed: Vec<_> = output.changed.iter().map(|change| change.path.as_str()).collect();
    assert_eq!(changed, ["sm/.git"]);
    let said = output.text;
    assert!(said.contains("a new git repository sm/.git"), "{said}");
    assert!(said.contains("git runs what it names there: core.fsmonitor"), "{said}");
    let said = desk.shell("echo x > sm/x; git -C sm status -s").await.text;
    assert!(!said.contains("git repository"), "it is told once: {said}");
    all_fail(&desk, &["echo x > sm/.git/hooks/pre-commit", "git -C sm config a.b c", "mv sm x"])
        .await;
    let said = desk.shell("git -C sm config a.b c").await.text;
    assert!(said.contains("read-only for commands: sm/.git;"), "{said}");
    let said = desk
        .shell("echo hid > .gitignore; git init -q hid; git -C hid config core.pager ./evil")
        .await
        .text;
    assert!(said.contains("new git repository hid/.git") && said.contains("core.pager"), "{said}");
    all_fail(&desk, &["git -C hid config core.fsmonitor ./evil"]).await;
    let said = desk.shell("mkdir -p .git/evil && cp .git/HEAD .git/config .git/evil").await.text;
    assert!(said.contains("a new git repository .git/evil"), "{said}");
    let file = desk.shell("echo 'gitdir: ../.git/evil' > y && mkdir n && mv y n/.git").await;
    assert!(file.text.contains("a new git repository n/.git"), "{}", file.text);
    all_fail(&desk, &["echo 'gitdir: ../.git/other' > n/.git", "rm n/.git"]).await;
}

/// Git itself writes the list, so it can't be kept from a command.
#[tokio::test]
async fn a_list_of_a_rebase_that_a_command_may_have_written_is_told() {
    let desk = repository();
    let told = |said: &str, tree: &str| {
        said.contains(&format!("can write what git runs when the rebase in {tree} goes on"))
    };
    let list = ".git/rebase-merge/git-rebase-todo";
    // However it is written: nobody reads the list.
    for line in ["x ./evil", "exec ./evil", "pick 1", "m -C 1 x"] {
        let plant = format!("mkdir -p .git/rebase-merge; echo '{line}' >> {list}");
        let said = desk.shell(&plant).await.text;
        assert!(told(&said, ".git"), "{said}");
    }
    assert!(!desk.shell("echo 1 > b").await.text.contains("rebase"), "it is told once");
    desk.shell("rm -r .git/rebase-merge; git add b; git commit -qm b").await;
    let said = desk.shell("git rebase -q -x false --root").await.text;
    assert!(told(&said, ".git"), "{said}");
    // The same list again, which lies elsewhere, after the person ended the first rebase.
    desk.shell("rm -rf .git/rebase-merge; mkdir kept; echo 'x ./evil' > kept/git-rebase-todo")
        .await;
    for _ in 0..2 {
        let said = desk.shell("ln -s ../kept .git/rebase-merge").await.text;
        assert!(told(&said, ".git"), "{said}");
        std::fs::remove_file(desk.path(".git/rebase-merge")).unwrap();
    }
    // In a linked work tree, the list lies in the repository.
    let tree = ".git/worktrees/tree";
    let linked =
        format!("mkdir -p {tree}/rebase-merge; echo x y > {tree}/rebase-merge/git-rebase-todo");
    let said = desk.shell(&linked).await.text;
    assert!(told(&said, tree), "{said}");
}

/// Git is asked about that very folder, not about the repository around it.
#[tokio::test]
async fn of_a_new_bare_repository_its_own_settings_are_told() {
    let desk = repository();
    let config = desk.get(".git/config") + "[core]\npager = outer\n";
    desk.put(".git/config", config);
    let said = desk.shell("git init -q --bare b; git -C b config core.fsmonitor ./evil").await.text;
    assert!(said.contains("the folder b for a bare repository now"), "{said}");
    assert!(said.contains("core.fsmonitor") && !said.contains("core.pager"), "{said}");
    let said = desk
        .shell(
            "mkdir -p c && mv $(git init -q --bare d; echo d) e; echo ../e > c/commondir; \
                echo 'ref: refs/heads/x' > c/HEAD; git -C e config alias.x '!y'",
        )
        .await
        .text;
    assert!(said.contains("the folder c for a bare repository now"), "{said}");
    assert_eq!(said.matches("alias.x").count(), 2, "{said}");
    // One that git takes for none names nothing.
    let said = desk.shell("mkdir -p f/refs f/objects; echo x > f/HEAD").await.text;
    assert!(said.contains("the folder f ") && !said.contains("WARNING"), "{said}");
}

/// It can't be kept from that, so it is told, at the top and anywhere else.
#[tokio::test]
async fn a_folder_made_to_look_like_a_bare_repository_is_told() {
    let desk = repository();
    let fake = "mkdir -p objects refs && echo 'ref: refs/heads/main' > HEAD";
    let said = desk.shell(&format!("mkdir -p deep/x && ( cd deep/x && {fake} )")).await.text;
    assert!(said.contains("git takes the folder deep/x for a bare repository now"), "{said}");
    // In two pieces, the first of which makes none.
    let said = desk.shell("echo 'ref: refs/heads/main' > HEAD").await.text;
    assert!(!said.contains("bare repository"), "{said}");
    let said = desk.shell("mkdir objects refs").await.text;
    assert!(said.contains("git takes the folder . for a bare repository now"), "{said}");
    let said = desk.shell("touch another").await.text;
    assert!(!said.contains("bare repository"), "it is told once: {said}");
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
    // Its repository is outside, so nothing can be committed, and that is said.
    for command in ["echo x > new && git add new", "git commit -qm x --allow-empty"] {
        let output = desk.shell(command).await;
        assert!(output.failed, "{command}: {}", output.text);
        assert!(output.text.contains("is a linked work tree"), "{command}: {}", output.text);
        assert!(output.text.contains("open a room for a clone"), "{command}: {}", output.text);
    }
    let other = desk.shell("cat nothing").await;
    assert!(other.failed && !other.text.contains("work tree"), "{}", other.text);
}

/// A file `.git` that a command wrote shows no other repository of the person's.
#[tokio::test]
async fn a_crafted_file_shows_no_other_repository() {
    let other = repository();
    let tree = other.outside.path().join("tree");
    let add = ["worktree", "add", "-q", tree.to_str().unwrap()];
    let added = Command::new("git").arg("-C").arg(other.ws.root()).args(add).output().unwrap();
    assert!(added.status.success(), "{added:?}");
    let folder = other.path(".git");
    let folder = folder.to_str().unwrap();
    for name in ["tree", "none"] {
        let desk = desk();
        desk.put(".git", format!("gitdir: {folder}/worktrees/{name}\n"));
        for command in [format!("cat {folder}/config"), format!("ls {folder}"), "git log".into()] {
            let output = desk.shell(&command).await;
            assert!(output.failed, "{name}: {command}: {}", output.text);
            let output = desk.shell(&format!("x=1; {command}")).await;
            assert!(output.failed, "{name}: {command}: {}", output.text);
        }
        let copied = desk.outside.path().join("copy");
        let cancel = tokio_util::sync::CancellationToken::new();
        let error = tools::copy::make(&desk.ws, &[], &copied, &cancel).unwrap_err().to_string();
        assert!(error.contains("it is part of another one"), "{error}");
    }
}

/// Somebody swaps `.git` for a link to the outside while commands start, over and over.
#[tokio::test]
async fn a_link_swapped_in_while_a_command_starts_leads_nowhere() {
    let desk = repository();
    let outside = desk.outside.path().canonicalize().unwrap();
    for folder in ["hooks", "info", "modules"] {
        std::fs::create_dir(outside.join(folder)).unwrap();
    }
    for file in ["config", "config.worktree", "commondir", "secret"] {
        std::fs::write(outside.join(file), "outside").unwrap();
    }
    symlink(&outside, desk.path("evil")).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let swapper = {
        let (stop, git, evil) = (stop.clone(), desk.path(".git"), desk.path("evil"));
        std::thread::spawn(move || {
            // Now at once, now later, so that every part of a command's start meets a swap.
            for round in 0.. {
                renameat_with(CWD, &git, CWD, &evil, RenameFlags::EXCHANGE).unwrap();
                if stop.load(Ordering::Relaxed) && !git.is_symlink() {
                    return;
                }
                std::thread::sleep(std::time::Duration::from_micros(round % 64 * 100));
            }
        })
    };
    let command = "cat .git/secret evil/secret; touch .git/planted evil/planted; echo ran";
    let (mut ran, mut refused) = (0, 0);
    for _ in 0..150 {
        // It may also be that nothing could be mounted.
        let Ok(output) = desk.run("shell", json!({ "command": command })).await else { continue };
        assert!(!output.text.contains("outside"), "{}", output.text);
        ran += usize::from(output.text.contains("ran\n"));
        refused += usize::from(output.text.contains("nothing was run"));
    }
    stop.store(true, Ordering::Relaxed);
    swapper.join().unwrap();
    assert!(!outside.join("planted").exists());
    println!("{ran} ran, {refused} refused");
    // Nothing of this hung on a command that never runs.
    let calm = desk.shell(command).await.text;
    assert!(calm.contains("ran\n") && !calm.contains("outside"), "{calm}");
}

#[tokio::test]
async fn file_tools_make_no_folder_that_git_takes_for_a_repository() {
    let desk = desk();
    let write = |path: &str| json!({ "path": path, "content": "x" });
    for path in ["HEAD", "objects/x", "config", "in/HEAD", "in/objects/x"] {
        desk.run("write_file", write(path)).await.unwrap();
    }
    // The last part makes it one, whichever it is and however it comes there.
    assert_eq!(desk.fails("write_file", write("refs/x")).await, "PROTECTED");
    assert_eq!(desk.fails("create_directory", json!({ "path": "in/refs" })).await, "PROTECTED");
    desk.run("write_file", write("other/x")).await.unwrap();
    let moved = json!({ "from": "other", "to": "refs" });
    assert_eq!(desk.fails("move_file", moved).await, "PROTECTED");
    // In one that is there, what git takes orders from stays as it is.
    desk.shell("mkdir refs").await;
    assert_eq!(desk.fails("write_file", write("config")).await, "PROTECTED");
    assert_eq!(desk.fails("write_file", write("hooks/post-commit")).await, "PROTECTED");
    desk.run("write_file", write("readme")).await.unwrap();
}

/// With a `commondir`, git finds the objects and references where that says.
#[tokio::test]
async fn nor_one_that_has_its_parts_elsewhere_whichever_comes_last() {
    let desk = desk();
    let write = |path: &str| json!({ "path": path, "content": "../d\n" });
    for path in ["a/HEAD", "a/config.worktree", "b/commondir", "c/commondir", "d/HEAD", "e/f/x"] {
        desk.run("write_file", write(path)).await.unwrap();
    }
    let moved = |from: &str, to: &str| json!({ "from": from, "to": to });
    for (tool, args) in [
        ("write_file", write("a/commondir")),
        ("create_directory", json!({ "path": "a/commondir/x" })),
        ("move_file", moved("b/commondir", "a/commondir")),
        ("write_file", write("b/HEAD")),
        ("move_file", moved("d/HEAD", "c/HEAD")),
        ("move_file", moved("e/f", "b/head")),
    ] {
        assert!(matches!(desk.facts(tool, args.clone()), Err(ToolError::Protected { .. })));
        assert_eq!(desk.fails(tool, args.clone()).await, "PROTECTED", "{tool} {args}");
    }
    // Git follows a link that is there, wherever it leads and whenever that is made.
    desk.shell("mkdir l; ln -s refs/heads/main l/HEAD; ln -s ../o l/objects").await;
    assert_eq!(desk.fails("write_file", write("l/refs/x")).await, "PROTECTED");
    desk.shell("mkdir k; ln -s ../later k/commondir").await;
    assert_eq!(desk.fails("write_file", write("k/HEAD")).await, "PROTECTED");
    // What is one is not led elsewhere, but what makes it one may go.
    desk.shell("mkdir -p r/objects r/refs; echo x | tee r/HEAD r/config r/commondir").await;
    for path in ["r/commondir", "r/config", "r/refs"] {
        assert_eq!(desk.fails("delete_file", json!({ "path": path })).await, "PROTECTED", "{path}");
    }
    let edit = json!({ "path": "r/config", "old": "x", "new": "y" });
    assert_eq!(desk.fails("edit_file", edit).await, "PROTECTED");
    desk.run("delete_file", json!({ "path": "r/HEAD" })).await.unwrap();
    desk.run("delete_file", json!({ "path": "r" })).await.unwrap();
}

/// Commands and file tools can each make a half of one, at the same time.
#[tokio::test]
async fn the_first_command_tells_of_a_repository_that_began_before_it() {
    let desk = desk();
    desk.put("in/objects/x", "");
    desk.run("write_file", json!({ "path": "in/HEAD", "content": "x" })).await.unwrap();
    std::fs::create_dir(desk.path("in/refs")).unwrap();
    let said = desk.shell("touch x").await.text;
    assert!(said.contains("git takes the folder in for a bare repository now"), "{said}");
}

/// The person's next `git status` in there would run it. Git ignores the folder, and a walk doesn't.
#[tokio::test]
async fn a_nested_repository_that_git_ignores_is_read_only() {
    let desk = repository();
    desk.put(".gitignore", "vendor\n");
    let nested = desk.path("vendor/lib");
    std::fs::create_dir_all(&nested).unwrap();
    let init = Command::new("git").args(["init", "-q"]).arg(&nested).status();
    assert!(init.unwrap().success());
    let bare = desk.path("vendor/bare.git");
    let init = Command::new("git").args(["init", "-q", "--bare"]).arg(&bare).status();
    assert!(init.unwrap().success());
    let config = desk.get("vendor/lib/.git/config");
    let attacks = [
        "git -C vendor/lib config core.fsmonitor ./evil",
        "git -C vendor/lib config filter.x.clean ./evil",
        "echo '[core]fsmonitor=./evil' >> vendor/lib/.git/config",
        "echo x > vendor/lib/.git/hooks/post-checkout",
        "echo '* filter=x' > vendor/lib/.git/info/attributes",
        "echo ../../evil > vendor/lib/.git/commondir",
        "mv vendor/lib/.git vendor/lib/x",
        "mv vendor/lib vendor/x",
        "mv vendor x",
        "rm -rf vendor/lib; mkdir vendor/lib && git init -q vendor/lib",
        "git -C vendor/bare.git config core.fsmonitor ./evil",
        "echo x > vendor/bare.git/hooks/post-update",
    ];
    all_fail(&desk, &attacks).await;
    for (number, attack) in attacks.iter().enumerate() {
        let job = json!({"command": format!("( {attack} )"), "background": true});
        desk.run("shell", job).await.unwrap();
        let wait = json!({"job": number + 1, "wait_seconds": 50});
        let ended = desk.run("job_output", wait).await.unwrap();
        assert!(!ended.text.contains("succeeded"), "{attack}: {}", ended.text);
    }
    assert_eq!(desk.get("vendor/lib/.git/config"), config);
    assert!(!desk.path("vendor/lib/.git/hooks/post-checkout").exists());
    let work = desk.shell("echo x > vendor/lib/fine; git -C vendor/lib status -s").await;
    assert!(work.text.contains("?? fine"), "{}", work.text);
}

/// What nobody can read is no reason to think that nothing is there.
#[tokio::test]
async fn settings_that_cannot_be_read_make_all_of_git_read_only() {
    for spoil in ["chmod 000 .git/config", "echo '[core' >> .git/config", "rm .git/HEAD"] {
        let desk = repository();
        let spoilt = Command::new("sh").arg("-c").arg(spoil).current_dir(desk.ws.root()).status();
        assert!(spoilt.unwrap().success());
        let attacks = [
            "echo x > .git/new",
            "echo x > .git/hooks/pre-commit",
            "mkdir .git/remotes",
            "mv .git x",
        ];
        all_fail(&desk, &attacks).await;
        assert!(!desk.shell("echo x > fine").await.failed, "{spoil}");
    }
}

/// Whoever reads what changed also reads where nobody looked.
#[tokio::test]
async fn ignored_folders_are_said_to_be_not_looked_at() {
    let desk = repository();
    desk.put(".gitignore", "node_modules\n.envrc\n*.log\n");
    desk.put("node_modules/.bin/tsc", "");
    let said =
        desk.shell("echo evil > node_modules/.bin/tsc; echo x > .envrc; echo x > a.log").await;
    let note = "(not looked at for changes, because git ignores it: node_modules/)";
    assert!(said.text.contains(note), "{}", said.text);
    // What runs later is looked at all the same where it lies beside the person's files.
    let changed: Vec<_> = said.changed.iter().map(|change| change.path.as_str()).collect();
    assert_eq!(changed, [".envrc"]);
    assert!(said.text.contains(".envrc on your next `cd` into the folder"), "{}", said.text);
}

#[tokio::test]
async fn what_runs_later_is_marked_by_every_tool() {
    let desk = desk();
    let said = desk.shell("echo x > Makefile; echo y > notes").await.text;
    assert!(said.contains("(runs later, outside the sandbox: Makefile on your next `make`)"));
    let call = json!({"path": ".vscode/tasks.json", "content": "x"});
    let said = desk.run("write_file", call).await.unwrap().text;
    assert!(said.ends_with("; it runs on your editor") || said.contains("editor"), "{said}");
    let call = json!({"path": "Makefile", "old": "x", "new": "z"});
    let said = desk.run("edit_file", call).await.unwrap().text;
    assert!(said.contains("it runs on your next `make`"), "{said}");
    let call = json!({"path": "notes", "old": "y", "new": "z"});
    assert!(!desk.run("edit_file", call).await.unwrap().text.contains("runs"));
}

/// However deep or many they are, looking at them ends, and Stop ends it.
#[tokio::test(flavor = "multi_thread")]
async fn folders_without_end_keep_nobody_busy() {
    let desk = desk();
    let make = "for i in $(seq 25); do p=$(printf 'd/%.0s' $(seq 100)); mkdir -p $p && cd $p; done; \
                echo deep > file";
    let begun = std::time::Instant::now();
    desk.shell(make).await;
    desk.shell("cd .; true > top").await;
    desk.shell("seq 2500 | sed s,^,many/, | sed s,$,/.git, | xargs mkdir -p").await;
    let said = desk.shell("echo x > many/7/x; echo y > fine").await;
    assert!(begun.elapsed() < std::time::Duration::from_secs(30), "{:?}", begun.elapsed());
    assert_eq!(desk.get("fine"), "y\n");
    assert!(!desk.path("many/7/x").exists(), "{}", said.text);
    let mut stopped = desk;
    stopped.ctx.cancel = tokio_util::sync::CancellationToken::new();
    let cancel = stopped.ctx.cancel.clone();
    let call = json!({"command": "x=1; sleep 60"});
    let running = async { stopped.run("shell", call).await };
    let (ended, ()) = tokio::join!(running, async { cancel.cancel() });
    assert!(ended.is_err() && begun.elapsed() < std::time::Duration::from_secs(40));
}
