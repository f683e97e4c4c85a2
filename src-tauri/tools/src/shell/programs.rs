//! The programs that a command names, and whether there are any: what a model wrote as a check may
//! be a sentence.

use super::parsed;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

/// Words of sentences. Where one stands among the words of a command without options, the whole is
/// taken for a sentence: "test that the file exists" names a program, too.
const OF_SENTENCES: [&str; 23] = [
    "yes",
    "the",
    "a",
    "an",
    "that",
    "this",
    "is",
    "are",
    "was",
    "were",
    "be",
    "if",
    "should",
    "must",
    "exist",
    "exists",
    "contain",
    "contains",
    "sure",
    "correctly",
    "successfully",
    "has",
    "have",
];

/// The programs that a command names; `None` where it is not certain, or reads like a sentence.
pub(crate) fn of(command: &str) -> Option<Vec<String>> {
    let commands = parsed::read(command)?;
    let is_prose = |words: &[parsed::Word]| {
        let options = words.iter().any(|word| word.text.starts_with('-'));
        !options && words.iter().any(|word| OF_SENTENCES.contains(&word.text.as_str()))
    };
    if commands.iter().any(|command| is_prose(&command.words)) {
        return None;
    }
    let program = |command: &parsed::Simple| command.words.first().map(|word| word.text.clone());
    commands.iter().map(program).collect()
}

/// Whether a program is where commands look for it, or where its path says in the workspace.
pub(crate) fn is_there(program: &str, folders: &[PathBuf], workspace: &Path) -> bool {
    let path = Path::new(program);
    if !program.contains('/') {
        return folders.iter().any(|folder| is_program(&folder.join(program)));
    }
    if path.is_absolute() {
        return folders.iter().any(|folder| path.starts_with(folder)) && is_program(path);
    }
    let inside =
        path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    inside && is_program(&workspace.join(path))
}

fn is_program(file: &Path) -> bool {
    file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_name_programs_and_sentences_do_not() {
        for (text, expected) in [
            ("grep -q milk notes.md", Some(vec!["grep"])),
            ("test -f a && test -f b", Some(vec!["test", "test"])),
            ("cargo test", Some(vec!["cargo"])),
            ("grep -c the notes.md", Some(vec!["grep"])),
            ("test that the file exists", None),
            ("make sure it works", None),
            ("file exists", None),
            ("it's there", None),
            ("test -f $HOME/a", None),
            ("", None),
        ] {
            let found = of(text);
            let found = found.as_ref().map(|found| found.iter().map(String::as_str).collect());
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_program_lies_in_a_folder_of_programs_or_in_the_workspace() {
        let workspace = tempfile::tempdir().unwrap();
        let file = workspace.path().join("check.sh");
        std::fs::write(&file, "").unwrap();
        let folders = [PathBuf::from("/usr/bin"), PathBuf::from("/bin")];
        let there = |name: &str| is_there(name, &folders, workspace.path());
        assert!(there("sh") && there("/bin/sh") && !there("verify_file_exists"));
        assert!(!there("./check.sh"), "it can't be run");
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).unwrap();
        assert!(there("./check.sh") && there("check.sh") != there("sh"));
        assert!(!there(file.to_str().unwrap()) && !there("../check.sh"));
    }
}
