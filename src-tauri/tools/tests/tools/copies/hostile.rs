//! A repository made by somebody else: git that we start ourselves runs nothing of it.

use super::{Pair, git, read, write};
use std::fs;
use std::os::unix::fs::PermissionsExt;

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
