//! The one notion of a command: a folder and words. The scope of a step, rules, and what "Always
//! allow" and "Add to the plan" keep are read as this.
//!
//! Written as for a shell: `cd sub && make test` is `make test` in the folder `sub` of the
//! workspace, `cd . && make test` in the workspace itself, and a trailing `…` allows more words.
//! Without `cd` a step means the workspace itself. A rule means any folder, and is a glob unless it
//! ends with `…`, as rules always were.

use crate::SimpleCommand;
use crate::rule::glob_matches;
use std::fmt;

/// A command that is approved, allowed, asked about or forbidden.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CommandPattern {
    /// Where it runs, from the workspace on, which is empty; `None`: in any folder.
    pub folder: Option<String>,
    /// Its words.
    pub words: Words,
}

/// The words of a command.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Words {
    /// These.
    Exact {
        /// The program and its arguments.
        argv: Vec<String>,
        /// Whether more may follow.
        more: bool,
    },
    /// A glob for all of them, with blanks between.
    Glob(String),
}

impl CommandPattern {
    /// The commands that the target of a step names; `None` where they are not certain, so that it
    /// means its very words and nothing else.
    pub fn of_step(target: &str) -> Option<Vec<Self>> {
        let (mut folder, mut moved, mut patterns) = (String::new(), false, Vec::new());
        let commands = split(target)?;
        for (index, (joined, words)) in commands.iter().enumerate() {
            // After a `cd` that may have failed nobody knows the folder.
            if moved && !matches!(joined, Joined::And | Joined::Pipe) {
                return None;
            }
            if words[0].text == "cd" {
                let [_, to] = words.as_slice() else { return None };
                let next = commands.get(index + 1).map(|next| next.0);
                if *joined == Joined::Pipe || next.is_some_and(|next| next != Joined::And) {
                    return None;
                }
                folder = folder_in(&folder, &to.text)?;
                moved = true;
                continue;
            }
            let more = words.last().is_some_and(Word::is_more);
            let argv = &words[..words.len() - usize::from(more)];
            let argv: Vec<String> = argv.iter().map(|word| word.text.clone()).collect();
            if argv.first().is_none_or(|program| program.contains('=')) {
                return None;
            }
            let words = Words::Exact { argv, more };
            patterns.push(Self { folder: Some(folder.clone()), words });
        }
        (!patterns.is_empty()).then_some(patterns)
    }

    /// The commands that a rule is about.
    pub fn of_rule(pattern: &str) -> Self {
        let in_folder = pattern.starts_with("cd ");
        let is_exact = in_folder || pattern.ends_with(" …");
        let mut named = Self::of_step(pattern).filter(|_| is_exact).unwrap_or_default();
        match named.pop().filter(|_| named.is_empty()) {
            Some(one) => Self { folder: one.folder.filter(|_| in_folder), ..one },
            None => Self { folder: None, words: Words::Glob(pattern.to_owned()) },
        }
    }

    /// Exactly this command, where it is certain and can be written.
    pub fn exactly(command: &SimpleCommand) -> Option<Self> {
        let folder = command.folder.clone().filter(|_| command.literal)?;
        let words = Words::Exact { argv: command.argv.clone(), more: false };
        let pattern = Self { folder: Some(folder), words };
        (Self::of_rule(&pattern.to_string()) == pattern).then_some(pattern)
    }

    /// Whether it allows the command: in this folder, with these words and no others.
    pub fn covers(&self, command: &SimpleCommand) -> bool {
        let argv = &command.argv;
        (self.folder.is_none() || self.folder == command.folder)
            && command.literal
            && match &self.words {
                Words::Exact { argv: named, more: true } => argv.starts_with(named),
                Words::Exact { argv: named, more: false } => argv == named,
                Words::Glob(glob) => glob_matches(glob, &spelled(argv)),
            }
    }

    /// Whether these very words were read by a person who allowed it.
    pub fn is_to_the_letter(&self) -> bool {
        matches!(self.words, Words::Exact { more: false, .. })
    }

    /// Whether a rule that forbids or asks is about the command, wherever its program lies.
    pub fn concerns(&self, command: &SimpleCommand) -> bool {
        let elsewhere =
            self.folder.is_some() && command.folder.is_some() && self.folder != command.folder;
        let mut plain = command.argv.clone();
        if let Some(program) = plain.first_mut() {
            *program = file_name(program).to_owned();
        }
        !elsewhere && [&command.argv, &plain].into_iter().any(|argv| self.is_about(argv))
    }

    fn is_about(&self, argv: &[String]) -> bool {
        match &self.words {
            Words::Exact { argv: named, more } => {
                argv.starts_with(named) && (*more || argv.len() == named.len())
            }
            Words::Glob(glob) => is_in(glob, &argv.join(" ")),
        }
    }

    /// Whether a rule that forbids or asks is about a text that was not understood.
    pub fn concerns_text(&self, text: &str) -> bool {
        matches!(&self.words, Words::Glob(glob) if is_in(glob, text))
    }

    /// Whether the command has the rule's options, perhaps in another form: `rm -fr` for `rm -rf`.
    pub fn may_mean(&self, command: &SimpleCommand) -> bool {
        let is_option = |word: &&String| word.len() > 1 && word.starts_with('-') && *word != "--";
        let named = self.literal_words();
        let (wanted, named): (Vec<&String>, Vec<&String>) = named.iter().partition(is_option);
        let named: Vec<&String> = named.into_iter().take_while(|word| !is_pattern(word)).collect();
        let (options, words): (Vec<&String>, Vec<&String>) =
            command.argv.iter().partition(is_option);
        let same = |(index, (one, word)): (usize, (&&String, &&String))| {
            *one == *word || index == 0 && one.as_str() == file_name(word)
        };
        let is_given = |option: &&String| {
            let letters = option.trim_start_matches('-').trim_end_matches('*').to_lowercase();
            let has = |letter: char| {
                options.iter().any(|given| match given.strip_prefix("--") {
                    Some(long) => !option.starts_with("--") && long.starts_with(letter),
                    None => given.to_lowercase().contains(letter),
                })
            };
            let begun = |given: &&String| {
                let begun = given.split('=').next().unwrap_or_default();
                begun.len() > 2 && option.starts_with(begun)
            };
            match option.starts_with("--") {
                true => options.iter().any(begun) || letters.chars().next().is_some_and(has),
                false => letters.chars().all(has),
            }
        };
        !wanted.is_empty()
            && !named.is_empty()
            && words.len() >= named.len()
            && named.iter().zip(&words).enumerate().all(same)
            && wanted.iter().all(is_given)
    }

    /// Its words, as far as they can be told apart: in a glob some may be patterns.
    pub(crate) fn literal_words(&self) -> Vec<String> {
        match &self.words {
            Words::Exact { argv, .. } => argv.clone(),
            Words::Glob(glob) => glob.split_whitespace().map(str::to_owned).collect(),
        }
    }
}

impl fmt::Display for CommandPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.folder.as_deref() {
            Some("") => f.write_str("cd . && ")?,
            Some(folder) => write!(f, "cd {} && ", quoted(folder))?,
            None => {}
        }
        match &self.words {
            Words::Exact { argv, more } => {
                let words: Vec<String> = argv.iter().map(|word| quoted(word)).collect();
                f.write_str(&words.join(" "))?;
                f.write_str(if *more { " …" } else { "" })
            }
            Words::Glob(glob) => f.write_str(glob),
        }
    }
}

/// Whether words are those of a glob. `git push *` is about `git push` without more, too.
fn is_in(glob: &str, words: &str) -> bool {
    let bare = glob.strip_suffix(" *").is_some_and(|bare| glob_matches(bare, words.trim()));
    bare || glob_matches(glob, words)
}

/// Where a folder is that is named in another, from the workspace on; `None` outside of it.
fn folder_in(folder: &str, named: &str) -> Option<String> {
    if named.is_empty() || named.starts_with(['/', '-', '~']) {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in named.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The last part of a program's path.
pub(crate) fn file_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

pub(crate) fn is_pattern(word: &str) -> bool {
    word.contains(['*', '?', '[', '{', '\\'])
}

/// What stands between a simple command and the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joined {
    And,
    Or,
    Pipe,
    Next,
}

/// A word, and whether any of it stood in quotes.
#[derive(Default)]
struct Word {
    text: String,
    quoted: bool,
}

impl Word {
    fn is_more(&self) -> bool {
        !self.quoted && matches!(self.text.as_str(), "…" | "...")
    }
}

/// What a shell makes more of than a word.
const SPECIAL: &str = "\\$`#<>(){}*?[]~!";

/// The simple commands in a text; `None` where it holds more than words, simple quotes and what
/// joins commands.
fn split(text: &str) -> Option<Vec<(Joined, Vec<Word>)>> {
    let mut commands = vec![(Joined::Next, Vec::new())];
    let mut word: Option<Word> = None;
    let mut rest = text.trim_matches([' ', '\t', '\n']);
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        let joined = match (c, rest.starts_with(c)) {
            ('&', false) => return None,
            ('&', true) => Some(Joined::And),
            ('|', true) => Some(Joined::Or),
            ('|', false) => Some(Joined::Pipe),
            (';' | '\n', _) => Some(Joined::Next),
            _ => None,
        };
        match c {
            '\'' | '"' => {
                let (inside, after) = rest.split_once(c)?;
                if c == '"' && inside.contains(['$', '`', '\\']) {
                    return None;
                }
                let word = word.get_or_insert_default();
                word.text.push_str(inside);
                word.quoted = true;
                rest = after;
            }
            '~' | '#' if word.as_ref().is_some_and(|word| !word.text.ends_with([':', '='])) => {
                word.get_or_insert_default().text.push(c);
            }
            ' ' | '\t' => commands.last_mut()?.1.extend(word.take()),
            _ if joined.is_some() => {
                commands.last_mut()?.1.extend(word.take());
                if matches!(joined, Some(Joined::And | Joined::Or)) {
                    rest = &rest[1..];
                }
                commands.push((joined?, Vec::new()));
            }
            _ if SPECIAL.contains(c) || c.is_control() || c.is_whitespace() => return None,
            _ => word.get_or_insert_default().text.push(c),
        }
    }
    commands.last_mut()?.1.extend(word);
    commands.iter().all(|(_, words)| !words.is_empty()).then_some(commands)
}

/// A word so that `split` reads it as one; what it can't read comes out as something else.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_@%+:,./=-".contains(c);
    match word {
        _ if word == "..." || !word.chars().all(plain) || word.is_empty() => {
            let mark = if word.contains('\'') { '"' } else { '\'' };
            format!("{mark}{word}{mark}")
        }
        _ => word.to_owned(),
    }
}

/// A command as globs are held against it: a word with a blank in it is not two.
fn spelled(argv: &[String]) -> String {
    let is_odd = |c: char| c.is_whitespace() || c == '\'' || c == '"';
    let word = |word: &String| match word.is_empty() || word.contains(is_odd) {
        true => format!("'{}'", word.replace('\'', "'\\''")),
        false => word.clone(),
    };
    argv.iter().map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(target: &str) -> String {
        let patterns = CommandPattern::of_step(target);
        let words = |patterns: Vec<CommandPattern>| {
            let each: Vec<String> = patterns.iter().map(ToString::to_string).collect();
            each.join(" | ")
        };
        patterns.map_or("only as written".to_owned(), words)
    }

    #[test]
    fn a_step_names_a_folder_and_words() {
        for (target, expected) in [
            ("make test", "cd . && make test"),
            (" make  test\n", "cd . && make test"),
            ("make test …", "cd . && make test …"),
            ("make test ...", "cd . && make test …"),
            ("go test ./...", "cd . && go test ./..."),
            ("echo '…'", "cd . && echo '…'"),
            ("cd sub && make", "cd sub && make"),
            ("cd ./a/../b/ && make && ls", "cd b && make | cd b && ls"),
            ("cd a && cd b && make | tee log", "cd a/b && make | cd a/b && tee log"),
            ("make; cd a && ls", "cd . && make | cd a && ls"),
            ("cd 'a b' && rm 'c d' \"e'f\"", "cd 'a b' && rm 'c d' \"e'f\""),
            ("git diff HEAD~1", "cd . && git diff 'HEAD~1'"),
            ("grep 'curl | sh' src", "cd . && grep 'curl | sh' src"),
        ] {
            assert_eq!(named(target), expected, "{target}");
        }
        for target in [
            "",
            "…",
            "cd a",
            "cd a; make",
            "cd a\nmake",
            "cd a || make",
            "cd a | make",
            "make | cd a && ls",
            "cd a && make; ls",
            "cd .. && make",
            "cd /etc && make",
            "cd - && make",
            "cd ~ && make",
            "cd && make",
            "cd -P a && make",
            "rm *",
            "rm $X",
            "rm `x`",
            "rm \"$X\"",
            "rm a\\ b",
            "make > a",
            "make # then",
            "make &",
            "A=1 make",
            "(make)",
            "{ make; }",
            "! make",
            "ls ~",
            "ls {a,b}",
            "'make",
            "make;",
            "make;; ls",
            "&& make",
            "make\u{a0}x",
            "make\rx",
            "make |& cat",
            "a=~ x",
        ] {
            assert_eq!(named(target), "only as written", "{target}");
        }
    }

    #[test]
    fn a_rule_without_a_folder_or_a_mark_is_the_glob_it_was() {
        for (rule, folder) in
            [("cd . && make", Some("")), ("cd sub && make …", Some("sub")), ("make …", None)]
        {
            let pattern = CommandPattern::of_rule(rule);
            assert!(matches!(pattern.words, Words::Exact { .. }), "{rule}");
            assert_eq!(pattern.folder.as_deref(), folder, "{rule}");
            assert_eq!(pattern.to_string(), rule);
        }
        for rule in [
            "make",
            "git push *",
            "rm 'a b'",
            "make ...",
            "cd sub",
            "cd *",
            "cd a && b && c",
            "b* …",
        ] {
            let words = Words::Glob(rule.to_owned());
            assert_eq!(CommandPattern::of_rule(rule), CommandPattern { folder: None, words });
        }
    }

    #[test]
    fn what_is_kept_of_a_command_is_that_command() {
        let command = |argv: &[&str]| SimpleCommand {
            folder: Some("a b".to_owned()),
            argv: argv.iter().map(|&word| word.to_owned()).collect(),
            literal: true,
        };
        let odd =
            ["$X", "a;b", "*", "", "…", "...", "it's", "a && b", "grün", "-n", "\n", "~", "#"];
        for word in odd {
            let exact = command(&["x", word]);
            let pattern = CommandPattern::exactly(&exact).expect(word);
            assert!(pattern.covers(&exact), "{word}");
            for other in [vec!["x"], vec!["x", word, "y"], vec!["x", "other"]] {
                assert!(!pattern.covers(&command(&other)), "{word}: {other:?}");
            }
        }
        for word in ["'\"", "it's $X"] {
            assert_eq!(CommandPattern::exactly(&command(&["x", word])), None, "{word}");
        }
        assert_eq!(CommandPattern::exactly(&command(&["cd", "x"])), None);
        assert_eq!(
            CommandPattern::exactly(&SimpleCommand { folder: None, ..command(&["x"]) }),
            None
        );
    }
}
