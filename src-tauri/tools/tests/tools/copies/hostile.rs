//! A repository made by somebody else: git that we start ourselves runs nothing of it.

use super::{Pair, git, read, write};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use tokio_util::sync::CancellationToken;
use tools::ToolError;
use tools::copy::{CopyError, Taken};

#[test]
fn a_copy_of_a_hostile_repository_runs_nothing_of_it() {
    let pair = Pair::repository(&[
        ("a.txt", "1\n"),
        (".gitattributes", "* filter=evil diff=evil\n"),
        (".gitignore", "target/\n"),
    ]);
    let home = pair.ws.parent().unwrap();
    let [evil, ran] = ["evil.sh", "ran"].map(|name| home.join(name));
    let script = format!("#!/bin/sh\necho \"$0 $*\" >> {}\ncat\n", ran.display());
    let executable = |path: &std::path::Path| {
        fs::write(path, &script).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    executable(&evil);
    let named = evil.to_str().unwrap();
    for name in [
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "core.alternateRefsCommand",
        "diff.external",
        "diff.evil.textconv",
        "filter.evil.clean",
        "filter.evil.smudge",
        "gpg.program",
    ] {
        git(&pair.ws, &["config", name, named]);
    }
    write(&pair.ws, ".git/more", &format!("[core]\n\tfsmonitor = {named}\n"));
    git(&pair.ws, &["config", "include.path", "more"]);
    for hook in ["post-index-change", "post-checkout", "reference-transaction"] {
        executable(&pair.ws.join(".git/hooks").join(hook));
    }
    write(&pair.ws, ".git/info/attributes", "* filter=evil diff=evil\n");
    write(&pair.ws, "a.txt", "2\n");
    git(&pair.ws, &["status"]);
    assert!(ran.exists(), "whoever asks git there runs what it names");
    fs::remove_file(&ran).unwrap();

    pair.make().unwrap();
    write(&pair.work(), "a.txt", "3\n");
    pair.take(&[]).unwrap();
    assert_eq!(read(&pair.ws, "a.txt"), "3\n");
    assert!(!ran.exists(), "{}", fs::read_to_string(&ran).unwrap_or_default());
}

/// No path of it is git's by itself: together they make a repository, which the person's git would
/// obey when it is run there.
#[test]
fn a_folder_that_git_takes_for_a_repository_is_left_in_the_copy() {
    let pair = Pair::repository(&[("docs/a", "1\n"), ("half/refs/x", ""), (".gitignore", "ig\n")]);
    pair.make().unwrap();
    let work = pair.work();
    for path in [
        // With its parts, or with a name for where they are.
        "docs/HEAD",
        "docs/objects/x",
        "docs/refs/x",
        "docs/config",
        "docs/deep/x",
        "new/HEAD",
        "new/commondir",
        // A half is in the workspace, or comes there meanwhile, ignored or not.
        "half/HEAD",
        "half/objects/x",
        "late/HEAD",
        "late/objects/x",
        "ig/HEAD",
        // At the top, too.
        "HEAD",
        "commondir",
        "config",
        "src/fine",
    ] {
        write(&work, path, "x\n");
    }
    git(&work, &["init", "-q", "sub"]);
    write(&work, "sub/x", "x\n");
    write(&pair.ws, "late/refs/x", "");
    write(&pair.ws, "ig/commondir", "");
    let found = pair.compare_named(&["ig/HEAD"]);
    assert_eq!(found.paths(), ["src", "src/fine", "sub", "sub/x"]);
    assert!(found.conflicts.is_empty() && found.protected(&pair.workspace()).is_empty());
    let named = ["sub/.git", ".", "docs", "half", "ig", "late", "new"];
    assert_eq!(found.repositories, named);
    let mut taken = Taken::default();
    pair.take_until(&CancellationToken::new(), found, &[], &mut taken).unwrap();
    assert_eq!(taken.repositories, named);
    assert_eq!(fs::read_dir(pair.ws.join("docs")).unwrap().count(), 1);
    assert!(!pair.ws.join("HEAD").exists() && pair.ws.join("src/fine").exists());
}

/// What makes it one may come between the look and the taking.
#[test]
fn what_becomes_a_repository_meanwhile_is_not_taken_over() {
    let pair = Pair::new(&[("a/x", "")]);
    pair.make().unwrap();
    write(&pair.work(), "a/HEAD", "x\n");
    let found = pair.compare();
    write(&pair.ws, "a/commondir", ".\n");
    let taken = pair.take_until(&CancellationToken::new(), found, &[], &mut Taken::default());
    assert!(matches!(taken, Err(CopyError::Tool(ToolError::Protected { .. }))), "{taken:?}");
    assert!(!pair.ws.join("a/HEAD").exists());
}
