//! A file for one and a folder for the other: nothing is overwritten, and a person decides.

use super::{Pair, read, write};
use std::fs;
use std::path::Path;
use tools::copy::{Choice, Conflict, Why};

/// What is asked, where there is one question and nothing else.
fn only_question(pair: &Pair) -> Conflict {
    let mut found = pair.compare();
    assert_eq!(found.paths(), [""; 0]);
    assert_eq!(found.conflicts.len(), 1, "{:?}", found.conflicts);
    found.conflicts.remove(0)
}

/// Every file below a folder, with what is in it.
fn all(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(inner) = open.pop() {
        for entry in fs::read_dir(inner).unwrap().flatten() {
            match entry.file_type().unwrap().is_dir() {
                true => open.push(entry.path()),
                false => {
                    let path = entry.path().strip_prefix(folder).unwrap().display().to_string();
                    found.push((path.clone(), read(folder, &path)));
                }
            }
        }
    }
    found.sort();
    found
}

fn files(named: &[(&str, &str)]) -> Vec<(String, String)> {
    named.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

/// What each choice leaves in the workspace, each in a pair of its own.
fn each_choice(make: impl Fn() -> Pair, mine: &[(&str, &str)], theirs: &[(&str, &str)]) {
    let beside = |(path, text): &(&str, &str)| {
        (path.replacen('x', "x.from-calm-otter", 1), (*text).to_owned())
    };
    let mut both = files(mine);
    both.extend(theirs.iter().map(beside));
    both.sort();
    for (choice, left) in
        [(Choice::Mine, files(mine)), (Choice::Theirs, files(theirs)), (Choice::Both, both)]
    {
        let pair = make();
        assert!(pair.take(&[]).is_err(), "nothing without a word");
        assert_eq!(all(&pair.ws), files(mine));
        pair.take(&[("x", choice)]).unwrap();
        assert_eq!(all(&pair.ws), left, "{choice:?}");
        if choice == Choice::Both {
            pair.take(&[("x", choice)]).unwrap();
            assert_eq!(all(&pair.ws), left, "done twice is harmless");
        }
    }
}

#[test]
fn one_made_a_file_and_the_other_a_folder_of_that_name() {
    let file = [("x", "mine\n")];
    let folder = [("x/a", "1\n"), ("x/deep/b", "2\n")];
    for (mine, theirs) in [(&file[..], &folder[..]), (&folder[..], &file[..])] {
        let make = || {
            let pair = Pair::new(&[]);
            pair.make().unwrap();
            theirs.iter().for_each(|(path, text)| write(&pair.work(), path, text));
            mine.iter().for_each(|(path, text)| write(&pair.ws, path, text));
            pair
        };
        let asked = only_question(&make());
        assert_eq!((asked.path.as_str(), asked.why), ("x", Why::Kind));
        let words = [&asked.mine, &asked.theirs]
            .map(|side| side.text.clone().unwrap_or_else(|| side.words.clone()));
        assert!(words.contains(&"mine\n".to_owned()), "{words:?}");
        assert!(words.contains(&"a folder with a, deep/b".to_owned()), "{words:?}");
        each_choice(make, mine, theirs);
    }
}

#[test]
fn one_changed_what_is_in_a_folder_and_the_other_made_it_a_file() {
    let (file, folder) = ([("x", "file\n")], [("x/a", "changed\n"), ("x/b", "1\n")]);
    for (mine, theirs) in [(&file[..], &folder[..]), (&folder[..], &file[..])] {
        let make = || {
            let pair = Pair::new(&[("x/a", "1\n"), ("x/b", "1\n")]);
            pair.make().unwrap();
            for (folder, files) in [(&pair.ws, mine), (&pair.work(), theirs)] {
                fs::remove_dir_all(folder.join("x")).unwrap();
                files.iter().for_each(|(path, text)| write(folder, path, text));
            }
            pair
        };
        let asked = only_question(&make());
        assert_eq!((asked.path.as_str(), asked.why), ("x", Why::Kind));
        assert_eq!(asked.base.words, "a folder with a, b");
        each_choice(make, mine, theirs);
    }
}

#[test]
fn what_someone_put_into_a_folder_that_became_a_file_is_not_lost() {
    let make = || {
        let pair = Pair::new(&[("x/a", "1\n")]);
        pair.make().unwrap();
        fs::remove_dir_all(pair.work().join("x")).unwrap();
        write(&pair.work(), "x", "file\n");
        write(&pair.ws, "x/new", "the person's\n");
        pair
    };
    assert_eq!(only_question(&make()).why, Why::Kind);
    each_choice(make, &[("x/a", "1\n"), ("x/new", "the person's\n")], &[("x", "file\n")]);

    // What they put there after they were asked is asked about anew.
    let pair = make();
    let before = only_question(&pair).mine.mark;
    let (cancel, mut taken) = (Default::default(), Default::default());
    let found = pair.compare();
    write(&pair.ws, "x/late", "the person's\n");
    let tried = pair.take_until(&cancel, found, &[("x", Choice::Theirs)], &mut taken);
    assert!(tried.is_err(), "{tried:?}");
    assert_eq!(read(&pair.ws, "x/late"), "the person's\n");
    assert_ne!(only_question(&pair).mine.mark, before, "an answer holds for what was shown");
}

#[test]
fn where_only_the_copy_made_one_of_the_other_it_is_taken_over() {
    let pair = Pair::new(&[("x", "file\n"), ("y/a", "1\n"), ("y/deep/b", "2\n"), ("x-z", "z\n")]);
    pair.make().unwrap();
    let work = pair.work();
    fs::remove_file(work.join("x")).unwrap();
    write(&work, "x/a", "in it\n");
    fs::remove_dir_all(work.join("y")).unwrap();
    write(&work, "y", "a file\n");
    assert!(pair.compare().conflicts.is_empty());
    pair.take(&[]).unwrap();
    assert_eq!(all(&pair.ws), files(&[("x-z", "z\n"), ("x/a", "in it\n"), ("y", "a file\n")]));
    let trash = all(&pair.copy.with_file_name("trash/files"));
    let kept: Vec<&str> = trash.iter().map(|(_, text)| text.as_str()).collect();
    assert!(["file\n", "1\n", "2\n"].iter().all(|text| kept.contains(text)), "{trash:?}");
    assert!(pair.take(&[]).unwrap().changed.is_empty(), "done twice is harmless");
}
