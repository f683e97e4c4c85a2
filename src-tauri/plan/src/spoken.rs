//! The commands that a rule which forbids or asks is about.

use globset::{Glob, GlobMatcher};

/// Long options and the letters that programs usually take for them.
const USUAL: &[(&str, char)] = &[
    ("all", 'a'),
    ("delete", 'd'),
    ("force", 'f'),
    ("global", 'g'),
    ("no-verify", 'n'),
    ("recursive", 'r'),
    ("yes", 'y'),
];

/// `git push *` is about `git push` without more, too.
pub(crate) struct SpokenOf {
    whole: Option<GlobMatcher>,
    bare: Option<GlobMatcher>,
    /// What the pattern says before anything is left open, without options.
    words: Vec<String>,
    options: Vec<String>,
}

impl SpokenOf {
    pub(crate) fn by(pattern: &str) -> Self {
        let matcher = |glob: &str| Glob::new(glob).ok().map(|glob| glob.compile_matcher());
        let bare = pattern.strip_suffix(" *").and_then(matcher);
        let (options, others): (Vec<&str>, Vec<&str>) =
            pattern.split_whitespace().partition(|word| is_option(word));
        let words =
            others.into_iter().take_while(|word| !word.contains(['*', '?', '[', '{', '\\']));
        let to_text = |word: &str| word.to_owned();
        Self {
            whole: matcher(pattern),
            bare,
            words: words.map(to_text).collect(),
            options: options.into_iter().map(|word| to_text(word.trim_end_matches('*'))).collect(),
        }
    }

    /// Whether it is about this command as it is written.
    pub(crate) fn fits(&self, command: &str) -> bool {
        let is_match = |glob: &Option<GlobMatcher>, words: &str| {
            glob.as_ref().is_some_and(|glob| glob.is_match(words))
        };
        is_match(&self.bare, command.trim()) || is_match(&self.whole, command)
    }

    /// Whether it is about this command, or might be with the options written another way:
    /// `rm -rf *` and `rm --force -R`.
    pub(crate) fn may_mean(&self, argv: &[String]) -> bool {
        self.fits(&argv.join(" ")) || self.names_options_of(argv)
    }

    /// Whether it is about the program of this name; git is many, such as `git-push`.
    pub(crate) fn names(&self, program: &str) -> bool {
        let of_git = program.starts_with("git-") && !program.contains('.');
        self.words.first().is_some_and(|named| named == program || named == "git" && of_git)
    }

    fn names_options_of(&self, argv: &[String]) -> bool {
        let (options, words): (Vec<&String>, Vec<&String>) =
            argv.iter().partition(|word| is_option(word));
        let has_letter = |letter: char| {
            options.iter().any(|option| match option.strip_prefix("--") {
                Some(long) => long.starts_with(letter),
                None => option.to_ascii_lowercase().contains(letter),
            })
        };
        let is_given = |option: &String| match option.strip_prefix("--") {
            Some(long) => {
                let usual = USUAL.iter().find(|(name, _)| *name == long);
                let short = |letter: char| {
                    options.iter().any(|given| !given.starts_with("--") && given.contains(letter))
                };
                // Programs take a long option by its beginning, and with a value.
                let same = |given: &&String| {
                    let begun = given.split('=').next().unwrap_or(given);
                    begun.len() > 2 && option.starts_with(begun)
                };
                options.iter().any(same) || usual.is_some_and(|(_, letter)| short(*letter))
            }
            None => option.to_ascii_lowercase().chars().skip(1).all(has_letter),
        };
        !self.options.is_empty()
            && !self.words.is_empty()
            && words.len() >= self.words.len()
            && self.words.iter().zip(&words).all(|(wanted, word)| wanted == *word)
            && self.options.iter().all(is_given)
    }
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') && word != "--"
}
