//! What git runs beside itself. A command that is none of its own is an alias or a program from
//! outside, and nobody here knows which.

use super::hidden::{Options, has_option, options};

/// Options before its command whose value is a word of its own.
pub(super) const VALUED: &[&str] =
    &["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env"];

/// Commands that no alias can take the place of, and that send nothing by another way than `push`.
#[rustfmt::skip]
const OWN: &[&str] = &[
    "add", "am", "annotate", "apply", "archive", "bisect", "blame", "branch", "bugreport", "bundle",
    "cat-file", "check-attr", "check-ignore", "check-mailmap", "check-ref-format", "checkout",
    "checkout-index", "cherry", "cherry-pick", "clean", "clone", "column", "commit", "commit-graph",
    "commit-tree", "config", "count-objects", "describe", "diff", "diff-files", "diff-index",
    "diff-tree", "fast-export", "fetch", "fetch-pack", "fmt-merge-msg", "for-each-ref",
    "format-patch", "fsck", "gc", "get-tar-commit-id", "grep", "hash-object", "help", "index-pack",
    "init", "init-db", "interpret-trailers", "log", "ls-files", "ls-remote", "ls-tree", "mailinfo",
    "mailsplit", "maintenance", "merge", "merge-base", "merge-file", "merge-tree", "mktag", "mktree",
    "multi-pack-index", "mv", "name-rev", "notes", "pack-objects", "pack-refs", "patch-id", "prune",
    "prune-packed", "pull", "push", "range-diff", "read-tree", "rebase", "reflog", "remote",
    "repack", "replace", "rerere", "reset", "restore", "rev-list", "rev-parse", "revert", "rm",
    "shortlog", "show", "show-branch", "show-index", "show-ref", "sparse-checkout", "stage",
    "stash", "status", "stripspace", "submodule", "switch", "symbolic-ref", "tag", "unpack-file",
    "unpack-objects", "update-index", "update-ref", "update-server-info", "var", "verify-commit",
    "verify-pack", "verify-tag", "version", "worktree", "write-tree",
];

/// Options by which a command of git's runs a program.
const OPTIONS: &[Options] = &[
    options(&["grep"], "O", &["--open-files-in-pager"]),
    options(&["rebase"], "x", &["--exec"]),
    options(&["clone"], "uc", &["--upload-pack", "--config", "--template"]),
    options(&["init"], "", &["--template"]),
    options(&["fetch", "pull", "ls-remote", "fetch-pack"], "", &["--upload-pack", "--exec"]),
    options(&["push", "archive"], "", &["--receive-pack", "--exec"]),
    options(&["config"], "e", &["--edit"]),
];

/// Ways to merge that are git's own. Any other is a program, `git-merge-` and its name.
const STRATEGIES: &[&str] = &["ort", "recursive", "resolve", "octopus", "ours", "subtree"];

/// Settings that name such a way.
const MERGING: &[&str] = &["pull.twohead", "pull.octopus"];

/// Settings that name no program. Others may.
const HARMLESS: &[&str] = &[
    "advice.",
    "color.",
    "commit.",
    "core.autocrlf",
    "core.eol",
    "core.filemode",
    "core.ignorecase",
    "core.quotepath",
    "fetch.",
    "init.defaultbranch",
    "pull.",
    "push.",
    "rebase.",
    "safe.directory",
    "user.",
];

/// Whether it runs something that is not looked at: settings before its command can name
/// programs, some commands run one, and others are not git's own.
pub(super) fn runs(rest: &[String]) -> bool {
    let mut left = rest;
    while let Some((word, more)) = left.split_first().filter(|(word, _)| word.starts_with('-')) {
        let names = ["-c", "--config", "--exec"];
        if names.iter().any(|name| word.starts_with(name)) {
            return true;
        }
        let taken = usize::from(VALUED.contains(&word.as_str()));
        left = more.get(taken..).unwrap_or_default();
    }
    let Some((command, rest)) = left.split_first() else { return false };
    if !OWN.contains(&command.as_str()) {
        return true;
    }
    let any = |wanted: &str| rest.iter().any(|word| word == wanted);
    let more = match command.as_str() {
        // `x::y` is an address for the program `git-remote-x`.
        "clone" | "fetch" | "fetch-pack" | "ls-remote" | "pull" | "push" | "remote" => {
            rest.iter().any(|word| word.contains("::"))
        }
        "submodule" => any("foreach") || rest.iter().any(|word| word.contains("::")),
        "bisect" => any("run"),
        "config" => !is_harmless(rest),
        _ => false,
    };
    // What follows these letters in the same word is their value.
    let merges = match command.as_str() {
        "merge" => merges_by_program(rest, Some("mFXS")),
        "pull" => merges_by_program(rest, Some("XSjo")),
        "rebase" => merges_by_program(rest, Some("XSCx")),
        // Here `-s` signs.
        "cherry-pick" | "revert" => merges_by_program(rest, None),
        _ => false,
    };
    more || merges || has_option(OPTIONS, command, rest)
}

/// Whether a way to merge is named that is none of git's own. Where `-s` names one, `valued` are the
/// letters that take a value.
fn merges_by_program(rest: &[String], valued: Option<&str>) -> bool {
    let own = |name: Option<&str>| name.is_some_and(|name| STRATEGIES.contains(&name));
    rest.iter().enumerate().any(|(at, word)| {
        let next = rest.get(at + 1).map(String::as_str);
        if word.starts_with("--") {
            let (begun, value) =
                word.split_once('=').map_or((&**word, next), |(begun, value)| (begun, Some(value)));
            return begun.len() > 2 && "--strategy".starts_with(begun) && !own(value);
        }
        let (Some(letters), Some(valued)) = (word.strip_prefix('-'), valued) else { return false };
        match letters.find(|c: char| c == 's' || valued.contains(c)) {
            Some(found) if letters[found..].starts_with('s') => {
                let value = &letters[found + 1..];
                !own(if value.is_empty() { next } else { Some(value) })
            }
            Some(_) | None => false,
        }
    })
}

/// Whether `git config` only shows something, or sets what names no program.
fn is_harmless(rest: &[String]) -> bool {
    let shows = |word: &String| word.starts_with("--get") || ["--list", "-l"].contains(&&**word);
    let mut words = rest.iter().filter(|word| !word.starts_with('-'));
    let key = match words.next().map(String::as_str) {
        Some("get" | "list") | None => return true,
        Some("set" | "unset") => words.next().map_or("", String::as_str),
        Some(key) => key,
    };
    let key = key.to_ascii_lowercase();
    let harmless = HARMLESS.iter().any(|begun| key.starts_with(begun));
    rest.iter().any(shows) || (harmless && !MERGING.contains(&&*key))
}
