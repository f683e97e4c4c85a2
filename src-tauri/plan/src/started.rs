//! Which commands a simple command starts, as far as its words show it.
//!
//! This is for rules that forbid or ask, and never for those that allow.
//! Programs that start another one are seen through; where a program is given
//! text to run, nobody reads that text here, and it is said to hide something (see `hidden`). So
//! is what changes the meaning of later words (`meaning`). What a program that nobody knows has
//! among its words, it may start (`perhaps`).

mod git;
mod hidden;
mod meaning;
mod npm;
mod perhaps;

pub(crate) use meaning::renamed;
pub(crate) use perhaps::{perhaps, perhaps_hides};

/// A program that starts the command in its arguments.
struct Wrapper {
    name: &'static str,
    /// Options whose value is a word of its own.
    valued: &'static [&'static str],
    /// How many words stand before the command.
    operands: usize,
}

const fn wrapper(name: &'static str, valued: &'static [&'static str], operands: usize) -> Wrapper {
    Wrapper { name, valued, operands }
}

const WRAPPERS: &[Wrapper] = &[
    wrapper("command", &[], 0),
    wrapper("builtin", &[], 0),
    wrapper("exec", &["-a"], 0),
    wrapper("env", &["-u", "--unset", "-C", "--chdir", "-a", "--argv0"], 0),
    wrapper("timeout", &["-k", "--kill-after", "-s", "--signal"], 1),
    wrapper("nohup", &[], 0),
    wrapper("nice", &["-n", "--adjustment"], 0),
    wrapper("ionice", &["-c", "--class", "-n", "--classdata"], 0),
    wrapper("chrt", &["-T", "-P", "-D"], 1),
    wrapper("taskset", &[], 1),
    wrapper("setsid", &[], 0),
    wrapper("setarch", &[], 1),
    wrapper("linux32", &[], 0),
    wrapper("linux64", &[], 0),
    wrapper("uname26", &[], 0),
    wrapper("x86_64", &[], 0),
    wrapper("i386", &[], 0),
    wrapper("i486", &[], 0),
    wrapper("i586", &[], 0),
    wrapper("i686", &[], 0),
    wrapper("choom", &["-n", "--adjust"], 0),
    wrapper("uclampset", &["-m", "-M"], 0),
    wrapper(
        "xvfb-run",
        &["-e", "-f", "-n", "-p", "-s", "-w", "--error-file", "--auth-file", "--server-num"],
        0,
    ),
    wrapper("setpriv", &["--reuid", "--regid", "--groups"], 0),
    wrapper("prlimit", &[], 0),
    wrapper("stdbuf", &["-i", "--input", "-o", "--output", "-e", "--error"], 0),
    wrapper("unbuffer", &[], 0),
    wrapper("time", &["-f", "--format", "-o", "--output"], 0),
    wrapper("sudo", &["-u", "--user", "-g", "--group", "-h", "-p", "-C", "-D", "-R", "-T"], 0),
    wrapper("doas", &["-u", "-C"], 0),
    wrapper("chroot", &[], 1),
    wrapper("unshare", &[], 0),
    wrapper("flock", &["-w", "--timeout", "-E", "--conflict-exit-code"], 1),
    wrapper("strace", &["-o", "-e", "-p", "-s", "-u", "-E", "-P", "-a", "-b", "-I", "-O", "-S"], 0),
    wrapper("ltrace", &["-o", "-e", "-p", "-s", "-u", "-n", "-l", "-x"], 0),
    wrapper("fakeroot", &[], 0),
    wrapper("dbus-run-session", &["--config-file"], 0),
    wrapper("busybox", &[], 0),
    wrapper("toybox", &[], 0),
    wrapper("coreutils", &[], 0),
    wrapper("jobs", &[], 0),
    wrapper("ssh-agent", &["-a", "-t", "-E", "-P"], 0),
    wrapper("nsenter", &["-t", "--target", "-S", "--setuid", "-G", "--setgid"], 0),
    wrapper("valgrind", &[], 0),
    wrapper("systemd-run", &["-p", "--property", "-u", "--unit", "-E", "--setenv"], 0),
    wrapper("npx", &["-p", "--package"], 0),
    wrapper(
        "xargs",
        &["-a", "-d", "-E", "-I", "-L", "-n", "-P", "-s", "--arg-file", "--delimiter"],
        0,
    ),
];

/// What the system starts programs with, and anyone can call by hand.
const LOADER: Wrapper = wrapper(
    "ld.so",
    &[
        "--library-path",
        "--preload",
        "--audit",
        "--argv0",
        "--inhibit-rpath",
        "--glibc-hwcaps-prepend",
        "--glibc-hwcaps-mask",
    ],
    0,
);

/// The commands that a simple command is and starts, each by its plain name.
pub(crate) fn commands(argv: &[String]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut left: Vec<Vec<String>> = vec![argv.to_vec()];
    while let Some(words) = left.pop() {
        let Some(name) = words.first().map(|word| plain(word).to_owned()) else { continue };
        let rest = &words[1..];
        match name.as_str() {
            "git" => found.push(named("git", without_options(rest, git::VALUED, false))),
            "npm" => found.extend(npm::by_all_names(rest)),
            "find" => left.extend(after_exec(rest)),
            "env" => left.extend(split_by_env(rest)),
            _ => {}
        }
        if let Some(wrapper) = wrapper_called(&name) {
            let inner = without_options(rest, wrapper.valued, true);
            let mut inner = inner.get(wrapper.operands..).unwrap_or_default().to_vec();
            // It adds words that nobody knows yet.
            if name == "xargs" && !inner.is_empty() {
                left.push(inner.clone());
                inner.push("…".to_owned());
            }
            left.push(inner);
        }
        // Git's own programs, such as `git-push`.
        if let Some(command) = name.strip_prefix("git-") {
            found.push(named("git", &named(command, rest)));
        }
        found.push(named(&name, rest));
    }
    found
}

/// The program of this name that starts another one. Loaders have a name for each machine, such as
/// `ld-linux-x86-64.so.2`.
fn wrapper_called(name: &str) -> Option<&'static Wrapper> {
    let loads = name.starts_with("ld") && name.contains(".so");
    let known = WRAPPERS.iter().find(|wrapper| wrapper.name == name);
    known.or(loads.then_some(&LOADER))
}

/// Whether one of its commands is given something to run that is not looked at.
pub(crate) fn hides_something(argv: &[String]) -> bool {
    commands(argv).iter().any(|words| match words.split_first() {
        Some((name, rest)) => hidden::is_given_to(name, rest),
        None => false,
    })
}

/// The last part of a program's path.
fn plain(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

fn named(name: &str, rest: &[String]) -> Vec<String> {
    std::iter::once(name.to_owned()).chain(rest.iter().cloned()).collect()
}

/// What follows the options, and the assignments where there may be some.
fn without_options<'a>(words: &'a [String], valued: &[&str], assigns: bool) -> &'a [String] {
    let mut left = words;
    while let Some((word, rest)) = left.split_first() {
        if assigns && !word.starts_with('-') && word.contains('=') || word == "--" {
            left = rest;
        } else if word.starts_with('-') {
            let taken = usize::from(valued.contains(&word.as_str()));
            left = rest.get(taken..).unwrap_or_default();
        } else {
            break;
        }
    }
    left
}

/// The commands of `find`.
fn after_exec(words: &[String]) -> Vec<Vec<String>> {
    let starts = words
        .iter()
        .enumerate()
        .filter(|(_, word)| matches!(word.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir"));
    let command = |(at, _): (usize, &String)| {
        let rest = words[at + 1..].iter();
        rest.take_while(|word| !matches!(word.as_str(), ";" | "+")).cloned().collect()
    };
    starts.map(command).collect()
}

/// The command that `env -S` makes of one word.
fn split_by_env(words: &[String]) -> Option<Vec<String>> {
    let at = words.iter().position(|word| word.starts_with("-S") || word.starts_with("--split"))?;
    let attached = words[at].strip_prefix("-S").or(words[at].split_once('=').map(|pair| pair.1));
    let text = attached.filter(|text| !text.is_empty()).into_iter();
    let all = text.chain(words[at + 1..].iter().map(String::as_str));
    let split: Vec<String> = all.flat_map(str::split_whitespace).map(str::to_owned).collect();
    Some(without_options(&split, &[], true).to_vec())
}
