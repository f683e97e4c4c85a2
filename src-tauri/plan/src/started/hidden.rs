//! Programs that are given something to run which nobody reads here: text, a file, or another
//! program behind an option.

use super::{git, meaning};

/// Shells, which run what they read and what stands in their words.
const SHELLS: &[&str] = &[
    "sh", "bash", "dash", "zsh", "ksh", "mksh", "fish", "ash", "csh", "tcsh", "rbash", "lksh",
    "posh", "yash", "elvish", "xonsh", "nu",
];

/// Programs that run what they read, whatever their arguments are.
const READERS: &[&str] = &[
    "eval",
    "source",
    ".",
    "trap",
    "awk",
    "gawk",
    "mawk",
    "nawk",
    "xargs",
    "parallel",
    "script",
    "ssh",
    "su",
    "runuser",
    "make",
    "gmake",
    "watch",
    "entr",
    "direnv",
    "uv",
    "poetry",
    "pipenv",
    "conda",
    "nix-shell",
    "expect",
    "tclsh",
    "wish",
    "capsh",
    "sg",
    "newgrp",
    "pkexec",
    "run-parts",
    "fc",
    "m4",
    "gnuplot",
    "ftp",
    "lftp",
    "mail",
    "mailx",
    "at",
    "batch",
    "crontab",
    "gdb",
    "lldb",
    "vim",
    "vi",
    "nvim",
    "view",
    "vimdiff",
    "ex",
    "ed",
    "emacs",
    "tmux",
    "screen",
    "alias",
    "enable",
    "mapfile",
    "readarray",
    "complete",
    "compgen",
    "bind",
    "dc",
    "hyperfine",
    "just",
    "ninja",
    "perf",
    "rake",
    "watchexec",
];

/// Programs that run what they are given in the command itself, or on their input.
const INTERPRETERS: &[&str] = &[
    "perl",
    "python",
    "pypy",
    "ipython",
    "node",
    "nodejs",
    "deno",
    "bun",
    "ruby",
    "php",
    "lua",
    "luajit",
    "raku",
    "gjs",
    "qjs",
    "osascript",
    "elixir",
    "erl",
    "groovy",
    "guile",
    "julia",
    "octave",
    "pwsh",
    "Rscript",
    "ghci",
    "runghc",
    "scala",
    "sbcl",
    "racket",
    "clojure",
    "jshell",
    "R",
];

/// Options by which a program runs another one.
pub(super) struct Options {
    of: &'static [&'static str],
    /// Letters, which count anywhere behind a single dash.
    letters: &'static str,
    /// Long ones, which count by any beginning of theirs.
    long: &'static [&'static str],
}

pub(super) const fn options(
    of: &'static [&'static str],
    letters: &'static str,
    long: &'static [&'static str],
) -> Options {
    Options { of, letters, long }
}

const OPTIONS: &[Options] = &[
    options(&["sort", "gsort"], "", &["--compress-program"]),
    options(&["split", "gsplit"], "", &["--filter"]),
    options(&["rg"], "", &["--pre", "--hostname-bin"]),
    options(
        &["tar", "gtar", "bsdtar"],
        "IF",
        &[
            "--to-command",
            "--checkpoint-action",
            "--use-compress-program",
            "--info-script",
            "--new-volume-script",
            "--rsh-command",
            "--rmt-command",
        ],
    ),
    options(&["rsync"], "e", &["--rsh", "--rsync-path"]),
    options(&["scp", "sftp"], "SoFDb", &[]),
    options(&["man"], "PHXC", &["--pager", "--html", "--gxditview", "--config-file"]),
    options(&["less", "more"], "k", &["--lesskey-src", "--lesskey-file", "--lesskey-content"]),
    options(&["zip"], "", &["--unzip-command"]),
    options(&["wget"], "", &["--use-askpass"]),
    options(&["nc", "ncat", "netcat"], "ec", &["--exec", "--sh-exec", "--lua-exec"]),
    options(&["tcpdump"], "z", &[]),
    options(&["cmake"], "EP", &[]),
    options(&["cpio"], "", &["--rsh-command"]),
    options(&["apt", "apt-get", "aptitude"], "o", &["--option"]),
    options(&["dpkg"], "", &["--pre-invoke", "--post-invoke"]),
    options(&["rpm"], "E", &["--eval", "--define", "--pipe"]),
    options(&["hash"], "p", &[]),
    options(&["declare", "typeset", "local"], "n", &[]),
    options(&["set"], "k", &[]),
    options(&["install"], "", &["--strip-program"]),
    options(&["cargo"], "", &["--config"]),
    options(&["fzf"], "", &["--preview", "--bind", "--with-shell"]),
    options(&["bat", "delta"], "", &["--pager"]),
    options(&["flock"], "c", &["--command"]),
    options(&["env"], "S", &["--split-string"]),
    options(&["npm", "pnpm", "yarn"], "c", &["--call", "--script-shell"]),
    options(&["sed", "gsed"], "f", &["--file"]),
];

/// Whether a program is given something to run that is not looked at.
pub(super) fn is_given_to(name: &str, rest: &[String]) -> bool {
    let any = |wanted: &[&str]| rest.iter().any(|word| wanted.contains(&word.as_str()));
    // `python3.12` is one of them, too.
    let unversioned = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if is_shell(name) || READERS.contains(&name) || meaning::is_changed_by(name, rest) {
        return true;
    }
    if INTERPRETERS.contains(&unversioned) {
        // Without a file of its own, or with an option before it that may be the text.
        let is_file = |word: &String| !["-", "/dev/", "/proc/"].iter().any(|b| word.starts_with(b));
        return !rest.first().is_some_and(is_file);
    }
    if has_option(OPTIONS, name, rest) {
        return true;
    }
    match name {
        "find" => any(&["-exec", "-execdir", "-ok", "-okdir"]),
        "git" => git::runs(rest),
        "sed" | "gsed" => rest.iter().any(|word| runs_in_sed(word)),
        // The first word may be options without a dash.
        "tar" | "gtar" | "bsdtar" => rest.first().is_some_and(|word| {
            word.len() < 8 && !word.contains(['.', '/']) && word.contains(['I', 'F'])
        }),
        "zip" => rest.iter().any(|word| word.starts_with('-') && word.contains("TT")),
        "less" | "more" => rest.iter().any(|word| word.starts_with('+')),
        "npm" | "pnpm" | "yarn" => any(&["exec", "dlx"]),
        "wget" => rest.iter().any(|word| word.contains("use_askpass")),
        "ghc" => any(&["-e"]),
        "npx" => {
            let mut own = rest.iter().take_while(|word| word.starts_with('-'));
            own.any(|word| word == "-c" || word.starts_with("--call"))
        }
        "tex" | "latex" | "pdflatex" | "xelatex" | "lualatex" => {
            rest.iter().any(|word| word.contains("shell-escape") || word.contains("write18"))
        }
        "ip" => any(&["exec"]),
        "go" => rest.iter().any(|word| {
            let option = word.trim_start_matches('-');
            let named = ["exec", "toolexec", "vettool"];
            word.starts_with('-') && named.iter().any(|one| option.starts_with(one))
        }),
        "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++" => any(&["-wrapper"]),
        "rustc" | "cargo" => rest.iter().any(|word| word.contains("linker=")),
        "socat" => rest.iter().any(|word| {
            let address = word.to_ascii_lowercase();
            ["exec:", "system:", "shell:"].iter().any(|kind| address.contains(kind))
        }),
        "sqlite3" | "duckdb" => {
            rest.iter().any(|word| word.trim_start().starts_with('.') || word == "-cmd")
        }
        "psql" | "mysql" | "mariadb" => rest.iter().any(|word| word.contains("\\!")),
        _ => false,
    }
}

/// Whether it is a shell, which runs what it is given in every way.
pub(super) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}

pub(super) fn has_option(all: &[Options], name: &str, rest: &[String]) -> bool {
    let known = all.iter().filter(|options| options.of.contains(&name));
    known.into_iter().any(|Options { letters, long, .. }| {
        rest.iter().any(|word| match word.strip_prefix("--") {
            Some("") => false,
            Some(_) => {
                let begun = word.split('=').next().unwrap_or(word);
                long.iter().any(|option| option.starts_with(begun))
            }
            None => word.starts_with('-') && word.contains(|c| letters.contains(c)),
        })
    })
}

/// GNU's sed runs what follows the command `e`, and what it replaced with the flag `e`.
fn runs_in_sed(word: &str) -> bool {
    let script = match word.strip_prefix("--") {
        Some(long) => long.split_once('=').map_or("", |(_, script)| script),
        None if word.starts_with('-') => word.split_once('e').map_or("", |(_, script)| script),
        None => word,
    };
    let chars: Vec<char> = script.chars().collect();
    let command = chars.iter().enumerate().any(|(at, c)| {
        *c == 'e' && at.checked_sub(1).is_none_or(|before| !chars[before].is_alphabetic())
    });
    let is_flag = |c: &char| c.is_ascii_digit() || "gpiIemMw".contains(*c);
    let mut flags = chars.iter().rev().take_while(|c| c.is_alphanumeric()).peekable();
    let flagged = flags.peek().is_some() && flags.clone().all(is_flag) && flags.any(|c| *c == 'e');
    command || flagged
}

#[cfg(test)]
mod tests {
    use crate::started::hides_something;

    fn hides(command: &str) -> bool {
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        hides_something(&words)
    }

    #[test]
    #[rustfmt::skip]
    fn a_program_behind_an_option_is_not_read() {
        for command in [
            "sort --compress-program=rm a", "sort -S 1 --compress-prog rm a", "split --filter=rm a",
            "split --fil rm a", "rg --pre rm x", "rg --pre=rm x", "rg --hostname-bin=rm x",
            "git grep -Orm x", "git grep -nOrm x", "git grep --open-files-in-pager=rm x",
            "git -C sub grep --open=rm x", "git -C . -c alias.x=!rm x", "git --config-env=a=b x",
            "git --git-dir x -c core.pager=rm log", "git bisect run rm", "git rebase -x rm HEAD~1",
            "git rebase -ix rm HEAD~1", "git rebase --ex rm HEAD~1", "git submodule foreach rm",
            "git clone -u rm a", "git clone --template=t a", "git fetch --upload-pack=rm a",
            "git push --receive-pack=rm a", "git clone ext::rm", "git hook run pre-commit",
            "git merge -s x a", "git merge -sx a", "git merge -ns x a", "git merge --strategy=x a",
            "git merge --strat x a", "git pull -s x", "git pull --strategy x", "git rebase -s x a",
            "git rebase -ms x a", "git cherry-pick --strategy=x a", "git revert --strategy x a",
            "git merge -s ours -s x a", "git merge -s", "git config pull.twohead x",
            "git config set pull.Octopus x", "git merge-x a", "git merge-index rm a",
            "tar -cIrm -f a b", "tar cIf rm a b", "tar --use-comp=rm -cf a b", "tar -xf a --to-c=rm",
            "tar --checkpoint-action=exec=rm -cf a b", "tar -cMF rm -f a b",
            "rsync -avze rm a b", "rsync --rsh=rm a b", "rsync --rsync-p=rm a b",
            "find . -exec rm {} ;", "find . -okdir rm {} ;", "xargs rm",
            "env -S rm", "env -iS rm", "env --split=rm", "man -P rm ls", "man --pag=rm ls",
            "less +!rm a", "awk BEGIN{system(0)}", "sed 1erm a", "sed -n s/a/b/e a", "sed -f x a",
            "sed -ne1erm a", "sed --expression=1erm a", "sed -nf x a", "zip -TT rm a b",
            "zip -rTT rm a b", "ssh -oProxyCommand=rm a", "scp -oProxyCommand=rm a b", "scp -S rm a b",
            "make SHELL=rm", "watch rm", "parallel rm", "cargo --config build.rustc-wrapper=rm b",
            "go test -exec rm", "go build -toolexec=rm", "gcc -wrapper rm a.c", "nc -e rm a 1",
            "socat - EXEC:rm", "cmake -E rm a", "cmake -P x", "tcpdump -z rm", "wget --use-ask=rm a",
            "sqlite3 a .shell", "dc -e !rm", "Rscript -e x", "npm --script-shell=rm test",
            "fzf --preview rm", "ip netns exec a rm", "flock a -c rm",
        ] {
            assert!(hides(command), "{command}");
        }
    }

    #[test]
    #[rustfmt::skip]
    fn what_only_looks_alike_is_read() {
        for command in [
            "sort -u a", "sort --check a", "split -b 10 a", "rg --pretty x", "rg -e x --files",
            "git grep -n x", "git log --oneline", "git -C sub status", "git rebase main",
            "git merge -s ours a", "git merge -sort a", "git merge --strategy=recursive a",
            "git merge -Xours a", "git merge -X ours a", "git merge --strategy-option=theirs a",
            "git merge --squash a", "git merge --no-ff -m x a", "git merge -ms a", "git merge a",
            "git pull --rebase", "git pull -s octopus", "git rebase -s ort a", "git cherry-pick -s a",
            "git cherry-pick -Xtheirs a", "git revert -s a", "git config pull.rebase true",
            "git clone a", "git push origin main", "git commit -m exec", "tar -xzf a.tgz", "tar xzf a",
            "tar -cf FILES.tar a", "rsync -av --delete a b", "find . -name x", "sed s/a/b/ f",
            "sed -n 5p f", "sed -i.bak s/a/b/g f", "zip -r a b", "cargo build --release",
            "go test ./...", "gcc -O2 a.c", "cmake -S . -B build", "npm test", "less a", "man ls",
            "wget a", "env A=1 ls", "python3 x.py", "node x.js", "sqlite3 a.db",
        ] {
            assert!(!hides(command), "{command}");
        }
    }
}
