//! What the person listed to be read shows that and nothing else, also where agents can write.

use crate::program::bash;
use crate::support::{Desk, desk, until};
use serde_json::json;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tools::sandbox::Bubblewrap;
use tools::{Profile, ProgramStart, Toolbox};

const SECRET: &str = "what only the person reads";

/// A desk with a folder that is listed, and a secret beside it.
fn listing() -> (Desk, PathBuf) {
    let mut desk = desk();
    desk.put("in/data/book", "a book\n");
    let outside = desk.outside.path().canonicalize().unwrap();
    std::fs::create_dir(outside.join("data")).unwrap();
    for place in ["secret", "data/secret"] {
        std::fs::write(outside.join(place), SECRET).unwrap();
    }
    desk.ctx.extra_read = Arc::new([desk.path("in/data")]);
    (desk, outside)
}

/// A desk in another room that knows of the first.
fn other(first: &Desk) -> Desk {
    let mut other = desk();
    other.ctx.extra_read = first.ctx.extra_read.clone();
    other.ctx.workspaces.add(first.ws.root());
    other.ctx.workspaces.add(other.ws.root());
    other
}

/// The ways to put a link in the place of the listed folder.
fn swaps(outside: &Path) -> [String; 2] {
    let out = outside.display();
    [
        format!("mv in/data in/aside && ln -s {out} in/data"),
        format!("mv in aside && ln -s {out} in"),
    ]
}

#[tokio::test]
async fn a_link_that_a_command_put_in_its_place_shows_nothing_in_any_room() {
    for way in 0..2 {
        let (mut desk, outside) = listing();
        let mut other = other(&desk);
        let look = format!(
            "cat {0}/book; cat {0}/secret {1}/secret {1}/data/secret; ls {1}; echo ran",
            desk.path("in/data").display(),
            outside.display()
        );
        assert!(desk.shell(&look).await.text.contains("a book\n"));
        assert!(other.shell(&look).await.text.contains("a book\n"));
        let swap = &swaps(&outside)[way];
        assert!(!desk.shell(swap).await.failed);
        for profile in [Profile::Look, Profile::Work] {
            for desk in [&mut desk, &mut other] {
                desk.ctx.profile = profile;
                let said = desk.shell(&look).await.text;
                assert!(said.contains("ran\n") && !said.contains(SECRET), "{profile:?}: {said}");
            }
        }
    }
}

#[tokio::test]
async fn a_link_of_the_persons_own_is_followed_to_where_an_agent_works() {
    let (desk, outside) = listing();
    let mut other = other(&desk);
    let link = outside.join("link");
    symlink(desk.path("in/data"), &link).unwrap();
    // A single file can be listed, too.
    other.ctx.extra_read = Arc::new([link.clone(), desk.path("in/data/book")]);
    let by_link = format!("cat {}/book; echo ran", link.display());
    assert_eq!(other.shell(&by_link).await.text, "a book\nran\n");
    let alone = format!("cat {}; ls {}", desk.path("in/data/book").display(), link.display());
    assert!(other.shell(&alone).await.text.contains("a book\n"));
    let mut own = desk;
    own.ctx.extra_read = other.ctx.extra_read.clone();
    assert_eq!(own.shell(&by_link).await.text, "a book\nran\n");
    assert!(!own.shell(&swaps(&outside)[0]).await.failed);
    let by_link = format!("cat {}/secret; echo ran", link.display());
    for desk in [&own, &other] {
        let said = desk.shell(&by_link).await.text;
        assert!(said.contains("ran\n") && !said.contains(SECRET), "{said}");
    }
}

/// A command in the background of one room swaps it while commands of another start.
#[tokio::test]
async fn a_link_swapped_in_while_a_command_starts_shows_nothing() {
    let (desk, outside) = listing();
    let other = other(&desk);
    let swap = format!(
        "ln -s {} in/evil; exec perl -e '
         for (my $n = 0; ! -e \"stop\"; $n++) {{
             rename(\"in/data\", \"in/aside\"); rename(\"in/evil\", \"in/data\");
             select(undef, undef, undef, $n % 16 / 4000);
             rename(\"in/data\", \"in/evil\"); rename(\"in/aside\", \"in/data\");
             select(undef, undef, undef, $n % 64 / 8000);
         }} open(my $done, \">\", \"done\")'",
        outside.display()
    );
    desk.run("shell", json!({ "command": swap, "background": true })).await.unwrap();
    let evil = desk.path("in/evil");
    until("it swaps", || evil.symlink_metadata().is_ok()).await;
    let data = desk.path("in/data");
    let command = format!("cat {0}/secret; cat {0}/book && echo seen; echo ran", data.display());
    let (mut seen, mut refused) = (0, 0);
    for _ in 0..200 {
        // It may also be that nothing could be mounted.
        let Ok(output) = other.run("shell", json!({ "command": command })).await else { continue };
        assert!(!output.text.contains(SECRET), "{}", output.text);
        seen += usize::from(output.text.contains("seen\n"));
        refused += usize::from(output.text.contains("nothing was run"));
    }
    println!("{seen} saw it, {refused} were refused");
    desk.put("stop", "");
    until("it is over", || desk.path("done").exists()).await;
    let calm = other.shell(&command).await.text;
    assert!(calm.contains("seen\nran\n") && !calm.contains(SECRET), "{calm}");
}

#[tokio::test]
async fn a_program_that_is_talked_to_is_shown_no_more() {
    let (desk, outside) = listing();
    let folder = tempfile::tempdir().unwrap();
    let look = format!("cat {}/*; echo ran", desk.path("in/data").display());
    let said = async || {
        let start = ProgramStart {
            read: desk.ctx.extra_read.to_vec(),
            workspaces: other(&desk).ctx.workspaces,
            ..bash(folder.path(), &look)
        };
        let started = tools::start_program(start).await.unwrap();
        let mut lines = BufReader::new(started.stdout).lines();
        let mut said = String::new();
        while let Some(line) = lines.next_line().await.unwrap() {
            said += &line;
        }
        started.program.end().await;
        said
    };
    assert_eq!(said().await, "a bookran");
    assert!(!desk.shell(&swaps(&outside)[0]).await.failed);
    assert_eq!(said().await, "ran");
}

/// A home in which the person lets an agent work where a toolchain is.
fn home_with_go() -> (TempDir, Toolbox) {
    let home = tempfile::tempdir().unwrap();
    for folder in ["go/bin", ".ssh"] {
        std::fs::create_dir_all(home.path().join(folder)).unwrap();
    }
    std::fs::write(home.path().join(".ssh/secret"), SECRET).unwrap();
    std::fs::write(home.path().join("go/bin/gopls"), "a program\n").unwrap();
    let sandbox = Bubblewrap::new(home.path()).unwrap();
    (home, Toolbox::with_sandbox(Arc::new(sandbox)))
}

#[tokio::test]
async fn a_link_in_the_place_of_a_toolchain_shows_nothing() {
    let (home, toolbox) = home_with_go();
    let bin = home.path().canonicalize().unwrap().join("go/bin");
    let mut desk = desk();
    desk.toolbox = toolbox;
    desk.ctx.workspaces.add(bin.parent().unwrap());
    let look = format!("cat {0}/gopls; cat {0}/secret; echo ran", bin.display());
    assert!(desk.shell(&look).await.text.contains("a program\n"));
    std::fs::rename(&bin, bin.with_file_name("aside")).unwrap();
    symlink(home.path().join(".ssh"), &bin).unwrap();
    let said = desk.shell(&look).await.text;
    assert!(said.contains("ran\n") && !said.contains(SECRET), "{said}");
}
