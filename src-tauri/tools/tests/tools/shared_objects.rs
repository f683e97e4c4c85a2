//! Commands in a copy read the objects of the repository that it is of. Whoever works in that one
//! can't make them read anything else.

use crate::support::{Desk, desk, until};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio_util::sync::CancellationToken;
use tools::copy::{self, CopyError, Made};
use tools::{Profile, Workspace};

const SECRET: &str = "what only the person reads";

fn git(folder: &Path, args: &[&str]) -> String {
    crate::copies::git(folder, args).trim_end().to_owned()
}

fn repository_in(folder: &Path, text: &str) {
    std::fs::write(folder.join("a.txt"), text).unwrap();
    git(folder, &["init", "-q", "-b", "main"]);
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-qm", "first"]);
}

/// A desk at a repository, with a secret beside it.
pub fn repository() -> Desk {
    let desk = desk();
    repository_in(desk.ws.root(), "1\n");
    std::fs::write(desk.outside.path().join("secret"), SECRET).unwrap();
    desk
}

fn secret_of(desk: &Desk) -> PathBuf {
    desk.outside.path().canonicalize().unwrap()
}

/// Copies what is at a desk to a folder beside it.
async fn copied(desk: &Desk) -> Result<(PathBuf, Made), CopyError> {
    let (from, to) = (desk.ws.clone(), desk.trash.path().join("copy"));
    let (shared, folder) = (desk.ctx.shared.clone(), copy::work(&to));
    let cancel = CancellationToken::new();
    let made = tokio::task::spawn_blocking(move || copy::make(&from, &shared, &to, &cancel));
    made.await.unwrap().map(|made| (folder, made))
}

/// A sidekick's desk at a copy.
pub async fn sidekick(desk: &Desk) -> Desk {
    let (folder, made) = copied(desk).await.unwrap();
    let mut other = crate::support::desk();
    other.ws = Workspace::open_copy(folder, desk.ws.root()).unwrap();
    other.ctx.shared = made.shares.into_iter().chain(desk.ctx.shared.iter().cloned()).collect();
    other
}

#[tokio::test]
async fn a_link_in_the_place_of_the_objects_shows_nothing() {
    let desk = repository();
    let mut other = sidekick(&desk).await;
    let objects = desk.path(".git/objects");
    let look = format!("cat {}/secret; git log --format=%s; echo ran", objects.display());
    assert!(other.shell(&look).await.text.contains("first\nran\n"), "git reads what is shared");
    for swapped in [".git/objects", ".git"] {
        // As whoever began before there was a repository can.
        let (swapped, aside) = (desk.path(swapped), desk.path("aside"));
        std::fs::create_dir_all(desk.outside.path().join("objects")).unwrap();
        std::fs::write(desk.outside.path().join("objects/secret"), SECRET).unwrap();
        std::fs::rename(&swapped, &aside).unwrap();
        symlink(secret_of(&desk), &swapped).unwrap();
        for profile in [Profile::Look, Profile::Work] {
            other.ctx.profile = profile;
            let said = other.shell(&look).await.text;
            assert!(said.contains("ran\n") && !said.contains(SECRET), "{profile:?}: {said}");
        }
        std::fs::remove_file(&swapped).unwrap();
        std::fs::rename(&aside, &swapped).unwrap();
    }
    assert!(other.shell(&look).await.text.contains("first\nran\n"));
}

/// A job that began before there was a repository swaps the objects while commands start.
#[tokio::test]
async fn a_link_swapped_in_while_a_command_starts_shows_nothing() {
    let desk = desk();
    std::fs::write(desk.outside.path().join("secret"), SECRET).unwrap();
    let outside = secret_of(&desk);
    let swap = format!(
        "until [ -e go ]; do sleep 0.01; done; ln -s {} .git/evil; exec perl -e '
         for (my $n = 0; ! -e \"stop\"; $n++) {{
             rename(\".git/objects\", \".git/aside\"); rename(\".git/evil\", \".git/objects\");
             select(undef, undef, undef, $n % 16 / 4000);
             rename(\".git/objects\", \".git/evil\"); rename(\".git/aside\", \".git/objects\");
             select(undef, undef, undef, $n % 64 / 8000);
         }} open(my $done, \">\", \"done\")'",
        outside.display()
    );
    desk.run("shell", json!({ "command": swap, "background": true })).await.unwrap();
    repository_in(desk.ws.root(), "1\n");
    let other = sidekick(&desk).await;
    desk.put("go", "");
    let evil = desk.path(".git/evil");
    until("it swaps", || evil.symlink_metadata().is_ok()).await;
    let objects = desk.path(".git/objects");
    let command = format!("cat {0}/secret; ls {0}/info && echo seen; echo ran", objects.display());
    let (mut seen, mut ran, mut refused) = (0, 0, 0);
    for _ in 0..200 {
        // It may also be that nothing could be mounted.
        let Ok(output) = other.run("shell", json!({ "command": command })).await else { continue };
        assert!(!output.text.contains(SECRET), "{}", output.text);
        seen += usize::from(output.text.contains("seen\n"));
        ran += usize::from(output.text.contains("ran\n"));
        refused += usize::from(output.text.contains("nothing was run"));
    }
    println!("{ran} ran, {seen} of them with the objects; {refused} refused");
    desk.put("stop", "");
    until("it is over", || desk.path("done").exists()).await;
    let calm = other.shell(&command).await.text;
    assert!(calm.contains("seen\nran\n") && !calm.contains(SECRET), "{calm}");
}

/// What a repository says that it borrows may be anybody's.
#[tokio::test]
async fn objects_that_a_repository_names_are_not_read() {
    let private = tempfile::tempdir().unwrap();
    repository_in(private.path(), SECRET);
    let theirs = private.path().canonicalize().unwrap().join(".git/objects");
    let commit = git(private.path(), &["rev-parse", "HEAD"]);
    let desk = repository();
    let name = format!(
        "echo {} > .git/objects/info/alternates; echo {commit} > .git/HEAD",
        theirs.display()
    );
    assert!(!desk.shell(&name).await.failed);
    assert!(git(desk.ws.root(), &["show", "HEAD:a.txt"]).contains(SECRET), "the person reads it");
    let error = copied(&desk).await.unwrap_err().to_string();
    assert_eq!(error, "its repository can't be shared: it borrows objects from another one");
    assert_eq!(std::fs::read_dir(desk.trash.path()).unwrap().count(), 0, "nothing is left");
}

#[tokio::test]
async fn git_works_in_a_copy_of_a_copy() {
    let desk = repository();
    let first = sidekick(&desk).await;
    first.shell("git -c user.name=t -c user.email=t@t commit -q --allow-empty -m second").await;
    let second = sidekick(&first).await;
    let said = second.shell("git log --format=%s; git status --porcelain; echo ran").await.text;
    assert!(said.contains("second\nfirst\nran\n"), "{said}");
    // What the first names by now is not what it was made with.
    let private = tempfile::tempdir().unwrap();
    repository_in(private.path(), SECRET);
    let theirs = private.path().canonicalize().unwrap().join(".git/objects");
    first.put(".git/objects/info/alternates", format!("{}\n", theirs.display()));
    let said = second.shell(&format!("ls {} && echo seen; echo ran", theirs.display())).await.text;
    assert!(said.contains("ran\n") && !said.contains("seen\n"), "{said}");
    copy::remove(&first.trash.path().join("copy")).unwrap();
    let error = copied(&first).await.unwrap_err().to_string();
    assert_eq!(error, "its repository can't be shared: it borrows objects from another one");
}

/// Somebody swaps `.git` for a link to a private repository while copies are made.
#[tokio::test]
async fn a_link_swapped_in_while_a_copy_is_made_leads_nowhere() {
    let private = tempfile::tempdir().unwrap();
    repository_in(private.path(), SECRET);
    let commit = git(private.path(), &["rev-parse", "HEAD"]);
    let desk = repository();
    let evil = desk.path("evil");
    symlink(private.path().canonicalize().unwrap().join(".git"), &evil).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let swapper = {
        let (stop, own) = (stop.clone(), desk.path(".git"));
        std::thread::spawn(move || {
            for round in 0.. {
                renameat_with(CWD, &own, CWD, &evil, RenameFlags::EXCHANGE).unwrap();
                if stop.load(Ordering::Relaxed) && !own.is_symlink() {
                    return;
                }
                std::thread::sleep(std::time::Duration::from_micros(round % 8 * 5));
            }
        })
    };
    let mut made = 0;
    for _ in 0..400 {
        let Ok((folder, _)) = copied(&desk).await else { continue };
        made += 1;
        let main = std::fs::read_to_string(folder.join(".git/refs/heads/main"));
        assert_ne!(main.unwrap_or_default().trim_end(), commit);
    }
    stop.store(true, Ordering::Relaxed);
    swapper.join().unwrap();
    println!("{made} made");
    copied(&desk).await.unwrap();
}

/// They are held in place as git's folder is, and git does in there all that it did.
#[tokio::test]
async fn commands_put_nothing_in_the_place_of_the_objects() {
    let desk = repository();
    let inode = || std::fs::symlink_metadata(desk.path(".git/objects")).unwrap().ino();
    let before = inode();
    let output = desk.shell("mv .git/objects .git/o && ln -s / .git/objects").await;
    assert!(output.failed, "{}", output.text);
    assert_eq!(inode(), before);
    let works = "export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@t \
                 GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@t; set -e; echo 2 > a.txt; \
                 git commit -qam second; git worktree add -q tree; \
                 git clone -q . clone; git -C clone commit -q --allow-empty -m third; \
                 git fetch -q ./clone main; git merge -q FETCH_HEAD; git stash list; \
                 echo 3 > a.txt; git stash -q; git stash pop -q; git repack -qad; \
                 git gc -q --prune=now; git fsck; git commit-graph write; \
                 git -C tree log --format=%s; git log --format=%s; echo worked";
    let output = desk.shell(works).await;
    assert!(output.text.contains("\nthird\nsecond\nfirst\nworked\n"), "{}", output.text);
    assert_eq!(inode(), before);
    let output = desk.shell("rm -rf .git/objects; ln -sT / .git/objects").await;
    assert!(output.failed, "{}", output.text);
    assert_eq!(inode(), before);
}
