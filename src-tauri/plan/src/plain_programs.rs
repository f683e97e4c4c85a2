//! Programs that are known and whose words start no other program. Where a rule forbids commands
//! or asks about them, a person is asked about everything else: what it starts can't be told.

use crate::command_pattern::{file_name, is_pattern};

/// Programs, as words with blanks between.
struct Plain {
    programs: &'static str,
    /// Its commands, one of which has to come first; empty: it has none.
    commands: &'static str,
    /// Letters by which it starts another program.
    letters: &'static str,
    /// Options by which it does; `::` is such a thing anywhere.
    options: &'static str,
}

const fn plain(
    programs: &'static str,
    commands: &'static str,
    letters: &'static str,
    options: &'static str,
) -> Plain {
    Plain { programs, commands, letters, options }
}

/// Whatever they are given.
const ALWAYS: &str = "basename cat cd chgrp chmod chown cksum cmp comm curl cut date df diff \
    dirname du echo egrep expr false fgrep file grep gunzip gzip head hexdump id jq kill ls md5sum \
    mkdir mktemp nl od paste pgrep ps pwd readlink realpath rev rm rmdir seq sha1sum sha256sum sleep \
    stat strings tac tail tee touch tr tree true truncate type uname uniq unzip wc whereis which \
    whoami xxd";

/// Unless their words name a program that a rule is about.
#[rustfmt::skip]
const PLAIN: &[Plain] = &[
    plain("cp link ln mv eslint gradle jest mocha mvn mypy prettier pytest ruff tsc vitest", "", "", ""),
    plain("[ test", "", "vR", ""),
    plain("printf", "", "v", ""),
    plain("sort", "", "", "--compress-program"),
    plain("split", "", "", "--filter"),
    plain("rg", "", "", "--pre --hostname-bin"),
    plain("find", "", "", "-exec -ok"),
    plain("zip", "", "T", "--unzip-command"),
    plain("wget", "", "e", "--use-askpass --execute --config"),
    plain("tar", "", "IF", "--to-command --checkpoint-action --use-compress-program --info-script \
        --new-volume-script --rsh-command --rmt-command"),
    plain("cmake", "", "EPD", ""),
    plain("cc c++ gcc g++ clang clang++", "", "B", "-wrapper -fplugin -specs --specs"),
    plain("rustc", "", "C", "--codegen"),
    plain("git", "add apply blame branch cat-file checkout clean commit describe diff for-each-ref \
        help log ls-files ls-tree merge-base mv notes reflog reset restore rev-list rev-parse rm \
        shortlog show show-ref stash status switch tag version worktree --version", "", "--ext-diff"),
    plain("git", "grep", "O", "--open-files-in-pager"),
    plain("git", "cherry-pick merge rebase revert", "xs", "--exec --strategy"),
    plain("git", "clone", "cu", "--config --template --upload-pack ::"),
    plain("git", "fetch init ls-remote pull push remote", "s",
        "--exec --receive-pack --strategy --template --upload-pack ::"),
    plain("cargo", "add bench build check clean clippy doc fetch fmt init install metadata new \
        nextest remove rm run test tree update --version", "", "--config"),
    plain("npm", "ci install ls outdated pack run test uninstall", "c", "--call --script-shell"),
    plain("pnpm yarn", "add build install list ls remove rm run test", "c", "--call --script-shell"),
    plain("go", "build fmt get list mod test vet", "",
        "-exec -toolexec -vettool --exec --toolexec --vettool"),
    plain("docker", "build images inspect logs ps pull push rm rmi start stop", "", ""),
    plain("gh", "issue pr", "", ""),
    plain("pip pip3", "freeze install list show uninstall", "", ""),
    plain("rustup", "show", "", ""),
];

/// Other names by which npm knows its commands, which it also takes by their beginnings.
const NPM: &str = "add clean-install i ic install-clean isntall isntall-clean it list remove rm \
    rum run-script t tst un unlink urn";

/// Whether nothing but the command itself is started that a rule of these words could be about.
pub(crate) fn is_plain(argv: &[String], rule: &[String]) -> bool {
    let Some((program, args)) = argv.split_first() else { return false };
    let name = ["/usr/bin/", "/bin/"].iter().find_map(|folder| program.strip_prefix(folder));
    let name = name.unwrap_or(program);
    if has(ALWAYS, name) {
        return true;
    }
    let known = PLAIN.iter().filter(|known| has(known.programs, name));
    known.into_iter().any(|known| known.is_only(name, args, rule))
}

impl Plain {
    fn is_only(&self, name: &str, args: &[String], rule: &[String]) -> bool {
        let Some(first) = args.first() else { return true };
        let own = usize::from(!self.commands.is_empty());
        let other_name = |word: &String| {
            let mut all = NPM.split(' ').chain(self.commands.split(' '));
            !has(self.commands, word) && all.any(|one| one.starts_with(&**word))
        };
        let by_another = name == "npm"
            && rule.first().is_some_and(|one| one.as_str() == name)
            && rule.get(1).is_some_and(other_name);
        if own == 1 && !has(self.commands, first) || by_another {
            return false;
        }
        let starts = |(index, word): (usize, &String)| {
            let short = word.starts_with('-') && !word.starts_with("--")
                || index == 0 && name == "tar" && !word.starts_with('-');
            let begun = word.split('=').next().unwrap_or(word);
            let is_option = |option: &str| match option {
                "::" => word.contains("::"),
                _ if option.starts_with("--") => begun.len() > 2 && option.starts_with(begun),
                _ => word.starts_with(option),
            };
            short && word.contains(|c| self.letters.contains(c))
                || self.options.split(' ').any(|option| !option.is_empty() && is_option(option))
                // What stands in brackets is worked out.
                || matches!(name, "[" | "test") && word.contains('[')
        };
        // What takes options alone does nothing with a program but read it.
        let reads = own == 0 && !(self.letters.is_empty() && self.options.is_empty());
        let speaks = reads || matches!(name, "git" | "gh");
        !args.iter().enumerate().any(starts)
            && (speaks || !args.iter().skip(own).any(|word| names(word, rule)))
    }
}

/// Whether a word is the program of a rule, or a text with a command of its.
fn names(word: &str, rule: &[String]) -> bool {
    let Some(program) = rule.first() else { return false };
    let value = file_name(word.split_once('=').map_or(word, |(_, value)| value));
    let of_it = value.strip_prefix(program.as_str()).filter(|_| !value.contains('.'));
    let certain = |word: &&str| !word.starts_with('-') && !is_pattern(word);
    let leading: Vec<&str> = rule.iter().map(String::as_str).take_while(certain).collect();
    let between = |c: char| c.is_whitespace() || ";&|()`".contains(c);
    let words: Vec<&str> = word.split(between).map(file_name).collect();
    let in_text = || !leading.is_empty() && words.windows(leading.len()).any(|w| w == leading);
    value == program || of_it.is_some_and(|rest| rest.starts_with('-')) || in_text()
}

fn has(list: &str, word: &str) -> bool {
    list.split(' ').any(|one| one == word)
}
