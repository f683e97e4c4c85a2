//! Copies of a workspace: what is in them, what they leave alone, how their changes come back.

mod confined;
mod hostile;
mod kinds;
mod never_committed;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use tools::Workspace;
use tools::copy::{self, ByTools, Choice, Comparison, CopyError, Decided, Made, Taken, Why};

/// A workspace and a place for its copy.
struct Pair {
    _home: TempDir,
    ws: PathBuf,
    copy: PathBuf,
    /// What the workspace shares, where it is a copy itself.
    shared: Vec<PathBuf>,
}

impl Pair {
    fn new(files: &[(&str, &str)]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let [ws, copy] = ["ws", "copies/one"].map(|name| home.path().join(name));
        fs::create_dir_all(&ws).unwrap();
        let pair = Self { _home: home, ws, copy, shared: Vec::new() };
        for (path, text) in files {
            write(&pair.ws, path, text);
        }
        pair
    }

    /// The same as a repository in which all of it is committed.
    fn repository(files: &[(&str, &str)]) -> Self {
        let pair = Self::new(files);
        git(&pair.ws, &["init", "-q", "-b", "main"]);
        git(&pair.ws, &["add", "-A"]);
        git(&pair.ws, &["commit", "-qm", "first"]);
        pair
    }

    fn workspace(&self) -> Workspace {
        Workspace::open(&self.ws).unwrap()
    }

    fn make(&self) -> Result<Made, CopyError> {
        make_sharing(&self.workspace(), &self.shared, &self.copy, &CancellationToken::new())
    }

    fn work(&self) -> PathBuf {
        copy::work(&self.copy)
    }

    fn compare(&self) -> Comparison {
        self.compare_named(&[])
    }

    /// The same, where tools changed these.
    fn compare_named(&self, named: &[&str]) -> Comparison {
        let changed = named.iter().map(ToString::to_string).collect();
        self.compare_with(&ByTools { changed, ..ByTools::default() })
    }

    fn compare_with(&self, tools: &ByTools) -> Comparison {
        copy::compare(&self.copy, &self.workspace(), tools, &CancellationToken::new()).unwrap()
    }

    fn take(&self, choices: &[(&str, Choice)]) -> Result<Taken, CopyError> {
        let (cancel, mut taken) = (CancellationToken::new(), Taken::default());
        self.take_until(&cancel, self.compare(), choices, &mut taken)?;
        Ok(taken)
    }

    fn take_until(
        &self,
        cancel: &CancellationToken,
        found: Comparison,
        choices: &[(&str, Choice)],
        taken: &mut Taken,
    ) -> Result<(), CopyError> {
        let choices: Vec<_> =
            choices.iter().map(|(path, choice)| ((*path).to_owned(), *choice)).collect();
        let trash = self.copy.with_file_name("trash");
        let decided = Decided { choices: &choices, who: "calm-otter", trash: Some(&trash) };
        copy::take(&self.copy, &self.workspace(), found, &decided, cancel, taken)
    }

    /// How much there is where the copies are.
    fn left(&self) -> usize {
        fs::read_dir(self.copy.parent().unwrap()).map_or(0, Iterator::count)
    }

    fn paths(&self) -> Vec<String> {
        self.compare().paths().into_iter().map(str::to_owned).collect()
    }
}

fn make(from: &Workspace, copy: &Path, cancel: &CancellationToken) -> Result<Made, CopyError> {
    make_sharing(from, &[], copy, cancel)
}

/// Makes a copy, on a thread of a runtime that may wait.
fn make_sharing(
    from: &Workspace,
    shared: &[PathBuf],
    copy: &Path,
    cancel: &CancellationToken,
) -> Result<Made, CopyError> {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let _entered = runtime.enter();
    copy::make(from, shared, copy, cancel)
}

fn write(folder: &Path, path: &str, text: &str) {
    let file = folder.join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

fn read(folder: &Path, path: &str) -> String {
    fs::read_to_string(folder.join(path)).unwrap()
}

pub(crate) fn git(folder: &Path, args: &[&str]) -> String {
    let done = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@t"])
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .output()
        .unwrap();
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

/// All that git knows of a repository, and every byte of its folder.
fn standing(folder: &Path) -> (Vec<String>, Vec<(PathBuf, Vec<u8>)>) {
    let said = [
        &["status", "--porcelain=v2", "--branch"][..],
        &["stash", "list"],
        &["for-each-ref"],
        &["diff", "--cached"],
    ];
    let mut files = Vec::new();
    all_files(&folder.join(".git"), &mut files);
    (said.iter().map(|args| git(folder, args)).collect(), files)
}

fn all_files(folder: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        match entry.file_type().unwrap().is_dir() {
            true => all_files(&entry.path(), files),
            false => files.push((entry.path(), fs::read(entry.path()).unwrap())),
        }
    }
    files.sort();
}

/// A repository with something of every kind.
fn busy() -> Pair {
    let pair = Pair::repository(&[
        ("a.txt", "one\ntwo\nthree\n"),
        ("staged.txt", "old\n"),
        ("gone.txt", "x\n"),
        (".gitignore", "target/\n*.log\n.env\n"),
    ]);
    let ws = &pair.ws;
    write(ws, "a.txt", "stashed\n");
    git(ws, &["stash", "-q"]);
    write(ws, "staged.txt", "new\n");
    git(ws, &["add", "staged.txt"]);
    write(ws, "a.txt", "one\nTWO\nthree\n");
    fs::remove_file(ws.join("gone.txt")).unwrap();
    write(ws, "untracked/b.txt", "u\n");
    write(ws, ".env", "KEY=1\n");
    write(ws, "target/out.bin", "built\n");
    fs::write(ws.join("big.log"), vec![b'x'; 2 << 20]).unwrap();
    write(ws, "run.sh", "#!/bin/sh\n");
    fs::set_permissions(ws.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("a.txt", ws.join("link")).unwrap();
    symlink("/etc/passwd", ws.join("away")).unwrap();
    // What would run something if it came along.
    write(ws, ".git/hooks/post-checkout", "#!/bin/sh\ntouch evil\n");
    git(ws, &["config", "alias.st", "!touch evil"]);
    git(ws, &["config", "filter.x.smudge", "touch evil"]);
    pair
}

#[test]
fn a_copy_of_a_repository_has_what_was_changed_and_leaves_the_repository_alone() {
    let pair = busy();
    let before = standing(&pair.ws);
    let made = pair.make().unwrap();
    assert_eq!(standing(&pair.ws), before);
    assert_eq!(made.left_out, ["target"]);
    let work = pair.work();
    assert_eq!(read(&work, "a.txt"), "one\nTWO\nthree\n");
    assert_eq!(
        (read(&work, "untracked/b.txt"), read(&work, ".env")),
        ("u\n".into(), "KEY=1\n".into())
    );
    assert!(!work.join("gone.txt").exists() && !work.join("target").exists());
    assert!(!work.join("big.log").exists(), "an ignored file that is large");
    assert_eq!(fs::read_link(work.join("away")).unwrap(), Path::new("/etc/passwd"));
    assert_eq!(fs::metadata(work.join("run.sh")).unwrap().mode() & 0o777, 0o755);

    // In it, git sees what the person's sees, but for the stash.
    let status = |folder: &Path| git(folder, &["status", "--porcelain=v2", "--branch"]);
    assert_eq!(status(&work), before.0[0]);
    assert_eq!(git(&work, &["diff", "--cached"]), before.0[3]);
    assert_eq!(git(&work, &["log", "--format=%s", "main"]), "first\n");
    assert_eq!(git(&work, &["stash", "list"]), "");
    assert!(!work.join(".git/hooks/post-checkout").exists());
    assert!(!read(&work, ".git/config").contains("evil"));

    // What is done with git in there stays in there.
    git(&work, &["stash", "-q", "-u"]);
    git(&work, &["checkout", "-qb", "other"]);
    git(&work, &["commit", "-q", "--allow-empty", "-m", "second"]);
    git(&work, &["gc", "-q", "--prune=now"]);
    assert_eq!(standing(&pair.ws), before);
}

#[test]
fn nothing_is_left_of_a_copy_that_can_not_be_made() {
    let pair = Pair::repository(&[("a", "1")]);
    fs::create_dir_all(pair.ws.join("sub/.git")).unwrap();
    let error = pair.make().unwrap_err();
    assert_eq!(error.to_string(), "`sub` is a repository of its own");
    assert_eq!(pair.left(), 0);

    fs::remove_dir_all(pair.ws.join("sub")).unwrap();
    fs::File::create(pair.ws.join("huge")).unwrap().set_len(3 << 30).unwrap();
    assert!(matches!(pair.make(), Err(CopyError::TooLarge { .. })));
    assert_eq!(pair.left(), 0);

    // It is known before anything is written: here nothing could be.
    let unwritable = pair.ws.join("a/copies/one");
    let refused = make(&pair.workspace(), &unwritable, &CancellationToken::new());
    assert!(matches!(refused, Err(CopyError::TooLarge { .. })), "{refused:?}");
    // Of many small ones as well, and of links nothing counts.
    fs::remove_file(pair.ws.join("huge")).unwrap();
    symlink("huge", pair.ws.join("link")).unwrap();
    for n in 0..2_100 {
        fs::File::create(pair.ws.join(format!("f{n}"))).unwrap().set_len(512 << 10).unwrap();
    }
    let refused = make(&pair.workspace(), &unwritable, &CancellationToken::new());
    assert!(matches!(refused, Err(CopyError::TooLarge { .. })), "{refused:?}");
    for n in 0..2_100 {
        fs::remove_file(pair.ws.join(format!("f{n}"))).unwrap();
    }
    fs::File::create(pair.ws.join("huge")).unwrap();

    fs::remove_file(pair.ws.join("huge")).unwrap();
    let stopped = CancellationToken::new();
    stopped.cancel();
    assert!(matches!(make(&pair.workspace(), &pair.copy, &stopped), Err(CopyError::Cancelled)));
    assert_eq!(pair.left(), 0);
    pair.make().unwrap();
    copy::remove(&pair.copy).unwrap();
    assert!(!pair.copy.exists());
}

#[test]
fn a_folder_with_too_many_files_is_refused_before_one_is_copied() {
    let pair = Pair::new(&[]);
    // Copying would come to this one first.
    fs::File::create(pair.ws.join("a")).unwrap().set_len(3 << 30).unwrap();
    for number in 0..50_000 {
        fs::File::create(pair.ws.join(format!("f{number}"))).unwrap();
    }
    let error = pair.make().unwrap_err();
    assert_eq!(error.to_string(), "the folder has more than 50000 files");
    assert!(!pair.copy.parent().unwrap().exists(), "nothing was made");
}

#[test]
fn objects_are_shared_only_from_where_git_keeps_them() {
    let (pair, other) = (Pair::repository(&[("a", "1")]), Pair::repository(&[("b", "2")]));
    fs::remove_dir_all(pair.ws.join(".git/objects")).unwrap();
    symlink(other.ws.join(".git/objects"), pair.ws.join(".git/objects")).unwrap();
    let error = pair.make().unwrap_err().to_string();
    assert_eq!(error, "its repository can't be shared: its objects are elsewhere");
}

#[test]
fn a_linked_work_tree_can_be_copied() {
    let pair = Pair::repository(&[("a.txt", "1\n")]);
    let tree = pair.ws.with_file_name("tree");
    git(&pair.ws, &["worktree", "add", "-q", "-b", "side", tree.to_str().unwrap()]);
    write(&tree, "a.txt", "2\n");
    let before = git(&tree, &["status", "--porcelain=v2", "--branch"]);
    let ws = Workspace::open(&tree).unwrap();
    make(&ws, &pair.copy, &CancellationToken::new()).unwrap();
    assert_eq!(git(&pair.work(), &["status", "--porcelain=v2", "--branch"]), before);
    assert_eq!(git(&tree, &["status", "--porcelain=v2", "--branch"]), before);
}

#[test]
fn only_what_a_copy_changed_comes_back() {
    let pair = busy();
    let before = standing(&pair.ws);
    pair.make().unwrap();
    let work = pair.work();
    assert_eq!(pair.paths(), [""; 0]);
    write(&work, "a.txt", "one\nTWO\nTHREE\n");
    write(&work, "new/deep.txt", "n\n");
    fs::remove_dir_all(work.join("untracked")).unwrap();
    fs::set_permissions(work.join("staged.txt"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::remove_file(work.join("link")).unwrap();
    symlink("run.sh", work.join("link")).unwrap();
    write(&work, "target/built.bin", "thrown away\n");
    git(&work, &["add", "-A"]);
    git(&work, &["commit", "-qm", "done"]);
    // The person works on meanwhile, elsewhere.
    write(&pair.ws, "run.sh", "#!/bin/sh\necho\n");

    let taken = pair.take(&[("untracked/b.txt", Choice::Theirs)]).unwrap();
    let changed: Vec<&str> = taken.changed.iter().map(|change| change.path.as_str()).collect();
    assert_eq!(
        changed,
        ["a.txt", "link", "new", "new/deep.txt", "staged.txt", "untracked", "untracked/b.txt"]
    );
    assert_eq!(read(&pair.ws, "a.txt"), "one\nTWO\nTHREE\n");
    assert_eq!(read(&pair.ws, "new/deep.txt"), "n\n");
    assert_eq!(read(&pair.ws, "run.sh"), "#!/bin/sh\necho\n");
    assert!(!pair.ws.join("untracked").exists() && !pair.ws.join("target/built.bin").exists());
    assert_eq!(fs::read_link(pair.ws.join("link")).unwrap(), Path::new("run.sh"));
    assert_eq!(fs::metadata(pair.ws.join("staged.txt")).unwrap().mode() & 0o777, 0o755);
    assert_eq!(standing(&pair.ws).1, before.1, "not a byte of the repository");
    assert!(pair.take(&[]).unwrap().changed.is_empty(), "done twice is harmless");
}

#[test]
fn what_git_tracks_in_an_ignored_folder_is_in_a_copy_and_comes_back() {
    let pair = Pair::repository(&[("a.txt", "1\n"), (".gitignore", "vendor/\n*.bin\n")]);
    write(&pair.ws, "vendor/lib/kept.c", "int a;\n");
    write(&pair.ws, "vendor/lib/gone.c", "int b;\n");
    fs::write(pair.ws.join("large.bin"), vec![7; 2 << 20]).unwrap();
    git(&pair.ws, &["add", "-f", "vendor", "large.bin"]);
    git(&pair.ws, &["commit", "-qm", "by force"]);
    write(&pair.ws, "vendor/lib/built.o", "built\n");
    write(&pair.ws, "vendor/cache/x", "cached\n");
    let made = pair.make().unwrap();
    assert_eq!(made.left_out, ["vendor/cache"]);
    let work = pair.work();
    assert_eq!(git(&work, &["status", "--porcelain"]), "", "nothing is missing");
    assert!(!work.join("vendor/lib/built.o").exists() && work.join("large.bin").exists());
    assert_eq!(pair.paths(), [""; 0]);

    write(&work, "vendor/lib/kept.c", "int a = 1;\n");
    fs::remove_file(work.join("vendor/lib/gone.c")).unwrap();
    write(&work, "vendor/lib/built.o", "built again\n");
    let found = pair.compare();
    assert_eq!(found.paths(), ["vendor/lib/gone.c", "vendor/lib/kept.c"]);
    assert_eq!(found.left, ["vendor/lib/built.o"], "what is built there is told of");
    pair.take(&[]).unwrap();
    assert_eq!(read(&pair.ws, "vendor/lib/kept.c"), "int a = 1;\n");
    assert!(!pair.ws.join("vendor/lib/gone.c").exists());
    assert_eq!(read(&pair.ws, "vendor/lib/built.o"), "built\n");
    assert_eq!(read(&pair.ws, "vendor/cache/x"), "cached\n");
}

#[test]
fn who_commits_in_a_copy_is_who_commits_in_the_repository() {
    let pair = Pair::repository(&[("a.txt", "1\n")]);
    let name = r#"Ann "A" O'Hara; # \\ Söhne"#;
    git(&pair.ws, &["config", "user.name", name]);
    git(&pair.ws, &["config", "user.email", "ann@example.org"]);
    git(&pair.ws, &["config", "user.signingKey", "evil"]);
    pair.make().unwrap();
    let config = |what: &str| {
        let said = Command::new("git")
            .args(["config", "--local", what])
            .current_dir(pair.work())
            .output()
            .unwrap();
        String::from_utf8(said.stdout).unwrap()
    };
    assert_eq!(config("user.name").trim_end(), name);
    assert_eq!(config("user.email").trim_end(), "ann@example.org");
    assert_eq!(config("user.signingKey"), "");
}

#[test]
fn what_both_changed_is_merged_by_lines_or_asked_about() {
    let lines = "1\n2\n3\n4\n5\n6\n";
    let pair = Pair::new(&[("both", lines), ("same", lines), ("cut", lines), ("kept", "k\n")]);
    pair.make().unwrap();
    let work = pair.work();
    write(&work, "both", "one\n2\n3\n4\n5\n6\n");
    write(&pair.ws, "both", "1\n2\n3\n4\n5\nsix\n");
    write(&work, "same", "1\ntheirs\n3\n4\n5\n6\n");
    write(&pair.ws, "same", "1\nmine\n3\n4\n5\n6\n");
    fs::remove_file(work.join("cut")).unwrap();
    write(&pair.ws, "cut", "changed\n");
    write(&work, "new", "theirs\n");
    write(&pair.ws, "new", "mine\n");
    fs::write(work.join("kept"), b"\0theirs").unwrap();
    fs::write(pair.ws.join("kept"), b"\0mine").unwrap();

    let found = pair.compare();
    assert_eq!(found.paths(), ["both"]);
    let conflicts: Vec<&str> = found.conflicts.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(conflicts, ["cut", "kept", "new", "same"]);
    let cut = &found.conflicts[0];
    assert_eq!((cut.theirs.mark.as_str(), cut.theirs.words.as_str()), ("gone", "it is not there"));
    assert_eq!(found.conflicts[1].mine.text, None);
    let same = &found.conflicts[3];
    assert_eq!(same.base.text.as_deref(), Some(lines));
    assert_eq!(same.theirs.text.as_deref(), Some("1\ntheirs\n3\n4\n5\n6\n"));

    assert!(matches!(pair.take(&[]), Err(CopyError::Changed { .. })), "nothing without a word");
    assert_eq!(read(&pair.ws, "both"), "1\n2\n3\n4\n5\nsix\n");
    let choices = [
        ("cut", Choice::Theirs),
        ("kept", Choice::Mine),
        ("new", Choice::Theirs),
        ("same", Choice::Both),
    ];
    pair.take(&choices).unwrap();
    assert_eq!(read(&pair.ws, "both"), "one\n2\n3\n4\n5\nsix\n");
    assert_eq!(read(&pair.ws, "new"), "theirs\n");
    assert_eq!(fs::read(pair.ws.join("kept")).unwrap(), b"\0mine");
    assert!(!pair.ws.join("cut").exists());
    assert_eq!(read(&pair.ws, "same"), "1\nmine\n3\n4\n5\n6\n");
    assert_eq!(read(&pair.ws, "same.from-calm-otter"), "1\ntheirs\n3\n4\n5\n6\n");
    assert!(pair.take(&choices).unwrap().changed.is_empty(), "done twice is harmless");
}

#[test]
fn two_changes_of_a_mode_are_asked_about() {
    let pair = Pair::new(&[("a.sh", "x\n"), ("b.sh", "x\n"), ("c.sh", "x\n")]);
    let mode = |folder: &Path, name: &str, mode: u32| {
        fs::set_permissions(folder.join(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    for name in ["a.sh", "b.sh", "c.sh"] {
        mode(&pair.ws, name, 0o644);
    }
    pair.make().unwrap();
    let work = pair.work();
    mode(&work, "a.sh", 0o600);
    mode(&pair.ws, "a.sh", 0o755);
    // The same, or only one: there is nothing to ask.
    mode(&work, "b.sh", 0o755);
    mode(&pair.ws, "b.sh", 0o755);
    mode(&work, "c.sh", 0o755);
    write(&pair.ws, "c.sh", "y\n");
    let found = pair.compare();
    assert_eq!(found.paths(), ["c.sh"]);
    let [conflict] = &found.conflicts[..] else { panic!("{:?}", found.conflicts) };
    assert_eq!((conflict.path.as_str(), conflict.why), ("a.sh", Why::Mode));
    assert_eq!((conflict.mine.mode, conflict.theirs.mode), (Some(0o755), Some(0o600)));
    pair.take(&[("a.sh", Choice::Theirs)]).unwrap();
    assert_eq!(fs::metadata(pair.ws.join("a.sh")).unwrap().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(pair.ws.join("c.sh")).unwrap().mode() & 0o777, 0o755);
}

#[test]
fn what_was_not_committed_is_not_put_away_without_a_question() {
    let ways: [(&[&str], &[&str]); 5] = [
        (&["stash"], &["changed.txt", "gone.txt", "mode.sh", "new.txt", "staged.txt"]),
        (
            &["stash", "-u"],
            &["changed.txt", "gone.txt", "mode.sh", "new.txt", "own.txt", "staged.txt"],
        ),
        (&["reset", "--hard"], &["changed.txt", "gone.txt", "mode.sh", "new.txt", "staged.txt"]),
        (&["checkout", "--", "changed.txt"], &["changed.txt"]),
        (&["restore", "--staged", "--worktree", "staged.txt"], &["staged.txt"]),
    ];
    for (way, asked) in ways {
        let pair = Pair::repository(&[
            ("changed.txt", "one\n"),
            ("staged.txt", "one\n"),
            ("gone.txt", "one\n"),
            ("mode.sh", "one\n"),
            ("clean.txt", "one\n"),
        ]);
        // What git would write is not what it has.
        git(&pair.ws, &["config", "core.autocrlf", "true"]);
        write(&pair.ws, "changed.txt", "one\nthe person's\n");
        write(&pair.ws, "staged.txt", "the person's\n");
        write(&pair.ws, "new.txt", "the person's\n");
        git(&pair.ws, &["add", "staged.txt", "new.txt"]);
        write(&pair.ws, "own.txt", "the person's\n");
        fs::remove_file(pair.ws.join("gone.txt")).unwrap();
        fs::set_permissions(pair.ws.join("mode.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        pair.make().unwrap();
        let work = pair.work();
        git(&work, way);
        write(&work, "clean.txt", "done\n");
        // Elsewhere in the same file, it would be merged by lines.
        write(&pair.ws, "changed.txt", "zero\none\nthe person's\n");

        let found = pair.compare();
        let conflicts: Vec<&str> = found.conflicts.iter().map(|one| one.path.as_str()).collect();
        assert_eq!(conflicts, asked, "{way:?}");
        assert!(found.conflicts.iter().all(|one| one.why == Why::PutAway), "{way:?}");
        assert_eq!(found.paths(), ["clean.txt"], "{way:?}");
        let mine: Vec<(&str, Choice)> = asked.iter().map(|path| (*path, Choice::Mine)).collect();
        pair.take(&mine).unwrap();
        assert_eq!(read(&pair.ws, "new.txt"), "the person's\n");
        assert_eq!(read(&pair.ws, "clean.txt"), "done\n");
    }
}

#[test]
fn nor_is_it_put_away_and_built_over() {
    const COMMITTED: &str = "1\n2\n3\n4\n5\n";
    const PERSONS: &str = "1\nthe person's\n3\n4\n5\n";
    let elsewhere = "1\n2\n3\n4\nFIVE\n";
    let there = "1\nTWO\n3\n4\n5\n";
    let ways: [(&[&str], &str); 5] = [
        (&["reset", "-q", "--hard"], elsewhere),
        (&["checkout", "--", "a.txt"], elsewhere),
        (&["restore", "a.txt"], elsewhere),
        (&["reset", "-q", "--hard"], "1\n2\nmore\n3\n4\n5\n"),
        // Of the very lines it can't be seen; that git put files back can.
        (&["reset", "-q", "--hard"], there),
    ];
    for (way, text) in ways {
        let pair = Pair::repository(&[("a.txt", COMMITTED), ("b.txt", "one\n")]);
        write(&pair.ws, "a.txt", PERSONS);
        pair.make().unwrap();
        let work = pair.work();
        git(&work, way);
        assert_eq!(read(&work, "a.txt"), COMMITTED, "{way:?}");
        write(&work, "a.txt", text);
        write(&work, "b.txt", "two\n");
        let found = pair.compare();
        assert_eq!(found.paths(), ["b.txt"], "{way:?} {text:?}");
        let [asked] = &found.conflicts[..] else { panic!("{way:?}: {:?}", found.conflicts) };
        assert_eq!((asked.path.as_str(), asked.why), ("a.txt", Why::PutAway), "{way:?}");
        assert_eq!(asked.mine.text.as_deref(), Some(PERSONS));
        assert_eq!(asked.theirs.text.as_deref(), Some(text));
        pair.take(&[("a.txt", Choice::Mine)]).unwrap();
        assert_eq!(read(&pair.ws, "a.txt"), PERSONS);
    }

    // Who changes what was there does not put it away, whatever else was reset.
    for (way, text) in [
        (&["status"][..], there),
        (&["commit", "-qam", "mine"], there),
        (&["reset", "-q"], "1\nthe person's\n3\n4\nFIVE\n"),
    ] {
        let pair = Pair::repository(&[("a.txt", COMMITTED)]);
        write(&pair.ws, "a.txt", PERSONS);
        pair.make().unwrap();
        git(&pair.work(), way);
        write(&pair.work(), "a.txt", text);
        assert!(pair.compare().conflicts.is_empty(), "{way:?}");
        assert_eq!(pair.paths(), ["a.txt"]);
    }
}

#[test]
fn what_was_not_committed_is_changed_like_anything_else() {
    let pair = Pair::repository(&[("a.txt", "one\ntwo\n"), ("b.txt", "one\n")]);
    write(&pair.ws, "a.txt", "one\ntwo\nthree\n");
    pair.make().unwrap();
    let work = pair.work();
    write(&work, "a.txt", "ONE\ntwo\nthree\n");
    git(&work, &["rm", "-q", "b.txt"]);
    git(&work, &["commit", "-qam", "done"]);
    assert_eq!(pair.paths(), ["a.txt", "b.txt"]);
    assert!(pair.compare().conflicts.is_empty());

    write(&pair.work(), "a.txt", "one\ntwo\nthree\n");
    git(&work, &["checkout", "-q", "HEAD", "--", "a.txt"]);
    assert!(pair.compare().conflicts.is_empty(), "what it committed itself is its own");
}

#[test]
fn a_file_that_changes_after_it_was_compared_is_not_replaced() {
    let pair = Pair::new(&[("a", "1\n")]);
    pair.make().unwrap();
    write(&pair.work(), "a", "2\n");
    let found = pair.compare();
    write(&pair.ws, "a", "the person's\n");
    let (cancel, mut taken) = (CancellationToken::new(), Taken::default());
    let tried = pair.take_until(&cancel, found, &[], &mut taken);
    assert!(matches!(tried, Err(CopyError::Changed { path }) if path == "a"));
    assert_eq!(read(&pair.ws, "a"), "the person's\n");
}

#[test]
fn nothing_is_changed_when_one_path_may_not_be() {
    let pair = Pair::repository(&[("a", "1\n"), ("hooks/pre-commit", "mine\n")]);
    git(&pair.ws, &["config", "core.hooksPath", "hooks"]);
    pair.make().unwrap();
    write(&pair.work(), "a", "2\n");
    write(&pair.work(), "hooks/pre-commit", "evil\n");
    assert_eq!(pair.paths(), ["a", "hooks/pre-commit"]);
    let refused = pair.take(&[]).unwrap_err().to_string();
    assert!(refused.contains("hooks/pre-commit"), "{refused}");
    assert_eq!(read(&pair.ws, "a"), "1\n");
    assert_eq!(read(&pair.ws, "hooks/pre-commit"), "mine\n");
}

#[test]
fn who_wants_it_no_more_has_nothing_else_changed() {
    let pair = Pair::new(&[("a", "1\n")]);
    pair.make().unwrap();
    write(&pair.work(), "a", "2\n");
    let (cancel, mut taken) = (CancellationToken::new(), Taken::default());
    cancel.cancel();
    let tried = pair.take_until(&cancel, pair.compare(), &[], &mut taken);
    assert!(matches!(tried, Err(CopyError::Cancelled)) && taken.changed.is_empty());
    assert_eq!(read(&pair.ws, "a"), "1\n");
}

#[test]
fn what_was_taken_in_two_tries_is_told_as_one() {
    let pair = Pair::new(&[("a", "1\n"), ("b", "1\n2\n3\n4\n")]);
    pair.make().unwrap();
    write(&pair.work(), "a", "2\n");
    write(&pair.work(), "b", "one\n2\n3\n4\n");
    let (cancel, mut taken) = (CancellationToken::new(), Taken::default());
    let found = pair.compare();
    write(&pair.ws, "b", "1\n2\n3\nfour\n");
    let tried = pair.take_until(&cancel, found, &[], &mut taken);
    assert!(matches!(tried, Err(CopyError::Changed { path }) if path == "b"));
    assert_eq!(taken.changed.len(), 1, "what was taken before is told");
    // Someone changed what was taken, and it is taken once more.
    write(&pair.ws, "a", "1\n");
    pair.take_until(&cancel, pair.compare(), &[], &mut taken).unwrap();
    let told: Vec<_> = taken
        .changed
        .iter()
        .map(|one| (one.path.as_str(), one.before.is_some(), one.after.is_some()))
        .collect();
    assert_eq!(told, [("a", true, true), ("b", true, true)]);
    assert_eq!(read(&pair.ws, "b"), "one\n2\n3\nfour\n");
}

#[test]
fn a_copy_can_not_write_to_git_nor_through_links_nor_hide_files_to_delete_them() {
    let pair = Pair::repository(&[("src/a.txt", "1\n"), ("b.txt", "2\n")]);
    let outside = tempfile::tempdir().unwrap();
    write(outside.path(), "a.txt", "outside\n");
    pair.make().unwrap();
    let work = pair.work();
    write(&work, ".git/hooks/pre-commit", "evil\n");
    write(&work, "sub/.git/config", "evil\n");
    write(&work, ".gitignore", "src/\n*.txt\n");
    write(&work, "src/a.txt", "changed\n");
    // The person's folder became a link meanwhile.
    fs::rename(pair.ws.join("src"), pair.ws.join("was")).unwrap();
    symlink(outside.path(), pair.ws.join("src")).unwrap();
    let found = pair.compare();
    let asked: Vec<&str> = found.conflicts.iter().map(|one| one.path.as_str()).collect();
    assert_eq!((asked, found.paths()), (vec!["src"], vec![".gitignore", "sub"]));
    pair.take(&[("src", Choice::Both)]).unwrap();
    assert_eq!(read(&pair.ws, "src.from-calm-otter/a.txt"), "changed\n");
    assert_eq!(read(outside.path(), "a.txt"), "outside\n");

    fs::remove_dir_all(pair.ws.join("src.from-calm-otter")).unwrap();
    fs::remove_dir_all(pair.ws.join("sub")).unwrap();
    fs::remove_file(pair.ws.join(".gitignore")).unwrap();
    fs::remove_file(pair.ws.join("src")).unwrap();
    fs::rename(pair.ws.join("was"), pair.ws.join("src")).unwrap();
    assert_eq!(pair.paths(), [".gitignore", "src/a.txt", "sub"]);
    pair.take(&[]).unwrap();
    assert_eq!(read(&pair.ws, "b.txt"), "2\n");
    assert!(!pair.ws.join(".git/hooks/pre-commit").exists());
    assert!(!pair.ws.join("sub/.git").exists());
}

#[test]
fn what_a_killed_merge_left_half_written_is_removed() {
    let pair = Pair::new(&[("a/1", "1")]);
    pair.make().unwrap();
    write(&pair.work(), "a/2", "2");
    // No process has the first number, and ours goes on with the second.
    let ours = format!("a/.writing-{}-7.tmp", std::process::id());
    write(&pair.ws, "a/.writing-4194999-3.tmp", "hal");
    write(&pair.ws, &ours, "hal");
    pair.take(&[]).unwrap();
    assert!(!pair.ws.join("a/.writing-4194999-3.tmp").exists());
    assert!(pair.ws.join(ours).exists() && pair.ws.join("a/2").exists());
}

#[test]
fn a_copy_with_closed_folders_is_removed() {
    let pair = Pair::new(&[("a/b", "1")]);
    pair.make().unwrap();
    fs::set_permissions(pair.work().join("a"), fs::Permissions::from_mode(0o000)).unwrap();
    copy::remove(&pair.copy).unwrap();
    assert!(!pair.copy.exists());
}

#[test]
fn what_is_named_is_taken_over_wherever_it_is_and_what_is_not_is_told() {
    let pair = Pair::repository(&[("a", "1"), (".gitignore", "build/\nkept/\n*.log\n")]);
    write(&pair.ws, "kept/mine", "the person's\n");
    pair.make().unwrap();
    let work = pair.work();
    write(&work, "build/deep/report.md", "the report\n");
    write(&work, "build/app", "built\n");
    write(&work, "kept/mine", "another's\n");
    write(&work, "small.log", "x\n");
    fs::write(work.join("big.log"), vec![b'x'; 2 << 20]).unwrap();
    let found = pair.compare_named(&[
        "build/deep/report.md",
        "kept/mine",
        "../base.json",
        ".git/config",
        "nothing/here",
    ]);
    assert_eq!(found.paths(), ["build", "build/deep", "build/deep/report.md", "small.log"]);
    let asked: Vec<&str> = found.conflicts.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(asked, ["kept/mine"], "what is there is not overwritten without a question");
    assert_eq!(found.left, ["big.log", "build/app"]);
    let (cancel, mut taken) = (CancellationToken::new(), Taken::default());
    pair.take_until(&cancel, found, &[("kept/mine", Choice::Mine)], &mut taken).unwrap();
    assert_eq!(read(&pair.ws, "build/deep/report.md"), "the report\n");
    assert_eq!(read(&pair.ws, "kept/mine"), "the person's\n");
    assert!(!pair.ws.join("build/app").exists());
    assert_eq!(taken.left, ["big.log", "build/app"]);
}
