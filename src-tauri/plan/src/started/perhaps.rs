//! What a simple command might come to, if its words mean something else than they seem to: a
//! program that nobody knows may start what stands in its arguments.

use super::{commands, hidden, named, plain};
use crate::unclear;

/// Programs that never start what stands in their words; what their options do is looked at
/// elsewhere.
#[rustfmt::skip]
const PLAIN: &[&str] = &[
    "[", "basename", "cat", "cd", "chgrp", "chmod", "chown", "cksum", "cmp", "comm", "cp", "curl",
    "cut", "date", "dd", "df", "diff", "dirname", "du", "echo", "egrep", "export", "expr", "false",
    "fgrep", "file", "find", "git", "grep", "gunzip", "gzip", "head", "hexdump", "id", "install", "jq",
    "kill", "ln", "ls", "man", "md5sum", "mkdir", "mktemp", "mv", "nl", "od", "paste", "patch",
    "pgrep", "printf", "ps", "pwd", "readlink", "realpath", "rev", "rg", "rm", "rmdir", "sed",
    "seq", "sha1sum", "sha256sum", "sleep", "sort", "split", "stat", "strings", "tac", "tail",
    "tar", "tee", "test", "touch", "tr", "tree", "true", "truncate", "type", "uname", "uniq",
    "unzip", "wc", "wget", "whereis", "which", "whoami", "xxd", "zip",
];

/// Programs whose first word is a command of their own, and may be called like a program.
#[rustfmt::skip]
const WITH_COMMANDS: &[&str] = &[
    "apt", "apt-get", "brew", "cargo", "composer", "dnf", "docker", "gem", "gh", "go", "helm", "hg",
    "kubectl", "npm", "pip", "pip3", "pnpm", "podman", "rustup", "svn", "systemctl", "yarn",
];

/// Commands of theirs that are: `npm rm` is no `rm`.
const NAMESAKES: &[&str] =
    &["cat", "cp", "diff", "install", "kill", "link", "ls", "mv", "ps", "rm", "test", "top"];

/// More words than these are not looked through for each command that may begin among them.
const LONGEST: usize = 64;

/// Commands that a simple command might be or start.
pub(crate) fn perhaps(argv: &[String]) -> Vec<Vec<String>> {
    let Some((first, rest)) = argv.split_first() else { return Vec::new() };
    let name = plain(first);
    let mut found: Vec<Vec<String>> = match rest.first().is_some_and(|word| word.starts_with('-')) {
        true => suffixes(rest).map(|words| named(name, words)).collect(),
        false => Vec::new(),
    };
    for words in arguments(first, rest) {
        found.extend(commands(words));
        let (word, after) = (&words[0], &words[1..]);
        // The program may stand behind an option: `--run=rm -r x`.
        if let Some((_, value)) = word.split_once('=') {
            found.extend(commands(&named(value, after)));
        }
        found.extend(texts(word).flat_map(|words| commands(&words)));
    }
    found
}

/// Whether a program that nobody knows may start one that is given something to run.
pub(crate) fn perhaps_hides(argv: &[String]) -> bool {
    let Some((first, rest)) = argv.split_first() else { return false };
    arguments(first, rest).any(|words| {
        let name = plain(&words[0]);
        let optioned = words.get(1).is_some_and(|word| word.starts_with('-'));
        // No program starts the shell's own command of this name; it is a folder.
        let given = optioned && name != "." && hidden::is_given_to(name, &words[1..]);
        // A name that the shell would work out is any name.
        let in_text = |words: Vec<String>| {
            words.first().is_some_and(|name| name.contains('$') || hidden::is_shell(plain(name)))
        };
        given || hidden::is_shell(name) || texts(&words[0]).any(in_text)
    })
}

/// What a program might start: its words from each one on.
fn arguments<'a>(program: &str, rest: &'a [String]) -> impl Iterator<Item = &'a [String]> {
    // At another path than the system's it may be anything.
    let known = program.trim_start_matches("/usr").trim_start_matches("/bin/");
    let own = rest.first().is_some_and(|word| NAMESAKES.contains(&word.as_str()));
    let first = match PLAIN.contains(&known) {
        true => rest.len(),
        false => usize::from(own && WITH_COMMANDS.contains(&known)),
    };
    suffixes(rest.get(first..).unwrap_or_default())
}

fn suffixes(words: &[String]) -> impl Iterator<Item = &[String]> {
    (0..words.len()).map(|start| &words[start..words.len().min(start + LONGEST)])
}

/// The commands in a word that may be a text to run.
fn texts(word: &str) -> impl Iterator<Item = Vec<String>> {
    // Some programs mark a command of the shell's by a `!`.
    let text = word.trim_start_matches('!');
    let text = text.contains(char::is_whitespace).then(|| unclear::commands(text));
    text.into_iter().flatten()
}
