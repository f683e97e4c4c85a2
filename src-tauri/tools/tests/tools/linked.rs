//! Files that were linked, before a command ran, to a place outside: what a command does is not
//! seen there.

use crate::support::{Desk, desk};
use serde_json::json;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;
use tools::{Profile, ProgramStart};

const LETTER: &str = "a letter of the person's\n";

/// A workspace with a file that has a second name outside.
fn with_a_linked_file() -> Desk {
    let desk = desk();
    let outside = desk.outside.path().join("letter");
    std::fs::write(&outside, LETTER).unwrap();
    std::fs::create_dir(desk.path("sub")).unwrap();
    std::fs::hard_link(&outside, desk.path("sub/file")).unwrap();
    desk
}

type State = (String, u32, i64, i64, u64);

/// All that can be seen of a file. The time of its last change is left out where a link to it was
/// made or taken away in between.
fn state(path: &Path) -> State {
    let meta = path.metadata().unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    (text, meta.mode(), meta.mtime(), meta.mtime_nsec(), meta.ino())
}

/// Ways to change a file through any of its names.
#[rustfmt::skip]
const WAYS: [&str; 18] = [
    "echo x >> sub/file",
    "echo x > sub/file",
    "sed -i s/letter/x/ sub/file",
    "truncate -s 0 sub/file",
    "echo x > new; cp new sub/file",
    "echo x > new; cp -f new sub/file; dd if=new of=sub/file conv=notrunc",
    "python3 -c \"open('sub/file', 'w').write('x')\"",
    "python3 -c \"import mmap; f = open('sub/file', 'r+b'); mmap.mmap(f.fileno(), 0)[0:1] = b'x'\"",
    "python3 -c \"import os; f = os.open('sub/file', os.O_RDONLY); open(f'/proc/self/fd/{f}', 'w').write('x')\"",
    "chmod 777 sub/file",
    "touch -d 2001-01-01 sub/file",
    "python3 -c \"import os; os.setxattr('sub/file', 'user.x', b'y')\"",
    "chown 1:1 sub/file",
    "ln sub/file other && echo x >> other",
    "ln -s sub/file other && echo x >> other",
    "mv sub away && echo x >> away/file",
    "mv sub/file other && echo x >> other",
    "exec 3<>sub/file && echo x >&3",
];

#[tokio::test(flavor = "multi_thread")]
async fn no_command_writes_through_a_link_to_the_outside() {
    for profile in [Profile::Work, Profile::Open] {
        for way in WAYS {
            let mut desk = with_a_linked_file();
            desk.ctx.profile = profile;
            let outside = desk.outside.path().join("letter");
            let before = state(&outside);
            let output = desk.shell(way).await;
            assert_eq!(state(&outside), before, "{way}: {}", output.text);
            // What it could not do in one command it can't do in the next.
            for next in ["echo x >> away/file", "echo x >> other", "echo x >> sub/file"] {
                let _ = desk.shell(next).await;
            }
            assert_eq!(state(&outside), before, "{way}");
            let attribute = rustix::fs::getxattr(&outside, "user.x", &mut [0_u8; 8]);
            assert!(attribute.is_err(), "{way}");
        }
    }
}

/// A job that moves the folder about while others start could have it missed.
#[tokio::test(flavor = "multi_thread")]
async fn no_job_moves_a_linked_file_out_of_sight() {
    let desk = with_a_linked_file();
    let moving =
        "mv sub away; echo x >> away/file; mv away/file other; echo x >> other; rm -rf away";
    desk.run("shell", json!({ "command": moving, "background": true })).await.unwrap();
    let ended = desk.run("job_output", json!({ "job": 1, "wait_seconds": 50 })).await.unwrap();
    let outside = desk.outside.path().join("letter");
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), LETTER, "{}", ended.text);
    assert_eq!(outside.metadata().unwrap().nlink(), 1, "the workspace has its own");
}

/// A large workspace is not gone through before each command, and what was found may be moved.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_found_once_is_not_lost_by_moving_it() {
    let desk = with_a_linked_file();
    for n in 0..4000 {
        desk.put(&format!("many/{}/{n}", n % 10), "x");
    }
    let outside = desk.outside.path().join("letter");
    let before = state(&outside);
    let unchanged = async |command: &str| {
        let output = desk.shell(command).await;
        assert_eq!(state(&outside), before, "{command}: {}", output.text);
        output
    };
    unchanged("echo x >> sub/file").await;
    assert!(!unchanged("mv sub away && echo x >> away/file").await.failed);
    // One that comes later is seen before the next command.
    let second = desk.outside.path().join("second");
    std::fs::write(&second, LETTER).unwrap();
    std::fs::hard_link(&second, desk.path("many/second")).unwrap();
    let before = state(&second);
    let output = desk.shell("echo x >> many/second").await;
    assert!(!output.failed && output.text.contains("many/second"), "{}", output.text);
    assert_eq!(state(&second), before);
}

/// A job that waits until there is something at `path`, and writes to it.
async fn writes_once_there_is(desk: &Desk, path: &str) {
    let command =
        format!("touch ready; until [ -e {path} ]; do [ -e over ] && exit; done; echo x >> {path}");
    desk.run("shell", json!({ "command": command, "background": true })).await.unwrap();
    crate::support::until("the job runs", || desk.path("ready").exists()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_the_person_renames_leads_a_job_nowhere() {
    for (from, to, file) in [
        ("sub", "away", "away/file"),
        ("sub", "deep/sub", "deep/sub/file"),
        ("sub/file", "sub/other", "sub/other"),
    ] {
        let desk = with_a_linked_file();
        std::fs::create_dir(desk.path("deep")).unwrap();
        let outside = desk.outside.path().join("letter");
        let before = state(&outside);
        writes_once_there_is(&desk, file).await;
        std::fs::rename(desk.path(from), desk.path(to)).unwrap();
        let ended = desk.run("job_output", json!({ "job": 1, "wait_seconds": 50 })).await.unwrap();
        assert_eq!(state(&outside), before, "{from} to {to}: {}", ended.text);
        assert_eq!(desk.get(file), format!("{LETTER}x\n"), "it wrote to the workspace's own");
    }
}

/// What runs already has a mount where the file was, and none where it would be.
#[tokio::test(flavor = "multi_thread")]
async fn file_tools_move_no_linked_file_to_where_a_job_could_write_to_it() {
    for (file, from, written, to) in [
        ("sub/x/deep", "sub/x", "t/deep", "t"),
        ("sub/x/deep", "sub", "t/x/deep", "t"),
        ("sub/x/deep", "sub/x/deep", "t/deep", "t/deep"),
        ("deep", "deep", "t", "t"),
        (
            "node_modules/.pnpm/p@1/node_modules/p/i.js",
            "node_modules/.pnpm/p@1",
            "t/node_modules/p/i.js",
            "t",
        ),
    ] {
        let desk = desk();
        let outside = desk.outside.path().join("letter");
        std::fs::write(&outside, LETTER).unwrap();
        std::fs::create_dir_all(desk.path(file).parent().unwrap()).unwrap();
        std::fs::hard_link(&outside, desk.path(file)).unwrap();
        writes_once_there_is(&desk, written).await;
        let moved = desk.run("move_file", json!({ "from": from, "to": to })).await;
        desk.put("over", "");
        let ended = desk.run("job_output", json!({ "job": 1, "wait_seconds": 50 })).await.unwrap();
        assert_eq!(std::fs::read_to_string(&outside).unwrap(), LETTER, "{from}: {}", ended.text);
        moved.unwrap();
        assert!(desk.get(written).starts_with(LETTER), "{}", ended.text);
        assert_eq!(outside.metadata().unwrap().nlink(), 1, "the workspace has its own");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_linked_file_in_a_trash_that_commands_reach_is_a_copy() {
    let mut desk = with_a_linked_file();
    let outside = desk.outside.path().join("letter");
    desk.toolbox = tools::Toolbox::builtin().with_trash(desk.path("trash"));
    writes_once_there_is(&desk, "trash/files/file").await;
    desk.run("delete_file", json!({ "path": "sub/file" })).await.unwrap();
    desk.put("over", "");
    desk.run("job_output", json!({ "job": 1, "wait_seconds": 50 })).await.unwrap();
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), LETTER);
    desk.run("delete_file", json!({ "path": "ready" })).await.unwrap();
    // Elsewhere nobody reaches it.
    desk.toolbox = tools::Toolbox::builtin().with_trash(desk.trash.path().to_owned());
    desk.run("delete_file", json!({ "path": "sub" })).await.unwrap();
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), LETTER);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_linked_within_the_workspace_alone_is_moved() {
    let desk = desk();
    desk.put("a/one", "1");
    std::fs::hard_link(desk.path("a/one"), desk.path("two")).unwrap();
    desk.run("move_file", json!({ "from": "a", "to": "b" })).await.unwrap();
    desk.run("move_file", json!({ "from": "two", "to": "b/two" })).await.unwrap();
    assert_eq!(desk.get("b/one") + &desk.get("b/two"), "11");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_is_said_once_and_is_the_workspaces_own() {
    let desk = with_a_linked_file();
    let outside = desk.outside.path().join("letter");
    let output = desk.shell("echo x >> sub/file").await;
    assert!(!output.failed, "{}", output.text);
    assert!(output.text.contains("is a copy of the workspace's own now: sub/file)"));
    assert_eq!(desk.get("sub/file"), format!("{LETTER}x\n"));
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), LETTER);
    let edit = json!({ "path": "sub/file", "old": "letter", "new": "note" });
    desk.run("edit_file", edit).await.unwrap();
    let output = desk.shell("echo more >> sub/file").await;
    assert!(!output.failed, "{}", output.text);
    assert_eq!(desk.get("sub/file"), "a note of the person's\nx\nmore\n");
    assert_eq!(std::fs::read_to_string(outside).unwrap(), LETTER);
    assert!(!desk.shell("exit 3").await.text.contains("copy"));
}

#[tokio::test(flavor = "multi_thread")]
async fn no_job_and_no_server_writes_through_a_link_either() {
    let desk = with_a_linked_file();
    let outside = desk.outside.path().join("letter");
    let before = state(&outside);
    let job = json!({ "command": "echo x >> sub/file", "background": true });
    desk.run("shell", job).await.unwrap();
    let ended = desk.run("job_output", json!({ "job": 1, "wait_seconds": 50 })).await.unwrap();
    assert!(ended.text.contains("own now: sub/file)"), "{}", ended.text);
    assert_eq!(state(&outside), before);
    // For the server, a new one.
    std::fs::remove_file(desk.path("sub/file")).unwrap();
    std::fs::hard_link(&outside, desk.path("sub/file")).unwrap();
    let start = ProgramStart {
        workspace: desk.ws.clone(),
        profile: Profile::Work,
        command: "sh".to_owned(),
        args: ["-c", "echo x >> sub/file; echo $? >&2; echo y > made"].map(str::to_owned).to_vec(),
        env: Default::default(),
        cwd: None,
        read: Vec::new(),
        workspaces: tools::Workspaces::default(),
        shared: Vec::new(),
        hosts: Vec::new(),
        private_hosts: Default::default(),
        hidden: Default::default(),
    };
    let started = tools::start_program(start).await.unwrap();
    crate::support::until("it wrote", || desk.path("made").exists()).await;
    started.program.end().await;
    assert_eq!(desk.get("sub/file"), format!("{LETTER}x\n"));
    assert_eq!(state(&outside), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn links_among_the_workspaces_own_files_stay_writable() {
    let desk = desk();
    desk.put("a/one", "1\n");
    std::fs::hard_link(desk.path("a/one"), desk.path("two")).unwrap();
    let output = desk.shell("echo 2 >> two && mv two three && ln three four && rm a/one").await;
    assert!(!output.failed, "{}", output.text);
    assert_eq!(desk.get("four"), "1\n2\n");
}

/// As package managers lay them out: files are links to a store, the rest is the project's own.
#[tokio::test(flavor = "multi_thread")]
async fn a_project_whose_packages_are_links_to_a_store_works() {
    let desk = desk();
    let store = desk.outside.path();
    for n in 0..40 {
        let package = format!("node_modules/.pnpm/p{n}@1.0.0/node_modules/p{n}");
        let file = store.join(format!("index-{n}.js"));
        std::fs::write(&file, format!("module.exports = {n};\n")).unwrap();
        std::fs::create_dir_all(desk.path(&package)).unwrap();
        std::fs::hard_link(&file, desk.path(&format!("{package}/index.js"))).unwrap();
        let link = desk.path(&format!("node_modules/p{n}"));
        std::os::unix::fs::symlink(format!(".pnpm/p{n}@1.0.0/node_modules/p{n}"), link).unwrap();
    }
    desk.put("main.js", "console.log(require('p1') + require('p39'));\n");
    let ran = desk
        .shell(
            "node main.js > out && cat out && mkdir -p node_modules/.cache && \
                          echo x > node_modules/.cache/x && sed -i s/p39/p38/ main.js",
        )
        .await;
    assert!(!ran.failed && ran.text.starts_with("40\n"), "{}", ran.text);
    let output = desk.shell("echo x >> node_modules/p7/index.js").await;
    assert!(!output.failed, "{}", output.text);
    let text = std::fs::read_to_string(store.join("index-7.js")).unwrap();
    assert_eq!(text, "module.exports = 7;\n");
}

fn git(folder: &Path, args: &[&str]) -> String {
    let who = ["-c", "user.name=n", "-c", "user.email=e@example.com"];
    let done = Command::new("git").arg("-C").arg(folder).args(who).args(args).output().unwrap();
    assert!(done.status.success(), "{args:?}: {done:?}");
    String::from_utf8(done.stdout).unwrap()
}

/// A clone of a folder: all objects are links, packed ones and others.
fn cloned() -> Desk {
    let desk = desk();
    let origin = desk.outside.path();
    git(origin, &["init", "-q", "-b", "main"]);
    for (name, gc) in [("a", true), ("b", false)] {
        for n in 0..20 {
            std::fs::write(origin.join(format!("{name}{n}")), format!("{name} {n}\n")).unwrap();
        }
        git(origin, &["add", "."]);
        git(origin, &["commit", "-qm", name]);
        if gc {
            git(origin, &["gc", "-q"]);
        }
    }
    git(desk.ws.root(), &["clone", "-q", "--local", origin.to_str().unwrap(), "."]);
    let linked = Command::new("find").arg(desk.ws.root()).args(["-links", "+1"]).output().unwrap();
    assert!(String::from_utf8(linked.stdout).unwrap().contains(".pack"), "it links its objects");
    desk
}

#[tokio::test(flavor = "multi_thread")]
async fn git_works_in_a_clone_of_a_folder() {
    let desk = cloned();
    let ran = desk.shell(
        "export GIT_AUTHOR_NAME=n GIT_AUTHOR_EMAIL=e GIT_COMMITTER_NAME=n GIT_COMMITTER_EMAIL=e; \
         git gc -q && echo x >> a1 && git add a1 && git commit -qm c && git gc -q && git fsck && \
         git checkout -q HEAD~1 && git log --oneline --all | wc -l",
    );
    let ran = ran.await;
    assert!(!ran.failed && ran.text.contains('3'), "{}", ran.text);
    git(desk.outside.path(), &["fsck", "--full"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn spoiling_a_clone_of_a_folder_spoils_nothing_there() {
    let desk = cloned();
    let spoil = "chmod -R u+w .git/objects; for f in $(find .git/objects -type f); do \
                 echo x > $f; done; git fsck";
    let spoilt = desk.shell(spoil).await;
    assert!(spoilt.failed, "{}", spoilt.text);
    git(desk.outside.path(), &["fsck", "--full"]);
}

/// What can't be copied stays read-only, and file tools don't move it out of its mount.
#[tokio::test(flavor = "multi_thread")]
async fn a_linked_file_that_is_too_large_to_copy_is_read_only() {
    let desk = desk();
    let outside = desk.outside.path().join("large");
    let file = std::fs::File::create(&outside).unwrap();
    file.set_len(600 * 1024 * 1024).unwrap();
    std::fs::create_dir(desk.path("sub")).unwrap();
    std::fs::hard_link(&outside, desk.path("sub/large")).unwrap();
    for attack in ["echo x >> sub/large", "truncate -s 0 sub/large", "rm sub/large", "mv sub x"] {
        let output = desk.shell(attack).await;
        assert!(output.failed, "{attack}: {}", output.text);
        assert!(output.text.contains("read-only for commands"), "{attack}: {}", output.text);
    }
    for (from, to) in [("sub/large", "x"), ("sub", "x")] {
        assert_eq!(
            desk.fails("move_file", json!({ "from": from, "to": to })).await,
            "LINKED_OUTSIDE"
        );
    }
    assert_eq!(outside.metadata().unwrap().len(), 600 * 1024 * 1024);
}
