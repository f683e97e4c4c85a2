//! Commands against rules that forbid: what the words of a command show, what may hide in it, and
//! what is as free as without the rule. `'…'` is one word.

use crate::table::room;
use plan::{
    Effect, Facts, Rule, RuleAction, SimpleCommand, Source, Standing, Target, Verdict, gate,
};

const RULES: [&str; 3] = ["shell(git push *)", "shell(rm -rf *)", "shell(git commit * --amend)"];

fn words(command: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for (index, part) in command.split('\'').enumerate() {
        match index % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

/// What the gate says of commands that were understood, joined by ` ; `.
fn said(text: &str) -> &'static str {
    said_by(&RULES, text)
}

fn said_by(rules: &[&str], text: &str) -> &'static str {
    let simple =
        |text| SimpleCommand { folder: Some(String::new()), argv: words(text), literal: true };
    let simple = Some(text.split(" ; ").map(simple).collect());
    let facts = Facts {
        tool: "shell".to_owned(),
        also: Vec::new(),
        known: true,
        effect: Effect::Exec,
        source: Source::Catalogue,
        targets: vec![Target::Command { text: text.to_owned(), simple }],
        sandbox: true,
        allowed: false,
    };
    let rule = |rule: &&str| Rule::parse(RuleAction::Deny, rule).expect("a rule");
    let rules: Vec<Rule> = rules.iter().map(rule).collect();
    let room = room("off", "none");
    match gate(&[Standing { room: &room, rules: &rules, step: None }], &facts) {
        Verdict::Allow { .. } => "free",
        Verdict::Warn { .. } => "warned",
        Verdict::Ask { .. } => "asked",
        Verdict::Block { .. } => "forbidden",
    }
}

fn are(expected: &str, commands: &[&str]) {
    let other = |command: &&&str| said(command) != expected;
    let wrong: Vec<String> = commands
        .iter()
        .filter(other)
        .map(|command| format!("{command}: {}", said(command)))
        .collect();
    assert!(wrong.is_empty(), "{} are not {expected}:\n{}", wrong.len(), wrong.join("\n"));
}

/// What plainly is a command that a rule forbids.
#[test]
#[rustfmt::skip]
fn what_is_plainly_forbidden() {
    are("forbidden", &[
        "git push", "git push origin main", "/usr/bin/git push -f", "../bin/git push", "rm -rf x",
        "rm -rf x y", "/usr/libexec/git-core/git push", "ls ; git push", "/bin/rm -rf x",
        "git commit -a --amend", "timeout 5 x ; git push",
    ]);
}

/// Nobody looks behind the program that starts another one, so a person does.
#[test]
#[rustfmt::skip]
fn what_another_program_starts_is_asked() {
    are("asked", &[
        "forbidden", "git-push origin main", "/usr/lib/git-core/git-push origin main", "git-push",
        "git -C . push", "timeout 5 git-push origin", "x86_64 git push", "i386 git push",
        "i686 -R git push", "uname26 git push", "linux32 rm -rf x", "choom -n 0 -- git push",
        "choom -n 500 git push", "uclampset -m 0 git push", "uclampset -M 5 -- rm -rf x",
        "prlimit --nofile=5 git push", "chrt -f 5 git push", "ionice -c 3 git push",
        "taskset 1 git push", "unshare -n git push", "nsenter -t 1 git push",
        "setpriv --no-new-privs git push", "flock a git push", "stdbuf -oL git push",
        "nohup git push", "env -S 'git push'", "env A=b git push", "busybox rm -rf x",
        "toybox rm -rf x", "coreutils rm -rf x", "jobs -x git push", "ld.so /usr/bin/git push",
        "/lib64/ld-linux-x86-64.so.2 /usr/bin/git push", "exec -a x git push",
        "command -p git push", "builtin command git push", "setsid git push",
        "find . -exec git push ;", "xargs git push", "sudo git push", "chroot / git push",
    ]);
}

/// What may come to a forbidden command, as far as anyone can tell.
#[test]
#[rustfmt::skip]
fn what_may_be_forbidden() {
    are("asked", &[
        // What is no command of git's is an alias, or a program from outside.
        "git pp", "git pp origin main", "git pushy", "git -C sub pp", "git lfs push origin",
        "git subtree push x", "git send-pack origin main", "git-pp", "/usr/lib/git-core/git-pp",
        "git-send-pack origin main", "git http-push x", "git shell -c x", "git svn dcommit",
        "git config alias.st push", "git config --global core.pager x", "git config core.hooksPath x",
        "git config --file x alias.st push", "git remote-ext x", "git web--browse x",
        // A forbidden command in the words of a program that nobody knows.
        "chpst -u me git push", "s6-setuidgid me /usr/bin/git push", "firejail --quiet git push",
        "wrapper git push", "./wrapper.sh -x 1 -- git push", "python3 x.py git push",
        "coreutils --coreutils-prog=rm -rf x", "start-stop-daemon -S -x /usr/bin/git -- push",
        "fd -x git push", "sshpass -p x git push", "gdbserver :1 git push", "cargo watch -- git push",
        "pkexec git push", "wrapper 'git push'", "wrapper -c 'cd x && git push'", "wrapper git-push",
        "wrapper --run='git push'", "wrapper 'x; timeout 5 git push'", "wrapper '$g push'",
        "./echo git push", "cargo run -- git push", "cargo run -- 'git push'", "npm run x -- 'a; git push'",
        "yarn run x 'timeout 5 git push'", "gh alias set p '!git push'", "jj git push", "docker run x git push", "npm set-script a 'x && git push'",
        "wrapper sh x", "wrapper -n 3 bash -c x", "wrapper python3 -c x", "wrapper env -S x",
        "choom --unknown 3 4 bash -c x", "timeout --unknown 3 5 sh -c x",
        // Programs that are given something to run.
        "capsh -- -c 'git push'", "capsh -- -c x", "script -c x", "script -qc x /dev/null",
        "flock a -c x", "watch x", "parallel x", "busybox sh -c x", "busybox awk x",
        "python -c x", "python3.12 -c x", "pypy3 -c x", "perl -e x", "awk x", "gawk x", "sed 1e_x a",
        "vim -c !x", "nvim -c !x", "view -c !x", "vimdiff a", "make -f -", "make",
        "tar -cf a --checkpoint-action=exec=x b", "tar -xf a --to-command=x", "rsync -e x a b",
        "ssh -o ProxyCommand=x a", "sftp -b x a", "gdb -ex 'shell x'", "lldb -o x", "tclsh", "tclsh x",
        "bash --rcfile x", "rbash x", "yash x", "trap x EXIT", "eval x", "source x", ". x", "enable -f x y",
        "sg me x", "su -c x", "runuser -u me -- x", "newgrp x", "m4 x", "gnuplot -e x", "lftp -e x",
        "ftp a", "mail x", "mysql -e '\\! x'", "apt-get -o DPkg::Pre-Invoke::=x update",
        "dpkg --pre-invoke=x -i a", "rpm --eval %(x)", "pdflatex --shell-escape x", "run-parts x",
        "cpio --rsh-command=x -i", "npm exec x", "npx -c x",
        "python3 /dev/stdin", "node /proc/self/fd/0", "perl /dev/fd/0 x", "install -s --strip-program=x a b",
        "wget -e use_askpass=x a", "git fetch x::y", "git clone x::y", "git remote add a x::y",
        "cargo rustc -- -C linker=x", "duckdb a '.shell x'", "sbcl --eval x", "jshell", "ghc -e x",
        "pnpm git push", "yarn git push",
        // What changes the meaning of a name.
        "cd /usr/bin ; cp git /tmp/g", "ln -s rm x", "declare -n a=PATH", "typeset -gn a=PATH", "set -k",
        "set -o keyword",
        "hash -p /usr/bin/git g ; g push", "hash -p /usr/bin/git g", "alias g=git", "fc -s x",
        "ln -s /usr/bin/git g ; ./g push", "cp /usr/bin/git g", "ln -sf /bin/rm x",
        "cp /usr/lib/git-core/git-push p", "dd if=/usr/bin/git of=g", "install /usr/bin/git g",
        "export PATH=/x", "export LD_PRELOAD=x", "declare -x PATH=/x", "typeset PATH=/x",
        "readonly BASH_ENV=x", "read PATH", "read -r GIT_PAGER", "printf -v PATH x",
        "printf -vPATH x", "getopts x PATH",
        "env PATH=/x git log", "env GIT_PAGER=x git log", "env LD_PRELOAD=x ls",
        "env BASH_ENV=x ls", "env GIT_CONFIG_COUNT=1 git st", "env EDITOR=x git commit",
        "sudo PATH=/x ls", "env -u A RUSTC_WRAPPER=x cargo build",
        // What a builtin evaluates.
        "let 'a[$(x)]'", "test -v 'a[$(x)]'", "[ -v 'a[$(x)]' ]", "unset 'a[$(x)]'", "wait -p 'a[`x`]'",
        // The same options, written another way.
        "rm -fr x", "rm -r -f x", "rm -Rf x", "rm --recursive --force x", "rm -v -rf x", "rm x -rf",
        "rm -rvf x", "rm --recurs -f x", "git commit --amen -m x",
    ]);
}

/// What is done all day with programs that are known stays as free as it is without such rules.
#[test]
#[rustfmt::skip]
fn what_is_done_all_day_is_free() {
    are("free", &[
        "cargo test", "cargo build --release", "cargo test -p plan push", "cargo fmt --all",
        "cargo clippy --workspace -- -D warnings", "cargo run -- --help", "cargo add serde",
        "cargo rm serde", "cargo nextest run", "rustc a.rs", "rustup show", "git status",
        "git log --oneline -n 5", "git diff --stat", "git add -A", "git add .",
        "git commit -m 'Say how git push works'", "git commit -m x", "git pull", "git fetch origin",
        "git checkout -b push", "git switch main", "git rm -rf x", "git mv a b", "git stash push",
        "git stash pop", "git rebase main", "git merge x", "git tag v1", "git show HEAD:a",
        "git worktree add x", "git branch -D x", "git reset --hard", "git clean -fd",
        "git restore .", "git remote -v", "git init", "git", "git rev-parse HEAD",
        "git cherry-pick a", "git ls-files", "git blame a", "git apply a.patch", "git help push",
        "git --version", "git version", "git grep push", "git clone a b", "git notes list",
        "npm run build", "npm ci", "npm install", "npm test", "npm run watch", "npm run make",
        "pnpm install", "yarn build", "yarn", "tsc -p .", "eslint src", "prettier --write .",
        "pytest -k 'git and push'", "pip install make", "go test ./...", "go build", "mvn package",
        "gradle test", "cmake -S . -B b", "cmake --build b", "docker ps", "ls -la", "cat a",
        "echo git push", "echo 'git push'", "/bin/echo git push", "/usr/bin/echo git push",
        "printf 'git push'", "echo x", "grep -rn 'git push' .", "rg 'git push'", "rg rm -rf",
        "which git", "type git", "mkdir -p a", "touch rm", "cp -r a b", "mv a b",
        "cp src/git/a.rs b", "rm x", "rm -r x", "rm -f x", "rm -i x", "ln -s a b",
        "cp git-notes.md b", "mv docs/git/a b", "chmod +x a", "git grep a::b", "git log -S a::b",
        "go test -run a", "docker rm -f x", "pnpm rm x", "cargo install x", "tee a", "sort a",
        "uniq a", "head a", "wc -l a", "diff a b", "find . -name x", "tar xzf a.tgz",
        "tar -czf a.tgz b", "zip -r a b", "unzip a", "curl a", "wget a", "jq '.a | $x' a", "jq .a",
        "date", "sleep 1", "cd src", "pwd", "true", "test -f a", "[ -f a ]", "printf '%s' a",
        "kill 1", "gcc -O2 a.c", "gh pr create --body 'Please git push it'", "gh pr list",
    ]);
}

/// What runs a file, sets up the shell, or is begun by another program is asked about once.
#[test]
#[rustfmt::skip]
fn what_is_done_all_day_and_may_be_anything_is_asked() {
    are("asked", &[
        "git commit -am x", "git -C sub status", "git --no-pager log", "git config --get user.name",
        "git config user.email a@b.c", "git config --list", "git submodule update --init",
        "git bisect start", "git config get user.name", "npm rm x", "node x.js",
        "node server.js --port 1", "npx tsc --noEmit", "npx vitest run a", "python3 script.py",
        "python3 script.py --push", "./gradlew build", "./script.sh", "./configure --prefix=x",
        "java -jar a.jar", "man git", "set -x", "declare -a x", "sed -i s/a/b/ f", "sed -n 5p a",
        "timeout 60 cargo test", "env RUST_LOG=debug cargo test", "env CI=1 npm test", "env A=1 ls",
        "env PYTHONUNBUFFERED=1 pytest", "export CI=1", "export RUST_BACKTRACE=1", "read -r line",
        "set -e", "set -euo pipefail", "hash -r", "unset A", "wait", "nice cargo build",
        "time cargo test", "xvfb-run -a pytest", "strace -f ./a",
    ]);
}

/// Options stand anywhere and have short names, and the rule means them all the same.
#[test]
fn an_option_is_known_in_its_other_forms() {
    for command in [
        "git push --force origin main",
        "git push -f origin main",
        "git push -uf origin main",
        "git push origin main --forc",
        "git push --force=x origin",
        "git -C sub push -f",
        "timeout 5 git push -f",
        "git-push -f",
    ] {
        assert_eq!(said_by(&["shell(git push * --force)"], command), "asked", "{command}");
    }
    for command in ["git push origin main", "git push -u origin main", "git push --follow-tags"] {
        assert_eq!(said_by(&["shell(git push * --force)"], command), "free", "{command}");
    }
}

/// Programs have commands of their own that are called like others.
#[test]
fn a_command_of_a_program_is_not_its_namesake() {
    for command in ["git rm x", "docker rm -f x", "cargo rm x", "pnpm rm x"] {
        assert_eq!(said_by(&["shell(rm *)"], command), "free", "{command}");
    }
    for command in ["npm rm x", "npm x rm y", "docker run a rm y", "wrapper rm x", "npm ls rm x"] {
        assert_eq!(said_by(&["shell(rm *)"], command), "asked", "{command}");
    }
}

/// A command may have a thousand words, and each of them might begin another one.
#[test]
fn long_commands_are_answered_soon() {
    let started = std::time::Instant::now();
    let long = format!("wrapper {}", "a=b ".repeat(2000));
    assert_eq!(said(&long), "asked");
    assert_eq!(said(&format!("cp {}", "a=b ".repeat(2000))), "free");
    assert_eq!(said(&format!("{long} git push")), "asked");
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

/// npm takes a command by its beginning, and has several names for many.
#[test]
fn a_command_of_npm_is_known_by_its_other_names() {
    let rules = ["shell(npm publish*)", "shell(npm run deploy*)", "shell(npm exec *)"];
    for command in [
        "npm pub",
        "npm publ --tag x",
        "npm publish",
        "npm --silent pub",
        "timeout 5 npm pu",
        "/usr/bin/npm publi",
        "npm run-script deploy",
        "npm run-s deploy:all",
        "npm rum deploy",
        "npm urn deploy",
        "npm x y",
        "npm exe y",
    ] {
        let is_plain = ["npm publish", "/usr/bin/npm publish"].contains(&command);
        let expected = if is_plain { "forbidden" } else { "asked" };
        assert_eq!(said_by(&rules, command), expected, "{command}");
    }
    for command in ["npm test", "npm run build", "npm pack", "npm"] {
        assert_eq!(said_by(&rules, command), "free", "{command}");
    }
    for command in ["npm t", "npm i", "npm unpub x"] {
        assert_eq!(said_by(&rules, command), "asked", "{command}");
    }
    // A rule may use another name than the command does, too.
    for rule in ["shell(npm i *)", "shell(npm add *)", "shell(npm inst *)"] {
        for command in ["npm install x", "npm in x", "npm test"] {
            assert_eq!(said_by(&[rule], command), "asked", "{rule}: {command}");
        }
    }
}
