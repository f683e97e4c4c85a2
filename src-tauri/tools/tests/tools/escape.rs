//! Ways out of the workspace that file tools must not take.

use crate::support::{Desk, desk};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tools::Effect;

fn desk_with_ways_out() -> Desk {
    let desk = desk();
    std::fs::write(desk.outside.path().join("secret"), "secret").unwrap();
    std::fs::create_dir(desk.outside.path().join("sub")).unwrap();
    let out = desk.outside.path();
    symlink(out, desk.path("dir")).unwrap();
    symlink(out.join("secret"), desk.path("file")).unwrap();
    symlink(out.join("new"), desk.path("dangling")).unwrap();
    let relative = format!("../{}", out.file_name().unwrap().to_str().unwrap());
    symlink(relative, desk.path("relative")).unwrap();
    desk.put("real/x", "x");
    symlink("../dir/sub", desk.path("real/chain")).unwrap();
    symlink("/proc/self/root", desk.path("magic")).unwrap();
    desk
}

fn outside_is_as_it_was(desk: &Desk) {
    let mut names: Vec<_> = std::fs::read_dir(desk.outside.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["secret", "sub"]);
    assert_eq!(std::fs::read_to_string(desk.outside.path().join("secret")).unwrap(), "secret");
    assert_eq!(std::fs::read_dir(desk.outside.path().join("sub")).unwrap().count(), 0);
}

#[tokio::test]
async fn no_path_leads_out() {
    let desk = desk_with_ways_out();
    let out = desk.outside.path().to_str().unwrap().to_owned();
    let name = desk.outside.path().file_name().unwrap().to_str().unwrap().to_owned();
    let paths = [
        format!("{out}/secret"),
        format!("../{name}/secret"),
        format!("real/../../{name}/secret"),
        format!("./real/../../../../../../../..{out}/secret"),
        "dir/secret".into(),
        "file".into(),
        "relative/secret".into(),
        "real/chain/new".into(),
        "dangling".into(),
        "dir/new".into(),
        "dir/deep/new".into(),
        format!("magic{out}/secret"),
        format!("/proc/self/root{out}/secret"),
        format!("{}/dir/secret", desk.ws.root().display()),
    ];
    for path in &paths {
        let calls: [(&str, Value); 8] = [
            ("read_file", json!({ "path": path })),
            ("list_dir", json!({ "path": path })),
            ("search", json!({ "path": path, "pattern": "." })),
            ("write_file", json!({ "path": path, "content": "x" })),
            ("edit_file", json!({ "path": path, "old": "secret", "new": "x" })),
            ("create_directory", json!({ "path": path })),
            ("glob", json!({ "pattern": "*", "path": path })),
            ("shell", json!({ "command": "ls", "folder": path })),
        ];
        for (tool, args) in calls {
            assert_eq!(desk.fails(tool, args).await, "OUTSIDE_WORKSPACE", "{tool} {path}");
        }
        let write = desk.facts("write_file", json!({ "path": path, "content": "" })).unwrap();
        assert_eq!(write.effect, Effect::WriteOutside, "{path}");
    }
    outside_is_as_it_was(&desk);
}

#[tokio::test]
async fn search_does_not_follow_links_out() {
    let desk = desk_with_ways_out();
    let found = desk.run("search", json!({"pattern": "secret"})).await.unwrap();
    assert_eq!(found.text, "(nothing matches)");
}

#[tokio::test]
async fn a_hard_link_to_the_outside_is_replaced_not_written_through() {
    let desk = desk_with_ways_out();
    std::fs::hard_link(desk.outside.path().join("secret"), desk.path("hard")).unwrap();
    desk.run("write_file", json!({"path": "hard", "content": "mine"})).await.unwrap();
    assert_eq!(desk.get("hard"), "mine");
    outside_is_as_it_was(&desk);
}

#[tokio::test]
async fn links_inside_are_followed_and_stay_links() {
    let desk = desk();
    desk.put("real/a.txt", "old");
    symlink("real/a.txt", desk.path("link")).unwrap();
    let output = desk.run("write_file", json!({"path": "link", "content": "new"})).await.unwrap();
    assert_eq!(output.changed[0].path, "real/a.txt");
    assert_eq!(desk.get("real/a.txt"), "new");
    assert!(desk.path("link").is_symlink());
}

#[tokio::test]
async fn nothing_is_written_into_git() {
    let desk = desk();
    desk.put(".git/config", "[core]\n");
    desk.put("sub/.git/hooks/x", "");
    symlink(".git", desk.path("alias")).unwrap();
    for path in [
        ".git",
        ".git/hooks/pre-commit",
        ".git/config",
        "sub/.git/hooks/x",
        "alias/config",
        ".GIT/config",
        "new/.git",
    ] {
        let write = json!({ "path": path, "content": "x" });
        assert!(desk.facts("write_file", write.clone()).is_err(), "{path}");
        assert_eq!(desk.fails("write_file", write).await, "PROTECTED", "{path}");
        assert_eq!(desk.fails("create_directory", json!({ "path": path })).await, "PROTECTED");
    }
    let edit = json!({"path": ".git/config", "old": "core", "new": "x"});
    assert_eq!(desk.fails("edit_file", edit).await, "PROTECTED");
    assert_eq!(
        desk.run("read_file", json!({"path": ".git/config"})).await.unwrap().text,
        "[core]\n"
    );
}

#[tokio::test]
async fn hidden_folders_are_hidden_from_file_tools_too() {
    let mut desk = desk();
    desk.put("data/token", "secret");
    desk.ctx.hidden = Arc::new([desk.path("data")]);
    assert_eq!(desk.fails("read_file", json!({"path": "data/token"})).await, "HIDDEN");
    assert_eq!(desk.fails("write_file", json!({"path": "data/x", "content": ""})).await, "HIDDEN");
    let found = desk.run("search", json!({"pattern": "secret"})).await.unwrap();
    assert_eq!(found.text, "(nothing matches)");
    assert_eq!(desk.run("list_dir", json!({})).await.unwrap().text, "(the folder is empty)");
}

/// Somebody swaps a folder for a link to the outside, over and over.
#[tokio::test]
async fn a_link_swapped_in_between_leads_nowhere() {
    let desk = desk_with_ways_out();
    desk.put("swap/deep/secret", "inside");
    symlink(desk.outside.path(), desk.path("evil")).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let swapper = {
        let (stop, swap, evil) = (stop.clone(), desk.path("swap"), desk.path("evil"));
        std::thread::spawn(move || {
            let mut swaps = 0;
            while !stop.load(Ordering::Relaxed) {
                renameat_with(CWD, &swap, CWD, &evil, RenameFlags::EXCHANGE).unwrap();
                swaps += 1;
            }
            swaps
        })
    };
    let (mut done, mut refused) = (0, 0);
    let mut count = |worked: bool| if worked { done += 1 } else { refused += 1 };
    for n in 0..3000 {
        let content = json!({"path": format!("swap/new-{}", n % 5), "content": "x"});
        count(desk.run("write_file", content).await.is_ok());
        let edit = json!({"path": "swap/secret", "old": "secret", "new": "changed"});
        assert!(desk.run("edit_file", edit).await.is_err(), "only the outside has this file");
        count(desk.run("create_directory", json!({"path": "swap/deep/er"})).await.is_ok());
        let delete = desk.run("delete_file", json!({"path": "swap/secret"})).await;
        assert!(delete.is_err(), "only the outside has this file");
        let away = json!({"from": "swap/secret", "to": "stolen"});
        assert!(desk.run("move_file", away).await.is_err());
        let into = json!({"from": format!("from-{n}"), "to": "swap/planted"});
        desk.put(&format!("from-{n}"), "x");
        count(desk.run("move_file", into).await.is_ok());
        if let Ok(read) = desk.run("read_file", json!({"path": "swap/secret"})).await {
            panic!("read from outside: {}", read.text);
        }
        if n % 50 == 0 {
            let found = desk.run("search", json!({"pattern": "secret"})).await.unwrap();
            assert_eq!(found.text, "(nothing matches)");
        }
    }
    stop.store(true, Ordering::Relaxed);
    let swaps = swapper.join().unwrap();
    outside_is_as_it_was(&desk);
    println!("{swaps} swaps, {done} calls done, {refused} refused");
    assert!(done > 0 && refused > 0 && swaps > 1000);
}

#[tokio::test]
async fn a_command_runs_in_the_folder_that_was_opened_or_not_at_all() {
    let desk = desk();
    let root = desk.ws.root().to_path_buf();
    let aside = root.with_extension("aside");
    std::fs::rename(&root, &aside).unwrap();
    symlink(desk.outside.path(), &root).unwrap();
    let output = desk.run("shell", json!({ "command": "touch planted" })).await;
    let planted = desk.outside.path().join("planted").exists();
    std::fs::remove_file(&root).unwrap();
    std::fs::rename(&aside, &root).unwrap();
    assert!(!planted, "{output:?}");
    assert!(!root.join("planted").exists(), "{output:?}");
}

/// What was judged is what is touched, or nothing.
#[tokio::test]
async fn a_link_that_leads_elsewhere_than_when_it_was_judged_is_not_followed() {
    let mut desk = desk();
    desk.put("open/text", "for all");
    desk.put("secret/text", "old");
    let link = desk.path("link");
    let lead = |to: &str| {
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(to, &link).unwrap();
    };
    for (tool, args) in [
        ("read_file", json!({ "path": "link/text" })),
        ("list_dir", json!({ "path": "link" })),
        ("glob", json!({ "path": "link", "pattern": "**" })),
        ("search", json!({ "path": "link", "pattern": "o" })),
        ("edit_file", json!({ "path": "link/text", "old": "o", "new": "x" })),
        ("write_file", json!({ "path": "link/text", "content": "new" })),
        ("create_directory", json!({ "path": "link/made" })),
        ("move_file", json!({ "from": "link/text", "to": "link/moved" })),
        ("delete_file", json!({ "path": "link/text" })),
    ] {
        lead("open");
        let facts = desk.facts(tool, args.clone()).unwrap();
        let paths = facts.targets.into_iter().map(|target| match target {
            tools::Target::Path { path, .. } => path,
            tools::Target::Command { .. } | tools::Target::Host { .. } => panic!("{tool}"),
        });
        desk.ctx.judged = Some(paths.collect());
        lead("secret");
        assert_eq!(desk.fails(tool, args.clone()).await, "LED_ELSEWHERE", "{tool}");
        assert_eq!(desk.get("secret/text"), "old", "{tool}");
        lead("open");
        desk.run(tool, args).await.unwrap();
        desk.put("open/text", "for all");
    }
}
