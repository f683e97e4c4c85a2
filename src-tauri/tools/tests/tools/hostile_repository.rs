//! A repository made by somebody else, whose settings name programs to run.

use crate::support::{Desk, desk};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// A repository in which everything that git can be told to run says so.
fn hostile() -> Desk {
    hostile_with(&[])
}

fn hostile_with(options: &[&str]) -> Desk {
    let desk = desk();
    let git = |args: &[&str]| {
        let status = Command::new("git").arg("-C").arg(desk.ws.root()).args(args).output().unwrap();
        assert!(status.status.success(), "{status:?}");
    };
    git(&[&["init", "-q"], options].concat());
    git(&["config", "user.email", "a@example.com"]);
    git(&["config", "user.name", "A"]);
    desk.put("a.txt", "1\n");
    git(&["add", "."]);
    git(&["commit", "-qm", "first"]);
    let evil = desk.path("evil.sh");
    let script = "#!/bin/sh\necho HIJACKED >&2\necho x > hijacked 2>/dev/null\ncat\n";
    std::fs::write(&evil, script).unwrap();
    std::fs::set_permissions(&evil, PermissionsExt::from_mode(0o755)).unwrap();
    let evil = evil.to_str().unwrap();
    for (name, value) in [
        ("core.fsmonitor", evil),
        ("core.pager", evil),
        ("diff.external", evil),
        ("filter.evil.clean", evil),
        ("filter.evil.smudge", evil),
        ("filter.evil.required", "true"),
        ("diff.evil.textconv", evil),
        ("diff.evil.command", evil),
        ("core.hooksPath", desk.path("hooks").to_str().unwrap()),
        ("core.sshCommand", evil),
        ("core.attributesFile", desk.path(".gitattributes").to_str().unwrap()),
        ("log.showSignature", "true"),
        ("gpg.program", evil),
        ("gpg.ssh.program", evil),
    ] {
        git(&["config", name, value]);
    }
    for hook in ["post-index-change", "pre-commit", "reference-transaction", "post-checkout"] {
        desk.put(&format!("hooks/{hook}"), script);
        std::fs::set_permissions(
            desk.path(&format!("hooks/{hook}")),
            PermissionsExt::from_mode(0o755),
        )
        .unwrap();
    }
    desk.put(".gitattributes", "* filter=evil diff=evil\n");
    desk.put(".git/info/attributes", "* filter=evil diff=evil\n");
    desk.put("a.txt", "2\n");
    desk
}

#[tokio::test]
async fn looking_with_git_runs_nothing_of_the_repositorys() {
    looks(&hostile()).await;
}

/// Names of objects are longer there, that of the empty tree as well.
#[tokio::test]
async fn nor_in_a_repository_of_the_newer_kind() {
    looks(&hostile_with(&["--object-format=sha256"])).await;
}

/// Git shows what changed in a submodule by another git, which obeys the submodule's settings.
#[tokio::test]
async fn nor_in_a_submodule() {
    let desk = hostile();
    let git = |folder: &str, args: &[&str]| {
        let git = Command::new("git").arg("-C").arg(desk.path(folder)).args(args).output().unwrap();
        assert!(git.status.success(), "{git:?}");
    };
    let evil = desk.path("evil.sh");
    let evil = evil.to_str().unwrap();
    for quiet in ["core.fsmonitor", "core.hooksPath"] {
        git("", &["config", "--unset", quiet]);
    }
    std::fs::create_dir(desk.path("lib")).unwrap();
    git("lib", &["init", "-q"]);
    desk.put("lib/b.txt", "1\n");
    git("lib", &["add", "."]);
    git("lib", &["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "first"]);
    git("", &["-c", "advice.addEmbeddedRepo=false", "add", "lib"]);
    desk.put("lib/b.txt", "2\n");
    for (name, value) in [
        ("diff.external", evil),
        ("core.fsmonitor", evil),
        ("filter.evil.clean", evil),
        ("diff.evil.textconv", evil),
    ] {
        git("lib", &["config", name, value]);
    }
    desk.put("lib/.git/info/attributes", "* filter=evil diff=evil\n");
    git("", &["config", "diff.submodule", "diff"]);
    git("", &["config", "status.submoduleSummary", "true"]);
    // From the commands above.
    let _ = std::fs::remove_file(desk.path("hijacked"));
    looks(&desk).await;
}

async fn looks(desk: &Desk) {
    for command in [
        "git status",
        "git status --short",
        "git diff",
        "git diff HEAD",
        "git log -p",
        "git show HEAD",
        "git blame a.txt",
        "git ls-files -m",
        "git stash list",
        "git branch -a",
        "git log --show-signature",
        "git log --format=%G?",
    ] {
        let output = desk.shell(command).await;
        assert!(!output.text.contains("HIJACKED"), "{command}: {}", output.text);
        assert!(!output.failed, "{command}: {}", output.text);
    }
    assert!(!desk.path("hijacked").exists());
    assert!(desk.shell("git diff").await.text.contains("+2"), "the difference itself is shown");
}

/// Where a command may write, a repository's own programs run as they do for
/// anybody, but in the sandbox: the walls are the same for them.
#[tokio::test]
async fn what_a_repository_runs_stays_in_the_sandbox() {
    let desk = hostile();
    let secret = desk.outside.path().join("secret");
    std::fs::write(&secret, "secret").unwrap();
    let script = format!(
        "#!/bin/sh\ncat {0} > stolen; echo x > {0}; echo x > .git/hooks/planted; cat\n",
        secret.display()
    );
    std::fs::write(desk.path("evil.sh"), script).unwrap();
    desk.shell("git add -A; git commit -qm second; git checkout -q -- .").await;
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "secret");
    assert!(!desk.path(".git/hooks/planted").exists());
    let stolen = std::fs::read_to_string(desk.path("stolen")).unwrap_or_default();
    assert!(!stolen.contains("secret"), "{stolen}");
}

/// Where objects are missing by design, git would ask for them by a program that settings name.
#[tokio::test]
async fn what_is_missing_is_not_asked_for() {
    let desk = hostile();
    let evil = desk.path("evil.sh");
    for (name, value) in [
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", desk.ws.root().to_str().unwrap()),
        ("remote.origin.uploadpack", evil.to_str().unwrap()),
        ("protocol.file.allow", "always"),
    ] {
        let root = desk.ws.root();
        let set = Command::new("git").arg("-C").arg(root).args(["config", name, value]).output();
        assert!(set.unwrap().status.success(), "{name}");
    }
    let output = desk.shell("git show 1234567890123456789012345678901234567890").await;
    assert!(output.failed && !output.text.contains("HIJACKED"), "{}", output.text);
}
