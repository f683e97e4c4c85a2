//! Whether a command only looks: a list of programs, each with its limits.
//!
//! A command that is taken for looking is run in the look sandbox whatever
//! else is allowed, so a hole in this list cannot change a file either.

use super::parsed::{Simple, Word};

/// Programs that only look whatever they are given.
const LOOKERS: &[&str] = &[
    "ls",
    "cat",
    "head",
    "tail",
    "wc",
    "pwd",
    "echo",
    "true",
    "false",
    "stat",
    "du",
    "df",
    "grep",
    "egrep",
    "fgrep",
    "cut",
    "tr",
    "nl",
    "tac",
    "rev",
    "paste",
    "join",
    "comm",
    "cmp",
    "diff",
    "seq",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "id",
    "whoami",
    "uname",
    "nproc",
    "which",
    "type",
    "cd",
    "od",
    "hexdump",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "cksum",
    "strings",
];

/// Whether every simple command is one that only looks.
pub(crate) fn only_looks(commands: &[Simple]) -> bool {
    commands.iter().all(|command| match command.words.split_first() {
        Some((program, _)) if LOOKERS.contains(&program.text.as_str()) => true,
        // A file can be named like an option, and a pattern would find it.
        Some((_, args)) if args.iter().any(could_be_option) => false,
        Some((program, args)) => {
            let args: Vec<String> = args.iter().map(|word| word.text.clone()).collect();
            looks(&program.text, &args)
        }
        None => false,
    })
}

fn could_be_option(word: &Word) -> bool {
    word.pattern && word.text.starts_with(['*', '?', '[', '-'])
}

fn looks(program: &str, args: &[String]) -> bool {
    match program {
        // Subscripts are evaluated: `test -v 'a[$(id)]'` runs `id`.
        "test" => !args.iter().any(|arg| arg == "-v" || arg == "-R" || arg.contains('[')),
        "date" => none(args, "s", &["--set"]) && sets_no_clock(args),
        "file" => none(args, "C", &["--compile"]),
        "tree" => none(args, "oR", &["--output"]),
        "rg" => none(args, "z", &["--pre", "--pre-glob", "--hostname-bin", "--search-zip"]),
        "sort" => none(args, "oT", &["--output", "--compress-program", "--temporary-directory"]),
        // The second name is where the output goes.
        "uniq" => args.iter().filter(|arg| !arg.starts_with('-')).count() <= 1,
        "find" => !args.iter().any(|arg| {
            ["-exec", "-ok", "-delete", "-fprint", "-fls"]
                .iter()
                .any(|action| arg.starts_with(action))
        }),
        "sed" => sed(args),
        "git" => git(args),
        "cargo" => cargo(args),
        _ => false,
    }
}

/// Whether no argument is one of the short letters or the long options.
///
/// Letters count anywhere behind a single dash (`-uo`), and long options by
/// any beginning of theirs (`--outp`), because programs take them so.
fn none(args: &[String], letters: &str, long: &[&str]) -> bool {
    !args.iter().any(|arg| match arg.strip_prefix("--") {
        Some("") => false,
        Some(_) => {
            let name = arg.split('=').next().unwrap_or(arg);
            long.iter().any(|option| option.starts_with(name))
        }
        None => arg.starts_with('-') && arg.contains(|c| letters.contains(c)),
    })
}

/// `date` shows the time as `+format` says; any other word of its own is a time to set.
fn sets_no_clock(args: &[String]) -> bool {
    let valued = ["-d", "-ud", "-r", "-f", "--date", "--reference", "--file"];
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if valued.contains(&arg.as_str()) {
            args.next();
        } else if !arg.starts_with(['-', '+']) {
            return false;
        }
    }
    true
}

/// `sed -n 5p`, `sed -n 5,9p`, `sed -n '5,$p'`: sed's language can write and run.
fn sed(args: &[String]) -> bool {
    let [flag, script, files @ ..] = args else {
        return false;
    };
    let Some(range) = script.strip_suffix('p') else {
        return false;
    };
    let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let in_range = match range.split_once(',') {
        Some((from, to)) => number(from) && (number(to) || to == "$"),
        None => number(range),
    };
    flag == "-n" && in_range && !files.iter().any(|file| file.starts_with('-'))
}

fn git(args: &[String]) -> bool {
    let args = match args.split_first() {
        Some((flag, rest)) if flag == "--no-pager" => rest,
        Some(_) | None => args,
    };
    let Some((subcommand, rest)) = args.split_first() else {
        return false;
    };
    let is = |allowed: &[&str]| rest.iter().all(|arg| allowed.contains(&arg.as_str()));
    match subcommand.as_str() {
        "log" | "show" | "diff" | "status" | "rev-parse" | "ls-files" | "ls-tree" | "blame"
        | "shortlog" | "describe" | "rev-list" | "merge-base" => {
            // A submodule's difference is shown by another git, with that one's own programs.
            let more = ["--output", "--ext-diff", "--textconv", "--exec-path", "--parseopt"];
            none(rest, "", &more) && none(rest, "", &["--submodule"])
        }
        "branch" => match rest.first().map(String::as_str) {
            Some("--list") => none(
                rest,
                "dDmMcCu",
                &[
                    "--delete",
                    "--move",
                    "--copy",
                    "--edit-description",
                    "--set-upstream-to",
                    "--unset-upstream",
                ],
            ),
            Some(_) | None => {
                is(&["-a", "-r", "-v", "-vv", "--all", "--remotes", "--show-current"])
            }
        },
        "tag" => is(&["-l", "--list"]),
        "remote" => is(&["-v"]),
        "stash" => rest.len() == 1 && is(&["list"]),
        "--version" => rest.is_empty(),
        _ => false,
    }
}

fn cargo(args: &[String]) -> bool {
    match args.split_first() {
        Some((subcommand, rest)) => match subcommand.as_str() {
            "tree" | "metadata" => none(rest, "ZC", &["--config"]),
            "--version" => rest.is_empty(),
            _ => false,
        },
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::only_looks;
    use crate::shell::parsed::read;

    fn looks(command: &str) -> bool {
        read(command).is_some_and(|commands| only_looks(&commands))
    }

    #[test]
    #[rustfmt::skip]
    fn looking() {
        for command in [
            "ls -la", "cat a b", "git log --oneline", "git --no-pager log -p",
            "git show HEAD:src/a.rs", "git diff --stat", "git status -s", "git branch",
            "git branch --list 'x*'", "git branch -a", "git rev-parse HEAD", "git ls-files",
            "git blame a", "rg foo src", "rg 'a|b' -g '*.rs'", "grep -rn x .",
            "find . -name '*.rs' -type f", "cargo tree", "cargo tree --offline",
            "cargo metadata --offline --no-deps", "sort a | uniq -c | head -n 3",
            "wc -l a && pwd", "sed -n 5,9p a", "sed -n '5,$p' a",
            "test -f a && echo yes || echo no", "cd src && ls", "date", "du -sh .", "tree -L 2",
            "diff a b", "which cargo", "tail -n 5 a", "git tag -l", "stat a", "file a",
            "cut -d, -f1 a", "ls *.rs", "cat src/*.rs", "find src -name '*.rs' 2>/dev/null",
            "sort ./*.txt", "(cd src; ls)", "if test -f a; then cat a; fi", "grep x < a",
            "date -u '+%F %T'", "date -d yesterday +%F", "date --date=now", "date -ud @0",
            "ls\npwd", "rg x src 2>&1 | head", "git log -n 3 HEAD~2",
        ] {
            assert!(looks(command), "{command}");
        }
    }

    #[test]
    #[rustfmt::skip]
    fn more_than_looking() {
        for command in [
            "rm x", "sed -i s/a/b/ f", "sed s/a/b/w f", "sed -n 5w f", "sed -n 5p -i f",
            "sed -n -f x 5p", "tee f", "ls | tee f", "xargs rm", "ls | xargs rm", "env rm x",
            "env", "bash -c ls", "sh -c ls", "python -c 'print(1)'", "python3 x.py", "perl -e 1",
            "awk '{print}' f", "node -e 1", "git -c core.pager=x log", "git -C x log",
            "git --exec-path=x log", "git -p log", "git --git-dir=x log", "git log --output=f",
            "git diff --outp f", "git diff --ext-diff", "git diff --submodule=diff",
            "git log -p --subm=diff", "git show --textconv", "git log --ext",
            "git commit -m x", "git checkout .", "git push", "git merge a",
            "git merge -s x a", "git merge -Xours a", "git pull -s x", "git merge-x a", "git branch new", "git branch -D x",
            "git branch --list -D x", "git branch --edit-description", "git tag v1",
            "git tag -d v1", "git remote add x y", "git stash", "git stash pop",
            "git grep -Ovi x", "git config x y", "git", "find . -delete", "find . -exec rm x",
            "find . -execdir rm x", "find . -ok rm x", "find . -okdir rm x", "find . -fprint f",
            "find . -fprintf f x", "find . -fls f", "sort -o f g", "sort -of g", "sort -uo f g",
            "sort --output=f g", "sort --out=f g", "sort --compress-program=x g",
            "sort --compress x g", "rg --pre cmd x", "rg --pre=cmd x", "rg --hostname-bin=x y",
            "rg -z x", "uniq a b", "tree -o f", "tree -R", "date -s 2020", "date --set=2020",
            "date --se 2020", "date 1010101010", "date -u 1010101010", "date -d now 1010101010",
            "date -Id 1010101010", "date -- 1010101010", "cat < /dev/tcp/host/80",
            "cat 0</dev/udp/host/80", "(cat) < '/dev/tcp/host/80'",
            "file -C -m x", "test -v 'a[$(id)]'", "test 'a[0]' -eq 1",
            "cargo build", "cargo test", "cargo run", "cargo tree --config x",
            "cargo +nightly tree", "cargo metadata -Zx", "cargo tree --conf x", "./ls",
            "/tmp/ls", "/bin/ls", "../ls", "\\ls", "ls `id`", "ls $(id)", "ls > f", "cat << E",
            "ls &", "ls\nrm x", "ls; rm x", "ls && rm x", "ls || rm x", "ls | sh", "eval ls",
            "exec ls", "source f", ". f", "command ls", "builtin echo", "sudo ls", "nice ls",
            "timeout 1 ls", "nohup ls", "touch f", "mkdir d", "cp a b", "mv a b", "ln -s a b",
            "chmod +x a", "dd of=f", "curl x", "wget x", "ssh x", "make", "npm test", "vi f",
            "less f", "more f", "man x", "printf -v x y", "trap x EXIT", "alias ls=rm", "set -x",
            "kill 1", "hostname x", "xxd a b", "split a", "install a b", "truncate -s 0 f",
            "tar xf a", "unzip a", "find *", "sort * -u",
            "rg x *", "ls $x", "cat ~/.ssh/id_ed25519 > f", "LD_PRELOAD=./x.so ls", "(rm x)",
            "if ls; then rm x; fi", "ls | (cat > f)", "for f in *; do cat $f; done", "env LS=1 ls",
        ] {
            assert!(!looks(command), "{command}");
        }
    }
}
