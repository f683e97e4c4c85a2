//! What git does not know of in a workspace is in no commit: a copy does not remove it unasked.

use super::{Pair, git, read, write};
use std::fs;
use std::path::Path;
use tools::copy::{ByTools, Choice, Why};

/// A repository with two branches and files that no commit has, and its copy.
fn pair() -> Pair {
    let pair = Pair::repository(&[("a.txt", "one\n"), (".gitignore", ".env\n")]);
    git(&pair.ws, &["checkout", "-qb", "other"]);
    write(&pair.ws, "a.txt", "other\n");
    git(&pair.ws, &["commit", "-qam", "second"]);
    git(&pair.ws, &["checkout", "-q", "main"]);
    write(&pair.ws, "own.txt", "the person's\n");
    write(&pair.ws, "notes/deep.txt", "the person's\n");
    write(&pair.ws, ".env", "KEY=1\n");
    pair.make().unwrap();
    pair
}

fn run(work: &Path, commands: &[&[&str]]) {
    commands.iter().for_each(|command| drop(git(work, command)));
}

#[test]
fn what_a_command_removed_is_asked_about() {
    let own = ["notes/deep.txt", "own.txt"];
    let all = [".env", "notes/deep.txt", "own.txt"];
    let ways: [(&[&[&str]], &[&str]); 5] = [
        (
            &[
                &["checkout", "-qb", "work"],
                &["add", "-A"],
                &["commit", "-qm", "work"],
                &["checkout", "-q", "main"],
            ],
            &own,
        ),
        (&[&["add", "-A"], &["reset", "-q", "--hard"]], &own),
        (&[&["clean", "-qfd"]], &own),
        (&[&["clean", "-qfdx"]], &all),
        (&[&["add", "-A"], &["commit", "-qm", "all"], &["switch", "-q", "other"]], &own),
    ];
    for (way, asked) in ways {
        let pair = pair();
        run(&pair.work(), way);
        let found = pair.compare();
        let conflicts: Vec<(&str, Why)> =
            found.conflicts.iter().map(|one| (one.path.as_str(), one.why)).collect();
        let expected: Vec<(&str, Why)> = asked.iter().map(|path| (*path, Why::Removed)).collect();
        assert_eq!(conflicts, expected, "{way:?}");
        let mine: Vec<(&str, Choice)> = asked.iter().map(|path| (*path, Choice::Mine)).collect();
        pair.take(&mine).unwrap();
        assert_eq!(read(&pair.ws, "own.txt"), "the person's\n", "{way:?}");
        assert_eq!(read(&pair.ws, "notes/deep.txt"), "the person's\n", "{way:?}");
    }
}

#[test]
fn what_another_branch_has_in_its_place_is_asked_about() {
    let pair = pair();
    git(&pair.work(), &["checkout", "-qb", "third"]);
    write(&pair.work(), "own.txt", "the branch's\n");
    run(&pair.work(), &[&["add", "own.txt"], &["commit", "-qm", "third"]]);
    // It is at the person's version again, and then at that of the branch.
    run(&pair.work(), &[&["checkout", "-q", "main"], &["checkout", "-q", "third"]]);
    let found = pair.compare();
    let [asked] = &found.conflicts[..] else { panic!("{:?}", found.conflicts) };
    assert_eq!((asked.path.as_str(), asked.why), ("own.txt", Why::PutAway));
    assert_eq!(asked.theirs.text.as_deref(), Some("the branch's\n"));

    // A new branch at the same commit puts nothing in the place of anything.
    let pair = self::pair();
    git(&pair.work(), &["switch", "-qc", "work"]);
    write(&pair.work(), "own.txt", "done\n");
    assert_eq!((pair.paths(), pair.compare().conflicts.len()), (vec!["own.txt".to_owned()], 0));
}

#[test]
fn what_a_tool_was_told_to_remove_and_what_was_moved_is_not() {
    let pair = pair();
    let work = pair.work();
    fs::remove_file(work.join("own.txt")).unwrap();
    fs::rename(work.join("notes"), work.join("docs")).unwrap();
    let removed = ["own.txt".to_owned()].into();
    let found = pair.compare_with(&ByTools { removed, ..ByTools::default() });
    assert!(found.conflicts.is_empty(), "{:?}", found.conflicts);
    assert_eq!(found.paths(), ["docs", "docs/deep.txt", "notes", "notes/deep.txt", "own.txt"]);
}

/// Its objects are those of the repository that the first copy is of.
#[test]
fn a_copy_of_a_copy_asks_the_same() {
    let first = pair();
    write(&first.work(), "a.txt", "changed\n");
    let shared = vec![first.ws.join(".git/objects")];
    let copy = first.copy.with_file_name("two");
    let second = Pair { ws: first.work(), copy, shared, ..Pair::new(&[]) };
    second.make().unwrap();
    run(&second.work(), &[&["clean", "-qfd"], &["checkout", "-q", "a.txt"]]);
    let asked: Vec<(String, Why)> =
        second.compare().conflicts.into_iter().map(|one| (one.path, one.why)).collect();
    let expected =
        [("a.txt", Why::PutAway), ("notes/deep.txt", Why::Removed), ("own.txt", Why::Removed)];
    assert_eq!(asked, expected.map(|(path, why)| (path.to_owned(), why)));
}

/// What has the same size and times as what git knows is seen by the time of the index alone.
#[test]
fn what_was_changed_in_the_moment_of_the_last_commit_is_known() {
    let pair = Pair::repository(&[("a.txt", "one\n")]);
    let then = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    let date = |name: &str| {
        let file = fs::File::options().append(true).open(pair.ws.join(name)).unwrap();
        file.set_modified(then).unwrap();
    };
    date("a.txt");
    git(&pair.ws, &["update-index", "--refresh"]);
    write(&pair.ws, "a.txt", "two\n");
    date("a.txt");
    date(".git/index");
    assert_eq!(git(&pair.ws, &["status", "--porcelain"]), " M a.txt\n");
    pair.make().unwrap();
    run(&pair.work(), &[&["checkout", "-q", "a.txt"]]);
    let asked: Vec<(String, Why)> =
        pair.compare().conflicts.into_iter().map(|one| (one.path, one.why)).collect();
    assert_eq!(asked, [("a.txt".to_owned(), Why::PutAway)]);
}

/// In the last commit a link is in its place, which leads elsewhere.
#[test]
fn a_folder_in_the_place_of_a_link_that_is_committed_is_copied() {
    for staged in [false, true] {
        let pair = Pair::repository(&[("a.txt", "one\n")]);
        std::os::unix::fs::symlink("/etc", pair.ws.join("link")).unwrap();
        run(&pair.ws, &[&["add", "-A"], &["commit", "-qm", "link"]]);
        fs::remove_file(pair.ws.join("link")).unwrap();
        write(&pair.ws, "link/passwd", "the person's\n");
        if staged {
            run(&pair.ws, &[&["add", "-A"]]);
        }
        pair.make().unwrap();
        run(&pair.work(), &[&["stash", "-qu"]]);
        let asked = pair.compare().conflicts;
        let asked: Vec<&str> = asked.iter().map(|one| one.path.as_str()).collect();
        assert_eq!(asked, ["link"], "staged: {staged}");
    }
}

/// What can't be found out is not taken for nothing.
#[test]
fn where_git_can_not_say_what_is_committed_there_is_no_copy() {
    let pair = Pair::repository(&[("a.txt", "one\n")]);
    write(&pair.ws, "own.txt", "the person's\n");
    write(&pair.ws, ".git/index", "none that git could read");
    let error = pair.make().unwrap_err().to_string();
    assert_eq!(error, "asking git did not work: it ended with 128");
    assert_eq!(pair.left(), 0);
}
