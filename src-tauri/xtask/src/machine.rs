//! Brings the machine to where Plancard can be built: installs what is missing, and only that.

use std::process::{Command, Stdio};

use crate::Outcome;
use crate::command::{exists, finish};
use crate::packages::{FOR_TESTS, NEEDED, Package};

/// Installs missing system packages, or says which ones to install.
pub fn set_up() -> Outcome {
    provide(NEEDED)
}

/// The same for what only the tests need.
pub fn set_up_for_tests() -> Outcome {
    provide(NEEDED)?;
    provide(FOR_TESTS)
}

fn provide(packages: &[Package]) -> Outcome {
    let absent: Vec<&Package> = packages.iter().filter(|package| !is_there(package)).collect();
    if absent.is_empty() {
        return Ok(());
    }
    println!("missing on this machine:");
    for package in &absent {
        println!("  {:<16} {}", package.name, package.purpose);
    }
    let names: Vec<&str> = absent.iter().map(|package| package.name).collect();
    if !exists("apt-get") {
        // Their names differ elsewhere, and some systems have no such thing, so go on and try.
        println!("install them with this system's package manager if what follows fails");
        return Ok(());
    }
    let Some(prefix) = privilege() else {
        return Err(format!(
            "this needs the administrator; run\n  apt-get update && apt-get install --no-install-recommends {}",
            names.join(" ")
        ));
    };
    println!("installing {} …", names.join(" "));
    install(prefix, &names).or_else(|sentence| {
        // Another apt at work can delete downloaded archives under this one; once it is done,
        // the same command repairs that.
        println!("{sentence}; trying once more");
        install(prefix, &names)
    })
}

fn is_there(package: &Package) -> bool {
    package.program.is_some_and(answers) || is_installed(package.name)
}

/// Whether a program is there and, if words follow, ends well with them.
fn answers(line: &str) -> bool {
    let mut words = line.split(' ');
    let Some(program) = words.next().filter(|program| exists(program)) else { return false };
    let words: Vec<&str> = words.collect();
    let silent =
        |command: &mut Command| command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    words.is_empty()
        || silent(Command::new(program).args(words)).is_ok_and(|status| status.success())
}

fn is_installed(name: &str) -> bool {
    Command::new("dpkg-query")
        .args(["--show", "--showformat=${db:Status-Status}", name])
        .stderr(Stdio::null())
        .output()
        .is_ok_and(|output| output.stdout == b"installed")
}

/// The words to put before a command that only the administrator may run.
fn privilege() -> Option<&'static [&'static str]> {
    let is_root = Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    if is_root {
        return Some(&[]);
    }
    exists("sudo").then_some(&["sudo"])
}

fn install(prefix: &[&str], names: &[&str]) -> Outcome {
    apt(prefix, &["update"])?;
    let mut words = vec!["install", "--yes", "--no-install-recommends"];
    words.extend(names);
    apt(prefix, &words)
}

fn apt(prefix: &[&str], words: &[&str]) -> Outcome {
    // `env` carries the setting past sudo, which drops most of the environment.
    let mut line = prefix.to_vec();
    line.extend(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]);
    line.extend(["--quiet", "--option", "DPkg::Lock::Timeout=120"]);
    line.extend(words);
    finish(Command::new(line[0]).args(&line[1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_on_the_path_counts_as_there() {
        let cargo = Package {
            name: "no-such-package",
            program: Some("cargo"),
            purpose: "is on the path wherever this test runs",
        };
        assert!(is_there(&cargo));
    }

    #[test]
    fn words_after_a_program_have_to_work() {
        let with = |program| Package {
            name: "no-such-package",
            program: Some(program),
            purpose: "is a part of a program that may be there without it",
        };
        assert!(is_there(&with("cargo --version")));
        assert!(!is_there(&with("cargo no-such-part")));
        assert!(!is_there(&with("no-such-program --version")));
    }

    #[test]
    fn an_unknown_package_is_missing() {
        let nothing = Package { name: "no-such-package", program: None, purpose: "is nowhere" };
        assert!(!is_there(&nothing));
    }
}
