//! The sandbox that is ready before its command: it is one like any other, or it is not used.

use crate::support::{Desk, desk, runs, until};
use serde_json::json;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use tools::{Output, Profile, Shell};

/// Tells how its shell was started.
const HOW: &str = "[[ $BASH_EXECUTION_STRING == *'eval \"u'nset* ]] && echo warm || echo cold";

fn warming() -> Desk {
    let mut desk = desk();
    desk.toolbox = desk.toolbox.with_warm_sandboxes();
    desk
}

/// A desk whose next command finds a sandbox that waits.
async fn warm() -> Desk {
    let desk = warming();
    assert_eq!(desk.shell(HOW).await.text, "cold\n");
    waits(&desk).await;
    desk
}

async fn waits(desk: &Desk) {
    until("a sandbox waits", || desk.ctx.shell.prepared() == 1).await;
}

fn git(desk: &Desk, words: &[&str]) {
    let git = Command::new("git").args(words).current_dir(desk.ws.root()).output().unwrap();
    assert!(git.status.success(), "{git:?}");
}

/// The processes with the workspace of this desk in their command line.
fn pids(desk: &Desk) -> Vec<i32> {
    let root = desk.ws.root().to_str().unwrap().to_owned();
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let names = |pid: &i32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(&root)
    };
    pids.filter(names).collect()
}

fn is_gone(desk: &Desk) -> bool {
    pids(desk).is_empty()
}

#[tokio::test]
async fn the_next_command_of_a_room_finds_one_and_so_does_the_one_after_it() {
    for profile in [Profile::Work, Profile::Look] {
        let mut desk = warming();
        desk.ctx.profile = profile;
        assert_eq!(desk.shell(HOW).await.text, "cold\n");
        for _ in 0..3 {
            waits(&desk).await;
            assert_eq!(desk.shell(HOW).await.text, "warm\n");
        }
    }
}

/// What a person or a rule may change while one waits.
#[tokio::test]
async fn one_that_is_not_what_would_be_made_now_is_not_used() {
    type Change = fn(&mut Desk);
    let changes: &[(&str, Change)] = &[
        ("the profile", |desk| desk.ctx.profile = Profile::Look),
        ("the plan or a rule", |desk| desk.ctx.allowed_by = Arc::from("another")),
        ("a hidden folder", |desk| {
            let hidden = desk.path("hidden");
            std::fs::create_dir(&hidden).unwrap();
            desk.ctx.hidden = Arc::new([hidden]);
        }),
        ("a listed folder", |desk| {
            desk.ctx.extra_read = Arc::new([desk.outside.path().to_owned()]);
        }),
        ("a repository", |desk| git(desk, &["init", "-q"])),
    ];
    for (what, change) in changes {
        let mut desk = warm().await;
        change(&mut desk);
        assert!(desk.shell(HOW).await.text.starts_with("cold\n"), "{what}");
    }
    // The same for a room in a repository, with a folder outside that is listed.
    let changes: &[(&str, Change)] = &[
        ("what git runs", |desk| git(desk, &["config", "core.hooksPath", "mine"])),
        ("who the person is", |desk| git(desk, &["config", "user.name", "Somebody"])),
        ("another repository", |desk| {
            let home = tempfile::tempdir().unwrap();
            std::fs::rename(desk.path(".git"), home.path().join("old")).unwrap();
            git(desk, &["init", "-q"]);
        }),
        ("a file in the place of git's settings", |desk| {
            let config = desk.get(".git/config");
            desk.put("new", config);
            std::fs::rename(desk.path("new"), desk.path(".git/config")).unwrap();
        }),
        ("a file with the number of the old one in the place of git's settings", |desk| {
            let (config, new) = (desk.path(".git/config"), desk.path("new"));
            let inode = |path: &Path| path.metadata().unwrap().ino();
            let first = inode(&config);
            for _ in 0..100 {
                std::fs::copy(&config, &new).unwrap();
                std::fs::rename(&new, &config).unwrap();
                if inode(&config) == first {
                    break;
                }
            }
        }),
        ("a repository further down, though ignored", |desk| {
            desk.put(".gitignore", "vendor\n");
            std::fs::create_dir(desk.path("vendor")).unwrap();
            git(desk, &["init", "-q", "vendor"]);
        }),
        ("a folder in the place of a listed one", |desk| {
            let listed = desk.outside.path().join("listed");
            std::fs::rename(&listed, desk.outside.path().join("old")).unwrap();
            std::fs::create_dir(&listed).unwrap();
        }),
        ("a link in the place of a listed one", |desk| {
            let listed = desk.outside.path().join("listed");
            std::fs::rename(&listed, desk.outside.path().join("old")).unwrap();
            std::os::unix::fs::symlink("old", &listed).unwrap();
        }),
    ];
    for (what, change) in changes {
        let mut desk = warming();
        git(&desk, &["init", "-q"]);
        std::fs::create_dir(desk.outside.path().join("listed")).unwrap();
        desk.ctx.extra_read = Arc::new([desk.outside.path().join("listed")]);
        desk.shell(HOW).await;
        waits(&desk).await;
        assert_eq!(desk.shell(HOW).await.text, "warm\n");
        waits(&desk).await;
        change(&mut desk);
        assert!(desk.shell(HOW).await.text.starts_with("cold\n"), "{what}");
    }
}

/// It becomes a copy before the command, so the sandbox that waits is the right one.
#[tokio::test]
async fn a_hard_link_that_came_while_one_waits_is_no_way_out() {
    let desk = warm().await;
    let outside = desk.outside.path().join("shared");
    std::fs::write(&outside, "outside").unwrap();
    std::fs::hard_link(&outside, desk.path("shared")).unwrap();
    let output = desk.shell(&format!("{HOW}; echo inside > shared")).await;
    assert!(output.text.starts_with("warm\n"), "{}", output.text);
    assert!(output.text.contains("a hard link"), "{}", output.text);
    assert_eq!(
        (std::fs::read_to_string(outside).unwrap(), desk.get("shared")),
        ("outside".into(), "inside\n".into())
    );
}

#[tokio::test]
async fn another_workspace_at_the_same_path_gets_none() {
    let desk = warm().await;
    let root = desk.ws.root().to_owned();
    std::fs::rename(&root, desk.outside.path().join("moved")).unwrap();
    std::fs::create_dir(&root).unwrap();
    let command = json!({ "command": "touch made" });
    assert_eq!(desk.fails("shell", command.clone()).await, "NO_FOLDER");
    let mut other = warming();
    other.ws = tools::Workspace::open(&root).unwrap();
    other.ctx.shell = desk.ctx.shell.clone();
    other.run("shell", command).await.unwrap();
    assert!(root.join("made").exists());
    assert_eq!(std::fs::read_dir(desk.outside.path().join("moved")).unwrap().count(), 0);
}

#[tokio::test]
async fn commands_with_network_long_ones_and_jobs_start_cold() {
    let long = format!("{HOW} # {}", "long ".repeat(1000));
    for call in [
        json!({ "command": HOW, "network": ["example.org"] }),
        json!({ "command": long }),
        json!({ "command": HOW, "background": true }),
    ] {
        let desk = warm().await;
        let output = desk.run("shell", call.clone()).await.unwrap();
        let said = match call["background"] == true {
            true => {
                let job = json!({ "job": 1, "wait_seconds": 50 });
                desk.run("job_output", job).await.unwrap()
            }
            false => output,
        };
        assert!(said.text.contains("cold\n"), "{}", said.text);
    }
}

#[tokio::test]
async fn one_that_died_is_a_cold_start_and_no_error() {
    let desk = warm().await;
    for pid in pids(&desk) {
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        // The first takes the others with it.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
    until("it is gone", || is_gone(&desk)).await;
    assert_eq!(desk.shell(HOW).await.text, "cold\n");
}

/// What a command says of itself, in a cold sandbox and in a warm one.
#[tokio::test]
async fn a_command_can_not_tell_which_it_got() {
    let commands = [
        "env | sort; ulimit -a; umask",
        "grep -E 'Cap|NoNewPrivs|Seccomp' /proc/self/status; cat /proc/self/oom_score_adj",
        "cut -d ' ' -f 4- /proc/self/mountinfo | sort",
        "ls -la / ~ /tmp /etc /dev | grep -v ' \\.\\.$' | cut -c 1-10; pwd",
        "cat; read x; echo \"$? $0 $# $- ${REPLY-none}\"; seen=$(ps -e -o comm=); echo \"$seen\"",
        "true\nnope\necho $LINENO; exit 7",
        "mkdir -p sub; cd sub; unshare -U true; false",
        "trap 'echo bye' EXIT; set -eu; echo $nothing",
    ];
    let mut said: [Vec<String>; 2] = Default::default();
    let mut desk = warming();
    desk.ctx.profile = Profile::Work;
    for command in commands {
        let command = format!("{command}\n");
        desk.ctx.shell = Shell::default();
        let told = |output: Output| format!("{command}: {} {}", output.text, output.failed);
        desk.shell("true; x=1").await;
        waits(&desk).await;
        said[0].push(told(desk.shell(&command).await));
        desk.ctx.shell = Shell::default();
        said[1].push(told(desk.shell(&command).await));
    }
    for (warm, cold) in said[0].iter().zip(&said[1]) {
        assert_eq!(warm, cold);
    }
}

#[tokio::test]
async fn it_stands_where_the_last_command_ended_and_tells_what_changed() {
    let desk = warming();
    desk.shell("mkdir sub; cd sub").await;
    waits(&desk).await;
    let output = desk.shell("echo hello > new; pwd").await;
    assert!(output.text.starts_with(desk.path("sub").to_str().unwrap()), "{}", output.text);
    assert_eq!(output.changed.iter().map(|one| &*one.path).collect::<Vec<_>>(), ["sub/new"]);
    assert_eq!(desk.ctx.shell.folder(), Path::new("sub"));
}

#[tokio::test]
async fn it_is_stopped_as_any_other() {
    let desk = warm().await;
    let call = json!({ "command": "echo so far; sleep 1000", "timeout_seconds": 0.3 });
    assert_eq!(desk.fails("shell", call).await, "TIMED_OUT");
    until("all is gone", || is_gone(&desk)).await;
    desk.shell(HOW).await;
    waits(&desk).await;
    let (cancel, begun) = (desk.ctx.cancel.clone(), desk.path("begun"));
    let running = tokio::spawn(async move {
        let call = json!({ "command": "touch begun; sleep 1000" });
        (desk.fails("shell", call).await, desk)
    });
    until("it runs", || begun.exists()).await;
    cancel.cancel();
    let (code, ended) = running.await.unwrap();
    assert_eq!(code, "CANCELLED");
    until("all is gone", || is_gone(&ended)).await;
}

/// What one command leaves running or writes to `/tmp` is not there for the next.
#[tokio::test]
async fn each_is_used_once() {
    let desk = warm().await;
    let marker = format!("1000.{}", std::process::id());
    desk.shell(&format!("echo mine > /tmp/left; sleep {marker} & echo started")).await;
    assert!(!runs(&marker), "it ended with its command");
    waits(&desk).await;
    let next = desk.shell("ls /tmp; ps -e -o comm= | grep -c sleep").await;
    assert_eq!(next.text.lines().next(), Some("0"), "{}", next.text);
}

#[tokio::test]
async fn what_was_allowed_ends_and_with_it_the_one_that_waits() {
    let desk = warm().await;
    assert!(!is_gone(&desk));
    desk.ctx.shell.stop();
    assert_eq!(desk.ctx.shell.prepared(), 0);
    until("it is gone", || is_gone(&desk)).await;
    // One that is just being made is not kept, either.
    desk.shell("x=1").await;
    desk.ctx.shell.stop();
    until("it is gone", || is_gone(&desk)).await;
    assert_eq!(desk.ctx.shell.prepared(), 0);
}

#[tokio::test]
async fn two_wait_in_the_app_and_they_end_with_their_rooms() {
    let mut desk = warming();
    let mut rooms = Vec::new();
    for _ in 0..2 {
        desk.shell(HOW).await;
        waits(&desk).await;
        rooms.push(std::mem::take(&mut desk.ctx.shell));
    }
    desk.shell(HOW).await;
    desk.shell(HOW).await;
    assert_eq!(desk.ctx.shell.prepared(), 0);
    drop(rooms);
    until("both are gone", || is_gone(&desk)).await;
    desk.shell(HOW).await;
    waits(&desk).await;
}
